"""Handing in and asking: the first screen, and the words box under a document, each with its drop zone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from mineru_core.jobs.model import Job
from mineru_core.jobs.service import MAX_WORDS
from mineru_core.jobs.uploads import KeptUpload
from mineru_core.ui import services, session
from mineru_core.ui.analyse.engines import choose_engine
from mineru_core.ui.analyse.problems import show_problems
from mineru_core.ui.components.drop_zone import DropZone, drop_errors, drop_words, dropped, file_kinds, show_drop_zone
from mineru_core.ui.i18n import Translator
from mineru_core.ui.sample import WISHES, sample
from mineru_core.ui.services import Handed, Upload
from mineru_core.ui.session import Key
from mineru_core.ui.text import counted, html, kept_days

FILE_TYPES = [
    *("pdf", "pptx", "docx", "xlsx", "ppsx", "potx", "pptm", "docm", "xlsm"),
    *("png", "jpg", "jpeg", "webp", "tif", "tiff", "bmp", "gif", "heic", "heif", "avif", "jp2"),
]
FIRST_SCREEN = ""
"""Where files are dropped as long as no document is shown; else it is the id of the job shown."""

WISH_KEYS = ("tables", "charts", "text", "fields", "find")


def first_screen(owner: str, t: Translator) -> None:
    """Everything before there is a document."""
    with st.container(key="first_screen"):
        st.html(f'<div class="wb-hero"><h1>{html(t("hero.title"))}</h1><p>{html(t("hero.line"))}</p></div>')
        with st.container():
            show_problems(session.problems(), t)
        with st.container(key="composer", border=True):
            _composer(owner, t)
        with st.container(
            key="sample_row", horizontal=True, horizontal_alignment="center", vertical_alignment="center"
        ):
            st.html(f'<span class="wb-quiet">{html(t("sample.hint"))}</span>', width="content")
            if st.button(t("sample.try"), key="try_sample", icon=":material/play_circle:"):
                hand_in([sample()], WISHES[t.language], owner)
        days = kept_days(t, services.settings().store.retention_days)
        st.html(f'<p class="wb-quiet wb-kept">{html(t("upload.kept", days=days))}</p>')


def _composer(owner: str, t: Translator) -> None:
    place = FIRST_SCREEN
    if session.has_upload_route():
        waiting: Sequence[Handed] = _drop_zone(place, Key.WORDS, owner, t)
    else:
        waiting = _plain_uploader(t)
    password = _password(t)
    wish: str | None = None
    if waiting or session.arriving(place):
        wish = _actions(len(waiting), t)
    else:
        _examples(t)
    said = st.chat_input(t("words.placeholder"), key=Key.WORDS, max_chars=MAX_WORDS)
    choose_engine(t)
    _ask(place, waiting, said or wish, password, owner, t)


def ask_bar(job: Job, owner: str, t: Translator) -> None:
    """Further words about this document, or another document."""
    # Held at the bottom by the style sheet: Streamlit's own pinned box scrolls the page to its end at every answer.
    with st.container(key="ask_bar"):
        waiting: Sequence[Handed] = ()
        if session.has_upload_route():
            waiting = _drop_zone(job.id, Key.WORDS_AGAIN, owner, t)
        password, wish = None, None
        with st.container():
            if waiting or session.arriving(job.id):
                password, wish = _password(t), _actions(len(waiting), t)
        said = st.chat_input(t("words.placeholder_again"), key=Key.WORDS_AGAIN, max_chars=MAX_WORDS)
    if said and not waiting and not session.arriving(job.id):
        ask_again(job, said, owner)
        st.rerun()
    _ask(job.id, waiting, said or wish, password, owner, t)


def _ask(
    place: str, waiting: Sequence[Handed], words: str | None, password: str | None, owner: str, t: Translator
) -> None:
    """Ask the words of the files that wait, once none is on its way any more; None: what was to be asked then."""
    if session.arriving(place):
        if words is not None:
            session.await_files(words)
            st.toast(t("drop.awaited"), icon=":material/upload_file:")
        return
    words = session.take_awaited() if words is None else words
    if words is not None:
        hand_in(waiting, words, owner, password)


def _drop_zone(place: str, words_key: Key, owner: str, t: Translator) -> Sequence[KeptUpload]:
    """The drop zone, and the files in it that have arrived; a row beside the words where a document is shown."""
    compact = place != FIRST_SCREEN
    key = f"drop-{session.upload_round()}-{place}"
    waiting = services.waiting_files(session.waiting(place), owner)
    zone = DropZone(
        words=drop_words(t, services.max_megabytes(), compact=compact),
        errors=drop_errors(t),
        kinds=file_kinds(t),
        language=t.language,
        accept=",".join(f".{ending}" for ending in FILE_TYPES),
        max_bytes=services.settings().limits.max_file_bytes,
        files=waiting,
        arriving=session.arriving(place),
        compact=compact,
    )
    show_drop_zone(zone, key=key, on_files=partial(_take_files, key, place, words_key))
    return waiting


def _take_files(key: str, place: str, words_key: Key) -> None:
    """Keep what the drop zone says of its files. Words that were to be asked of them go back into their box where a
    file has not come through."""
    found = dropped(key)
    session.set_waiting(place, found.ids, arriving=found.pending)
    if found.failed and not found.pending and (words := session.take_awaited()) is not None:
        st.session_state[words_key] = words
        st.toast(session.translator()("drop.not_asked"), icon=":material/error:")


def _plain_uploader(t: Translator) -> Sequence[Upload]:
    """Streamlit's own uploader, where the server around the app takes no files from the page."""
    uploaded = st.file_uploader(
        t("upload.label"),
        type=FILE_TYPES,
        accept_multiple_files=True,
        key=f"upload-{session.upload_round()}",
        max_upload_size=services.max_megabytes(),
        label_visibility="collapsed",
    )
    return [Upload(file.name, file.getvalue()) for file in uploaded]


def _password(t: Translator) -> str | None:
    """A field for the password, only after a PDF has asked for one."""
    with st.container():
        if not any(problem.code == "encrypted-pdf" for problem in session.problems()):
            return None
        return st.text_input(t("upload.password"), type="password", key="pdf_password") or None


def _examples(t: Translator) -> None:
    """Chips that fill the words box."""
    with st.container(key="wishes", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(f'<span class="wb-quiet">{html(t("wishes.label"))}</span>', width="content")
        for name in WISH_KEYS:
            wish = t(f"wishes.{name}")
            st.button(wish, key=f"wish-{name}", on_click=_fill_words, args=(wish,))


def _actions(count: int, t: Translator) -> str | None:
    """The same wishes once documents wait: a click asks at once. The words clicked, "" for everything, None for no
    click."""
    ready = counted(t, "upload.ready", count) if count else t("drop.on_the_way")
    st.html(f'<span class="wb-quiet">{html(ready)}</span>')
    clicked: str | None = None
    with st.container(key="actions", horizontal=True, gap="small"):
        if st.button(t("wishes.everything"), key="act-everything", type="primary"):
            clicked = ""
        for name in WISH_KEYS:
            wish = t(f"wishes.{name}")
            if st.button(wish, key=f"act-{name}"):
                clicked = wish
    return clicked


def _fill_words(wish: str) -> None:
    st.session_state[Key.WORDS] = wish


def hand_in(uploads: Sequence[Handed], words: str, owner: str, password: str | None = None) -> None:
    """Submit the files, show the first one that was taken, and run the page anew."""
    if not uploads:
        st.toast(session.translator()("words.no_document"), icon=":material/upload_file:")
        return
    done = services.submit(uploads, words, owner, password=password, engine=session.engine())
    session.set_problems(done.problems)
    if done.jobs:
        session.next_round()
        session.open_job(done.jobs[0], batch=done.jobs)
    st.rerun()


def ask_again(job: Job, words: str, owner: str) -> None:
    """Ask something else about the job's document, and show that from the next run on."""
    done = services.ask_again(job, words, owner, session.regions_of)
    session.set_problems(done.problems)
    if done.jobs:
        session.open_job(done.jobs[0], batch=session.replace_in_batch(job.id, done.jobs[0]))
