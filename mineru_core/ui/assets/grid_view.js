// What the grid editor shows: the cells in sight, the selection, and the keys that move it. Follows grid_sizes.js in one
// module. Recognised text enters through textContent, value and setAttribute only, never as markup: this code runs in
// the page itself, not in a frame.

const AHEAD = 200; // CSS pixels drawn above and below what is seen
const PAGE_ROWS = 15;
const HIGHEST = 640; // of the frame, CSS pixels
const HIGHEST_SHARE = 0.7; // of the window
const WIDEST_FIELD = 360; // a wide text goes on in the next line
const SLACK = 1.25; // a table this little higher is shown whole: a short way to scroll would only catch the wheel

// Sets what differs, and takes away what is null: an element that stays as it is costs nothing.
function put(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
  }
}

// Makes these the children, in this order. Those that stay are not touched: an element that is taken out between the
// press and the release of a pointer gets no click.
function arrange(parent, wanted) {
  const kept = new Set(wanted);
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  let at = parent.firstChild;
  for (const child of wanted) {
    if (child === at) at = at.nextSibling;
    else parent.insertBefore(child, at);
  }
}

class GridView {
  constructor(root) {
    this.root = root;
    this.name = `grid-${Math.random().toString(36).slice(2)}`;
    this.table = null;
    this.anchor = { r: 0, c: 0 }; // the active cell
    this.from = { r: 0, c: 0 }; // what is selected reaches from here
    this.head = { r: 0, c: 0 }; // to here
    this.editing = null;
    this.delivery = new Delivery(root, () => this.say(this.words.lost));
    this.rows = new Map(); // elements of rows by number, of cells by place
    this.places = new Map();
    const top = make("div", "top", root);
    this.bar = make("div", "bar", top);
    this.bar.setAttribute("role", "toolbar");
    this.status = make("p", "status", top);
    this.status.setAttribute("role", "status");
    this.label = make("label", "caption", root);
    this.captionName = make("span", "", this.label);
    this.caption = make("input", "", this.label);
    this.tray = make("section", "tray", root);
    this.tray.hidden = true;
    this.wait = make("div", "wait", root);
    this.frame = make("div", "frame", root);
    this.frame.hidden = true;
    this.grid = make("div", "grid", this.frame);
    put(this.grid, { role: "grid", id: this.name, tabindex: -1, "aria-multiselectable": true });
    this.heads = make("div", "heads", this.grid); // header rows, which stay in sight while the others scroll
    this.body = make("div", "body", this.grid);
    this.body.setAttribute("role", "rowgroup");
    this.stuck = 0; // how many they are
    // Holds the focus while the grid is used, unseen until a cell is edited: an input method can begin in no other place.
    this.edit = make("textarea", "edit", this.frame);
    put(this.edit, { rows: 1, "aria-controls": this.name, autocomplete: "off", spellcheck: false });
    this.ruler = new Ruler(this.frame);
    document.fonts.ready.then(() => {
      this.ruler = new Ruler(this.frame);
      this.forgetSizes();
    });
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
    return this.table.area(this.from, this.head);
  }

  // Drawing ----------------------------------------------------------------------------------------------------------

  forgetSizes() {
    this.widths = null;
    if (!this.table) return;
    for (const cell of this.table.cells) cell.facts = null;
    this.layOut();
  }

  // Columns keep their width while texts change: what is clicked next must not move away.
  layOut() {
    const { table, ruler, frame } = this;
    if (!this.widths || this.widths.length !== table.cols || this.room !== frame.clientWidth) {
      this.room = frame.clientWidth;
      this.widths = columnWidths(table, this.room, ruler);
    } else widen(this.widths, table, ruler);
    this.numeric = numberColumns(table, ruler);
    this.lefts = sums(this.widths);
    this.tops = sums(rowHeights(table, this.lefts, ruler));
    this.grid.style.width = this.lefts.at(-1) + "px";
    this.grid.style.height = this.tops.at(-1) + "px";
    const most = Math.min(HIGHEST, HIGHEST_SHARE * innerHeight);
    const whole = this.tops.at(-1) <= most * SLACK;
    frame.style.maxHeight = whole ? "none" : most + "px";
    const closed = !table.tall.some((cell) => cell.r < table.heads && cell.r + cell.h > table.heads);
    this.stuck = !whole && closed && this.tops[table.heads] <= most / 2 ? table.heads : 0;
    put(this.heads, { role: this.stuck ? "rowgroup" : null });
    put(this.grid, { "aria-rowcount": table.rows, "aria-colcount": table.cols });
    this.draw();
    this.tools();
    this.fitEdit();
  }

  soon() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.draw();
      if (this.stuck) this.fitEdit();
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
    for (let c = left; c <= right; c++) {
      for (let r = 0; r < this.stuck; r++) shown.add(table.cell(r, c));
      for (let r = first; r <= last; r++) shown.add(table.cell(r, c));
    }
    const byRow = new Map();
    for (const cell of [...shown].sort((a, b) => a.r - b.r || a.c - b.c)) {
      if (!byRow.has(cell.r)) byRow.set(cell.r, []);
      byRow.get(cell.r).push(cell);
    }
    const { area, active } = this;
    const places = new Map();
    const rows = new Map();
    for (const [r, cells] of byRow) {
      const row = this.rows.get(r) || this.rowElement(r);
      row.style.top = this.tops[r] + "px";
      rows.set(r, row);
      for (const cell of cells) {
        const place = `${cell.r},${cell.c}`;
        const element = this.places.get(place) || make("div", "cell");
        places.set(place, element);
        this.paint(element, cell, place, area, active);
      }
      arrange(row, cells.map((cell) => places.get(`${cell.r},${cell.c}`)));
    }
    arrange(this.heads, [...rows].filter(([r]) => r < this.stuck).map(([, row]) => row));
    arrange(this.body, [...rows].filter(([r]) => r >= this.stuck).map(([, row]) => row));
    this.rows = rows;
    this.places = places;
    for (const element of [this.grid, this.edit]) {
      put(element, { "aria-activedescendant": this.editing && element === this.edit ? null : this.idOf(active) });
    }
  }

  rowElement(r) {
    const row = make("div", "row");
    put(row, { role: "row", "aria-rowindex": r + 1 });
    return row;
  }

  idOf(cell) {
    return `${this.name}-${cell.r}-${cell.c}`;
  }

  paint(element, cell, place, area, active) {
    const { flags } = cell;
    const look = ["cell"];
    if (cell === active) look.push("active");
    if (flags & HEADER) look.push("head");
    if (flags & DOUBTFUL) look.push("doubtful");
    if (flags & EDITED) look.push("edited");
    if (standsRight(cell, this.numeric, this.ruler)) look.push("num");
    const inside = cell.r >= area.r && cell.r < area.r + area.h && cell.c >= area.c && cell.c < area.c + area.w;
    let title = null;
    if (flags & DOUBTFUL) title = this.words.doubtful.replace("%", `${cell.sure}%`);
    else if (flags & EDITED) title = this.words.edited;
    put(element, {
      class: look.join(" "),
      id: this.idOf(cell),
      "data-place": place,
      role: flags & HEADER ? "columnheader" : "gridcell",
      "aria-colindex": cell.c + 1,
      "aria-rowspan": cell.h > 1 ? cell.h : null,
      "aria-colspan": cell.w > 1 ? cell.w : null,
      "aria-selected": inside,
      title,
    });
    element.style.left = this.lefts[cell.c] + "px";
    element.style.width = this.lefts[cell.c + cell.w] - this.lefts[cell.c] + "px";
    element.style.height = this.tops[cell.r + cell.h] - this.tops[cell.r] + "px";
    if (element.textContent !== cell.text) element.textContent = cell.text;
  }

  // Bring the cell at the place into sight; of one that is larger than the frame, the row or column of the place.
  reveal({ r, c }) {
    const { frame } = this;
    const cell = this.table.cell(r, c);
    const above = this.tops[this.stuck]; // what header rows take of the frame
    const high = frame.clientHeight - above;
    let [top, bottom] = [this.tops[cell.r], this.tops[cell.r + cell.h]];
    let [left, right] = [this.lefts[cell.c], this.lefts[cell.c + cell.w]];
    if (bottom - top > high) [top, bottom] = [this.tops[r], this.tops[r + 1]];
    if (right - left > frame.clientWidth) [left, right] = [this.lefts[c], this.lefts[c + 1]];
    if (cell.r >= this.stuck) {
      if (bottom > frame.scrollTop + frame.clientHeight) frame.scrollTop = bottom - frame.clientHeight;
      if (top - above < frame.scrollTop) frame.scrollTop = top - above;
    }
    if (right > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = right - frame.clientWidth;
    if (left < frame.scrollLeft) frame.scrollLeft = left;
  }

  // The field for the text over the active cell, and unseen in it while nothing is edited.
  fitEdit() {
    const { r, c, h, w } = this.editing || this.active;
    const { style } = this.edit;
    const left = this.lefts[c];
    const [width, height] = [this.lefts[c + w] - left, this.tops[r + h] - this.tops[r]];
    const top = this.tops[r] + (r < this.stuck ? this.frame.scrollTop : 0);
    // As wide as what is typed, to the side that the text grows to, but within the table, so that the frame gets
    // nothing to scroll by it.
    const lines = this.editing ? this.edit.value.split("\n").map((line) => this.ruler.width(line, true)) : [];
    const wide = Math.min(Math.max(width, Math.min(WIDEST_FIELD, Math.max(0, ...lines) + PAD_X + 4)), this.lefts.at(-1));
    const start = this.edit.classList.contains("num") ? left + width - wide : left;
    style.width = wide + "px";
    style.height = height + "px";
    style.left = Math.max(0, Math.min(start, this.lefts.at(-1) - wide)) + "px";
    const needed = this.edit.scrollHeight + this.edit.offsetHeight - this.edit.clientHeight;
    const high = this.editing && needed > height + 1 ? Math.max(height, Math.min(needed, 240)) : height;
    style.height = high + "px";
    style.top = Math.max(0, Math.min(top, this.tops.at(-1) - high)) + "px";
  }

  // Selecting --------------------------------------------------------------------------------------------------------

  // ``extend``: from the active cell to the place. What was pressed is in sight: it must stay where the pointer is.
  select(place, extend = false, reveal = true, point = true) {
    this.head = this.clamp(place);
    if (!extend) this.anchor = this.head;
    this.from = this.anchor;
    if (reveal) this.reveal(this.head);
    this.draw();
    this.tools();
    this.fitEdit();
    if (point) this.point();
    const cell = this.active;
    if (this.delivery.message || this.alarmed) return;
    this.say(cell.flags & DOUBTFUL ? this.words.doubtful.replace("%", `${cell.sure}%`) : "");
  }

  selectAll() {
    this.from = { r: 0, c: 0 };
    this.head = { r: this.table.rows - 1, c: this.table.cols - 1 };
    this.draw();
    this.tools();
  }

  // One step from the active cell, or from the moving end of the selection, over all of its span.
  step(dr, dc, extend) {
    const at = extend ? this.head : this.anchor;
    const from = this.table.cell(at.r, at.c);
    const r = dr > 0 ? from.r + from.h : dr < 0 ? from.r - 1 : at.r;
    const c = dc > 0 ? from.c + from.w : dc < 0 ? from.c - 1 : at.c;
    this.select({ r, c }, extend);
  }

  placeOf(event) {
    const box = this.grid.getBoundingClientRect();
    const inFrame = event.clientY - this.frame.getBoundingClientRect().top - this.frame.clientTop;
    const y = inFrame < this.tops[this.stuck] ? inFrame : event.clientY - box.top;
    return { r: lineAt(this.tops, y), c: lineAt(this.lefts, event.clientX - box.left) };
  }

  focused() {
    const { activeElement } = this.root.getRootNode();
    return activeElement === this.grid || activeElement === this.edit;
  }

  move(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const far = event.ctrlKey || event.metaKey;
    const { table } = this;
    const at = event.shiftKey ? this.head : this.anchor;
    if (event.altKey) return false;
    if (event.key in steps && far) this.select(edgeOf(table, at, steps[event.key]), event.shiftKey);
    else if (event.key in steps) this.step(...steps[event.key], event.shiftKey);
    else if (event.key === "Home") this.select({ r: far ? 0 : at.r, c: 0 }, event.shiftKey);
    else if (event.key === "End") this.select({ r: far ? table.rows - 1 : at.r, c: table.cols - 1 }, event.shiftKey);
    else if (event.key === "PageUp") this.select({ r: at.r - PAGE_ROWS, c: at.c }, event.shiftKey);
    else if (event.key === "PageDown") this.select({ r: at.r + PAGE_ROWS, c: at.c }, event.shiftKey);
    else return false;
    stop(event);
    return true;
  }
}

// The last place of the table in a direction.
function edgeOf(table, { r, c }, [dr, dc]) {
  return {
    r: dr > 0 ? table.rows - 1 : dr < 0 ? 0 : r,
    c: dc > 0 ? table.cols - 1 : dc < 0 ? 0 : c,
  };
}

function stop(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}
