from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.errors import InvalidRequest
from mineru_core.loadtest.comparison import compare, row_of
from tests.loadtest.runs import make_run

some = st.lists(st.floats(0.01, 1000), min_size=2, max_size=8)


def test_a_single_run_has_a_ratio_and_no_bounds() -> None:
    row = row_of("throughput", [2.0], [6.0])
    assert (row.ratio, row.low, row.high, row.is_certain) == (pytest.approx(3.0), None, None, False)


def test_the_interval_is_welchs() -> None:
    # By hand: logs 0, ln 4 and ln 2, ln 8; variances equal, so 2 degrees of freedom and t = 4.303.
    row = row_of("p95_s", [1.0, 4.0], [2.0, 8.0])
    assert row.ratio == pytest.approx(2.0)
    assert row.high is not None
    assert row.high == pytest.approx(2.0 * 2.0 ** (4.303 * 2**0.5), rel=1e-3)


def test_repeats_that_agree_are_certain() -> None:
    assert row_of("throughput", [1.0, 1.01, 0.99], [3.0, 3.02, 2.98]).is_certain
    assert row_of("throughput", [2.0, 2.0], [6.0, 6.0]).is_certain
    assert not row_of("throughput", [1.0, 2.0, 3.0], [1.1, 2.1, 2.9]).is_certain


def test_no_ratio_of_nothing() -> None:
    assert row_of("errors", [0.0, 0.0], [1.0, 2.0]).ratio is None


@given(some, some)
def test_exchanged_sides_turn_the_ratio_over(one: list[float], other: list[float]) -> None:
    there, back = row_of("x", one, other), row_of("x", other, one)
    assert there.ratio is not None
    assert there.low is not None
    assert there.high is not None
    assert back.ratio == pytest.approx(1 / there.ratio)
    assert back.low == pytest.approx(1 / there.high)
    assert there.low <= there.ratio * (1 + 1e-9)
    assert there.ratio <= there.high * (1 + 1e-9)


def test_only_what_all_runs_have_is_compared() -> None:
    more = make_run(2, figures={"throughput": 4.0, "p50_s": 1.0})
    (row,) = compare([make_run(1)], [more])
    assert (row.name, row.before, row.after) == ("throughput", 2.0, 4.0)
    with pytest.raises(InvalidRequest):
        compare([], [more])
