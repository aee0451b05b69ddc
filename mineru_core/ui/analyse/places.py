"""What is shown in the answer, tied to its place in the page view without a run of the app."""

from __future__ import annotations

from mineru_core.document.geometry import Box
from mineru_core.jobs.correction_log import TableId
from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import html


def placed(markup: str, page: int | None, box: Box | None, t: Translator) -> str:
    """Safe markup that shows its place in the page view when it is clicked, by keyboard too, and is lit when its place
    is clicked there; as it is where no place is known. ``box`` is in page pixels."""
    if page is None or box is None:
        return markup
    corners = ",".join(f"{value:.1f}" for value in box)
    # No button: the text in one cannot be selected, and people copy what they find.
    return (
        f'<span class="wb-place" role="button" tabindex="0" title="{html(t("view.show"))}"'
        f' data-wb-page="{page}" data-wb-box="{corners}">{markup}</span>'
    )


def table_place(table: TableId | None) -> str:
    """The attribute that ties the cells of an HTML table in the element to their places; "" where none is known."""
    return "" if table is None else f' data-wb-table="{table.page}:{table.index}"'
