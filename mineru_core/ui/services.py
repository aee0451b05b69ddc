"""What the pages ask of the core, free of widgets: submitting, waiting, results, page pictures, downloads."""

from __future__ import annotations

import io
import threading
import time
import uuid
import zipfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

import streamlit as st
from PIL import Image

from mineru_core.document.task import Region
from mineru_core.engines.facts import EngineFacts, engine_facts
from mineru_core.errors import NotFound, RateLimited, WorkbenchError
from mineru_core.export import safe_name, to_searchable_pdf, to_zip
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.model import Job, JobError, JobState
from mineru_core.jobs.process import shared_service
from mineru_core.jobs.service import JobService
from mineru_core.jobs.uploads import KeptUpload
from mineru_core.settings import Settings, load_settings
from mineru_core.ui.rates import count_document

PICTURE_WIDTH = 1400
"""Pixels across of the page pictures shown; enough for a large screen at twice the density."""

ENGINES_KNOWN_S = 10.0
"""Seconds for which it is taken as known which engines are installed."""

REPEAT_S = 2.0
"""Seconds in which the same thing asked by the same reader is a double click."""

_asked_lock = threading.Lock()
_asked: dict[tuple[object, ...], tuple[float, Submission]] = {}


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was handed in."""

    name: str
    data: bytes


Handed = Upload | KeptUpload
"""A file with its bytes, or one that lies on the server."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that was not taken, or a job that failed: the error's code, message and hint."""

    name: str
    code: str
    message: str
    hint: str
    retry_after_s: float | None = None

    @classmethod
    def of(cls, name: str, error: WorkbenchError | JobError) -> Problem:
        """The error as data."""
        return cls(name, error.code, error.message, error.hint, getattr(error, "retry_after_s", None))


@dataclass(frozen=True, slots=True)
class Submission:
    """What became of the files handed in together: ids of those taken, and why the others were not."""

    jobs: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


@cache
def settings() -> Settings:
    """The settings of this process, read once."""
    return load_settings()


def max_megabytes() -> int:
    """The largest upload in whole megabytes, as the upload widgets count it."""
    return max(1, settings().limits.max_file_bytes // 1_000_000)


def service() -> JobService:
    """The job service of this process, shared with the HTTP API."""
    return shared_service()


@dataclass(frozen=True, slots=True)
class _Visit:
    """One open browser session of an owner."""

    service: JobService
    owner: str
    session: str

    def end(self) -> None:
        self.service.left(self.owner, self.session)


@st.cache_resource(scope="session", show_spinner=False, on_release=_Visit.end)
def attend(owner: str) -> object:
    """Tell the service that a session of this owner is open, until Streamlit gives it up: when its tab is closed, but
    also for a reload or a lost connection. So whatever runs while a job is on its way tells so again."""
    visit = _Visit(service(), owner, uuid.uuid4().hex)
    visit.service.arrived(owner, visit.session)
    return visit


@st.cache_data(ttl=ENGINES_KNOWN_S, show_spinner=False)
def engines() -> tuple[EngineFacts, ...]:
    """The engines that may be chosen, the server's own first, with what each of them lacks."""
    return tuple(engine_facts(name, settings()) for name in service().analyzers.choices)


def waiting_files(ids: Iterable[str], owner: str) -> tuple[KeptUpload, ...]:
    """The owner's files with these ids, without those that are no longer kept."""
    found = []
    for upload_id in ids:
        with suppress(NotFound):
            found.append(service().uploads.get(upload_id, owner))
    return tuple(found)


def submit(
    uploads: Iterable[Handed], words: str, owner: str, *, password: str | None = None, engine: str | None = None
) -> Submission:
    """Hand files in, each as a job of its own; a file that cannot be read does not hold up the others.

    One file is read for who waits for it, and no longer than somebody does; several are a batch, which goes on.
    """
    files = tuple(uploads)
    asked = (owner, words, password, engine, *map(_identity, files))
    return _once(asked, owner, lambda: _submit(files, words, owner, password, engine))


def _identity(handed: Handed) -> tuple[object, ...]:
    return (handed.id,) if isinstance(handed, KeptUpload) else (handed.name, len(handed.data))


def _bytes_of(handed: Handed, owner: str) -> bytes:
    return service().uploads.read(handed.id, owner) if isinstance(handed, KeptUpload) else handed.data


def _submit(uploads: Sequence[Handed], words: str, owner: str, password: str | None, engine: str | None) -> Submission:
    jobs: list[str] = []
    problems: list[Problem] = []
    alone = len(uploads) == 1
    for upload in uploads:
        try:
            count_document(owner, settings().rate)
            job = service().submit(
                _bytes_of(upload, owner),
                name=upload.name,
                words=words,
                owner=owner,
                engine=engine,
                password=password,
                interactive=alone,
            )
        except WorkbenchError as error:
            if isinstance(error, RateLimited):
                service().analyzer.metrics.refused("rate")
            problems.append(Problem.of(upload.name, error))
        else:
            jobs.append(job.id)
    return Submission(tuple(jobs), tuple(problems))


def ask_again(job: Job, words: str, owner: str, regions_of: Callable[[str], Sequence[Region]]) -> Submission:
    """Another question about the document of a job, without a new upload.

    ``regions_of`` gives the regions marked on a document, by its hash; regions can be marked once a job is done.
    """
    try:
        done = job.state is JobState.DONE
        regions = tuple(regions_of(result(job.id, owner).analysis.sha256)) if done else ()
        return _once((owner, job.source, words, regions), owner, lambda: _resubmit(job, words, owner, regions))
    except WorkbenchError as error:
        return Submission(problems=(Problem.of(job.source, error),))


def _resubmit(job: Job, words: str, owner: str, regions: Sequence[Region]) -> Submission:
    new = service().resubmit(job.id, owner, words=words, regions=regions, interactive=True)
    return Submission(jobs=(new.id,))


def read_again(job: Job, engine: str, owner: str) -> Submission:
    """The same question about the same document, to another engine."""

    def make() -> Submission:
        return Submission(jobs=(service().read_again(job.id, owner, engine, interactive=True).id,))

    try:
        return _once((owner, job.id, engine), owner, make)
    except WorkbenchError as error:
        return Submission(problems=(Problem.of(job.source, error),))


def _once(asked: tuple[object, ...], owner: str, make: Callable[[], Submission]) -> Submission:
    """What ``make`` gives; where the same was asked a moment ago, what it gave then.

    A second click ends the script run that handles the first one, even between handing in and showing the job, and
    starts the script again with the button pressed.
    """
    with _asked_lock:
        now = time.monotonic()
        for old in [key for key, (at, _) in _asked.items() if now - at > REPEAT_S]:
            del _asked[old]
        before = _asked.get(asked)
    if before is not None and not _has_cancelled(before[1].jobs, owner):
        return before[1]
    made = make()
    if made.jobs:
        with _asked_lock:
            _asked[asked] = (time.monotonic(), made)
    return made


def _has_cancelled(job_ids: Iterable[str], owner: str) -> bool:
    jobs = (find_job(job_id, owner) for job_id in job_ids)
    return any(job is None or job.state is JobState.CANCELLED for job in jobs)


def find_job(job_id: str, owner: str) -> Job | None:
    """The job, or None where it is gone or somebody else's."""
    try:
        return service().get(job_id, owner)
    except WorkbenchError:
        return None


def result(job_id: str, owner: str) -> DocumentResult:
    """The result of a job that is done. The service keeps the latest parsed. Raises NotFound."""
    return service().result(job_id, owner)


@st.cache_data(max_entries=48, ttl=900, show_spinner=False)
def page_count(job_id: str, owner: str) -> int:
    """Pages of a job's document. Raises a WorkbenchError where it cannot be opened."""
    with service().document(job_id, owner) as document:
        return document.page_count


@st.cache_data(max_entries=48, ttl=900, show_spinner=False)
def page_size(job_id: str, owner: str, number: int) -> tuple[int, int]:
    """Width and height of a page in pixels. Raises a WorkbenchError where the page cannot be drawn."""
    with service().document(job_id, owner) as document:
        page = document.page(number)
        return page.width, page.height


@st.cache_data(max_entries=24, ttl=900, show_spinner=False)
def page_jpeg(job_id: str, owner: str, number: int, width: int) -> bytes:
    """A page as JPEG, at most ``width`` pixels across. Raises a WorkbenchError where it cannot be drawn."""
    with service().document(job_id, owner) as document:
        picture = Image.fromarray(document.picture(number, width))
    picture.thumbnail((width, 4 * width), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=85)
    return out.getvalue()


def zip_of(job: Job, found: DocumentResult) -> bytes:
    """Every file of a result in one archive; without the searchable PDF where the document is gone."""
    try:
        with service().document(job.id, job.owner) as document:
            return to_zip(found, pages=document.page)
    except WorkbenchError:
        return to_zip(found)


def zip_of_all(jobs: Iterable[Job]) -> bytes:
    """Every file of several results in one archive, a folder a document: NAME, NAME-2 … for those of equal names. A
    result that is no longer kept is left out."""
    taken: set[str] = set()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for job in jobs:
            try:
                found = result(job.id, job.owner)
            except NotFound:
                continue
            name = safe_name(job.source)
            folder = next(one for n in count(1) if (one := name if n == 1 else f"{name}-{n}").casefold() not in taken)
            taken.add(folder.casefold())
            with zipfile.ZipFile(io.BytesIO(zip_of(job, found))) as own:
                for entry in own.namelist():
                    archive.writestr(f"{folder}/{entry}", own.read(entry))
    return out.getvalue()


def searchable_pdf(job: Job, found: DocumentResult) -> bytes:
    """The document with its text. Raises a WorkbenchError where the document is gone or cannot be drawn."""
    with service().document(job.id, job.owner) as document:
        return to_searchable_pdf(found, document.page)


def stem(name: str) -> str:
    """The document's name without its extension, for the names of downloads."""
    return Path(name).stem or "document"
