"""What LibreOffice makes of our files: every cell as it was written."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import pytest
from openpyxl import load_workbook

from mineru_core.document.table import Cell, Table
from mineru_core.export import table_to_csv, tables_to_xlsx
from mineru_core.export.numbers import parse_number

pytestmark = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")

# Separator, quote, UTF-8, from the first line; then the format of each column: 2 is text. Cells keep their blanks.
_COLUMNS = 6
_AS_TEXT = "44,34,76,1," + "/".join(f"{n}/2" for n in range(1, _COLUMNS + 1)) + ",,false,false"

ROWS = [
    ["Region", "2023", "2024", "Note", "编号", "日期"],
    ["North 北", "1,234.50", "-12.5%", "=1+1", "007", "2024-01-31"],
    ["", "(1,000)", "¥3.20", 'a "quoted" word, and more', "110101199003071234", "1/2"],
    ["two\nlines", "1E5", "+86 10 1234 5678", "@SUM(A1)", "TRUE", "#N/A"],
    ["trailing ", "'apostrophe", "12.30", "–", "０１２", "𠮷 😀"],
]


def converted(data: bytes, name: str, folder: Path, *options: str) -> bytes:
    (folder / name).write_bytes(data)
    out = folder / "out"
    profile = f"-env:UserInstallation=file://{folder}/profile"
    target = ["--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir", str(out), str(folder / name)]
    done = subprocess.run(
        ["soffice", "--headless", profile, *options, *target],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    path = out / f"{Path(name).stem}.xlsx"
    assert path.exists(), done.stdout + done.stderr
    return path.read_bytes()


def test_a_workbook_is_read_cell_for_cell(tmp_path: Path) -> None:
    spans = (
        Cell(row=0, col=0, rowspan=2, text="Item", header=True),
        Cell(row=0, col=1, colspan=2, text="合计 Total", header=True),
        *(Cell(row=1, col=c, text=t, header=True) for c, t in ((1, "2023"), (2, "2024"))),
        *(Cell(row=2, col=c, text=t) for c, t in enumerate(('=HYPERLINK("x")', "1,234.50", "007"))),
    )
    tables = [Table.from_rows(ROWS), Table(n_rows=3, n_cols=3, cells=spans)]
    ours = load_workbook(io.BytesIO(tables_to_xlsx(tables)))
    theirs = load_workbook(io.BytesIO(converted(tables_to_xlsx(tables), "book.xlsx", tmp_path)))
    assert theirs.sheetnames == ours.sheetnames
    for mine, other in zip(ours.worksheets, theirs.worksheets, strict=True):
        assert {m.coord for m in other.merged_cells.ranges} == {m.coord for m in mine.merged_cells.ranges}
        for row in mine.iter_rows():
            for cell in row:
                read = other[cell.coordinate]
                assert (read.value, read.data_type) == (cell.value, cell.data_type), cell.coordinate
    number = theirs.worksheets[0]["B2"]
    assert number.value == parse_number("1,234.50").value  # type: ignore[union-attr]
    assert number.number_format == "#,##0.00"


@pytest.mark.parametrize("guard", [True, False])
def test_csv_with_every_column_as_text_is_read_cell_for_cell(tmp_path: Path, guard: bool) -> None:
    data = table_to_csv(Table.from_rows(ROWS), guard=guard)
    read = converted(data, "table.csv", tmp_path, f"--infilter=Text - txt - csv (StarCalc):{_AS_TEXT}")
    sheet = load_workbook(io.BytesIO(read)).worksheets[0]
    found = [[str(cell.value or "") for cell in row[:_COLUMNS]] for row in sheet.iter_rows(max_col=_COLUMNS)]
    guarded = {"=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)"} if guard else {}
    assert found == [[guarded.get(text, text) for text in row] for row in ROWS]
    assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)
