from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mineru_core
from mineru_core.document.model import Model
from mineru_core.document.task import Task
from mineru_core.instruct import parse_words
from mineru_core.serving import cache_keys
from mineru_core.serving.cache_keys import cache_key, canonical, code_fingerprint, document_key, schema_digest


class One(Model):
    a: int


class Other(Model):
    a: int = 0


# Few characters, among them those that JSON sets apart, so that near misses are found.
COMPONENTS = st.lists(st.text(alphabet='a",\\[ ', max_size=4), min_size=1, max_size=3)
KINDS = st.text(alphabet='p",', max_size=2)
MODELS = st.sampled_from([One, Other])
KEYS = st.tuples(KINDS, MODELS, COMPONENTS)


@given(one=KEYS, other=KEYS)
def test_keys_are_equal_only_where_everything_is(
    one: tuple[str, type[Model], list[str]], other: tuple[str, type[Model], list[str]]
) -> None:
    keys = [cache_key(kind, model, *components) for kind, model, components in (one, other)]
    assert (keys[0] == keys[1]) == (one == other)


@given(
    one=st.tuples(st.text(max_size=3), st.text(max_size=3)), other=st.tuples(st.text(max_size=3), st.text(max_size=3))
)
def test_documents_are_the_same_only_where_bytes_and_decoding_are(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert (document_key(*one) == document_key(*other)) == (one == other)


def test_a_field_that_changes_makes_another_digest() -> None:
    def model(**fields: object) -> type[Model]:
        return type("Same", (Model,), {"__annotations__": {n: type(v) for n, v in fields.items()}, **fields})

    digests = {schema_digest(model(**f)) for f in ({"a": 1}, {"a": 2}, {"a": "1"}, {"b": 1}, {"a": 1, "b": 1}, {})}
    assert len(digests) == 6
    assert schema_digest(model(a=1)) == schema_digest(model(a=1))


@pytest.mark.parametrize("name", ["KEY_VERSION", "__version__"])
def test_a_version_that_changes_makes_other_keys(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before = cache_key("k", One)
    monkeypatch.setattr(cache_keys, name, "another")
    code_fingerprint.cache_clear()
    assert cache_key("k", One) != before
    monkeypatch.undo()
    code_fingerprint.cache_clear()
    assert cache_key("k", One) == before


def test_code_that_changes_makes_other_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "deep").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    monkeypatch.setattr(mineru_core, "__file__", str(package / "__init__.py"))
    seen = set()

    def look() -> None:
        code_fingerprint.cache_clear()
        seen.add(code_fingerprint())

    look()
    for name, text in [("deep/a.py", "1"), ("deep/a.py", "2"), ("b.py", "2"), ("words.toml", "x")]:
        (package / name).write_text(text)
        look()
    (package / "notes.md").write_text("nothing that runs")
    look()
    monkeypatch.undo()
    code_fingerprint.cache_clear()
    assert len(seen) == 5


TASKS = st.builds(
    Task,
    words=st.text(max_size=3),
    language=st.sampled_from(["zh", "en"]),
    table_indexes=st.lists(st.integers(-1, 2), max_size=2).map(tuple),
    pages=st.lists(st.integers(1, 2), max_size=2).map(tuple),
    fields=st.lists(st.text(max_size=2), max_size=2).map(tuple),
    query=st.text(max_size=2),
)


@given(one=TASKS, other=TASKS)
def test_tasks_are_written_alike_only_where_they_are_equal(one: Task, other: Task) -> None:
    assert (canonical(one) == canonical(other)) == (one == other)
    assert canonical(Task.model_validate_json(one.model_dump_json())) == canonical(one)


def test_equal_words_are_one_task() -> None:
    assert canonical(parse_words("extract the tables")) == canonical(parse_words("extract the tables"))
    assert canonical(parse_words("extract the tables")) != canonical(parse_words("extract the charts"))
