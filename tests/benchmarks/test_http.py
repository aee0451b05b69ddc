from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import http


def test_percentiles_are_in_milliseconds() -> None:
    assert http._percentiles("a", [0.001] * 100) == pytest.approx({"a_p50": 1.0, "a_p95": 1.0})
    assert http._percentiles("a", [n / 1000 for n in range(101)]) == pytest.approx({"a_p50": 50.0, "a_p95": 95.0})


@pytest.mark.long
def test_it_measures_what_it_says(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "figures.json"
    assert http.main(["--clients", "3", "--seconds", "0.5", "--json", str(target)]) == 0
    figures = json.loads(target.read_text("utf-8"))
    promised = {word for word in (http.__doc__ or "").split("``") if word in figures}
    assert promised == set(figures)
    assert all(value > 0 for name, value in figures.items() if name != "api_overhead_p95")
