"""Idempotency-Key: the same request again leads to the same task."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from mineru_core.api.idempotency import Asked, Idempotency
from mineru_core.engines.echo import EchoEngine
from mineru_core.settings import Settings
from tests.api.conftest import Api, StartApi
from tests.api.errors import assert_error
from tests.api.test_access import make_token
from tests.api.test_tasks import TWO_PAGES, HeldEngine
from tests.documents import draw_lines, png_bytes

PARSE = "/api/v1/document/parse"
PICTURE = png_bytes(draw_lines(["a"]))


def post(api: Api, key: str | None, data: bytes = PICTURE, **fields: str) -> httpx.Response:
    headers = {} if key is None else {"Idempotency-Key": key}
    return api.client.post(PARSE, files={"file": ("a.png", data)}, data=fields, headers=headers)


def jobs(api: Api) -> list[str]:
    return [job.id for job in api.service.list("local")]


def test_the_same_key_leads_to_the_same_task(start_api: StartApi) -> None:
    with start_api() as api:
        first, again = (post(api, "k1", **{"async": "true"}) for _ in range(2))
        assert first.status_code == again.status_code == 202
        assert first.headers["location"] == again.headers["location"]
        assert post(api, "k2", **{"async": "true"}).headers["location"] != first.headers["location"]
        assert len(jobs(api)) == 2


def test_without_a_key_each_request_is_its_own(start_api: StartApi) -> None:
    with start_api() as api:
        assert [post(api, None, **{"async": "true"}).status_code for _ in range(2)] == [202, 202]
        assert len(jobs(api)) == 2


def test_the_same_key_at_once_makes_one_job(start_api: StartApi) -> None:
    together = threading.Barrier(8)

    def call(api: Api) -> httpx.Response:
        together.wait(20.0)
        return post(api, "k")

    with start_api() as api:
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(call, [api] * 8))
        assert [answer.status_code for answer in answers] == [200] * 8
        assert len({answer.text for answer in answers}) == 1
        assert len(jobs(api)) == 1


@pytest.mark.parametrize("other", [{"instruction": "text"}, {"async": "true"}, {"region": "0,0,9,9"}])
def test_a_key_sent_with_another_request_is_refused(start_api: StartApi, other: dict[str, str]) -> None:
    with start_api() as api:
        assert post(api, "k").status_code == 200
        body = assert_error(post(api, "k", **other), 422, "invalid-request")
        assert "Idempotency-Key" in str(body["message"])
        assert_error(post(api, "k", png_bytes(draw_lines(["b"])), **other), 422, "invalid-request")
        assert len(jobs(api)) == 1


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "\xe9", "a\tb"])
def test_keys_that_are_off_are_refused(api: Api, key: str) -> None:
    answer = api.client.post(
        PARSE, files={"file": ("a.png", PICTURE)}, headers={b"Idempotency-Key": key.encode("latin-1")}
    )
    assert_error(answer, 422, "invalid-request")


def test_a_key_given_twice_is_refused(api: Api) -> None:
    headers = [("Idempotency-Key", "a"), ("Idempotency-Key", "b")]
    answer = api.client.post(PARSE, files={"file": ("a.png", PICTURE)}, headers=headers)
    assert_error(answer, 422, "invalid-request")


def test_what_failed_or_was_cancelled_is_tried_anew(start_api: StartApi, home: Path) -> None:
    with start_api(EchoEngine(delay_s=60.0)) as api:
        first = post(api, "k", **{"async": "true"}).headers["location"]
        api.client.delete(first)
        second = post(api, "k", **{"async": "true"}).headers["location"]
        assert second != first
        assert post(api, "k", **{"async": "true"}).headers["location"] == second


def test_a_key_is_known_after_a_restart(start_api: StartApi) -> None:
    with start_api() as api:
        first = post(api, "k").text
    with start_api() as api:
        assert post(api, "k").text == first
        assert len(jobs(api)) == 1


def test_keys_of_others_are_no_ones_business(start_api: StartApi, home: Path) -> None:
    a, b = make_token(home, "a"), make_token(home, "b")
    key = {"Idempotency-Key": "k"}
    with start_api() as api:
        files = {"file": ("a.png", PICTURE)}
        places = [
            api.client.post(PARSE, files=files, data={"async": "true"}, headers={**who, **key}).headers["location"]
            for who in (a, b, a)
        ]
    assert places[0] == places[2] != places[1]


def test_one_of_two_waiting_callers_may_go(start_api: StartApi) -> None:
    engine = HeldEngine()
    with start_api(engine) as api:
        staying: list[httpx.Response] = []
        caller = threading.Thread(target=lambda: staying.append(post(api, "k", TWO_PAGES)))
        caller.start()
        assert engine.reached.wait(20.0)
        with pytest.raises(httpx.ReadTimeout):
            api.client.post(PARSE, files={"file": ("a.png", TWO_PAGES)}, headers={"Idempotency-Key": "k"}, timeout=1.5)
        engine.go_on.set()
        caller.join(20.0)
        assert [answer.status_code for answer in staying] == [200]
        assert len(jobs(api)) == 1


def test_another_process_that_was_quicker_wins(home: Path) -> None:
    """Two services on one home: the slower one takes its own job back."""
    quick, slow = Idempotency(Settings(home=home)), Idempotency(Settings(home=home))
    cancelled: list[str] = []
    asked = Asked(("words",), (b"data",))

    class Named:
        def __init__(self, name: str) -> None:
            self.id, self.state = name, "running"

    def submit_meanwhile() -> Named:
        quick.submit_once("o", "k", asked, submit=lambda: Named("first"), get=Named, cancel=cancelled.append)  # type: ignore[arg-type, return-value]
        return Named("second")

    job = slow.submit_once("o", "k", asked, submit=submit_meanwhile, get=Named, cancel=cancelled.append)  # type: ignore[arg-type]
    assert (job.id, cancelled) == ("first", ["second"])
    quick.close()
    slow.close()
