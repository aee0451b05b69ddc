"""Follows the browser's Back and Forward, which change the address without running the page; scrolls to the top."""

from __future__ import annotations

import streamlit as st

from mineru_core.ui.session import follow_address, language
from mineru_core.ui.setup import module

_mount = st.components.v2.component("mineru_workbench.address", js=module("mounting", "address"))


def watch_address(job_id: str | None) -> None:
    """Mount the listener, which shows nothing: it runs the page anew when the address has changed under it, scrolls up
    when ``job_id`` is another than before, and tells the browser the page's language."""
    _mount(
        key="address",
        data={"job": job_id or "", "language": "zh-CN" if language() == "zh" else "en"},
        on_moved_change=follow_address,
        height=0,
    )
