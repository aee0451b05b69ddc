"""The exam: fresh pages from picture to text and CSV, through MinerUClient or our engine, against what was drawn."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from loguru import logger
from mineru_vl_utils import MinerUClient
from mineru_vl_utils.transformers_loading import load_transformers_model
from mineru_vl_utils.vlm_client.base_client import SamplingParams
from PIL import Image
from transformers import LogitsProcessorList

from mineru_core.document import table as document
from mineru_core.document.analysis import PageAnalysis, PageFailure, Part
from mineru_core.document.geometry import Box
from mineru_core.document.page import Page
from mineru_core.engines.mineru.backend_local import LocalBackend
from mineru_core.engines.mineru.engine import MineruEngine
from mineru_core.engines.mineru.markup import table_from_html
from mineru_core.engines.mineru.otsl import table_from_otsl
from mineru_core.engines.mineru.processor import load_processor
from mineru_core.engines.mineru.processors import OutputPenalties
from mineru_core.export import table_to_csv
from mineru_core.runtime.context import RunContext
from mineru_core.settings import Settings
from tools.tiny_vlm.world import CELL, GRID, LAYOUT, Block, Pen, Table, page_blocks

READ_PARTS = frozenset({Part.LAYOUT, Part.TEXT, Part.TABLES})


def open_client(folder: Path) -> MinerUClient:
    """MinerUClient with its own transformers backend on a checkpoint, and the penalties transformers lacks."""
    processor = load_processor(folder)
    model = load_transformers_model(folder, device_map={"": "cpu"})
    client = MinerUClient(
        backend="transformers",
        model=model,
        processor=processor,
        layout_image_size=(LAYOUT, LAYOUT),
        use_tqdm=False,
    )
    backend: Any = client.client
    plain = backend._predict_one_batch

    def with_penalties(image_objs: Sequence[Any], chat_prompts: list[str], sampling_params: SamplingParams) -> Any:
        presence, frequency = sampling_params.presence_penalty or 0.0, sampling_params.frequency_penalty or 0.0
        inputs = processor(text=chat_prompts, images=list(image_objs), padding=True, return_tensors="pt")
        penalties = OutputPenalties(presence, frequency, inputs["input_ids"].shape[1])
        return plain(image_objs, chat_prompts, sampling_params, logits_processor=LogitsProcessorList([penalties]))

    backend._predict_one_batch = with_penalties
    return client


@dataclass
class Marks:
    """How many blocks were drawn and how many were read exactly, by kind; and what went wrong, in words."""

    drawn: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    missing: int = 0
    surplus: int = 0

    @property
    def share(self) -> float:
        """Blocks read exactly, of those drawn, or of those read where these are more."""
        read = self.drawn.total() - self.missing + self.surplus
        return self.right.total() / max(self.drawn.total(), read, 1)

    def __str__(self) -> str:
        kinds = ", ".join(f"{kind} {self.right[kind]}/{self.drawn[kind]}" for kind in sorted(self.drawn))
        places = f"{self.missing} not found, {self.surplus} where none is"
        return f"{100 * self.share:.2f} % of blocks exact ({kinds}; {places})"


def table_csv(table: Table) -> str:
    """The drawn table as CSV: a merged cell's text in its first place, the others empty."""
    out = io.StringIO()
    csv.writer(out).writerows(table.texts)
    return out.getvalue()


@dataclass(frozen=True)
class Read:
    """A block as it was read, its box in cells; a table where it is one that could be made out."""

    kind: str
    box: tuple[int, ...]
    text: str
    table: document.Table | None = None


Reader = Callable[[Sequence[Image.Image]], list[list[Read]]]
"""Pages in, what was read on each out."""
PAGES_AT_ONCE = 10


def client_reader(folder: Path) -> Reader:
    """Reads pages with MinerUClient."""
    logger.disable("mineru_vl_utils")
    client = open_client(folder)

    def read_page(page: Image.Image) -> list[Read]:
        out = []
        for block in client.two_step_extract(page):
            text = block.content or ""
            table = table_from_html(text) if block.type == "table" else None
            out.append(Read(block.type, tuple(round(value * GRID) for value in block.bbox), text, table))
        return out

    return lambda pages: [read_page(page) for page in pages]


@contextmanager
def engine_reader(folder: Path) -> Iterator[Reader]:
    """Reads pages with our engine, as it is set by default."""
    engine = MineruEngine(LocalBackend(Settings(), folder), "mineru-tiny")
    engine.load()

    def blocks(found: PageAnalysis | PageFailure) -> list[Read]:
        if isinstance(found, PageFailure):
            return [Read("failure", (), f"{found.code}: {found.message}")]
        return [Read(block.type.value, _cells(block.box), block.text, block.table) for block in found.blocks]

    def read(pages: Sequence[Image.Image]) -> list[list[Read]]:
        pixels = [Page(np.asarray(page), "drawn.png", number) for number, page in enumerate(pages, start=1)]
        return [blocks(found) for found in engine.read(pixels, READ_PARTS, RunContext())]

    try:
        yield read
    finally:
        engine.close()


def _cells(box: Box) -> tuple[int, ...]:
    return tuple(round(edge / CELL) for edge in (box.x0, box.y0, box.x1, box.y1))


def examine(read: Reader, pages: int, seed: str, font: Path) -> Marks:
    """Read fresh pages from picture to content; a block is right if its type, box and content are exact."""
    rng, pen, marks = random.Random(seed), Pen(font), Marks()
    drawn = [page_blocks(rng) for _ in range(pages)]
    for first in range(0, pages, PAGES_AT_ONCE):
        group = drawn[first : first + PAGES_AT_ONCE]
        found = read([pen.page(blocks).convert("RGB") for blocks in group])
        for number, (blocks, seen) in enumerate(zip(group, found, strict=True), start=first):
            compare(blocks, seen, marks, f"page {number}")
    return marks


def compare(drawn: Sequence[Block], found: Sequence[Read], marks: Marks, where: str) -> None:
    """Count exact blocks; each found one answers for one drawn one of its type and box."""
    left = {(block.kind, *block.box): block for block in found}
    for block in drawn:
        marks.drawn[block.kind] += 1
        read = left.pop((block.kind, *block.box), None)
        marks.missing += read is None
        if read is not None and is_right(block, read):
            marks.right[block.kind] += 1
        else:
            marks.wrong.append(f"{where}: {block.kind} {block.box} {block.content()!r} read as {read}")
    marks.surplus += len(left)
    marks.wrong += [f"{where}: nothing drawn, but read {read}" for read in left.values()]


def is_right(block: Block, read: Read) -> bool:
    """Whether text is the drawn text, or a table has the drawn cells, spans and CSV."""
    if block.table is None:
        return read.text == block.content()
    drawn = table_from_otsl(block.content())
    if read.table is None or drawn is None:
        return False
    same_csv = table_to_csv(read.table, guard=False).decode("utf-8-sig") == table_csv(block.table)
    return same_csv and [_key(cell) for cell in read.table.cells] == [_key(cell) for cell in drawn.cells]


def _key(cell: document.Cell) -> tuple[int, int, int, int, str]:
    return cell.row, cell.col, cell.rowspan, cell.colspan, cell.text
