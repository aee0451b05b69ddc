"""Who may run load tests from the browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from starlette.types import Scope
from streamlit.testing.v1 import AppTest

from mineru_core.settings import load_settings
from mineru_core.store.database import Database
from mineru_core.store.tokens import Scope as TokenScope
from mineru_core.store.tokens import TokenStore
from mineru_core.ui import admins
from mineru_core.ui.session import Key
from tests.ui.conftest import open_app

PAGE = Path(__file__).parents[2] / "pages" / "loadtest.py"


@pytest.fixture
def store(workbench: None) -> Iterator[TokenStore]:
    database = Database(load_settings().database_path)
    yield TokenStore(database)
    database.close()
    st.cache_resource.clear()


def comes_from(client: str, host: str) -> Scope:
    headers = [(b"host", host.encode()), (b"origin", f"http://{host}".encode())]
    return {"type": "websocket", "client": (client, 0), "headers": headers}


def is_open(app: AppTest) -> bool:
    assert not app.exception
    return any(button.key == "load_start" for button in app.button)


def give(app: AppTest, token: str) -> AppTest:
    app.text_input(key="admin_token").set_value(token)
    return next(button for button in app.button if button.label == "Open").click().run()


@pytest.mark.parametrize(
    ("client", "host", "let_in"),
    [("127.0.0.1", "localhost:8501", True), ("10.0.0.7", "box:8501", False), ("127.0.0.1", "example.com", False)],
)
def test_without_tokens_it_is_open_on_the_machine_itself(
    store: TokenStore, monkeypatch: pytest.MonkeyPatch, client: str, host: str, let_in: bool
) -> None:
    monkeypatch.setattr(admins, "connection", lambda: comes_from(client, host))
    store.create("loadtest", [TokenScope.DOCUMENTS, TokenScope.EPHEMERAL])  # one that closes nothing
    app = open_app("en-US", PAGE)
    assert is_open(app) is let_in
    assert any("--scope admin" in str(note.value) for note in app.info) is not let_in


def test_once_there_are_tokens_only_one_of_the_scope_opens_it(
    store: TokenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admins, "connection", lambda: comes_from("127.0.0.1", "localhost:8501"))
    wrong, _ = store.create("reader", [TokenScope.DOCUMENTS])
    late, _ = store.create("late", [TokenScope.ADMIN], keep_s=-1.0)
    right, kept = store.create("boss", [TokenScope.ADMIN])
    app = open_app("en-US", PAGE)
    assert not is_open(app)
    for token in (wrong, late, "", right[:-1]):
        give(app, token)
        assert not is_open(app)
        assert len(app.error) == 1
    assert is_open(give(app, f" {right} "))
    assert app.session_state[Key.ADMIN] == kept.id  # and not the token itself
    assert "admin_token" not in app.session_state
    store.revoke(kept.id)
    assert not is_open(app.run())
