"""Pies and donuts: slices with their names, and their printed values or their shares in percent."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from mineru_core.document.chart import Point, PointSource, Series
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.pie_slices import FLAT, Disc, Slice, find_disc, slices_of
from mineru_core.engines.embedded.charts.polish import share_left
from mineru_core.engines.embedded.charts.scene import RGB, Label, LegendEntry, Scene
from mineru_core.engines.embedded.charts.texts import title_above

_VALUE = r"[<~≈]?\s*[$€£¥]?\s*(?P<number>\d[\d.,\s]*?)\s*(?P<percent>%|％)?"
_ALONE = re.compile(rf"^\(?{_VALUE}\)?$")
_AT_END = re.compile(rf"^(?P<name>.*?\D)[\s:,;(–—-]+{_VALUE}\)?$")
_AT_START = re.compile(r"^(?P<number>\d[\d.,]*)\s*(?P<percent>%|％)\s+(?P<name>\D.*)$")

FARTHEST = 0.75
"""How far from the disc a name may stand, in radii; leader lines lead there."""

SLIVER = 0.02
"""Share of the whole up to which a slice without a name may be none."""

AGREES = 1.5
"""Points of percent by which a printed percent may differ from the slice's angle."""


@dataclass(frozen=True)
class _Text:
    """What a label says: a name, a value, or both; its angle about the disc, and how far from the middle (in radii)."""

    name: str
    value: float | None
    percent: bool
    angle: float
    far: float
    digits: int


def read_pie(pixels: Pixels, labels: Sequence[Label], legend: Sequence[LegendEntry] = ()) -> list[Series] | None:
    """One series with a point for each slice, clockwise from the top; None where the picture (RGB) has no pie.

    ``labels`` are the texts that are neither title nor legend. Values are the printed ones where every slice has one,
    percents of the whole elsewhere. ``place`` is the middle of a slice.
    """
    disc = find_disc(pixels)
    if disc is None:
        return None
    entries = [entry for entry in legend if entry.color is not None]
    slices = slices_of(pixels, disc, [entry.color for entry in entries if entry.color is not None])
    if entries and sum(s.share for s in slices) < 0.9:
        slices = slices_of(pixels, disc)
    if len(slices) < 2:
        return None
    texts = [text for label in labels if (text := _text(label, disc)) is not None]
    texts = _with_values(texts, len(slices))
    if not entries:
        slices = _without_slivers(slices, sum(bool(text.name) for text in texts))
    names = _legend_names(slices, entries) if entries else _names(slices, texts)
    values = _printed(slices, texts)
    points = [_point(s, name, value, disc) for s, name, value in zip(slices, names, values, strict=True)]
    return [Series(points=tuple(points))]


def pie_title(scene: Scene, series: Sequence[Series]) -> str:
    """The text above a pie and all that stands about it, "" where there is none.

    A name, a value or an entry of the legend is none.
    """
    disc = find_disc(scene.pixels)
    if disc is None:
        return ""
    names = [point.x for one in series for point in one.points if point.x]
    entries = [entry.name for entry in scene.legend]
    rest = [label for label in scene.labels if _ALONE.match(label.text.strip()) is None]
    of_slices = [la for la in rest if any(_begins_with(la.text.strip(), name) for name in (*names, *entries))]
    top = min([disc.y - disc.radius, *(label.box.y0 for label in of_slices)])
    of = {id(label) for label in of_slices}
    return title_above([label for label in rest if id(label) not in of], top, scene.text_height)


def _begins_with(text: str, name: str) -> bool:
    """Whether a text is a name, with nothing but a value after it."""
    return text.startswith(name) and not any(c.isalpha() for c in text.removeprefix(name))


def slice_colors(pixels: Pixels) -> list[RGB]:
    """The colours of a pie's slices clockwise from the top, empty where the picture has none."""
    disc = find_disc(pixels)
    return [s.color for s in slices_of(pixels, disc)] if disc is not None else []


def _text(label: Label, disc: Disc) -> _Text | None:
    box = label.box
    # The nearest point of the words to the middle is where they are hung up; inside the disc it is their middle.
    x = min(max(disc.x, box.x0), box.x1)
    y = min(max(disc.y, box.y0), box.y1)
    if math.hypot(x - disc.x, y - disc.y) < 0.95 * disc.radius:
        x, y = box.center
    far = math.hypot(x - disc.x, y - disc.y) / disc.radius
    if far > 1 + FARTHEST or far < disc.hole / disc.radius * 0.7:
        return None
    angle = math.degrees(math.atan2(x - disc.x, disc.y - y)) % 360
    words = label.text.strip()
    for pattern in (_ALONE, _AT_END, _AT_START):
        found = pattern.match(words)
        value = _number(found["number"]) if found else None
        if found and value is not None:
            name = found.groupdict().get("name") or ""
            if name and not found["percent"] and far > 1:
                # "Under 18", "Group 2": a number that is no percent belongs to the name.
                break
            digits = len(found["number"].rpartition(".")[2]) if "." in found["number"] else 0
            return _Text(name.strip(" :,;(–—-"), value, bool(found["percent"]), angle, far, digits)
    return _Text(words, None, False, angle, far, 0)


def _number(text: str) -> float | None:
    plain = re.sub(r"[\s ]", "", text).rstrip(".,")
    if re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", plain):
        plain = plain.replace(",", "")
    plain = plain.replace(",", ".")
    return float(plain) if re.fullmatch(r"\d+(\.\d+)?", plain) else None


def _with_values(texts: list[_Text], slices: int) -> list[_Text]:
    """The texts without names alone, where names come with their values: titles and notes stand near a pie, too."""
    both = sum(bool(text.name) and text.value is not None for text in texts)
    return [text for text in texts if text.value is not None] if both >= max(2, 0.6 * slices) else texts


def _without_slivers(slices: list[Slice], names: int) -> list[Slice]:
    """The slices without the narrowest ones that no name is left for: edges between others, or their shadows."""
    extra = len(slices) - names
    if names < 2 or extra <= 0:
        return slices
    slivers = sorted(range(len(slices)), key=lambda i: slices[i].share)[:extra]
    return [s for i, s in enumerate(slices) if i not in slivers or s.share > SLIVER]


def _legend_names(slices: Sequence[Slice], entries: Sequence[LegendEntry]) -> list[str]:
    return [
        min(entries, key=lambda e: math.dist(e.color, s.color) if e.color is not None else math.inf).name
        for s in slices
    ]


def _names(slices: Sequence[Slice], texts: Sequence[_Text]) -> list[str]:
    words = [text for text in texts if text.name]
    found = _joined(slices, words)
    return [word.name if word is not None else "" for word in found]


def _printed(slices: Sequence[Slice], texts: Sequence[_Text]) -> list[_Text | None]:
    """The printed value of each slice; plain numbers only where every slice has one, and as large as it."""
    values = [text for text in texts if text.value is not None]
    found = _joined(slices, values)
    if all(text is None or text.percent for text in found):
        return found
    total = sum(text.value or 0.0 for text in found if text is not None)
    fits = total > 0 and all(
        text is not None and abs((text.value or 0.0) / total - s.share) < 0.04
        for text, s in zip(found, slices, strict=True)
    )
    return found if fits else [text if text is not None and text.percent else None for text in found]


def _joined(slices: Sequence[Slice], texts: Sequence[_Text]) -> list[_Text | None]:
    """For each slice the text that stands at it, in it first; each text once."""
    if len(texts) == len(slices):
        return _in_turn(slices, texts)
    pairs = sorted(
        (_apart(s, text), i, j) for i, s in enumerate(slices) for j, text in enumerate(texts) if _apart(s, text) < 25
    )
    out: list[_Text | None] = [None] * len(slices)
    used: set[int] = set()
    for _, i, j in pairs:
        if out[i] is None and j not in used:
            out[i] = texts[j]
            used.add(j)
    return out


def _in_turn(slices: Sequence[Slice], texts: Sequence[_Text]) -> list[_Text | None]:
    """As many texts as slices: they go round in the same order, turned as it suits their angles best."""
    order = sorted(range(len(slices)), key=lambda i: slices[i].middle)
    ring = sorted(texts, key=lambda text: text.angle)
    turns = range(len(ring))
    costs = [sum(_apart(slices[i], ring[(k + t) % len(ring)]) for k, i in enumerate(order)) for t in turns]
    best = min(turns, key=costs.__getitem__)
    out: list[_Text | None] = [None] * len(slices)
    for k, i in enumerate(order):
        out[i] = ring[(k + best) % len(ring)]
    return out


def _apart(s: Slice, text: _Text) -> float:
    """Degrees between a text and the middle of a slice; less for one that is within the slice's angles."""
    off = abs((text.angle - s.middle + 180) % 360 - 180)
    beyond = max(0.0, off - 180 * s.share)
    return beyond + 0.1 * off


def _point(s: Slice, name: str, text: _Text | None, disc: Disc) -> Point:
    share = 100 * s.share
    # A slice's edges are sure to about half a pixel of the rim.
    sure = 1.0 - min(0.5, 60.0 / (math.pi * disc.radius) * 0.2)
    sure *= share_left(s.share * 2 * math.pi * disc.radius)
    if disc.slant > FLAT or disc.slant < 1 / FLAT:
        sure *= 0.4
    value = round(share, 2)
    source = PointSource.MEASURED
    if text is not None and text.value is not None:
        value, source = text.value, PointSource.PRINTED
        sure = 0.98 if not text.percent or abs(text.value - share) <= AGREES else 0.5
    middle = math.radians(s.middle)
    out = (disc.hole + disc.radius) / 2
    return Point(
        x=name,
        y=value,
        confidence=round(sure, 3),
        source=source,
        place=(disc.x + out * math.sin(middle), disc.y - out * math.cos(middle)),
    )
