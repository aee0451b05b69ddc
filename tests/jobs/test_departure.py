from hypothesis import given
from hypothesis import strategies as st

from mineru_core.jobs.departure import Departures

GRACE_S = 10.0


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_reload_is_not_a_departure() -> None:
    clock = Clock()
    departures = Departures(GRACE_S, clock=clock)
    departures.arrived("ann", "before")
    departures.watch("job", "ann")
    departures.left("ann", "before")
    clock.now = GRACE_S - 0.1
    departures.arrived("ann", "after")
    clock.now = 1e6
    assert departures.abandoned() == []
    departures.left("ann", "before")  # told twice, and of a session that is gone already
    assert departures.abandoned() == []


def test_one_tab_of_two_is_enough() -> None:
    clock = Clock()
    departures = Departures(GRACE_S, clock=clock)
    for tab in ("one", "two"):
        departures.arrived("ann", tab)
    departures.watch("job", "ann")
    departures.left("ann", "one")
    clock.now = 1e6
    assert departures.abandoned() == []
    departures.left("ann", "two")
    clock.now += GRACE_S
    assert departures.abandoned() == [("job", "ann")]
    assert departures.abandoned() == []


def test_an_ended_job_and_an_owner_without_a_session_are_left_alone() -> None:
    clock = Clock()
    departures = Departures(GRACE_S, clock=clock)
    departures.arrived("ann", "tab")
    departures.watch("ended", "ann")
    departures.watch("from elsewhere", "bob")
    departures.forget("ended")
    departures.left("ann", "tab")
    clock.now = 1e6
    assert departures.abandoned() == []


def test_a_job_handed_in_by_a_session_that_is_gone_is_abandoned_too() -> None:
    clock = Clock()
    departures = Departures(GRACE_S, clock=clock)
    departures.arrived("ann", "tab")
    departures.left("ann", "tab")
    clock.now = GRACE_S
    assert departures.abandoned() == []
    departures.watch("late", "ann")
    assert departures.abandoned() == [("late", "ann")]


EVENTS = st.tuples(st.sampled_from(["arrive", "leave", "watch", "wait", "look"]), st.integers(0, 2), st.integers(0, 12))


@given(events=st.lists(EVENTS, max_size=60))
def test_a_job_is_abandoned_exactly_where_its_owner_was_away_for_long_enough(
    events: list[tuple[str, int, int]],
) -> None:
    clock = Clock()
    departures = Departures(GRACE_S, clock=clock)
    tabs: set[int] = set()
    away_since: float | None = None
    jobs: set[str] = set()
    for number, (event, tab, seconds) in enumerate(events):
        if event == "arrive":
            departures.arrived("ann", str(tab))
            tabs.add(tab)
            away_since = None
        elif event == "leave":
            departures.left("ann", str(tab))
            if tab in tabs:
                tabs.discard(tab)
                away_since = None if tabs else clock.now
        elif event == "watch":
            departures.watch(str(number), "ann")
            jobs.add(str(number))
        elif event == "wait":
            clock.now += seconds
        else:
            found = {job for job, _ in departures.abandoned()}
            if away_since is not None and clock.now - away_since >= GRACE_S:
                assert found == jobs
                jobs.clear()
            else:
                assert found == set()
