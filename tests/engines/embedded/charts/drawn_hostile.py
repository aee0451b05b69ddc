"""Drawings that no reader of marks can read, or that look like a chart of another kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle, Wedge
from matplotlib.text import Text

from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.scene import Label
from tests.engines.embedded.charts.drawn_scene import is_shown, label_of

NAMES = ("Oak", "Ash", "Elm", "Fir", "Yew")
PAIR = ("2019", "2020")

Values = dict[str, dict[str, float]]
"""By series and category."""


@dataclass(frozen=True)
class Hostile:
    """A drawing, the texts on it, and the values it was drawn from where they can be told."""

    pixels: Pixels
    labels: tuple[Label, ...]
    values: Values = field(default_factory=dict)


def draw_hostile(kind: str, seed: int) -> Hostile:
    """A drawing of one of ``UNREADABLE``, ``OVERLAID``, ``OVERLAPPING`` or ``SLANTED``."""
    figure = Figure(figsize=(6, 4.3), dpi=100)
    canvas = FigureCanvasAgg(figure)
    values = _KINDS[kind](figure, np.random.default_rng(seed))
    canvas.draw()
    pixels = np.ascontiguousarray(np.asarray(canvas.buffer_rgba())[:, :, :3])
    texts = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip() and is_shown(t, figure.axes)]
    return Hostile(pixels, tuple(label_of(text, figure, pixels.shape[0]) for text in texts), values or {})


def _two_heights(rng: np.random.Generator) -> tuple[list[list[float]], Values]:
    heights = [[float(v) for v in row] for row in rng.integers(10, 90, (2, len(NAMES)))]
    return heights, {name: dict(zip(NAMES, row, strict=True)) for name, row in zip(PAIR, heights, strict=True)}


def _named(ax: Axes) -> None:
    ax.set_xticks(range(len(NAMES)), NAMES)


def _overlaid(figure: Figure, rng: np.random.Generator) -> Values:
    (heights, values), ax = _two_heights(rng), figure.subplots()
    for name, row in zip(PAIR, heights, strict=True):
        ax.bar(range(len(NAMES)), row, 0.6, label=name, alpha=0.5)
    ax.legend()
    _named(ax)
    return values


def _overlapping(figure: Figure, rng: np.random.Generator) -> Values:
    (heights, values), ax = _two_heights(rng), figure.subplots()
    for index, (name, row) in enumerate(zip(PAIR, heights, strict=True)):
        ax.bar(np.arange(len(NAMES)) + 0.2 * index, row, 0.6, label=name)
    ax.legend()
    _named(ax)
    return values


def _slanted(figure: Figure, rng: np.random.Generator) -> Values:
    """Bars as spreadsheets draw them in 3D: the axis is drawn on the wall behind them."""
    (heights, *_), ax, depth = _two_heights(rng)[0], figure.subplots(), 5.0
    for i, top in enumerate(heights):
        ax.add_patch(Rectangle((i - 0.3, 0), 0.6, top, color="#4472c4"))
        lid = [(i - 0.3, top), (i - 0.1, top + depth), (i + 0.5, top + depth), (i + 0.3, top)]
        side = [(i + 0.3, 0), (i + 0.5, depth), (i + 0.5, top + depth), (i + 0.3, top)]
        ax.add_patch(Polygon(lid, color="#6f94d6"))
        ax.add_patch(Polygon(side, color="#2f5597"))
    ax.set(xlim=(-0.7, 5), ylim=(0, 105))
    ax.set_yticks(np.arange(0, 101, 20) + depth, [str(v) for v in range(0, 101, 20)])
    ax.grid(axis="y")
    _named(ax)
    return {"": dict(zip(NAMES, heights, strict=True))}


def _bars_in_space(figure: Figure, rng: np.random.Generator) -> None:
    heights, ax = _two_heights(rng)[0], figure.add_subplot(projection="3d")
    for depth, row in enumerate(heights):
        ax.bar3d(np.arange(len(NAMES)), np.full(len(NAMES), depth), 0, 0.6, 0.4, row, color=f"C{depth}")
    ax.set_xticks(np.arange(len(NAMES)) + 0.3, NAMES)


def _surface(figure: Figure, rng: np.random.Generator) -> None:
    ax = figure.add_subplot(projection="3d")
    x, y = np.meshgrid(np.linspace(-3, 3, 30), np.linspace(-2, 2, 30))
    ax.plot_surface(x, y, np.sin(x + rng.uniform(0, 3)) * np.cos(y), cmap="viridis")


def _slanted_pie(figure: Figure, rng: np.random.Generator) -> None:
    ax = figure.subplots()
    shares = rng.dirichlet([3] * len(NAMES))
    ends = np.concatenate([[0], np.cumsum(shares)]) * 2 * np.pi
    for depth in range(12, -1, -1):
        for i, (start, end) in enumerate(pairwise(ends)):
            angles = np.linspace(start, end, 60)
            rim = np.column_stack([np.cos(angles), 0.5 * np.sin(angles) - 0.015 * depth])
            color = np.array(colormaps["tab10"](i)[:3]) * (0.7 if depth else 1)
            ax.add_patch(Polygon(np.vstack([[0, -0.015 * depth], rim]), color=tuple(color)))
            if not depth:
                middle = (start + end) / 2
                ax.text(1.25 * np.cos(middle), 0.65 * np.sin(middle), NAMES[i], ha="center")
    ax.set(xlim=(-1.6, 1.6), ylim=(-1.1, 1))
    ax.axis("off")


def _radar(figure: Figure, rng: np.random.Generator) -> None:
    heights, ax = _two_heights(rng)[0], figure.add_subplot(projection="polar")
    angles = np.linspace(0, 2 * np.pi, len(NAMES) + 1)
    for name, row in zip(PAIR, heights, strict=True):
        ax.plot(angles, [*row, row[0]], label=name)
        ax.fill(angles, [*row, row[0]], alpha=0.2)
    ax.set_xticks(angles[:-1], NAMES)
    ax.legend()


def _rings(figure: Figure, rng: np.random.Generator) -> None:
    ax = figure.subplots()
    for ring, radius in enumerate((1.0, 0.7, 0.4)):
        ax.pie(rng.dirichlet([3] * (5 - ring)), radius=radius, wedgeprops={"width": 0.3, "edgecolor": "w"})


def _heat_map(figure: Figure, rng: np.random.Generator) -> None:
    cells, ax = rng.integers(10, 90, (5, 5)), figure.subplots()
    figure.colorbar(ax.imshow(cells, cmap="viridis"))
    _named(ax)
    ax.set_yticks(range(5), [str(year) for year in range(2019, 2024)])
    for (row, column), value in np.ndenumerate(cells):
        ax.text(column, row, str(value), ha="center", va="center", color="w")


def _heat_map_without_values(figure: Figure, rng: np.random.Generator) -> None:
    ax = figure.subplots()
    figure.colorbar(ax.imshow(rng.uniform(10, 90, (12, 20)), cmap="coolwarm", aspect="auto"))


def _tree_map(figure: Figure, rng: np.random.Generator) -> None:
    ax, columns = figure.subplots(), np.cumsum([0, *rng.dirichlet([5, 5, 5])])
    for i, (x0, x1) in enumerate(pairwise(columns)):
        cut = float(rng.uniform(0.3, 0.7))
        for k, (y0, y1) in enumerate(((0.0, cut), (cut, 1.0))):
            ax.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, facecolor=f"C{2 * i + k}", edgecolor="w", lw=2))
            ax.text((x0 + x1) / 2, (y0 + y1) / 2, f"Part {2 * i + k}\n{rng.integers(2, 40)}", ha="center", color="w")
    ax.axis("off")


def _contours(figure: Figure, rng: np.random.Generator) -> None:
    ax = figure.subplots()
    x, y = np.meshgrid(np.linspace(-3, 3, 80), np.linspace(-2, 2, 80))
    figure.colorbar(ax.contourf(x, y, np.sin(2 * x + rng.uniform(0, 3)) * np.cos(2 * y), 12))


def _gauge(figure: Figure, rng: np.random.Generator) -> None:
    ax = figure.subplots()
    for i, color in enumerate(("#c33", "#fb3", "#3a3")):
        ax.add_patch(Wedge((0, 0), 1, 180 - 60 * (i + 1), 180 - 60 * i, width=0.3, color=color))
    angle = np.deg2rad(rng.uniform(20, 160))
    ax.plot([0, 0.9 * np.cos(angle)], [0, 0.9 * np.sin(angle)], "k", lw=3)
    for value, degrees in ((0, 180), (50, 90), (100, 0)):
        at = np.deg2rad(degrees)
        ax.text(1.12 * np.cos(at), 1.12 * np.sin(at), str(value), ha="center")
    ax.set(xlim=(-1.3, 1.3), ylim=(-0.2, 1.3), aspect="equal")
    ax.axis("off")


def _histograms(figure: Figure, rng: np.random.Generator) -> None:
    ax = figure.subplots()
    for mean, name in ((0, "before"), (1, "after")):
        ax.hist(rng.normal(mean, 1, 500), 20, alpha=0.5, label=name)
    ax.legend()


def _candles(figure: Figure, rng: np.random.Generator) -> None:
    ax, prices = figure.subplots(), 50 + np.cumsum(rng.normal(0, 3, 31))
    for day, (start, end) in enumerate(pairwise(prices)):
        color = "g" if end > start else "r"
        ax.plot([day, day], [min(start, end) - 2, max(start, end) + 2], color=color, lw=1)
        ax.bar(day, end - start, 0.6, bottom=start, color=color)


def _broken_axis(figure: Figure, rng: np.random.Generator) -> None:
    upper, lower = figure.subplots(2, 1, sharex=True)
    heights = [*rng.integers(5, 28, 2), rng.integers(920, 990), *rng.integers(5, 28, 2)]
    for ax in (upper, lower):
        ax.bar(range(len(NAMES)), heights)
    upper.set_ylim(900, 1000)
    lower.set_ylim(0, 30)
    upper.spines.bottom.set_visible(False)
    lower.spines.top.set_visible(False)
    _named(lower)


def _bubbles(figure: Figure, rng: np.random.Generator) -> None:
    sizes = rng.uniform(50, 2500, 25)
    figure.subplots().scatter(rng.uniform(0, 10, 25), rng.uniform(0, 100, 25), s=sizes, alpha=0.5)


def _violins(figure: Figure, rng: np.random.Generator) -> None:
    figure.subplots().violinplot([rng.normal(mean, 1, 200) for mean in (1, 3, 2)])


def _many_lines(figure: Figure, rng: np.random.Generator) -> None:
    ax = figure.subplots()
    for index in range(40):
        ax.plot(50 + np.cumsum(rng.normal(0, 2, 30)), label=f"series {index}")
    ax.legend(fontsize=4, ncol=2)


def _without_scale(figure: Figure, rng: np.random.Generator) -> None:
    ax = figure.subplots()
    ax.bar(range(len(NAMES)), rng.integers(10, 90, len(NAMES)))
    ax.set_yticks([])
    _named(ax)


_UNREADABLE: dict[str, Callable[[Figure, np.random.Generator], None]] = {
    "bars in space": _bars_in_space,
    "surface": _surface,
    "slanted pie": _slanted_pie,
    "radar": _radar,
    "rings": _rings,
    "heat map": _heat_map,
    "heat map without values": _heat_map_without_values,
    "tree map": _tree_map,
    "contours": _contours,
    "gauge": _gauge,
    "histograms": _histograms,
    "candles": _candles,
    "broken axis": _broken_axis,
    "bubbles": _bubbles,
    "violins": _violins,
    "many lines": _many_lines,
    "without a scale": _without_scale,
}
OVERLAID, OVERLAPPING, SLANTED = "overlaid bars", "overlapping bars", "slanted bars"
UNREADABLE = tuple(_UNREADABLE)
_KINDS: dict[str, Callable[[Figure, np.random.Generator], Values | None]] = {
    **_UNREADABLE,
    OVERLAID: _overlaid,
    OVERLAPPING: _overlapping,
    SLANTED: _slanted,
}
