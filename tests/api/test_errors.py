"""One shape for every error, whatever raised it."""

from __future__ import annotations

import httpx
import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mineru_core.api.errors import error_response, in_one_shape, install_handlers
from mineru_core.api.middleware import RequestId
from mineru_core.errors import Overloaded, WorkbenchError
from tests.api.conftest import Api
from tests.api.errors import assert_error
from tests.servers import serve_thread


@pytest.mark.parametrize("path", ["/api/", "/api/v1", "/api/v1/nothing", "/api/../x", "/nothing", "/ui/pages/x"])
def test_unknown_paths(api: Api, path: str) -> None:
    assert_error(api.client.get(path), 404, "not-found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/api/v1/document/parse", "POST"),
        ("GET", "/v1/document/parse", "POST"),
        ("PUT", "/api/v1/document/parse", "POST"),
        ("DELETE", "/api/v1/document/parse", "POST"),
    ],
)
def test_unknown_methods(api: Api, method: str, path: str, allowed: str) -> None:
    answer = api.client.request(method, path)
    assert_error(answer, 405, "invalid-request")
    assert answer.headers["allow"] == allowed


def test_a_bug_is_told_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    app = FastAPI()
    install_handlers(app)

    @app.get("/bug")
    async def bug() -> None:
        raise ZeroDivisionError("secret text of a page")

    with serve_thread(RequestId(app)) as url:
        answer = httpx.get(f"{url}/bug", headers={"X-Request-ID": "request-of-test"})
    body = assert_error(answer, 500, "internal")
    assert body["request_id"] == "request-of-test"
    assert "secret" not in answer.text
    assert "ZeroDivisionError" in caplog.text


def test_a_bug_outside_the_api_has_the_same_shape() -> None:
    async def bug(_request: Request) -> Response:
        raise ZeroDivisionError("secret text of a page")

    with serve_thread(RequestId(Starlette(routes=[Route("/bug", in_one_shape(bug))]))) as url:
        answer = httpx.get(f"{url}/bug")
    assert_error(answer, 500, "internal")
    assert "secret" not in answer.text


def test_a_busy_server_says_when_to_come_back() -> None:
    answer = error_response({}, Overloaded("Every place is taken.", retry_after_s=2.2, queue_fraction=0.875))
    assert b'"queue_fraction":0.875' in bytes(answer.body)
    assert answer.headers["retry-after"] == "3"
    plain = error_response({}, Overloaded("Every place is taken."))
    assert "retry-after" not in plain.headers
    assert b"queue_fraction" not in bytes(plain.body)


def test_the_status_is_that_of_the_error_tree() -> None:
    waiting: list[type[WorkbenchError]] = [WorkbenchError]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        assert error_response({}, kind("what", "fix")).status_code == kind.http_status


@pytest.mark.parametrize("given", ["abc-1.2_3", "x" * 128])
def test_a_request_id_comes_back(api: Api, given: str) -> None:
    assert api.client.get("/livez", headers={"X-Request-ID": given}).headers["x-request-id"] == given


@pytest.mark.parametrize("given", ["", "with space", "x" * 129, "zeilen;umbruch", 'quote"'])
def test_an_odd_request_id_is_replaced(api: Api, given: str) -> None:
    made = api.client.get("/livez", headers={"X-Request-ID": given}).headers["x-request-id"]
    assert made != given
    assert len(made) == 32


def test_details_name_no_type_of_the_program(api: Api) -> None:
    for path, field in (("/api/v1/document/parse", "file"), ("/api/v1/document/edge", "document")):
        body = assert_error(api.client.post(path, data={field: "text"}), 422, "invalid-request")
        assert body["details"] == [{"place": field, "message": "A file is to be sent here"}]
