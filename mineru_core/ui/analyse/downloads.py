"""The menu of downloads of a whole result; each file is made when it is clicked."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from mineru_core.export import result_to_xlsx, to_content_list, to_html, to_json, to_markdown
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.model import Job
from mineru_core.ui import services
from mineru_core.ui.analyse.tables import XLSX
from mineru_core.ui.i18n import Translator


def download_menu(job: Job, found: DocumentResult, t: Translator) -> None:
    """Every form of the result."""
    makers: list[tuple[str, str, str, Callable[[], str | bytes]]] = [
        ("md", "md", "text/markdown", lambda: to_markdown(found)),
        ("html", "html", "text/html", lambda: to_html(found)),
        ("json", "json", "application/json", lambda: to_json(found)),
        ("content_list", "content_list.json", "application/json", lambda: to_content_list(found)),
        ("pdf", "searchable.pdf", "application/pdf", lambda: services.searchable_pdf(job, found)),
        ("zip", "zip", "application/zip", lambda: services.zip_of(job, found)),
    ]
    answer = found.answer
    if found.tables or found.charts or answer.fields or answer.changes or answer.quotes:
        makers.insert(0, ("all_xlsx", "xlsx", XLSX, lambda: result_to_xlsx(found)))
    with st.popover(t("result.downloads"), icon=":material/download:", type="primary"), st.container(gap=None):
        for name, extension, mime, make in makers:
            st.download_button(
                t(f"download.{name}"),
                data=make,
                file_name=f"{services.stem(job.source)}.{extension}",
                mime=mime,
                key=f"download-{name}",
                on_click="ignore",
                width="stretch",
                type="tertiary",
            )
