"""Checkpoints of random weights in the tiny model's shape: what they write means nothing, and is always the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from mineru_vl_utils.mineru_client import DEFAULT_SAMPLING_PARAMS
from PIL import Image

from mineru_core.engines.mineru.generation import LocalGenerator
from mineru_core.engines.mineru.limits import Limits
from mineru_core.engines.mineru.loading import load_generator
from mineru_core.engines.mineru.requests import BlockRequest
from mineru_core.runtime.context import RunContext
from mineru_core.settings import MineruSettings
from tools.tiny_vlm.checkpoint import build_model, build_tokenizer, save

LAYOUT, TEXT, TABLE = "\nLayout Detection:", "\nText Recognition:", "\nTable Recognition:"
SORTS = {LAYOUT: "[layout]", TEXT: "[default]", TABLE: "table"}
FREE = Limits(most=24, by_area=False, loop_tokens=None, table_loop_tokens=None)
"""Texts of random weights go round in circles; where that is not what is tested, they may."""


def random_checkpoint(folder: Path, dtype: torch.dtype = torch.float32, seed: int = 7) -> Path:
    """A checkpoint folder; its weights are large enough for pictures and words to matter."""
    torch.manual_seed(seed)
    tokenizer = build_tokenizer()
    model = build_model(tokenizer)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim > 1 and "embed_tokens" not in name:
                parameter.mul_(3)
    save(folder, model.to(dtype), tokenizer)
    return folder


def generator_of(folder: Path, *, limits: Limits = FREE, **options: Any) -> LocalGenerator:
    """The checkpoint loaded on the CPU."""
    settings = MineruSettings.model_validate({"device": "cpu", **options})
    return load_generator(folder, settings, limits=limits)


def noise(width: int, height: int, seed: int = 0) -> Image.Image:
    """A picture of nothing; the same for the same arguments."""
    rng = np.random.default_rng((width, height, seed))
    return Image.fromarray(rng.integers(0, 256, (height, width, 3), dtype=np.uint8))


def request_of(
    image: Image.Image, prompt: str = TEXT, ctx: RunContext | None = None, tokens: int | None = None
) -> BlockRequest:
    """A request as the engine makes it, at most so many tokens long."""
    params = replace(DEFAULT_SAMPLING_PARAMS[SORTS[prompt]], max_new_tokens=tokens)
    return BlockRequest(image, prompt, params, ctx or RunContext())


def mixed_requests() -> list[BlockRequest]:
    """Pictures of many sizes and all prompts, extreme crops among them."""
    return [
        request_of(noise(224, 224), LAYOUT),
        request_of(noise(56, 28)),
        request_of(noise(1400, 28)),
        request_of(noise(28, 140), TABLE),
        request_of(noise(112, 112)),
        request_of(noise(28, 700)),
        request_of(noise(3, 2)),
        request_of(noise(224, 224, seed=1), TABLE),
        request_of(noise(112, 84)),
    ]
