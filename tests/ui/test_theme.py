"""Both themes can be read: contrast as WCAG 2 counts it, 4.5 for words."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from mineru_core.ui.setup import asset

THEME = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
LEAST = 4.5


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def token(name: str, theme: str) -> str:
    """The colour of a token of the style sheet in one theme."""
    found = re.search(rf"--wb-{name}: light-dark\((#[0-9a-f]+), (#[0-9a-f]+)\)", asset("style.css"))
    assert found is not None
    return found.group(1 if theme == "light" else 2)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_are_told_from_what_they_stand_on(theme: str) -> None:
    colours = THEME[theme]
    grounds = [colours["backgroundColor"], colours["secondaryBackgroundColor"], colours["sidebar"]["backgroundColor"]]
    for words in (colours["primaryColor"], colours["textColor"], colours["linkColor"], token("accent", theme)):
        assert min(contrast(words, ground) for ground in grounds) >= LEAST, words
    assert contrast(colours["blueTextColor"], colours["blueBackgroundColor"]) >= LEAST


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_on_a_filled_button_are_told_from_it(theme: str) -> None:
    assert contrast(THEME[theme]["primaryColor"], token("on-accent", theme)) >= LEAST
    assert token("paper", theme) == THEME[theme]["backgroundColor"]


def test_latin_fonts_come_before_chinese_ones() -> None:
    for name in ("font", "headingFont"):
        fonts = [font.strip() for font in THEME[name].split(",")]
        chinese = [bool(re.search(r"SC$|CJK|YaHei|SimSun", font)) for font in fonts[:-1]]
        assert chinese == sorted(chinese), name
