"""What is known already: facts of known bytes, parts of known pixels, answers to known questions.

Three levels, from what comes in to what goes out: uploaded bytes → pixels, pixels → parts of their analysis, and
question → answer. The same pixels under another name or in another container have the same parts, and a second
question reads only the parts that the first did not need.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self, TypeVar

from pydantic import Field, ValidationError

from mineru_core.document.chart import Chart
from mineru_core.document.model import Model
from mineru_core.document.parts import Part, PartReading
from mineru_core.document.table import Table
from mineru_core.document.task import Task
from mineru_core.export.result import DocumentResult
from mineru_core.runtime.recent import Recent
from mineru_core.serving.cache_keys import cache_key, canonical, code_fingerprint, document_key
from mineru_core.settings import Settings
from mineru_core.store.cache_store import CacheStore

__all__ = ["AnalysisCache", "DocumentFacts", "LookupListener", "PageFacts", "document_key"]

M = TypeVar("M", bound=Model)

LookupListener = Callable[[str, bool], None]
"""Called with the level (document, page, part, answer) and whether the value was there."""

_OBJECT_BYTES = 7
"""Bytes of memory that objects take for one byte of their JSON; measured on pages of 10 to 300 lines with words."""
_SECONDS_A_DAY = 86_400.0


class DocumentFacts(Model):
    """What accepting known bytes needs to know of them, so that they need not be parsed again."""

    media_type: str
    page_count: int = Field(ge=1)


class PageFacts(Model):
    """What putting a page of known bytes together needs to know of it: the sha256 (hex) of its pixels and its size in
    pixels, as decoded, before any preparation.

    ``words_sha256`` is that of the words that came with it, empty where there are none or nobody looks at them;
    ``letters`` the height of its small letters in pixels, None where they were not measured or there are too few.
    ``natives`` are the tables and charts that the file stores as data; of a region there are none, its page has them.
    """

    pixel_sha256: str
    words_sha256: str = ""
    width: int = Field(ge=1)
    height: int = Field(ge=1)
    letters: float | None = None
    natives: tuple[Table | Chart, ...] = ()


class AnalysisCache:
    """Results in memory over results on disk; safe to use from many threads, and best made once a process.

    ``memory_bytes`` bounds the objects held in memory, ``store`` is the disk below (None: memory only).
    ``on_lookup`` is told of each lookup. No method raises for a disk that fails: the value is then not there.

    Fingerprints are strings that change whenever what they stand for could have another outcome: of the decoding
    (all settings and library versions that decide the pixels, and limits, for known bytes are not checked again), of
    the engine, and of the preparation between decoded page and engine. An engine that reads more of a page than its
    pixels (a text layer) must have that in one of them.

    Leave out documents that ask for a password: their bytes alone must not open what was read with it.

    Numbers in kept values must be finite, as JSON knows no others. What comes out may be held by others too and must
    not be changed.
    """

    def __init__(
        self, *, memory_bytes: int, store: CacheStore | None = None, on_lookup: LookupListener | None = None
    ) -> None:
        self._memory: Recent[Model] = Recent(memory_bytes)
        self._store = store
        self._on_lookup = on_lookup
        code_fingerprint()  # read now, as near as can be to the import of the code it stands for

    @classmethod
    def from_settings(cls, settings: Settings, on_lookup: LookupListener | None = None) -> Self:
        """The cache the settings ask for; one that keeps nothing where it is switched off.

        On disk nothing outlives the uploads it was read from: it is kept as many days as they are.
        """
        if not settings.cache.enabled:
            return cls(memory_bytes=0, on_lookup=on_lookup)
        store = None
        if settings.cache.disk_bytes:
            age_s = settings.store.retention_days * _SECONDS_A_DAY
            store = CacheStore(settings.cache_dir, settings.cache.disk_bytes, max_age_s=age_s)
        return cls(memory_bytes=settings.cache.memory_bytes, store=store, on_lookup=on_lookup)

    def document_facts(self, document_key: str) -> DocumentFacts | None:
        """What is known of the bytes; ``document_key`` is made by the function of that name."""
        return self._get("document", DocumentFacts, cache_key("document", DocumentFacts, document_key))

    def keep_document_facts(self, document_key: str, facts: DocumentFacts) -> None:
        """Keep what ``document_facts`` gives."""
        self._put(cache_key("document", DocumentFacts, document_key), facts)

    def page_facts(self, document_key: str, number: int) -> PageFacts | None:
        """What is known of page ``number`` (from 1) of the bytes."""
        return self._get("page", PageFacts, cache_key("page", PageFacts, document_key, str(number)))

    def keep_page_facts(self, document_key: str, number: int, facts: PageFacts) -> None:
        """Keep what ``page_facts`` gives."""
        self._put(cache_key("page", PageFacts, document_key, str(number)), facts)

    def part(
        self, pixel_sha256: str, engine_fingerprint: str, preparation_fingerprint: str, part: Part
    ) -> PartReading | None:
        """One part of the analysis of these pixels, whichever document they came from."""
        key = _part_key(pixel_sha256, engine_fingerprint, preparation_fingerprint, part)
        return self._get("part", PartReading, key)

    def keep_part(
        self, pixel_sha256: str, engine_fingerprint: str, preparation_fingerprint: str, reading: PartReading
    ) -> None:
        """Keep what ``part`` gives for the part that was read. One with an area that failed is not kept: the next try
        may read it."""
        if reading.failed:
            return
        self._put(_part_key(pixel_sha256, engine_fingerprint, preparation_fingerprint, reading.part), reading)

    def answer(
        self, document_key: str, engine_fingerprint: str, preparation_fingerprint: str, task: Task, *, source: str
    ) -> DocumentResult | None:
        """The result for the task, under the name ``source`` the bytes have this time.

        Whoever handed the same bytes in before may have called them otherwise, and that name is theirs.
        """
        key = _answer_key(document_key, engine_fingerprint, preparation_fingerprint, task)
        found = self._get("answer", DocumentResult, key)
        return None if found is None else _renamed(found, source)

    def keep_answer(
        self, document_key: str, engine_fingerprint: str, preparation_fingerprint: str, result: DocumentResult
    ) -> None:
        """Keep what ``answer`` gives for the result's task, without the document's name. A result with failures is
        not kept: the next try may have none."""
        if result.failures:
            return
        key = _answer_key(document_key, engine_fingerprint, preparation_fingerprint, result.task)
        self._put(key, _renamed(result, ""))

    @property
    def memory_bytes_used(self) -> int:
        """Bytes of memory that the objects held take, about."""
        return self._memory.used

    def sweep(self) -> None:
        """Remove what is past its time from the disk; for whoever keeps house, every hour or so."""
        if self._store is not None:
            self._store.sweep()

    def flush(self) -> None:
        """Wait until what was kept is on disk."""
        if self._store is not None:
            self._store.flush()

    def close(self) -> None:
        """Write what waits and let go of memory and disk; calling it again does nothing."""
        if self._store is not None:
            self._store.close()
        self._memory.clear()

    def _get(self, level: str, model: type[M], key: str) -> M | None:
        found = self._look_up(model, key)
        if self._on_lookup is not None:
            self._on_lookup(level, found is not None)
        return found

    def _look_up(self, model: type[M], key: str) -> M | None:
        held = self._memory.get(key)
        if isinstance(held, model):
            if self._store is not None:
                self._store.touch(key)
            return held
        data = None if self._store is None else self._store.get(key)
        if self._store is None or data is None:
            return None
        try:
            value = model.model_validate_json(data)
        except ValidationError:  # whole, and yet not what is stored under such keys
            self._store.remove(key)
            return None
        self._memory.put(key, value, _OBJECT_BYTES * len(data))
        return value

    def _put(self, key: str, value: Model) -> None:
        data = value.model_dump_json().encode()
        self._memory.put(key, value, _OBJECT_BYTES * len(data))
        if self._store is not None:
            self._store.put(key, data)


def _part_key(pixel_sha256: str, engine_fingerprint: str, preparation_fingerprint: str, part: Part) -> str:
    return cache_key("part", PartReading, pixel_sha256, engine_fingerprint, preparation_fingerprint, part.value)


def _answer_key(document_key: str, engine_fingerprint: str, preparation_fingerprint: str, task: Task) -> str:
    return cache_key(
        "answer", DocumentResult, document_key, engine_fingerprint, preparation_fingerprint, canonical(task)
    )


def _renamed(result: DocumentResult, source: str) -> DocumentResult:
    """The same result of a document of that name."""
    return result.model_copy(update={"analysis": result.analysis.model_copy(update={"source": source})})
