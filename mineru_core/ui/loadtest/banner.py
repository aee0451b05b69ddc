"""What other people's pages say while a load test runs."""

from __future__ import annotations

import streamlit as st

from mineru_core.loadtest.turn import is_under_way
from mineru_core.ui import services
from mineru_core.ui.i18n import Translator

_LOOK_S = 3.0


def show_banner(t: Translator) -> None:
    """A note for as long as a load test runs. It has a place of its own whether or not one does, so that nothing below
    is drawn anew when one ends; a page that nobody touches learns of one at its next turn."""
    with st.container(key="load_banner"):
        if is_under_way(services.settings()):
            st.fragment(_note, run_every=_LOOK_S)(t)


def _note(t: Translator) -> None:
    if is_under_way(services.settings()):
        st.info(t("load.banner"), icon=":material/speed:")
