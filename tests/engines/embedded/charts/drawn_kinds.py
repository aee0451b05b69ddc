"""One function for each kind of chart that tests draw: random values, drawn on axes, and told exactly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.axes import Axes

Values = dict[str, list[tuple[str, float]]]

WORDS = ("Alpha", "Bravo", "Delta", "Echo", "Gamma", "Hotel", "India", "Kilo", "Lima", "Mike", "Oscar", "Papa", "Tango")
NAMES = ("Exports", "Imports", "Services", "Industry", "Farming", "Tourism", "Energy")


@dataclass(frozen=True)
class Style:
    """How a chart looks. ``size`` in inches; ``grid`` "", "y", "both" or "dashed"; ``frame``: all four spines."""

    font: str
    font_size: float
    size: tuple[float, float]
    dpi: int
    colors: tuple[str, ...]
    grid: str
    frame: bool
    ground: str
    line_width: float
    chinese: bool


@dataclass(frozen=True)
class Plotted:
    """What was drawn: exact values, which axes are categories, and the legend's (name, colour, marker)."""

    values: Values
    x_categories: tuple[str, ...] = ()
    y_categories: tuple[str, ...] = ()
    x_numbers: tuple[float, ...] = ()
    legend: Any = None
    entries: tuple[tuple[str, str, str], ...] = ()
    kind: str = ""
    alpha: float = 1.0
    axes: bool = True
    extra: dict[str, Any] = field(default_factory=dict)


def dress(ax: Axes, rng: np.random.Generator, style: Style, values_on: str = "y") -> None:
    """Title, axis titles, grid, spines and ground."""
    ax.set_title(f"{rng.choice(WORDS)} of {rng.choice(WORDS)} by year")
    (ax.set_ylabel if values_on == "y" else ax.set_xlabel)(f"Million {rng.choice(WORDS).lower()}")
    ax.set_facecolor(style.ground)
    ax.set_axisbelow(True)
    if style.grid:
        kind = "-" if style.grid != "dashed" else "--"
        axis = "both" if style.grid == "both" else values_on
        ax.grid(True, axis=axis, linestyle=kind, color="#d0d0d0", linewidth=0.8)
    if not style.frame:
        ax.spines[["top", "right"]].set_visible(False)


def names_of(rng: np.random.Generator, n: int, words: tuple[str, ...] = WORDS) -> list[str]:
    """So many different words."""
    return [str(w) for w in rng.choice(words, size=n, replace=False)]


def scale_of(rng: np.random.Generator) -> float:
    """A power of ten."""
    return float(10.0 ** rng.integers(0, 4))


def _years(rng: np.random.Generator, low: int = 5, high: int = 13) -> list[int]:
    n = int(rng.integers(low, high))
    first = int(rng.integers(1960, 2010))
    return list(range(first, first + n))


def _walks(rng: np.random.Generator, n: int, length: int) -> np.ndarray:
    """(n, length) values that rise and fall, all positive."""
    steps = rng.normal(0, 1.0, (n, length)).cumsum(axis=1) + rng.uniform(0, 8, (n, 1))
    return (steps - steps.min() + 0.5) * scale_of(rng) * rng.uniform(0.5, 3)


def by_x(xs: list[Any], rows: np.ndarray, names: list[str]) -> Values:
    """Each row under its name, over the xs."""
    return {
        name: [(str(x), float(y)) for x, y in zip(xs, row, strict=True)] for name, row in zip(names, rows, strict=True)
    }


def _legend(ax: Axes, rng: np.random.Generator, n: int, inside: bool = False) -> Any:
    place = str(rng.choice(["right", "below"]))
    if inside:
        # Above the lines, so that it hides none of them.
        low, high = ax.get_ylim()
        ax.set_ylim(low, high + (0.1 + 0.12 * n) * (high - low))
        return ax.legend(loc="upper left")
    if place == "right":
        return ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncol=n)


def _bars(ax: Axes, rng: np.random.Generator, style: Style, rows: np.ndarray, *, how: str) -> Plotted:
    names = names_of(rng, len(rows), NAMES)
    cats = names_of(rng, rows.shape[1])
    at = np.arange(len(cats))
    wide = float(rng.uniform(0.55, 0.85))
    below = np.zeros(rows.shape[1])
    lying = how == "lying"
    for i, (name, row) in enumerate(zip(names, rows, strict=True)):
        color = style.colors[i]
        if lying:
            ax.barh(at, row, wide, color=color, label=name)
        elif how == "stacked":
            ax.bar(at, row, wide, bottom=below, color=color, label=name)
            below = below + row
        else:
            ax.bar(at + (i - (len(rows) - 1) / 2) * wide / len(rows), row, wide / len(rows), color=color, label=name)
    (ax.set_yticks if lying else ax.set_xticks)(at, cats)
    dress(ax, rng, style, "x" if lying else "y")
    legend = _legend(ax, rng, len(names)) if len(names) > 1 else None
    return Plotted(
        by_x(cats, rows, names),
        x_categories=() if lying else tuple(cats),
        y_categories=tuple(cats) if lying else (),
        legend=legend,
        entries=tuple((name, style.colors[i], "box") for i, name in enumerate(names)) if legend else (),
        kind="bar",
    )


def bars(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Upright bars of one series, a third of them with negative values."""
    rows = rng.uniform(0.05, 1, (1, rng.integers(3, 10))) * scale_of(rng)
    if rng.random() < 0.33:
        rows *= rng.choice([-1, 1], rows.shape)
    return _bars(ax, rng, style, rows, how="beside")


def bars_horizontal(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Lying bars of one series."""
    return _bars(ax, rng, style, rng.uniform(0.05, 1, (1, rng.integers(3, 10))) * scale_of(rng), how="lying")


def bars_grouped(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Several bars beside each other in each category."""
    rows = rng.uniform(0.05, 1, (rng.integers(2, 5), rng.integers(3, 7))) * scale_of(rng)
    return _bars(ax, rng, style, rows, how="beside")


def bars_stacked(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Several bars upon each other in each category."""
    rows = rng.uniform(0.1, 1, (rng.integers(2, 5), rng.integers(3, 9))) * scale_of(rng)
    return _bars(ax, rng, style, rows, how="stacked")


def bars_percent(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Stacked bars whose every category makes 100."""
    rows = rng.uniform(0.1, 1, (rng.integers(2, 5), rng.integers(3, 9)))
    return _bars(ax, rng, style, 100 * rows / rows.sum(axis=0), how="stacked")


def _lines(
    ax: Axes, rng: np.random.Generator, style: Style, *, n: int, legend: bool = True, log: bool = False, **how: Any
) -> Plotted:
    xs = _years(rng)
    rows = _walks(rng, n, len(xs))
    if log:
        rows = 10 ** (1 + 4 * rows / rows.max())
    names = names_of(rng, n, NAMES)
    dashes = how.pop("dashes", ["-"])
    markers = how.pop("markers", [""])
    for i, (name, row) in enumerate(zip(names, rows, strict=True)):
        ax.plot(
            xs,
            row,
            color=style.colors[i],
            label=name,
            linewidth=style.line_width,
            linestyle=dashes[i % len(dashes)],
            marker=markers[i % len(markers)],
            **how,
        )
    if log:
        ax.set_yscale("log")
    step = 1 if len(xs) < 9 else 2
    ax.set_xticks(xs[::step], [str(x) for x in xs[::step]])
    dress(ax, rng, style)
    drawn = _legend(ax, rng, n, inside=not log and rng.random() < 0.3) if legend and n > 1 else None
    return Plotted(
        by_x(xs, rows, names),
        x_numbers=tuple(xs[::step]),
        legend=drawn,
        entries=tuple((name, style.colors[i], "line") for i, name in enumerate(names)) if drawn else (),
        kind="line",
        extra={"xs": xs, "rows": rows, "names": names},
    )


def line(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """One line."""
    return _lines(ax, rng, style, n=1)


def lines(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Several lines that cross."""
    return _lines(ax, rng, style, n=int(rng.integers(2, 6)))


def lines_markers(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Several lines with markers."""
    shapes = [str(m) for m in rng.permutation(["o", "s", "^", "D"])]
    return _lines(ax, rng, style, n=int(rng.integers(1, 5)), markers=shapes, markersize=float(rng.uniform(4, 7)))


def lines_dashed(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Several lines, whole, dashed and dotted."""
    return _lines(ax, rng, style, n=int(rng.integers(2, 5)), dashes=["-", "--", ":", "-."])


def lines_steps(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Lines that go in steps, which change half-way or at the next value."""
    how = str(rng.choice(["steps-mid", "steps-post", "steps-pre"]))
    return _lines(ax, rng, style, n=int(rng.integers(1, 3)), drawstyle=how)


def lines_log(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Lines over a logarithmic scale."""
    return _lines(ax, rng, style, n=int(rng.integers(1, 4)), log=True)


def lines_labelled(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Lines whose names stand at their ends, in their colours or in black."""
    plotted = _lines(ax, rng, style, n=int(rng.integers(2, 5)), legend=False)
    rows, names = plotted.extra["rows"], plotted.extra["names"]
    tinted = rng.random() < 0.6
    lowest, highest = ax.get_ylim()
    ends = np.sort(rows[:, -1])
    apart = float(np.diff(ends).min()) / (highest - lowest)
    for i, name in enumerate(names):
        color = style.colors[i] if tinted or apart < 0.06 else "black"
        ax.annotate(
            name, (plotted.extra["xs"][-1], rows[i, -1]), (4, 0), textcoords="offset points", va="center", color=color
        )
    return plotted


def area(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """One area down to 0."""
    return _areas(ax, rng, style, 1)


def areas_stacked(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Areas upon each other."""
    return _areas(ax, rng, style, int(rng.integers(2, 5)))


def _areas(ax: Axes, rng: np.random.Generator, style: Style, n: int) -> Plotted:
    xs = _years(rng)
    rows = _walks(rng, n, len(xs))
    names = names_of(rng, n, NAMES)
    alpha = float(rng.choice([1.0, 1.0, 0.8]))
    ax.stackplot(xs, rows, labels=names, colors=style.colors[:n], alpha=alpha, linewidth=0)
    ax.set_xlim(xs[0], xs[-1])
    step = 1 if len(xs) < 9 else 2
    ax.set_xticks(xs[::step], [str(x) for x in xs[::step]])
    dress(ax, rng, style)
    legend = _legend(ax, rng, n) if n > 1 else None
    entries = tuple((name, style.colors[i], "box") for i, name in enumerate(names)) if legend else ()
    return Plotted(
        by_x(xs, rows, names), x_numbers=tuple(xs[::step]), legend=legend, entries=entries, kind="area", alpha=alpha
    )


def scatter(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Clouds of points."""
    n = int(rng.integers(1, 4))
    names = names_of(rng, n, NAMES)
    size = float(rng.uniform(14, 40))
    hollow = rng.random() < 0.3
    values: Values = {}
    sx, sy = scale_of(rng), scale_of(rng)
    taken = np.zeros((0, 2))
    for i, name in enumerate(names):
        points = []
        while len(points) < rng.integers(6, 16):
            spot = rng.uniform(0, 1, 2)
            # Clean charts have points apart: of those that hide others nobody can tell the place.
            if len(taken) and np.abs(taken - spot).max(axis=1).min() < 0.04:
                continue
            taken = np.vstack([taken, spot])
            points.append((float(spot[0] * sx), float(spot[1] * sy)))
        tint = {"facecolors": "none", "edgecolors": style.colors[i]} if hollow else {"color": style.colors[i]}
        ax.scatter([p[0] for p in points], [p[1] for p in points], s=size, label=name, **tint)
        values[name] = [(repr(x), y) for x, y in points]
    dress(ax, rng, style)
    ax.set_xlabel(str(rng.choice(WORDS)))
    legend = _legend(ax, rng, n) if n > 1 else None
    entries = tuple((name, style.colors[i], "dot") for i, name in enumerate(names)) if legend else ()
    return Plotted(values, legend=legend, entries=entries, kind="scatter")


def pie(ax: Axes, rng: np.random.Generator, style: Style, hole: float = 0.0) -> Plotted:
    """Slices with names beside them or in a legend, a third of them with printed percents."""
    n = int(rng.integers(2, 7))
    names = names_of(rng, n)
    shares = rng.uniform(0.08, 1, n)
    shares = 100 * shares / shares.sum()
    beside = rng.random() < 0.5
    edge = {"linewidth": 1.0, "edgecolor": "white"} if rng.random() < 0.5 else {}
    ax.pie(
        shares,
        labels=names if beside else None,
        colors=style.colors[:n],
        startangle=float(rng.choice([0, 90, rng.uniform(0, 360)])),
        counterclock=bool(rng.random() < 0.5),
        autopct="%.1f%%" if rng.random() < 0.33 else None,
        pctdistance=0.6 if not hole else (1 + hole) / 2,
        wedgeprops=edge | ({"width": 1 - hole} if hole else {}),
    )
    ax.set_title(f"{rng.choice(WORDS)} by {rng.choice(WORDS)}")
    legend = None if beside else ax.legend(names, loc="center left", bbox_to_anchor=(1.05, 0.5))
    entries = () if beside else tuple((name, style.colors[i], "box") for i, name in enumerate(names))
    values = {"": [(name, float(share)) for name, share in zip(names, shares, strict=True)]}
    return Plotted(values, legend=legend, entries=entries, kind="pie", axes=False)


def donut(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """The same with a hole."""
    return pie(ax, rng, style, hole=float(rng.uniform(0.4, 0.65)))


def boxes(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Boxes with medians and whiskers, filled or not."""
    n = int(rng.integers(2, 6))
    cats = names_of(rng, n)
    scale = scale_of(rng)
    data = [rng.normal(rng.uniform(3, 6), rng.uniform(0.6, 1.5), 60) * scale for _ in range(n)]
    filled = bool(rng.random() < 0.5)
    drawn = ax.boxplot(
        data,
        widths=float(rng.uniform(0.4, 0.65)),
        patch_artist=filled,
        showfliers=bool(rng.random() < 0.5),
        tick_labels=cats,
        boxprops={"facecolor": style.colors[0]} if filled else {"color": style.colors[0]},
        medianprops={"color": "black" if filled else style.colors[1], "linewidth": 1.5},
    )
    values: Values = {"minimum": [], "lower quartile": [], "median": [], "upper quartile": [], "maximum": []}
    for i, cat in enumerate(cats):
        low, high = drawn["caps"][2 * i].get_ydata()[0], drawn["caps"][2 * i + 1].get_ydata()[0]
        quartiles = np.percentile(data[i], [25, 50, 75])
        for name, value in zip(values, [low, *quartiles, high], strict=True):
            values[name].append((cat, float(value)))
    dress(ax, rng, style)
    return Plotted(values, x_categories=tuple(cats), kind="box", extra={"at": np.arange(1, n + 1)})


def error_bars(ax: Axes, rng: np.random.Generator, style: Style) -> Plotted:
    """Points with the range they may be in, above and below."""
    n = int(rng.integers(3, 8))
    cats = names_of(rng, n)
    middle = rng.uniform(3, 9, n) * scale_of(rng)
    below, above = middle * rng.uniform(0.08, 0.3, n), middle * rng.uniform(0.08, 0.3, n)
    ax.errorbar(
        np.arange(n),
        middle,
        yerr=[below, above],
        fmt="o",
        color=style.colors[0],
        capsize=4,
        markersize=6,
        linewidth=1.4,
    )
    ax.set_xticks(np.arange(n), cats)
    ax.set_xlim(-0.5, n - 0.5)
    dress(ax, rng, style)
    values: Values = {"value": [], "low": [], "high": []}
    for i, cat in enumerate(cats):
        for name, value in zip(values, (middle[i], middle[i] - below[i], middle[i] + above[i]), strict=True):
            values[name].append((cat, float(value)))
    return Plotted(values, x_categories=tuple(cats), kind="error")
