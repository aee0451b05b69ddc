import threading
import time

import numpy as np
import pytest

from mineru_core.document.analysis import PageAnalysis, PageFailure, Part
from mineru_core.document.geometry import Box
from mineru_core.document.page import Page, Word
from mineru_core.document.parts import PageFrame
from mineru_core.engines.base import Engine
from mineru_core.engines.echo import EchoEngine
from mineru_core.errors import Cancelled, DeadlineExceeded, EngineUnavailable
from mineru_core.runtime.context import Progress, RunContext

PARTS = frozenset({Part.TEXT, Part.LAYOUT, Part.TABLES})


def page(shade: int = 0, number: int = 1, words: tuple[Word, ...] | None = None) -> Page:
    pixels = np.full((20, 30, 3), shade, dtype=np.uint8)
    return Page(pixels=pixels, source="x", number=number, text_layer=words)


def only(readings: list[PageAnalysis | PageFailure]) -> PageAnalysis:
    (reading,) = readings
    assert isinstance(reading, PageAnalysis)
    return reading


def test_it_is_an_engine() -> None:
    assert isinstance(EchoEngine(), Engine)


def test_readings_depend_on_the_text_layer_as_it_says() -> None:
    engine = EchoEngine()
    with_words, without = page(words=(Word("Total", Box(1, 1, 9, 5)),)), page()
    texts = {only(engine.read([p], PARTS, RunContext())).blocks[0].text for p in (with_words, without)}
    assert with_words.sha256 == without.sha256
    assert (len(texts) > 1) is engine.reads_text_layer


def test_pixels_become_a_digest_that_tells_pages_apart() -> None:
    engine = EchoEngine()
    texts = [only(engine.read([page(shade)], PARTS, RunContext())).blocks[0].text for shade in (0, 1, 0)]
    assert texts[0] == texts[2]
    assert texts[0] != texts[1]


def test_a_text_layer_comes_back_in_rows() -> None:
    words = (
        Word("Total", Box(1, 1, 9, 5)),
        Word("12.50", Box(10, 2, 18, 6)),
        Word("EUR", Box(1, 8, 9, 12)),
    )
    analysis = only(EchoEngine().read([page(words=words)], PARTS, RunContext()))
    assert [line.text for line in analysis.lines] == ["Total 12.50", "EUR"]
    assert analysis.lines[0].box == Box(1, 1, 18, 6)
    assert [w.text for w in analysis.lines[0].words] == ["Total", "12.50"]
    assert analysis.blocks[0].text == "Total 12.50\nEUR"


def test_parts_are_those_it_can_read() -> None:
    assert only(EchoEngine().read([page()], PARTS, RunContext())).parts == {Part.TEXT, Part.LAYOUT}


def test_a_chosen_page_fails_alone() -> None:
    readings = EchoEngine(fail_pages=[2]).read([page(number=n) for n in (1, 2, 3)], PARTS, RunContext())
    assert [type(r) for r in readings] == [PageAnalysis, PageFailure, PageAnalysis]
    failure = readings[1]
    assert isinstance(failure, PageFailure)
    assert (failure.page, failure.code) == (2, "engine-failed")


def test_a_cancel_ends_its_delay() -> None:
    ctx = RunContext()
    threading.Timer(0.05, ctx.cancel).start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        EchoEngine(delay_s=60).read([page()], PARTS, ctx)
    assert time.monotonic() - started < 30


def test_a_deadline_ends_its_delay() -> None:
    with pytest.raises(DeadlineExceeded):
        EchoEngine(delay_s=60).read([page()], PARTS, RunContext.with_timeout(0.05))


def test_it_reports_its_stage() -> None:
    seen: list[Progress] = []
    EchoEngine().read([page()], PARTS, RunContext(on_progress=seen.append))
    assert [p.stage for p in seen] == ["echo"]


def test_closed_it_does_not_load_again() -> None:
    engine = EchoEngine()
    engine.load()
    engine.close()
    engine.close()
    with pytest.raises(EngineUnavailable):
        engine.load()


def test_of_a_known_page_nothing_is_read() -> None:
    words = (Word("Total", Box(1, 1, 9, 5)),)
    first = only(EchoEngine().read([page(words=words)], PARTS, RunContext()))
    known = {reading.part: reading for reading in first.readings}
    failing = EchoEngine(fail_pages=[1])
    again = only(failing.read([page(words=words)], PARTS, RunContext(), [known]))
    assert again.blocks == first.blocks
    assert again.timings == {}
    assert failing.compose(PageFrame.of(page()), PARTS, known) == again


def test_a_part_more_is_read_and_the_rest_taken_as_known() -> None:
    engine = EchoEngine(capabilities=PARTS)
    text = only(engine.read([page(words=(Word("kept", Box(1, 1, 9, 5)),))], frozenset({Part.TEXT}), RunContext()))
    known = {reading.part: reading for reading in text.readings}
    assert set(known) == {Part.TEXT}
    more = only(engine.read([page(words=(Word("anew", Box(1, 1, 9, 5)),))], PARTS, RunContext(), [known]))
    assert more.blocks[0].text == "kept"
    assert {reading.part for reading in more.readings} == PARTS
    assert "echo" in more.timings


def test_the_text_is_needed_for_every_part() -> None:
    engine = EchoEngine()
    assert engine.needed(frozenset({Part.LAYOUT, Part.CHARTS})) == {Part.TEXT, Part.LAYOUT}
    with pytest.raises(ValueError, match="without its text"):
        engine.compose(PageFrame.of(page()), frozenset({Part.TEXT}), {})
