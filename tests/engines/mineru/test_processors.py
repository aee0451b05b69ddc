"""Penalties as vLLM defines them; runs as transformers and vLLM forbid them."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from mineru_vl_utils.logits_processor.vllm_v0_no_repeat_ngram import VllmV0NoRepeatNGramLogitsProcessor
from mineru_vl_utils.vlm_client.base_client import SamplingParams
from transformers import NoRepeatNGramLogitsProcessor

from mineru_core.engines.mineru.processors import NoRepeatedRun, OutputPenalties, Scoring

VOCABULARY = 5
TOKENS = st.lists(st.integers(0, VOCABULARY - 1), max_size=40)
PENALTY = st.floats(0, 2)


def scores(seed: int = 0) -> torch.Tensor:
    return torch.randn(VOCABULARY, generator=torch.Generator().manual_seed(seed))


@given(TOKENS, TOKENS, PENALTY, PENALTY)
def test_penalties_are_those_of_vllm(prompt: list[int], output: list[int], presence: float, frequency: float) -> None:
    before = scores()
    ids = torch.tensor([prompt + output], dtype=torch.long)
    after = OutputPenalties(presence, frequency, len(prompt))(ids, before[None])[0]  # type: ignore[arg-type]
    counts = Counter(output)
    expected = [float(before[t]) - frequency * counts[t] - presence * (counts[t] > 0) for t in range(VOCABULARY)]
    assert after.tolist() == pytest.approx(expected, abs=1e-5)
    assert torch.equal(before, scores()), "the model's own scores stay"


@given(TOKENS.filter(bool), st.integers(1, 4))
def test_runs_are_forbidden_as_transformers_forbids_them(output: list[int], size: int) -> None:
    run, theirs = NoRepeatedRun(size), NoRepeatNGramLogitsProcessor(size)
    for end in range(1, len(output) + 1):
        ids = torch.tensor([output[:end]])
        expected = theirs(ids, scores()[None].clone())  # type: ignore[arg-type]
        assert torch.equal(run(output[:end], scores()[None]), expected)


@given(TOKENS.filter(bool), st.integers(2, 4))
def test_runs_are_forbidden_as_vllm_forbids_them(output: list[int], size: int) -> None:
    run, theirs = NoRepeatedRun(size), VllmV0NoRepeatNGramLogitsProcessor(size)
    theirs([], scores())
    for end in range(1, len(output) + 1):
        expected = theirs(output[:end], scores())
        assert torch.equal(run(output[:end], scores()), expected)


@given(TOKENS, st.integers(0, 9), PENALTY, PENALTY)
def test_the_best_token_after_all_rules_is_taken(ids: list[int], seed: int, presence: float, frequency: float) -> None:
    params = SamplingParams(presence_penalty=presence, frequency_penalty=frequency, no_repeat_ngram_size=3)
    tensor = torch.tensor([ids], dtype=torch.long)
    expected = OutputPenalties(presence, frequency)(tensor, scores(seed)[None])  # type: ignore[arg-type]
    expected = NoRepeatedRun(3)(ids, expected)
    assert Scoring(params).choose(ids, scores(seed)) == int(expected[0].argmax())


def test_without_rules_the_models_best_is_taken() -> None:
    assert Scoring(SamplingParams()).choose([1, 2], scores()) == int(scores().argmax())


def test_a_run_has_a_token_at_least() -> None:
    with pytest.raises(ValueError, match="one token"):
        NoRepeatedRun(0)
