"""Names out of running words: what surrounds them is trimmed off, lists are split."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mineru_core.instruct.reader import QUOTE, Reader


def trim(text: str, start: int, end: int, head: re.Pattern[str], tail: re.Pattern[str]) -> tuple[int, int]:
    """Take what ``head`` and ``tail`` match off the ends of ``text[start:end]`` until nothing more comes off.

    Every branch of ``head`` begins with ^, so that it need not be tried further on.
    """
    while start < end:
        piece = text[start:end]
        bare = piece.strip()  # first, since the patterns are slow on long runs of blanks
        start += len(piece) - len(piece.lstrip())
        end, piece = start + len(bare), bare
        front = head.match(piece)
        if front is not None and front.end() > 0:
            start += front.end()
            continue
        back = tail.search(piece)
        if back is None or back.end() == back.start():
            break
        end = start + back.start()
    return start, end


def pieces(text: str, start: int, end: int, splitter: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The spans of ``text[start:end]`` between the matches of ``splitter``."""
    for found in splitter.finditer(text, start, end):
        yield start, found.start()
        start = found.end()
    yield start, end


_OUT = re.compile(
    r"\b(?:drop|remove|exclude|excluding|without|except(?:\s+for)?|(?:all|everything|anything)\s+but|delete|omit|hide|leave\s+out|leaving\s+out|skip|ignore|discard|minus|"
    r"filter\s+out|do\s+not\s+(?:show|include|want|need)|don'?t\s+(?:show|include|want|need)|get\s+rid\s+of)\b|"
    r"去掉|删除|删掉|去除|除了|除去|除|排除|不要|剔除|忽略|隐藏|不显示|移除|不需要|不想要|过滤掉"
)


def is_ruled_out(before: str) -> bool:
    """Whether what follows the words ``before`` is not wanted: "without …"; "drop everything except …" wants it."""
    return len(_OUT.findall(before)) % 2 == 1


def listed(
    reader: Reader, start: int, end: int, splitter: re.Pattern[str], head: re.Pattern[str], tail: re.Pattern[str]
) -> tuple[str, ...]:
    """The names in ``reader.text[start:end]``, each once and in order, as the user wrote them."""
    found: list[str] = []
    for piece in pieces(reader.text, start, end, splitter):
        quoted = QUOTE in reader.text[slice(*piece)]
        first, last = piece if quoted else trim(reader.text, *piece, head, tail)
        if first < last and (name := reader.name(first, last)):
            found.append(name)
    return tuple(dict.fromkeys(found))
