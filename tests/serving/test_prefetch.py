import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.page import Page
from mineru_core.errors import CorruptPdf
from mineru_core.serving.prefetch import rendered_ahead


def page(number: int) -> Page:
    return Page(pixels=np.zeros((2, 2, 3), dtype=np.uint8), source="x", number=number, sha256="s")


@given(numbers=st.lists(st.integers(1, 50), max_size=12, unique=True), bad=st.sets(st.integers(1, 50), max_size=5))
def test_each_page_in_its_order_and_a_bad_one_as_its_error(numbers: list[int], bad: set[int]) -> None:
    def render(number: int) -> Page:
        if number in bad:
            raise CorruptPdf(f"page {number}")
        return page(number)

    out = list(rendered_ahead(render, numbers))
    assert [number for number, _ in out] == numbers
    for number, rendered in out:
        assert isinstance(rendered, CorruptPdf if number in bad else Page)


def test_the_next_page_is_rendered_meanwhile_and_no_further() -> None:
    rendered: list[int] = []
    second = threading.Event()

    def render(number: int) -> Page:
        rendered.append(number)
        if number == 2:
            second.set()
        return page(number)

    pages = rendered_ahead(render, [1, 2, 3, 4])
    next(pages)
    assert second.wait(10)
    assert rendered == [1, 2]
    pages.close()
    assert rendered == [1, 2]


def test_leaving_early_ends_the_thread() -> None:
    pages = rendered_ahead(page, [1, 2, 3])
    next(pages)
    pages.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("render")]


def test_what_is_no_error_of_the_project_ends_the_document() -> None:
    def render(number: int) -> Page:
        raise KeyError(number)

    with pytest.raises(KeyError):
        list(rendered_ahead(render, [1, 2]))
