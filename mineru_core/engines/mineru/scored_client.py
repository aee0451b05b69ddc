"""mineru-vl-utils' client with all of its forms, made of one: ``batch_predict_scored``."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence

from mineru_vl_utils.vlm_client.base_client import ImageType, SamplingParams, VlmClient

from mineru_core.engines.mineru.requests import BlockScore
from mineru_core.runtime.context import RunContext

Params = Sequence[SamplingParams | None] | SamplingParams | None


class ScoredClient(VlmClient, ABC):
    """The client of one page, whose requests end with ``ctx``.

    The scored calls answer with ``BlockScore``, as ``Backend.client`` says; the others give its text alone and raise
    what a block failed with: a text cannot say that it is none. ``priority`` says nothing: layouts go first, and
    owners take turns.
    """

    def __init__(self, ctx: RunContext) -> None:
        super().__init__(allow_truncated_content=True)
        self._ctx = ctx

    @abstractmethod
    def read(
        self, images: Sequence[ImageType], prompts: Sequence[str], params: Sequence[SamplingParams | None]
    ) -> list[BlockScore]:
        """The pictures, in order; what concerns all of them is raised."""

    def batch_predict_scored(  # type: ignore[override]  # a list of what is expected
        self,
        images: Sequence[ImageType],
        prompts: Sequence[str] | str = "",
        sampling_params: Params = None,
        priority: Sequence[int | None] | int | None = None,  # noqa: ARG002  the signature is mineru-vl-utils'
    ) -> list[BlockScore]:
        """One ``BlockScore`` for each picture; what concerns all of them is raised."""
        count = len(images)
        all_prompts = [prompts] * count if isinstance(prompts, str) else prompts
        all_params = sampling_params if isinstance(sampling_params, Sequence) else [sampling_params] * count
        return self.read(images, all_prompts, all_params)

    def predict_scored(
        self,
        image: ImageType,
        prompt: str = "",
        sampling_params: SamplingParams | None = None,
        priority: int | None = None,
    ) -> BlockScore:
        """One picture; raises what it failed with."""
        (score,) = self.batch_predict_scored([image], [prompt], [sampling_params], [priority])
        return _raised(score)

    def predict(
        self,
        image: ImageType,
        prompt: str = "",
        sampling_params: SamplingParams | None = None,
        priority: int | None = None,
    ) -> str:
        """The text of one picture."""
        return self.predict_scored(image, prompt, sampling_params, priority).text

    def batch_predict(
        self,
        images: Sequence[ImageType],
        prompts: Sequence[str] | str = "",
        sampling_params: Params = None,
        priority: Sequence[int | None] | int | None = None,
    ) -> list[str]:
        """The texts of the pictures, in order."""
        return [_raised(score).text for score in self.batch_predict_scored(images, prompts, sampling_params, priority)]

    async def aio_predict_scored(
        self,
        image: ImageType,
        prompt: str = "",
        sampling_params: SamplingParams | None = None,
        priority: int | None = None,
    ) -> BlockScore:
        """``predict_scored`` on a thread."""
        return await asyncio.to_thread(self.predict_scored, image, prompt, sampling_params, priority)

    async def aio_predict(
        self,
        image: ImageType,
        prompt: str = "",
        sampling_params: SamplingParams | None = None,
        priority: int | None = None,
    ) -> str:
        """``predict`` on a thread."""
        return await asyncio.to_thread(self.predict, image, prompt, sampling_params, priority)

    async def aio_batch_predict_scored(  # type: ignore[override]
        self,
        images: Sequence[ImageType],
        prompts: Sequence[str] | str = "",
        sampling_params: Params = None,
        priority: Sequence[int | None] | int | None = None,
        semaphore: asyncio.Semaphore | None = None,  # noqa: ARG002  calls are bounded where they are made
        use_tqdm: bool = False,  # noqa: ARG002
        tqdm_desc: str | None = None,  # noqa: ARG002
    ) -> list[BlockScore]:
        """``batch_predict_scored`` on a thread."""
        return await asyncio.to_thread(self.batch_predict_scored, images, prompts, sampling_params, priority)

    async def aio_batch_predict(
        self,
        images: Sequence[ImageType],
        prompts: Sequence[str] | str = "",
        sampling_params: Params = None,
        priority: Sequence[int | None] | int | None = None,
        semaphore: asyncio.Semaphore | None = None,  # noqa: ARG002
        use_tqdm: bool = False,  # noqa: ARG002
        tqdm_desc: str | None = None,  # noqa: ARG002
    ) -> list[str]:
        """``batch_predict`` on a thread."""
        return await asyncio.to_thread(self.batch_predict, images, prompts, sampling_params, priority)


def _raised(score: BlockScore) -> BlockScore:
    if score.error is not None:
        raise score.error
    return score
