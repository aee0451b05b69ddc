"""Reads exported HTML back with the standard library's parser."""

from __future__ import annotations

from html.parser import HTMLParser


class TableReader(HTMLParser):
    """Rows of (tag, rowspan, colspan, text, attributes) of every table; ``tags`` are all the tags that were met."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[list[tuple[str, int, int, str, dict[str, str | None]]]]] = []
        self.tags: list[str] = []
        self.text = ""
        self._in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self._in_cell = True
            rowspan, colspan = int(found.get("rowspan") or 1), int(found.get("colspan") or 1)
            self.tables[-1][-1].append((tag, rowspan, colspan, "", found))
        elif tag == "br" and self._in_cell:
            self.handle_data("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            tag, rowspan, colspan, text, attrs = self.tables[-1][-1][-1]
            self.tables[-1][-1][-1] = (tag, rowspan, colspan, text + data, attrs)
        else:
            self.text += data


def read_html(html: str) -> TableReader:
    reader = TableReader()
    reader.feed(html)
    reader.close()
    return reader


def grid_of(rows: list[list[tuple[str, int, int, str, dict[str, str | None]]]]) -> list[list[str]]:
    """The grid a browser lays out: a spanning text in every place it covers."""
    places: dict[tuple[int, int], str] = {}
    for r, row in enumerate(rows):
        c = 0
        for _, rowspan, colspan, text, _ in row:
            while (r, c) in places:
                c += 1
            for dr in range(rowspan):
                for dc in range(colspan):
                    assert (r + dr, c + dc) not in places, "cells overlap"
                    places[r + dr, c + dc] = text
            c += colspan
    width = max((c for _, c in places), default=-1) + 1
    return [[places[r, c] for c in range(width)] for r in range(len(rows))]
