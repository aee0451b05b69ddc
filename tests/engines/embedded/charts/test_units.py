"""Units that titles tell."""

from __future__ import annotations

import pytest

from mineru_core.engines.embedded.charts.units import unit_in, whole_unit


@pytest.mark.parametrize(
    ("title", "unit"),
    [
        ("Deaths (in thousands)", "thousands"),
        ("Number of users in millions", "millions"),
        ("Revenue in million U.S. dollars", "million U.S. dollars"),
        ("Share of respondents in percent", "percent"),
        ("Height (cm)", "cm"),
        ("Emissions [Mt CO2]", "Mt CO2"),
        ("金额（万元）", "万元"),
        ("各省人口（单位：万人）", "万人"),
        ("单位: 亿元", "亿元"),
        ("Exports in hundred thousand tons", "hundred thousand tons"),
        ("Change (in %)", "%"),
        ("Sales (2015)", ""),
        ("Sales (2015, in millions)", "millions"),
        ("Revenue (left axis)", ""),
        ("Population in Germany", ""),
        ("Life in thousands of villages", "thousands of villages"),
        ("Horsepower", ""),
        ("", ""),
    ],
)
def test_a_title_tells_the_unit(title: str, unit: str) -> None:
    assert unit_in(title) == unit


def test_of_a_chart_s_title_only_multiples_count() -> None:
    assert not unit_in("Visitors (Berlin)", multiples_only=True)
    assert unit_in("Visitors (Berlin) in thousands", multiples_only=True) == "thousands"
    assert unit_in("游客（万人次）", multiples_only=True) == "万人次"


@pytest.mark.parametrize(
    ("printed", "told", "unit"),
    [
        ("$", "billions", "$ billions"),
        ("%", "percent", "%"),
        ("", "cm", "cm"),
        ("MW", "thousands", "MW"),
        ("$", "left", "$"),
        ("$", "", "$"),
    ],
)
def test_what_stands_beside_the_numbers_and_what_a_title_tells(printed: str, told: str, unit: str) -> None:
    assert whole_unit(printed, told) == unit
