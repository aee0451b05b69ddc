"""What recognised text goes through before it is put into markup."""

from __future__ import annotations

import re

# Control codes and lone surrogates mean nothing in a document and are not allowed in HTML or XML.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LETTER = re.compile(r"[^\W\d_]")


def printable(text: str) -> str:
    """The text without control codes, its line ends as ``\\n``."""
    return _UNPRINTABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """The printable text in one line: any white space is one blank."""
    return " ".join(printable(text).split())


def language_of(text: str) -> str:
    """ "zh" where at least a fifth of the letters are Chinese characters, else "en". One Chinese character says about
    as much as three Latin letters, so a mixed page is Chinese long before half of its letters are."""
    letters = len(_LETTER.findall(text))
    return "zh" if letters and len(_CJK.findall(text)) >= letters / 5 else "en"
