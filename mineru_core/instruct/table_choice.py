"""Of tables the rows and columns that were asked for; and several tables as one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from mineru_core.document.table import Cell, Table
from mineru_core.document.task import Note, RowFilter, RowTest, Task
from mineru_core.instruct.likeness import meant, place_named, same_text
from mineru_core.instruct.normalize import key
from mineru_core.instruct.numbers import HAN
from mineru_core.instruct.numbers import number as number_of
from mineru_core.instruct.values import amount_value

_LEAST_ALIKE = 85.0
"""Likeness (0..100) of a cell without figures that is still taken for the wanted text, a letter misread."""


def choose(tables: Sequence[Table], task: Task) -> tuple[tuple[Table, ...], list[Note]]:
    """The tables as ``task`` wants them: as one, the chosen rows, the chosen columns.

    Notes: ``tables-not-alike``, ``no-such-column``, ``no-such-row``. A column that no table has is left out of account.
    """
    notes: list[Note] = []
    chosen = list(tables)
    if task.merged:
        chosen = merged(chosen)
        if len(chosen) > 1:
            text = f"The tables have different headers, so {len(chosen)} are given; those with equal headers are one."
            notes.append(Note(code="tables-not-alike", message=text))
    for condition in task.rows:
        chosen = _with_rows(chosen, condition, notes)
    if task.columns or task.left_out:
        chosen = _with_columns(chosen, task, notes)
    return tuple(chosen), notes


def header_rows(table: Table) -> int:
    """Rows at the top that are headers: those marked; else the first one of several."""
    return table.header_rows or (1 if table.n_rows > 1 else 0)


def headers(table: Table) -> list[str]:
    """The header of each column: the different texts of its header cells from above, joined by a space."""
    grid = table.grid()[: header_rows(table) or 1]
    return [
        " ".join(
            dict.fromkeys(cell.text.strip() for row in grid if (cell := row[col]) is not None and cell.text.strip())
        )
        for col in range(table.n_cols)
    ]


def part_of(table: Table, rows: Sequence[int], columns: Sequence[int]) -> Table:
    """These rows and columns as a table, in the order given; a spanning cell spans what is left of it.

    Where columns change their order, a cell that spans several stands in each.
    """
    in_order = list(columns) == sorted(columns)
    row_at, col_at = ({old: new for new, old in enumerate(kept)} for kept in (rows, columns))
    cells: list[Cell] = []
    for cell in table.cells:
        kept_rows = [row_at[r] for r in range(cell.row, cell.row + cell.rowspan) if r in row_at]
        kept_cols = [col_at[c] for c in range(cell.col, cell.col + cell.colspan) if c in col_at]
        if not kept_rows or not kept_cols:
            continue
        span = {"row": kept_rows[0], "rowspan": len(kept_rows)}
        if in_order:
            cells.append(cell.model_copy(update={**span, "col": kept_cols[0], "colspan": len(kept_cols)}))
        else:
            cells += [cell.model_copy(update={**span, "col": col, "colspan": 1}) for col in kept_cols]
    fields = {name: getattr(table, name) for name in ("page", "box", "caption", "confidence")}
    return Table(n_rows=len(rows), n_cols=len(columns), cells=tuple(cells), **fields)


def merged(tables: Sequence[Table]) -> list[Table]:
    """Tables with equal headers one below the other under one header, in the order of each first one.

    A table that follows directly, as wide and without a header of its own, goes on with the one before it.
    """
    groups: list[list[Table]] = []
    for table in tables:
        same = next((g for g in groups if _equal_headers(g[0], table)), None)
        if same is None and groups and _goes_on(groups[-1][0], table):
            same = groups[-1]
        if same is None:
            groups.append([table])
        else:
            same.append(table)
    return [_joined(group) for group in groups]


def _equal_headers(one: Table, other: Table) -> bool:
    if one.n_cols != other.n_cols:
        return False
    pairs = list(zip(headers(one), headers(other), strict=True))
    return any(a for a, _ in pairs) and all(same_text(a, b) for a, b in pairs)


def _goes_on(first: Table, table: Table) -> bool:
    """Whether the first row of ``table`` has figures where the body of ``first`` has, and words where it has words."""
    start = header_rows(first)
    if table.header_rows or first.n_cols != table.n_cols or first.n_rows <= start or not table.n_rows:
        return False
    body, own = first.rows(repeat_spans=True)[start], table.rows(repeat_spans=True)[0]
    figures = [amount_value(cell) is not None for cell in body]
    return any(figures) and figures == [amount_value(cell) is not None for cell in own]


def _joined(group: Sequence[Table]) -> Table:
    first = group[0]
    cells, n_rows = list(first.cells), first.n_rows
    for table in group[1:]:
        skip = header_rows(table) if _equal_headers(first, table) else 0
        body = part_of(table, range(skip, table.n_rows), range(table.n_cols))
        cells += [cell.model_copy(update={"row": cell.row + n_rows}) for cell in body.cells]
        n_rows += body.n_rows
    return Table(
        n_rows=n_rows,
        n_cols=first.n_cols,
        cells=tuple(cells),
        page=first.page,
        box=first.box if len(group) == 1 else None,  # a box is on one page only
        caption=first.caption,
        confidence=min(table.confidence for table in group),
    )


def _with_rows(tables: Sequence[Table], condition: RowFilter, notes: list[Note]) -> list[Table]:
    columns = {i: _columns_of(table, condition.column) if condition.column else None for i, table in enumerate(tables)}
    if condition.column and not any(columns.values()):
        notes.append(_no_column([condition.column], tables))
        columns = dict.fromkeys(columns)
    able = [(table, columns[i]) for i, table in enumerate(tables) if columns[i] != []]
    for alike in (False, True):
        found = [
            part_of(table, [*range(header_rows(table)), *rows], range(table.n_cols))
            for table, where in able
            if (rows := _passing(table, condition, where, alike=alike))
        ]
        if found:
            return found
    notes.append(Note(code="no-such-row", message="No row of the tables is as asked."))
    return []


def _passing(table: Table, condition: RowFilter, columns: list[int] | None, *, alike: bool) -> list[int]:
    """Rows of the body that pass; texts with a letter misread count only where ``alike``."""
    texts = table.rows(repeat_spans=True)
    negative = condition.test in (RowTest.LACKS, RowTest.IS_NOT)
    found = []
    for row in range(header_rows(table), table.n_rows):
        cells = texts[row] if columns is None else [texts[row][c] for c in columns]
        passes = any(_passes(cell, condition.test, value, alike=alike) for cell in cells for value in condition.values)
        if passes != negative:
            found.append(row)
    return found


def _passes(cell: str, test: RowTest, value: str, *, alike: bool) -> bool:
    """Whether one cell passes for one value; the negative tests are asked the other way round."""
    if test in (RowTest.CONTAINS, RowTest.LACKS):
        wanted, found = key(value).text, key(cell).text
        # "10" is not in "100": figures count as a whole.
        if re.search(rf"(?<!\d){re.escape(wanted)}(?!\d)" if wanted.isdigit() else re.escape(wanted), found):
            return True
        near = alike and len(wanted) >= 4 and not any(c.isdigit() for c in value)
        return near and fuzz.partial_ratio(wanted, found) >= _LEAST_ALIKE
    number, limit = amount_value(cell), amount_value(value)
    if limit is None and re.fullmatch(HAN, value):
        limit = float(number_of(value))
    if test in (RowTest.IS, RowTest.IS_NOT):
        if same_text(cell, value):
            return True
        if any(c.isdigit() for c in value):
            return number is not None and number == limit and not any(c.isalpha() for c in value)
        return alike and len(value) >= 5 and fuzz.ratio(key(value).text, key(cell).text) >= _LEAST_ALIKE
    if number is None or limit is None:
        return False
    number, limit = _signed(cell, number), _signed(value, limit)
    return {
        RowTest.MORE: number > limit,
        RowTest.LESS: number < limit,
        RowTest.AT_LEAST: number >= limit,
        RowTest.AT_MOST: number <= limit,
    }[test]


def _signed(text: str, number: float) -> float:
    bare = key(text).text
    return -number if bare.startswith(("-", "(")) else number


def _with_columns(tables: Sequence[Table], task: Task, notes: list[Note]) -> list[Table]:
    names = task.columns or task.left_out
    found = [{name: _columns_of(table, name) for name in names} for table in tables]
    missing = [name for name in names if not any(of_table[name] for of_table in found)]
    if missing:
        notes.append(_no_column(missing, tables))
    if len(missing) == len(names):
        return list(tables)
    chosen: list[Table] = []
    for table, of_table in zip(tables, found, strict=True):
        columns = list(dict.fromkeys(c for name in names for c in of_table[name]))
        if task.left_out and not task.columns:
            columns = [c for c in range(table.n_cols) if c not in columns]
        if columns:
            chosen.append(part_of(table, range(table.n_rows), columns))
    return chosen


def _columns_of(table: Table, name: str) -> list[int]:
    """The columns that are meant by a name: by their whole header, one of its cells, or else by number."""
    found = meant(name, headers(table))
    if not found:
        for row in table.grid()[: max(header_rows(table), 1)]:
            found = meant(name, [cell.text if cell is not None else "" for cell in row])
            if found:
                break
    if not found and (place := place_named(name, table.n_cols)) is not None:
        found = [place]
    return found


def _no_column(names: Sequence[str], tables: Sequence[Table]) -> Note:
    has = dict.fromkeys(header for table in tables for header in headers(table) if header)
    listed = "; ".join(list(has)[:12])
    message = f"No column is named {', '.join(names)}." + (f" The columns are: {listed}." if listed else "")
    return Note(code="no-such-column", message=message)
