"""Which pages are meant, out of the words of a wish."""

from __future__ import annotations

import re

from mineru_core.instruct import vocabulary as v
from mineru_core.instruct.numbers import MOST, expand, number
from mineru_core.instruct.reader import Reader


def take_pages(reader: Reader, *, in_order: bool = False) -> tuple[int, ...]:
    """Page numbers that the words limit the question to (-1 is the last), and their words blanked out.

    Each comes once, in the order they are named. With ``in_order``, as for a comparison, "from page 1 to page 3" names
    two pages, not three.
    """
    found: list[tuple[int, int]] = []

    def take(pattern: re.Pattern[str]) -> list[tuple[int, str]]:
        places: list[int] = []

        def meant(match: re.Match[str]) -> bool:
            if pattern in _COUNTS_BACK and match["it"] in "一1":
                return False  # one page is no "last pages": the words for it come later
            places.append(match.start())
            return True

        taken = reader.take(pattern, where=meant)
        return list(zip(places, taken, strict=True))

    if in_order:
        reader.text = v.PAGE_WITH.sub("and ", reader.text)
    else:
        reader.take(v.FIRST_TO_LAST)
    for pattern in (v.PAGES_FIRST, v.HAN_PAGES_FIRST):
        for place, count in take(pattern):
            found.extend((place, n) for n in range(1, min(number(count), MOST) + 1))
    for pattern in _COUNTS_BACK:
        for place, count in take(pattern):
            found.extend((place, n) for n in range(-min(number(count), MOST), 0))
    for pattern in (v.HAN_PAGES_BACK, v.PAGES_BACK):
        found.extend((place, -number(count)) for place, count in take(pattern))
    for pattern in (v.HAN_PAGES, v.PAGE_TO_PAGE, v.PAGE_LISTS, v.PAGE_ORDINALS, v.HAN_PAGE_RANGES):
        for place, numbers in take(pattern):
            found.extend((place, n) for n in expand(numbers, ranges=not in_order))
    if in_order and found:
        found.extend((place, number(which)) for place, which in take(v.PAGE_ALSO))
    found.extend((place, 1) for place, _ in take(v.PAGE_FRONT))
    found.extend((place, -1) for place, _ in take(v.PAGE_FINAL))
    reader.take(v.PAGES_ALL)
    return tuple(dict.fromkeys(n for _, n in sorted(found, key=lambda one: one[0]) if n))


_COUNTS_BACK = (v.PAGES_LAST, v.HAN_PAGES_LAST)
