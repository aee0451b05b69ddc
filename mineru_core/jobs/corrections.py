"""What people have corrected in the tables of a job, and the result with it.

What was read is never changed: a corrected result is the one that was read with the corrections that count, made in
their order, and the answer is given anew from the corrected tables. So everything that is shown or exported follows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mineru_core.document.analysis import Block, DocumentAnalysis, PageAnalysis
from mineru_core.document.table import Table
from mineru_core.document.table_edits import TableChange, TableOperation, apply_all
from mineru_core.errors import EditConflict, NotFound
from mineru_core.export.result import DocumentResult
from mineru_core.instruct import answer
from mineru_core.instruct.grounded import quoted_anew
from mineru_core.jobs.correction_log import Correction, CorrectionLog, CorrectionState, TableId
from mineru_core.jobs.storage import on_storage
from mineru_core.runtime.recent import Recent
from mineru_core.store.database import Database
from mineru_core.store.tables import JobRow

_KEPT = 8
"""Corrected documents in memory; others are made again from what was read."""
_KEYS_KEPT = 256


@dataclass(frozen=True, slots=True)
class _Corrected:
    """The analysis at a version of the corrections, of which ``applied`` count; its result once somebody has asked."""

    version: int
    applied: int
    analysis: DocumentAnalysis
    result: DocumentResult | None = None


class Corrections:
    """Corrections of jobs on one database. Any thread may call any method; a job is open to its owner alone.

    ``original`` gives the result as it was read, and raises where the owner has none (see ``original_result`` of the
    service); every method raises what it raises.
    """

    def __init__(self, database: Database, original: Callable[[str, str], DocumentResult]) -> None:
        self._log = CorrectionLog(database)
        self._original = original
        self._kept: Recent[_Corrected] = Recent(_KEPT)
        self._keys: Recent[str] = Recent(_KEYS_KEPT)

    @on_storage
    def state(self, job_id: str, owner: str) -> CorrectionState:
        """How the corrections stand; the version is to be named with the next change."""
        self._original(job_id, owner)
        return self._log.state(job_id)

    @on_storage
    def table(self, job_id: str, owner: str, table: TableId) -> tuple[int, Table]:
        """A table with its corrections, and their version. Raises ``NotFound`` for a table that is not there."""
        now = self._now(job_id, self._original(job_id, owner))
        return now.version, table_of(now.analysis, table)

    @on_storage
    def correct(
        self, job_id: str, owner: str, table: TableId, operation: TableOperation, *, version: int
    ) -> CorrectionState:
        """Do something to a table as it is at ``version``. Raises ``EditConflict`` where it has been changed since,
        ``InvalidRequest`` where the operation does not fit it or there are too many, ``NotFound`` for no such table."""
        original = self._original(job_id, owner)
        now = self._now(job_id, original)
        if now.version != version:
            raise EditConflict("The tables have been changed in the meantime.")
        after = operation.apply(table_of(now.analysis, table))  # before the write lock: a large table takes a while
        state = self._log.append(
            job_id,
            owner,
            Correction(table=table, operation=operation),
            table_key=self._key(job_id, original.analysis, table),
            version=version,
        )
        self._keep(job_id, state, now.analysis, table, after)
        return state

    @on_storage
    def undo(self, job_id: str, owner: str, *, version: int) -> tuple[CorrectionState, TableId]:
        """Undo the last correction that counts; which table that has changed. Raises ``EditConflict``, and
        ``InvalidRequest`` where there is none."""
        original = self._original(job_id, owner)
        now = self._now(job_id, original)
        state, correction = self._log.move(job_id, owner, -1, version=version)
        found, rest = self._log.applied(job_id, correction.table)
        if now.version == version and found.version == state.version:
            after = apply_all(table_of(original.analysis, correction.table), [one.operation for one in rest])
            self._keep(job_id, state, now.analysis, correction.table, after)
        return state, correction.table

    @on_storage
    def redo(self, job_id: str, owner: str, *, version: int) -> tuple[CorrectionState, TableId]:
        """Make the correction again that was undone last; which table that has changed. Raises ``EditConflict``, and
        ``InvalidRequest`` where there is none."""
        now = self._now(job_id, self._original(job_id, owner))
        state, correction = self._log.move(job_id, owner, 1, version=version)
        if now.version == version:
            after = correction.operation.apply(table_of(now.analysis, correction.table))
            self._keep(job_id, state, now.analysis, correction.table, after)
        return state, correction.table

    @on_storage
    def corrected(self, job_id: str, original: DocumentResult) -> DocumentResult:
        """The result with the corrections that count; itself where there are none."""
        now = self._now(job_id, original)
        if not now.applied:
            return original
        if now.result is not None:
            return now.result
        result = _answered_anew(original, now.analysis)
        self._kept.put(job_id, _Corrected(now.version, now.applied, now.analysis, result))
        return result

    @on_storage
    def adopt(self, row: JobRow, result: DocumentResult) -> None:
        """Take over, for a job that is about to end with ``result``, what its owner has corrected in equal tables of
        the same document: same pixels of the page, same place on it, read the same."""
        siblings = self._log.siblings(row.id, row.owner, row.blob)
        if siblings:
            self._log.adopt(row.id, siblings, _keys_of(result.analysis))

    def _now(self, job_id: str, original: DocumentResult) -> _Corrected:
        """The corrected analysis at the latest version."""
        version = self._log.state(job_id).version
        kept = self._kept.get(job_id)
        if kept is not None and kept.version == version:
            return kept
        state, corrections = self._log.applied(job_id)
        by_table: dict[TableId, list[TableChange]] = {}
        for correction in corrections:
            by_table.setdefault(correction.table, []).append(correction.operation)
        changed = {table: apply_all(table_of(original.analysis, table), done) for table, done in by_table.items()}
        analysis = with_tables(original.analysis, changed) if changed else original.analysis
        now = _Corrected(state.version, state.applied, analysis)
        if state.version:
            self._kept.put(job_id, now)
        return now

    def _key(self, job_id: str, analysis: DocumentAnalysis, table: TableId) -> str:
        """The key of a table; kept, since that of a large one takes longer than most corrections of it."""
        name = f"{job_id} {table.page} {table.index}"
        key = self._keys.get(name)
        if key is None:
            page = next(page for page in analysis.pages if page.page == table.page)
            key = _key_of(page, table.index, page.tables[table.index])
            self._keys.put(name, key)
        return key

    def _keep(
        self, job_id: str, state: CorrectionState, before: DocumentAnalysis, table: TableId, after: Table
    ) -> None:
        self._kept.put(job_id, _Corrected(state.version, state.applied, with_tables(before, {table: after})))


def table_of(analysis: DocumentAnalysis, table: TableId) -> Table:
    """The table of that name. Raises ``NotFound``."""
    for page in analysis.pages:
        if page.page == table.page and table.index < len(page.tables):
            return page.tables[table.index]
    raise NotFound("There is no such table.", "Name a page that has been read, and count its tables from 0.")


def source_of(result: DocumentResult, table: Table) -> TableId | None:
    """Where a table of the answer was read; None for one that is made of parts of those that were. The table itself is
    found before an equal one on the same page."""
    equal: TableId | None = None
    for page in result.analysis.pages:
        for index, read in enumerate(page.tables):
            if read is table:
                return TableId(page=page.page, index=index)
            if equal is None and read.page == table.page and read == table:
                equal = TableId(page=page.page, index=index)
    return equal


def with_tables(analysis: DocumentAnalysis, changed: Mapping[TableId, Table]) -> DocumentAnalysis:
    """The analysis with other tables in the places of those named."""
    pages: list[PageAnalysis] = []
    for page in analysis.pages:
        blocks: list[Block] = []
        index = 0
        for block in page.blocks:
            if block.table is not None:
                after = changed.get(TableId(page=page.page, index=index))
                index += 1
                blocks.append(block if after is None else block.model_copy(update={"table": after}))
            else:
                blocks.append(block)
        pages.append(page.model_copy(update={"blocks": tuple(blocks)}))
    return analysis.model_copy(update={"pages": tuple(pages)})


def _answered_anew(original: DocumentResult, analysis: DocumentAnalysis) -> DocumentResult:
    """The same question put to the corrected analysis. Notes that reading added, and no answer gives, stay."""
    given = answer(analysis, original.task)
    if original.answer.text_model and not given.quotes:  # the model is not asked anew: its sources read as they do now
        return original.model_copy(
            update={"analysis": analysis, "answer": quoted_anew(original.answer, analysis.pages)}
        )
    ours = {note.code for note in (*answer(original.analysis, original.task).notes, *given.notes)}
    added = tuple(note for note in original.answer.notes if note.code not in ours)
    return original.model_copy(
        update={"analysis": analysis, "answer": given.model_copy(update={"notes": (*given.notes, *added)})}
    )


def _keys_of(analysis: DocumentAnalysis) -> dict[TableId, str]:
    """The key of each table."""
    return {
        TableId(page=page.page, index=index): _key_of(page, index, table)
        for page in analysis.pages
        for index, table in enumerate(page.tables)
    }


def _key_of(page: PageAnalysis, index: int, table: Table) -> str:
    """What tells a table as it was read: of the page's pixels and of all that was read of the table."""
    read = f"{page.sha256} {index} {table.model_dump_json()}"
    return hashlib.sha256(read.encode("utf-8", "replace")).hexdigest()
