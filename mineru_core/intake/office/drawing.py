"""One slide drawn from the bottom up: ground, what master and layout show on every slide, the slide's own shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from mineru_core.document.chart import Chart
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.table import Table
from mineru_core.errors import FileTooLarge
from mineru_core.intake.office.canvas import BLACK, GREY, Canvas, Colour
from mineru_core.intake.office.chart_parts import chart_of
from mineru_core.intake.office.drawn_charts import draw_chart
from mineru_core.intake.office.frames import EMU_A_POINT, Frame, FrameReader, whole
from mineru_core.intake.office.outlines import is_line, outlines
from mineru_core.intake.office.package import OfficePackage
from mineru_core.intake.office.pictures import PictureShelf, cropped
from mineru_core.intake.office.places import Place, Space
from mineru_core.intake.office.tables import TableDrawing
from mineru_core.intake.office.text import set_text
from mineru_core.intake.office.theme import Theme

MAX_SHAPES = 20_000
MAX_VALUES = 300_000
"""Cells and values of all the tables and charts of one slide."""
_INSETS = (("lIns", 91_440), ("tIns", 45_720), ("rIns", 91_440), ("bIns", 45_720))
_SIDEWAYS = {"vert": 90.0, "vert270": 270.0, "eaVert": 90.0, "mongolianVert": 90.0, "wordArtVert": 90.0}
_TITLES = frozenset({"title", "ctrTitle"})
_MASTER_TYPES = {"ctrTitle": "title", "subTitle": "body", "obj": "body", "tbl": "body", "chart": "body", "": "body"}
_BODY_TYPES = frozenset({"body", "subTitle", "obj", "tbl", "chart", "dgm", "clipArt", "media", "pic", ""})


@dataclass(frozen=True)
class Sheet:
    """A slide, layout or master: the name of its part, its tree and the colours that hold on it."""

    name: str
    root: Element
    theme: Theme


@dataclass(frozen=True)
class _Layer:
    """A sheet that is being drawn; ``below`` are those it inherits from, the nearest first."""

    sheet: Sheet
    below: tuple[Sheet, ...]
    shows_placeholders: bool


class SlideDrawing:
    """Draws one slide on ``canvas``; ``scale`` is pixels an EMU. Use it once."""

    def __init__(
        self, package: OfficePackage, size: tuple[int, int], scale: float, text_style: Element | None, max_pixels: int
    ) -> None:
        self._package, self._scale, self._text_style = package, scale, text_style
        self._points = EMU_A_POINT * scale
        self._shapes = self._values = 0
        self._natives: list[Table | Chart] = []
        self._shelf = PictureShelf(package, max_pixels)
        self.canvas = Canvas(*size)

    def draw(self, layers: tuple[Sheet, Sheet, Sheet]) -> tuple[Table | Chart, ...]:
        """Draw master, layout and slide. Returns the slide's tables and charts with their boxes in page pixels."""
        master, layout, slide = layers
        self._ground([slide, layout, master])
        shows = slide.root.get("showMasterSp", "1") in ("1", "true")
        if shows and layout.root.get("showMasterSp", "1") in ("1", "true"):
            self._sheet(_Layer(master, (), False))
        if shows:
            self._sheet(_Layer(layout, (master,), False))
        self._natives.clear()  # what stands on every slide is no data of this one
        self._sheet(_Layer(slide, (layout, master), True))
        return tuple(self._natives)

    def _sheet(self, layer: _Layer) -> None:
        tree = layer.sheet.root.find("cSld/spTree")
        if tree is not None:
            self._tree(tree, layer, Space((self._scale, self._scale)))

    def _ground(self, sheets: Sequence[Sheet]) -> None:
        """The background of the nearest sheet that has one."""
        whole_page = Box(0.0, 0.0, *map(float, self.canvas.size))
        for sheet in sheets:
            node = sheet.root.find("cSld/bg")
            if node is None:
                continue
            theme = sheets[0].theme
            properties, reference = node.find("bgPr"), node.find("bgRef")
            colour = theme.fill(properties) or theme.colour(reference)
            if colour is not None:
                self.canvas.rectangle(whole_page, colour)
            if properties is not None and (fill := properties.find("blipFill")) is not None:
                self._picture(fill, sheet.name, Place(whole_page))
            return

    def _tree(self, tree: Element, layer: _Layer, space: Space) -> None:
        for node in tree:
            if node.tag not in ("sp", "pic", "graphicFrame", "grpSp", "cxnSp") or _is_hidden(node):
                continue
            self._shapes += 1
            if self._shapes > MAX_SHAPES:
                raise FileTooLarge(f"A slide has more than {MAX_SHAPES} shapes.", "Save the slide as a picture.")
            if node.tag == "grpSp":
                self._tree(node, layer, space.inside(node.find("grpSpPr/xfrm")))
            elif node.tag == "graphicFrame":
                self._graphic(node, layer, space)
            elif layer.shows_placeholders or node.find("*/nvPr/ph") is None:
                self._shape(node, layer, space)

    def _shape(self, node: Element, layer: _Layer, space: Space) -> None:
        parents = list(_parents(node, layer.below))
        transform = next(
            (t for n in (node, *parents) if (t := n.find("spPr/xfrm")) is not None and t.find("ext") is not None), None
        )
        if transform is None:
            return
        place = space.place(transform)
        with self.canvas.turned(place.box, place.turn):
            if node.tag == "pic":
                fill = node.find("blipFill")
                if fill is not None:
                    self._picture(fill, layer.sheet.name, place)
                return
            self._outline(node, parents, layer, place)
        if node.tag == "sp":
            self._text(node, parents, layer, place)

    def _outline(self, node: Element, parents: Sequence[Element], layer: _Layer, place: Place) -> None:
        """The shape's filled outline, or its picture."""
        theme, properties, style = layer.sheet.theme, node.find("spPr"), node.find("style")
        givers = [p for n in (node, *parents) if (p := n.find("spPr")) is not None]
        fill = next((theme.fill(giver) for giver in givers if _names_fill(giver)), None)
        if style is not None and not any(_names_fill(giver) for giver in givers):
            reference = style.find("fillRef")
            fill = theme.colour(reference) if reference is not None and reference.get("idx") != "0" else None
        line, thickness = self._line(givers, style, theme)
        if properties is not None and (pattern := properties.find("blipFill")) is not None:
            self._picture(pattern, layer.sheet.name, place)
        if node.tag == "cxnSp" or is_line(properties):
            box = place.box
            top, bottom = (box.y1, box.y0) if place.upside_down != place.mirrored else (box.y0, box.y1)
            self.canvas.line([(box.x0, top), (box.x1, bottom)], line or BLACK, thickness)
            return
        if fill is None and line is None:
            return
        geometry = next((g for g in givers if g.find("prstGeom") is not None or g.find("custGeom") is not None), None)
        drawn = outlines(geometry, place.box) if geometry is not None else []
        for corners in drawn or [list(Quad.from_box(place.box))]:
            self.canvas.polygon(_mirrored(corners, place), fill, line, thickness)

    def _line(self, givers: Sequence[Element], style: Element | None, theme: Theme) -> tuple[Colour | None, int]:
        reference = None if style is None else style.find("lnRef")
        colour = None if reference is None or reference.get("idx") == "0" else theme.colour(reference)
        thickness = EMU_A_POINT
        for giver in givers:
            node = giver.find("ln")
            if node is not None:
                thickness = whole(node.get("w"), EMU_A_POINT)
                colour = theme.fill(node) if _names_fill(node) else colour
                break
        return colour, min(max(1, round(thickness * self._scale)), 200)

    def _picture(self, fill: Element, part: str, place: Place) -> None:
        """A picture of the file; where it cannot be drawn, a frame stands for it."""
        blip = fill.find("blip")
        relation = self._package.relations(part).get("" if blip is None else blip.get("r:embed", ""))
        image = None if relation is None else self._shelf.picture(relation.target)
        if image is None:
            self.canvas.rectangle(place.box, (240, 240, 240, 255), GREY)
            self.canvas.line([(place.box.x0, place.box.y0), (place.box.x1, place.box.y1)], GREY)
            self.canvas.line([(place.box.x0, place.box.y1), (place.box.x1, place.box.y0)], GREY)
            return
        source = fill.find("srcRect")
        self.canvas.picture(cropped(image, source, place.mirrored, place.upside_down), place.box)

    def _text(self, node: Element, parents: Sequence[Element], layer: _Layer, place: Place) -> None:
        body = node.find("txBody")
        if body is None:
            return
        frame = self._frame(node, parents, layer)
        paragraphs = FrameReader(layer.sheet.theme, self._points).paragraphs(body, frame)
        if not paragraphs:
            return
        # Diagrams keep a rectangle of its own for the text of a shape.
        box, turn = place.box, place.turn + _SIDEWAYS.get(frame.body("vert", "horz"), 0.0)
        if frame.body("vert", "horz") in _SIDEWAYS:
            (cx, cy), width, height = box.center, box.width, box.height
            box = Box(cx - height / 2, cy - width / 2, cx + height / 2, cy + width / 2)
        left, top, right, bottom = (frame.inset(name, default) * self._scale for name, default in _INSETS)
        inside = Box(box.x0 + left, box.y0 + top, box.x1 - right, box.y1 - bottom)
        block = set_text(paragraphs, max(inside.width, 1.0), frame.body("wrap", "square") != "none")
        with self.canvas.turned(box, turn):
            block.write(self.canvas, inside, frame.body("anchor", "t"))

    def _frame(self, node: Element, parents: Sequence[Element], layer: _Layer) -> Frame:
        """What the shape's text inherits: from its placeholder's parents, then from its master's styles."""
        bodies = [b for n in (node, *parents) if (b := n.find("txBody/bodyPr")) is not None]
        chain = [s for n in (node, *parents) if (s := n.find("txBody/lstStyle")) is not None]
        master = layer.below[-1].root if layer.below else layer.sheet.root
        holder = node.find("*/nvPr/ph")
        kind = None if holder is None else holder.get("type", "")
        name = "titleStyle" if kind in _TITLES else "bodyStyle" if kind in _BODY_TYPES else "otherStyle"
        usual = [self._text_style] if self._text_style is not None else []
        styles = master.find(f"txStyles/{name}")
        if kind is None:
            chain += usual + ([styles] if styles is not None else [])
        else:
            chain += ([styles] if styles is not None else []) + usual
        reference = node.find("style/fontRef")
        return Frame(chain, bodies, layer.sheet.theme.colour(reference))

    def _graphic(self, node: Element, layer: _Layer, space: Space) -> None:
        """A table, a chart, a diagram, or an object of another program with its picture."""
        transform = node.find("xfrm")
        data = node.find("graphic/graphicData")
        if data is None:
            return
        if transform is None or transform.find("ext") is None:
            below = (n.find("spPr/xfrm") for n in _parents(node, layer.below))
            transform = next((t for t in below if t is not None), None)
        if transform is None:
            return
        place = space.place(transform)
        theme = layer.sheet.theme
        if (table := data.find("tbl")) is not None:
            frame = Frame(chain=[self._text_style] if self._text_style is not None else [])
            drawing = TableDrawing(table, theme, FrameReader(theme, self._points), frame, self._scale)
            self._keep(drawing.draw(self.canvas, place.box))
        elif (chart := data.find("chart")) is not None:
            self._chart(chart.get("r:id", ""), layer, place)
        elif data.find("relIds") is not None:
            self._diagram(layer, place, data.find("relIds"))
        for picture in data.iter("pic"):
            self._shape(picture, layer, space)
            break

    def _chart(self, relation: str, layer: _Layer, place: Place) -> None:
        pointer = self._package.relations(layer.sheet.name).get(relation)
        if pointer is None:
            return
        data = chart_of(self._package, pointer.target)
        if data is not None:
            colours = layer.sheet.theme.accents()
            self._keep(draw_chart(self.canvas, data, place.box, colours, self._points))

    def _diagram(self, layer: _Layer, place: Place, ids: Element | None) -> None:
        """The drawing that the program keeps beside a diagram: of the several on a slide, the one of this one."""
        drawings = self._package.related(layer.sheet.name, "diagramDrawing")
        relation = self._package.relations(layer.sheet.name).get("" if ids is None else ids.get("r:dm", ""))
        number = "" if relation is None else "".join(c for c in relation.target.rpartition("/")[2] if c.isdigit())
        chosen = [d for d in drawings if "".join(c for c in d.rpartition("/")[2] if c.isdigit()) == number]
        for name in (chosen or drawings)[:1]:
            tree = self._package.xml(name).find("spTree")
            if tree is not None:
                sheet = Sheet(name, tree, layer.sheet.theme)
                space = Space((self._scale, self._scale), (place.box.x0, place.box.y0))
                self._tree(tree, _Layer(sheet, layer.below, True), space)

    def _keep(self, native: Table | Chart | None) -> None:
        if native is None or native.box is None or native.box.area <= 0:
            return
        count = len(native.cells) if isinstance(native, Table) else sum(len(one.points) for one in native.series)
        self._values += count
        if self._values > MAX_VALUES:
            raise FileTooLarge(f"A slide holds more than {MAX_VALUES} values.", "Split the slide.")
        self._natives.append(native)


def _parents(node: Element, below: Sequence[Sheet]) -> Iterator[Element]:
    """The placeholders that a placeholder inherits from: in the layout by number, in the master by kind."""
    holder = node.find("*/nvPr/ph")
    if holder is None:
        return
    kind, number = holder.get("type", ""), holder.get("idx", "0")
    for sheet in below:
        tree = sheet.root.find("cSld/spTree")
        others = [] if tree is None else [(n, ph) for n in tree if (ph := n.find("*/nvPr/ph")) is not None]
        same = [n for n, ph in others if ph.get("idx", "0") == number and number != "0"]
        wanted = _MASTER_TYPES.get(kind, kind)
        alike = [n for n, ph in others if ph.get("type", "") == kind] + [
            n for n, ph in others if _MASTER_TYPES.get(ph.get("type", ""), ph.get("type", "")) == wanted
        ]
        found = (same if sheet is below[0] else []) or alike
        if found:
            kind = kind or next(ph.get("type", "") for n, ph in others if n is found[0])
            yield found[0]


def _is_hidden(node: Element) -> bool:
    properties = node.find("*/cNvPr")
    return properties is not None and properties.get("hidden") in ("1", "true")


def _names_fill(giver: Element) -> bool:
    return any(child.tag in ("noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill") for child in giver)


def _mirrored(corners: Sequence[tuple[float, float]], place: Place) -> list[tuple[float, float]]:
    (cx, cy) = place.box.center
    return [(2 * cx - x if place.mirrored else x, 2 * cy - y if place.upside_down else y) for x, y in corners]
