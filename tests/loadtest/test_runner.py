"""A load test from its scenario to its figures, against a real HTTP server on this machine."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from mineru_core.errors import InvalidRequest
from mineru_core.loadtest.records import Record
from mineru_core.loadtest.run import Run
from mineru_core.loadtest.runner import LoadTest, by_second
from mineru_core.loadtest.scenario import ClosedLoop, Documents, Kind, Poisson, Ramp, Scenario
from mineru_core.loadtest.target import Target, running_server
from mineru_core.settings import load_settings
from tests.loadtest.stub import stub_server

SMALL = Documents(kinds=(Kind.TABLE,), most=12)


def run(scenario: Scenario, url: str, token: str | None = None) -> Run:
    with LoadTest(scenario, Target(url, token), load_settings()) as test:
        return test.wait()


def poisson(rate: float, seconds: float = 0.5, **more: object) -> Scenario:
    fields = {"name": "test", "arrivals": Poisson(rate_per_s=rate), "seconds": seconds, "documents": SMALL, "seed": 7}
    return Scenario.model_validate({**fields, **more})


def test_every_request_is_counted_once_and_the_maximum_is_measured_before(home: Path) -> None:
    with stub_server() as stub:
        found = run(poisson(40, seconds=0.75, capacity_s=0.5, capacity_users=2), stub.url, "secret")
    assert stub.tokens == {"Bearer secret"}
    assert found.figures["requests"] == found.figures["answers"] == found.by_code["ok"] > 5
    assert found.figures["errors"] == found.figures["refused"] == 0
    assert found.figures["capacity"] > 2
    assert 0 < found.figures["p50_s"] <= found.figures["p95_s"] <= found.figures["p99_s"] <= found.figures["worst_s"]
    assert found.slow_stages_s == pytest.approx({"read": 0.5, "decode": 0.1})
    assert sum(second.answers for second in found.seconds) == found.figures["answers"]
    assert not found.stopped
    assert "secret" not in found.model_dump_json()


def test_a_refusal_is_final_and_no_error(home: Path) -> None:
    with stub_server("ok", "refused", "refused", "ok") as stub:
        found = run(poisson(20), stub.url)
    assert found.by_code["overloaded"] == found.figures["refused"] == 2
    assert found.figures["errors"] == 0
    assert len(stub.seen) == found.figures["requests"] + 1  # the one that warms up; nothing was sent twice


def test_errors_are_told_by_code(home: Path) -> None:
    with stub_server("ok", "failed", "broken", "wrong", "ok") as stub:
        found = run(poisson(20), stub.url)
    assert {code for code in found.by_code if code != "ok"} == {"corrupt-pdf", "http-500", "wrong-answer"}
    assert found.figures["errors"] == 3
    assert found.figures["timeouts"] == 0


def test_no_answer_in_time_is_a_timeout(home: Path) -> None:
    with stub_server("ok", "silent", "ok") as stub:
        found = run(poisson(20, timeout_s=1.0), stub.url)
    assert found.by_code["timeout"] == found.figures["timeouts"] == found.figures["errors"] == 1


def test_no_server_is_an_error_of_the_connection(home: Path) -> None:
    found = run(poisson(20, seconds=0.5), "http://127.0.0.1:9")
    assert found.by_code.keys() == {"connection"}


def test_who_comes_while_all_are_on_their_way_is_refused_and_never_sent(home: Path) -> None:
    with stub_server(delay_s=0.5) as stub:
        found = run(poisson(40, in_flight=3), stub.url)
    assert stub.most_open <= 3
    assert found.by_code["in-flight"] == found.figures["refused"] > 0
    assert len(stub.seen) == found.by_code["ok"] + 1


def test_people_wait_for_their_answers_in_a_closed_loop(home: Path) -> None:
    with stub_server(delay_s=0.05) as stub:
        found = run(poisson(1, seconds=1.5, arrivals=ClosedLoop(users=3)), stub.url)
    assert stub.most_open <= 3
    assert 3 < found.figures["answers"] <= 3 * 1.5 / 0.05 + 3


def test_the_asynchronous_api_is_followed_to_the_end(home: Path) -> None:
    with stub_server("ok", "ok", "taskfails", "ok") as stub:
        found = run(poisson(20, asynchronous=True), stub.url)
    assert found.by_code["ok"] > 1
    assert found.by_code["corrupt-pdf"] == 1


def test_a_ramp_finds_the_rate_that_holds(home: Path) -> None:
    ramp = Ramp(first_per_s=5, step_s=0.5, p95_limit_s=0.001)  # nothing is so quick
    with stub_server(delay_s=0.01) as stub:
        none = run(poisson(1, arrivals=ramp, seconds=3), stub.url)
        some = run(poisson(1, arrivals=ramp.model_copy(update={"p95_limit_s": 20.0}), seconds=2), stub.url)
    assert none.figures["best_rate"] < 5
    assert some.figures["best_rate"] >= 5


def test_stop_breaks_off_what_is_on_its_way(home: Path) -> None:
    with stub_server("ok", "silent") as stub:
        with LoadTest(poisson(50, seconds=60), Target(stub.url), load_settings()) as test:
            until = time.monotonic() + 60
            while stub.open < 2 and time.monotonic() < until:
                time.sleep(0.05)  # another process has no event to wait for
            assert test.progress().phase in {"", "warm-up", "main"}
            test.stop()
            found = test.wait()
        assert not test.is_running
    assert found.stopped
    assert found.by_code.get("stopped", 0) >= 2
    assert found.figures["errors"] == 0


def test_bounds(home: Path) -> None:
    settings = load_settings(loadtest={"max_seconds": 10, "max_rate_per_s": 5})
    for scenario in (poisson(6), poisson(1, seconds=11), poisson(1, seconds=6, capacity_s=5)):
        with pytest.raises(InvalidRequest):
            LoadTest(scenario, Target("http://127.0.0.1:9"), settings)


def test_other_machines_are_aimed_at_only_where_that_is_allowed(home: Path) -> None:
    for url in ("http://192.0.2.1:8501", "http://example.com", "http://127.0.0.1.example.com", "ftp://127.0.0.1", "x"):
        with pytest.raises(InvalidRequest):
            running_server(url, load_settings())
    with stub_server() as stub:
        assert running_server(f"{stub.url}/", load_settings()).url == stub.url


def test_locust_is_not_in_this_process() -> None:
    assert not {"locust", "gevent"} & sys.modules.keys()


def test_seconds_have_no_gaps() -> None:
    records = [Record("main", 0.1, 0.1, 0.4, "ok"), Record("main", 0.2, 0.2, 2.5, "corrupt-pdf")]
    assert [(second.answers, second.errors) for second in by_second(records)] == [(1, 0), (0, 0), (0, 1)]
    assert by_second([]) == ()
