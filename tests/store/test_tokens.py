from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.errors import InvalidRequest, NotFound
from mineru_core.store import tokens as module
from mineru_core.store.database import Database
from mineru_core.store.tokens import Scope, TokenStore, recognise


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TokenStore]:
    database = Database(tmp_path / "state.db")
    yield TokenStore(database)
    database.close()


def test_a_token_is_recognised_and_no_other_text_is(store: TokenStore) -> None:
    text, kept = store.create("ci", [Scope.DOCUMENTS])
    other, _ = store.create("ci", [Scope.DOCUMENTS])
    known = {token.id: token for token in store.all()}
    assert recognise(text, known) == kept == known[kept.id]
    mixed = text[:-43] + other[-43:]
    for wrong in (text[:-1], text + "x", text.upper(), mixed, "", "mwb_", other.replace("mwb", "abc")):
        assert recognise(wrong, known) is None


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    assert recognise(text, {}) is None


def test_the_secret_is_nowhere_on_disk(store: TokenStore, tmp_path: Path) -> None:
    text, kept = store.create("ci", [Scope.DOCUMENTS])
    secret = text[-43:]
    with sqlite3.connect(tmp_path / "state.db") as plain:
        dump = "\n".join(plain.iterdump())
    plain.close()
    assert kept.secret_sha256 in dump
    assert secret not in dump
    assert secret not in repr(kept)
    assert kept.secret_sha256 not in repr(kept)


def test_a_token_is_good_until_its_time(store: TokenStore) -> None:
    _, for_good = store.create("a", [Scope.DOCUMENTS])
    _, brief = store.create("b", [Scope.DOCUMENTS], keep_s=10.0)
    assert for_good.is_live(for_good.created_at + 1e9)
    assert brief.is_live(brief.created_at + 9.0)
    assert not brief.is_live(brief.created_at + 10.0)


def test_revoking_takes_one_by_its_id_or_all_of_a_name(store: TokenStore) -> None:
    kept = [store.create(name, [Scope.DOCUMENTS])[1] for name in ("a", "a", "b", "a")]
    assert [token.id for token in store.revoke(kept[0].id)] == [kept[0].id]
    assert {token.id for token in store.revoke("a")} == {kept[1].id, kept[3].id}
    now = kept[-1].created_at + 1.0
    assert [token.name for token in store.all() if token.is_live(now)] == ["b"]
    for gone in ("a", kept[0].id, "nobody"):
        with pytest.raises(NotFound, match="no such token"):
            store.revoke(gone)


@pytest.mark.parametrize("name", ["", "a b", "-a", "a/b", "名", "x" * 65, "a\n"])
def test_names_that_are_off_are_refused(store: TokenStore, name: str) -> None:
    with pytest.raises(InvalidRequest):
        store.create(name, [Scope.DOCUMENTS])
    with pytest.raises(InvalidRequest):
        store.create("a", [])
    assert store.all() == []


def test_secrets_are_compared_in_constant_time(store: TokenStore, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[str, str]] = []

    def compare(a: str, b: str) -> bool:
        compared.append((a, b))
        return a == b

    monkeypatch.setattr(module.hmac, "compare_digest", compare)
    text, kept = store.create("ci", [Scope.DOCUMENTS])
    recognise(text, {kept.id: kept})
    recognise(text, {})  # an id that is not known takes as long
    assert len(compared) == 2


def test_a_discarded_token_leaves_nothing_and_takes_those_whose_time_has_passed(store: TokenStore) -> None:
    passing = [Scope.DOCUMENTS, Scope.EPHEMERAL]
    _, dead = store.create("loadtest", passing, keep_s=-1.0)
    _, live = store.create("loadtest", passing, keep_s=100.0)
    _, other = store.create("loadtest", passing, keep_s=100.0)
    _, kept = store.create("loadtest", [Scope.DOCUMENTS], keep_s=-1.0)
    assert [token.closes_the_door for token in (dead, live, kept)] == [False, False, True]
    store.discard(live.id)
    assert {token.id for token in store.all()} == {other.id, kept.id}
