"""``mineru-workbench analyze``: files in; answers printed, or written into a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from mineru_core.cli.answer import answer_as_text
from mineru_core.cli.console import ProgressLine, shown, tell_bad_file, tell_error
from mineru_core.document.analysis import PageFailure
from mineru_core.document.task import FieldValue, Region, Task, TaskKind
from mineru_core.errors import EngineError, NotFound, WorkbenchError
from mineru_core.export import check_formats, fields_by_file_to_csv, write_beside
from mineru_core.export.result import DocumentResult
from mineru_core.instruct import parse_words
from mineru_core.instruct.selectors import parse_pages, parse_region
from mineru_core.jobs.model import JobError
from mineru_core.runtime.context import Progress, RunContext
from mineru_core.serving.analyzer import Analyzer
from mineru_core.settings import Settings, load_settings

ALL_WELL, FAILED, FILES_BAD = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Options:
    """What the command was called with, as it was written."""

    words: str = ""
    folder: Path | None = None
    formats: tuple[str, ...] = ()
    engine: str | None = None
    regions: tuple[str, ...] = ()
    pages: str = ""
    password: str | None = None
    csv_guard: bool = True
    json_errors: bool = False


def analyze_files(files: Sequence[Path], options: Options) -> int:
    """Read every file; 0, 2 if one was bad (the others are done), 1 where nothing could be done at all."""
    try:
        settings = load_settings()
        task, regions = _task_of(options)
        check_formats(options.formats)
        with Analyzer(settings, options.engine) as analyzer:
            run = _Run(analyzer, settings, task, regions, options, many=len(files) > 1)
            bad = sum([run.read(file) for file in files])
            run.finish()
            return FILES_BAD if bad else ALL_WELL
    except WorkbenchError as error:
        tell_error(error)
    except BrokenPipeError:
        raise  # who read the answer has seen enough: the command ends without a word
    except OSError as error:
        typer.echo(f"Error: {error.filename or options.folder or 'the output'}: {error.strerror}", err=True)
    return FAILED


class _Run:
    """One call of the command: reads file after file."""

    def __init__(
        self,
        analyzer: Analyzer,
        settings: Settings,
        task: Task,
        regions: Sequence[Region],
        options: Options,
        *,
        many: bool,
    ) -> None:
        self._analyzer, self._settings = analyzer, settings
        self._task, self._regions, self._options = task, regions, options
        self._many = many
        self._fields: list[tuple[str, tuple[FieldValue, ...]]] = []
        self._line = ProgressLine()

    def read(self, file: Path) -> bool:
        """Read one file and give out what was found; whether the file was bad.

        Raises ``EngineError``, which is no file's fault.
        """
        try:
            result = self._analyze(file)
        except EngineError:
            raise
        except WorkbenchError as error:
            self._tell_bad(file, error)
            return True
        finally:
            self._line.clear()
        if not result.is_unread:
            self._give_out(file, result)
        if result.failures:
            self._tell_bad(file, error_of(result.failures))
        return bool(result.failures)

    def _analyze(self, file: Path) -> DocumentResult:
        context = RunContext.with_timeout(
            self._settings.engine.deadline_s, on_progress=lambda progress: self._show(file, progress)
        )
        try:
            if not file.is_file():
                raise NotFound("There is no such file.", "Check the path; a folder's files are named one by one.")
            with self._analyzer.open(file, password=self._options.password) as document:
                return self._analyzer.analyze(document, self._task, regions=self._regions, ctx=context)
        except OSError as error:
            raise NotFound(f"The file cannot be read: {error.strerror}.", "Check its permissions.") from error

    def _give_out(self, file: Path, result: DocumentResult) -> None:
        for note in result.answer.notes:
            typer.echo(f"{shown(str(file))}: {note.message}", err=True)
        if self._options.folder is None:
            heading = f"# {shown(file.name)}\n\n" if self._many else ""
            typer.echo(heading + answer_as_text(result))
            return
        if result.answer.kind is TaskKind.FIELDS:
            self._fields.append((file.name, result.answer.fields))
        written = self._save(file, result, self._options.folder)
        for path in written:
            typer.echo(path)
        if not written:
            wanted = ", ".join(check_formats(self._options.formats))
            typer.echo(f"{shown(str(file))}: There is nothing to write as {wanted}.", err=True)

    def finish(self) -> None:
        """Write what is there only once all files are read: the fields of several files as one table."""
        folder = self._options.folder
        if folder is not None and len(self._fields) > 1 and "csv" in check_formats(self._options.formats):
            data = fields_by_file_to_csv(self._fields, guard=self._options.csv_guard)
            typer.echo(write_beside(folder, "fields", "csv", data))

    def _save(self, file: Path, result: DocumentResult, folder: Path) -> list[Path]:
        formats, guard = self._options.formats, self._options.csv_guard
        if not {"pdf", "zip"} & set(check_formats(formats)):
            return result.save(folder, formats, guard=guard)
        with self._analyzer.open(file, password=self._options.password) as document:
            return result.save(folder, formats, guard=guard, pages=document.page)

    def _tell_bad(self, file: Path, error: WorkbenchError) -> None:
        self._line.clear()
        tell_bad_file(str(file), error, as_json=self._options.json_errors)

    def _show(self, file: Path, progress: Progress) -> None:
        place = f" page {progress.page} of {progress.pages}" if progress.page else ""
        self._line.show(f"{shown(file.name)}:{place} {progress.stage}")


def error_of(failures: Sequence[PageFailure]) -> WorkbenchError:
    """The first failed page as the error of its file, with how many more there are."""
    first, more = failures[0], len(failures) - 1
    message = f"Page {first.page}: {first.message}" + (f" {more} more failed." if more else "")
    return JobError(code=first.code, message=message, hint=first.hint).to_error()


def _task_of(options: Options) -> tuple[Task, list[Region]]:
    """What the words and options ask for. Raises ``InvalidRequest`` for a region or pages that make no sense."""
    task = parse_words(options.words)
    pages = parse_pages(options.pages)
    if pages:
        task = task.model_copy(update={"pages": pages})
    first = pages[0] if pages and pages[0] > 0 else 1
    return task, [parse_region(text, first) for text in options.regions]
