from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.kit import find_sets, item_name, load_scorer, read_baselines


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with a text set, a layout set and a folder without truths."""
    for name, meta in {
        "a_text": {"kind": "text", "primary": "cer", "casefold": True},
        "b_pages": {"kind": "layout", "primary": "map50", "classes": ["table"]},
        "pdfs": {"kind": "none"},
    }.items():
        (tmp_path / name / "dev" / "images").mkdir(parents=True)
        (tmp_path / name / "dev" / "truth").mkdir()
        (tmp_path / name / "META.json").write_text(json.dumps(meta), encoding="utf-8")
    for item in ("page.v1_2.jpg", "other.png", "no_truth.png"):
        (tmp_path / "a_text" / "dev" / "images" / item).touch()
    for truth in ("page.v1_2.txt", "other.txt"):
        (tmp_path / "a_text" / "dev" / "truth" / truth).touch()
    return tmp_path


def test_sets_with_truths_are_found(data: Path) -> None:
    text, pages = find_sets(data)
    assert (text.name, text.kind, text.casefold, text.classes) == ("a_text", "text", True, None)
    assert (pages.name, pages.kind, pages.classes) == ("b_pages", "layout", ("table",))


def test_named_sets_come_in_the_order_of_the_names(data: Path) -> None:
    assert [chosen.name for chosen in find_sets(data, ["b_pages", "a_text"])] == ["b_pages", "a_text"]


def test_an_unknown_set_is_named(data: Path) -> None:
    with pytest.raises(ValueError, match="pdfs"):
        find_sets(data, ["pdfs"])


def test_items_are_pictures_with_a_truth(data: Path) -> None:
    (text,) = find_sets(data, ["a_text"])
    assert [item_name(path) for path in text.items()] == ["other", "page.v1_2"]
    assert len(text.items(limit=1)) == 1


def test_the_scorer_is_loaded_by_its_path(data: Path) -> None:
    with pytest.raises(ValueError, match=r"score\.py"):
        load_scorer(data)
    (data / "kit").mkdir()
    (data / "kit" / "score.py").write_text("ANSWER = 42\n", encoding="utf-8")
    assert load_scorer(data).ANSWER == 42


def test_baselines_are_read_from_the_tables(data: Path) -> None:
    assert read_baselines(data) == {}
    (data / "BASELINES.md").write_text(
        "# Peers\n\n## text\n\n| set | engine | n | cer |\n|---|---|--:|--:|\n| a_text | tool | 2 | 0.25 |\n"
        "\n## layout\n\n| set | engine | n | map50 |\n|---|---|--:|--:|\n| b_pages | tool | 1 | n/a |\n",
        encoding="utf-8",
    )
    assert read_baselines(data) == {"a_text": {"tool": {"n": 2, "cer": 0.25}}, "b_pages": {"tool": {"n": 1}}}
