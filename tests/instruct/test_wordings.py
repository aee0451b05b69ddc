from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from mineru_core.document.task import TaskKind
from mineru_core.instruct import parse_words

WISHES = tomllib.loads(Path(__file__).with_name("wordings.toml").read_text("utf-8"))["wish"]
WORDINGS = [(words, wish) for wish in WISHES for words in wish["words"]]
NAMES = ("pages", "table_indexes", "fields", "columns", "series", "points")


@pytest.mark.parametrize(("words", "wish"), WORDINGS, ids=[words for words, _ in WORDINGS])
def test_a_wish_means_the_same_however_it_is_worded(words: str, wish: dict[str, Any]) -> None:
    task = parse_words(words)
    found: dict[str, Any] = {name: list(getattr(task, name)) for name in NAMES if getattr(task, name)}
    if task.kind is TaskKind.FIND:
        found["query"] = task.query
    if task.merged:
        found["merged"] = True
    if task.rows:
        found["values"] = list(task.rows[0].values)
    assert found | {"kind": task.kind.value} == {name: value for name, value in wish.items() if name != "words"}
    assert task.notes == ()


def test_there_are_many_wordings_and_none_stands_twice() -> None:
    words = [words for words, _ in WORDINGS]
    assert len(words) == len(set(words)) >= 700
