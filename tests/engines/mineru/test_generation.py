"""The model in this process: alone or in company, anew or remembered, whole or broken off, a text is the same."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image
from transformers import LogitsProcessorList, NoRepeatNGramLogitsProcessor

from mineru_core.engines.mineru import generation
from mineru_core.engines.mineru.generation import LocalGenerator
from mineru_core.engines.mineru.limits import Limits
from mineru_core.engines.mineru.loading import load_model
from mineru_core.engines.mineru.processor import load_processor
from mineru_core.engines.mineru.processors import OutputPenalties
from mineru_core.engines.mineru.requests import BlockEnd, BlockOutput, BlockRequest
from mineru_core.errors import EngineFailed, EngineUnavailable
from mineru_core.runtime.context import RunContext
from tests.engines.mineru.random_models import (
    FREE,
    LAYOUT,
    TABLE,
    TEXT,
    generator_of,
    mixed_requests,
    noise,
    random_checkpoint,
    request_of,
)

STOPPED, CAP = BlockEnd.STOPPED, BlockEnd.CAP


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_checkpoint(tmp_path_factory.mktemp("random") / "fp32")


@pytest.fixture(scope="module")
def half_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_checkpoint(tmp_path_factory.mktemp("random") / "bf16", torch.bfloat16)


@pytest.fixture(scope="module")
def shared(folder: Path) -> LocalGenerator:
    """A model that remembers no picture, for tests that leave nothing behind."""
    return generator_of(folder, vision_cache_bytes=0)


def ids(outputs: list[BlockOutput]) -> list[tuple[int, ...]]:
    return [output.token_ids for output in outputs]


def language(generator: LocalGenerator) -> Any:
    assert generator._parts is not None
    return generator._parts.decoder._model


def vision(generator: LocalGenerator) -> Any:
    assert generator._parts is not None
    return generator._parts.vision._visual


def at_call(module: torch.nn.Module, number: int, act: Callable[[], None]) -> Any:
    """Do something just before the ``number``-th time (from 0) the module is run."""
    calls = iter(range(1_000_000))
    return module.register_forward_pre_hook(lambda *_: act() if next(calls) == number else None)


def counted(module: torch.nn.Module) -> tuple[list[int], Any]:
    """Notes how many rows of input the module was given each time."""
    seen: list[int] = []
    return seen, module.register_forward_pre_hook(lambda _, inputs: seen.append(len(inputs[0])))


class Recital(torch.nn.Module):
    """A head that has the model say these tokens, whatever it sees."""

    def __init__(self, tokens: list[int]) -> None:
        super().__init__()
        self._tokens = iter(tokens)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        scores = torch.zeros(len(hidden), 400)
        scores[:, next(self._tokens)] = 9.0
        return scores


@pytest.mark.parametrize("precision", ["fp32", "bf16", "int8", "auto"])
def test_rows_in_company_are_written_as_alone(half_folder: Path, precision: str) -> None:
    generator = generator_of(half_folder, precision=precision, vision_cache_bytes=0)
    together = generator.generate(mixed_requests())
    alone = [generator.generate([request])[0] for request in mixed_requests()]
    assert ids(together) == ids(alone)
    assert [output.text for output in together] == [output.text for output in alone]
    assert len(set(ids(together))) > len(together) / 2, "the pictures matter"


def test_it_writes_what_transformers_writes(folder: Path, shared: LocalGenerator) -> None:
    model, processor = load_model(folder, torch.device("cpu")), load_processor(folder)
    requests = [*mixed_requests(), request_of(noise(84, 56), TABLE)]
    for request, output in zip(requests, shared.generate(requests), strict=True):
        content = [{"type": "image"}, {"type": "text", "text": request.prompt}]
        chat = [{"role": "system", "content": "You are a helpful assistant."}, {"role": "user", "content": content}]
        text = processor.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        inputs = processor(text=[text], images=[request.image], return_tensors="pt")
        count = inputs["input_ids"].shape[1]
        presence, frequency = request.params.presence_penalty or 0.0, request.params.frequency_penalty or 0.0
        rules = [OutputPenalties(presence, frequency, count), NoRepeatNGramLogitsProcessor(100)]
        written = model.generate(
            **inputs, do_sample=False, max_new_tokens=FREE.most, logits_processor=LogitsProcessorList(rules)
        )[0, count:]
        assert written.tolist()[: len(output.token_ids)] == list(output.token_ids)
        assert len(output.token_ids) in (len(written), len(written) - 1), "all but the end token"


def test_probabilities_are_the_models_own(folder: Path, shared: LocalGenerator) -> None:
    request = request_of(noise(112, 56))
    (output,) = shared.generate([request])
    model, processor = load_model(folder, torch.device("cpu")), load_processor(folder)
    prompt = shared._prompts.ids(request.prompt)
    pictures = processor.image_processor(images=[request.image], return_tensors="pt")
    placeholders = [model.config.image_token_id] * shared.visual_tokens(request)
    sequence = torch.tensor([[*prompt.before, *placeholders, *prompt.after, *output.token_ids]])
    with torch.no_grad():
        scores = model(
            input_ids=sequence, mm_token_type_ids=(sequence == model.config.image_token_id).int(), **pictures
        ).logits[0, -len(output.token_ids) - 1 : -1]
    expected = scores.log_softmax(-1).gather(1, torch.tensor(output.token_ids)[:, None])[:, 0]
    assert output.logprobs == pytest.approx(expected.tolist(), abs=1e-3)


class TestMemory:
    def test_a_known_picture_is_not_looked_at_again(self, folder: Path) -> None:
        generator = generator_of(folder)
        fresh = generator_of(folder, vision_cache_bytes=0)
        picture = noise(168, 140)
        first = generator.generate([request_of(picture, TEXT)])
        looked, read = generator.work.patches, generator.work.prompt
        second = generator.generate([request_of(picture.copy(), TABLE)])
        assert generator.work.patches == looked
        assert generator.work.prompt - read == len(generator._prompts.ids(TABLE).after), "only its own prompt is read"
        assert ids(first) == ids(fresh.generate([request_of(picture, TEXT)]))
        assert ids(second) == ids(fresh.generate([request_of(picture, TABLE)]))

    def test_visual_tokens_are_kept_where_keys_and_values_are_gone(self, folder: Path) -> None:
        # 72 visual tokens: 37 kB; the keys and values of their conversation are larger than their share
        generator = generator_of(folder, vision_cache_bytes=4 * 40_000)
        picture = noise(252, 224)
        fresh = ids(generator_of(folder, vision_cache_bytes=0).generate([request_of(picture)]))
        for _ in range(2):
            assert ids(generator.generate([request_of(picture)])) == fresh
        assert generator.work.patches == 4 * generator.visual_tokens(request_of(picture))
        assert generator.work.prompt > 2 * generator.visual_tokens(request_of(picture)), "read twice"

    def test_one_picture_asked_twice_in_a_call_is_looked_at_once(self, shared: LocalGenerator) -> None:
        picture, other = noise(84, 84), noise(84, 56)
        requests = [request_of(picture, TEXT), request_of(other), request_of(picture, TABLE), request_of(picture, TEXT)]
        before = shared.work.patches
        together = shared.generate(requests)
        visual = shared.visual_tokens(requests[0]) + shared.visual_tokens(requests[1])
        assert shared.work.patches - before == 4 * visual
        assert ids(together) == ids([shared.generate([request])[0] for request in requests])

    def test_it_is_bounded(self, folder: Path) -> None:
        generator = generator_of(folder, vision_cache_bytes=200_000)
        for seed in range(6):
            generator.generate([request_of(noise(112, 112, seed), tokens=1)])
            assert 0 < generator.memory.used <= 200_000


class TestEnds:
    def test_a_request_that_is_cancelled_already_costs_nothing(self, shared: LocalGenerator) -> None:
        ctx, patches = RunContext(), shared.work.patches
        ctx.cancel()
        (output,) = shared.generate([request_of(noise(112, 112), ctx=ctx)])
        assert (output.text, output.token_ids, output.end) == ("", (), STOPPED)
        assert shared.work.patches == patches

    @pytest.mark.parametrize("half", ["vision", "language"])
    def test_cancel_reaches_the_middle_of_reading(self, folder: Path, half: str) -> None:
        generator = generator_of(folder)
        ctx = RunContext()
        layers = vision(generator).blocks if half == "vision" else language(generator).layers
        at_call(layers[0].mlp, 0, ctx.cancel)
        reached, _ = counted(layers[1].mlp)
        (output,) = generator.generate([request_of(noise(112, 112), ctx=ctx)])
        assert output.end is STOPPED
        assert not reached, "the next layer was not run"

    @pytest.mark.parametrize("how", ["cancelled", "expired"])
    @pytest.mark.parametrize("half", ["vision", "language"])
    def test_who_gives_up_in_reading_leaves_the_others_as_they_were(
        self, folder: Path, shared: LocalGenerator, half: str, how: str
    ) -> None:
        generator = generator_of(folder)
        ctx = RunContext()
        stop = ctx.cancel if how == "cancelled" else lambda: object.__setattr__(ctx, "deadline", time.monotonic())
        layers = vision(generator).blocks if half == "vision" else language(generator).layers
        at_call(layers[0].mlp, 0, stop)
        requests = mixed_requests()
        expected = ids(shared.generate(requests))
        requests[4] = BlockRequest(requests[4].image, requests[4].prompt, requests[4].params, ctx)
        outputs = generator.generate(requests)
        assert outputs[4].end is STOPPED
        assert [o for n, o in enumerate(ids(outputs)) if n != 4] == [o for n, o in enumerate(expected) if n != 4]
        assert STOPPED not in [output.end for n, output in enumerate(outputs) if n != 4]

    def test_who_gives_up_in_writing_keeps_what_there_was(self, folder: Path, shared: LocalGenerator) -> None:
        generator = generator_of(folder)
        ctx = RunContext()
        requests = [request_of(noise(112, 112), LAYOUT, ctx), request_of(noise(84, 84), LAYOUT)]
        whole, other = ids(shared.generate(requests))
        rows, _ = counted(language(generator).norm)
        at_call(language(generator).norm, 6, ctx.cancel)
        stopped, went_on = generator.generate(requests)
        assert stopped.end is STOPPED
        assert stopped.token_ids == whole[:7]
        assert went_on.token_ids == other
        assert rows[:7] == [2] * 7
        assert set(rows[7:]) == {1}, "the row that ended left the call"

    def test_all_given_up_in_writing_ends_the_step(self, folder: Path) -> None:
        generator = generator_of(folder)
        ctx = RunContext()
        at_call(language(generator).layers[0].mlp, 3, ctx.cancel)
        reached, _ = counted(language(generator).layers[1].mlp)
        outputs = generator.generate([request_of(noise(56, 56, n), LAYOUT, ctx) for n in range(2)])
        assert [output.end for output in outputs] == [STOPPED] * 2
        assert [len(output.token_ids) for output in outputs] == [3, 3]
        assert len(reached) == 3

    def test_the_cap_is_kept_to_the_token(self, shared: LocalGenerator) -> None:
        requests = [request_of(noise(112, 112), LAYOUT, tokens=tokens) for tokens in (1, 2, 9, 400)]
        outputs = shared.generate(requests)
        assert [len(output.token_ids) for output in outputs] == [1, 2, 9, FREE.most]
        assert {output.end for output in outputs} == {CAP}
        assert all(len(output.logprobs) == len(output.token_ids) for output in outputs)

    def test_a_text_that_goes_round_in_circles_is_ended_and_marked(self, folder: Path) -> None:
        generator = generator_of(folder, limits=Limits(most=300, by_area=False, loop_tokens=40))
        assert generator._parts is not None
        begun = [11, 12, 13, 14]
        generator._parts.decoder._head = Recital([*begun, *[21, 22, 23] * 100])
        (output,) = generator.generate([request_of(noise(56, 56), LAYOUT)])
        assert output.end is BlockEnd.REPETITION
        assert list(output.token_ids) == [*begun, 21, 22, 23]
        assert len(output.logprobs) == len(output.token_ids)


class TestPoison:
    def test_a_picture_too_narrow_for_the_model_is_refused_before_any_work(self, shared: LocalGenerator) -> None:
        poison = request_of(noise(2000, 2))
        patches = shared.work.patches
        with pytest.raises(EngineFailed):
            shared.visual_tokens(poison)
        with pytest.raises(EngineFailed):
            shared.generate([request_of(noise(56, 56)), poison])
        assert shared.work.patches == patches

    def test_a_picture_that_cannot_be_prepared_is_refused_before_any_work(
        self, shared: LocalGenerator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = shared._preparation._processor

        class Picky:
            merge_size, patch_size, size = real.merge_size, real.patch_size, real.size

            def __call__(self, images: list[Image.Image], **options: Any) -> Any:
                if images[0].width == 84:
                    raise ValueError("no")
                return real(images=images, **options)

        monkeypatch.setattr(shared._preparation, "_processor", Picky())
        patches = shared.work.patches
        with pytest.raises(EngineFailed):
            shared.generate([request_of(noise(56, 56)), request_of(noise(84, 56))])
        assert shared.work.patches == patches
        assert shared.generate([request_of(noise(56, 56))])[0].token_ids, "the next call is as any other"


def test_two_threads_never_overlap(folder: Path, shared: LocalGenerator, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most = threading.Semaphore(1), []
    see, write = LocalGenerator._see, LocalGenerator._write

    def entered(self: LocalGenerator, *arguments: Any) -> Any:
        most.append(inside.acquire(blocking=False))
        return see(self, *arguments)

    def left(self: LocalGenerator, *arguments: Any) -> None:
        write(self, *arguments)
        inside.release()

    expected = [ids([output])[0] for output in shared.generate(mixed_requests())]
    monkeypatch.setattr(LocalGenerator, "_see", entered)
    monkeypatch.setattr(LocalGenerator, "_write", left)
    with ThreadPoolExecutor(4) as pool:
        written = list(pool.map(lambda request: shared.generate([request])[0].token_ids, mixed_requests()))
    assert all(most)
    assert len(most) == len(expected)
    assert written == expected


def test_padding_of_a_mixed_call_stays_low(folder: Path) -> None:
    generator = generator_of(folder)
    generator.generate(mixed_requests())
    assert 0 < generator.work.padding <= 0.2


def test_long_calls_are_read_in_portions(folder: Path, shared: LocalGenerator, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = ids(shared.generate(mixed_requests()))
    monkeypatch.setattr(generation, "PATCHES_AT_ONCE", 100)
    monkeypatch.setattr(generation, "TOKENS_AT_ONCE", 90)
    reads, hook = counted(language(shared).layers[0].mlp)
    try:
        assert ids(shared.generate(mixed_requests())) == expected
    finally:
        hook.remove()
    assert sum(rows > len(expected) for rows in reads) > 2


def test_texts_longer_than_the_room_ahead_go_on(folder: Path, shared: LocalGenerator) -> None:
    limits = Limits(most=200, by_area=False, loop_tokens=None)
    generator = generator_of(folder, limits=limits)
    long = generator.generate([request_of(noise(56, 56), LAYOUT), request_of(noise(28, 28), LAYOUT)])
    assert {len(output.token_ids) for output in long} == {200}
    assert ids(long) == [generator.generate([r])[0].token_ids for r in
                         (request_of(noise(56, 56), LAYOUT), request_of(noise(28, 28), LAYOUT))]  # fmt: skip
    assert shared.generate([request_of(noise(56, 56), LAYOUT)])[0].token_ids == long[0].token_ids[: FREE.most]


def test_nothing_asked_nothing_answered(shared: LocalGenerator) -> None:
    assert shared.generate([]) == []


def test_a_closed_model_says_so(folder: Path) -> None:
    generator = generator_of(folder)
    generator.generate([request_of(noise(56, 56))])
    generator.close()
    generator.close()
    assert generator.memory.used == 0
    with pytest.raises(EngineUnavailable):
        generator.generate([request_of(noise(56, 56))])
