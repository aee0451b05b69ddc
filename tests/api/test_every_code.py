"""Every error of the tree comes out of the API in the one shape, with its own code and status."""

from __future__ import annotations

import pytest

from mineru_core.errors import WorkbenchError
from tests.api.conftest import Api
from tests.api.errors import assert_error
from tests.documents import draw_lines, png_bytes
from tests.test_errors import LEAVES

PICTURE = png_bytes(draw_lines(["a"]))


@pytest.mark.parametrize("kind", LEAVES, ids=lambda kind: kind.__name__)
def test_every_error_is_answered(api: Api, kind: type[WorkbenchError], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise kind("What happened.")

    for method in ("submit", "get"):
        monkeypatch.setattr(api.service, method, fail)
    posted = api.client.post("/api/v1/document/parse", files={"file": ("a.png", PICTURE)})
    for answer in (posted, api.client.get("/api/v1/tasks/x"), api.client.get("/api/v1/tasks/x/events")):
        body = assert_error(answer, kind.http_status, kind.code)
        assert (body["message"], body["hint"]) == ("What happened.", kind.default_hint)


@pytest.mark.parametrize("kind", LEAVES, ids=lambda kind: kind.__name__)
def test_every_status_is_in_the_description(api: Api, kind: type[WorkbenchError]) -> None:
    for methods in api.client.get("/api/openapi.json").json()["paths"].values():
        for operation in methods.values():
            assert str(kind.http_status) in operation["responses"]
