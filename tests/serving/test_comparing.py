from __future__ import annotations

import pytest

from mineru_core.document.task import Answer, ChangeKind
from mineru_core.engines.echo import EchoEngine
from mineru_core.errors import InvalidRequest
from mineru_core.export import to_markdown
from mineru_core.export.result import DocumentResult
from mineru_core.intake import Document, open_document
from mineru_core.runtime.context import Progress, RunContext
from mineru_core.serving.analyzer import Analyzer
from mineru_core.serving.comparing import COMPARISON, compared
from mineru_core.settings import Settings
from tests.documents import PdfPage, PdfText, text_pdf


def pdf(name: str, *pages: str) -> Document:
    return open_document(text_pdf([PdfPage([PdfText(text)]) for text in pages]), name=name)


def compare(before: Document, after: Document, engine: EchoEngine | None = None, **more: object) -> DocumentResult:
    with Analyzer(Settings(), engine or EchoEngine()) as analyzer, before, after:
        return analyzer.compare(before, after, **more)  # type: ignore[arg-type]


def told(answer: Answer) -> list[tuple[str, str, str, int | None, int | None]]:
    return [(c.kind.value, c.before, c.after, c.before_page, c.after_page) for c in answer.changes]


def test_two_documents_are_compared_whole() -> None:
    old = pdf("old.pdf", "Dear Sir", "The price is 10 dollars.", "Kind regards")
    new = pdf("new.pdf", "Dear Sir", "A page of its own", "The price is 12 dollars.", "Kind regards")
    result = compare(old, new)
    assert told(result.answer) == [
        ("added", "", "A page of its own", None, 2),
        ("changed", "The price is 10 dollars.", "The price is 12 dollars.", 2, 3),
    ]
    assert result.before is not None
    assert (result.before.source, result.source) == ("old.pdf", "new.pdf")
    assert (len(result.before.pages), len(result.analysis.pages)) == (3, 4)
    assert result.success
    assert result.answer.notes == ()


def test_equal_documents_differ_in_nothing() -> None:
    result = compare(pdf("a.pdf", "one", "two"), pdf("b.pdf", "one", "two"))
    assert (told(result.answer), [note.code for note in result.answer.notes]) == ([], ["no-changes"])


def test_the_other_way_round_is_the_other_way_round() -> None:
    result = compare(pdf("a.pdf", "one"), pdf("b.pdf", "one", "quite another thing"))
    back = compare(pdf("b.pdf", "one", "quite another thing"), pdf("a.pdf", "one"))
    assert [change.kind for change in result.answer.changes] == [ChangeKind.ADDED]
    assert [change.kind for change in back.answer.changes] == [ChangeKind.REMOVED]


def test_a_page_of_either_that_fails_is_said_and_is_no_success() -> None:
    result = compare(pdf("a.pdf", "one", "two"), pdf("b.pdf", "one"), EchoEngine(fail_pages=[2]))
    assert [failure.page for failure in result.failures] == [2]
    assert not result.success
    assert not result.is_unread
    assert "a.pdf: Page 2 could not be read" in to_markdown(result)
    assert compare(pdf("a.pdf", "one"), pdf("b.pdf", "one"), EchoEngine(fail_pages=[1])).is_unread


def test_pages_are_counted_over_both() -> None:
    steps: list[Progress] = []
    compare(pdf("a.pdf", "one", "two"), pdf("b.pdf", "three"), ctx=RunContext(on_progress=steps.append))
    assert {step.pages for step in steps} == {3}
    assert (steps[-1].page, steps[-1].done) == (3, 3)


def test_what_was_read_for_something_else_is_not_compared() -> None:
    with Analyzer(Settings(), EchoEngine()) as analyzer, pdf("a.pdf", "one") as document:
        read, text = analyzer.analyze(document, COMPARISON), analyzer.analyze(document, "the text")
    with pytest.raises(InvalidRequest, match="something else"):
        compared(read, text)


def test_the_result_comes_back_from_its_json_equal() -> None:
    result = compare(pdf("a.pdf", "one"), pdf("b.pdf", "two"))
    assert DocumentResult.model_validate_json(result.model_dump_json()) == result
