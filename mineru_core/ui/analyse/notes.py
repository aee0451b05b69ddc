"""What there is to say of an answer: above the tabs, or, where there is nothing else to show, in the answer's place."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from mineru_core.document.task import TaskKind
from mineru_core.export.result import DocumentResult
from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import html, label

_SAID_IN_THE_ANSWER = frozenset({"no-tables", "not-found", "fields-not-found"})


def show_notes(found: DocumentResult, t: Translator) -> None:
    """The notes above the tabs; none where ``show_nothing`` says them."""
    lines = [] if is_empty(found) else note_lines(found, t, safe=lambda text: label(text, 400))
    if lines:
        st.info("  \n".join(lines), icon=":material/info:")


def show_nothing(found: DocumentResult, t: Translator) -> None:
    """The notes in the place of an answer of which there is nothing else to show."""
    first, *rest = note_lines(found, t) or [t("result.nothing")]
    st.html(f'<p class="wb-none">{html(first)}</p>')
    for line in rest:
        st.html(f'<p class="wb-quiet">{html(line)}</p>')


def is_empty(found: DocumentResult) -> bool:
    """Whether an answer has nothing to show. Of a phrase and of tables in a document without any, the answer itself
    says that there is none."""
    answer = found.answer
    match answer.kind:
        case TaskKind.TABLES:
            none_at_all = not found.analysis.tables or any(note.code == "no-tables" for note in answer.notes)
            return not answer.tables and not none_at_all
        case TaskKind.FIELDS:
            return not answer.fields
        case TaskKind.SUMMARY | TaskKind.QUESTION:
            return not answer.quotes and not answer.text
        case TaskKind.COMPARE:
            return not answer.changes
        case _:
            return False


def note_lines(found: DocumentResult, t: Translator, *, safe: Callable[[str], str] = str) -> list[str]:
    """What the notes say that the answer does not say itself, each once: in the reader's language, or, where the
    catalogue does not know a note's code, its own message made ``safe``."""
    codes = {note.code for note in found.answer.notes}
    lines: list[str] = []
    for note in found.answer.notes:
        if f"{note.code.removeprefix('no-')}-unsupported" in codes:
            continue  # why there is none says it better
        if note.code in _SAID_IN_THE_ANSWER and (found.answer.fields or note.code != "fields-not-found"):
            continue
        lines.append(t.or_else(f"note.{note.code}", safe(note.message)))
    return list(dict.fromkeys(lines))
