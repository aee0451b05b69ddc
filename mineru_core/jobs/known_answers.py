"""Answers that are known already, given without a job."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from mineru_core.document.task import Region
from mineru_core.errors import WorkbenchError
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.service import MAX_WORDS, JobService


def known_answer(
    service: JobService,
    data: bytes,
    *,
    name: str,
    words: str,
    owner: str,
    regions: Sequence[Region] = (),
    engine: str | None = None,
) -> DocumentResult | None:
    """The result that a job with this document would have, where it is kept and the owner has corrected nothing of the
    document; None for everything else, which is to be submitted: that also says what is wrong with it.

    For callers who wait: a job is three changes of the database, a result on disk and two threads that wake each other,
    which takes longer than looking the answer up.
    """
    if len(words) > MAX_WORDS:
        return None
    try:
        found = service.analyzers.named(engine).known(data, words, name=name, regions=regions)
        if found is None or service.corrections.has_any(owner, hashlib.sha256(data).hexdigest()):
            return None
    except WorkbenchError:
        return None
    return found
