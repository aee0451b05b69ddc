"""One thing switched off and on, each side on a server of its own: what an optimisation is worth on this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from mineru_core.errors import Cancelled, InvalidRequest
from mineru_core.loadtest.comparison import Row, compare
from mineru_core.loadtest.run import Run
from mineru_core.loadtest.runner import LoadTest, Progress
from mineru_core.loadtest.scenario import ClosedLoop, Documents, Scenario, check_bounds, check_seconds
from mineru_core.loadtest.target import ServerKind, own_server
from mineru_core.settings import Settings

Side = Literal["off", "on"]

USERS = 8
SIDE_S = 30.0
PATIENCE_S = 300.0
"""How long an answer is waited for: a side that is slow is to be measured, not broken off."""

_NO_GATE = {"ENGINE__PAGES_IN_FLIGHT": "64"}
_ALONE = {"ENGINE__SHARE_CALLS": "false"}
_WHOLE_PAGES = {"ENGINE__COMPRESS": "false"}
_NO_CACHE = {"CACHE__ENABLED": "false"}
_PLACES = {"JOBS__WAITING_PLACES": "256"}
"""On both sides: what is compared is how quickly all are answered, not who is refused."""


@dataclass(frozen=True, slots=True)
class Switch:
    """What is different where it is off: settings (by their variable's name, without prefix), the server, whether
    connections are kept. ``both`` are settings of either side."""

    name: str
    off: Mapping[str, str] = field(default_factory=dict)
    both: Mapping[str, str] = field(default_factory=dict)
    server: ServerKind = "workbench"
    keep_alive: bool = True


SWITCHES: dict[str, Switch] = {
    switch.name: switch
    for switch in (
        # What is not switched is the same on both sides; the cache would else answer for what is measured.
        Switch("resident", server="built-each", both=_NO_CACHE),
        Switch("gate", off=_NO_GATE, both=_NO_CACHE),
        Switch("batching", off=_ALONE, both=_NO_CACHE),
        Switch("compression", off=_WHOLE_PAGES, both=_NO_CACHE),
        Switch("cache", off=_NO_CACHE),
        Switch("keep-alive", keep_alive=False),
        Switch("async", server="plain"),
        Switch("all", off=_ALONE | _WHOLE_PAGES | _NO_CACHE, server="built-each", keep_alive=False),
    )
}


@dataclass(frozen=True)
class Switched:
    """What came of it: the runs of both sides, and their figures beside each other."""

    name: str
    off: tuple[Run, ...]
    on: tuple[Run, ...]
    rows: tuple[Row, ...]


def switch_named(name: str) -> Switch:
    """Raises ``InvalidRequest`` for one there is not."""
    found = SWITCHES.get(name)
    if found is None:
        raise InvalidRequest(f"Nothing to switch is called {name[:40]!r}.", f"Choose of: {', '.join(SWITCHES)}.")
    return found


def scenario_of(switch: Switch, side: Side, seconds: float, seed: int) -> Scenario:
    """People who ask one document after the other, 3 of 10 times one that was asked before; the same documents on both
    sides."""
    return Scenario(
        name=f"{switch.name} {side}",
        arrivals=ClosedLoop(users=USERS),
        seconds=seconds,
        timeout_s=PATIENCE_S,
        keep_alive=switch.keep_alive or side == "on",
        documents=Documents(repeat_share=0.3),
        seed=seed,
    )


def run_switched(
    switch: Switch,
    settings: Settings,
    *,
    seconds: float = SIDE_S,
    repeats: int = 1,
    on_progress: Callable[[Side, Progress], None] | None = None,
    on_run: Callable[[Side, Run], None] | None = None,
    halt: threading.Event | None = None,
) -> Switched:
    """Both sides by turns, ``repeats`` times each, ``seconds`` every time.

    ``on_run`` is told of each run as it ends. Raises what a run raises, and ``Cancelled`` once ``halt`` is set: a side
    that was broken off is compared with nothing.
    """
    check_seconds(seconds)
    runs: dict[Side, list[Run]] = {"off": [], "on": []}
    for number, side in _turns(repeats):
        changes = {**_PLACES, **switch.both, **(switch.off if side == "off" else {})}
        kind = switch.server if side == "off" else "workbench"
        scenario = scenario_of(switch, side, seconds, seed=number)
        check_bounds(scenario, settings.loadtest)  # before a server is started for it
        with (
            own_server(settings, changes, kind, halt) as target,
            LoadTest(scenario, target, settings, {**changes, "server": kind}, halt) as test,
        ):
            run = test.wait(_told(side, on_progress))
        if run.stopped:
            raise Cancelled("The load test was stopped.")
        runs[side].append(run)
        if on_run is not None:
            on_run(side, run)
    rows = compare(runs["off"], runs["on"])
    return Switched(switch.name, tuple(runs["off"]), tuple(runs["on"]), tuple(rows))


def _turns(repeats: int) -> Iterator[tuple[int, Side]]:
    """Which side comes first changes each time, so that a machine that slows down does not favour one."""
    for number in range(repeats):
        sides: tuple[Side, Side] = ("off", "on") if number % 2 == 0 else ("on", "off")
        for side in sides:
            yield number, side


def _told(side: Side, on_progress: Callable[[Side, Progress], None] | None) -> Callable[[Progress], None] | None:
    if on_progress is None:
        return None
    return lambda progress: on_progress(side, progress)
