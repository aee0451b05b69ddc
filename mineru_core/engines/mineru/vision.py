"""The vision tower over several pictures at once, each attending to itself, without padding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers.models.qwen2_vl.modeling_qwen2_vl import apply_rotary_pos_emb_vision

from mineru_core.engines.mineru.decoder import Check

_PIECE = 512
"""Patches that go through the wide parts of a layer at once: more are no faster, and would take more memory."""


@dataclass(frozen=True, slots=True)
class Patches:
    """One picture as the processor gives it: ``values`` [rows × columns, numbers of a patch], in squares to be merged.

    ``rows`` and ``columns`` count patches.
    """

    values: Tensor
    rows: int
    columns: int


class VisionTower:
    """Layers of a Qwen2-VL vision tower, with the merger that makes four patches one token."""

    def __init__(self, visual: Any, dtype: torch.dtype, used: Callable[[nn.Module], object] | None = None) -> None:
        """``used`` is told of each layer, and of the merger, once a call has no more need of it."""
        self._visual, self._dtype = visual, dtype
        self._used = used or (lambda _: None)
        self._merge = int(visual.spatial_merge_size)
        projection = visual.patch_embed.proj.weight
        self._device = projection.device
        # the patches do not overlap, so the convolution is one product
        self._projection = projection.detach().flatten(1).to(dtype)

    def features(self, pictures: Sequence[Patches], check: Check) -> list[Tensor]:
        """Visual tokens of each picture, [tokens, hidden]."""
        counts = [len(picture.values) for picture in pictures]
        values = torch.cat([picture.values for picture in pictures]).to(self._device, self._dtype)
        x = functional.linear(values, self._projection)
        places = torch.cat([self._places(picture) for picture in pictures]).to(self._device)
        cos, sin = self._visual.rotary_pos_emb(x, places)
        for block in self._visual.blocks:
            check()
            gathered = self._attend(block, x, cos, sin, counts)
            for piece, seen in zip(torch.split(x, _PIECE), torch.split(gathered, _PIECE), strict=True):
                piece.add_(block.attn.proj(seen))
                piece.add_(block.mlp(block.norm2(piece)))
            self._used(block)
        check()
        merged: Tensor = self._visual.merger(x)
        self._used(self._visual.merger)
        return list(torch.split(merged, [count // self._merge**2 for count in counts]))

    def _attend(self, block: Any, x: Tensor, cos: Tensor, sin: Tensor, counts: list[int]) -> Tensor:
        """What each patch gathers from its own picture, [patches, hidden]."""
        heads = block.attn.num_heads
        q, k, v = (x.new_empty(len(x), heads, x.shape[1] // heads) for _ in range(3))
        for start in range(0, len(x), _PIECE):
            piece = slice(start, start + _PIECE)
            qkv = block.attn.qkv(block.norm1(x[piece])).unflatten(-1, (3, heads, -1))
            q[piece], k[piece] = apply_rotary_pos_emb_vision(qkv[:, 0], qkv[:, 1], cos[piece], sin[piece])
            v[piece] = qkv[:, 2]
        parts = (torch.split(tensor.transpose(0, 1)[None], counts, dim=2) for tensor in (q, k, v))
        seen = [functional.scaled_dot_product_attention(*part) for part in zip(*parts, strict=True)]
        return torch.cat([each[0].transpose(0, 1).flatten(1) for each in seen])

    def _places(self, picture: Patches) -> Tensor:
        """Row and column of each patch in the processor's order, [patches, 2]."""
        side = self._merge
        grid = torch.stack(
            torch.meshgrid(torch.arange(picture.rows), torch.arange(picture.columns), indexing="ij")
        )  # [2, rows, columns]
        squares = grid.view(2, picture.rows // side, side, picture.columns // side, side)
        return squares.transpose(2, 3).flatten(1).t()
