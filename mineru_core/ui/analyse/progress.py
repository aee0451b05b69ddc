"""A job on its way: stage, page, cancel; the page runs anew when a state changes."""

from __future__ import annotations

import streamlit as st

from mineru_core.errors import WorkbenchError
from mineru_core.jobs.model import Job
from mineru_core.ui import services, session
from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import html, shortened

POLL_S = 0.5


@st.fragment(run_every=POLL_S)
def show_progress(job_id: str, owner: str, engine: str = "") -> None:
    """Stage and page of the job, looked at twice a second until it ends; the title names the ``engine`` if given."""
    t = session.translator()
    services.attend(owner)
    job = services.find_job(job_id, owner)
    if job is None or job.state.is_final:
        st.rerun()
    name = shortened(job.source, 60)
    title = t("progress.title_engine", name=name, engine=engine) if engine else t("progress.title", name=name)
    st.html(f'<div class="wb-head"><h2>{html(title)}</h2></div>')
    loaded = services.service().load_progress(job)
    if loaded is None:
        st.progress(fraction(job), text=stage_text(job, t))
    else:
        st.progress(loaded, text=t("progress.load", share=f"{loaded:.0%}"))
    st.button(
        t("progress.cancel"), key=f"cancel-{job_id}", icon=":material/close:", on_click=_cancel, args=(job_id, owner)
    )


def fraction(job: Job) -> float:
    """Share of the pages done, with a little for having begun."""
    if job.pages <= 0:
        return 0.02
    return min(1.0, (job.done + 0.3) / job.pages)


def stage_text(job: Job, t: Translator) -> str:
    """What happens now, such as "Reading the text · page 2, 1 of 5 done"."""
    stage = job.stage or job.state.value
    text = t.or_else(f"stage.{stage}", t("stage.running"))
    if job.page > 0 and job.pages > 1:
        text += " · " + t("progress.page", page=job.page, done=job.done, pages=job.pages)
    return text


def _cancel(job_id: str, owner: str) -> None:
    try:
        services.service().cancel(job_id, owner)
    except WorkbenchError as error:
        session.set_problems([services.Problem.of("", error)])
