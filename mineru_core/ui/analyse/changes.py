"""What changed between pages, grouped by what became of each line or cell."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mineru_core.document.differences import Piece, compare_texts
from mineru_core.document.task import Change, ChangeKind
from mineru_core.export.result import DocumentResult
from mineru_core.instruct.passages import passages
from mineru_core.ui.analyse.places import placed
from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import counted, html

SHOWN = 200
"""Changes of one kind that are shown."""

LEAST_SHARED = 0.15
"""Share of the lines under which two pages are told to have almost no text in common."""

FEWEST_LINES = 4
"""Lines that each side must have for a share to say anything."""

SHORT = 40
"""Letters up to which what stood there and what stands there now are written in one line."""

_ORDER = (ChangeKind.CHANGED, ChangeKind.ADDED, ChangeKind.REMOVED)


def show_changes(found: DocumentResult, t: Translator) -> None:
    """Three groups, each with its count; folded where the pages have so little in common that they say little."""
    changes = found.answer.changes
    unlike = shared_lines(found) < LEAST_SHARED
    if unlike:
        st.info(f"**{t('change.unlike')}**  \n{t('change.unlike_hint')}", icon=":material/difference:")
    for kind in _ORDER:
        own = [change for change in changes if change.kind is kind]
        if not own:
            continue
        title = counted(t, f"change.{kind.value}", len(own))
        if unlike:
            with st.expander(title):
                st.html(group_html(kind, own, t))
        else:
            st.html(f'<div class="wb-title">{html(title)}</div>{group_html(kind, own, t)}')


def group_html(kind: ChangeKind, changes: Sequence[Change], t: Translator) -> str:
    """The first ``SHOWN`` changes of one kind as a list, every text escaped."""
    items = "".join(f"<li>{change_html(change, t)}</li>" for change in changes[:SHOWN])
    rest = f'<p class="wb-quiet">{html(t("result.first_shown", count=SHOWN))}</p>' if len(changes) > SHOWN else ""
    return f'<ul class="wb-matches wb-changes wb-{kind.value}">{items}</ul>{rest}'


def change_html(change: Change, t: Translator) -> str:
    """One change: what stood there, what stands there now, with the words that differ marked, and where; every text
    escaped."""
    before, after = (_flat(text) for text in (change.before, change.after))

    def earlier(markup: str) -> str:
        return placed(markup, change.before_page, change.before_box, t)

    def later(markup: str) -> str:
        return placed(markup, change.after_page, change.after_box, t)

    if before and after:
        was, now = _marked(before, after)
        between = " → " if len(before) <= SHORT and len(after) <= SHORT else "<br>"
        body = f"<del>{earlier(was)}</del>{between}<ins>{later(now)}</ins>"
    else:
        body = f"<ins>{later(html(after))}</ins>" if after else f"<del>{earlier(html(before))}</del>"
    facts = [t("text.page", page=page) for page in (change.before_page, change.after_page) if page is not None]
    if change.row is not None and change.col is not None:
        facts.append(t("change.cell", row=change.row + 1, col=change.col + 1))
    elif change.row is not None:
        facts.append(t("change.row", row=change.row + 1))
    return f"{body}<small>{html(' · '.join(dict.fromkeys(facts)))}</small>"


def shared_lines(found: DocumentResult) -> float:
    """Share of the lines of one side that stand on the other side as well, of the side that has more of them, 0..1; one
    that reads otherwise counts half. 1 where that cannot be said: too few lines, or pages that are not there."""
    changes = [change for change in found.answer.changes if change.row is None]
    sides = (
        [change.before_page for change in changes if change.before_page is not None],
        [change.after_page for change in changes if change.after_page is not None],
    )
    shares = []
    documents = found.before if found.before is not None else found.analysis, found.analysis
    for numbers, document in zip(sides, documents, strict=True):
        pages = [page for page in document.pages if page.page in set(numbers)]
        lines = len(passages(pages))
        if lines < FEWEST_LINES or lines < len(numbers):
            return 1.0
        otherwise = sum(change.kind is ChangeKind.CHANGED for change in changes)
        shares.append((lines - len(numbers) + 0.5 * otherwise) / lines)
    return max(shares)


def _flat(text: str) -> str:
    """The text in one line; the cells of a row parted by bars."""
    return " | ".join(" ".join(cell.split()) for cell in text.split("\t")).strip(" |")


def _marked(before: str, after: str) -> tuple[str, str]:
    """Both texts as HTML, the words marked that the other has not."""
    rows = compare_texts([before], [after])
    first = "".join(_piece_html(piece) for row in rows for piece in row.first)
    second = "".join(_piece_html(piece) for row in rows for piece in row.second)
    return first, second


def _piece_html(piece: Piece) -> str:
    if piece.same:
        return html(piece.text)
    words = piece.text.lstrip()
    return f"{html(piece.text[: len(piece.text) - len(words)])}<mark>{html(words)}</mark>"
