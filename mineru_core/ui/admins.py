"""Who may do what an operator does from the browser: load tests, and what they propose for the settings.

The same rule as for the HTTP API: as long as there are no tokens, whoever sits at the machine; once there are, whoever
has one with the scope admin.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import streamlit as st
from starlette.types import Scope

from mineru_core.api.access import is_local
from mineru_core.store.database import Database
from mineru_core.store.tokens import Scope as TokenScope
from mineru_core.store.tokens import Token, TokenStore, recognise
from mineru_core.ui import services
from mineru_core.ui.i18n import Translator
from mineru_core.ui.session import Key

COMMAND = "mineru-workbench token create NAME --scope admin"


def is_admin() -> bool:
    """Whether this session may."""
    tokens = _tokens()
    if any(token.closes_the_door for token in tokens.values()):
        return _opens(tokens.get(str(st.session_state.get(Key.ADMIN))))
    return is_local(connection(), services.settings().server.trusted_proxies)


def sign_in(t: Translator) -> None:
    """Ask for a token where one opens this, else say from where it is open."""
    tokens = _tokens()
    if not any(token.closes_the_door for token in tokens.values()):
        st.info(t("admin.only_here", command=COMMAND), icon=":material/lock:")
        return
    with st.form("admin_form", width=480):
        given = st.text_input(t("admin.token"), type="password", key="admin_token")
        st.caption(t("admin.make_one", command=COMMAND))
        if st.form_submit_button(t("admin.open"), type="primary"):
            found = recognise(given.strip(), tokens)
            if found is not None and _opens(found):
                st.session_state[Key.ADMIN] = found.id
                st.rerun()
            st.error(t("admin.wrong"), icon=":material/lock:")


def connection() -> Scope:
    """This session's web socket, as the HTTP API sees a request."""
    headers = st.context.headers
    raw = [(name.lower().encode(), value.encode("latin-1", "replace")) for name in headers for value in _all(name)]
    # Streamlit tells no address for the machine's own ones.
    return {"type": "websocket", "client": (st.context.ip_address or "127.0.0.1", 0), "headers": raw}


def _all(name: str) -> list[str]:
    return st.context.headers.get_all(name)


def _opens(token: Token | None) -> bool:
    return token is not None and token.is_live(time.time()) and TokenScope.ADMIN in token.scopes


def _tokens() -> Mapping[str, Token]:
    return {token.id: token for token in _store(services.settings().database_path).all()}


@st.cache_resource(show_spinner=False)
def _store(path: Path) -> TokenStore:
    return TokenStore(Database(path))
