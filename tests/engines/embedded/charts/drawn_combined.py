"""Charts of two sorts that tests draw: bars with a line across them, on one scale or on two."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from tests.engines.embedded.charts.drawn_kinds import NAMES, Plotted, Style, by_x, dress, names_of, scale_of


def bars_line(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Bars with a line across them, on one scale."""
    return _combined(ax, ax, rng, style)


def bars_line_axes(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Bars with a line across them that has a scale of its own on the right."""
    return _combined(ax, ax.twinx(), rng, style)


def _combined(ax: Axes, right: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    count = int(rng.integers(1, 3))
    rows = rng.uniform(0.15, 1, (count + 1, rng.integers(4, 10))) * scale_of(rng)
    if right is not ax:
        rows[-1] = rng.uniform(2, 60, rows.shape[1])
    names, cats = names_of(rng, count + 1, NAMES), names_of(rng, rows.shape[1])
    at, wide = np.arange(len(cats)), float(rng.uniform(0.5, 0.8))
    for i, row in enumerate(rows[:-1]):
        ax.bar(at + (i - (count - 1) / 2) * wide / count, row, wide / count, color=style.colors[i], label=names[i])
    marker = str(rng.choice(["", "o", "s"]))
    right.plot(
        at, rows[-1], color=style.colors[count], linewidth=max(1.6, style.line_width), marker=marker, label=names[-1]
    )
    ax.set_xticks(at, cats)
    dress(ax, rng, style)
    if right is not ax:
        right.set_ylim(0, 1.1 * rows[-1].max())
        if rng.random() < 0.5:
            right.yaxis.set_major_formatter("{x:g}%")
        right.spines[["top"]].set_visible(style.frame)
    handles = [handle for one in dict.fromkeys((ax, right)) for handle in one.get_legend_handles_labels()[0]]
    place: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16), "ncol": count + 1}
    legend = ax.legend(handles=handles, **place)
    shapes = [*["box"] * count, "line"]
    return Plotted(
        by_x(cats, rows, names),
        x_categories=tuple(cats),
        legend=legend,
        entries=tuple((name, style.colors[i], shapes[i]) for i, name in enumerate(names)),
        kind="bar",
        extra={"second": names[-1]} if right is not ax else {},
    )
