"""``mineru-workbench compare``: what changed from one file to another, printed or written."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import typer

from mineru_core.cli.analyze import ALL_WELL, FAILED, FILES_BAD, error_of
from mineru_core.cli.answer import answer_as_text
from mineru_core.cli.console import ProgressLine, shown, tell_bad_file, tell_error
from mineru_core.errors import EngineError, InvalidRequest, NotFound, WorkbenchError
from mineru_core.export import check_formats, to_json
from mineru_core.export.result import DocumentResult
from mineru_core.intake import Document
from mineru_core.runtime.context import Progress, RunContext
from mineru_core.serving.analyzer import Analyzer
from mineru_core.settings import load_settings

STDOUT = "-"


@dataclass(frozen=True, slots=True)
class Options:
    """What the command was called with. ``json`` is a file for the whole result, "-" standard output."""

    folder: Path | None = None
    formats: tuple[str, ...] = ()
    json: str | None = None
    engine: str | None = None
    password: str | None = None
    csv_guard: bool = True
    json_errors: bool = False


def compare_files(before: Path, after: Path, options: Options) -> int:
    """Compare two files; 0, 2 if one could not be read, wholly or in part, 1 where nothing could be done at all."""
    try:
        settings = load_settings()
        if "zip" in check_formats(options.formats) or "pdf" in check_formats(options.formats):
            raise InvalidRequest("A comparison is not written as pdf or zip.", "Choose csv, xlsx, md, json or html.")
        with Analyzer(settings, options.engine) as analyzer:
            return _Run(analyzer, options, before, after).compare()
    except WorkbenchError as error:
        tell_error(error)
    except BrokenPipeError:
        raise  # who read the answer has seen enough: the command ends without a word
    except OSError as error:
        typer.echo(f"Error: {error.filename or options.folder or options.json}: {error.strerror}", err=True)
    return FAILED


class _Run:
    """One call of the command."""

    def __init__(self, analyzer: Analyzer, options: Options, before: Path, after: Path) -> None:
        self._analyzer, self._options = analyzer, options
        self._before, self._after = before, after
        self._line = ProgressLine()

    def compare(self) -> int:
        """Read both files and give out what changed. Raises ``EngineError``, which is no file's fault."""
        with ExitStack() as opened:
            documents = [self._open(file, opened) for file in (self._before, self._after)]
            if any(document is None for document in documents):
                return FILES_BAD
            before, after = (document for document in documents if document is not None)
            context = RunContext.with_timeout(self._analyzer.settings.engine.deadline_s, on_progress=self._show)
            try:
                result = self._analyzer.compare(before, after, ctx=context)
            finally:
                self._line.clear()
        if not result.is_unread:
            self._give_out(result)
        return self._tell_failures(result)

    def _open(self, file: Path, opened: ExitStack) -> Document | None:
        """The file opened; None where it is bad, which is told."""
        try:
            if not file.is_file():
                raise NotFound("There is no such file.", "Check the path; a folder's files are named one by one.")
            return opened.enter_context(self._analyzer.open(file, password=self._options.password))
        except OSError as error:
            failure: WorkbenchError = NotFound(f"The file cannot be read: {error.strerror}.", "Check its permissions.")
        except EngineError:
            raise
        except WorkbenchError as error:
            failure = error
        tell_bad_file(str(file), failure, as_json=self._options.json_errors)
        return None

    def _give_out(self, result: DocumentResult) -> None:
        for note in result.answer.notes:
            typer.echo(f"{shown(str(self._before))} → {shown(str(self._after))}: {note.message}", err=True)
        options = self._options
        if options.json == STDOUT:
            typer.echo(to_json(result))
        elif options.json is not None:
            Path(options.json).write_text(to_json(result), encoding="utf-8")
        if options.folder is not None:
            for path in result.save(options.folder, options.formats, guard=options.csv_guard):
                typer.echo(path)
        elif options.json is None:
            typer.echo(answer_as_text(result))

    def _tell_failures(self, result: DocumentResult) -> int:
        bad = False
        for file, side in ((self._before, result.before), (self._after, result.analysis)):
            if side is not None and side.failures:
                bad = True
                tell_bad_file(str(file), error_of(side.failures), as_json=self._options.json_errors)
        return FILES_BAD if bad else ALL_WELL

    def _show(self, progress: Progress) -> None:
        place = f" page {progress.page} of {progress.pages}" if progress.page else ""
        self._line.show(f"{shown(self._before.name)} → {shown(self._after.name)}:{place} {progress.stage}")
