from __future__ import annotations

from mineru_core.cli.answer import answer_as_text
from mineru_core.document.geometry import Box
from mineru_core.document.task import Answer, Change, ChangeKind, Quote, TaskKind
from tests.export.strategies import page, result


def test_quotes_and_changes_are_a_line_each() -> None:
    quoted = Answer(kind=TaskKind.QUESTION, quotes=(Quote(text="It ends soon.", page=2, box=Box(0, 0, 1, 1)),))
    assert answer_as_text(result(page(1), answer=quoted)) == "page 2: It ends soon."
    changes = (
        Change(kind=ChangeKind.CHANGED, before="10", after="12", before_page=1, after_page=2),
        Change(kind=ChangeKind.REMOVED, before="gone", before_page=1),
    )
    assert answer_as_text(result(page(1), answer=Answer(kind=TaskKind.COMPARE, changes=changes))) == (
        "page 1 → page 2, changed: 10 → 12\npage 1, removed: gone"
    )


def test_a_text_models_answer_stands_above_its_sources() -> None:
    quotes = (Quote(text="It ends soon.", page=2, box=Box(0, 0, 1, 1)),)
    written = Answer(kind=TaskKind.QUESTION, text="Soon.", text_model="m", quotes=quotes)
    assert answer_as_text(result(page(1), answer=written)) == "Soon.\npage 2: It ends soon."
