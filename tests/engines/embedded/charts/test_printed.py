from __future__ import annotations

import pytest

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.charts.printed import Mark, values_of
from mineru_core.engines.embedded.charts.scene import Label

BAR = Box(10, 50, 30, 100)


def _value(measured: float, text: str, span: float = 100.0):
    label = Label(text, Box(12, 36, 28, 48))
    (value,) = values_of([Mark(BAR, (20.0, 50.0), measured)], [label], span, 12.0, 0.97)
    return value


@pytest.mark.parametrize(("measured", "text"), [(49.8, "50"), (50.9, "50"), (0.6, "1"), (3.0, "3.1")])
def test_a_printed_value_near_the_measured_one_is_sure(measured: float, text: str) -> None:
    value = _value(measured, text)
    assert value.printed
    assert value.value == float(text)
    assert value.confidence == 1.0


def test_a_printed_value_that_just_agrees_is_no_longer_sure() -> None:
    """Beside a range of millions any small number agrees with a short bar."""
    value = _value(3.0e6, "3", 140e6)
    assert value.printed
    assert value.confidence < 0.9


def test_a_printed_value_that_disagrees_is_told_and_not_taken() -> None:
    value = _value(50.0, "80")
    assert not value.printed
    assert value.differs
    assert value.value == 50.0
    assert value.confidence < 0.9
