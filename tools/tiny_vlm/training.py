"""The training loop: AdamW over one cycle of the learning rate, checkpoints and measurements every few minutes."""

from __future__ import annotations

import logging
import math
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from mineru_vl_utils.mineru_client import DEFAULT_SAMPLING_PARAMS
from torch.nn.functional import cross_entropy
from transformers import Qwen2VLForConditionalGeneration

from tools.tiny_vlm.checkpoint import TASKS, build_model, build_tokenizer, parameters, save
from tools.tiny_vlm.hints import IGNORED, Batch, Heads, pointing_loss
from tools.tiny_vlm.samples import Phase, SampleMaker, steps, take_grey_patches
from tools.tiny_vlm.world import Pen

log = logging.getLogger("tiny_vlm")

PHASES = (
    (0.15, Phase(layout=8, text=24, table=8, most=(1,))),
    (0.35, Phase(layout=16, text=12, table=8, most=(1, 1, 1, 1, 2, 5))),
    (0.65, Phase(layout=16, text=6, table=6, most=(1, 2, 3, 5), single_lines=0.5)),
    (0.85, Phase(layout=14, text=9, table=8, most=(2, 5, 5, 5, 5), single_lines=0.1)),
    (1.00, Phase(layout=18, text=4, table=7, most=(3, 5, 5, 5), single_lines=0.2)),
)
"""What is trained until which share of the time.

Lines are short and teach what a glyph is, so there are more of them at first. A page with one block teaches where
things are; on a full page that is not learned, for nothing says which of the blocks an answer follows from.
"""


@dataclass(frozen=True)
class Plan:
    """How long and how fast."""

    minutes: float
    seed: int
    rate: float = 2e-3
    warm_up: float = 0.03
    hints: float = 0.6
    hints_until: float = 0.95
    every_minutes: float = 4.0
    held_out: int = 40


def run(model: Qwen2VLForConditionalGeneration, batch: Batch) -> tuple[torch.Tensor, ...]:
    """Hidden states before the first layer, behind each, and behind the last norm in place of the last one's."""
    out = model.model(
        input_ids=batch.input_ids,
        pixel_values=batch.pixels,
        image_grid_thw=batch.grids,
        position_ids=batch.positions,
        use_cache=False,
        output_hidden_states=True,
    )
    return (*out.hidden_states[:-1], out.last_hidden_state)


def answer_logits(
    model: Qwen2VLForConditionalGeneration, batch: Batch, hidden: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits where an answer's token is to come, and those tokens; shapes (tokens, vocabulary) and (tokens,)."""
    wanted = batch.labels[:, 1:]
    chosen = wanted != IGNORED
    return model.lm_head(hidden[:, :-1][chosen]), wanted[chosen]


@torch.no_grad()
def right_answers(
    model: Qwen2VLForConditionalGeneration, batch: Batch, presence: float, frequency: float
) -> list[bool]:
    """Whether greedy decoding gives each answer whole: it does just where every next token of it is the likeliest."""
    logits, wanted = answer_logits(model, batch, run(model, batch)[-1])
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
            asked = DEFAULT_SAMPLING_PARAMS[TASKS[sample.task]]
            penalties = asked.presence_penalty or 0.0, asked.frequency_penalty or 0.0
            score.setdefault(name, []).extend(right_answers(model, maker.batch([sample]), *penalties))
    model.train()
    return ", ".join(f"{name} {sum(right)}/{len(right)}" for name, right in sorted(score.items()))


class Training:
    """A model in training, with all that is needed to stop and go on."""

    def __init__(self, out: Path, plan: Plan, font: Path) -> None:
        torch.manual_seed(plan.seed)
        self.out, self.plan = out, plan
        self.maker = SampleMaker(build_tokenizer(), Pen(font))
        self.model = build_model(self.maker.tokenizer)
        take_grey_patches(self.model)
        self.heads = Heads(self.model.lm_head.in_features)
        self.trained = [*self.model.parameters(), *self.heads.parameters()]
        self.optimizer = torch.optim.AdamW(self.trained, lr=plan.rate, betas=(0.9, 0.98), weight_decay=0.02)
        self.step, self.seconds = 0, 0.0
        self.losses: dict[str, float] = {}
        """Losses by name, each a mean over the last twenty steps or so."""

    @property
    def progress(self) -> float:
        """Share of the time that is over."""
        return self.seconds / (self.plan.minutes * 60)

    @property
    def _state(self) -> Path:
        return self.out.with_name(self.out.name + ".state.pt")

    def resume(self) -> None:
        """Go on from the state beside the checkpoint, if there is one."""
        if not self._state.exists():
            return
        kept = torch.load(self._state, weights_only=True)
        self.model.load_state_dict(kept["model"])
        self.heads.load_state_dict(kept["heads"])
        self.optimizer.load_state_dict(kept["optimizer"])
        self.step, self.seconds = kept["step"], kept["seconds"]

    def keep(self) -> None:
        """Write the checkpoint and the state to go on from, each whole or not at all."""
        save(self.out, self.model, self.maker.tokenizer)
        fresh = self._state.with_name(self._state.name + ".new")
        kept = {
            "model": self.model.state_dict(), "heads": self.heads.state_dict(),
            "optimizer": self.optimizer.state_dict(), "step": self.step, "seconds": self.seconds,
        }  # fmt: skip
        torch.save(kept, fresh)
        fresh.replace(self._state)
        log.info("step %d: %s", self.step, measure(self.model, self.maker, self.plan.held_out))

    def learn(self, batches: Mapping[str, Batch]) -> None:
        """One step on a batch of each sort; the hints count less and less."""
        share = self.plan.hints * max(0.0, 1 - self.progress / self.plan.hints_until)
        for group in self.optimizer.param_groups:
            group["lr"] = _rate(self.plan, self.progress)
        for name, batch in batches.items():
            hidden = run(self.model, batch)
            losses = {name: cross_entropy(*answer_logits(self.model, batch, hidden[-1]))}
            loss = losses[name]
            if share > 0:
                visual = batch.input_ids == self.maker.image_id
                hinted = self.heads(hidden[1][visual], hidden[2][visual], batch.hints)
                hinted["pointing"] = pointing_loss(self.model, hidden[-2], batch, visual)
                loss = loss + share * torch.stack(list(hinted.values())).sum()
                losses |= {f"{name}.{question}": value for question, value in hinted.items()}
            loss.backward()  # type: ignore[no-untyped-call]
            for question, value in losses.items():
                self.losses[question] = 0.95 * self.losses.get(question, value.item()) + 0.05 * value.item()
        torch.nn.utils.clip_grad_norm_(self.trained, 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.step += 1


def train(out: Path, plan: Plan, font: Path, resume: bool) -> None:
    """Train until the minutes are over; ``out`` always holds a whole checkpoint, the state to resume lies beside it."""
    torch.set_num_threads(1)
    training = Training(out, plan, font)
    if resume:
        training.resume()
    log.info("%d parameters, from step %d", parameters(training.model), training.step)
    rng = random.Random(f"{plan.seed} {training.step}")
    batches = steps(training.maker, rng, lambda: next(phase for end, phase in PHASES if training.progress < end))
    began = time.monotonic() - training.seconds
    kept = training.seconds
    while training.progress < 1:
        training.learn(next(batches))
        training.seconds = time.monotonic() - began
        if training.step % 50 == 0:
            told = " ".join(f"{name} {value:.3f}" for name, value in training.losses.items())
            log.info("step %d, %.1f %%: %s", training.step, 100 * training.progress, told)
        if training.seconds - kept > plan.every_minutes * 60:
            training.keep()
            kept = training.seconds
    training.keep()


def _rate(plan: Plan, progress: float) -> float:
    """The learning rate: up in a straight line, then down along half a cosine to a hundredth."""
    if progress < plan.warm_up:
        return plan.rate * max(progress / plan.warm_up, 0.02)
    turn = (progress - plan.warm_up) / (1 - plan.warm_up)
    return plan.rate * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(turn, 1.0))))
