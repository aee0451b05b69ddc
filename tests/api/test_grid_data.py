"""Tables for the grid editor, for their owner's browser only."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import httpx
import pytest

from mineru_core.api.grid_data import DOUBTFUL, EDITED, HEADER, table_columns
from mineru_core.api.middleware import OWNER_COOKIE
from mineru_core.document.table import Cell, Table
from mineru_core.document.table_edits import PasteGrid, SetText
from mineru_core.jobs.correction_log import TableId
from tests.api.conftest import Api, run_api
from tests.api.errors import assert_error
from tests.documents import PdfPage, PdfText, text_pdf
from tests.jobs.tables import ROWS, TableEngine

OWNER = secrets.token_urlsafe(32)
COOKIE = {"Cookie": f"{OWNER_COOKIE}={OWNER}"}
FIRST = TableId(page=1, index=0)
HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with run_api(tmp_path_factory.mktemp("table-home"), TableEngine()) as running:
        yield running


@pytest.fixture
def job(tables: Api) -> str:
    """A document of its own, which takes over no corrections, read; its page has two tables."""
    data = text_pdf([PdfPage([PdfText(secrets.token_hex(8))])])
    found = tables.service.submit(data, name="a.pdf", words="tables", owner=OWNER)
    assert tables.service.wait(found.id, OWNER, 20.0).state.is_final
    return found.id


def get(api: Api, path: str, **headers: str) -> httpx.Response:
    return api.client.get(path, headers={**COOKIE, **headers})


def test_cells_go_by_columns_with_their_spans_and_what_is_known_of_them() -> None:
    table = Table(
        n_rows=2,
        n_cols=2,
        caption="sales",
        cells=(
            Cell(row=0, col=0, colspan=2, text="head", header=True),
            Cell(row=1, col=0, text=HOSTILE, confidence=0.62),
            Cell(row=1, col=1, text=" ", confidence=0.1, edited=True),
        ),
    )
    assert table_columns(table, 7) == {
        "version": 7,
        "rows": 2,
        "cols": 2,
        "caption": "sales",
        "row": [0, 1, 1],
        "col": [0, 0, 1],
        "text": ["head", HOSTILE, " "],
        "flags": [HEADER, DOUBTFUL, EDITED],
        "spans": [[0, 1, 2]],
        "sure": [[1, 62], [2, 10]],
    }


def test_gives_a_table_as_it_is_now_with_its_version(tables: Api, job: str) -> None:
    answer = get(tables, f"/ui/data/{job}?table=1.0&v=0")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    read = answer.json()
    assert (read["version"], read["rows"], read["cols"]) == (0, 3, 2)
    assert read["text"] == [text for row in ROWS for text in row]
    assert get(tables, f"/ui/data/{job}?table=1.1&v=0").json()["text"] == ["second"]

    tables.service.corrections.correct(job, OWNER, FIRST, SetText(row=1, col=1, text=HOSTILE), version=0)
    for rest in ("&v=1", "&v=0", "&v=9", ""):
        answer = get(tables, f"/ui/data/{job}?table=1.0{rest}")
        assert (answer.json()["version"], answer.json()["text"][3]) == (1, HOSTILE)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "<" not in answer.text


def test_the_browser_keeps_what_has_a_version_to_itself(tables: Api, job: str) -> None:
    answer = get(tables, f"/ui/data/{job}?table=1.0&v=0")
    assert {"private", "immutable"} <= set(answer.headers["cache-control"].split(", "))
    assert "Cookie" in answer.headers["vary"]
    tag = answer.headers["etag"]
    again = get(tables, f"/ui/data/{job}?table=1.0&v=0", **{"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    for rest in ("", "&v=1"):
        latest = get(tables, f"/ui/data/{job}?table=1.0{rest}")
        assert latest.headers["cache-control"] == "private, no-store"
    assert get(tables, f"/ui/data/{job}?table=1.1&v=0").headers["etag"] != tag


def test_a_large_table_is_packed_for_who_can_unpack_it(tables: Api, job: str) -> None:
    paste = PasteGrid(row=0, col=0, rows=(("long text",) * 50,) * 40)
    tables.service.corrections.correct(job, OWNER, FIRST, paste, version=0)
    packed = get(tables, f"/ui/data/{job}?table=1.0&v=1")
    plain = get(tables, f"/ui/data/{job}?table=1.0&v=1", **{"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()


def test_nobody_else_sees_it(tables: Api, job: str) -> None:
    path = f"/ui/data/{job}?table=1.0&v=0"
    other = f"{OWNER_COOKIE}={secrets.token_urlsafe(32)}"
    assert_error(tables.client.get(path), 403, "token-required")
    assert_error(tables.client.get(path, headers={"Cookie": f"{OWNER_COOKIE}=local"}), 403, "token-required")
    assert_error(tables.client.get(path, headers={"Cookie": other}), 404, "not-found")
    assert_error(get(tables, "/ui/data/no-such-job?table=1.0"), 404, "not-found")
    assert_error(get(tables, f"/ui/data/{job}?table=1.2"), 404, "not-found")
    assert_error(get(tables, f"/ui/data/{job}?table=9.0"), 404, "not-found")


@pytest.mark.parametrize("table", ["", "1", "0.0", "00.1", "1.-1", "1.0.0", "a.b", "٣.0", "1." + "9" * 5000])
def test_a_name_that_is_none(tables: Api, job: str, table: str) -> None:
    assert_error(get(tables, f"/ui/data/{job}?table={table}"), 422, "invalid-request")


@pytest.mark.parametrize("version", ["", "-1", "x", "1e3", "9" * 5000])
def test_a_version_that_is_none(tables: Api, job: str, version: str) -> None:
    assert_error(get(tables, f"/ui/data/{job}?table=1.0&v={version}"), 422, "invalid-request")
