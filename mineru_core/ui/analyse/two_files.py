"""Two files that were handed in together and asked what changed: the answer is between them, beside either."""

from __future__ import annotations

import streamlit as st

from mineru_core.document.task import Change, TaskKind
from mineru_core.errors import WorkbenchError
from mineru_core.export import changes_to_csv
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.model import Job
from mineru_core.ui import services, session
from mineru_core.ui.i18n import Translator


def across_files(job: Job, found: DocumentResult, owner: str) -> DocumentResult:
    """What changed between the two files of the upload, for the one shown; ``found``, its own result, where there are
    not two, or one is not read yet, or they were asked something else."""
    batch = session.batch()
    if found.task.kind is not TaskKind.COMPARE or job.id not in batch:
        return found
    try:
        between = services.service().comparisons.between(batch, owner)
    except WorkbenchError:  # the other one is gone: this one's own answer stands
        return found
    return found if between is None else beside(between, earlier=job.id == batch[0])


def beside(between: DocumentResult, *, earlier: bool) -> DocumentResult:
    """The comparison as it is shown beside one of its documents: only places on that one can be pointed to."""

    def own(change: Change) -> Change:
        return change.model_copy(update={"after_box" if earlier else "before_box": None})

    changes = tuple(map(own, between.answer.changes))
    return between.model_copy(update={"answer": between.answer.model_copy(update={"changes": changes})})


def changes_download(job: Job, found: DocumentResult, t: Translator) -> None:
    """All changes of the answer as a file; nothing where there is none."""
    changes = found.answer.changes
    if changes:
        st.download_button(
            t("download.changes"),
            data=lambda: changes_to_csv(changes),
            file_name=f"{services.stem(job.source)}.changes.csv",
            mime="text/csv",
            key="changes-csv",
            icon=":material/download:",
            on_click="ignore",
        )
