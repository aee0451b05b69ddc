"""A table that is corrected where it stands: what the browser is told, and the component."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

import streamlit as st

from mineru_core.jobs.correction_log import TableId
from mineru_core.ui.i18n import Translator
from mineru_core.ui.setup import asset

WORDS = (
    "undo", "undo_help", "redo", "redo_help", "copy", "copy_help", "merge", "split", "header", "header_help",
    "row_above", "row_above_help", "row_below", "row_below_help", "delete_rows", "delete_rows_help",
    "column_before", "column_before_help", "column_after", "column_after_help", "delete_columns", "delete_columns_help",
    "next_doubtful", "next_doubtful_help", "none_doubtful", "doubtful", "edited", "saving", "saved", "lost", "copied",
    "tools", "edit_cell", "caption", "loading", "not_loaded", "load_again", "kept", "kept_use",
    "kept_drop",
)  # fmt: skip
"""Strings of the component, without the "grid." they begin with in the catalogues."""

_PARTS = ("delivery", "grid_model", "grid_sizes", "grid_view", "grid_sync", "grid_editor")

CODE = "".join(asset(f"{part}.js") for part in _PARTS)
"""The component's module; it can import no other, so its files are joined."""

_mount = st.components.v2.component(
    "mineru_workbench.grid_editor",
    html='<div class="editor"></div>',
    css=asset("grid_editor.css"),
    js=CODE,
)


@dataclass(frozen=True, slots=True)
class GridEditor:
    """What the browser is told of one table; the table itself it asks for (see ``api/grid_data.py``).

    ``place`` names the table there, ``version`` is that of the corrections. ``answered`` is the id of the message that
    was taken last, ``done`` how many of its changes were made, ``error`` and ``code`` why no more of them, ``note``
    what else there is to say of it. ``table`` has its columns where the server around the app has no route for them.
    """

    job: str
    place: str
    version: int
    label: str
    words: Mapping[str, str]
    can_undo: bool = False
    can_redo: bool = False
    answered: str = ""
    done: int = 0
    error: str = ""
    code: str = ""
    note: str = ""
    table: Mapping[str, object] | None = None


def show_grid(grid: GridEditor, *, key: str, on_edits: Callable[[], None]) -> None:
    """Mount the component; ``on_edits`` runs when it has sent changes, which ``edits.edits_of`` then gives."""
    _mount(key=key, data=asdict(grid), on_edits_change=on_edits)


def place_of(table: TableId) -> str:
    """The table's name in the address of its data."""
    return f"{table.page}.{table.index}"


def grid_words(t: Translator) -> dict[str, str]:
    """The component's strings in the reader's language."""
    return {name: t(f"grid.{name}") for name in WORDS}
