"""Several files handed in together: which of them is shown, how far the others are, all answers in one archive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from mineru_core.jobs.model import Job, JobState
from mineru_core.ui import services, session
from mineru_core.ui.analyse.progress import fraction, stage_text
from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import counted, html, label, shortened

POLL_S = 1.5

LISTED = 4
"""Files on their way that are told one by one; the others are counted."""

NAME_CHARS = 36

_ICONS = {
    JobState.PENDING: ":material/schedule:",
    JobState.RUNNING: ":material/progress_activity:",
    JobState.DONE: ":material/check_circle:",
    JobState.FAILED: ":material/error:",
    JobState.CANCELLED: ":material/cancel:",
    JobState.EXPIRED: ":material/history:",
}


def show_files(job: Job, owner: str, t: Translator) -> None:
    """One choice a file of the upload, with its state; below, how far those are that are not read yet. Nothing for a
    file alone."""
    jobs = _jobs(session.batch(), owner)
    if len(jobs) < 2 or job.id not in jobs:
        return
    names = names_of(jobs)
    key = f"file-{job.id}"

    def choose() -> None:
        chosen = st.session_state.get(key)
        if chosen:
            session.open_job(chosen, batch=session.batch())

    with st.container(key="files", gap="xsmall"):
        with st.container(key="files_row", horizontal=True, vertical_alignment="bottom", gap="small"):
            st.pills(
                t("files.label"),
                list(jobs),
                format_func=lambda job_id: f"{_ICONS[jobs[job_id].state]} {label(names[job_id], NAME_CHARS)}",
                default=job.id,
                required=True,
                key=key,
                on_change=choose,
            )
            done = [one for one in jobs.values() if one.state is JobState.DONE]
            if len(done) > 1:
                st.download_button(
                    t("files.download", count=len(done)),
                    data=partial(services.zip_of_all, done),
                    file_name="documents.zip",
                    mime="application/zip",
                    key="files-zip",
                    icon=":material/folder_zip:",
                    on_click="ignore",
                )
        if any(not one.state.is_final for one in jobs.values()):
            _watch(tuple(jobs), job.id, owner, {job_id: one.state.value for job_id, one in jobs.items()})


@st.fragment(run_every=POLL_S)
def _watch(job_ids: tuple[str, ...], shown: str, owner: str, before: dict[str, str]) -> None:
    """How far the files are; the page runs anew when one changes its state, so that the choices above are true."""
    services.attend(owner)
    jobs = _jobs(job_ids, owner)
    if {job_id: one.state.value for job_id, one in jobs.items()} != before:
        st.rerun()
    st.html(waiting_html(jobs, shown, session.translator()))


def waiting_html(jobs: Mapping[str, Job], shown: str, t: Translator) -> str:
    """How many of the files are read, and how far those are that are not; the one shown tells its own progress. Every
    text escaped."""
    names = names_of(jobs)
    done = sum(job.state.is_final for job in jobs.values())
    waiting = [job for job in jobs.values() if not job.state.is_final and job.id != shown]
    waiting.sort(key=lambda job: job.state is not JobState.RUNNING)
    items = "".join(_waiting_item(job, names[job.id], t) for job in waiting[:LISTED])
    rest = len(waiting) - LISTED
    if rest > 0:
        items += f"<li>{html(counted(t, 'files.more', rest))}</li>"
    said = html(t("files.done", done=done, files=len(jobs)))
    return f'<div class="wb-files"><p class="wb-quiet">{said}</p><ul>{items}</ul></div>'


def _waiting_item(job: Job, name: str, t: Translator) -> str:
    share = 0 if job.state is JobState.PENDING else round(100 * fraction(job))
    name = html(shortened(name, NAME_CHARS))
    return (
        f'<li><span class="wb-file-name">{name}</span>'
        f'<progress max="100" value="{share}" aria-label="{name}"></progress>'
        f"<small>{html(stage_text(job, t))}</small></li>"
    )


def names_of(jobs: Mapping[str, Job]) -> dict[str, str]:
    """What to call each file, by the id of its job: its own name, and a number where an earlier one has the same."""
    seen: Counter[str] = Counter()
    names: dict[str, str] = {}
    for job_id, job in jobs.items():
        seen[job.source] += 1
        names[job_id] = job.source if seen[job.source] == 1 else f"{job.source} ({seen[job.source]})"
    return names


def _jobs(job_ids: Sequence[str], owner: str) -> dict[str, Job]:
    found = ((job_id, services.find_job(job_id, owner)) for job_id in job_ids)
    return {job_id: job for job_id, job in found if job is not None}
