"""Figures of the Load test page: tiles, and tables as HTML, which wrap, scroll and are read aloud like the rest."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

import streamlit as st

from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import html

TILES = ("answers", "errors", "refused", "throughput", "goodput", "capacity", "p50_s", "p95_s", "p99_s")
"""Figures that are told first, in order."""


def show_tiles(figures: Mapping[str, float], t: Translator) -> None:
    """The figures there are, side by side as the width allows."""
    with st.container(horizontal=True, gap="small"):
        for name in TILES:
            value = figures.get(name)
            if value is not None and math.isfinite(value):
                st.metric(t(f"load_figure.{name}"), number(value), width=108)


def show_table(head: Sequence[str], rows: Iterable[Sequence[str]], *, words: Collection[int] = (0,)) -> None:
    """A table with a head; its columns are numbers, to the right, but for those of ``words``. Nothing of no rows."""
    body = "".join(f"<tr>{_cells('td', row, words)}</tr>" for row in rows)
    if body:
        top = f"<thead><tr>{_cells('th', head, words)}</tr></thead>"
        st.html(f"<div class='wb-scroll' tabindex='0'><table>{top}<tbody>{body}</tbody></table></div>")


def number(value: float) -> str:
    """Two to three digits that count, never an exponent; all of a whole number."""
    if value == round(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.3f}"


def _cells(tag: str, texts: Sequence[str], words: Collection[int]) -> str:
    scope = " scope='col'" if tag == "th" else ""
    looks = ["" if at in words else " class='num'" for at in range(len(texts))]
    return "".join(f"<{tag}{scope}{look}>{html(text)}</{tag}>" for look, text in zip(looks, texts, strict=True))
