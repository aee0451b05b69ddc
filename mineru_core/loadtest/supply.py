"""The documents of a load test: drawn, or from a folder, and which of them is asked for next."""

from __future__ import annotations

import io
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from PIL import Image, ImageDraw, ImageFont

from mineru_core.errors import InvalidRequest
from mineru_core.loadtest.scenario import ClosedLoop, Documents, Kind, Ramp, Scenario, highest_rate

Asked = Literal["new", "repeat", "question"]

_SIZES: dict[Kind, tuple[tuple[int, int], ...]] = {
    Kind.SLIDE: ((1280, 720), (1600, 900), (1920, 1080)),
    Kind.TABLE: ((700, 320), (900, 480), (1200, 640)),
    Kind.PAGE: ((993, 1404), (1240, 1754)),
    Kind.SCAN: ((2480, 3508),),
}
_TEXT = """
    annual report revenue quarter market growth service region customer product delivery invoice account office
    segment margin operating income balance forecast average volume supply contract project schedule reserve capital
    interest payment transport energy material storage network training research quality security insurance
    travel
"""
_WORDS = _TEXT.split()
_SPARE = 1.3
"""Documents made ready, to those that are likely to be read."""
_EXPECTED = 8
"""Words of a drawn document that its answer is looked through for."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A file to hand in. ``expected`` are words its answer has where it was read; none for files from a folder."""

    name: str
    kind: str
    data: bytes
    expected: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """What one person asks: a document, words, and whether either is known from before."""

    document: Drawn
    words: str
    asked: Asked


@dataclass
class Supply:
    """Hands out documents so that each counts as new once.

    A refused one was not read: given back, it is new for the next who comes. When all that were prepared have been
    read, the oldest comes round again, and ``rounds`` counts that: a cache then makes figures better than they are.
    """

    plan: Documents
    rng: random.Random
    fresh: deque[Drawn] = field(default_factory=deque)
    known: deque[Drawn] = field(default_factory=deque)
    made: int = 0
    rounds: int = 0

    def prepare(self, count: int, is_stopped: Callable[[], bool] = lambda: False) -> None:
        """Have at least ``count`` new documents ready, as far as the plan's ``most`` goes, unless it is stopped before.

        Raises ``InvalidRequest`` for a folder without files.
        """
        if self.plan.folder is not None:
            if not self.made:
                self._load(self.plan.folder)
            return
        while len(self.fresh) < count and self.made < self.plan.most and not is_stopped():
            kind = self.plan.kinds[self.made % len(self.plan.kinds)]
            self.fresh.append(draw(kind, self.rng, self.made))
            self.made += 1

    def next(self) -> Request:
        """What the next person asks for."""
        choice = self.rng.random()
        if self.known and choice < self.plan.repeat_share:
            return Request(self.rng.choice(self.known), self.plan.words, "repeat")
        if self.known and choice < self.plan.repeat_share + self.plan.question_share:
            return Request(self.rng.choice(self.known), self.plan.new_words, "question")
        if not self.fresh:  # drawing now would keep everybody else's clock waiting
            self.rounds += 1
            self.fresh.append(self.known.popleft() if self.known else draw(Kind.TABLE, self.rng, self.made))
        return Request(self.fresh.popleft(), self.plan.words, "new")

    def answered(self, request: Request) -> None:
        """The document is known from now on."""
        if request.asked == "new":
            self.known.append(request.document)

    def refused(self, request: Request) -> None:
        """Nobody has read the document: it is as new as before."""
        if request.asked == "new":
            self.fresh.append(request.document)

    def _load(self, folder: Path) -> None:
        paths = sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
        if not paths:
            raise InvalidRequest("There are no files in the folder.", "Name a folder that holds documents.")
        self.rng.shuffle(paths)
        for path in paths[: self.plan.most]:
            self.fresh.append(Drawn(path.name, path.suffix.lower().lstrip(".") or "file", path.read_bytes()))
        self.made = len(self.fresh)


def documents_for(scenario: Scenario, rate: float) -> int:
    """How many documents a scenario is likely to use up on a server that reads ``rate`` a second: as many as are read
    or as come, whichever are fewer, and those on their way. How many come is not known of a search for a rate."""
    arrivals = scenario.arrivals
    if isinstance(arrivals, ClosedLoop):
        return round(_SPARE * rate * scenario.seconds) + arrivals.users
    if not isinstance(arrivals, Ramp):
        rate = min(rate, highest_rate(arrivals))
    return round(_SPARE * rate * scenario.seconds) + scenario.in_flight


def draw(kind: Kind, rng: random.Random, number: int) -> Drawn:
    """A document of that kind with words and figures of its own; one of its sizes."""
    width, height = rng.choice(_SIZES[kind])
    dark = kind is Kind.SLIDE and rng.random() < 0.3
    paper, ink = ((24, 32, 56), (240, 240, 240)) if dark else ((255, 255, 255), (20, 20, 20))
    image = Image.new("RGB", (width, height), paper)
    pen = ImageDraw.Draw(image)
    words: list[str] = []
    if kind is Kind.TABLE:
        _table(pen, (20, 20, width - 20, height - 20), rng, ink, words)
    elif kind is Kind.SLIDE:
        _lines(pen, (width // 16, height // 14), height // 14, 1, rng, ink, words, width)
        _lines(pen, (width // 16, height // 4), height // 24, 7, rng, ink, words, width // 2)
        _table(pen, (width * 9 // 16, height // 4, width * 15 // 16, height * 3 // 4), rng, ink, words)
    else:
        unit = height // 70
        _lines(pen, (width // 10, height // 16), 2 * unit, 1, rng, ink, words, width)
        _lines(pen, (width // 10, height // 8), unit, 16, rng, ink, words, width * 8 // 10)
        _table(pen, (width // 10, height * 9 // 20, width * 9 // 10, height * 13 // 20), rng, ink, words)
        _lines(pen, (width // 10, height * 7 // 10), unit, 12, rng, ink, words, width * 8 // 10)
    as_jpeg = kind is Kind.PAGE and number % 2 == 0
    file = io.BytesIO()
    if as_jpeg:
        image.save(file, "JPEG", quality=88)
    else:
        (image.convert("L") if kind is Kind.SCAN else image).save(file, "PNG", compress_level=1)
    distinct = [word for word in dict.fromkeys(words) if len(word) > 4]
    expected = tuple(word.encode() for word in rng.sample(distinct, min(_EXPECTED, len(distinct))))
    return Drawn(f"{kind}-{number}.{'jpg' if as_jpeg else 'png'}", str(kind), file.getvalue(), expected)


def _lines(
    pen: ImageDraw.ImageDraw,
    at: tuple[int, int],
    size: int,
    count: int,
    rng: random.Random,
    ink: tuple[int, int, int],
    words: list[str],
    width: int,
) -> None:
    """Lines of words from ``at`` downwards, as long as ``width`` takes."""
    font = ImageFont.load_default(size)
    for line in range(count):
        chosen = rng.choices(_WORDS, k=max(2, int(width / (size * 4.2))))
        figure = f"{rng.randrange(1000, 999_999):,}"
        pen.text((at[0], at[1] + int(line * size * 1.6)), f"{' '.join(chosen)} {figure}", ink, font)
        words += chosen


def _table(
    pen: ImageDraw.ImageDraw,
    box: tuple[int, int, int, int],
    rng: random.Random,
    ink: Sequence[int],
    words: list[str],
) -> None:
    """A ruled table of names and figures that fills the box."""
    left, top, right, bottom = box
    rows, columns = rng.randint(5, 8), rng.randint(3, 5)
    high, wide = (bottom - top) / rows, (right - left) / columns
    font = ImageFont.load_default(max(9, int(min(high * 0.5, wide / 6.5))))
    colour = (ink[0], ink[1], ink[2])
    for row in range(rows + 1):
        pen.line((left, int(top + row * high), right, int(top + row * high)), colour, 2)
    for column in range(columns + 1):
        pen.line((int(left + column * wide), top, int(left + column * wide), bottom), colour, 2)
    for row in range(rows):
        for column in range(columns):
            named = row == 0 or column == 0
            text = rng.choice(_WORDS) if named else f"{rng.randrange(10, 99_999) / 10:,.1f}"
            pen.text((int(left + column * wide) + 6, int(top + row * high + high * 0.2)), text, colour, font)
            if named:
                words.append(text)
