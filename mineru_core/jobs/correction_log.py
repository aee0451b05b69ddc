"""The corrections of each job as the database has them: a list, and how many of it count."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Literal

from pydantic import Field, TypeAdapter
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from mineru_core.document.chart_edits import CHART_OPERATIONS, ChartOperation
from mineru_core.document.model import Model
from mineru_core.document.table_edits import OPERATIONS, TableOperation
from mineru_core.errors import EditConflict, InvalidRequest, NotFound
from mineru_core.store.database import Database
from mineru_core.store.tables import CorrectionLogRow, CorrectionRow, JobRow

MAX_CORRECTIONS = 5_000
"""Of one job."""
MAX_LETTERS = 32_000_000
"""Of all corrections of one job, as JSON."""

_KEEP_HINT = "Undo some of them, or download the table and go on in a spreadsheet."


class TableId(Model):
    """A table of a document: the number of its page, from 1, and its place among the tables there, from 0."""

    kind: Literal["table"] = "table"
    page: int = Field(ge=1)
    index: int = Field(ge=0)


class ChartId(Model):
    """A chart of a document: the number of its page, from 1, and its place among the charts there, from 0."""

    kind: Literal["chart"] = "chart"
    page: int = Field(ge=1)
    index: int = Field(ge=0)


Target = TableId | ChartId
"""What can be corrected."""

Operation = TableOperation | ChartOperation


class Correction(Model):
    """What was done to which table or chart."""

    target: Target
    operation: Operation


class CorrectionState(Model):
    """How the corrections of a job stand. ``version`` grows with each change, an undo too; 0 where there is none."""

    version: int = 0
    applied: int = 0
    undone: int = 0

    @property
    def can_undo(self) -> bool:
        """Whether there is a correction to undo."""
        return self.applied > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone correction to make again."""
        return self.undone > 0


class CorrectionLog:
    """Corrections of all jobs. Each change is one transaction under the write lock and names the version it was made
    to: where that is no longer the latest it raises ``EditConflict`` and nothing is changed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def state(self, job_id: str) -> CorrectionState:
        """How the corrections stand."""
        with self._database.read() as session:
            return _state(session, job_id)

    def applied(self, job_id: str, target: Target | None = None) -> tuple[CorrectionState, tuple[Correction, ...]]:
        """The corrections that count, of one table or chart or of all, and the state they are of."""
        with self._database.read() as session:
            state = _state(session, job_id)
            wanted = select(CorrectionRow).where(CorrectionRow.job_id == job_id, CorrectionRow.place < state.applied)
            if target is not None:
                wanted = wanted.where(
                    CorrectionRow.kind == target.kind,
                    CorrectionRow.page == target.page,
                    CorrectionRow.table_index == target.index,
                )
            rows = session.scalars(wanted.order_by(CorrectionRow.place))
            return state, tuple(_correction(row) for row in rows)

    def append(self, job_id: str, owner: str, correction: Correction, *, key: str, version: int) -> CorrectionState:
        """Add a correction; what was undone before can no longer be made again. ``key`` says what was read of the
        table or chart. Raises ``InvalidRequest`` for too many corrections, ``NotFound`` for a job the owner does not
        have."""
        written = correction.operation.model_dump_json()
        with self._database.write() as session:
            log = _open(session, job_id, owner, version)
            undone = (CorrectionRow.job_id == job_id) & (CorrectionRow.place >= log.applied)
            session.execute(delete(CorrectionRow).where(undone))
            letters = select(func.sum(func.length(CorrectionRow.operation))).where(CorrectionRow.job_id == job_id)
            if log.applied >= MAX_CORRECTIONS or (session.scalar(letters) or 0) + len(written) > MAX_LETTERS:
                raise InvalidRequest("The document has too many or too large corrections.", _KEEP_HINT)
            session.add(_row(job_id, log.applied, correction.target, key, written))
            log.applied += 1
            return _stepped(session, log)

    def move(
        self, job_id: str, owner: str, step: Literal[-1, 1], *, version: int
    ) -> tuple[CorrectionState, Correction]:
        """Undo the last correction (-1), or make again the one undone last (1); the state then, and that correction.
        Raises ``InvalidRequest`` where there is none, ``NotFound`` for a job the owner does not have."""
        with self._database.write() as session:
            log = _open(session, job_id, owner, version)
            place = log.applied - 1 if step < 0 else log.applied
            wanted = select(CorrectionRow).where(CorrectionRow.job_id == job_id, CorrectionRow.place == place)
            row = session.scalar(wanted)
            if row is None:
                raise InvalidRequest(
                    "There is nothing to undo." if step < 0 else "There is nothing to make again.",
                    "Make a correction first." if step < 0 else "Undo a correction first.",
                )
            log.applied += step
            return _stepped(session, log), _correction(row)

    def siblings(self, job_id: str, owner: str, blob: str) -> list[str]:
        """The owner's other jobs on the same document that have corrections which count, the last changed first."""
        wanted = (
            select(CorrectionLogRow.job_id)
            .join(JobRow, JobRow.id == CorrectionLogRow.job_id)
            .where(JobRow.owner == owner, JobRow.blob == blob, JobRow.id != job_id, CorrectionLogRow.applied > 0)
            .order_by(CorrectionLogRow.changed_at.desc(), CorrectionLogRow.job_id)
        )
        with self._database.read() as session:
            return [*session.scalars(wanted)]

    def adopt(self, job_id: str, siblings: Collection[str], read: dict[Target, str]) -> int:
        """Give a job without corrections those that its siblings have of equal tables and charts, by key; of each those
        of the first sibling that has any. Returns how many they are."""
        with self._database.write() as session:
            if session.get(CorrectionLogRow, job_id) is not None:
                return 0  # a job that runs a second time
            found: list[CorrectionRow] = []
            left = dict(read)
            for sibling in siblings:
                counts = select(CorrectionLogRow.applied).where(CorrectionLogRow.job_id == sibling).scalar_subquery()
                wanted = select(CorrectionRow).where(CorrectionRow.job_id == sibling, CorrectionRow.place < counts)
                met: set[Target] = set()
                for row in session.scalars(wanted.order_by(CorrectionRow.place)):
                    target = _target(row)
                    if left.get(target) == row.table_key and len(found) < MAX_CORRECTIONS:
                        found.append(_row(job_id, len(found), target, row.table_key, row.operation))
                        met.add(target)
                for target in met:
                    del left[target]
            if found:
                session.add(CorrectionLogRow(job_id=job_id, version=1, applied=len(found), changed_at=time.time()))
                session.flush()  # the corrections refer to it
                session.add_all(found)
            return len(found)


def _state(session: Session, job_id: str) -> CorrectionState:
    log = session.get(CorrectionLogRow, job_id)
    if log is None:
        return CorrectionState()
    every = session.scalar(select(func.count()).where(CorrectionRow.job_id == job_id)) or 0
    return CorrectionState(version=log.version, applied=log.applied, undone=every - log.applied)


def _open(session: Session, job_id: str, owner: str, version: int) -> CorrectionLogRow:
    """The log of the owner's job at that version, to be changed."""
    if session.scalar(select(JobRow.id).where(JobRow.id == job_id, JobRow.owner == owner)) is None:
        raise NotFound("There is no such job.")
    log = session.get(CorrectionLogRow, job_id)
    if version != (0 if log is None else log.version):
        raise EditConflict("The document has been corrected in the meantime.")
    if log is None:
        log = CorrectionLogRow(job_id=job_id, version=0, applied=0, changed_at=time.time())
        session.add(log)
        session.flush()
    return log


def _stepped(session: Session, log: CorrectionLogRow) -> CorrectionState:
    log.version += 1
    log.changed_at = time.time()
    session.flush()
    return _state(session, log.job_id)


def _row(job_id: str, place: int, target: Target, key: str, operation: str) -> CorrectionRow:
    return CorrectionRow(
        job_id=job_id,
        place=place,
        kind=target.kind,
        page=target.page,
        table_index=target.index,
        table_key=key,
        operation=operation,
    )


def _correction(row: CorrectionRow) -> Correction:
    target = _target(row)
    read: TypeAdapter[ChartOperation] | TypeAdapter[TableOperation] = OPERATIONS
    if isinstance(target, ChartId):
        read = CHART_OPERATIONS
    return Correction(target=target, operation=read.validate_json(row.operation))


def _target(row: CorrectionRow) -> Target:
    if row.kind == "chart":
        return ChartId(page=row.page, index=row.table_index)
    return TableId(page=row.page, index=row.table_index)
