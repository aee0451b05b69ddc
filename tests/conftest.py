"""Shared by the whole suite: a home folder of one's own, and servers that are started once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

from mineru_core.settings import load_settings
from tests.servers import serve_process, workbench_environment

# A busy machine is no fault of the code: no test fails for having been slow.
hypothesis_settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.register_profile("ci", hypothesis_settings.get_profile("suite"), derandomize=True)
hypothesis_settings.load_profile("ci" if os.environ.get("CI") else "suite")


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Names that are the same in every process, by which two share the suite: sets have another order in each, and
    objects another address. Others are named as pytest does."""
    text = repr(val)
    if isinstance(val, frozenset | set):
        return "{" + ",".join(sorted(str(one) for one in val)) + "}"
    if " at 0x" in text and not callable(val):
        return f"{argname}-{type(val).__name__}"
    return None


# Files that need the servers which are started once, or the browser: one process has them for all.
WITH_SERVERS = re.compile(r"tests/(browser/|api/test_(guards|health|middleware)\.py|cli/test_serve\.py|test_docs\.py)")
# What takes longest begins first: begun last, it would keep one process busy while the other has nothing left.
LONGEST = (
    "servers",
    "tests/serving/test_concurrency.py",
    "tests/engines/embedded/test_known_parts.py",
    "tests/cli/test_loadtest.py",
    "tests/loadtest/test_switches.py",
    "tests/loadtest/test_runner.py",
    "tests/engines/embedded/test_engine.py",
    "tests/ui/loadtest/test_page.py",
    "tests/deploy/test_nginx.py",
)


class Schedule(LoadFileScheduling):
    """A file to each process at a time."""

    def _split_scope(self, nodeid: str) -> str:
        return "servers" if WITH_SERVERS.match(nodeid) else super()._split_scope(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        found = next((name for name in LONGEST if name in self.workqueue), None)
        if found is not None:
            self.workqueue.move_to_end(found, last=False)
        super()._assign_work_unit(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Schedule:
    """Which of several processes gets what."""
    return Schedule(config, log)


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """The folder of the weights that ``make test`` has installed: a home of a test's own has none."""
    return load_settings().models_dir


@pytest.fixture(scope="session", autouse=True)
def _away_from_home(models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test touches the home folder of whoever runs the suite, and none is answered from what another one kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINERU_WORKBENCH_HOME", str(tmp_path_factory.mktemp("home-of-all")))
        patch.setenv("MINERU_WORKBENCH_MODELS", str(models_dir))
        patch.setenv("MINERU_WORKBENCH_CACHE__ENABLED", "false")
        yield


@pytest.fixture
def home(tmp_path: Path, models_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder that this test's settings name, with the installed weights and no other setting."""
    for name in list(os.environ):
        if name.startswith("MINERU_WORKBENCH_"):
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("MINERU_WORKBENCH_HOME", str(folder))
    monkeypatch.setenv("MINERU_WORKBENCH_MODELS", str(models_dir))
    return folder


@pytest.fixture(scope="session")
def echo_server(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Iterator[str]:
    """Base URL of UI and API in a process of their own, with the echo engine; one for the whole run."""
    environment = workbench_environment(tmp_path_factory.mktemp("echo-home"), models_dir, ENGINE__NAME="echo")
    with serve_process(environment) as url:
        yield url


@pytest.fixture(scope="session")
def embedded_server(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Iterator[str]:
    """The same with the embedded engine, and echo to choose besides; for tests marked ``models``."""
    environment = workbench_environment(
        tmp_path_factory.mktemp("embedded-home"), models_dir, ENGINE__CHOICES='["echo"]'
    )
    with serve_process(environment) as url:
        yield url
