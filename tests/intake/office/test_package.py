from __future__ import annotations

import io
import random
import zipfile

import pytest

from mineru_core.errors import CorruptOffice, EncryptedOffice, FileTooLarge, InputError, LimitError, UnsupportedType
from mineru_core.intake import open_document
from mineru_core.intake.office import package as package_module
from mineru_core.intake.office.package import OfficePackage, parse_xml
from mineru_core.intake.sniffing import DOCX, PPTX, XLSX, sniff
from mineru_core.settings import LimitSettings, Settings
from tests.intake.office.decks import add_slide, new_deck, replaced, saved, with_parts


@pytest.fixture(scope="module")
def deck() -> bytes:
    made = new_deck()
    add_slide(made, 5).shapes.title.text = "Title"
    return saved(made)


def test_a_deck_is_told_by_its_content(deck: bytes) -> None:
    assert sniff(deck) == PPTX
    with open_document(deck, name="picture.png") as document:
        assert (document.media_type, document.page_count) == (PPTX, 1)
        assert document.decoding is not None
    with open_document(deck) as document:
        assert document.name == "document.pptx"


def test_a_file_embedded_in_a_deck_does_not_hide_it(deck: bytes) -> None:
    book = b"PK\x03\x04[Content_Types].xml xl/workbook.xml"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as new, zipfile.ZipFile(io.BytesIO(deck)) as old:
        new.writestr("ppt/embeddings/book.xlsx", book)
        for name in old.namelist():
            new.writestr(name, old.read(name))
    assert sniff(out.getvalue()) == PPTX


def test_a_zip_with_a_folder_of_that_name_is_no_deck() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("ppt/presentation.png", b"x")
    with pytest.raises(UnsupportedType, match="ZIP"):
        sniff(out.getvalue())


@pytest.mark.parametrize(("name", "media_type"), [("word/document.xml", DOCX), ("xl/workbook.xml", XLSX)])
def test_the_other_sorts_are_told_apart(name: str, media_type: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("[Content_Types].xml", b"<Types/>")
        file.writestr(name, b"<x/>")
    assert sniff(out.getvalue()) == media_type


def test_an_encrypted_file_names_the_fix() -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(600)
    with pytest.raises(EncryptedOffice) as refused:
        open_document(data)
    assert refused.value.code == "encrypted-office"
    assert "without" in refused.value.hint


def test_a_file_that_ends_early_is_damaged(deck: bytes) -> None:
    for share in (0.3, 0.7, 0.99):
        with pytest.raises(CorruptOffice):
            open_document(deck[: int(len(deck) * share)])


@pytest.mark.parametrize("part", ["_rels/.rels", "ppt/presentation.xml"])
def test_a_file_without_its_main_part_is_damaged(deck: bytes, part: str) -> None:
    with pytest.raises((CorruptOffice, UnsupportedType)):
        open_document(with_parts(deck, lambda name, content: None if name == part else content))


def test_many_pages_are_refused() -> None:
    made = new_deck()
    for _ in range(3):
        add_slide(made)
    with pytest.raises(LimitError):
        open_document(saved(made), settings=Settings(limits=LimitSettings(max_pages=2)))


def test_a_bomb_of_zeros_is_refused_by_what_it_declares(deck: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_module, "MAX_UNPACKED", 3_000_000)
    bomb = with_parts(deck, lambda _name, content: content, {"ppt/media/zeros.bin": bytes(4_000_000)})
    assert len(bomb) < 100_000
    with pytest.raises(FileTooLarge):
        open_document(bomb)


def test_a_member_that_holds_more_than_it_declares_is_damaged(deck: bytes) -> None:
    zeros = bytes(10_000_000)
    bomb = bytearray(with_parts(deck, lambda _name, content: content, {"ppt/media/zeros.bin": zeros}))
    declared = len(zeros).to_bytes(4, "little")
    assert bomb.count(declared) >= 2
    lie = bytes(bomb).replace(declared, (1000).to_bytes(4, "little"))
    package = OfficePackage(lie)
    with pytest.raises(CorruptOffice):
        package.blob("/ppt/media/zeros.bin")


def test_too_many_members_are_refused(deck: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_module, "MAX_MEMBERS", 10)
    with pytest.raises(FileTooLarge):
        open_document(deck)


def test_a_huge_directory_is_refused_before_it_is_parsed(deck: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_module, "MAX_DIRECTORY", 100)

    def unwanted(*_: object) -> None:
        raise AssertionError("the directory was parsed")

    monkeypatch.setattr(zipfile, "ZipFile", unwanted)
    with pytest.raises(FileTooLarge):
        OfficePackage(deck)


def test_a_large_part_is_refused(deck: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_module, "MAX_XML", 100)
    with pytest.raises(FileTooLarge):
        open_document(deck)


def test_entities_are_refused_in_any_encoding(deck: bytes) -> None:
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><x>&b;</x>'
    for encoding in ("utf-8", "utf-16"):
        with pytest.raises(CorruptOffice, match="document type"):
            parse_xml(f'<?xml version="1.0" encoding="{encoding}"?>{laughs}'.encode(encoding))
    with pytest.raises(CorruptOffice):
        open_document(
            replaced(deck, "ppt/presentation.xml", b"<p:presentation ", laughs[:-16].encode() + b"<p:presentation ")
        )


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(CorruptOffice, match="deeply"):
        parse_xml(b"<a>" * 300 + b"</a>" * 300)


def test_many_elements_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_module, "MAX_ELEMENTS", 100)
    with pytest.raises(FileTooLarge):
        parse_xml(b"<a>" + b"<b/>" * 200 + b"</a>")


def test_names_lose_their_prefixes_but_for_relations() -> None:
    space = 'xmlns:p="urn:p" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    root = parse_xml(f'<p:sld {space}><p:sp id="1" r:id="rId2"/></p:sld>'.encode())
    assert root.tag == "sld"
    assert dict(root[0].attrib) == {"id": "1", "r:id": "rId2"}


def test_of_several_versions_the_plain_one_is_taken() -> None:
    xml = "<x><AlternateContent><Choice><new/></Choice><Fallback><old/></Fallback></AlternateContent><last/></x>"
    assert [node.tag for node in parse_xml(xml.encode())] == ["old", "last"]
    only = "<x><AlternateContent><Choice><new/></Choice><Fallback/></AlternateContent></x>"
    assert [node.tag for node in parse_xml(only.encode())] == ["new"]


def test_pointers_lead_out_of_no_folder(deck: bytes) -> None:
    data = replaced(deck, "_rels/.rels", b"ppt/presentation.xml", b"../../../ppt/presentation.xml")
    assert OfficePackage(data).main == "/ppt/presentation.xml"


@pytest.mark.parametrize("seed", range(12))
def test_a_spoilt_file_opens_or_says_why(deck: bytes, seed: int) -> None:
    rng = random.Random(seed)

    def spoil(name: str, content: bytes) -> bytes:
        if rng.random() < 0.15:
            place = rng.randrange(max(1, len(content)))
            return content[:place] + bytes([rng.randrange(256)]) + content[place + rng.randrange(40) :]
        return content

    refusals = {"corrupt-office", "unsupported-type", "no-pages", "file-too-large"}
    limits = LimitSettings(max_page_pixels=40_000)
    code = ""
    try:
        with open_document(with_parts(deck, spoil), settings=Settings(limits=limits)) as document:
            assert document.page(1).width > 0
    except (InputError, LimitError) as error:
        code = error.code
    assert code in {"", *refusals}
