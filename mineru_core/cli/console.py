"""What the commands share: how an error is told, and a progress line that only a terminal sees."""

from __future__ import annotations

import json
import sys

import typer

from mineru_core.errors import WorkbenchError


def shown(name: str) -> str:
    """A file's name as a terminal may show it: what it would obey or hide (colours, other writing directions) is
    written out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in name)


def tell_error(error: WorkbenchError) -> None:
    """What happened and what to do about it, on stderr."""
    typer.echo(f"Error: {error.message}", err=True)
    if error.hint:
        typer.echo(f"       {error.hint}", err=True)


def tell_bad_file(name: str, error: WorkbenchError, *, as_json: bool) -> None:
    """One file that could not be read, on stderr: a JSON line {file, code, message, hint}, or a sentence."""
    if as_json:
        record = {"file": name, "code": error.code, "message": error.message, "hint": error.hint}
        typer.echo(json.dumps(record, ensure_ascii=False), err=True)
    else:
        typer.echo(f"{shown(name)}: {error.message} {error.hint}".rstrip(), err=True)


class ProgressLine:
    """One line on stderr that is written over and over; nothing where stderr is no terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._width = 0

    def show(self, text: str) -> None:
        """Put ``text`` in the place of what was shown before."""
        if self._shown:
            sys.stderr.write(f"\r{text.ljust(self._width)}")
            sys.stderr.flush()
            self._width = len(text)

    def clear(self) -> None:
        """Leave the line empty for what comes next."""
        if self._width:
            self.show("")
            sys.stderr.write("\r")
            self._width = 0
