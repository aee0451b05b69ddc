"""Choosing an engine, and reading a document again with another, without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from mineru_core.engines import registry
from mineru_core.engines.facts import EngineFacts, Lack
from mineru_core.errors import EngineUnavailable
from mineru_core.jobs.model import JobState
from mineru_core.ui import services
from mineru_core.ui.analyse import engines as menus
from mineru_core.ui.i18n import Translator
from mineru_core.ui.session import Key
from tests.documents import table_pdf
from tests.stand_ins import MisreadingEngine
from tests.ui.analyse.test_page import WAIT_S, alerts, settle
from tests.ui.conftest import PAGE, ask, html_of, open_app

pytestmark = pytest.mark.usefixtures("workbench")

EN, ZH = Translator("en"), Translator("zh")
WORD = "Stapler"


@pytest.fixture
def second_engine(workbench: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine beside echo that reads one word wrongly."""
    monkeypatch.setitem(registry._FACTORIES, "misreading", lambda *_: MisreadingEngine())
    monkeypatch.setenv("MINERU_WORKBENCH_ENGINE__CHOICES", '["misreading", "mineru-server"]')


def read_note(app: AppTest) -> AppTest:
    ask(app, "all text", ("note.pdf", table_pdf()))
    return settle(app)


def engine_of(app: AppTest) -> str:
    return services.service().get(app.session_state[Key.JOB], app.session_state[Key.OWNER]).engine


def compare(app: AppTest) -> AppTest:
    """Read again with the other engine, and wait until both answers stand there."""
    app.button(key="again-misreading").click().run()
    other, owner = app.session_state[Key.OTHER], app.session_state[Key.OWNER]
    assert services.service().wait(other, owner, WAIT_S).state.is_final
    return app.run()


def test_with_one_engine_there_is_nothing_to_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINERU_WORKBENCH_ENGINE__CHOICES", "[]")
    app = open_app()
    assert not app.radio
    read_note(app)
    assert not [button for button in app.button if str(button.key).startswith("again-")]


@pytest.mark.usefixtures("second_engine")
def test_the_engine_chosen_reads_new_documents_until_another_is_chosen() -> None:
    app = open_app()
    (radio,) = app.radio
    assert radio.options == ["echo", "misreading"]
    radio.set_value("misreading").run()
    assert "Stopper" in html_of(read_note(app))
    assert engine_of(app) == "misreading"
    app.button(key="new_document").click().run()
    assert app.radio[0].value == "misreading"
    app.radio[0].set_value("echo").run()
    read_note(app)
    assert engine_of(app) == "echo"


@pytest.mark.usefixtures("second_engine")
def test_a_change_of_language_keeps_the_choice() -> None:
    app = open_app()
    app.radio[0].set_value("misreading").run()
    app.segmented_control(key=Key.LANGUAGE).set_value("zh").run()
    assert not app.exception
    assert app.radio[0].value == "misreading"


@pytest.mark.usefixtures("second_engine")
@pytest.mark.parametrize(("locale", "t"), [("en-GB", EN), ("zh-CN", ZH)])
def test_what_is_missing_is_named_with_the_command_that_gets_it(locale: str, t: Translator) -> None:
    shown = html_of(open_app(locale))
    assert t("engine.mineru-server.title") in shown
    assert t("engine.lacks.address") in shown
    assert "MINERU_WORKBENCH_MINERU_SERVER__URLS" in shown


@pytest.mark.parametrize("t", [EN, ZH], ids=["en", "zh"])
def test_the_licence_is_said_where_the_model_is_chosen(t: Translator) -> None:
    known = EngineFacts("mineru", title="MinerU2.5 (2509)", licence="AGPL-3.0")
    assert "MinerU2.5 (2509)" in menus.about(known, t)
    assert "AGPL-3.0" in menus.about(known, t)
    missing = EngineFacts("mineru", Lack.MODEL, "run <this>", "MinerU2.5 (2509)", "AGPL-3.0")
    assert "AGPL-3.0" in menus.missing_html([missing], t)
    assert "run &lt;this&gt;" in menus.missing_html([missing], t)
    assert "Apache-2.0" in menus.about(EngineFacts("embedded", licence="Apache-2.0"), t)


@pytest.mark.usefixtures("second_engine")
def test_two_answers_stand_side_by_side_with_what_differs_marked() -> None:
    app = compare(read_note(open_app()))
    shown = html_of(app)
    assert not app.exception
    assert f"<mark>{WORD}</mark>" in shown
    assert "<mark>Stopper</mark>" in shown
    assert "Delivery note 2024" in shown
    app.toggle(key=Key.DIFFERENCES).set_value(True).run()
    assert "<mark>Stopper</mark>" in html_of(app)
    app.button(key="close_comparison").click().run()
    assert 'class="wb-compare"' not in html_of(app)
    assert "with" not in app.query_params


@pytest.mark.usefixtures("second_engine")
def test_a_reload_comes_back_to_the_comparison() -> None:
    app = compare(read_note(open_app()))
    again = AppTest.from_file(str(PAGE), default_timeout=20)
    again.session_state[Key.OWNER] = app.session_state[Key.OWNER]
    again.query_params["job"] = app.session_state[Key.JOB]
    again.query_params["with"] = app.session_state[Key.OTHER]
    assert "<mark>Stopper</mark>" in html_of(again.run())


@pytest.mark.usefixtures("second_engine")
def test_another_question_ends_the_comparison() -> None:
    app = compare(read_note(open_app()))
    app.chat_input(key=Key.WORDS_AGAIN).set_value('find "Stapler"').run()
    assert 'class="wb-compare"' not in html_of(settle(app))
    assert engine_of(app) == "echo"


@pytest.mark.usefixtures("second_engine")
def test_a_second_reading_that_fails_leaves_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise EngineUnavailable("It is away.")

    monkeypatch.setattr(MisreadingEngine, "load", broken)
    app = compare(read_note(open_app()))
    assert EN("error.engine-unavailable.title") in alerts(app)
    assert "Delivery note 2024" in html_of(app)
    app.button(key="dismiss_second").click().run()
    assert EN("error.engine-unavailable.title") not in alerts(app)


@pytest.mark.usefixtures("second_engine")
def test_a_second_reading_on_its_way_shows_how_far_its_engine_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    app = compare(read_note(open_app()))
    find = services.find_job
    other = app.session_state[Key.OTHER]

    def loading(job_id: str, owner: str) -> object:
        job = find(job_id, owner)
        assert job is not None
        return job.model_copy(update={"state": JobState.RUNNING, "stage": "load"}) if job_id == other else job

    monkeypatch.setattr(services, "find_job", loading)
    monkeypatch.setattr(services.service(), "load_progress", lambda job: 0.43 if job.id == other else None)
    app.run()
    assert not app.exception
    assert EN("progress.load", share="43%") in [bar.proto.text for bar in app.get("progress")]
    assert EN("progress.title_engine", name="note.pdf", engine="misreading") in html_of(app)


@pytest.mark.usefixtures("second_engine")
def test_answers_about_different_documents_are_not_compared(tmp_path: Path) -> None:
    app = read_note(open_app())
    owner = app.session_state[Key.OWNER]
    other = services.service().submit(table_pdf(title="Other"), name="other.pdf", owner=owner)
    assert services.service().wait(other.id, owner, WAIT_S).state is JobState.DONE
    app.session_state[Key.OTHER] = other.id
    assert 'class="wb-compare"' not in html_of(app.run())
