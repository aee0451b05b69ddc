"""The tiny checkpoint that is shipped: through the engine it reads the pages of its world, and only these."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image

from mineru_core.document.analysis import PageAnalysis, Part
from mineru_core.document.page import Page
from mineru_core.engines.base import Engine
from mineru_core.engines.mineru.checkpoint import TINY_FOLDER, open_checkpoint
from mineru_core.engines.registry import create_engine
from mineru_core.runtime.context import RunContext
from mineru_core.settings import Settings
from tools.tiny_vlm.exam import Read, client_reader, engine_reader, examine
from tools.tiny_vlm.world import FONT, PAGE, Pen, page_blocks

drawn = pytest.mark.skipif(not FONT.exists(), reason="pages are drawn in DejaVu Sans Mono")


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = create_engine("mineru-tiny", Settings())
    engine.load()
    yield engine
    engine.close()


def read(engine: Engine, pixels: Image.Image, parts: frozenset[Part]) -> PageAnalysis:
    (found,) = engine.read([Page(np.asarray(pixels), "page.png")], parts, RunContext())
    assert isinstance(found, PageAnalysis), found
    return found


def test_the_folder_is_a_small_checkpoint() -> None:
    found = open_checkpoint(TINY_FOLDER)
    assert found.layout_size == (224, 224)
    assert not found.analyses_images
    assert sum(path.stat().st_size for path in TINY_FOLDER.iterdir()) <= 5_000_000
    config = json.loads((TINY_FOLDER / "config.json").read_text())
    assert config["architectures"] == ["Qwen2VLForConditionalGeneration"]
    assert "auto_map" not in config, "no code of its own"


@drawn
def test_drawn_pages_are_read_exactly() -> None:
    with engine_reader(TINY_FOLDER) as reader:
        marks = examine(reader, 8, "a few", FONT)
    assert marks.drawn.total() >= 20
    assert set(marks.drawn) == {"text", "title", "table"}
    assert marks.share >= 0.95, marks.wrong


@drawn
@pytest.mark.long
def test_of_a_hundred_pages_98_blocks_in_100_are_exact() -> None:
    with engine_reader(TINY_FOLDER) as reader:
        marks = examine(reader, 100, "exam 1", FONT)
    assert marks.share >= 0.98, marks.wrong


@drawn
@pytest.mark.filterwarnings("ignore")  # those of the upstream client are its own
def test_upstream_reads_the_same() -> None:
    pages = [Pen().page(page_blocks(random.Random(f"both {seed}"))).convert("RGB") for seed in range(3)]
    with engine_reader(TINY_FOLDER) as reader:
        ours = reader(pages)
    theirs = client_reader(TINY_FOLDER)(pages)
    assert [list(map(plain, page)) for page in ours] == [list(map(plain, page)) for page in theirs]


def plain(block: Read) -> tuple[object, ...]:
    if block.table is None:
        return block.kind, block.box, block.text
    cells = [(cell.row, cell.col, cell.rowspan, cell.colspan, cell.text) for cell in block.table.cells]
    return block.kind, block.box, cells


def test_an_empty_page_has_no_blocks(engine: Engine) -> None:
    white = Image.new("RGB", (PAGE, PAGE), "white")
    assert read(engine, white, frozenset({Part.LAYOUT, Part.TEXT, Part.TABLES})).blocks == ()


def test_a_page_of_another_world_comes_to_an_end(engine: Engine) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (300, 500, 3), np.uint8)
    (found,) = engine.read([Page(noise, "noise.png")], frozenset({Part.LAYOUT, Part.TEXT}), RunContext())
    assert isinstance(found, PageAnalysis) or found.code == "engine-failed"
