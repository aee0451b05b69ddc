"""``mineru-workbench loadtest``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mineru_core.cli.main import app
from mineru_core.loadtest.history import History
from mineru_core.loadtest.presets import PRESETS, SMALL
from mineru_core.loadtest.scenario import Poisson
from mineru_core.settings import load_settings
from tests.loadtest.stub import stub_server

NAMES = {
    "errors",
    "timeouts",
    "refused",
    "throughput",
    "goodput",
    "capacity",
    "mean_s",
    "p50_s",
    "p95_s",
    "p99_s",
}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The preset with few documents, which take long to draw, and so many people that they cannot all stay away."""
    changes = {"arrivals": Poisson(rate_per_s=20), "documents": SMALL.model_copy(update={"most": 12})}
    monkeypatch.setitem(PRESETS, "quick", PRESETS["quick"].model_copy(update=changes))


@pytest.mark.long
@pytest.mark.usefixtures("quick")
def test_it_starts_a_server_of_its_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINERU_WORKBENCH_ENGINE__NAME", "echo")
    monkeypatch.setenv("MINERU_WORKBENCH_RATE__LOCAL", "true")  # its token is exempt from the rate
    monkeypatch.setenv("MINERU_WORKBENCH_RATE__BURST", "1")
    monkeypatch.setenv("MINERU_WORKBENCH_JOBS__WAITING_PLACES", "256")  # for all who come at once
    file = home / "figures.json"
    done = CliRunner().invoke(
        app, ["loadtest", "--preset", "quick", "--seconds", "1", "--json", str(file), "--name", "first"]
    )
    assert done.exit_code == 0, done.output
    figures = json.loads(file.read_text("utf-8"))
    assert figures.keys() >= NAMES
    assert all(isinstance(figures[name], float) for name in NAMES)
    assert figures["errors"] == figures["timeouts"] == figures["refused"] == 0
    assert figures["capacity"] > 0
    history = History(load_settings())
    kept = history.get(history.summaries()[0].id)
    assert (kept.name, kept.engine) == ("first", "echo")
    assert kept.server.batch_items is not None
    assert kept.samples[-1].resident_bytes is not None
    assert kept.samples[-1].server_cores is not None
    assert sorted(path.name for path in home.iterdir()) == ["figures.json", "loadtest.lock", "runs"]


@pytest.mark.usefixtures("quick")
def test_a_server_that_runs(home: Path) -> None:
    with stub_server() as stub:
        done = CliRunner().invoke(app, ["loadtest", "--url", stub.url, "--seconds", "0.5"])
    assert done.exit_code == 0, done.output
    assert "throughput" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--preset", "nothing"], "field-report"),
        (["--url", "http://192.0.2.1"], "allow_remote"),
        (["--url", "http://127.0.0.1:9"], "Start it"),
        (["--seconds", "0"], "0 seconds"),
        (["--seconds", "1e9"], "max_seconds"),
    ],
)
def test_what_cannot_be_run_is_said(home: Path, arguments: list[str], told: str) -> None:
    done = CliRunner().invoke(app, ["loadtest", *arguments])
    assert done.exit_code == 1
    assert told in done.stderr
