"""Correcting a table in place: the editor of one table, and what becomes of its changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from mineru_core.api.grid_data import table_columns
from mineru_core.document.clipboard import paste_from_clipboard
from mineru_core.document.table_edits import TableOperation, parse_operation
from mineru_core.document.table_shape import MAX_PLACES
from mineru_core.errors import InvalidRequest, WorkbenchError
from mineru_core.jobs.correction_log import Operation, TableId, Target
from mineru_core.jobs.model import Job
from mineru_core.ui import services
from mineru_core.ui.analyse.own_changes import OwnChanges
from mineru_core.ui.analyse.problems import hint_of, title_of
from mineru_core.ui.components.edits import Edits, edits_of
from mineru_core.ui.components.grid_editor import GridEditor, grid_words, place_of, show_grid
from mineru_core.ui.i18n import Translator
from mineru_core.ui.session import Key, has_page_route, translator
from mineru_core.ui.text import html

Reader = Callable[[Mapping[str, Any]], Operation]
"""Makes an operation of a change as the browser sent it; raises ``InvalidRequest`` where it is none."""

MOST_PLACES = MAX_PLACES
"""Rows times columns of a table that the editor opens: as many as one may grow to."""


@dataclass(frozen=True, slots=True)
class Made:
    """How far a message was taken: ``count`` of its changes were made, ``failure`` says why no more were; ``note`` is
    what else there is to say."""

    count: int
    note: str = ""
    failure: WorkbenchError | None = None


def show_editor(job: Job, table_id: TableId, title: str, key: str, t: Translator) -> None:
    """The editor of a table, with all corrections so far; a plain message where the table is too large for it."""
    corrections = services.service().corrections
    version, table = corrections.table(job.id, job.owner, table_id)
    if table.n_rows * table.n_cols > MOST_PLACES:
        st.html(f'<p class="wb-quiet">{html(t("grid.too_large", most=f"{MOST_PLACES:,}"))}</p>')
        return
    state = corrections.state(job.id, job.owner)
    answer = answer_to(key)
    grid = GridEditor(
        job=job.id, place=place_of(table_id), version=version, label=title, words=grid_words(t),
        can_undo=state.can_undo, can_redo=state.can_redo,
        table=None if has_page_route() else table_columns(table, version), **answer,
    )  # fmt: skip
    show_grid(grid, key=key, on_edits=partial(take_edits, job, table_id, key))


def answer_to(key: str) -> dict[str, Any]:
    """What the editor with that key is to be told of the message it sent last; nothing before its first."""
    answer: dict[str, Any] = st.session_state.get(Key.EDITS, {}).get(key, {})
    return answer


def take_edits(job: Job, target: Target, key: str, read: Reader | None = None) -> None:
    """Make the changes that the editor of a table or chart has just sent, and keep what is to be answered. ``read``
    makes operations of them, by default those of a table."""
    t = translator()
    answered = ""
    try:
        edits = edits_of(key)
        if edits is None:
            return
        answered = edits.id
        if answer_to(key).get("answered") == answered:
            return  # sent again, since the answer was late
        made = make_changes(job, target, edits, t, read, _own_changes(job))
    except InvalidRequest as malformed:
        made = Made(0, failure=malformed)
    answers = dict(st.session_state.get(Key.EDITS, {}))
    answers[key] = {
        "answered": answered,
        "done": made.count,
        "note": made.note,
        "error": "" if made.failure is None else _told(made.failure, t),
        "code": "" if made.failure is None else made.failure.code,
    }
    st.session_state[Key.EDITS] = answers


def _own_changes(job: Job) -> OwnChanges | None:
    """What this window, and no other, has made in the job since it was opened; None where the job is no more."""
    try:
        state = services.service().corrections.state(job.id, job.owner)
    except WorkbenchError:  # the change meets it too, and is told
        return None
    own: OwnChanges = st.session_state.setdefault(Key.OWN_CHANGES, {}).setdefault(job.id, OwnChanges(state))
    own.meet(state)
    return own


def make_changes(
    job: Job, target: Target, edits: Edits, t: Translator, read: Reader | None = None, own: OwnChanges | None = None
) -> Made:
    """Make the changes in their order, up to the first that cannot be made; those before it stay made. Where ``own``
    tells this window's changes from those of others, the undo or redo of any other is noted."""
    corrections = services.service().corrections
    read = read or operation_of
    version, note = edits.version, ""
    for count, change in enumerate(edits.changes):
        try:
            if change.get("op") in {"undo", "redo"}:
                move = corrections.undo if change["op"] == "undo" else corrections.redo
                state, changed = move(job.id, job.owner, version=version)
                foreign = own is not None and not (own.undone if change["op"] == "undo" else own.redone)(state)
                if foreign or changed != target:
                    name = f"foreign_{change['op']}" if foreign else "other"
                    note = t(f"grid.{name}_{changed.kind}", page=changed.page, number=changed.index + 1)
            else:
                state = corrections.correct(job.id, job.owner, target, read(change), version=version)
                if own is not None:
                    own.made(state)
        except WorkbenchError as failure:  # told in the editor, which then shows the table as it is
            return Made(count, note, failure)
        version = state.version
    return Made(len(edits.changes), note)


def operation_of(change: Mapping[str, Any]) -> TableOperation:
    """The operation that a change of the editor stands for. Raises ``InvalidRequest`` where it is none."""
    if change.get("op") != "paste":
        return parse_operation(change)
    row, col, text, markup = (change.get(name) for name in ("row", "col", "text", "html"))
    if not (isinstance(row, int) and isinstance(col, int) and isinstance(text, str) and isinstance(markup, str)):
        raise InvalidRequest("The cells to paste cannot be read.", "Copy them once more.")
    return paste_from_clipboard(row, col, text=text, html=markup)


def _told(failure: WorkbenchError, t: Translator) -> str:
    """Why a change was not made, in the reader's language."""
    if isinstance(failure, InvalidRequest):
        return t("grid.refused")
    return f"{title_of(failure.code, t)}. {hint_of(failure.code, t, services.settings())}"
