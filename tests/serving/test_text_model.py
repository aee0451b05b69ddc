"""The text model's client, against a server on loopback that does what real ones do on bad days."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from mineru_core.engines.echo import EchoEngine
from mineru_core.errors import Cancelled, DeadlineExceeded, InvalidSetting, TextModelUnavailable
from mineru_core.export.result import DocumentResult
from mineru_core.intake import open_document
from mineru_core.runtime.circuit_breaker import BreakerState
from mineru_core.runtime.context import RunContext
from mineru_core.serving.analyzer import Analyzer
from mineru_core.serving.text_model import BREAKER_FAILURES, MAX_REPLY_BYTES, TextModel
from mineru_core.settings import CacheSettings, Settings, TextModelSettings
from tests.documents import PdfPage, PdfText, text_pdf
from tests.engines.mineru.openai_server import Answer, Behaviour, Drop, Hang, ModelServer, Raw, Status

ASKED = [{"role": "user", "content": "?"}]
CLAUSE = "The tenant may keep two cats."
GROUNDED = json.dumps({"answer": "Two cats.", "sources": [{"line": 1, "quote": "two cats"}]})


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(lambda _request: Answer("hello")) as running:
        yield running


def settings_for(server: ModelServer, **more: object) -> TextModelSettings:
    return TextModelSettings.model_validate(
        {"url": f"{server.url}/v1", "model": "some-model", "timeout_s": 20.0, **more}
    )


@pytest.fixture
def model(server: ModelServer) -> Iterator[TextModel]:
    made = TextModel(settings_for(server))
    yield made
    made.close()


def test_asks_as_the_protocol_says(server: ModelServer, model: TextModel) -> None:
    assert model.ask(ASKED, RunContext()) == "hello"
    (request,) = server.requests
    assert (request["model"], request["messages"], request["temperature"]) == ("some-model", ASKED, 0)


def test_the_key_is_sent_and_never_shown(server: ModelServer) -> None:
    server.key = "secret-of-test"
    settings = settings_for(server, api_key=SecretStr("secret-of-test"))
    model = TextModel(settings)
    assert model.ask(ASKED, RunContext()) == "hello"
    assert "secret-of-test" not in repr(settings) + model.fingerprint
    model.close()


@pytest.mark.parametrize(
    "first",
    [Status(500), Status(429, {"Retry-After": "0"}), Drop(), Raw(b"not json"), Raw(b'{"choices": []}'), Raw(b"{}", 99)],
    ids=["500", "429", "dropped", "no json", "no choices", "half a body"],
)
def test_a_bad_moment_is_tried_again(server: ModelServer, model: TextModel, first: Behaviour) -> None:
    server.script.append(first)
    assert model.ask(ASKED, RunContext()) == "hello"
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("always", "tries", "says"),
    [
        (Status(500), 3, "status 500"),
        (Status(401), 1, "status 401"),
        (Status(400), 1, "status 400"),
        (Status(429, {"Retry-After": "600"}), 1, "busy"),
        (Raw(b'{"choices": [{"message": {"content": null}}]}'), 3, "out of form"),
        (Raw(b"x" * (MAX_REPLY_BYTES + 1)), 3, "does not come to an end"),
        (Drop(), 3, "broke off"),
    ],
    ids=["500", "denied", "refused", "busy for long", "no text", "endless", "dropped"],
)
def test_what_stays_bad_is_a_typed_error(
    server: ModelServer, model: TextModel, always: Behaviour, tries: int, says: str
) -> None:
    server.model = lambda _request: always
    with pytest.raises(TextModelUnavailable, match=says):
        model.ask(ASKED, RunContext())
    assert len(server.requests) == tries


def test_a_server_that_is_not_there(server: ModelServer, model: TextModel) -> None:
    server.stop()
    with pytest.raises(TextModelUnavailable, match="cannot be reached"):
        model.ask(ASKED, RunContext())


def test_a_slow_server_has_its_time_and_no_more(server: ModelServer) -> None:
    server.script.append(Hang())
    model = TextModel(settings_for(server, timeout_s=0.3))
    with pytest.raises(TextModelUnavailable, match="in time"):
        model.ask(ASKED, RunContext())
    assert server.left.wait(20.0)
    model.close()


def test_a_cancel_ends_the_request_and_says_nothing_against_the_server(server: ModelServer, model: TextModel) -> None:
    server.script.extend([Hang()] * BREAKER_FAILURES)
    for _ in range(BREAKER_FAILURES):
        context = RunContext()
        canceller = threading.Thread(target=lambda ctx=context: (server.wait_until_entered(), ctx.cancel()))
        canceller.start()
        with pytest.raises(Cancelled):
            model.ask(ASKED, context)
        canceller.join()
    assert server.left.wait(20.0)
    assert model.ask(ASKED, RunContext()) == "hello"


def test_the_deadline_of_the_work_holds(server: ModelServer, model: TextModel) -> None:
    server.script.append(Hang())
    with pytest.raises(DeadlineExceeded):
        model.ask(ASKED, RunContext.with_timeout(0.3))


def test_a_server_that_keeps_failing_is_left_alone(server: ModelServer) -> None:
    server.model = lambda _request: Status(401)
    states: list[tuple[str, BreakerState]] = []
    model = TextModel(settings_for(server), lambda host, state: states.append((host, state)))
    for _ in range(BREAKER_FAILURES):
        with pytest.raises(TextModelUnavailable):
            model.ask(ASKED, RunContext())
    with pytest.raises(TextModelUnavailable, match="left alone"):
        model.ask(ASKED, RunContext())
    assert len(server.requests) == BREAKER_FAILURES
    assert states == [(f"127.0.0.1:{server.port}", BreakerState.OPEN)]
    model.close()


def test_nobody_waits_for_a_model_that_was_closed(server: ModelServer, model: TextModel) -> None:
    server.script.append(Hang())
    closer = threading.Thread(target=lambda: (server.wait_until_entered(), model.close()))
    closer.start()
    for _ in range(2):
        with pytest.raises(TextModelUnavailable, match="closed"):
            model.ask(ASKED, RunContext())
    closer.join()


@pytest.mark.parametrize(
    "values", [{"url": "localhost:8000", "model": "m"}, {"url": "http://x/v1"}, {"url": "http://", "model": "m"}]
)
def test_settings_that_cannot_be_are_refused_at_once(values: dict[str, str]) -> None:
    with pytest.raises(InvalidSetting, match="text_model"):
        Analyzer(Settings(text_model=TextModelSettings.model_validate(values)), EchoEngine())


def ask(server: ModelServer | None, words: str, analyzer: Analyzer | None = None) -> DocumentResult:
    def read(reader: Analyzer) -> DocumentResult:
        with open_document(text_pdf([PdfPage([PdfText(CLAUSE)])]), name="lease.pdf") as document:
            return reader.analyze(document, words)

    if analyzer is not None:
        return read(analyzer)
    text_model = TextModelSettings() if server is None else settings_for(server)
    with Analyzer(Settings(text_model=text_model), EchoEngine()) as made:
        return read(made)


def codes(result: DocumentResult) -> list[str]:
    return [note.code for note in result.answer.notes]


OPEN = "who pays for a broken window?"


def test_an_open_question_is_answered_with_quotes(server: ModelServer) -> None:
    server.model = lambda _request: Answer(GROUNDED)
    found = ask(server, "any animals allowed at all?")
    assert (found.answer.text, found.answer.text_model) == ("Two cats.", "some-model")
    assert [(quote.text, quote.page) for quote in found.answer.quotes] == [(CLAUSE, 1)]
    assert codes(found) == ["answered-by-model"]


def test_without_a_server_set_nobody_is_asked(server: ModelServer) -> None:
    assert codes(ask(None, OPEN)) == ["answer-not-found"]
    assert server.requests == []


def test_what_the_rules_answer_is_not_asked(server: ModelServer) -> None:
    found = ask(server, "how many cats may the tenant keep?")
    assert found.answer.quotes
    assert not found.answer.text_model
    assert server.requests == []


@pytest.mark.parametrize("said", ["The landlord does.", '{"answer": "The landlord", "sources": []}'])
def test_an_answer_without_a_source_is_not_given(server: ModelServer, said: str) -> None:
    server.model = lambda _request: Answer(said)
    found = ask(server, OPEN)
    assert (found.answer.text, found.answer.quotes, codes(found)) == ("", (), ["answer-not-found"])


def test_a_server_that_fails_costs_a_note_and_is_asked_again_next_time(server: ModelServer, home: object) -> None:
    settings = Settings(text_model=settings_for(server), cache=CacheSettings(disk_bytes=0))
    with Analyzer(settings, EchoEngine()) as analyzer:
        server.model = lambda _request: Status(401)
        assert codes(ask(None, OPEN, analyzer)) == ["answer-not-found", "text-model-unavailable"]
        server.model = lambda _request: Answer(GROUNDED)
        assert ask(None, OPEN, analyzer).answer.text == "Two cats."
        assert ask(None, OPEN, analyzer).answer.text == "Two cats."
    assert len(server.requests) == 2  # the third was known
