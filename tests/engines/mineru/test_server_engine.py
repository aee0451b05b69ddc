"""The engine over servers that serve a model, on good days and bad ones: it reads what it reads with the model here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from mineru_vl_utils.vlm_client.base_client import SamplingParams

from mineru_core.document.analysis import PageAnalysis, PageFailure, Part
from mineru_core.engines.mineru.engine import MineruEngine
from mineru_core.engines.mineru.requests import BlockEnd, BlockRequest, BlockScore, Generator
from mineru_core.engines.mineru.server import ServerBackend
from mineru_core.engines.registry import create_engine
from mineru_core.runtime.context import RunContext
from mineru_core.runtime.metrics import Metrics
from mineru_core.settings import MineruServerSettings, Settings
from tests.engines.mineru.openai_server import Answer, Behaviour, Drop, ModelServer, Raw, Status, picture_of, prompt_of
from tests.engines.mineru.random_models import LAYOUT, TABLE, TEXT, generator_of, noise, random_checkpoint
from tests.engines.mineru.stand_ins import PAGE, Model, ModelBackend, page_of

AREAS = list(PAGE.values())
ALL = frozenset({Part.TEXT, Part.LAYOUT, Part.TABLES, Part.FORMULAS})


def serving(generator: Generator) -> Callable[[dict[str, Any]], Behaviour]:
    """What a server of this model answers; one request at a time, as the generator wants it."""
    one_at_a_time = threading.Lock()

    def answer(request: dict[str, Any]) -> Answer:
        params = SamplingParams(
            presence_penalty=request["presence_penalty"],
            frequency_penalty=request["frequency_penalty"],
            no_repeat_ngram_size=request["vllm_xargs"]["no_repeat_ngram_size"],
            max_new_tokens=request["max_tokens"],
        )
        asked = BlockRequest(picture_of(request), prompt_of(request), params, RunContext())
        with one_at_a_time:
            (output,) = generator.generate([asked])
        finish = "length" if output.end is BlockEnd.CAP else "stop"
        return Answer(output.text, output.logprobs, finish, output.pieces)

    return answer


@contextmanager
def engine_over(*servers: ModelServer, **settings: Any) -> Iterator[MineruEngine]:
    urls = tuple(server.url for server in servers)
    backend = ServerBackend(
        MineruServerSettings(**{"urls": urls, **settings}), layout_size=ModelBackend(Model(AREAS)).layout_size
    )
    engine = MineruEngine(backend, "mineru-server")
    try:
        yield engine
    finally:
        engine.close()


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mineru_core.engines.mineru.server.BACKOFF_S", 0.01)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(serving(Model(AREAS))) as server:
        yield server


def read(engine: MineruEngine) -> PageAnalysis | PageFailure:
    engine.load()
    (found,) = engine.read([page_of(AREAS)], ALL, RunContext())
    return found


def told(found: PageAnalysis | PageFailure) -> object:
    assert isinstance(found, PageAnalysis), found
    return found.blocks, found.failures, found.warnings


def read_here() -> object:
    engine = MineruEngine(ModelBackend(Model(AREAS)))
    try:
        return told(read(engine))
    finally:
        engine.close()


def test_it_reads_what_the_model_here_reads(server: ModelServer) -> None:
    with engine_over(server) as engine:
        assert told(read(engine)) == read_here()
    assert prompt_of(server.requests[0]) == LAYOUT


def test_bad_days_are_not_seen_in_the_page(server: ModelServer) -> None:
    server.script.extend(
        [
            Status(500),
            Raw(b'{"choices": [{"finish', promised=900),
            Drop(),
            Raw(b"<html>"),
            Status(429, {"Retry-After": "0.05"}),
            Status(503),
            Answer("gone mad", finish="error"),
        ]
    )
    with engine_over(server, attempts=8, breaker_failures=20) as engine:
        assert told(read(engine)) == read_here()
    assert not server.script


def test_a_server_that_is_gone_fails_the_page_by_name_and_is_used_again_when_it_is_back(server: ModelServer) -> None:
    with engine_over(server, breaker_failures=2, breaker_open_s=0.01) as engine:
        assert told(read(engine)) == read_here()
        server.stop()
        failed = read(engine)
        assert isinstance(failed, PageFailure)
        assert failed.code == "engine-unavailable"
        server.start()
        found = read(engine)
        for _ in range(200):  # until its time is over, which is short
            if isinstance(found, PageAnalysis):
                break
            found = read(engine)
        assert told(found) == read_here()


def test_a_block_that_no_server_reads_fails_alone() -> None:
    bad = PAGE["table"].colour

    def answer(request: dict[str, Any]) -> Behaviour:
        picture = picture_of(request)
        is_bad = picture.getpixel((picture.width // 2, picture.height // 2)) == bad and prompt_of(request) == TABLE
        return Status(500) if is_bad else model(request)

    model = serving(Model(AREAS))
    with ModelServer(answer) as one, ModelServer(answer) as other, engine_over(one, other) as engine:
        found = read(engine)
    assert isinstance(found, PageAnalysis)
    assert [failure.code for failure in found.failures] == ["engine-failed"]
    assert "Annual report" in [block.text for block in found.blocks]


def test_a_layout_that_no_server_reads_is_no_empty_page() -> None:
    with ModelServer(lambda _request: Status(500)) as server, engine_over(server, breaker_failures=9) as engine:
        found = read(engine)
    assert isinstance(found, PageFailure)


def test_a_real_model_says_over_http_what_it_says_here(tmp_path: Path) -> None:
    generator = generator_of(random_checkpoint(tmp_path / "random"))
    pictures = [noise(112, 84), noise(84, 112, 1), noise(28, 140, 2)]
    prompts = [LAYOUT, TEXT, TABLE]
    params = [SamplingParams(presence_penalty=1.0, frequency_penalty=0.05, no_repeat_ngram_size=100)] * 3
    with ExitStack() as stack:
        stack.callback(generator.close)
        server = stack.enter_context(ModelServer(serving(generator)))
        backend = ServerBackend(MineruServerSettings(urls=(server.url,)), max_new_tokens=24)
        stack.callback(backend.close)
        scores = backend.client(RunContext()).batch_predict_scored(pictures, prompts, params)
        for picture, prompt, chosen, score in zip(pictures, prompts, params, scores, strict=True):
            assert isinstance(score, BlockScore)
            here = generator.generate([BlockRequest(picture, prompt, chosen, RunContext())])[0]
            assert score.error is None
            assert here.text.startswith(score.text)  # unless it goes round in circles, which is not let pass here
            assert score.text or here.text == ""


def test_its_breakers_are_among_the_metrics(server: ModelServer) -> None:
    metrics = Metrics()
    settings = Settings(mineru_server=MineruServerSettings(urls=(server.url,), breaker_failures=1))
    engine = create_engine("mineru-server", settings, on_breaker=metrics.set_breaker)
    try:
        engine.load()
        server.stop()
        (failed,) = engine.read([page_of(AREAS)], ALL, RunContext())
        assert isinstance(failed, PageFailure)
    finally:
        engine.close()
    name = server.url.removeprefix("http://")
    assert metrics.value("mineru_workbench_circuit_breaker", server=name, state="open") == 1
