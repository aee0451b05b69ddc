from __future__ import annotations

import math
from pathlib import Path

import pytest

from mineru_core.errors import InvalidRequest, NotFound
from mineru_core.loadtest import history
from mineru_core.loadtest.history import History
from mineru_core.settings import load_settings
from tests.loadtest.runs import make_run


def test_runs_are_kept_renamed_and_deleted(home: Path) -> None:
    kept = History(load_settings())
    assert kept.summaries() == []
    for number in (1, 2):
        kept.keep(make_run(number))
    assert [kept.get(one.id) for one in kept.summaries()] == [make_run(2), make_run(1)]
    assert kept.rename(make_run(1).id, "  before \n it ") == kept.get(make_run(1).id)
    assert kept.get(make_run(1).id).name == "before it"
    kept.delete(make_run(1).id)
    assert [one.id for one in kept.summaries()] == [make_run(2).id]
    with pytest.raises(InvalidRequest):
        kept.rename(make_run(2).id, " ")


@pytest.mark.parametrize("run_id", ["", "..", "20260101-000000-00000f", "../../x"])
def test_what_is_not_kept_is_not_found(home: Path, run_id: str) -> None:
    with pytest.raises(NotFound):
        History(load_settings()).delete(run_id)


def test_the_oldest_go_and_what_cannot_be_read_is_left_out(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST_RUNS", 2)
    kept = History(load_settings())
    for number in (1, 2, 3):
        kept.keep(make_run(number))
    assert [run.name for run in kept.summaries()] == ["run 3", "run 2"]
    (home / "runs" / make_run(3).id / "run.json").write_text("{}", "utf-8")
    assert [run.name for run in kept.summaries()] == ["run 2"]


def test_a_summary_is_read_once_and_again_when_its_run_has_changed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = History(load_settings())
    for number in (1, 2, 3):
        kept.keep(make_run(number))
    (home / "runs" / make_run(3).id / "run.json").write_text("{}", "utf-8")
    reads: list[str] = []
    real = History._read
    monkeypatch.setattr(History, "_read", staticmethod(lambda folder: (reads.append(folder.name), real(folder))[1]))
    told = kept.summaries()
    assert [(one.name, one.scenario, one.figures) for one in told] == [
        (f"run {number}", "field-report", make_run().figures) for number in (2, 1)
    ]
    assert kept.summaries() == told
    assert len(reads) == 3
    kept.rename(make_run(1).id, "new")
    kept.delete(make_run(2).id)
    reads.clear()
    assert [one.name for one in kept.summaries()] == ["new"]
    assert reads == [make_run(1).id]


def test_what_was_not_measured_is_not_told() -> None:
    assert make_run(figures={"capacity": math.nan, "p95_s": 1.0}).figures == {"p95_s": 1.0}
