"""``mineru-workbench models``."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mineru_core.cli.main import app
from mineru_core.engines.embedded import weights
from tests.engines.mineru.checkpoints import checkpoint_files, write_checkpoint
from tests.engines.mineru.hub_server import COMMIT, HubServer
from tests.servers import serve_thread


def models(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["models", *arguments])


@pytest.fixture
def empty_models(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = home / "own-models"
    monkeypatch.setenv("MINERU_WORKBENCH_MODELS", str(folder))
    return folder


def test_lists_what_is_missing(empty_models: Path) -> None:
    done = models()
    assert done.exit_code == 0
    for weight in weights.MANIFEST:
        (line,) = [line for line in done.stdout.splitlines() if weight.name in line]
        assert "missing" in line
        assert weight.licence in line


@pytest.mark.models
def test_installs_from_a_folder(empty_models: Path, models_dir: Path) -> None:
    done = models("install", "embedded", "--from", str(models_dir / weights.FOLDER))
    assert done.exit_code == 0
    assert str(empty_models) in done.stdout
    assert all(status.installed for status in weights.status(empty_models))
    listed = [line for line in models().stdout.splitlines() if line.startswith("embedded")]
    assert len(listed) == len(weights.MANIFEST)
    assert all("installed" in line for line in listed)


@pytest.mark.models
def test_says_nothing_when_it_is_to_be_quiet(home: Path) -> None:
    done = models("install", "--quiet")
    assert (done.exit_code, done.output) == (0, "")


def test_a_folder_without_the_files_fails(empty_models: Path, tmp_path: Path) -> None:
    done = models("install", "--from", str(tmp_path))
    assert done.exit_code == 1
    assert "Error" in done.stderr


def test_an_unknown_engine_fails(home: Path) -> None:
    done = models("install", "no-such-engine")
    assert done.exit_code == 1
    assert "embedded or mineru" in done.stderr


def mineru_line(name: str) -> str:
    (line,) = [line for line in models().stdout.splitlines() if line.startswith("mineru") and name in line]
    return line


def test_models_are_listed_with_their_licence_before_they_are_fetched(empty_models: Path) -> None:
    for name, licence in (("MinerU2.5-2509-1.2B", "AGPL-3.0"), ("MinerU2.5-Pro-2605-1.2B", "Apache-2.0")):
        line = mineru_line(name)
        assert "missing" in line
        assert licence in line


def test_a_model_is_installed_from_a_folder(empty_models: Path, tmp_path: Path) -> None:
    source = write_checkpoint(tmp_path / "usb")
    done = models("install", "mineru", "--from", str(source))
    assert done.exit_code == 0
    assert "AGPL-3.0" in done.stdout
    assert "installed" in mineru_line("2509")


def test_a_model_is_fetched_from_the_hub(empty_models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_thread(HubServer(checkpoint_files()).app) as url:
        monkeypatch.setenv("MINERU_WORKBENCH_MINERU__ENDPOINT", url)
        assert models("install", "mineru").exit_code == 0
    line = mineru_line("2509")
    assert "installed" in line
    assert COMMIT[:12] in line


def test_a_model_that_cannot_be_fetched_is_told(empty_models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINERU_WORKBENCH_MINERU__OFFLINE", "true")
    done = models("install", "mineru")
    assert done.exit_code == 1
    assert "offline" in done.stderr
