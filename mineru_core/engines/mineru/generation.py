"""The model in this process: pictures and prompts of several callers in, their texts out, all rows at once.

A call looks at the pictures it does not know, reads the prompts of all rows, then writes a token of each row at a
time. Rows come and go without padding: a row that ends leaves, and the others go on in less time.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from mineru_core.engines.mineru.decoder import Decoder, Stretch
from mineru_core.engines.mineru.kv import RowGroup, grouped
from mineru_core.engines.mineru.limits import Limits
from mineru_core.engines.mineru.pictures import PictureMemory, PicturePreparation
from mineru_core.engines.mineru.portions import in_portions
from mineru_core.engines.mineru.prompts import Prompts
from mineru_core.engines.mineru.requests import BlockOutput, BlockRequest
from mineru_core.engines.mineru.rows import GivenUp, Row, raise_if_given_up
from mineru_core.engines.mineru.vision import VisionTower
from mineru_core.errors import EngineUnavailable

PATCHES_AT_ONCE = 8192
"""Patches of pictures seen in one go, one picture of more excepted: enough for each weight to be used often, few
enough for what is in between to take some hundred megabytes."""

TOKENS_AT_ONCE = 4096
"""Tokens of prompts read in one go, one prompt of more excepted."""


@dataclass(frozen=True, slots=True)
class ModelParts:
    """What a generator is made of: the two halves of the model, and what prepares and reads its tokens."""

    vision: VisionTower
    decoder: Decoder
    processor: Any
    image_token: int
    stop_ids: frozenset[int]
    left_out: frozenset[int]
    """Tokens that texts do not show: bos, eos and pad."""


@dataclass(slots=True)
class Work:
    """What a generator has done so far, in tokens."""

    patches: int = 0
    prompt: int = 0
    written: int = 0
    attended: int = 0
    """Tokens looked at in writing."""
    attended_padded: int = 0
    """The same with those that stand in for rows that are shorter."""

    @property
    def padding(self) -> float:
        """Share of all tokens computed, read or looked at that was padding, 0..1."""
        computed = self.prompt + self.written + self.attended_padded
        return (self.attended_padded - self.attended) / computed if computed else 0.0


class LocalGenerator:
    """A loaded model; ``generate`` makes one call at a time, whoever calls. See ``requests.Generator``."""

    def __init__(self, parts: ModelParts, *, limits: Limits, memory_bytes: int, precision: str) -> None:
        self._parts: ModelParts | None = parts
        self._limits = limits
        self._prompts = Prompts(parts.processor, parts.image_token)
        self._preparation = PicturePreparation(parts.processor.image_processor)
        self._lock = threading.Lock()
        self.memory = PictureMemory(memory_bytes)
        self.precision = precision
        """How the weights are kept and multiplied: part of what its outputs depend on."""
        self.processor = parts.processor
        self.work = Work()

    def visual_tokens(self, request: BlockRequest) -> int:
        """Tokens the picture becomes. No model runs for it. Raises ``EngineFailed`` for one that cannot be read."""
        return self._preparation.visual_tokens(request.image)

    def generate(self, requests: Sequence[BlockRequest]) -> list[BlockOutput]:
        """Outputs of the same length and order; a request that is cancelled or expires ends its own row only.

        Raises ``EngineFailed`` where a picture cannot be read, before anything is computed for the others.
        """
        rows = [
            Row(request, self._preparation.look(request.image), self._prompts.ids(request.prompt), self._limits)
            for request in requests
        ]
        with self._lock, torch.inference_mode():
            parts = self._parts
            if parts is None:
                raise EngineUnavailable("The model was closed.")
            features = self._see(parts, rows)
            self._write(parts, rows, self._read(parts, rows, features))
            return [row.output(parts.processor.tokenizer, parts.left_out) for row in rows]

    def close(self) -> None:
        """Free the model once the call at work has ended; calling it again does nothing."""
        with self._lock:
            self._parts = None
            self.memory.clear()

    def _see(self, parts: ModelParts, rows: Sequence[Row]) -> dict[str, Tensor]:
        """Visual tokens by key, of all pictures whose rows are to be read from the beginning."""
        seen: dict[str, Tensor] = {}
        unknown: dict[str, list[Row]] = {}
        for row in rows:
            key = row.picture.key
            if not row.runs or self.memory.prefix(key) is not None:
                continue
            if (kept := self.memory.features(key)) is not None:
                seen[key] = kept
            else:
                unknown.setdefault(key, []).append(row)
        patches = {key: self._preparation.patches(waiting[0].picture) for key, waiting in unknown.items()}
        for keys in in_portions(unknown, [len(patches[key].values) for key in unknown], PATCHES_AT_ONCE):
            waiting = [row for key in keys for row in unknown[key]]
            try:
                raise_if_given_up(waiting)
                fresh = parts.vision.features([patches[key] for key in keys], partial(raise_if_given_up, waiting))
            except GivenUp:
                continue
            self.work.patches += sum(len(patches[key].values) for key in keys)
            for key, features in zip(keys, fresh, strict=True):
                seen[key] = features
                self.memory.keep_features(key, features)
        return seen

    def _read(self, parts: ModelParts, rows: Sequence[Row], features: dict[str, Tensor]) -> list[RowGroup]:
        """Read the prompts; the groups of rows that go on, each row with its first token."""
        running = [at for at, row in enumerate(rows) if row.runs]
        groups: list[RowGroup] = []
        places: dict[Row, tuple[RowGroup, int]] = {}
        for chosen in grouped([rows[at].prompt_tokens for at in running]):
            names = [running[at] for at in chosen]
            group = RowGroup(parts.decoder.shape, names, [rows[name].prompt_tokens for name in names])
            groups.append(group)
            places.update({rows[name]: (group, at) for at, name in enumerate(names)})
        known = {row.picture.key: kept for row in places if (kept := self.memory.prefix(row.picture.key)) is not None}
        # rows with the picture of another one begin with what that one leaves
        leaders = {rows[at].picture.key: rows[at] for at in reversed(running)}
        followers = [row for row in places if leaders[row.picture.key] is not row]
        shared = {row.picture.key for row in followers}
        for turn in (list(leaders.values()), followers):
            new = [row.prompt_tokens - (row.prefix_tokens if row.picture.key in known else 0) for row in turn]
            for portion in in_portions(turn, new, TOKENS_AT_ONCE):
                try:
                    self._read_portion(parts, portion, places, known, features)
                except GivenUp:
                    continue
                for row in portion:
                    key = row.picture.key
                    if key not in known and (self.memory.keeps or key in shared):
                        group, at = places[row]
                        known[key] = group.first(at, row.prefix_tokens)
                        self.memory.keep_prefix(key, known[key])
        return groups

    def _read_portion(
        self,
        parts: ModelParts,
        portion: Sequence[Row],
        places: dict[Row, tuple[RowGroup, int]],
        known: dict[str, Tensor],
        features: dict[str, Tensor],
    ) -> None:
        raise_if_given_up(portion)
        embeddings, positions, stretches = [], [], []
        for row in portion:
            group, at = places[row]
            after = parts.decoder.embed(torch.tensor(row.prompt.after))
            if (prefix := known.get(row.picture.key)) is not None:
                group.fill(at, prefix)
                start, new = row.prefix_tokens, [after]
            else:
                before = parts.decoder.embed(torch.tensor(row.prompt.before))
                start, new = 0, [before, features[row.picture.key].to(before.dtype), after]
            embeddings += new
            positions.append(row.positions[:, start:])
            stretches.append(Stretch(group, at, start, row.prompt_tokens - start))
        scores = parts.decoder.read(
            torch.cat(embeddings), torch.cat(positions, dim=1), stretches, partial(raise_if_given_up, portion)
        )
        self.work.prompt += sum(stretch.count for stretch in stretches)
        self._take(parts, portion, scores)

    def _write(self, parts: ModelParts, rows: Sequence[Row], groups: list[RowGroup]) -> None:
        """A token of each row at a time, until all rows have ended."""
        while groups := _still_running(groups, rows):
            writing = [rows[name] for group in groups for name in group.rows]
            embeddings = parts.decoder.embed(torch.tensor([row.ids[-1] for row in writing]))
            positions = torch.tensor([row.position for row in writing])
            try:
                scores = parts.decoder.step(embeddings, positions, groups, partial(raise_if_given_up, writing))
            except GivenUp:
                continue
            for row in writing:
                row.position += 1
            self.work.written += len(writing)
            self.work.attended += sum(sum(group.lengths) for group in groups)
            self.work.attended_padded += sum(len(group.lengths) * max(group.lengths) for group in groups)
            self._take(parts, writing, scores)

    def _take(self, parts: ModelParts, rows: Sequence[Row], scores: Tensor) -> None:
        totals = scores.logsumexp(-1).tolist()
        for row, row_scores, total in zip(rows, scores, totals, strict=True):
            row.take(row_scores, total, parts.stop_ids)


def _still_running(groups: Sequence[RowGroup], rows: Sequence[Row]) -> list[RowGroup]:
    """The groups without the rows that have ended."""
    left = []
    for group in groups:
        places = [at for at, name in enumerate(group.rows) if rows[name].runs]
        if places and len(places) < len(group.rows):
            group.keep(places)
        if places:
            left.append(group)
    return left
