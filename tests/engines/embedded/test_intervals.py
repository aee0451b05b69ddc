from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.engines.embedded.intervals import apart, complement, intersect, overlap, spans_of

_intervals = st.tuples(st.integers(0, 50), st.integers(1, 20)).map(lambda t: (float(t[0]), float(t[0] + t[1])))
LOW, HIGH = 0.0, 80.0


def _covered(x: float, intervals: list[tuple[float, float]]) -> bool:
    return any(a < x < b for a, b in intervals)


@given(st.lists(_intervals, max_size=8))
def test_each_place_is_covered_or_free(intervals: list[tuple[float, float]]) -> None:
    free = complement(intervals, LOW, HIGH)
    for n in range(80):
        assert _covered(n + 0.5, intervals) != _covered(n + 0.5, free)


@given(st.lists(_intervals, max_size=5), st.lists(_intervals, max_size=5))
def test_common_places_are_in_both(a: list[tuple[float, float]], b: list[tuple[float, float]]) -> None:
    common = intersect(a, b)
    for n in range(80):
        assert _covered(n + 0.5, common) == (_covered(n + 0.5, a) and _covered(n + 0.5, b))


@given(st.lists(_intervals, max_size=8), st.lists(_intervals, max_size=8))
def test_what_is_apart_shares_nothing(a: list[tuple[float, float]], covering: list[tuple[float, float]]) -> None:
    b = complement(covering, LOW, HIGH)
    assert apart(a, b) == [x for x in a if not any(overlap(x, y) > 0 for y in b)]


def test_overlap_is_negative_over_a_gap() -> None:
    assert (overlap((0, 4), (1, 3)), overlap((0, 4), (4, 5)), overlap((0, 4), (7, 9))) == (2, 0, -3)


@given(st.lists(st.booleans(), max_size=30))
def test_spans_are_the_runs_of_a_mask(mask: list[bool]) -> None:
    spans = spans_of(np.array(mask, np.bool_))
    assert [i for start, end in spans for i in range(start, end)] == [i for i, on in enumerate(mask) if on]
    assert all(end < start for (_, end), (start, _) in pairwise(spans))
