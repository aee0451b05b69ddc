from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.document.table import Table
from mineru_core.engines.embedded.tables import TableReader
from mineru_core.errors import Cancelled, EngineUnavailable, ModelMissing
from mineru_core.runtime.context import RunContext
from tests.engines.embedded.tables.drawing import MARGIN, ROW_HEIGHT, drawn_table, line_at

ROWS = [
    ["Year", "Income", "Cost", "Margin"],
    ["2021", "120.5", "80.0", "33.6 %"],
    ["2022", "131.0", "84.5", "35.5 %"],
    ["2023", "140.2", "90.1", "35.7 %"],
    ["2024", "151.9", "96.3", "36.6 %"],
]


@pytest.fixture(scope="module")
def reader(models_dir: Path) -> Iterator[TableReader]:
    reader = TableReader(models_dir, engine_calls=2)
    reader.load()
    yield reader
    reader.close()


def _read(reader: TableReader, pixels: Pixels, lines: Sequence[Line], box: Box | None = None) -> Table | None:
    area = box or Box(0, 0, pixels.shape[1], pixels.shape[0])
    return reader.read(pixels, area, lines, RunContext())


@pytest.mark.models
@pytest.mark.parametrize("ruled", [True, False])
def test_a_table_is_read_cell_by_cell(reader: TableReader, ruled: bool) -> None:
    table = _read(reader, *drawn_table(ROWS, ruled=ruled))
    assert table is not None
    assert table.rows() == ROWS
    assert table.confidence > 0.8


@pytest.mark.models
def test_boxes_are_in_pixels_of_the_page(reader: TableReader) -> None:
    pixels, lines = drawn_table(ROWS, ruled=True)
    page = np.full((900, 1200, 3), 255, np.uint8)
    page[300 : 300 + pixels.shape[0], 400 : 400 + pixels.shape[1]] = pixels
    moved = [line_at(line.text, *line.box.shifted(400, 300)) for line in lines]
    table = _read(reader, page, moved, Box(400, 300, 400 + pixels.shape[1], 300 + pixels.shape[0]))
    assert table is not None
    assert table.rows() == ROWS
    for line in moved:
        (cell,) = (c for c in table.cells if c.text == line.text)
        assert cell.box is not None
        assert line.box.covered_by(cell.box) > 0.9


@pytest.mark.models
def test_an_empty_row_that_is_drawn_is_kept(reader: TableReader) -> None:
    table = _read(reader, *drawn_table([*ROWS, ["", "", "", ""]], ruled=True))
    assert table is not None
    assert table.rows() == [*ROWS, ["", "", "", ""]]


@pytest.mark.models
def test_rules_just_outside_the_area_count(reader: TableReader) -> None:
    """A layout box that ended short of the last rule lost the grid."""
    pixels, lines = drawn_table([*ROWS, ["", "", "", ""]], ruled=True)
    area = Box(MARGIN, MARGIN, pixels.shape[1] - MARGIN, pixels.shape[0] - MARGIN - 5)
    table = _read(reader, pixels, lines, area)
    assert table is not None
    assert table.rows() == [*ROWS, ["", "", "", ""]]


@pytest.mark.models
def test_a_caption_above_the_rules_is_no_row(reader: TableReader) -> None:
    pixels, lines = drawn_table([["", "", "", ""], *ROWS], ruled=True)
    pixels[: MARGIN + ROW_HEIGHT - 1] = 255
    caption = line_at("Table 1. Results", MARGIN + 8, MARGIN + 6, MARGIN + 150, MARGIN + 24)
    table = _read(reader, pixels, [caption, *lines])
    assert table is not None
    assert (table.rows(), table.caption) == (ROWS, "Table 1. Results")


@pytest.mark.models
def test_no_line_is_lost(reader: TableReader) -> None:
    pixels, lines = drawn_table(ROWS, ruled=False)
    stray = line_at("a note that stands far to the right", 300, 150, 560, 168)
    table = _read(reader, pixels, [*lines, stray])
    assert table is not None
    read = " ".join(cell.text for cell in table.cells).split()
    assert sorted(read) == sorted(" ".join(line.text for line in [*lines, stray]).split())


@pytest.mark.models
def test_threads_read_the_same_as_one(reader: TableReader) -> None:
    drawn = [drawn_table(ROWS[: 2 + n % 4], ruled=bool(n % 2)) for n in range(8)]
    alone = [_read(reader, *d) for d in drawn]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda d: _read(reader, *d), drawn)) == alone


@pytest.mark.models
def test_nothing_is_read_where_there_is_no_text_or_no_area(reader: TableReader) -> None:
    pixels, lines = drawn_table(ROWS, ruled=True)
    assert _read(reader, pixels, []) is None
    assert _read(reader, pixels, lines, Box(5000, 5000, 6000, 6000)) is None


@pytest.mark.models
def test_work_that_is_no_longer_wanted_stops(reader: TableReader) -> None:
    ctx = RunContext()
    ctx.cancel()
    pixels, lines = drawn_table(ROWS, ruled=True)
    with pytest.raises(Cancelled):
        reader.read(pixels, Box(0, 0, pixels.shape[1], pixels.shape[0]), lines, ctx)


def test_reading_before_loading_is_refused(tmp_path: Path) -> None:
    pixels, lines = drawn_table(ROWS, ruled=True)
    with pytest.raises(EngineUnavailable):
        _read(TableReader(tmp_path, engine_calls=1), pixels, lines)


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="slanet-plus"):
        TableReader(tmp_path, engine_calls=1).load()


@pytest.mark.models
def test_rows_parted_by_a_rule_stay_apart_where_the_text_would_go_on(reader: TableReader) -> None:
    """Questions below each other, each filling its cell, were taken for one paragraph torn into rows."""
    rows = [["Is it a tale?", ""], ["Does it rhyme", ""], ["at each end?", ""], ["Is it sung so?", ""]]
    table = _read(reader, *drawn_table(rows, ruled=True))
    assert table is not None
    assert table.rows() == rows
