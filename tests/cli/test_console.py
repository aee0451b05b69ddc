"""What the commands say beside their answers."""

from __future__ import annotations

import io
import json
import sys

import pytest

from mineru_core.cli.console import ProgressLine, tell_bad_file, tell_error
from mineru_core.errors import EmptyFile, NotFound


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_one_line_that_is_written_over(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    line = ProgressLine()
    line.show("page 10 of 10")
    line.show("done")
    assert terminal.getvalue() == "\rpage 10 of 10\rdone         "
    line.clear()
    assert terminal.getvalue().endswith("\r    \r")
    shown = terminal.getvalue()
    line.clear()
    assert terminal.getvalue() == shown


def test_a_file_sees_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    line = ProgressLine()
    line.show("page 1 of 2")
    line.clear()
    assert file.getvalue() == ""


def test_errors_name_the_fix(capsys: pytest.CaptureFixture[str]) -> None:
    tell_error(NotFound("There is no such job.", "Check the id."))
    assert capsys.readouterr().err == "Error: There is no such job.\n       Check the id.\n"
    tell_bad_file("发票.png", EmptyFile("The file is empty.", "Save it again."), as_json=False)
    assert capsys.readouterr().err == "发票.png: The file is empty. Save it again.\n"
    tell_bad_file("发票.png", EmptyFile("The file is empty.", "Save it again."), as_json=True)
    assert json.loads(capsys.readouterr().err) == {
        "file": "发票.png",
        "code": "empty-file",
        "message": "The file is empty.",
        "hint": "Save it again.",
    }
