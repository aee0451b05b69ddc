from __future__ import annotations

from mineru_core.intake import open_document
from mineru_core.ui.i18n import CATALOGUES
from mineru_core.ui.sample import WISHES, sample


def test_the_sample_is_one_readable_page_of_modest_size() -> None:
    found = sample()
    assert len(found.data) <= 150_000
    with open_document(found.data, name=found.name) as document:
        assert document.page_count == 1
        assert document.page(1).width > 1000


def test_the_sample_has_a_wish_in_every_language() -> None:
    assert WISHES.keys() == CATALOGUES.keys()
