"""What people have corrected in the tables and charts of a job, and the result with it.

What was read is never changed: a corrected result is the one that was read with the corrections that count, made in
their order, and the answer is given anew from what is corrected. So everything that is shown or exported follows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from mineru_core.document.analysis import Block, DocumentAnalysis, PageAnalysis
from mineru_core.document.chart import Chart
from mineru_core.document.chart_edits import ChartChange, apply_to_chart
from mineru_core.document.table import Table
from mineru_core.document.table_edits import apply_all
from mineru_core.errors import EditConflict, InvalidRequest, NotFound
from mineru_core.export.result import DocumentResult
from mineru_core.instruct import answer
from mineru_core.instruct.grounded import quoted_anew
from mineru_core.jobs.correction_log import (
    ChartId,
    Correction,
    CorrectionLog,
    CorrectionState,
    Operation,
    TableId,
    Target,
)
from mineru_core.jobs.storage import on_storage
from mineru_core.runtime.recent import Recent
from mineru_core.store.database import Database
from mineru_core.store.tables import JobRow

_KEPT = 8
"""Corrected documents in memory; others are made again from what was read."""
_KEYS_KEPT = 256


@dataclass(frozen=True, slots=True)
class _Corrected:
    """The analysis at a version of the corrections, of which ``applied`` count, with the tables and charts they have
    ``changed``; its result once somebody has asked."""

    version: int
    applied: int
    changed: Mapping[Target, Table | Chart]
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
    def chart(self, job_id: str, owner: str, chart: ChartId) -> tuple[int, Chart]:
        """A chart with its corrections, and their version. Raises ``NotFound`` for a chart that is not there."""
        now = self._now(job_id, self._original(job_id, owner))
        return now.version, chart_of(now.analysis, chart)

    @on_storage
    def correct(
        self, job_id: str, owner: str, target: Target, operation: Operation, *, version: int
    ) -> CorrectionState:
        """Do something to a table or chart as it is at ``version``. Raises ``EditConflict`` where the document has been
        corrected since, ``InvalidRequest`` where the operation does not fit or there are too many, ``NotFound`` for no
        such table or chart."""
        original = self._original(job_id, owner)
        now = self._now(job_id, original)
        if now.version != version:
            raise EditConflict("The document has been corrected in the meantime.")
        after = _done(_read(now.analysis, target), [operation])  # before the write lock: a large table takes a while
        state = self._log.append(
            job_id,
            owner,
            Correction(target=target, operation=operation),
            key=self._key(job_id, original.analysis, target),
            version=version,
        )
        self._keep(job_id, state, original.analysis, {**now.changed, target: after})
        return state

    @on_storage
    def undo(self, job_id: str, owner: str, *, version: int) -> tuple[CorrectionState, Target]:
        """Undo the last correction that counts; which table or chart that has changed. Raises ``EditConflict``, and
        ``InvalidRequest`` where there is none."""
        original = self._original(job_id, owner)
        now = self._now(job_id, original)
        state, correction = self._log.move(job_id, owner, -1, version=version)
        found, rest = self._log.applied(job_id, correction.target)
        if now.version == version and found.version == state.version:
            after = _done(_read(original.analysis, correction.target), [one.operation for one in rest])
            self._keep(job_id, state, original.analysis, {**now.changed, correction.target: after})
        return state, correction.target

    @on_storage
    def redo(self, job_id: str, owner: str, *, version: int) -> tuple[CorrectionState, Target]:
        """Make the correction again that was undone last; which table or chart that has changed. Raises
        ``EditConflict``, and ``InvalidRequest`` where there is none."""
        original = self._original(job_id, owner)
        now = self._now(job_id, original)
        state, correction = self._log.move(job_id, owner, 1, version=version)
        if now.version == version:
            after = _done(_read(now.analysis, correction.target), [correction.operation])
            self._keep(job_id, state, original.analysis, {**now.changed, correction.target: after})
        return state, correction.target

    @on_storage
    def corrected(self, job_id: str, original: DocumentResult) -> DocumentResult:
        """The result with the corrections that count; itself where there are none."""
        now = self._now(job_id, original)
        if not now.applied:
            return original
        if now.result is not None:
            return now.result
        result = _answered_anew(original, now.analysis)
        self._kept.put(job_id, replace(now, result=result))
        return result

    @on_storage
    def has_any(self, owner: str, document: str) -> bool:
        """Whether the owner has corrected anything of the document with this sha256."""
        return bool(self._log.siblings("", owner, document))

    @on_storage
    def adopt(self, row: JobRow, result: DocumentResult) -> None:
        """Take over, for a job that is about to end with ``result``, what its owner has corrected in equal tables and
        charts of the same document: same pixels of the page, same place on it, read the same."""
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
        by_target: dict[Target, list[Operation]] = {}
        for correction in corrections:
            by_target.setdefault(correction.target, []).append(correction.operation)
        changed = {target: _done(_read(original.analysis, target), made) for target, made in by_target.items()}
        analysis = with_corrected(original.analysis, changed) if changed else original.analysis
        now = _Corrected(state.version, state.applied, changed, analysis)
        if state.version:
            self._kept.put(job_id, now)
        return now

    def _key(self, job_id: str, analysis: DocumentAnalysis, target: Target) -> str:
        """The key of a table or chart; kept, since that of a large one takes longer than most corrections of it."""
        name = f"{job_id} {target.kind} {target.page} {target.index}"
        key = self._keys.get(name)
        if key is None:
            page = next(page for page in analysis.pages if page.page == target.page)
            key = _key_of(page, target.index, _read(analysis, target))
            self._keys.put(name, key)
        return key

    def _keep(
        self, job_id: str, state: CorrectionState, read: DocumentAnalysis, changed: Mapping[Target, Table | Chart]
    ) -> None:
        self._kept.put(job_id, _Corrected(state.version, state.applied, changed, with_corrected(read, changed)))


def table_of(analysis: DocumentAnalysis, table: TableId) -> Table:
    """The table of that name. Raises ``NotFound``."""
    for page in analysis.pages:
        if page.page == table.page and table.index < len(page.tables):
            return page.tables[table.index]
    raise NotFound("There is no such table.", "Name a page that has been read, and count its tables from 0.")


def chart_of(analysis: DocumentAnalysis, chart: ChartId) -> Chart:
    """The chart of that name. Raises ``NotFound``."""
    for page in analysis.pages:
        if page.page == chart.page and chart.index < len(page.charts):
            return page.charts[chart.index]
    raise NotFound("There is no such chart.", "Name a page that has been read, and count its charts from 0.")


def _read(analysis: DocumentAnalysis, target: Target) -> Table | Chart:
    return chart_of(analysis, target) if isinstance(target, ChartId) else table_of(analysis, target)


def _done(element: Table | Chart, operations: Sequence[Operation]) -> Table | Chart:
    """The table or chart after all the operations. Raises ``InvalidRequest`` for one of the other sort."""
    charts = [operation for operation in operations if isinstance(operation, ChartChange)]
    tables = [operation for operation in operations if not isinstance(operation, ChartChange)]
    if isinstance(element, Chart):
        if tables:
            raise InvalidRequest("A chart has no cells to change.", "Name a table, or change points of the chart.")
        return apply_to_chart(element, charts)
    if charts:
        raise InvalidRequest("A table has no points to change.", "Name a chart, or change cells of the table.")
    return apply_all(element, tables)


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


def chart_source_of(result: DocumentResult, chart: Chart) -> ChartId | None:
    """Where a chart of the answer was read, also where the answer has some of its series or points alone: then the
    chart that stands at its place."""
    pages = result.analysis.pages
    every = [(ChartId(page=page.page, index=n), one) for page in pages for n, one in enumerate(page.charts)]
    for same in (lambda one: one is chart, lambda one: one == chart, lambda one: _stands_at(one, chart)):
        for target, one in every:
            if same(one):
                return target
    return None


def _stands_at(one: Chart, chart: Chart) -> bool:
    return one.box is not None and (one.page, one.box) == (chart.page, chart.box)


def with_corrected(analysis: DocumentAnalysis, changed: Mapping[Target, Table | Chart]) -> DocumentAnalysis:
    """The analysis as it was read with other tables and charts in the places of those named. Where a table is another
    than was read, its block says what the table says, no longer what was read there."""
    pages: list[PageAnalysis] = []
    for page in analysis.pages:
        blocks: list[Block] = []
        tables = charts = 0
        for block in page.blocks:
            now = block
            if block.table is not None:
                table = changed.get(TableId(page=page.page, index=tables))
                if isinstance(table, Table) and table != block.table:  # else all of it was undone
                    now = now.with_table(table)
                tables += 1
            if block.chart is not None:
                chart = changed.get(ChartId(page=page.page, index=charts))
                now = now if chart is None else now.model_copy(update={"chart": chart})
                charts += 1
            blocks.append(now)
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


def _keys_of(analysis: DocumentAnalysis) -> dict[Target, str]:
    """The key of each table and chart."""
    keys: dict[Target, str] = {}
    for page in analysis.pages:
        keys |= {TableId(page=page.page, index=n): _key_of(page, n, table) for n, table in enumerate(page.tables)}
        keys |= {ChartId(page=page.page, index=n): _key_of(page, n, chart) for n, chart in enumerate(page.charts)}
    return keys


def _key_of(page: PageAnalysis, index: int, element: Table | Chart) -> str:
    """What tells a table or chart as it was read: of the page's pixels and of all that was read of it."""
    read = f"{page.sha256} {index} {element.model_dump_json()}"
    return hashlib.sha256(read.encode("utf-8", "replace")).hexdigest()
