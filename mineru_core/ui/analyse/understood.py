"""How the reader's words were understood, and what else they may have meant, to be asked by a click."""

from __future__ import annotations

import streamlit as st

from mineru_core.document.task import Task, TaskKind
from mineru_core.export.result import DocumentResult
from mineru_core.instruct import alternatives, describe
from mineru_core.jobs.model import Job
from mineru_core.ui.analyse.composer import ask_again
from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import html, label


def told(task: Task, t: Translator) -> str:
    """The task in one line for the reader. A summary is called what it is, sentences of the document; ``parse_words``
    knows it by the name ``describe`` gives it."""
    line = describe(task, t.language)
    if task.kind is TaskKind.SUMMARY:
        line = line.replace(describe(Task(kind=TaskKind.SUMMARY), t.language), t("summary.told"), 1)
    return line


def show_alternatives(job: Job, found: DocumentResult, owner: str, t: Translator) -> None:
    """A chip for each other reading of the words, in one line; its description is asked as words. Nothing where there
    is none."""
    others = other_tasks(job.words, found)
    if not others:
        return
    with st.container(key="alternatives", horizontal=True, vertical_alignment="center", gap="xxsmall"):
        st.html(f'<span class="wb-quiet">{html(t("result.or_meant"))}</span>', width="content")
        for number, other in enumerate(others):
            st.button(
                label(told(other, t)),
                key=f"meant-{number}",
                type="tertiary",
                on_click=ask_again,
                args=(job, describe(other, t.language), owner),
            )


def other_tasks(words: str, found: DocumentResult) -> list[Task]:
    """The other readings of the words; without the marked region, which goes with every further question."""
    return [other.model_copy(update={"regions": ()}) for other in alternatives(found.task, words)]
