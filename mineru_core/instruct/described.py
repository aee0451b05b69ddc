"""The way back from a line of ``describe`` to the task it describes, so that it can be asked again as it stands."""

from __future__ import annotations

import re
from typing import Any

from mineru_core.document.task import RowFilter, Task, TaskKind
from mineru_core.instruct.describe import describe
from mineru_core.instruct.description_words import WORDS
from mineru_core.instruct.numbers import MOST

_LONGEST = 4000
_QUOTED = re.compile("“([^“”]*)”")
_MARK = "\x00"
_PLACES = "\x00(?:(?:, | or |、|或)\x00)*"


def read_description(words: str) -> Task | None:
    """The task of a line that ``describe`` wrote in either language; None for any other words."""
    line = words.strip()
    for spoken in WORDS.values():
        line = line.removesuffix(spoken.area)
    if len(line) > _LONGEST or _MARK in line:
        return None
    for language in ("en", "zh"):
        task = _Line(line, language).task(words)
        if task is not None and describe(task, language) == line:
            return task
    return None


class _Line:
    """A line with its quoted phrases set aside, read from the left."""

    def __init__(self, line: str, language: str) -> None:
        self.quotes = _QUOTED.findall(line)
        self.rest = _QUOTED.sub(_MARK, line)
        self.zh = language == "zh"
        self.words = WORDS[language]
        self.comma = "，" if self.zh else ", "
        self.found: dict[str, Any] = {"language": language}

    def task(self, words: str) -> Task | None:
        """The whole line as a task; None where something is left over."""
        if not self._kind():
            return None
        self._merged()
        self._named("columns", self.words.columns)
        self._named("left_out", self.words.left_out)
        self._rows()
        self._named("series", self.words.series)
        self._named("points", self.words.points)
        self._pages()
        return None if self.rest else Task(words=words, **self.found)

    def _take(self, pattern: str) -> re.Match[str] | None:
        match = re.match(pattern, self.rest)
        if match is not None:
            self.rest = self.rest[match.end() :]
        return match

    def _said(self, match: re.Match[str]) -> tuple[str, ...]:
        """The phrases that stand in a match, used up."""
        count = match.group().count(_MARK)
        said, self.quotes = self.quotes[:count], self.quotes[count:]
        return tuple(said)

    def _kind(self) -> bool:
        for mode, head in self.words.find.items():
            if match := self._take(re.escape(head) + _MARK):
                self.found |= {"kind": TaskKind.FIND, "find_mode": mode, "query": self._said(match)[0]}
                return True
        if match := self._take(re.escape(self.words.question) + _MARK):
            self.found |= {"kind": TaskKind.QUESTION, "query": self._said(match)[0]}
            return True
        if self._take(re.escape(self.words.compare) + r"(?=$|: |：)"):
            self.found["kind"] = TaskKind.COMPARE
            if match := self._take("(?:: |：)(?P<pages>.+)$"):
                pages = [self._numbers(one, "page") for one in match["pages"].split(" → ")]
                self.found["pages"] = tuple(n for one in pages for n in one or ())
            return True
        for kind, name in self.words.kinds.items():
            if self._take(re.escape(name) + f"(?=$|{self.comma})"):
                self.found["kind"] = kind
                return True
        return self._fields() or self._tables()

    def _fields(self) -> bool:
        if not self._take("字段：" if self.zh else "Fields?: "):
            return False
        names: list[str] = []
        between = "、" if self.zh else ", "
        while match := self._take(f"{between if names else ''}(?P<name>\x00|[^,，、\x00]+)"):
            told = self.rest.startswith(_MARK) or self._numbers(match["name"], "page")  # "values for …", "page 3"
            if match["name"] != _MARK and told:
                self.rest = match.group() + self.rest
                break
            names.append(self._said(match)[0] if match["name"] == _MARK else match["name"])
        self.found |= {"kind": TaskKind.FIELDS, "fields": tuple(names)}
        return bool(names)

    def _tables(self) -> bool:
        for end in range(len(self.rest), 0, -1):
            if end != len(self.rest) and not self.rest.startswith(self.comma, end):
                continue
            numbers = self._numbers(self.rest[:end], "table")
            if numbers:
                self.found |= {"kind": TaskKind.TABLES, "table_indexes": tuple(n - 1 if n > 0 else n for n in numbers)}
                self.rest = self.rest[end:]
                return True
        return False

    def _numbers(self, text: str, noun: str) -> tuple[int, ...] | None:
        """ "pages 1, 3-5 and last page", "第 1、3-5 页和最后一页" as numbers; None for other words."""
        found: list[int] = []
        for part in text.split("和" if self.zh else " and "):
            numbers = self._part_han(part, noun) if self.zh else self._part(part[:1].lower() + part[1:], noun)
            if numbers is None:
                return None
            found.extend(numbers)
        return tuple(found)

    def _part(self, text: str, noun: str) -> list[int] | None:
        if text == f"last {noun}":
            return [-1]
        if match := re.fullmatch(rf"last (\d{{1,5}}) {noun}s", text):
            return list(range(-min(int(match[1]), MOST), 0))
        if match := re.fullmatch(rf"{noun} (\d{{1,5}}) from the end", text):
            return [-int(match[1])]
        match = re.fullmatch(rf"{noun}s? ([\d, -]+)", text)
        return _expanded(match[1], ", ") if match else None

    def _part_han(self, text: str, noun: str) -> list[int] | None:
        unit = "页" if noun == "page" else "个表格"
        if text == f"最后一{unit}":
            return [-1]
        if match := re.fullmatch(rf"最后 (\d{{1,5}}) {unit}", text):
            return list(range(-min(int(match[1]), MOST), 0))
        if match := re.fullmatch(rf"倒数第 (\d{{1,5}}) {unit}", text):
            return [-int(match[1])]
        match = re.fullmatch(rf"第 ([\d、-]+) {unit}", text)
        return _expanded(match[1], "、") if match else None

    def _merged(self) -> None:
        if self._take(re.escape(self.comma + self.words.merged)):
            self.found |= {"kind": TaskKind.TABLES, "merged": True}

    def _named(self, field: str, head: str) -> None:
        if match := self._take(re.escape(self.comma + head) + _PLACES):
            self.found[field] = self._said(match)

    def _rows(self) -> None:
        rows: list[RowFilter] = []
        while (row := self._row()) is not None:
            rows.append(row)
        if rows:
            self.found["rows"] = tuple(rows)

    def _row(self) -> RowFilter | None:
        for test, (plain, by_column) in self.words.rows.items():
            for form, has_column in ((plain, False), (by_column, True)):
                pattern = re.escape(self.comma + form).replace("COLUMN", _MARK).replace("VALUES", _PLACES)
                if match := self._take(pattern):
                    said = self._said(match)
                    values = said[1:] if has_column else said
                    return RowFilter(test=test, column=said[0] if has_column else "", values=values)
        return None

    def _pages(self) -> None:
        if self.rest.startswith(self.comma):
            pages = self._numbers(self.rest[len(self.comma) :], "page")
            if pages:
                self.found["pages"], self.rest = pages, ""


def _expanded(text: str, comma: str) -> list[int] | None:
    found: list[int] = []
    for part in text.split(comma):
        match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", part)
        if match is None:
            return None
        first, last = int(match[1]), int(match[2] or match[1])
        if last - first > 5 * MOST:
            return None
        found.extend(range(first, last + 1))
    return found if all(found) else None
