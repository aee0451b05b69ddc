"""Pages of a document, the next one rendered while the present one is read."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor

from mineru_core.document.page import Page
from mineru_core.errors import WorkbenchError

Rendered = Page | WorkbenchError
"""A page, or why it could not be rendered."""


def rendered_ahead(
    render: Callable[[int], Page], numbers: Sequence[int]
) -> Generator[tuple[int, Rendered], None, None]:
    """Yield (number, page) in the given order, with at most one page rendered ahead.

    What ``render`` raises of the project's errors comes back as a value: one bad page must not end its document;
    anything else propagates. Close the iterator where it is left early, so that its thread ends.
    """

    def attempt(number: int) -> Rendered:
        try:
            return render(number)
        except WorkbenchError as error:
            return error

    if len(numbers) < 2:  # nothing to overlap: no thread for the common case of one picture
        yield from ((number, attempt(number)) for number in numbers)
        return
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="render") as pool:
        coming = pool.submit(attempt, numbers[0])
        for place, number in enumerate(numbers):
            page = coming.result()
            if place + 1 < len(numbers):
                coming = pool.submit(attempt, numbers[place + 1])
            yield number, page
            del page  # or it would stay in memory while the next two are there
