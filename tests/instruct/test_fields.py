from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.analysis import PageAnalysis
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.task import FieldValue
from mineru_core.instruct.fields import read_fields
from tests.instruct.pages import block, line, lines_page, page, table_block


def ask(sheet: PageAnalysis, name: str) -> FieldValue:
    (value,) = read_fields([sheet], [name], "en")
    return value


RECEIPT = lines_page(
    ("GREEN LEAF TRADING SDN BHD", 300, 20),
    ("12, JALAN MAWAR 3,", 320, 50),
    ("56000 KUALA LUMPUR", 320, 72),
    ("Tel: 03-9130 1234   Fax: 03-9130 9999", 280, 100),
    ("Invoice No : GL-20318", 40, 150),
    ("Date: 04/12/2023 15:14", 600, 150),
    ("Due Date: 04/01/2024", 600, 180),
    ("Tape 48mm", 40, 220),
    ("2", 500, 220),
    ("7.00", 800, 220),
    ("Subtotal", 40, 300),
    ("7.00", 800, 300),
    ("GST 6%", 40, 330),
    ("0.42", 800, 330),
    ("Total (incl. GST)", 40, 360),
    ("RM 7.42", 800, 362),
    ("CASH", 40, 390),
    ("10.00", 800, 390),
    ("CHANGE", 40, 420),
    ("2.58", 800, 420),
)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("invoice number", "GL-20318"),
        ("date", "04/12/2023"),
        ("due date", "04/01/2024"),
        ("total", "RM 7.42"),
        ("grand total", "RM 7.42"),
        ("subtotal", "7.00"),
        ("tax", "0.42"),
        ("change", "2.58"),
        ("cash", "10.00"),
        ("phone", "03-9130 1234"),
        ("fax", "03-9130 9999"),
        ("company", "GREEN LEAF TRADING SDN BHD"),
        ("address", "12, JALAN MAWAR 3, 56000 KUALA LUMPUR"),
        ("发票号码", "GL-20318"),
        ("总金额", "RM 7.42"),
    ],
)
def test_fields_of_a_receipt(name: str, value: str) -> None:
    found = ask(RECEIPT, name)
    assert found.value == value
    assert found.page == 1
    assert 0 < found.confidence <= 1


INVOICE_ZH = lines_page(
    ("电子发票（普通发票）", 400, 20),
    ("发票号码：24112000000012345678", 600, 60),
    ("开票日期：2024年03月15日", 600, 90),
    ("购买方名称：上海晨光科技有限公司", 40, 140),
    ("销售方名称：北京蓝天贸易有限公司", 540, 140),
    ("统一社会信用代码：91310000MA1K35X12Y", 40, 170),
    ("合 计", 60, 400),
    ("¥1000.00", 700, 400),
    ("¥60.00", 880, 400),
    ("价税合计（大写）", 60, 440),
    ("壹仟零陆拾圆整", 300, 440),
    ("（小写）¥1060.00", 700, 440),
    ("备注：含运费 开票人：李雷", 60, 500),
)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("发票号码", "24112000000012345678"),
        ("开票日期", "2024年03月15日"),
        ("日期", "2024年03月15日"),
        ("购买方", "上海晨光科技有限公司"),
        ("销售方", "北京蓝天贸易有限公司"),
        ("价税合计", "¥1060.00"),
        ("金额", "¥1060.00"),
        ("total", "¥1060.00"),
        ("税号", "91310000MA1K35X12Y"),
        ("备注", "含运费"),
        ("开票人", "李雷"),
        ("seller", "北京蓝天贸易有限公司"),
    ],
)
def test_fields_of_a_chinese_invoice(name: str, value: str) -> None:
    assert ask(INVOICE_ZH, name).value == value


def test_the_value_may_stand_under_its_label() -> None:
    sheet = lines_page(("Order No.", 40, 40), ("Date", 400, 40), ("PO-7781", 40, 66), ("12 Jan 2024", 400, 66))
    assert ask(sheet, "order number").value == "PO-7781"
    assert ask(sheet, "date").value == "12 Jan 2024"


def test_the_value_may_stand_in_the_next_cell() -> None:
    sheet = page(table_block([["Name", "Li Lei"], ["Phone", "13812345678"], ["Email", "li.lei@example.org"]]))
    assert ask(sheet, "name").value == "Li Lei"
    phone = ask(sheet, "phone")
    assert (phone.value, phone.label, phone.box) == ("13812345678", "Phone", Box(200, 540, 400, 580))
    assert ask(sheet, "email").value == "li.lei@example.org"


def test_the_value_may_stand_under_a_header_cell() -> None:
    sheet = page(table_block([["Invoice No", "Date", "Amount"], ["A-17", "2024-05-06", "12.50"]]))
    assert ask(sheet, "invoice number").value == "A-17"
    assert ask(sheet, "date").value == "2024-05-06"


def test_a_total_row_gives_its_last_sum() -> None:
    sheet = page(
        table_block([["Item", "Qty", "Sum"], ["Pen", "2", "3.00"], ["Total", "2", "3.00"], ["Tax", "", "0.20"]])
    )
    assert ask(sheet, "total").value == "3.00"


def test_a_subtotal_is_no_total() -> None:
    sheet = lines_page(("Subtotal: 900.00", 40, 40), ("Total: 90.00", 40, 70))
    assert ask(sheet, "total").value == "90.00"


def test_the_grand_total_is_the_total() -> None:
    sheet = lines_page(("Total: 80.00", 40, 40), ("Grand Total: 88.00", 40, 70), ("Total items: 3", 40, 100))
    assert ask(sheet, "total").value == "88.00"


def test_a_slip_in_the_printed_label_is_forgiven() -> None:
    found = ask(lines_page(("lnvoice Nurnber: 2231", 40, 40), ("Invoise number: 5512", 40, 70)), "invoice number")
    assert found.value == "5512"
    assert found.confidence < ask(lines_page(("Invoice number: 5512", 40, 70)), "invoice number").confidence


def test_a_label_nobody_knows_is_found_by_its_words() -> None:
    found = ask(lines_page(("Warranty Period: 24 months", 40, 40)), "warranty period")
    assert (found.value, found.label) == ("24 months", "Warranty Period")


def test_the_box_is_around_the_value_alone() -> None:
    found = ask(lines_page(("Date: 04/12/2023 15:14", 40, 40)), "date")
    assert found.box == Box(100, 40, 200, 60)


def test_a_field_that_is_not_there_has_no_page() -> None:
    found = ask(RECEIPT, "passport number")
    assert (found.found, found.value, found.page, found.box, found.confidence) == (False, "", None, None, 0.0)


def test_the_word_in_running_text_is_no_label() -> None:
    sheet = lines_page(("please keep the address in mind when you travel", 40, 40))
    assert not ask(sheet, "address").found


def test_no_names_give_the_common_fields_that_are_found() -> None:
    names = [value.name for value in read_fields([INVOICE_ZH], [], "zh")]
    assert names[:3] == ["发票号码", "开票日期", "销售方"]
    assert all(value.found for value in read_fields([RECEIPT], [], "en"))


def test_uncertain_reading_lowers_confidence() -> None:
    sure = ask(page(block(line("Total: 5.00", 40, 40))), "total")
    unsure = ask(page(block(line("Total: 5.00", 40, 40, confidence=0.4))), "total")
    assert unsure.confidence < sure.confidence


def test_a_page_turned_by_a_quarter_is_read_as_it_stands_upright() -> None:
    upright = [("Total", 40.0, 300.0), ("12.50", 500.0, 300.0), ("Date", 40.0, 340.0), ("2024-01-02", 500.0, 340.0)]
    lines = []
    for text, x, y in upright:  # the page as given: turned anticlockwise, so that a clockwise turn sets it upright
        plain = line(text, x, y, words=False)
        b = plain.box
        turned = Box(b.y0, 1400 - b.x1, b.y1, 1400 - b.x0)
        quad = Quad((b.y0, 1400 - b.x0), (b.y0, 1400 - b.x1), (b.y1, 1400 - b.x1), (b.y1, 1400 - b.x0))
        lines.append(plain.model_copy(update={"box": turned, "quad": quad}))
    sheet = page(*(block(each) for each in lines), rotation=90)
    assert ask(sheet, "total").value == "12.50"
    assert ask(sheet, "date").value == "2024-01-02"


PIECES = [
    "Total", "Date", "Invoice No", "Address", "Phone:", "合计", "日期：", "12.50", "RM 7", "2024-01-02", "A-17", ":",
    "Li Lei",
    "a@b.cc", "03-9130 1234", "公司", "12 Main Street,", "（小写）", "(", "²", "İ",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map(" ".join)
PLACED = st.lists(st.tuples(TEXTS, st.integers(0, 900), st.integers(0, 1300)), max_size=12)
NAMES = st.sampled_from(
    ["total", "date", "address", "company", "phone", "email", "发票号码", "currency", "anything", "备注"]
)


@given(PLACED, NAMES)
def test_a_value_is_never_made_up(placed: list[tuple[str, int, int]], name: str) -> None:
    sheet = lines_page(*placed)
    found = ask(sheet, name)
    assert found.found == bool(found.value)
    read = sorted(text for text, _, _ in placed)
    if name == "address":  # lines that follow each other are put together
        rest = found.value
        for text in sorted(read, key=len, reverse=True):
            rest = rest.replace(text.strip(), "")
        assert any(found.value in text for text in read) or len(rest) < len(found.value) or not found.found
    else:
        assert not found.found or any(found.value in text for text in read)
    assert found.label == "" or any(found.label in text for text in read)


def test_a_firm_is_named_whole_and_without_its_registration_number() -> None:
    parted = lines_page(("TAX INVOICE", 400, 90), ("FY", 300, 20), ("EAGLE ENTERPRISE", 340, 22), ("x", 40, 300))
    assert ask(parted, "company").value == "FY EAGLE ENTERPRISE"
    numbered = lines_page(("ALPHA BAKERY SDN BHD (169609-A)", 300, 20), ("TAX INVOICE", 400, 90))
    assert ask(numbered, "company").value == "ALPHA BAKERY SDN BHD"
    plain = lines_page(("ALPHA (M) SDN BHD", 300, 20), ("TAX INVOICE", 400, 90))
    assert ask(plain, "company").value == "ALPHA (M) SDN BHD"


def test_the_sum_after_rounding_is_the_total() -> None:
    sheet = lines_page(
        ("Total Sales (Incl. GST)", 40, 20), ("RM28.03", 600, 20), ("Rounding", 40, 50), ("RM0.02", 600, 50),
        ("Net Total", 40, 80), ("RM28.05", 600, 80), ("Cash", 40, 110), ("RM28.05", 600, 110),
    )  # fmt: skip
    assert ask(sheet, "total").value == "RM28.05"
