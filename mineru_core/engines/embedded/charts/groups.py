"""Bars to categories: which columns of bars belong to which name below (or beside) them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, pairwise
from statistics import median

from mineru_core.engines.embedded.charts.build import names_of
from mineru_core.engines.embedded.charts.dates import date_number
from mineru_core.engines.embedded.charts.scene import Label
from mineru_core.engines.embedded.charts.sticks import Stick

# A name stands at its bars: within this share of the distance of two names.
MAX_OFF = 0.5
# Dates that this share of the names agree with go on between them.
MOSTLY = 0.7
# A name is centred at its bar to within this share of the distance of two bars; so many bars tell that distance.
AT_BAR = 0.2
MIN_NAMED = 3
# Lines whose middles are this near to each other, in heights of a line, are one.
SAME_ROW = 0.4
# Names read as one are not centred below their bars where they differ in length.
MAX_BESIDE = 0.5
MAX_CUTS = 500


@dataclass(frozen=True, slots=True)
class Category:
    """A category: its name, its place across in pixels, and its columns of sticks, none where it has no bars."""

    name: str
    at: float
    columns: tuple[tuple[Stick, ...], ...] = ()


def categories_of(
    columns: Sequence[Sequence[Stick]], names: Sequence[tuple[str, float]], groups: bool
) -> list[Category]:
    """The categories of a chart in the order of their places.

    ``columns`` are its columns of sticks and ``names`` the names at the axis with their places, both in order.
    ``groups`` says that several columns may share a name.
    """
    bundles = _bundles(columns, groups)
    centers = [_center(bundle) for bundle in bundles]
    if not names:
        return [Category("", at, bundle) for at, bundle in zip(centers, bundles, strict=True)]
    by_name = _by_nearest_name(columns, names)
    if groups and all(_colors_differ(category.columns) for category in by_name):
        return by_name
    if len(bundles) <= len(names):
        bundled = _by_nearest_name_of_bundles(bundles, names)
        if bundled is not None:
            return bundled
    return _between_names(bundles, centers, names)


def names_beside(labels: Sequence[Label], centers: Sequence[float], height: float) -> list[tuple[str, float]]:
    """The names left of horizontal bars with their places: the lines nearest to the middle of a bar are its name.

    ``centers`` are the middles of the bars (or groups of them), pixels down the picture, in order; ``height`` is that
    of a line. Lines that are far from all of them are names without bars.
    """
    step = median(b - a for a, b in pairwise(centers)) if len(centers) > 1 else 8 * height
    held: dict[int, list[Label]] = {}
    alone: list[Label] = []
    for label in labels:
        at = label.box.center[1]
        index = min(range(len(centers)), key=lambda i: abs(centers[i] - at))
        if abs(centers[index] - at) <= 0.55 * step:
            held.setdefault(index, []).append(label)
        else:
            alone.append(label)
    named = [(_text_of(lines), centers[index]) for index, lines in held.items()]
    return sorted([*named, *names_of(alone, height, vertical=True)], key=lambda pair: pair[1])


def parted_names(labels: Sequence[Label], centers: Sequence[float]) -> list[Label]:
    """The labels below upright bars, those that were read as one and stand below two bars or more taken apart.

    ``centers`` are the middles of the bars, pixels across. A label is parted at those of its blanks that leave a part
    centred below each of the bars it spans.
    """
    if len(centers) < MIN_NAMED or len(labels) >= len(centers):
        return list(labels)
    if (each := a_word_each(labels, centers)) is not None:
        return each
    if len(labels) == 1 and len(_words(labels[0].text)) == len(centers):
        labels = [replace(labels[0], text=" ".join(_words(labels[0].text)))]
        return _parts(labels[0], sorted(centers), median(b - a for a, b in pairwise(sorted(centers)))) or list(labels)
    step = median(b - a for a, b in pairwise(sorted(centers)))
    level = [label for label in labels if not label.turned and label.slant is None]
    alone = sum(min(abs(label.box.center[0] - at) for at in centers) <= AT_BAR * step for label in level)
    if alone < len(labels) / 2:
        return list(labels)
    out: list[Label] = []
    for label in labels:
        spanned = sorted(at for at in centers if label.box.x0 < at < label.box.x1)
        off = min((abs(label.box.center[0] - at) for at in spanned), default=0.0)
        parts = _parts(label, spanned, step) if label in level and len(spanned) > 1 else None
        wide = off > AT_BAR * step or len(spanned) > 2
        out += parts if parts is not None and wide else [label]
    return out


def a_word_each(labels: Sequence[Label], centers: Sequence[float]) -> list[Label] | None:
    """The labels with each word on its own, where there are as many words as bars or bundles above them, and each label
    stands below those that its words are of; None where that is not so."""
    if len(centers) < 2 or any(label.turned or label.slant is not None for label in labels):
        return None
    step = median(b - a for a, b in pairwise(sorted(centers)))
    left = sorted(centers)
    out: list[Label] = []
    for label in sorted(labels, key=lambda one: one.box.x0):
        words = _words(label.text)
        own, left = left[: len(words)], left[len(words) :]
        if len(own) < len(words) or abs(label.box.center[0] - (own[0] + own[-1]) / 2) > MAX_BESIDE * step:
            return None
        out += [label] if len(words) == 1 else [_at_place(label, word, at) for word, at in zip(words, own, strict=True)]
    return None if left else out


def _at_place(label: Label, word: str, at: float) -> Label:
    half = label.box.width * len(word) / (2 * len(label.text))
    return replace(label, text=word, box=label.box._replace(x0=at - half, x1=at + half))


def _words(text: str) -> list[str]:
    """The words of a text, also those that were read as one, each with its great letter."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).split()


def _parts(label: Label, centers: Sequence[float], step: float) -> list[Label] | None:
    """A label in as many parts as there are places, each centred at its own; None where no blanks allow it."""
    words = label.text.split()
    if len(words) < len(centers):
        return None
    per_letter = label.box.width / max(1, len(label.text))
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    best: tuple[float, tuple[int, ...]] | None = None
    for cut in islice(combinations(range(1, len(words)), len(centers) - 1), MAX_CUTS):
        edges = (0, *cut, len(words))
        middles = [label.box.x0 + per_letter * (starts[a] + starts[b] - 1) / 2 for a, b in pairwise(edges)]
        off = max(abs(middle - at) for middle, at in zip(middles, centers, strict=True))
        if best is None or off < best[0]:
            best = off, edges
    if best is None or best[0] > AT_BAR * step:
        return None
    return [
        replace(
            label,
            text=" ".join(words[a:b]),
            box=label.box._replace(
                x0=label.box.x0 + per_letter * starts[a], x1=label.box.x0 + per_letter * (starts[b] - 1)
            ),
        )
        for a, b in pairwise(best[1])
    ]


def bundle_centers(columns: Sequence[Sequence[Stick]], groups: bool) -> list[float]:
    """The middles across of columns of sticks, or of groups of them."""
    return [_center(bundle) for bundle in _bundles(columns, groups)]


def _text_of(lines: Sequence[Label]) -> str:
    rows: list[list[Label]] = []
    for label in sorted(lines, key=lambda la: la.box.center[1]):
        last = rows[-1][-1] if rows else None
        if last is not None and label.box.center[1] - last.box.center[1] <= SAME_ROW * min(label.height, last.height):
            rows[-1].append(label)
        else:
            rows.append([label])
    return " ".join(label.text for row in rows for label in sorted(row, key=lambda la: la.box.x0))


def _by_nearest_name(columns: Sequence[Sequence[Stick]], names: Sequence[tuple[str, float]]) -> list[Category]:
    held: list[list[tuple[Stick, ...]]] = [[] for _ in names]
    for column in columns:
        index = min(range(len(names)), key=lambda i: abs(names[i][1] - column[0].center))
        held[index].append(tuple(column))
    return [Category(name, at, tuple(group)) for (name, at), group in zip(names, held, strict=True)]


def _by_nearest_name_of_bundles(
    bundles: Sequence[tuple[tuple[Stick, ...], ...]], names: Sequence[tuple[str, float]]
) -> list[Category] | None:
    """Each bundle at the name nearest to it; None where two would share one."""
    held: dict[int, tuple[tuple[Stick, ...], ...]] = {}
    for bundle in bundles:
        at = _center(bundle)
        index = min(range(len(names)), key=lambda i: abs(names[i][1] - at))
        if index in held:
            return None
        held[index] = bundle
    return [Category(name, at, held.get(i, ())) for i, (name, at) in enumerate(names)]


def _between_names(
    bundles: Sequence[tuple[tuple[Stick, ...], ...]], centers: Sequence[float], names: Sequence[tuple[str, float]]
) -> list[Category]:
    """Bars of which only some have a name: dates go on between the named ones, other bars keep an empty name."""
    given: dict[int, str] = {}
    for name, at in names:
        index = min(range(len(centers)), key=lambda i: abs(centers[i] - at))
        given.setdefault(index, name)
    texts = [given.get(i, "") for i in range(len(bundles))]
    known = [(i, number) for i, name in given.items() if (number := date_number(name)) is not None]
    known.sort()
    if len(known) >= 2 and len(known) >= MOSTLY * len(given):
        step = median((b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(known))
        first = median(number - step * i for i, number in known)
        agree = sum(abs(number - first - step * i) < 0.5 * abs(step) for i, number in known)
        if step and agree >= MOSTLY * len(known):
            like = given[known[0][0]]
            texts = [text or _date_text(first + step * i, step, like) for i, text in enumerate(texts)]
    return [Category(text, at, bundle) for text, at, bundle in zip(texts, centers, bundles, strict=True)]


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _date_text(number: float, step: float, like: str) -> str:
    """A date as its neighbours are written."""
    year = int(number + 1e-6)
    part = number - year
    short = f"{year % 100:02d}"
    apostrophe = "'" if "'" in like or "’" in like else ""
    tail = str(year) if re.search(r"\d{4}", like) else apostrophe + short
    if abs(step - round(step)) < 0.02 and not any(c.isalpha() for c in like):
        return tail
    if like.startswith(("Q", "q")):
        return f"Q{round(part * 4) % 4 + 1} {tail}"
    return f"{_MONTHS[round(part * 12) % 12]} {tail}" if any(c.isalpha() for c in like) else str(year)


def _bundles(columns: Sequence[Sequence[Stick]], groups: bool) -> list[tuple[tuple[Stick, ...], ...]]:
    """Columns put together to groups: a wide gap, or a colour that comes again, begins the next one."""
    if not groups:
        return [(tuple(column),) for column in columns]
    gaps = [b[0].left - a[0].right for a, b in pairwise(columns)]
    smallest = min(gaps, default=0.0)
    wide = max(smallest + 3.0, 1.5 * smallest)
    bundles: list[list[tuple[Stick, ...]]] = []
    for i, column in enumerate(columns):
        seen = {stick.color for other in bundles[-1] for stick in other} if bundles else set()
        if not bundles or gaps[i - 1] > wide or seen & {stick.color for stick in column}:
            bundles.append([])
        bundles[-1].append(tuple(column))
    return [tuple(bundle) for bundle in bundles]


def _center(bundle: Sequence[Sequence[Stick]]) -> float:
    return (min(s.left for c in bundle for s in c) + max(s.right for c in bundle for s in c)) / 2


def _colors_differ(columns: Sequence[Sequence[Stick]]) -> bool:
    """Whether no two columns of a category have a stick of one colour each."""
    seen: set[int] = set()
    for column in columns:
        colors = {stick.color for stick in column}
        if seen & colors:
            return False
        seen |= colors
    return True
