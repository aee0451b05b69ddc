"""Several engines in one process, over one cache."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from mineru_core.engines.echo import EchoEngine
from mineru_core.engines.registry import engine_names
from mineru_core.errors import EngineUnavailable, InvalidRequest
from mineru_core.serving.analyzer import Analyzer
from mineru_core.serving.analyzers import Analyzers
from mineru_core.settings import EngineSettings, Settings
from tests.documents import table_pdf


class Other(EchoEngine):
    name = "other"


def analyzers(choices: tuple[str, ...] | None = ("echo",), engine: EchoEngine | None = None) -> Analyzers:
    settings = Settings(engine=EngineSettings(choices=choices))
    return Analyzers(Analyzer(settings, engine if engine is not None else Other()))


@pytest.fixture
def both() -> Iterator[Analyzers]:
    both = analyzers()
    yield both
    both.close()
    both.default.close()


def test_each_engine_has_one_analyzer_over_the_same_cache_and_metrics(both: Analyzers) -> None:
    start, found = threading.Barrier(6), []

    def ask() -> None:
        start.wait()
        found.append(both.named("echo"))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (echo,) = set(found)
    assert echo is not both.default
    assert both.named("other") is both.named("") is both.named(None) is both.default
    assert (echo.cache, echo.metrics) == (both.default.cache, both.default.metrics)
    assert not echo.loaded
    with echo.open(table_pdf(), name="note.pdf") as document:
        assert echo.analyze(document).engine == "echo-1"
    assert echo.loaded
    assert not both.default.loaded


def test_only_what_may_be_chosen_is(both: Analyzers) -> None:
    assert both.choices == ("other", "echo")
    with pytest.raises(InvalidRequest, match="There is no engine 'mineru' here") as raised:
        both.named("mineru")
    assert "other, echo" in raised.value.hint


def test_all_engines_that_read_may_be_chosen_unless_it_is_said() -> None:
    both = analyzers(choices=None)
    assert set(both.choices) == {*engine_names(), "other"} - {"echo"}
    both.default.close()
    alone = analyzers(choices=())
    assert alone.choices == ("other",)
    alone.default.close()


def test_how_far_an_engine_is_loaded(both: Analyzers) -> None:
    assert both.load_progress("echo") is None
    both.named("echo").load_progress = ("weights", 0.4)
    assert both.load_progress("echo") == ("weights", 0.4)
    both.named("echo").load()
    assert both.load_progress("echo") is None


def test_closing_closes_what_was_made_here(both: Analyzers) -> None:
    echo = both.named("echo")
    both.close()
    both.close()
    with pytest.raises(EngineUnavailable):
        echo.load()
    with pytest.raises(EngineUnavailable):
        both.named("echo")
    both.default.load()  # its owner's to close
    with both.default.open(table_pdf(), name="note.pdf") as document:
        assert both.default.analyze(document).success  # the cache is open still
