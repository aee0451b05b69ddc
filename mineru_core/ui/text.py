"""Text made safe for the two kinds of markup the app shows: Markdown labels and HTML."""

from __future__ import annotations

import re
import unicodedata
from datetime import timedelta
from html import escape

from mineru_core.ui.i18n import Translator

_PUNCTUATION = re.compile(r"([\\`*_{}\[\]()#+\-.!~:$<>|&\"'=^/@])")
_WORD_JOINER = "\u2060"


def label(text: str, limit: int = 60) -> str:
    """Any text as the plain label of a widget: no Markdown, colours, icons, emoji or links come out of it.

    Each punctuation mark is escaped. A colon also gets an invisible word joiner, since emoji short codes are replaced
    after the escapes are resolved.
    """
    flat = shortened(text, limit)
    return _PUNCTUATION.sub(r"\\\1", flat).replace("\\:", f"\\:{_WORD_JOINER}")


def shortened(text: str, limit: int) -> str:
    """One line of at most ``limit`` characters; the middle is left out, so that an extension stays."""
    flat = " ".join(text.split())
    if len(flat) <= limit:
        return flat
    tail = limit // 3
    return f"{flat[: limit - tail - 1]}…{flat[-tail:]}"


def html(text: str) -> str:
    """Any text as HTML text or attribute value."""
    return escape(text, quote=True)


def css_string(text: str) -> str:
    """Any text as a quoted CSS string that cannot end the style element it stands in."""
    return '"' + "".join(c if c.isalnum() or c == " " else f"\\{ord(c):x} " for c in text) + '"'


def counted(t: Translator, key: str, count: int) -> str:
    """The singular or plural string of ``key``."""
    return t(f"{key}.one") if count == 1 else t(f"{key}.many", count=count)


def kept_days(t: Translator, days: float) -> str:
    """How long uploads are kept, such as "7 days"; part of a day counts as one."""
    return counted(t, "upload.days", max(1, round(days)))


def short_seconds(elapsed: timedelta | float) -> str:
    """Seconds with one decimal below ten, none above."""
    seconds = elapsed.total_seconds() if isinstance(elapsed, timedelta) else elapsed
    return f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}"


def display_width(text: str) -> int:
    """Letters of a text, those counted twice that are set twice as wide, as Chinese ones are."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
