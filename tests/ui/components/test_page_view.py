from __future__ import annotations

from typing import Any

import pytest

from mineru_core.document.analysis import BlockType
from mineru_core.document.geometry import Box
from mineru_core.document.task import Region
from mineru_core.serving.selection import MAX_REGIONS
from mineru_core.ui.components.page_view import SCRIPT, parse_regions, region_rows, view_heat, view_looks, view_words
from mineru_core.ui.i18n import Translator

EN = Translator("en")


def test_regions_go_to_the_browser_and_come_back() -> None:
    regions = (Region(page=1, box=Box(0, 0, 20.5, 40)), Region(page=3, box=Box(7.25, 8, 9, 10)))
    rows = region_rows(regions)
    assert rows == ((1, 0, 0, 20.5, 40), (3, 7.2, 8, 9, 10))
    assert parse_regions([list(row) for row in rows], 3) == (
        regions[0],
        Region(page=3, box=Box(7.2, 8, 9, 10)),
    )
    assert parse_regions([], 3) == ()


@pytest.mark.parametrize(
    "sent",
    [
        None,
        {},
        "[]",
        [[1, 0, 0, 20]],
        [[0, 0, 0, 20, 20]],
        [[4, 0, 0, 20, 20]],
        [[1, -1, 0, 20, 20]],
        [[1, 20, 0, 20.5, 20]],
        [[1, 20, 0, 10, 20]],
        [[1, 0, 0, "20", 20]],
        [[1, 0, 0, True, 20]],
        [[1, 0, 0, float("nan"), 20]],
        [[1, 0, 0, 1e9, 20]],
        [[1, 0, 0, 20, 20]] * (MAX_REGIONS + 1),
    ],
)
def test_regions_that_cannot_be_are_not_taken(sent: Any) -> None:
    assert parse_regions(sent, 3) is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_kind_and_step_has_its_name(language: str) -> None:
    t = Translator(language)
    looks = view_looks(t)
    assert set(looks) == {kind.value for kind in BlockType}
    assert len({name for name, _, _ in looks.values()}) == len(looks)
    assert [step["least"] for step in view_heat(t)] == [95, 85, 75, 0]
    assert all(view_words(t).values())


def test_the_places_of_numbers_are_in_the_words() -> None:
    for language in ("en", "zh"):
        words = view_words(Translator(language))
        for name in ("turned", "sure", "page_named", "region_one", "region_many"):
            assert words[name].count("%") == 1, name
        assert words["region_many"].count("#") == 1


def test_the_module_makes_no_markup_of_text_and_fetches_from_its_own_server_only() -> None:
    assert SCRIPT.count("export default") == 1
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser", "eval("):
        assert forbidden not in SCRIPT
    assert SCRIPT.count("http") == SCRIPT.count("http://www.w3.org/2000/svg")
