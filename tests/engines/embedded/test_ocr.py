from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.ocr import OcrReader
from mineru_core.errors import Cancelled, DeadlineExceeded, EngineUnavailable, ModelMissing
from mineru_core.runtime.context import RunContext
from tests.documents import EN_LINES, ZH_LINES, draw_lines, has_cjk_font

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def reader(models_dir: Path) -> Iterator[OcrReader]:
    made = OcrReader(models_dir, engine_calls=2, batch_items=8)
    made.load()
    yield made
    made.close()


def page_of(*lines: str, size: int = 32) -> Pixels:
    return np.asarray(draw_lines(lines, size=size))


def texts_of(lines: tuple[Line, ...]) -> list[str]:
    return [line.text for line in sorted(lines, key=lambda line: line.box.y0)]


@pytest.fixture(scope="module")
def english(reader: OcrReader) -> tuple[Line, ...]:
    return reader.read(page_of(*EN_LINES), RunContext())


def test_lines_are_read(english: tuple[Line, ...]) -> None:
    assert texts_of(english) == list(EN_LINES)


@pytest.mark.skipif(not has_cjk_font(), reason="no font with Chinese characters")
def test_chinese_lines_are_read_character_by_character(reader: OcrReader) -> None:
    lines = reader.read(page_of(*ZH_LINES), RunContext())
    assert texts_of(lines) == list(ZH_LINES)
    assert all([w.text for w in line.words] == list(line.text) for line in lines)


def test_words_lie_in_their_line_from_left_to_right(english: tuple[Line, ...]) -> None:
    for line in english:
        assert [w.text for w in line.words] == line.text.split()
        around = line.box.expanded(1)
        assert all(w.box.intersection(around) == w.box for w in line.words)
        assert all(a.box.x1 < b.box.x0 for a, b in zip(line.words, line.words[1:], strict=False))


def test_words_lie_at_their_ink(english: tuple[Line, ...]) -> None:
    page = page_of(*EN_LINES)
    for word in (word for line in english for word in line.words):
        x0, y0, x1, y1 = (round(v) for v in word.box)
        columns = np.flatnonzero(page[y0:y1, x0 - 3 : x1 + 3].min(axis=(0, 2)) < 128) - 3
        assert abs(columns[0]) <= 2
        assert abs(columns[-1] - (x1 - x0)) <= 3


@pytest.mark.parametrize("turns", [1, 3], ids=["down", "up"])
def test_text_that_runs_down_or_up_is_read_where_it_stands(reader: OcrReader, turns: int) -> None:
    page = np.full((600, 500, 3), 255, dtype=np.uint8)
    page[20:76, 90:490] = page_of("Quarterly revenue")[30:86, 30:430]
    page[180:580, 20:76] = np.rot90(page_of("Number of orders")[30:86, 30:430], -turns)
    lines = {line.text: line for line in reader.read(page, RunContext())}
    assert set(lines) == {"Quarterly revenue", "Number of orders"}
    standing = lines["Number of orders"]
    assert standing.box.covered_by(Box(16, 180, 80, 580)) > 0.95
    first, second, third = standing.words
    ordered = [first.box.y0, second.box.y0, third.box.y0]
    assert ordered == sorted(ordered, reverse=turns == 3)


def test_a_lone_narrow_digit_is_not_laid_on_its_side(reader: OcrReader) -> None:
    assert texts_of(reader.read(page_of("1", "Total"), RunContext())) == ["1", "Total"]


@pytest.mark.parametrize("turns", [1, 3], ids=["down", "up"])
def test_short_numbers_of_a_turned_table_are_read_in_its_direction(reader: OcrReader, turns: int) -> None:
    rows = [f"Company number {i}" for i in range(4)]
    page = np.full((304, 800, 3), 255, dtype=np.uint8)
    page[:, :500] = page_of(*rows)[:, :500]
    page[:, 500:] = page_of("0.7", "", "5.2", "")[:, :300]
    lines = reader.read(np.ascontiguousarray(np.rot90(page, -turns)), RunContext())
    assert sorted(line.text for line in lines) == sorted([*rows, "0.7", "5.2"])


@pytest.mark.parametrize("turns", range(4))
def test_a_turned_page_is_set_upright(reader: OcrReader, turns: int) -> None:
    turned = np.ascontiguousarray(np.rot90(page_of(*EN_LINES * 2), -turns))
    degrees = reader.orientation(turned, RunContext())
    assert degrees == (360 - 90 * turns) % 360
    upright = np.ascontiguousarray(np.rot90(turned, -degrees // 90))
    assert texts_of(reader.read(upright, RunContext())) == list(EN_LINES) * 2


def test_a_page_without_text_is_never_turned(reader: OcrReader) -> None:
    noise = np.random.default_rng(7).integers(0, 256, (300, 400, 3), dtype=np.uint8)
    for page in (np.full((300, 400, 3), 255, dtype=np.uint8), noise, np.zeros((20, 3, 3), dtype=np.uint8)):
        assert reader.orientation(page, RunContext()) == 0
        assert all(line.text for line in reader.read(page, RunContext()))


@pytest.mark.long  # tests/serving/test_concurrency.py does the same with whole pages
def test_eight_threads_read_what_one_reads(reader: OcrReader) -> None:
    pages = [page_of(*(f"Invoice {n} line {i}" for i in range(1 + n % 3)), size=24 + 4 * (n % 3)) for n in range(4)]
    alone = [texts_of(reader.read(page, RunContext())) for page in pages]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda page: texts_of(reader.read(page, RunContext())), pages * 2))
    assert together == alone * 2


def test_work_that_is_no_longer_wanted_stops(reader: OcrReader) -> None:
    cancelled = RunContext()
    cancelled.cancel()
    with pytest.raises(Cancelled):
        reader.read(page_of("Total"), cancelled)
    with pytest.raises(DeadlineExceeded):
        reader.orientation(page_of("Total"), RunContext(deadline=0.0))


def test_a_reader_that_is_not_loaded_says_so(models_dir: Path) -> None:
    made = OcrReader(models_dir, engine_calls=1, batch_items=1)
    with pytest.raises(EngineUnavailable):
        made.read(page_of("Total"), RunContext())
    made.close()


def test_loading_without_weights_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing) as caught:
        OcrReader(tmp_path, engine_calls=1, batch_items=1).load()
    assert "models install" in caught.value.hint


def test_a_reader_can_be_closed_and_loaded_again(models_dir: Path) -> None:
    made = OcrReader(models_dir, engine_calls=1, batch_items=4)
    told: list[float] = []
    made.load(lambda _stage, share: told.append(share))
    made.load(lambda _stage, share: told.append(share))
    assert told == sorted(told)
    assert told[-1] == 1.0
    made.close()
    made.close()
    made.load()
    assert texts_of(made.read(page_of("Total"), RunContext())) == ["Total"]
    made.close()
