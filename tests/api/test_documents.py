"""POST /v1/document/parse over real connections."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from mineru_core.engines.echo import EchoEngine
from mineru_core.export.result import DocumentResult
from mineru_core.intake import open_document
from mineru_core.serving.analyzer import Analyzer
from tests.api.conftest import Api, StartApi
from tests.api.errors import assert_error
from tests.documents import PdfPage, PdfText, draw_lines, encrypted_pdf, png_bytes, text_pdf
from tests.stand_ins import MisreadingEngine

PARSE = "/api/v1/document/parse"


def picture(text: str = "one") -> bytes:
    return png_bytes(draw_lines([text]))


def pdf(*pages: str) -> bytes:
    """A PDF with a line of text a page."""
    return text_pdf([PdfPage([PdfText(text)]) for text in pages])


def post(api: Api, data: bytes, name: str = "page.png", path: str = PARSE, **fields: object) -> httpx.Response:
    return api.client.post(path, files={"file": (name, data)}, data=fields)


@pytest.mark.parametrize("path", [PARSE, "/v1/document/parse"])
def test_answers_with_the_result(api: Api, path: str) -> None:
    answer = post(api, picture(), path=path, instruction="全部文字")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    result = DocumentResult.model_validate_json(answer.content)
    assert result.source == "page.png"
    assert result.task.words == "全部文字"
    assert result.task.language == "zh"
    assert result.engine == EchoEngine().fingerprint
    assert result.text == result.blocks[0].text


def test_reads_what_the_analyzer_reads(api: Api) -> None:
    data = pdf("first page", "second page")
    result = DocumentResult.model_validate_json(post(api, data, "two.pdf", instruction="text").content)
    with Analyzer(api.service.settings, EchoEngine()) as analyzer:
        expected = analyzer.analyze(open_document(data, name="two.pdf"), "text")
    assert result.model_dump(exclude={"timings", "analysis"}) == expected.model_dump(exclude={"timings", "analysis"})
    assert [page.blocks for page in result.analysis.pages] == [page.blocks for page in expected.analysis.pages]


def test_a_region_limits_the_answer(api: Api) -> None:
    whole = DocumentResult.model_validate_json(post(api, picture()).content)
    part = DocumentResult.model_validate_json(post(api, picture(), region="10,10,200,60").content)
    assert whole.blocks[0].box == (0, 0, whole.analysis.pages[0].width, whole.analysis.pages[0].height)
    assert part.blocks[0].box == (10, 10, 200, 60)


def test_regions_name_their_page(api: Api) -> None:
    data = pdf("first", "second", "third")
    answer = post(api, data, region=["0,0,100,100", "0,0,100,100,3"], page="2")
    result = DocumentResult.model_validate_json(answer.content)
    assert [page.page for page in result.analysis.pages] == [2, 3]


def test_the_engine_that_is_named_reads(start_api: StartApi) -> None:
    with start_api(MisreadingEngine(), engine={"choices": ["echo"]}) as api:
        assert DocumentResult.model_validate_json(post(api, picture()).content).engine == MisreadingEngine().fingerprint
        chosen = post(api, picture("two"), engine="echo")
        assert DocumentResult.model_validate_json(chosen.content).engine == EchoEngine().fingerprint
        refused = post(api, picture(), engine="mineru")
    assert_error(refused, 422, "invalid-request")
    assert "misreading, echo" in refused.json()["hint"]


def test_a_password_opens_the_document_and_is_not_given_back(api: Api) -> None:
    data = encrypted_pdf("secret-of-test")
    assert_error(post(api, data), 422, "encrypted-pdf")
    assert_error(post(api, data, password="wrong"), 422, "encrypted-pdf")
    answer = post(api, data, password="secret-of-test")
    assert answer.status_code == 200
    assert "secret-of-test" not in answer.text


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty-file"),
        (b"just words, no document", "unsupported-type"),
        (b"%PDF-1.7 and then nothing that is one", "corrupt-pdf"),
        (picture()[:-200], "truncated-image"),
    ],
)
def test_refuses_what_cannot_be_read(api: Api, data: bytes, code: str) -> None:
    assert_error(post(api, data), 422, code)


@pytest.mark.parametrize(
    "fields",
    [
        {"region": "1,2,3"},
        {"region": "a,b,c,d"},
        {"region": "10,10,5,5"},
        {"region": "0,0,10,10", "page": "7"},
        {"region": "0,0,10,10,0"},
        {"page": "0"},
        {"page": "one"},
        {"async": "perhaps"},
        {"instruction": "x" * 5000},
        {"instructions": "a misspelt field is not ignored"},
        {"instruction": ["one", "two"]},
    ],
)
def test_refuses_fields_that_are_off(api: Api, fields: dict[str, Any]) -> None:
    assert_error(post(api, picture(), **fields), 422, "invalid-request")


def test_refuses_a_field_in_the_query(api: Api) -> None:
    assert_error(post(api, picture(), path=f"{PARSE}?instruction=text"), 422, "invalid-request")


def test_names_the_missing_file(api: Api) -> None:
    body = assert_error(api.client.post(PARSE, data={"instruction": "text"}), 422, "invalid-request")
    assert body["details"] == [{"place": "file", "message": "Field required"}]


def test_refuses_a_body_that_is_no_form(api: Api) -> None:
    assert_error(api.client.post(PARSE, json={"file": "page.png"}), 422, "invalid-request")
    broken = {"content-type": "multipart/form-data; boundary=x"}
    assert_error(api.client.post(PARSE, content=b"no boundary in here", headers=broken), 422, "invalid-request")


def test_refuses_a_file_above_the_limit(start_api: StartApi) -> None:
    with start_api(limits={"max_file_bytes": 1000}) as api:
        assert_error(post(api, b"x" * 1001), 413, "file-too-large")
        assert_error(post(api, b"x" * 1000), 422, "unsupported-type")
        assert_error(post(api, b"x" * 200_000), 413, "file-too-large")


def test_refuses_a_stream_without_length_before_its_end(start_api: StartApi) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
        while sent < 1_000_000_000:
            sent += 65536
            yield b"x" * 65536

    with start_api(limits={"max_file_bytes": 1_000_000}) as api:
        headers = {"content-type": "multipart/form-data; boundary=x"}
        answer = api.client.post(PARSE, content=endless(), headers=headers)
    assert_error(answer, 413, "file-too-large")
    assert sent < 100_000_000


def test_a_page_that_fails_is_data_and_a_document_that_fails_is_an_error(start_api: StartApi) -> None:
    with start_api(EchoEngine(fail_pages=[2])) as api:
        answer = post(api, pdf("first", "second"), instruction="text")
        result = DocumentResult.model_validate_json(answer.content)
        assert [failure.page for failure in result.failures] == [2]
        assert not result.success
    with start_api(EchoEngine(fail_pages=[1])) as api:
        assert_error(post(api, picture()), 500, "engine-failed")


def test_many_callers_get_their_own_answers(api: Api) -> None:
    texts = [f"page of caller {number}" for number in range(24)]
    documents = [pdf(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda data: post(api, data, "a.pdf", instruction="text"), documents))
    assert [DocumentResult.model_validate_json(answer.content).text for answer in answers] == texts


def test_says_when_to_come_back_if_no_place_is_left(start_api: StartApi) -> None:
    with start_api(EchoEngine(delay_s=60.0), jobs={"workers": 1, "waiting_places": 1}) as api:
        answers = [post(api, picture(str(number)), **{"async": "true"}) for number in range(4)]
        refused = [answer for answer in answers if answer.status_code != 202]
        assert refused
        for answer in refused:
            assert_error(answer, 429, "overloaded")


def test_a_caller_that_goes_away_cancels_its_job(start_api: StartApi) -> None:
    with start_api(EchoEngine(delay_s=60.0)) as api:
        with pytest.raises(httpx.ReadTimeout):
            api.client.post(PARSE, files={"file": ("page.png", picture())}, timeout=1.0)
        (job,) = api.service.list("local")
        assert api.service.wait(job.id, "local", 20.0).state == "cancelled"
