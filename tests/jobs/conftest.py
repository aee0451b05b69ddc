"""Job services on a test's home folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mineru_core.engines.base import Engine
from mineru_core.engines.echo import EchoEngine
from mineru_core.jobs.model import Job
from mineru_core.jobs.service import JobService
from mineru_core.serving.analyzer import Analyzer
from mineru_core.settings import CacheSettings, EngineSettings, JobSettings, Settings
from tests.documents import draw_lines, png_bytes

PNG = png_bytes(draw_lines(["one line"], width=200))
NO_CACHE = CacheSettings(enabled=False)  # the same picture is handed in again and again, to be read each time
WAIT_S = 20.0

Start = Callable[..., JobService]


def picture(number: int) -> bytes:
    """A picture unlike the others: equal ones that are read at the same time are read once."""
    return png_bytes(draw_lines([str(number)], width=60))


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    """Starts services on the test's home folder and closes what is left of them."""
    services: list[JobService] = []

    def make(
        engine: Engine | None = None,
        *,
        run: bool = True,
        deadline_s: float = 600,
        choices: tuple[str, ...] | None = None,
        **jobs: int,
    ) -> JobService:
        engines = EngineSettings(deadline_s=deadline_s, choices=choices)
        settings = Settings(home=home, jobs=JobSettings(**jobs), engine=engines, cache=NO_CACHE)
        service = JobService(settings, Analyzer(settings, engine if engine is not None else EchoEngine()))
        services.append(service)
        if run:
            service.start()
        return service

    yield make
    for service in services:
        service.close()
        service.analyzer.close()


def ended(service: JobService, job: Job) -> Job:
    job = service.wait(job.id, job.owner, WAIT_S)
    assert job.state.is_final, job
    return job
