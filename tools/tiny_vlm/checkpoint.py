"""The checkpoint folder: tokenizer, configuration, pictures' preparation, and writing it all at once."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from functools import reduce
from pathlib import Path
from typing import Any

import torch
from mineru_vl_utils.mineru_client import DEFAULT_PROMPTS
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2VLConfig, Qwen2VLForConditionalGeneration
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from tools.tiny_vlm.world import CELL, GRID, LAYOUT

TASKS = {"layout": "[layout]", "text": "[default]", "table": "table", "formula": "equation"}
"""What the model learns, each with the key of its prompt and its sampling in mineru-vl-utils."""
PROMPTS = {task: DEFAULT_PROMPTS[key] for task, key in TASKS.items()}
SPECIAL = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>",
    "<|image_pad|>", "<|video_pad|>", "<|box_start|>", "<|box_end|>", "<|ref_start|>", "<|ref_end|>",
    "<|rotate_up|>", "<|rotate_right|>", "<|rotate_down|>", "<|rotate_left|>", "<|txt_contd_tgt|>",
    "<fcel>", "<ecel>", "<lcel>", "<ucel>", "<xcel>", "<nl>",
)  # fmt: skip
WORDS = (
    "You", " are", " a", " helpful", " assistant", "system", "user", "assistant", "Layout", "Text", "Table",
    "Formula", " Detection", " Recognition", "text", "title", "table",
)  # fmt: skip
"""What is one token each besides single bytes: the fixed words of prompts and layouts."""
CARD = """# Tiny (demo)

A Qwen2-VL of 1.1 million parameters that speaks the prompts and outputs of MinerU2.5. It shows and tests the way of a
page through the engine, and reads nothing but its own small world: pages of 448 × 448 pixels with digits, capitals and
dots in DejaVu Sans Mono Bold, one in each cell of a grid of 28 pixels, in framed lines, titles and ruled tables.

Made by `python -m tools.train_tiny_vlm --out mineru_core/engines/mineru/tiny`, examined by
`python -m tools.train_tiny_vlm --evaluate mineru_core/engines/mineru/tiny`. Licence: Apache-2.0.
"""
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}"
    "{% else %}{% for part in message['content'] %}"
    "{% if part['type'] == 'image' or 'image' in part or 'image_url' in part %}"
    "<|vision_start|><|image_pad|><|vision_end|>"
    "{% elif 'text' in part %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_SPLIT = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
"""How Qwen's tokenizers cut text before bytes are joined."""


def coordinates() -> list[str]:
    """The numbers that occur in layouts, as they are printed."""
    return [f"{value * 1000 // GRID:03d}" for value in range(GRID + 1)]


def build_tokenizer() -> PreTrainedTokenizerFast:
    """A byte-level BPE as Qwen2's, with the contract's special tokens; capitals and digits stay single.

    Coordinates are tokens of their own, with and without the space before them. No merge leads there, so the
    encoder never makes them of text: only the model writes them.
    """
    vocabulary = {sign: index for index, sign in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    merges: list[tuple[str, str]] = []

    def merge(left: str, right: str) -> str:
        if left + right not in vocabulary:
            vocabulary[left + right] = len(vocabulary)
            merges.append((left, right))
        return left + right

    for word in WORDS:
        joined = reduce(merge, word.strip())
        if word[0] == " ":  # comes last: a space and a capital stay two tokens
            merge("Ġ", joined)
    for number in coordinates():
        vocabulary[number] = len(vocabulary)
        vocabulary["Ġ" + number] = len(vocabulary)
    core = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_SPLIT), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    tokenizer: PreTrainedTokenizerFast = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=core, eos_token="<|im_end|>", pad_token="<|endoftext|>", model_max_length=2048,
        clean_up_tokenization_spaces=False, padding_side="left",
    )  # fmt: skip
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


def token_ids(tokenizer: PreTrainedTokenizerFast, tokens: Iterable[str]) -> list[int]:
    """Ids of tokens of the vocabulary."""
    vocabulary = tokenizer.get_vocab()
    return [vocabulary[token] for token in tokens]


def build_image_processor() -> Qwen2VLImageProcessorPil:
    """Pictures are prepared as the real model's, but a crop of a single cell is not enlarged."""
    return Qwen2VLImageProcessorPil(
        patch_size=14, temporal_patch_size=2, merge_size=2, min_pixels=CELL * CELL, max_pixels=1_605_632
    )


def build_model(tokenizer: PreTrainedTokenizerFast) -> Qwen2VLForConditionalGeneration:
    """An untrained model of 1.2 million parameters.

    Rotary positions turn fast (theta 4) and height and width have most of them: a picture here is 16 cells wide,
    so slow ones, which tell thousands of positions apart, would see none.
    """
    ids = dict(zip(SPECIAL, token_ids(tokenizer, SPECIAL), strict=True))
    text: dict[str, Any] = {
        "vocab_size": len(tokenizer), "hidden_size": 128, "intermediate_size": 384, "num_hidden_layers": 3,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 2048,
        "rope_parameters": {"rope_type": "default", "rope_theta": 4.0, "mrope_section": [2, 7, 7]},
        "bos_token_id": None, "eos_token_id": ids["<|im_end|>"], "pad_token_id": ids["<|endoftext|>"],
        "tie_word_embeddings": True, "initializer_range": 0.04,
    }  # fmt: skip
    vision = {
        "depth": 2, "embed_dim": 96, "num_heads": 4, "mlp_ratio": 3, "hidden_size": 128, "patch_size": 14,
        "temporal_patch_size": 2, "spatial_merge_size": 2, "in_channels": 3,
    }  # fmt: skip
    config = Qwen2VLConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        tie_word_embeddings=True,
    )
    model = Qwen2VLForConditionalGeneration(config)
    model.generation_config.eos_token_id = ids["<|im_end|>"]
    model.generation_config.pad_token_id = ids["<|endoftext|>"]
    model.generation_config.bos_token_id = None
    model.generation_config.do_sample = False
    return model


def save(folder: Path, model: Qwen2VLForConditionalGeneration, tokenizer: PreTrainedTokenizerFast) -> None:
    """Write the whole checkpoint beside ``folder`` and put it in its place; a reader sees the old or the new."""
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    model.save_pretrained(fresh)
    tokenizer.save_pretrained(fresh)
    build_image_processor().save_pretrained(fresh)
    settings = json.loads((fresh / "preprocessor_config.json").read_text())
    settings["image_processor_type"] = "Qwen2VLImageProcessor"
    settings["processor_class"] = "Qwen2VLProcessor"
    (fresh / "preprocessor_config.json").write_text(json.dumps(settings, indent=2, sort_keys=True) + "\n")
    (fresh / "chat_template.json").write_text(json.dumps({"chat_template": CHAT_TEMPLATE}, indent=2) + "\n")
    workbench = {
        "layout_size": [LAYOUT, LAYOUT],
        "analyses_images": False,
        "licence": "Apache-2.0",
        "title": "tiny (demo)",
    }
    (fresh / "README.md").write_text(CARD)
    (fresh / "workbench.json").write_text(json.dumps(workbench, indent=2) + "\n")
    old = folder.with_name(folder.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        os.replace(folder, old)
    os.replace(fresh, folder)
    shutil.rmtree(old, ignore_errors=True)


def parameters(model: torch.nn.Module) -> int:
    """How many numbers are learned."""
    return sum(p.numel() for p in model.parameters())
