from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.export.guard import guard, unguard
from tests.export.strategies import texts


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        '=HYPERLINK("http://x","y")',
        "+cmd|' /C calc'!A0",
        "-cmd|' /C calc'!A0",
        "- cmd|' /C calc'!A0",
        "-2+3+cmd|' /C calc'!A0",
        "@SUM(1+1)*cmd|' /C calc'!A0",
        "+SUM(A1:A9)",
        "-A1",
        "-1 A1 (5)",
        "-2+3",
        "+0SUM(1)",
        "+0 SUM (1)",
        "+A1+B2",
        "\t=1+1",
        "\r=1+1",
        "\n=1+1",
        " =1+1",
        "\u00a0=1+1",
        "\ufeff=1+1",
        "\u200b=1+1",
        "\tplain",
        "\rplain",
        "＝1+1",
        "＋SUM(A1)",
        "－cmd",
        "＠x",
        "@mention",
        "=",
        "@",
        "-abc",
        "--1+A1",
        "- =1+1",
        "- -A1",
        '- HYPERLINK("http://x")',
        "- first\n=cmd|' /C calc'!A0",
        "-5 SUM(A1)",
        "-1!A1",
        "+49 cmd|x",
    ],
)
def test_what_could_run_is_guarded(text: str) -> None:
    assert guard(text) == "'" + text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Total",
        "12",
        "-12",
        "+12",
        "-1,234.50",
        "+3.5%",
        "-12.3 %",
        "- 5",
        "-.5",
        "-$1,200",
        "-¥1,200.00",
        "-￥5",
        "+1.5E-3",
        "-1.5e10",
        "-5.2 kg",
        "+20 °C",
        "-10°C",
        "-3.5 km/h",
        "-120万元",
        "－12.5",
        "-0.25***",
        "-1.2 ± 0.3",
        "-1.5 (0.31)",
        "+2.1% (-0.4%)",
        "+86 10 1234 5678",
        "+1 (555) 123-4567",
        "+49-30-123456",
        "+8613800138000",
        "-",
        "--",
        "---",
        "—",
        "－",
        "+",
        "+/-",
        "-/-",
        "-.-",
        "- item of a list",
        "- 第一项，说明",
        "-  two spaces",
        "a=b",
        "1-2",
        "a@b.example",
        "'quoted'",
    ],
)
def test_numbers_phones_dashes_and_list_items_stay(text: str) -> None:
    assert guard(text) == text


@given(texts)
def test_unguard_gives_the_exact_text_back(text: str) -> None:
    assert unguard(guard(text)) == text


@given(st.text("'=+-@a1 ", max_size=6))
def test_texts_with_apostrophes_of_their_own_come_back_too(text: str) -> None:
    assert unguard(guard(text)) == text


@given(start=st.sampled_from("=@＝＠"), text=texts)
def test_equals_and_at_never_stand_first(start: str, text: str) -> None:
    assert guard(start + text).startswith("'")


@given(
    start=st.sampled_from("=+-@＝＋－＠"),
    middle=texts,
    risk=st.sampled_from(["SUM(1)", "cmd|x", "a!A1", "[b]c", "a1()"]),
)
def test_nothing_with_a_call_a_program_or_a_sheet_passes(start: str, middle: str, risk: str) -> None:
    assert guard(start + middle + risk).startswith("'")
