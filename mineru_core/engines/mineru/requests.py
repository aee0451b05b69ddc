"""What is asked of the model and what comes back: one picture and one prompt in, one text with its tokens out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from loguru import logger
from mineru_vl_utils.vlm_client.base_client import (
    SamplingParams,
    ScoredOutput,
    VlmClient,
    compute_confidence_metrics,
)
from PIL import Image

from mineru_core.engines.base import BatchListener, LoadListener
from mineru_core.errors import WorkbenchError
from mineru_core.runtime.context import RunContext

logger.disable("mineru_vl_utils")  # it would log what is recognised


class BlockEnd(StrEnum):
    """Why the text of a block ended."""

    COMPLETE = "complete"
    CAP = "cap"
    REPETITION = "repetition"
    STOPPED = "stopped"
    """Cancelled or past its deadline: the text is what there was until then."""


@dataclass(frozen=True, slots=True)
class BlockRequest:
    """One picture (RGB, upright, as MinerUClient prepared it) with its prompt; ``ctx`` ends it early.

    ``max_new_tokens`` of ``params`` is a cap from above; the generator sets a tighter one by sort and area.
    """

    image: Image.Image
    prompt: str
    params: SamplingParams
    ctx: RunContext


@dataclass(frozen=True, slots=True)
class BlockOutput:
    """The text with its special tokens (all but bos, eos and pad), its token ids and their natural log probabilities.

    ``logprobs`` are those of the chosen tokens under the model's own distribution, before penalties. ``pieces`` are the
    tokens' names in the vocabulary, empty where they are not known: special tokens stand in them as they do in the
    text, so what lies between two of them can be told apart.
    """

    text: str
    token_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    end: BlockEnd = BlockEnd.COMPLETE
    pieces: tuple[str, ...] = ()


@dataclass
class BlockScore(ScoredOutput):
    """What the scored calls of a client return for each block; ``MinerUClient`` hands it through to its blocks.

    ``error`` is set where this block alone could not be read: its text is empty then, which must not pass for an empty
    block (or, at the layout step, for an empty page). ``logprobs`` are empty where a server does not tell them, and
    ``token_ids`` as well. ``pieces`` are those of the ``BlockOutput``.
    """

    end: BlockEnd = BlockEnd.COMPLETE
    error: WorkbenchError | None = None
    pieces: tuple[str, ...] = ()

    @classmethod
    def of(cls, output: BlockOutput) -> BlockScore:
        """The score of what was generated."""
        ids, logprobs = list(output.token_ids), list(output.logprobs)
        metrics = compute_confidence_metrics(logprobs)
        return cls(output.text, ids, logprobs, *metrics, end=output.end, pieces=output.pieces)

    @classmethod
    def failed(cls, error: WorkbenchError) -> BlockScore:
        """Nothing, and why."""
        return cls("", [], [], *compute_confidence_metrics([]), end=BlockEnd.STOPPED, error=error)


class Generator(Protocol):
    """A loaded model. ``generate`` takes one call at a time; callers go through a Batcher."""

    def visual_tokens(self, request: BlockRequest) -> int:
        """Tokens the picture becomes: the size that batches are bucketed by. No model runs for it."""

    def generate(self, requests: Sequence[BlockRequest]) -> list[BlockOutput]:
        """Outputs of the same length and order. A request that is cancelled ends its own row only."""

    def close(self) -> None:
        """Free the model."""


class Backend(Protocol):
    """Where the model runs: in this process or on a server. The engine asks it for one client a page."""

    @property
    def fingerprint(self) -> str:
        """Model, revision and whatever else changes its outputs."""

    @property
    def layout_size(self) -> tuple[int, int]:
        """Width and height in pixels that a page is brought to for the layout step."""

    @property
    def analyses_images(self) -> bool:
        """Whether the model knows the prompt for images and charts (the Pro models)."""

    def load(self, progress: LoadListener | None = None) -> None:
        """Get ready. Raises ``ModelMissing`` or ``EngineUnavailable``."""

    def close(self) -> None:
        """Free what it holds; calling it again does nothing."""

    def client(self, ctx: RunContext) -> VlmClient:
        """A client for one page, whose scored calls return ``BlockScore``; ``ctx`` ends its requests.

        What concerns the whole page is raised (``Cancelled``, ``DeadlineExceeded``, ``EngineUnavailable``,
        ``Overloaded``); of a batch, a block that fails alone is a ``BlockScore`` with its ``error``.
        ``predict_scored`` raises that, too.
        """

    def listen(self, on_batch: BatchListener | None) -> None:
        """Tell this listener of the calls made for several callers."""
