"""The Load test page without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mineru_core.errors import InvalidRequest, Overloaded
from mineru_core.loadtest.history import History
from mineru_core.loadtest.presets import preset
from mineru_core.settings import load_settings
from mineru_core.ui.loadtest.running import Bench, Where, bench
from tests.loadtest.runs import make_run
from tests.ui.conftest import open_app

PAGE = Path(__file__).parents[3] / "pages" / "loadtest.py"


@pytest.fixture(autouse=True)
def _fresh(workbench: None) -> Iterator[None]:
    bench.clear()
    yield
    bench().stop()
    assert bench().wait(60)
    bench.clear()


@pytest.mark.parametrize(("language", "title"), [("en-US", "Load test"), ("zh-CN", "负载测试")])
def test_the_page_in_both_languages(language: str, title: str) -> None:
    app = open_app(language, PAGE)
    assert not app.exception
    assert title in "".join(str(element.proto.body) for element in app.get("html"))
    assert [button.disabled for button in app.button] == [False, True]


def test_kept_runs_are_compared(home: Path) -> None:
    history = History(load_settings())
    for number in (1, 2):
        history.keep(make_run(number, figures={"throughput": 2.0 * number, "p95_s": 1.0}))
    app = open_app("en-US", PAGE)
    app.multiselect(key="load_a").set_value([make_run(1).id])
    app.multiselect(key="load_b").set_value([make_run(2).id]).run()
    assert not app.exception
    compared = app.dataframe[-1].value
    assert compared["Ratio"].tolist() == pytest.approx([2.0, 1.0])


def test_a_run_is_started_watched_and_stopped() -> None:
    app = open_app("en-US", PAGE)
    app.button(key="load_start").click().run()
    assert not app.exception
    assert bench().is_running
    assert [button.disabled for button in app.button] == [True, False]
    with pytest.raises(Overloaded):
        bench().start(preset("quick"), Where.OWN, "", load_settings())
    app.button(key="load_stop").click().run()
    assert not app.exception


def test_a_run_ends_among_those_that_are_kept() -> None:
    one = Bench()
    one.start(preset("quick", 1), Where.OWN, " my  run ", load_settings())
    assert one.wait(100)
    assert one.problem is None
    assert one.last_run is not None
    assert History(load_settings()).get(one.last_run).name == "my run"
    assert one.progress is not None
    with pytest.raises(InvalidRequest):
        one.start(preset("soak", 1e6), Where.OWN, "", load_settings())


def test_what_cannot_be_run_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STREAMLIT_SERVER_PORT", "9")
    one = Bench()
    one.start(preset("quick", 1), Where.THIS, "", load_settings())
    assert one.wait(60)
    assert one.problem is not None
    assert one.problem.code == "not-found"
