"""The stages of serving, each from a fresh home folder, with a door to ask at."""

from __future__ import annotations

import gc
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmarks.serving.loads import Ask
from benchmarks.serving.workload import Picture
from mineru_core import Analyzer
from mineru_core.engines.registry import create_engine
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.service import JobService
from mineru_core.runtime.heap import trim_heap
from mineru_core.settings import Settings, load_settings

Changes = dict[str, dict[str, Any]]
"""Settings by section and name."""

ENGINES_AT_ONCE = 4
"""Requests of stage 0 that have an engine at the same time."""
WAITING_PLACES = 64
"""Documents that may wait in the closed loop: it refuses nobody."""
ANSWER_S = 900.0
"""How long an answer is waited for."""


@dataclass(frozen=True)
class Door:
    """Where requests are handed in: ``ask`` goes through the jobs of ``service``."""

    ask: Ask
    analyzer: Analyzer
    service: JobService


class FifoPlaces:
    """So many may be inside at once; who waits longest comes in next."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._line: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        with self._lock:
            if self._free:  # then nobody waits
                self._free -= 1
                return self
            turn = threading.Event()
            self._line.append(turn)
        turn.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            if self._line:
                self._line.popleft().set()  # the place is handed on
            else:
                self._free += 1

    @property
    def waiting(self) -> int:
        """How many wait."""
        with self._lock:
            return len(self._line)


@contextmanager
def fresh_settings(engine: str | None, changes: Changes) -> Iterator[Settings]:
    """The settings as they are, with these changes, on a home folder that is removed in the end; weights stay where
    they are. What was used within the block is given back to the system after it."""
    weights = load_settings().models_dir
    if engine is not None:
        changes = {**changes, "engine": {**changes.get("engine", {}), "name": engine}}
    with tempfile.TemporaryDirectory(prefix="workbench-serving-", ignore_cleanup_errors=True) as home:
        yield load_settings(home=Path(home), models=weights, **changes)
    gc.collect()
    trim_heap()


def step_changes(step: int, waiting_places: int | None = WAITING_PLACES) -> Changes:
    """What the settings of a stage have otherwise than the defaults."""
    return {
        "engine": {"share_calls": step >= 2, "compress": step >= 3},
        "cache": {"enabled": step >= 4},
        "jobs": {"waiting_places": waiting_places},
    }


@contextmanager
def step(number: int, users: int, warm_up: Picture, engine: str | None) -> Iterator[Ask]:
    """The stage's way to an answer; the engine is loaded, and has read one page, except at stage 0."""
    if number >= 2:
        with served(number, warm_up, engine) as door:
            yield door.ask
    elif number == 1:
        with resident(users, warm_up, engine) as ask:
            yield ask
    else:
        with fresh_settings(engine, step_changes(number)) as settings:
            yield built_each_time(settings)


def built_each_time(settings: Settings) -> Ask:
    """An analyzer and its engine for each request."""
    places = FifoPlaces(ENGINES_AT_ONCE)

    def ask(picture: Picture, owner: str) -> DocumentResult:  # noqa: ARG001
        with places, Analyzer(settings) as analyzer:
            return read(analyzer, picture)

    return ask


@contextmanager
def resident(users: int, warm_up: Picture, engine: str | None) -> Iterator[Ask]:
    """One engine that each user's thread calls by itself: nobody shares a gate, or work, with anybody."""
    changes = step_changes(1)
    changes["engine"]["pages_in_flight"] = 1  # of the user alone
    with fresh_settings(engine, changes) as settings:
        shared = create_engine(settings.engine.name, settings)
        analyzers = {f"user-{n}": Analyzer(settings, shared) for n in range(users)}
        try:
            for analyzer in analyzers.values():
                analyzer.load()
            read(analyzers["user-0"], warm_up)
            yield lambda picture, owner: read(analyzers[owner], picture)
        finally:
            for analyzer in analyzers.values():
                analyzer.close()
            shared.close()


@contextmanager
def served(
    number: int, warm_up: Picture, engine: str | None, waiting_places: int | None = WAITING_PLACES
) -> Iterator[Door]:
    """Jobs over one analyzer with what the stage has; the engine is loaded and has read one page."""
    with (
        fresh_settings(engine, step_changes(number, waiting_places)) as settings,
        Analyzer(settings) as analyzer,
    ):
        service = JobService(settings, analyzer)
        try:
            analyzer.load()
            service.start()
            ask = asking(service)
            ask(warm_up, "warm-up")
            yield Door(ask, analyzer, service)
        finally:
            service.close()


def asking(service: JobService, words: str = "") -> Ask:
    """Hand in, wait, fetch; as UI and HTTP do."""

    def ask(picture: Picture, owner: str) -> DocumentResult:
        job = service.submit(picture.data, name=picture.name, words=words, owner=owner)
        if not service.wait(job.id, owner, ANSWER_S).state.is_final:
            service.cancel(job.id, owner)
            raise TimeoutError(f"no answer in {ANSWER_S:.0f} s")
        return service.result(job.id, owner)

    return ask


def read(analyzer: Analyzer, picture: Picture, words: str = "") -> DocumentResult:
    """The answer in process, without jobs."""
    with analyzer.open(picture.data, name=picture.name) as document:
        return analyzer.analyze(document, words)


def await_true(condition: Callable[[], bool], limit_s: float, look_s: float = 0.001) -> bool:
    """Look until it holds; whether it did in time."""
    idle = threading.Event()
    for _ in range(max(1, int(limit_s / look_s))):
        if condition():
            return True
        idle.wait(look_s)
    return condition()
