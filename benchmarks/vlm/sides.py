"""What each side does in a process of its own: load the checkpoint, read the pages, tell its seconds and its memory.

Everything that either side imports is imported here, so that processes forked after it begin alike.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import psutil
import torch
from mineru_vl_utils.mineru_client import DEFAULT_PROMPTS, DEFAULT_SAMPLING_PARAMS
from mineru_vl_utils.transformers_loading import load_transformers_model
from mineru_vl_utils.vlm_client.base_client import SamplingParams
from mineru_vl_utils.vlm_client.transformers_client import TransformersVlmClient
from PIL import Image
from transformers import StoppingCriteriaList

from benchmarks.vlm.job import BenchPage, Scale, make_page
from benchmarks.vlm.tasks import USERS
from mineru_core.engines.mineru.generation import LocalGenerator
from mineru_core.engines.mineru.limits import Limits
from mineru_core.engines.mineru.loading import load_generator
from mineru_core.engines.mineru.processor import load_processor
from mineru_core.engines.mineru.requests import BlockRequest
from mineru_core.runtime.context import RunContext
from mineru_core.settings import MineruSettings

_IMPORTED = psutil.Process().memory_info().rss
"""Bytes with everything imported; a process forked after it has the same, and takes its pages up as it needs them."""


class _Clock:
    """A stopping criterion that never stops, and notes when the first token was there."""

    def __init__(self) -> None:
        self.first: float | None = None

    def __call__(self, input_ids: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
        """Asked after each token; one answer a row."""
        if self.first is None:
            self.first = perf_counter()
        return torch.zeros(len(input_ids), dtype=torch.bool)


def peak_mb() -> float:
    """Resident memory at its peak in MB (10^6 bytes), mapped files that were read included, above what the libraries
    take."""
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - _IMPORTED) / 1e6


def params(kind: str, tokens: int) -> SamplingParams:
    """The contract's sampling for a sort of block, so many tokens long."""
    return replace(DEFAULT_SAMPLING_PARAMS[kind], max_new_tokens=tokens)


def theirs(folder: Path, scale: Scale) -> dict[str, float]:
    """One page, layout then crops, and the first token of the layout."""
    page = make_page(scale, 0)
    client = TransformersVlmClient(load_transformers_model(folder), load_processor(folder), use_tqdm=False)
    clock = _Clock()
    start = perf_counter()
    client.batch_predict(
        [page.layout], [DEFAULT_PROMPTS["[layout]"]], [params("[layout]", scale.layout_tokens)],
        stopping_criteria=StoppingCriteriaList([clock]),
    )  # fmt: skip
    layout_s = perf_counter() - start
    client.batch_predict(
        page.crops, DEFAULT_PROMPTS["[default]"], [params("[default]", scale.block_tokens)] * len(page.crops)
    )
    page_s = perf_counter() - start
    if clock.first is None:
        raise AssertionError("the stopping criterion was never asked")
    return {
        "page_s": page_s, "layout_s": layout_s, "first_token_s": clock.first - start, "peak_mb": peak_mb(),
    }  # fmt: skip


def ours(folder: Path, scale: Scale, precision: str) -> dict[str, float]:
    """One page; four users' pages; and a second question on the first page's picture."""
    pages = [make_page(scale, user) for user in range(USERS + 1)]
    generator, settings = _loaded(folder, precision)
    start = perf_counter()
    _read(generator, pages[:1], scale, settings.batch_items)
    page_s, page_mb = perf_counter() - start, peak_mb()
    start = perf_counter()
    generator.generate([_request(pages[0].layout, "table", 1)])
    second_s = perf_counter() - start
    start = perf_counter()
    _read(generator, pages[1:], scale, settings.batch_items)
    return {
        "page_s": page_s, "second_first_token_s": second_s, "users_s": perf_counter() - start,
        "padding": generator.work.padding, "peak_mb": page_mb, "users_peak_mb": peak_mb(),
    }  # fmt: skip


def ours_memory(folder: Path, scale: Scale, precision: str) -> dict[str, float]:
    """Memory at its peak: loading, and the picture of a layout, next to which a call of crops is small."""
    generator, _ = _loaded(folder, precision)
    loaded_mb = peak_mb()
    generator.generate([_request(make_page(scale, 0).layout, "[layout]", 2)])
    return {"loaded_mb": loaded_mb, "peak_mb": peak_mb()}


def _loaded(folder: Path, precision: str) -> tuple[LocalGenerator, MineruSettings]:
    settings = MineruSettings.model_validate({"precision": precision})
    # texts of random weights go round in circles; here they may, as they have a fixed length
    limits = Limits(most=settings.max_new_tokens, by_area=False, loop_tokens=None, table_loop_tokens=None)
    generator = load_generator(folder, settings, limits=limits)
    print(generator.precision, file=sys.stderr)
    return generator, settings


def _request(image: Image.Image, kind: str, tokens: int) -> BlockRequest:
    return BlockRequest(image, DEFAULT_PROMPTS[kind], params(kind, tokens), RunContext())


def _read(generator: LocalGenerator, pages: Sequence[BenchPage], scale: Scale, batch_items: int) -> None:
    """All layouts in one call, then the crops of all pages by calls of ``batch_items``."""
    layouts = [_request(page.layout, "[layout]", scale.layout_tokens) for page in pages]
    outputs = generator.generate(layouts)
    crops = [_request(crop, "[default]", scale.block_tokens) for page in pages for crop in page.crops]
    for start in range(0, len(crops), batch_items):
        outputs += generator.generate(crops[start : start + batch_items])
    written = generator.work.written
    due = len(layouts) * (scale.layout_tokens - 1) + len(crops) * (scale.block_tokens - 1)
    if len(outputs) != len(layouts) + len(crops) or written < due:
        raise AssertionError(f"{written} tokens were written where {due} were due")
