"""The model in this process as mineru-vl-utils' client: every request goes to the batcher that all pages share."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import replace

from mineru_vl_utils.vlm_client.base_client import ImageType, SamplingParams, UnsupportedError
from PIL import Image

from mineru_core.engines.mineru.limits import is_layout_prompt
from mineru_core.engines.mineru.portions import in_portions
from mineru_core.engines.mineru.requests import BlockEnd, BlockOutput, BlockRequest, BlockScore, Generator
from mineru_core.engines.mineru.scored_client import ScoredClient
from mineru_core.errors import Cancelled, DeadlineExceeded, EngineError, EngineFailed, WorkbenchError
from mineru_core.runtime.batcher import Batcher, BatchReport, Shape
from mineru_core.runtime.context import RunContext

MOST_VISUAL_TOKENS = 8192
"""Visual tokens of one call of the model, a single picture of more excepted: keys and values of all its rows are in
memory at the same time, some 25 kB a token at MinerU2.5's size."""

_log = logging.getLogger(__name__)

_LOOK_S = 0.1
"""How often somebody who waits for an answer looks whether it is still wanted."""

BlockBatcher = Batcher[BlockRequest, BlockOutput]


def is_layout(request: BlockRequest) -> bool:
    """Whether the request is for a page's layout: that of a whole page, and what its other requests wait for."""
    return is_layout_prompt(request.prompt)


def make_batcher(
    generator: Generator, *, batch_items: int, on_batch: Callable[[BatchReport], None] | None = None
) -> BlockBatcher:
    """The batcher in front of a model: one call at a time, of pictures of any size, layouts first and by themselves.

    Blocks of a page can be asked for only once its layout is known: while layouts go first there is always something
    to fill calls with; and by themselves, since a page's layout is not ready before the longest text beside it is.
    ``batch_items`` is the most blocks of a call, ``MOST_VISUAL_TOKENS`` what they may be together.
    """
    shape = Shape[BlockRequest](
        key=is_layout,
        units=lambda request: float(generator.visual_tokens(request)),
        padding=float("inf"),  # rows are packed: none is padded to the size of another
        rank=lambda request: 0 if is_layout(request) else 1,
    )

    def process(requests: Sequence[BlockRequest]) -> list[BlockOutput]:
        outputs: list[BlockOutput] = []
        sizes = [generator.visual_tokens(request) for request in requests]
        for portion in in_portions(requests, sizes, MOST_VISUAL_TOKENS):
            outputs += generator.generate(portion)
        return outputs

    def told(report: BatchReport) -> None:
        if on_batch is not None:
            on_batch(report._replace(padded_units=report.units))

    return Batcher(process, max_items=batch_items, shape=shape, on_batch=told, name="mineru")


class LocalClient(ScoredClient):
    """Reads for one page through the batcher; none of its requests takes more than ``max_new_tokens`` tokens."""

    def __init__(self, batcher: BlockBatcher, ctx: RunContext, max_new_tokens: int) -> None:
        super().__init__(ctx)
        self._batcher = batcher
        self._most = max_new_tokens

    def read(
        self, images: Sequence[ImageType], prompts: Sequence[str], params: Sequence[SamplingParams | None]
    ) -> list[BlockScore]:
        """The pictures, in order; what concerns all of them is raised."""
        requests = [
            self._request(image, prompt, chosen) for image, prompt, chosen in zip(images, prompts, params, strict=True)
        ]
        self._ctx.check()
        futures = self._batcher.submit_all(requests, self._ctx)
        try:
            scores: dict[Future[BlockOutput], BlockScore] = {}
            pending = set(futures)
            while pending:
                remaining = self._ctx.remaining_s
                look_s = _LOOK_S if remaining is None else min(_LOOK_S, remaining)
                done, pending = wait(pending, timeout=look_s, return_when=FIRST_COMPLETED)
                scores |= {future: self._score(future) for future in done}
                if pending:
                    self._ctx.check()
            return [scores[future] for future in futures]
        finally:
            for future in futures:
                future.cancel()

    def _request(self, image: ImageType, prompt: str, params: SamplingParams | None) -> BlockRequest:
        if not isinstance(image, Image.Image):
            raise UnsupportedError("Only a single picture that is open already can be read.")
        chosen = self.build_sampling_params(params)
        most = self._most if chosen.max_new_tokens is None else min(self._most, chosen.max_new_tokens)
        return BlockRequest(
            image=image if image.mode == "RGB" else image.convert("RGB"),
            prompt=prompt or self.prompt,
            params=replace(chosen, max_new_tokens=most),
            ctx=self._ctx,
        )

    def _score(self, future: Future[BlockOutput]) -> BlockScore:
        """The answer to a request that is done. Raises what concerns the others as well."""
        try:
            output = future.result(timeout=0)
        except CancelledError:
            raise Cancelled("The block was withdrawn.") from None
        except (Cancelled, DeadlineExceeded, EngineError):
            raise
        except WorkbenchError as error:
            return BlockScore.failed(error)
        except Exception:  # noqa: BLE001  whatever breaks in the model fails this block, not its neighbours
            _log.exception("a block failed in the model, request %s", self._ctx.request_id)
            return BlockScore.failed(EngineFailed("The model broke on this block."))
        if output.end is BlockEnd.STOPPED:
            self._ctx.check()
            return BlockScore.failed(EngineFailed("The block was stopped before its end."))
        return BlockScore.of(output)
