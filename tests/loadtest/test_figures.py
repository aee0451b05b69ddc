from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.loadtest.figures import closed_rate, figures_of, percentile, slow_stages
from mineru_core.loadtest.records import PhaseEnd, Record

END = PhaseEnd("main", 10.0)
codes = st.sampled_from(["ok", "in-flight", "overloaded", "rate-limited", "timeout", "corrupt-pdf", "stopped"])


def record(due: float, end: float, code: str = "ok", **more: Any) -> Record:
    return Record("main", due, more.pop("start", due), end, code, kind="slide", **more)


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0, 1))
def test_percentiles_are_numpys(values: list[float], share: float) -> None:
    assert percentile(values, share) == pytest.approx(float(np.quantile(values, share)), rel=1e-9, abs=1e-9)


def test_time_runs_from_when_a_request_was_due() -> None:
    found = figures_of([record(1.0, 5.0, start=4.0)], END, timeout_s=30)
    assert (found.mean_s, found.late_p95_s) == (4.0, 3.0)


def test_an_answer_that_is_too_late_is_a_timeout_and_no_goodput() -> None:
    found = figures_of([record(0.0, 2.0), record(0.0, 40.0)], END, timeout_s=30)
    assert (found.answers, found.errors, found.timeouts, found.by_code) == (1, 1, 1, {"ok": 1, "timeout": 1})
    assert (found.throughput, found.goodput) == (2 / 40, 1 / 40)


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0, 60), codes)))
def test_every_request_is_one_of_four_things(rows: list[tuple[float, float, str]]) -> None:
    found = figures_of([record(due, due + took, code) for due, took, code in rows], END, timeout_s=30)
    assert found.answers + found.errors + found.refused + found.stopped == found.requests == len(rows)
    assert sum(found.by_code.values()) == len(rows)
    assert found.goodput <= found.throughput
    assert found.timeouts <= found.errors


def test_nothing_came() -> None:
    found = figures_of([], PhaseEnd("main", 0.0), timeout_s=30)
    assert (found.throughput, found.refused_share, found.flat()["requests"]) == (0.0, 0.0, 0.0)
    assert math.isnan(found.p95_s)


def test_a_closed_loop_counts_what_was_done_in_its_window() -> None:
    # Two people, answers of 4 s each, a window of 10 s: two and a half each.
    records = [record(start, start + 4.0) for start in (0.0, 4.0, 8.0) for _ in range(2)]
    assert closed_rate(records, 10.0) == pytest.approx(0.5)
    assert closed_rate([], 0.0) == 0.0


def test_slow_requests_are_told_by_stage() -> None:
    fast = [record(0.0, 1.0, timings={"wait": 0.1, "text": 0.5}) for _ in range(9)]
    slow = record(0.0, 9.0, timings={"wait": 7.0, "text": 1.5})
    assert list(slow_stages([*fast, slow]).items()) == [("wait", 7.0), ("text", 1.5)]
    assert slow_stages([record(0.0, 1.0)]) == {}
