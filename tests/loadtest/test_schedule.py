from __future__ import annotations

import itertools
import random
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.errors import InvalidRequest
from mineru_core.loadtest.presets import PRESETS, preset
from mineru_core.loadtest.scenario import Poisson, Soak, Spike, check_bounds
from mineru_core.loadtest.schedule import RateSearch, arrival_times
from mineru_core.settings import LoadtestSettings


def test_arrivals_are_a_poisson_process() -> None:
    times = list(arrival_times(Poisson(rate_per_s=20), 1000, random.Random(3)))
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert len(times) == pytest.approx(20_000, rel=0.03)
    assert stdev(gaps) == pytest.approx(fmean(gaps), rel=0.05)  # as gaps that remember nothing have it


@given(st.floats(0.1, 50), st.floats(0.1, 20), st.integers())
def test_arrivals_are_in_order_and_in_time(rate: float, seconds: float, seed: int) -> None:
    times = list(arrival_times(Soak(rate_per_s=rate), seconds, random.Random(seed)))
    assert times == sorted(times)
    assert all(0 <= time < seconds for time in times)


def test_a_spike_is_where_it_should_be_and_a_share_is_a_share() -> None:
    spike = Spike(rate_per_s=5, peak_per_s=100, start_s=100, peak_s=50)
    times = list(arrival_times(spike, 200, random.Random(1), share=0.5))
    within = sum(100 <= time < 150 for time in times)
    assert within == pytest.approx(2500, rel=0.1)
    assert len(times) - within == pytest.approx(375, rel=0.2)


@given(st.floats(0.1, 100), st.floats(0.1, 100))
def test_the_search_ends_close_below_what_holds(first: float, limit: float) -> None:
    search, tried = RateSearch(first, 200.0), 0
    while search.rate is not None:
        search.told(search.rate <= limit)
        tried += 1
    assert tried < 40
    assert search.best <= limit
    if limit >= first / 4:
        assert search.best >= limit / 1.15


def test_presets_are_what_they_are_called() -> None:
    report = preset("field-report")
    assert report.arrivals == Poisson(rate_per_s=10)
    assert (report.in_flight, report.timeout_s) == (50, 30.0)
    assert report.capacity_s > 0
    assert preset("field-report", 15).seconds == preset("field-report", 15).capacity_s == 15
    spike = preset("spike", 30).arrivals
    assert isinstance(spike, Spike)
    assert (spike.start_s, spike.peak_s) == (10.0, 5.0)
    for scenario in PRESETS.values():
        check_bounds(scenario, LoadtestSettings())
    with pytest.raises(InvalidRequest):
        preset("soak", 0)
