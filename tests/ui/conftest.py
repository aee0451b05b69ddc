from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from mineru_core.jobs.process import close_shared_service
from mineru_core.ui import services
from mineru_core.ui.session import Key

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


def upload(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Put files (name, bytes) into the first screen's uploader, as where no server takes them from the page."""
    app.file_uploader[0].set_value([(name, data, "application/octet-stream") for name, data in files])
    return app.run()


def ask(app: AppTest, words: str, *files: tuple[str, bytes]) -> AppTest:
    """Upload files and write what is wanted of them."""
    return upload(app, *files).chat_input(key=Key.WORDS).set_value(words).run()
