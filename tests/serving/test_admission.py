import math
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.errors import Overloaded
from mineru_core.runtime.memory import MemoryCeiling
from mineru_core.runtime.metrics import Metrics
from mineru_core.serving.admission import (
    HORIZON_S,
    LEAST_PLACES,
    MOST_PLACES,
    Admission,
    ServiceRate,
    Ticket,
    start_rate,
)
from mineru_core.settings import Settings


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def admission(
    clock: Clock | None = None,
    *,
    places: int | None = None,
    start: float = 1.0,
    held: int | None = None,
    metrics: Metrics | None = None,
) -> Admission:
    ceiling = MemoryCeiling(100, resident=lambda: held, trim=lambda: None)
    return Admission(
        workers=4,
        full=2,
        start_per_s=start,
        waiting_places=places,
        ceiling=ceiling,
        metrics=metrics,
        clock=clock or Clock(),
    )


def check_refusal(refused: Overloaded, fraction: float | None = None) -> None:
    assert refused.retry_after_s is not None
    assert 1.0 <= refused.retry_after_s < math.inf
    assert refused.queue_fraction is not None
    assert 0.0 <= refused.queue_fraction <= 1.0
    assert fraction in (None, refused.queue_fraction)


def let_in(gate: Admission, owner: str) -> bool:
    try:
        gate.enter(owner)
    except Overloaded:
        return False
    return True


@settings(max_examples=60)
@given(
    places=st.integers(1, 6),
    steps=st.lists(st.tuples(st.sampled_from(["enter", "start", "leave"]), st.floats(0, 1e6)), max_size=60),
)
def test_a_set_number_of_waiting_places_is_kept_to_the_document(places: int, steps: list[tuple[str, float]]) -> None:
    clock = Clock()
    gate = admission(clock, places=places)
    waiting: deque[Ticket] = deque()
    running: deque[Ticket] = deque()
    for step, pause in steps:
        clock.now += pause
        if step == "enter":
            free = len(waiting) < places
            try:
                waiting.append(gate.enter("ann"))
            except Overloaded as refused:
                assert not free
                check_refusal(refused, fraction=1.0)
            else:
                assert free
        elif step == "start" and waiting and len(running) < 4:
            running.append(waiting.popleft())
            running[-1].start()
        elif step == "leave" and running:
            running.popleft().leave(finished=True)
        assert gate.inside == len(waiting) + len(running)
        assert gate.queue_fraction == len(waiting) / places
        assert math.isfinite(gate.rate_per_s)
        assert gate.rate_per_s > 0


@settings(max_examples=60)
@given(
    start=st.floats(0.01, 50),
    steps=st.lists(
        st.tuples(st.sampled_from(["enter", "start", "leave", "cancel"]), st.sampled_from("abc"), st.floats(0, 1e4)),
        max_size=80,
    ),
)
def test_the_learned_places_refuse_nobody_below_them_and_everybody_above(
    start: float, steps: list[tuple[str, str, float]]
) -> None:
    clock = Clock()
    gate = admission(clock, start=start)
    inside: list[Ticket] = []
    for step, owner, pause in steps:
        clock.now += pause
        if step == "enter":
            places, held = gate.places, sum(ticket.owner == owner for ticket in inside)
            allowed = len(inside) < places and (held < 2 or held < 2 * (places - len(inside)))
            try:
                inside.append(gate.enter(owner))
            except Overloaded as refused:
                assert not allowed
                check_refusal(refused)
            else:
                assert allowed
        elif step == "start":
            for ticket in [one for one in inside if one.started_at is None][:1]:
                ticket.start()
        elif inside:
            inside.pop(0).leave(finished=step == "leave")
        assert LEAST_PLACES <= gate.places <= MOST_PLACES


@settings(max_examples=40, deadline=None)
@given(service_s=st.floats(0.2, 8.0), side_by_side=st.integers(2, 4), start=st.floats(0.05, 20))
def test_under_load_the_rate_is_learned_and_what_is_let_in_ends_within_the_horizon(
    service_s: float, side_by_side: int, start: float
) -> None:
    clock = Clock()
    gate = admission(clock, start=start)
    running = [gate.adopt(f"owner {n}") for n in range(side_by_side)]
    for ticket in running:
        ticket.start()
    true_rate = side_by_side / service_s
    while clock.now < 1000.0 + 400:
        clock.now += service_s  # all of them end together, and as many begin
        for ticket in running:
            ticket.leave(finished=True)
        running = [gate.adopt(f"owner {n}") for n in range(side_by_side)]
        for ticket in running:
            ticket.start()
        assert math.isfinite(gate.rate_per_s)
    assert gate.rate_per_s == pytest.approx(true_rate, rel=0.15)
    if LEAST_PLACES < gate.places < MOST_PLACES:
        assert gate.places / true_rate <= 1.2 * HORIZON_S


def test_time_without_work_teaches_nothing() -> None:
    clock = Clock()
    gate = admission(clock)
    before = gate.rate_per_s
    waiting = gate.enter("ann")
    clock.now += 1e9
    assert gate.rate_per_s == before
    waiting.leave()
    clock.now += 1e9
    assert gate.rate_per_s == before


def test_known_answers_and_cancelled_documents_do_not_count_as_read() -> None:
    clock = Clock()
    gate = admission(clock, start=0.5)
    before = gate.rate_per_s
    for finished, takes_s in [(True, 0.001), (False, 0.0)] * 50:
        ticket = gate.enter("ann")
        ticket.start()
        clock.now += takes_s
        ticket.leave(finished=finished)
    assert gate.rate_per_s == pytest.approx(before, rel=0.05)


def test_work_that_does_not_end_lowers_the_rate_before_it_ends() -> None:
    clock = Clock()
    gate = admission(clock, start=5.0)
    for owner in ("ann", "bob"):
        gate.enter(owner).start()
    clock.now += 300
    assert gate.rate_per_s < 0.2


def test_old_work_counts_for_less() -> None:
    rate = ServiceRate(1.0)
    for seconds, times in ((1.0, 200), (4.0, 60)):
        for _ in range(times):
            rate.spent(seconds)
            rate.ended()
    assert rate.per_s(2) == pytest.approx(0.25, rel=0.1)


def test_an_owner_alone_leaves_room_for_a_newcomer() -> None:
    gate = admission()
    held = next(held for held in range(1000) if not let_in(gate, "batch"))
    assert gate.places / 2 <= held < gate.places
    gate.enter("newcomer")
    gate.enter("newcomer")


def test_those_sent_away_are_told_to_come_one_after_the_other() -> None:
    clock = Clock()
    gate = admission(clock, places=1, start=0.5)
    gate.enter("ann")
    hints = []
    for _ in range(200):
        with pytest.raises(Overloaded) as refused:
            gate.check("bob")
        hints.append(refused.value.retry_after_s or 0.0)
    assert hints[:3] == pytest.approx([2.0, 4.0, 6.0])
    assert hints == sorted(hints)
    assert max(hints) <= 60
    clock.now += 200
    with pytest.raises(Overloaded) as refused:
        gate.enter("bob")
    assert refused.value.retry_after_s == pytest.approx(2.0)


def test_too_much_memory_refuses_while_anything_is_inside() -> None:
    metrics = Metrics()
    gate = admission(held=101, metrics=metrics)
    first = gate.enter("ann")
    with pytest.raises(Overloaded, match="memory") as refused:
        gate.enter("bob")
    check_refusal(refused.value)
    assert metrics.value("mineru_workbench_refusals_total", reason="memory") == 1
    first.leave()
    gate.enter("bob")
    assert admission(held=99).enter("ann").inside


def test_who_leaves_twice_leaves_once() -> None:
    gate = admission(places=1)
    ticket = gate.enter("ann")
    ticket.start()
    assert gate.inside == 1
    ticket.leave()
    ticket.leave()
    assert gate.inside == 0


def test_many_at_once_are_let_in_up_to_the_places() -> None:
    gate = admission(places=3)
    ready, go = threading.Barrier(20), threading.Event()
    outcomes: list[str] = []

    def note(outcome: str) -> None:
        outcomes.append(outcome)
        if len(outcomes) == 20:
            go.set()

    def call(number: int) -> None:
        ready.wait(20)
        try:
            ticket = gate.enter(f"owner {number}")
        except Overloaded:
            note("refused")
            return
        ticket.start()
        note("in")
        assert go.wait(20)
        ticket.leave(finished=True)

    with ThreadPoolExecutor(20) as pool:
        for done in [pool.submit(call, number) for number in range(20)]:
            done.result(20)
    assert outcomes.count("in") == 4 + 3
    assert gate.inside == 0


def test_a_job_that_is_read_waits_no_more() -> None:
    gate = admission(places=1)
    ticket = gate.enter("ann")
    assert gate.queue_fraction == 1.0
    ticket.start()
    assert gate.queue_fraction == 0.0
    ticket.leave()
    assert gate.queue_fraction == 0.0


def test_the_metrics_follow() -> None:
    metrics = Metrics()
    gate = admission(places=2, start=0.5, metrics=metrics)
    gate.enter("ann")
    assert metrics.value("mineru_workbench_queue_fraction") == 0.5
    assert metrics.value("mineru_workbench_documents_per_second") == 0.5


def test_as_the_settings_have_it() -> None:
    set_up = Settings(engine={"pages_in_flight": 6}, jobs={"waiting_places": 9}, serving={"memory_ceiling_bytes": 0})  # type: ignore[arg-type]
    gate = Admission.from_settings(set_up)
    assert (gate.workers, gate.places) == (12, 21)
    assert gate.rate_per_s == pytest.approx(start_rate(set_up)) == pytest.approx(1.2)
