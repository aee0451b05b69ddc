from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.runtime.estimates import FEW, KEYS_KEPT, Arrivals, Latency, LatencyModel

SIZES = (64.0, 160.0, 320.0, 640.0, 1280.0)


def taught(
    latency: Latency, calls: int, seed: int, noise: float = 0.05, model: LatencyModel | None = None
) -> LatencyModel:
    dice = random.Random(seed)
    model = model or LatencyModel()
    for _ in range(calls):
        units = dice.choice(SIZES)
        model.observe(units, latency.seconds(units) * dice.uniform(1 - noise, 1 + noise))
    return model


def assert_learned(model: LatencyModel, true: Latency) -> None:
    learned = model.latency
    assert learned is not None
    for units in SIZES:
        assert learned.seconds(units) == pytest.approx(true.seconds(units), rel=0.25)


latencies = st.builds(Latency, st.floats(1e-6, 1e-3), st.floats(0, 0.05))


@given(latencies, st.integers(0, 1000))
def test_the_cost_of_calls_is_learned(true: Latency, seed: int) -> None:
    assert_learned(taught(true, 80, seed), true)


@given(latencies, st.integers(0, 1000), st.tuples(st.floats(10, 100), st.floats(10, 100), st.floats(10, 100)))
def test_a_bad_start_is_forgotten(true: Latency, seed: int, slower: tuple[float, float, float]) -> None:
    dice, model = random.Random(seed), LatencyModel()
    for call in range(300):
        units = dice.choice(SIZES)
        model.observe(units, true.seconds(units) * (slower[call] if call < len(slower) else 1.0))
    assert model.latency is not None
    assert model.latency.seconds(640) == pytest.approx(true.seconds(640), rel=1.0)


# The first calls have no others to be far off from.
@given(latencies, st.integers(0, 1000), st.lists(st.tuples(st.integers(5, 79), st.floats(10, 1e6)), max_size=8))
def test_calls_far_off_the_others_teach_little(true: Latency, seed: int, far_off: list[tuple[int, float]]) -> None:
    dice, model, outliers = random.Random(seed), LatencyModel(), dict(far_off)
    for call in range(80):
        units = dice.choice(SIZES)
        model.observe(units, true.seconds(units) * dice.uniform(0.95, 1.05) * (outliers.get(call, 1.0)))
    learned = model.latency
    assert learned is not None
    assert learned.seconds(640) == pytest.approx(true.seconds(640), rel=1.0)


@given(latencies, st.sampled_from([0.2, 5.0]), st.integers(0, 1000))
def test_a_lasting_change_is_followed(true: Latency, factor: float, seed: int) -> None:
    model = taught(true, 80, seed)
    changed = Latency(true.per_unit_s * factor, true.fixed_s * factor)
    assert_learned(taught(changed, 300, seed, model=model), changed)


@given(st.one_of(st.floats(max_value=1e12), st.just(math.nan)), st.floats())
def test_no_reading_breaks_the_model(units: float, seconds: float) -> None:
    true = Latency(1e-4, 0.005)
    model = taught(true, 40, 1)
    model.observe(units, seconds)
    learned = model.latency
    assert learned is not None
    assert 0 <= learned.fixed_s < math.inf
    assert 0 <= learned.per_unit_s < math.inf


def test_nothing_is_concluded_from_few_calls_or_from_calls_of_one_size() -> None:
    assert taught(Latency(1e-4, 0.005), FEW - 1, 1).latency is None
    alike = LatencyModel()
    for _ in range(50):
        alike.observe(320, 0.04)
    assert alike.latency is None


def test_the_fixed_cost_stays_known_while_all_calls_are_one_size() -> None:
    true = Latency(1e-4, 0.02)
    model = taught(true, 80, 1)
    for _ in range(300):
        model.observe(320, true.seconds(320))
    learned = model.latency
    assert learned is not None
    assert learned.fixed_s == pytest.approx(true.fixed_s, rel=0.2)


def steady(gap_s: float, items: int = 1) -> tuple[Arrivals, float]:
    arrivals, now = Arrivals(), 100.0
    for _ in range(30):
        now += gap_s
        arrivals.observe("k", items, now)
    return arrivals, now


@given(st.floats(1e-4, 10), st.integers(1, 20), st.integers(1, 20), st.floats(1e-4, 0.5))
def test_waiting_pays_just_where_more_is_saved_than_lost(
    gap_s: float, items: int, waiting: int, saved_s: float
) -> None:
    arrivals, now = steady(gap_s, items)
    until = arrivals.worth_waiting_until("k", waiting, saved_s, now)
    gain, loss = items / gap_s * saved_s, waiting
    if gain > 1.01 * loss:
        assert until > now
        assert until - now == pytest.approx(items * saved_s / waiting)
    elif gain < 0.99 * loss:
        assert until <= now


def test_nobody_waits_for_a_bucket_that_was_silent() -> None:
    arrivals, now = steady(0.001)
    assert arrivals.worth_waiting_until("k", 1, 0.05, now) > now
    assert arrivals.worth_waiting_until("k", 1, 0.05, now + 1) <= now + 1
    assert arrivals.worth_waiting_until("other", 1, 0.05, now) <= now
    assert arrivals.worth_waiting_until("k", 1, 0, now) <= now


def test_one_long_silence_does_not_hide_a_busy_time() -> None:
    arrivals, now = steady(0.001)
    now += 3600
    arrivals.observe("k", 1, now)
    for _ in range(20):
        now += 0.001
        arrivals.observe("k", 1, now)
    assert arrivals.worth_waiting_until("k", 1, 0.05, now) > now


def test_a_clock_that_stands_still_or_goes_back_is_survived() -> None:
    arrivals, now = steady(0.01)
    arrivals.observe("k", 1, now)
    arrivals.observe("k", 1, now - 5)
    assert math.isfinite(arrivals.worth_waiting_until("k", 1, 0.05, now))


def test_buckets_without_end_take_no_memory_without_end() -> None:
    arrivals = Arrivals()
    for key in range(3 * KEYS_KEPT):
        arrivals.observe(key, 1, float(key))
    assert len(arrivals._rhythms) == KEYS_KEPT
