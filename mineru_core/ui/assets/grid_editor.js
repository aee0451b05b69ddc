// The grid editor: changes, the clipboard and the tools. Follows grid_view.js in one module, under the same rule.

const RESEND_MS = 10000; // a message is taken once, however often it comes
const TRIES = 3;
const MOST_CHANGES = 500; // of one message

// Buttons whose short face does not say what they do.
const SIGNS = new Set(
  "undo redo row_above row_below delete_rows column_before column_after delete_columns".split(" "),
);

class Editor extends GridView {
  listen() {
    this.frame.addEventListener("scroll", () => this.soon());
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.grid.addEventListener("pointerdown", (event) => this.press(event));
    this.grid.addEventListener("pointermove", (event) => this.drag(event));
    this.grid.addEventListener("click", (event) => this.tap(event));
    this.grid.addEventListener("dblclick", () => this.editing || this.open());
    this.edit.addEventListener("keydown", (event) => this.editKey(event));
    this.edit.addEventListener("blur", () => this.close(true));
    this.edit.addEventListener("input", () => this.fitEdit());
    this.resized = new ResizeObserver(() => {
      if (this.table && this.frame.clientWidth !== this.room) this.layOut();
    });
    this.resized.observe(this.frame);
  }

  // What the server says: the first table, the answer to a change, or a change made elsewhere.
  take(data, send) {
    this.words = data.words;
    this.send = send;
    this.canUndo = data.can_undo;
    this.canRedo = data.can_redo;
    this.grid.setAttribute("aria-label", data.label);
    this.grid.setAttribute("aria-multiselectable", "true");
    this.edit.setAttribute("aria-label", data.words.edit_cell);
    this.bar.setAttribute("aria-label", data.words.tools);
    const answered = this.waiting !== null && data.answered === this.waiting.id;
    if (this.waiting !== null && !answered) return; // drawn before the change was made
    this.waiting = null;
    clearTimeout(this.timer);
    const failed = answered && data.error;
    if (failed) this.queue = [];
    if (!this.table || data.version !== this.version || failed) {
      this.version = data.version;
      if (!this.queue.length) this.adopt(data.table);
    }
    if (answered) this.say(data.error || data.note || this.words.saved, Boolean(data.error));
    this.tools();
    this.pump();
  }

  adopt(table) {
    this.table = new Grid(table);
    this.anchor = this.clamp(this.anchor);
    this.head = this.clamp(this.head);
    if (this.editing) this.editing = this.active;
    this.layOut();
  }

  // Shown at once, and sent together with what was done while the last answer was awaited.
  change(change) {
    this.table.apply(change);
    this.queue.push(change);
    this.anchor = this.clamp(this.anchor);
    this.head = this.clamp(this.head);
    this.layOut();
    this.pump();
  }

  pump() {
    if (this.waiting !== null || !this.queue.length) return;
    this.sent += 1;
    const changes = this.queue.splice(0, MOST_CHANGES);
    this.waiting = { id: `${this.name}-${this.sent}`, version: this.version, changes };
    this.say(this.words.saving);
    this.deliver(TRIES);
  }

  deliver(tries) {
    this.send(this.waiting);
    this.timer = setTimeout(() => {
      if (tries > 1) this.deliver(tries - 1);
      else this.say(this.words.lost, true);
    }, RESEND_MS);
  }

  say(text, wrong = false) {
    this.status.textContent = text;
    this.status.classList.toggle("wrong", wrong);
  }

  press(event) {
    this.pointer = event.pointerType;
    if (event.button !== 0 || this.pointer !== "mouse") return;
    event.preventDefault(); // the browser would select text
    this.close(true);
    this.grid.focus({ preventScroll: true });
    this.select(this.placeOf(event), event.shiftKey);
  }

  // A finger selects where it comes up, as it may be scrolling; the cell it has selected, it opens.
  tap(event) {
    if (this.pointer === "mouse") return;
    const { r, c } = this.placeOf(event);
    const again = this.table.cell(r, c) === this.active && this.focused();
    this.close(true);
    this.grid.focus({ preventScroll: true });
    this.select({ r, c });
    if (again) this.open();
  }

  drag(event) {
    if (event.pointerType !== "mouse" || !(event.buttons & 1) || this.editing) return;
    const place = this.placeOf(event);
    if (place.r !== this.head.r || place.c !== this.head.c) this.select(place, true);
  }

  nextDoubtful() {
    const all = this.table.doubtful();
    const { r, c } = this.active;
    const next = all.find((cell) => cell.r > r || (cell.r === r && cell.c > c)) || all[0];
    this.grid.focus({ preventScroll: true });
    if (next) this.select(next);
    else this.say(this.words.none_doubtful);
  }

  key(event) {
    if (event.isComposing || this.command(event) || this.move(event)) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key === "Enter" || event.key === "F2") this.open();
    else if (event.key === "F8") this.nextDoubtful();
    else if (event.key === "Delete" || event.key === "Backspace") this.clear();
    else if (plain && event.key.length === 1) this.open(event.key);
    else return;
    stop(event);
  }

  // Ctrl or Command with a letter.
  command(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return false;
    const letter = event.key.toLowerCase();
    if (letter === "z" && !event.shiftKey) this.history("undo");
    else if (letter === "y" || letter === "z") this.history("redo");
    else if (letter === "a") {
      this.anchor = { r: 0, c: 0 };
      this.head = { r: this.table.rows - 1, c: this.table.cols - 1 };
      this.draw();
      this.tools();
    } else return false;
    stop(event);
    return true;
  }

  // Editing ----------------------------------------------------------------------------------------------------------

  open(text) {
    const cell = this.active;
    this.head = this.anchor = { r: cell.r, c: cell.c };
    this.editing = cell;
    this.edit.value = text ?? cell.text;
    this.edit.hidden = false;
    this.draw();
    this.fitEdit();
    this.edit.focus({ preventScroll: true });
    if (text === undefined) this.edit.select();
  }

  fitEdit() {
    const { r, c, h, w } = this.editing;
    const { style } = this.edit;
    style.left = this.lefts[c] + "px";
    style.top = this.tops[r] + "px";
    style.width = Math.max(this.lefts[c + w] - this.lefts[c], 120) + "px";
    style.height = "0";
    style.height = Math.max(this.tops[r + h] - this.tops[r], this.edit.scrollHeight + 4) + "px";
  }

  close(keep, said = false) {
    const cell = this.editing;
    if (!cell) return;
    this.editing = null;
    const text = this.edit.value;
    this.edit.hidden = true;
    // A doubtful cell that is left as it is, and not just left, is said to be right.
    if (keep && (text !== cell.text || (said && cell.flags & DOUBTFUL))) {
      this.change({ op: "set-text", row: cell.r, col: cell.c, text });
    }
  }

  editKey(event) {
    event.stopPropagation(); // Streamlit has keys of its own
    if (event.isComposing || (event.key === "Enter" && (event.altKey || event.shiftKey))) {
      if (event.key === "Enter" && event.altKey) this.edit.setRangeText("\n", this.edit.selectionStart, this.edit.selectionEnd, "end");
      return;
    }
    if (!["Enter", "Tab", "Escape"].includes(event.key)) return;
    event.preventDefault();
    this.close(event.key !== "Escape", true);
    this.grid.focus({ preventScroll: true });
    if (event.key === "Enter") this.step(1, 0, false);
    else if (event.key === "Tab") this.step(0, event.shiftKey ? -1 : 1, false);
    else this.draw();
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
    for (const cell of cells) this.table.setText({ row: cell.r, col: cell.c, text: "" });
    this.change({ op: "paste-grid", row: area.r, col: area.c, rows: Array(area.h).fill(Array(area.w).fill("")) });
  }

  history(op) {
    if (op === "undo" ? !this.canUndo && !this.waiting : !this.canRedo) return;
    this.change({ op });
  }

  // Clipboard --------------------------------------------------------------------------------------------------------

  copy(event) {
    if (!this.focused()) return;
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
    if (!this.focused()) return;
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
    const doubtful = table.doubtful().length;
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
          button.addEventListener("pointerdown", (event) => event.preventDefault()); // the grid keeps the focus
          button.addEventListener("click", () => {
            this.close(true);
            if (button.getAttribute("aria-disabled") === "true") return;
            if (name === "copy") this.grid.focus({ preventScroll: true });
            button.does();
          });
          this.buttons.set(name, button);
        }
      }
    }
    for (const [name, possible, does, sign, pressed] of groups.flat()) {
      const button = this.buttons.get(name);
      button.does = does;
      button.textContent = sign || this.words[name];
      const help = this.words[`${name}_help`];
      if (SIGNS.has(name)) button.setAttribute("aria-label", help);
      if (help) button.title = help;
      button.setAttribute("aria-disabled", String(!possible));
      if (pressed !== undefined) button.setAttribute("aria-pressed", String(pressed));
    }
  }
}

function quoted(text) {
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".editor");
  const editor = root.editor || (root.editor = new Editor(root));
  editor.take(data, (change) => setTriggerValue("edits", change));
  // On the document: the browser gives clipboard events to the element with the text selection, which a grid has not.
  const until = new AbortController();
  document.addEventListener("copy", (event) => editor.copy(event), { capture: true, signal: until.signal });
  document.addEventListener("paste", (event) => editor.paste(event), { capture: true, signal: until.signal });
  return () => until.abort();
}
