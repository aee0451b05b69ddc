"""Word documents: paragraphs, tables and pictures in their order, set anew on plain pages."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from mineru_core.document.page import Page
from mineru_core.document.table import Cell, Table
from mineru_core.errors import FileTooLarge, InvalidRequest, UnsupportedType
from mineru_core.intake.office.canvas import TextStyle
from mineru_core.intake.office.chart_parts import chart_of
from mineru_core.intake.office.flow import HEIGHT, MARGIN, PIXELS_A_POINT, WIDTH, FlowItem, FlowPage, FlowPicture, flow
from mineru_core.intake.office.frames import EMU_A_POINT, whole
from mineru_core.intake.office.numbering import Numbering
from mineru_core.intake.office.package import OfficePackage
from mineru_core.intake.office.pictures import PictureShelf
from mineru_core.intake.office.text import Paragraph, Run

MAX_CELLS = 100_000
MAX_ITEMS = 100_000
_USUAL_HALF_POINTS = 22
_MOST_HALF_POINTS = 400
_LEAST_PICTURE = 12_700
_HOLDERS = frozenset(
    {"ins", "hyperlink", "smartTag", "sdt", "sdtContent", "customXml", "fldSimple", "moveTo", "dir", "bdo"}
)
_BREAKS = {"br": "\n", "cr": "\n", "tab": "\t", "noBreakHyphen": "-"}
_ALIGN = {"center": "ctr", "right": "r", "end": "r"}


@dataclass(frozen=True, slots=True)
class _Style:
    """What a paragraph style says of its text."""

    half_points: int = _USUAL_HALF_POINTS
    bold: bool = False
    numbering: Element | None = None


class DocxFile:
    """An open Word document, set on ``page_count`` pages of A4 which are not those of Word. Headers, footers, notes and
    deleted text are left out. Safe to use from several threads.

    Raises ``CorruptOffice``, ``FileTooLarge`` and ``UnsupportedType`` for a file that is no Word document.
    """

    def __init__(self, data: bytes, max_pixels: int) -> None:
        self._lock = threading.Lock()
        package = OfficePackage(data)
        root = package.xml(package.main)
        body = root.find("body")
        if root.tag != "document" or body is None:
            raise UnsupportedType("The Office file is no Word document.", "Save it as DOCX or PDF.")
        reader = _Reader(package)
        items = _counted(reader.items(body))
        self._pages: list[FlowPage] = list(flow(items)) or [
            FlowPage([(Paragraph((Run("", TextStyle()),)), 0.0)], WIDTH)
        ]
        self._max_pixels = max_pixels
        self._package: OfficePackage | None = package

    @property
    def page_count(self) -> int:
        """Pages in all."""
        return len(self._pages)

    def page(self, number: int, source: str) -> Page:
        """Page ``number`` (from 1). Raises ``InvalidRequest`` after ``close()``."""
        with self._lock:
            if self._package is None:
                raise InvalidRequest("The document is closed.", "Open it again.")
            shelf = PictureShelf(self._package, self._max_pixels)
            return self._pages[number - 1].draw(source, number, self._max_pixels, shelf.picture)

    def close(self) -> None:
        """Let go of the file; calling it again does nothing."""
        with self._lock:
            if self._package is not None:
                self._package.close()
            self._package = None


def _counted(items: Iterator[FlowItem]) -> Iterator[FlowItem]:
    for place, item in enumerate(items):
        if place >= MAX_ITEMS:
            raise FileTooLarge(f"The document has more than {MAX_ITEMS} paragraphs.", "Split the document.")
        yield item


class _Reader:
    """Reads the body of one document in order."""

    def __init__(self, package: OfficePackage) -> None:
        self._package = package
        names = package.related(package.main, "styles")
        self._styles = _Styles(package.xml(names[0]) if names else Element("styles"))
        lists = package.related(package.main, "numbering")
        self._numbering = Numbering(package.xml(lists[0]) if lists else None)

    def items(self, parent: Element) -> Iterator[FlowItem]:
        """Paragraphs, tables, pictures and charts below a body."""
        for node in parent:
            if node.tag == "p":
                yield from self._paragraph(node)
            elif node.tag == "tbl":
                table = _table(node)
                if table is not None:
                    yield table
            elif node.tag in _HOLDERS:
                yield from self.items(node)

    def _paragraph(self, node: Element) -> Iterator[FlowItem]:
        properties = node.find("pPr")
        style = self._styles.of(properties)
        runs = tuple(self._runs(node, style))
        if any(run.text.strip() for run in runs):
            alignment = None if properties is None else properties.find("jc")
            level, mark = self._numbering.mark(properties, style.numbering)
            left = (level + 1) * 18 * PIXELS_A_POINT if mark else 0.0
            yield Paragraph(
                runs=runs,
                bullet=mark,
                align=_ALIGN.get("" if alignment is None else alignment.get("val", ""), "l"),
                left=left,
                hanging=-18 * PIXELS_A_POINT if mark else 0.0,
                size=runs[0].style.size,
            )
        for drawing in node.iter("drawing"):
            yield from self._drawing(drawing)
        for shape in node.iter("shape"):
            yield from self._older_picture(shape)
        for box in node.iter("txbxContent"):
            yield from self.items(box)

    def _runs(self, node: Element, style: _Style) -> Iterator[Run]:
        for run in _plain_runs(node):
            text = "".join(_run_text(run))
            properties = run.find("rPr")
            if properties is not None and _on(properties.find("vanish")):
                continue
            size = None if properties is None else properties.find("sz")
            half_points = whole(None if size is None else size.get("val"), style.half_points)
            bold = style.bold
            if properties is not None and properties.find("b") is not None:
                bold = _on(properties.find("b"))
            if text:
                yield Run(text, TextStyle(_pixels(half_points), bold))

    def _drawing(self, node: Element) -> Iterator[FlowItem]:
        known = self._package.relations(self._package.main)
        for chart in node.iter("chart"):
            pointer = known.get(chart.get("r:id", ""))
            if pointer is not None and self._package.has(pointer.target):
                data = chart_of(self._package, pointer.target)
                if data is not None:
                    yield data
        extent = node.find("*/extent")
        for blip in node.iter("blip"):
            pointer = known.get(blip.get("r:embed", ""))
            if pointer is not None:
                width, height = (
                    max(whole(None if extent is None else extent.get(key), 0), _LEAST_PICTURE) / EMU_A_POINT
                    for key in ("cx", "cy")
                )
                yield _picture(pointer.target, width, height)

    def _older_picture(self, shape: Element) -> Iterator[FlowItem]:
        """A picture in the form of older files, whose size is a style such as "width:120pt;height:80pt"."""
        data = shape.find("imagedata")
        pointer = self._package.relations(self._package.main).get("" if data is None else data.get("r:id", ""))
        if pointer is not None:
            sides = (re.search(rf"{side}:([0-9.]+)pt", shape.get("style", "")) for side in ("width", "height"))
            width, height = (min(max(whole(s[1] if s else None, 100), 1), 2000) for s in sides)
            yield _picture(pointer.target, width, height)


def _picture(part: str, width: float, height: float) -> FlowPicture:
    """A picture of so many points, smaller where it would not fit a page."""
    width, height = width * PIXELS_A_POINT, height * PIXELS_A_POINT
    fit = min(1.0, (WIDTH - 2 * MARGIN) / width, (HEIGHT - 2 * MARGIN) / height)
    return FlowPicture(part, width * fit, height * fit)


class _Styles:
    """Paragraph styles with what they inherit."""

    def __init__(self, root: Element) -> None:
        self._nodes = {n.get("styleId", ""): n for n in root.iterfind("style") if n.get("type") == "paragraph"}
        self._default = next((k for k, n in self._nodes.items() if n.get("default") in ("1", "true", "on")), "")
        size = root.find("docDefaults/rPrDefault/rPr/sz")
        self._size = whole(None if size is None else size.get("val"), _USUAL_HALF_POINTS)
        self._known: dict[str, _Style] = {}

    def of(self, properties: Element | None) -> _Style:
        """The style of a paragraph with these properties."""
        node = None if properties is None else properties.find("pStyle")
        name = self._default if node is None else node.get("val", "")
        if name not in self._known:
            self._known[name] = self._resolved(name)
        return self._known[name]

    def _resolved(self, name: str) -> _Style:
        chain: list[Element] = []
        while name in self._nodes and len(chain) < 20:
            chain.append(self._nodes[name])
            above = chain[-1].find("basedOn")
            name = "" if above is None else above.get("val", "")
        sizes = [s.get("val") for n in chain if (s := n.find("rPr/sz")) is not None]
        weights = [_on(b) for n in chain if (b := n.find("rPr/b")) is not None]
        numbers = [p for n in chain if (p := n.find("pPr/numPr")) is not None]
        return _Style(
            whole(sizes[0], self._size) if sizes else self._size,
            weights[0] if weights else False,
            numbers[0] if numbers else None,
        )


def _pixels(half_points: int) -> int:
    return max(8, round(min(max(half_points, 8), _MOST_HALF_POINTS) / 2 * PIXELS_A_POINT))


def _on(node: Element | None) -> bool:
    return node is not None and node.get("val", "1") not in ("0", "false", "off", "none")


def _plain_runs(node: Element) -> Iterator[Element]:
    """Runs of a paragraph as it reads: what was inserted, nothing that was deleted."""
    for child in node:
        if child.tag == "r":
            yield child
        elif child.tag in _HOLDERS:
            yield from _plain_runs(child)
        elif child.tag in ("oMath", "oMathPara"):
            stand_in = Element("r")
            text = Element("t")
            text.text = "".join(t.text or "" for t in child.iter("t"))
            stand_in.append(text)
            yield stand_in


def _run_text(run: Element) -> Iterator[str]:
    for child in run:
        if child.tag == "t":
            yield child.text or ""
        elif child.tag == "sym":
            yield "•"
        elif child.tag in _BREAKS:
            yield _BREAKS[child.tag]


def _cell_text(node: Element) -> str:
    """Paragraphs as lines; a table within the cell gives a line a row."""
    lines: list[str] = []
    for child in node:
        if child.tag == "p":
            lines.append("".join("".join(_run_text(run)) for run in _plain_runs(child)))
        elif child.tag == "tbl":
            lines += [" ".join(_cell_text(cell) for cell in _row_cells(row)) for row in child.iterfind("tr")]
        elif child.tag in _HOLDERS:
            lines.append(_cell_text(child))
    return "\n".join(lines).strip("\n")


def _row_cells(row: Element) -> list[Element]:
    cells: list[Element] = []
    for child in row:
        if child.tag == "tc":
            cells.append(child)
        elif child.tag in _HOLDERS:
            cells += _row_cells(child)
    return cells


@dataclass(frozen=True, slots=True)
class _Placed:
    """A cell in its row: how many columns it covers, and whether it starts or goes on with one merged downwards."""

    node: Element
    width: int
    merge: str


def _table(node: Element) -> Table | None:
    """The table with its merged cells; None for one without cells."""
    rows = node.findall("tr")
    placed = [_placed(row) for row in rows]
    n_cols = max((col + cell.width for line in placed for col, cell in line.items()), default=0)
    if not n_cols:
        return None
    if len(placed) * n_cols > MAX_CELLS:
        raise FileTooLarge(f"A table has more than {MAX_CELLS} cells.", "Split the table.")
    headers = 0
    while headers < len(rows) and _on(rows[headers].find("trPr/tblHeader")):
        headers += 1
    cells: list[Cell] = []
    for row, line in enumerate(placed):
        for col, cell in line.items():
            if row and _goes_on(placed[row - 1].get(col), cell):
                continue
            below = row + 1
            while below < len(placed) and _goes_on(cell, placed[below].get(col)):
                below += 1
            text = _cell_text(cell.node)
            cells.append(
                Cell(row=row, col=col, rowspan=below - row, colspan=cell.width, text=text, header=row < headers)
            )
    return Table(n_rows=len(placed), n_cols=n_cols, cells=tuple(cells))


def _placed(row: Element) -> dict[int, _Placed]:
    """The cells of a row by their first column."""
    before = row.find("trPr/gridBefore")
    col = min(max(whole(None if before is None else before.get("val"), 0), 0), 1000)
    found: dict[int, _Placed] = {}
    for cell in _row_cells(row):
        span, merge = cell.find("tcPr/gridSpan"), cell.find("tcPr/vMerge")
        width = min(max(whole(None if span is None else span.get("val"), 1), 1), 1000)
        found[col] = _Placed(cell, width, "" if merge is None else merge.get("val", "continue"))
        col += width
    return found


def _goes_on(above: _Placed | None, below: _Placed | None) -> bool:
    """Whether the lower cell is the same as the upper one."""
    if above is None or below is None:
        return False
    return above.merge != "" and below.merge == "continue" and above.width == below.width
