from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import edge
from tests.documents import TABLE_ROWS, draw_table


def row(**changes: object) -> edge.Row:
    fields = {"name": "a", "png": 1000, "compressed": 200, "edge": 20, "crops": 50, "same": True}
    return edge.Row(**{**fields, "read_s": 1.0, "edge_wait_s": 0.5, "page_wait_s": 2.0, **changes})  # type: ignore[arg-type]


def test_bytes_are_those_of_all_pages_and_of_the_worst() -> None:
    figures = edge._figures([row(), row(png=100, compressed=100, edge=10, same=False)])
    assert (figures["edge_of_png"], figures["worst_of_png"]) == (30 / 1100, 0.1)
    assert (figures["edge_of_compressed"], figures["worst_of_compressed"]) == (0.1, 0.1)
    assert (figures["crops_of_png"], figures["same"], figures["pages"]) == (100 / 1100, 0.5, 2)


@pytest.mark.long
@pytest.mark.models
def test_it_measures_what_it_says(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "a_text" / "dev"
    (folder / "images").mkdir(parents=True)
    (folder / "truth").mkdir()
    (folder.parent / "META.json").write_text(json.dumps({"kind": "text"}), encoding="utf-8")
    draw_table(TABLE_ROWS).save(folder / "images" / "1.png")
    (folder / "truth" / "1.txt").touch()
    target = tmp_path / "figures.json"
    assert edge.main(["--data", str(tmp_path / "data"), "--sets", "a_text", "--json", str(target)]) == 0
    figures = json.loads(target.read_text("utf-8"))
    promised = {word for word in (edge.__doc__ or "").split("``") if word in figures}
    assert promised == set(figures)
    assert figures["same"] == 1
    assert 0 < figures["edge_of_png"] < figures["crops_of_png"]
