"""The right half: what was asked and understood, and the tabs Answer, Tables, Text and JSON."""

from __future__ import annotations

import streamlit as st

from mineru_core.document.analysis import TextSource
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.model import Job
from mineru_core.ui import services, session
from mineru_core.ui.analyse.answer import show_answer
from mineru_core.ui.analyse.downloads import download_menu
from mineru_core.ui.analyse.engines import engine_title, read_again_menu
from mineru_core.ui.analyse.notes import show_notes
from mineru_core.ui.analyse.problems import hint_of, notice_of, title_of
from mineru_core.ui.analyse.tables import MOST_CELLS, show_tables
from mineru_core.ui.analyse.two_files import across_files, changes_download
from mineru_core.ui.analyse.understood import show_alternatives, told
from mineru_core.ui.analyse.words import show_pages_text
from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import counted, display_width, html, label, short_seconds

LONGEST_BESIDE_MENU = 34
"""Letters of the words and their reading, a Chinese one counted twice, beside which the menu keeps its words."""

LEAST_TOLD_S = 0.05
"""Less than this reads as 0.0 seconds."""


def show_result(job: Job, owner: str, t: Translator) -> None:
    """Everything about a job that is done."""
    found = services.result(job.id, owner)
    answered = across_files(job, found, owner)
    with st.container(key="result_head", horizontal=True, vertical_alignment="top"):
        st.html(heading_html(job, found, t))
        download_menu(job, found, t)
    with st.container(key="asked_row", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(asked_html(job, found, t))
        if session.other_job() is None:
            read_again_menu(job, t)
    with st.container():
        show_alternatives(job, found, owner, t)
    with st.container():
        _show_failures(answered, t)
        show_notes(answered, t)
        _show_warnings(answered, t)
    answer, tables, text, data = st.tabs([t("tab.answer"), t("tab.tables"), t("tab.text"), t("tab.json")])
    with answer:
        if answered.answer.text_model and answered.answer.text:
            st.html(f"<p>{html(answered.answer.text)}</p>")
        show_answer(job, answered, t)
        changes_download(job, answered, t)
    with tables:
        show_tables(found.analysis.tables, "tables", job, found, t)
    with text:
        show_pages_text(found.analysis.pages, t)
    with data:
        _show_json(found, t)


def heading_html(job: Job, found: DocumentResult, t: Translator) -> str:
    """The document's name and the facts of its reading. An answer that was known took no time worth telling."""
    facts = [counted(t, "result.pages", len(found.analysis.pages))]
    facts += [t("result.region", page=region.page) for region in found.task.regions[:1]]
    sources = {page.text_source for page in found.analysis.pages}
    if sources == {TextSource.TEXT_LAYER}:
        facts.append(t("result.own_text"))
    elif sources - {TextSource.PIXELS}:
        facts.append(t("result.own_text_partly"))
    seconds = found.timings.get("total")
    if seconds is None and job.finished_at is not None:
        seconds = (job.finished_at - job.created_at).total_seconds()
    spans = "".join(f"<span>{html(fact)}</span>" for fact in facts)
    engine = t("result.engine", engine=engine_of(job, found, t))
    spans += f'<span title="{html(found.engine)}">{html(engine)}</span>'
    if seconds is not None and seconds >= LEAST_TOLD_S:
        spans += f"<span>{html(t('result.seconds', seconds=short_seconds(seconds)))}</span>"
    name = html(job.source)
    return f'<div class="wb-head"><h2 title="{name}">{name}</h2><div class="wb-facts">{spans}</div></div>'


def engine_of(job: Job, found: DocumentResult, t: Translator) -> str:
    """What the reader knows the engine by that read the document."""
    return engine_title(job.engine or engine_name(found.engine), t)


def engine_name(fingerprint: str) -> str:
    """The engine's short name out of its fingerprint, such as "embedded"."""
    return fingerprint.replace("/", " ").replace(":", " ").replace("@", " ").split(" ")[0].split("-")[0] or fingerprint


def asked_html(job: Job, found: DocumentResult, t: Translator) -> str:
    """The reader's words, and how they were understood."""
    asked = f"<span>“{html(job.words)}”</span>" if job.words.strip() else ""
    understood = html(told(found.task, t))
    arrow = '<span class="wb-quiet" aria-hidden="true">→</span>' if asked else ""
    hidden = html(t("result.understood"))
    # the arrow goes with what follows it, so that it never ends a line
    reading = f'<div class="wb-reading">{arrow}<strong title="{hidden}">{understood}</strong></div>'
    long = display_width(job.words + told(found.task, t)) > LONGEST_BESIDE_MENU
    return f'<div class="wb-asked{" wb-long" if long else ""}" lang="{t.language}">{asked}{reading}</div>'


def _show_failures(found: DocumentResult, t: Translator) -> None:
    if found.success:
        return
    lines = [f"**{t('result.incomplete')}**"]
    for failure in found.failures[:8]:
        title = title_of(failure.code, t, of_block=failure.block is not None)
        if failure.block is None:
            title = t("result.failure", page=failure.page, title=title)
        else:
            title = t("result.failure_block", page=failure.page, block=failure.block + 1, title=title)
        lines.append(f"{title} — {hint_of(failure.code, t, services.settings())}")
    st.error("  \n".join(lines), icon=":material/error:")


def _show_warnings(found: DocumentResult, t: Translator) -> None:
    for warning in found.warnings:
        st.warning(label(notice_of(warning, t), 300), icon=":material/warning:")


def _show_json(found: DocumentResult, t: Translator) -> None:
    """The result without its lines, which would make the tree slow to open; where it is large all the same, a word that
    the file has it."""
    if sum(len(table.cells) for table in found.analysis.tables) > MOST_CELLS:
        st.html(f'<p class="wb-quiet">{html(t("result.json_large"))}</p>')
        return
    st.html(f'<p class="wb-quiet">{html(t("result.json_hint"))}</p>')
    lean = found.model_dump(
        mode="json", exclude={"analysis": {"pages": {"__all__": {"blocks": {"__all__": {"lines"}}}}}}
    )
    st.json(lean, expanded=2)
