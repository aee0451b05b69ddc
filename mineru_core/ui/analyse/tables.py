"""Tables with their spans, unsure cells marked, their downloads, and an editor for each; what helps where none was
found."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from mineru_core.document.analysis import BlockType, PageAnalysis, Part
from mineru_core.document.table import DOUBTFUL_BELOW, Table
from mineru_core.export import table_to_csv, table_to_html, tables_to_xlsx
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.correction_log import TableId
from mineru_core.jobs.corrections import source_of
from mineru_core.jobs.model import Job
from mineru_core.ui import session
from mineru_core.ui.analyse.composer import ask_again
from mineru_core.ui.analyse.editing import show_editor
from mineru_core.ui.analyse.places import table_place
from mineru_core.ui.i18n import Translator
from mineru_core.ui.services import stem
from mineru_core.ui.text import counted, html, shortened

SHOWN = 25
MOST_CELLS = 4_000
"""Cells of a table that are shown in the page outside the editor."""
LONGEST_CAPTION = 160
"""Letters of a caption in a table's heading; a paragraph above a table is sometimes taken for one."""
_TEXTS = re.compile(r"(?<=>)[^<>]+(?=<)")
_HYPHENATED = re.compile(r"(?<!\S)(?=\S{3,24}(?!\S))[^\s-]+(?:-[^\s-]+)+(?!\S)")
_DOWNLOAD_TIPS = {"table": "table.download", "chart": "chart.download"}
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def show_tables(tables: Sequence[Table], place: str, job: Job, found: DocumentResult, t: Translator) -> None:
    """Each table with its downloads; ``place`` keeps the keys of the same table in two tabs apart."""
    said = {note.code for note in found.answer.notes}
    if not tables and ("no-tables" in said or not found.analysis.tables):  # else a note says what was not found in them
        _show_none(place, job, found, t)
    for number, table in enumerate(tables[:SHOWN], start=1):
        caption = caption_of(table, found.analysis.pages)
        show_table(table, number, place, job, t, caption=caption, origin=source_of(found, table))
    if len(tables) > SHOWN:
        st.html(f'<p class="wb-quiet">{html(t("result.more_tables", count=len(tables) - SHOWN))}</p>')


def _show_none(place: str, job: Job, found: DocumentResult, t: Translator) -> None:
    """That there is no table, and what may help: to read for tables at all, or to show where the table is. What a note
    above the answer says is not said again in it."""
    if place == "answer" and "tables-unsupported" in {note.code for note in found.answer.notes}:
        return
    with st.container(key=f"none-{place}", gap="xsmall"):
        st.html(f'<p class="wb-none">{html(t(why_no_tables(found)))}</p>')
        if were_tables_read(found):
            st.html(f'<p class="wb-quiet">{html(t("table.none_hint"))}</p>')
            st.button(t("table.mark"), key=f"mark-{place}", icon=":material/crop:", on_click=session.start_drawing)
        elif Part.TABLES not in found.task.parts:
            wish = t("wishes.tables")
            st.button(
                wish, key=f"read-{place}", icon=":material/table:", on_click=ask_again, args=(job, wish, job.owner)
            )


def why_no_tables(found: DocumentResult) -> str:
    """The catalogue's key of why no table is shown: none was found, none in the region, or none was looked for."""
    if not were_tables_read(found):
        return "note.tables-unsupported" if Part.TABLES in found.task.parts else "table.not_read"
    return "table.none_region" if found.task.regions else "table.none"


def were_tables_read(found: DocumentResult) -> bool:
    """Whether tables were looked for on any page: some questions need none, and some engines read none."""
    return any(Part.TABLES in page.parts for page in found.analysis.pages)


def caption_of(table: Table, pages: Sequence[PageAnalysis]) -> str:
    """The caption of a table: its own, or else that which stands next to it on its page, above rather than below; ""
    where there is none. Of a caption between two tables the second one is taken."""
    if table.caption.strip():
        return table.caption
    blocks = next((page.blocks for page in pages if page.page == table.page), ())
    for index, block in enumerate(blocks):
        if block.table is None or block.table.box != table.box:
            continue
        before, after, beyond = (blocks[n] if 0 <= n < len(blocks) else None for n in (index - 1, index + 1, index + 2))
        if before is not None and before.type is BlockType.TABLE_CAPTION:
            return before.text
        follows_table = beyond is not None and beyond.table is not None
        return after.text if after is not None and after.type is BlockType.TABLE_CAPTION and not follows_table else ""
    return ""


def show_table(
    table: Table, number: int, place: str, job: Job, t: Translator, *, caption: str = "", origin: TableId | None = None
) -> None:
    """One table: title, CSV and Excel, then the cells; with an editor where ``origin`` says what table it is."""
    name = f"{place}-{number}"
    editing = False
    above = st.empty()  # there without a caption, too: naming the table must not put the open editor in another place
    if caption.strip():
        above.html(f'<div class="wb-title wb-caption">{caption_html(caption)}</div>')
    with st.container(key=f"head-{name}", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(f'<div class="wb-title">{title_html(table, number, t, small=bool(caption.strip()))}</div>')
        if origin is not None:
            editing = st.toggle(t("table.edit"), key=f"edit-{name}-{job.id}", width="content")
        csv, xlsx = partial(table_to_csv, table), partial(tables_to_xlsx, [table])
        download_buttons("table", number, name, job.source, t, csv=csv, xlsx=xlsx)
    with st.container(key=f"cells-{name}"):
        if editing and origin is not None:
            title = " ".join(caption.split()) or t("table.title", number=number)
            show_editor(job, origin, title, f"grid-{name}-{job.id}", t)
            return
        st.html(framed_html(table, t, origin=origin))
        unsure = sum(cell.doubtful for cell in table.cells)
        if unsure:
            st.html(f'<p class="wb-quiet">{html(counted(t, "table.unsure", unsure))}</p>')


def framed_html(table: Table, t: Translator, *, origin: TableId | None = None) -> str:
    """The table as HTML in a frame that scrolls, of a large one the first rows and a line that says so. With
    ``origin``, its cells' places are marked on the page picture."""
    shown = first_rows(table)
    framed = f'<div class="wb-scroll" tabindex="0"{table_place(origin)}>{table_html(shown)}</div>'
    if shown.n_rows == table.n_rows:
        return framed
    counts = {"shown": f"{shown.n_rows:,}", "count": f"{table.n_rows:,}"}
    return f'{framed}<p class="wb-quiet">{html(t("table.first_rows", **counts))}</p>'


def first_rows(table: Table) -> Table:
    """The table, or of one of more than ``MOST_CELLS`` the rows that hold about so many: the page is made anew with
    every click, and the editor shows all of it."""
    rows = max(1, MOST_CELLS // max(1, table.n_cols))
    if table.n_rows <= rows:
        return table
    cells = (cell for cell in table.cells if cell.row < rows)
    cut = (
        cell if cell.row + cell.rowspan <= rows else cell.model_copy(update={"rowspan": rows - cell.row})
        for cell in cells
    )
    return table.model_copy(update={"n_rows": rows, "cells": tuple(cut)})


def download_buttons(
    what: str, number: int, key: str, source: str, t: Translator, *, csv: Callable[[], bytes], xlsx: Callable[[], bytes]
) -> None:
    """CSV and Excel of one "table" or "chart" of an answer, each made when it is clicked. ``key`` is what the buttons'
    keys begin with, ``source`` the document's name."""
    for kind, program, mime, make in (("csv", "CSV", "text/csv", csv), ("xlsx", "Excel", XLSX, xlsx)):
        name = f"{stem(source)}.{what}{number}.{kind}"
        download_button(
            program, name, f"{key}-{kind}", t(_DOWNLOAD_TIPS[what], number=number, format=program), mime, make
        )


def download_button(label: str, name: str, key: str, tip: str, mime: str, make: Callable[[], bytes]) -> None:
    """A button for a file of that name, made when it is clicked; the page is not run again for it."""
    st.download_button(
        label,
        data=make,
        file_name=name,
        mime=mime,
        key=key,
        help=tip,
        icon=":material/download:",
        on_click="ignore",
    )


def table_html(table: Table) -> str:
    """The table as HTML with spans, every text escaped and unsure cells marked. Words with a hyphen are kept whole, as
    in the editor: browsers would break them to give columns of numbers more room than they need."""
    return _TEXTS.sub(_whole_words, table_to_html(table, mark_below=DOUBTFUL_BELOW, align_numbers=True))


def _whole_words(text: re.Match[str]) -> str:
    return _HYPHENATED.sub(r'<span class="wb-word">\g<0></span>', text[0])


def caption_html(caption: str) -> str:
    """A caption in one line, escaped; the whole of a long one as its tooltip."""
    flat = " ".join(caption.split())
    return f'<span title="{html(flat)}">{html(shortened(flat, LONGEST_CAPTION))}</span>'


def title_html(table: Table, number: int, t: Translator, *, small: bool) -> str:
    """A table's number and place, every text escaped; all of it ``small`` where a caption stands above."""
    place = t("table.place", page=table.page, rows=table.n_rows, cols=table.n_cols)
    title = t("table.title", number=number)
    return (
        f'<small class="wb-alone">{html(f"{title} · {place}")}</small>'
        if small
        else f"{html(title)}<small>{html(place)}</small>"
    )
