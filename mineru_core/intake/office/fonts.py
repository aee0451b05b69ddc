"""Fonts of the machine to draw Office pages with. The words of a page never depend on them; how it looks does."""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache, lru_cache
from pathlib import Path

from PIL import ImageFont

Font = ImageFont.FreeTypeFont

# File names in order of preference: fonts as wide as those of the usual slides first, so that lines break alike.
_LATIN = (
    "Carlito-Regular.ttf",
    "calibri.ttf",
    "LiberationSans-Regular.ttf",
    "arial.ttf",
    "NotoSans-Regular.ttf",
    "SourceSans3-Regular.otf",
)
_CHINESE = (
    "NotoSansCJK-Regular.ttc",
    "NotoSansCJKsc-Regular.otf",
    "NotoSansSC-Regular.otf",
    "SourceHanSansSC-Regular.otf",
    "SourceHanSansCN-Regular.otf",
    "msyh.ttc",
    "PingFang.ttc",
    "STHeiti Light.ttc",
    "wqy-microhei.ttc",
    "wqy-zenhei.ttc",
    "simhei.ttf",
    "DroidSansFallbackFull.ttf",
)
_OTHER = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "seguisym.ttf", "Arial Unicode.ttf", "Symbola.ttf")
_BOLD = {
    "Carlito-Regular.ttf": "Carlito-Bold.ttf",
    "calibri.ttf": "calibrib.ttf",
    "LiberationSans-Regular.ttf": "LiberationSans-Bold.ttf",
    "arial.ttf": "arialbd.ttf",
    "NotoSans-Regular.ttf": "NotoSans-Bold.ttf",
    "NotoSansCJK-Regular.ttc": "NotoSansCJK-Bold.ttc",
    "msyh.ttc": "msyhbd.ttc",
    "DejaVuSans.ttf": "DejaVuSans-Bold.ttf",
}
# A collection holds one face a language; these are the ones with Chinese forms.
_FACE = {"NotoSansCJK-Regular.ttc": 2, "NotoSansCJK-Bold.ttc": 2}
_PROBE_SIZE = 24
_NO_CHARACTER = "\U000ffffe"
_MOST_FONT_FILES = 20_000


@cache
def fonts_fingerprint() -> str:
    """Names the fonts that pages are drawn with: other fonts make other pixels."""
    found = [path.name for bold in (False, True) for path in _chain(bold)]
    return hashlib.sha256("/".join(found).encode()).hexdigest()[:12]


def pieces(text: str, size: int, bold: bool) -> list[tuple[str, Font | ImageFont.ImageFont]]:
    """The text cut into runs with a font each that has all of the run's characters, where there is one."""
    out: list[tuple[str, Font | ImageFont.ImageFont]] = []
    start, current = 0, -1
    for place, character in enumerate(text):
        wanted = _font_for(character, bold) if not character.isspace() or current < 0 else current
        if wanted != current:
            if place > start:
                out.append((text[start:place], _font(current, size, bold)))
            start, current = place, wanted
    if start < len(text):
        out.append((text[start:], _font(current, size, bold)))
    return out


def text_width(text: str, size: int, bold: bool) -> float:
    """Width of a line of text in pixels."""
    return sum(font.getlength(piece) for piece, font in pieces(text, size, bold))


@lru_cache(maxsize=20_000)
def _font_for(character: str, bold: bool) -> int:
    """The first font of the chain that has the character; the first of all where none has."""
    for place in range(len(_chain(bold))):
        if _has(character, place, bold):
            return place
    return 0


def _has(character: str, place: int, bold: bool) -> bool:
    font = _font(place, _PROBE_SIZE, bold)
    mask = font.getmask(character)
    none = font.getmask(_NO_CHARACTER)
    return (mask.size, bytes(mask)) != (none.size, bytes(none))


@lru_cache(maxsize=256)
def _font(place: int, size: int, bold: bool) -> Font | ImageFont.ImageFont:
    chain = _chain(bold)
    if not chain:
        return ImageFont.load_default(size)
    path = chain[place]
    return ImageFont.truetype(str(path), size, index=_FACE.get(path.name, 0))


@cache
def _chain(bold: bool) -> tuple[Path, ...]:
    """One font for Latin letters, one for Chinese characters, then what has the rest; those that there are."""
    files = _font_files()
    chosen: list[Path] = []
    for names, most in ((_LATIN, 1), (_CHINESE, 1), (_OTHER, len(_OTHER))):
        there = [name for name in names if name.lower() in files]
        for name in there[:most]:
            heavy = _BOLD.get(name, "").lower()
            chosen.append(files[heavy] if bold and heavy in files else files[name.lower()])
    return tuple(dict.fromkeys(chosen))


@cache
def _font_files() -> dict[str, Path]:
    """Font files of the machine by lower-case name."""
    found: dict[str, Path] = {}
    for root in _font_folders():
        for folder, _, names in os.walk(root):
            for name in names:
                if name.lower().endswith((".ttf", ".ttc", ".otf")):
                    found.setdefault(name.lower(), Path(folder) / name)
            if len(found) > _MOST_FONT_FILES:
                break
    return found


def _font_folders() -> list[Path]:
    home = Path.home()
    if sys.platform == "win32":
        return [Path(os.environ.get("WINDIR", r"C:\Windows")) / "Fonts"]
    if sys.platform == "darwin":
        return [home / "Library/Fonts", Path("/Library/Fonts"), Path("/System/Library/Fonts")]
    return [home / ".local/share/fonts", home / ".fonts", Path("/usr/local/share/fonts"), Path("/usr/share/fonts")]
