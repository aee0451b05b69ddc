"""Tables with their spans, unsure cells marked, their downloads, and an editor for each."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mineru_core.document.table import DOUBTFUL_BELOW, Table
from mineru_core.export import table_to_csv, table_to_html, tables_to_xlsx
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.correction_log import TableId
from mineru_core.jobs.corrections import source_of
from mineru_core.jobs.model import Job
from mineru_core.ui.analyse.editing import show_editor
from mineru_core.ui.i18n import Translator
from mineru_core.ui.services import stem
from mineru_core.ui.text import counted, html

SHOWN = 25
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def show_tables(
    tables: Sequence[Table], place: str, job: Job, found: DocumentResult, t: Translator, *, none: str = ""
) -> None:
    """Each table with its downloads; ``place`` keeps the keys of the same table in two tabs apart."""
    if not tables and none:
        st.html(f'<p class="wb-quiet">{html(none)}</p>')
    for number, table in enumerate(tables[:SHOWN], start=1):
        show_table(table, number, place, job, t, origin=source_of(found, table))
    if len(tables) > SHOWN:
        st.html(f'<p class="wb-quiet">{html(t("result.more_tables", count=len(tables) - SHOWN))}</p>')


def show_table(
    table: Table, number: int, place: str, job: Job, t: Translator, *, origin: TableId | None = None
) -> None:
    """One table: title, CSV and Excel, then the cells; with an editor where ``origin`` says what table it is."""
    name = f"{place}-{number}"
    editing = False
    with st.container(key=f"head-{name}", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(f'<div class="wb-title">{_title(table, number, t)}</div>')
        if origin is not None:
            editing = st.toggle(t("table.edit"), key=f"edit-{name}-{job.id}", width="content")
        _download_buttons(table, number, name, job.source, t)
    with st.container(key=f"cells-{name}"):
        if editing and origin is not None:
            title = table.caption or t("table.title", number=number)
            show_editor(job, origin, title, f"grid-{name}-{job.id}", t)
            return
        st.html(f'<div class="wb-scroll" tabindex="0">{table_html(table)}</div>')
        unsure = sum(cell.doubtful for cell in table.cells)
        if unsure:
            st.html(f'<p class="wb-quiet">{html(counted(t, "table.unsure", unsure))}</p>')


def _download_buttons(table: Table, number: int, name: str, source: str, t: Translator) -> None:
    for kind, program, mime, make in (
        ("csv", "CSV", "text/csv", lambda: table_to_csv(table)),
        ("xlsx", "Excel", XLSX, lambda: tables_to_xlsx([table])),
    ):
        st.download_button(
            program,
            data=make,
            file_name=f"{stem(source)}.table{number}.{kind}",
            mime=mime,
            key=f"{name}-{kind}",
            help=t("table.download", number=number, format=program),
            icon=":material/download:",
            on_click="ignore",
        )


def table_html(table: Table) -> str:
    """The table as HTML with spans, every text escaped and unsure cells marked."""
    return table_to_html(table, mark_below=DOUBTFUL_BELOW, align_numbers=True)


def _title(table: Table, number: int, t: Translator) -> str:
    place = t("table.place", page=table.page, rows=table.n_rows, cols=table.n_cols)
    caption = html(table.caption) or html(t("table.title", number=number))
    return f"{caption}<small>{html(place)}</small>"
