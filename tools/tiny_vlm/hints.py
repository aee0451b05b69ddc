"""What each visual token could know, told to it while training: where it is, what it shows, what begins or ends there.

An answer follows from a few of a picture's tokens, and nothing in it says from which: boxes are not learned from
answers alone in reasonable time. Small heads on the hidden states of the visual tokens are therefore trained along;
they are not part of the checkpoint. And each token of an answer is told at which of the picture's to look: one head
of the last layer's attention learns to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.functional import cross_entropy
from transformers import Qwen2VLForConditionalGeneration
from transformers.models.qwen2_vl.modeling_qwen2_vl import apply_rotary_pos_emb

from tools.tiny_vlm.world import GLYPHS, GRID, LAYOUT, PAGE, Block

IGNORED = -100
"""The label of what is not asked at a token."""
MARKS = ("", "<fcel>", "<ecel>", "<lcel>", "<ucel>", "<xcel>")
KINDS = ("text", "title", "table")
FIRST_LAYER = {"row": GRID, "column": GRID, "glyph": len(GLYPHS) + 1}
SECOND_LAYER = {
    "begins": 2, "ends_right": 2, "ends_below": 2, "left": GRID + 1, "top": GRID + 1, "right": GRID + 1,
    "bottom": GRID + 1, "kind": len(KINDS), "mark": len(MARKS),
}  # fmt: skip
"""Questions with how many answers each has, asked of the hidden states behind the first and the second layer."""
QUESTIONS = (*FIRST_LAYER, *SECOND_LAYER)

Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Batch:
    """Samples side by side, padded on the right; shapes (rows, tokens), positions (3, rows, tokens).

    The labels of what is given and not learned are ``IGNORED``. ``hints`` (questions, visual tokens) are of all rows,
    ``pointers`` (rows, tokens) count the visual tokens of their row.
    """

    input_ids: torch.Tensor
    labels: torch.Tensor
    positions: torch.Tensor
    pixels: torch.Tensor
    grids: torch.Tensor
    hints: torch.Tensor
    pointers: torch.Tensor


def _blank(high: int, broad: int) -> dict[str, Labels]:
    labels = {name: np.full((high, broad), IGNORED, np.int64) for name in QUESTIONS}
    labels["row"][:] = np.arange(high)[:, None]
    labels["column"][:] = np.arange(broad)[None]
    return labels


def _flat(labels: dict[str, Labels]) -> Labels:
    return np.stack([labels[name].reshape(-1) for name in QUESTIONS])


def layout_hints(blocks: list[Block]) -> Labels:
    """Labels of the tokens of a page's small picture; shape (questions, tokens)."""
    scale = PAGE // LAYOUT
    labels = _blank(GRID // scale, GRID // scale)
    for name in ("begins", "ends_right", "ends_below"):
        labels[name][:] = 0
    for block in blocks:
        left, top, right, bottom = block.box
        first = top // scale, left // scale
        upper_right = top // scale, (right - 1) // scale
        lower_left = (bottom - 1) // scale, left // scale
        labels["begins"][first] = labels["ends_right"][upper_right] = labels["ends_below"][lower_left] = 1
        labels["left"][first], labels["top"][first] = left, top
        labels["kind"][first] = KINDS.index(block.kind)
        labels["right"][upper_right], labels["bottom"][lower_left] = right, bottom
    return _flat(labels)


def content_hints(block: Block) -> Labels:
    """Labels of the tokens of a block's crop; shape (questions, tokens)."""
    left, top, right, bottom = block.box
    labels = _blank(bottom - top, right - left)
    glyphs = labels["glyph"]
    glyphs[:] = len(GLYPHS)
    for row, line in enumerate(block.lines):
        for column, sign in enumerate(line):
            if sign != " ":
                glyphs[row, column] = GLYPHS.index(sign)
    if block.table is not None:
        labels["mark"][:] = 0
        for row, (marks, texts) in enumerate(zip(block.table.marks, block.table.texts, strict=True)):
            edge = 0
            for width, mark, text in zip(block.table.widths, marks, texts, strict=True):
                labels["mark"][row, edge] = MARKS.index(mark)
                for column, sign in enumerate(text, start=edge):
                    glyphs[row, column] = GLYPHS.index(sign)
                edge += width
    return _flat(labels)


def layout_pointers(blocks: list[Block]) -> list[int]:
    """Which token of the small picture tells each token of the layout, its end included; row by row from 0."""
    scale = PAGE // LAYOUT
    broad = GRID // scale
    pointers: list[int] = []
    for block in blocks:
        left, top, right, bottom = block.box
        first = top // scale * broad + left // scale
        upper_right, lower_left = (
            top // scale * broad + (right - 1) // scale,
            (bottom - 1) // scale * broad + left // scale,
        )
        pointers += [IGNORED] * bool(pointers)  # the line's end
        pointers += [first, first, first, upper_right, lower_left, IGNORED, IGNORED, first, IGNORED, IGNORED]
    return [*pointers, IGNORED]


def content_pointers(block: Block) -> list[int]:
    """Which token of a block's crop tells each token of its content, its end included; row by row from 0."""
    broad = block.box[2] - block.box[0]
    pointers: list[int] = []
    for row, line in enumerate(block.lines):
        pointers += [pointers[-1]] if pointers else []  # the space between lines, seen where the last one ends
        pointers += [row * broad + column for column in range(len(line))]
    if block.table is not None:
        for row, (marks, texts) in enumerate(zip(block.table.marks, block.table.texts, strict=True)):
            edge = row * broad
            for width, _, text in zip(block.table.widths, marks, texts, strict=True):
                pointers += [edge, *range(edge, edge + len(text))]
                edge += width
            pointers.append(edge - 1)
    return [*pointers, pointers[-1]]


def pointing_loss(
    model: Qwen2VLForConditionalGeneration, hidden: torch.Tensor, batch: Batch, visual: torch.Tensor
) -> torch.Tensor:
    """How far the first head of the last layer looks elsewhere; ``visual`` (rows, tokens) says which are pictures'."""
    language = model.model.language_model
    layer = language.layers[-1]
    states = layer.input_layernorm(hidden)
    size = layer.self_attn.head_dim
    query = layer.self_attn.q_proj(states)[:, None, :, :size]
    key = layer.self_attn.k_proj(states)[:, None, :, :size]
    query, key = apply_rotary_pos_emb(query, key, *language.rotary_emb(states, batch.positions))
    scores = (query[:, 0] @ key[:, 0].transpose(1, 2)) / size**0.5
    wanted = batch.pointers[:, 1:]
    asked = wanted != IGNORED
    # Pointers count the picture's tokens; these stand in a row behind the same tokens in every row of the batch.
    first = int(visual[0].int().argmax())
    allowed = scores.masked_fill(~visual[:, None], -torch.inf)[:, :-1]
    return cross_entropy(allowed[asked], wanted[asked] + first)


class Heads(nn.Module):
    """A linear head for each question."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.ModuleDict({name: nn.Linear(width, count) for name, count in FIRST_LAYER.items()})
        self.second = nn.ModuleDict({name: nn.Linear(width, count) for name, count in SECOND_LAYER.items()})

    @staticmethod
    def _weights(name: str) -> torch.Tensor | None:
        """Where almost every token answers no, a yes weighs as much as all of these."""
        if SECOND_LAYER.get(name) == 2:
            return torch.tensor([1.0, 25.0])
        if name == "mark":
            return torch.tensor([0.3, *[1.0] * (len(MARKS) - 1)])
        return None

    def forward(self, first: torch.Tensor, second: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        """Losses of the questions asked; hidden states (tokens, width) of visual tokens, labels (questions, tokens)."""
        losses = {}
        for heads, states in ((self.first, first), (self.second, second)):
            for name, head in heads.items():
                wanted = labels[QUESTIONS.index(name)]
                asked = wanted != IGNORED
                if asked.any():
                    losses[name] = cross_entropy(head(states[asked]), wanted[asked], self._weights(name))
        return losses
