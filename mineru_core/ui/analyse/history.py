"""The sidebar: a new document, and the recent ones of this owner."""

from __future__ import annotations

import streamlit as st

from mineru_core.jobs.model import Job, JobState
from mineru_core.ui import services, session
from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import html, label

HISTORY_LENGTH = 30

_ICONS = {
    JobState.PENDING: ":material/schedule:",
    JobState.RUNNING: ":material/progress_activity:",
    JobState.FAILED: ":material/error:",
    JobState.CANCELLED: ":material/cancel:",
    JobState.EXPIRED: ":material/history:",
}


def show_history(current: Job | None, owner: str, t: Translator) -> None:
    """Recent documents, newest first; a click opens one again."""
    # Not by callbacks: a page that was open while the server started anew loses the callback of its first click.
    with st.sidebar:
        if st.button(
            t("history.new"),
            key="new_document",
            icon=":material/add:",
            type="primary" if current else "secondary",
            width="stretch",
        ):
            _go_to(None)
        st.html(f'<div class="wb-title">{html(t("history.title"))}</div>')
        jobs = services.service().list(owner, limit=HISTORY_LENGTH)
        if not jobs:
            st.html(f'<p class="wb-quiet">{html(t("history.empty"))}</p>')
        with st.container(key="history", gap=None):
            for job in jobs:
                _entry(job, job.id == (current.id if current else None), t)
        # An address, not a page of this session's: the way back must lead to the document that is open here.
        address = html(f"loadtest{session.language_address()}")
        st.html(f"<a class='wb-nav wb-nav-end' href='{address}' target='_self'>{html(t('load.title'))}</a>")


def _entry(job: Job, is_current: bool, t: Translator) -> None:
    name = label(job.source, 26)
    wish = label(job.words or t("history.everything"), 28)
    if st.button(
        f"**{name}** :small[{wish}]" if is_current else f"{name} :small[:gray[{wish}]]",
        key=f"open-{job.id}",
        icon=_ICONS.get(job.state, ":material/description:"),
        help=" · ".join(
            filter(
                None,
                [t(f"state.{job.state.value}"), label(job.engine), f"{job.created_at.astimezone():%Y-%m-%d %H:%M}"],
            )
        ),
        width="stretch",
    ):
        _go_to(job.id)


def _go_to(job_id: str | None) -> None:
    session.set_problems(())
    session.open_job(job_id, batch=() if job_id is None else (job_id,))
    st.rerun()
