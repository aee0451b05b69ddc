"""What a reading warns of: sentences with places for what they tell of, which a user interface says in its language."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache


class Notice(StrEnum):
    """A warning in English, its places as for ``str.format``; the member's name is stable."""

    LAYOUT_CUT = "The layout of the page was cut off; areas may be missing."
    BLOCK_CUT = "A block of the page was cut off while it was read ({kind}); check its end."
    PRINTED_DIFFER = "{count} printed values do not agree with the scale."
    TICKS_OF_X = "Of the horizontal axis these labels do not agree with the others: {labels}."
    TICKS_OF_Y = "Of the vertical axis these labels do not agree with the others: {labels}."
    TICKS_OF_SECOND = "Of the second vertical axis these labels do not agree with the others: {labels}."
    UNEXPLAINED = "Much of what is drawn in the plot area is none of the marks that were read: check the values."
    SHORT_LINE = "The line that was read spans a small part of the plot: check the values."
    RAISED_BARS = "The bars do not begin at zero, as those drawn in perspective: their own length was measured."
    BARS_ELSEWHERE = "There are bars outside of the plot area: the axis was broken, or a second chart stands there."
    NAMELESS_AREAS = "The areas have no names: they may be parts of one surface."
    NO_VALUES = "No values were found for: {names}."
    FEW_VALUES = "Fewer values than for the others were found for: {names}."

    def told(self, **fields: object) -> str:
        """The sentence with its places filled. Raises ``KeyError`` for one that is not given."""
        return self.format(**fields)


def recognised(warning: str) -> tuple[Notice, dict[str, str]] | None:
    """The notice that a warning is, with what it tells of; None for any other sentence."""
    for notice in Notice:
        found = _pattern(notice).fullmatch(warning)
        if found is not None:
            return notice, found.groupdict()
    return None


@cache
def _pattern(notice: Notice) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.*)", re.escape(notice.value)), re.DOTALL)
