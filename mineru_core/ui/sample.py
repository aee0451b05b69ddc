"""The built-in sample: a one-page report drawn by tools/draw_sample.py."""

from __future__ import annotations

from functools import cache

from mineru_core.ui.services import Upload
from mineru_core.ui.setup import ASSETS

WISHES = {"zh": "提取表格", "en": "Extract the tables"}
"""What is asked of the sample, by language."""


@cache
def sample() -> Upload:
    """The sample as a file somebody handed in."""
    return Upload("sample-report.png", (ASSETS / "sample.png").read_bytes())
