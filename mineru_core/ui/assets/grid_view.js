// What the grid editor shows: the cells in sight, the selection, and the keys that move it. Follows grid_model.js in one
// module. Recognised text enters through textContent, value and setAttribute only, never as markup: this code runs in
// the page itself, not in a frame.

const AHEAD = 200; // CSS pixels drawn above and below what is seen
const PAGE_ROWS = 15;

function make(tag, className, parent) {
  const element = document.createElement(tag);
  element.className = className;
  if (parent) parent.appendChild(element);
  return element;
}

class GridView {
  constructor(root) {
    this.root = root;
    this.name = Math.random().toString(36).slice(2);
    this.sent = 0; // messages are numbered, so that an answer is known for what it answers
    this.waiting = null; // the message without an answer
    this.queue = [];
    this.version = null;
    this.anchor = { r: 0, c: 0 };
    this.head = { r: 0, c: 0 };
    this.editing = null;
    this.bar = make("div", "bar", root);
    this.bar.setAttribute("role", "toolbar");
    this.frame = make("div", "frame", root);
    this.grid = make("div", "grid", this.frame);
    this.grid.setAttribute("role", "grid");
    this.grid.tabIndex = 0;
    this.edit = make("textarea", "edit", this.frame);
    this.edit.hidden = true;
    this.status = make("p", "status", root);
    this.status.setAttribute("role", "status");
    this.listen();
  }

  clamp({ r, c }) {
    const inside = (place, size) => Math.max(0, Math.min(place, size - 1));
    return { r: inside(r, this.table.rows), c: inside(c, this.table.cols) };
  }

  get active() {
    return this.table.cell(this.anchor.r, this.anchor.c);
  }

  get area() {
    return this.table.area(this.anchor, this.head);
  }

  // Drawing ----------------------------------------------------------------------------------------------------------

  layOut() {
    this.room = this.frame.clientWidth;
    const { lefts, tops } = sizesOf(this.table, this.room);
    this.lefts = lefts;
    this.tops = tops;
    this.grid.style.width = lefts.at(-1) + "px";
    this.grid.style.height = tops.at(-1) + "px";
    this.grid.setAttribute("aria-rowcount", String(this.table.rows));
    this.grid.setAttribute("aria-colcount", String(this.table.cols));
    this.draw();
    this.tools();
    if (this.editing) this.fitEdit();
  }

  soon() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.draw();
    });
  }

  // The rows and columns in sight, the cells that reach into them from outside, and the active one.
  draw() {
    const { frame, table } = this;
    const first = lineAt(this.tops, frame.scrollTop - AHEAD);
    const last = lineAt(this.tops, frame.scrollTop + (frame.clientHeight || 600) + AHEAD);
    const left = lineAt(this.lefts, frame.scrollLeft - AHEAD);
    const right = lineAt(this.lefts, frame.scrollLeft + (frame.clientWidth || 600) + AHEAD);
    const shown = new Set([this.active]);
    for (let r = first; r <= last; r++) for (let c = left; c <= right; c++) shown.add(table.cell(r, c));
    const byRow = new Map();
    for (const cell of [...shown].sort((a, b) => a.r - b.r || a.c - b.c)) {
      if (!byRow.has(cell.r)) byRow.set(cell.r, []);
      byRow.get(cell.r).push(cell);
    }
    const area = this.area;
    const rows = [];
    for (const [r, cells] of byRow) {
      const row = make("div", "row");
      row.setAttribute("role", "row");
      row.setAttribute("aria-rowindex", String(r + 1));
      row.style.top = this.tops[r] + "px";
      for (const cell of cells) row.appendChild(this.cellElement(cell, area));
      rows.push(row);
    }
    this.grid.replaceChildren(...rows);
    this.grid.setAttribute("aria-activedescendant", this.idOf(this.active));
  }

  idOf(cell) {
    return `${this.name}-${cell.r}-${cell.c}`;
  }

  cellElement(cell, area) {
    const element = make("div", "cell");
    const { flags } = cell;
    element.id = this.idOf(cell);
    element.dataset.place = `${cell.r},${cell.c}`;
    element.setAttribute("role", flags & HEADER ? "columnheader" : "gridcell");
    element.setAttribute("aria-colindex", String(cell.c + 1));
    if (cell.h > 1) element.setAttribute("aria-rowspan", String(cell.h));
    if (cell.w > 1) element.setAttribute("aria-colspan", String(cell.w));
    const inside = cell.r >= area.r && cell.r < area.r + area.h && cell.c >= area.c && cell.c < area.c + area.w;
    element.setAttribute("aria-selected", String(inside));
    element.classList.toggle("active", cell === this.active);
    element.classList.toggle("head", Boolean(flags & HEADER));
    element.classList.toggle("doubtful", Boolean(flags & DOUBTFUL));
    element.classList.toggle("edited", Boolean(flags & EDITED));
    element.style.left = this.lefts[cell.c] + "px";
    element.style.width = this.lefts[cell.c + cell.w] - this.lefts[cell.c] + "px";
    element.style.height = this.tops[cell.r + cell.h] - this.tops[cell.r] + "px";
    if (flags & DOUBTFUL) element.title = this.words.doubtful.replace("%", String(cell.sure) + "%");
    else if (flags & EDITED) element.title = this.words.edited;
    element.textContent = cell.text;
    return element;
  }

  // Bring the cell at the place into sight; of one that is larger than the frame, the row or column of the place.
  reveal({ r, c }) {
    const { frame } = this;
    const cell = this.table.cell(r, c);
    let [top, bottom] = [this.tops[cell.r], this.tops[cell.r + cell.h]];
    let [left, right] = [this.lefts[cell.c], this.lefts[cell.c + cell.w]];
    if (bottom - top > frame.clientHeight) [top, bottom] = [this.tops[r], this.tops[r + 1]];
    if (right - left > frame.clientWidth) [left, right] = [this.lefts[c], this.lefts[c + 1]];
    if (bottom > frame.scrollTop + frame.clientHeight) frame.scrollTop = bottom - frame.clientHeight;
    if (top < frame.scrollTop) frame.scrollTop = top;
    if (right > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = right - frame.clientWidth;
    if (left < frame.scrollLeft) frame.scrollLeft = left;
  }

  // Selecting --------------------------------------------------------------------------------------------------------

  select(place, extend = false) {
    this.head = this.clamp(place);
    if (!extend) this.anchor = this.head;
    this.reveal(this.head);
    this.draw();
    this.tools();
    const cell = this.active;
    if (!this.waiting && cell.flags & DOUBTFUL) this.say(this.words.doubtful.replace("%", String(cell.sure) + "%"));
    else if (!this.waiting) this.say("");
  }

  // One step from the cell at the moving end, over all of its span.
  step(dr, dc, extend) {
    const from = this.table.cell(this.head.r, this.head.c);
    const r = dr > 0 ? from.r + from.h : dr < 0 ? from.r - 1 : this.head.r;
    const c = dc > 0 ? from.c + from.w : dc < 0 ? from.c - 1 : this.head.c;
    this.select({ r, c }, extend);
  }

  placeOf(event) {
    const box = this.grid.getBoundingClientRect();
    return { r: lineAt(this.tops, event.clientY - box.top), c: lineAt(this.lefts, event.clientX - box.left) };
  }

  focused() {
    return this.root.getRootNode().activeElement === this.grid;
  }

  move(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const far = event.ctrlKey || event.metaKey;
    const { head, table } = this;
    if (event.altKey) return false;
    if (event.key in steps) this.step(...steps[event.key], event.shiftKey);
    else if (event.key === "Home") this.select({ r: far ? 0 : head.r, c: 0 }, event.shiftKey);
    else if (event.key === "End") this.select({ r: far ? table.rows - 1 : head.r, c: table.cols - 1 }, event.shiftKey);
    else if (event.key === "PageUp") this.select({ r: head.r - PAGE_ROWS, c: head.c }, event.shiftKey);
    else if (event.key === "PageDown") this.select({ r: head.r + PAGE_ROWS, c: head.c }, event.shiftKey);
    else return false;
    stop(event);
    return true;
  }
}

function stop(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}
