"""Files of the drop zone and the words that are asked of them, without a browser."""

from __future__ import annotations

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from mineru_core.jobs.uploads import KeptUpload
from mineru_core.ui import services, session
from mineru_core.ui.analyse import composer
from mineru_core.ui.components.drop_zone import Dropped
from mineru_core.ui.i18n import Translator
from mineru_core.ui.session import Key
from tests.documents import encrypted_pdf, table_pdf
from tests.ui.analyse.test_page import alerts, settle
from tests.ui.conftest import html_of, open_app

EN = Translator("en")


@pytest.fixture(autouse=True)
def upload_route(workbench: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server around the app takes files from the page."""
    monkeypatch.setattr(session, "has_upload_route", lambda: True)


def keep(app: AppTest, name: str, data: bytes, owner: str | None = None) -> KeptUpload:
    """A file that the browser has sent."""
    uploads = services.service().uploads
    with uploads.receive() as incoming:
        uploads.write(incoming, data)
        return uploads.keep(incoming, name, owner or app.session_state[Key.OWNER])


def drop(app: AppTest, *ids: str, place: str = "", arriving: bool = False) -> AppTest:
    """What the drop zone's callback leaves in the session."""
    app.session_state[Key.WAITING_AT] = place
    app.session_state[Key.WAITING] = ids
    app.session_state[Key.ARRIVING] = arriving
    return app.run()


def jobs(app: AppTest) -> list[str]:
    return [job.source for job in services.service().list(app.session_state[Key.OWNER])]


def test_a_file_that_arrived_is_read_and_the_session_keeps_its_id_alone() -> None:
    app = open_app()
    assert not app.exception
    assert not app.file_uploader
    kept = keep(app, "note.pdf", table_pdf())
    drop(app, kept.id)
    assert app.session_state[Key.WAITING] == (kept.id,)
    app.button(key="act-text").click().run()
    assert "Delivery note 2024" in html_of(settle(app))
    assert app.session_state[Key.WAITING] == ()
    assert jobs(app) == ["note.pdf"]


def test_words_with_files_are_asked_of_each_of_them() -> None:
    app = open_app()
    ids = [keep(app, name, table_pdf(title=name)).id for name in ("one.pdf", "two.pdf")]
    drop(app, *ids)
    app.chat_input(key=Key.WORDS).set_value("all text").run()
    assert len(app.session_state[Key.BATCH]) == 2
    assert sorted(jobs(app)) == ["one.pdf", "two.pdf"]


def test_somebody_elses_file_is_none() -> None:
    app = open_app()
    drop(app, keep(app, "private.pdf", table_pdf(), owner="somebody else").id)
    app.chat_input(key=Key.WORDS).set_value("all text").run()
    assert [toast.value for toast in app.toast] == [EN("words.no_document")]
    assert jobs(app) == []


def test_words_wait_for_files_on_their_way() -> None:
    app = drop(open_app(), arriving=True)
    assert EN("drop.on_the_way") in html_of(app)
    app.chat_input(key=Key.WORDS).set_value("all text").run()
    assert [toast.value for toast in app.toast] == [EN("drop.awaited")]
    assert jobs(app) == []
    drop(app, keep(app, "note.pdf", table_pdf()).id)
    assert "Delivery note 2024" in html_of(settle(app))
    assert "“all text”" in html_of(app)


def test_a_click_while_files_are_on_their_way_is_kept_as_well() -> None:
    app = drop(open_app(), arriving=True)
    app.button(key="act-everything").click().run()
    assert jobs(app) == []
    drop(app, keep(app, "note.pdf", table_pdf()).id)
    assert jobs(app) == ["note.pdf"]


def test_words_go_back_into_their_box_where_a_file_has_not_come(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, object] = {Key.LANGUAGE: "en", Key.AWAITED: "all text"}
    toasts: list[str] = []
    monkeypatch.setattr(st, "session_state", state)
    monkeypatch.setattr(st, "toast", lambda text, **_: toasts.append(text))
    for said in (Dropped(pending=True, failed=1), Dropped(ids=("1-a",), failed=1)):
        assert Key.WORDS not in state
        monkeypatch.setattr(composer, "dropped", {"zone": said}.__getitem__)
        composer._take_files("zone", "job", Key.WORDS)
    assert state[Key.WORDS] == "all text"
    assert toasts == [EN("drop.not_asked")]
    assert Key.AWAITED not in state
    assert session.waiting("job") == ("1-a",)


def test_files_stay_where_none_could_be_read() -> None:
    app = open_app()
    kept = keep(app, "locked.pdf", encrypted_pdf("secret"))
    drop(app, kept.id)
    app.button(key="act-text").click().run()
    assert EN("error.encrypted-pdf.title") in alerts(app)
    assert app.session_state[Key.WAITING] == (kept.id,)
    app.text_input(key="pdf_password").set_value("secret")
    app.button(key="act-text").click().run()
    assert "Locked away" in html_of(settle(app))


def test_a_document_dropped_under_another_is_read_next_and_words_alone_ask_of_the_one_shown() -> None:
    app = open_app()
    drop(app, keep(app, "one.pdf", table_pdf(title="First")).id)
    app.button(key="act-text").click().run()
    first = settle(app).session_state[Key.JOB]
    app.chat_input(key=Key.WORDS_AGAIN).set_value('find "Stapler"').run()
    settle(app)
    assert jobs(app) == ["one.pdf", "one.pdf"]
    shown = app.session_state[Key.JOB]
    assert shown != first
    drop(app, keep(app, "two.pdf", table_pdf(title="Second")).id, place=shown)
    app.chat_input(key=Key.WORDS_AGAIN).set_value("all text").run()
    assert "Second" in html_of(settle(app))


def test_files_dropped_at_one_document_do_not_wait_at_another() -> None:
    app = open_app()
    drop(app, keep(app, "one.pdf", table_pdf()).id, place="another job")
    assert "act-text" not in [button.key for button in app.button]
    app.button(key="try_sample").click().run()
    settle(app)
    assert "act-text" not in [button.key for button in app.button]
