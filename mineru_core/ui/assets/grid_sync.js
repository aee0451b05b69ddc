// How the table comes from the server and changes go to it. Follows grid_view.js in one module.
//
// The table is asked for by its version; what is done to it is shown at once and goes as small operations, one message
// at a time, each naming the version it was made to. Where the server has something else than what is shown (an undo, a
// paste, a change made elsewhere), the table is asked for again, and what is not yet sent is done to it anew. What a
// person has typed and can no longer stand where it was typed is put on the tray, never thrown away.

const FORM = 1; // FORM_VERSION of api/grid_data.py
const LOAD_MS = 20000;

// What comes of these, the server alone can say.
const OPAQUE = new Set(["undo", "redo", "paste", "paste-grid"]);
const TYPED = new Set(["set-text", "set-caption"]);

class GridSync extends GridView {
  // What a run of the app says: at which version the table is, and what became of the message.
  take(data, send) {
    this.words = data.words;
    this.delivery.send = send;
    this.canUndo = data.can_undo;
    this.canRedo = data.can_redo;
    this.given = data.table; // where the server has no route for it
    this.nameParts(data);
    if (data.job !== this.job || data.place !== this.place) this.begin(data);
    const { message } = this.delivery;
    if (!this.delivery.heard(data)) return; // drawn before the change was made
    if (message) this.answer(message, data);
    else if (this.version === null || data.version > this.version) this.load(data.version);
    if (this.table) this.tools();
    this.pump();
  }

  begin({ job, place }) {
    this.job = job;
    this.place = place;
    this.table = null;
    this.version = null; // of the table that is shown, or asked for
    this.queue = []; // what is shown and not sent
    this.kept = []; // texts for which there is no place any more
    this.delivery.end();
    this.rest();
  }

  nameParts({ words, label }) {
    put(this.grid, { "aria-label": label });
    put(this.edit, { "aria-label": this.editing ? words.edit_cell : label });
    put(this.bar, { "aria-label": words.tools });
    this.captionName.textContent = words.caption;
    this.caption.placeholder = label; // what it is called without one of its own
  }

  // Loading ----------------------------------------------------------------------------------------------------------

  async load(version) {
    this.version = version;
    const turn = (this.turn = (this.turn || 0) + 1);
    this.loading = true;
    if (!this.table) this.showWait();
    let data = this.given;
    try {
      data = data || (await tableAt(this.job, this.place, version));
    } catch (failure) {
      if (turn === this.turn) this.showFailure(version);
      return;
    }
    if (turn !== this.turn) return; // asked for once more in the meantime
    this.loading = false;
    this.wait.hidden = true;
    this.frame.hidden = false;
    this.adopt(data);
    this.pump();
  }

  showWait() {
    this.frame.hidden = true;
    this.wait.hidden = false;
    put(this.wait, { role: "status", "aria-label": this.words.loading });
    this.wait.replaceChildren(...Array.from({ length: 5 }, () => make("div", "bone")));
  }

  showFailure(version) {
    put(this.wait, { role: "alert", "aria-label": null });
    this.wait.hidden = false;
    const said = make("p", "");
    said.textContent = this.words.not_loaded;
    const again = make("button", "again");
    again.type = "button";
    again.textContent = this.words.load_again;
    again.addEventListener("click", () => {
      if (this.table) this.wait.hidden = true;
      this.load(version);
    });
    this.wait.replaceChildren(said, again);
  }

  adopt(data) {
    const pending = this.queue;
    this.queue = [];
    this.table = new Grid(data);
    this.version = data.version;
    for (const change of pending) this.doAgain(change);
    this.elsewhere = false;
    this.anchor = this.clamp(this.anchor);
    this.from = this.clamp(this.from);
    this.head = this.clamp(this.head);
    this.keepEditing();
    if (this.root.getRootNode().activeElement !== this.caption) this.caption.value = this.table.caption;
    this.layOut();
    this.showTray();
  }

  // Do a change that is not sent to the table that has just come.
  doAgain(change) {
    if (OPAQUE.has(change.op) ? !this.elsewhere : this.fits(change)) {
      this.queue.push(this.stamped(change));
      this.table.apply(change);
    } else if (TYPED.has(change.op) && change.text && !this.stands(change)) this.kept.push(change.text);
  }

  // Whether what the change was made to still stands there.
  fits(change) {
    const { table } = this;
    if (change.op === "set-caption") return table.caption === change.before;
    if (shapeOf(table) !== change.shape) return false;
    return change.op === "set-text" ? table.cell(change.row, change.col).text === change.before : !this.elsewhere;
  }

  // Whether it is made already: the answer to a message is lost where the server was started anew.
  stands({ op, row, col, text }) {
    const { table } = this;
    if (op === "set-caption") return table.caption === text;
    return table.has({ r: row, c: col }) && table.cell(row, col).text === text;
  }

  // An open cell stays open, with what is typed in it, where the cell is as it was.
  keepEditing() {
    const open = this.editing;
    if (!open) return;
    const now = this.table.has(open) ? this.table.cell(open.r, open.c) : null;
    if (now && now.r === open.r && now.c === open.c && now.text === open.text) this.editing = now;
    else {
      if (this.edit.value && this.edit.value !== open.text) this.kept.push(cleaned(this.edit.value));
      this.rest();
    }
  }

  // Changing ---------------------------------------------------------------------------------------------------------

  // Shown at once, and sent together with what was done while the last answer was awaited.
  change(change) {
    this.alarmed = false;
    this.queue.push(this.stamped(change));
    this.table.apply(change);
    this.anchor = this.clamp(this.anchor);
    this.from = this.clamp(this.from);
    this.head = this.clamp(this.head);
    this.layOut();
    this.pump();
  }

  // With what it is made to, so that it can be told whether it may be made again.
  stamped(change) {
    const { table } = this;
    const before = change.op === "set-text" ? table.cell(change.row, change.col).text : table.caption;
    return { ...change, before, shape: shapeOf(table) };
  }

  // Whether anything was done that the server has not taken yet.
  get unsaved() {
    return this.delivery.message !== null || this.queue.length > 0;
  }

  // Whatever changes what is unsent ends here.
  pump() {
    this.delivery.guard(this.unsaved);
    if (this.delivery.message || this.loading || !this.queue.length) return;
    // What follows an operation whose outcome is not known here waits for it.
    let count = 1;
    while (count < Math.min(this.queue.length, MOST_CHANGES)) {
      if (OPAQUE.has(this.queue[count - 1].op) && !OPAQUE.has(this.queue[count].op)) break;
      count += 1;
    }
    this.going = this.queue.splice(0, count);
    if (!this.alarmed) this.say(this.words.saving);
    this.delivery.start(this.version, this.going.map(({ before, shape, ...change }) => change));
  }

  answer(message, { version, error, code, done, note }) {
    const { going } = this;
    if (error || !this.alarmed) this.say(error || note || this.words.saved, Boolean(error));
    if (error) {
      this.alarmed = true; // and told until the person goes on
      // Those before the one that failed are made. Where it did not fit, the others still may; where the table was
      // changed elsewhere, all may.
      const rest = [...going.slice(done), ...this.queue];
      this.elsewhere = code === "edit-conflict";
      const retried = this.elsewhere ? rest : code === "invalid-request" ? rest.slice(1) : [];
      for (const change of rest) if (!retried.includes(change) && TYPED.has(change.op) && change.text) this.kept.push(change.text);
      this.queue = retried;
      this.load(version);
    } else if (version !== message.version + going.length || going.some(({ op }) => OPAQUE.has(op))) {
      this.load(version);
    } else this.version = version;
  }

  // What is late is said before all else, until it is answered.
  say(text, wrong = false) {
    if (this.delivery.late) {
      text = text && text !== this.words.lost ? `${this.words.lost} ${text}` : this.words.lost;
      wrong = true;
    }
    this.status.textContent = text;
    this.status.title = text;
    this.status.classList.toggle("wrong", wrong);
  }

  // The tray ---------------------------------------------------------------------------------------------------------

  showTray() {
    const shown = JSON.stringify(this.kept);
    if (shown === this.shownTray) return;
    this.shownTray = shown;
    this.tray.hidden = !this.kept.length;
    const said = make("p", "");
    said.textContent = this.words.kept;
    const list = make("ul", "");
    this.kept.forEach((text, n) => {
      const item = make("li", "", list);
      make("span", "text", item).textContent = text;
      trayButton(item, this.words.kept_use, () => {
        const { r, c } = this.active;
        this.drop(n);
        this.change({ op: "set-text", row: r, col: c, text });
      });
      trayButton(item, this.words.kept_drop, () => this.drop(n));
    });
    this.tray.replaceChildren(said, list);
  }

  drop(n) {
    this.kept.splice(n, 1);
    this.showTray();
    this.hold();
  }
}

function trayButton(item, name, does) {
  const button = make("button", "", item);
  button.type = "button";
  button.textContent = name;
  button.addEventListener("click", does);
}

function shapeOf(table) {
  return `${table.rows} ${table.cols}`;
}

// The table at a version, or at the latest where that one is no longer.
async function tableAt(job, place, version) {
  const address = `ui/data/${encodeURIComponent(job)}?table=${place}&v=${version}&form=${FORM}`;
  const answer = await fetch(address, { signal: AbortSignal.timeout(LOAD_MS) });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return answer.json();
}
