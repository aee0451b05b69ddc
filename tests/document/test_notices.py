from __future__ import annotations

import pytest

from mineru_core.document.notices import Notice, recognised


@pytest.mark.parametrize("notice", Notice)
def test_a_notice_is_known_again_with_what_it_tells_of(notice: Notice) -> None:
    fields = {"count": "3", "labels": "10; (x", "names": "one, two\nthree", "kind": "table"}
    found = recognised(notice.told(**fields))
    assert found is not None
    assert found[0] is notice
    assert found[1] == {name: text for name, text in fields.items() if "{" + name + "}" in notice}


@pytest.mark.parametrize("sentence", ["", "Something else.", "No values were found for"])
def test_another_sentence_is_none(sentence: str) -> None:
    assert recognised(sentence) is None


def test_a_place_that_is_not_filled_is_an_error() -> None:
    with pytest.raises(KeyError):
        Notice.NO_VALUES.told()
