"""The Analyse page from top to bottom: the first screen, or a document with its answer."""

from __future__ import annotations

import streamlit as st

from mineru_core.errors import WorkbenchError
from mineru_core.jobs.model import Job, JobState
from mineru_core.ui import services, session
from mineru_core.ui.analyse.comparison import show_comparison
from mineru_core.ui.analyse.composer import ask_bar, first_screen
from mineru_core.ui.analyse.engines import engine_title
from mineru_core.ui.analyse.files import show_files
from mineru_core.ui.analyse.history import show_history
from mineru_core.ui.analyse.picture import picture_pane
from mineru_core.ui.analyse.problems import show_problem, show_problems
from mineru_core.ui.analyse.progress import show_progress
from mineru_core.ui.analyse.result import show_result
from mineru_core.ui.components.address import watch_address
from mineru_core.ui.components.connection import watch_connection
from mineru_core.ui.i18n import Translator
from mineru_core.ui.loadtest.banner import show_banner
from mineru_core.ui.services import Problem
from mineru_core.ui.text import kept_days


def render() -> None:
    """Draw the page for this session."""
    t, owner = session.translator(), session.owner()
    services.attend(owner)
    job = _current_job(owner)
    other = None if job is None else _other_job(job, owner)
    show_banner(t)
    show_history(job, owner, t)  # after both were looked up: it must not say of one that it runs when it has ended
    # A place of its own for each screen, and the other one emptied first: it would stand there until the run has ended.
    if job is None:
        first = st.container(key="screen_first")
        st.empty()
        with first:
            first_screen(owner, t)
    else:
        st.empty()
        with st.container(key="screen_document"):
            _document_screen(job, other, owner, t)
    watch_address(None if job is None else job.id)
    watch_connection(t)


def _current_job(owner: str) -> Job | None:
    job_id = session.current_job()
    if job_id is None:
        return None
    job = services.find_job(job_id, owner)
    if job is None:
        session.set_problems([Problem("", "not-found", "", "")])
        session.open_job(None)
    return job


def _document_screen(job: Job, other: Job | None, owner: str, t: Translator) -> None:
    with st.container():
        show_problems(session.problems(), t)
    with st.container():
        show_files(job, owner, t)
    if other is not None and other.state is JobState.DONE:
        try:
            show_comparison(job, other, owner, t)
        except WorkbenchError as error:
            show_problem(Problem.of(job.source, error), t)
    else:
        _one_answer(job, other, owner, t)
    ask_bar(job, owner, t)


def _one_answer(job: Job, other: Job | None, owner: str, t: Translator) -> None:
    """The page beside the answer; above it how far the second reading is, which will stand beside the first."""
    left, right = st.columns([5, 6], gap="large")
    with left:
        picture_pane(job.id, owner)
    with right, st.container(key="answer_pane", gap="xsmall"):
        try:
            with st.container():
                if other is not None:
                    _second_reading(other, owner, t)
            _answer_pane(job, owner, t)
        except WorkbenchError as error:  # such as a result whose time ran out just now
            show_problem(Problem.of(job.source, error), t)


def _other_job(job: Job, owner: str) -> Job | None:
    """The job to compare with; one that is gone, or of another document than this, is forgotten."""
    other_id = session.other_job()
    if other_id is None:
        return None
    other = services.find_job(other_id, owner)
    if other is None or other.id == job.id or other.source != job.source or job.state is not JobState.DONE:
        session.compare_with(None)
        return None
    return other


def _second_reading(other: Job, owner: str, t: Translator) -> None:
    if not other.state.is_final:
        with st.container(key="second_reading", border=True):
            show_progress(other.id, owner, engine_title(other.engine, t))
        return
    if other.error is not None:
        show_problem(Problem.of(engine_title(other.engine, t), other.error), t)
    else:
        st.info(f"**{t('job.cancelled')}**", icon=":material/cancel:")
    st.button(t("problem.dismiss"), key="dismiss_second", type="tertiary", on_click=session.compare_with, args=(None,))


def _answer_pane(job: Job, owner: str, t: Translator) -> None:
    match job.state:
        case JobState.PENDING | JobState.RUNNING:
            show_progress(job.id, owner)
        case JobState.DONE:
            show_result(job, owner, t)
        case JobState.FAILED:
            show_problem(Problem.of(job.source, job.error) if job.error else Problem(job.source, "", "", ""), t)
        case JobState.CANCELLED:
            st.info(f"**{t('job.cancelled')}**  \n{t('job.cancelled_hint')}", icon=":material/cancel:")
        case JobState.EXPIRED:
            days = kept_days(t, services.settings().store.retention_days)
            st.info(f"**{t('job.expired')}**  \n{t('job.expired_hint', days=days)}", icon=":material/history:")
