"""What else the reader's words may have meant, to be asked by a click."""

from __future__ import annotations

import streamlit as st

from mineru_core.export.result import DocumentResult
from mineru_core.instruct import alternatives, describe
from mineru_core.jobs.model import Job
from mineru_core.ui.analyse.composer import ask_again
from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import html, label


def show_alternatives(job: Job, found: DocumentResult, owner: str, t: Translator) -> None:
    """A chip for each other reading of the words; its description is asked as words. Nothing where there is none."""
    lines = other_wishes(job.words, found, t.language)
    if not lines:
        return
    with st.container(key="alternatives", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(f'<span class="wb-quiet">{html(t("result.or_meant"))}</span>', width="content")
        for number, line in enumerate(lines):
            st.button(label(line), key=f"meant-{number}", type="tertiary", on_click=ask_again, args=(job, line, owner))


def other_wishes(words: str, found: DocumentResult, language: str) -> list[str]:
    """The other readings in a line each; the marked region is not told, since it goes with every further question."""
    others = alternatives(found.task, words)
    return [describe(other.model_copy(update={"regions": ()}), language) for other in others]
