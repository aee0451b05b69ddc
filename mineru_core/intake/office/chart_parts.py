"""Charts with the sheet embedded beside them, which is read only where a chart keeps no copy of its values."""

from __future__ import annotations

from functools import cache

from mineru_core.errors import InputError, LimitError
from mineru_core.intake.office.charts import ChartData, ReadRange, read_chart
from mineru_core.intake.office.newer_charts import read_newer_chart
from mineru_core.intake.office.package import OfficePackage
from mineru_core.intake.office.workbook import Workbook, range_reader

_MOST_BYTES = 50_000_000


def chart_of(package: OfficePackage, name: str) -> ChartData | None:
    """The data of a chart part of either sort; None for one without any. Raises what ``read_chart`` does."""
    root = package.xml(name)
    if root.find("chartData") is not None:
        return read_newer_chart(root)
    return read_chart(root, embedded_ranges(package, name))


def embedded_ranges(package: OfficePackage, chart: str) -> ReadRange:
    """Reads ranges of the workbook that the chart part points to; it is opened at the first of them. Where there is
    none, or it cannot be read, every range is unknown."""

    @cache
    def ranges() -> ReadRange | None:
        for name in package.related(chart, "package"):
            try:
                return range_reader(Workbook(OfficePackage(package.blob(name, _MOST_BYTES))))
            except (InputError, LimitError):
                return None
        return None

    def read(formula: str) -> list[list[str]] | None:
        embedded = ranges()
        try:
            return None if embedded is None else embedded(formula)
        except (InputError, LimitError):
            return None

    return read
