"""Text lines, layout regions and tables of one page put together to blocks in reading order.

Every line ends up in exactly one block. Tables, pictures and formulas claim the lines that stand in them; the other
lines are ordered with those as obstacles, and neighbouring rows of one kind become a block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from mineru_core.document.analysis import Block, BlockType, Line
from mineru_core.document.chart import Chart
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.table import Table
from mineru_core.engines.embedded.furniture import edge_rows, furniture_type, is_formula_number, is_page_number
from mineru_core.engines.embedded.joining import Row, block_text, starts_item
from mineru_core.engines.embedded.layout import LayoutRegion
from mineru_core.engines.embedded.levelling import level_box, page_skew, text_angle
from mineru_core.engines.embedded.order import Item, reading_order
from mineru_core.engines.embedded.rows import visual_rows

SOLID_TYPES = frozenset({BlockType.IMAGE, BlockType.EQUATION, BlockType.CHART})
# A picture whose area is text for the most part is a slide or a panel: its lines are read as text.
MAX_TEXT_SHARE_OF_PICTURE = 0.2
MIN_SENTENCE = 8.0
MIN_CLAIM = 0.5
MAX_ROW_GAP = 0.9
MAX_HEIGHT_RATIO = 1.4
MIN_TITLE_RATIO = 1.3
# A running header is set no larger than the text; what the layout model takes for one on a slide is its title.
MIN_HEADING_RATIO = 1.15
MAX_TITLE_ROWS = 3


@dataclass(frozen=True, slots=True)
class TableArea:
    """A table's place on the page, and its cells where they were read."""

    box: Box
    table: Table | None = None


@dataclass(slots=True)
class _Draft:
    """A block under construction. ``rows`` hold indexes of lines; ``box`` is set where it is not that of the lines."""

    type: BlockType
    rows: list[list[int]]
    box: Box | None = None
    table: Table | None = None
    chart: Chart | None = None
    confidence: float | None = None


@dataclass(slots=True)
class _Solid:
    """An area that is read as one, with the lines it claims."""

    type: BlockType
    box: Box
    confidence: float = 1.0
    table: Table | None = None
    chart: Chart | None = None
    lines: list[int] = field(default_factory=list)


def build_blocks(
    lines: Sequence[Line],
    regions: Sequence[LayoutRegion],
    tables: Sequence[TableArea],
    width: int,
    height: int,
    charts: Sequence[Chart] = (),
) -> tuple[Block, ...]:
    """Blocks in reading order of a page of ``width`` × ``height`` pixels; all boxes are in its pixels.

    A table that a chart covers for the most part is the same thing seen twice, and no table.
    """
    return _Builder(lines, regions, tables, width, height, charts).blocks()


def blocks_of_regions(regions: Sequence[LayoutRegion], width: int, height: int) -> tuple[Block, ...]:
    """The areas themselves as blocks without text, in reading order; for a page whose text was not asked for."""
    order = [i for flow in reading_order([Item(region.box, solid=True) for region in regions]) for i in flow]
    return tuple(
        Block(
            type=regions[i].type,
            box=regions[i].box.clipped(width, height),
            order=place,
            confidence=regions[i].confidence,
        )
        for place, i in enumerate(order)
    )


def lines_in(box: Box, lines: Sequence[Line]) -> list[Line]:
    """The lines that lie in the box for the most part."""
    return [line for line in lines if line.box.covered_by(box) >= MIN_CLAIM]


class _Builder:
    """Puts one page together."""

    def __init__(
        self,
        lines: Sequence[Line],
        regions: Sequence[LayoutRegion],
        tables: Sequence[TableArea],
        width: int,
        height: int,
        charts: Sequence[Chart] = (),
    ) -> None:
        self.lines = lines
        self.width, self.height = width, height
        self.skew = page_skew(lines)
        self.level = [level_box(line.quad, self.skew) for line in lines]
        self.unit = median([_text_height(b) for b in self.level]) if lines else 1.0
        self.solids = self._claimed(_solids(lines, regions, tables, charts))
        taken = {i for solid in self.solids for i in solid.lines}
        self.free = [i for i in range(len(lines)) if i not in taken]
        self.labels = _labels(regions)
        self.edge_type: dict[int, BlockType] = {}
        self.label_of = {i: self._label(i) for i in self.free}

    def blocks(self) -> tuple[Block, ...]:
        """Top furniture, the body in reading order, bottom furniture."""
        head, body, foot = self._split_furniture()
        drafts = self._arranged(head, []) + self._arranged(body, self.solids) + self._arranged(foot, [])
        return tuple(self._block(draft, order) for order, draft in enumerate(drafts))

    def _claimed(self, solids: list[_Solid]) -> list[_Solid]:
        """The solids with the lines that lie in them for the most part, each line in one."""
        for i, line in enumerate(self.lines):
            shares = [(line.box.covered_by(s.box), -s.box.area, -n) for n, s in enumerate(solids)]
            best = max(shares, default=(0.0, 0.0, 0))
            if best[0] >= MIN_CLAIM:
                solids[-best[2]].lines.append(i)
        return solids

    def _label(self, index: int) -> int | None:
        """The region that a free line belongs to: where most of it lies, else None."""
        box = self.lines[index].box
        shares = [(box.covered_by(region.box), -region.box.area, -n) for n, region in enumerate(self.labels)]
        best = max(shares, default=(0.0, 0.0, 0))
        return -best[2] if best[0] >= MIN_CLAIM else None

    def _split_furniture(self) -> tuple[list[int], list[int], list[int]]:
        """Free lines that are page furniture at the top, the body's, and furniture at the bottom."""
        head: list[int] = []
        body: list[int] = []
        foot: list[int] = []
        for i in self.free:
            label = self.label_of[i]
            kind = furniture_type(self.lines[i].box, None if label is None else self.labels[label].type, self.height)
            (head if kind is BlockType.HEADER else foot if kind is BlockType.FOOTER else body).append(i)
        body, top_numbers, bottom_numbers = self._page_numbers(body)
        top, bottom = edge_rows([self.level[i] for i in body], self._obstacles(), self.height, self.unit)
        top_edge, bottom_edge = [body[n] for n in top], [body[n] for n in bottom]
        self.edge_type = dict.fromkeys(top_edge, BlockType.HEADER) | dict.fromkeys(bottom_edge, BlockType.FOOTER)
        body = [i for i in body if i not in self.edge_type]
        return head + top_numbers + top_edge, body, foot + bottom_edge + bottom_numbers

    def _obstacles(self) -> list[Box]:
        return [self._level_solid(solid) for solid in self.solids]

    def _page_numbers(self, body: list[int]) -> tuple[list[int], list[int], list[int]]:
        """The body without numbers that stand alone above or below everything else, and those numbers."""
        tops, bottoms = [], []
        for i in body:
            box = self.level[i]
            if not is_page_number(self.lines[i].text):
                continue
            others = [self.level[j] for j in body if j != i] + self._obstacles()
            if others and all(box.y0 >= o.y1 - 0.3 * self.unit for o in others) and box.y0 > 0.85 * self.height:
                bottoms.append(i)
            elif others and all(box.y1 <= o.y0 + 0.3 * self.unit for o in others) and box.y1 < 0.12 * self.height:
                tops.append(i)
        rest = [i for i in body if i not in {*tops, *bottoms}]
        return rest, tops, bottoms

    def _arranged(self, free: Sequence[int], solids: Sequence[_Solid]) -> list[_Draft]:
        """Free lines and solids in reading order, rows joined to blocks."""
        upright = [_is_vertical(self.level[i], self.lines[i].text) for i in free]
        items = [Item(self.level[i], solid=v, vertical=v) for i, v in zip(free, upright, strict=True)]
        items += [Item(self._level_solid(solid), solid=True) for solid in solids]
        drafts: list[_Draft] = []
        for flow in reading_order(items):
            run: list[int] = []
            for index in flow:
                if index < len(free):
                    run.append(free[index])
                    continue
                drafts += self._paragraphs(run)
                run = []
                drafts += self._solid_drafts(solids[index - len(free)])
            drafts += self._paragraphs(run)
        return drafts

    def _level_solid(self, solid: _Solid) -> Box:
        """Its box on the level page."""
        if not self.skew:
            return solid.box
        corner = level_box(_point(*solid.box.center), self.skew)
        half_width, half_height = solid.box.width / 2, solid.box.height / 2
        return Box(corner.x0 - half_width, corner.y0 - half_height, corner.x0 + half_width, corner.y0 + half_height)

    def _solid_drafts(self, solid: _Solid) -> list[_Draft]:
        """A solid as one block; the lines in it in the order of their own flows."""
        rows: list[list[int]] = []
        for flow in reading_order([Item(self.level[i]) for i in solid.lines]):
            rows += self._rows([solid.lines[n] for n in flow])
        return [_Draft(solid.type, rows, solid.box, solid.table, solid.chart, solid.confidence)]

    def _rows(self, indexes: Sequence[int]) -> list[list[int]]:
        return [[indexes[n] for n in row] for row in visual_rows([self.level[i] for i in indexes])]

    def _paragraphs(self, indexes: Sequence[int]) -> list[_Draft]:
        """Rows of one flow joined to blocks."""
        drafts: list[_Draft] = []
        before: list[int] = []
        for row in self._rows(indexes):
            if drafts and self._belongs(before, row):
                drafts[-1].rows.append(row)
            else:
                drafts.append(_Draft(self._row_type(row), [row]))
            before = row
        for draft in drafts:
            draft.type = self._refined_type(draft)
        return drafts

    def _belongs(self, before: Sequence[int], row: Sequence[int]) -> bool:
        """Whether a row goes on with the block of the row before."""
        labels = self._row_label(before), self._row_label(row)
        if labels[0] != labels[1]:
            return False
        a, b = (Box.around(self.level[i] for i in part) for part in (before, row))
        heights = sorted(median(_text_height(self.level[i]) for i in part) for part in (before, row))
        if heights[1] > MAX_HEIGHT_RATIO * heights[0]:
            return False
        gap = b.y0 - a.y1
        return gap <= MAX_ROW_GAP * heights[1] * (1.0 if labels[0] is None else 1.7)

    def _row_label(self, row: Sequence[int]) -> int | None:
        """The region of most of the row's width."""
        weights: Counter[int | None] = Counter()
        for i in row:
            weights[self.label_of.get(i)] += round(self.level[i].width) + 1
        return weights.most_common(1)[0][0]

    def _row_type(self, row: Sequence[int]) -> BlockType:
        if row[0] in self.edge_type:
            return self.edge_type[row[0]]
        label = self._row_label(row)
        return BlockType.TEXT if label is None else self.labels[label].type

    def _refined_type(self, draft: _Draft) -> BlockType:
        """The type, with what the layout model missed filled in by place and size."""
        lines = [i for row in draft.rows for i in row]
        if len(lines) == 1 and is_page_number(self.lines[lines[0]].text):
            y = self.lines[lines[0]].box.center[1]
            if not 0.12 * self.height < y < 0.88 * self.height:
                return BlockType.PAGE_NUMBER
        if len(lines) == 1 and draft.type is BlockType.TITLE and is_formula_number(self.lines[lines[0]].text):
            return BlockType.TEXT
        if draft.type is BlockType.HEADER and self._text_height(lines) > MIN_HEADING_RATIO * self.unit:
            return BlockType.TITLE
        unlabelled = draft.type is BlockType.TEXT and self._row_label(draft.rows[0]) is None
        if unlabelled and len(draft.rows) <= MAX_TITLE_ROWS:
            high = self._text_height(lines) >= MIN_TITLE_RATIO * self.unit
            if high and not _is_vertical(self.level[lines[0]], self.lines[lines[0]].text):
                return BlockType.TITLE
        items = sum(starts_item(self.lines[row[0]].text) for row in draft.rows)
        if draft.type is BlockType.TEXT and items > 1 and starts_item(self.lines[lines[0]].text):
            return BlockType.LIST
        return draft.type

    def _text_height(self, lines: Sequence[int]) -> float:
        """Height of the lowest of these lines."""
        return min(_text_height(self.level[i]) for i in lines)

    def _block(self, draft: _Draft, order: int) -> Block:
        rows = [row for row in draft.rows if row]
        lines = tuple(self.lines[i] for row in rows for i in row)
        texts = [Row.of([self.lines[i].text for i in row], [self.level[i] for i in row]) for row in rows]
        box = draft.box if draft.box is not None else Box.around(line.box for line in lines)
        confidence = draft.confidence
        if confidence is None:
            confidence = sum(line.confidence for line in lines) / len(lines)
        return Block(
            type=draft.type,
            box=box.clipped(self.width, self.height),
            order=order,
            angle=text_angle(lines),
            text=_running_text(draft, texts),
            lines=lines,
            table=draft.table,
            chart=draft.chart,
            confidence=min(1.0, max(0.0, confidence)),
        )


def _running_text(draft: _Draft, rows: Sequence[Row]) -> str:
    """The block's text; a table's rows stand on lines of their own, cells apart by tabs."""
    if draft.table is not None:
        return "\n".join("\t".join(row).rstrip() for row in draft.table.rows())
    if draft.type in SOLID_TYPES or draft.type is BlockType.TABLE:
        return "\n".join(row.text for row in rows)
    return block_text(rows)


def _solids(
    lines: Sequence[Line], regions: Sequence[LayoutRegion], tables: Sequence[TableArea], charts: Sequence[Chart]
) -> list[_Solid]:
    """Charts, tables, and the pictures and formulas that none of them covers; a picture full of text is none."""
    solids = [
        _Solid(BlockType.CHART, chart.box, chart.confidence, chart=chart) for chart in charts if chart.box is not None
    ]
    drawn = [solid.box for solid in solids]
    solids += [
        _Solid(BlockType.TABLE, t.box, 1.0 if t.table is None else t.table.confidence, t.table)
        for t in tables
        if not any(t.box.covered_by(box) > MIN_CLAIM for box in drawn)
    ]
    for region in sorted((r for r in regions if r.type in SOLID_TYPES), key=lambda r: -r.box.area):
        if any(region.box.covered_by(solid.box) > MIN_CLAIM for solid in solids):
            continue
        if any(box.covered_by(region.box) > MIN_CLAIM for box in drawn):  # the chart with its title
            continue
        inside = sum(
            line.box.area
            for line in lines
            # Labels of a chart are short; sentences are not.
            if line.box.width >= MIN_SENTENCE * line.box.height and line.box.covered_by(region.box) >= MIN_CLAIM
        )
        if region.type is BlockType.IMAGE and inside > MAX_TEXT_SHARE_OF_PICTURE * region.box.area:
            continue
        solids.append(_Solid(region.type, region.box, region.confidence))
    return solids


def _labels(regions: Sequence[LayoutRegion]) -> list[LayoutRegion]:
    """Regions that say what running text is; of two that claim much the same area the surer one."""
    kept: list[LayoutRegion] = []
    for region in sorted(regions, key=lambda r: -r.confidence):
        if region.type in SOLID_TYPES or region.type is BlockType.TABLE:
            continue
        if not any(region.box.covered_by(k.box) > 0.8 or region.box.iou(k.box) > 0.5 for k in kept):
            kept.append(region)
    return kept


def _point(x: float, y: float) -> Quad:
    return Quad((x, y), (x, y), (x, y), (x, y))


def _text_height(box: Box) -> float:
    return max(1.0, min(box.width, box.height))


def _is_vertical(box: Box, text: str) -> bool:
    """Whether a line runs from top to bottom."""
    return len(text) > 1 and box.height > 1.8 * box.width
