"""What changed from one page or document to another: lines and cells that came, went or read otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from rapidfuzz import fuzz

from mineru_core.document.alignment import aligned, paired
from mineru_core.document.analysis import DocumentAnalysis, PageAnalysis
from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table
from mineru_core.document.task import Answer, Change, ChangeKind, Note, TaskKind
from mineru_core.instruct.likeness import same_text
from mineru_core.instruct.normalize import key
from mineru_core.instruct.passages import Passage, passages
from mineru_core.instruct.table_choice import headers

MOST_CHANGES = 2_000
_MOST_LINES = 4_000
_MOST_ALIGNED = 250_000  # rows of one table times rows of the other; above it they are compared in their order
_SAME_LINE = 55.0  # likeness (0..100) from which a line that went and one that came are one line, changed
_SAME_TABLE = 0.3  # share of common texts from which two tables are one table, changed

_Placed = tuple[Table, int, Box]
_Said = tuple[set[str], list[str]]  # the texts of a table's cells, and its headers, as they are compared
_Keyed = tuple[Passage, str]  # a passage and what it is compared by


def compare(before: DocumentAnalysis, after: DocumentAnalysis) -> Answer:
    """What changed from one document to another, whole, in the order of the pages."""
    return compare_pages(before.pages, after.pages)


def compare_pages(before: Sequence[PageAnalysis], after: Sequence[PageAnalysis]) -> Answer:
    """What changed from some pages to others: sentences and lines first, then cells of tables; moved lines are none.

    Page headers, footers and numbers do not count, nor do case, width and spaces. Notes: ``no-changes``, and
    ``more-changes`` where only the first ``MOST_CHANGES`` are given.
    """
    changes = [*_lines(before, after), *_tables(before, after)]
    notes = [Note(code="no-changes", message="Nothing differs.")] if not changes else []
    if len(changes) > MOST_CHANGES:
        text = f"There are {len(changes)} changes; the first {MOST_CHANGES} are given."
        notes.append(Note(code="more-changes", message=text))
    return Answer(kind=TaskKind.COMPARE, changes=tuple(changes[:MOST_CHANGES]), notes=tuple(notes))


def _lines(before: Sequence[PageAnalysis], after: Sequence[PageAnalysis]) -> Iterator[Change]:
    old, new = ([(p, key(p.text).text) for p in passages(side)[:_MOST_LINES]] for side in (before, after))
    keys = [text for _, text in old], [text for _, text in new]
    went: list[_Keyed] = []
    runs: list[tuple[list[_Keyed], list[_Keyed]]] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if tag != "equal":
            runs.append((old[i1:i2], new[j1:j2]))
            went += old[i1:i2]
    moved = _moved(went, [keyed for _, came in runs for keyed in came])
    for gone, came in runs:
        yield from _run([p for p in gone if id(p[0]) not in moved], [p for p in came if id(p[0]) not in moved])


def _moved(went: Sequence[_Keyed], came: Sequence[_Keyed]) -> set[int]:
    """The passages (by identity) that stand on both sides, elsewhere."""
    places: dict[str, list[Passage]] = {}
    for passage, text in came:
        places.setdefault(text, []).append(passage)
    found: set[int] = set()
    for passage, text in went:
        same = places.get(text)
        if same:
            found |= {id(passage), id(same.pop(0))}
    return found


def _run(gone: Sequence[_Keyed], came: Sequence[_Keyed]) -> Iterator[Change]:
    """Changes where ``came`` stands in the place of ``gone``: lines alike in pairs, in order, the others alone."""
    rest = list(came)
    for old, wanted in gone:
        scores = [fuzz.ratio(wanted, text) for _, text in rest[:50]]
        best = max(range(len(scores)), key=lambda i: (scores[i], -i), default=None)
        if best is None or scores[best] < _SAME_LINE:
            yield _line(ChangeKind.REMOVED, old, None)
            continue
        yield from (_line(ChangeKind.ADDED, None, new) for new, _ in rest[:best])
        yield _line(ChangeKind.CHANGED, old, rest[best][0])
        del rest[: best + 1]
    yield from (_line(ChangeKind.ADDED, None, new) for new, _ in rest)


def _line(kind: ChangeKind, old: Passage | None, new: Passage | None) -> Change:
    return Change(
        kind=kind,
        before=old.text if old else "",
        after=new.text if new else "",
        before_page=old.page if old else None,
        after_page=new.page if new else None,
        before_box=old.box if old else None,
        after_box=new.box if new else None,
        confidence=min(p.confidence for p in (old, new) if p is not None),
    )


def _tables(before: Sequence[PageAnalysis], after: Sequence[PageAnalysis]) -> Iterator[Change]:
    old, new = _placed(before), _placed(after)
    partners = _paired([one[0] for one in old], [one[0] for one in new])
    for i, one in enumerate(old):
        if i in partners:
            yield from _cells(one, new[partners[i]])
        else:
            yield from (_row(one, row, ChangeKind.REMOVED) for row in range(one[0].n_rows))
    for j, one in enumerate(new):
        if j not in partners.values():
            yield from (_row(one, row, ChangeKind.ADDED) for row in range(one[0].n_rows))


def _placed(pages: Sequence[PageAnalysis]) -> list[_Placed]:
    return [(block.table, page.page, block.box) for page in pages for block in page.blocks if block.table is not None]


def _paired(old: Sequence[Table], new: Sequence[Table]) -> dict[int, int]:
    """Which table of ``new`` each of ``old`` became, by their headers and words; those alike most first."""
    said = [[_said(table) for table in side] for side in (old, new)]
    return paired(len(old), len(new), lambda i, j: _alike(said[0][i], said[1][j]) - 0.01 * abs(i - j), _SAME_TABLE)


def _said(table: Table) -> _Said:
    words = {key(cell.text).text for cell in table.cells if cell.text.strip()}
    return words, [key(text).text for text in headers(table)]


def _alike(a: _Said, b: _Said) -> float:
    share = len(a[0] & b[0]) / max(1, min(len(a[0]), len(b[0])))
    return min(share + (0.3 if a[1] == b[1] and any(a[1]) else 0.0), 1.0)


def _cells(old: _Placed, new: _Placed) -> Iterator[Change]:
    texts = [table.rows(repeat_spans=True) for table in (old[0], new[0])]
    columns = _columns(old[0], new[0])
    rows = _rows(texts[0], texts[1], columns)
    grids = old[0].grid(), new[0].grid()
    came = [row for row in range(new[0].n_rows) if row not in rows.values()]
    for row in range(old[0].n_rows):
        if row not in rows:
            yield _row(old, row, ChangeKind.REMOVED)
            continue
        yield from (_row(new, other, ChangeKind.ADDED) for other in came if other < rows[row])
        came = [other for other in came if other > rows[row]]
        for col, other in columns.items():
            if key(texts[0][row][col]).text != key(texts[1][rows[row]][other]).text:
                yield _cell(old, new, grids[0][row][col], grids[1][rows[row]][other], (rows[row], other))
        for col in (c for c in range(old[0].n_cols) if c not in columns and texts[0][row][c].strip()):
            yield _cell(old, new, grids[0][row][col], None, (row, col))
        for other in (c for c in range(new[0].n_cols) if c not in columns.values() and texts[1][rows[row]][c].strip()):
            yield _cell(old, new, None, grids[1][rows[row]][other], (rows[row], other))
    yield from (_row(new, other, ChangeKind.ADDED) for other in came)


def _columns(old: Table, new: Table) -> dict[int, int]:
    """Which column of ``new`` each of ``old`` is: by the headers where they differ in number or order."""
    heads = headers(old), headers(new)
    found: dict[int, int] = {}
    for i, head in enumerate(heads[0]):
        places = [j for j, other in enumerate(heads[1]) if j not in found.values() and same_text(head, other)]
        if places:
            found[i] = min(places, key=lambda j: abs(j - i))
    if old.n_cols == new.n_cols:  # one whose header reads otherwise is still the same column
        for i in range(old.n_cols):
            if i not in found and i not in found.values():
                found[i] = i
    return dict(sorted(found.items())) or {i: i for i in range(min(old.n_cols, new.n_cols))}


def _rows(old: list[list[str]], new: list[list[str]], columns: dict[int, int]) -> dict[int, int]:
    """Which row of ``new`` each of ``old`` is: in the order of both, so that most cells are equal."""
    one = [[key(row[c]).text for c in columns] for row in old]
    other = [[key(row[c]).text for c in columns.values()] for row in new]
    return aligned(one, other, _row_likeness, _MOST_ALIGNED)


def _row_likeness(a: Sequence[str], b: Sequence[str]) -> float:
    """Equal cells of two rows, the first counting twice; 0 for rows that have too little in common to be one."""
    equal = sum(
        (2.0 if i == 0 else 1.0) for i, (one, other) in enumerate(zip(a, b, strict=True)) if one == other and one
    )
    return equal if equal >= 0.34 * max(1, sum(1 for text in a if text)) else 0.0


def _cell(old: _Placed, new: _Placed, gone: Cell | None, came: Cell | None, place: tuple[int, int]) -> Change:
    before, after = gone.text if gone else "", came.text if came else ""
    kind = (
        ChangeKind.CHANGED
        if before.strip() and after.strip()
        else ChangeKind.REMOVED
        if before.strip()
        else ChangeKind.ADDED
    )
    return Change(
        kind=kind,
        before=before,
        after=after,
        before_page=old[1] if gone else None,
        after_page=new[1] if came else None,
        before_box=(gone.box or old[2]) if gone else None,
        after_box=(came.box or new[2]) if came else None,
        row=place[0],
        col=place[1],
        confidence=min((cell.confidence for cell in (gone, came) if cell is not None), default=1.0),
    )


def _row(table: _Placed, row: int, kind: ChangeKind) -> Change:
    """A whole row, its cells parted by tabs."""
    cells = [cell for cell in table[0].cells if cell.row == row]
    text = "\t".join(" ".join(cell.text.split()) for cell in cells)
    box = Box.around(cell.box or table[2] for cell in cells) if cells else table[2]
    sure = min((cell.confidence for cell in cells), default=1.0)
    if kind is ChangeKind.ADDED:
        return Change(kind=kind, after=text, after_page=table[1], after_box=box, row=row, confidence=sure)
    return Change(kind=kind, before=text, before_page=table[1], before_box=box, row=row, confidence=sure)
