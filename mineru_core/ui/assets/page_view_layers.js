// What lies over the page picture: blocks, lines, cells, confidence, the answer's places, tooltips and the legend. Follows
// page_view_shared.js in one module. Recognised text enters through textContent and setAttribute only, never as
// markup: this code runs in the page itself, not in a frame.

const GAP = 6; // CSS pixels between a box and its tooltip
const HEAD = 60; // CSS pixels at the top of the window, and
const FOOT = 96; // at its bottom, that the app's own bars cover
const LIT_MS = 2600; // how long what was pointed at stays lit in the answer
const DOUBTFUL = 75; // percent; what is less sure is hatched

function put(element, box, page) {
  const [left, top, width, height] = percent(box, page);
  Object.assign(element.style, { left: left + "%", top: top + "%", width: width + "%", height: height + "%" });
}

function outlines(boxes) {
  return boxes.map(([x0, y0, x1, y1]) => `M${x0} ${y0}H${x1}V${y1}H${x0}Z`).join("");
}

function polygons(corners) {
  return corners.map((c) => `M${c[0]} ${c[1]}L${c[2]} ${c[3]} ${c[4]} ${c[5]} ${c[6]} ${c[7]}Z`).join("");
}

// The rows that /ui/boxes gives, by name.
function readBoxes(told) {
  return {
    page: { width: told.width, height: told.height },
    turn: told.turn,
    blocks: told.blocks.map(([x0, y0, x1, y1, kind, number, sure, text]) => ({ box: [x0, y0, x1, y1], kind, number, sure, text })),
    lines: told.lines.map((row) => ({
      corners: row.slice(0, 8), sure: row[8], text: row[9],
      box: [Math.min(row[0], row[6]), Math.min(row[1], row[3]), Math.max(row[2], row[4]), Math.max(row[5], row[7])],
    })),
    cells: told.cells.map((row) => ({ table: row[0], row: row[1], col: row[2], box: row.slice(3, 7), sure: row[7], text: row[8] })),
    marks: told.marks.map((row) => ({ box: row.slice(0, 4), kind: row[4], text: row[5] })),
  };
}

class Layers {
  constructor(view, paper) {
    this.view = view;
    this.on = { blocks: true, lines: false, cells: false, order: true, heat: false };
    this.svg = draw("svg", { class: "shapes", preserveAspectRatio: "none", "aria-hidden": "true" }, paper);
    this.marks = make("div", "layer marks", paper);
    this.blocks = make("div", "layer", paper);
    this.hot = make("div", "hot", paper);
    this.place = make("div", "place", paper);
    this.tip = make("div", "tip", view.root);
    this.tip.setAttribute("role", "tooltip");
    this.legend = make("ul", "legend");
    this.hot.hidden = this.place.hidden = true;
    this.found = null;
  }

  show(found) {
    this.found = found;
    this.hideTip();
    this.hot.hidden = this.place.hidden = true;
    this.draw();
  }

  turn(name, on) {
    this.on[name] = on;
    this.draw();
  }

  draw() {
    const { found, on } = this;
    this.svg.replaceChildren();
    this.blocks.replaceChildren();
    this.marks.replaceChildren();
    this.legend.replaceChildren();
    if (!found) return;
    this.blocks.classList.toggle("numbered", on.order);
    this.blocks.classList.toggle("bare", !on.blocks);
    this.svg.setAttribute("viewBox", `0 0 ${found.page.width} ${found.page.height}`);
    if (on.heat) this.drawHeat();
    if (on.lines) draw("path", { class: "line", d: polygons(found.lines.map((line) => line.corners)) }, this.svg);
    if (on.cells) draw("path", { class: "cell", d: outlines(found.cells.map((cell) => cell.box)) }, this.svg);
    this.drawDoubtful();
    if (on.blocks || on.order) this.drawBlocks(found.blocks);
    this.drawMarks(found.marks);
    this.drawLegend();
  }

  // The finest that is known: cells, and the lines outside of tables; else blocks.
  finest() {
    const { blocks, lines, cells } = this.found;
    const tables = blocks.filter((block) => block.kind === "table").map((block) => block.box);
    const outside = cells.length ? lines.filter((line) => !tables.some((box) => overlap(line.box, box) > 0.5)) : lines;
    const fine = [...cells.filter((cell) => cell.text), ...outside];
    return fine.length ? fine : blocks;
  }

  drawHeat() {
    const all = this.finest();
    let most = 101;
    for (const { least, colour } of this.view.heat) {
      const boxes = all.filter((one) => one.sure >= least && one.sure < most).map((one) => one.box);
      if (boxes.length) draw("path", { class: "heat", fill: colour, d: outlines(boxes) }, this.svg);
      most = least;
    }
  }

  // Hatched, not only coloured; where no fine layer is shown, nothing is.
  drawDoubtful() {
    const { found, on } = this;
    const shown = on.heat ? this.finest() : [...(on.lines ? found.lines : []), ...(on.cells ? found.cells : [])];
    const boxes = shown.filter((one) => one.sure < DOUBTFUL && one.text).map((one) => one.box);
    if (!boxes.length) return;
    const step = found.page.width / 160;
    const id = "hatch";
    const pattern = draw("pattern", { id, width: step, height: step, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, this.svg);
    draw("line", { x1: 0, y1: 0, x2: 0, y2: step, "stroke-width": step / 2, class: "hatching" }, pattern);
    draw("path", { class: "doubtful", fill: `url(#${id})`, d: outlines(boxes) }, this.svg);
  }

  drawBlocks(blocks) {
    const { looks, words } = this.view;
    const buttons = blocks.map((block) => {
      const [label, colour, line] = looks[block.kind] || [block.kind, "#6b7280", "solid"];
      const button = make("button", "block", this.blocks);
      button.type = "button";
      button.dataset.kind = block.kind;
      button.style.setProperty("--ink", colour);
      button.style.setProperty("--line", line);
      button.style.setProperty("--weight", line === "double" ? "4px" : "1.5px");
      button.setAttribute("aria-label", `${block.number}. ${label}, ${words.sure.replace("%", block.sure + "%")}. ${block.text}`);
      put(button, block.box, this.found.page);
      make("span", "number", button).textContent = String(block.number);
      return button;
    });
    buttons.forEach((button, index) => this.listenTo(button, blocks[index], buttons, index));
  }

  listenTo(button, block, buttons, index) {
    button.tabIndex = index === 0 ? 0 : -1;
    const show = () => this.tell(block, button);
    button.addEventListener("pointerenter", () => {
      show();
      hintAnswer(this.view.page, block);
    });
    button.addEventListener("focus", show);
    button.addEventListener("pointerleave", () => {
      this.hideTip();
      hintAnswer(this.view.page, null);
    });
    button.addEventListener("blur", () => this.hideTip());
    button.addEventListener("click", (event) => {
      show();
      const cell = event.detail ? this.cellAt(this.view.pointOf(event)) : null; // a key has no place
      this.view.pick(cell || block);
    });
    button.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.hideTip();
      else this.walk(event, buttons, index);
    });
  }

  // One tab stop for all blocks; the arrow keys walk them in reading order.
  walk(event, buttons, index) {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    let next = null;
    if (event.key in steps) next = (index + steps[event.key] + buttons.length) % buttons.length;
    if (event.key === "Home") next = 0;
    if (event.key === "End") next = buttons.length - 1;
    if (next === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    buttons.forEach((button, at) => (button.tabIndex = at === next ? 0 : -1));
    buttons[next].focus();
  }

  drawMarks(marks) {
    for (const mark of marks) {
      const element = make("div", "mark " + mark.kind, this.marks);
      put(element, mark.box, this.found.page);
      element.setAttribute("role", "img");
      element.setAttribute("aria-label", mark.text || this.view.words.region_asked);
    }
  }

  drawLegend() {
    const { legend, on, view } = this;
    legend.setAttribute("aria-label", view.words.legend);
    const add = (text, kind, colour, line) => {
      const item = make("li", "", legend);
      const swatch = make("i", "swatch " + kind, item);
      swatch.style.setProperty("--ink", colour);
      swatch.style.setProperty("--line", line || "solid");
      if (line === "double") swatch.style.borderWidth = "4px";
      make("span", "", item).textContent = text;
    };
    if (on.blocks) {
      for (const kind of new Set(this.found.blocks.map((block) => block.kind))) {
        const [label, colour, line] = view.looks[kind] || [kind, "#6b7280", "solid"];
        add(label, "kind", colour, line);
      }
    }
    if (on.heat) {
      for (const { label, colour } of view.heat) add(label, "step", colour);
    }
    if (on.heat || on.lines || on.cells) add(view.words.doubtful, "hatch", "#8a3b00");
  }

  // The smallest of these that holds the point, in page pixels.
  static smallest(all, point) {
    let best = null;
    for (const one of all) if (holds(one.box, point) && (!best || areaOf(one.box) < areaOf(best.box))) best = one;
    return best;
  }

  cellAt(point) {
    return this.found ? Layers.smallest(this.found.cells, point) : null;
  }

  // The line or cell under the pointer, where its layer is shown.
  fineAt(point) {
    const { found, on } = this;
    if (!found) return null;
    const shown = on.heat ? this.finest() : [...(on.lines ? found.lines : []), ...(on.cells ? found.cells : [])];
    return Layers.smallest(shown, point);
  }

  // What the pointer is over: a line or cell where its layer is shown, and what the answer has of it.
  hover(point) {
    const fine = point && this.fineAt(point);
    const one = fine || (point && this.cellAt(point));
    if (one === this.hovered) return;
    this.hovered = one;
    hintAnswer(this.view.page, one);
    this.hot.hidden = !fine;
    if (!fine) return;
    put(this.hot, fine.box, this.found.page);
    this.tell(fine, this.hot);
  }

  // Lit until something else is.
  light(box) {
    this.place.hidden = !box;
    if (!box) return;
    put(this.place, box, this.found.page);
    this.place.classList.remove("fresh");
    void this.place.offsetWidth; // starts the animation anew
    this.place.classList.add("fresh");
  }

  tell(one, target) {
    const { tip, view } = this;
    const [label, colour] = view.looks[one.kind] || [one.corners ? view.words.line : view.words.cell, ""];
    tip.replaceChildren();
    const head = make("strong", "tip-head", tip);
    head.textContent = `${one.number ? one.number + ". " : ""}${label} · ${one.sure}%`;
    head.style.setProperty("--ink", colour);
    if (one.text) make("span", "tip-text", tip).textContent = one.text;
    tip.classList.add("shown");
    const origin = view.root.getBoundingClientRect();
    const [left, top] = besideBox(target.getBoundingClientRect(), tip.offsetWidth, tip.offsetHeight, origin.left);
    tip.style.left = left - origin.left + "px";
    tip.style.top = top - origin.top + "px";
  }

  hideTip() {
    this.tip.classList.remove("shown");
  }
}

// Where a tooltip hides nothing of its box: below it, above it, at its right or left; in window coordinates.
function besideBox(box, width, height, leftmost) {
  const bottom = window.innerHeight - FOOT;
  const rightmost = document.documentElement.clientWidth - width - 4;
  const left = Math.max(Math.min(box.left, rightmost), 4);
  if (box.bottom + GAP + height <= bottom) return [left, box.bottom + GAP];
  if (box.top - GAP - height >= HEAD) return [left, box.top - GAP - height];
  const top = Math.min(Math.max(box.top, HEAD), bottom - height);
  if (box.right + GAP <= rightmost) return [box.right + GAP, top];
  if (box.left - GAP - width >= leftmost) return [box.left - GAP - width, top];
  return [left, bottom - height]; // it fills the window: its end is hidden, not what stands first in it
}

// The answer beside the picture: places named by data attributes, wherever they stand in the document.
const PLACES = "[data-wb-box]";

function placeOf(target) {
  const element = target instanceof Element ? target.closest(PLACES) : null;
  if (!element) return cellOf(target);
  const box = element.dataset.wbBox.split(",").map(Number);
  const page = Number(element.dataset.wbPage);
  return box.length === 4 && box.every(Number.isFinite) && page >= 1 ? { page, box, element } : null;
}

// Cells of HTML tables with their places, worked out once: the tables of an answer do not change, they are replaced.
const tables = new WeakMap();

function cellsOf(table) {
  if (!tables.has(table)) {
    const rows = [...table.rows].map((row) => [...row.cells]);
    const places = cellPlaces(rows).flat();
    tables.set(table, new Map(rows.flat().map((cell, at) => [cell, places[at]])));
  }
  return tables.get(table);
}

// A cell of a table that names itself: data-wb-table="page:index".
function cellOf(target) {
  const element = target instanceof Element ? target.closest("[data-wb-table] td, [data-wb-table] th") : null;
  const place = element && cellsOf(element.closest("table")).get(element);
  if (!place) return null;
  const [page, table] = element.closest("[data-wb-table]").dataset.wbTable.split(":").map(Number);
  return { page, table, row: place[0], col: place[1], element };
}

// What the answer has of that place.
function* answered(page, one) {
  for (const element of document.querySelectorAll(PLACES)) {
    const place = placeOf(element);
    if (place && place.page === page && overlap(place.box, one.box) >= 0.4) yield element;
  }
  if (one.table === undefined) return;
  for (const table of document.querySelectorAll(`[data-wb-table="${page}:${one.table}"] table`)) {
    for (const [cell, [row, col]] of cellsOf(table)) if (row === one.row && col === one.col) yield cell;
  }
}

let hinted = [];

function hintAnswer(page, one) {
  for (const element of hinted) element.classList.remove("wb-hint");
  hinted = one ? [...answered(page, one)] : [];
  for (const element of hinted) element.classList.add("wb-hint");
}

function lightAnswer(page, one) {
  const seen = [...answered(page, one)].filter((element) => element.getClientRects().length);
  seen.forEach(flash);
  seen[0]?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function flash(element) {
  element.animate(
    [{ outline: "2px solid #b87400", backgroundColor: "rgb(230 159 0 / 45%)" },
     { outline: "2px solid #b87400", backgroundColor: "rgb(230 159 0 / 45%)", offset: 0.8 },
     { outline: "2px solid transparent" }],
    { duration: LIT_MS },
  );
}
