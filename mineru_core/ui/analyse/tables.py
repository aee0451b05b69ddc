"""Tables with their spans, unsure cells marked, and their downloads."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mineru_core.document.table import Table
from mineru_core.export import table_to_csv, table_to_html, tables_to_xlsx
from mineru_core.ui.i18n import Translator
from mineru_core.ui.palette import UNSURE_BELOW
from mineru_core.ui.services import stem
from mineru_core.ui.text import counted, html

SHOWN = 25
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def show_tables(tables: Sequence[Table], place: str, source: str, t: Translator, *, none: str = "") -> None:
    """Each table with its downloads; ``place`` keeps the keys of the same table in two tabs apart."""
    if not tables and none:
        st.html(f'<p class="wb-quiet">{html(none)}</p>')
    for number, table in enumerate(tables[:SHOWN], start=1):
        show_table(table, number, place, source, t)
    if len(tables) > SHOWN:
        st.html(f'<p class="wb-quiet">{html(t("result.more_tables", count=len(tables) - SHOWN))}</p>')


def show_table(table: Table, number: int, place: str, source: str, t: Translator) -> None:
    """One table: title, CSV and Excel, then the cells."""
    with st.container(key=f"head-{place}-{number}", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(f'<div class="wb-title">{_title(table, number, t)}</div>')
        name = f"{stem(source)}.table{number}"
        for kind, program, mime, make in (
            ("csv", "CSV", "text/csv", lambda: table_to_csv(table)),
            ("xlsx", "Excel", XLSX, lambda: tables_to_xlsx([table])),
        ):
            st.download_button(
                program,
                data=make,
                file_name=f"{name}.{kind}",
                mime=mime,
                key=f"{place}-{number}-{kind}",
                help=t("table.download", number=number, format=program),
                icon=":material/download:",
                on_click="ignore",
            )
    st.html(f'<div class="wb-scroll" tabindex="0">{table_html(table)}</div>')
    unsure = sum(is_unsure(cell.text, cell.confidence) for cell in table.cells)
    if unsure:
        st.html(f'<p class="wb-quiet">{html(counted(t, "table.unsure", unsure))}</p>')


def is_unsure(text: str, confidence: float) -> bool:
    """Whether a cell needs a second look; an empty one has nothing to look at."""
    return bool(text.strip()) and confidence < UNSURE_BELOW


def table_html(table: Table) -> str:
    """The table as HTML with spans, every text escaped and unsure cells marked."""
    return table_to_html(table, mark_below=UNSURE_BELOW, align_numbers=True)


def _title(table: Table, number: int, t: Translator) -> str:
    place = t("table.place", page=table.page, rows=table.n_rows, cols=table.n_cols)
    caption = html(table.caption) or html(t("table.title", number=number))
    return f"{caption}<small>{html(place)}</small>"
