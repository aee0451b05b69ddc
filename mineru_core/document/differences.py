"""Where two readings of one page differ: words of running text, cells of tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

from mineru_core.document.alignment import aligned, paired
from mineru_core.document.table import Table

MOST_COMPARED = 4_000_000
"""Words of one page times words of the other: above it paragraphs are compared as a whole."""

MOST_ALIGNED = 40_000
"""Rows of one table times rows of the other: above it rows are compared in their order."""

LEAST_OVERLAP = 0.3
"""Intersection over union of the places, or else of the words, of two tables that are taken for the same."""

_CJK = "\u3001-\u303f\uff00-\uffef\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"(\s*)([{_CJK}]|[^\s{_CJK}]+)")


class Piece(NamedTuple):
    """A run of words, with the spaces before them, that the other reading has as well, or has not."""

    text: str
    same: bool


class Row(NamedTuple):
    """A paragraph of the first reading beside what the second has in its place; either may be empty."""

    first: tuple[Piece, ...]
    second: tuple[Piece, ...]

    @property
    def same(self) -> bool:
        """Whether both say the same."""
        return all(piece.same for piece in (*self.first, *self.second))


class _Word(NamedTuple):
    text: str
    space: str
    paragraph: int


Slot = tuple[int, int]
"""Where a word stands: the paragraph of the first reading, and 0; or, after that, a paragraph of the second alone."""


def compare_texts(first: Sequence[str], second: Sequence[str]) -> list[Row]:
    """Paragraphs of two readings beside each other, in the order of each; spaces do not count.

    The words of each side, joined over all rows, are those of its paragraphs.
    """
    one, other = _words(first), _words(second)
    if len(one) * len(other) > MOST_COMPARED:
        one, other = (
            [_Word(" ".join(text.split()), "", n) for n, text in enumerate(side) if text.split()]
            for side in (first, second)
        )
    matcher = SequenceMatcher(None, [word.text for word in one], [word.text for word in other], autojunk=False)
    firsts: list[tuple[Slot, _Word, bool]] = []
    seconds: list[tuple[Slot, _Word, bool]] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        same = tag == "equal"
        firsts += [((word.paragraph, 0), word, same) for word in one[i1:i2]]
        seconds += [(_slot(one, other, (i1, i2, j1, j2), j), other[j], same) for j in range(j1, j2)]
    sides = [_pieces(firsts), _pieces(seconds)]
    slots = sorted(sides[0].keys() | sides[1].keys())
    return [Row(sides[0].get(slot, ()), sides[1].get(slot, ())) for slot in slots]


def agreement(rows: Sequence[Row]) -> float:
    """Share of all characters but spaces that both readings have, 0..1; 1 where neither has any."""
    pieces = [piece for row in rows for piece in (*row.first, *row.second)]
    counts = [(len("".join(piece.text.split())), piece.same) for piece in pieces]
    total = sum(count for count, _ in counts)
    return sum(count for count, same in counts if same) / total if total else 1.0


def pair_tables(first: Sequence[Table], second: Sequence[Table]) -> list[tuple[Table | None, Table | None]]:
    """Tables that are the same one, by their place on the page or else by their words; then those of one side alone.

    Pairs are in the order of the first side, what the second has alone comes after them.
    """
    partner = paired(len(first), len(second), lambda i, j: _likeness(first[i], second[j]), LEAST_OVERLAP)
    pairs: list[tuple[Table | None, Table | None]] = [
        (table, second[partner[i]] if i in partner else None) for i, table in enumerate(first)
    ]
    return pairs + [(None, table) for j, table in enumerate(second) if j not in partner.values()]


def differing_cells(first: Table, second: Table) -> tuple[frozenset[Slot], frozenset[Slot]]:
    """The (row, column) of the cells of each table whose text the other has not in the same place.

    Rows and columns that one of them lacks are left out of account in finding places, so that a row too few marks that
    row and not all after it. Spaces do not count.
    """
    texts = [[[_plain(text) for text in row] for row in table.rows(repeat_spans=True)] for table in (first, second)]
    rows = aligned(texts[0], texts[1], _equal_cells, MOST_ALIGNED)
    columns = {n: n for n in range(first.n_cols)}
    if first.n_cols != second.n_cols:
        columns = aligned(_columns(texts[0]), _columns(texts[1]), _common, MOST_ALIGNED)
    back_rows, back_columns = ({b: a for a, b in pairs.items()} for pairs in (rows, columns))

    def marked(table: Table, own: list[list[str]], other: list[list[str]], *maps: dict[int, int]) -> frozenset[Slot]:
        to_row, to_column = maps
        return frozenset(
            (cell.row, cell.col)
            for cell in table.cells
            if cell.row not in to_row
            or cell.col not in to_column
            or own[cell.row][cell.col] != other[to_row[cell.row]][to_column[cell.col]]
        )

    return (
        marked(first, texts[0], texts[1], rows, columns),
        marked(second, texts[1], texts[0], back_rows, back_columns),
    )


def _words(paragraphs: Sequence[str]) -> list[_Word]:
    return [_Word(word, space, n) for n, text in enumerate(paragraphs) for space, word in _WORD.findall(text.strip())]


def _slot(one: Sequence[_Word], other: Sequence[_Word], run: tuple[int, int, int, int], j: int) -> Slot:
    """The row of word ``j`` of the second reading, which is in the run ``one[i1:i2]`` against ``other[j1:j2]``."""
    i1, i2, j1, j2 = run
    if i2 > i1:  # beside the words it is equal to, or stands for
        return (one[i1 + (j - j1) * (i2 - i1) // (j2 - j1)].paragraph, 0)
    paragraph = other[j].paragraph
    before = one[i1 - 1].paragraph if i1 else -1
    within = 0 < i1 < len(one) and one[i1].paragraph == before
    if within or (i1 and j1 and other[j1 - 1].paragraph == paragraph):
        return (before, 0)
    if i1 < len(one) and j2 < len(other) and other[j2].paragraph == paragraph:
        return (one[i1].paragraph, 0)
    return (before, 1 + paragraph)


def _pieces(placed: Sequence[tuple[Slot, _Word, bool]]) -> dict[Slot, tuple[Piece, ...]]:
    found: dict[Slot, tuple[Piece, ...]] = {}
    for slot, words in groupby(placed, key=lambda one: one[0]):
        pieces = []
        last: int | None = None
        for same, run in groupby(words, key=lambda one: one[2]):
            text = ""
            for _, word, _ in run:
                # A new paragraph of the second reading within a row is told by a line break.
                text += ("\n" if last is not None and word.paragraph != last else word.space) + word.text
                last = word.paragraph
            pieces.append(Piece(text, same))
        found[slot] = found.get(slot, ()) + tuple(pieces)
    return found


def _likeness(a: Table, b: Table) -> float:
    """How much speaks for two tables being the same; ``LEAST_OVERLAP`` is enough."""
    if a.page != b.page:
        return 0.0
    if a.box is not None and b.box is not None:
        overlap = a.box.iou(b.box)
        if overlap >= LEAST_OVERLAP:
            return 1.0 + overlap
    words = [{text for row in table.rows() for cell in row for text in cell.split()} for table in (a, b)]
    return len(words[0] & words[1]) / max(1, len(words[0] | words[1]))


def _equal_cells(a: list[str], b: list[str]) -> float:
    """Cells of two rows that say the same, those with words counting most; a little for being rows at all."""
    return 0.01 + sum(1.0 if one else 0.1 for one, other in zip(a, b, strict=False) if one == other)


def _common(a: list[str], b: list[str]) -> float:
    """Texts that two columns have in common."""
    return 0.01 + len({*a} & {*b} - {""})


def _columns(rows: list[list[str]]) -> list[list[str]]:
    return [list(column) for column in zip(*rows, strict=True)]


def _plain(text: str) -> str:
    return "".join(text.split())
