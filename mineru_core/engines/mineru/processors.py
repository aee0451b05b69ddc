"""What is done to the scores before the best token is taken: penalties as vLLM defines them, and no run twice.

transformers knows neither presence nor frequency penalty, so a model run by it alone reads otherwise than by vLLM.
"""

from __future__ import annotations

import torch
from mineru_vl_utils.vlm_client.base_client import SamplingParams
from torch import FloatTensor, LongTensor, Tensor
from transformers import LogitsProcessor


class OutputPenalties(LogitsProcessor):
    """Each token that is in the output already loses ``presence`` once and ``frequency`` for each time it is there.

    ``prompt_tokens`` at the beginning of each row of ids are the prompt's and do not count.
    """

    def __init__(self, presence: float, frequency: float, prompt_tokens: int = 0) -> None:
        self._presence, self._frequency, self._prompt_tokens = presence, frequency, prompt_tokens

    def __call__(self, input_ids: LongTensor, scores: FloatTensor) -> FloatTensor:
        """Scores [rows, vocabulary] for ids [rows, tokens]; the scores handed in stay as they are."""
        scores = scores.clone()  # type: ignore[assignment]
        for row, ids in enumerate(input_ids[:, self._prompt_tokens :]):
            seen, counts = torch.unique(ids, return_counts=True)
            scores[row, seen] -= self._presence + self._frequency * counts.to(scores.dtype)
        return scores


class NoRepeatedRun:
    """No run of ``size`` tokens occurs twice in one output, as transformers' processor has it for a batch of one.

    It remembers the runs of the output it watches, where transformers' looks at all of them at every token.
    """

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError("a run has one token at least")
        self._size = size
        self._known = 0  # tokens looked at
        self._followers: dict[tuple[int, ...], set[int]] = {}

    def __call__(self, ids: list[int], scores: Tensor) -> Tensor:
        """Scores [..., vocabulary] after the output ``ids``, which only grows from call to call; the scores handed in
        stay as they are."""
        banned = self._banned(ids)
        if banned:
            scores = scores.clone()
            scores[..., list(banned)] = -torch.inf
        return scores

    def _banned(self, ids: list[int]) -> set[int]:
        """The tokens that would complete a run that ``ids`` has already."""
        before = self._size - 1
        for end in range(max(self._known, before), len(ids)):
            self._followers.setdefault(tuple(ids[end - before : end]), set()).add(ids[end])
        self._known = len(ids)
        return self._followers.get(tuple(ids[len(ids) - before :]), set()) if len(ids) >= before else set()


class Scoring:
    """The processors of one output. Only what the contract samples with is known: greedy, with these three rules."""

    def __init__(self, params: SamplingParams) -> None:
        presence, frequency = params.presence_penalty or 0.0, params.frequency_penalty or 0.0
        self._penalties = OutputPenalties(presence, frequency) if presence or frequency else None
        self._runs = NoRepeatedRun(params.no_repeat_ngram_size) if params.no_repeat_ngram_size else None

    def choose(self, ids: list[int], scores: Tensor) -> int:
        """The best token after ``ids`` by the model's scores [vocabulary], which stay as they are."""
        if self._penalties is not None and ids:
            output = torch.tensor([ids], device=scores.device)
            scores = self._penalties(output, scores[None])[0]  # type: ignore[arg-type]
        if self._runs is not None:
            scores = self._runs(ids, scores)
        return int(scores.argmax())
