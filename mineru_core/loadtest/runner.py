"""Runs a load test: the generator in its process, the observer beside it, and the figures in the end."""

from __future__ import annotations

import math
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from mineru_core.errors import EngineUnavailable
from mineru_core.loadtest.figures import Figures, closed_rate, figures_of, percentile
from mineru_core.loadtest.job import CAPACITY, JOB, MAIN, RECORDS, STOP, TOKEN_VARIABLE, Job
from mineru_core.loadtest.machine import this_machine
from mineru_core.loadtest.observing import Observer, Sample
from mineru_core.loadtest.records import OK, PhaseEnd, Record, RecordFile
from mineru_core.loadtest.run import Run, Second
from mineru_core.loadtest.scenario import Scenario, check_bounds
from mineru_core.loadtest.target import Target
from mineru_core.settings import Settings

_START_S = 120.0
"""Seconds beyond the scenario's own that a run may take: starting, drawing, warming up."""
_END_S = 10.0
_LOOK_S = 0.25


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: its phase ("" before the first), seconds into it, and the figures of the phase so far."""

    phase: str
    at_s: float
    figures: Figures | None
    samples: tuple[Sample, ...]


class LoadTest:
    """One run, from ``__enter__`` on; leaving the block ends it.

        with LoadTest(scenario, target, settings) as test:
            run = test.wait(lambda progress: ...)

    ``stop`` may be called from any thread, as ``halt`` may be set while somebody waits for the run: the last request
    then ends within two seconds. Raises ``InvalidRequest`` for a scenario beyond the settings' bounds.
    """

    def __init__(
        self,
        scenario: Scenario,
        target: Target,
        settings: Settings,
        changes: Mapping[str, str] | None = None,
        halt: threading.Event | None = None,
    ) -> None:
        check_bounds(scenario, settings.loadtest)
        self._scenario, self._target, self._changes = scenario, target, dict(changes or {})
        self._halt = halt or threading.Event()
        self._most_per_s = settings.loadtest.max_rate_per_s
        self._folder = tempfile.TemporaryDirectory(prefix="workbench-load-", ignore_cleanup_errors=True)
        self._path = Path(self._folder.name)
        self._lines = RecordFile(self._path / RECORDS)
        self._records: dict[str, list[Record]] = defaultdict(list)
        self._phase_at: dict[str, float] = {}
        self._observer = Observer(target.url, target.token, target.pid)
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False
        self._machine = this_machine()
        self._started_at = time.time()

    def __enter__(self) -> Self:
        job = Job(
            scenario=self._scenario,
            url=self._target.url,
            looks_for_words=self._target.reads,
            most_per_s=self._most_per_s,
        )
        (self._path / JOB).write_text(job.model_dump_json(), "utf-8")
        environment = {**os.environ}
        environment.pop(TOKEN_VARIABLE, None)
        if self._target.token:
            environment[TOKEN_VARIABLE] = self._target.token
        with (self._path / "generator.log").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "mineru_core.loadtest.generator", str(self._path)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._observer.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._end(_END_S)
        self._observer.__exit__(kind, error, trace)
        self._folder.cleanup()

    def stop(self) -> None:
        """End it now: what is on its way is broken off."""
        if self._process is not None and self._process.poll() is None:
            self._is_stopped = True
            (self._path / STOP).touch()

    @property
    def is_running(self) -> bool:
        """Whether requests are still sent or waited for."""
        return self._process is not None and self._process.poll() is None

    def progress(self) -> Progress:
        """How far it is."""
        self._read()
        phase = MAIN if MAIN in self._records else next(reversed(self._records), "")
        records = self._records.get(phase, [])
        at_s = max((record.end for record in records), default=0.0)
        figures = None
        if records:
            end = PhaseEnd(phase, at_s)
            figures = figures_of(records, end, timeout_s=self._scenario.timeout_s, capacity=self._capacity())
        return Progress(phase, at_s, figures, tuple(self._observer.samples))

    def wait(self, on_progress: Callable[[Progress], None] | None = None) -> Run:
        """The run, once it has ended. Raises ``EngineUnavailable`` where the generator broke."""
        assert self._process is not None
        until = time.monotonic() + self._scenario.longest_s + _START_S
        while self.is_running and time.monotonic() < until:
            if on_progress is not None:
                on_progress(self.progress())
            if self._halt.is_set():
                self.stop()
            try:
                self._process.wait(_LOOK_S)
            except subprocess.TimeoutExpired:
                continue
        if self.is_running:
            self.stop()
            self._end(_END_S)
        return self.result()

    def result(self) -> Run:
        """The run as far as it came. Raises ``EngineUnavailable`` where the generator broke."""
        self._read()
        code = None if self._process is None else self._process.poll()
        if code not in (0, None) and not self._is_stopped:
            log = (self._path / "generator.log").read_text("utf-8", errors="replace").strip().splitlines()
            raise EngineUnavailable(
                f"The load could not be made: {log[-1][:300] if log else f'it ended with {code}'}",
                "Run mineru-workbench doctor.",
            )
        records = self._records.get(MAIN, [])
        end = self._lines.phases.get(MAIN) or PhaseEnd(MAIN, max((r.end for r in records), default=0.0))
        figures = figures_of(records, end, timeout_s=self._scenario.timeout_s, capacity=self._capacity())
        return Run(
            id=f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(self._started_at))}-{secrets.token_hex(3)}",
            name=self._scenario.name,
            scenario=self._scenario,
            target=self._target.url,
            engine=self._target.engine,
            started_at=self._started_at,
            stopped=self._is_stopped,
            machine=self._machine,
            figures=figures.flat(),
            by_code=figures.by_code,
            by_kind_p95_s=figures.by_kind_p95_s,
            slow_stages_s=figures.slow_stages_s,
            server=self._observer.figures(),
            seconds=by_second(records),
            samples=tuple(self._observer.samples),
            changes=self._changes,
        )

    def _capacity(self) -> float:
        ended = self._lines.phases.get(CAPACITY)
        return math.nan if ended is None else closed_rate(self._records.get(CAPACITY, []), ended.window_s)

    def _read(self) -> None:
        for record in self._lines.new_records():
            self._records[record.phase].append(record)

    def _end(self, patience_s: float) -> None:
        if self._process is None:
            return
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def by_second(records: Sequence[Record]) -> tuple[Second, ...]:
    """What ended in each second from the first to the last."""
    buckets: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        buckets[int(record.end)].append(record)
    found = []
    for at in range(max(buckets, default=-1) + 1):
        there = buckets.get(at, [])
        latencies = [record.latency_s for record in there if record.code == OK]
        found.append(
            Second(
                at_s=at,
                answers=len(latencies),
                errors=sum(record.is_error for record in there),
                refused=sum(record.is_refused for record in there),
                p95_s=percentile(latencies, 0.95) if latencies else None,
            )
        )
    return tuple(found)
