// Changes of the point editor: shown at once, sent together with what was done while the last answer was awaited.
// Follows delivery.js in one module.

class Outbox {
  constructor(root, tell) {
    this.tell = tell; // (what: "saving" | "lost")
    this.delivery = new Delivery(root, () => tell("lost"));
    this.queue = [];
  }

  get waiting() {
    return this.delivery.message !== null;
  }

  get idle() {
    return !this.waiting && !this.queue.length;
  }

  add(change) {
    this.queue.push(change);
    this.pump();
  }

  // Whether the server's word is newer than what was sent; false while an answer is awaited.
  answered(data) {
    if (!this.delivery.heard(data)) return false;
    if (data.error) this.queue = [];
    return true;
  }

  // Whatever changes what is unsent ends here.
  pump() {
    this.delivery.guard(!this.idle);
    if (this.waiting || !this.queue.length) return;
    this.tell("saving");
    this.delivery.start(this.version, this.queue.splice(0, MOST_CHANGES));
  }
}
