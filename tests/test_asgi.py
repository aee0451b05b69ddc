"""The application that a server runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.starlette import App

from mineru_core.cli.serve import load_application


@pytest.fixture(autouse=True)
def streamlit_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STREAMLIT_SERVER_PORT", "8501")
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)


def test_app_py_alone_says_which_pages_there_are(home: Path) -> None:
    application = load_application(Path(__file__).parents[1] / "asgi.py", 8501)
    assert isinstance(application, App)
    assert PagesManager.uses_pages_directory is False
