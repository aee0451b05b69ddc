"""Tables of a deck: their cells exactly as stored, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from mineru_core.document.geometry import Box
from mineru_core.document.header_depth import with_whole_header
from mineru_core.document.table import Cell, Table
from mineru_core.errors import FileTooLarge
from mineru_core.intake.office.canvas import GREY, WHITE, Canvas, Colour, check_characters, edges
from mineru_core.intake.office.frames import EMU_A_POINT, Frame, FrameReader, plain_text, whole
from mineru_core.intake.office.text import TextBlock, set_text
from mineru_core.intake.office.theme import Theme

MAX_CELLS = 100_000
_INSET_X, _INSET_Y = 91_440, 45_720
_HEADER_FILL: Colour = (79, 129, 189, 255)
_BANDS: tuple[Colour, Colour] = ((255, 255, 255, 255), (238, 242, 248, 255))
# Of the styles that the program knows by number alone, the two that fill nothing.
_PLAIN_STYLES = frozenset({"{2D5ABB26-0587-4C30-8999-92F81FD0307C}", "{5940675A-B579-460E-94D1-54222C63F5DA}"})


@dataclass(frozen=True, slots=True)
class _Place:
    """A cell of the file with the grid places it covers."""

    node: Element
    row: int
    col: int
    rowspan: int
    colspan: int


class TableDrawing:
    """One table (``tbl``) in a box of page pixels; ``scale`` is pixels an EMU."""

    def __init__(self, node: Element, theme: Theme, reader: FrameReader, frame: Frame, scale: float) -> None:
        self._node, self._theme, self._reader, self._frame, self._scale = node, theme, reader, frame, scale
        self._rows = node.findall("tr")
        grid = node.find("tblGrid")
        self._columns = [whole(col.get("w"), 0) for col in (grid if grid is not None else ()) if col.tag == "gridCol"]
        widest = max((len(row.findall("tc")) for row in self._rows), default=0)
        self._columns += [0] * (widest - len(self._columns))
        if len(self._rows) * len(self._columns) > MAX_CELLS:
            raise FileTooLarge(f"A table has more than {MAX_CELLS} cells.", "Split the table.")
        properties = node.find("tblPr")
        self._header = properties is not None and properties.get("firstRow") in ("1", "true")
        style = "" if properties is None else (properties.findtext("tableStyleId") or "").strip()
        self._styled = bool(style) and style not in _PLAIN_STYLES
        self._places = self._cells()
        check_characters(sum(len(text) for place in self._places for text in place.node.itertext()))

    def draw(self, canvas: Canvas, box: Box) -> Table | None:
        """Draw it from the box's top left on; rows grow where their text needs it. Returns the table with the places
        of its cells on the page; None for one without cells."""
        if not self._places:
            return None
        total = sum(self._columns)
        widths = [w * box.width / total if total > 0 else box.width / len(self._columns) for w in self._columns]
        texts = {(p.row, p.col): self._set(p, sum(widths[p.col : p.col + p.colspan])) for p in self._places}
        heights = self._heights(texts)
        xs, ys = edges(box.x0, widths), edges(box.y0, heights)
        cells = []
        for place in self._places:
            around = Box(xs[place.col], ys[place.row], xs[place.col + place.colspan], ys[place.row + place.rowspan])
            self._draw_cell(canvas, place, around, texts[place.row, place.col])
            cells.append(self._cell(place, around.clipped(*canvas.size)))
        table = Table(
            n_rows=len(self._rows),
            n_cols=len(self._columns),
            cells=tuple(cells),
            box=Box(xs[0], ys[0], xs[-1], ys[-1]).clipped(*canvas.size),
        )
        return with_whole_header(table) if self._header else table

    def _cell(self, place: _Place, box: Box) -> Cell:
        return Cell(
            row=place.row,
            col=place.col,
            rowspan=place.rowspan,
            colspan=place.colspan,
            text=plain_text(place.node.find("txBody")),
            box=box,
            header=self._header and place.row == 0,
        )

    def _cells(self) -> list[_Place]:
        """Every cell of its own, spans cut where they leave the grid or meet another cell."""
        found: list[_Place] = []
        taken: set[tuple[int, int]] = set()
        for row, line in enumerate(self._rows):
            for col, node in enumerate(line.findall("tc")):
                if (row, col) in taken:
                    continue
                colspan = min(max(whole(node.get("gridSpan"), 1), 1), len(self._columns) - col)
                rowspan = min(max(whole(node.get("rowSpan"), 1), 1), len(self._rows) - row)
                colspan = next((place for place in range(1, colspan) if (row, col + place) in taken), colspan)
                taken.update((row + down, col + right) for down in range(rowspan) for right in range(colspan))
                found.append(_Place(node, row, col, rowspan, colspan))
        return found

    def _set(self, place: _Place, width: float) -> TextBlock:
        header = self._header and place.row == 0 and self._styled
        colour = WHITE if header and self._fill_of(place) is None else self._frame.colour
        frame = Frame(chain=self._frame.chain, colour=colour, bold=header)
        paragraphs = self._reader.paragraphs(place.node.find("txBody"), frame)
        left, right = (self._inset(place, name, _INSET_X) for name in ("marL", "marR"))
        return set_text(paragraphs, max(width - left - right, 1.0))

    def _inset(self, place: _Place, name: str, default: int) -> float:
        properties = place.node.find("tcPr")
        return whole(None if properties is None else properties.get(name), default) * self._scale

    def _heights(self, texts: dict[tuple[int, int], TextBlock]) -> list[float]:
        heights = [max(whole(row.get("h"), 0) * self._scale, 4.0) for row in self._rows]
        for place in self._places:
            need = texts[place.row, place.col].height
            need += self._inset(place, "marT", _INSET_Y) + self._inset(place, "marB", _INSET_Y)
            last = place.row + place.rowspan - 1
            heights[last] += max(0.0, need - sum(heights[place.row : last + 1]))
        return heights

    def _draw_cell(self, canvas: Canvas, place: _Place, box: Box, text: TextBlock) -> None:
        fill = self._fill_of(place)
        if fill is None and self._styled:
            header = self._header and place.row == 0
            fill = (self._theme.named("accent1") or _HEADER_FILL) if header else _BANDS[place.row % 2]
        canvas.rectangle(box, fill, GREY, max(1, round(EMU_A_POINT * self._scale)))
        inside = Box(
            box.x0 + self._inset(place, "marL", _INSET_X),
            box.y0 + self._inset(place, "marT", _INSET_Y),
            box.x1 - self._inset(place, "marR", _INSET_X),
            box.y1 - self._inset(place, "marB", _INSET_Y),
        )
        properties = place.node.find("tcPr")
        text.write(canvas, inside, "t" if properties is None else properties.get("anchor", "t"))

    def _fill_of(self, place: _Place) -> Colour | None:
        return self._theme.fill(place.node.find("tcPr"))
