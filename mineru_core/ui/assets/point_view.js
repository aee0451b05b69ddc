// The point editor's two pictures: the chart as it stands on its page with what was read marked on it, and the same
// data drawn anew in the same frame, so that an eye sees at once where they differ.

const HUES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#7a3e9d", "#5f6673"];
const MARGIN = 0.03; // of the chart's edges, shown around it
const MOST_HEIGHT = 416; // CSS pixels of a picture, as in point_editor.css
const LETTER = 11; // CSS pixels of the redrawn chart's letters
const LEAST_NAME = 5; // letters' heights of a category's name that are shown at least
const LOUPE = 6; // times as large as on screen

function hueOf(chart, number) {
  return chart.series[number].color ?? HUES[number % HUES.length];
}

class PointView {
  constructor(root) {
    this.root = root;
    this.bar = make("div", "bar", root);
    this.bar.setAttribute("role", "toolbar");
    this.panes = make("div", "panes", root);
    const left = make("figure", "pane", this.panes);
    this.over = draw("svg", { tabindex: 0, role: "application" }, left);
    this.image = draw("image", {}, this.over);
    this.layer = draw("g", {}, this.over);
    this.loupe = draw("svg", { class: "loupe", "aria-hidden": "true" }, left);
    this.loupeImage = draw("image", {}, this.loupe);
    this.cross = draw("path", { class: "cross" }, this.loupe);
    this.leftCaption = make("figcaption", "", left);
    const right = make("figure", "pane", this.panes);
    this.drawn = draw("svg", { role: "img", class: "drawn" }, right);
    this.rightCaption = make("figcaption", "", right);
    this.side = make("div", "side", root);
    this.status = make("p", "status", root);
    this.status.setAttribute("role", "status");
  }

  // The part of the page that is shown: x, y, width, height in page pixels.
  frame() {
    const [x0, y0, x1, y1] = this.chart.box ?? [0, 0, this.chart.page.width, this.chart.page.height];
    const pad = MARGIN * Math.max(x1 - x0, y1 - y0);
    return [x0 - pad, y0 - pad, x1 - x0 + 2 * pad, y1 - y0 + 2 * pad];
  }

  // Page pixels for one CSS pixel.
  get scale() {
    const { width, height } = this.over.getBoundingClientRect();
    const [, , w, h] = this.frame();
    return width && height ? Math.max(w / width, h / height) : 1;
  }

  placeOf(event) {
    const matrix = this.over.getScreenCTM();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return [Math.round(x * 100) / 100, Math.round(y * 100) / 100];
  }

  drawAll() {
    const { page } = this.chart;
    this.over.setAttribute("viewBox", this.frame().join(" "));
    for (const image of [this.image, this.loupeImage]) {
      image.setAttribute("width", page.width);
      image.setAttribute("height", page.height);
      if (image.getAttribute("href") !== page.src) image.setAttribute("href", page.src);
    }
    this.drawMarks();
    this.drawAnew();
  }

  drawMarks() {
    const { chart, layer, scale, chosen } = this;
    const marks = [];
    chart.series.forEach((series, s) => {
      const hue = hueOf(chart, s);
      series.points.forEach((point, p) => {
        if (!point.place) return;
        const isChosen = chosen && chosen.series === s && chosen.point === p;
        const classes = ["mark", isChosen && "chosen", s !== this.active && "aside", point.sure < 75 && "doubtful"];
        const mark = draw("circle", {
          cx: point.place[0], cy: point.place[1], r: (isChosen ? 6.5 : 4.5) * scale, fill: hue,
          class: classes.filter(Boolean).join(" "), "stroke-width": (isChosen ? 3 : 1.6) * scale,
        });
        mark.dataset.at = `${s} ${p}`;
        draw("title", {}, mark).textContent = `${series.name || this.words.unnamed} · ${point.x}: ${point.y ?? "–"}`;
        marks.push(mark);
      });
    });
    for (const name of ["x", "y", "second_y"]) {
      const axis = chart.axes[name];
      if (axis) axis.marks.forEach(([place, value], number) => marks.push(this.axisMark(name, axis, place, value, number)));
    }
    layer.replaceChildren(...marks);
  }

  axisMark(name, axis, place, value, number) {
    const [x, y, w, h] = this.frame();
    const { scale } = this;
    const vertical = along(axis, name !== "x") === 1;
    const group = draw("g", { class: "axis" });
    group.dataset.axis = `${name} ${number}`;
    const ends = vertical ? { x1: x, x2: x + w, y1: place, y2: place } : { x1: place, x2: place, y1: y, y2: y + h };
    draw("line", { ...ends, "stroke-width": 1.2 * scale, "stroke-dasharray": `${5 * scale} ${4 * scale}` }, group);
    draw("line", { ...ends, class: "grip", "stroke-width": 12 * scale }, group);
    const at = vertical ? [name === "second_y" ? x + w - 3 * scale : x + 3 * scale, place - 3 * scale] : [place + 3 * scale, y + h - 4 * scale];
    const text = draw("text", { x: at[0], y: at[1], "font-size": 11 * scale, "text-anchor": name === "second_y" ? "end" : "start" }, group);
    text.textContent = String(value);
    return group;
  }

  // The data alone -----------------------------------------------------------------------------------------------------

  drawAnew() {
    const { chart, drawn } = this;
    const shapes = draw("g");
    this.room = this.frame();
    if (chart.kind === "pie") this.drawPie(shapes);
    else this.drawXY(shapes);
    drawn.replaceChildren(shapes);
    drawn.setAttribute("viewBox", this.room.join(" "));
    drawn.setAttribute("aria-label", this.words.redrawn);
  }

  // Page pixels for one CSS pixel of the redrawn chart.
  get px() {
    const { width } = this.drawn.getBoundingClientRect();
    const [, , w, h] = this.room;
    return width ? Math.max(w / width, h / MOST_HEIGHT) : 1;
  }

  // The frame, and more where values stand outside it, as one that was corrected may; by no more than its own size, so
  // that a slip of the hand does not make all else small.
  roomFor(vertical, ends) {
    const [x, y, w, h] = this.frame();
    const [start, size] = vertical ? [y, h] : [x, w];
    const outside = ends.filter((end) => end !== null && (end < start || end > start + size));
    const low = Math.max(start - size, Math.min(start, ...outside.map((end) => end - 0.05 * size)));
    const high = Math.min(start + 2 * size, Math.max(start + size, ...outside.map((end) => end + 0.05 * size)));
    return vertical ? [x, low, w, high - low] : [low, y, high - low, h];
  }

  drawPie(shapes) {
    const [x, y, w, h] = this.frame();
    const points = this.chart.series.flatMap((series) => series.points).filter((point) => point.y > 0);
    const sum = points.reduce((all, point) => all + point.y, 0);
    const r = 0.4 * Math.min(w, h);
    let from = -Math.PI / 2;
    points.forEach((point, number) => {
      const to = from + (2 * Math.PI * point.y) / sum;
      const [cx, cy] = [x + w / 2, y + h / 2];
      const large = to - from > Math.PI ? 1 : 0;
      const [ax, ay, bx, by] = [cx + r * Math.cos(from), cy + r * Math.sin(from), cx + r * Math.cos(to), cy + r * Math.sin(to)];
      const whole = points.length === 1;
      const d = whole ? `M${cx - r} ${cy}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0` : `M${cx} ${cy}L${ax} ${ay}A${r} ${r} 0 ${large} 1 ${bx} ${by}Z`;
      draw("path", { d, fill: HUES[number % HUES.length], class: "slice", "stroke-width": 1.5 * this.px }, shapes);
      const middle = (from + to) / 2;
      this.label(shapes, `${point.x} ${point.y}`, cx + 0.65 * r * Math.cos(middle), cy + 0.65 * r * Math.sin(middle), "middle", "inside");
      from = to;
    });
  }

  label(parent, text, x, y, anchor = "middle", className = "", room = Infinity) {
    const made = draw("text", { x, y, "text-anchor": anchor, "font-size": LETTER * this.px, class: className }, parent);
    const shown = this.shortened(text.length > 24 && room === Infinity ? `${text.slice(0, 23)}…` : text, room);
    made.textContent = shown;
    if (shown !== text) draw("title", {}, made).textContent = text;
  }

  widthOf(text) {
    this.pen ??= document.createElement("canvas").getContext("2d");
    this.pen.font = `${LETTER}px ${getComputedStyle(this.root).fontFamily}`;
    return this.pen.measureText(text).width * this.px;
  }

  shortened(text, room) {
    if (room === Infinity || this.widthOf(text) <= room) return text;
    let kept = text.length - 1;
    while (kept > 1 && this.widthOf(`${text.slice(0, kept)}…`) > room) kept -= 1;
    return `${text.slice(0, kept)}…`;
  }

  // Values to places: by the axis, or, where it is not calibrated, by the range of the values.
  scaleFor(axis, values) {
    const [x, y, w, h] = this.frame();
    const vertical = along(axis, true) === 1;
    const low = Math.min(0, ...values);
    const high = Math.max(low + 1e-9, ...values);
    if (lineOf(axis)) return { vertical, at: (value) => placeOf(axis, value), low, high };
    const [start, end] = vertical ? [y + 0.86 * h, y + 0.08 * h] : [x + 0.2 * w, x + 0.94 * w];
    return { vertical, at: (value) => start + ((value - low) / (high - low)) * (end - start), low, high };
  }

  drawXY(shapes) {
    const { chart } = this;
    const values = chart.series.flatMap((series) => series.points.map((point) => point.y)).filter((y) => y !== null);
    const totals = chart.stacked ? this.stackTotals() : [];
    const main = this.scaleFor(chart.axes.y, [...values, ...totals]);
    const scales = new Map(chart.series.map((series) => [series, this.scaleOf(series, main)]));
    const ends = chart.series.flatMap((series) => series.points.map(({ y }) => (y === null ? null : scales.get(series).at(y))));
    this.room = this.roomFor(main.vertical, [...ends, ...totals.map((total) => main.at(total))]);
    this.grid(shapes, main);
    const names = [...new Set(chart.series.flatMap((series) => series.points.map((point) => point.x)))];
    const where = this.categories(names, main.vertical);
    const piles = new Map();
    chart.series.forEach((series, s) => {
      const scale = scales.get(series);
      const places = series.points.map((point) => this.redrawnPlace(series, point, scale, where, piles));
      this.drawSeries(shapes, series, s, places.filter(Boolean), scale);
    });
    if (main.vertical) this.namesBelow(shapes, names, where);
    else this.namesBeside(shapes, names, where, ends.filter((end) => end !== null), main);
  }

  scaleOf(series, main) {
    const axis = this.chart.axisOf(series);
    return axis === this.chart.axes.y ? main : this.scaleFor(axis, series.points.map((point) => point.y ?? 0));
  }

  // Below standing marks: shortened to the room between two, and left out where there is none.
  namesBelow(shapes, names, where) {
    const [x, y, w, h] = this.room;
    const gap = 6 * this.px;
    const places = [...where.values()];
    const even = names.length > 1 ? (Math.max(...places) - Math.min(...places)) / (names.length - 1) : w;
    const room = Math.max(even, LEAST_NAME * LETTER * this.px) - gap;
    let edge = x;
    for (const name of [...names].sort((one, other) => where.get(one) - where.get(other))) {
      const half = Math.min(this.widthOf(name), room) / 2;
      const middle = Math.min(Math.max(where.get(name), x + half), x + w - half);
      if (middle - half < edge) continue;
      this.label(shapes, name, middle, y + h - 4 * this.px, "middle", "name", room);
      edge = middle + half + gap;
    }
  }

  // Beside lying marks: up to where they begin; over them only where there is no room at all.
  namesBeside(shapes, names, where, ends, main) {
    const [x] = this.room;
    const gap = 4 * this.px;
    const zero = main.at(Math.max(0, main.low));
    const begin = Math.min(...(zero === null ? [] : [zero]), ...ends) - gap;
    const least = LEAST_NAME * LETTER * this.px;
    const fits = begin - x - gap >= least;
    let edge = -Infinity;
    for (const name of [...names].sort((one, other) => where.get(one) - where.get(other))) {
      const at = where.get(name);
      if (at < edge) continue;
      if (fits) this.label(shapes, name, begin, at + 4 * this.px, "end", "name", begin - x - gap);
      else this.label(shapes, name, x + gap, at + 4 * this.px, "start", "name over", least);
      edge = at + LETTER * this.px;
    }
  }

  stackTotals() {
    const sums = new Map();
    const piled = this.chart.series.filter((series) => this.chart.isPiled(series));
    for (const { points } of piled) for (const { x, y } of points) if (y > 0) sums.set(x, (sums.get(x) ?? 0) + y);
    return [...sums.values()];
  }

  redrawnPlace(series, point, scale, where, piles) {
    if (point.y === null) return null;
    let [from, to] = [Math.max(0, scale.low), point.y];
    if (this.chart.isPiled(series)) {
      const key = `${point.x} ${point.y < 0}`;
      from = piles.get(key) ?? 0;
      to = from + point.y;
      piles.set(key, to);
    }
    const end = scale.at(to);
    if (end === null) return null;
    const start = scale.at(from) ?? end;
    const beside = point.place && this.chart.byPlace(series) ? point.place[scale.vertical ? 0 : 1] : where.get(point.x);
    return { beside, start, end };
  }

  // Where each category stands: at the middle of its marks, else evenly.
  categories(names, vertical) {
    const [x, y, w, h] = this.frame();
    const way = vertical ? 0 : 1;
    const found = new Map();
    names.forEach((name, number) => {
      const marks = this.chart.series.flatMap((series) => series.points).filter((point) => point.x === name && point.place);
      const sum = marks.reduce((all, point) => all + point.place[way], 0);
      const even = (number + 0.5) / names.length;
      found.set(name, marks.length ? sum / marks.length : vertical ? x + w * (0.1 + 0.85 * even) : y + h * (0.05 + 0.85 * even));
    });
    return found;
  }

  drawSeries(shapes, series, number, places, scale) {
    const hue = hueOf(this.chart, number);
    const spot = ({ beside, end }) => (scale.vertical ? [beside, end] : [end, beside]);
    const { px } = this;
    const kind = this.chart.kindOf(series);
    if (["bar", "other"].includes(kind)) {
      const thick = this.thickness(scale.vertical);
      for (const { beside, start, end } of places) {
        const [low, size] = [Math.min(start, end), Math.max(Math.abs(end - start), px)];
        const box = scale.vertical ? { x: beside - thick / 2, y: low, width: thick, height: size } : { x: low, y: beside - thick / 2, width: size, height: thick };
        draw("rect", { ...box, fill: hue, class: "shape", "stroke-width": px }, shapes);
      }
      return;
    }
    const ordered = [...places].sort((a, b) => a.beside - b.beside);
    if (kind === "area" && ordered.length) {
      const back = [...ordered].reverse().map(({ beside, start }) => (scale.vertical ? [beside, start] : [start, beside]));
      draw("polygon", { points: [...ordered.map(spot), ...back].join(" "), fill: hue, class: "band" }, shapes);
    }
    if (kind !== "scatter") {
      const line = { points: ordered.map(spot).join(" "), fill: "none" };
      draw("polyline", { ...line, class: "edge", "stroke-width": 3.4 * px }, shapes);
      draw("polyline", { ...line, stroke: hue, "stroke-width": 2 * px }, shapes);
    }
    for (const place of places) {
      const [cx, cy] = spot(place);
      draw("circle", { cx, cy, r: (kind === "scatter" ? 4 : 2.5) * px, fill: hue, class: "shape", "stroke-width": 0.7 * px }, shapes);
    }
  }

  thickness(vertical) {
    const way = vertical ? 0 : 1;
    const bars = this.chart.series.filter((series) => this.chart.kindOf(series) !== "line");
    const all = bars.flatMap((series) => series.points).filter((point) => point.place).map((point) => point.place[way]);
    const sorted = [...new Set(all.map((one) => Math.round(one)))].sort((a, b) => a - b);
    const [, , w, h] = this.frame();
    let least = 0.6 * (vertical ? w : h) / Math.max(2, sorted.length);
    for (let n = 1; n < sorted.length; n++) if (sorted[n] - sorted[n - 1] > 3) least = Math.min(least, sorted[n] - sorted[n - 1]);
    return 0.8 * least;
  }

  grid(shapes, scale) {
    const [x, y, w, h] = this.room;
    let last = null;
    for (const tick of ticksOf(scale.low, scale.high)) {
      const at = scale.at(tick);
      if (at === null) continue;
      // Values that fill little of their axis: their numbers would stand in each other.
      const room = scale.vertical ? 1.4 * LETTER * this.px : this.widthOf(String(tick)) + 0.6 * LETTER * this.px;
      if (last !== null && Math.abs(at - last) < room) continue;
      last = at;
      const ends = scale.vertical ? { x1: x, x2: x + w, y1: at, y2: at } : { x1: at, x2: at, y1: y, y2: y + h };
      draw("line", { ...ends, class: "rule", "stroke-width": this.px }, shapes);
      if (scale.vertical) this.label(shapes, String(tick), x + 2 * this.px, at - 2 * this.px, "start");
      else this.label(shapes, String(tick), at, y + h - 16 * this.px);
    }
  }

  showLoupe(place) {
    this.loupe.classList.toggle("shown", Boolean(place));
    if (!place) return;
    const size = (110 * this.scale) / LOUPE;
    const [x, y] = place;
    this.loupe.setAttribute("viewBox", `${x - size / 2} ${y - size / 2} ${size} ${size}`);
    this.cross.setAttribute("d", `M${x - size / 2} ${y}h${size}M${x} ${y - size / 2}v${size}`);
    this.cross.setAttribute("stroke-width", size / 110);
    const [left, , w] = this.frame();
    this.loupe.classList.toggle("right", x < left + w / 2); // away from the pointer
  }
}
