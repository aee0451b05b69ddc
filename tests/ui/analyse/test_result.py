import pytest

from mineru_core.document.analysis import DocumentAnalysis, PageAnalysis, TextSource
from mineru_core.document.task import Answer, Task
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.model import Job
from mineru_core.ui.analyse.result import asked_html, heading_html
from mineru_core.ui.i18n import Translator

JOB = Job.model_construct(source="a.png", finished_at=None)
ANALYSIS = DocumentAnalysis(source="a.png", sha256="s", media_type="image/png", page_count=1)


@pytest.mark.parametrize(("seconds", "told"), [(3.94, "3.9 s"), (0.05, "0.1 s"), (0.002, None)])
def test_the_time_is_told_where_there_was_any(seconds: float, told: str | None) -> None:
    t = Translator("en")
    task = Task()
    found = DocumentResult(
        task=task, answer=Answer(kind=task.kind), analysis=ANALYSIS, engine="echo-1", timings={"total": seconds}
    )
    heading = heading_html(JOB, found, t)
    assert "engine: echo" in heading
    assert (f"<span>{told}</span>" in heading) if told else (" s</span>" not in heading)


@pytest.mark.parametrize(
    ("sources", "told"),
    [
        ((TextSource.PIXELS,), None),
        ((TextSource.TEXT_LAYER, TextSource.TEXT_LAYER), "text of the file itself"),
        ((TextSource.TEXT_LAYER, TextSource.PIXELS), "text partly of the file itself"),
        ((TextSource.BOTH,), "text partly of the file itself"),
    ],
)
def test_it_is_told_where_the_text_is_from(sources: tuple[TextSource, ...], told: str | None) -> None:
    pages = tuple(
        PageAnalysis(page=n, width=9, height=9, sha256="s", parts=frozenset(), text_source=source)
        for n, source in enumerate(sources, 1)
    )
    task = Task()
    analysis = ANALYSIS.model_copy(update={"pages": pages})
    found = DocumentResult(task=task, answer=Answer(kind=task.kind), analysis=analysis, engine="echo-1")
    heading = heading_html(JOB, found, Translator("en"))
    assert (f"<span>{told}</span>" in heading) if told else ("of the file itself" not in heading)


@pytest.mark.parametrize(
    ("words", "long"), [("tables", False), ("第二个表格里最大的三个数是多少？请列出来", True), ("x" * 40, True)]
)
def test_a_long_question_takes_the_room_of_the_menu_beside_it(words: str, long: bool) -> None:
    found = DocumentResult(task=Task(), answer=Answer(kind=Task().kind), analysis=ANALYSIS, engine="echo-1")
    job = Job.model_construct(source="a.png", words=words)
    shown = asked_html(job, found, Translator("en"))
    assert ("wb-long" in shown) is long
    assert "→</span><strong" in shown
