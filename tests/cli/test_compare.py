"""``mineru-workbench compare``, run as the command it is."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mineru_core.cli.main import app
from mineru_core.export.result import DocumentResult
from tests.documents import PdfPage, PdfText, text_pdf


@pytest.fixture
def folder(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with two versions of a document, and the echo engine as the one of the settings."""
    monkeypatch.setenv("MINERU_WORKBENCH_ENGINE__NAME", "echo")
    here = tmp_path / "work"
    here.mkdir()
    monkeypatch.chdir(here)
    for name, text in (("old", "10 dollars are due"), ("new", "12 dollars are due")):
        (here / f"{name}.pdf").write_bytes(text_pdf([PdfPage([PdfText(text)])]))
    return here


def compare(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["compare", *arguments])


def test_prints_what_changed(folder: Path) -> None:
    done = compare("old.pdf", "new.pdf")
    assert (done.exit_code, done.stdout, done.stderr) == (
        0, "page 1, changed: 10 dollars are due → 12 dollars are due\n", "",
    )  # fmt: skip


def test_says_that_nothing_differs(folder: Path) -> None:
    done = compare("old.pdf", "old.pdf")
    assert (done.exit_code, done.stdout.strip()) == (0, "")
    assert done.stderr == "old.pdf → old.pdf: Nothing differs.\n"


def test_writes_the_whole_comparison_as_json(folder: Path) -> None:
    done = compare("old.pdf", "new.pdf", "--json", "out.json")
    assert (done.exit_code, done.stdout) == (0, "")
    result = DocumentResult.model_validate_json((folder / "out.json").read_bytes())
    assert [change.after for change in result.answer.changes] == ["12 dollars are due"]
    assert json.loads(compare("old.pdf", "new.pdf", "--json", "-").stdout)["before"]["source"] == "old.pdf"


def test_writes_files(folder: Path) -> None:
    done = compare("old.pdf", "new.pdf", "-o", "out", "--format", "csv,xlsx,md")
    assert done.exit_code == 0
    assert sorted(done.stdout.split()) == ["out/new.changes.csv", "out/new.changes.xlsx", "out/new.md"]
    rows = list(csv.DictReader(io.StringIO((folder / "out/new.changes.csv").read_text("utf-8-sig"))))
    assert [(row["change"], row["before"], row["after"]) for row in rows] == [
        ("changed", "10 dollars are due", "12 dollars are due")
    ]
    assert rows[0]["before_page"] == rows[0]["after_page"] == "1"
    assert rows[0]["before_place"].count(",") == 3


def test_bad_files_are_all_told(folder: Path) -> None:
    (folder / "bad.png").write_bytes(b"no picture")
    done = compare("bad.png", "missing.pdf", "--json-errors")
    told = [json.loads(line) for line in done.stderr.splitlines()]
    assert done.exit_code == 2
    assert [(one["file"], one["code"]) for one in told] == [
        ("bad.png", "unsupported-type"),
        ("missing.pdf", "not-found"),
    ]
    assert compare("old.pdf", "missing.pdf").exit_code == 2


def test_what_cannot_be_done_is_said_before_anything_is_read(folder: Path) -> None:
    for wrong in (["--format", "zip"], ["--format", "docx"], ["--engine", "none"]):
        done = compare("old.pdf", "new.pdf", "-o", "out", *wrong)
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr.startswith("Error: ")
    assert not (folder / "out").exists()
