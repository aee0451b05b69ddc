"""What changed from one document to another, from the results of both."""

from __future__ import annotations

from mineru_core.document.task import Note, Task, TaskKind
from mineru_core.errors import InvalidRequest
from mineru_core.export.result import DocumentResult
from mineru_core.instruct import answer, compare

COMPARISON = Task(kind=TaskKind.COMPARE, words="what changed")
"""What each of two documents is read for, where both are compared."""


def compared(before: DocumentResult, after: DocumentResult) -> DocumentResult:
    """The later document's result with what changed from the earlier one as its answer.

    Both must have been read for a comparison (``COMPARISON``, or words that ask what changed), whole or the same pages
    of them. Notes that reading added, on what the engine cannot read, stay. Raises ``InvalidRequest`` where one was
    read for something else: its tables may not have been read.
    """
    for side in (before, after):
        if side.task.kind is not TaskKind.COMPARE:
            raise InvalidRequest("A document was read for something else than a comparison.", "Ask what changed.")
    given = compare(before.analysis, after.analysis)
    notes = dict.fromkeys((*given.notes, *_notes_of_reading(before), *_notes_of_reading(after)))
    stages = dict.fromkeys((*before.timings, *after.timings))
    engines = dict.fromkeys((before.engine, after.engine))
    return DocumentResult(
        task=after.task,
        answer=given.model_copy(update={"notes": tuple(notes)}),
        analysis=after.analysis,
        before=before.analysis,
        engine="; ".join(engines),
        timings={stage: before.timings.get(stage, 0.0) + after.timings.get(stage, 0.0) for stage in stages},
        warnings=tuple(dict.fromkeys((*before.warnings, *after.warnings))),
    )


def _notes_of_reading(result: DocumentResult) -> tuple[Note, ...]:
    """The notes that the answer on the document alone does not give: those of its reading."""
    answered = {note.code for note in answer(result.analysis, result.task).notes}
    return tuple(note for note in result.answer.notes if note.code not in answered)
