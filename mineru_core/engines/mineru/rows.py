"""One request on its way through a call: what was written for it, and why it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from mineru_core.engines.mineru.limits import Limits
from mineru_core.engines.mineru.pictures import Picture
from mineru_core.engines.mineru.processors import Scoring
from mineru_core.engines.mineru.prompts import PromptIds
from mineru_core.engines.mineru.requests import BlockEnd, BlockOutput, BlockRequest


class GivenUp(Exception):
    """Nobody wants what is at work any more; caught within the call."""


class Row:
    """A request with its picture, its prompt and its output so far."""

    def __init__(self, request: BlockRequest, picture: Picture, prompt: PromptIds, limits: Limits) -> None:
        self.request, self.picture, self.prompt = request, picture, prompt
        self.positions = prompt.positions(picture.rows, picture.columns)
        self.position = int(self.positions[0, -1]) + 1
        """Place of the next token."""
        self.prefix_tokens = len(prompt.before) + picture.tokens
        self.prompt_tokens = self.prefix_tokens + len(prompt.after)
        self.ids: list[int] = []
        self.end: BlockEnd | None = None
        self._logprobs: list[float] = []
        self._cap = limits.cap(request.prompt, picture.tokens, request.params.max_new_tokens)
        self._scoring = Scoring(request.params)
        self._guard = limits.guard(request.prompt)

    @property
    def given_up(self) -> bool:
        """Whether its context has ended."""
        return self.request.ctx.cancelled or self.request.ctx.remaining_s == 0

    @property
    def runs(self) -> bool:
        """Whether it is to go on; one that was given up ends here."""
        if self.end is None and self.given_up:
            self.end = BlockEnd.STOPPED
        return self.end is None

    def take(self, scores: Tensor, total: float, stop_ids: frozenset[int]) -> None:
        """Choose the next token by the model's scores [vocabulary]; ``total`` is the logarithm of their summed powers.

        The row ends where the token says so, and where the text is as long as it may be or goes round in circles: of
        what goes round, the first time alone is kept.
        """
        token = self._scoring.choose(self.ids, scores)
        if token in stop_ids:
            self.end = BlockEnd.COMPLETE
            return
        self.ids.append(token)
        self._logprobs.append(float(scores[token]) - total)
        repeated = self._guard.looped(self.ids) if self._guard is not None else None
        if repeated is not None:
            self.end = BlockEnd.REPETITION
            del self.ids[-repeated:], self._logprobs[-repeated:]
        elif len(self.ids) >= self._cap:
            self.end = BlockEnd.CAP

    def output(self, tokenizer: Any, left_out: frozenset[int]) -> BlockOutput:
        """The text written, without the tokens ``left_out``."""
        kept = [(token, p) for token, p in zip(self.ids, self._logprobs, strict=True) if token not in left_out]
        ids = [token for token, _ in kept]
        text = tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False) if ids else ""
        pieces = tuple(tokenizer.convert_ids_to_tokens(ids))
        return BlockOutput(text, tuple(ids), tuple(p for _, p in kept), self.end or BlockEnd.STOPPED, pieces)


def raise_if_given_up(rows: Sequence[Row]) -> None:
    """Go on, unless nobody wants any of these rows; raises ``GivenUp``."""
    if all(row.given_up for row in rows):
        raise GivenUp
