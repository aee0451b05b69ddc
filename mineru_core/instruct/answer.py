"""From what was found and what was asked to the answer; no engine takes part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from mineru_core.document.analysis import Block, BlockType, DocumentAnalysis, PageAnalysis
from mineru_core.document.chart import Chart
from mineru_core.document.table import Table
from mineru_core.document.task import Answer, FindMode, Note, Task, TaskKind
from mineru_core.instruct import chart_choice, table_choice
from mineru_core.instruct.compare import compare_pages
from mineru_core.instruct.fields import read_fields
from mineru_core.instruct.find import find
from mineru_core.instruct.patterns import find_pattern
from mineru_core.instruct.questions import read_answer
from mineru_core.instruct.rows import in_rows
from mineru_core.instruct.summary import summarize

_NOTES = {
    "not-understood": "The words were not understood, so everything is given.",
    "unsupported-request": "Translations, explanations and rewriting are not done; the content is given as it is.",
    "unsupported-table-request": "Rows are not chosen by number nor sorted; the tables are given as they are.",
    "charts-unsupported": "The engine that read this document cannot read chart data yet.",
    "formulas-unsupported": "The engine that read this document cannot read formulas yet.",
}


def answer(analysis: DocumentAnalysis, task: Task) -> Answer:
    """The answer to ``task`` from ``analysis`` alone; the same for the same two.

    Codes in ``task.notes`` come back as notes; further ones: ``no-such-page``, ``no-tables``, ``charts-only``,
    ``no-such-table``,
    ``no-charts``, ``tables-instead``, ``no-formulas``, ``not-found``, ``near-hits-only``, ``fields-not-found``,
    ``no-summary``, ``answer-not-found``, ``nothing-to-compare``, and those of ``table_choice``, ``chart_choice``,
    ``patterns`` and ``compare``.
    """
    pages, notes = _chosen_pages(analysis, task.pages, compares=task.kind is TaskKind.COMPARE)
    notes = [*(Note(code=code, message=_NOTES.get(code, code)) for code in task.notes), *notes]
    by_kind = {
        TaskKind.EVERYTHING: _everything,
        TaskKind.TEXT: _text,
        TaskKind.TABLES: _tables,
        TaskKind.CHARTS: _charts,
        TaskKind.FORMULAS: _formulas,
        TaskKind.FIELDS: _fields,
        TaskKind.FIND: _find,
        TaskKind.SUMMARY: _summary,
        TaskKind.QUESTION: _question,
        TaskKind.COMPARE: _compare,
    }
    given = by_kind[task.kind](pages, task)
    return given.model_copy(update={"notes": (*notes, *given.notes)})


def page_text(page: PageAnalysis) -> str:
    """All text of a page in reading order, blocks parted by a blank line, tables as rows of cells parted by tabs."""
    return "\n\n".join(text for block in page.blocks if (text := block_text(block)))


def block_text(block: Block) -> str:
    """The text of one block; a table gives a line a row with a tab between cells."""
    if block.table is not None:
        rows = block.table.rows()
        text = "\n".join("\t".join(" ".join(cell.split()) for cell in row).rstrip("\t") for row in rows)
        return f"{block.table.caption}\n{text}" if block.table.caption else text
    return block.plain_text


def _chosen_pages(
    analysis: DocumentAnalysis, numbers: Sequence[int], *, compares: bool
) -> tuple[tuple[PageAnalysis, ...], list[Note]]:
    """The pages that the task is limited to (-1 is the last page of the document), and a note on those it has not."""
    if not numbers:
        return analysis.pages, []
    count = analysis.page_count
    wanted = [n if n > 0 else count + 1 + n for n in numbers]
    notes = []
    if any(not 1 <= n <= count for n in wanted):
        has = "1 page" if count == 1 else f"{count} pages"
        notes.append(
            Note(code="no-such-page", message=f"The document has {has}; some of the pages asked for do not exist.")
        )
    by_number = {page.page: page for page in analysis.pages}
    if not compares:  # which alone is from the page named first, not in the order of the document
        wanted.sort()
    return tuple(by_number[n] for n in dict.fromkeys(wanted) if n in by_number), notes


def _all_text(pages: Iterable[PageAnalysis]) -> str:
    return "\n\n".join(text for page in pages if (text := page_text(page)))


def _text(pages: Sequence[PageAnalysis], task: Task) -> Answer:  # noqa: ARG001  every kind takes the task
    return Answer(kind=TaskKind.TEXT, text=_all_text(pages))


def _everything(pages: Sequence[PageAnalysis], task: Task) -> Answer:  # noqa: ARG001
    return Answer(
        kind=TaskKind.EVERYTHING,
        text=_all_text(pages),
        tables=_tables_of(pages),
        charts=_charts_of(pages),
    )


def _tables_of(pages: Iterable[PageAnalysis]) -> tuple[Table, ...]:
    return tuple(table for page in pages for table in page.tables)


def _charts_of(pages: Iterable[PageAnalysis]) -> tuple[Chart, ...]:
    return tuple(chart for page in pages for chart in page.charts)


def _tables(pages: Sequence[PageAnalysis], task: Task) -> Answer:
    found = _tables_of(pages)
    if not found and any(block.type is BlockType.CHART for page in pages for block in page.blocks):
        text = "No table was found, but a chart; ask for the chart data to get its values."
        return Answer(kind=TaskKind.TABLES, notes=(Note(code="charts-only", message=text),))
    if not found:
        return Answer(kind=TaskKind.TABLES, notes=(Note(code="no-tables", message="No table was found."),))
    chosen = sorted({i if i >= 0 else len(found) + i for i in task.table_indexes}) or range(len(found))
    missing = [i for i in chosen if not 0 <= i < len(found)]
    notes: list[Note] = []
    if missing:
        has = "There is 1 table" if len(found) == 1 else f"There are {len(found)} tables"
        notes.append(Note(code="no-such-table", message=f"{has}; some of those asked for do not exist."))
    tables, more = table_choice.choose([found[i] for i in chosen if i not in missing], task)
    return Answer(kind=TaskKind.TABLES, tables=tables, notes=(*notes, *more))


def _charts(pages: Sequence[PageAnalysis], task: Task) -> Answer:
    charts = _charts_of(pages)
    if charts or "charts-unsupported" in task.notes:
        charts, notes = chart_choice.choose(charts, task)
        return Answer(kind=TaskKind.CHARTS, charts=charts, notes=tuple(notes))
    tables = _tables_of(pages)  # what was taken for a chart may be one of these
    note = Note(code="no-charts", message="No chart was found.")
    if tables:
        note = Note(code="tables-instead", message="No chart was found; the tables are given instead.")
    return Answer(kind=TaskKind.CHARTS, tables=tables, notes=(note,))


def _formulas(pages: Sequence[PageAnalysis], task: Task) -> Answer:
    blocks = tuple(b for p in pages for b in p.blocks if b.type is BlockType.EQUATION)
    silent = blocks or "formulas-unsupported" in task.notes
    notes = () if silent else (Note(code="no-formulas", message="No formula was found."),)
    return Answer(
        kind=TaskKind.FORMULAS, blocks=blocks, text="\n\n".join(b.text for b in blocks if b.text), notes=notes
    )


def _find(pages: Sequence[PageAnalysis], task: Task) -> Answer:
    if task.find_mode is FindMode.REGEX:
        hits, told = find_pattern(pages, task.query)
        return Answer(kind=TaskKind.FIND, matches=in_rows(pages, hits), notes=tuple(told))
    matches, exact = find(pages, task.query, task.find_mode)
    notes: tuple[Note, ...] = ()
    if not matches:
        notes = (Note(code="not-found", message="The phrase was not found."),)
    elif not exact:
        notes = (Note(code="near-hits-only", message="The phrase was not found as written; similar places are given."),)
    return Answer(kind=TaskKind.FIND, matches=in_rows(pages, matches), notes=notes)


def _fields(pages: Sequence[PageAnalysis], task: Task) -> Answer:
    if task.points and (named := chart_choice.named_in(_charts_of(pages), task)):  # "the values of …" meant a chart's
        return Answer(kind=TaskKind.CHARTS, charts=named)
    values = read_fields(pages, task.fields, task.language)
    missing = [value.name for value in values if not value.found]
    notes: tuple[Note, ...] = ()
    if missing:
        notes = (Note(code="fields-not-found", message=f"Not found: {', '.join(missing)}."),)
    elif not values:
        notes = (Note(code="fields-not-found", message="No known field was found."),)
    return Answer(kind=TaskKind.FIELDS, fields=values, notes=notes)


def _summary(pages: Sequence[PageAnalysis], task: Task) -> Answer:  # noqa: ARG001
    quotes = summarize(pages)
    notes = () if quotes else (Note(code="no-summary", message="No sentences were found to sum the pages up."),)
    return Answer(kind=TaskKind.SUMMARY, quotes=quotes, notes=notes)


def _question(pages: Sequence[PageAnalysis], task: Task) -> Answer:
    quotes = read_answer(pages, task.query, task.language)
    notes = () if quotes else (Note(code="answer-not-found", message="An answer was not found on these pages."),)
    return Answer(kind=TaskKind.QUESTION, quotes=quotes, notes=notes)


def _compare(pages: Sequence[PageAnalysis], task: Task) -> Answer:
    """Each page against the one named before it; the first two pages where none is named."""
    compared = pages if task.pages else pages[:2]
    if len(compared) < 2:
        note = Note(code="nothing-to-compare", message="There is no second page to compare with.")
        return Answer(kind=TaskKind.COMPARE, notes=(note,))
    steps = [compare_pages([before], [after]) for before, after in pairwise(compared)]
    changes = tuple(change for step in steps for change in step.changes)
    notes = {note.code: note for step in steps for note in step.notes if note.code != "no-changes" or not changes}
    return Answer(kind=TaskKind.COMPARE, changes=changes, notes=tuple(notes.values()))
