"""Checkpoint folders that look right and hold no model: for everything that happens before one is loaded."""

from __future__ import annotations

import json
import random
from pathlib import Path


def safetensors_bytes(size: int, seed: int = 0) -> bytes:
    """A safetensors file with one tensor of ``size`` bytes."""
    header = json.dumps({"w": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}, "__metadata__": {}}).encode()
    return len(header).to_bytes(8, "little") + header + random.Random(seed).randbytes(size)


def checkpoint_files(*, shards: int = 1, size: int = 100_000) -> dict[str, bytes]:
    """Names and contents of a whole checkpoint."""
    files = {
        "config.json": json.dumps({"architectures": ["Qwen2VLForConditionalGeneration"]}).encode(),
        "preprocessor_config.json": b"{}",
        "tokenizer.json": b"{}",
        "chat_template.jinja": b"{{ messages }}",
    }
    if shards == 1:
        return files | {"model.safetensors": safetensors_bytes(size)}
    names = [f"model-{n + 1:05}-of-{shards:05}.safetensors" for n in range(shards)]
    index = {"weight_map": {f"w{n}": name for n, name in enumerate(names)}}
    files["model.safetensors.index.json"] = json.dumps(index).encode()
    return files | {name: safetensors_bytes(size, n) for n, name in enumerate(names)}


def write_checkpoint(folder: Path, files: dict[str, bytes] | None = None) -> Path:
    """The files in a folder, made for them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (checkpoint_files() if files is None else files).items():
        (folder / name).write_bytes(content)
    return folder
