"""Tables within what the layout model takes for one picture, as it does with till receipts: runs of rows in columns."""

from __future__ import annotations

from collections.abc import Sequence

from mineru_core.document.analysis import BlockType, Line
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.layout import LayoutRegion
from mineru_core.engines.embedded.rows import visual_rows
from mineru_core.engines.embedded.tables.columns import box_of_words, columns_of, is_broken, is_in_columns

# A picture with fewer lines is a chart, a logo or a drawing with labels.
MIN_LINES = 20
# A slip of paper is one picture with nearly all of the page's text; a page with illustrations is not.
MIN_SHARE = 0.5
# Charts with rows of printed numbers are wider than slips.
MIN_TALL = 1.2
MIN_ROWS = 3
MIN_COLUMNS = 3
# Names of articles often stand on a row of their own above their numbers.
MIN_BROKEN = 0.5


def bands(regions: Sequence[LayoutRegion], lines: Sequence[Line]) -> list[Box]:
    """The longest run of rows in columns within each tall picture that holds most of the page's lines, in page pixels.

    Columns alone are a weak sign: what is read there should be sure by itself, too.
    """
    found = []
    for region in regions:
        if region.type is not BlockType.IMAGE or region.box.height < MIN_TALL * region.box.width:
            continue
        held = [line for line in lines if region.box.contains(*line.box.center)]
        if len(held) < max(MIN_LINES, MIN_SHARE * len(lines)):
            continue
        band = _longest(held)
        if band:
            found.append(Box.around(line.box for line in band))
    return found


def _longest(lines: Sequence[Line]) -> list[Line]:
    """The lines of the longest run of rows that looks like a table, its column names first; none where there is none.

    Names are asked for: without them numbers in columns may as well be the labels of a chart.
    """
    boxes = [box_of_words(line) for line in lines]
    rows = [[lines[i] for i in row] for row in visual_rows(boxes)]
    broken = [is_broken([box_of_words(line) for line in row]) for row in rows]
    best: list[list[Line]] = []
    for first, row in enumerate(rows):
        if not (broken[first] and _names_columns(row)):
            continue
        for last in range(len(rows) - 1, first + max(MIN_ROWS - 1, len(best)) - 1, -1):
            run = rows[first : last + 1]
            if broken[last] and sum(broken[first : last + 1]) >= MIN_BROKEN * len(run) and _is_table(run):
                best = run
                break
    return [line for row in best for line in row]


def _is_table(rows: Sequence[Sequence[Line]]) -> bool:
    lines = [line for row in rows for line in row]
    columns = [column for column in columns_of(lines) if not column.is_list_markers]
    return len(columns) >= MIN_COLUMNS and is_in_columns(lines)


def _names_columns(row: Sequence[Line]) -> bool:
    return len(row) >= MIN_COLUMNS and not any(letter.isdigit() for line in row for letter in line.text)
