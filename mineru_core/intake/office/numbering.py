"""What stands before the paragraphs of a Word document's lists."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from mineru_core.intake.office.frames import whole

_DEEPEST = 9


class Numbering:
    """Counts the paragraphs of each list; ``root`` is the part that defines them, None where there is none."""

    def __init__(self, root: Element | None) -> None:
        nodes = root if root is not None else Element("numbering")
        abstract = {n.get("abstractNumId", ""): n for n in nodes.iterfind("abstractNum")}
        self._lists: dict[str, str] = {}
        for node in nodes.iterfind("num"):
            pointer = node.find("abstractNumId")
            self._lists[node.get("numId", "")] = "" if pointer is None else pointer.get("val", "")
        self._levels = {
            (name, whole(level.get("ilvl"), 0)): level for name, n in abstract.items() for level in n.iterfind("lvl")
        }
        self._counts: dict[str, list[int]] = {}

    def mark(self, properties: Element | None, inherited: Element | None) -> tuple[int, str]:
        """The level of the paragraph, from 0, and what stands before it; "" where it is in no list."""
        own = None if properties is None else properties.find("numPr")
        node = own if own is not None else inherited
        number = None if node is None else node.find("numId")
        if node is None or number is None:
            return 0, ""
        depth = node.find("ilvl")
        level = min(max(whole(None if depth is None else depth.get("val"), 0), 0), _DEEPEST - 1)
        name = self._lists.get(number.get("val", ""), "")
        definition = self._levels.get((name, level))
        if definition is None:
            return level, ""
        form = definition.find("numFmt")
        if form is not None and form.get("val") in ("bullet", "none"):
            return level, "•" if form.get("val") == "bullet" else ""
        counts = self._counts.setdefault(number.get("val", ""), [0] * _DEEPEST)
        counts[level] += 1
        counts[level + 1 :] = [0] * (_DEEPEST - level - 1)
        pattern = definition.find("lvlText")
        text = "%1." if pattern is None else pattern.get("val", "")
        return level, re.sub(r"%([1-9])", lambda found: self._number(name, counts, int(found[1]) - 1), text)

    def _number(self, name: str, counts: list[int], level: int) -> str:
        definition = self._levels.get((name, level))
        start = None if definition is None else definition.find("start")
        value = max(counts[level], 1) + whole(None if start is None else start.get("val"), 1) - 1
        form = None if definition is None else definition.find("numFmt")
        kind = "decimal" if form is None else form.get("val", "decimal")
        if kind in ("lowerLetter", "upperLetter") and value > 0:
            letter = chr(ord("a") + (value - 1) % 26)
            return letter.upper() if kind == "upperLetter" else letter
        return _roman(value).upper() if kind == "upperRoman" else _roman(value) if kind == "lowerRoman" else str(value)


def _roman(value: int) -> str:
    if not 0 < value < 4000:
        return str(value)
    out = ""
    for number, letters in (
        (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
        (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
    ):  # fmt: skip
        out += letters * (value // number)
        value %= number
    return out
