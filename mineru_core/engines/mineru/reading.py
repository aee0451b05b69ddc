"""From what the model answers to what was read: areas of the layout, and the content of each.

MinerU's own steps prepare the pictures and mend the texts (``MinerUClientHelper``); here is what lies around them. An
area's place in the layout is its number: contents name it, so parts can be read at different times.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mineru_vl_utils.mineru_client import MinerUClientHelper
from mineru_vl_utils.structs import BLOCK_TYPES, ContentBlock
from mineru_vl_utils.vlm_client.base_client import SamplingParams
from PIL import Image

from mineru_core.document.analysis import BlockType, Part
from mineru_core.document.geometry import Box
from mineru_core.document.notices import Notice
from mineru_core.document.parts import AreaContent, LayoutArea, PartReading, ReadFailure
from mineru_core.engines.mineru.markup import chart_from_markdown, table_from_html
from mineru_core.engines.mineru.otsl import count_tokens, is_token, table_from_otsl
from mineru_core.engines.mineru.requests import BlockEnd, BlockScore
from mineru_core.errors import EngineFailed

CUT_CONFIDENCE = 0.3
"""No text that was cut off is surer than this, however sure the model was of each token."""

CONTAINERS = frozenset({"list", "image_block", "equation_block"})
"""MinerU's names of areas that hold others; nothing is read of themselves."""

COVERED = 0.9
"""Share of an area that must lie in another for it to be part of that one: upstream's number."""

_THOUSANDTHS = 1000  # the model speaks of places in these
_AREA = "area"  # the key of an area's number on MinerU's blocks, which are dictionaries
_AREA_START = "<|box_start|>"
_AN_AREA = re.compile(
    re.escape(_AREA_START) + r"(\d+) +(\d+) +(\d+) +(\d+)<\|box_end\|><\|ref_start\|>(\w+)<\|ref_end\|>"
)
_BRACKETS = re.compile(r"\A\\\[\s*(.*?)\s*\\\]\Z", re.DOTALL)

_OWN_NAMES = frozenset(kind.value for kind in BlockType)
_TYPES = {
    "doc_title": BlockType.TITLE,
    "paragraph_title": BlockType.TITLE,
    "algorithm": BlockType.CODE,
    # What stands in the margin is no part of the running text.
    "aside_text": BlockType.FOOTER,
    "caption": BlockType.IMAGE_CAPTION,
    "code_caption": BlockType.IMAGE_CAPTION,
    "footnote": BlockType.PAGE_FOOTNOTE,
    "table_footnote": BlockType.PAGE_FOOTNOTE,
    "image_footnote": BlockType.PAGE_FOOTNOTE,
    "image_block": BlockType.IMAGE,
    "equation_block": BlockType.EQUATION,
}


@dataclass(frozen=True, slots=True)
class Prepared:
    """Pictures to be read, each with the number of its area; ``blocks`` are all areas in MinerU's form."""

    blocks: list[ContentBlock]
    images: list[Image.Image | bytes]
    prompts: list[str]
    params: list[SamplingParams | None]
    areas: list[int]


def block_type(name: str) -> BlockType:
    """The sort of a block by MinerU's name for it; what has no name here is text."""
    if name in _TYPES:
        return _TYPES[name]
    return BlockType(name) if name in _OWN_NAMES else BlockType.TEXT


def name_of(area: LayoutArea) -> str:
    """MinerU's name for the area."""
    return area.label or area.type.value


def part_of(area: LayoutArea) -> Part | None:
    """The part that an area's content belongs to; None for one that only holds others."""
    name = name_of(area)
    if name in CONTAINERS:
        return None
    return {
        "table": Part.TABLES,
        "equation": Part.FORMULAS,
        "image": Part.CHARTS,
        "chart": Part.CHARTS,
    }.get(name, Part.TEXT)


def _part_for(area: LayoutArea) -> Part | None:
    """The part that is to know of an area: formulas are joined by the areas that hold them."""
    return Part.FORMULAS if name_of(area) == "equation_block" else part_of(area)


def layout_reading(helper: MinerUClientHelper, score: BlockScore, width: int, height: int) -> PartReading:
    """The layout from the model's answer for a page of this size in pixels.

    Captions within pictures and pictures within tables are part of these, and no areas of their own. Raises
    ``EngineFailed`` for an answer that is no layout: a page must not pass for empty because the model slipped.
    """
    blocks = helper.parse_layout_output(score.text)
    said_nothing = _is_whole(score) and not score.text.strip()
    if not blocks and not said_nothing and not _AN_AREA.search(score.text):
        raise EngineFailed("The model did not answer with a layout for this page.")
    own, of_all = _area_confidences(score), _confidence(score)
    areas = [_area(block, width, height, own.get(_place(block.bbox), of_all)) for block in blocks]
    held = {
        place
        for place, area in enumerate(areas)
        if (name_of(area) == "image_caption" and _covered(area, areas, ("image", "chart", "image_block")))
        or (name_of(area) == "image" and _covered(area, areas, ("table",)))
    }
    kept = tuple(area for place, area in enumerate(areas) if place not in held)
    warnings = () if _is_whole(score) else (Notice.LAYOUT_CUT.told(),)
    return PartReading(part=Part.LAYOUT, areas=kept, warnings=warnings)


def prepare(
    helper: MinerUClientHelper, page: Image.Image, areas: Sequence[LayoutArea], parts: frozenset[Part]
) -> Prepared:
    """Cut out, and set upright, what is to be read for these parts."""
    wanted = {name_of(area) for area in areas if part_of(area) in parts}
    blocks = [_content_block(area, number, page.width, page.height) for number, area in enumerate(areas)]
    images, prompts, params, indices = helper.prepare_for_extract(
        page, blocks, sorted(BLOCK_TYPES - wanted), image_analysis=Part.CHARTS in parts
    )
    return Prepared(blocks, images, prompts, params, [int(blocks[index][_AREA]) for index in indices])


def contents_by_part(
    helper: MinerUClientHelper,
    prepared: Prepared,
    scores: Sequence[BlockScore],
    areas: Sequence[LayoutArea],
    parts: frozenset[Part],
) -> dict[Part, PartReading]:
    """What was read, part by part, from the answers to what was prepared. A block that failed is a failure alone."""
    by_area = dict(zip(prepared.areas, scores, strict=True))
    contents = {number: _failure(number, score) for number, score in by_area.items() if score.error is not None}
    tables: set[int] = set()
    rest: list[ContentBlock] = []
    for block in prepared.blocks:
        number = int(block[_AREA])
        score = by_area.get(number)
        if number in contents or _part_for(areas[number]) not in parts:
            continue
        if name_of(areas[number]) == "table":
            tables.add(number)
            contents[number] = _table_content(number, areas[number], score)
            continue
        # The text of a formula too small to cut out is empty, not missing: upstream's joining of lines wants a text.
        block.content = score.text if score is not None else "" if part_of(areas[number]) is Part.FORMULAS else None
        rest.append(block)
    for block in helper.post_process(rest):
        content = (
            _content(block, areas, by_area) if _AREA in block else _joined_formulas(block, prepared, areas, by_area)
        )
        contents[content.area] = content
    return {part: _part_reading(part, contents, areas) for part in parts}


def _area(block: ContentBlock, width: int, height: int, confidence: float) -> LayoutArea:
    kind = block_type(block.type)
    return LayoutArea(
        type=kind,
        box=Box(*block.bbox).scaled(width, height),
        confidence=confidence,
        angle=block.angle or 0,
        label="" if block.type == kind.value else block.type,
        continues=bool(block.get("merge_prev", False)),
    )


def _content_block(area: LayoutArea, number: int, width: int, height: int) -> ContentBlock:
    """The area as MinerU has it, its place the very numbers that the model gave."""
    box = area.box.scaled(1 / width, 1 / height)
    block = ContentBlock(name_of(area), [round(value * _THOUSANDTHS) / _THOUSANDTHS for value in box])
    block[_AREA] = number
    block["angle"] = area.angle
    return block


def _covered(area: LayoutArea, areas: Iterable[LayoutArea], by: tuple[str, ...]) -> bool:
    return any(
        name_of(other) in by and other is not area and area.box.covered_by(other.box) >= COVERED for other in areas
    )


def _is_whole(score: BlockScore) -> bool:
    return score.end is BlockEnd.COMPLETE


def _confidence(score: BlockScore | None) -> float:
    """Geometric mean of the tokens' probabilities, 0..1; 1 where they are not known, as for everything unmeasured."""
    if score is None or not score.logprobs:
        return 1.0
    sure = min(1.0, math.exp(sum(score.logprobs) / len(score.logprobs)))
    return sure if _is_whole(score) else min(sure, CUT_CONFIDENCE)


def _place(corners: Sequence[float]) -> tuple[int, ...]:
    """Where an area is, in thousandths, whichever of its corners was said first."""
    x0, y0, x1, y1 = (round(value * _THOUSANDTHS) for value in corners)
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def _area_confidences(score: BlockScore) -> dict[tuple[int, ...], float]:
    """How sure each area of a layout is, by its place; nothing where the tokens are not known."""
    told = score.text.split(_AREA_START)[1:]
    if len(score.pieces) != len(score.logprobs) or score.pieces.count(_AREA_START) != len(told):
        return {}
    starts = [n for n, piece in enumerate(score.pieces) if piece == _AREA_START]
    sure: dict[tuple[int, ...], float] = {}
    for text, start, end in zip(told, starts, [*starts, len(score.pieces)][1:], strict=True):
        found = _AN_AREA.match(_AREA_START + text)
        if found is not None:
            place = _place([int(value) / _THOUSANDTHS for value in found.groups()[:4]])
            sure.setdefault(place, min(1.0, math.exp(sum(score.logprobs[start:end]) / (end - start))))
    return sure


def _cell_confidences(score: BlockScore) -> list[float]:
    """How sure each token of a table's grid is, with the text behind it; nothing where the tokens are not known.

    The token alone says where a cell is, and is nearly always sure: a text counts for itself, not diluted by it.
    """
    if len(score.pieces) != len(score.logprobs) or sum(map(is_token, score.pieces)) != count_tokens(score.text):
        return []
    found: list[tuple[float, list[float]]] = []
    for piece, logprob in zip(score.pieces, score.logprobs, strict=True):
        if is_token(piece):
            found.append((logprob, []))
        elif found:
            found[-1][1].append(logprob)
    sure = [min(1.0, math.exp(min(own, sum(text) / len(text) if text else 0.0))) for own, text in found]
    if sure and not _is_whole(score):
        sure[-1] = min(sure[-1], CUT_CONFIDENCE)
    return sure


def _failure(number: int, score: BlockScore) -> AreaContent:
    assert score.error is not None
    return AreaContent(area=number, confidence=0.0, failure=ReadFailure.from_error(score.error))


def _table_content(number: int, area: LayoutArea, score: BlockScore | None) -> AreaContent:
    """A table's cells; what is no table in any form stays as text."""
    if score is None:
        return AreaContent(area=number)
    sure = _confidence(score)
    table = table_from_otsl(score.text, area.box, sure, _cell_confidences(score))
    table = table or table_from_html(score.text, area.box, sure)
    text = "" if table is not None else score.text.strip()
    return AreaContent(area=number, text=text, table=table, confidence=sure, whole=_is_whole(score))


def _content(block: ContentBlock, areas: Sequence[LayoutArea], scores: Mapping[int, BlockScore]) -> AreaContent:
    """What MinerU's mending made of an area."""
    number = int(block[_AREA])
    area, score = areas[number], scores.get(number)
    kind = block_type(block.type)
    sure = _confidence(score)
    text = block.content or ""
    table = chart = None
    if kind is BlockType.EQUATION:
        text = _latex(text)
    elif kind is BlockType.TABLE:
        table = table_from_html(text, area.box, sure)
        text = text if table is None else ""
    elif kind is BlockType.CHART:
        chart = chart_from_markdown(text, str(block.get("sub_type", "")), area.box, sure)
    return AreaContent(
        area=number,
        type=None if kind is area.type else kind,
        text=text,
        table=table,
        chart=chart,
        confidence=sure,
        whole=score is None or _is_whole(score),
    )


def _joined_formulas(
    block: ContentBlock, prepared: Prepared, areas: Sequence[LayoutArea], scores: Mapping[int, BlockScore]
) -> AreaContent:
    """One formula of several lines, in the area that held them; it is as sure as its least sure line."""
    holder = next(int(other[_AREA]) for other in prepared.blocks if other.bbox is block.bbox)
    lines = [
        scores[number]
        for number, area in enumerate(areas)
        if name_of(area) == "equation" and number in scores and area.box.covered_by(areas[holder].box) > COVERED
    ]
    return AreaContent(
        area=holder,
        text=_latex(block.content or ""),
        confidence=min((_confidence(score) for score in lines), default=1.0),
        whole=all(_is_whole(score) for score in lines),
    )


def _latex(text: str) -> str:
    """The formula without the brackets that upstream puts around it."""
    found = _BRACKETS.match(text.strip())
    return found[1] if found else text.strip()


def _part_reading(part: Part, contents: Mapping[int, AreaContent], areas: Sequence[LayoutArea]) -> PartReading:
    own = [contents[number] for number in sorted(contents) if _part_for(areas[number]) is part]
    cut = sorted({(c.type or areas[c.area].type).value.replace("_", " ") for c in own if not c.whole})
    warnings = tuple(Notice.BLOCK_CUT.told(kind=kind) for kind in cut)
    return PartReading(part=part, contents=tuple(own), warnings=warnings)
