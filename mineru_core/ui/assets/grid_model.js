// A table in the browser: cells with spans, and the operations of a correction as mineru_core/document/table_shape.py
// does them. The server's table replaces this one after each change, so what differs here is seen for a moment only.

const HEADER = 1;
const DOUBTFUL = 2;
const EDITED = 4;
const FIRST_IDEOGRAPHIC = "\u2e80";

class Grid {
  // The table by columns, as mineru_core/api/grid_data.py gives it.
  constructor(data) {
    this.rows = data.rows;
    this.cols = data.cols;
    this.caption = data.caption;
    this.cells = data.text.map((text, n) => {
      return { r: data.row[n], c: data.col[n], h: 1, w: 1, text, flags: data.flags[n], sure: 100 };
    });
    for (const [n, h, w] of data.spans) Object.assign(this.cells[n], { h, w });
    for (const [n, sure] of data.sure) this.cells[n].sure = sure;
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
    this.findDoubtful();
  }

  findDoubtful() {
    this.doubtful = this.cells.filter((cell) => cell.flags & DOUBTFUL);
  }

  has({ r, c }) {
    return r < this.rows && c < this.cols;
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

  apply(change) {
    const steps = {
      "merge-cells": () => this.merge({ r: change.row, c: change.col, h: change.rowspan, w: change.colspan }),
      "split-cell": () => this.split(this.cell(change.row, change.col)),
      "insert-rows": () => this.insert("r", "h", "rows", change.at, change.count),
      "insert-columns": () => this.insert("c", "w", "cols", change.at, change.count),
      "delete-rows": () => this.remove("r", "h", "rows", change.at, change.count),
      "delete-columns": () => this.remove("c", "w", "cols", change.at, change.count),
      "set-header-rows": () => this.setHeaderRows(change.count),
    };
    if (change.op === "set-text") this.setText(change);
    else if (change.op === "set-caption") this.caption = change.text;
    else if (change.op in steps) {
      steps[change.op]();
      this.index();
    } // what comes of others, the server alone can say
  }

  setText({ row, col, text }) {
    const cell = this.cell(row, col);
    const added = cell.missing;
    if (added) this.cells.push(cell);
    const head = row < this.heads ? HEADER : 0;
    Object.assign(cell, { text, missing: false, flags: byHand(cell.flags) | head, sure: 100 });
    // A table of 100,000 cells is put in order again only where that may change something.
    if (added || head) this.index();
    else this.findDoubtful();
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

// A text as the server takes it: see clean_text in mineru_core/document/table_edits.py.
function cleaned(text) {
  const control = /[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  return text.replaceAll("\r\n", "\n").replaceAll("\r", "\n").replace(control, "");
}
