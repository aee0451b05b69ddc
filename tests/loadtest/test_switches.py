"""One thing off and on, with real servers and the echo engine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mineru_core.errors import EngineUnavailable, InvalidRequest
from mineru_core.loadtest.switches import SWITCHES, run_switched, scenario_of, switch_named
from mineru_core.loadtest.target import as_variables, own_server
from mineru_core.settings import load_settings
from tests.loadtest.stub import stub_server

ROOT = Path(__file__).resolve().parents[2]


def test_both_sides_get_the_same_documents() -> None:
    off, on = (scenario_of(SWITCHES["keep-alive"], side, 5, seed=3) for side in ("off", "on"))
    assert (off.keep_alive, on.keep_alive) == (False, True)
    assert off.model_copy(update={"name": on.name, "keep_alive": True}) == on
    with pytest.raises(InvalidRequest):
        switch_named("nothing")


@pytest.mark.long
def test_all_off_and_all_on(home: Path) -> None:
    found = run_switched(SWITCHES["all"], load_settings(engine={"name": "echo"}), seconds=0.3)
    assert found.off[0].changes["server"] == "built-each"
    assert found.on[0].changes == {"JOBS__WAITING_PLACES": "256", "server": "workbench"}
    for run in (*found.off, *found.on):
        assert run.by_code.keys() == {"ok"}
    assert {"throughput", "p95_s"} <= {row.name for row in found.rows}


@pytest.mark.long
def test_a_server_with_ordinary_handlers(home: Path) -> None:
    found = run_switched(SWITCHES["async"], load_settings(engine={"name": "echo"}), seconds=1.0)
    assert found.off[0].changes["server"] == "plain"
    assert found.off[0].figures["errors"] == 0


def test_a_server_that_does_not_start_is_told(home: Path) -> None:
    with pytest.raises(EngineUnavailable), own_server(load_settings(), {"SERVER__PORT": "no"}):
        raise AssertionError("it started")


def test_the_locustfile_works_with_locust_itself(tmp_path: Path) -> None:
    arguments = ["--headless", "-u", "2", "-r", "2", "-t", "3s", "--csv", str(tmp_path / "out")]
    with stub_server() as stub:
        done = subprocess.run(
            [sys.executable, "-m", "locust", "-f", str(ROOT / "locustfile.py"), "-H", stub.url, *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
        )
    assert done.returncode == 0, done.stderr
    assert "DOCUMENT" in (tmp_path / "out_stats.csv").read_text("utf-8")
    assert len(stub.seen) >= 2


def test_the_settings_of_this_process_are_those_of_the_server(home: Path) -> None:
    changed = {"mineru_server": {"urls": ("http://a",), "api_key": "k"}, "cache": {"enabled": False}}
    settings = load_settings(engine={"name": "echo"}, server={"trusted_proxies": ("10.0.0.0/8",)}, **changed)
    assert as_variables(settings.model_dump(exclude_defaults=True, exclude={"home", "models"})) == {
        "ENGINE__NAME": "echo",
        "SERVER__TRUSTED_PROXIES": '["10.0.0.0/8"]',
        "MINERU_SERVER__URLS": '["http://a"]',
        "MINERU_SERVER__API_KEY": "k",
        "CACHE__ENABLED": "false",
    }
