"""Text frames of a deck's shapes as paragraphs, with what they inherit from layout, master and deck."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from mineru_core.intake.office.canvas import BLACK, Colour, TextStyle
from mineru_core.intake.office.text import Paragraph, Run
from mineru_core.intake.office.theme import Theme

EMU_A_POINT = 12_700
_USUAL_SIZE = 1800
"""Hundredths of a point, where no one says anything."""
_LEAST_PIXELS, _MOST_PIXELS = 4, 1000
_LEVELS = 9
_SYMBOL_FONTS = ("wingdings", "webdings", "symbol")


@dataclass(frozen=True)
class Frame:
    """How a shape's text stands in it. ``chain`` are list styles from the nearest to the farthest, ``bodies`` body
    properties likewise; ``colour`` is that of text which names none."""

    chain: Sequence[Element] = ()
    bodies: Sequence[Element] = ()
    colour: Colour | None = None
    bold: bool = False

    def body(self, name: str, default: str) -> str:
        """A body property, as the nearest that has it says."""
        return next((b.get(name, "") for b in self.bodies if b.get(name) is not None), default)

    def inset(self, name: str, default: int) -> int:
        """Distance of the text from a side of its shape, EMU."""
        return whole(self.body(name, ""), default)

    @property
    def shrink(self) -> float:
        """By how much the program made the text smaller to fit it in, 0.1..1."""
        for body in self.bodies:
            for child in body:
                if child.tag == "normAutofit":
                    return min(max(whole(child.get("fontScale"), 100_000) / 100_000, 0.1), 1.0)
                if child.tag in ("noAutofit", "spAutoFit"):
                    return 1.0
        return 1.0


class FrameReader:
    """Reads the paragraphs of frames; ``pixels`` is how many a point has."""

    def __init__(self, theme: Theme, pixels: float) -> None:
        self._theme, self._pixels = theme, pixels

    def paragraphs(self, body: Element | None, frame: Frame) -> list[Paragraph]:
        """The paragraphs of a text body (``txBody``), as they are set; none where there is no text."""
        numbers: dict[int, int] = {}
        nodes = body.findall("p") if body is not None else []
        found = [self._paragraph(node, frame, numbers) for node in nodes]
        return found if any(paragraph.text.strip() for paragraph in found) else []

    def _paragraph(self, node: Element, frame: Frame, numbers: dict[int, int]) -> Paragraph:
        own = node.find("pPr")
        level = min(whole(own.get("lvl") if own is not None else None, 0), _LEVELS - 1)
        levels = [style.find(f"lvl{level + 1}pPr") for style in frame.chain]
        holders = [holder for holder in (own, *levels) if holder is not None]
        runs = tuple(self._runs(node, holders, frame))
        end = self._style(node.find("endParaRPr"), holders, frame)
        size = max((run.style.size for run in runs if run.text.strip()), default=end.size)
        bullet = _bullet(holders, numbers, level) if any(run.text.strip() for run in runs) else ""
        return Paragraph(
            runs=runs,
            bullet=bullet,
            align=_first(holders, "algn", "l"),
            left=whole(_first(holders, "marL", "0"), 0) / EMU_A_POINT * self._pixels,
            hanging=whole(_first(holders, "indent", "0"), 0) / EMU_A_POINT * self._pixels,
            before=self._space(holders, "spcBef", size),
            after=self._space(holders, "spcAft", size),
            spacing=self._line_spacing(holders, size),
            size=size,
        )

    def _runs(self, node: Element, holders: Sequence[Element], frame: Frame) -> Iterable[Run]:
        for text, properties in _texts(node):
            yield Run(text, self._style(properties, holders, frame))

    def _style(self, own: Element | None, holders: Sequence[Element], frame: Frame) -> TextStyle:
        defaults = [holder.find("defRPr") for holder in holders]
        givers = [giver for giver in (own, *defaults) if giver is not None]
        size = whole(_first(givers, "sz", ""), _USUAL_SIZE) / 100 * frame.shrink * self._pixels
        bold = _first(givers, "b", "1" if frame.bold else "0") in ("1", "true")
        colour = None if own is None else self._theme.fill(own)
        if colour is None:
            inherited = (self._theme.fill(giver) for giver in givers[1 if own is not None else 0 :])
            colour = frame.colour or next((c for c in inherited if c is not None), None)
        return TextStyle(min(max(round(size), _LEAST_PIXELS), _MOST_PIXELS), bold, colour or BLACK)

    def _space(self, holders: Sequence[Element], name: str, size: int) -> float:
        node = next((h.find(name) for h in holders if h.find(name) is not None), None)
        points, percent = _spacing(node)
        return min(points * self._pixels if points is not None else percent / 100 * size, 1000.0)

    def _line_spacing(self, holders: Sequence[Element], size: int) -> float:
        node = next((h.find("lnSpc") for h in holders if h.find("lnSpc") is not None), None)
        if node is None:
            return 1.0
        points, percent = _spacing(node)
        spacing = points * self._pixels / (1.2 * size) if points is not None else percent / 100
        return min(max(spacing, 0.5), 10.0)


def _spacing(node: Element | None) -> tuple[float | None, float]:
    """Points, or else percent."""
    points = None if node is None else node.find("spcPts")
    if points is not None:
        return whole(points.get("val"), 0) / 100, 0.0
    percent = None if node is None else node.find("spcPct")
    if percent is None:
        return None, 0.0
    text = percent.get("val", "0")
    return None, float(whole(text[:-1], 100)) if text.endswith("%") else whole(text, 0) / 1000


def _bullet(holders: Sequence[Element], numbers: dict[int, int], level: int) -> str:
    """What stands before the paragraph; ``numbers`` counts the numbered ones by level."""
    for holder in holders:
        for child in holder:
            if child.tag == "buNone":
                return ""
            if child.tag == "buChar":
                numbers.pop(level, None)
                font = next((f.get("typeface", "") for h in holders for f in h.findall("buFont")), "")
                return "•" if font.lower().startswith(_SYMBOL_FONTS) else child.get("char", "•")
            if child.tag == "buBlip":
                return "•"
            if child.tag == "buAutoNum":
                start = whole(child.get("startAt"), 1)
                numbers[level] = numbers.get(level, start - 1) + 1
                for deeper in [known for known in numbers if known > level]:
                    del numbers[deeper]
                return _numbered(numbers[level], child.get("type", ""))
    return ""


def _numbered(number: int, form: str) -> str:
    text = str(number)
    if form.startswith("alpha"):
        text = chr(ord("a") + (number - 1) % 26)
        text = text.upper() if form.startswith("alphaUc") else text
    if form.endswith("ParenBoth"):
        return f"({text})"
    if form.endswith("ParenR"):
        return f"{text})"
    return text if form.endswith("Plain") else f"{text}."


def _first(givers: Iterable[Element], name: str, default: str) -> str:
    return next((value for giver in givers if (value := giver.get(name)) is not None), default)


def whole(text: str | None, default: int) -> int:
    """An integer of a file, within what drawing can bear; ``default`` for what is none."""
    try:
        value = int(float(text)) if text else default
    except (ValueError, OverflowError):
        return default
    return min(max(value, -(10**12)), 10**12)


def plain_text(body: Element | None) -> str:
    """The text of a body: its paragraphs as lines, breaks within them as lines, too."""
    nodes = body.findall("p") if body is not None else ()
    return "\n".join("".join(text for text, _ in _texts(node)).replace("\v", "\n") for node in nodes)


def _texts(paragraph: Element) -> Iterator[tuple[str, Element | None]]:
    """The texts of a paragraph in order, each with its properties."""
    for child in paragraph:
        if child.tag in ("r", "fld"):
            yield child.findtext("t", ""), child.find("rPr")
        elif child.tag == "br":
            yield "\n", child.find("rPr")
        elif child.tag == "m":  # a formula: its characters in the order they are stored
            yield "".join(t.text or "" for t in child.iter("t")), None
