"""What went wrong with the files handed in."""

from __future__ import annotations

import re

import pytest

from mineru_core.errors import UnsupportedType
from mineru_core.intake import sniffing
from mineru_core.ui.analyse.problems import fact_of, list_of
from mineru_core.ui.i18n import Translator
from mineru_core.ui.services import Problem

EN, ZH = Translator("en"), Translator("zh")


def refused(name: str, data: bytes) -> Problem:
    with pytest.raises(UnsupportedType) as raised:
        sniffing.sniff(data)
    return Problem.of(name, raised.value)


def test_a_refusal_says_what_the_file_is() -> None:
    assert fact_of(refused("a.png", b"only words"), EN) == "This is a text file."
    assert fact_of(refused("a.png", b"only words"), ZH) == "这是文本文件。"
    assert fact_of(refused("a.rar", b"Rar!\x1a"), EN) == "This is an RAR archive."
    assert fact_of(refused("a.bin", b"\x00\x01\xfe"), EN) == ""


def test_every_kind_that_is_known_has_a_name_in_both_languages() -> None:
    names = {kind.name for kind in sniffing._OTHER_KINDS} | {name for _, name, _ in sniffing._ZIP_KINDS}
    names |= {"ZIP archive", "sound or video file", "video or sound file", "text file"}
    names |= {"SVG drawing", "web page (HTML)"}
    for t in (EN, ZH):
        assert {name for name in names if not t.has(f"kind.{name}")} == set()


def test_several_files_are_one_list_by_what_is_wrong_with_them() -> None:
    problems = [
        refused("one_*.png", b"only words"),
        Problem("cut.pdf", "corrupt-pdf", "", ""),
        refused("two.zip", b"PK\x03\x04 nothing"),
    ]
    told = list_of(problems, EN)
    assert told.count(EN("error.unsupported-type.title")) == 1
    assert re.findall(r"^- .*$", told, re.MULTILINE) == [
        r"- one\_\*\.png: This is a text file\.",
        r"- two\.zip: This is a ZIP archive\.",
        r"- cut\.pdf",
    ]
    assert "<" not in list_of([Problem("<b>.png", "corrupt-pdf", "", "")], EN).replace("\\<", "")
