from __future__ import annotations

import pytest

from mineru_core.intake.office.canvas import Colour
from mineru_core.intake.office.package import parse_xml
from mineru_core.intake.office.theme import Theme

SCHEME = b"""<a:theme xmlns:a="urn:a"><a:themeElements><a:clrScheme>
<a:dk1><a:sysClr val="windowText" lastClr="101010"/></a:dk1><a:lt1><a:srgbClr val="FAFAFA"/></a:lt1>
<a:accent1><a:srgbClr val="4080C0"/></a:accent1></a:clrScheme></a:themeElements></a:theme>"""
THEME = Theme(parse_xml(SCHEME), {"bg1": "dk1", "tx1": "lt1"})


@pytest.mark.parametrize(
    ("xml", "colour"),
    [
        ('<srgbClr val="FF8000"/>', (255, 128, 0, 255)),
        ('<schemeClr val="accent1"/>', (64, 128, 192, 255)),
        ('<schemeClr val="bg1"/>', (16, 16, 16, 255)),
        ('<schemeClr val="tx1"/>', (250, 250, 250, 255)),
        ('<srgbClr val="4080C0"><shade val="50000"/></srgbClr>', (32, 64, 96, 255)),
        ('<srgbClr val="000000"><lumOff val="50000"/></srgbClr>', (128, 128, 128, 255)),
        ('<srgbClr val="FFFFFF"><lumMod val="50000"/></srgbClr>', (128, 128, 128, 255)),
        ('<srgbClr val="000000"><alpha val="40000"/></srgbClr>', (0, 0, 0, 102)),
        ('<prstClr val="dkBlue"/>', (0, 0, 139, 255)),
        ('<scrgbClr r="100000" g="0" b="50000"/>', (255, 0, 128, 255)),
        ('<srgbClr val="nonsense"/>', None),
        ('<schemeClr val="unknown"/>', None),
        ("<other/>", None),
    ],
)
def test_colours(xml: str, colour: Colour | None) -> None:
    assert THEME.colour(parse_xml(f"<solidFill>{xml}</solidFill>".encode())) == colour


def test_a_slide_may_map_the_names_anew() -> None:
    node = parse_xml(b'<solidFill><schemeClr val="bg1"/></solidFill>')
    assert THEME.mapped({"bg1": "lt1"}).colour(node) == (250, 250, 250, 255)


def test_fills() -> None:
    stops = '<gs pos="0"><srgbClr val="000000"/></gs><gs pos="1"><srgbClr val="0000FF"/></gs>'
    gradient = parse_xml(f"<spPr><gradFill><gsLst>{stops}</gsLst></gradFill></spPr>".encode())
    assert THEME.fill(gradient) == (0, 0, 255, 255)
    assert THEME.fill(parse_xml(b"<spPr><noFill/></spPr>")) is None
    assert THEME.fill(None) is None
