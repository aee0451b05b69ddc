"""The answer, in the form its kind calls for."""

from __future__ import annotations

import streamlit as st

from mineru_core.document.task import FieldValue, Match, Quote, TaskKind
from mineru_core.export import fields_to_csv
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.model import Job
from mineru_core.ui.analyse.changes import show_changes
from mineru_core.ui.analyse.charts import show_charts
from mineru_core.ui.analyse.notes import is_empty, show_nothing
from mineru_core.ui.analyse.picture import go_to_page
from mineru_core.ui.analyse.places import placed
from mineru_core.ui.analyse.tables import show_tables
from mineru_core.ui.analyse.words import show_pages_text
from mineru_core.ui.i18n import Translator
from mineru_core.ui.services import stem
from mineru_core.ui.text import counted, html

MATCHES_SHOWN = 200


def show_answer(job: Job, found: DocumentResult, t: Translator) -> None:
    """The part of the result that was asked for."""
    answer = found.answer
    if is_empty(found):
        show_nothing(found, t)
        return
    match answer.kind:
        case TaskKind.TABLES:
            show_tables(answer.tables, "answer", job, found, t)
        case TaskKind.CHARTS:
            _show_charts(job, found, t)
        case TaskKind.FIELDS:
            _show_fields(job, found, t)
        case TaskKind.FIND:
            _show_matches(job, found, t)
        case TaskKind.SUMMARY | TaskKind.QUESTION:
            _show_quotes(found, t)
        case TaskKind.COMPARE:
            show_changes(found, t)
        case _:
            show_pages_text(found.analysis.pages, t)


def _show_charts(job: Job, found: DocumentResult, t: Translator) -> None:
    if found.answer.tables:
        show_tables(found.answer.tables, "answer", job, found, t)
    elif not found.answer.charts:  # the note above says why; the words on the page are the next best
        st.html(f'<p class="wb-quiet">{html(t("chart.text_instead"))}</p>')
        show_pages_text(found.analysis.pages, t)
    show_charts(job, found, t)


def _show_fields(job: Job, found: DocumentResult, t: Translator) -> None:
    fields = found.answer.fields
    several_pages = found.analysis.page_count > 1
    items = "".join(field_html(field, t, with_page=several_pages) for field in fields)
    st.html(f'<dl class="wb-fields">{items}</dl>')
    if fields:
        st.download_button(
            t("download.fields"),
            data=lambda: fields_to_csv(fields),
            file_name=f"{stem(job.source)}.fields.csv",
            mime="text/csv",
            key="fields-csv",
            icon=":material/download:",
            on_click="ignore",
        )


def field_html(field: FieldValue, t: Translator, *, with_page: bool) -> str:
    """One field as a card, every text escaped; with its page where ``with_page``."""
    name = html(field.name)
    if not field.found:
        return f'<div class="wb-missing"><dt>{name}</dt><dd>{html(t("fields.missing"))}</dd></div>'
    source = _source_html(field, t, with_page=with_page, with_confidence=True)
    value = placed(html(field.value), field.page, field.box, t)
    return f"<div><dt>{name}</dt><dd>{value}{source}</dd></div>"


def _source_html(found: FieldValue | Quote, t: Translator, *, with_page: bool, with_confidence: bool) -> str:
    facts = []
    if with_page and found.page is not None:
        facts.append(t("text.page", page=found.page))
    if with_confidence:
        facts.append(t("fields.confidence", percent=f"{found.confidence:.0%}"))
    return f"<small>{html(' · '.join(facts))}</small>" if facts else ""


def _show_matches(job: Job, found: DocumentResult, t: Translator) -> None:
    matches = found.answer.matches
    if not matches:
        st.html(f'<p class="wb-none">{html(t("find.none", query=found.task.query))}</p>')
        return
    st.html(f'<div class="wb-title">{html(counted(t, "find.count", len(matches)))}</div>')
    shown = matches[:MATCHES_SHOWN]
    for page in dict.fromkeys(one.page for one in shown):
        lines = "".join(
            f"<li>{placed(match_html(one), one.page, one.box, t)}</li>" for one in shown if one.page == page
        )
        with st.container(key=f"matches-{page}", horizontal=True, vertical_alignment="top", gap="small"):
            st.html(f'<ul class="wb-matches">{lines}</ul>')
            if found.analysis.page_count > 1:
                st.button(
                    t("text.page", page=page),
                    key=f"show-page-{page}",
                    help=t("find.show", page=page),
                    type="tertiary",
                    icon=":material/visibility:",
                    on_click=go_to_page,
                    args=(job.id, page),
                )
    if len(matches) > MATCHES_SHOWN:
        st.html(f'<p class="wb-quiet">{html(t("result.first_shown", count=MATCHES_SHOWN))}</p>')


def _show_quotes(found: DocumentResult, t: Translator) -> None:
    """The sentences that answer, each with its page."""
    quotes = found.answer.quotes
    if not quotes:  # what the text model wrote stands above
        return
    sums_up = found.answer.kind is TaskKind.SUMMARY
    if sums_up:
        st.html(f'<div class="wb-title">{html(t("summary.title"))}</div>')
    several_pages = found.analysis.page_count > 1
    items = "".join(
        f"<li>{quote_html(quote, t, with_page=several_pages, with_confidence=not sums_up)}</li>" for quote in quotes
    )
    st.html(f'<ul class="wb-matches">{items}</ul>')


def quote_html(quote: Quote, t: Translator, *, with_page: bool, with_confidence: bool) -> str:
    """One quote, every text escaped; with its page and how sure it is that it answers where wanted. Of a sentence that
    sums up, the latter would say nothing: it is a sentence of the document in any case."""
    source = _source_html(quote, t, with_page=with_page, with_confidence=with_confidence)
    return placed(html(quote.text), quote.page, quote.box, t) + source


def match_html(match: Match) -> str:
    """The line with its hit marked, every text escaped."""
    before, hit, after = match.text[: match.start], match.text[match.start : match.end], match.text[match.end :]
    return f"{html(before)}<mark>{html(hit)}</mark>{html(after)}"
