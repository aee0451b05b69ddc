from __future__ import annotations

import pytest

from mineru_core.document.geometry import Box
from mineru_core.document.task import Answer, Change, ChangeKind, TaskKind
from mineru_core.ui import services
from mineru_core.ui.analyse.two_files import beside
from mineru_core.ui.session import Key
from tests.documents import PdfPage, PdfText, text_pdf
from tests.export.strategies import page, result
from tests.ui.conftest import html_of, open_app

HERE, THERE = Box(0, 0, 1, 1), Box(5, 5, 9, 9)


def test_only_places_on_the_document_shown_can_be_pointed_to() -> None:
    change = Change(
        kind=ChangeKind.CHANGED,
        before="10",
        after="12",
        before_page=1,
        after_page=2,
        before_box=HERE,
        after_box=THERE,
    )
    between = result(page(1), answer=Answer(kind=TaskKind.COMPARE, changes=(change,)))
    for earlier, boxes in ((True, (HERE, None)), (False, (None, THERE))):
        (shown,) = beside(between, earlier=earlier).answer.changes
        assert (shown.before_box, shown.after_box) == boxes
        assert (shown.before_page, shown.after_page, shown.before, shown.after) == (1, 2, "10", "12")


def pdf(text: str) -> bytes:
    return text_pdf([PdfPage([PdfText(text)])])


@pytest.mark.usefixtures("workbench")
def test_two_files_that_are_asked_what_changed_are_compared_beside_either() -> None:
    app = open_app()
    owner = app.session_state[Key.OWNER]
    texts = {"old.pdf": "10 dollars are due", "new.pdf": "12 dollars are due"}
    jobs = [
        services.service().submit(pdf(text), name=name, words="what changed", owner=owner).id
        for name, text in texts.items()
    ]
    for job in jobs:
        assert services.service().wait(job, owner, 20.0).state.is_final
    app.session_state[Key.BATCH] = tuple(jobs)
    for job in jobs:
        app.session_state[Key.JOB] = job
        shown = html_of(app.run())
        assert not app.exception
        assert all(f"<mark>{number}</mark>" in shown for number in (10, 12))
        assert app.get("download_button")
