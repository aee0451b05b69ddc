"""The engine where it serves: what is kept, what is stated, and what fails alone."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image

from mineru_core.document.geometry import Box
from mineru_core.document.task import Region
from mineru_core.engines.mineru.engine import MineruEngine
from mineru_core.serving.analyzer import Analyzer
from mineru_core.settings import load_settings
from tests.engines.mineru.stand_ins import PAGE, Area, Model, ModelBackend, coloured, page_of

AREAS = list(PAGE.values())


@contextmanager
def serving(folder: Path, model: Model, *, analyses_images: bool = False) -> Iterator[Analyzer]:
    settings = load_settings(home=folder, cache={"enabled": True}, engine={"compress": False})
    engine = MineruEngine(ModelBackend(model, analyses_images=analyses_images))
    engine.load()
    try:
        with Analyzer(settings, engine=engine) as analyzer:
            yield analyzer
    finally:
        engine.close()


def png(areas: Sequence[Area]) -> bytes:
    file = io.BytesIO()
    Image.fromarray(page_of(areas).pixels).save(file, "PNG")
    return file.getvalue()


def test_another_question_reads_nothing_again(tmp_path: Path) -> None:
    model = Model(AREAS)
    with serving(tmp_path, model) as analyzer:
        document = analyzer.open(png(AREAS))
        assert [table.rows()[0] for table in analyzer.analyze(document, "extract the tables").tables] == [
            ["Year", "Sales"]
        ]
        asked = len(model.prompts)
        formulas = analyzer.analyze(analyzer.open(png(AREAS)), "formulas as LaTeX")
        assert formulas.text == "E = m c^{2}"
        found = analyzer.analyze(analyzer.open(png(AREAS)), 'find "2025"')
        assert [match.text for match in found.answer.matches] == ["2025"]
        assert len(model.prompts) == asked, "text of tables and formulas is text of the page"
        assert formulas.success


def test_what_failed_is_read_again_the_next_time_and_success_is_not_claimed(tmp_path: Path) -> None:
    model = Model(AREAS, poison=frozenset({PAGE["table"].text}))
    with serving(tmp_path, model) as analyzer:
        first = analyzer.analyze(analyzer.open(png(AREAS)), "extract the tables")
        assert not first.success
        assert [(f.page, f.block, f.component) for f in first.failures] == [(1, 3, "table")]
        model.poison = frozenset()
        model.calls.clear()
        second = analyzer.analyze(analyzer.open(png(AREAS)), "extract the tables")
        assert second.success
        assert len(second.tables) == 1
        assert model.prompts == ["Table Recognition"]


@pytest.mark.parametrize(("analyses_images", "codes"), [(False, {"charts-unsupported"}), (True, set())])
def test_charts_that_the_model_cannot_read_are_stated(tmp_path: Path, analyses_images: bool, codes: set[str]) -> None:
    areas = coloured([Area("chart", (100, 100, 900, 500), "")])
    with serving(tmp_path, Model(areas), analyses_images=analyses_images) as analyzer:
        result = analyzer.analyze(analyzer.open(png(areas)), "")
    assert {note.code for note in result.answer.notes} == codes


def test_a_region_is_read_as_a_page_of_its_own(tmp_path: Path) -> None:
    model = Model(coloured([Area("text", (0, 0, 1000, 1000), "inside")]))
    with serving(tmp_path, model) as analyzer:
        region = Region(page=1, box=Box(100, 100, 300, 200))
        result = analyzer.analyze(analyzer.open(png(AREAS)), "text", regions=[region])
    (block,) = result.blocks
    assert block.text == "inside"
    assert block.box.x0 >= 90
    assert block.box.y1 <= 210
