// The point editor: picking, dragging, adding and deleting points, naming series, calibrating axes. Follows
// point_model.js, point_view.js and point_outbox.js in one module, under the same rule.

const REACH = 14; // CSS pixels around a point that still mean it
const MOVED = 3; // CSS pixels; less is a click
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

class PointEditor extends PointView {
  constructor(root) {
    super(root);
    this.active = 0;
    this.chosen = null; // { series, point }
    this.tool = "move";
    this.calibrating = null; // { axis, marks }
    this.outbox = new Outbox(root, (what) => this.say(this.words[what]));
    this.over.addEventListener("pointerdown", (event) => this.press(event));
    this.over.addEventListener("pointermove", (event) => this.move(event));
    this.over.addEventListener("pointerup", (event) => this.drop(event));
    this.over.addEventListener("pointercancel", () => this.abandon());
    this.over.addEventListener("pointerleave", () => this.drag || this.showLoupe(null));
    this.over.addEventListener("keydown", (event) => this.key(event));
    this.resized = new ResizeObserver(() => this.chart && this.drawAll());
    this.resized.observe(this.panes);
  }

  take(data, send) {
    Object.assign(this, { words: data.words, canUndo: data.can_undo, canRedo: data.can_redo });
    this.outbox.delivery.send = send;
    this.over.setAttribute("aria-label", data.label);
    this.bar.setAttribute("aria-label", data.words.tools);
    this.leftCaption.textContent = data.words.original;
    this.rightCaption.textContent = data.words.redrawn;
    const { waiting } = this.outbox;
    if (!this.outbox.answered(data)) return; // drawn before the change was made
    if (!this.chart || data.version !== this.outbox.version || data.error) {
      this.outbox.version = data.version;
      if (!this.outbox.queue.length) this.adopt(data.chart);
    }
    if (waiting) this.say(data.error || data.note || this.words.saved, Boolean(data.error));
    this.refresh();
    this.outbox.pump();
  }

  adopt(chart) {
    this.chart = new ChartModel(chart);
    this.active = Math.max(0, Math.min(this.active, this.chart.series.length - 1));
    if (this.chosen && !this.point) this.chosen = null;
    if (!this.drag) this.drawAll();
  }

  get point() {
    return this.chosen && this.chart.series[this.chosen.series]?.points[this.chosen.point];
  }

  // What is late is said before all else, until it is answered.
  say(text, wrong = false) {
    if (this.outbox.delivery.late) {
      text = text && text !== this.words.lost ? `${this.words.lost} ${text}` : this.words.lost;
      wrong = true;
    }
    this.status.textContent = text;
    this.status.classList.toggle("wrong", wrong);
  }

  change(change) {
    this.chart.apply(change);
    if (this.chosen && !this.point) this.chosen = null;
    this.active = Math.max(0, Math.min(this.active, this.chart.series.length - 1));
    this.outbox.add(change);
    this.drawAll();
    this.refresh();
  }

  choose(series, point) {
    this.chosen = point === null ? null : { series, point };
    this.active = series;
    this.drawMarks();
    this.refresh();
    const one = this.point;
    if (one) this.say(`${this.chart.series[series].name || this.words.unnamed} · ${one.x}: ${one.y ?? "–"}`);
  }

  // Pointer -----------------------------------------------------------------------------------------------------------

  nearest(place) {
    let best = null;
    let least = REACH * this.scale;
    this.chart.series.forEach((series, s) => {
      series.points.forEach((point, p) => {
        if (!point.place) return;
        const far = Math.hypot(point.place[0] - place[0], point.place[1] - place[1]) - (s === this.active ? 0.5 : 0);
        if (far < least) [best, least] = [{ series: s, point: p }, far];
      });
    });
    return best;
  }

  axisAt(event) {
    const found = event.target.closest?.(".axis")?.dataset.axis;
    if (!found) return null;
    const [name, number] = found.split(" ");
    return { name, number: Number(number) };
  }

  press(event) {
    if (event.button !== 0 || !this.chart) return;
    event.preventDefault(); // no text selection, and no click on what lies below
    this.over.focus({ preventScroll: true });
    const place = this.placeOf(event);
    if (this.calibrating) return this.calibrateAt(place);
    if (this.tool === "add") return this.addAt(place);
    const near = this.nearest(place);
    const axis = near ? null : this.axisAt(event);
    if (near) {
      this.choose(near.series, near.point);
      this.drag = { from: [event.clientX, event.clientY], at: [...this.point.place], start: place, moved: false };
    } else if (axis) this.drag = { axis, from: [event.clientX, event.clientY], start: place, moved: false };
    else this.choose(this.active, null);
    if (this.drag) this.over.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.chart) return;
    const place = this.placeOf(event);
    const { drag } = this;
    if (!drag) {
      this.showLoupe(event.pointerType === "mouse" ? place : null);
      return;
    }
    drag.moved ||= Math.hypot(event.clientX - drag.from[0], event.clientY - drag.from[1]) > MOVED;
    if (!drag.moved) return;
    if (drag.axis) {
      this.moveAxis(drag.axis, place, false);
      this.showLoupe(place);
      return;
    }
    const to = [drag.at[0] + place[0] - drag.start[0], drag.at[1] + place[1] - drag.start[1]];
    Object.assign(this.point, { place: to }, this.chart.at(this.chart.series[this.chosen.series], to));
    this.drawMarks();
    this.drawAnew();
    this.showLoupe(to);
    this.say(`${this.point.x}: ${this.point.y ?? "–"}`);
  }

  drop(event) {
    const { drag } = this;
    this.drag = null;
    this.showLoupe(null);
    if (!drag) return;
    if (!drag.moved) {
      if (drag.axis) this.askMark(drag.axis);
      return;
    }
    if (drag.axis) this.moveAxis(drag.axis, this.placeOf(event), true);
    else this.change({ op: "set-point", ...this.chosen, place: this.point.place });
  }

  abandon() {
    this.drag = null;
    this.showLoupe(null);
  }

  addAt(place) {
    if (!this.chart.series.length) this.change({ op: "add-series", name: this.words.series.replace("%", "1") });
    const series = this.chart.series[this.active];
    const way = this.chart.axes.y.vertical === false ? 1 : 0;
    let at = series.points.findIndex((point) => point.place && point.place[way] > place[way]);
    if (at < 0) at = series.points.length;
    const found = this.chart.at(series, place);
    const change = { op: "add-point", series: this.active, at, place };
    if (found.y === undefined) {
      const typed = this.askNumber(this.words.ask_value);
      if (typed === null) return;
      change.y = typed;
    }
    this.chosen = { series: this.active, point: at };
    this.change(change);
  }

  // Axes --------------------------------------------------------------------------------------------------------------

  startCalibration(axis) {
    this.calibrating = this.calibrating?.axis === axis ? null : { axis, marks: [] };
    this.say(this.calibrating ? this.words.calibrate_first : "");
    this.refresh();
  }

  calibrateAt(place) {
    const { axis, marks } = this.calibrating;
    const lying = this.chart.axes.y.vertical === false;
    const vertical = (axis === "x") === lying;
    const value = this.askNumber(this.words.ask_value);
    if (value === null) return;
    marks.push({ place: place[vertical ? 1 : 0], value });
    if (marks.length < 2) {
      this.say(this.words.calibrate_second);
      return;
    }
    this.calibrating = null;
    this.calibrate(axis, vertical, marks, this.chart.axes[axis].scale === "log");
  }

  calibrate(axis, vertical, marks, log) {
    const possible = lineOf({ scale: log ? "log" : "linear", marks: marks.map(({ place, value }) => [place, value]) });
    if (!possible) {
      this.say(this.words.calibrate_wrong, true);
      this.drawAll();
      this.refresh();
      return;
    }
    this.change({ op: "calibrate-axis", axis, vertical, log, marks });
  }

  marksOf(name) {
    return this.chart.axes[name].marks.map(([place, value]) => ({ place, value }));
  }

  moveAxis({ name, number }, place, done) {
    const axis = this.chart.axes[name];
    const vertical = along(axis, name !== "x") === 1;
    const at = place[vertical ? 1 : 0];
    if (!done) {
      axis.marks = axis.marks.map((mark, n) => (n === number ? [at, mark[1]] : mark));
      this.drawMarks();
      this.say(`${axis.marks[number][1]}`);
      return;
    }
    const marks = this.marksOf(name);
    marks[number].place = at;
    this.calibrate(name, vertical, marks, axis.scale === "log");
  }

  askMark({ name, number }) {
    const axis = this.chart.axes[name];
    const value = this.askNumber(this.words.ask_value, axis.marks[number][1]);
    if (value === null) return;
    const marks = this.marksOf(name);
    marks[number].value = value;
    this.calibrate(name, along(axis, name !== "x") === 1, marks, axis.scale === "log");
  }

  askNumber(question, before = "") {
    const typed = window.prompt(question, String(before));
    if (typed === null || !typed.trim()) return null;
    const value = Number(typed.replace(/[,\s]/g, "").replace("−", "-"));
    if (Number.isFinite(value)) return value;
    this.say(this.words.no_number, true);
    return null;
  }

  // Keyboard ----------------------------------------------------------------------------------------------------------

  key(event) {
    if (event.isComposing || !this.chart) return;
    const letter = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && ["z", "y"].includes(letter)) this.history(letter === "y" || event.shiftKey ? "redo" : "undo");
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (STEPS[event.key] && this.point?.place) this.nudge(STEPS[event.key], event.shiftKey ? 10 : 1);
    else if (STEPS[event.key] || letter === "n" || letter === "p") this.step(letter === "p" || ["ArrowLeft", "ArrowUp"].includes(event.key) ? -1 : 1);
    else if (["Delete", "Backspace"].includes(event.key) && this.point) this.removePoint();
    else if (event.key === "Enter" && this.point) this.side.querySelector(".value")?.focus();
    else if (event.key === "Escape") this.escape();
    else return;
    event.preventDefault();
    event.stopPropagation(); // Streamlit has keys of its own
  }

  escape() {
    this.calibrating = null;
    this.tool = "move";
    this.choose(this.active, null);
  }

  nudge([dx, dy], pixels) {
    const [x, y] = this.point.place;
    this.change({ op: "set-point", ...this.chosen, place: [x + dx * pixels, y + dy * pixels] });
    this.say(`${this.point.x}: ${this.point.y ?? "–"}`);
  }

  step(way) {
    const count = this.chart.series[this.active]?.points.length ?? 0;
    if (!count) return;
    const now = this.chosen?.series === this.active ? this.chosen.point : way > 0 ? -1 : count;
    this.choose(this.active, Math.min(count - 1, Math.max(0, now + way)));
  }

  removePoint() {
    const gone = this.chosen;
    this.chosen = null;
    this.change({ op: "delete-point", ...gone });
  }

  history(op) {
    if (op === "undo" ? !this.canUndo : !this.canRedo) return;
    if (this.outbox.idle) this.outbox.add({ op });
  }

  // Tools and the panel -----------------------------------------------------------------------------------------------

  refresh() {
    if (!this.chart) return;
    this.drawBar();
    this.drawSide();
  }

  drawBar() {
    const { words } = this;
    const tools = [
      ["undo", this.canUndo, () => this.history("undo")],
      ["redo", this.canRedo, () => this.history("redo")],
      ["move", true, () => this.setTool("move"), this.tool === "move" && !this.calibrating],
      ["add", true, () => this.setTool("add"), this.tool === "add"],
      ["delete", Boolean(this.point), () => this.removePoint()],
      ["calibrate_x", true, () => this.startCalibration("x"), this.calibrating?.axis === "x"],
      ["calibrate_y", true, () => this.startCalibration("y"), this.calibrating?.axis === "y"],
      ["log", this.chart.axes.y.marks.length > 1, () => this.toggleLog(), this.chart.axes.y.scale === "log"],
    ];
    this.buttons ??= new Map();
    for (const [name, possible, does, pressed] of tools) {
      let button = this.buttons.get(name);
      if (!button) {
        button = make("button", "", this.bar);
        button.type = "button";
        button.addEventListener("click", () => button.getAttribute("aria-disabled") === "true" || button.does());
        this.buttons.set(name, button);
      }
      button.does = does;
      button.textContent = words[name];
      button.title = words[`${name}_help`] ?? words[name];
      button.setAttribute("aria-disabled", String(!possible));
      if (pressed !== undefined) button.setAttribute("aria-pressed", String(Boolean(pressed)));
    }
    this.root.classList.toggle("aiming", this.tool === "add" || Boolean(this.calibrating));
  }

  setTool(tool) {
    this.tool = tool;
    this.calibrating = null;
    this.say(tool === "add" ? this.words.add_hint : "");
    this.refresh();
  }

  toggleLog() {
    const axis = this.chart.axes.y;
    this.calibrate("y", along(axis, true) === 1, this.marksOf("y"), axis.scale !== "log");
  }

  drawSide() {
    const typing = this.side.contains(this.root.getRootNode().activeElement) ? this.root.getRootNode().activeElement : null;
    if (typing?.matches("input")) return this.refill(typing); // whoever types is not disturbed
    const list = make("ul", "series");
    list.setAttribute("aria-label", this.words.all_series);
    this.chart.series.forEach((series, number) => this.seriesRow(list, series, number));
    const parts = [list];
    if (this.point) parts.push(this.pointPanel());
    else parts.push(Object.assign(make("p", "hint"), { textContent: this.words.hint }));
    this.side.replaceChildren(...parts);
  }

  refill(typing) {
    const { point } = this;
    const value = this.side.querySelector(".value");
    if (point && value && value !== typing) value.value = point.y ?? "";
  }

  seriesRow(list, series, number) {
    const row = make("li", number === this.active ? "active" : "", list);
    const swatch = make("button", "swatch", row);
    swatch.type = "button";
    swatch.style.background = hueOf(this.chart, number);
    swatch.setAttribute("aria-label", this.words.choose_series.replace("%", series.name || this.words.unnamed));
    swatch.setAttribute("aria-pressed", String(number === this.active));
    swatch.addEventListener("click", () => this.choose(number, null));
    const name = make("input", "name", row);
    name.value = series.name;
    name.placeholder = this.words.unnamed;
    name.setAttribute("aria-label", this.words.rename);
    this.commits(name, series.name, (text) => this.change({ op: "rename-series", series: number, name: text }));
    make("span", "count", row).textContent = String(series.points.length);
    const gone = make("button", "delete", row);
    gone.type = "button";
    gone.textContent = "×";
    gone.title = this.words.delete_series;
    gone.setAttribute("aria-label", `${this.words.delete_series}: ${series.name || this.words.unnamed}`);
    gone.addEventListener("click", () => {
      this.chosen = null;
      this.change({ op: "delete-series", series: number });
    });
  }

  pointPanel() {
    const { point, words } = this;
    const panel = make("div", "point");
    this.field(panel, words.x, "category", point.x, (text) => this.change({ op: "set-point", ...this.chosen, x: text }));
    this.field(panel, words.y, "value", point.y ?? "", (text) => {
      const value = Number(text.replace(/[,\s]/g, "").replace("−", "-"));
      if (text.trim() && Number.isFinite(value)) this.change({ op: "set-point", ...this.chosen, y: value });
      else this.say(words.no_number, true);
    });
    const said = point.edited ? words.source_person : words[`source_${point.source}`];
    make("p", "source", panel).textContent = point.edited ? said : `${said} · ${words.sure.replace("%", point.sure)}`;
    return panel;
  }

  field(panel, title, className, value, done) {
    const label = make("label", "", panel);
    make("span", "", label).textContent = title;
    const input = make("input", className, label);
    input.value = value;
    if (className === "value") input.inputMode = "decimal";
    this.commits(input, String(value), done);
  }

  // Enter or leaving the field takes what was typed, Escape does not.
  commits(input, before, done) {
    let last = before;
    const take = () => {
      if (input.value === last) return;
      last = input.value;
      done(input.value);
    };
    input.addEventListener("keydown", (event) => {
      event.stopPropagation(); // Streamlit has keys of its own
      if (event.isComposing) return;
      if (event.key === "Escape") input.value = last;
      if (event.key === "Enter" || event.key === "Escape") {
        take();
        this.over.focus({ preventScroll: true });
      }
    });
    input.addEventListener("change", take);
  }
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".points");
  const editor = root.editor || (root.editor = new PointEditor(root));
  return oneRun(root, (signal) => {
    editor.take(data, (message) => setTriggerValue("edits", message));
    editor.outbox.delivery.listen(signal);
  });
}
