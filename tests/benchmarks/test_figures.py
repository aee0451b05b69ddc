"""Figures told and written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.figures import tell_figures


def test_figures_are_told_line_by_line_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    tell_figures({"p95": 12.345, "qps": 100.0}, file, width=6, form="8.1f")
    assert capsys.readouterr().out == "p95        12.3\nqps       100.0\n"
    assert json.loads(file.read_text("utf-8")) == {"p95": 12.345, "qps": 100.0}
    tell_figures({}, None)
