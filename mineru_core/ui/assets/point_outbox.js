// Changes on their way to the server: shown at once, sent together with what was done while the last answer was awaited.

const RESEND_MS = 10000; // a message is taken once, however often it comes
const TRIES = 3;
const MOST_CHANGES = 500; // of one message

class Outbox {
  constructor(tell) {
    this.tell = tell; // (what: "saving" | "lost")
    this.queue = [];
    this.waiting = null;
    this.sent = 0;
    this.name = Math.random().toString(36).slice(2);
  }

  get idle() {
    return this.waiting === null && !this.queue.length;
  }

  add(change) {
    this.queue.push(change);
    this.pump();
  }

  // Whether the server's word is newer than what was sent; false while an answer is awaited.
  answered(data) {
    if (this.waiting !== null && data.answered !== this.waiting.id) return false;
    this.waiting = null;
    clearTimeout(this.timer);
    if (data.error) this.queue = [];
    return true;
  }

  pump() {
    if (this.waiting !== null || !this.queue.length) return;
    this.sent += 1;
    this.waiting = { id: `${this.name}-${this.sent}`, version: this.version, changes: this.queue.splice(0, MOST_CHANGES) };
    this.tell("saving");
    this.deliver(TRIES);
  }

  deliver(tries) {
    this.send(this.waiting);
    this.timer = setTimeout(() => {
      if (tries > 1) this.deliver(tries - 1);
      else this.tell("lost");
    }, RESEND_MS);
  }
}
