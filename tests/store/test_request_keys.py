from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mineru_core.store import request_keys as module
from mineru_core.store.database import Database
from mineru_core.store.request_keys import KnownKey, RequestKeys


@pytest.fixture
def keys(tmp_path: Path) -> Iterator[RequestKeys]:
    database = Database(tmp_path / "state.db")
    yield RequestKeys(database)
    database.close()


def test_a_key_belongs_to_its_owner(keys: RequestKeys) -> None:
    assert keys.find("a", "key") is None
    assert keys.keep("a", "key", "f", "one") == "one"
    assert keys.find("a", "key") == KnownKey("f", "one")
    assert keys.find("b", "key") is None
    assert keys.keep("b", "key", "g", "two") == "two"
    assert keys.find("a", "key") == KnownKey("f", "one")


def test_the_first_to_come_stays(keys: RequestKeys) -> None:
    keys.keep("a", "key", "f", "one")
    assert keys.keep("a", "key", "f", "two") == "one"
    assert keys.keep("a", "key", "f", "three", instead_of="one") == "three"
    assert keys.find("a", "key") == KnownKey("f", "three")


def test_a_key_is_forgotten_after_its_time(keys: RequestKeys, monkeypatch: pytest.MonkeyPatch) -> None:
    keys.keep("a", "key", "f", "one")
    later = module.time.time() + module.KEEP_S + 1.0
    monkeypatch.setattr(module.time, "time", lambda: later)
    assert keys.find("a", "key") is None
    assert keys.keep("a", "key", "g", "two") == "two"
    assert keys.find("a", "key") == KnownKey("g", "two")
