"""Finding by a regular expression that a person wrote, within a bounded time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import perf_counter

import regex

from mineru_core.document.analysis import Line, PageAnalysis
from mineru_core.document.task import Match, Note
from mineru_core.instruct.find import block_lines
from mineru_core.instruct.places import span_box

MOST_SECONDS = 2.0
"""All lines together may take so long; some patterns would take years on a short line."""

MOST_MATCHES = 10_000
_LONGEST = 1_000
_CALLS_ITSELF = regex.compile(r"\(\?(?:R|[+-]?\d+|&|P>)")  # such patterns fill the memory before any time is over


def find_pattern(
    pages: Iterable[PageAnalysis], pattern: str, *, seconds: float = MOST_SECONDS
) -> tuple[tuple[Match, ...], list[Note]]:
    """Every place where the pattern matches within a line, in reading order, in the same case or else in any.

    Notes: ``bad-pattern`` for what is no regular expression, ``pattern-too-slow`` where the time was over before the
    end, ``near-hits-only`` where only the case was another. Empty hits are left out.
    """
    if len(pattern) > _LONGEST:
        return (), [_bad("it is too long")]
    if _CALLS_ITSELF.search(pattern):
        return (), [_bad("it calls itself")]
    lines = [(page.page, line) for page in pages for block in page.blocks for line in block_lines(block)]
    end = perf_counter() + seconds
    for flags in (0, regex.IGNORECASE):
        try:
            compiled = regex.compile(pattern, flags)
        except (regex.error, ValueError, OverflowError, RecursionError, MemoryError) as error:
            return (), [_bad(str(error))]
        matches: list[Match] = []
        try:
            for match in _matches(lines, compiled, end):
                matches.append(match)  # noqa: PERF402  what was found is kept where the time is over
        except (TimeoutError, MemoryError):
            text = (
                f"The pattern takes too long; it was stopped after {seconds:g} s, and what was found by then is given."
            )
            return tuple(matches), [Note(code="pattern-too-slow", message=text)]
        if matches:
            near = "The pattern matches only in another case (capital or small letters)."
            return tuple(matches), [Note(code="near-hits-only", message=near)] if flags else []
    return (), [Note(code="not-found", message="The pattern matches nothing.")]


def _bad(reason: str) -> Note:
    return Note(code="bad-pattern", message=f"This is no regular expression: {reason}.")


def _matches(lines: Iterable[tuple[int, Line]], compiled: regex.Pattern[str], end: float) -> Iterator[Match]:
    count = 0
    for page, line in lines:
        left = end - perf_counter()
        if left <= 0:
            raise TimeoutError
        for hit in compiled.finditer(line.text, timeout=left, concurrent=True):
            if hit.end() <= hit.start():
                continue
            count += 1
            if count > MOST_MATCHES:
                return
            yield Match(
                text=line.text,
                start=hit.start(),
                end=hit.end(),
                page=page,
                box=span_box(line, hit.start(), hit.end()),
                confidence=line.confidence,
            )
