"""The page view as the app mounts it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from mineru_core.document.geometry import Box
from mineru_core.document.task import Region
from mineru_core.ui import services
from mineru_core.ui.analyse.picture import page_key
from mineru_core.ui.session import Key
from tests.documents import draw_lines, scanned_pdf
from tests.ui.analyse.test_page import settle
from tests.ui.conftest import ask, open_app

pytestmark = pytest.mark.usefixtures("workbench")


def told(app: AppTest) -> dict[str, Any]:
    """What the page view was told last."""
    for element in app.get("bidi_component"):
        if element.proto.component_name.endswith("page_view"):
            data: dict[str, Any] = json.loads(element.proto.json)
            return data
    raise AssertionError("there is no page view")


@pytest.fixture
def two_pages() -> AppTest:
    app = open_app()
    ask(app, "all text", ("two.pdf", scanned_pdf([draw_lines([f"page {n}"], width=700) for n in (1, 2)])))
    return settle(app)


def test_it_is_told_names_and_strings_and_where_there_is_no_route_the_page(two_pages: AppTest) -> None:
    data = told(two_pages)
    job = two_pages.session_state[Key.JOB]
    assert (data["job"], data["page"], data["pages"], data["version"]) == (job, 1, 2, 0)
    assert data["done"]
    assert data["inline"]["src"].startswith("data:image/jpeg;base64,")
    assert data["inline"]["boxes"]["width"] == data["width"]


def test_it_follows_the_page_and_the_regions_of_the_session(two_pages: AppTest) -> None:
    job = two_pages.session_state[Key.JOB]
    found = services.result(job, two_pages.session_state[Key.OWNER])
    two_pages.session_state[page_key(job)] = 2
    region = Region(page=2, box=Box(1, 2, 30, 40))
    two_pages.session_state[Key.REGIONS] = {found.analysis.sha256: (region,)}
    data = told(two_pages.run())
    assert data["page"] == 2
    assert data["regions"] == [[2, 1, 2, 30, 40]]


def test_a_call_for_the_region_tool_is_told_once(two_pages: AppTest) -> None:
    two_pages.session_state[Key.DRAWING] = True
    assert told(two_pages.run())["draw"] == 1
    assert told(two_pages.run())["draw"] == 0


def test_the_canvas_for_marking_free_hand_stands_in_its_place(two_pages: AppTest) -> None:
    job = two_pages.session_state[Key.JOB]
    two_pages.toggle(key=f"freehand-{job}").set_value(True).run()
    names = [element.proto.component_name for element in two_pages.get("bidi_component")]
    assert not any(name.endswith("page_view") for name in names)
    assert not two_pages.exception
