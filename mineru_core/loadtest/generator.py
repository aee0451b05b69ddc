"""The process that makes the load: ``python -m mineru_core.loadtest.generator FOLDER``.

Reads ``job.json`` in the folder, writes a line to ``records.jsonl`` for every request as it ends, and is over when all
phases are, when a file ``stop`` appears there, or when whoever started it has gone.
"""

from __future__ import annotations

import math
import os
import random
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

import gevent
from locust.env import Environment

from mineru_core.loadtest.figures import closed_rate
from mineru_core.loadtest.job import CAPACITY, JOB, MAIN, RECORDS, STOP, TOKEN_VARIABLE, WARM_UP, Job
from mineru_core.loadtest.records import PhaseEnd, Record
from mineru_core.loadtest.scenario import CAPACITY_PATIENCE_S, ClosedLoop, Scenario
from mineru_core.loadtest.supply import Supply, documents_for
from mineru_core.loadtest.users import Desk, listen, users_of
from mineru_core.settings import available_cores

_LOOK_S = 0.1


class Generator:
    """Runs the phases one after the other."""

    def __init__(self, job: Job, folder: Path, token: str | None = None) -> None:
        self._job, self._folder = job, folder
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        if not job.scenario.keep_alive:
            self._headers["Connection"] = "close"
        seed = job.scenario.seed
        self._rng = random.Random(secrets.randbits(64) if seed is None else seed)
        self._supply = Supply(job.scenario.documents, self._rng)
        self._parent = os.getppid()
        self._file = (folder / RECORDS).open("a", encoding="utf-8", buffering=1)  # a line is there once it is written
        self._records: list[Record] = []

    def run(self) -> None:
        """All phases: one request to warm up, the closed-loop maximum where it is asked for, then the scenario."""
        scenario = self._job.scenario
        once = scenario.model_copy(update={"arrivals": ClosedLoop(users=1), "timeout_s": max(60.0, scenario.timeout_s)})
        self._prepare(1)
        self._run(WARM_UP, once, requests=1)
        rate = 0.0
        if scenario.capacity_s:
            loop = ClosedLoop(users=min(scenario.capacity_users or 2 * available_cores(), scenario.in_flight))
            patience = max(CAPACITY_PATIENCE_S, scenario.timeout_s)
            changes = {"arrivals": loop, "seconds": scenario.capacity_s, "timeout_s": patience}
            measured = scenario.model_copy(update=changes)
            self._prepare(documents_for(measured, available_cores()))
            rate = closed_rate(self._run(CAPACITY, measured), scenario.capacity_s)
        rate = rate or available_cores()  # a guess, where none was measured: one a second and core
        self._prepare(documents_for(scenario, rate))
        self._run(MAIN, scenario)

    def _prepare(self, count: int) -> None:
        self._supply.prepare(count, self._is_stopped)

    def _run(self, name: str, scenario: Scenario, requests: float = math.inf) -> list[Record]:
        """One phase, to its last answer; nothing at all once the run was stopped."""
        self._records = []
        if self._is_stopped():
            return []
        desk = Desk(
            name,
            scenario,
            self._supply,
            self._rng,
            headers=self._headers,
            looks_for_words=self._job.looks_for_words,
            most_per_s=self._job.most_per_s,
            most_requests=requests,
        )
        kind, count = users_of(desk, self._job.url)
        environment = Environment(user_classes=[kind], host=self._job.url)
        listen(environment, self._write)
        runner = environment.create_local_runner()
        gevent.get_hub().loop.update_now()  # it stood still while documents were drawn
        desk.begin()
        runner.start(count, spawn_rate=count)
        while not self._is_stopped() and not desk.is_done:
            gevent.sleep(_LOOK_S)
        desk.is_closing = True
        desk.coming.kill()
        runner.quit()
        end = PhaseEnd(name, min(desk.now(), scenario.seconds), desk.best_rate, self._supply.rounds)
        self._file.write(end.to_line() + "\n")
        return self._records

    def _write(self, record: Record) -> None:
        self._records.append(record)
        self._file.write(record.to_line() + "\n")

    def _is_stopped(self) -> bool:
        return (self._folder / STOP).exists() or os.getppid() != self._parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job of the folder that is named."""
    folder = Path((sys.argv[1:] if arguments is None else arguments)[0])
    job = Job.model_validate_json((folder / JOB).read_text("utf-8"))
    Generator(job, folder, os.environ.pop(TOKEN_VARIABLE, None)).run()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
