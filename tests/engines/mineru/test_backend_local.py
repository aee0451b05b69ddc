"""The engine with a real model: of random weights, so what it writes means nothing and must yet be the same."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from mineru_vl_utils import MinerUClient
from mineru_vl_utils.mineru_client import DEFAULT_SAMPLING_PARAMS
from PIL import Image

from mineru_core.document.analysis import BlockType, PageAnalysis, PageFailure, Part
from mineru_core.document.geometry import Box
from mineru_core.document.page import Page
from mineru_core.document.parts import LayoutArea, PartReading
from mineru_core.engines.mineru import engine as engine_module
from mineru_core.engines.mineru import linear
from mineru_core.engines.mineru.backend_local import LocalBackend
from mineru_core.engines.mineru.engine import MineruEngine
from mineru_core.engines.mineru.loading import load_model
from mineru_core.engines.mineru.processor import load_processor
from mineru_core.errors import Cancelled, DeadlineExceeded, EngineUnavailable, ModelMissing
from mineru_core.runtime.context import RunContext
from mineru_core.settings import Settings, load_settings
from tests.engines.mineru.random_models import random_checkpoint
from tools.tiny_vlm.checkpoint import build_model, build_tokenizer, save

TOKENS = 24
TEXT, TABLES = frozenset({Part.TEXT}), frozenset({Part.TABLES})
AREAS = (
    LayoutArea(type=BlockType.TEXT, box=Box(0, 0, 448, 56)),
    LayoutArea(type=BlockType.TABLE, box=Box(0, 112, 224, 224)),
    LayoutArea(type=BlockType.TEXT, box=Box(224, 56, 280, 448), angle=90),
    LayoutArea(type=BlockType.TITLE, box=Box(0, 224, 448, 230)),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of random weights."""
    torch.manual_seed(7)
    tokenizer = build_tokenizer()
    place = tmp_path_factory.mktemp("checkpoint") / "random"
    save(place, build_model(tokenizer), tokenizer)
    return place


def settings_of(folder: Path, **options: Any) -> Settings:
    chosen = {"model": str(folder), "precision": "fp32", "device": "cpu", "max_new_tokens": TOKENS, **options}
    return load_settings(mineru=chosen)


@pytest.fixture(scope="module")
def engine(folder: Path) -> Iterator[MineruEngine]:
    torch.set_num_threads(1)
    engine = MineruEngine(LocalBackend(settings_of(folder)))
    engine.load()
    yield engine
    engine.close()


@pytest.fixture
def page() -> Page:
    return Page(np.random.default_rng(3).integers(0, 255, (448, 448, 3), np.uint8), "noise.png")


def known() -> dict[Part, PartReading]:
    return {Part.LAYOUT: PartReading(part=Part.LAYOUT, areas=AREAS)}


def read(engine: MineruEngine, page: Page, ctx: RunContext | None = None) -> PageAnalysis:
    (analysis,) = engine.read([page], TEXT, ctx or RunContext(), [known()])
    assert isinstance(analysis, PageAnalysis), analysis
    return analysis


def contents(analysis: PageAnalysis) -> list[tuple[Part, int, str, object, float]]:
    """What was read, without how long it took."""
    return [
        (reading.part, content.area, content.text, content.table, content.confidence)
        for reading in analysis.readings
        for content in reading.contents
    ]


def test_it_writes_what_mineru_vl_utils_writes(folder: Path, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    # Their client of transformers knows no presence and frequency penalties: both go without them here.
    plain = {
        sort: replace(params, presence_penalty=0.0, frequency_penalty=0.0, max_new_tokens=TOKENS)
        for sort, params in DEFAULT_SAMPLING_PARAMS.items()
    }
    monkeypatch.setattr(engine_module, "DEFAULT_SAMPLING_PARAMS", plain)
    engine = MineruEngine(LocalBackend(settings_of(folder)))
    engine.load()
    asked: list[str] = []
    client = engine._backend.client(RunContext())
    helper = engine._helper()
    theirs = MinerUClient(
        backend="transformers",
        model=load_model(folder, torch.device("cpu")),
        processor=load_processor(folder),
        sampling_params=plain,
        layout_image_size=(224, 224),
        use_tqdm=False,
    )
    image = Image.fromarray(page.pixels)
    try:
        layout = [helper.prepare_for_layout(image)]
        params = plain["[layout]"]
        asked += client.batch_predict(layout, "\nLayout Detection:", params)
        assert asked == theirs.client.batch_predict(layout, "\nLayout Detection:", params)
        prepared = engine_module.prepare(helper, image, AREAS, frozenset(Part))
        written = client.batch_predict(prepared.images, prepared.prompts, prepared.params)
        assert written == theirs.client.batch_predict(prepared.images, prepared.prompts, prepared.params)
        assert len(set(written)) > 1, "the pictures matter"
    finally:
        engine.close()


def test_pages_read_at_once_are_pages_read_one_by_one(engine: MineruEngine) -> None:
    pages = [Page(np.random.default_rng(n).integers(0, 255, (448, 448, 3), np.uint8), "x", n) for n in range(1, 5)]
    alone = [contents(read(engine, page)) for page in pages]
    together = engine.read(pages, TEXT, RunContext(), [known()] * len(pages))
    for mine, other in zip(together, alone, strict=True):
        assert isinstance(mine, PageAnalysis)
        for (part, area, text, table, sure), expected in zip(contents(mine), other, strict=True):
            assert (part, area, text, table is None) == (*expected[:3], expected[3] is None)
            assert sure == pytest.approx(expected[4], abs=1e-3)
    with ThreadPoolExecutor(4) as pool:
        threads = list(pool.map(lambda page: [c[2] for c in contents(read(engine, page))], pages))
    assert threads == [[c[2] for c in one] for one in alone]


def test_a_layout_that_is_none_fails_the_page(engine: MineruEngine, page: Page) -> None:
    (failure,) = engine.read([page], TEXT, RunContext())
    assert isinstance(failure, PageFailure)
    assert failure.component == "layout"


def test_confidences_are_those_of_a_model_that_guesses(engine: MineruEngine, page: Page) -> None:
    analysis = read(engine, page)
    assert all(0 < block.confidence <= 0.3 for block in analysis.blocks)
    assert analysis.warnings, "no text of random weights ends by itself within the cap"


def test_cancel_and_deadline_end_it(folder: Path, page: Page) -> None:
    engine = MineruEngine(LocalBackend(settings_of(folder, max_new_tokens=4096)))
    engine.load()
    ctx = RunContext()
    started = threading.Event()
    told = RunContext(
        on_progress=lambda p: started.set() if p.stage == "blocks" else None, cancel_event=ctx.cancel_event
    )
    try:
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(read, engine, page, told)
            assert started.wait(20)
            ctx.cancel()
            with pytest.raises(Cancelled):
                future.result(20)
        with pytest.raises(DeadlineExceeded):
            read(engine, page, RunContext.with_timeout(0.05))
    finally:
        engine.close()


def test_the_fingerprint_follows_the_weights_and_the_options(folder: Path, tmp_path: Path) -> None:
    first = LocalBackend(settings_of(folder))
    assert first.fingerprint == LocalBackend(settings_of(folder)).fingerprint
    assert first.layout_size == (224, 224)
    assert not first.analyses_images
    others = [
        LocalBackend(settings_of(folder, precision="int8")),
        LocalBackend(settings_of(folder, max_new_tokens=99)),
        LocalBackend(settings_of(tmp_path / "none")),
    ]
    assert len({first.fingerprint, *(other.fingerprint for other in others)}) == 4


def test_the_fingerprint_tells_machines_apart_that_multiply_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = random_checkpoint(tmp_path / "bf16", torch.bfloat16)

    def found(precision: str) -> str:
        return LocalBackend(settings_of(folder, precision=precision)).fingerprint

    seen = set()
    for native, int8 in ((False, True), (True, True), (False, False), (True, False)):
        monkeypatch.setattr(linear, "native_bf16", lambda native=native: native)
        monkeypatch.setattr(linear, "int8_available", lambda int8=int8: int8)
        seen.add(found("auto"))
        assert (found("auto") == found("bf16")) is not int8, "what comes to the same is the same"
        assert "cpu: int8" in found("int8") or int8, "what cannot be had is named as it was asked for"
    assert len(seen) == 4


def test_it_is_the_same_before_and_after_loading(engine: MineruEngine, folder: Path) -> None:
    assert MineruEngine(LocalBackend(settings_of(folder))).fingerprint == engine.fingerprint


def test_a_model_that_is_missing_is_found_once_it_is_there(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "later"
    backend = LocalBackend(settings_of(place))
    before = backend.fingerprint
    assert backend.layout_size == (1036, 1036)
    with pytest.raises(ModelMissing):
        backend.load()
    with pytest.raises(EngineUnavailable):
        backend.client(RunContext())
    place.symlink_to(folder)
    assert backend.fingerprint != before
    assert backend.layout_size == (224, 224)


def test_loading_is_told_and_happens_once(folder: Path) -> None:
    told: list[tuple[str, float]] = []
    backend = LocalBackend(settings_of(folder))
    backend.load(lambda stage, share: told.append((stage, share)))
    assert told[-1] == ("ready", 1.0)
    told.clear()
    backend.load(lambda stage, share: told.append((stage, share)))
    assert told == []
    backend.close()
    backend.close()


def test_a_pro_model_is_one_by_its_name_before_it_is_there(tmp_path: Path) -> None:
    chosen = load_settings(models=tmp_path, mineru={"model": "opendatalab/MinerU2.5-Pro-2605-1.2B"})
    assert LocalBackend(chosen).analyses_images
    assert Part.CHARTS in MineruEngine(LocalBackend(chosen)).capabilities
    assert json.dumps(sorted(MineruEngine(LocalBackend(chosen)).needed(TABLES))) == '["layout", "tables"]'
