"""The unit that a title tells: "Deaths (in thousands)", "Revenue in million U.S. dollars", 金额（万元）.

It is told and not multiplied in: values stay what the axis prints.
"""

from __future__ import annotations

import re

_MULTIPLE = r"(?:hundred\s+)?(?:thousand|million|billion|trillion)s?|hundreds|%|per\s?cent(?:age)?"
_BRACKETED = re.compile(r"[(（\[【]\s*(?:in\s+)?(?:单位\s*[:：]?\s*)?([^()（）\[\]【】]{1,40}?)\s*[)）\]】]")
_IN = re.compile(rf"\bin\s+((?:{_MULTIPLE})\b(?:\s+(?!by\b|from\b|per\b)[\w.$€£¥-]+){{0,3}}|%)", re.IGNORECASE)
_NAMED = re.compile(r"单位\s*[:：]\s*([^\s,，;；()（）]{1,12})")
_MULTIPLIER = re.compile(rf"^(?:{_MULTIPLE})(?!\w)|^[十百千万亿]", re.IGNORECASE)
# What stands in brackets and is no unit: years and other numbers, sides, kinds of scale, lists, sentences.
_OTHER = re.compile(
    r"\d{2}|^\d|^(?:left|right|log|linear|index|total|estimated|projected|[左右对线])|[,，;；:：=<>≥≤]|(?:\S+\s+){4}",
    re.IGNORECASE,
)


def unit_in(title: str, *, multiples_only: bool = False) -> str:
    """The unit that a title tells, without "in"; "" for none.

    With ``multiples_only`` just such as say thousands, millions, 万 or per cent: a chart's title has other things in
    brackets as well.
    """
    told = _IN.search(title) or _NAMED.search(title)
    bracketed = [found[1] for found in _BRACKETED.finditer(title) if not _OTHER.search(found[1])]
    for unit in ([told[1]] if told else []) + bracketed[::-1]:
        if not multiples_only or _MULTIPLIER.search(unit):
            return " ".join(unit.split())
    return ""


def whole_unit(printed: str, told: str) -> str:
    """The unit of an axis from what its numbers have beside them (``$``) and what a title tells ("billions")."""
    if not printed:
        return told
    if told and printed != told and len(printed) == 1 and printed != "%" and _MULTIPLIER.search(told):
        return f"{printed} {told}"
    return printed
