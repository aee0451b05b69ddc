"""A chart that is corrected over its picture: what the browser is told, and the component. It sends what the grid
editor sends (see ``edits.Edits``), with the operations of ``document/chart_edits.py``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

import streamlit as st

from mineru_core.document.chart import Axis, Chart, Point
from mineru_core.ui.components.edits import Editor
from mineru_core.ui.i18n import Translator
from mineru_core.ui.setup import asset, module

WORDS = (
    "undo", "undo_help", "redo", "redo_help", "move", "move_help", "add", "add_help", "add_hint", "delete",
    "delete_help", "calibrate_x", "calibrate_x_help", "calibrate_y", "calibrate_y_help", "calibrate_first",
    "calibrate_second", "calibrate_wrong", "log", "log_help", "ask_value", "no_number", "original", "redrawn",
    "tools", "hint", "unnamed", "series", "all_series", "choose_series", "rename", "delete_series", "x", "y", "sure",
    "source_measured", "source_printed", "source_typed", "source_person", "saving", "saved", "lost",
)  # fmt: skip
"""Strings of the component, without the "points." they begin with in the catalogues."""


SCRIPT = module("elements", "mounting", "delivery", "point_model", "point_view", "point_outbox", "point_editor")

_mount = st.components.v2.component(
    "mineru_workbench.point_editor",
    html='<div class="points"></div>',
    css=asset("point_editor.css"),
    js=SCRIPT,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PointEditor(Editor):
    """Everything the browser needs to show one chart and to change it. ``chart`` is what ``chart_data`` gives."""

    chart: Mapping[str, object]


def show_points(editor: PointEditor, *, key: str, on_edits: Callable[[], None]) -> None:
    """Mount the component; ``on_edits`` runs when it has sent changes, which ``edits.edits_of`` then gives."""
    _mount(key=key, data=asdict(editor), on_edits_change=on_edits)


def chart_data(chart: Chart, page: Mapping[str, object]) -> dict[str, object]:
    """The chart as the browser takes it. ``page`` has ``src``, the address of the page's picture or a data URL, and
    ``width`` and ``height``, the page's pixels, in which all places are."""
    axes = {"x": chart.x_axis, "y": chart.y_axis, "second_y": chart.second_y_axis}
    return {
        "kind": chart.kind.value,
        "title": chart.title,
        "stacked": chart.stacked,
        "box": None if chart.box is None else list(chart.box),
        "page": dict(page),
        "axes": {name: None if axis is None else _axis(axis) for name, axis in axes.items()},
        "series": [
            {
                "name": series.name,
                "color": series.color,
                "second": series.on_second_axis,
                "kind": (series.kind or chart.kind).value,
                "points": [_point(point) for point in series.points],
            }
            for series in chart.series
        ],
    }


def point_words(t: Translator) -> dict[str, str]:
    """The component's strings in the reader's language."""
    return {name: t(f"points.{name}") for name in WORDS}


def _axis(axis: Axis) -> dict[str, object]:
    marks = [[mark.place, mark.value] for mark in axis.marks]
    return {"label": axis.label, "scale": axis.scale, "vertical": axis.vertical, "marks": marks}


def _point(point: Point) -> list[object]:
    x, y = (None, None) if point.place is None else point.place
    return [point.x, point.y, int(100 * point.confidence), x, y, point.source.value, point.edited]
