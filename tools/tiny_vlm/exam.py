"""The exam: fresh pages through MinerUClient from picture to text and CSV, compared with what was drawn."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loguru import logger
from mineru_vl_utils import MinerUClient
from mineru_vl_utils.structs import ContentBlock
from mineru_vl_utils.transformers_loading import load_transformers_model
from mineru_vl_utils.vlm_client.base_client import SamplingParams
from transformers import AutoImageProcessor, AutoTokenizer, LogitsProcessorList, ProcessorMixin, Qwen2VLProcessor

from mineru_core.document.table import Cell
from mineru_core.engines.mineru.markup import table_from_html
from mineru_core.engines.mineru.otsl import table_from_otsl
from mineru_core.engines.mineru.processors import OutputPenalties
from mineru_core.export import table_to_csv
from tools.tiny_vlm.world import LAYOUT, Block, Pen, Table, page_blocks


class PictureProcessor(Qwen2VLProcessor):
    """Qwen2-VL's processor without the part for videos, which needs torchvision."""

    def __init__(self, image_processor: Any = None, tokenizer: Any = None, chat_template: str | None = None) -> None:
        self.image_token, self.video_token = "<|image_pad|>", "<|video_pad|>"
        self.image_token_id = tokenizer.convert_tokens_to_ids(self.image_token)
        self.video_token_id = tokenizer.convert_tokens_to_ids(self.video_token)
        ProcessorMixin.__init__(  # type: ignore[no-untyped-call]
            self, image_processor, tokenizer, chat_template=chat_template
        )


def open_client(folder: Path) -> MinerUClient:
    """MinerUClient with its own transformers backend on a checkpoint, and the penalties transformers lacks."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    images = AutoImageProcessor.from_pretrained(folder)  # type: ignore[no-untyped-call]
    processor = PictureProcessor(images, tokenizer, tokenizer.chat_template)
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
    surplus: int = 0

    @property
    def share(self) -> float:
        """Blocks read exactly, of those drawn and those seen where none is."""
        return self.right.total() / max(self.drawn.total() + self.surplus, 1)

    def __str__(self) -> str:
        kinds = ", ".join(f"{kind} {self.right[kind]}/{self.drawn[kind]}" for kind in sorted(self.drawn))
        return f"{100 * self.share:.2f} % of blocks exact ({kinds}; {self.surplus} too many)"


def table_csv(table: Table) -> str:
    """The drawn table as CSV: a merged cell's text in its first place, the others empty."""
    out = io.StringIO()
    csv.writer(out).writerows(table.texts)
    return out.getvalue()


def examine(folder: Path, pages: int, seed: str, font: Path) -> Marks:
    """Read fresh pages from picture to content; a block is right if its type, box and content are exact."""
    logger.disable("mineru_vl_utils")
    client = open_client(folder)
    rng, pen, marks = random.Random(seed), Pen(font), Marks()
    for number in range(pages):
        drawn = page_blocks(rng)
        found = client.two_step_extract(pen.page(drawn).convert("RGB"))
        compare(drawn, found, marks, f"page {number}")
    return marks


def compare(drawn: Sequence[Block], found: Sequence[ContentBlock], marks: Marks, where: str) -> None:
    """Count exact blocks; each found one answers for one drawn one of its type and box."""
    left = {(block.type, *(round(value * 1000) for value in block.bbox)): block.content or "" for block in found}
    for block in drawn:
        marks.drawn[block.kind] += 1
        content = left.pop((block.kind, *block.thousandths()), None)
        if content is not None and is_right(block, content):
            marks.right[block.kind] += 1
        else:
            marks.wrong.append(f"{where}: {block.kind} {block.thousandths()} {block.content()!r} read as {content!r}")
    marks.surplus += len(left)


def is_right(block: Block, content: str) -> bool:
    """Whether text is the drawn text, or a table's HTML has the drawn cells, spans and CSV."""
    if block.table is None:
        return content == block.content()
    read, drawn = table_from_html(content), table_from_otsl(block.content())
    if read is None or drawn is None:
        return False
    same_csv = table_to_csv(read, guard=False).decode("utf-8-sig") == table_csv(block.table)
    return same_csv and [_key(cell) for cell in read.cells] == [_key(cell) for cell in drawn.cells]


def _key(cell: Cell) -> tuple[int, int, int, int, str]:
    return cell.row, cell.col, cell.rowspan, cell.colspan, cell.text
