from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

pytest.importorskip("psutil")  # of the dependency group bench

from benchmarks import memory


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A set of three pictures."""
    folder = tmp_path / "data" / "a_text"
    (folder / "dev" / "images").mkdir(parents=True)
    (folder / "dev" / "truth").mkdir()
    (folder / "META.json").write_text(json.dumps({"kind": "text"}), encoding="utf-8")
    for n in range(3):
        Image.new("RGB", (20 + n, 20)).save(folder / "dev" / "images" / f"{n}.png")
        (folder / "dev" / "truth" / f"{n}.txt").touch()
    return tmp_path / "data"


def test_memory_is_taken_at_the_beginning_half_way_and_at_the_end(home: Path, data: Path) -> None:
    figures = memory.measure(data, 7, "echo", users=2)
    assert (figures["pages"], figures["users"]) == (7, 2)
    assert all(figures[name] > 0 for name in ("rss_loaded_mb", "rss_half_mb", "rss_mb", "seconds"))
    assert figures["growth"] == figures["rss_mb"] / figures["rss_half_mb"] - 1
    assert "growth_200" not in figures
    assert list(home.iterdir()) == []  # the cache of the settings' own home is not touched


def test_of_many_pages_the_growth_after_the_first_is_told(
    home: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = iter([10.0, 20.0, 40.0, 50.0])  # loaded, then after 2, 3 and 6 pages
    monkeypatch.setattr(memory, "resident_mb", lambda: next(taken))
    monkeypatch.setattr(memory, "EARLY_PAGES", 2)
    figures = memory.measure(data, 6, "echo")
    assert figures["rss_loaded_mb"] == 10
    assert figures["growth_200"] == 50 / 20 - 1
    assert figures["growth"] == 50 / 40 - 1
