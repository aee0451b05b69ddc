"""Documents that several servers count together, in a real Valkey or Redis."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pydantic import SecretStr

from mineru_core.api import rate_windows
from mineru_core.api.limits import SubmissionLimiter
from mineru_core.api.rate_windows import SharedWindows, address_of
from mineru_core.cli.doctor import State, check_rates
from mineru_core.errors import InvalidSetting, RateLimited
from mineru_core.runtime.circuit_breaker import BreakerState
from mineru_core.settings import RateSettings, Settings, load_settings
from tests.api.conftest import StartApi
from tests.api.errors import assert_error
from tests.api.test_access import make_token
from tests.api.test_limits import post, taken
from tests.valkey import VALKEY, Valkey, free_port, valkey_server

needs_server = pytest.mark.skipif(VALKEY is None, reason="neither valkey-server nor redis-server is installed")


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    with valkey_server(tmp_path, "s3cret") as server:
        yield server


def rate(valkey: Valkey, **changes: int) -> RateSettings:
    return RateSettings(storage_url=SecretStr(valkey.url), **changes)


@needs_server
def test_two_servers_count_together(valkey: Valkey) -> None:
    one, other = (SubmissionLimiter(rate(valkey, burst=5)) for _ in range(2))
    assert taken(one, "a", 3) == 3
    assert taken(other, "a", 9) == 2
    assert taken(one, "b", 9) == 5
    standing = one.standing("a")
    assert standing is not None
    assert (standing.limit, standing.remaining) == (5, 0)
    with pytest.raises(RateLimited) as refused:
        one.take("a")
    assert 0 < (refused.value.retry_after_s or 0) <= 60


@needs_server
def test_threads_of_two_servers_get_no_more_than_one_would(valkey: Valkey) -> None:
    limiters = [SubmissionLimiter(rate(valkey, burst=20)) for _ in range(2)]

    def take(number: int) -> bool:
        return taken(limiters[number % 2], "a", 1) == 1

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(take, range(80))) == 20


@needs_server
def test_while_it_is_away_each_server_counts_for_itself(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(rate_windows, "AWAY_S", 0.0)
    states: list[BreakerState] = []
    limiter = SubmissionLimiter(rate(valkey, burst=3), states.append)
    assert taken(limiter, "a", 2) == 2
    valkey.kill()
    with caplog.at_level(logging.INFO):
        assert taken(limiter, "a", 9) == 3
        assert states.pop() is BreakerState.OPEN
        valkey.start()  # with nothing in it
        assert taken(limiter, "a", 9) == 3
        assert states[-1] is BreakerState.CLOSED
    assert taken(SubmissionLimiter(rate(valkey, burst=3)), "a", 9) == 0
    told = [record.getMessage() for record in caplog.records if "rate limits" in record.getMessage()]
    assert any("does not answer" in text for text in told)
    assert "answers again" in told[-1]
    assert "s3cret" not in caplog.text


@needs_server
def test_a_server_that_was_started_anew_is_asked_again_at_once(valkey: Valkey) -> None:
    states: list[BreakerState] = []
    limiter = SubmissionLimiter(rate(valkey, burst=3), states.append)
    assert taken(limiter, "a", 2) == 2
    valkey.kill()
    valkey.start()
    assert taken(limiter, "a", 9) == 3
    assert states == [BreakerState.CLOSED]


@needs_server
def test_owners_are_not_told_to_it(valkey: Valkey) -> None:
    from valkey import Valkey as Client

    SubmissionLimiter(rate(valkey)).take("203.0.113.7")
    with Client.from_url(valkey.url.replace("redis", "valkey", 1)) as client:
        keys = client.keys()
    assert keys
    assert all(key.startswith(rate_windows.PREFIX.encode()) and b"203.0" not in key for key in keys)


@needs_server
def test_a_token_has_one_limit_at_two_servers(start_api: StartApi, home: Path, valkey: Valkey) -> None:
    token = make_token(home, "a")
    shared = {"burst": 3, "storage_url": valkey.url}
    with start_api(rate=shared) as one, start_api(rate=shared) as other:
        answers = [post(one, token), post(other, token), post(one, token)]
        assert [answer.status_code for answer in answers] == [200] * 3
        assert [answer.headers["ratelimit-remaining"] for answer in answers] == ["2", "1", "0"]
        assert_error(post(other, token), 429, "rate-limited")
        metrics = other.service.analyzer.metrics
        assert metrics.value("mineru_workbench_circuit_breaker", server="rate-storage", state="closed") == 1


def test_a_storage_that_does_not_answer_stops_no_work(
    start_api: StartApi, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = make_token(home, "a")
    monkeypatch.setattr(rate_windows, "ANSWER_S", 3.0)
    with socket.create_server(("127.0.0.1", 0)) as deaf, ThreadPoolExecutor(1) as pool:
        url = f"valkey://127.0.0.1:{deaf.getsockname()[1]}"
        with start_api(rate={"burst": 1, "storage_url": url}) as api:
            first = pool.submit(post, api, token)
            with deaf.accept()[0]:  # the document waits for the storage now
                assert api.client.get("/livez").status_code == 200
                assert not first.done()  # the event loop did not wait with it
                assert first.result(30.0).status_code == 200
                assert_error(post(api, token), 429, "rate-limited")


@needs_server
def test_doctor_tells_whether_it_answers(valkey: Valkey) -> None:
    settings = Settings(rate=rate(valkey))
    assert check_rates(Settings()).state is State.OK
    assert check_rates(settings).message == f"counted in 127.0.0.1:{valkey.port}/0"
    valkey.kill()
    away = check_rates(settings)
    assert away.state is State.WARN
    assert "s3cret" not in f"{away} {settings}"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("valkey://host", "host:6379"),
        ("rediss://me:s3cret@host:7000/2", "host:7000/2"),
        ("valkey://[::1]:7000/", "[::1]:7000"),
        ("valkey+unix:///run/valkey.sock", "/run/valkey.sock"),
    ],
)
def test_addresses_are_told_without_password(url: str, address: str) -> None:
    assert address_of(url) == address
    assert SharedWindows(url).address == address
    assert load_settings(rate={"storage_url": url}).rate.storage_url is not None


@pytest.mark.parametrize("url", ["", "host:6379", "http://s3cret@host", "valkey://", "valkey://host/x", "memory://"])
def test_no_address_is_an_invalid_setting(url: str) -> None:
    with pytest.raises(InvalidSetting, match=r"rate\.storage_url") as refused:
        load_settings(rate={"storage_url": url})
    assert "s3cret" not in str(refused.value)


def test_a_port_nobody_listens_at_is_counted_without(caplog: pytest.LogCaptureFixture) -> None:
    url = f"valkey://127.0.0.1:{free_port()}"
    assert taken(SubmissionLimiter(RateSettings(burst=2, storage_url=SecretStr(url))), "a", 9) == 2
    assert caplog.text.count("does not answer") == 1
