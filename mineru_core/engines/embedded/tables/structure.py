"""The structure model: a picture of one table in, its rows, spans and rough cell boxes out.

SLANet-plus writes the table as HTML tokens, one a step, with a quadrilateral for each cell. The picture is scaled so
that its longer side is ``INPUT_SIDE`` and padded with zeros to a square; the corners come back as shares of the square.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.errors import ModelMissing

INPUT_SIDE = 488
_MEAN = np.array([0.485, 0.456, 0.406], dtype=np.float32)
_STD = np.array([0.229, 0.224, 0.225], dtype=np.float32)
_SPAN = re.compile(r'(rowspan|colspan)="(\d+)"')
_QUIET = 3  # ONNX Runtime's severity "error": the loops of the file raise a warning on each load

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class StructureCell:
    """A cell as predicted: place in the grid, box in pixels of the picture, probability of its tokens 0..1."""

    row: int
    col: int
    rowspan: int
    colspan: int
    box: Box
    probability: float
    header: bool = False


@dataclass(frozen=True, slots=True)
class Structure:
    """A table as predicted: size of the grid and its cells in reading order; they never overlap on the grid."""

    n_rows: int
    n_cols: int
    cells: tuple[StructureCell, ...]

    @property
    def probability(self) -> float:
        """Mean probability of the cells' tokens, 0 without cells."""
        return float(np.mean([c.probability for c in self.cells])) if self.cells else 0.0

    def shifted(self, dx: float, dy: float) -> Structure:
        """The structure with its boxes moved by (dx, dy)."""
        return replace(self, cells=tuple(replace(c, box=c.box.shifted(dx, dy)) for c in self.cells))


class StructureModel:
    """SLANet-plus on ONNX Runtime. ``predict`` may be called from several threads at once.

    ``threads`` are the cores one call uses. Raises ``ModelMissing`` where the file cannot be loaded.
    """

    def __init__(self, path: Path, *, threads: int) -> None:
        options = ort.SessionOptions()
        options.log_severity_level = _QUIET
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # The decoder is hundreds of small steps; threads that spin between them take the cores from everybody else.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime's errors share no class but this one
            raise ModelMissing("The table structure model cannot be loaded.") from error
        self._input = self._session.get_inputs()[0].name
        self._tokens = vocabulary(self._session.get_modelmeta().custom_metadata_map["character"])

    def predict(self, picture: Pixels) -> Structure:
        """Structure of the one table that fills the picture, (height, width, 3) uint8 RGB."""
        tensor, scale = prepare(picture)
        corners, probabilities = self._session.run(None, {self._input: tensor})
        return decode(self._tokens, probabilities[0], corners[0] * (INPUT_SIDE / scale))


def vocabulary(listed: str) -> tuple[str, ...]:
    """Every token by its index. The file lists them one a line, without the marks of start and end, and with a bare
    ``<td>`` that training replaced by the empty cell."""
    names = [name for name in listed.splitlines() if name != "<td>"]
    if "<td></td>" not in names:
        names.append("<td></td>")
    return ("sos", *names, "eos")


def prepare(picture: Pixels) -> tuple[Floats, float]:
    """The model's input (1, 3, side, side) and the factor from picture pixels to input pixels."""
    height, width = picture.shape[:2]
    scale = INPUT_SIDE / max(height, width)
    size = (max(1, int(width * scale)), max(1, int(height * scale)))
    # Area averaging keeps thin strokes of large pictures; plain interpolation skips them.
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    resized = cv2.resize(picture, size, interpolation=method).astype(np.float32)
    # The weights were trained on OpenCV's channel order with the means of RGB; both are kept as they were.
    normal = (resized[:, :, ::-1] / 255.0 - _MEAN) / _STD
    square = np.zeros((INPUT_SIDE, INPUT_SIDE, 3), dtype=np.float32)
    square[: size[1], : size[0]] = normal
    return np.ascontiguousarray(square.transpose(2, 0, 1)[None]), scale


def decode(tokens: Sequence[str], probabilities: Floats, corners: Floats) -> Structure:
    """From the probabilities of the tokens (steps, tokens) and corners (steps, 8), in pixels, to a structure."""
    best = probabilities.argmax(axis=1)
    builder = _Builder()
    for step, index in enumerate(best):
        token = tokens[index]
        if token == "eos" and step > 0:
            break
        builder.add(token, corners[step], float(probabilities[step, index]))
    return builder.build()


class _Builder:
    """Reads tokens in order; keeps the open cell and the places that are taken."""

    def __init__(self) -> None:
        self._cells: list[StructureCell] = []
        self._taken: set[tuple[int, int]] = set()
        self._row = -1
        self._header = False
        self._open: tuple[Floats, list[float]] | None = None
        self._spans = {"rowspan": 1, "colspan": 1}

    def add(self, token: str, corners: Floats, probability: float) -> None:
        if token in ("<thead>", "</thead>"):
            self._header = token == "<thead>"
        elif token == "<tr>":
            self._row += 1
        elif token == "<td></td>":
            self._place(corners, [probability])
        elif token == "<td":
            self._open = (corners, [probability])
            self._spans = {"rowspan": 1, "colspan": 1}
        elif token == "</td>" and self._open is not None:
            self._place(*self._open)
            self._open = None
        elif self._open is not None and (match := _SPAN.search(token)):
            self._spans[match[1]] = int(match[2])
            self._open[1].append(probability)

    def _place(self, corners: Floats, probabilities: list[float]) -> None:
        row, col = max(self._row, 0), 0
        self._row = row
        while (row, col) in self._taken:
            col += 1
        colspan = 1
        while colspan < self._spans["colspan"] and (row, col + colspan) not in self._taken:
            colspan += 1
        rowspan = self._spans["rowspan"]
        self._spans = {"rowspan": 1, "colspan": 1}
        self._taken.update((r, c) for r in range(row, row + rowspan) for c in range(col, col + colspan))
        xs, ys = corners[0::2], corners[1::2]
        box = Box(float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max()))
        probability = min(1.0, max(0.0, float(np.prod(probabilities))))
        self._cells.append(StructureCell(row, col, rowspan, colspan, box, probability, self._header))

    def build(self) -> Structure:
        rows = self._row + 1
        cells = tuple(replace(c, rowspan=min(c.rowspan, rows - c.row)) for c in self._cells)
        return Structure(rows, max((c.col + c.colspan for c in cells), default=0), cells)
