from __future__ import annotations

import numpy as np
import pytest

from mineru_core.document.analysis import Part
from mineru_core.document.page import Page
from mineru_core.document.parts import PartReading
from mineru_core.engines.base import chosen_readings, known_of_each

TEXT, LAYOUT, TURNED = (
    PartReading(part=Part.TEXT),
    PartReading(part=Part.LAYOUT),
    PartReading(part=Part.TABLES, rotation=90),
)
PAGES = [Page(np.full((4, 5, 3), shade, np.uint8), "x", shade + 1) for shade in range(2)]


def test_only_needed_readings_are_chosen_in_a_fixed_order() -> None:
    readings = {Part.TEXT: TEXT, Part.TABLES: TURNED, Part.LAYOUT: LAYOUT}
    assert chosen_readings(frozenset({Part.TEXT, Part.LAYOUT}), readings) == (LAYOUT, TEXT)
    assert chosen_readings(frozenset(), readings) == ()


def test_absent_parts_are_named() -> None:
    with pytest.raises(ValueError, match="without its layout, tables"):
        chosen_readings(frozenset({Part.TEXT, Part.LAYOUT, Part.TABLES}), {Part.TEXT: TEXT})


def test_parts_of_a_page_turned_in_different_ways_do_not_go_together() -> None:
    with pytest.raises(ValueError, match=r"\[0, 90\]"):
        chosen_readings(frozenset({Part.TEXT, Part.TABLES}), {Part.TEXT: TEXT, Part.TABLES: TURNED})


def test_without_known_readings_nothing_is_known_of_any_page() -> None:
    assert known_of_each(PAGES, ()) == [(PAGES[0], {}), (PAGES[1], {})]


def test_each_page_has_its_own_known_readings_and_doubtful_ones_are_dropped() -> None:
    doubtful = {Part.TEXT: TEXT, Part.TABLES: TURNED}
    assert known_of_each(PAGES, [{Part.TABLES: TURNED}, doubtful]) == [
        (PAGES[0], {Part.TABLES: TURNED}),
        (PAGES[1], {}),
    ]


def test_known_readings_of_another_number_of_pages_are_refused() -> None:
    with pytest.raises(ValueError, match="2 pages, and what is known of 1"):
        known_of_each(PAGES, [{}])
