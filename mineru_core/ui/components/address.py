"""Follows the browser's Back and Forward, which change the address without running the page."""

from __future__ import annotations

import streamlit as st

from mineru_core.ui.session import follow_address
from mineru_core.ui.setup import asset

_mount = st.components.v2.component("mineru_workbench.address", js=asset("address.js"))


def watch_address() -> None:
    """Mount the listener: it shows nothing, and runs the page anew when the address has changed under it."""
    _mount(key="address", on_moved_change=follow_address, height=0)
