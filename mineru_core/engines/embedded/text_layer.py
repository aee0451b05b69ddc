"""A PDF's own words as lines of a page, and whether they can be believed.

A text layer can be wrong in many ways: characters without a meaning (missing maps), with a wrong one (mojibake, fonts
cut down with made-up codes), somebody's bad OCR under a scan, words that are nowhere to be seen, words for a part of
the page only. What the words are is judged by themselves; whether they say what the page shows, by reading a few.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import PageTransform, Pixels, Word
from mineru_core.document.parts import Line, LineWord
from mineru_core.engines.embedded.words import is_unspaced

LEAST_CHARACTERS = 8
"""A page with fewer characters of its own is read from its pixels: there is nothing to judge them by."""

MOST_STRANGE = 0.02
"""Share of characters without a meaning, up to which a layer may still be good."""

MOST_UPRIGHT = 0.2
"""Share of characters in words that run down or up the page, up to which rows can be told."""

LEAST_INK = 12.0
"""Standard deviation of the grey values in a word's box (0..255) from which something stands there."""

MOST_UNSEEN = 0.1
"""Share of words with nothing to be seen in their place, up to which a layer may still be good."""

SAME_ROW = 0.5
"""Share of the lower one's height that two words of a row have in common."""

GAP_IN_LINE = 1.6
GAP_OUT_OF_TURN = 0.7
"""Widest gap within a line in heights of its words: where a word follows in the file, and where it does not."""

SAMPLE_WIDTH = 7.0
"""Width a sample is cut to, in heights of its line."""

SAMPLE_MARGIN = 0.15
"""How much of its height is read around a sample: words are boxed tightly, and what is read is not."""

AGREES = 0.6
"""Likeness of what a sample says and what is read there, 0..1, from which they say the same."""

_TRIALS = ((3, 1.0), (9, 0.6))
"""Samples of a trial, and the share of them that must agree. Labels at a chart's edge or odd fonts fail the first."""

LEAST_OUTSIDE = 24
MOST_OUTSIDE = 0.04
"""Letters on the page that no word covers: from so many and such a share on, the layer is not the whole text."""

LEAST_CONTRAST = 40
DARK_GROUND = 110
"""Grey values (0..255): how far letters stand out from what is around them, and what counts as a dark ground."""

_GREY_PIXELS = 1_000_000
# What UTF-8 looks like that was taken for Latin-1 or Windows-1252.
_MOJIBAKE = re.compile(r"[ÂÃâãäåæçèé][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|ï¿½|锟斤拷")

Grey = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class TextLayer:
    """Lines made of a page's own words; ``is_whole`` is False where the page shows text that none of them covers."""

    lines: tuple[Line, ...]
    is_whole: bool


def layer_of(words: Sequence[Word], pixels: Pixels, degrees: int = 0) -> TextLayer | None:
    """The lines of the words as far as they can be judged without reading; None where they are not to be believed.

    ``pixels`` (height, width, 3) is the page turned clockwise by ``degrees``; the words' boxes are on it as given.
    """
    if not _is_plausible(words):
        return None
    height, width = pixels.shape[:2]
    given = (width, height) if degrees % 180 == 0 else (height, width)
    turn = PageTransform(degrees // 90, 1.0, float(given[0]), float(given[1]))
    placed = [Word(word.text, turn.from_source(word.box)) for word in words]
    if _share(placed, _runs_upright) > MOST_UPRIGHT:
        return None
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.uint8, copy=False)
    seen = _seen(placed, grey)
    if seen.count(False) > MOST_UNSEEN * len(seen):
        return None
    lines = lines_of([word for word, there in zip(placed, seen, strict=True) if there])
    return TextLayer(lines, not _shows_more(grey, lines))


def lines_of(words: Sequence[Word]) -> tuple[Line, ...]:
    """Lines as OCR would find them: words side by side, up to the next column. Word order is that of the file."""
    lines = []
    for row in _rows(words):
        start = 0
        for i in range(1, len(row) + 1):
            if i == len(row) or _parts(row[i - 1], row[i], words):
                lines.append(_line([words[n] for n in row[start:i]]))
                start = i
    return tuple(lines)


def says_what_is_shown(
    lines: Sequence[Line], texts_at: Callable[[Sequence[Box]], Sequence[str]], alphabet: frozenset[str]
) -> bool:
    """Whether a few texts of the lines are read in their places as they are said to be.

    ``texts_at`` reads level text in boxes, and knows the characters of ``alphabet``. Where no line can be tried (a
    script that it does not know), the lines are taken at their word.
    """
    for count, least in _TRIALS:
        samples = samples_of(lines, count, alphabet)
        if not samples:
            return True
        read = texts_at([box.expanded(SAMPLE_MARGIN * box.height) for _, box in samples])
        likeness = [fuzz.ratio(_plain(a), _plain(b)) / 100 for (a, _), b in zip(samples, read, strict=True)]
        if sum(value >= AGREES for value in likeness) >= least * len(likeness):
            return True
    return False


def samples_of(lines: Sequence[Line], count: int, alphabet: frozenset[str]) -> list[tuple[str, Box]]:
    """Up to ``count`` short texts of known characters with their places, spread over the page and its scripts."""
    candidates: dict[bool, list[tuple[str, Box]]] = {False: [], True: []}
    for line in lines:
        text, box = _beginning(line)
        letters = [c for c in text if c.isalnum()]
        on_its_side = len(text) >= 3 and box.height > box.width
        mostly_letters = len(letters) >= max(3, 0.7 * len(text.replace(" ", "")))
        if mostly_letters and not on_its_side and alphabet.issuperset(letters):
            candidates[any(map(is_unspaced, text))].append((text, box))
    filled = [found for found in candidates.values() if found]
    chosen = []
    for found in filled:
        found.sort(key=lambda sample: (-len(sample[0]), sample[1]))
        most = found[: max(count, len(found) // 2)]  # of the shorter half there is less to tell
        share = min(max(1, count // len(filled)), len(most))
        chosen += [most[(2 * i + 1) * len(most) // (2 * share)] for i in range(share)]
    return chosen


def _plain(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _is_plausible(words: Sequence[Word]) -> bool:
    """Whether the characters mean something, taken by themselves."""
    text = "".join(word.text for word in words)
    if len(text) < LEAST_CHARACTERS:
        return False
    unmapped = sum(len(word.text) * (1 - word.confidence) for word in words)
    strange = sum(unicodedata.category(c) in ("Co", "Cn", "Cc", "Cs") or c == "\ufffd" for c in text)
    mojibake = sum(len(found.group()) for found in _MOJIBAKE.finditer(text))
    return max(unmapped, strange, mojibake) <= MOST_STRANGE * len(text)


def _share(words: Sequence[Word], fits: Callable[[Word], bool]) -> float:
    total = sum(len(word.text) for word in words)
    return sum(len(word.text) for word in words if fits(word)) / total if total else 0.0


def _runs_upright(word: Word) -> bool:
    return len(word.text) >= 3 and word.box.height > 1.5 * word.box.width


def _seen(words: Sequence[Word], grey: Grey) -> list[bool]:
    """Which words have something to be seen in their place."""
    sums, squares = cv2.integral2(grey)
    height, width = grey.shape
    boxes = np.array([word.box.expanded(1.0) for word in words])
    x = np.clip(np.round(boxes[:, [0, 2]]).astype(int), 0, width)
    y = np.clip(np.round(boxes[:, [1, 3]]).astype(int), 0, height)
    area = np.maximum((x[:, 1] - x[:, 0]) * (y[:, 1] - y[:, 0]), 1)

    def inside(table: NDArray[np.float64]) -> NDArray[np.float64]:
        total = table[y[:, 1], x[:, 1]] - table[y[:, 0], x[:, 1]] - table[y[:, 1], x[:, 0]] + table[y[:, 0], x[:, 0]]
        return np.asarray(total / area, dtype=np.float64)

    mean = inside(np.asarray(sums, dtype=np.float64))
    variance = inside(np.asarray(squares, dtype=np.float64)) - mean**2
    return [bool(v) for v in variance >= LEAST_INK**2]


def _rows(words: Sequence[Word]) -> list[list[int]]:
    """Places in ``words`` of those that stand on one height, from left to right; rows from top to bottom."""
    rows: list[tuple[Box, list[int]]] = []
    for n in sorted(range(len(words)), key=lambda n: (words[n].box.center[1], words[n].box.x0)):
        box = words[n].box
        best, most = -1, SAME_ROW
        for r in range(len(rows) - 1, -1, -1):
            first = rows[r][0]
            if first.y1 < box.y0 - 4 * box.height:
                break
            common = min(first.y1, box.y1) - max(first.y0, box.y0)
            share = common / max(min(first.height, box.height), 1e-6)
            if share > most:
                best, most = r, share
        if best < 0:
            rows.append((box, [n]))
        else:
            first, members = rows[best]
            # The row's height is that of its tallest word: a dot or a dash says little of where the row is.
            rows[best] = (first if first.height >= box.height else box, [*members, n])
    return [sorted(members, key=lambda n: words[n].box.x0) for _, members in rows]


def _parts(left: int, right: int, words: Sequence[Word]) -> bool:
    """Whether a column or a cell ends between two neighbours of a row."""
    a, b = words[left].box, words[right].box
    height = max(a.height, b.height)
    widest = GAP_IN_LINE if right == left + 1 else GAP_OUT_OF_TURN
    return b.x0 - a.x1 > widest * height


def _line(words: Sequence[Word]) -> Line:
    text = words[0].text
    for word in words[1:]:
        both_unspaced = is_unspaced(text[-1]) and is_unspaced(word.text[0])
        text += word.text if both_unspaced else f" {word.text}"
    box = Box.around(word.box for word in words)
    return Line(
        text=text,
        box=box,
        quad=Quad.from_box(box),
        words=tuple(LineWord(text=word.text, box=word.box) for word in words),
    )


def _beginning(line: Line) -> tuple[str, Box]:
    """The words at the start of a line, as many as a sample may be wide; of a longer first word its beginning."""
    limit = line.box.x0 + SAMPLE_WIDTH * line.box.height
    words = [word for word in line.words if word.box.x1 <= limit] or [line.words[0]]
    first = words[0]
    if first.box.x1 > limit:
        kept = max(1, int(len(first.text) * (limit - first.box.x0) / first.box.width))
        width = first.box.width * kept / len(first.text)
        return first.text[:kept], first.box._replace(x1=first.box.x0 + width)
    return " ".join(word.text for word in words), Box.around(word.box for word in words)


def _shows_more(grey: Grey, lines: Sequence[Line]) -> bool:
    """Whether the page shows a good many marks of the size of its letters where no line is."""
    height, width = grey.shape
    scale = min(1.0, (_GREY_PIXELS / (height * width)) ** 0.5)
    small: Grey = grey
    if scale < 1:
        small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
    if not lines:
        return False
    letter = float(np.median([line.box.height for line in lines])) * scale
    covered = np.zeros(small.shape, dtype=np.uint8)
    for line in lines:
        b = line.box.expanded(0.4 * line.box.height)
        top, left = (int(max(v * scale, 0)) for v in (b.y0, b.x0))
        covered[top : int(b.y1 * scale) + 1, left : int(b.x1 * scale) + 1] = 1
    x, y = _letters(small, letter).T
    outside = int(np.count_nonzero(covered[y, x] == 0))
    return outside >= LEAST_OUTSIDE and outside > MOST_OUTSIDE * max(1, len(x))


def _letters(grey: Grey, height: float) -> NDArray[np.int64]:
    """Middles (x, y) of marks of about this height: dark ones on a bright ground, bright ones on a dark ground."""
    around = cv2.blur(grey, (31, 31)).astype(np.int16)
    contrast = grey.astype(np.int16) - around
    dark = (contrast < -LEAST_CONTRAST) & (around >= DARK_GROUND)
    bright = (contrast > LEAST_CONTRAST) & (around < DARK_GROUND)
    found = []
    for ink in (dark, bright):
        _, _, stats, middles = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
        w, h = stats[1:, cv2.CC_STAT_WIDTH], stats[1:, cv2.CC_STAT_HEIGHT]
        found.append(middles[1:][(h >= 0.35 * height) & (h <= 1.6 * height) & (w <= 2.0 * height) & (w >= 2)])
    return np.concatenate(found).astype(np.int64)
