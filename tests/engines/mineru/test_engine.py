from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from mineru_core.document.analysis import BlockType, PageAnalysis, PageFailure, Part
from mineru_core.document.assemble import assemble
from mineru_core.document.geometry import Box
from mineru_core.document.page import Page, Word
from mineru_core.document.parts import PageFrame, PartReading
from mineru_core.engines.base import Engine
from mineru_core.engines.mineru.engine import CAPABILITIES, MineruEngine
from mineru_core.engines.mineru.requests import BlockEnd
from mineru_core.errors import Cancelled, DeadlineExceeded, EngineUnavailable
from mineru_core.runtime.batcher import BatchReport
from mineru_core.runtime.context import Progress, RunContext
from tests.engines.mineru.stand_ins import HEIGHT, PAGE, WIDTH, Area, Model, ModelBackend, coloured, page_of

ALL = frozenset(Part)
TEXT, LAYOUT, TABLES, FORMULAS = (frozenset({p}) for p in (Part.TEXT, Part.LAYOUT, Part.TABLES, Part.FORMULAS))
AREAS = list(PAGE.values())


@contextmanager
def loaded(model: Model, *, analyses_images: bool = False, batch_items: int = 8) -> Iterator[MineruEngine]:
    engine = MineruEngine(ModelBackend(model, analyses_images=analyses_images, batch_items=batch_items))
    engine.load()
    try:
        yield engine
    finally:
        model.gate.set()
        engine.close()


@pytest.fixture
def model() -> Model:
    return Model(AREAS)


@pytest.fixture
def engine(model: Model) -> Iterator[MineruEngine]:
    with loaded(model) as engine:
        yield engine


def only(found: Sequence[PageAnalysis | PageFailure]) -> PageAnalysis:
    (analysis,) = found
    assert isinstance(analysis, PageAnalysis), analysis
    return analysis


def read(engine: MineruEngine, parts: frozenset[Part], known: Mapping[Part, PartReading] | None = None) -> PageAnalysis:
    return only(engine.read([page_of(AREAS)], parts, RunContext(), [known or {}]))


def read_areas(areas: Sequence[Area], parts: frozenset[Part] = ALL, *, analyses_images: bool = False) -> PageAnalysis:
    drawn = coloured(areas)
    with loaded(Model(drawn), analyses_images=analyses_images) as engine:
        return only(engine.read([page_of(drawn)], parts, RunContext()))


def kept(analysis: PageAnalysis) -> dict[Part, PartReading]:
    """The readings as they come out of a cache."""
    return {r.part: PartReading.model_validate_json(r.model_dump_json()) for r in analysis.readings}


def timeless(analysis: PageAnalysis) -> PageAnalysis:
    readings = tuple(reading.model_copy(update={"seconds": 0.0}) for reading in analysis.readings)
    return analysis.model_copy(update={"timings": {}, "readings": readings})


def test_it_is_an_engine(engine: MineruEngine) -> None:
    assert isinstance(engine, Engine)
    assert engine.capabilities == CAPABILITIES
    assert engine.fingerprint.startswith("mineru/")


def test_a_page_is_read_to_blocks_in_the_order_of_the_layout(engine: MineruEngine) -> None:
    analysis = read(engine, ALL)
    assert [(b.type, b.text) for b in analysis.blocks] == [
        (BlockType.TITLE, "Annual report"),
        (BlockType.TEXT, "Sales grew.\nCosts fell."),
        (BlockType.TABLE_CAPTION, "Table 1"),
        (BlockType.TABLE, "Year\tSales\n2025\t7"),
        (BlockType.EQUATION, "E = m c^{2}"),
        (BlockType.FOOTER, "Page 3"),
    ]
    assert [b.order for b in analysis.blocks] == list(range(6))
    assert analysis.blocks[0].box == Box(0.1 * WIDTH, 0.05 * HEIGHT, 0.9 * WIDTH, 0.1 * HEIGHT)
    (table,) = analysis.tables
    assert table.rows() == [["Year", "Sales"], ["2025", "7"]]
    assert (table.caption, table.page, table.box) == ("Table 1", 1, analysis.blocks[3].box)
    assert [line.text for line in analysis.blocks[1].lines] == ["Sales grew.", "Costs fell."]
    assert analysis.parts == CAPABILITIES
    assert set(analysis.timings) == {"layout", "blocks", "order"}


def test_the_confidence_is_the_mean_probability_of_the_tokens() -> None:
    sure, unsure = read_areas(
        [Area("text", (0, 0, 500, 100), "a", logprob=-0.001), Area("text", (0, 200, 500, 300), "b", logprob=-1.0)]
    ).blocks
    assert sure.confidence == pytest.approx(0.999, abs=1e-4)
    assert unsure.confidence == pytest.approx(0.3679, abs=1e-4)
    assert unsure.lines[0].confidence == unsure.confidence


def test_each_cell_is_as_sure_as_its_own_tokens() -> None:
    tokens = (
        *(("<fcel>", -0.01), ("Year", -0.2), ("<fcel>", -0.01), ("Sa", -1.0), ("les", -2.0), ("<nl>", 0.0)),
        *(("<ecel>", -0.7), ("<lcel>", -0.4), ("<nl>", 0.0)),
    )
    (table,) = read_areas([Area("table", (0, 0, 500, 100), tokens=tokens)]).tables
    assert [(cell.text, cell.colspan) for cell in table.cells] == [("Year", 1), ("Sales", 1), ("", 2)]
    assert [cell.confidence for cell in table.cells] == [
        pytest.approx(math.exp(-0.2)),
        pytest.approx(math.exp(-1.5)),
        pytest.approx(math.exp(-0.7)),
    ]


def test_of_a_table_that_was_cut_off_the_last_cell_is_unsure() -> None:
    tokens = (("<fcel>", 0.0), ("a", 0.0), ("<fcel>", 0.0), ("b", 0.0))
    (table,) = read_areas([Area("table", (0, 0, 500, 100), tokens=tokens, end=BlockEnd.CAP)]).tables
    assert [cell.confidence for cell in table.cells] == [1.0, pytest.approx(0.3)]
    assert table.confidence == pytest.approx(0.3)


def test_tokens_that_are_not_those_of_the_text_say_nothing_of_its_cells() -> None:
    # A server may name the tokens of the grid otherwise than it writes them.
    tokens = (("<fcel>a", -1.0), ("<fcel>b", -3.0))
    (table,) = read_areas([Area("table", (0, 0, 500, 100), tokens=tokens)]).tables
    assert [cell.confidence for cell in table.cells] == [pytest.approx(math.exp(-2.0))] * 2


def test_each_area_of_the_layout_is_as_sure_as_its_own_tokens() -> None:
    def area(y: int, logprob: float) -> list[tuple[str, float]]:
        tail = f"10 {y} 900 {y + 50}<|box_end|><|ref_start|>text<|ref_end|><|rotate_up|>"
        return [("<|box_start|>", logprob), (tail, logprob)]

    with loaded(Model(AREAS, layout_tokens=[*area(100, -0.1), *area(300, -2.0)])) as engine:
        blocks = only(engine.read([page_of(AREAS)], LAYOUT, RunContext())).blocks
    assert [block.confidence for block in blocks] == [pytest.approx(math.exp(-0.1)), pytest.approx(math.exp(-2.0))]


@pytest.mark.parametrize("end", [BlockEnd.CAP, BlockEnd.REPETITION])
def test_a_text_that_was_cut_off_is_unsure_and_said_so(end: BlockEnd) -> None:
    analysis = read_areas([Area("table", (0, 0, 500, 100), "<fcel>a<nl>", end=end, logprob=0.0)])
    assert analysis.blocks[0].confidence == pytest.approx(0.3)
    assert analysis.tables[0].cells[0].confidence == pytest.approx(0.3)
    (warning,) = analysis.warnings
    assert "table" in warning


@pytest.mark.parametrize(
    ("first", "second", "prompts"),
    [
        (TEXT, TEXT, []),
        (LAYOUT, LAYOUT, []),
        (LAYOUT, TABLES, ["Table Recognition"]),
        (LAYOUT, FORMULAS, ["Formula Recognition"]),
        (TABLES, FORMULAS, ["Formula Recognition"]),
        (TABLES, TEXT, ["Formula Recognition", *["Text Recognition"] * 4]),
        (ALL, TABLES, []),
        (
            frozenset({Part.CHARTS}),
            TABLES,
            ["Layout Detection", "Table Recognition"],
        ),
    ],
)
def test_a_later_part_reads_its_own_areas_only(
    engine: MineruEngine, model: Model, first: frozenset[Part], second: frozenset[Part], prompts: list[str]
) -> None:
    known = kept(read(engine, first))
    assert set(known) == engine.needed(first)
    model.calls.clear()
    again = read(engine, second, known)
    assert sorted(model.prompts) == sorted(prompts)
    assert again.parts == second
    assert timeless(again) == timeless(read(engine, second))


@pytest.mark.parametrize("parts", [TEXT, LAYOUT, TABLES, FORMULAS, LAYOUT | TABLES, ALL])
def test_kept_readings_put_together_are_what_was_read(engine: MineruEngine, parts: frozenset[Part]) -> None:
    everything = kept(read(engine, ALL))
    composed = engine.compose(PageFrame.of(page_of(AREAS)), parts, everything)
    assert composed.timings == {}
    assert timeless(composed) == timeless(read(engine, parts))


def test_the_layout_alone_reads_no_text(engine: MineruEngine, model: Model) -> None:
    analysis = read(engine, LAYOUT)
    assert model.prompts == ["Layout Detection"]
    assert [b.type for b in analysis.blocks] == [
        BlockType.TITLE,
        BlockType.TEXT,
        BlockType.TABLE_CAPTION,
        BlockType.TABLE,
        BlockType.EQUATION,
        BlockType.FOOTER,
    ]
    assert not any(b.text for b in analysis.blocks)


def test_nothing_is_read_of_a_part_the_model_does_not_know(engine: MineruEngine, model: Model) -> None:
    analysis = read(engine, frozenset({Part.CHARTS}))
    assert (analysis.parts, analysis.blocks, analysis.readings) == (frozenset(), (), ())
    assert model.calls == []


def test_charts_are_read_where_the_model_knows_their_prompt() -> None:
    told = (
        "<|class_start|>chart<|class_end|><|sub_class_start|>bar<|sub_class_end|><|caption_start|>c<|caption_end|>"
        "<|content_start|>| Year | Sales |\n| --- | --- |\n| 2024 | 5 |\n| 2025 | 7 |<|content_end|>"
    )
    areas = [Area("chart", (100, 100, 900, 500), told)]
    analysis = read_areas(areas, analyses_images=True)
    assert Part.CHARTS in analysis.parts
    (block,) = analysis.blocks
    assert block.chart is not None
    assert block.chart.rows() == [["x", "Sales"], ["2024", "5"], ["2025", "7"]]
    assert block.chart.box == block.box
    assert read_areas(areas).blocks[0].chart is None


def test_a_picture_of_a_table_is_a_table() -> None:
    told = (
        "<|class_start|>pure_table<|class_end|><|sub_class_start|><|sub_class_end|><|caption_start|><|caption_end|>"
        "<|content_start|><fcel>a<fcel>b<nl><content_end|><|content_end|>"
    )
    (block,) = read_areas([Area("image", (100, 100, 900, 500), told)], analyses_images=True).blocks
    assert block.type is BlockType.TABLE
    assert block.table is not None
    assert block.table.rows()[0][0] == "a"


def test_blocks_that_are_turned_are_set_upright_before_they_are_read(engine: MineruEngine) -> None:
    areas = coloured([Area("text", (0, 0, 100, 900), "down\nthe side", turn="right")])
    model = Model(areas)
    with loaded(model) as turned:
        (block,) = only(turned.read([page_of(areas)], TEXT, RunContext())).blocks
    assert model.sizes[-1] == (540, 40)
    assert block.angle == 90
    first, second = block.lines
    assert first.box.x0 > second.box.x0
    assert first.quad.top_left == (first.box.x1, first.box.y0)


@pytest.mark.parametrize("box", [(0, 0, 1000, 2), (0, 0, 3, 1000)])
def test_a_picture_much_longer_than_wide_is_padded(box: tuple[int, int, int, int]) -> None:
    areas = coloured([Area("text", box, "thin")])
    model = Model(areas)
    with loaded(model) as engine:
        only(engine.read([page_of(areas, width=2000, height=2000)], TEXT, RunContext()))
    width, height = model.sizes[-1]
    assert min(width, height) >= 28
    assert max(width, height) <= 50 * min(width, height)


def test_an_area_too_thin_to_cut_out_is_an_empty_block() -> None:
    areas = coloured([Area("text", (0, 0, 1, 1), "x"), Area("text", (0, 500, 900, 600), "y")])
    with loaded(Model(areas)) as engine:
        blocks = only(engine.read([page_of(areas, width=30, height=30)], TEXT, RunContext())).blocks
    assert [b.text for b in blocks] == ["", "y"]


def test_a_list_is_one_block_of_its_items() -> None:
    areas = [
        Area("list", (0, 0, 500, 300)),
        Area("list_item", (0, 0, 500, 100), "- one"),
        Area("text", (0, 100, 500, 200), "- two"),
        Area("text", (0, 400, 500, 500), "after"),
    ]
    blocks = read_areas(areas).blocks
    assert [(b.type, b.text, len(b.lines)) for b in blocks] == [
        (BlockType.LIST, "- one\n- two", 2),
        (BlockType.TEXT, "after", 1),
    ]
    assert [b.type for b in read_areas(areas, LAYOUT).blocks] == [BlockType.LIST, BlockType.TEXT]


def test_formulas_of_one_area_become_one() -> None:
    areas = [
        Area("equation_block", (0, 0, 500, 300)),
        Area("equation", (0, 0, 500, 100), "\\[ a \\]", logprob=-0.5),
        Area("equation", (0, 100, 500, 200), "\\[ b \\]", logprob=-0.1),
    ]
    (block,) = read_areas(areas).blocks
    assert block.type is BlockType.EQUATION
    assert block.text.startswith("\\begin{array}{l}")
    assert "a" in block.text
    assert "b" in block.text
    assert block.confidence == pytest.approx(0.6065, abs=1e-4)
    assert len(read_areas(areas, LAYOUT).blocks) == 2


def test_what_holds_no_text_is_no_block_and_what_goes_on_says_so() -> None:
    areas = [
        Area("text", (0, 0, 500, 100), "first half"),
        Area("text", (0, 200, 500, 300), "[Non-Text]"),
        Area("text", (0, 400, 500, 500), "second half", tail="<|txt_contd_tgt|>"),
    ]
    assert [(b.text, b.continues) for b in read_areas(areas).blocks] == [("first half", False), ("second half", True)]


def test_a_picture_in_a_table_and_a_caption_in_a_picture_are_no_blocks() -> None:
    areas = [
        Area("table", (0, 0, 900, 300), "<fcel>a<nl>"),
        Area("image", (10, 10, 200, 200)),
        Area("image", (0, 400, 900, 700)),
        Area("image_caption", (10, 600, 800, 690), "inside"),
    ]
    assert [b.type for b in read_areas(areas).blocks] == [BlockType.TABLE, BlockType.IMAGE]


def test_what_is_no_table_stays_as_text() -> None:
    (block,) = read_areas([Area("table", (0, 0, 900, 300), "no cells at all")]).blocks
    assert (block.type, block.text, block.table) == (BlockType.TABLE, "no cells at all", None)


def test_a_block_that_breaks_the_model_fails_alone() -> None:
    model = Model(AREAS, poison=frozenset({PAGE["title"].text, PAGE["table"].text}))
    with loaded(model) as engine:
        analysis = only(engine.read([page_of(AREAS)], ALL, RunContext()))
        assert timeless(engine.compose(PageFrame.of(page_of(AREAS)), ALL, kept(analysis))) == timeless(analysis)
    assert [(f.block, f.component, f.code) for f in analysis.failures] == [
        (0, "title", "engine-failed"),
        (3, "table", "engine-failed"),
    ]
    assert "Block 4 (table)" in analysis.failures[1].message
    assert [b.text for b in analysis.blocks if b.type is not BlockType.TABLE][1:] == [
        "Sales grew.\nCosts fell.",
        "Table 1",
        "E = m c^{2}",
        "Page 3",
    ]
    assert {r.part for r in analysis.readings if r.failed} == {Part.TEXT, Part.TABLES}
    document = assemble([analysis], source="x", sha256="0", media_type="image/png", page_count=1)
    assert len(document.failures) == 2


@pytest.mark.parametrize("layout", ["I see a page of text.", "<|box_start|><|box_start|>12 <|rotate_up|>"])
def test_a_page_whose_layout_is_none_fails_and_does_not_pass_for_empty(layout: str) -> None:
    with loaded(Model(AREAS, layout=layout)) as engine:
        (failure,) = engine.read([page_of(AREAS, number=4)], ALL, RunContext())
    assert isinstance(failure, PageFailure)
    assert (failure.page, failure.component, failure.code) == (4, "layout", "engine-failed")


@pytest.mark.parametrize(
    "layout", ["", "<|box_start|>10 10 90 90<|box_end|><|ref_start|>inline_formula<|ref_end|><|rotate_up|>"]
)
def test_an_empty_page_is_empty(layout: str) -> None:
    with loaded(Model(AREAS, layout=layout)) as engine:
        analysis = only(engine.read([page_of([])], ALL, RunContext()))
    assert (analysis.blocks, analysis.parts) == ((), CAPABILITIES)


def test_one_bad_page_fails_alone(engine: MineruEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = page_of(AREAS, number=2)
    read_page = engine._read

    def fail_on_bad(run: object) -> PageAnalysis:
        if getattr(run, "page", None) is bad:
            raise RuntimeError("a fault of a library")
        return read_page(run)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "_read", fail_on_bad)
    first, second, third = engine.read([page_of(AREAS), bad, page_of(AREAS, number=3)], ALL, RunContext())
    assert isinstance(first, PageAnalysis)
    assert isinstance(third, PageAnalysis)
    assert isinstance(second, PageFailure)
    assert (second.page, second.code) == (2, "engine-failed")


def test_pages_of_all_users_go_to_one_model_layouts_in_calls_of_their_own() -> None:
    model = Model(AREAS)
    model.gate.clear()
    with loaded(model) as engine, ThreadPoolExecutor(3) as pool:
        futures = [
            pool.submit(lambda n=n: engine.read([page_of(AREAS, number=n)], TABLES, RunContext(owner=str(n))))
            for n in range(1, 4)
        ]
        assert model.entered.acquire(timeout=10)
        model.gate.set()
        assert all(len(only(f.result(20)).tables) == 1 for f in futures)
    assert model.prompts.count("Layout Detection") == 3
    assert all(len(set(call)) == 1 for call in model.calls)


@pytest.mark.parametrize("calls_before", [0, 1], ids=["layout", "blocks"])
def test_cancel_ends_a_page_in_each_phase(calls_before: int) -> None:
    model = Model(AREAS)
    ctx = RunContext()
    with loaded(model) as engine, ThreadPoolExecutor(1) as pool:
        if not calls_before:
            model.gate.clear()
        else:
            ctx = RunContext(on_progress=lambda p: model.gate.clear() if p.stage == "blocks" else None)
        future = pool.submit(engine.read, [page_of(AREAS)], ALL, ctx)
        for _ in range(calls_before + 1):
            assert model.entered.acquire(timeout=10)
        ctx.cancel()
        with pytest.raises(Cancelled):
            future.result(10)
        model.gate.set()
        assert len(read(engine, TABLES).tables) == 1, "the others are read as before"


def test_a_deadline_ends_a_page_that_waits() -> None:
    model = Model(AREAS)
    model.gate.clear()
    with loaded(model) as engine:
        with pytest.raises(DeadlineExceeded):
            engine.read([page_of(AREAS)], ALL, RunContext.with_timeout(0.2))
        model.gate.set()


def test_stages_are_reported(engine: MineruEngine) -> None:
    stages: list[str] = []
    ctx = RunContext(on_progress=lambda progress: stages.append(progress.stage))
    only(engine.read([page_of(AREAS)], ALL, ctx))
    assert stages == ["layout", "blocks", "order"]


def test_progress_of_several_pages_names_each() -> None:
    seen: set[int] = set()

    def listen(progress: Progress) -> None:
        seen.add(progress.page)

    with loaded(Model(AREAS)) as engine:
        engine.read([page_of(AREAS, number=n) for n in (3, 5)], LAYOUT, RunContext(on_progress=listen))
    assert seen == {3, 5}


def test_calls_are_told() -> None:
    told: list[tuple[str, BatchReport]] = []
    engine = MineruEngine(ModelBackend(Model(AREAS)), "mineru-tiny", lambda name, report: told.append((name, report)))
    engine.load()
    only(engine.read([page_of(AREAS)], ALL, RunContext()))
    engine.close()
    assert engine.name == "mineru-tiny"
    assert sum(report.items for _, report in told) == 7
    assert all(report.padded_units <= 1.2 * report.units for _, report in told)


def test_before_loading_and_after_closing_it_is_refused(model: Model) -> None:
    engine = MineruEngine(ModelBackend(model))
    for _ in range(2):
        with pytest.raises(EngineUnavailable):
            engine.read([page_of(AREAS)], ALL, RunContext())
        engine.close()
    engine.load()
    engine.load()
    engine.close()
    assert model.closed
    with pytest.raises(EngineUnavailable):
        engine.read([page_of(AREAS)], ALL, RunContext())


def test_readings_follow_from_the_pixels_alone_as_it_says(engine: MineruEngine) -> None:
    page = page_of(AREAS)
    layered = Page(page.pixels, page.source, text_layer=(Word("Something else", Box(60, 60, 300, 90)),))
    assert not engine.reads_text_layer
    assert only(engine.read([layered], ALL, RunContext())).blocks == read(engine, ALL).blocks


def test_no_recognised_text_is_logged(
    engine: MineruEngine, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    read(engine, ALL)
    captured = capfd.readouterr()
    assert "Annual" not in captured.out + captured.err + caplog.text
