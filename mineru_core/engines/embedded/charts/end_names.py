"""Names at the right ends of lines, read again where other names or the frame of the plot run through them.

A name in its line's colour is told from all else by that colour; of a grey one the frame is taken away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.grid import Ruling, rulings
from mineru_core.engines.embedded.charts.lines import TracedLine, traced_lines
from mineru_core.engines.embedded.charts.lines_ink import Floats, is_busy
from mineru_core.engines.embedded.charts.scene import RGB, Label, NumberAxis, Scene
from mineru_core.engines.embedded.charts.small_names import read_cuts

Read = Callable[[Pixels], Sequence[Line]]

# In heights of a line: how far from the end of a line its name begins at most, how far from it up or down the name's
# middle is, how much of the picture above and below the end is looked at, and what gap ends a name.
REACH = 1.5
LEVEL = 0.6
AROUND = 0.75
WORD_GAP = 0.9
# Lines that go on by less than so many heights beyond another's end have their own names taken for a part of them.
COMMON_END = 6.0
# A name that was read with this confidence, and that nothing runs through, is not read again.
SURE = 0.97
MIN_CONFIDENCE = 0.7
# A pixel has the colour of a line that is off its ray by no more than this share of its contrast.
OFF_RAY = 0.4
# Ink covers so much of a pixel; a name in its line's colour has more of that than this share of what it has of grey.
INKED = 0.5
MOSTLY = 0.5
BLACK: RGB = (0, 0, 0)
WHITE: RGB = (255, 255, 255)
MAX_NAMES = 20
# Labels that a new one covers by this share are replaced by it.
COVERED = 0.4


@dataclass(frozen=True, slots=True)
class _Name:
    """A name at the end of a line: pictures of it in black on white, the same letters in each, and its place.

    ``tint`` is its colour, None for grey.
    """

    cuts: tuple[Pixels, ...]
    box: Box
    tint: RGB | None


def with_end_names(scene: Scene, read: Read) -> tuple[Label, ...] | None:
    """The labels with the names at the ends of lines as a second look reads them; None where it has nothing to tell.

    ``read`` reads the lines of a picture. It is called where names are doubtful alone: there are lines without one, or
    something runs through one.
    """
    if scene.legend or not isinstance(scene.y, NumberAxis) or not _has_words(scene) or is_busy(scene):
        return None
    lines = traced_lines(scene)
    ends = _ends(lines, scene.text_height)
    doubtful = [i for i, label in enumerate(_beside(scene, ends)) if label is None or label.confidence < SURE]
    if len(lines) < 2 or not doubtful or len(lines) > MAX_NAMES:
        return None
    colors = [line.color for line in lines]
    found = [name for i in doubtful if (name := _name_at(scene, ends[i], i, colors)) is not None]
    texts = iter(read_cuts([cut for name in found for cut in name.cuts], WHITE, read) if found else [])
    new = []
    for name in found:
        text, sure = max((next(texts) or ("", 0.0) for _ in name.cuts), key=lambda one: one[1])
        if sure >= MIN_CONFIDENCE and any(c.isalpha() for c in text):
            new.append(Label(text, name.box, sure, tint=name.tint))
    if not new:
        return None
    new = [_surer(name, scene.labels) for name in new]
    kept = [label for label in scene.labels if not any(_is_same(label, name) for name in new)]
    return tuple(sorted([*kept, *new], key=lambda label: (label.box.y0, label.box.x0)))


def _surer(name: Label, labels: Sequence[Label]) -> Label:
    """A name with the text that was read before where that is as long and surer."""
    before = [la for la in labels if _is_same(la, name) and len(la.text) == len(name.text)]
    best = max(before, key=lambda la: la.confidence, default=name)
    return replace(name, text=best.text, confidence=best.confidence) if best.confidence > name.confidence else name


def _is_same(label: Label, name: Label) -> bool:
    return label.box.covered_by(name.box) > COVERED or name.box.covered_by(label.box) > COVERED


def _has_words(scene: Scene) -> bool:
    """Whether words stand beside the right side of the plot area, or on it."""
    plot = scene.plot
    beside = [la for la in scene.free if la.box.x0 > plot.center[0] and plot.y0 <= la.box.center[1] <= plot.y1]
    return any(c.isalpha() for label in beside for c in label.text)


def _ends(lines: Sequence[TracedLine], height: float) -> list[tuple[float, float]]:
    """The right ends of lines; one whose name was followed as if it were the line ends where the others do."""
    last = [float(line.trace.x[line.trace.columns[-1]]) for line in lines]
    common = [min(other for other in last if end - other <= COMMON_END * height) for end in last]
    out = []
    for line, end in zip(lines, common, strict=True):
        column = line.trace.columns[line.trace.x[line.trace.columns] <= end][-1]
        out.append((end, float(line.trace.y[column])))
    return out


def _beside(scene: Scene, ends: Sequence[tuple[float, float]]) -> list[Label | None]:
    """For each end of a line the name that stands there alone; None where there is none, or something crosses it."""
    height = scene.text_height
    words = [label for label in scene.free if not label.turned and any(c.isalpha() for c in label.text)]
    at = [
        [
            word
            for word in words
            if -height <= word.box.x0 - x <= REACH * height and abs(word.box.center[1] - y) <= LEVEL * height
        ]
        for x, y in ends
    ]
    rules = [line.at for line in _frame(scene)]
    crossed = {id(word) for word in words if any(word.box.x0 < rule < word.box.x1 for rule in rules)}
    counts = [id(word) for here in at for word in here]
    return [
        here[0] if len(here) == 1 and id(here[0]) not in crossed and counts.count(id(here[0])) == 1 else None
        for here in at
    ]


def _name_at(scene: Scene, end: tuple[float, float], index: int, colors: Sequence[RGB]) -> _Name | None:
    """The name at an end of a line, None where nothing is drawn there.

    ``colors`` are those of all lines, ``index`` that of this one.
    """
    height, width = scene.pixels.shape[:2]
    reach = AROUND * scene.text_height
    area = Box(end[0] + 1, end[1] - reach, width, end[1] + reach).clipped(width, height)
    x, y = int(area.x0), int(area.y0)
    part = scene.pixels[y : int(np.ceil(area.y1)), x:]
    if part.shape[1] < reach or part.shape[0] < reach:
        return None
    shares = _shares(part, scene.background, [*colors, BLACK])
    inks, tint = [shares[index]], colors[index]
    gray = _without_frame(shares[-1], scene, x)
    if (inks[0] > INKED).sum() < MOSTLY * (gray[0] > INKED).sum():
        inks, tint = gray, BLACK
    columns = _name_columns(inks[0], scene.text_height)
    if columns is None:
        return None
    rows = np.flatnonzero((inks[0][:, columns[0] : columns[1]] > INKED).any(axis=1))
    box = Box(float(x + columns[0]), float(y + rows[0]), float(x + columns[1]), float(y + rows[-1] + 1))
    letters = [np.round(255 * (1 - ink[:, columns[0] : columns[1]])).astype(np.uint8) for ink in inks]
    cuts = tuple(np.repeat(one[..., None], 3, axis=2) for one in letters)
    return _Name(cuts, box.expanded(2.0), None if tint == BLACK else tint)


def _shares(part: Pixels, background: RGB, colors: Sequence[RGB]) -> Floats:
    """(colours, height, width) how much of each pixel is covered by each colour, 0..1; 0 for those of another one."""
    ground = np.array(background, np.float32)
    offset = part.astype(np.float32) - ground
    tints = np.array(colors, np.float32) - ground
    lengths = np.maximum((tints**2).sum(axis=1), 1.0)
    shares = np.clip(np.einsum("hwc,nc->nhw", offset, tints) / lengths[:, None, None], 0.0, 1.0)
    away = np.linalg.norm(offset[None] - shares[..., None] * tints[:, None, None, :], axis=3)
    contrast = np.linalg.norm(offset, axis=2)
    own = (away <= away.min(axis=0) + 1.0) & (away <= OFF_RAY * np.maximum(contrast, 20.0))
    return np.where(own, shares, 0.0).astype(np.float32)


def _without_frame(ink: Floats, scene: Scene, left: int) -> list[Floats]:
    """The ink with upright rules painted over by what goes on at both sides of them: by what is about, and by what is
    level with it alone. Which of them leaves the letters whole depends on where the rule runs through them."""
    hidden = np.zeros(ink.shape, np.uint8)
    level = ink.copy()
    for line in _frame(scene):
        at = int(line.at) - left
        hidden[:, max(0, at - 1) : max(0, at + 2)] = 1
        if 2 <= at < ink.shape[1] - 2:
            level[:, at - 1 : at + 2] = np.minimum(ink[:, at - 2], ink[:, at + 2])[:, None]
    if not hidden.any():
        return [ink]
    about = cv2.inpaint(np.round(255 * ink).astype(np.uint8), hidden, 3, cv2.INPAINT_TELEA)
    return [about.astype(np.float32) / 255, level]


def _frame(scene: Scene) -> list[Ruling]:
    """The long upright rules of a picture: the frame of its plot area, and its grid."""
    return [line for line in rulings(scene.pixels, vertical=True).lines if line.length >= scene.plot.height / 2]


def _name_columns(ink: Floats, height: float) -> tuple[int, int] | None:
    """The first and the last column (exclusive) of a name: from the first gap after the line's end to a wide one."""
    inked = np.flatnonzero((ink > INKED).any(axis=0))
    if not len(inked):
        return None
    # What begins at once is the rest of the line.
    gaps = np.flatnonzero(np.diff(inked) > 2)
    if inked[0] <= 1 and len(gaps) and inked[gaps[0]] <= 0.5 * height:
        inked = inked[gaps[0] + 1 :]
    if inked[0] > REACH * height:
        return None
    wide = np.flatnonzero(np.diff(inked) > WORD_GAP * height)
    last = inked[wide[0]] if len(wide) else inked[-1]
    return max(0, int(inked[0]) - 2), min(ink.shape[1], int(last) + 3)
