"""The tables of the state database; each change of them comes with a migration."""

from __future__ import annotations

from sqlalchemy import Float, ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Base of every table. Times are seconds since 1970 (UTC)."""


class JobRow(Base):
    """One document somebody asked to have read.

    ``seq`` is the order of submission. ``worker`` is the service that runs it, None unless it is running.
    ``password_holder`` is the service that keeps the document's password in memory: nobody else can read it.
    ``regions`` is JSON. ``engine`` is the name of the one that reads it, "" for jobs from before there was a choice.
    ``attempts`` counts how often it was started.
    """

    __tablename__ = "jobs"
    __table_args__ = (
        Index("ix_jobs_state_seq", "state", "seq"),
        Index("ix_jobs_owner_seq", "owner", "seq"),
    )

    seq: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(String(32), unique=True)
    owner: Mapped[str] = mapped_column(String(255))
    state: Mapped[str] = mapped_column(String(16))
    source: Mapped[str] = mapped_column(Text)
    words: Mapped[str] = mapped_column(Text, default="")
    regions: Mapped[str] = mapped_column(Text, default="[]")
    engine: Mapped[str] = mapped_column(String(64), default="")
    blob: Mapped[str] = mapped_column(String(64))
    result: Mapped[str | None] = mapped_column(String(64))
    worker: Mapped[str | None] = mapped_column(String(32))
    password_holder: Mapped[str | None] = mapped_column(String(32))
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    stage: Mapped[str] = mapped_column(String(32), default="")
    page: Mapped[int] = mapped_column(Integer, default=0)
    pages: Mapped[int] = mapped_column(Integer, default=0)
    error_code: Mapped[str | None] = mapped_column(String(64))
    error_message: Mapped[str | None] = mapped_column(Text)
    error_hint: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[float] = mapped_column(Float)
    started_at: Mapped[float | None] = mapped_column(Float)
    finished_at: Mapped[float | None] = mapped_column(Float)


class BlobRefRow(Base):
    """An owner's claim to a blob: what keeps it on disk, and what lets the owner read it.

    ``size`` is in bytes. A reference belongs to a job and goes with it.
    """

    __tablename__ = "blob_refs"
    __table_args__ = (
        Index("ix_blob_refs_sha256_owner", "sha256", "owner"),
        Index("ix_blob_refs_expires_at", "expires_at"),
    )

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    sha256: Mapped[str] = mapped_column(String(64))
    owner: Mapped[str] = mapped_column(String(255))
    name: Mapped[str] = mapped_column(Text)
    size: Mapped[int] = mapped_column(Integer)
    job_id: Mapped[str | None] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[float] = mapped_column(Float)
    expires_at: Mapped[float] = mapped_column(Float)


class CorrectionLogRow(Base):
    """How far the corrections of a job's tables are.

    ``version`` grows with each change of them. The first ``applied`` corrections count; the rest have been undone and
    can be made again.
    """

    __tablename__ = "correction_logs"

    job_id: Mapped[str] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    version: Mapped[int] = mapped_column(Integer)
    applied: Mapped[int] = mapped_column(Integer)
    changed_at: Mapped[float] = mapped_column(Float)


class CorrectionRow(Base):
    """One correction. ``place`` counts those of the job from 0; ``kind`` ("table" or "chart"), ``page`` (from 1) and
    ``table_index`` (among those of its kind on the page, from 0) name what is corrected and ``table_key`` what was read
    of it. ``operation`` is JSON."""

    __tablename__ = "corrections"
    __table_args__ = (UniqueConstraint("job_id", "place"),)

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    job_id: Mapped[str] = mapped_column(ForeignKey("correction_logs.job_id", ondelete="CASCADE"))
    place: Mapped[int] = mapped_column(Integer)
    page: Mapped[int] = mapped_column(Integer)
    table_index: Mapped[int] = mapped_column(Integer)
    kind: Mapped[str] = mapped_column(String(16), default="table", server_default="table")
    table_key: Mapped[str] = mapped_column(String(64))
    operation: Mapped[str] = mapped_column(Text)


class TokenRow(Base):
    """A bearer token of the HTTP API. Its secret is not here, only the secret's sha256 (hex). ``scopes`` are names with
    spaces between; ``expires_at`` None means never."""

    __tablename__ = "tokens"

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    name: Mapped[str] = mapped_column(String(64))
    secret_sha256: Mapped[str] = mapped_column(String(64))
    scopes: Mapped[str] = mapped_column(Text)
    created_at: Mapped[float] = mapped_column(Float)
    expires_at: Mapped[float | None] = mapped_column(Float)
    revoked_at: Mapped[float | None] = mapped_column(Float)


class RequestKeyRow(Base):
    """An Idempotency-Key as an owner sent it, and the task it led to. ``fingerprint`` is the sha256 (hex) of what was
    asked with it."""

    __tablename__ = "request_keys"
    __table_args__ = (Index("ix_request_keys_created_at", "created_at"),)

    owner: Mapped[str] = mapped_column(String(255), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    task_id: Mapped[str] = mapped_column(String(128))
    created_at: Mapped[float] = mapped_column(Float)
