"""Writes a result as files: NAME.md, NAME.json, NAME.html, NAME.tableK.csv … of one document under one NAME."""

from __future__ import annotations

import io
import os
import re
import secrets
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import count
from pathlib import Path

from mineru_core.document.table import Table
from mineru_core.errors import InvalidRequest
from mineru_core.export.content_list import to_content_list
from mineru_core.export.html import to_html
from mineru_core.export.json import to_json
from mineru_core.export.markdown import to_markdown
from mineru_core.export.outline import listed
from mineru_core.export.result import DocumentResult, PageSource
from mineru_core.export.tabular import (
    change_rows,
    changes_to_csv,
    chart_to_csv,
    chart_to_long_csv,
    fields_to_csv,
    quote_rows,
    quotes_to_csv,
    table_to_csv,
)

FORMATS = ("csv", "xlsx", "md", "json", "html", "txt", "content_list", "csv_long", "pdf", "zip")
"""``csv_long`` are the charts with one row a point; ``csv`` has them with one column a series."""
IN_THE_ZIP = tuple(form for form in FORMATS if form != "zip")
"""What NAME.zip holds; the PDF only where the pages are at hand."""

_MAX_NAME_BYTES = 180
_RESERVED = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
# What the files of a NAME end with, also those of formats that another run may have written.
_ENDING = re.compile(
    r"\.(md|json|html|txt|zip|(fields|changes|quotes)\.csv|(changes|quotes)\.xlsx|content_list\.json|searchable\.pdf|table\d+\.(csv|xlsx)|chart\d+(\.long)?\.csv)",
    re.IGNORECASE,
)

_Make = Callable[[], bytes]


def write_files(
    result: DocumentResult,
    folder: Path,
    formats: Sequence[str] = FORMATS[:5],
    *,
    guard: bool = True,
    pages: PageSource | None = None,
) -> list[Path]:
    """Write the formats into ``folder`` (made if missing); returns the files in the order they were written.

    Tables and charts count from 1 in reading order. Files of another document are never overwritten: a NAME that is
    taken becomes NAME-2, NAME-3 … Each file appears whole or not at all. ``guard`` keeps CSV cells from being run as
    formulas. ``pages`` gives the pages as they were read (``Document.page``): the searchable PDF is made of them.
    Raises ``InvalidRequest`` for an unknown format, a PDF without ``pages`` or a folder that is a file, before anything
    is written.
    """
    chosen = check_formats(formats)
    if "pdf" in chosen and pages is None:
        raise InvalidRequest("The searchable PDF needs the pages of the document.", "Hand in the open document, too.")
    if folder.exists() and not folder.is_dir():
        raise InvalidRequest(f"{folder.name!r} is a file, not a folder.", "Choose another folder.")
    # Where the PDF is wanted twice, alone and in the archive, it is made once.
    make_pdf = None if pages is None else lru_cache(maxsize=1)(partial(_searchable_pdf, result, pages))
    files = dict(_files(result, chosen, guard, make_pdf))
    folder.mkdir(parents=True, exist_ok=True)
    if not files:
        return []
    name = _reserve(folder, safe_name(result.source), next(iter(files)))
    written: list[Path] = []
    try:
        for ending, make in files.items():
            path = folder / f"{name}.{ending}"
            _write(path, make())
            written.append(path)
    finally:
        if not written:  # the empty file that held the name
            (folder / f"{name}.{next(iter(files))}").unlink(missing_ok=True)
    return written


def check_formats(formats: Sequence[str]) -> tuple[str, ...]:
    """The formats in lower case, each once. Raises ``InvalidRequest`` that names the allowed ones."""
    wanted = tuple(dict.fromkeys(f.strip().lower().lstrip(".") for f in formats))
    unknown = [f for f in wanted if f not in FORMATS]
    if unknown:
        raise InvalidRequest(
            f"There is no format {', '.join(map(repr, unknown))}.", f"Choose among: {', '.join(FORMATS)}."
        )
    return wanted


def safe_name(source: str) -> str:
    """A file name's stem that every platform takes, made from a document's name; "document" where nothing is left."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", source))[-1]
    stem = last.rpartition(".")[0] or last
    clean = "".join(c for c in _RESERVED.sub("_", stem) if c.isprintable()).strip(" .")
    clean = clean.encode("utf-8", errors="ignore")[:_MAX_NAME_BYTES].decode("utf-8", errors="ignore").strip(" .")
    if _DEVICES.fullmatch(clean):
        clean = f"_{clean}"
    return clean or "document"


def write_beside(folder: Path, name: str, ending: str, data: bytes) -> Path:
    """Write one file that belongs to no single document: NAME.ENDING, or NAME-2.ENDING where there is such a file."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in count(1):
        path = folder / (f"{name}.{ending}" if number == 1 else f"{name}-{number}.{ending}")
        try:
            path.open("x").close()
        except FileExistsError:
            continue
        _write(path, data)
        return path
    raise AssertionError("unreachable: there is always a next number")


def to_zip(result: DocumentResult, *, guard: bool = True, pages: PageSource | None = None) -> bytes:
    """An archive of the result in every other form; the searchable PDF is in it where ``pages`` are given."""
    return _zipped(result, guard, None if pages is None else partial(_searchable_pdf, result, pages))


def _zipped(result: DocumentResult, guard: bool, make_pdf: _Make | None) -> bytes:
    name = safe_name(result.source)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for ending, make in _files(result, IN_THE_ZIP, guard, make_pdf):
            archive.writestr(f"{name}.{ending}", make())
    return out.getvalue()


def _files(
    result: DocumentResult, formats: Sequence[str], guard: bool, make_pdf: _Make | None
) -> Iterator[tuple[str, _Make]]:
    """Ending of each file and what makes its bytes."""
    for form in formats:
        if form in _WHOLE:
            ending, make = _WHOLE[form]
            yield ending, partial(_encoded, make, result)
    if "csv" in formats:
        yield from _csv_files(result, guard)
    if "csv_long" in formats:
        for k, chart in enumerate(result.charts, 1):
            yield f"chart{k}.long.csv", partial(chart_to_long_csv, chart, guard=guard)
    if "xlsx" in formats:
        yield from _xlsx_files(result)
    if "pdf" in formats and make_pdf is not None:
        yield "searchable.pdf", make_pdf
    if "zip" in formats:
        yield "zip", partial(_zipped, result, guard, make_pdf)


def _csv_files(result: DocumentResult, guard: bool) -> Iterator[tuple[str, _Make]]:
    answer = result.answer
    for k, table in enumerate(result.tables, 1):
        yield f"table{k}.csv", partial(table_to_csv, table, guard=guard)
    for k, chart in enumerate(result.charts, 1):
        yield f"chart{k}.csv", partial(chart_to_csv, chart, guard=guard)
    if answer.fields:
        yield "fields.csv", partial(fields_to_csv, answer.fields, guard=guard)
    if answer.changes:
        yield "changes.csv", partial(changes_to_csv, answer.changes, guard=guard)
    if answer.quotes:
        yield "quotes.csv", partial(quotes_to_csv, answer.quotes, guard=guard)


def _xlsx_files(result: DocumentResult) -> Iterator[tuple[str, _Make]]:
    for k, table in enumerate(result.tables, 1):
        yield f"table{k}.xlsx", partial(_workbook, table)
    if result.answer.changes:
        yield "changes.xlsx", partial(_workbook, listed(change_rows(result.answer.changes)))
    if result.answer.quotes:
        yield "quotes.xlsx", partial(_workbook, listed(quote_rows(result.answer.quotes)))


def _encoded(make: Callable[[DocumentResult], str], result: DocumentResult) -> bytes:
    return make(result).encode("utf-8", errors="replace")


def _text(result: DocumentResult) -> str:
    """The answer's text, else all that was read, with a blank line between blocks."""
    return result.text or "\n\n".join(block.text for block in result.blocks if block.text)


_WHOLE: dict[str, tuple[str, Callable[[DocumentResult], str]]] = {
    "md": ("md", to_markdown),
    "json": ("json", to_json),
    "html": ("html", to_html),
    "txt": ("txt", _text),
    "content_list": ("content_list.json", to_content_list),
}
"""Forms that are one text of the whole result: how the file's name ends, and what writes it."""


def _searchable_pdf(result: DocumentResult, pages: PageSource) -> bytes:
    from mineru_core.export.searchable_pdf import to_searchable_pdf

    return to_searchable_pdf(result, pages)


def _workbook(table: Table) -> bytes:
    from mineru_core.export.workbook import tables_to_xlsx

    return tables_to_xlsx([table])


def _reserve(folder: Path, stem: str, first_ending: str) -> str:
    """A NAME with no files in the folder yet. Its first file is made, empty, so that no other writer takes the same
    NAME in between."""
    entries = os.listdir(folder)
    for number in count(1):
        name = stem if number == 1 else f"{stem}-{number}"
        if not _is_taken(entries, name):
            try:
                (folder / f"{name}.{first_ending}").open("x").close()
            except FileExistsError:
                # Another writer was faster.
                continue
            return name
    raise AssertionError("unreachable: there is always a next number")


def _is_taken(entries: Sequence[str], name: str) -> bool:
    """Whether files of this NAME are there, in any case: some file systems know no difference."""
    start = name.casefold()
    return any(e.casefold().startswith(start) and _ENDING.fullmatch(e[len(name) :]) for e in entries)


def _write(path: Path, data: bytes) -> None:
    """Write beside the target and move into place, so that nobody ever sees half a file."""
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
