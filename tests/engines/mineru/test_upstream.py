"""What is read equals what mineru-vl-utils' own ``MinerUClient`` reads with the same model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mineru_vl_utils import MinerUClient
from mineru_vl_utils.structs import ContentBlock
from mineru_vl_utils.vlm_client.base_client import VlmClient
from PIL import Image

from mineru_core.document.analysis import PageAnalysis, Part
from mineru_core.document.parts import PartReading
from mineru_core.document.table import Table
from mineru_core.engines.mineru.engine import MineruEngine
from mineru_core.engines.mineru.markup import table_from_html
from mineru_core.engines.mineru.reading import CONTAINERS, name_of
from mineru_core.runtime.context import RunContext
from tests.engines.mineru.stand_ins import PAGE, Area, Model, ModelBackend, coloured, page_of

ALL = frozenset(Part)
Found = list[tuple[str, tuple[int, ...], object]]

TEXTS = st.sampled_from(
    [
        "plain words",
        "two\nlines",
        "with $x_1$ and \\(y\\) in it",
        "a \\[ z \\] b",
        "[Non-Text]",
        "",
        "under\\_score_d",
    ]
)
FORMULAS = st.sampled_from(["\\[ a+b \\]", "\\left( x \\right", "E = m c ^ { 2 }", "a \\tag{1}", "{ x"])
TABLES = st.sampled_from(
    [
        "<fcel>a<fcel>b<nl><fcel>c<ecel><nl>",
        "<fcel>a<lcel><nl><ucel><xcel><nl>",
        "<fcel>a<fcel>b<nl><fcel>c<nl>",
        "<fcel>x<nl>",
    ]
)
SORTS = [
    ("text", TEXTS),
    ("title", TEXTS),
    ("list_item", TEXTS),
    ("code", TEXTS),
    ("header", TEXTS),
    ("page_footnote", TEXTS),
    ("ref_text", TEXTS),
    ("aside_text", TEXTS),
    ("table", TABLES),
    ("equation", FORMULAS),
    ("equation_block", st.just("")),
    ("list", st.just("")),
]


@st.composite
def areas(draw: st.DrawFn) -> Area:
    kind, texts = draw(st.sampled_from(SORTS))
    x0, y0 = draw(st.integers(0, 900)), draw(st.integers(0, 900))
    x1, y1 = draw(st.integers(x0, 1000)), draw(st.integers(y0, 1000))
    turn = draw(st.sampled_from(["up", "up", "right", "down", "left"]))
    tail = draw(st.sampled_from(["", "<|txt_contd_tgt|>"]))
    return Area(kind, (x0, y0, x1, y1), draw(texts), turn, tail)


def upstream(client: VlmClient, layout_size: tuple[int, int] = (224, 224)) -> MinerUClient:
    """``MinerUClient`` with another client in the place of its own."""
    config = SimpleNamespace(get_text_config=lambda **_options: SimpleNamespace(max_position_embeddings=8))
    model = SimpleNamespace(generate=None, config=config)
    processor = SimpleNamespace(apply_chat_template=None, tokenizer=None)
    found = MinerUClient(
        backend="transformers", model=model, processor=processor, layout_image_size=layout_size, use_tqdm=False
    )
    found.client = client
    return found


def theirs(blocks: Iterable[ContentBlock]) -> Found:
    """Texts, formulas without their brackets, and tables as rows; what holds others is left out."""
    found: Found = []
    for block in blocks:
        if block.type in CONTAINERS:
            continue
        box = tuple(round(value * 1000) for value in block.bbox)
        content: object = block.content or ""
        if block.type == "table":
            content = spans(table_from_html(block.content or ""))
        elif block.type == "equation":
            content = str(content).removeprefix("\\[").removesuffix("\\]").strip()
        found.append((block.type, box, content))
    return found


def ours(analysis: PageAnalysis) -> Found:
    """The same of our readings."""
    readings: dict[Part, PartReading] = {reading.part: reading for reading in analysis.readings}
    contents = {content.area: content for reading in readings.values() for content in reading.contents}
    found: Found = []
    for number, area in enumerate(readings[Part.LAYOUT].areas):
        content = contents.get(number)
        if content is None:
            continue
        box = (
            *(round(area.box[0] / analysis.width * 1000), round(area.box[1] / analysis.height * 1000)),
            *(round(area.box[2] / analysis.width * 1000), round(area.box[3] / analysis.height * 1000)),
        )
        kind = {"list_item": "text", "equation_block": "equation"}.get(name_of(area), name_of(area))
        found.append((kind, box, spans(content.table) if kind == "table" else content.text))
    return found


def spans(table: Table | None) -> object:
    return None if table is None else [(c.row, c.col, c.rowspan, c.colspan, c.text) for c in table.cells]


def both(drawn: Sequence[Area], read: Callable[[MinerUClient, Image.Image], list[ContentBlock]]) -> tuple[Found, Found]:
    """What our engine and theirs find on one page with one model."""
    page = page_of(drawn)
    backend = ModelBackend(Model(drawn))
    engine = MineruEngine(backend)
    engine.load()
    try:
        (analysis,) = engine.read([page], ALL, RunContext())
        assert isinstance(analysis, PageAnalysis), analysis
        return ours(analysis), theirs(read(upstream(backend.client(RunContext())), Image.fromarray(page.pixels)))
    finally:
        engine.close()


@settings(max_examples=60, deadline=None)
@given(st.lists(areas(), max_size=8))
def test_any_layout_is_read_as_upstream_reads_it(found: list[Area]) -> None:
    mine, other = both(coloured(found), lambda client, image: client.two_step_extract(image, scored=True))
    assert mine == other


async def _concurrently(client: MinerUClient, image: Image.Image) -> list[ContentBlock]:
    return (await client.aio_concurrent_two_step_extract([image], scored=True))[0]


@pytest.mark.parametrize(
    "read",
    [
        lambda client, image: client.two_step_extract(image),
        lambda client, image: client.batch_two_step_extract([image], scored=True)[0],
        lambda client, image: asyncio.run(client.aio_two_step_extract(image)),
        lambda client, image: asyncio.run(_concurrently(client, image)),
    ],
    ids=["one by one", "batch, scored", "async", "concurrent, scored"],
)
def test_upstream_can_read_with_our_client_in_every_way_it_has(
    read: Callable[[MinerUClient, Image.Image], list[ContentBlock]],
) -> None:
    mine, other = both(list(PAGE.values()), read)
    assert mine == other
    assert len(mine) == len(PAGE)


def test_a_blank_page_is_blank_for_both() -> None:
    assert both([], lambda client, image: client.two_step_extract(image)) == ([], [])
