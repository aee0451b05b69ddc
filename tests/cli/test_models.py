"""``mineru-workbench models``."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mineru_core.cli.main import app
from mineru_core.engines.embedded import weights


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
    listed = models().stdout
    assert "installed" in listed
    assert "missing" not in listed


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
    assert "embedded" in done.stderr
