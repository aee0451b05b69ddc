"""``mineru-workbench analyze``, run as the command it is."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mineru_core.cli.main import app
from mineru_core.export.result import DocumentResult
from tests.documents import (
    TABLE_ROWS,
    PdfPage,
    PdfText,
    draw_lines,
    draw_table,
    encrypted_pdf,
    jpeg_bytes,
    png_bytes,
    text_pdf,
)


@pytest.fixture
def folder(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder, with the echo engine as the one of the settings."""
    monkeypatch.setenv("MINERU_WORKBENCH_ENGINE__NAME", "echo")
    here = tmp_path / "work"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


def pdf(*pages: str) -> bytes:
    return text_pdf([PdfPage([PdfText(text)]) for text in pages])


def analyze(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["analyze", *arguments])


def test_prints_the_answer(folder: Path) -> None:
    (folder / "a.pdf").write_bytes(pdf("Hello from the page"))
    done = analyze("a.pdf", "-i", "text")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "Hello from the page\n", "")


def test_says_whose_answer_it_is_where_there_are_several(folder: Path) -> None:
    for name in ("a", "b"):
        (folder / f"{name}.pdf").write_bytes(pdf(f"words of {name}"))
    done = analyze("a.pdf", "b.pdf", "-i", "全部文字")
    assert done.stdout == "# a.pdf\n\nwords of a\n# b.pdf\n\nwords of b\n"


def test_writes_files_and_names_them(folder: Path) -> None:
    (folder / "a.pdf").write_bytes(pdf("Hello"))
    done = analyze("a.pdf", "-o", "out", "--format", "md,json")
    assert done.exit_code == 0
    assert sorted(done.stdout.split()) == ["out/a.json", "out/a.md"]
    result = DocumentResult.model_validate_json((folder / "out/a.json").read_bytes())
    assert result.source == "a.pdf"
    assert "Hello" in (folder / "out/a.md").read_text()


def test_a_bad_file_does_not_stop_the_others(folder: Path) -> None:
    (folder / "good.pdf").write_bytes(pdf("good"))
    (folder / "cut.png").write_bytes(png_bytes(draw_lines(["cut"]))[:-100])
    (folder / "empty.png").touch()
    (folder / "folder.png").mkdir()
    endless = "y" * 300 + ".png"  # no file system takes such a name
    files = ["cut.png", endless, "good.pdf", "empty.png", "missing.png", "folder.png"]
    done = analyze(*files, "-i", "text", "--json-errors")
    assert done.exit_code == 2
    assert "good" in done.stdout
    bad = [json.loads(line) for line in done.stderr.splitlines()]
    assert [set(record) for record in bad] == [{"file", "code", "message", "hint"}] * 5
    assert [(record["file"], record["code"]) for record in bad] == [
        ("cut.png", "truncated-image"),
        (endless, "not-found"),
        ("empty.png", "empty-file"),
        ("missing.png", "not-found"),
        ("folder.png", "not-found"),
    ]
    assert all(record["message"] and record["hint"] for record in bad)


def test_fields_of_many_files_are_one_table_a_row_a_file(folder: Path) -> None:
    for name, total in (("a.pdf", "12.50"), ("b.pdf", "7.00")):
        (folder / name).write_bytes(pdf(f"Total: {total}"))
    (folder / "c.pdf").write_bytes(pdf("nothing of the sort"))
    done = analyze("a.pdf", "b.pdf", "c.pdf", "-i", "total", "-o", "out", "--format", "csv")
    assert done.exit_code == 0, done.output
    rows = list(csv.reader(io.StringIO((folder / "out" / "fields.csv").read_text("utf-8-sig"))))
    assert rows == [["file", "total"], ["a.pdf", "12.50"], ["b.pdf", "7.00"], ["c.pdf", ""]]
    analyze("a.pdf", "b.pdf", "-i", "total", "-o", "out", "--format", "csv")
    assert (folder / "out" / "fields-2.csv").exists()


def test_further_forms_and_the_guard(folder: Path) -> None:
    (folder / "a.pdf").write_bytes(pdf("Total: =1+1"))
    done = analyze("a.pdf", "-o", "out", "--format", "content_list,pdf,zip")
    assert done.exit_code == 0, done.output
    names = sorted(path.name for path in (folder / "out").iterdir())
    assert names == ["a.content_list.json", "a.searchable.pdf", "a.zip"]
    with zipfile.ZipFile(folder / "out" / "a.zip") as archive:
        assert "a.searchable.pdf" in archive.namelist()


@pytest.mark.parametrize(("encoding", "name"), [("latin-1", "发票.pdf"), ("utf-8", "a\udcff.pdf")])
def test_a_console_that_cannot_show_a_name_ends_nothing(folder: Path, encoding: str, name: str) -> None:
    files = [os.fsencode(folder / name), os.fsencode(folder / "b.pdf")]
    for file in files:
        Path(os.fsdecode(file)).write_bytes(pdf("words of it"))
    command: list[str | bytes] = [sys.executable, "-m", "mineru_core.cli", "analyze", *files, "-i", "text"]
    environment = {**os.environ, "PYTHONIOENCODING": f"{encoding}:strict"}
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"words of it") == 2


def test_a_name_cannot_command_the_terminal(folder: Path) -> None:
    for name in ("red\x1b[31m.pdf", "exe\u202efdp.pdf"):
        (folder / name).write_bytes(pdf("words"))
    (folder / "two\nlines.png").touch()
    done = analyze("red\x1b[31m.pdf", "exe\u202efdp.pdf", "two\nlines.png", "-i", "find 'nothing'")
    assert "\x1b" not in done.output
    assert "\u202e" not in done.output
    assert "red\\x1b[31m.pdf: " in done.stderr
    assert "two\\nlines.png: " in done.stderr
    assert "# exe\\u202efdp.pdf" in done.stdout


def test_a_reader_that_has_seen_enough_hears_no_complaint(folder: Path) -> None:
    (folder / "a.pdf").write_bytes(pdf("Hello"))
    command = [sys.executable, "-m", "mineru_core.cli", "analyze", "a.pdf"]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def test_tells_people_about_a_bad_file_in_a_sentence(folder: Path) -> None:
    (folder / "note.txt").write_text("just text")
    done = analyze("note.txt")
    assert done.exit_code == 2
    assert done.stderr.startswith("note.txt: ")
    assert "upload" in done.stderr.casefold()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--region", "1,2,3"),
        ("--pages", "0"),
        ("--format", "docx"),
        ("--engine", "no-such-engine"),
        ("--no-such-option",),
        ("-o",),
    ],
)
def test_a_wrong_option_ends_with_1(folder: Path, arguments: tuple[str, ...]) -> None:
    (folder / "a.pdf").write_bytes(pdf("Hello"))
    done = analyze("a.pdf", *arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "Error" in done.stderr


def test_no_file_ends_with_1(folder: Path) -> None:
    assert analyze().exit_code == 1


def test_a_folder_that_cannot_be_written_to_ends_with_1(folder: Path) -> None:
    (folder / "a.pdf").write_bytes(pdf("Hello"))
    (folder / "taken").touch()
    done = analyze("a.pdf", "-o", "taken")
    assert done.exit_code == 1
    assert "taken" in done.stderr


def test_chosen_pages(folder: Path) -> None:
    (folder / "a.pdf").write_bytes(pdf("one", "two", "three", "four"))
    assert analyze("a.pdf", "-i", "text", "--pages", "2,last").stdout.split() == ["two", "four"]
    done = analyze("a.pdf", "--pages", "9", "--json-errors")
    assert (done.exit_code, json.loads(done.stderr)["code"]) == (2, "no-pages")


def test_a_region_on_a_page(folder: Path) -> None:
    (folder / "a.pdf").write_bytes(pdf("one", "two"))
    done = analyze("a.pdf", "--region", "0,0,900,400", "--pages", "2", "-o", "out", "--format", "json")
    assert done.exit_code == 0
    result = DocumentResult.model_validate_json((folder / "out/a.json").read_bytes())
    assert [page.page for page in result.analysis.pages] == [2]
    assert [region.page for region in result.task.regions] == [2]


def test_a_password(folder: Path) -> None:
    (folder / "locked.pdf").write_bytes(encrypted_pdf("open sesame", "treasure"))
    refused = analyze("locked.pdf", "--json-errors")
    assert (refused.exit_code, json.loads(refused.stderr)["code"]) == (2, "encrypted-pdf")
    assert "treasure" in analyze("locked.pdf", "-i", "text", "--password", "open sesame").stdout


def test_without_weights_it_says_how_to_get_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINERU_WORKBENCH_MODELS", str(folder / "no-models"))
    (folder / "a.jpg").write_bytes(jpeg_bytes(draw_lines(["Hello"])))
    done = analyze("a.jpg", "--engine", "embedded")
    assert done.exit_code == 1
    assert "mineru-workbench models install embedded" in done.stderr


@pytest.mark.models
def test_a_table_from_picture_to_csv(folder: Path) -> None:
    (folder / "bill.png").write_bytes(png_bytes(draw_table(TABLE_ROWS)))
    done = analyze("bill.png", "-i", "extract the tables", "--engine", "embedded", "-o", "out", "--format", "csv,xlsx")
    assert done.exit_code == 0
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["bill.table1.csv", "bill.table1.xlsx"]
    with (folder / "out/bill.table1.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [tuple(row) for row in csv.reader(file)] == list(TABLE_ROWS)
    printed = analyze("bill.png", "-i", "提取表格", "--engine", "embedded").stdout
    assert [cell.strip() for cell in printed.splitlines()[0].strip("|").split("|")] == list(TABLE_ROWS[0])


def test_nothing_to_write_is_said_and_the_folder_is_there(folder: Path) -> None:
    (folder / "a.pdf").write_bytes(pdf("no table here"))
    done = analyze("a.pdf", "-i", "extract the tables", "-o", "out", "--format", "csv,xlsx")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "a.pdf: No table was found." in done.stderr
    assert "a.pdf: There is nothing to write as csv, xlsx." in done.stderr
    assert list((folder / "out").iterdir()) == []
