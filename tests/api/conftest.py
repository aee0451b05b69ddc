"""An API server on a thread of this process, on a job service of its own with the echo engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from mineru_core.api.backend import Backend
from mineru_core.api.server import create_api_server
from mineru_core.engines.base import Engine
from mineru_core.engines.echo import EchoEngine
from mineru_core.jobs.service import JobService
from mineru_core.serving.analyzer import Analyzer
from mineru_core.settings import Settings
from tests.servers import serve_thread


@dataclass
class Api:
    """A running API: a client of it, and the service behind it."""

    client: httpx.Client
    service: JobService


StartApi = Callable[..., AbstractContextManager[Api]]


@contextmanager
def run_api(home: Path, reader: Engine, **sections: object) -> Iterator[Api]:
    """The API with ``reader`` on ``home``; ``sections`` are sections of the settings."""
    settings = Settings(home=home, **sections)  # type: ignore[arg-type]
    service = JobService(settings, Analyzer(settings, reader))

    def opened() -> JobService:
        service.start()
        return service

    app = create_api_server(Backend(settings, open_service=opened, close_service=service.close))
    with serve_thread(app) as url, httpx.Client(base_url=url, timeout=30.0, trust_env=False) as client:
        yield Api(client, service)


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """One API with a quick echo engine for every test that leaves it as it was."""
    with run_api(tmp_path_factory.mktemp("api-home"), EchoEngine()) as running:
        yield running


@pytest.fixture
def start_api(home: Path) -> StartApi:
    """Starts an API of the test's own: ``with start_api(reader, limits={...}) as api``."""

    def start(reader: Engine | None = None, **sections: object) -> AbstractContextManager[Api]:
        return run_api(home, reader if reader is not None else EchoEngine(), **sections)

    return start
