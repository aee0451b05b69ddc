"""One side in a process of its own: loads the checkpoint, reads the pages, tells its seconds and its memory.

    python -m benchmarks.vlm.sides SIDE FOLDER [--quick] [--precision NAME]

SIDE is ``theirs`` (mineru-vl-utils' ``TransformersVlmClient`` at its defaults), ``ours`` or ``memory`` (ours, reading
no more than it takes to reach its peak). The last line printed is a JSON object.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import psutil
import torch
from mineru_vl_utils.mineru_client import DEFAULT_SAMPLING_PARAMS, MinerUSamplingParams
from PIL import Image

from benchmarks.vlm.job import FULL, LAYOUT_PROMPT, QUICK, TABLE_PROMPT, TEXT_PROMPT, BenchPage, Scale, make_page
from mineru_core.engines.mineru.generation import LocalGenerator
from mineru_core.engines.mineru.limits import Limits
from mineru_core.engines.mineru.loading import load_generator
from mineru_core.engines.mineru.processor import load_processor
from mineru_core.engines.mineru.requests import BlockRequest
from mineru_core.runtime.context import RunContext
from mineru_core.settings import MineruSettings

USERS = 4


class _Clock:
    """A stopping criterion that never stops, and notes when the first token was there."""

    def __init__(self) -> None:
        self.first: float | None = None

    def __call__(self, input_ids: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
        """Asked after each token; one answer a row."""
        if self.first is None:
            self.first = perf_counter()
        return torch.zeros(len(input_ids), dtype=torch.bool)


class Memory:
    """Megabytes (10^6 bytes) at their peak above what the process had with its libraries imported."""

    def __init__(self) -> None:
        self._imported = psutil.Process().memory_info().rss

    @property
    def peak_mb(self) -> float:
        """Resident memory, mapped files that were read included."""
        return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - self._imported) / 1e6


def params(kind: str, tokens: int) -> MinerUSamplingParams:
    """The contract's sampling for a sort of block, so many tokens long."""
    chosen = DEFAULT_SAMPLING_PARAMS[kind]
    return MinerUSamplingParams(
        presence_penalty=chosen.presence_penalty, frequency_penalty=chosen.frequency_penalty, max_new_tokens=tokens
    )


def theirs(folder: Path, scale: Scale) -> dict[str, float]:
    """One page, layout then crops, and the first token of the layout."""
    from mineru_vl_utils.transformers_loading import load_transformers_model
    from mineru_vl_utils.vlm_client.transformers_client import TransformersVlmClient
    from transformers import StoppingCriteriaList

    page = make_page(scale, 0)
    memory = Memory()
    client = TransformersVlmClient(load_transformers_model(folder), load_processor(folder), use_tqdm=False)
    clock = _Clock()
    start = perf_counter()
    client.batch_predict(
        [page.layout], [LAYOUT_PROMPT], [params("[layout]", scale.layout_tokens)],
        stopping_criteria=StoppingCriteriaList([clock]),
    )  # fmt: skip
    layout_s = perf_counter() - start
    client.batch_predict(
        page.crops, [TEXT_PROMPT] * len(page.crops), [params("[default]", scale.block_tokens)] * len(page.crops)
    )
    page_s = perf_counter() - start
    if clock.first is None:
        raise AssertionError("the stopping criterion was never asked")
    return {
        "page_s": page_s, "layout_s": layout_s, "first_token_s": clock.first - start, "peak_mb": memory.peak_mb,
    }  # fmt: skip


def ours(folder: Path, scale: Scale, precision: str) -> dict[str, float]:
    """One page; four users' pages; and a second question on the first page's picture."""
    pages = [make_page(scale, user) for user in range(USERS + 1)]
    memory = Memory()
    generator, settings = _loaded(folder, precision)
    start = perf_counter()
    _read(generator, pages[:1], scale, settings.batch_items)
    page_s, peak_mb = perf_counter() - start, memory.peak_mb
    start = perf_counter()
    generator.generate([_request(pages[0].layout, TABLE_PROMPT, "table", 1)])
    second_s = perf_counter() - start
    start = perf_counter()
    _read(generator, pages[1:], scale, settings.batch_items)
    return {
        "page_s": page_s, "second_first_token_s": second_s, "users_s": perf_counter() - start,
        "padding": generator.work.padding, "peak_mb": peak_mb, "users_peak_mb": memory.peak_mb,
    }  # fmt: skip


def ours_memory(folder: Path, scale: Scale, precision: str) -> dict[str, float]:
    """Memory at its peak: loading, the layout's picture, and a call of crops."""
    memory = Memory()
    generator, settings = _loaded(folder, precision)
    loaded_mb = memory.peak_mb
    page = make_page(scale, 0)
    generator.generate([_request(page.layout, LAYOUT_PROMPT, "[layout]", 2)])
    crops = page.crops[: settings.batch_items]
    generator.generate([_request(crop, TEXT_PROMPT, "[default]", 2) for crop in crops])
    return {"loaded_mb": loaded_mb, "peak_mb": memory.peak_mb}


def _loaded(folder: Path, precision: str) -> tuple[LocalGenerator, MineruSettings]:
    settings = MineruSettings.model_validate({"precision": precision})
    # texts of random weights go round in circles; here they may, as they have a fixed length
    limits = Limits(most=settings.max_new_tokens, by_area=False, loop_tokens=None, table_loop_tokens=None)
    generator = load_generator(folder, settings, limits=limits)
    print(generator.precision, file=sys.stderr)
    return generator, settings


def _request(image: Image.Image, prompt: str, kind: str, tokens: int) -> BlockRequest:
    return BlockRequest(image, prompt, params(kind, tokens), RunContext())


def _read(generator: LocalGenerator, pages: Sequence[BenchPage], scale: Scale, batch_items: int) -> None:
    """All layouts in one call, then the crops of all pages by calls of ``batch_items``."""
    layouts = [_request(page.layout, LAYOUT_PROMPT, "[layout]", scale.layout_tokens) for page in pages]
    outputs = generator.generate(layouts)
    crops = [_request(crop, TEXT_PROMPT, "[default]", scale.block_tokens) for page in pages for crop in page.crops]
    for start in range(0, len(crops), batch_items):
        outputs += generator.generate(crops[start : start + batch_items])
    written = generator.work.written
    due = len(layouts) * (scale.layout_tokens - 1) + len(crops) * (scale.block_tokens - 1)
    if len(outputs) != len(layouts) + len(crops) or written < due:
        raise AssertionError(f"{written} tokens were written where {due} were due")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one side."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vlm.sides", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("side", choices=("theirs", "ours", "memory"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--precision", default="auto")
    options = parser.parse_args(arguments)
    scale = QUICK if options.quick else FULL
    if options.side == "theirs":
        figures = theirs(options.folder, scale)
    elif options.side == "ours":
        figures = ours(options.folder, scale, options.precision)
    else:
        figures = ours_memory(options.folder, scale, options.precision)
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
