"""Charts of an answer as they are shown."""

from __future__ import annotations

from mineru_core.ui.analyse.charts import rows_of
from tests.export.strategies import sales_chart


def test_the_categories_are_headed_by_the_name_of_their_axis_or_by_nothing() -> None:
    chart = sales_chart()
    assert rows_of(chart) == chart.rows()
    nameless = chart.model_copy(update={"x_axis": chart.x_axis.model_copy(update={"label": ""})})
    assert rows_of(nameless)[0] == ["", "2023", "2024"]
    assert rows_of(nameless)[1:] == chart.rows()[1:]
