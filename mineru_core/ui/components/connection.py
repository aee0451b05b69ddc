"""Says in the page, in the reader's language, that the server cannot be reached, for as long as that is so. Streamlit's
own dialog for it is switched off (``NoErrorDialogs`` of ``api/middleware.py``)."""

from __future__ import annotations

import streamlit as st

from mineru_core.ui.i18n import Translator
from mineru_core.ui.setup import module

_mount = st.components.v2.component("mineru_workbench.connection", js=module("elements", "mounting", "connection"))


def watch_connection(t: Translator) -> None:
    """Mount the listener, which shows nothing while the server answers."""
    _mount(key="connection", data={"words": t("app.offline")}, height=0)
