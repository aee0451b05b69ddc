from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from mineru_core.jobs.process import close_shared_service
from mineru_core.ui import services

APP = Path(__file__).parents[2] / "app.py"
PAGE = Path(__file__).parents[2] / "pages" / "analyse.py"


@pytest.fixture
def workbench(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The core in this process with the echo engine and an empty home; nothing of it is left behind."""
    monkeypatch.setenv("MINERU_WORKBENCH_ENGINE__NAME", "echo")
    services.settings.cache_clear()
    services._asked.clear()
    st.cache_data.clear()
    yield
    close_shared_service()
    services.settings.cache_clear()
    st.cache_data.clear()


def open_app(language: str = "en-US", script: Path = APP) -> AppTest:
    """The app as a browser with this language sees it first."""
    app = AppTest.from_file(str(script), default_timeout=20)
    app.context = {"locale": language}
    return app.run()


def html_of(app: AppTest) -> str:
    """Everything shown through st.html, joined."""
    return "\n".join(str(element.proto.body) for element in app.get("html"))
