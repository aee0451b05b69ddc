from __future__ import annotations

import csv
import io
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from mineru_core.document.analysis import BlockType
from mineru_core.document.geometry import Box
from mineru_core.document.page import Page
from mineru_core.document.table import Table
from mineru_core.document.task import Answer, Change, ChangeKind, FieldValue, Quote, TaskKind
from mineru_core.errors import InvalidRequest
from mineru_core.export import DocumentResult, safe_name, to_zip, write_files
from mineru_core.export.files import FORMATS
from tests.export.strategies import block, page, result, sales_chart


def report(source: str = "report.pdf", **fields: object) -> DocumentResult:
    first, second = Table.from_rows([["a", "=1"]]), Table.from_rows([["b", "2"]])
    return result(
        page(1, block(BlockType.TEXT, "Text"), block(BlockType.TABLE, table=first)),
        page(2, block(BlockType.TABLE, table=second), block(BlockType.CHART, chart=sales_chart())),
        source=source,
        **fields,  # type: ignore[arg-type]
    )


def picture(number: int) -> Page:
    return Page(np.full((100, 100, 3), 255, np.uint8), source="report.pdf", number=number)


def names(paths: list[Path]) -> list[str]:
    return [p.name for p in paths]


def test_every_file_under_its_name(tmp_path: Path) -> None:
    written = write_files(report(), tmp_path / "new" / "out", FORMATS, pages=picture)
    assert names(written) == [
        "report.md",
        "report.json",
        "report.html",
        "report.txt",
        "report.content_list.json",
        "report.table1.csv",
        "report.table2.csv",
        "report.chart1.csv",
        "report.chart1.long.csv",
        "report.table1.xlsx",
        "report.table2.xlsx",
        "report.searchable.pdf",
        "report.zip",
    ]
    assert sorted(names(written)) == sorted(p.name for p in (tmp_path / "new" / "out").iterdir())
    content = {p.name: p.read_bytes() for p in written}
    assert content["report.txt"] == b"Text"
    assert json.loads(content["report.json"])["analysis"]["source"] == "report.pdf"
    assert content["report.table1.csv"] == b"\xef\xbb\xbfa,'=1\r\n"
    assert content["report.html"].startswith(b"<!DOCTYPE html>")
    book = load_workbook(io.BytesIO(content["report.table2.xlsx"]))
    assert [c.value for c in book.worksheets[0][1]] == ["b", 2]
    assert content["report.searchable.pdf"].startswith(b"%PDF-")
    with zipfile.ZipFile(io.BytesIO(content["report.zip"])) as archive:
        assert archive.namelist() == names(written)[:-1]
        assert archive.read("report.table1.csv") == content["report.table1.csv"]


def test_a_searchable_pdf_needs_the_pages(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest):
        write_files(report(), tmp_path / "out", ["md", "pdf"])
    assert not (tmp_path / "out").exists()
    assert "report.searchable.pdf" not in zipfile.ZipFile(io.BytesIO(to_zip(report()))).namelist()


def test_save_writes_the_usual_formats(tmp_path: Path) -> None:
    suffixes = {p.suffix for p in report().save(tmp_path)}
    assert suffixes == {".csv", ".xlsx", ".md", ".json", ".html"}


def test_fields_get_a_file(tmp_path: Path) -> None:
    answer = Answer(kind=TaskKind.FIELDS, fields=(FieldValue(name="total"),))
    written = write_files(result(page(1), answer=answer), tmp_path, ["csv"])
    assert names(written) == ["scan.fields.csv"]
    assert next(csv.reader(io.StringIO(written[0].read_text("utf-8-sig"))))[0] == "field"


def test_chosen_tables_are_the_ones_written(tmp_path: Path) -> None:
    chosen = Answer(kind=TaskKind.TABLES, tables=(Table.from_rows([["b", "2"]]),))
    written = write_files(report(answer=chosen), tmp_path / "a", ["csv"])
    assert names(written) == ["report.table1.csv", "report.chart1.csv"]
    assert b"b,2" in written[0].read_bytes()
    none = Answer(kind=TaskKind.TABLES)
    assert names(write_files(report(answer=none), tmp_path / "b", ["xlsx"])) == []
    assert list((tmp_path / "b").iterdir()) == []


def test_a_second_document_of_the_same_name_gets_a_number(tmp_path: Path) -> None:
    first = write_files(report("scan.pdf"), tmp_path, ["csv", "md"])
    kept = {p: p.read_bytes() for p in first}
    second = write_files(report("scan.png", language="zh"), tmp_path, ["csv", "md"])
    third = write_files(report("SCAN.jpg"), tmp_path, ["json"])
    assert names(second)[0] == "scan-2.md"
    assert names(third) == ["SCAN-3.json"]
    assert {p: p.read_bytes() for p in first} == kept


def test_the_source_itself_and_longer_names_do_not_count(tmp_path: Path) -> None:
    for other in ("scan.png", "scan.v2.md", "scan-2.md", "scanner.md", "scan.table1.csv.bak"):
        (tmp_path / other).write_text("other")
    assert names(write_files(report("scan.png"), tmp_path, ["md"])) == ["scan.md"]


@pytest.mark.parametrize("taken", ["scan.md", "scan.table7.csv", "scan.chart1.csv", "scan.fields.csv", "SCAN.HTML"])
def test_any_file_of_the_name_counts(taken: str, tmp_path: Path) -> None:
    (tmp_path / taken).write_text("other")
    assert names(write_files(report("scan.png"), tmp_path, ["json"])) == ["scan-2.json"]
    assert (tmp_path / taken).read_text() == "other"


def test_writers_at_the_same_time_get_names_of_their_own(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        written = list(pool.map(lambda _: write_files(report(), tmp_path, ["md", "csv"]), range(16)))
    stems = {paths[0].name for paths in written}
    assert stems == {"report.md", *(f"report-{k}.md" for k in range(2, 17))}
    assert len(list(tmp_path.iterdir())) == sum(map(len, written))


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="'docx'") as refused:
        write_files(report(), tmp_path / "out", ["md", "docx"])
    assert "csv, xlsx, md, json, html, txt" in refused.value.hint
    assert not (tmp_path / "out").exists()


def test_formats_are_taken_as_people_write_them(tmp_path: Path) -> None:
    assert names(write_files(report(), tmp_path, [" MD", ".md", "Json"])) == ["report.md", "report.json"]


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(InvalidRequest, match="not a folder"):
        write_files(report(), tmp_path / "out", ["md"])


def test_a_failed_write_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Path, target: Path) -> Path:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        write_files(report(), tmp_path, ["md"])
    assert list(tmp_path.iterdir()) == []


def test_the_guard_can_be_left_out(tmp_path: Path) -> None:
    written = write_files(report(), tmp_path, ["csv"], guard=False)
    assert b"a,=1" in written[0].read_bytes()


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("scan.png", "scan"),
        ("archive.tar.gz", "archive.tar"),
        ("no_ending", "no_ending"),
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\a.pdf", "a"),
        ("报表 2024.pdf", "报表 2024"),
        ('a<b>:"|?*.pdf', "a_b______"),
        (".hidden.png", "hidden"),
        ("..", "document"),
        ("", "document"),
        ("CON.pdf", "_CON"),
        ("com1", "_com1"),
        ("x" * 300 + ".pdf", "x" * 180),
        ("字" * 100 + ".pdf", "字" * 60),
        ("e\u0301.pdf", "é"),
    ],
)
def test_safe_names(source: str, name: str) -> None:
    assert safe_name(source) == name


@given(st.text(max_size=300))
def test_any_name_stays_in_the_folder(source: str) -> None:
    name = safe_name(source)
    assert name
    assert name not in (".", "..")
    assert not set(name) & set('/\\<>:"|?*\0')
    assert len(name.encode()) <= 200
    assert name == name.strip(" .")


BOTH = Answer(
    kind=TaskKind.COMPARE,
    changes=(Change(kind=ChangeKind.ADDED, after="new", after_page=1, after_box=Box(0, 0, 1, 1)),),
    quotes=(Quote(text="said", page=1, box=Box(0, 0, 1, 1)),),
)


def test_changes_and_quotes_are_files_of_their_own(tmp_path: Path) -> None:
    found = result(page(1, block(BlockType.TEXT, "new")), answer=BOTH, source="new.pdf")
    written = write_files(found, tmp_path, ["csv", "xlsx"])
    assert names(written) == ["new.changes.csv", "new.quotes.csv", "new.changes.xlsx", "new.quotes.xlsx"]
    book = load_workbook(tmp_path / "new.changes.xlsx")
    assert [cell.value for cell in book.worksheets[0][2]][:7] == ["added", None, "new", None, None, 1, "0, 0, 1, 1"]
    again = write_files(found, tmp_path, ["csv"])
    assert names(again) == ["new-2.changes.csv", "new-2.quotes.csv"]


def test_the_pdf_that_is_wanted_alone_and_in_the_archive_is_made_once(tmp_path: Path) -> None:
    drawn: list[int] = []

    def drawing(number: int) -> Page:
        drawn.append(number)
        return picture(number)

    write_files(report(), tmp_path, ["zip", "pdf"], pages=drawing)
    assert drawn == [1, 2]
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        assert archive.read("report.searchable.pdf") == (tmp_path / "report.searchable.pdf").read_bytes()
