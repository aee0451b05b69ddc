"""What changed from one page or document to another: lines and cells that came, went or read otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from rapidfuzz import fuzz

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
    old, new = passages(before)[:_MOST_LINES], passages(after)[:_MOST_LINES]
    keys = [key(p.text).text for p in old], [key(p.text).text for p in new]
    went: list[Passage] = []
    runs: list[tuple[list[Passage], list[Passage]]] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if tag != "equal":
            runs.append((old[i1:i2], new[j1:j2]))
            went += old[i1:i2]
    moved = _moved(went, [passage for _, came in runs for passage in came])
    for gone, came in runs:
        yield from _run([p for p in gone if id(p) not in moved], [p for p in came if id(p) not in moved])


def _moved(went: Sequence[Passage], came: Sequence[Passage]) -> set[int]:
    """The passages (by identity) that stand on both sides, elsewhere."""
    places: dict[str, list[Passage]] = {}
    for passage in came:
        places.setdefault(key(passage.text).text, []).append(passage)
    found: set[int] = set()
    for passage in went:
        same = places.get(key(passage.text).text)
        if same:
            found |= {id(passage), id(same.pop(0))}
    return found


def _run(gone: Sequence[Passage], came: Sequence[Passage]) -> Iterator[Change]:
    """Changes where ``came`` stands in the place of ``gone``: lines alike in pairs, in order, the others alone."""
    rest = list(came)
    for old in gone:
        scores = [fuzz.ratio(key(old.text).text, key(new.text).text) for new in rest[:50]]
        best = max(range(len(scores)), key=lambda i: (scores[i], -i), default=None)
        if best is None or scores[best] < _SAME_LINE:
            yield _line(ChangeKind.REMOVED, old, None)
            continue
        yield from (_line(ChangeKind.ADDED, None, new) for new in rest[:best])
        yield _line(ChangeKind.CHANGED, old, rest[best])
        del rest[: best + 1]
    yield from (_line(ChangeKind.ADDED, None, new) for new in rest)


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
    scored = sorted(
        ((_alike(a, b) - 0.01 * abs(i - j), i, j) for i, a in enumerate(old) for j, b in enumerate(new)),
        key=lambda one: (-one[0], one[1], one[2]),
    )
    partners: dict[int, int] = {}
    for score, i, j in scored:
        if score >= _SAME_TABLE and i not in partners and j not in partners.values():
            partners[i] = j
    return partners


def _alike(a: Table, b: Table) -> float:
    words = [{key(cell.text).text for cell in table.cells if cell.text.strip()} for table in (a, b)]
    share = len(words[0] & words[1]) / max(1, min(len(words[0]), len(words[1])))
    heads = [[key(text).text for text in headers(table)] for table in (a, b)]
    return min(share + (0.3 if heads[0] == heads[1] and any(heads[0]) else 0.0), 1.0)


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
    if len(old) * len(new) > _MOST_ALIGNED:
        return {n: n for n in range(min(len(old), len(new)))}
    one = [[key(row[c]).text for c in columns] for row in old]
    other = [[key(row[c]).text for c in columns.values()] for row in new]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    likeness = [[_row_likeness(a, b) for b in other] for a in one]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + likeness[i][j])
    pairs: dict[int, int] = {}
    i = j = 0
    while i < len(old) and j < len(new):
        if likeness[i][j] > 0 and best[i][j] == best[i + 1][j + 1] + likeness[i][j]:
            pairs[i] = j
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


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
