from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table
from mineru_core.engines.embedded import weights
from mineru_core.engines.embedded.tables.structure import (
    INPUT_SIDE,
    Structure,
    StructureModel,
    decode,
    prepare,
    vocabulary,
)
from mineru_core.errors import ModelMissing
from tests.engines.embedded.tables.drawing import TEXT_SIZE, drawn_table

TOKENS = vocabulary(
    "\n".join(
        ["<thead>", "</thead>", "<tbody>", "</tbody>", "<tr>", "</tr>", "<td>", "<td", ">", "</td>"]
        + [f' {kind}="{n}"' for kind in ("colspan", "rowspan") for n in range(2, 6)]
    )
)


def _decoded(*written: str) -> Structure:
    probabilities = np.full((len(written), len(TOKENS)), 0.0, np.float32)
    for step, token in enumerate(written):
        probabilities[step, TOKENS.index(token)] = 0.9
    corners = np.tile(np.array([0, 0, 10, 0, 10, 5, 0, 5], np.float32), (len(written), 1))
    return decode(TOKENS, probabilities, corners)


def test_empty_and_open_cells_are_placed_in_rows() -> None:
    structure = _decoded("<tr>", "<td></td>", "<td></td>", "</tr>", "<tr>", "<td></td>", "<td></td>", "</tr>", "eos")
    assert [(c.row, c.col) for c in structure.cells] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert (structure.n_rows, structure.n_cols) == (2, 2)


def test_spans_push_what_follows_aside() -> None:
    open_cell = ["<td", ' rowspan="2"', ">", "</td>"]
    structure = _decoded("<tr>", *open_cell, "<td></td>", "</tr>", "<tr>", "<td></td>", "</tr>")
    assert [(c.row, c.col, c.rowspan) for c in structure.cells] == [(0, 0, 2), (0, 1, 1), (1, 1, 1)]


def test_cells_of_the_head_are_marked() -> None:
    structure = _decoded(
        "<thead>", "<tr>", "<td></td>", "</tr>", "</thead>", "<tbody>", "<tr>", "<td></td>", "</tr>", "</tbody>"
    )
    assert [c.header for c in structure.cells] == [True, False]


def test_nothing_after_the_end_counts() -> None:
    assert len(_decoded("<tr>", "<td></td>", "eos", "<td></td>").cells) == 1


@given(st.lists(st.sampled_from(TOKENS), max_size=60))
def test_whatever_the_model_writes_is_a_grid_without_overlaps(written: list[str]) -> None:
    structure = _decoded(*written)
    cells = tuple(Cell(row=c.row, col=c.col, rowspan=c.rowspan, colspan=c.colspan) for c in structure.cells)
    table = Table(n_rows=structure.n_rows, n_cols=structure.n_cols, cells=cells)
    assert len(table.cells) == len(structure.cells)


@pytest.mark.parametrize(("height", "width"), [(1, 900), (900, 1), (40, 30), (700, 1400)])
def test_any_picture_fits_the_input(height: int, width: int) -> None:
    tensor, scale = prepare(np.full((height, width, 3), 255, np.uint8))
    assert tensor.shape == (1, 3, INPUT_SIDE, INPUT_SIDE)
    assert scale == INPUT_SIDE / max(height, width)


def test_a_broken_file_is_a_missing_model(tmp_path: Path) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes(b"not a model")
    with pytest.raises(ModelMissing):
        StructureModel(path, threads=1)


@pytest.mark.models
def test_the_model_sees_rows_and_columns(models_dir: Path) -> None:
    rows = [["Year", "Income", "Cost"], ["2021", "120.5", "80.0"], ["2022", "131.0", "84.5"], ["2023", "140.2", "90.1"]]
    pixels, lines = drawn_table(rows, ruled=False)
    model = StructureModel(weights.require(models_dir, weights.TABLE_STRUCTURE), threads=1)
    x0, y0, x1, y1 = (int(side) for side in Box.around(line.box for line in lines).expanded(0.4 * TEXT_SIZE))
    structure = model.predict(np.ascontiguousarray(pixels[y0:y1, x0:x1])).shifted(x0, y0)
    assert (structure.n_rows, structure.n_cols) == (4, 3)
    assert structure.probability > 0.9
    for line in lines:
        assert any(line.box.intersection(cell.box).area > 0.3 * line.box.area for cell in structure.cells)
