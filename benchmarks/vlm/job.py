"""What both sides are given: a checkpoint of random weights, and pages with a fixed number of tokens to write.

Speed and memory depend on the shapes alone, so weights that mean nothing will do; the model never ends a text by
itself, so every text has as many tokens as it may.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from safetensors.torch import save_file
from transformers import Qwen2VLConfig, Qwen2VLForConditionalGeneration

from tools.tiny_vlm.checkpoint import build_image_processor, build_tokenizer

_LINE_TOKENS = 22
"""Tokens of one line of a layout: three digits four times, spaces, marks, type, rotation."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How deep the model is, and what is read: pixels of the layout picture and of the crops, and tokens written."""

    vision_depth: int
    language_layers: int
    layout_edge: int
    crops: tuple[tuple[int, int], ...]
    block_tokens: int

    @property
    def layout_tokens(self) -> int:
        """Tokens of a layout; short texts have short layouts."""
        return len(self.crops) * _LINE_TOKENS * self.block_tokens // 64


FULL = Scale(
    vision_depth=32,
    language_layers=24,
    layout_edge=1036,
    crops=(
        (560, 56), (980, 28), (504, 84), (980, 56), (980, 112), (504, 168), (980, 84), (252, 28), (504, 112),
        (504, 224), (392, 56), (980, 140),
    ),
    block_tokens=64,
)  # fmt: skip
QUICK = Scale(
    vision_depth=4,
    language_layers=4,
    layout_edge=504,
    crops=(
        (168, 28), (252, 28), (140, 56), (252, 28), (112, 56), (84, 84), (280, 28), (140, 28), (112, 56),
        (140, 56), (196, 28), (224, 28),
    ),
    block_tokens=16,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BenchPage:
    """A page as the two steps see it: the picture for the layout, and the crops."""

    layout: Image.Image
    crops: tuple[Image.Image, ...]


def make_page(scale: Scale, user: int) -> BenchPage:
    """Noise: no two users' pictures are equal."""
    rng = np.random.default_rng(user)

    def noise(width: int, height: int) -> Image.Image:
        return Image.fromarray(rng.integers(0, 256, (height, width, 3), dtype=np.uint8))

    layout = noise(scale.layout_edge, scale.layout_edge)
    return BenchPage(layout, tuple(noise(width, height) for width, height in scale.crops))


def write_checkpoint(folder: Path, scale: Scale) -> None:
    """A checkpoint of MinerU2.5's widths with random bf16 weights; tokenizer and preparation of pictures are those of
    the tiny model, whose special tokens are the contract's."""
    tokenizer = build_tokenizer()
    config = _config(scale, tokenizer.get_vocab())
    with torch.device("meta"):
        model = Qwen2VLForConditionalGeneration(config)
    # drawing a billion numbers takes longer than the benchmark: the same few million serve every weight
    numbers = torch.randn(1 << 24, generator=torch.Generator().manual_seed(0)).mul_(0.02).bfloat16()
    weights: dict[str, torch.Tensor] = {}
    for name, parameter in model.named_parameters():
        size = parameter.numel()
        weights[name] = numbers.repeat(size // len(numbers) + 1)[:size].view(parameter.shape)
        if "norm" in name or name.endswith("ln_q.weight"):
            weights[name] = torch.ones(parameter.shape, dtype=torch.bfloat16)
    folder.mkdir(parents=True, exist_ok=True)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    config.architectures = ["Qwen2VLForConditionalGeneration"]
    config.dtype = "bfloat16"
    config.save_pretrained(folder)
    generation: dict[str, Any] = {"do_sample": False, "eos_token_id": None, "pad_token_id": 0}
    (folder / "generation_config.json").write_text(json.dumps(generation), encoding="utf-8")
    tokenizer.save_pretrained(folder)
    preparation = build_image_processor().to_dict() | {"image_processor_type": "Qwen2VLImageProcessor"}
    (folder / "preprocessor_config.json").write_text(json.dumps(preparation), encoding="utf-8")


def _config(scale: Scale, known: Mapping[str, int]) -> Qwen2VLConfig:
    text = {
        "vocab_size": 151_936, "hidden_size": 896, "intermediate_size": 4864,
        "num_hidden_layers": scale.language_layers, "num_attention_heads": 14, "num_key_value_heads": 2,
        "max_position_embeddings": 16_384, "tie_word_embeddings": True, "bos_token_id": None, "eos_token_id": None,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [8, 12, 12]},
    }  # fmt: skip
    vision = {
        "depth": scale.vision_depth, "embed_dim": 1280, "num_heads": 16, "mlp_ratio": 4, "hidden_size": 896,
        "patch_size": 14, "temporal_patch_size": 2, "spatial_merge_size": 2,
    }  # fmt: skip
    return Qwen2VLConfig(
        text_config=text,
        vision_config=vision,
        tie_word_embeddings=True,
        image_token_id=known["<|image_pad|>"],
        video_token_id=known["<|video_pad|>"],
        vision_start_token_id=known["<|vision_start|>"],
        vision_end_token_id=known["<|vision_end|>"],
    )
