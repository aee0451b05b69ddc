"""What stands beside a hit on its visual row: "TOTAL" is printed apart from its amount, and read as two lines."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from mineru_core.document.analysis import Block, Line, PageAnalysis
from mineru_core.document.task import Match
from mineru_core.instruct.find import block_lines

_LONGEST = 32
"""Characters of a line that may stand beside others; a longer one is running text, beside that of another column."""


def in_rows(pages: Iterable[PageAnalysis], matches: Sequence[Match]) -> tuple[Match, ...]:
    """The matches, each with the whole visual row it stands on as its text, from left to right; place and box of the
    hit itself stay. Long lines, hits over the end of a line and pages that lie on their side stay as they are."""
    if not matches:
        return ()
    wanted = {match.page for match in matches}
    by_page = {page.page: _Rows(page) for page in pages if page.page in wanted and page.rotation == 0}
    return tuple(by_page[match.page].shown(match) if match.page in by_page else match for match in matches)


class _Rows:
    """The short lines of a page by the height they stand at."""

    def __init__(self, page: PageAnalysis) -> None:
        lines = [line for block in page.blocks for line in _placed(block) if len(line.text) <= _LONGEST]
        self._lines = sorted(lines, key=_middle)
        self._middles = [_middle(line) for line in self._lines]
        self._by_text: dict[str, list[Line]] = {}
        for line in lines:
            self._by_text.setdefault(line.text, []).append(line)

    def shown(self, match: Match) -> Match:
        """The match in its row."""
        own = next((line for line in self._by_text.get(match.text, ()) if match.box.covered_by(line.box) > 0.9), None)
        if own is None:
            return match
        row = sorted(self._beside(own), key=lambda line: line.box.x0)
        at = next(place for place, line in enumerate(row) if line is own)
        before = sum(len(line.text) + 1 for line in row[:at])
        text = " ".join(line.text for line in row)
        return match.model_copy(update={"text": text, "start": match.start + before, "end": match.end + before})

    def _beside(self, own: Line) -> list[Line]:
        """The line and those on its row, none of which stands over another one."""
        box = own.box
        near = self._lines[bisect_left(self._middles, box.y0) : bisect_right(self._middles, box.y1)]
        row = [own]
        for line in near:
            common = min(line.box.y1, box.y1) - max(line.box.y0, box.y0)
            apart = all(line.box.x0 >= one.box.x1 - 1 or line.box.x1 <= one.box.x0 + 1 for one in row)
            if line is not own and apart and common >= 0.5 * min(line.box.height, box.height):
                row.append(line)
        return row


def _placed(block: Block) -> Iterable[Line]:
    """The lines whose own place is known."""
    whole = block.box if not block.lines else None
    return (line for line in block_lines(block) if line.box != whole and line.text.strip())


def _middle(line: Line) -> float:
    return (line.box.y0 + line.box.y1) / 2
