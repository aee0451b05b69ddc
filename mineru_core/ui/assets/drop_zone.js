// The drop zone: files are dropped or pasted anywhere on the page, chosen, or taken with a phone's camera; each shows
// its picture, its size before and after, and how far it is. Follows drop_zone_queue.js in one module. Names of files
// enter through textContent and setAttribute only.

const ICONS = {
  drop: "M12 16V4m0 0 4.5 4.5M12 4 7.5 8.5M4 15v3.5A1.5 1.5 0 0 0 5.5 20h13a1.5 1.5 0 0 0 1.5-1.5V15",
  close: "m6 6 12 12M18 6 6 18",
  again: "M19 12a7 7 0 1 1-2-4.9M19 4v4h-4",
};
const THUMBNAILS = /^image\/(png|jpeg|webp|bmp|gif|avif)$/;
const FOR_GOOD = new Set(["empty-file", "file-too-large", "unsupported-type", "encrypted-office"]); // of no use to try again
const DRAG_MS = 250; // after the last sign of a drag it has left the window
const GONE_MS = 400; // a zone that is off the page for so long is not coming back
const KILO = 1e3;
const MEGA = 1e6;
const OWN_PASTE = "input, textarea, [contenteditable=true], [role=grid], [role=textbox]";

function icon(name, parent) {
  draw("path", { d: ICONS[name] }, draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, parent));
}

// The text with each %name in it filled in.
function fill(text, values) {
  return text.replace(/%(\w+)/g, (all, name) => (name in values ? values[name] : all));
}

// Files of a drop, with those in its folders.
async function filesOfDrop(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.());
  if (!entries.some((entry) => entry?.isDirectory)) return [...transfer.files];
  const found = [];
  const walk = async (entry) => {
    if (entry.isFile) found.push(await new Promise((done, failed) => entry.file(done, failed)));
    if (!entry.isDirectory) return;
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (!some.length) return;
      for (const one of some) await walk(one);
    }
  };
  for (const entry of entries) if (entry) await walk(entry);
  return found.filter((file) => !file.name.startsWith("."));
}

class DropZone {
  constructor(root) {
    this.root = root;
    this.rows = new Map();
    this.told = "";
    this.queue = new UploadQueue((item) => this.changed(item));
    this.skeleton();
  }

  skeleton() {
    const drop = (this.drop = make("div", "drop", this.root));
    drop.setAttribute("role", "group");
    icon("drop", drop);
    this.title = make("strong", "title", drop);
    const buttons = make("div", "buttons", drop);
    this.browse = make("button", "browse", buttons);
    this.photo = make("button", "photo", buttons);
    this.hint = make("span", "hint", drop);
    this.pick = this.input("pick", drop);
    this.pick.multiple = true;
    this.camera = this.input("camera", drop);
    this.camera.accept = "image/*";
    this.camera.setAttribute("capture", "environment");
    for (const button of [this.browse, this.photo]) button.type = "button";
    this.browse.addEventListener("click", () => this.pick.click());
    this.photo.addEventListener("click", () => this.camera.click());
    drop.addEventListener("click", (event) => {
      if (!event.composedPath().some((part) => part === buttons || part.tagName === "INPUT")) this.pick.click();
    });
    this.note = make("p", "note", this.root);
    this.note.setAttribute("role", "alert");
    this.list = make("ul", "files", this.root);
    this.status = make("p", "status", this.root);
    this.status.setAttribute("role", "status");
    this.veil = make("div", "veil", this.root);
    this.veil.setAttribute("aria-hidden", "true");
  }

  input(className, parent) {
    const input = make("input", className, parent);
    input.type = "file";
    input.tabIndex = -1;
    input.addEventListener("change", () => {
      this.add([...input.files]);
      input.value = ""; // the same file may be chosen again
    });
    return input;
  }

  // What the server says at each run of the page.
  take(data, tell) {
    const first = this.data === undefined;
    this.data = data;
    this.tell = tell;
    const { words } = data;
    this.queue.options = {
      url: new URL(data.url, document.baseURI).href,
      policy: data.policy,
      max_bytes: data.max_bytes,
      max_files: data.max_files,
    };
    this.root.classList.toggle("compact", data.compact);
    this.root.lang = data.language;
    this.drop.setAttribute("aria-label", words.label);
    this.title.textContent = words.title;
    this.hint.textContent = words.hint;
    this.browse.textContent = words.browse;
    this.photo.textContent = words.photo;
    this.list.setAttribute("aria-label", words.files);
    this.veil.textContent = words.veil;
    this.pick.accept = data.accept;
    this.pick.setAttribute("aria-label", words.browse);
    this.camera.setAttribute("aria-label", words.photo);
    if (first) {
      this.queue.adopt(data.files);
      this.told = data.arriving ? "pending" : this.state()[0];
      setTimeout(() => this.report(), 0); // what was on its way when another page was shown is not any more
    }
    this.draw();
  }

  add(files) {
    if (!files.length) return;
    const taken = this.queue.add(files);
    this.note.textContent = taken ? "" : fill(this.data.words.too_many, { count: this.data.max_files });
  }

  say(word, values = {}) {
    this.status.textContent = fill(this.data.words[word], values);
  }

  changed(item) {
    if (item === null) this.draw();
    else this.update(item);
    if (item?.state === "done") this.say("arrived", { name: item.name });
    if (item?.state === "failed") this.say("failed", { name: item.name, why: this.why(item) });
    this.report();
  }

  // What the page is told, and the same as a text to compare: ids of what has arrived, whether more is on its way, and
  // how many failed. While some are on their way, it is told only that.
  state() {
    const { items } = this.queue;
    const ids = items.filter((item) => item.state === "done").map((item) => item.id);
    const pending = items.some((item) => item.under_way);
    const failed = items.filter((item) => item.state === "failed").length;
    return [pending ? "pending" : JSON.stringify([ids, failed]), { ids, pending, failed }];
  }

  report() {
    const [text, state] = this.state();
    if (text === this.told) return;
    this.told = text;
    this.tell(state);
  }

  draw() {
    const { items } = this.queue;
    for (const [item, row] of this.rows) {
      if (items.includes(item)) continue;
      if (row.contains(this.root.getRootNode().activeElement)) this.focusBeside(row);
      if (row.address) URL.revokeObjectURL(row.address);
      row.remove();
      this.rows.delete(item);
    }
    for (const item of items) {
      if (!this.rows.has(item)) this.rows.set(item, this.row(item));
      this.update(item);
    }
    this.root.classList.toggle("filled", items.length > 0);
  }

  focusBeside(row) {
    const beside = row.nextElementSibling || row.previousElementSibling;
    (beside?.querySelector(".remove") || this.browse).focus();
  }

  row(item) {
    const row = make("li", "file", this.list);
    const picture = make("span", "picture", row);
    picture.setAttribute("aria-hidden", "true");
    picture.textContent = (item.name.match(/\.(\w{1,4})$/)?.[1] || "?").toUpperCase();
    if (item.file && THUMBNAILS.test(item.file.type)) {
      row.address = URL.createObjectURL(item.file);
      const image = make("img", "", picture);
      image.alt = "";
      image.onerror = () => image.remove();
      image.src = row.address;
    }
    const about = make("span", "about", row);
    row.name = make("span", "name", about);
    row.facts = make("span", "facts", about);
    row.progress = make("progress", "", about);
    row.again = make("button", "again", row);
    icon("again", row.again);
    row.again.addEventListener("click", () => {
      row.close.focus();
      this.queue.retry(item);
    });
    row.close = make("button", "remove", row);
    icon("close", row.close);
    row.close.addEventListener("click", () => {
      this.note.textContent = "";
      this.queue.remove(item);
    });
    for (const button of [row.again, row.close]) button.type = "button";
    return row;
  }

  update(item) {
    const row = this.rows.get(item);
    if (!row) return;
    const { words } = this.data;
    row.dataset.state = item.state;
    row.name.textContent = item.name;
    row.name.title = item.name;
    row.facts.textContent = this.facts(item);
    row.facts.title = item.reduced ? fill(words.reduced, this.sizes(item)) : "";
    row.progress.hidden = item.state !== "sending" && item.state !== "reducing";
    row.progress.setAttribute("aria-label", fill(words.progress, { name: item.name }));
    if (item.state === "sending") row.progress.value = item.bytes ? Math.min(1, item.sent / item.bytes) : 1;
    else row.progress.removeAttribute("value");
    row.again.hidden = item.state !== "failed" || FOR_GOOD.has(item.error);
    const closing = item.under_way ? words.cancel : words.remove;
    for (const [button, word] of [[row.close, closing], [row.again, words.retry]]) {
      button.setAttribute("aria-label", fill(word, { name: item.name }));
      button.title = button.getAttribute("aria-label");
    }
  }

  facts(item) {
    const { words } = this.data;
    const size = this.size(item.size);
    if (item.state === "failed") return `${size} · ${this.why(item)}`;
    if (item.state === "waiting" || item.state === "reducing") return `${size} · ${words[item.state]}`;
    const travelled = item.reduced ? `${size} → ${this.size(item.bytes)}` : size;
    return item.state === "sending" ? `${travelled} · ${this.share(item)}` : travelled;
  }

  why(item) {
    const { errors, kinds } = this.data;
    return fill(errors[item.error] || errors.network, { kind: kinds[item.message] || "" }).replace("  ", " ");
  }

  sizes(item) {
    return { before: item.reduced.natural.join(" × "), after: item.reduced.size.join(" × ") };
  }

  share(item) {
    const share = item.bytes ? Math.min(1, item.sent / item.bytes) : 1;
    return new Intl.NumberFormat(this.data.language, { style: "percent" }).format(share);
  }

  size(bytes) {
    const large = bytes >= MEGA / 20;
    const number = new Intl.NumberFormat(this.data.language, large ? { minimumFractionDigits: 1, maximumFractionDigits: 1 } : { maximumFractionDigits: 0 });
    return large ? `${number.format(bytes / MEGA)} MB` : `${number.format(Math.ceil(bytes / KILO))} kB`;
  }

  // ---- the whole page

  paste(event) {
    const files = [...(event.clipboardData?.files || [])];
    if (!files.length) return;
    const path = event.composedPath();
    const own = path.some((part) => part.matches?.(OWN_PASTE));
    // Cells of a spreadsheet come as text and as a picture: where text can go, they are meant as text.
    if (own && [...event.clipboardData.types].includes("text/plain")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.add(files);
  }

  dragging(event) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation();
    event.dataTransfer.dropEffect = "copy";
    this.veil.classList.add("shown");
    clearTimeout(this.leaving);
    this.leaving = setTimeout(() => this.veil.classList.remove("shown"), DRAG_MS);
  }

  async dropped(event) {
    this.veil.classList.remove("shown");
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation();
    this.add(await filesOfDrop(event.dataTransfer));
  }

  listen(signal) {
    const heard = {
      paste: (event) => this.paste(event),
      dragenter: (event) => this.dragging(event),
      dragover: (event) => this.dragging(event),
      drop: (event) => this.dropped(event),
    };
    for (const [name, listener] of Object.entries(heard)) window.addEventListener(name, listener, { capture: true, signal });
    signal.addEventListener("abort", () => setTimeout(() => this.root.isConnected || this.dispose(), GONE_MS));
  }

  dispose() {
    this.queue.dispose();
    for (const row of this.rows.values()) if (row.address) URL.revokeObjectURL(row.address);
    this.rows.clear();
  }
}

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  const root = parentElement.querySelector(".zone");
  const zone = (root.zone ||= new DropZone(root));
  return oneRun(root, (signal) => {
    zone.take(data, (state) => setStateValue("files", state));
    zone.listen(signal);
  });
}
