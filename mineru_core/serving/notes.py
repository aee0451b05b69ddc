"""What is to be said of a reading beside its answer."""

from __future__ import annotations

from collections.abc import Sequence

from mineru_core.document.analysis import BlockType, DocumentAnalysis, Part
from mineru_core.document.task import Note, Task, TaskKind

_SPECIAL_PARTS = {
    Part.TABLES: ("tables", TaskKind.TABLES, BlockType.TABLE),
    Part.CHARTS: ("charts", TaskKind.CHARTS, BlockType.CHART),
    Part.FORMULAS: ("formulas", TaskKind.FORMULAS, BlockType.EQUATION),
}


def unsupported(task: Task, missing: frozenset[Part], analysis: DocumentAnalysis) -> list[Note]:
    """Notes on parts the engine cannot read: where they were asked for by name, or are there to be read.

    Who asks for everything of a page without a chart need not hear that charts cannot be read; nor who gets all charts
    from the data that the file stores.
    """
    blocks = [block for page in analysis.pages for block in page.blocks]
    given = {block.type for block in blocks if block.table is not None or block.chart is not None}
    unread = {block.type for block in blocks if block.table is None and block.chart is None}
    return [
        Note(code=f"{name}-unsupported", message=f"The engine in use cannot read {name}.")
        for part, (name, kind, block_type) in _SPECIAL_PARTS.items()
        if part in missing and ((task.kind is kind and block_type not in given) or block_type in unread)
    ]


def joined(answered: Sequence[Note], own: Sequence[Note]) -> tuple[Note, ...]:
    """Notes of the answer, then those of the run, each code once."""
    by_code = {note.code: note for note in [*reversed(own), *reversed(answered)]}
    return tuple(dict.fromkeys(by_code[note.code] for note in [*answered, *own]))
