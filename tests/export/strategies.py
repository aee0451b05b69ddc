"""Tables, texts and results for the export tests."""

from __future__ import annotations

from hypothesis import strategies as st

from mineru_core.document.analysis import Block, BlockType, DocumentAnalysis, PageAnalysis, PageFailure, Part
from mineru_core.document.chart import Axis, Chart, ChartKind, Point, Series
from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table
from mineru_core.document.task import Answer, Task, TaskKind
from mineru_core.export.result import DocumentResult

BOX = Box(0.0, 0.0, 10.0, 10.0)

# Every character that means something to a spreadsheet, to HTML or to Markdown comes up often.
ODD = "=+-@'\"|\\`*_[]<>&#~!$(){}^:;,.%０１2 9\t\n\r一項￥€\u00a0\ufeff"
texts = st.text(st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"])), max_size=12)
LINE_SAFE = st.text(
    st.one_of(
        st.sampled_from("=+-@'\"|\\`*_[]<>&#~!$(){}^:;,.%2 9aZ一項"), st.characters(categories=["L", "N", "P", "S"])
    ),
    max_size=14,
)


@st.composite
def tables(draw: st.DrawFn, text: st.SearchStrategy[str] = texts, *, spans: bool = True) -> Table:
    """Tables up to 5 × 4 whose cells cover the grid wholly or leave places empty."""
    n_rows, n_cols = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    free = {(r, c) for r in range(n_rows) for c in range(n_cols)}
    header_rows = draw(st.integers(0, n_rows))
    cells = []
    for row in range(n_rows):
        for col in range(n_cols):
            if (row, col) not in free:
                continue
            rowspan = draw(st.integers(1, n_rows - row)) if spans else 1
            colspan = draw(st.integers(1, n_cols - col)) if spans else 1
            places = {(r, c) for r in range(row, row + rowspan) for c in range(col, col + colspan)}
            if not places <= free:
                rowspan = colspan = 1
                places = {(row, col)}
            if draw(st.integers(0, 9)) == 0:
                continue
            free -= places
            cells.append(
                Cell(
                    row=row,
                    col=col,
                    rowspan=rowspan,
                    colspan=colspan,
                    text=draw(text),
                    header=row < header_rows,
                    confidence=draw(st.sampled_from([0.3, 1.0])),
                )
            )
    return Table(n_rows=n_rows, n_cols=n_cols, cells=tuple(cells))


def block(kind: BlockType, text: str = "", *, table: Table | None = None, chart: Chart | None = None) -> Block:
    return Block(type=kind, box=BOX, order=0, text=text, table=table, chart=chart)


def page(number: int, *blocks: Block) -> PageAnalysis:
    return PageAnalysis(
        page=number, width=100, height=100, sha256="0" * 64, parts=frozenset({Part.TEXT, Part.TABLES}), blocks=blocks
    )


def result(
    *pages: PageAnalysis,
    source: str = "scan.png",
    answer: Answer | None = None,
    failures: tuple[PageFailure, ...] = (),
    language: str = "en",
) -> DocumentResult:
    """A result of the pages; the answer is "everything" unless one is given."""
    answer = answer or Answer(kind=TaskKind.EVERYTHING)
    return DocumentResult(
        task=Task(kind=answer.kind, language=language),
        answer=answer,
        analysis=DocumentAnalysis(
            source=source,
            sha256="0" * 64,
            media_type="image/png",
            page_count=max(1, len(pages) + len(failures)),
            pages=pages,
            failures=failures,
        ),
        engine="echo-1",
    )


def sales_chart() -> Chart:
    return Chart(
        kind=ChartKind.BAR,
        title="Sales",
        x_axis=Axis(label="Quarter"),
        series=(
            Series(name="2023", points=(Point(x="Q1", y=1.5), Point(x="Q2", y=12_345_678_901.0))),
            Series(name="2024", points=(Point(x="Q2", y=0.1 + 0.2), Point(x="Q3", y=None))),
        ),
    )
