"""Documents that were read at the edge, through the HTTP API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from mineru_core.document.parts import BlockType
from mineru_core.engines.echo import EchoEngine
from mineru_core.intake.edge import EdgeFile
from mineru_core.intake.sniffing import EDGE_MARK
from mineru_core.settings import LimitSettings
from tests.api.conftest import Api, StartApi
from tests.api.errors import assert_error
from tests.api.test_access import make_token
from tests.documents import draw_lines, png_bytes
from tests.edge import BlockEngine, EdgeEngine, edge_file, page_with_blocks
from tests.stand_ins import GatedEngine

PICTURE = png_bytes(draw_lines(["one"]))
FILE = edge_file(PICTURE, "text")
PATH = "/api/v1/document/edge"


def as_json(file: bytes = FILE) -> Any:
    return EdgeFile(file, LimitSettings()).document.model_dump(mode="json", exclude_defaults=True)


def post(api: Api, document: bytes, pictures: list[bytes] | None = None, **fields: str) -> httpx.Response:
    files = [("document", ("a.png", document)), *(("picture", ("p", data)) for data in pictures or ())]
    return api.client.post(PATH, files=files, data={"instruction": "text", **fields})


def untimed(answer: httpx.Response) -> Any:
    body = answer.json()
    body["timings"] = {}
    for page in body["analysis"]["pages"]:
        page["timings"] = {}
    return body


def test_it_is_answered_as_the_document_is(api: Api) -> None:
    whole = api.client.post("/api/v1/document/parse", files={"file": ("a.png", PICTURE)}, data={"instruction": "text"})
    for document in (FILE, json.dumps(as_json()).encode()):
        answer = post(api, document)
        assert answer.status_code == 200, answer.text
        assert untimed(answer) == untimed(whole)


def test_it_is_a_task_like_any_other(api: Api) -> None:
    accepted = post(api, FILE, **{"async": "true"})
    assert accepted.status_code == 202
    task = accepted.headers["location"]
    events = api.client.get(f"{task}/events").text
    assert "event: end" in events
    view = api.client.get(task).json()
    assert (view["state"], view["pages"]) == ("done", 1)
    assert api.client.get(f"{task}/export/md").status_code == 200
    error = assert_error(api.client.get(f"{task}/export/pdf"), 422, "invalid-request")
    assert "pictures" in str(error["message"])
    assert api.client.delete(task).json()["state"] == "done"


def test_it_is_compared_as_a_document_is(api: Api) -> None:
    other = png_bytes(draw_lines(["other"]))
    files = {"before": ("a.png", edge_file(PICTURE, "what changed")), "after": ("b.png", other)}
    answer = api.client.post("/api/v1/document/compare", files=files)
    assert answer.status_code == 200
    assert [change["kind"] for change in answer.json()["answer"]["changes"]] == ["removed", "added"]


def test_the_same_key_leads_to_the_same_task(api: Api) -> None:
    def sent(words: str) -> httpx.Response:
        data = {"async": "true", "instruction": words}
        headers = {"Idempotency-Key": "edge-1"}
        return api.client.post(PATH, files={"document": ("a", FILE)}, data=data, headers=headers)

    first, again = sent("text"), sent("text")
    assert first.json()["task_id"] == again.json()["task_id"]
    assert_error(sent("find one"), 422, "invalid-request")


def test_the_terms_name_the_engine_and_its_pictures(start_api: StartApi) -> None:
    with start_api(BlockEngine(), engine={"choices": ["embedded"]}) as api:
        terms = api.client.get(PATH).json()
        assert terms == {"version": 1, "engine": "mineru-server", "crops": [BlockType.TABLE, BlockType.EQUATION]}
        assert api.client.get(PATH, params={"engine": "embedded"}).json()["crops"] == []
        assert_error(api.client.get(PATH, params={"engine": "nonsense"}), 422, "invalid-request")


def test_pictures_beside_json_are_those_it_names(start_api: StartApi) -> None:
    engine = BlockEngine()
    file = EdgeFile(edge_file(png_bytes(page_with_blocks()), engine=EdgeEngine()), LimitSettings())
    value = file.document.model_dump(mode="json", exclude_defaults=True)
    value["pictures"] = [{"page": 1, "box": [40, 100, 360, 220], "block": "table"}]
    document = json.dumps(value).encode()
    picture = png_bytes(draw_lines(["a"], width=100))
    with start_api(engine) as api:
        answer = post(api, document, [picture], instruction="extract the tables")
        assert answer.status_code == 200, answer.text
        assert answer.json()["answer"]["tables"][0]["cells"][0]["text"] == "server"
        for pictures in ([], [picture, picture]):
            assert_error(post(api, document, pictures), 422, "invalid-request")
        assert_error(post(api, FILE, [picture]), 422, "invalid-request")


def test_what_nobody_here_can_put_together_is_refused_at_once(api: Api) -> None:
    file = edge_file(png_bytes(page_with_blocks()), engine=BlockEngine())
    error = assert_error(post(api, file), 422, "invalid-request")
    assert "mineru-server" in str(error["message"])


@pytest.mark.parametrize(
    "document",
    [b"", b"{}", b"null", b"no", PICTURE, EDGE_MARK, EDGE_MARK + b"\xff" * 40, FILE[:-1], FILE + b"1", b"[" * 200_000],
)
def test_what_is_no_edge_document_is_refused(api: Api, document: bytes) -> None:
    assert_error(post(api, document), 422, "invalid-request")
    assert not api.service.analyzer.cache.memory_bytes_used


def test_a_refusal_names_no_text_of_the_document(api: Api) -> None:
    value = as_json()
    value["pages"][0]["read"][0]["readings"][1]["lines"][0]["confidence"] = "a secret"
    error = assert_error(post(api, json.dumps(value).encode()), 422, "invalid-request")
    assert "confidence" in str(error["message"])
    assert "secret" not in json.dumps(error)


def test_wrong_fields_are_refused(api: Api) -> None:
    assert_error(api.client.post(PATH, files={"file": ("a", FILE)}), 422, "invalid-request")
    assert_error(post(api, FILE, password="x"), 422, "invalid-request")
    assert_error(api.client.post(PATH, data={"document": "text"}), 422, "invalid-request")
    twice = [("document", ("a", FILE)), ("document", ("b", FILE))]
    assert_error(api.client.post(PATH, files=twice), 422, "invalid-request")


def test_limits_are_those_of_documents(start_api: StartApi, home: Path) -> None:
    with start_api(EchoEngine(), limits={"max_file_bytes": 2000}) as api:
        assert_error(post(api, FILE + b"1" * 2000), 413, "file-too-large")
        assert_error(api.client.post(PATH, content=b"1" * 200_000), 413, "file-too-large")
    headers = make_token(home)
    with start_api(EchoEngine(), rate={"burst": 1}) as api:
        sent = [api.client.post(PATH, files={"document": ("a", FILE)}, headers=headers) for _ in range(2)]
        assert [answer.status_code for answer in sent] == [200, 429]
        assert_error(sent[1], 429, "rate-limited")


def test_a_task_of_it_is_cancelled(start_api: StartApi) -> None:
    engine = GatedEngine()
    with start_api(engine, jobs={"workers": 1}) as api:
        # One document holds the only worker, so that the other one waits.
        api.client.post("/api/v1/document/parse", files={"file": ("a.png", PICTURE)}, data={"async": "true"})
        engine.wait_until_entered()
        task = post(api, FILE, **{"async": "true"}).headers["location"]
        assert api.client.delete(task).json()["state"] == "cancelled"
        engine.gate.set()
