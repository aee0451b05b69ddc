"""The first screen: headline, drop zone, example wishes, the words box and the sample."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mineru_core.jobs.model import Job
from mineru_core.jobs.service import MAX_WORDS
from mineru_core.ui import services, session
from mineru_core.ui.analyse.engines import choose_engine
from mineru_core.ui.analyse.problems import show_problems
from mineru_core.ui.i18n import Translator
from mineru_core.ui.sample import WISHES, sample
from mineru_core.ui.services import Upload
from mineru_core.ui.session import Key
from mineru_core.ui.text import counted, html, kept_days

FILE_TYPES = [
    *("pdf", "pptx", "docx", "xlsx", "ppsx", "potx", "pptm", "docm", "xlsm"),
    *("png", "jpg", "jpeg", "webp", "tif", "tiff", "bmp", "gif", "heic", "heif", "avif", "jp2"),
]
WISH_KEYS = ("tables", "text", "fields", "find")


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
    round_ = session.upload_round()
    megabytes = services.max_megabytes()
    uploaded = st.file_uploader(
        t("upload.label"),
        type=FILE_TYPES,
        accept_multiple_files=True,
        key=f"upload-{round_}",
        max_upload_size=megabytes,
        label_visibility="collapsed",
    )
    waiting = [Upload(file.name, file.getvalue()) for file in uploaded]
    password = _password(t)
    wish: str | None = None
    if waiting:
        wish = _actions(len(waiting), t)
    else:
        _examples(t)
    said = st.chat_input(
        t("words.placeholder"),
        key=Key.WORDS,
        max_chars=MAX_WORDS,
        accept_file="multiple",
        file_type=FILE_TYPES,
        max_upload_size=megabytes,
    )
    choose_engine(t)
    if said:
        attached = [Upload(file.name, file.getvalue()) for file in said.files]
        hand_in([*waiting, *attached], said.text or "", owner, password)
    elif wish is not None:
        hand_in(waiting, wish, owner, password)


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
    st.html(f'<span class="wb-quiet">{html(counted(t, "upload.ready", count))}</span>')
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


def hand_in(uploads: Sequence[Upload], words: str, owner: str, password: str | None = None) -> None:
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
