"""Two answers to one question about one document beside each other, with what differs marked."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mineru_core.document.analysis import DocumentAnalysis
from mineru_core.document.differences import (
    Piece,
    Row,
    agreement,
    compare_texts,
    differing_cells,
    pair_tables,
)
from mineru_core.document.table import Table
from mineru_core.document.task import FieldValue, TaskKind
from mineru_core.export import table_to_html
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.model import Job
from mineru_core.ui import services, session
from mineru_core.ui.analyse.result import LEAST_TOLD_S, asked_html, engine_of
from mineru_core.ui.analyse.tables import LONGEST_CAPTION, caption_of
from mineru_core.ui.i18n import Translator
from mineru_core.ui.session import Key
from mineru_core.ui.text import counted, html, short_seconds, shortened

SHOWN_ROWS = 1500
"""Rows of paragraphs shown at once; a browser gets slow beyond."""

Marks = frozenset[tuple[int, int]]
"""Rows and columns of cells."""


def show_comparison(job: Job, other: Job, owner: str, t: Translator) -> None:
    """The whole width: whose answers they are, how far they agree, and the differences by text, tables and fields.

    Raises what getting a result raises.
    """
    jobs = (job, other)
    found = (services.result(job.id, owner), services.result(other.id, owner))
    names = tuple(engine_of(one, result, t) for one, result in zip(jobs, found, strict=True))
    with st.container(key="compare_head", horizontal=True, vertical_alignment="center"):
        st.html(f'<div class="wb-head"><h2>{html(job.source)}</h2></div>')
        st.toggle(t("compare.only"), key=Key.DIFFERENCES)
        if st.button(t("compare.close"), key="close_comparison", icon=":material/close:"):
            session.compare_with(None)
            st.rerun()
    st.html(asked_html(job, found[0], t))
    heads = [head_html(name, result, t) for name, result in zip(names, found, strict=True)]
    kinds = ["text", "tables"]
    if found[0].task.kind is TaskKind.FIELDS:
        kinds.insert(0, "fields")
    elif found[0].task.kind is TaskKind.TABLES:
        kinds.reverse()
    bodies = {"text": _text_html, "tables": _tables_html, "fields": _fields_html}
    only = bool(st.session_state.get(Key.DIFFERENCES, False))
    for kind, tab in zip(kinds, st.tabs([t(f"tab.{kind}") for kind in kinds]), strict=True):
        with tab:
            said, body = bodies[kind](found[0], found[1], names, t, only)
            st.html(f'<p class="wb-quiet">{html(said)}</p>')
            st.html(f'<div class="wb-compare">{"".join(heads)}{body}</div>')


def head_html(name: str, result: DocumentResult, t: Translator) -> str:
    """The head of one side: the engine, and how long it took."""
    seconds = result.timings.get("total", 0.0)
    told = html(t("result.seconds", seconds=short_seconds(seconds)))
    took = f"<small>{told}</small>" if seconds >= LEAST_TOLD_S else ""
    return f'<div class="wb-compare-head" title="{html(result.engine)}">{html(name)}{took}</div>'


def _text_html(
    first: DocumentResult, second: DocumentResult, names: Sequence[str], t: Translator, only: bool
) -> tuple[str, str]:
    pages = _paragraphs_by_page(first.analysis), _paragraphs_by_page(second.analysis)
    numbers = sorted(pages[0].keys() | pages[1].keys())
    rows = {page: compare_texts(pages[0].get(page, []), pages[1].get(page, [])) for page in numbers}
    share = agreement([row for page_rows in rows.values() for row in page_rows])
    body: list[str] = []
    for page, page_rows in rows.items():
        shown = [row for row in page_rows if not (only and row.same)]
        if len(numbers) > 1 and shown:
            body.append(f'<div class="wb-page wb-wide">{html(t("text.page", page=page))}</div>')
        body += [row_html(row, names) for row in shown]
    if len(body) > SHOWN_ROWS:
        body = [*body[:SHOWN_ROWS], f'<p class="wb-quiet wb-wide">{html(t("result.more_text"))}</p>']
    # Not rounded up to 100 %: that would say that nothing differs.
    percent = "100%" if share == 1 else f"{min(0.999, share):.1%}"
    return t("compare.agree", percent=percent), "".join(body)


def row_html(row: Row, names: Sequence[str]) -> str:
    """A paragraph of each side, every text escaped, with the words marked that the other has not."""
    return pair_html([_side_html(side) for side in row], names, same=row.same)


def pair_html(sides: Sequence[str], names: Sequence[str], *, same: bool) -> str:
    """The HTML of two sides beside each other; on a narrow screen below each other, once where they are the same."""
    kind = "wb-same" if same else "wb-differs"
    first, second = (html(name) for name in names)
    return (
        f'<div class="{kind}" data-engine="{first}">{sides[0]}</div>'
        f'<div class="{kind} wb-second" data-engine="{second}">{sides[1]}</div>'
    )


def _side_html(pieces: Sequence[Piece]) -> str:
    if not pieces:
        return '<span class="wb-nothing" aria-hidden="true">—</span>'
    return "".join(_piece_html(piece) for piece in pieces)


def _piece_html(piece: Piece) -> str:
    if piece.same:
        return html(piece.text)
    words = piece.text.lstrip()
    space = piece.text[: len(piece.text) - len(words)]
    return f"{html(space)}<mark>{html(words)}</mark>"


def _paragraphs_by_page(analysis: DocumentAnalysis) -> dict[int, list[str]]:
    """Running text by page; what stands in tables is compared there."""
    return {
        page.page: [block.text for block in page.blocks if block.table is None and block.text.strip()]
        for page in analysis.pages
    }


def _tables_html(
    first: DocumentResult, second: DocumentResult, names: Sequence[str], t: Translator, only: bool
) -> tuple[str, str]:
    if not first.analysis.tables and not second.analysis.tables:
        return t("table.none"), ""
    body, cells, alone = "", 0, 0
    for number, (one, other) in enumerate(pair_tables(first.analysis.tables, second.analysis.tables), start=1):
        marks: tuple[Marks, Marks] = (frozenset(), frozenset())
        if one is not None and other is not None:
            marks = differing_cells(one, other)
            cells += max(map(len, marks))
        else:
            alone += 1
        same = one is not None and other is not None and not any(marks)
        if only and same:
            continue
        named = [caption_of(table, side.analysis.pages) for table, side in ((one, first), (other, second)) if table]
        title = next(filter(None, named), "") or t("table.title", number=number)
        body += f'<div class="wb-title wb-wide">{html(shortened(title, LONGEST_CAPTION))}</div>'
        sides = [_table_html(table, own, t) for table, own in zip((one, other), marks, strict=True)]
        body += pair_html(sides, names, same=same)
    said = [counted(t, "compare.cells", cells)] if cells else []
    said += [counted(t, "compare.alone", alone)] if alone else []
    return " ".join(said) or t("compare.cells_same"), body


def _table_html(table: Table | None, differing: Marks, t: Translator) -> str:
    if table is None:
        return f'<p class="wb-quiet">{html(t("compare.no_table"))}</p>'
    cells = table_to_html(table, align_numbers=True, differing=differing)
    return f'<div class="wb-scroll" tabindex="0">{cells}</div>'


def _fields_html(
    first: DocumentResult, second: DocumentResult, names: Sequence[str], t: Translator, only: bool
) -> tuple[str, str]:
    others = {field.name: field for field in second.answer.fields}
    pairs = [(field, others.get(field.name)) for field in first.answer.fields]
    differing = [pair for pair in pairs if _value(pair[0]) != _value(pair[1])]
    body = ""
    for pair in differing if only else pairs:
        body += f'<div class="wb-title wb-wide">{html(pair[0].name)}</div>'
        values = [html(_value(field) or t("fields.missing")) for field in pair]
        same = pair not in differing
        body += pair_html(values if same else [f"<mark>{value}</mark>" for value in values], names, same=same)
    return counted(t, "compare.fields", len(differing)) if differing else t("compare.fields_same"), body


def _value(field: FieldValue | None) -> str:
    return " ".join(field.value.split()) if field is not None and field.found else ""
