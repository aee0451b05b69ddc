"""Drawn charts of every kind, from the bytes of a picture to the data: the bars that the product is held to."""

from __future__ import annotations

from statistics import fmean

import pytest

from tests.engines.embedded.charts.drawn import KINDS
from tests.engines.embedded.charts.end_to_end import of_all, read_all, sure_points


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_clean_charts_of_all_kinds_are_read_from_their_bytes() -> None:
    outcomes = read_all(KINDS, range(6000, 6026))
    right, sure = sure_points(outcomes)
    assert fmean(outcome.score for outcome in outcomes) >= 0.95, of_all(outcomes)
    assert right >= 0.95 * sure, of_all(outcomes)


def test_some_charts_are_read_from_their_bytes() -> None:
    outcomes = read_all(["bars", "lines_markers", "pie"], [6100])
    assert [outcome.kind for outcome in outcomes if outcome.score < 0.8] == []
