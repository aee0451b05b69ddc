"""What is known of a chart's picture before its marks are read: its texts, its axes and its legend.

Every place is in pixels of ``Scene.pixels``, which may be an enlarged copy of the chart on its page; x grows to the
right, y downwards, and pixel centres are at half numbers (the first pixel reaches from 0.0 to 1.0).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels

RGB = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Label:
    """One recognised text, such as one tick label or one printed value.

    ``turned`` says that it runs up or down. ``slant`` is the point (x, y) of its upper end where it runs aslant, as
    the labels below an axis do, whose upper ends stand at their ticks. ``tint`` is the colour of its letters where it
    was read by that.
    """

    text: str
    box: Box
    confidence: float = 1.0
    turned: bool = False
    slant: tuple[float, float] | None = None
    tint: tuple[int, int, int] | None = None

    @property
    def height(self) -> float:
        """Height of its line in pixels; meaningless where it runs aslant."""
        return self.box.width if self.turned else self.box.height

    @property
    def place(self) -> tuple[float, float]:
        """Where it marks an axis: its middle, or its upper end where it runs aslant."""
        return self.slant or self.box.center


@dataclass(frozen=True, slots=True)
class NumberAxis:
    """An axis whose places are numbers: value = slope × pixel + intercept, or ten to the power of it if ``log``.

    ``vertical`` axes measure y pixels, others x pixels. Values are in the units that the tick labels print: ``unit`` is
    what stands there beside the numbers (``%``, ``$``). ``ticks`` are (value, pixel) of the labels that agree;
    ``residual`` is their mean distance from the fit as a share of the axis' length, and ``confidence`` 0..1 what all
    that is worth. ``dates`` says that the values are years.
    """

    vertical: bool
    slope: float
    intercept: float
    log: bool = False
    unit: str = ""
    residual: float = 0.0
    ticks: tuple[tuple[float, float], ...] = ()
    confidence: float = 1.0
    dates: bool = False

    def value_at(self, pixel: float) -> float:
        """The value at a place along the axis."""
        linear = self.slope * pixel + self.intercept
        return math.pow(10.0, linear) if self.log else linear

    def pixel_at(self, value: float) -> float:
        """The place of a value; of one that a logarithmic axis does not have, minus or plus infinity."""
        if self.log:
            if value <= 0:
                return -math.inf if self.slope > 0 else math.inf
            value = math.log10(value)
        return (value - self.intercept) / self.slope

    @property
    def per_pixel(self) -> float:
        """How much a value changes from one pixel to the next, always positive; in powers of ten if ``log``."""
        return abs(self.slope)


@dataclass(frozen=True, slots=True)
class CategoryAxis:
    """An axis of names: ``categories`` are (name, pixel of its middle) in the order of pixels.

    Dates are categories that also have ``numbers`` (years, with a fraction for months), one for each category.
    """

    vertical: bool
    categories: tuple[tuple[str, float], ...] = ()
    numbers: tuple[float, ...] = ()
    confidence: float = 1.0

    @property
    def step(self) -> float:
        """Pixels from one category to the next (the median), 0 where there is only one."""
        places = sorted(pixel for _, pixel in self.categories)
        gaps = sorted(b - a for a, b in itertools.pairwise(places))
        return gaps[len(gaps) // 2] if gaps else 0.0

    def nearest(self, pixel: float) -> str:
        """The name at a place along the axis, "" where there are no categories."""
        return min(self.categories, key=lambda c: abs(c[1] - pixel), default=("", 0.0))[0]


AnyAxis = NumberAxis | CategoryAxis


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One entry of a legend: its name, the colour of its sample (None: not seen), the sample's box and its shape.

    ``marker`` is "box", "line", "dot" or "" where it is not known.
    """

    name: str
    color: RGB | None
    box: Box | None = None
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """A chart's picture with all that stands around its marks.

    ``pixels`` is (height, width, 3) uint8 RGB. ``labels`` are all texts; ``free`` are those of them that no other
    field holds (printed values, names at the ends of lines, notes). ``plot`` is the area the marks stand in.
    ``x_labels`` and ``y_labels`` are those at the axes, in the order of pixels, whether an axis came of them or not.
    ``background`` is its colour. An axis is None where the picture has none that can be read. ``second_y`` is the
    scale on the right, where there are two.
    """

    pixels: Pixels
    plot: Box
    labels: tuple[Label, ...] = ()
    free: tuple[Label, ...] = ()
    x: AnyAxis | None = None
    y: AnyAxis | None = None
    second_y: NumberAxis | None = None
    x_labels: tuple[Label, ...] = ()
    y_labels: tuple[Label, ...] = ()
    legend: tuple[LegendEntry, ...] = ()
    title: str = ""
    x_title: str = ""
    y_title: str = ""
    background: RGB = (255, 255, 255)
    text_height: float = 12.0
    warnings: tuple[str, ...] = field(default=())

    @property
    def labels_outside_legend(self) -> tuple[Label, ...]:
        """All labels but those beside the samples of the legend, from top to bottom."""
        samples = [entry.box for entry in self.legend if entry.box is not None]
        return tuple(label for label in self.labels if not any(_beside(sample, label) for sample in samples))


def _beside(sample: Box, label: Label) -> bool:
    gap = label.box.x0 - sample.x1
    level = abs(label.box.center[1] - sample.center[1]) < 0.7 * label.height
    return level and -1.6 * label.height < gap < 3.2 * label.height


def hex_color(color: RGB) -> str:
    """The colour as "#rrggbb"."""
    return "#{:02x}{:02x}{:02x}".format(*color)
