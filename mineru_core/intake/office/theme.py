"""Colours of a deck: names that its theme and its master give a meaning, made lighter or darker."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Mapping
from xml.etree.ElementTree import Element

from PIL import ImageColor

from mineru_core.intake.office.canvas import Colour

_SORTS = frozenset({"srgbClr", "schemeClr", "sysClr", "prstClr", "scrgbClr", "hslClr"})
_USUAL_MAP = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}
_USUAL_SCHEME = {"lt1": "FFFFFF", "dk1": "000000", "lt2": "EEECE1", "dk2": "1F497D", "accent1": "4F81BD"}
_SHORT_NAMES = {"dk": "dark", "lt": "light", "med": "medium"}


class Theme:
    """The colours of one theme under one master's map of names."""

    def __init__(self, theme: Element | None = None, colour_map: Mapping[str, str] | None = None) -> None:
        scheme = None if theme is None else theme.find(".//clrScheme")
        self._map = {**_USUAL_MAP, **(colour_map or {})}
        self._scheme = dict(_USUAL_SCHEME)
        for entry in scheme if scheme is not None else ():
            for node in entry:
                self._scheme[entry.tag] = node.get("lastClr") or node.get("val") or ""

    def mapped(self, colour_map: Mapping[str, str]) -> Theme:
        """The same colours under another map of names."""
        other = Theme(None, colour_map)
        other._scheme = self._scheme
        return other

    def accents(self) -> list[Colour]:
        """The colours that charts take in turn."""
        found = (self.named(f"accent{number}") for number in range(1, 7))
        return [colour for colour in found if colour is not None]

    def colour(self, parent: Element | None, placeholder: Colour | None = None) -> Colour | None:
        """The colour that stands in an element such as ``solidFill``; ``placeholder`` is what "phClr" means there."""
        for node in parent if parent is not None else ():
            if node.tag in _SORTS:
                base = self._base(node, placeholder)
                return None if base is None else _modified(base, node)
        return None

    def named(self, name: str) -> Colour | None:
        """A colour by its name in the theme."""
        return _hex(self._scheme.get(self._map.get(name, name), ""))

    def fill(self, parent: Element | None) -> Colour | None:
        """The fill of a shape: its colour, that of a gradient's middle; None where it has none or a picture."""
        if parent is None:
            return None
        for node in parent:
            if node.tag == "solidFill":
                return self.colour(node)
            if node.tag == "gradFill":
                stops = [self.colour(stop) for stop in node.iter("gs")]
                there = [stop for stop in stops if stop is not None]
                return there[len(there) // 2] if there else None
            if node.tag == "pattFill":
                return self.colour(node.find("bgClr"))
        return None

    def _base(self, node: Element, placeholder: Colour | None) -> Colour | None:
        value = node.get("val", "")
        if node.tag == "schemeClr":
            return placeholder if value == "phClr" else self.named(value)
        if node.tag == "sysClr":
            return _hex(node.get("lastClr", "")) or _hex("000000" if "Text" in value else "FFFFFF")
        if node.tag == "prstClr":
            return _by_name(value)
        if node.tag == "scrgbClr":
            return _rgb(*(_share(node.get(key)) for key in "rgb"))
        if node.tag == "hslClr":
            hue = _share(node.get("hue"), 21_600_000)
            return _rgb(*colorsys.hls_to_rgb(hue, _share(node.get("lum")), _share(node.get("sat"))))
        return _hex(value)


def _modified(colour: Colour, node: Element) -> Colour:
    r, g, b = (value / 255 for value in colour[:3])
    alpha = colour[3] / 255
    for change in node:
        share = _share(change.get("val"))
        if change.tag in ("lumMod", "lumOff"):
            hue, light, colourful = colorsys.rgb_to_hls(r, g, b)
            light = light * share if change.tag == "lumMod" else light + share
            r, g, b = colorsys.hls_to_rgb(hue, min(max(light, 0.0), 1.0), colourful)
        elif change.tag == "shade":
            r, g, b = r * share, g * share, b * share
        elif change.tag == "tint":
            r, g, b = (1 - (1 - value) * share for value in (r, g, b))
        elif change.tag == "alpha":
            alpha = share
    return (*_rgb(r, g, b)[:3], round(255 * min(max(alpha, 0.0), 1.0)))


def _share(text: str | None, whole: int = 100_000) -> float:
    try:
        value = float((text or "0").rstrip("%"))
    except ValueError:
        return 0.0
    value = value / 100 if text is not None and text.endswith("%") else value / whole
    return min(max(value, -10.0), 10.0) if math.isfinite(value) else 0.0


def _rgb(r: float, g: float, b: float) -> Colour:
    return (*(round(255 * min(max(value, 0.0), 1.0)) for value in (r, g, b)), 255)  # type: ignore[return-value]


def _hex(text: str) -> Colour | None:
    try:
        number = int(text, 16) if len(text) == 6 else -1
    except ValueError:
        return None
    return None if number < 0 else (number >> 16, number >> 8 & 255, number & 255, 255)


def _by_name(name: str) -> Colour | None:
    for short, full in _SHORT_NAMES.items():
        if name.startswith(short) and name[len(short) : len(short) + 1].isupper():
            name = full + name[len(short) :]
    try:
        return (*ImageColor.getrgb(name.lower())[:3], 255)
    except ValueError:
        return None
