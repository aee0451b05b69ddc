// The files of a drop zone on their way: reduced one after the other in a worker, sent some at a time, each with its own
// progress, end and second try. Knows nothing of how they are shown; drop_zone.js follows in one module.

const SENT_AT_ONCE = 3;
const STALLED_MS = 45000; // without any progress; the server gives up before
const REDUCING_MS = 60000; // a picture that takes longer travels as it is
const CREATED = 201;

// The code of compression.js, as a module at an address of its own.
let compressionUrl = null;
function compressionModule() {
  compressionUrl ||= URL.createObjectURL(new Blob([COMPRESSION], { type: "text/javascript" }));
  return compressionUrl;
}

// Reduces files one at a time, each being held decoded meanwhile; in the page itself where there is no worker.
class Reducer {
  constructor() {
    this.last = Promise.resolve();
    this.worker = null;
    this.workerFailed = false;
  }

  // {blob, natural, size}, or null where the file travels as it is.
  reduce(file, policy) {
    const turn = this.last.then(() => this.now(file, policy));
    this.last = turn.catch(() => null);
    return this.last;
  }

  async now(file, policy) {
    if (file.size <= policy.max_bytes) return null;
    const answer = this.workerFailed ? null : await this.inWorker(file, policy);
    if (answer && !answer.error) return answer.found;
    const { compress } = await import(compressionModule());
    return compress(file, policy);
  }

  inWorker(file, policy) {
    let endless = 0;
    return new Promise((done) => {
      const failed = () => {
        this.workerFailed = true;
        done(null);
      };
      endless = setTimeout(() => {
        this.worker.terminate();
        this.worker = null;
        done({ found: null });
      }, REDUCING_MS);
      try {
        this.worker ||= new Worker(compressionModule(), { type: "module" });
        this.worker.onmessage = ({ data }) => done(data);
        this.worker.onerror = failed;
        this.worker.postMessage({ file, policy });
      } catch {
        failed();
      }
    }).finally(() => clearTimeout(endless));
  }
}

const reducer = new Reducer();

// One file: `state` is waiting, reducing, sending, done or failed; `sent` of `bytes` have gone; `id` is the server's.
class Item {
  constructor(name, size, file = null) {
    this.name = name;
    this.size = size;
    this.file = file;
    this.state = "waiting";
    this.bytes = size;
    this.sent = 0;
    this.id = "";
    this.error = "";
    this.message = "";
    this.reduced = null;
    this.request = null;
  }

  get under_way() {
    return this.state === "waiting" || this.state === "reducing" || this.state === "sending";
  }
}

class UploadQueue {
  // `changed(item)` is called whenever an item is another than before, `changed(null)` when the list is.
  constructor(changed) {
    this.changed = changed;
    this.items = [];
    this.sending = 0;
    this.options = null;
  }

  // What the server knows already, of before this page was drawn anew.
  adopt(files) {
    for (const { id, name, size } of files) {
      const item = new Item(name, size);
      Object.assign(item, { id, state: "done", sent: size });
      this.items.push(item);
    }
  }

  add(files) {
    const room = Math.max(0, this.options.max_files - this.items.length);
    for (const file of files.slice(0, room)) {
      const item = new Item(file.name || "image.png", file.size, file);
      this.items.push(item);
      if (file.size === 0) this.fail(item, "empty-file");
    }
    this.changed(null);
    this.pump();
    return files.length <= room;
  }

  retry(item) {
    Object.assign(item, { state: "waiting", error: "", message: "", sent: 0 });
    this.changed(item);
    this.pump();
  }

  // Stops what is on its way, and takes back what has arrived.
  remove(item) {
    this.items = this.items.filter((other) => other !== item);
    const arrived = item.id;
    item.state = "removed";
    item.request?.abort();
    if (arrived) fetch(`${this.options.url}/${encodeURIComponent(arrived)}`, { method: "DELETE" }).catch(() => null);
    this.changed(null);
  }

  // Stops everything: the zone has gone.
  dispose() {
    for (const item of this.items) {
      if (item.under_way) item.state = "removed";
      item.request?.abort();
    }
    this.items = [];
  }

  pump() {
    while (this.sending < SENT_AT_ONCE) {
      const item = this.items.find((one) => one.state === "waiting");
      if (!item) return;
      this.sending += 1;
      this.process(item).finally(() => {
        this.sending -= 1;
        this.pump();
      });
    }
  }

  async process(item) {
    if (!item.reduced && item.file.size > this.options.policy.max_bytes) {
      item.state = "reducing";
      this.changed(item);
      item.reduced = await reducer.reduce(item.file, this.options.policy);
    }
    if (item.state === "removed") return;
    const body = item.reduced?.blob || item.file;
    if (body.size > this.options.max_bytes) return this.fail(item, "file-too-large");
    Object.assign(item, { state: "sending", bytes: body.size, sent: 0 });
    this.changed(item);
    await this.send(item, body);
  }

  send(item, body) {
    return new Promise((done) => {
      const request = new XMLHttpRequest();
      let stalled = 0;
      const wait = () => {
        clearTimeout(stalled);
        stalled = setTimeout(() => request.abort(), STALLED_MS);
      };
      request.upload.onprogress = (event) => {
        wait();
        item.sent = event.loaded;
        this.changed(item);
      };
      request.onload = () => this.answered(item, request);
      request.onerror = () => this.fail(item, "network");
      request.onabort = () => this.fail(item, "network");
      request.onloadend = () => {
        clearTimeout(stalled);
        item.request = null;
        done();
      };
      item.request = request;
      request.open("POST", `${this.options.url}?name=${encodeURIComponent(wellFormed(item.name))}`);
      request.setRequestHeader("Content-Type", "application/octet-stream");
      wait();
      request.send(body);
    });
  }

  answered(item, request) {
    let answer = {};
    try {
      answer = JSON.parse(request.responseText);
    } catch {
      // a proxy's own page
    }
    if (request.status !== CREATED || !answer.id) return this.fail(item, answer.code || "network", answer.message);
    if (item.state === "removed") return;
    Object.assign(item, { state: "done", id: answer.id, sent: item.bytes });
    this.changed(item);
  }

  // ``message`` is the server's own, by which it is known what the file is.
  fail(item, code, message = "") {
    if (item.state === "removed") return;
    Object.assign(item, { state: "failed", error: code, message });
    this.changed(item);
  }
}

// File names may hold half a character, which no address can.
function wellFormed(text) {
  return [...text].map((c) => (c.length === 1 && c >= "\ud800" && c <= "\udfff" ? "\ufffd" : c)).join("");
}
