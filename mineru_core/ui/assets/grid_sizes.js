// Widths of columns and heights of rows in CSS pixels, and which columns stand to the right. Follows grid_model.js in
// one module. Texts are measured by their characters, so that the browser never has to lay out 100,000 cells; columns
// are made as wide as it makes those of a table, so that they stay as they are when the table is opened to be edited.

const LINE = 20;
const PAD_X = 18.6; // left, right and the line between two cells
const PAD_Y = 14;
const MOST_LINES = 5;
const MOST_WIDTH = 384;
const LEAST_WIDTH = 36;
const IDEOGRAPH = "\u56fd";
const DASHES = /^[ \-–—−]*$/;

// Widths of characters in a font, each measured once.
class Ruler {
  constructor(element) {
    this.pen = document.createElement("canvas").getContext("2d");
    const { fontFamily, fontSize } = getComputedStyle(element);
    this.fonts = [400, 650].map((weight) => ({ font: `${weight} ${fontSize} ${fontFamily}`, known: new Map() }));
  }

  width(text, bold) {
    const { font, known } = this.fonts[bold ? 1 : 0];
    let sum = 0;
    for (let i = 0; i < text.length; i++) {
      let sign = text[i];
      if (sign >= "0" && sign <= "9") sign = "0"; // digits are set in one width
      else if (sign >= "\u4e00" && sign <= "\u9fff") sign = IDEOGRAPH;
      let width = known.get(sign);
      if (width === undefined) {
        this.pen.font = font;
        width = this.pen.measureText(sign).width;
        known.set(sign, width);
      }
      sum += width;
    }
    return sum;
  }
}

// What is known of a cell's text; found anew when the text is another one.
function factsOf(cell, ruler) {
  const bold = Boolean(cell.flags & HEADER);
  const { facts } = cell;
  if (facts && facts.text === cell.text && facts.bold === bold) return facts;
  const text = cell.text.slice(0, 2000);
  const lines = text.split("\n").map((line) => ruler.width(line, bold));
  const words = text.split(/\s+/).map((word) => ruler.width(word, bold));
  return (cell.facts = {
    text: cell.text, bold, lines, longest: Math.max(...lines), widest: Math.max(...words),
    number: isNumber(cell.text), blank: DASHES.test(cell.text),
  });
}

// As export/numbers.py tells numbers from texts.
const NUMBER =
  /^(\()?([-+−])?([$€£¥￥])?(\d{1,3}(?:,\d{3})+|\d+|(?=\.\d))(?:\.(\d+))?([eE][+-]?\d{1,3})?([ \t\n\r\f\v]?%)?(\))?$/;

function isNumber(text) {
  const match = NUMBER.exec(text.trim());
  if (!match) return false;
  const [, open, sign, , printed, decimals = "", exponent, percent, close] = match;
  const whole = printed.replaceAll(",", "");
  const digits = (whole + decimals).replace(/^0+/, "");
  if (digits.length > 15 || decimals.length > 15) return false;
  if (whole.length > 1 && whole[0] === "0") return false;
  if (Boolean(open) !== Boolean(close) || (open && sign)) return false;
  if (open && !decimals && !printed.includes(",")) return false;
  if (exponent && !(decimals && whole.length === 1 && !percent && Math.abs(Number(exponent.slice(1))) <= 300)) return false;
  return !((open || sign === "-" || sign === "−") && digits === "");
}

// The columns whose cells are numbers more often than not; headers and empty cells do not count.
function numberColumns(grid, ruler) {
  const balance = new Array(grid.cols).fill(0);
  for (const cell of grid.cells) {
    if (cell.flags & HEADER || cell.w !== 1) continue;
    const { number, blank } = factsOf(cell, ruler);
    if (!blank) balance[cell.c] += number ? 1 : -1;
  }
  return balance.map((more) => more > 0);
}

function standsRight(cell, numeric, ruler) {
  const { number, blank } = factsOf(cell, ruler);
  return number || (cell.w === 1 && numeric[cell.c] && (Boolean(cell.flags & HEADER) || blank));
}

// As CSS lays out the columns of a table that fills its place: as wide as their texts and in proportion wider, or, where
// that is too wide, in between that and their longest words. What is wider still scrolls.
function columnWidths(grid, room, ruler) {
  const least = new Array(grid.cols).fill(LEAST_WIDTH);
  const wanted = new Array(grid.cols).fill(LEAST_WIDTH);
  const wide = [];
  for (const cell of grid.cells) {
    const { longest, widest } = factsOf(cell, ruler);
    const [small, large] = [widest, longest].map((width) => Math.min(width, MOST_WIDTH - PAD_X) + PAD_X + 1);
    if (cell.w > 1) wide.push({ cell, small, large });
    else {
      if (small > least[cell.c]) least[cell.c] = small;
      if (large > wanted[cell.c]) wanted[cell.c] = large;
    }
  }
  for (const { cell, small, large } of wide) {
    stretch(least, cell, small);
    stretch(wanted, cell, large);
  }
  for (let c = 0; c < grid.cols; c++) wanted[c] = Math.max(wanted[c], least[c]);
  const [small, large] = [total(least), total(wanted)];
  if (large <= room) return wanted.map((width) => width * (room / large));
  if (small >= room) return least;
  return least.map((width, c) => width + ((wanted[c] - width) * (room - small)) / (large - small));
}

// Make the columns under a cell that spans them wide enough for it.
function stretch(widths, cell, needed) {
  const there = total(widths.slice(cell.c, cell.c + cell.w));
  if (there >= needed) return;
  for (let c = cell.c; c < cell.c + cell.w; c++) widths[c] *= needed / there;
}

// Columns whose longest word has become too wide for them grow; the others keep their width.
function widen(widths, grid, ruler) {
  for (const cell of grid.cells) {
    const needed = Math.min(factsOf(cell, ruler).widest + PAD_X + 1, MOST_WIDTH);
    if (cell.w === 1 && needed > widths[cell.c]) widths[cell.c] = needed;
  }
}

function rowHeights(grid, lefts, ruler) {
  const heights = new Array(grid.rows).fill(LINE + PAD_Y);
  for (const cell of grid.cells) {
    if (cell.h === 1 && cell.text) {
      const height = heightOf(cell, lefts, ruler);
      if (height > heights[cell.r]) heights[cell.r] = height;
    }
  }
  for (const cell of grid.tall) {
    const there = total(heights.slice(cell.r, cell.r + cell.h));
    heights[cell.r + cell.h - 1] += Math.max(0, heightOf(cell, lefts, ruler) - there);
  }
  return heights;
}

function heightOf(cell, lefts, ruler) {
  const inner = lefts[cell.c + cell.w] - lefts[cell.c] - PAD_X;
  const facts = factsOf(cell, ruler);
  let count = facts.lines.length;
  if (facts.longest > inner) {
    if (facts.inner !== inner) {
      const lines = cell.text.slice(0, 2000).split("\n");
      facts.inner = inner;
      facts.count = lines.reduce((sum, line) => sum + linesOf(line, inner, facts.bold, ruler), 0);
    }
    count = facts.count;
  }
  return LINE * Math.min(count, MOST_LINES) + PAD_Y;
}

// Lines that a text without line ends takes: words are kept whole where they fit.
function linesOf(text, inner, bold, ruler) {
  let count = 1;
  let used = 0;
  const space = ruler.width(" ", bold);
  for (const word of text.split(" ")) {
    const width = ruler.width(word, bold);
    if (used && used + space + width > inner) {
      count += 1;
      used = 0;
    }
    if (width > inner) count += Math.ceil(width / inner) - 1;
    used += width + (used ? space : 0);
    if (width > inner) used = width % inner;
  }
  return count;
}

function total(sizes) {
  return sizes.reduce((sum, size) => sum + size, 0);
}

function sums(sizes) {
  const found = [0];
  for (const size of sizes) found.push(found.at(-1) + size);
  return found;
}

// The last start that is not beyond ``offset``.
function lineAt(starts, offset) {
  let low = 0;
  let high = starts.length - 2;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle] <= offset) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
