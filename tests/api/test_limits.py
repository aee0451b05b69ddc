"""How many documents a caller may hand in."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from mineru_core.api import limits as module
from mineru_core.api.limits import SubmissionLimiter
from mineru_core.engines.echo import EchoEngine
from mineru_core.errors import RateLimited
from mineru_core.settings import RateSettings
from mineru_core.store.tokens import Scope
from tests.api.conftest import Api, StartApi
from tests.api.errors import assert_error
from tests.api.test_access import make_token
from tests.documents import draw_lines, png_bytes

PARSE = "/api/v1/document/parse"
PICTURE = png_bytes(draw_lines(["a"]))


class Clock:
    """The time the limiter sees."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = 1_000_000.0
        patch.setattr("limits.storage.memory.time.time", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def taken(limiter: SubmissionLimiter, who: str, most: int) -> int:
    """How many are taken until one is refused."""
    for count in range(most):
        try:
            limiter.take(who)
        except RateLimited:
            return count
    return most


def test_a_burst_then_as_many_as_the_rate_gives(clock: Clock) -> None:
    limiter = SubmissionLimiter(RateSettings(per_minute=2, burst=3))
    by_minute = []
    for _ in range(12):
        by_minute.append(taken(limiter, "a", 100))
        clock.now += 60.5
    assert by_minute[:4] == [3, 3, 3, 1]
    for start in range(len(by_minute) - 5):
        assert sum(by_minute[start : start + 5]) <= 10
    assert sum(by_minute) >= 20


def test_each_caller_has_its_own(clock: Clock) -> None:
    limiter = SubmissionLimiter(RateSettings(per_minute=20, burst=2))
    assert [taken(limiter, who, 9) for who in ("a", "b", "a")] == [2, 2, 0]


def test_the_wait_that_is_told_is_enough_and_needed(clock: Clock) -> None:
    limiter = SubmissionLimiter(RateSettings(per_minute=1, burst=2))
    limiter.take("a")
    clock.now += 10.0
    limiter.take("a")
    with pytest.raises(RateLimited) as refused:
        limiter.take("a")
    assert refused.value.retry_after_s == pytest.approx(50.0, abs=0.1)
    clock.now += 49.0
    assert taken(limiter, "a", 9) == 0
    clock.now += 1.1
    assert taken(limiter, "a", 9) == 1


def test_a_refusal_counts_for_nothing(clock: Clock) -> None:
    limiter = SubmissionLimiter(RateSettings(per_minute=20, burst=1))
    limiter.take("a")
    assert [taken(limiter, "a", 9) for _ in range(50)] == [0] * 50
    clock.now += 60.1
    assert taken(limiter, "a", 9) == 1


def test_the_headers_name_the_limit_that_is_closest(clock: Clock) -> None:
    limiter = SubmissionLimiter(RateSettings(per_minute=20, burst=3))
    limiter.take("a")
    standing = limiter.standing("a")
    assert standing is not None
    assert standing.headers() == {
        "RateLimit-Limit": "3",
        "RateLimit-Remaining": "2",
        "RateLimit-Reset": "60",
        "RateLimit-Policy": "3;w=60, 100;w=300",
    }
    assert SubmissionLimiter(RateSettings(per_minute=0)).standing("a") is None


def post(api: Api, headers: dict[str, str], path: str = PARSE, **fields: str) -> httpx.Response:
    return api.client.post(path, files={"file": ("a.png", PICTURE)}, data=fields, headers=headers)


def test_a_token_is_limited_by_its_owner_over_all_its_ways(start_api: StartApi, home: Path) -> None:
    first, second = make_token(home, "a"), make_token(home, "a")
    other, free = make_token(home, "b"), make_token(home, "load", Scope.DOCUMENTS, Scope.EXEMPT)
    with start_api(rate={"burst": 3}) as api:
        answers = [post(api, first), post(api, second, "/v1/document/parse"), post(api, first, **{"async": "true"})]
        assert [answer.status_code for answer in answers] == [200, 200, 202]
        assert [answer.headers["ratelimit-remaining"] for answer in answers] == ["2", "1", "0"]
        refused = post(api, second)
        body = assert_error(refused, 429, "rate-limited")
        assert "queue_fraction" not in body
        assert 50 <= int(refused.headers["retry-after"]) <= 60
        assert refused.headers["ratelimit-remaining"] == "0"
        assert post(api, other).status_code == 200
        assert [post(api, free).status_code for _ in range(6)] == [200] * 6
        assert api.client.get("/api/v1/tasks/x", headers=first).status_code == 404  # asking is not limited
        metrics = api.service.analyzer.metrics
        assert metrics.value("mineru_workbench_refusals_total", reason="rate") == 1


def test_whoever_is_at_the_machine_is_limited_only_if_that_is_wanted(start_api: StartApi) -> None:
    with start_api(rate={"burst": 1}) as api:
        answers = [post(api, {}) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200] * 3
        assert not [name for name in answers[0].headers if name.startswith("ratelimit")]
    with start_api(rate={"burst": 1, "local": True}) as api:
        assert [post(api, {}).status_code for _ in range(3)] == [200, 429, 429]


def test_an_ephemeral_token_is_free_of_the_limit_and_makes_nobody_need_one(start_api: StartApi, home: Path) -> None:
    passing = make_token(home, "loadtest", Scope.DOCUMENTS, Scope.EXEMPT, Scope.EPHEMERAL)
    with start_api(rate={"burst": 1, "local": True}) as api:
        assert [post(api, passing).status_code for _ in range(3)] == [200] * 3
        assert [post(api, {}).status_code for _ in range(2)] == [200, 429]


def declared(api: Api, length: int, *headers: str) -> bytes:
    """What comes back to a request that declares a body and sends nothing of it."""
    lines = [f"POST {PARSE} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {length}", "Expect: 100-continue", *headers]
    with socket.create_connection((api.client.base_url.host, api.client.base_url.port or 80), timeout=20.0) as line:
        line.sendall("\r\n".join([*lines, "", ""]).encode())
        return line.recv(65536)


def test_a_refusal_comes_before_the_body(start_api: StartApi, home: Path) -> None:
    with start_api(EchoEngine(delay_s=60.0), jobs={"workers": 1, "waiting_places": 1}) as api:
        while not (answer := declared(api, 50_000_000)).startswith(b"HTTP/1.1 429 "):
            assert answer.startswith(b"HTTP/1.1 422 ")  # let in, and no form
            post(api, {}, **{"async": "true"})
    with start_api(rate={"burst": 1, "local": True}) as api:
        post(api, {})
        assert declared(api, 50_000_000).startswith(b"HTTP/1.1 429 ")


def test_a_client_in_the_middle_of_sending_sees_the_refusal(start_api: StartApi) -> None:
    with start_api(rate={"burst": 1, "local": True}) as api:
        post(api, {})
        answer = api.client.post(PARSE, files={"file": ("a.png", b"x" * 4_000_000)})
        assert_error(answer, 429, "rate-limited")
        assert answer.headers["connection"] == "close"


def test_what_is_refused_for_want_of_places_is_not_counted(
    start_api: StartApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken_by: list[str] = []
    monkeypatch.setattr(module.SubmissionLimiter, "take", lambda _, who: taken_by.append(who))
    with start_api(EchoEngine(delay_s=60.0), jobs={"workers": 1, "waiting_places": 1}, rate={"local": True}) as api:
        answers = [post(api, {}, **{"async": "true"}).status_code for _ in range(8)]
    assert answers.count(429) > 0
    assert len(taken_by) <= 8 - answers.count(429) + 1  # two may have raced for the last place


def test_threads_together_get_no_more_than_one_would() -> None:
    limiter = SubmissionLimiter(RateSettings(burst=20))

    def take(_: int) -> bool:
        try:
            limiter.take("ann")
        except RateLimited:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(take, range(200))) == 20
