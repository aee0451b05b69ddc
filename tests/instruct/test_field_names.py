from __future__ import annotations

import pytest

from mineru_core.instruct.field_names import common_fields, known_kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("invoice number", "invoice number"),
        ("Invoice No.", "invoice number"),
        ("发票号码", "invoice number"),
        ("发票的号码", "invoice number"),
        ("發票號碼", "invoice number"),
        ("number of the invoice", "invoice number"),
        ("name of the company", "seller"),
        ("invioce number", "invoice number"),
        ("total", "total"),
        ("subtotal", "subtotal"),
        ("合计", "total"),
        ("小计", "subtotal"),
        ("税额", "tax"),
        ("税率", "tax rate"),
        ("warranty period", None),
        ("", None),
    ],
)
def test_names_lead_to_known_kinds(name: str, kind: str | None) -> None:
    found = known_kind(name)
    assert (found.name if found else None) == kind


@pytest.mark.parametrize("language", ["zh", "en"])
def test_common_fields_are_known_ones(language: str) -> None:
    assert all(known_kind(name) for name in common_fields(language))
