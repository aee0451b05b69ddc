from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from mineru_vl_utils.vlm_client.base_client import SamplingParams, UnsupportedError
from PIL import Image

from mineru_core.engines.mineru.local_client import MOST_VISUAL_TOKENS, LocalClient, is_layout, make_batcher
from mineru_core.engines.mineru.requests import BlockEnd, BlockOutput, BlockRequest, BlockScore
from mineru_core.errors import (
    Cancelled,
    DeadlineExceeded,
    EngineFailed,
    EngineUnavailable,
    TooManyPixels,
    WorkbenchError,
)
from mineru_core.runtime.batcher import BatchReport
from mineru_core.runtime.context import RunContext

LAYOUT, TEXT = "\nLayout Detection:", "\nText Recognition:"
PICTURE = Image.new("RGB", (56, 28))


class Recorder:
    """A generator that answers with what ``answer`` makes of a request, and notes its calls."""

    def __init__(self, answer: Callable[[BlockRequest], BlockOutput] | None = None) -> None:
        self.answer = answer or (lambda request: BlockOutput(f"{request.image.size}", (1,), (-0.5,)))
        self.calls: list[list[BlockRequest]] = []
        self.gate, self.entered = threading.Event(), threading.Semaphore(0)
        self.gate.set()

    def visual_tokens(self, request: BlockRequest) -> int:
        return request.image.width * request.image.height // 784

    def generate(self, requests: Sequence[BlockRequest]) -> list[BlockOutput]:
        self.calls.append(list(requests))
        self.entered.release()
        assert self.gate.wait(20)
        return [self.answer(request) for request in requests]

    def close(self) -> None:
        pass


@contextmanager
def client_of(
    generator: Recorder, ctx: RunContext | None = None, told: list[BatchReport] | None = None, items: int = 8
) -> Iterator[LocalClient]:
    batcher = make_batcher(generator, batch_items=items, on_batch=None if told is None else told.append)
    try:
        yield LocalClient(batcher, ctx or RunContext(), 100)
    finally:
        generator.gate.set()
        batcher.close()


def breaking(error: Exception) -> Callable[[BlockRequest], BlockOutput]:
    """Answers, and breaks on tall pictures."""

    def answer(request: BlockRequest) -> BlockOutput:
        if request.image.height > request.image.width:
            raise error
        return BlockOutput("read", (1,), (0.0,))

    return answer


def test_answers_come_in_order_with_what_is_known_of_their_tokens() -> None:
    pictures = [Image.new("RGB", (28 * n, 28)) for n in (3, 1, 2)]
    with client_of(Recorder(lambda r: BlockOutput(str(r.image.width), (7, 8), (-1.0, -3.0), BlockEnd.CAP))) as client:
        scores = client.batch_predict_scored(pictures, TEXT)
        assert client.batch_predict(pictures, [TEXT] * 3) == ["84", "28", "56"]
    assert [score.text for score in scores] == ["84", "28", "56"]
    assert (scores[0].token_ids, scores[0].logprobs, scores[0].end) == ([7, 8], [-1.0, -3.0], BlockEnd.CAP)
    assert scores[0].perplexity == pytest.approx(7.389, abs=1e-3)


def test_nothing_asked_for_is_nothing_answered() -> None:
    generator = Recorder()
    with client_of(generator) as client:
        assert client.batch_predict_scored([], []) == []
    assert generator.calls == []


def test_a_request_carries_the_cap_the_context_and_an_rgb_picture() -> None:
    generator = Recorder()
    ctx = RunContext(owner="somebody")
    params = [SamplingParams(max_new_tokens=n, presence_penalty=1.0) for n in (None, 7, 999)]
    with client_of(generator, ctx) as client:
        client.batch_predict_scored([Image.new("L", (28, 28))] * 3, TEXT, params)
        client.predict(PICTURE, TEXT)
    (first, second, third), (bare,) = generator.calls
    assert [r.params.max_new_tokens for r in (first, second, third, bare)] == [100, 7, 100, 100]
    assert first.params.presence_penalty == 1.0
    assert (first.image.mode, first.ctx, first.prompt) == ("RGB", ctx, TEXT)


def test_blocks_of_a_page_share_a_call_and_layouts_have_their_own() -> None:
    generator, told = Recorder(), []
    with client_of(generator, told=told) as client:
        client.batch_predict_scored([PICTURE] * 3, [TEXT, LAYOUT, TEXT])
    assert sorted(len(call) for call in generator.calls) == [1, 2]
    assert all(len({is_layout(request) for request in call}) == 1 for call in generator.calls)
    assert is_layout(generator.calls[0][0]), "the layout goes first"
    assert sum(report.items for report in told) == 3


def test_pictures_of_any_size_share_a_call() -> None:
    generator, told = Recorder(), []
    pictures = [Image.new("RGB", (28 * width, 28)) for width in (1, 2, 40, 41, 3, 38, 10, 11)]
    with client_of(generator, told=told) as client:
        scores = client.batch_predict_scored(pictures, TEXT)
    assert [len(call) for call in generator.calls] == [8]
    assert [score.text for score in scores] == [f"{picture.size}" for picture in pictures]
    (report,) = told
    assert (report.units, report.padded_units) == (146, 146), "rows are packed"


def test_a_call_of_the_model_is_bounded_by_its_visual_tokens() -> None:
    generator, told = Recorder(), []
    halves = MOST_VISUAL_TOKENS // 2
    sizes = (halves, 7, halves, MOST_VISUAL_TOKENS + 1, 3, halves - 3, halves)
    pictures = [Image.new("RGB", (28 * width, 28)) for width in sizes]
    with client_of(generator, told=told) as client:
        scores = client.batch_predict_scored(pictures, TEXT)
    tokens = [[generator.visual_tokens(request) for request in call] for call in generator.calls]
    assert tokens == [[halves, 7], [halves], [MOST_VISUAL_TOKENS + 1], [3, halves - 3, halves]]
    assert [score.text for score in scores] == [f"{picture.size}" for picture in pictures]
    assert sum(report.items for report in told) == len(pictures)


@pytest.mark.parametrize(
    ("error", "code"), [(RuntimeError("a kernel broke"), "engine-failed"), (TooManyPixels("large"), "too-many-pixels")]
)
def test_a_block_fails_alone(error: Exception, code: str) -> None:
    pictures = [PICTURE, Image.new("RGB", (28, 56)), PICTURE]
    with client_of(Recorder(breaking(error))) as client:
        scores = client.batch_predict_scored(pictures, TEXT)
        assert [score.text for score in scores] == ["read", "", "read"]
        assert scores[1].error is not None
        assert scores[1].error.code == code
        for ask in (
            lambda: client.predict_scored(pictures[1], TEXT),
            lambda: client.predict(pictures[1], TEXT),
            lambda: client.batch_predict(pictures, TEXT),
        ):
            with pytest.raises(WorkbenchError):
                ask()


def test_an_engine_that_cannot_work_fails_all() -> None:
    with client_of(Recorder(breaking(EngineUnavailable("gone")))) as client, pytest.raises(EngineUnavailable):
        client.batch_predict_scored([PICTURE, Image.new("RGB", (28, 56))], TEXT)


def test_a_text_that_was_stopped_does_not_pass_for_whole() -> None:
    ctx = RunContext()
    with client_of(Recorder(lambda _: BlockOutput("hal", (1,), (0.0,), BlockEnd.STOPPED)), ctx) as client:
        (score,) = client.batch_predict_scored([PICTURE], TEXT)
        assert isinstance(score.error, EngineFailed)
        assert score.text == ""


def test_cancel_is_answered_while_the_model_is_at_work() -> None:
    generator, ctx = Recorder(), RunContext()
    generator.gate.clear()
    with client_of(generator, ctx) as client, ThreadPoolExecutor(1) as pool:
        future = pool.submit(client.batch_predict_scored, [PICTURE] * 2, [LAYOUT, TEXT])
        assert generator.entered.acquire(timeout=20)
        ctx.cancel()
        with pytest.raises(Cancelled):
            future.result(20)
        generator.gate.set()
    assert len(generator.calls) == 1, "what had not begun is not begun"


def test_a_deadline_is_kept_while_the_model_is_at_work() -> None:
    generator = Recorder()
    generator.gate.clear()
    with client_of(generator, RunContext.with_timeout(0.2)) as client, pytest.raises(DeadlineExceeded):
        client.predict(PICTURE, TEXT)


def test_after_closing_it_says_so() -> None:
    with client_of(Recorder()) as client:
        pass
    with pytest.raises(EngineUnavailable):
        client.predict(PICTURE, TEXT)


def test_what_is_no_picture_is_refused() -> None:
    with client_of(Recorder()) as client, pytest.raises(UnsupportedError):
        client.predict(b"png", TEXT)


def test_the_asynchronous_forms_answer_the_same() -> None:
    async def ask(client: LocalClient) -> tuple[str, list[str], BlockScore, list[BlockScore]]:
        return (
            await client.aio_predict(PICTURE, TEXT),
            await client.aio_batch_predict([PICTURE], TEXT),
            await client.aio_predict_scored(PICTURE, TEXT),
            await client.aio_batch_predict_scored([PICTURE], TEXT),
        )

    with client_of(Recorder()) as client:
        text, texts, score, scores = asyncio.run(ask(client))
    assert [text, texts[0], score.text, scores[0].text] == ["(56, 28)"] * 4
