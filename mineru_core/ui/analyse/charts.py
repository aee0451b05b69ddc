"""Charts of an answer: their data as a table with downloads, and over the picture, where they are corrected."""

from __future__ import annotations

import base64
from functools import partial

import streamlit as st

from mineru_core.api.pictures import MAX_WIDTH
from mineru_core.document.chart import Chart
from mineru_core.document.chart_edits import parse_chart_operation
from mineru_core.document.table import Table
from mineru_core.export import chart_to_csv, chart_to_long_csv, chart_to_xlsx
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.correction_log import ChartId
from mineru_core.jobs.corrections import chart_source_of
from mineru_core.jobs.model import Job
from mineru_core.ui import services
from mineru_core.ui.analyse.editing import answer_to, take_edits
from mineru_core.ui.analyse.tables import caption_html, download_button, download_buttons, framed_html
from mineru_core.ui.components.point_editor import PointEditor, chart_data, point_words, show_points
from mineru_core.ui.i18n import Translator
from mineru_core.ui.services import stem
from mineru_core.ui.session import has_page_route
from mineru_core.ui.text import html

_INLINE_WIDTH = 1600
"""Pixels of a picture that travels in the page, where the server has no route for it."""


def show_charts(job: Job, found: DocumentResult, t: Translator) -> None:
    """Each chart of the answer with its downloads, its values, and a way to check and correct them on the picture."""
    for number, chart in enumerate(found.answer.charts, start=1):
        title = chart.title or t("chart.title", number=number)
        origin = chart_source_of(found, chart)
        above = st.empty()  # there without a title, too: what stands below keeps its place
        if chart.title:
            above.html(f'<div class="wb-title wb-caption">{caption_html(chart.title)}</div>')
        with st.container(key=f"head-chart-{number}", horizontal=True, vertical_alignment="center"):
            st.html(f'<div class="wb-title">{_numbered(number, t, small=bool(chart.title))}</div>')
            csv, xlsx = partial(chart_to_csv, chart), partial(chart_to_xlsx, chart, name=title)
            download_buttons("chart", number, f"chart-{number}", job.source, t, csv=csv, xlsx=xlsx)
            name, tip = f"{stem(job.source)}.chart{number}.long.csv", t("chart.download_long", number=number)
            long = partial(chart_to_long_csv, chart)
            download_button(t("chart.long"), name, f"chart-{number}-long", tip, "text/csv", long)
        editing = False
        if origin is not None and _can_be_seen(chart):
            editing = st.toggle(t("points.open"), key=f"points-{job.id}-{number}", value=True)
        if editing and origin is not None:
            _show_points(job, found, origin, title, f"points-{job.id}-{origin.page}-{origin.index}", t)
        st.html(framed_html(Table.from_rows(rows_of(chart)), t))


def _numbered(number: int, t: Translator, *, small: bool) -> str:
    """The chart's number as HTML; ``small`` where its title stands above."""
    said = html(t("chart.title", number=number))
    return f'<small class="wb-alone">{said}</small>' if small else said


def rows_of(chart: Chart) -> list[list[str]]:
    """The chart's rows as they are shown: nothing stands over the categories of an axis without a name."""
    head, *rows = chart.rows()
    label = chart.x_axis.label
    return [[label, *head[1:]], *rows]


def _can_be_seen(chart: Chart) -> bool:
    """Whether there is a picture to check it on: the data of a chart that Office keeps has none."""
    return chart.box is not None


def _show_points(job: Job, found: DocumentResult, origin: ChartId, title: str, key: str, t: Translator) -> None:
    corrections = services.service().corrections
    version, chart = corrections.chart(job.id, job.owner, origin)
    state = corrections.state(job.id, job.owner)
    page = next(page for page in found.analysis.pages if page.page == origin.page)
    src = f"ui/pages/{job.id}/{origin.page}?w={min(MAX_WIDTH, page.width)}"
    if not has_page_route():
        src = _inline(job, origin.page)
    picture = {"src": src, "width": page.width, "height": page.height}
    editor = PointEditor(
        chart=chart_data(chart, picture), version=version, label=t("points.label", title=title), words=point_words(t),
        can_undo=state.can_undo, can_redo=state.can_redo, **answer_to(key),
    )  # fmt: skip
    show_points(editor, key=key, on_edits=partial(take_edits, job, origin, key, parse_chart_operation))


def _inline(job: Job, number: int) -> str:
    jpeg = services.page_jpeg(job.id, job.owner, number, _INLINE_WIDTH)
    return "data:image/jpeg;base64," + base64.b64encode(jpeg).decode("ascii")
