// Changes on their way to the server: shown at once, sent together with what was done while the last answer was awaited.

const MOST_CHANGES = 500; // of one message

class Outbox {
  constructor(root, tell) {
    this.tell = tell; // (what: "saving" | "lost")
    this.delivery = new Delivery(root, () => tell("lost"));
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
    if (this.waiting !== null && data.answered !== this.waiting.id) {
      this.delivery.hasten();
      return false;
    }
    this.waiting = null;
    this.delivery.end();
    if (data.error) this.queue = [];
    return true;
  }

  // Whatever changes what is unsent ends here.
  pump() {
    this.delivery.guard(!this.idle);
    if (this.waiting !== null || !this.queue.length) return;
    this.sent += 1;
    this.waiting = { id: `${this.name}-${this.sent}`, version: this.version, changes: this.queue.splice(0, MOST_CHANGES) };
    this.tell("saving");
    this.delivery.start(this.waiting);
  }
}
