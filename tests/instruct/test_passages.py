from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.analysis import BlockType
from mineru_core.document.geometry import Box
from mineru_core.instruct.passages import passages, sentence_spans
from tests.instruct.pages import block, line, page, table_block


def split(text: str) -> list[str]:
    return [text[a:b] for a, b in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One is here. Two follows! Is it three?", ["One is here.", "Two follows!", "Is it three?"]),
        ("Mr. Smith paid 3.50 to Acme Inc. on Monday.", ["Mr. Smith paid 3.50 to Acme Inc. on Monday."]),
        ("See No. 5 and Fig. 2, e.g. here. Then go.", ["See No. 5 and Fig. 2, e.g. here.", "Then go."]),
        ("甲方付款。乙方交货！“可以吗？”完", ["甲方付款。", "乙方交货！", "“可以吗？”", "完"]),
        ("no end", ["no end"]),
        ("...", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


@given(st.text(st.sampled_from("ab. 。!?甲1"), max_size=40))
def test_no_letter_is_lost_or_told_twice(text: str) -> None:
    assert "".join(c for s in split(text) for c in s if c.isalnum()) == "".join(c for c in text if c.isalnum())


def test_a_sentence_runs_over_lines_and_has_its_own_box() -> None:
    sheet = page(
        block(line("The first sentence ends. The second", 0, 0), line("one goes on to here, and ends.", 0, 30))
    )
    first, second = passages([sheet])
    assert (first.text, first.box) == ("The first sentence ends.", Box(0, 0, 240, 20))
    assert (second.text, second.box) == ("The second one goes on to here, and ends.", Box(0, 0, 350, 50))
    assert (first.first, second.first) == (True, False)


def test_labels_below_each_other_are_no_sentence() -> None:
    sheet = page(block(line("Name: Ann", 0, 0), line("City: Rome", 0, 30)))
    assert [p.text for p in passages([sheet])] == ["Name: Ann", "City: Rome"]


def test_tables_and_furniture_are_left_out() -> None:
    head = block(line("Running head", 0, 0), kind=BlockType.HEADER)
    sheet = page(head, table_block([["a", "b"]]), block(line("Text.", 0, 90)))
    assert [p.text for p in passages([sheet])] == ["Text."]
    assert [p.text for p in passages([sheet], furniture=True)] == ["Running head", "Text."]
