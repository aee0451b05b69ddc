"""The container of an Office file (Open Packaging Conventions): a ZIP of XML parts that name each other.

Everything here is bounded before it is unpacked, since a few kilobytes of ZIP or XML can claim to be terabytes.
``zipfile`` never hands out more bytes of a member than its header declares, so what is declared bounds what is read.
"""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from dataclasses import dataclass
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

from mineru_core.errors import CorruptOffice, FileTooLarge

MAX_MEMBERS = 20_000
MAX_DIRECTORY = 8_000_000
"""Bytes of the ZIP's list of members."""
MAX_UNPACKED = 1_000_000_000
"""Bytes of all members together; a deck of 100 MB, the largest that is taken, holds pictures that do not shrink."""
MAX_XML = 60_000_000
"""Bytes of one XML part: a tree takes some ten times as much memory."""
MAX_XML_A_PAGE = 100_000_000
"""Bytes of XML that are read for one page: a slide of ten thousand charts would take an hour."""
MAX_ELEMENTS = 1_000_000
MAX_DEPTH = 200

_RELATIONS = "/relationships"
_ZIP_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    OSError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    KeyError,
)
"""What zipfile raises on damaged containers and on ways of packing that it does not know."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A pointer from one part to another: ``kind`` is the last word of its type (slide, image, chart …)."""

    kind: str
    target: str


class OfficePackage:
    """An open Office file. Parts are read when asked for; not safe for several threads at once.

    Raises ``CorruptOffice`` for a broken ZIP or one without the main part, ``FileTooLarge`` for one that would unpack
    to more than is read.
    """

    def __init__(self, data: bytes) -> None:
        _check_directory(data)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            members = self._zip.infolist()
        except _ZIP_DAMAGE as error:
            raise CorruptOffice("The Office file ends early or its container is damaged.") from error
        if len(members) > MAX_MEMBERS:
            raise FileTooLarge(f"The Office file holds {len(members)} parts; at most {MAX_MEMBERS} are read.")
        unpacked = sum(member.file_size for member in members)
        if unpacked > MAX_UNPACKED:
            raise FileTooLarge(f"The Office file unpacks to {unpacked} bytes; at most {MAX_UNPACKED} are read.")
        # Part names differ from each other in more than case, and writers do not always keep to one.
        self._members = {"/" + member.filename.lstrip("/").lower(): member for member in members}
        self._relations: dict[str, dict[str, Relation]] = {}
        self._left = MAX_XML_A_PAGE
        main = self.related("/", "officeDocument")
        if not main:
            raise CorruptOffice("The Office file lacks the part that says what it is.")
        self.main = main[0]

    def begin_page(self) -> None:
        """Count anew how much is read for one page."""
        self._left = MAX_XML_A_PAGE

    def has(self, name: str) -> bool:
        """Whether there is a part of that name."""
        return name.lower() in self._members

    def blob(self, name: str, limit: int = MAX_UNPACKED) -> bytes:
        """The bytes of a part. Raises ``CorruptOffice`` where it is missing or damaged, ``FileTooLarge`` for one of
        more than ``limit`` bytes."""
        member = self._members.get(name.lower())
        if member is None:
            raise CorruptOffice(f"The Office file lacks its part {posixpath.basename(name)!r}.")
        if member.file_size > limit:
            raise FileTooLarge(f"A part of the Office file has {member.file_size} bytes; at most {limit} are read.")
        try:
            return self._zip.read(member)
        except _ZIP_DAMAGE as error:
            raise CorruptOffice("A part of the Office file is damaged or locked.") from error

    def xml(self, name: str) -> Element:
        """The part as a tree; see ``parse_xml``. Raises what ``blob`` does."""
        data = self.blob(name, MAX_XML)
        self._left -= len(data)
        if self._left < 0:
            raise FileTooLarge(f"A page of the Office file needs more than {MAX_XML_A_PAGE} bytes of XML.")
        return parse_xml(data)

    def relations(self, name: str) -> dict[str, Relation]:
        """What the part points to, by relation id; pointers out of the file are left out."""
        known = self._relations.get(name)
        if known is not None:
            return known
        folder, base = posixpath.split(name)
        place = posixpath.join(folder, "_rels", base + ".rels")
        found: dict[str, Relation] = {}
        if self.has(place):
            for node in self.xml(place).iter("Relationship"):
                if node.get("TargetMode") == "External":
                    continue
                target = posixpath.normpath(posixpath.join(folder, unquote(node.get("Target", ""))))
                kind = node.get("Type", "").rpartition("/")[2]
                found[node.get("Id", "")] = Relation(kind, "/" + target.lstrip("/"))
        self._relations[name] = found
        return found

    def related(self, name: str, kind: str) -> list[str]:
        """Names of the parts of that kind that the part points to and that are there."""
        return [r.target for r in self.relations(name).values() if r.kind == kind and self.has(r.target)]

    def close(self) -> None:
        """Let go of the bytes; calling it again does nothing."""
        self._zip.close()


def _check_directory(data: bytes) -> None:
    """Raise ``FileTooLarge`` for a directory of millions of members before it is parsed; that takes a minute."""
    end = data.rfind(b"PK\x05\x06")
    sizes = [int.from_bytes(data[end + 12 : end + 16], "little")] if end >= 0 else []
    # The record for large archives, where its locator says there is one, stands right before the locator.
    if end >= 76 and data[end - 20 : end - 16] == b"PK\x06\x07":
        sizes = [int.from_bytes(data[end - 36 : end - 28], "little")]
    if sizes and MAX_DIRECTORY < sizes[0] <= len(data):
        raise FileTooLarge(f"The directory of the Office file has {sizes[0]} bytes; at most {MAX_DIRECTORY} are read.")


def parse_xml(data: bytes) -> Element:
    """A tree whose names are local ones ("sp" for "p:sp"), except attributes of the relations namespace ("r:id").

    The strict and the usual form of Office files differ in their namespaces alone, so both become the same tree. Where
    a part offers one content in several versions, the plain one is taken. Raises ``CorruptOffice`` for XML that is not
    well formed or declares a document type, which Office files never do and XML bombs need, and for one nested too
    deeply; ``FileTooLarge`` for more elements than are read.
    """
    builder = _Builder()
    parser = XMLParser(target=builder)
    try:
        parser.feed(data)
        root = parser.close()
    except (ParseError, LookupError, ValueError) as error:
        raise CorruptOffice("A part of the Office file is no well-formed XML.") from error
    assert isinstance(root, Element)
    return root


class _Builder:
    """Builds the tree within the limits."""

    def __init__(self) -> None:
        self._tree = TreeBuilder()
        self._depth = self._count = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._count += 1
        if self._depth > MAX_DEPTH:
            raise CorruptOffice("A part of the Office file is nested too deeply.")
        if self._count > MAX_ELEMENTS:
            raise FileTooLarge(f"A part of the Office file has more than {MAX_ELEMENTS} elements.")
        self._tree.start(tag.rpartition("}")[2], {_name(key): value for key, value in attributes.items()})

    def end(self, tag: str) -> None:
        self._depth -= 1
        element = self._tree.end(tag.rpartition("}")[2])
        for place in reversed(range(len(element))):
            if element[place].tag == "AlternateContent":
                element[place : place + 1] = _plain_choice(element[place])

    def data(self, text: str) -> None:
        self._tree.data(text)

    def doctype(self, _name: str, _public: str | None, _system: str | None) -> None:
        raise CorruptOffice("A part of the Office file declares a document type, which no Office program writes.")

    def close(self) -> Element:
        return self._tree.close()


def _name(attribute: str) -> str:
    space, _, local = attribute.rpartition("}")
    return f"r:{local}" if space.endswith(_RELATIONS) else local


def _plain_choice(node: Element) -> list[Element]:
    """What stands in place of content in several versions: the one for programs that know no extension, if any."""
    choices = [child for child in node if child.tag == "Choice"]
    # Newer sorts of charts stand for older programs as a picture or an excuse; here their data is wanted.
    charts = [child for child in choices if any(n.tag == "chart" and n.get("r:id") for n in child.iter())]
    versions = charts + [child for child in node if child.tag == "Fallback" and len(child)] + choices
    return list(versions[0]) if versions else []
