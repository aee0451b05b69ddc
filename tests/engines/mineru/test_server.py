"""The model behind real HTTP servers on loopback that are slow, wrong, busy, half there, gone, and back again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from threading import Thread
from typing import Any

import numpy as np
import pytest
from mineru_vl_utils import MinerUClient
from mineru_vl_utils.mineru_client import DEFAULT_SAMPLING_PARAMS
from mineru_vl_utils.vlm_client.base_client import SamplingParams, VlmClient
from PIL import Image
from pydantic import SecretStr

from mineru_core.engines.mineru.requests import BlockEnd, BlockScore
from mineru_core.engines.mineru.server import ServerBackend
from mineru_core.errors import (
    Cancelled,
    DeadlineExceeded,
    EngineFailed,
    EngineUnavailable,
    InvalidSetting,
    Overloaded,
)
from mineru_core.runtime.circuit_breaker import BreakerState
from mineru_core.runtime.context import RunContext
from mineru_core.settings import MineruServerSettings
from tests.engines.mineru.openai_server import (
    MODEL,
    WAIT_S,
    Answer,
    Behaviour,
    Drop,
    Hang,
    ModelServer,
    Raw,
    Status,
    picture_of,
    prompt_of,
)

TEXT = "\nText Recognition:"
PICTURE = Image.fromarray(np.random.default_rng(4).integers(0, 256, (56, 84, 3), dtype=np.uint8))


class Cluster:
    """Servers, and a backend that knows them."""

    def __init__(self, stack: ExitStack) -> None:
        self.stack = stack
        self.servers: list[ModelServer] = []
        self.states: list[tuple[str, BreakerState]] = []

    def server(self, **fields: Any) -> ModelServer:
        server = self.stack.enter_context(ModelServer())
        for name, value in fields.items():
            setattr(server, name, value)
        self.servers.append(server)
        return server

    def backend(self, **settings: Any) -> ServerBackend:
        urls = tuple(server.url for server in self.servers)
        backend = ServerBackend(
            MineruServerSettings(**{"urls": urls, **settings}),
            on_state=lambda name, state: self.states.append((name, state)),
        )
        self.stack.callback(backend.close)
        return backend

    def client(self, ctx: RunContext | None = None, **settings: Any) -> VlmClient:
        return self.backend(**settings).client(ctx or RunContext())


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(stack)


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mineru_core.engines.mineru.server.BACKOFF_S", 0.01)


def read(client: VlmClient, prompts: list[str]) -> list[BlockScore]:
    scores = client.batch_predict_scored([PICTURE] * len(prompts), prompts)
    assert all(isinstance(score, BlockScore) for score in scores)
    return scores  # type: ignore[return-value]


def test_a_page_is_read_in_two_steps(cluster: Cluster) -> None:
    def model(request: dict[str, Any]) -> Answer:
        if prompt_of(request) == "\nLayout Detection:":
            return Answer("<|box_start|>100 100 900 300<|box_end|><|ref_start|>text<|ref_end|><|rotate_up|>", (-0.2,))
        return Answer("Read by a server<|im_end|>", (-0.5, -0.5))

    server = cluster.server(model=model)
    client = MinerUClient(backend="http-client", server_url=server.url, scored=True, use_tqdm=False)
    asyncio.run(client.aclose())
    client.client = cluster.client()
    blocks = client.two_step_extract(PICTURE)
    assert [(block.type, block.content) for block in blocks] == [("text", "Read by a server")]
    assert blocks[0].scored.logprobs == [-0.5, -0.5]


def test_the_request_is_the_models_own(cluster: Cluster) -> None:
    server = cluster.server()
    cluster.client().predict_scored(PICTURE, TEXT, DEFAULT_SAMPLING_PARAMS["[default]"])
    (body,) = server.requests
    system, user = body.pop("messages")
    assert system == {"role": "system", "content": "You are a helpful assistant."}
    _, words = user["content"]
    assert words == {"type": "text", "text": TEXT}
    assert np.array_equal(np.asarray(picture_of({"messages": [user]})), np.asarray(PICTURE))
    assert body.pop("vllm_xargs")["no_repeat_ngram_size"] == 100
    assert body == {
        "model": MODEL,
        "temperature": 0.0,
        "top_p": 0.01,
        "top_k": 1,
        "presence_penalty": 1.0,
        "frequency_penalty": 0.05,
        "repetition_penalty": 1.0,
        "max_tokens": 112,
        "max_completion_tokens": 112,
        "skip_special_tokens": False,
        "logprobs": True,
    }


def test_a_smaller_cap_is_kept_and_an_end_by_it_is_told(cluster: Cluster) -> None:
    server = cluster.server()
    server.script.append(Answer("cut", (-0.1,), finish="length"))
    score = cluster.client().predict_scored(PICTURE, TEXT, SamplingParams(max_new_tokens=7))
    assert server.requests[0]["max_tokens"] == 7
    assert isinstance(score, BlockScore)
    assert (score.text, score.end) == ("cut", BlockEnd.CAP)


def test_a_text_in_circles_is_cut_where_they_begin_and_marked(cluster: Cluster) -> None:
    pieces = ("Total", " 5", *(" 0", ",") * 60)
    server = cluster.server()
    server.script.append(Answer("".join(pieces), (-0.1,) * len(pieces), "length", pieces))
    score = cluster.client().predict_scored(PICTURE, TEXT)
    assert isinstance(score, BlockScore)
    assert score.end is BlockEnd.REPETITION
    assert score.text.startswith("Total 5 0,")
    assert len(score.text) < 12
    assert len(score.logprobs) == len(score.pieces)


def test_tokens_that_end_a_text_are_no_part_of_it(cluster: Cluster) -> None:
    server = cluster.server()
    server.script.append(Answer("Hi<|im_end|>", (-0.1, -3.0), pieces=("Hi", "<|im_end|>")))
    score = cluster.client().predict_scored(PICTURE, TEXT)
    assert isinstance(score, BlockScore)
    assert (score.text, score.logprobs, score.pieces) == ("Hi", [-0.1], ("Hi",))


def test_a_server_that_tells_no_probabilities_is_as_good(cluster: Cluster) -> None:
    cluster.server(model=lambda _request: Answer("plain"))
    (score,) = read(cluster.client(), [TEXT])
    assert (score.text, score.logprobs, score.error) == ("plain", [], None)


def test_a_server_that_refuses_the_wish_for_probabilities_is_asked_without(cluster: Cluster) -> None:
    server = cluster.server(model=lambda request: Status(400) if "logprobs" in request else Answer("plain"))
    client = cluster.client()
    assert [read(client, [TEXT])[0].text for _ in range(2)] == ["plain", "plain"]
    assert ["logprobs" in request for request in server.requests] == [True, False, False]


@pytest.mark.parametrize(
    "fault",
    [
        Status(500),
        Status(503),
        Status(429, {"Retry-After": "0"}),
        Raw(b'{"choices": [{"finish_reason": "st', promised=4000),
        Raw(b"<html>gateway</html>"),
        Raw(b"[]"),
        Raw(b'{"choices": []}'),
        Raw(b'{"choices": [{"finish_reason": "stop", "message": {"content": 5}}]}'),
        Raw(b'{"choices": [{"finish_reason": "stop", "message": {"content": "x"}, "logprobs": {"content": [1]}}]}'),
        Answer("half a word", finish=None),
        Answer("given up", finish="abort"),
        Drop(),
    ],
)
def test_a_fault_that_passes_is_not_seen(cluster: Cluster, fault: Behaviour) -> None:
    server = cluster.server()
    server.script.append(fault)
    (score,) = read(cluster.client(), [TEXT])
    assert (score.text, score.error) == (f"text of {TEXT}", None)
    assert len(server.requests) == 2


def test_a_busy_server_is_left_alone_for_as_long_as_it_says(cluster: Cluster) -> None:
    server = cluster.server()
    server.script.append(Status(429, {"Retry-After": "0.4"}))
    client = cluster.client()
    started = time.monotonic()
    read(client, [TEXT])
    assert time.monotonic() - started >= 0.4
    assert cluster.states == []  # to be busy is no failure


def test_a_server_that_is_busy_for_long_is_not_waited_for(cluster: Cluster) -> None:
    cluster.server(model=lambda _request: Status(429, {"Retry-After": "900"}))
    with pytest.raises(Overloaded) as raised:
        read(cluster.client(), [TEXT])
    assert 800 < (raised.value.retry_after_s or 0) <= 900


def test_retry_after_may_be_a_date(cluster: Cluster) -> None:
    server = cluster.server()
    server.script.append(Status(429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}))
    assert read(cluster.client(), [TEXT])[0].error is None


@pytest.mark.parametrize(("status", "tries"), [(400, 2), (422, 2), (413, 2), (500, 4)])
def test_a_block_that_no_server_reads_fails_alone(cluster: Cluster, status: int, tries: int) -> None:
    server = cluster.server(model=lambda request: Status(status) if prompt_of(request) == "bad" else Answer("good"))
    good, bad, other = read(cluster.client(), ["fine", "bad", "fine"])
    assert (good.text, other.text, bad.text) == ("good", "good", "")
    assert isinstance(bad.error, EngineFailed)
    assert (good.error, other.error) == (None, None)
    # 400 may have been for the wish for probabilities, unless another block has shown that it was not
    assert [prompt_of(request) for request in server.requests].count("bad") in (tries - 1, tries)
    assert cluster.states == []  # the others showed that the server is well


def test_asked_for_alone_it_is_raised(cluster: Cluster) -> None:
    cluster.server(model=lambda _request: Status(400))
    client = cluster.client()
    with pytest.raises(EngineFailed):
        client.predict_scored(PICTURE, TEXT)
    with pytest.raises(EngineFailed):
        client.batch_predict([PICTURE], [TEXT])


def test_a_server_that_is_not_there_is_never_an_empty_page(cluster: Cluster) -> None:
    cluster.server().stop()
    backend = cluster.backend()
    for ask in (backend.load, lambda: backend.fingerprint, lambda: backend.client(RunContext()).predict(PICTURE, TEXT)):
        with pytest.raises(EngineUnavailable, match="cannot be reached"):
            ask()


def test_a_server_that_goes_away_and_comes_back(cluster: Cluster) -> None:
    server = cluster.server()
    client = cluster.client(breaker_failures=2, breaker_open_s=0.05)
    read(client, [TEXT])
    server.stop()
    with pytest.raises(EngineUnavailable):
        read(client, [TEXT])
    assert cluster.states[0] == (f"127.0.0.1:{server.port}", BreakerState.OPEN)
    server.start()
    until = time.monotonic() + WAIT_S
    while cluster.states[-1][1] is not BreakerState.CLOSED:
        assert time.monotonic() < until
        with suppress(EngineUnavailable):
            read(client, [TEXT])
    assert server.paths.count("/health") >= 2  # asked how it is before blocks go to it again


def test_blocks_go_to_another_server(cluster: Cluster) -> None:
    gone, there = cluster.server(), cluster.server()
    backend = cluster.backend(breaker_failures=1, breaker_open_s=600)
    backend.load()
    gone.stop()
    client = backend.client(RunContext())
    for _ in range(3):
        assert all(score.error is None for score in read(client, [TEXT] * 4))
    assert len(there.requests) == 12
    assert cluster.states == [(f"127.0.0.1:{gone.port}", BreakerState.OPEN)]


def test_one_server_that_is_well_is_enough_to_begin(cluster: Cluster) -> None:
    cluster.server(health=Status(503))
    there = cluster.server()
    backend = cluster.backend()
    backend.load()
    assert backend.client(RunContext()).predict(PICTURE, TEXT)
    assert len(there.requests) == 1


def test_a_server_without_health_is_judged_by_its_models(cluster: Cluster) -> None:
    cluster.server(health=Status(404))
    cluster.backend().load()


def test_a_slow_server_costs_its_time_and_no_more(cluster: Cluster) -> None:
    cluster.server(model=lambda _request: Hang())
    cluster.server()
    # Long enough for the one that answers, however busy the machine is.
    assert cluster.client(timeout_s=1.0).predict(PICTURE, TEXT) == f"text of {TEXT}"


def test_cancel_ends_the_request(cluster: Cluster) -> None:
    server = cluster.server(model=lambda _request: Hang())
    ctx = RunContext()
    client = cluster.client(ctx)
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            read(client, [TEXT] * 3)
        except Cancelled as error:
            failures.append(error)

    thread = Thread(target=ask)
    thread.start()
    server.wait_until_entered(3)
    ctx.cancel()
    thread.join(WAIT_S)
    assert len(failures) == 1
    assert server.left.wait(WAIT_S)


def test_the_deadline_ends_the_request(cluster: Cluster) -> None:
    server = cluster.server(model=lambda _request: Hang())
    backend = cluster.backend()
    backend.load()
    with pytest.raises(DeadlineExceeded):
        read(backend.client(RunContext.with_timeout(0.3)), [TEXT])
    assert server.left.wait(WAIT_S)


def test_closing_answers_those_who_wait(cluster: Cluster) -> None:
    server = cluster.server(model=lambda _request: Hang())
    backend = cluster.backend()
    client = backend.client(RunContext())
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            read(client, [TEXT])
        except EngineUnavailable as error:
            failures.append(error)

    thread = Thread(target=ask)
    thread.start()
    server.wait_until_entered()
    backend.close()
    thread.join(WAIT_S)
    assert len(failures) == 1
    backend.close()
    with pytest.raises(EngineUnavailable, match="closed"):
        read(client, [TEXT])


def test_the_key_is_sent_and_never_told(cluster: Cluster) -> None:
    cluster.server(key="open sesame")
    assert cluster.client(api_key=SecretStr("open sesame")).predict(PICTURE, TEXT)
    with pytest.raises(EngineUnavailable, match="401") as raised:
        cluster.client(api_key=SecretStr("wrong word")).predict(PICTURE, TEXT)
    assert "wrong" not in str(raised.value)


def test_the_model_is_asked_for_unless_it_is_set(cluster: Cluster) -> None:
    server = cluster.server(models=["MinerU2.5-Pro-2605"])
    backend = cluster.backend()
    assert backend.model == "MinerU2.5-Pro-2605"
    assert backend.analyses_images
    assert "MinerU2.5-Pro-2605" in backend.fingerprint
    server.models = ["MinerU2.5-2509", "other"]
    assert not cluster.backend(model=MODEL).analyses_images
    with pytest.raises(EngineUnavailable, match="2 models"):
        cluster.backend().load()
    with pytest.raises(EngineUnavailable, match="does not have the model third"):
        cluster.backend(model="third").load()


def test_a_name_that_is_set_is_known_without_a_server(cluster: Cluster) -> None:
    cluster.server().stop()
    backend = cluster.backend(model="MinerU2.5-Pro-2605")
    assert backend.fingerprint != cluster.backend(model=MODEL).fingerprint
    assert backend.analyses_images


def test_servers_of_different_models_are_not_mixed(cluster: Cluster) -> None:
    first, second = cluster.server(), cluster.server(models=["another"])
    backend = cluster.backend()
    backend.load()
    assert all(score.error is None for score in read(backend.client(RunContext()), [TEXT] * 6))
    assert (len(first.requests), len(second.requests)) == (6, 0)


def test_no_more_blocks_are_on_their_way_than_allowed(cluster: Cluster) -> None:
    server = cluster.server()
    read(cluster.client(concurrency=2), [TEXT] * 9)
    assert server.most <= 2
    assert len(server.requests) == 9


def test_servers_share_the_blocks(cluster: Cluster) -> None:
    servers = [cluster.server(), cluster.server()]
    for server in servers:
        server.gate.clear()
    thread = Thread(target=read, args=(cluster.client(), [TEXT] * 6))
    thread.start()
    for server in servers:
        server.wait_until_entered(3)
        server.gate.set()
    thread.join(WAIT_S)
    assert [len(server.requests) for server in servers] == [3, 3]


def test_a_caller_on_a_loop_is_served_as_well(cluster: Cluster) -> None:
    cluster.server()
    client = cluster.client()

    async def ask() -> tuple[str, list[str]]:
        one = await client.aio_predict(PICTURE, TEXT)
        many = await client.aio_batch_predict([PICTURE] * 2, TEXT, semaphore=asyncio.Semaphore(1), use_tqdm=False)
        return one, many

    one, many = asyncio.run(ask())
    assert many == [one, one]


@pytest.mark.parametrize("urls", [(), ("nonsense",), ("ftp://a",), ("http://",)])
def test_an_address_that_is_none_is_a_wrong_setting(urls: tuple[str, ...]) -> None:
    with pytest.raises(InvalidSetting, match=r"mineru_server\.urls"):
        ServerBackend(MineruServerSettings(urls=urls))
