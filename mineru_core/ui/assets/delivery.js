// One message on its way to the server: sent again and again until it is answered, and the browser's question before
// the page is left with something unsaved. The first part of each module whose editor sends changes.

const PAUSES_MS = [10000, 10000, 20000, 40000, 60000]; // from one sending to the next; the last of them from then on
const CALM_MS = 2000; // sent this short a time ago, it is not sent again for a sign that the server is there

class Delivery {
  // ``root``: the editor's element; one that is no longer on the page asks nothing.
  constructor(root, tellLate) {
    this.tellLate = tellLate;
    this.ask = (event) => root.isConnected && event.preventDefault();
    this.message = null;
    this.late = false; // the message should have been answered by now
  }

  // A message is taken once, however often it comes.
  start(message) {
    this.end();
    this.message = message;
    this.pass(0);
  }

  pass(times) {
    this.at = performance.now();
    this.send(this.message);
    this.timer = setTimeout(() => {
      this.late = true;
      this.pass(times + 1);
      this.tellLate();
    }, PAUSES_MS[Math.min(times, PAUSES_MS.length - 1)]);
  }

  // Answered, or no longer wanted.
  end() {
    clearTimeout(this.timer);
    this.message = null;
    this.late = false;
  }

  // There is a sign that the server can be reached again: what is late is not to wait for its turn.
  hasten() {
    if (!this.late || performance.now() - this.at < CALM_MS) return;
    clearTimeout(this.timer);
    this.pass(0);
  }

  // Not asked for nothing: a page that listens for its end may not be kept for the way back.
  guard(unsaved) {
    if (unsaved) window.addEventListener("beforeunload", this.ask);
    else window.removeEventListener("beforeunload", this.ask);
  }

  // What the browser knows of it.
  listen(signal) {
    window.addEventListener("online", () => this.hasten(), { signal });
    document.addEventListener("visibilitychange", () => document.hidden || this.hasten(), { signal });
  }
}
