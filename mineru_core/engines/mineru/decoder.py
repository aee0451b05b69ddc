"""The language model, run over rows of any length at once without padding.

Only its layers are used, not transformers' forward pass: positions, keys and values are ours, so nothing of a call
stays on the model, and between any two layers there is a look at whether the work is still wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers.models.qwen2_vl.modeling_qwen2_vl import apply_rotary_pos_emb

from mineru_core.engines.mineru.kv import RowGroup, Shape

Check = Callable[[], None]
"""Called between layers; raises where the work is no longer wanted."""

_PIECE = 512
"""Tokens that go through the wide middle of a layer at once: all of a page would take hundreds of megabytes there."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """New tokens of one row: ``count`` of them, from ``start`` on, for the row at ``at`` of its group."""

    group: RowGroup
    at: int
    start: int
    count: int


class Decoder:
    """Layers of a Qwen2-VL language model with the head that scores the next token."""

    def __init__(self, language_model: Any, head: nn.Module, dtype: torch.dtype) -> None:
        config = language_model.config
        self._model, self._head, self._dtype = language_model, head, dtype
        self._query_heads = config.num_attention_heads
        self._head_dim = config.hidden_size // self._query_heads
        device = language_model.embed_tokens.weight.device
        self.shape = Shape(config.num_hidden_layers, config.num_key_value_heads, self._head_dim, dtype, device)

    def embed(self, ids: Tensor) -> Tensor:
        """Embeddings of token ids, [tokens, hidden]."""
        rows: Tensor = self._model.embed_tokens(ids.to(self.shape.device))
        return rows.to(self._dtype)

    def read(self, embeddings: Tensor, positions: Tensor, stretches: Sequence[Stretch], check: Check) -> Tensor:
        """Read new tokens of several rows, [tokens, hidden] one row after the other, with positions [3, tokens].

        Their keys and values are put to their rows. Returns the scores after each row's last token, float32
        [rows, vocabulary].
        """

        def attend(layer: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            return self._read_rows(layer, q, k, v, stretches)

        hidden = self._run(embeddings, positions, attend, check)
        ends = torch.tensor([stretch.count for stretch in stretches], device=hidden.device).cumsum(0) - 1
        return self._scores(hidden[ends])

    def step(self, embeddings: Tensor, positions: Tensor, groups: Sequence[RowGroup], check: Check) -> Tensor:
        """One token more of each row, [rows, hidden] in the order of the groups and their rows; positions [rows].

        Returns the scores of what comes next, float32 [rows, vocabulary].
        """
        for group in groups:
            group.grow()
        sizes = [len(group.rows) for group in groups]

        def attend(layer: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            parts = (torch.split(tensor.transpose(0, 1), sizes) for tensor in (q, k, v))
            gathered = [group.attend(layer, *part) for group, *part in zip(groups, *parts, strict=True)]
            return torch.cat(gathered).flatten(1)

        return self._scores(self._run(embeddings, positions.expand(3, -1), attend, check))

    def _run(
        self, x: Tensor, positions: Tensor, attend: Callable[[int, Tensor, Tensor, Tensor], Tensor], check: Check
    ) -> Tensor:
        cos, sin = self._model.rotary_emb(x[None], positions[:, None].to(x.device))
        cos, sin = cos[0], sin[0]  # [tokens, head_dim]
        for number, layer in enumerate(self._model.layers):
            check()
            attention = layer.self_attn
            normed = layer.input_layernorm(x)
            projections = (attention.q_proj, attention.k_proj, attention.v_proj)
            q, k, v = (project(normed).unflatten(-1, (-1, self._head_dim)).transpose(0, 1) for project in projections)
            q, k = apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=0)
            x = x + attention.o_proj(attend(number, q, k, v))
            for piece in torch.split(x, _PIECE):
                piece.add_(layer.mlp(layer.post_attention_layernorm(piece)))
        return x

    def _read_rows(self, layer: int, q: Tensor, k: Tensor, v: Tensor, stretches: Sequence[Stretch]) -> Tensor:
        """Attention of each row to itself and what it read before; q, k, v are [heads, tokens, head_dim]."""
        counts = [stretch.count for stretch in stretches]
        gathered = []
        parts = (torch.split(tensor, counts, dim=1) for tensor in (q, k, v))
        for stretch, queries, keys, values in zip(stretches, *parts, strict=True):
            seen = stretch.group.put(layer, stretch.at, stretch.start, keys, values)
            repeats = self._query_heads // self.shape.heads
            known, held = (each.repeat_interleave(repeats, 0)[None] for each in seen)
            mask = None
            if stretch.start:
                places = torch.arange(stretch.start + stretch.count, device=q.device)
                mask = places <= places[stretch.start :, None]
            out = functional.scaled_dot_product_attention(
                queries[None], known, held, attn_mask=mask, is_causal=mask is None
            )
            gathered.append(out[0].transpose(0, 1).flatten(1))
        return torch.cat(gathered)

    def _scores(self, hidden: Tensor) -> Tensor:
        scores: Tensor = self._head(self._model.norm(hidden))
        return scores.float()
