"""The scene of a chart as matplotlib's renderer placed it: texts, axes and legend, in pixels of the picture."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib import colors as mcolors
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.scene import RGB, CategoryAxis, Label, LegendEntry, NumberAxis, Scene
from tests.engines.embedded.charts.drawn_kinds import Plotted


def scene_of(figure: Figure, plotted: Plotted, pixels: Pixels) -> Scene:
    """The scene of a figure that was drawn."""
    ax = figure.axes[0]
    height = pixels.shape[0]
    held = set(map(id, [ax.title, ax.xaxis.label, *(one.yaxis.label for one in figure.axes)]))
    for axis in (ax.xaxis, *(one.yaxis for one in figure.axes)):
        held |= {id(text) for text in axis.get_ticklabels(which="both")}
    if plotted.legend is not None:
        held |= {id(text) for text in plotted.legend.get_texts()}
    texts = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip() and is_shown(t, figure.axes)]
    labels = [(id(t), label_of(t, figure, height)) for t in texts]
    sizes = [label.box.height for _, label in labels if not label.turned]
    box = ax.get_window_extent()
    return Scene(
        pixels=pixels,
        plot=Box(float(box.x0), height - float(box.y1), float(box.x1), height - float(box.y0)),
        labels=tuple(label for _, label in labels),
        free=tuple(label for key, label in labels if key not in held),
        x=_axis(ax, plotted, height, vertical=False) if plotted.axes else None,
        y=_axis(ax, plotted, height, vertical=True) if plotted.axes else None,
        second_y=_second_axis(figure, plotted, height),
        legend=_legend(ax, plotted, height),
        title=ax.get_title(),
        x_title=ax.get_xlabel(),
        y_title=ax.get_ylabel(),
        background=_rgb(ax.get_facecolor()) if plotted.axes else (255, 255, 255),
        text_height=float(np.median(sizes)) if sizes else 12.0,
    )


def is_shown(text: Text, every: list[Axes]) -> bool:
    """Ticks beyond the limits keep their labels, which are not drawn."""
    for axis, limits in [pair for ax in every for pair in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim()))]:
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if text in (tick.label1, tick.label2):
                low, high = sorted(limits)
                slack = 1e-9 * (high - low)
                return low - slack <= tick.get_loc() <= high + slack
    return True


def label_of(text: Text, figure: Figure, height: int) -> Label:
    canvas = figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    box = text.get_window_extent(canvas.get_renderer())
    turned = text.get_rotation() % 180 == 90
    plain = text.get_text().replace("$\\mathdefault{", "").replace("}$", "")
    return Label(plain, Box(float(box.x0), height - float(box.y1), float(box.x1), height - float(box.y0)), 1.0, turned)


def _axis(ax: Axes, plotted: Plotted, height: int, *, vertical: bool) -> NumberAxis | CategoryAxis:
    def pixel(value: float) -> float:
        x, y = ax.transData.transform((ax.get_xlim()[0], value) if vertical else (value, ax.get_ylim()[0]))
        return float(height - y) if vertical else float(x)

    names = plotted.y_categories if vertical else plotted.x_categories
    if names:
        at = plotted.extra.get("at", np.arange(len(names)))
        places = sorted(zip(names, (pixel(float(a)) for a in at), strict=True), key=lambda c: c[1])
        return CategoryAxis(vertical, tuple((name, place) for name, place in places))
    low, high = sorted(ax.get_ylim() if vertical else ax.get_xlim())
    log = (ax.get_yscale() if vertical else ax.get_xscale()) == "log"
    ticks = [t for t in (ax.get_yticks() if vertical else ax.get_xticks()) if low <= t <= high]
    a, b = (math.log10(low), math.log10(high)) if log else (low, high)
    slope = (b - a) / (pixel(high) - pixel(low))
    return NumberAxis(
        vertical,
        slope,
        a - slope * pixel(low),
        log,
        ticks=tuple((float(t), pixel(float(t))) for t in ticks),
        dates=not vertical and bool(plotted.x_numbers),
    )


def _second_axis(figure: Figure, plotted: Plotted, height: int) -> NumberAxis | None:
    if len(figure.axes) == 1:
        return None
    axis = _axis(figure.axes[1], plotted, height, vertical=True)
    assert isinstance(axis, NumberAxis)
    return axis


def _legend(ax: Axes, plotted: Plotted, height: int) -> tuple[LegendEntry, ...]:
    if plotted.legend is None:
        return ()
    over = np.array(mcolors.to_rgb(plotted.legend.get_frame().get_facecolor()))
    out = []
    legend = plotted.legend
    for (name, color, marker), handle, text in zip(
        plotted.entries, legend.legend_handles, legend.get_texts(), strict=True
    ):
        tint = np.array(mcolors.to_rgb(color)) * plotted.alpha + over * (1 - plotted.alpha)
        out.append(LegendEntry(name, _rgb(tint), _handle_box(handle, text, height), marker))
    return tuple(out)


def _handle_box(handle: Any, text: Text, height: int) -> Box:
    box = handle.get_window_extent()
    if not np.isfinite(box.x0):
        # Of a marker alone the place is not told; it stands before the text.
        box = text.get_window_extent()
        x0, x1 = float(box.x0) - 2.2 * float(box.height), float(box.x0) - 0.3 * float(box.height)
    else:
        x0, x1 = float(box.x0), float(box.x1)
    return Box(x0, height - float(box.y1), x1, height - float(box.y0))


def _rgb(color: Any) -> RGB:
    r, g, b = (round(255 * float(c)) for c in mcolors.to_rgb(color))
    return r, g, b
