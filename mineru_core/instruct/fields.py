"""Values of the fields that were asked for. A value is always text that was read, never made up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mineru_core.document.analysis import PageAnalysis
from mineru_core.document.task import FieldValue
from mineru_core.instruct.candidates import Candidate, labelled
from mineru_core.instruct.field_names import ValueType, common_fields
from mineru_core.instruct.labels import Wanted, wanted_field
from mineru_core.instruct.sheet import Sheet
from mineru_core.instruct.unlabelled import unlabelled
from mineru_core.instruct.values import amount_value


def read_fields(pages: Sequence[PageAnalysis], names: Sequence[str], language: str) -> tuple[FieldValue, ...]:
    """One value a name, in the order asked; one that was not found has no page.

    Without names, the common fields of ``language`` ("zh" or "en") that are found.
    """
    sheets = [Sheet(page) for page in pages]
    values = tuple(_read(sheets, name) for name in names or common_fields(language))
    return values if names else tuple(value for value in values if value.found)


def _read(sheets: Sequence[Sheet], name: str) -> FieldValue:
    wanted = wanted_field(name)
    found = [c for sheet in sheets for c in labelled(sheet, wanted, fuzzy=False)]
    found = found or [c for sheet in sheets for c in labelled(sheet, wanted, fuzzy=True)]
    found.extend(unlabelled(sheets, wanted.kind))
    if not found:
        return FieldValue(name=name)
    best = max(_weighed(found, wanted), key=lambda c: c.score)
    confidence = min(max(best.score, 0.0), 1.0)
    return FieldValue(
        name=name, label=best.label, value=best.value, page=best.page, box=best.box, confidence=round(confidence, 4)
    )


def _weighed(found: Sequence[Candidate], wanted: Wanted) -> list[Candidate]:
    """Of sums, the largest, last and boldest is more likely the total; of the others the first is as good as any."""
    if wanted.kind is None or wanted.kind.type is not ValueType.AMOUNT or wanted.kind.name != "total":
        return list(found)
    values = [amount_value(c.value) or 0.0 for c in found]
    most = max(values) or 1.0
    tallest = max(c.height for c in found) or 1.0
    last = max(len(found) - 1, 1)
    return [
        replace(c, score=c.score * (0.8 + 0.17 * value / most + 0.02 * c.height / tallest + 0.01 * place / last))
        for place, (c, value) in enumerate(zip(found, values, strict=True))
    ]
