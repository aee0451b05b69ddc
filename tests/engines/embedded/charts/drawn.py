"""Charts drawn for tests with matplotlib: pixels, the exact values, and all that a reader could know around the marks.

``draw(kind, seed)`` gives the same chart for the same arguments. Its ``scene`` is exact (boxes of texts, axes, legend
as the renderer placed them), so that readers of marks are tested without recognition of text; the pixels alone test
the whole way.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from mineru_core.document.chart import Series
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.scene import NumberAxis, Scene
from tests.engines.embedded.charts import drawn_combined, drawn_kinds
from tests.engines.embedded.charts.drawn_kinds import Plotted, Style, Values
from tests.engines.embedded.charts.drawn_scene import scene_of

# Fonts that come with matplotlib: the same on every machine.
FONTS = ("DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono", "STIXGeneral")

PALETTES: tuple[tuple[str, ...], ...] = (
    ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2"),
    ("#4c78a8", "#f58518", "#e45756", "#72b7b2", "#54a24b", "#eeca3b", "#b279a2"),
    ("#2876dd", "#0f283e", "#bababa", "#971c1c", "#87bc24", "#e2b616", "#7a5195"),
    ("#18a1a5", "#b13507", "#6d3e91", "#4c6a9c", "#00847e", "#bc8e5a", "#c15065"),
    ("#003f5c", "#58508d", "#bc5090", "#ff6361", "#ffa600", "#2f9e44", "#868e96"),
)

KINDS: dict[str, Callable[..., Plotted]] = {
    "bars": drawn_kinds.bars,
    "bars_horizontal": drawn_kinds.bars_horizontal,
    "bars_grouped": drawn_kinds.bars_grouped,
    "bars_stacked": drawn_kinds.bars_stacked,
    "bars_percent": drawn_kinds.bars_percent,
    "bars_line": drawn_combined.bars_line,
    "bars_line_axes": drawn_combined.bars_line_axes,
    "line": drawn_kinds.line,
    "lines": drawn_kinds.lines,
    "lines_markers": drawn_kinds.lines_markers,
    "lines_dashed": drawn_kinds.lines_dashed,
    "lines_steps": drawn_kinds.lines_steps,
    "lines_labelled": drawn_kinds.lines_labelled,
    "lines_log": drawn_kinds.lines_log,
    "area": drawn_kinds.area,
    "areas_stacked": drawn_kinds.areas_stacked,
    "scatter": drawn_kinds.scatter,
    "pie": drawn_kinds.pie,
    "donut": drawn_kinds.donut,
    "boxes": drawn_kinds.boxes,
    "error_bars": drawn_kinds.error_bars,
}


@dataclass(frozen=True)
class Drawn:
    """A chart: its pixels, its exact scene, and by series name the exact (x, y) of each point.

    ``kind`` is a key of ``KINDS``. ``quality`` is that of the JPEG it went through, None for none. ``second`` names the
    series of the scale on the right.
    """

    kind: str
    seed: int
    pixels: Pixels
    scene: Scene
    values: Values
    quality: int | None
    second: str = ""

    @property
    def reach(self) -> float:
        """The range of the value axis in its units, of its logarithm on a log axis; 100 where there is no axis."""
        for axis, length in ((self.scene.y, self.scene.plot.height), (self.scene.x, self.scene.plot.width)):
            if isinstance(axis, NumberAxis):
                return abs(axis.slope) * length
        return 100.0

    def reach_of(self, name: str) -> float:
        """The range of the axis that a series is measured by."""
        axis = self.scene.second_y
        return self.reach if axis is None or name != self.second else abs(axis.slope) * self.scene.plot.height


def draw(kind: str, seed: int, *, clean: bool = True) -> Drawn:
    """A random chart of a kind. One that is not ``clean`` is small, or went through a JPEG."""
    rng = np.random.default_rng([seed, zlib.crc32(kind.encode())])
    style = _style(rng, clean)
    quality = None if clean or rng.random() < 0.3 else int(rng.integers(45, 90))
    with rc_context({"font.family": style.font, "font.size": style.font_size, "axes.unicode_minus": False}):
        figure = Figure(figsize=style.size, dpi=style.dpi, layout="tight")
        canvas = FigureCanvasAgg(figure)
        plotted = KINDS[kind](figure.add_subplot(), rng, style)
        canvas.draw()
        pixels = np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
        scene = scene_of(figure, plotted, pixels)
    if quality is not None:
        pixels = _through_jpeg(pixels, quality)
        scene = replace(scene, pixels=pixels)
    return Drawn(kind, seed, pixels, scene, plotted.values, quality, plotted.extra.get("second", ""))


def _style(rng: np.random.Generator, clean: bool) -> Style:
    dpi = int(rng.integers(90, 170)) if clean else int(rng.integers(65, 100))
    return Style(
        font=str(rng.choice(FONTS)),
        font_size=float(rng.uniform(8, 11)),
        size=(float(rng.uniform(4.8, 8)), float(rng.uniform(3.4, 5.2))),
        dpi=dpi,
        colors=tuple(PALETTES[int(rng.integers(len(PALETTES)))]),
        grid=str(rng.choice(["", "y", "both", "dashed"])),
        frame=bool(rng.random() < 0.5),
        ground=str(rng.choice(["white", "white", "white", "#f5f5f5", "#eaeaf2"])),
        line_width=float(rng.uniform(1.2, 3.0)),
        chinese=False,
    )


def _through_jpeg(pixels: Pixels, quality: int) -> Pixels:
    held = io.BytesIO()
    Image.fromarray(pixels).save(held, "JPEG", quality=quality)
    return np.asarray(Image.open(held).convert("RGB")).copy()


@dataclass(frozen=True)
class Miss:
    """How far a value was read off: ``error`` as a share of the axis' range, infinite where it was not read at all."""

    series: str
    x: str
    error: float
    confidence: float


def misses(drawn: Drawn, read: Sequence[Series] | None) -> list[Miss]:
    """Every true point with its error. Points are joined by name of series and x; those of a scatter by nearness."""
    by_name = {series.name: series for series in read or ()}
    if len(drawn.values) == 1 and read is not None and len(read) == 1:
        by_name = dict.fromkeys(drawn.values, read[0])
    join = _nearest if drawn.kind == "scatter" else _same_x
    return [miss for name, points in drawn.values.items() for miss in join(drawn, name, points, by_name.get(name))]


def _same_x(drawn: Drawn, name: str, points: Sequence[tuple[str, float]], read: Series | None) -> list[Miss]:
    found = {_key(point.x): point for point in read.points} if read is not None else {}
    value = drawn.scene.y if isinstance(drawn.scene.y, NumberAxis) else drawn.scene.x
    log = isinstance(value, NumberAxis) and value.log
    out = []
    for x, y in points:
        point = found.get(_key(x))
        if point is None or point.y is None or (log and point.y <= 0):
            out.append(Miss(name, x, float("inf"), 0.0))
            continue
        off = abs(np.log10(point.y) - np.log10(y)) if log else abs(point.y - y)
        out.append(Miss(name, x, float(off / drawn.reach_of(name)), point.confidence))
    return out


def _key(x: str) -> str:
    """Numbers by value, whatever their form."""
    try:
        return f"{float(x):.6g}"
    except ValueError:
        return x


def _nearest(drawn: Drawn, name: str, points: Sequence[tuple[str, float]], read: Series | None) -> list[Miss]:
    assert isinstance(drawn.scene.x, NumberAxis)
    across = abs(drawn.scene.x.slope) * drawn.scene.plot.width
    left = list(read.points) if read is not None else []
    out = []
    for x, y in points:
        offs = [
            max(abs(float(p.x) - float(x)) / across, abs((p.y if p.y is not None else np.inf) - y) / drawn.reach)
            for p in left
        ]
        if not offs:
            out.append(Miss(name, x, float("inf"), 0.0))
            continue
        best = int(np.argmin(offs))
        out.append(Miss(name, x, float(offs[best]), left.pop(best).confidence))
    return out
