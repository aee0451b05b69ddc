"""The load test of this process, on a thread of its own: every page shows the same one."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import streamlit as st

from mineru_core.errors import Cancelled, Overloaded, WorkbenchError
from mineru_core.loadtest.history import History, clean_name
from mineru_core.loadtest.run import Run
from mineru_core.loadtest.runner import LoadTest, Progress
from mineru_core.loadtest.scenario import Scenario, check_bounds
from mineru_core.loadtest.switches import Side, Switch, run_switched, scenario_of
from mineru_core.loadtest.target import Target, own_server, this_app
from mineru_core.loadtest.turn import one_at_a_time
from mineru_core.settings import Settings
from mineru_core.ui.services import Problem

_log = logging.getLogger(__name__)


class Where(StrEnum):
    """What is measured: a server that is started for the test alone, or the one this page comes from."""

    OWN = "own"
    THIS = "this"


@dataclass(frozen=True, slots=True)
class Step:
    """Which of the runs of a before and after is on its way: its side, its number from 1 on, and of how many."""

    side: Side
    number: int
    of: int


@dataclass(frozen=True, slots=True)
class Ended:
    """What the last load test came to: the ids of the runs it has kept, of a before and after by their sides.
    ``switch`` is what was switched, "" where nothing was."""

    runs: tuple[str, ...] = ()
    switch: str = ""
    off: tuple[str, ...] = ()
    on: tuple[str, ...] = ()


class Bench:
    """Runs one load test at a time. Every method may be called from any session's thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._halt = threading.Event()
        self._reset()

    def _reset(self) -> None:
        self._halt.clear()
        self.progress: Progress | None = None
        """How far it is; None before the first request of a run."""
        self.step: Step | None = None
        """Which run of a before and after it is; None for another."""
        self.problem: Problem | None = None
        """Why the last one could not be run; None where it could."""
        self.was_cancelled = False
        """Whether the last one was stopped before there was anything to keep."""
        self.ended = Ended()

    @property
    def is_running(self) -> bool:
        """Whether a load test of this process is on its way."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def is_stopping(self) -> bool:
        """Whether it was told to end and has not yet."""
        return self._halt.is_set() and self.is_running

    def start(self, scenario: Scenario, where: Where, name: str, settings: Settings) -> None:
        """Start a run. Raises ``Overloaded`` while one is running, ``InvalidRequest`` for one beyond the bounds."""
        check_bounds(scenario, settings.loadtest)
        self._begin(partial(self._measure, scenario, where, clean_name(name), settings), settings)

    def start_switched(self, switch: Switch, seconds: float, repeats: int, name: str, settings: Settings) -> None:
        """Start a before and after, ``seconds`` for each of ``repeats`` runs of a side. Raises as ``start``."""
        check_bounds(scenario_of(switch, "on", seconds, 0), settings.loadtest)
        self._begin(partial(self._switch, switch, seconds, repeats, clean_name(name), settings), settings)

    def stop(self) -> None:
        """End it at once; what is on its way is broken off."""
        self._halt.set()

    def wait(self, timeout_s: float) -> bool:
        """Whether nothing runs any more, within that time."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)
        return not self.is_running

    def _begin(self, work: Callable[[], None], settings: Settings) -> None:
        with self._lock:
            if self.is_running:
                raise Overloaded("A load test is running already.", "Stop it, or wait for its end.")
            self._reset()
            self._thread = threading.Thread(target=self._run, args=(work, settings), name="loadtest", daemon=True)
            self._thread.start()

    def _run(self, work: Callable[[], None], settings: Settings) -> None:
        try:
            with one_at_a_time(settings):
                work()
        except Cancelled:
            self.was_cancelled = True
        except WorkbenchError as error:
            self.problem = Problem.of("", error)
        except Exception as error:  # noqa: BLE001  the page says that it failed; the thread has nobody else to tell
            _log.exception("the load test failed")
            self.problem = Problem("", "internal", str(error), "")

    def _measure(self, scenario: Scenario, where: Where, name: str, settings: Settings) -> None:
        with (
            _target(where, settings, self._halt) as target,
            LoadTest(scenario, target, settings, halt=self._halt) as test,
        ):
            run = test.wait(self._watch)
        self.ended = Ended((_kept(run, name or run.name, settings),))

    def _switch(self, switch: Switch, seconds: float, repeats: int, name: str, settings: Settings) -> None:
        kept: dict[Side, list[str]] = {"off": [], "on": []}

        def watch(side: Side, progress: Progress) -> None:
            self.step = Step(side, len(kept["off"]) + len(kept["on"]) + 1, 2 * repeats)
            self._watch(progress)

        def keep(side: Side, run: Run) -> None:
            called = f"{name}: {side}" if name else run.name
            kept[side].append(_kept(run, called, settings))
            self.progress = None  # the next side's server starts

        run_switched(
            switch, settings, seconds=seconds, repeats=repeats, on_progress=watch, on_run=keep, halt=self._halt
        )
        off, on = tuple(kept["off"]), tuple(kept["on"])
        self.ended = Ended((*off, *on), switch.name, off, on)

    def _watch(self, progress: Progress) -> None:
        self.progress = progress


def _kept(run: Run, name: str, settings: Settings) -> str:
    History(settings).keep(run.model_copy(update={"name": name}))
    return run.id


def _target(where: Where, settings: Settings, halt: threading.Event) -> AbstractContextManager[Target]:
    if where is Where.OWN:
        return own_server(settings, halt=halt)
    # The server tells Streamlit which port it listens on: --port may be another than the setting.
    return this_app(settings, int(os.environ.get("STREAMLIT_SERVER_PORT") or settings.server.port))


@st.cache_resource(show_spinner=False)
def bench() -> Bench:
    """The one of this process."""
    return Bench()
