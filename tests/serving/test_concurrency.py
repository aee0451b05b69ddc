"""Many threads through one Analyzer give what one thread gives, page for page."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from mineru_core.export.result import DocumentResult
from mineru_core.intake import open_document
from mineru_core.serving.analyzer import Analyzer
from mineru_core.settings import Settings, load_settings
from tests.documents import PdfPage, PdfText, draw_lines, draw_table, png_bytes, text_pdf

THREADS = 8
PAGES = 20


def comparable(result: DocumentResult) -> dict[str, object]:
    """All of a result but the times."""
    return result.model_dump(exclude={"timings": True, "analysis": {"pages": {"__all__": {"timings"}}}})


def document_of(thread: int) -> bytes:
    return text_pdf([PdfPage([PdfText(f"Thread {thread} page {n}")], 150, 100) for n in range(PAGES)])


def test_echo() -> None:
    with Analyzer(Settings(), "echo") as analyzer:

        def read(thread: int) -> dict[str, object]:
            with open_document(document_of(thread), name=f"{thread}.pdf") as document:
                return comparable(analyzer.analyze(document))

        one_by_one = [read(thread) for thread in range(THREADS)]
        with ThreadPoolExecutor(THREADS) as pool:
            assert list(pool.map(read, range(THREADS))) == one_by_one
    assert len({str(result["analysis"]) for result in one_by_one}) == THREADS


def picture(number: int) -> bytes:
    """A small page of its own text, every fourth one a table."""
    if number % 4 == 3:
        rows = [["Item", "Qty"], [f"Part {number}", str(7 * number)], [f"Bolt {number + 1}", str(13 * number)]]
        return png_bytes(draw_table(rows, column=150, row=44, margin=20))
    lines = [f"Invoice {number * 37 + 11}", f"Total {number * 3}.{number % 10}5"]
    return png_bytes(draw_lines(lines, width=320, margin=16))


def check_embedded(pages: int, rounds: int) -> None:
    """Read ``pages`` pictures one by one, then each ``rounds`` times by 8 threads at once."""
    pictures = [picture(number) for number in range(pages)]
    with Analyzer(load_settings(), "embedded") as analyzer:

        def read(number: int) -> dict[str, object]:
            with open_document(pictures[number], name=f"{number}.png") as document:
                return comparable(analyzer.analyze(document))

        one_by_one = [read(number) for number in range(pages)]
        with ThreadPoolExecutor(THREADS) as pool:
            assert list(pool.map(read, [*range(pages)] * rounds)) == one_by_one * rounds
    found = [str(result["answer"]) for result in one_by_one]
    assert all("Invoice" in text for number, text in enumerate(found) if number % 4 != 3)


@pytest.mark.models
def test_embedded() -> None:
    check_embedded(pages=4, rounds=2)


@pytest.mark.models
@pytest.mark.long
@pytest.mark.timeout(600)
def test_embedded_at_length() -> None:
    check_embedded(pages=PAGES, rounds=THREADS)
