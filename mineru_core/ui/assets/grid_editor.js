// The grid editor: changes, the clipboard and the tools. Follows grid_view.js in one module, under the same rule.

// Buttons whose short face does not say what they do.
const SIGNS = new Set(
  "undo redo row_above row_below delete_rows column_before column_after delete_columns".split(" "),
);

class Editor extends GridSync {
  listen() {
    this.frame.addEventListener("scroll", () => this.soon());
    this.frame.addEventListener("keydown", (event) => (this.editing ? this.editKey(event) : this.key(event)));
    this.grid.addEventListener("pointerdown", (event) => this.press(event));
    this.grid.addEventListener("mousedown", (event) => event.preventDefault()); // the field has the focus, and keeps it
    this.grid.addEventListener("pointermove", (event) => this.drag(event));
    this.grid.addEventListener("click", (event) => this.tap(event));
    this.grid.addEventListener("dblclick", () => this.editing || this.open());
    this.edit.addEventListener("compositionstart", () => this.typed());
    this.edit.addEventListener("input", () => this.typed());
    this.edit.addEventListener("blur", () => this.close(true));
    this.caption.addEventListener("change", () => this.nameTable());
    this.caption.addEventListener("keydown", (event) => this.captionKey(event));
    this.bar.addEventListener("keydown", (event) => this.barKey(event));
    this.resized = new ResizeObserver(() => {
      if (this.table && this.frame.clientWidth && this.frame.clientWidth !== this.room) this.layOut();
    });
    this.resized.observe(this.frame);
  }

  // The pointer and keys ---------------------------------------------------------------------------------------------

  // With a finger the grid itself holds the focus: the field would bring up the keyboard of the screen.
  hold() {
    (["touch", "pen"].includes(this.pointer) ? this.grid : this.edit).focus({ preventScroll: true });
  }

  press(event) {
    this.pointer = event.pointerType;
    if (event.button !== 0 || this.pointer !== "mouse") return;
    this.pressed = true;
    const place = this.placeOf(event); // before what was typed is kept, which may move the rows
    this.close(true);
    this.hold();
    this.select(place, event.shiftKey, false);
  }

  // A finger selects where it comes up, as it may be scrolling; the cell it has selected, it opens.
  tap(event) {
    if (this.pointer === "mouse") return;
    const { r, c } = this.placeOf(event);
    const again = this.table.cell(r, c) === this.active && this.focused();
    this.close(true);
    this.hold();
    this.select({ r, c }, false, false);
    if (again) this.open();
  }

  // The page view marks where the active cell stands on the page.
  point() {
    const [page, table] = this.place.split(".").map(Number);
    const { r, c } = this.active;
    const detail = { job: this.job, page, table, row: r, col: c };
    document.dispatchEvent(new CustomEvent("workbench:place", { detail }));
  }

  // A cell was clicked on the picture of the page.
  picked({ job, page, table, row, col }) {
    if (!this.table || job !== this.job || `${page}.${table}` !== this.place || row === undefined) return;
    this.close(true);
    this.select({ r: row, c: col }, false, true, false);
  }

  drag(event) {
    this.pressed = this.pressed && Boolean(event.buttons & 1);
    if (event.pointerType !== "mouse" || !this.pressed || this.editing) return;
    const place = this.placeOf(event);
    if (place.r !== this.head.r || place.c !== this.head.c) this.select(place, true);
  }

  nextDoubtful() {
    const all = this.table.doubtful;
    const { r, c } = this.active;
    const next = all.find((cell) => cell.r > r || (cell.r === r && cell.c > c)) || all[0];
    this.hold();
    if (next) this.select(next);
    else this.say(this.words.none_doubtful);
  }

  key(event) {
    // An input method is at work, or begins: it writes into the field.
    if (event.isComposing || event.key === "Process") {
      this.edit.focus({ preventScroll: true });
      return;
    }
    if (this.command(event) || this.move(event)) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key === "Enter" || event.key === "F2") this.open();
    else if (event.key === "F8") this.nextDoubtful();
    else if (event.key === "Delete" || event.key === "Backspace") this.clear();
    else {
      if (plain && event.key.length === 1) this.edit.focus({ preventScroll: true }); // the sign goes there
      if (event.key !== "Tab") event.stopPropagation(); // Streamlit has keys of its own
      return;
    }
    stop(event);
  }

  // Ctrl or Command with a letter.
  command(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return false;
    const letter = event.key.toLowerCase();
    if (letter === "z" && !event.shiftKey) this.history("undo");
    else if (letter === "y" || letter === "z") this.history("redo");
    else if (letter === "a") this.selectAll();
    else return false;
    stop(event);
    return true;
  }

  // Editing ----------------------------------------------------------------------------------------------------------

  // Edit the active cell: all of its text selected, or ``text`` in its place, which is in the field already.
  open(text) {
    const cell = this.active;
    this.from = this.head = this.anchor;
    this.reveal(this.anchor);
    this.editing = { ...cell };
    this.edit.classList.add("open");
    this.edit.classList.toggle("num", standsRight(cell, this.numeric, this.ruler));
    put(this.edit, { "aria-label": this.words.edit_cell });
    if (text === undefined) this.edit.value = cell.text;
    this.draw();
    this.tools();
    this.fitEdit();
    this.edit.focus({ preventScroll: true });
    if (text === undefined) this.edit.select();
  }

  // Something has come into the field, by a key, an input method or otherwise.
  typed() {
    if (this.editing) this.fitEdit();
    else if (this.table) this.open(this.edit.value);
  }

  // The field goes out of sight, and keeps the focus if it has it.
  rest() {
    this.editing = null;
    this.edit.value = "";
    this.edit.classList.remove("open");
    put(this.edit, { "aria-label": this.grid.getAttribute("aria-label") });
  }

  close(keep, said = false) {
    const cell = this.editing;
    if (!cell) return;
    const text = cleaned(this.edit.value);
    this.rest();
    this.fitEdit();
    // A doubtful cell that is left as it is, and not just left, is said to be right.
    if (keep && (text !== cell.text || (said && cell.flags & DOUBTFUL))) {
      this.change({ op: "set-text", row: cell.r, col: cell.c, text });
    }
  }

  editKey(event) {
    event.stopPropagation(); // Streamlit has keys of its own
    // An input method takes Enter as well; some browsers say it is no longer composing, and give the old key code.
    const composing = event.isComposing || event.keyCode === 229;
    if (composing || (event.key === "Enter" && (event.altKey || event.shiftKey))) {
      if (!composing && event.altKey) {
        this.edit.setRangeText("\n", this.edit.selectionStart, this.edit.selectionEnd, "end");
        this.fitEdit();
      }
      return;
    }
    if (!["Enter", "Tab", "Escape"].includes(event.key)) return;
    event.preventDefault();
    this.close(event.key !== "Escape", true);
    this.hold();
    if (event.key === "Enter") this.step(1, 0, false);
    else if (event.key === "Tab") this.step(0, event.shiftKey ? -1 : 1, false);
    else this.draw();
  }

  nameTable() {
    const text = cleaned(this.caption.value);
    if (this.table && text !== this.table.caption) this.change({ op: "set-caption", text });
  }

  captionKey(event) {
    event.stopPropagation();
    if (event.isComposing || event.keyCode === 229 || !["Enter", "Escape"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Escape") this.caption.value = this.table ? this.table.caption : "";
    else this.nameTable();
  }

  clear() {
    const { area } = this;
    const cells = this.table.inside(area);
    if (!cells.some((cell) => cell.text)) return;
    if (cells.length === 1) {
      this.change({ op: "set-text", row: area.r, col: area.c, text: "" });
      return;
    }
    // One change, so that one undo brings all of it back.
    for (const cell of cells) cell.text = "";
    this.change({ op: "paste-grid", row: area.r, col: area.c, rows: Array(area.h).fill(Array(area.w).fill("")) });
  }

  history(op) {
    const possible = op === "undo" ? this.canUndo : this.canRedo;
    if (!possible && !this.unsaved) return;
    this.change({ op });
  }

  // Clipboard --------------------------------------------------------------------------------------------------------

  // Whether the clipboard is for cells, and not for the text of an open one.
  forCells() {
    return this.table && this.focused() && !this.editing;
  }

  cut(event) {
    if (!this.forCells()) return;
    this.copy(event);
    this.clear();
  }

  copy(event) {
    if (!this.forCells()) return;
    const area = this.area;
    const table = document.createElement("table");
    const lines = [];
    for (let r = area.r; r < area.r + area.h; r++) {
      const row = table.insertRow();
      const texts = [];
      for (let c = area.c; c < area.c + area.w; c++) {
        const cell = this.table.cell(r, c);
        const first = cell.r === r && cell.c === c;
        texts.push(first ? quoted(cell.text) : "");
        if (!first) continue;
        const element = row.insertCell();
        if (cell.h > 1) element.rowSpan = cell.h;
        if (cell.w > 1) element.colSpan = cell.w;
        cell.text.split("\n").forEach((line, number) => {
          if (number) element.appendChild(document.createElement("br"));
          element.appendChild(document.createTextNode(line));
        });
      }
      lines.push(texts.join("\t"));
    }
    event.clipboardData.setData("text/plain", lines.join("\n"));
    event.clipboardData.setData("text/html", table.outerHTML);
    stop(event);
    this.say(this.words.copied);
  }

  paste(event) {
    if (!this.forCells()) return;
    const text = event.clipboardData.getData("text/plain");
    const html = event.clipboardData.getData("text/html"); // read by the server, for texts and spans alone
    stop(event);
    if (!text && !html) return;
    const { r, c } = this.area;
    this.change({ op: "paste", row: r, col: c, text, html });
  }

  // Tools ------------------------------------------------------------------------------------------------------------

  tools() {
    if (!this.table) return;
    const { words, table, area } = this;
    const cell = this.active;
    const alone = area.h === cell.h && area.w === cell.w;
    const marked = area.r + area.h <= table.heads;
    const doubtful = table.doubtful.length;
    const groups = [
      [
        ["undo", this.canUndo, () => this.history("undo"), "↶"],
        ["redo", this.canRedo, () => this.history("redo"), "↷"],
        ["copy", true, () => document.execCommand("copy")],
      ],
      [
        ["merge", !alone, () => this.change({ op: "merge-cells", row: area.r, col: area.c, rowspan: area.h, colspan: area.w })],
        ["split", alone && cell.h * cell.w > 1, () => this.change({ op: "split-cell", row: cell.r, col: cell.c })],
        ["header", true, () => this.change({ op: "set-header-rows", count: marked ? area.r : area.r + area.h }), "", marked],
      ],
      [["next_doubtful", doubtful > 0, () => this.nextDoubtful(), `${words.next_doubtful} (${doubtful})`]],
      [
        ["row_above", true, () => this.change({ op: "insert-rows", at: area.r, count: 1 })],
        ["row_below", true, () => this.change({ op: "insert-rows", at: area.r + area.h, count: 1 })],
        ["delete_rows", area.h < table.rows, () => this.change({ op: "delete-rows", at: area.r, count: area.h })],
      ],
      [
        ["column_before", true, () => this.change({ op: "insert-columns", at: area.c, count: 1 })],
        ["column_after", true, () => this.change({ op: "insert-columns", at: area.c + area.w, count: 1 })],
        ["delete_columns", area.w < table.cols, () => this.change({ op: "delete-columns", at: area.c, count: area.w })],
      ],
    ];
    this.fillBar(groups);
  }

  // Buttons stay the same elements, so that one keeps the focus while it is used again and again.
  fillBar(groups) {
    if (!this.buttons) {
      this.buttons = new Map();
      for (const group of groups) {
        const box = make("div", "group", this.bar);
        for (const [name] of group) {
          const button = make("button", name, box);
          button.type = "button";
          button.tabIndex = -1;
          button.addEventListener("pointerdown", (event) => event.preventDefault()); // the grid keeps the focus
          button.addEventListener("click", () => {
            this.close(true);
            if (button.getAttribute("aria-disabled") === "true") return;
            if (name === "copy") this.hold();
            button.does();
          });
          this.buttons.set(name, button);
        }
      }
    }
    for (const [name, possible, does, sign, pressed] of groups.flat()) {
      const button = this.buttons.get(name);
      button.does = does;
      const face = sign || this.words[name];
      if (button.textContent !== face) button.textContent = face;
      const help = this.words[`${name}_help`] || null;
      put(button, {
        "aria-label": SIGNS.has(name) ? help : null,
        title: help,
        "aria-disabled": !possible,
        "aria-pressed": pressed === undefined ? null : pressed,
      });
    }
    const all = [...this.buttons.values()];
    if (!all.some((button) => button.tabIndex === 0)) this.stopAt(all[0]);
  }

  // One stop of the Tab key for all tools; arrows go from one to the next.
  stopAt(button) {
    for (const other of this.buttons.values()) other.tabIndex = other === button ? 0 : -1;
  }

  barKey(event) {
    const all = [...this.buttons.values()];
    const at = all.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || !all[to]) return;
    stop(event);
    this.stopAt(all[to]);
    all[to].focus();
  }
}

function quoted(text) {
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".editor");
  const editor = root.editor || (root.editor = new Editor(root));
  return oneRun(root, (signal) => {
    editor.take(data, (change) => setTriggerValue("edits", change));
    editor.delivery.listen(signal);
    // On the document: the browser gives clipboard events to the element with the text selection, which a grid has not.
    document.addEventListener("copy", (event) => editor.copy(event), { capture: true, signal });
    document.addEventListener("cut", (event) => editor.cut(event), { capture: true, signal });
    document.addEventListener("paste", (event) => editor.paste(event), { capture: true, signal });
    document.addEventListener("workbench:picked", ({ detail }) => detail && editor.picked(detail), { signal });
  });
}
