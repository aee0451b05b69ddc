"""A table that is corrected where it stands: what the browser is told, what it sends, and the component."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st
from pydantic import Field, ValidationError

from mineru_core.document.model import Model
from mineru_core.document.table import Table
from mineru_core.errors import InvalidRequest
from mineru_core.ui.i18n import Translator
from mineru_core.ui.setup import asset

HEADER, DOUBTFUL, EDITED = 1, 2, 4
"""Flags of a cell, as the browser knows them."""

MAX_CHANGES = 500
"""Of one message; the browser sends more in several."""

WORDS = (
    "undo", "undo_help", "redo", "redo_help", "copy", "copy_help", "merge", "split", "header", "header_help",
    "row_above", "row_above_help", "row_below", "row_below_help", "delete_rows", "delete_rows_help",
    "column_before", "column_before_help", "column_after", "column_after_help", "delete_columns", "delete_columns_help",
    "next_doubtful", "next_doubtful_help", "none_doubtful", "doubtful", "edited", "saving", "saved", "lost", "copied",
    "tools", "edit_cell",
)  # fmt: skip
"""Strings of the component, without the "grid." they begin with in the catalogues."""

_mount = st.components.v2.component(
    "mineru_workbench.grid_editor",
    html='<div class="editor"></div>',
    css=asset("grid_editor.css"),
    js="".join(asset(f"grid_{part}.js") for part in ("model", "view", "editor")),  # a component's module imports none
)


@dataclass(frozen=True, slots=True)
class GridEditor:
    """Everything the browser needs to show one table and to change it.

    ``version`` is that of the corrections; ``answered`` the id of the message that was taken last, ``error`` why it was
    not done, ``note`` what else there is to say of it.
    """

    table: Mapping[str, object]
    version: int
    label: str
    words: Mapping[str, str]
    can_undo: bool = False
    can_redo: bool = False
    answered: str = ""
    error: str = ""
    note: str = ""


class Edits(Model):
    """What the browser sends: changes, in their order, to the table as it is at ``version``. Each has the fields of an
    operation of ``document/table_edits.py``, or is "undo", "redo" or "paste" with the forms of the clipboard."""

    id: str = Field(max_length=64)
    version: int = Field(ge=0)
    changes: tuple[dict[str, Any], ...] = Field(max_length=MAX_CHANGES)


def show_grid(grid: GridEditor, *, key: str, on_edits: Callable[[], None]) -> None:
    """Mount the component; ``on_edits`` runs when it has sent changes, which ``edits_of`` then gives."""
    _mount(key=key, data=asdict(grid), on_edits_change=on_edits)


def edits_of(key: str) -> Edits | None:
    """What the component with that key has just sent, if anything. Raises ``InvalidRequest`` where it is malformed."""
    sent = st.session_state[key].get("edits")
    return None if sent is None else parse_edits(sent)


def parse_edits(sent: object) -> Edits:
    """The message as data. Raises ``InvalidRequest`` where it is malformed."""
    try:
        return Edits.model_validate(sent)
    except ValidationError as error:
        raise InvalidRequest("The changes cannot be read.", "Reload the page.") from error


def grid_table(table: Table) -> dict[str, object]:
    """The table as the browser takes it: size, and each cell as row, column, rowspan, colspan, text, flags and its
    confidence in percent."""
    cells = []
    for cell in table.cells:
        flags = HEADER * cell.header | DOUBTFUL * cell.doubtful | EDITED * cell.edited
        cells.append([cell.row, cell.col, cell.rowspan, cell.colspan, cell.text, flags, int(100 * cell.confidence)])
    return {"rows": table.n_rows, "cols": table.n_cols, "cells": cells}


def grid_words(t: Translator) -> dict[str, str]:
    """The component's strings in the reader's language."""
    return {name: t(f"grid.{name}") for name in WORDS}
