// A table in the browser: cells with spans, and the operations of a correction as mineru_core/document/table_shape.py
// does them. The server's table replaces this one after each change, so what differs here is seen for a moment only.

const HEADER = 1;
const DOUBTFUL = 2;
const EDITED = 4;
const FIRST_IDEOGRAPHIC = "\u2e80";

class Grid {
  constructor(table) {
    this.rows = table.rows;
    this.cols = table.cols;
    this.cells = table.cells.map(([r, c, h, w, text, flags, sure]) => ({ r, c, h, w, text, flags, sure }));
    this.index();
  }

  // The cell at each place; its order is that of reading.
  index() {
    this.cells.sort((a, b) => a.r - b.r || a.c - b.c);
    this.at = new Array(this.rows * this.cols);
    this.tall = [];
    for (const cell of this.cells) {
      if (cell.h > 1) this.tall.push(cell);
      for (let r = cell.r; r < cell.r + cell.h; r++) {
        for (let c = cell.c; c < cell.c + cell.w; c++) this.at[r * this.cols + c] = cell;
      }
    }
    for (let r = 0; r < this.rows; r++) {
      for (let c = 0; c < this.cols; c++) {
        if (!this.at[r * this.cols + c]) {
          this.at[r * this.cols + c] = { r, c, h: 1, w: 1, text: "", flags: 0, sure: 100, missing: true };
        }
      }
    }
    this.heads = this.headerRows();
  }

  cell(r, c) {
    return this.at[r * this.cols + c];
  }

  // Rows at the top that hold header cells only.
  headerRows() {
    const marked = new Set();
    const plain = new Set();
    for (const cell of this.cells) (cell.flags & HEADER ? marked : plain).add(cell.r);
    let count = 0;
    while (marked.has(count) && !plain.has(count)) count += 1;
    return count;
  }

  // The smallest rectangle around two places that cuts through no cell.
  area(a, b) {
    let top = Math.min(a.r, b.r);
    let left = Math.min(a.c, b.c);
    let bottom = Math.max(a.r, b.r);
    let right = Math.max(a.c, b.c);
    for (let grown = true; grown; ) {
      grown = false;
      for (let r = top; r <= bottom; r++) {
        for (let c = left; c <= right; c++) {
          const cell = this.cell(r, c);
          if (cell.r < top || cell.c < left || cell.r + cell.h - 1 > bottom || cell.c + cell.w - 1 > right) {
            top = Math.min(top, cell.r);
            left = Math.min(left, cell.c);
            bottom = Math.max(bottom, cell.r + cell.h - 1);
            right = Math.max(right, cell.c + cell.w - 1);
            grown = true;
          }
        }
      }
    }
    return { r: top, c: left, h: bottom - top + 1, w: right - left + 1 };
  }

  inside(area) {
    const found = new Set();
    for (let r = area.r; r < area.r + area.h; r++) {
      for (let c = area.c; c < area.c + area.w; c++) found.add(this.cell(r, c));
    }
    return [...found];
  }

  doubtful() {
    return this.cells.filter((cell) => cell.flags & DOUBTFUL);
  }

  apply(change) {
    const steps = {
      "set-text": () => this.setText(change),
      "merge-cells": () => this.merge({ r: change.row, c: change.col, h: change.rowspan, w: change.colspan }),
      "split-cell": () => this.split(this.cell(change.row, change.col)),
      "insert-rows": () => this.insert("r", "h", "rows", change.at, change.count),
      "insert-columns": () => this.insert("c", "w", "cols", change.at, change.count),
      "delete-rows": () => this.remove("r", "h", "rows", change.at, change.count),
      "delete-columns": () => this.remove("c", "w", "cols", change.at, change.count),
      "set-header-rows": () => this.setHeaderRows(change.count),
    };
    if (!(change.op in steps)) return; // the server alone can say what comes of it
    steps[change.op]();
    this.index();
  }

  setText({ row, col, text }) {
    const cell = this.cell(row, col);
    if (cell.missing) this.cells.push(cell);
    const head = row < this.heads ? HEADER : 0;
    Object.assign(cell, { text, missing: false, flags: byHand(cell.flags) | head, sure: 100 });
  }

  merge(area) {
    const parts = this.inside(area).sort((a, b) => a.r - b.r || a.c - b.c);
    let text = "";
    for (const part of parts) {
      const wide = text && part.text && (text.at(-1) >= FIRST_IDEOGRAPHIC || part.text[0] >= FIRST_IDEOGRAPHIC);
      text += (text && part.text && !wide ? " " : "") + part.text;
    }
    const first = parts.filter((part) => part.r === area.r && !part.missing);
    const head = (first.length ? first.some((part) => part.flags & HEADER) : area.r < this.heads) ? HEADER : 0;
    const gone = new Set(parts);
    this.cells = this.cells.filter((cell) => !gone.has(cell));
    this.cells.push({ ...area, text, flags: EDITED | head, sure: 100 });
  }

  split(cell) {
    for (let r = cell.r; r < cell.r + cell.h; r++) {
      for (let c = cell.c; c < cell.c + cell.w; c++) {
        if (r !== cell.r || c !== cell.c) this.cells.push(empty(r, c, cell.flags & HEADER));
      }
    }
    Object.assign(cell, { h: 1, w: 1, flags: byHand(cell.flags), sure: 100 });
  }

  insert(place, span, size, at, count) {
    const other = place === "r" ? "c" : "r";
    const breadth = place === "r" ? this.cols : this.rows;
    const covered = new Set();
    for (const cell of this.cells) {
      if (cell[place] >= at) cell[place] += count;
      else if (cell[place] + cell[span] > at) {
        cell[span] += count;
        const across = place === "r" ? cell.w : cell.h;
        for (let n = 0; n < across; n++) covered.add(cell[other] + n);
      }
    }
    for (let line = at; line < at + count; line++) {
      for (let n = 0; n < breadth; n++) {
        if (covered.has(n)) continue;
        const head = (place === "r" ? at : n) < this.heads ? HEADER : 0;
        this.cells.push(place === "r" ? empty(line, n, head) : empty(n, line, head));
      }
    }
    this[size] += count;
  }

  remove(place, span, size, at, count) {
    this.cells = this.cells.filter((cell) => {
      const end = cell[place] + cell[span];
      const gone = Math.max(0, Math.min(end, at + count) - Math.max(cell[place], at));
      if (gone === cell[span]) return false;
      if (cell[place] >= at) cell[place] = Math.max(at, cell[place] - count);
      cell[span] -= gone;
      return true;
    });
    this[size] -= count;
  }

  setHeaderRows(count) {
    const mixed = new Set(this.cells.filter((cell) => !(cell.flags & HEADER)).map((cell) => cell.r));
    for (const cell of this.cells) {
      const head = cell.r < count || (cell.flags & HEADER && mixed.has(cell.r));
      cell.flags = head ? cell.flags | HEADER : cell.flags & ~HEADER;
    }
  }
}

function byHand(flags) {
  return (flags | EDITED) & ~DOUBTFUL;
}

function empty(r, c, head) {
  return { r, c, h: 1, w: 1, text: "", flags: EDITED | head, sure: 100 };
}

// Widths of columns and heights of rows, in CSS pixels: estimated from the characters, which is exact enough for
// columns and never makes the browser lay out 100,000 cells.
const EM = 14;
const PADDING = 18;
const LINE = 20;
const MOST_LINES = 5;

function textWidth(text) {
  let ems = 0;
  for (let i = 0; i < text.length && i < 200; i++) ems += text[i] >= FIRST_IDEOGRAPHIC ? 1 : 0.6;
  return ems * EM;
}

function sizesOf(grid, room) {
  const widths = new Array(grid.cols).fill(56);
  for (const cell of grid.cells) {
    if (cell.w !== 1) continue;
    const longest = cell.text.includes("\n") ? Math.max(...cell.text.split("\n").map(textWidth)) : textWidth(cell.text);
    widths[cell.c] = Math.max(widths[cell.c], Math.min(240, longest + PADDING));
  }
  const total = widths.reduce((sum, width) => sum + width, 0);
  if (total < room) widths.forEach((width, c) => (widths[c] = width * (room / total)));
  const lefts = sums(widths);
  const heights = new Array(grid.rows).fill(LINE + 12);
  for (const cell of grid.cells) {
    if (cell.h === 1 && cell.text) heights[cell.r] = Math.max(heights[cell.r], heightOf(cell, lefts));
  }
  for (const cell of grid.tall) {
    let there = 0;
    for (let r = cell.r; r < cell.r + cell.h; r++) there += heights[r];
    heights[cell.r + cell.h - 1] += Math.max(0, heightOf(cell, lefts) - there);
  }
  return { lefts, tops: sums(heights) };
}

function heightOf(cell, lefts) {
  const inner = lefts[cell.c + cell.w] - lefts[cell.c] - PADDING;
  let lines = 0;
  for (const line of cell.text.split("\n")) lines += Math.max(1, Math.ceil((textWidth(line) - 1) / inner));
  return LINE * Math.min(lines, MOST_LINES) + 12;
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
