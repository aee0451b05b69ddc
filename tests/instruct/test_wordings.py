from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from mineru_core.document.task import TaskKind
from mineru_core.instruct import parse_words

WISHES = tomllib.loads(Path(__file__).with_name("wordings.toml").read_text("utf-8"))["wish"]
NAMES = ("pages", "table_indexes", "fields", "columns", "series", "points")


def understood(words: str) -> dict[str, Any]:
    """The task of the words as a wish states it, and its notes."""
    task = parse_words(words)
    found: dict[str, Any] = {name: list(getattr(task, name)) for name in NAMES if getattr(task, name)}
    if task.kind is TaskKind.FIND:
        found["query"] = task.query
    if task.merged:
        found["merged"] = True
    if task.rows:
        found["values"] = list(task.rows[0].values)
    return found | {"kind": task.kind.value, "notes": task.notes}


# A case of its own for each of the many wordings would cost several times what reading them does.
@pytest.mark.parametrize("kind", sorted({wish["kind"] for wish in WISHES}))
def test_a_wish_means_the_same_however_it_is_worded(kind: str) -> None:
    wrong: dict[str, Any] = {}
    for wish in WISHES:
        if wish["kind"] != kind:
            continue
        meant = {name: value for name, value in wish.items() if name != "words"} | {"notes": ()}
        wrong |= {words: found for words in wish["words"] if (found := understood(words)) != meant}
    assert wrong == {}


def test_there_are_many_wordings_and_none_stands_twice() -> None:
    words = [words for wish in WISHES for words in wish["words"]]
    assert len(words) == len(set(words)) >= 700
