"""The load test of this process, on a thread of its own: every page shows the same one."""

from __future__ import annotations

import logging
import os
import threading
from contextlib import AbstractContextManager
from enum import StrEnum

import streamlit as st

from mineru_core.errors import Overloaded, WorkbenchError
from mineru_core.loadtest.history import History, clean_name
from mineru_core.loadtest.runner import LoadTest, Progress, one_at_a_time
from mineru_core.loadtest.scenario import Scenario, check_bounds
from mineru_core.loadtest.target import Target, own_server, this_app
from mineru_core.settings import Settings
from mineru_core.ui.services import Problem

_log = logging.getLogger(__name__)


class Where(StrEnum):
    """What is measured: a server that is started for the test alone, or the one this page comes from."""

    OWN = "own"
    THIS = "this"


class Bench:
    """Runs one load test at a time. Every method may be called from any session's thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._test: LoadTest | None = None
        self._stop = threading.Event()
        self._progress: Progress | None = None
        self._problem: Problem | None = None
        self.last_run: str | None = None

    @property
    def is_running(self) -> bool:
        """Whether a load test of this process is on its way."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def is_stopping(self) -> bool:
        """Whether it was told to end and has not yet."""
        return self._stop.is_set() and self.is_running

    @property
    def progress(self) -> Progress | None:
        """How far it is; None before its first request."""
        return self._progress

    @property
    def problem(self) -> Problem | None:
        """Why the last one could not be run; None where it could."""
        return self._problem

    def start(self, scenario: Scenario, where: Where, name: str, settings: Settings) -> None:
        """Start one. Raises ``Overloaded`` while one is running, ``InvalidRequest`` for one beyond the bounds."""
        check_bounds(scenario, settings.loadtest)
        with self._lock:
            if self.is_running:
                raise Overloaded("A load test is running already.", "Stop it, or wait for its end.")
            self._stop.clear()
            self._progress, self._problem, self.last_run = None, None, None
            arguments = (scenario, where, name, settings)
            self._thread = threading.Thread(target=self._run, args=arguments, name="loadtest", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End it at once; what is on its way is broken off."""
        self._stop.set()
        test = self._test
        if test is not None:
            test.stop()

    def wait(self, timeout_s: float) -> bool:
        """Whether nothing runs any more, within that time."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)
        return not self.is_running

    def _run(self, scenario: Scenario, where: Where, name: str, settings: Settings) -> None:
        try:
            with one_at_a_time(settings), _target(where, settings) as target:
                if self._stop.is_set():
                    return
                with LoadTest(scenario, target, settings) as test:
                    self._test = test
                    run = test.wait(self._watch)
            if called := clean_name(name):
                run = run.model_copy(update={"name": called})
            History(settings).keep(run)
            self.last_run = run.id
        except WorkbenchError as error:
            self._problem = Problem.of("", error)
        except Exception as error:  # noqa: BLE001  the page says that it failed; the thread has nobody else to tell
            _log.exception("the load test failed")
            self._problem = Problem("", "internal", str(error), "")
        finally:
            self._test = None

    def _watch(self, progress: Progress) -> None:
        self._progress = progress
        if self._stop.is_set() and self._test is not None:
            self._test.stop()


def _target(where: Where, settings: Settings) -> AbstractContextManager[Target]:
    if where is Where.OWN:
        return own_server(settings)
    # The server tells Streamlit which port it listens on: --port may be another than the setting.
    return this_app(settings, int(os.environ.get("STREAMLIT_SERVER_PORT") or settings.server.port))


@st.cache_resource(show_spinner=False)
def bench() -> Bench:
    """The one of this process."""
    return Bench()
