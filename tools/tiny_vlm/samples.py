"""From drawn pages to what the model is trained on: the pictures MinerUClient would send, with their answers.

The pages are grey, so pictures stay grey here, with one number a pixel where the model's own preparation has six
(three colours, twice in time); ``grey_patch_embedding`` lets the model take them. That this changes nothing is tested.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from PIL import Image
from torch.nn.functional import linear
from transformers import PreTrainedTokenizerFast, Qwen2VLForConditionalGeneration

from mineru_core.engines.mineru.processor import PictureProcessor
from mineru_core.engines.mineru.prompts import PromptIds, Prompts
from tools.tiny_vlm.checkpoint import PROMPTS, build_image_processor, token_ids
from tools.tiny_vlm.hints import (
    IGNORED,
    Batch,
    Labels,
    content_hints,
    content_pointers,
    layout_hints,
    layout_pointers,
)
from tools.tiny_vlm.world import CELL, LAYOUT, Block, Pen, page_blocks

PATCH = CELL // 2
"""Pixels along either edge of a patch; two by two of them become a token."""


@dataclass(frozen=True)
class Sample:
    """One grey picture, edges multiples of 28, with its task and the token ids of the right answer and its end."""

    task: str
    image: Image.Image
    answer: tuple[int, ...]
    hints: Labels
    pointers: list[int]


def grey_patches(picture: Image.Image) -> np.ndarray:
    """Patches of a grey picture in the order of Qwen2-VL, two by two, from 0 to 1; shape (patches, 196)."""
    pixels = np.asarray(picture, np.float32) / 255
    high, broad = pixels.shape[0] // CELL, pixels.shape[1] // CELL
    cut = pixels.reshape(high, 2, PATCH, broad, 2, PATCH)
    return cut.transpose(0, 3, 1, 4, 2, 5).reshape(-1, PATCH * PATCH)


def take_grey_patches(model: Qwen2VLForConditionalGeneration) -> None:
    """Let the model's vision tower take ``grey_patches`` in place of normalised colour patches: the same embedding."""
    processor = build_image_processor()
    scale = torch.tensor([1 / value for value in processor.image_std]).view(1, 3, 1, 1, 1)
    shift = torch.tensor(processor.image_mean).view(1, 3, 1, 1, 1) * scale
    embedding = model.model.visual.patch_embed

    def forward(patches: torch.Tensor) -> torch.Tensor:
        weight = embedding.proj.weight
        folded = (weight * scale).sum((1, 2)).flatten(1)
        return linear(patches, folded, -(weight * shift).sum((1, 2, 3, 4)))

    embedding.forward = forward


class SampleMaker:
    """Draws pages and makes samples and batches of them."""

    def __init__(self, tokenizer: PreTrainedTokenizerFast, pen: Pen) -> None:
        self.tokenizer = tokenizer
        self.pen = pen
        self.image_id, self.pad_id, self.end_id = token_ids(tokenizer, ("<|image_pad|>", "<|endoftext|>", "<|im_end|>"))
        processor = PictureProcessor(build_image_processor(), tokenizer, tokenizer.chat_template)
        prompts = Prompts(processor, self.image_id)
        self.prompts = {task: prompts.ids(prompt) for task, prompt in PROMPTS.items()}

    def layout_answer(self, blocks: Sequence[Block]) -> tuple[int, ...]:
        """The layout as the contract prints it, a line a block."""
        tokens: list[str] = []
        for index, block in enumerate(blocks):
            numbers = [f"{value:03d}" for value in block.thousandths()]
            tokens += ["Ċ"] * (index > 0) + ["<|box_start|>", numbers[0], *("Ġ" + number for number in numbers[1:])]
            tokens += ["<|box_end|>", "<|ref_start|>", block.kind, "<|ref_end|>", "<|rotate_up|>"]
        return (*token_ids(self.tokenizer, tokens), self.end_id)

    def content_answer(self, block: Block) -> tuple[int, ...]:
        """The text or OTSL of a block."""
        return (*self.tokenizer.encode(block.content()), self.end_id)

    def page(self, rng: random.Random, most: int = 5) -> tuple[Sample, list[tuple[Block, Sample]]]:
        """A fresh page of about ``most`` blocks at most: its layout sample, and a sample for each block."""
        blocks = page_blocks(rng, most)
        picture = self.pen.page(blocks)
        small = picture.resize((LAYOUT, LAYOUT), Image.Resampling.BICUBIC)
        contents = []
        for block in blocks:
            task = "table" if block.kind == "table" else "formula" if rng.random() < 0.03 else "text"
            left, top, right, bottom = (value * CELL for value in block.box)
            crop = picture.crop((left, top, right, bottom))
            contents.append(
                (block, Sample(task, crop, self.content_answer(block), content_hints(block), content_pointers(block)))
            )
        return Sample(
            "layout", small, self.layout_answer(blocks), layout_hints(blocks), layout_pointers(blocks)
        ), contents

    def batch(self, samples: Sequence[Sample]) -> Batch:
        """Samples side by side."""
        rows, labels, positions = [], [], []
        for sample in samples:
            broad, high = sample.image.width // CELL, sample.image.height // CELL
            prompt = self.prompts[sample.task]
            whole = PromptIds(prompt.before, (*prompt.after, *sample.answer))
            rows.append([*whole.before, *[self.image_id] * (high * broad), *whole.after])
            labels.append([IGNORED] * (len(rows[-1]) - len(sample.answer)) + list(sample.answer))
            positions.append(whole.positions(high, broad))
        longest = max(map(len, rows))
        ids = torch.full((len(rows), longest), self.pad_id)
        wanted = torch.full((len(rows), longest), IGNORED)
        pointers = torch.full((len(rows), longest), IGNORED)
        places = torch.zeros((3, len(rows), longest), dtype=torch.long)
        for index, (row, label, place, sample) in enumerate(zip(rows, labels, positions, samples, strict=True)):
            pointers[index, len(row) - len(sample.answer) : len(row)] = torch.tensor(sample.pointers)
            ids[index, : len(row)] = torch.tensor(row)
            wanted[index, : len(row)] = torch.tensor(label)
            places[:, index, : len(row)] = place
        pixels = torch.from_numpy(np.concatenate([grey_patches(sample.image) for sample in samples]))
        grids = torch.tensor([[1, s.image.height // PATCH, s.image.width // PATCH] for s in samples])
        hints = torch.from_numpy(np.concatenate([sample.hints for sample in samples], axis=1))
        return Batch(ids, wanted, places, pixels, grids, hints, pointers)


@dataclass(frozen=True)
class Phase:
    """Samples of each sort in a step, how many blocks the pages may have, one of these at random,
    and which share of the single lines is trained on.
    """

    layout: int
    text: int
    table: int
    most: tuple[int, ...] = (5,)
    single_lines: float = 1.0


def steps(maker: SampleMaker, rng: random.Random, phase: Callable[[], Phase]) -> Iterator[dict[str, Batch]]:
    """Endless training steps: a batch of each sort, all from fresh pages; contents that were drawn wait for a step."""
    texts: list[Sample] = []
    tables: list[Sample] = []
    while True:
        now = phase()
        layouts: list[Sample] = []
        while len(layouts) < now.layout or len(texts) < now.text or len(tables) < now.table:
            layout, contents = maker.page(rng, rng.choice(now.most))
            layouts.append(layout)
            for block, sample in contents:
                if sample.task == "table":
                    tables.append(sample)
                elif len(block.lines) > 1 or rng.random() < now.single_lines:
                    texts.append(sample)
        picked = {"layout": layouts[: now.layout], "text": texts[: now.text], "table": tables[: now.table]}
        texts, tables = texts[now.text :][-200:], tables[now.table :][-200:]
        yield {name: maker.batch(samples) for name, samples in picked.items()}
