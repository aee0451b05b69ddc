"""Draw the built-in sample: a one-page quarterly report in Chinese and English with a spanning table and a chart.

    python tools/draw_sample.py [--font REGULAR --bold BOLD] [--out mineru_core/ui/assets/sample.png]

Needs a font with Chinese characters; Debian's fonts-noto-cjk is looked for first. The picture is shipped with the
package, so this is run only when the sample changes.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT, MARGIN = 1240, 1640, 96
INK, MUTED, ACCENT, RULE, TINT = "#1d2524", "#5d6866", "#0b6e63", "#8b9694", "#eaf2f0"
BARS = ("#0b6e63", "#d98b2b")
NOTO = Path("/usr/share/fonts/opentype/noto")
MONTHS = ("7月 Jul", "8月 Aug", "9月 Sep")
ROWS = (
    ("国内 Domestic", "华东 East China", (412, 438, 467)),
    ("", "华南 South China", (356, 371, 402)),
    ("海外 Overseas", "欧洲 Europe", (228, 241, 236)),
    ("", "东南亚 SE Asia", (184, 197, 225)),
)


@dataclass(frozen=True)
class Pen:
    """A canvas with the fonts to write on it."""

    draw: ImageDraw.ImageDraw
    regular: Path
    bold: Path

    def font(self, size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
        """A font of ``size`` pixels; index 2 of Noto's collections is simplified Chinese."""
        path = self.bold if bold else self.regular
        return ImageFont.truetype(str(path), size, index=2 if path.suffix == ".ttc" else 0)

    def write(
        self, x: float, y: float, text: str, size: int, *, bold: bool = False, fill: str = INK, anchor: str = "la"
    ) -> None:
        """One line of text at (x, y)."""
        self.draw.text((x, y), text, font=self.font(size, bold=bold), fill=fill, anchor=anchor)


def draw_head(pen: Pen) -> None:
    """Company, title and the particulars of the report."""
    pen.draw.rectangle((MARGIN, 84, MARGIN + 46, 130), fill=ACCENT)
    pen.draw.polygon([(MARGIN + 23, 92), (MARGIN + 36, 108), (MARGIN + 23, 122), (MARGIN + 10, 108)], fill="#ffffff")
    pen.write(MARGIN + 62, 107, "青禾仪器  Qinghe Instruments", 24, bold=True, fill=ACCENT, anchor="lm")
    pen.write(WIDTH - MARGIN, 107, "内部资料 Internal", 20, fill=MUTED, anchor="rm")
    pen.write(MARGIN, 176, "2025 年第三季度经营简报", 50, bold=True)
    pen.write(MARGIN, 246, "Quarterly Operations Brief, Q3 2025", 29, fill=MUTED)
    pen.draw.line((MARGIN, 306, WIDTH - MARGIN, 306), fill=RULE, width=2)
    pen.write(MARGIN, 326, "报告编号 Report No.: QH-2025-Q3-017", 22)
    pen.write(WIDTH - MARGIN, 326, "日期 Date: 2025-10-15", 22, anchor="ra")


def draw_text(pen: Pen) -> None:
    """Two short paragraphs."""
    lines = (
        "本季度销售额为 3,757 万元，比上一季度增长 8.4%。国内市场保持稳定，东南亚订单增长最快，",
        "九月达到 225 万元。新的检测产线已于八月投入使用，平均交付周期缩短至 12 天。",
        "Revenue reached 37.57 million yuan, up 8.4% on the second quarter. Southeast Asia grew",
        "fastest. The new test line opened in August and cut the average delivery time to 12 days.",
    )
    for index, line in enumerate(lines):
        pen.write(MARGIN, 392 + index * 42 + (14 if index > 1 else 0), line, 24)


def draw_table(pen: Pen, top: int) -> int:
    """A ruled table with two-row headers and spanning groups; returns where it ends."""
    pen.write(MARGIN, top, "表 1  各地区销售额（万元）  Table 1  Revenue by region (10,000 yuan)", 23, bold=True)
    x = [MARGIN, MARGIN + 210, MARGIN + 450, MARGIN + 598, MARGIN + 746, MARGIN + 894, WIDTH - MARGIN]
    y = [top + 46 + i * 56 for i in range(8)]
    pen.draw.rectangle((x[0], y[0], x[6], y[2]), fill=TINT)
    spans = [
        (0, 0, 2, 2, "地区 Region"), (0, 2, 1, 3, "销售额 Revenue"), (0, 5, 2, 1, "合计 Total"),
        *((1, 2 + i, 1, 1, month) for i, month in enumerate(MONTHS)),
        (2, 0, 2, 1, ROWS[0][0]), (4, 0, 2, 1, ROWS[2][0]), (6, 0, 1, 2, "总计 Grand total"),
    ]  # fmt: skip
    for row, (_, name, values) in enumerate(ROWS, start=2):
        spans.append((row, 1, 1, 1, name))
        spans.extend((row, 2 + i, 1, 1, str(v)) for i, v in enumerate(values))
        spans.append((row, 5, 1, 1, f"{sum(values):,}"))
    sums = [sum(r[2][i] for r in ROWS) for i in range(3)]
    spans.extend((6, 2 + i, 1, 1, f"{v:,}") for i, v in enumerate([*sums, sum(sums)]))
    for row, col, rowspan, colspan, text in spans:
        box = (x[col], y[row], x[col + colspan], y[row + rowspan])
        pen.draw.rectangle(box, outline=RULE, width=2)
        centre = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
        pen.write(*centre, text, 22, bold=row < 2 or row == 6, anchor="mm")
    return y[7]


def draw_chart(pen: Pen, top: int) -> None:
    """Bars of two series over three months with their values."""
    pen.write(MARGIN, top, "图 1  国内与海外销售额（万元）  Figure 1  Domestic and overseas revenue", 23, bold=True)
    left, right, base, height, ceiling = MARGIN + 70, WIDTH - MARGIN, top + 392, 300, 1000
    for tick in range(0, ceiling + 1, 250):
        y = base - height * tick / ceiling
        pen.draw.line((left, y, right, y), fill="#dfe5e3" if tick else RULE, width=2)
        pen.write(left - 14, y, str(tick), 19, fill=MUTED, anchor="rm")
    series = [[ROWS[a][2][i] + ROWS[a + 1][2][i] for i in range(3)] for a in (0, 2)]
    step = (right - left) / 3
    for month in range(3):
        centre = left + step * (month + 0.5)
        for index, values in enumerate(series):
            x0 = centre - 92 + index * 96
            y0 = base - height * values[month] / ceiling
            pen.draw.rectangle((x0, y0, x0 + 84, base), fill=BARS[index])
            pen.write(x0 + 42, y0 - 8, str(values[month]), 20, anchor="mb")
        pen.write(centre, base + 14, MONTHS[month], 20, anchor="ma")
    for index, name in enumerate(("国内 Domestic", "海外 Overseas")):
        x = right - 380 + index * 200
        pen.draw.rectangle((x, top + 46, x + 22, top + 68), fill=BARS[index])
        pen.write(x + 32, top + 57, name, 20, anchor="lm")


def draw(regular: Path, bold: Path) -> Image.Image:
    """The whole page."""
    page = Image.new("RGB", (WIDTH, HEIGHT), "#ffffff")
    pen = Pen(ImageDraw.Draw(page), regular, bold)
    draw_head(pen)
    draw_text(pen)
    end = draw_table(pen, 610)
    draw_chart(pen, end + 48)
    pen.write(MARGIN, HEIGHT - 74, "制表 Prepared by: 运营分析组 Operations Analysis", 19, fill=MUTED)
    pen.write(WIDTH - MARGIN, HEIGHT - 74, "1 / 1", 19, fill=MUTED, anchor="ra")
    return page


def main() -> None:
    """Read the arguments and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--font", type=Path, default=NOTO / "NotoSansCJK-Regular.ttc")
    parser.add_argument("--bold", type=Path, default=NOTO / "NotoSansCJK-Bold.ttc")
    parser.add_argument("--out", type=Path, default=Path("mineru_core/ui/assets/sample.png"))
    given = parser.parse_args()
    page = draw(given.font, given.bold).quantize(48, dither=Image.Dither.NONE)
    page.save(given.out, optimize=True)


if __name__ == "__main__":
    main()
