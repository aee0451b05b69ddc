"""/livez, /readyz and /metrics."""

from __future__ import annotations

import threading

import pytest

from mineru_core.engines.base import LoadListener
from mineru_core.engines.echo import EchoEngine
from mineru_core.errors import ModelMissing
from tests.api.conftest import Api, StartApi
from tests.api.errors import assert_error
from tests.documents import draw_lines, png_bytes


class SlowToLoad(EchoEngine):
    """Loads when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()

    def load(self, progress: LoadListener | None = None) -> None:
        assert self.go_on.wait(20.0)
        super().load(progress)


class WithoutWeights(EchoEngine):
    """Cannot load; says when it has tried."""

    def __init__(self) -> None:
        super().__init__()
        self.tried = threading.Event()

    def load(self, progress: LoadListener | None = None) -> None:  # noqa: ARG002  the signature is the protocol's
        self.tried.set()
        raise ModelMissing("The model file det.onnx is not installed.")


def test_ready_only_once_the_engine_is_loaded(start_api: StartApi) -> None:
    engine = SlowToLoad()
    with start_api(engine) as api:
        assert_error(api.client.get("/readyz"), 503, "engine-unavailable")
        assert api.client.get("/livez").json() == {"status": "alive"}
        engine.go_on.set()
        api.service.analyzer.load()  # waits for the load that is under way
        assert api.client.get("/readyz").json() == {"status": "ready", "engine": "echo"}


def test_says_why_it_is_not_ready(start_api: StartApi) -> None:
    engine = WithoutWeights()
    with start_api(engine) as api:
        assert engine.tried.wait(20.0)
        answer = api.client.post("/api/v1/document/parse", files={"file": ("a.png", png_bytes(draw_lines(["a"])))})
        assert_error(answer, 503, "model-missing")
        body = assert_error(api.client.get("/readyz"), 503, "model-missing")
        assert "mineru-workbench models install" in str(body["hint"])
        assert api.client.get("/livez").status_code == 200


def test_a_load_that_breaks_off_is_told_and_tried_again(start_api: StartApi, monkeypatch: pytest.MonkeyPatch) -> None:
    class Breaking(EchoEngine):
        tries = threading.Semaphore(0)

        def load(self, *_: object) -> None:
            self.tries.release()
            raise RuntimeError("a fault")

    monkeypatch.setattr("mineru_core.api.backend.RETRY_S", 0.01)
    engine = Breaking()
    with start_api(engine) as api:
        for _ in range(3):
            assert engine.tries.acquire(timeout=20.0)
        body = assert_error(api.client.get("/readyz"), 503, "engine-unavailable")
        assert "broke off" in str(body["message"])


def test_metrics_count_documents(start_api: StartApi) -> None:
    with start_api() as api:
        before = api.client.get("/metrics")
        assert before.headers["content-type"].startswith("text/plain")
        api.client.post("/api/v1/document/parse", files={"file": ("a.png", png_bytes(draw_lines(["a"])))})
        assert 'mineru_workbench_requests_total{outcome="ok"} 1.0' in api.client.get("/metrics").text


def test_a_server_with_the_browser_app_has_the_same_routes(echo_server: str, api: Api) -> None:
    for path in ("/livez", "/readyz"):
        answer = api.client.get(f"{echo_server}{path}")
        assert answer.json() == api.client.get(path).json()
    assert "mineru_workbench_requests" in api.client.get(f"{echo_server}/metrics").text
    assert_error(api.client.get(f"{echo_server}/api/nothing"), 404, "not-found")
    assert api.client.get(f"{echo_server}/_stcore/health").text == "ok"
    assert "<html" in api.client.get(echo_server).text
