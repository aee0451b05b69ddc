from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mineru_core.document.analysis import BlockType, PageAnalysis, PageFailure, Part
from mineru_core.document.geometry import Box
from mineru_core.document.page import Page, Word
from mineru_core.engines.base import Engine
from mineru_core.engines.embedded.engine import CAPABILITIES, EmbeddedEngine
from mineru_core.errors import Cancelled, DeadlineExceeded, EngineUnavailable, ModelMissing, TooManyPixels
from mineru_core.runtime.context import Progress, RunContext
from mineru_core.settings import load_settings
from tests.documents import TABLE_ROWS, draw_table
from tests.engines.embedded.pages import drawn_page

ALL = frozenset(Part)
TEXT = frozenset({Part.TEXT, Part.LAYOUT})
SENTENCES = ("Sales grew in the first quarter", "The board met on Monday", "Please pay within thirty days")

pytestmark = pytest.mark.models


def _page(*texts: str, number: int = 1) -> Page:
    page = drawn_page(
        [(60, 60 + 60 * n, text) for n, text in enumerate(texts)], width=700, height=60 + 60 * len(texts) + 60
    )
    return Page(page.pixels, "drawn.png", number)


def _only(readings: list[PageAnalysis | PageFailure]) -> PageAnalysis:
    (reading,) = readings
    assert isinstance(reading, PageAnalysis)
    return reading


def _text(analysis: PageAnalysis) -> str:
    return "\n".join(line.text for line in analysis.lines)


@pytest.fixture(scope="module")
def engine(models_dir: Path) -> Iterator[EmbeddedEngine]:
    engine = EmbeddedEngine(load_settings(models=models_dir, engine={"engine_calls": 2}))
    engine.load()
    yield engine
    engine.close()


def test_it_is_an_engine(engine: EmbeddedEngine) -> None:
    assert isinstance(engine, Engine)
    assert engine.capabilities == {Part.TEXT, Part.LAYOUT, Part.TABLES, Part.CHARTS}
    assert engine.fingerprint.startswith("embedded/")


def test_lines_come_in_reading_order_with_their_places(engine: EmbeddedEngine) -> None:
    analysis = _only(engine.read([_page(*SENTENCES)], TEXT, RunContext()))
    assert _text(analysis).split("\n") == list(SENTENCES)
    assert [round(line.box.center[1], -1) for line in analysis.lines] == [
        pytest.approx(75 + 60 * n, abs=10) for n in range(3)
    ]
    assert set(analysis.timings) == {"orientation", "text", "layout", "order"}
    assert analysis.parts == TEXT


def test_a_table_is_read_to_cells(engine: EmbeddedEngine) -> None:
    page = Page(np.asarray(draw_table(TABLE_ROWS)), "table.png", 3)
    analysis = _only(engine.read([page], ALL, RunContext()))
    (table,) = analysis.tables
    assert table.rows() == [list(row) for row in TABLE_ROWS]
    assert table.page == 3
    assert analysis.parts == CAPABILITIES


def test_cells_that_the_model_places_beyond_the_page_end_at_its_edge(
    engine: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Page(np.asarray(draw_table(TABLE_ROWS)), "table.png")
    read = engine._tables.read

    def shifted(pixels: Any, box: Box, lines: Any, ctx: RunContext) -> Any:
        table = read(pixels, box, lines, ctx)
        assert table is not None
        far = [cell.model_copy(update={"box": Box(-9, 5, page.width + 9, page.height + 9)}) for cell in table.cells]
        return table.model_copy(update={"cells": tuple(far)})

    monkeypatch.setattr(engine._tables, "read", shifted)
    (table,) = _only(engine.read([page], ALL, RunContext())).tables
    assert {cell.box for cell in table.cells} == {Box(0, 5, page.width, page.height)}


def test_without_the_part_tables_no_cells_are_read(engine: EmbeddedEngine) -> None:
    page = Page(np.asarray(draw_table(TABLE_ROWS)), "table.png")
    analysis = _only(engine.read([page], TEXT, RunContext()))
    assert analysis.tables == ()
    assert "Stapler" in _text(analysis)


def test_layout_alone_reads_no_text(engine: EmbeddedEngine) -> None:
    analysis = _only(engine.read([_page(*SENTENCES)], frozenset({Part.LAYOUT}), RunContext()))
    assert analysis.lines == ()
    assert "text" not in analysis.timings


def test_a_blank_page_has_no_blocks(engine: EmbeddedEngine) -> None:
    blank = Page(np.full((300, 200, 3), 255, np.uint8), "blank.png")
    assert _only(engine.read([blank], ALL, RunContext())).blocks == ()


def test_a_page_on_its_head_is_read_and_its_boxes_stay_in_its_own_pixels(
    engine: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    upright = _page(*SENTENCES)
    on_head = Page(np.ascontiguousarray(upright.pixels[::-1, ::-1]), "turned.png")
    # Whether a page is recognised as turned is the orientation model's business and tested there.
    monkeypatch.setattr(engine._ocr, "orientation", lambda _pixels, _ctx, _letters: 180)
    analysis = _only(engine.read([on_head], TEXT, RunContext()))
    assert _text(analysis).split("\n") == list(SENTENCES)
    assert analysis.rotation == 180
    assert {block.angle for block in analysis.blocks} == {180}
    assert analysis.lines[0].box.y0 > analysis.lines[2].box.y0


def test_one_bad_page_fails_alone(engine: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    detect = engine._layout.detect
    bad = _page("broken", number=2)

    def fail_on_bad(pixels: Any, ctx: RunContext) -> Any:
        if pixels is bad.pixels:
            raise RuntimeError("a fault of a library")
        return detect(pixels, ctx)

    monkeypatch.setattr(engine._layout, "detect", fail_on_bad)
    first, second, third = engine.read([_page("one"), bad, _page("three", number=3)], TEXT, RunContext())
    assert isinstance(first, PageAnalysis)
    assert isinstance(third, PageAnalysis)
    assert isinstance(second, PageFailure)
    assert (second.page, second.component, second.code) == (2, "layout", "engine-failed")


def test_a_typed_error_keeps_its_code(engine: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_pixels: Any, _ctx: RunContext, _letters: float | None) -> Any:
        raise TooManyPixels("The page is too large.")

    monkeypatch.setattr(engine._ocr, "read", refuse)
    (failure,) = engine.read([_page("x")], TEXT, RunContext())
    assert isinstance(failure, PageFailure)
    assert (failure.component, failure.code) == ("text", "too-many-pixels")


def test_progress_names_the_stages_and_cancel_stops_between_them(engine: EmbeddedEngine) -> None:
    seen: list[str] = []

    def listen(progress: Progress) -> None:
        seen.append(progress.stage)
        if progress.stage == "layout":
            ctx.cancel()

    ctx = RunContext(on_progress=listen)
    with pytest.raises(Cancelled):
        engine.read([_page("one")], ALL, ctx)
    assert seen == ["orientation", "text", "layout"]


def test_a_passed_deadline_goes_through(engine: EmbeddedEngine) -> None:
    with pytest.raises(DeadlineExceeded):
        engine.read([_page("one")], ALL, RunContext.with_timeout(0))


@pytest.mark.long  # tests/serving/test_concurrency.py does the same through the gate
def test_threads_read_the_same_as_one_by_one(engine: EmbeddedEngine) -> None:
    pages = [_page(f"Invoice number {n}", number=n) for n in range(1, 5)]
    expected = [_text(_only(engine.read([page], TEXT, RunContext()))) for page in pages]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda page: _text(_only(engine.read([page], TEXT, RunContext()))), pages))
    assert found == expected
    assert found[0].startswith("Invoice number 1")


def test_a_page_reads_the_same_where_calls_are_not_shared(engine: EmbeddedEngine, models_dir: Path) -> None:
    alone = EmbeddedEngine(load_settings(models=models_dir, engine={"share_calls": False}))
    alone.load()
    page = _page(*SENTENCES)
    assert _text(_only(alone.read([page], TEXT, RunContext()))) == _text(_only(engine.read([page], TEXT, RunContext())))
    alone.close()


def test_before_loading_it_is_refused_and_without_weights_loading_says_so(tmp_path: Path) -> None:
    engine = EmbeddedEngine(load_settings(models=tmp_path))
    with pytest.raises(EngineUnavailable):
        engine.read([_page("x")], TEXT, RunContext())
    with pytest.raises(ModelMissing):
        engine.load()
    engine.close()
    engine.close()


def test_words_that_are_not_shown_change_nothing(engine: EmbeddedEngine) -> None:
    page = _page(*SENTENCES)
    layered = Page(page.pixels, page.source, text_layer=(Word("Something else", Box(60, 60, 300, 90)),))
    assert _text(_only(engine.read([layered], TEXT, RunContext()))).split("\n") == list(SENTENCES)


def test_blocks_are_typed(engine: EmbeddedEngine) -> None:
    analysis = _only(engine.read([_page(*SENTENCES)], TEXT, RunContext()))
    assert {block.type for block in analysis.blocks} <= set(BlockType)
    assert [block.order for block in analysis.blocks] == list(range(len(analysis.blocks)))
