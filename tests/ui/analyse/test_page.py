"""The Analyse page from the first screen to an answer, with the echo engine and no browser."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from mineru_core.document.analysis import PageFailure
from mineru_core.document.task import Region
from mineru_core.errors import NotFound, Overloaded
from mineru_core.jobs.model import JobState
from mineru_core.jobs.service import MAX_WORDS, JobService
from mineru_core.ui import services
from mineru_core.ui.i18n import Translator
from mineru_core.ui.session import Key
from mineru_core.ui.text import label
from tests.documents import encrypted_pdf, table_pdf
from tests.ui.conftest import PAGE, ask, html_of, open_app, upload

pytestmark = pytest.mark.usefixtures("workbench")

EN, ZH = Translator("en"), Translator("zh")
WAIT_S = 20.0


def settle(app: AppTest) -> AppTest:
    """Wait until the job shown has ended, and look again."""
    job_id = app.session_state[Key.JOB]
    owner = app.session_state[Key.OWNER]
    assert services.service().wait(job_id, owner, WAIT_S).state.is_final
    return app.run()


def alerts(app: AppTest) -> str:
    return "\n".join(str(one.value) for one in [*app.error, *app.warning, *app.info])


@pytest.mark.parametrize(("locale", "t"), [("en-GB", EN), ("zh-CN", ZH)])
def test_the_first_screen_speaks_the_browsers_language(locale: str, t: Translator) -> None:
    app = open_app(locale)
    assert not app.exception
    shown = html_of(app)
    assert t("hero.title") in shown
    assert t("upload.kept", days=t("upload.days.many", count=7)) in shown
    assert t("sample.try") in [button.label for button in app.button]


def test_the_switch_changes_the_language() -> None:
    app = open_app("en-GB")
    app.segmented_control(key=Key.LANGUAGE).set_value("zh").run()
    assert ZH("hero.title") in html_of(app)


def test_a_deep_link_runs_the_page_without_the_app() -> None:
    app = open_app("en-GB", PAGE)
    assert not app.exception
    assert EN("hero.title") in html_of(app)


def test_the_sample_needs_one_click() -> None:
    app = open_app()
    app.button(key="try_sample").click().run()
    shown = html_of(settle(app))
    assert not app.exception
    assert "sample-report.png" in shown
    assert "Extract the tables" in shown
    assert [tab.label for tab in app.tabs] == ["Answer", "Tables", "Text", "JSON"]
    assert "engine: echo" in shown


def test_words_and_a_file_attached_to_them_are_asked() -> None:
    app = open_app("zh-CN")
    ask(app, "全部文字", ("note.pdf", table_pdf()))
    shown = html_of(settle(app))
    assert not app.exception
    assert "Delivery note 2024" in shown
    assert "“全部文字”" in shown


def test_a_chip_fills_the_words_and_asks_once_a_document_waits() -> None:
    app = open_app()
    app.button(key="wish-tables").click().run()
    assert app.chat_input(key=Key.WORDS).proto.value == "Extract the tables"
    assert services.service().list(app.session_state[Key.OWNER]) == []
    upload(app, ("note.pdf", table_pdf()))
    app.button(key="act-text").click().run()
    assert "Delivery note 2024" in html_of(settle(app))


def test_words_without_a_document_say_what_is_missing() -> None:
    app = open_app()
    app.chat_input(key=Key.WORDS).set_value("extract the tables").run()
    assert [toast.value for toast in app.toast] == [EN("words.no_document")]
    assert services.service().list(app.session_state[Key.OWNER]) == []


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("cut.pdf", table_pdf()[:100], "corrupt-pdf"),
        ("empty.png", b"", "empty-file"),
        ("text.png", b"only words", "unsupported-type"),
        ("locked.pdf", encrypted_pdf("secret"), "encrypted-pdf"),
    ],
)
@pytest.mark.parametrize(("locale", "t"), [("en-GB", EN), ("zh-CN", ZH)])
def test_a_file_that_cannot_be_read_says_why(name: str, data: bytes, code: str, locale: str, t: Translator) -> None:
    app = upload(open_app(locale), (name, data))
    app.button(key="act-everything").click().run()
    assert not app.exception
    assert t(f"error.{code}.title") in alerts(app)
    assert t(f"error.{code}.hint") in alerts(app)
    app.button(key="dismiss_problems").click().run()
    assert not app.error


def test_a_locked_pdf_opens_with_its_password() -> None:
    app = upload(open_app(), ("locked.pdf", encrypted_pdf("secret")))
    app.button(key="act-everything").click().run()
    assert EN("error.encrypted-pdf.wrong") not in alerts(app)
    app.text_input(key="pdf_password").set_value("guess")
    app.button(key="act-text").click().run()
    assert label(EN("error.encrypted-pdf.wrong")) in alerts(app)
    app.text_input(key="pdf_password").set_value("secret")
    app.button(key="act-text").click().run()
    assert not app.error
    assert "Locked away" in html_of(settle(app))


def test_a_bad_file_does_not_hold_up_the_good_one() -> None:
    app = upload(open_app(), ("bad.pdf", b"%PDF-1.4 nothing"), ("good.pdf", table_pdf()))
    app.button(key="act-text").click().run()
    settle(app)
    assert EN("error.corrupt-pdf.title") in alerts(app)
    assert "Delivery note 2024" in html_of(app)


def test_a_full_house_is_said_politely(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise Overloaded("No place is left.", retry_after_s=11.2)

    monkeypatch.setattr(JobService, "submit", refuse)
    app = open_app()
    app.button(key="try_sample").click().run()
    assert EN("error.overloaded.title") in alerts(app)
    assert EN("problem.retry", seconds=12) in alerts(app)
    assert Key.JOB not in app.query_params


def test_another_question_needs_no_new_upload() -> None:
    app = open_app()
    ask(app, "all text", ("note.pdf", table_pdf()))
    first = settle(app).session_state[Key.JOB]
    app.chat_input(key=Key.WORDS_AGAIN).set_value('find "Stapler"').run()
    shown = html_of(settle(app))
    assert app.session_state[Key.JOB] != first
    assert "<mark>Stapler</mark>" in shown


def test_the_next_question_is_limited_to_the_marked_regions() -> None:
    app = open_app()
    ask(app, "all text", ("note.pdf", table_pdf()))
    settle(app)
    owner = app.session_state[Key.OWNER]
    found = services.result(app.session_state[Key.JOB], owner)
    page = found.analysis.pages[0]
    boxes = [(0, 0, page.width, page.height / 5), (0, page.height / 2, page.width, page.height)]
    regions = tuple(Region.model_validate({"page": 1, "box": box}) for box in boxes)
    app.session_state[Key.REGIONS] = {found.analysis.sha256: regions}
    app.chat_input(key=Key.WORDS_AGAIN).set_value("all text").run()
    settle(app)
    assert services.result(app.session_state[Key.JOB], owner).task.regions == regions


def test_several_files_are_jobs_of_their_own_with_a_selector_and_one_archive() -> None:
    app = upload(open_app(), ("one.pdf", table_pdf(title="First")), ("two.pdf", table_pdf(title="Second")))
    app.button(key="act-text").click().run()
    one, two = app.session_state[Key.BATCH]
    services.service().wait(two, app.session_state[Key.OWNER], WAIT_S)
    settle(app)
    assert "First" in html_of(app)
    assert EN("files.download", count=2) in [button.label for button in app.get("download_button")]
    app.pills(key=f"file-{one}").set_value(two).run()
    assert app.session_state[Key.JOB] == two
    assert "Second" in html_of(app)


def test_recent_documents_open_again() -> None:
    app = open_app()
    app.button(key="try_sample").click().run()
    job_id = settle(app).session_state[Key.JOB]
    app.button(key="new_document").click().run()
    assert EN("hero.title") in html_of(app)
    app.button(key=f"open-{job_id}").click().run()
    assert "sample-report.png" in html_of(app)


def test_a_job_of_somebody_else_is_not_shown() -> None:
    job = services.service().submit(table_pdf(), name="private.pdf", owner="somebody else")
    app = AppTest.from_file(str(PAGE), default_timeout=20)
    app.context = {"locale": "en"}
    app.query_params["job"] = job.id
    app.run()
    assert EN("error.not-found.title") in alerts(app)
    assert "private.pdf" not in html_of(app) + alerts(app) + str([b.label for b in app.button])


def test_a_reload_comes_back_to_the_document_in_the_address() -> None:
    app = open_app()
    app.button(key="try_sample").click().run()
    job_id = settle(app).session_state[Key.JOB]
    again = AppTest.from_file(str(PAGE), default_timeout=20)
    again.session_state[Key.OWNER] = app.session_state[Key.OWNER]
    again.query_params["job"] = job_id
    again.run()
    assert "sample-report.png" in html_of(again)


def test_no_bytes_or_results_are_kept_in_the_session() -> None:
    app = open_app()
    ask(app, "all text", ("note.pdf", table_pdf()))
    settle(app)
    kept = [app.session_state[key] for key in Key if key in app.session_state]
    assert app.session_state[Key.BATCH]
    assert all(isinstance(value, (str, int, bool, tuple, dict, type(None))) for value in kept), kept


def test_file_names_are_never_markup() -> None:
    app = open_app()
    name = "![x](http://evil.example/a.png) :smile: <b>.pdf"
    ask(app, "all text", (name, table_pdf()))
    settle(app)
    labels = [button.label for button in app.button if str(button.key).startswith("open-")]
    assert labels
    assert "![x](" not in labels[0]
    assert "<b>" not in html_of(app)


def test_a_cancelled_job_says_so() -> None:
    app = open_app()
    app.button(key="try_sample").click().run()
    settle(app)
    job_id, owner = app.session_state[Key.JOB], app.session_state[Key.OWNER]
    job = services.service().get(job_id, owner)
    cancelled = job.model_copy(update={"state": JobState.CANCELLED})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(services, "find_job", lambda *_: cancelled)
        app.run()
    assert EN("job.cancelled") in alerts(app)


def test_a_result_that_is_gone_says_so_and_the_page_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app()
    app.button(key="try_sample").click().run()
    settle(app)

    def gone(*_: object) -> None:
        raise NotFound("The result is no longer kept.")

    monkeypatch.setattr(JobService, "result", gone)
    app.run()
    assert not app.exception
    assert EN("error.not-found.title") in alerts(app)
    assert EN("picture.missing") in html_of(app)
    app.chat_input(key=Key.WORDS_AGAIN).set_value("all text").run()
    assert not app.exception
    assert EN("error.not-found.hint") in alerts(app)


def test_a_failed_page_is_named_and_the_others_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app()
    ask(app, "all text", ("note.pdf", table_pdf()))
    settle(app)
    job_id, owner = app.session_state[Key.JOB], app.session_state[Key.OWNER]
    found = services.result(job_id, owner)
    failure = PageFailure(page=4, component="text", code="engine-failed", message="It broke.")
    broken = found.model_copy(update={"analysis": found.analysis.model_copy(update={"failures": (failure,)})})
    monkeypatch.setattr(JobService, "result", lambda *_: broken)
    app.run()
    assert EN("result.failure", page=4, title=EN("error.engine-failed.title")) in alerts(app)
    assert "Delivery note 2024" in html_of(app)


def test_a_failed_block_is_named_by_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app()
    ask(app, "all text", ("note.pdf", table_pdf()))
    settle(app)
    found = services.result(app.session_state[Key.JOB], app.session_state[Key.OWNER])
    failure = PageFailure(page=1, block=2, component="table", code="engine-failed", message="It broke.")
    broken = found.model_copy(update={"analysis": found.analysis.model_copy(update={"failures": (failure,)})})
    monkeypatch.setattr(JobService, "result", lambda *_: broken)
    app.run()
    assert EN("result.failure_block", page=1, block=3, title=EN("error.engine-failed.block")) in alerts(app)
    assert EN("error.engine-failed.title") not in alerts(app)


def test_a_chart_that_is_not_read_is_said_once_and_its_text_is_shown() -> None:
    app = open_app()
    ask(app, "chart data as CSV", ("note.pdf", table_pdf()))
    settle(app)
    assert EN("note.charts-unsupported") in alerts(app)
    assert EN("note.no-charts") not in alerts(app)
    assert "Delivery note 2024" in html_of(app)


@pytest.mark.parametrize(("locale", "wish", "other"), [("en-GB", EN, ZH), ("zh-CN", ZH, EN)])
def test_a_wish_is_offered_once_in_the_language_of_the_page(locale: str, wish: Translator, other: Translator) -> None:
    app = open_app(locale)
    before = [button.label for button in app.button]
    after = [button.label for button in upload(app, ("note.pdf", table_pdf())).button]
    for labels in (before, after):
        assert labels.count(wish("wishes.tables")) == 1
        assert other("wishes.tables") not in labels


def test_the_address_may_name_the_language() -> None:
    app = AppTest.from_file(str(PAGE), default_timeout=20)
    app.context = {"locale": "en"}
    app.query_params["lang"] = "zh"
    assert ZH("hero.title") in html_of(app.run())


def test_the_language_chosen_is_in_the_address() -> None:
    app = open_app("en-GB")
    app.segmented_control(key=Key.LANGUAGE).set_value("zh").run()
    assert app.query_params["lang"] in ("zh", ["zh"])


def test_words_without_end_are_stopped_where_they_are_typed() -> None:
    app = open_app()
    assert app.chat_input(key=Key.WORDS).proto.max_chars == MAX_WORDS
    app.button(key="try_sample").click().run()
    assert app.chat_input(key=Key.WORDS_AGAIN).proto.max_chars == MAX_WORDS
