"""From pages, each read for itself, to the analysis of one document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mineru_core.document.analysis import Block, DocumentAnalysis, PageAnalysis, PageFailure


def assemble(
    pages: Sequence[PageAnalysis | PageFailure], *, source: str, sha256: str, media_type: str, page_count: int
) -> DocumentAnalysis:
    """Put pages, in whatever order they came, into one analysis in page order; failures, of blocks too, are kept.

    ``page_count`` counts the pages of the whole document, read or not. Several analyses of one page (regions of it)
    become one, in the order given. Blocks are put in reading order and numbered from 0, and tables and charts carry
    the number of their page. Raises ValueError for a page that the document does not have.
    """
    for page in pages:
        if page.page > page_count:
            raise ValueError(f"page {page.page} of a document of {page_count} pages")
    by_page: dict[int, list[PageAnalysis]] = {}
    for page in pages:
        if isinstance(page, PageAnalysis):
            by_page.setdefault(page.page, []).append(page)
    joined = [_joined(by_page[number]) for number in sorted(by_page)]
    failed = [page for page in pages if isinstance(page, PageFailure)]
    failed += [failure for page in joined for failure in page.failures]
    return DocumentAnalysis(
        source=source,
        sha256=sha256,
        media_type=media_type,
        page_count=page_count,
        pages=tuple(page.model_copy(update={"failures": ()}) for page in joined),
        failures=tuple(sorted(failed, key=lambda failure: failure.page)),
    )


def _joined(parts: Sequence[PageAnalysis]) -> PageAnalysis:
    """One analysis of one page from its regions."""
    first = parts[0]
    blocks: list[Block] = []
    failures: list[PageFailure] = []
    for part in parts:
        ordered = sorted(part.blocks, key=lambda block: block.order)
        places = {block.order: len(blocks) + place for place, block in enumerate(ordered)}
        for failure in part.failures:
            place = None if failure.block is None else places.get(failure.block)
            failures.append(failure.model_copy(update={"page": first.page, "block": place}))
        blocks += ordered
    timings: dict[str, float] = {}
    for part in parts:
        for stage, seconds in part.timings.items():
            timings[stage] = timings.get(stage, 0.0) + seconds
    return first.model_copy(
        update={
            "blocks": _numbered(blocks, first.page),
            "parts": frozenset.intersection(*(part.parts for part in parts)),
            "warnings": tuple(dict.fromkeys(w for part in parts for w in part.warnings)),
            "failures": tuple(failures),
            "timings": timings,
            "readings": (),  # of the page or of its crops; nobody needs them from here on
        }
    )


def _numbered(blocks: Iterable[Block], page: int) -> tuple[Block, ...]:
    out: list[Block] = []
    for order, block in enumerate(blocks):
        changes: dict[str, object] = {} if block.order == order else {"order": order}
        if block.table is not None and block.table.page != page:
            changes["table"] = block.table.model_copy(update={"page": page})
        if block.chart is not None and block.chart.page != page:
            changes["chart"] = block.chart.model_copy(update={"page": page})
        out.append(block.model_copy(update=changes) if changes else block)
    return tuple(out)
