"""A table that is corrected where it stands: what the browser is told, and the component."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

import streamlit as st

from mineru_core.jobs.correction_log import TableId
from mineru_core.ui.components.edits import Editor
from mineru_core.ui.i18n import Translator
from mineru_core.ui.setup import asset, module

WORDS = (
    "undo", "undo_help", "redo", "redo_help", "copy", "copy_help", "merge", "split", "header", "header_help",
    "row_above", "row_above_help", "row_below", "row_below_help", "delete_rows", "delete_rows_help",
    "column_before", "column_before_help", "column_after", "column_after_help", "delete_columns", "delete_columns_help",
    "next_doubtful", "next_doubtful_help", "none_doubtful", "doubtful", "edited", "saving", "saved", "lost", "copied",
    "tools", "edit_cell", "caption", "loading", "not_loaded", "load_again", "kept", "kept_use",
    "kept_drop",
)  # fmt: skip
"""Strings of the component, without the "grid." they begin with in the catalogues."""

SCRIPT = module("elements", "mounting", "delivery", "grid_model", "grid_sizes", "grid_view", "grid_sync", "grid_editor")

_mount = st.components.v2.component(
    "mineru_workbench.grid_editor",
    html='<div class="editor"></div>',
    css=asset("grid_editor.css"),
    js=SCRIPT,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GridEditor(Editor):
    """What the browser is told of one table; the table itself it asks for (see ``api/grid_data.py``).

    ``place`` names the table there. ``table`` has its columns where the server around the app has no route for them.
    """

    job: str
    place: str
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
