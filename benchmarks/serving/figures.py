"""How much of the text of many answers is the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from statistics import fmean

from mineru_core.export.result import DocumentResult

Bag = Counter[str]
"""Words with how often they occur; of Chinese, its characters."""

_WORD = re.compile(r"[぀-ヿ㐀-䶿一-鿿豈-﫿]|[^\s぀-ヿ㐀-䶿一-鿿豈-﫿]+")


def word_bag(result: DocumentResult) -> Bag:
    """The words of every line that was read."""
    return Counter(word for page in result.analysis.pages for line in page.lines for word in _WORD.findall(line.text))


def bag_f1(one: Bag, other: Bag) -> float:
    """Words the two have in common over the mean of their lengths, 0..1; 1 for two empty bags."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def same_text(bags: Mapping[str, Bag], reference: Mapping[str, Bag]) -> float:
    """Mean over the pictures in both of how much of their words is the same; NaN where there are none."""
    shared = bags.keys() & reference.keys()
    return fmean(bag_f1(bags[name], reference[name]) for name in shared) if shared else float("nan")
