from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from mineru_core.document.analysis import DocumentAnalysis, PageAnalysis, PageFailure
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.model import Model
from mineru_core.document.parts import AreaContent, Line, Part, PartReading, ReadFailure
from mineru_core.document.task import Answer, Task, TaskKind
from mineru_core.export.result import DocumentResult
from mineru_core.serving.cache import AnalysisCache, DocumentFacts, PageFacts, document_key
from mineru_core.settings import load_settings
from mineru_core.store.cache_store import CacheStore

ROOM = 10_000_000
TASK = Task(kind=TaskKind.TABLES, words="tables")
FACTS = PageFacts(pixel_sha256="1" * 64, width=3, height=4)
DOCUMENT = document_key("a" * 64, "png 1")


@contextmanager
def opened(folder: Path | None, memory_bytes: int = ROOM) -> Iterator[tuple[AnalysisCache, list[tuple[str, bool]]]]:
    lookups: list[tuple[str, bool]] = []
    store = None if folder is None else CacheStore(folder, ROOM)
    cache = AnalysisCache(memory_bytes=memory_bytes, store=store, on_lookup=lambda *told: lookups.append(told))
    try:
        yield cache, lookups
    finally:
        cache.close()


def reading(part: Part = Part.TEXT, text: str = "words") -> PartReading:
    box = Box(0.1, 1.7, 20.3, 9.9)
    return PartReading(part=part, lines=(Line(text=text, box=box, quad=Quad.from_box(box), confidence=0.9),))


def result(task: Task = TASK, source: str = "scan.png", text: str = "", **fields: object) -> DocumentResult:
    page = PageAnalysis(page=1, width=3, height=4, sha256="1" * 64, parts=frozenset({Part.TEXT}), timings={"ocr": 0.1})
    analysis = DocumentAnalysis(
        source=source, sha256="a" * 64, media_type="image/png", page_count=1, pages=(page,)
    ).model_copy(update=fields)
    return DocumentResult(task=task, answer=Answer(kind=task.kind, text=text), analysis=analysis, engine="echo 1")


def test_everything_kept_is_there_and_outlives_the_process(tmp_path: Path) -> None:
    def check(cache: AnalysisCache) -> None:
        assert cache.document_facts(DOCUMENT) == DocumentFacts(media_type="image/png", page_count=1)
        assert cache.page_facts(DOCUMENT, 1) == FACTS
        assert cache.part("1" * 64, "echo 1", "none", Part.TEXT) == reading()
        assert cache.answer(DOCUMENT, "echo 1", "none", TASK, source="scan.png") == result()

    with opened(tmp_path) as (cache, lookups):
        cache.keep_document_facts(DOCUMENT, DocumentFacts(media_type="image/png", page_count=1))
        cache.keep_page_facts(DOCUMENT, 1, FACTS)
        cache.keep_part("1" * 64, "echo 1", "none", reading())
        cache.keep_answer(DOCUMENT, "echo 1", "none", result())
        check(cache)
        assert lookups == [("document", True), ("page", True), ("part", True), ("answer", True)]
    with opened(tmp_path) as (cache, lookups):
        check(cache)
        shutil.rmtree(tmp_path)
        check(cache)  # from memory, since it was read once
        assert len(lookups) == 8
        assert all(hit for _, hit in lookups)


def test_lookups_that_find_nothing_are_told_too(tmp_path: Path) -> None:
    with opened(tmp_path) as (cache, lookups):
        assert cache.document_facts(DOCUMENT) is None
        assert cache.page_facts(DOCUMENT, 1) is None
        assert cache.part("1" * 64, "echo 1", "none", Part.TEXT) is None
        assert cache.answer(DOCUMENT, "echo 1", "none", TASK, source="") is None
        assert lookups == [("document", False), ("page", False), ("part", False), ("answer", False)]


def test_an_answer_does_not_carry_the_name_somebody_else_gave_the_document(tmp_path: Path) -> None:
    with opened(tmp_path) as (cache, _):
        cache.keep_answer(DOCUMENT, "echo 1", "none", result(source="secret plans.png"))
        found = cache.answer(DOCUMENT, "echo 1", "none", TASK, source="scan.png")
        assert found == result(source="scan.png")
    kept = [path.read_bytes() for path in tmp_path.glob("?/?/*")]
    assert kept
    assert not any(b"secret" in data for data in kept)


def test_a_result_with_failures_is_not_kept(tmp_path: Path) -> None:
    failure = PageFailure(page=2, component="echo", code="engine-failed", message="broke")
    with opened(tmp_path) as (cache, _):
        cache.keep_answer(DOCUMENT, "echo 1", "none", result(failures=(failure,)))
        assert cache.answer(DOCUMENT, "echo 1", "none", TASK, source="") is None


def test_a_part_with_an_area_that_failed_is_not_kept() -> None:
    failed = AreaContent(area=0, failure=ReadFailure(code="engine-failed", message="It broke."))
    with opened(None) as (cache, _):
        cache.keep_part("1" * 64, "echo 1", "none", PartReading(part=Part.TEXT, contents=(failed,)))
        assert cache.part("1" * 64, "echo 1", "none", Part.TEXT) is None
        cache.keep_part("1" * 64, "echo 1", "none", PartReading(part=Part.TEXT, contents=(AreaContent(area=0),)))
        assert cache.part("1" * 64, "echo 1", "none", Part.TEXT) is not None


def test_a_value_that_is_no_such_model_is_a_miss_and_goes(tmp_path: Path) -> None:
    with opened(tmp_path) as (cache, _):
        cache.keep_page_facts(DOCUMENT, 1, FACTS)
    store = CacheStore(tmp_path, ROOM)
    keys: list[str] = []
    store.get = keys.append  # type: ignore[method-assign]  # to learn the key
    AnalysisCache(memory_bytes=0, store=store).page_facts(DOCUMENT, 1)
    store.put(keys[0], b'{"pixel_sha256": 1}')
    store.close()
    with opened(tmp_path) as (cache, lookups):
        assert cache.page_facts(DOCUMENT, 1) is None
        assert lookups == [("page", False)]
    assert not list(tmp_path.glob("?/?/*"))


def test_memory_is_bounded_by_what_objects_take() -> None:
    with opened(None, memory_bytes=20_000) as (cache, _):
        for number in range(100):
            cache.keep_page_facts(DOCUMENT, number, FACTS)
        assert 10_000 < cache.memory_bytes_used <= 20_000
        assert cache.page_facts(DOCUMENT, 99) is FACTS
        assert cache.page_facts(DOCUMENT, 0) is None
    assert cache.memory_bytes_used == 0


def test_hits_in_memory_keep_the_disk_from_forgetting(tmp_path: Path) -> None:
    blocks = CacheStore(tmp_path, 2 * 4096)
    cache = AnalysisCache(memory_bytes=ROOM, store=blocks)
    cache.keep_page_facts(DOCUMENT, 1, FACTS)
    cache.keep_page_facts(DOCUMENT, 2, FACTS)
    cache.flush()
    assert cache.page_facts(DOCUMENT, 1) is FACTS
    cache.keep_page_facts(DOCUMENT, 3, FACTS)
    cache.close()
    with opened(tmp_path) as (cache, _):
        assert [cache.page_facts(DOCUMENT, n) is not None for n in (1, 2, 3)] == [True, False, True]


@pytest.mark.parametrize(
    ("cache_settings", "kept", "restarted"),
    [
        ({}, True, True),
        ({"disk_bytes": 0}, True, False),
        ({"memory_bytes": 0}, True, True),
        ({"enabled": False}, False, False),
    ],
)
def test_the_settings_decide_what_is_kept(
    tmp_path: Path, cache_settings: dict[str, object], kept: bool, restarted: bool
) -> None:
    configured = load_settings(home=tmp_path, cache={"enabled": True, **cache_settings})
    cache = AnalysisCache.from_settings(configured)
    cache.keep_page_facts(DOCUMENT, 1, FACTS)
    cache.sweep()
    assert (cache.page_facts(DOCUMENT, 1) == FACTS) is kept
    cache.close()
    cache = AnalysisCache.from_settings(configured)
    assert (cache.page_facts(DOCUMENT, 1) == FACTS) is restarted
    cache.close()
    assert configured.cache_dir.exists() is restarted


NAMES = st.sampled_from(["1", "2", "1,2"])
ENGINES = st.sampled_from(["echo 1", "echo 2"])
PREPARATIONS = st.sampled_from(["none", "q85"])
TASKS = st.builds(Task, kind=st.sampled_from([TaskKind.TEXT, TaskKind.TABLES]), words=NAMES)
Ask = Callable[[AnalysisCache], Model | None]


class AnalysisCacheMachine(RuleBasedStateMachine):
    """The cache against a dict: a lookup gives what was kept last under exactly those components, or nothing."""

    @initialize(memory_bytes=st.sampled_from([0, 5_000, ROOM]), disk=st.booleans(), blocks=st.integers(2, 20))
    def open(self, memory_bytes: int, disk: bool, blocks: int) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.memory_bytes, self.disk_bytes, self.disk = memory_bytes, blocks * 4096, disk
        self.kept: dict[tuple[object, ...], Model] = {}
        self.count = 0
        self.start()

    def start(self) -> None:
        store = CacheStore(self.folder, self.disk_bytes) if self.disk else None
        self.cache = AnalysisCache(memory_bytes=self.memory_bytes, store=store)

    def teardown(self) -> None:
        if hasattr(self, "cache"):
            self.cache.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    def check(self, found: Model | None, *components: object) -> None:
        assert found is None or found == self.kept.get(components)

    def settle(self) -> None:
        """A value that replaces another must not be lost to a full disk, or the one before would show again."""
        self.cache.flush()

    @rule(name=NAMES, number=st.integers(1, 3), keep=st.booleans())
    def page_facts(self, name: str, number: int, keep: bool) -> None:
        document = document_key(name, "d")
        if keep:
            self.count += 1
            facts = FACTS.model_copy(update={"width": self.count})
            self.cache.keep_page_facts(document, number, facts)
            self.kept["page", name, number] = facts
            self.settle()
        self.check(self.cache.page_facts(document, number), "page", name, number)

    @rule(name=NAMES, decoding=NAMES, keep=st.booleans())
    def document_facts(self, name: str, decoding: str, keep: bool) -> None:
        document = document_key(name, decoding)
        if keep:
            self.count += 1
            facts = DocumentFacts(media_type="image/png", page_count=self.count)
            self.cache.keep_document_facts(document, facts)
            self.kept["document", name, decoding] = facts
            self.settle()
        self.check(self.cache.document_facts(document), "document", name, decoding)

    @rule(name=NAMES, engine=ENGINES, preparation=PREPARATIONS, part=st.sampled_from(Part), keep=st.booleans())
    def part(self, name: str, engine: str, preparation: str, part: Part, keep: bool) -> None:
        if keep:
            self.count += 1
            read = reading(part, f"{self.count} " + "long " * (self.count % 2000))
            self.cache.keep_part(name, engine, preparation, read)
            self.kept["part", name, engine, preparation, part] = read
            self.settle()
        found = self.cache.part(name, engine, preparation, part)
        self.check(found, "part", name, engine, preparation, part)

    @rule(name=NAMES, engine=ENGINES, preparation=PREPARATIONS, task=TASKS, keep=st.booleans(), source=NAMES)
    def answer(self, name: str, engine: str, preparation: str, task: Task, keep: bool, source: str) -> None:
        document = document_key(name, "d")
        if keep:
            self.count += 1
            self.cache.keep_answer(document, engine, preparation, result(task, source, text=str(self.count)))
            self.kept["answer", name, engine, preparation, task] = result(task, "any", text=str(self.count))
            self.settle()
        found = self.cache.answer(document, engine, preparation, task, source="any")
        self.check(found, "answer", name, engine, preparation, task)

    @rule()
    def restart(self) -> None:
        self.cache.close()
        self.start()

    @rule()
    def sweep(self) -> None:
        self.cache.sweep()

    @rule(at=st.integers(0, 100_000), which=st.integers(0, 9))
    def damage(self, at: int, which: int) -> None:
        if files := sorted(self.folder.glob("?/?/*")):
            path = files[which % len(files)]
            data = bytearray(path.read_bytes())
            data[at % len(data)] ^= 1
            path.write_bytes(data)

    @rule()
    def delete_the_folder(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


TestAnalysisCache = AnalysisCacheMachine.TestCase
TestAnalysisCache.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
