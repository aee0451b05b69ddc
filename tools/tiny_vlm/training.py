"""The training loop: AdamW over one cycle of the learning rate, checkpoints and measurements every few minutes."""

from __future__ import annotations

import logging
import math
import random
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy
from transformers import Qwen2VLForConditionalGeneration

from tools.tiny_vlm.checkpoint import build_model, build_tokenizer, parameters, save
from tools.tiny_vlm.samples import IGNORED, Batch, SampleMaker, Sizes, steps, take_grey_patches
from tools.tiny_vlm.world import Pen

log = logging.getLogger("tiny_vlm")

PENALTIES = {"layout": (0.0, 0.0), "table": (1.0, 0.005), "text": (1.0, 0.05), "formula": (1.0, 0.05)}
"""Presence and frequency penalty of each task, as MinerUClient asks for them."""

FIRST, THEN = Sizes(layout=6, text=24, table=8), Sizes(layout=12, text=12, table=12)
"""Lines are short and teach what a glyph is: more of them at first, then layouts, which take longest to learn."""


@dataclass(frozen=True)
class Plan:
    """How long and how fast."""

    minutes: float
    seed: int
    rate: float = 2e-3
    warm_up: float = 0.03
    easy: float = 0.2
    every_minutes: float = 4.0
    held_out: int = 40


def answer_logits(model: Qwen2VLForConditionalGeneration, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits where an answer's token is to come, and those tokens; shapes (tokens, vocabulary) and (tokens,)."""
    hidden = model.model(
        input_ids=batch.input_ids,
        pixel_values=batch.pixels,
        image_grid_thw=batch.grids,
        position_ids=batch.positions,
        use_cache=False,
    ).last_hidden_state
    wanted = batch.labels[:, 1:]
    chosen = wanted != IGNORED
    return model.lm_head(hidden[:, :-1][chosen]), wanted[chosen]


@torch.no_grad()
def right_answers(
    model: Qwen2VLForConditionalGeneration, batch: Batch, presence: float, frequency: float
) -> list[bool]:
    """Whether greedy decoding gives each answer whole: it does just where every next token of it is the likeliest."""
    logits, wanted = answer_logits(model, batch)
    lengths = (batch.labels[:, 1:] != IGNORED).sum(1).tolist()
    out = []
    for scores, tokens in zip(torch.split(logits, lengths), torch.split(wanted, lengths), strict=True):
        seen = torch.nn.functional.one_hot(tokens, scores.shape[1]).cumsum(0).roll(1, 0)
        seen[0] = 0
        punished = scores - frequency * seen - presence * (seen > 0)
        out.append(bool((punished.argmax(1) == tokens).all()))
    return out


def measure(model: Qwen2VLForConditionalGeneration, maker: SampleMaker, pages: int) -> str:
    """How many answers of held-out pages are right, by task, in words for the log."""
    rng = random.Random("held out")
    score: dict[str, list[bool]] = {}
    model.train(False)
    for _ in range(pages):
        layout, contents = maker.page(rng)
        for name, sample in [("layout", layout), *((block.kind, sample) for block, sample in contents)]:
            score.setdefault(name, []).extend(right_answers(model, maker.batch([sample]), *PENALTIES[sample.task]))
    model.train()
    return ", ".join(f"{name} {sum(right)}/{len(right)}" for name, right in sorted(score.items()))


def train(out: Path, plan: Plan, font: Path, resume: bool) -> None:
    """Train until the minutes are over; ``out`` always holds a whole checkpoint, the state to resume lies beside it."""
    torch.set_num_threads(1)
    torch.manual_seed(plan.seed)
    tokenizer = build_tokenizer()
    maker = SampleMaker(tokenizer, Pen(font))
    model = build_model(tokenizer)
    take_grey_patches(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=plan.rate, betas=(0.9, 0.98), weight_decay=0.02)
    state = out.with_name(out.name + ".state.pt")
    step, before = 0, 0.0
    if resume and state.exists():
        kept = torch.load(state, weights_only=True)
        model.load_state_dict(kept["model"])
        optimizer.load_state_dict(kept["optimizer"])
        step, before = kept["step"], kept["seconds"]
    log.info("%d parameters, from step %d", parameters(model), step)
    start = told = time.monotonic()
    progress = 0.0
    batches = steps(maker, random.Random(f"{plan.seed} {step}"), lambda: FIRST if progress < plan.easy else THEN)
    model.train()
    smooth: dict[str, float] = {}
    while (progress := (before + time.monotonic() - start) / (plan.minutes * 60)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = _rate(plan, progress)
        for name, batch in next(batches).items():
            logits, wanted = answer_logits(model, batch)
            loss = cross_entropy(logits, wanted)
            loss.backward()  # type: ignore[no-untyped-call]
            smooth[name] = 0.98 * smooth.get(name, loss.item()) + 0.02 * loss.item()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        if step % 50 == 0:
            log.info("step %d, %.1f %%: %s", step, 100 * progress, {n: round(v, 4) for n, v in smooth.items()})
        if time.monotonic() - told > plan.every_minutes * 60:
            _keep(out, state, model, optimizer, maker, step, before + time.monotonic() - start)
            log.info("step %d: %s", step, measure(model, maker, plan.held_out))
            told = time.monotonic()
    _keep(out, state, model, optimizer, maker, step, before + time.monotonic() - start)
    log.info("step %d, the end: %s", step, measure(model, maker, plan.held_out))


def _rate(plan: Plan, progress: float) -> float:
    """The learning rate: up in a straight line, then down along half a cosine to a hundredth."""
    if progress < plan.warm_up:
        return plan.rate * max(progress / plan.warm_up, 0.02)
    turn = (progress - plan.warm_up) / (1 - plan.warm_up)
    return plan.rate * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(turn, 1.0))))


def _keep(
    out: Path, state: Path, model: Qwen2VLForConditionalGeneration, optimizer: torch.optim.Optimizer,
    maker: SampleMaker, step: int, seconds: float,
) -> None:  # fmt: skip
    """Write the checkpoint and the state to go on from, each whole or not at all."""
    save(out, model, maker.tokenizer)
    fresh = state.with_name(state.name + ".new")
    kept = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step, "seconds": seconds}
    torch.save(kept, fresh)
    fresh.replace(state)
