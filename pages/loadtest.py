"""The Load test page."""

from __future__ import annotations

from mineru_core.ui.setup import set_up_page

set_up_page()

from mineru_core.ui.loadtest.page import render  # noqa: E402  the set-up comes first on every page

render()
