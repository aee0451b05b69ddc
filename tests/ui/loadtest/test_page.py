"""The Load test page without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from mineru_core.errors import InvalidRequest, Overloaded
from mineru_core.loadtest.history import History
from mineru_core.loadtest.observing import ServerFigures
from mineru_core.loadtest.presets import preset
from mineru_core.loadtest.switches import SWITCHES
from mineru_core.loadtest.turn import one_at_a_time
from mineru_core.settings import load_settings
from mineru_core.ui import admins
from mineru_core.ui.loadtest import results
from mineru_core.ui.loadtest.running import Bench, Where, bench
from tests.loadtest.runs import make_run
from tests.ui.conftest import APP, html_of, open_app

PAGE = Path(__file__).parents[3] / "pages" / "loadtest.py"


@pytest.fixture(autouse=True)
def _fresh(workbench: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(admins, "is_admin", lambda: True)  # tested by itself
    bench.clear()
    yield
    bench().stop()
    assert bench().wait(60)
    bench.clear()
    results._history.clear()


def keep(*numbers: int, **more: object) -> None:
    for number in numbers:
        History(load_settings()).keep(make_run(number, **more))


def words_of(app: AppTest) -> str:
    return html_of(app) + "\n".join(str(one.value) for one in (*app.info, *app.markdown, *app.success, *app.warning))


@pytest.mark.parametrize(("language", "title"), [("en-US", "Load test"), ("zh-CN", "负载测试")])
def test_the_page_in_both_languages(language: str, title: str) -> None:
    app = open_app(language, PAGE)
    assert not app.exception
    assert title in html_of(app)
    assert [button.disabled for button in app.button] == [False, True]


def test_kept_runs_are_compared(home: Path) -> None:
    for number in (1, 2):
        keep(number, figures={"throughput": 2.0 * number, "p95_s": 1.0})
    app = open_app("en-US", PAGE)
    app.multiselect(key="load_a").set_value([make_run(1).id])
    app.multiselect(key="load_b").set_value([make_run(2).id]).run()
    assert not app.exception
    row = "<td>Answers / s</td><td class='num'>2</td><td class='num'>4</td><td class='num'>2.00</td>"
    assert row in html_of(app)
    History(load_settings()).delete(make_run(2).id)  # elsewhere
    assert not app.run().exception
    assert app.multiselect(key="load_b").value == []


def test_the_newest_run_is_shown_until_another_is_chosen(home: Path) -> None:
    keep(1, 2, by_code={"ok": 3})
    keep(3, by_code={"wrong-answer": 7})
    app = open_app("en-US", PAGE)
    assert "a wrong answer" in html_of(app)
    app.selectbox(key="load_shown").set_value(make_run(1).id).run()
    assert "a wrong answer" not in html_of(app)


def test_a_run_is_renamed(home: Path) -> None:
    keep(1)
    app = open_app("en-US", PAGE)
    app.text_input(key=f"load_new_name_{make_run(1).id}_run 1").set_value("  before\tlunch ")
    next(button for button in app.button if button.label == "Save").click().run()
    assert not app.exception
    assert History(load_settings()).get(make_run(1).id).name == "before lunch"
    assert app.selectbox(key="load_shown").format_func(make_run(1).id).startswith("before lunch ·")


def test_what_is_proposed_is_written_at_the_second_press_only(home: Path) -> None:
    (home / "config.toml").write_text("# ours\n[server]\nport = 9000\n", "utf-8")
    keep(1, server=ServerFigures(stage_seconds={"text": 8.0}, cpu_mean=0.5))
    app = open_app("en-US", PAGE)
    assert "engine.pages_in_flight" in html_of(app)
    assert "pages_in_flight" not in (home / "config.toml").read_text("utf-8")
    app.button(key="load_write").click().run()
    assert not app.exception
    written = (home / "config.toml").read_text("utf-8")
    assert written.startswith("# ours\n[server]\nport = 9000\n")
    assert "pages_in_flight = " in written
    assert "Start the server again" in words_of(app)


@pytest.mark.parametrize("more", [{"target": "http://192.0.2.1"}, {"changes": {"CACHE__ENABLED": "false"}}])
def test_nothing_is_proposed_from_another_server(home: Path, more: dict[str, object]) -> None:
    keep(1, server=ServerFigures(stage_seconds={"text": 8.0}, cpu_mean=0.5), **more)
    assert "engine.pages_in_flight" not in html_of(open_app("en-US", PAGE))


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


@pytest.mark.long
def test_a_before_and_after_is_run_by_one_press() -> None:
    app = open_app("en-US", PAGE)
    app.segmented_control(key="load_kind").set_value("switch").run()
    app.selectbox(key="load_switch").set_value("cache")
    app.number_input(key="load_side_seconds").set_value(1)
    app.text_input(key="load_name").set_value("try")
    app.button(key="load_start").click().run()
    assert not app.exception
    assert bench().wait(100)
    assert bench().problem is None
    app.run()
    assert not app.exception
    assert app.subheader[0].value == "Before and after: The cache"
    assert "Answers / s" in html_of(app)
    assert {run.name for run in History(load_settings()).summaries()} == {"try: off", "try: on"}


def test_a_before_and_after_that_is_stopped_keeps_no_half() -> None:
    one = Bench()
    one.start_switched(SWITCHES["cache"], 60, 1, "", load_settings())
    one.stop()
    assert one.wait(30)
    assert (one.problem, one.was_cancelled, one.ended.runs) == (None, True, ())
    assert History(load_settings()).summaries() == []
    with pytest.raises(InvalidRequest):
        one.start_switched(SWITCHES["cache"], 1e6, 1, "", load_settings())


def test_a_run_ends_among_those_that_are_kept() -> None:
    one = Bench()
    one.start(preset("quick", 1), Where.OWN, " my  run ", load_settings())
    assert one.wait(100)
    assert one.problem is None
    (run_id,) = one.ended.runs
    assert History(load_settings()).get(run_id).name == "my run"
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


def test_others_are_told_of_one_that_runs(home: Path) -> None:
    with one_at_a_time(load_settings()):
        assert any("load test is running" in str(note.value) for note in open_app("en-US", APP).info)
        page = open_app("en-US", PAGE)
        assert any("command line" in str(note.value) for note in page.info)
        page.button(key="load_start").click().run()
        assert bench().wait(60)
        assert any("already" in str(error.value) for error in page.run().error)
    assert not open_app("en-US", APP).info


def test_the_first_page_leads_here_and_back() -> None:
    assert "href='loadtest'" in html_of(open_app("en-US", APP))
    assert "href='./'" in html_of(open_app("en-US", PAGE))
