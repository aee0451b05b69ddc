"""The vision tower over several pictures at once, each attending to itself, without padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from transformers.models.qwen2_vl.modeling_qwen2_vl import apply_rotary_pos_emb_vision

from mineru_core.engines.mineru.decoder import Check

_PIECE = 512
"""Patches that go through the wide middle of a layer at once."""


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

    def __init__(self, visual: Any, dtype: torch.dtype) -> None:
        self._visual, self._dtype = visual, dtype
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
            attention = block.attn
            qkv = attention.qkv(block.norm1(x)).unflatten(-1, (3, attention.num_heads, -1))
            q, k, v = qkv.unbind(1)  # [patches, heads, head_dim]
            q, k = apply_rotary_pos_emb_vision(q, k, cos, sin)
            parts = (torch.split(tensor.transpose(0, 1)[None], counts, dim=2) for tensor in (q, k, v))
            seen = [functional.scaled_dot_product_attention(*part) for part in zip(*parts, strict=True)]
            x = x + attention.proj(torch.cat(seen, dim=2)[0].transpose(0, 1).flatten(1))
            for piece in torch.split(x, _PIECE):
                piece.add_(block.mlp(block.norm2(piece)))
        check()
        merged: Tensor = self._visual.merger(x)
        return list(torch.split(merged, [count // self._merge**2 for count in counts]))

    def _places(self, picture: Patches) -> Tensor:
        """Row and column of each patch in the processor's order, [patches, 2]."""
        side = self._merge
        grid = torch.stack(
            torch.meshgrid(torch.arange(picture.rows), torch.arange(picture.columns), indexing="ij")
        )  # [2, rows, columns]
        squares = grid.view(2, picture.rows // side, side, picture.columns // side, side)
        return squares.transpose(2, 3).flatten(1).t()
