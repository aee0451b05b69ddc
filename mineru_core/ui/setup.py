"""What every page does first: page settings, style, brand and the language switch.

A deep link in a fresh process runs the page's file without app.py, so each page calls this itself.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import streamlit as st

from mineru_core.ui import services
from mineru_core.ui.i18n import LANGUAGE_NAMES, Translator
from mineru_core.ui.session import Key, keep_language, language, translator
from mineru_core.ui.text import css_string

ASSETS = files("mineru_core.ui") / "assets"


@cache
def asset(name: str) -> str:
    """A text file of the package's assets."""
    return (ASSETS / name).read_text(encoding="utf-8")


def module(*parts: str) -> str:
    """A component's module: it can import no other, so these scripts of the assets are joined, in their order."""
    return "".join(asset(f"{part}.js") for part in parts)


def set_up_page() -> None:
    """Page settings, style, brand and language switch; must come before anything else is shown."""
    t = translator()
    st.set_page_config(page_title=t("app.name"), page_icon=str(ASSETS / "icon.svg"), layout="wide")
    st.logo(str(ASSETS / "wordmark.svg"), icon_image=str(ASSETS / "icon.svg"), size="medium")
    st.html(f"<style>{asset('style.css')}{_uploader_strings(t)}</style>")
    st.session_state.setdefault(Key.LANGUAGE, language())
    with st.container(key="language_bar"):
        st.segmented_control(
            t("app.language"),
            options=list(LANGUAGE_NAMES),
            format_func=LANGUAGE_NAMES.__getitem__,
            required=True,
            key=Key.LANGUAGE,
            on_change=keep_language,
            label_visibility="collapsed",
        )


def _uploader_strings(t: Translator) -> str:
    """The drop zone's words as CSS variables: Streamlit's own are English only."""
    words = {
        "--wb-drop": t("upload.drop"),
        "--wb-limit": t("upload.limit", megabytes=services.max_megabytes()),
        "--wb-browse": t("upload.browse"),
    }
    return ".stApp{" + "".join(f"{name}:{css_string(text)};" for name, text in words.items()) + "}"
