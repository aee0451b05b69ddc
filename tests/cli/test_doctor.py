"""``mineru-workbench doctor``."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mineru_core.cli.main import app
from tests.engines.mineru.checkpoints import write_checkpoint

NAMES = {"python", "cores", "home", "weights", "port", "chromium", "rates", "mineru", "mineru-tiny", "mineru-server"}


def doctor(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["doctor", *arguments])


def states(done: Result) -> dict[str, str]:
    return {check["name"]: check["state"] for check in json.loads(done.stdout)["checks"]}


@pytest.mark.models
def test_a_machine_that_is_ready(home: Path) -> None:
    done = doctor("--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["ok"] is True
    found = states(done)
    assert set(found) == NAMES
    assert {found[name] for name in ("python", "cores", "home", "weights")} == {"ok"}


def test_missing_weights_fail_and_name_the_command(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINERU_WORKBENCH_MODELS", str(home / "none"))
    done = doctor()
    assert done.exit_code == 1
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("fail")]
    assert "weights" in line
    assert "mineru-workbench models install" in line


def test_a_home_that_cannot_be_made_fails(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "file").touch()
    monkeypatch.setenv("MINERU_WORKBENCH_HOME", str(home / "file"))
    done = doctor("--json")
    assert done.exit_code == 1
    assert states(done)["home"] == "fail"


def test_a_taken_port_is_a_warning(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("MINERU_WORKBENCH_SERVER__PORT", str(taken.getsockname()[1]))
        assert states(doctor("--json"))["port"] == "warn"


def test_no_browser_is_a_warning(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(home))
    assert states(doctor("--json"))["chromium"] == "warn"


def test_a_wrong_setting_fails_and_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINERU_WORKBENCH_LIMITS__MAX_PAGES", "many")
    done = doctor()
    assert done.exit_code == 1
    assert "limits.max_pages" in done.stdout


def test_the_four_numbers_are_shown_with_where_they_come_from(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mineru_core.settings.available_cores", lambda: 4)
    assert (
        "pages_in_flight 6 (cores), waiting_places 21 at first (learned: what is read in 18 s), "
        "engine_calls 2 (cores), batch_items 32"
    ) in doctor().stdout
    monkeypatch.setenv("MINERU_WORKBENCH_ENGINE__PAGES_IN_FLIGHT", "7")
    monkeypatch.setenv("MINERU_WORKBENCH_JOBS__WAITING_PLACES", "8")
    monkeypatch.setenv("MINERU_WORKBENCH_ENGINE__ENGINE_CALLS", "9")
    monkeypatch.setenv("MINERU_WORKBENCH_ENGINE__BATCH_ITEMS", "10")
    assert (
        "pages_in_flight 7 (setting), waiting_places 8 (setting), engine_calls 9 (setting), batch_items 10"
    ) in doctor().stdout


def test_engines_say_what_they_lack_and_it_is_a_fault_in_the_one_that_is_set(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert states(doctor("--json"))["mineru"] == "warn"
    (line,) = [line for line in doctor().stdout.splitlines() if " mineru " in line]
    assert "MinerU2.5 (2509)" in line
    assert "mineru-workbench models install mineru" in line
    monkeypatch.setenv("MINERU_WORKBENCH_ENGINE__NAME", "mineru")
    done = doctor("--json")
    assert done.exit_code == 1
    assert states(done)["mineru"] == "fail"


def test_an_engine_that_has_all_it_needs_is_ready(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINERU_WORKBENCH_MINERU__MODEL", str(write_checkpoint(home / "own")))
    monkeypatch.setenv("MINERU_WORKBENCH_MINERU_SERVER__URLS", '["http://127.0.0.1:9"]')
    found = states(doctor("--json"))
    assert (found["mineru"], found["mineru-server"]) == ("ok", "ok")
