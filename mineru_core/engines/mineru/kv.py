"""Keys and values of the tokens read so far, for rows of similar length side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

_ROOM = 64
"""Tokens there is room for ahead, so that only one step in so many copies everything."""

LENGTH_RATIO = 0.85
"""Rows share a group if none is below this share of the longest: at most 15 % of what is looked at is padding."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What keys and values of one token are: ``layers`` of ``heads`` times ``head_dim`` numbers, twice."""

    layers: int
    heads: int
    head_dim: int
    dtype: torch.dtype
    device: torch.device


class RowGroup:
    """Keys and values of a few rows, each from the left, with room to grow at the right."""

    def __init__(self, shape: Shape, rows: Sequence[int], lengths: Sequence[int]) -> None:
        """``rows`` names them; ``lengths`` are the tokens each will have once its prompt is read."""
        self.rows = list(rows)
        self.lengths = list(lengths)
        self._shape = shape
        self._capacity = max(lengths) + _ROOM
        self._keys, self._values = self._empty(), self._empty()

    def put(self, layer: int, at: int, start: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Write [heads, tokens, head_dim] from ``start`` on for the row at this place; all of it up to there."""
        end = start + keys.shape[1]
        self._keys[layer][at, :, start:end] = keys
        self._values[layer][at, :, start:end] = values
        return self._keys[layer][at, :, :end], self._values[layer][at, :, :end]

    def grow(self) -> None:
        """Make room for one more token of each row; ``attend`` then writes it."""
        self.lengths = [length + 1 for length in self.lengths]
        places = torch.tensor(self.lengths, device=self._shape.device) - 1
        self._newest = torch.arange(len(places), device=places.device), places
        longest = max(self.lengths)
        if longest > self._capacity:
            self._capacity += max(_ROOM, self._capacity // 2)
            for kept in (self._keys, self._values):
                for layer, old in enumerate(kept):
                    kept[layer] = functional.pad(old, (0, 0, 0, self._capacity - old.shape[2]))
        self._mask = None
        if min(self.lengths) < longest:
            self._mask = (torch.arange(longest, device=places.device) <= places[:, None])[:, None, None]

    def attend(self, layer: int, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """What each row's newest token gathers: [rows, query heads, head_dim] from queries of that shape, with its own
        key and value, [rows, heads, head_dim]. ``grow`` comes before the first layer."""
        rows, heads, longest = len(self.rows), self._shape.heads, max(self.lengths)
        index, places = self._newest
        self._keys[layer][index, :, places] = keys
        self._values[layer][index, :, places] = values
        # the query heads of one key head stand as if they were tokens: nothing needs to be repeated for them
        gathered = functional.scaled_dot_product_attention(
            queries.view(rows, heads, -1, self._shape.head_dim),
            self._keys[layer][:, :, :longest],
            self._values[layer][:, :, :longest],
            attn_mask=self._mask,
        )
        return gathered.reshape(queries.shape)

    def first(self, at: int, tokens: int) -> Tensor:
        """A copy of the first tokens' keys and values of one row: [layers, 2, heads, tokens, head_dim]."""
        pairs = zip(self._keys, self._values, strict=True)
        return torch.stack([torch.stack((k[at, :, :tokens], v[at, :, :tokens])) for k, v in pairs])

    def fill(self, at: int, kept: Tensor) -> None:
        """Begin a row with what ``first`` gave."""
        for layer, (keys, values) in enumerate(kept):
            self.put(layer, at, 0, keys, values)

    def keep(self, places: Sequence[int]) -> None:
        """Let go of all rows but those at these places."""
        index = torch.tensor(places, device=self._shape.device)
        self.rows = [self.rows[at] for at in places]
        self.lengths = [self.lengths[at] for at in places]
        for kept in (self._keys, self._values):
            for layer, old in enumerate(kept):
                kept[layer] = old[index]

    def _empty(self) -> list[Tensor]:
        shape = self._shape
        size = (len(self.rows), shape.heads, self._capacity, shape.head_dim)
        return [torch.zeros(size, dtype=shape.dtype, device=shape.device) for _ in range(shape.layers)]


def grouped(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of rows by length, the longest first, in groups in which none is below ``LENGTH_RATIO`` of the longest."""
    group: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda at: -lengths[at]):
        if group and lengths[place] < LENGTH_RATIO * lengths[group[0]]:
            yield group
            group = []
        group.append(place)
    if group:
        yield group
