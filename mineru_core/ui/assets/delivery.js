// Changes on their way to the server: one message at a time, which names the version it was made to and is sent again
// and again until it is answered, and the browser's question before the page is left with something unsaved. Part of
// each module whose editor sends changes.

const MOST_CHANGES = 500; // of one message; MAX_CHANGES of components/edits.py
const PAUSES_MS = [10000, 10000, 20000, 40000, 60000]; // from one sending to the next; the last of them from then on
const CALM_MS = 2000; // sent this short a time ago, it is not sent again for a sign that the server is there

class Delivery {
  // ``root``: the editor's element; one that is no longer on the page asks nothing.
  constructor(root, tellLate) {
    this.tellLate = tellLate;
    this.ask = (event) => root.isConnected && event.preventDefault();
    this.name = Math.random().toString(36).slice(2);
    this.sent = 0; // messages are numbered, so that an answer is known for what it answers
    this.message = null; // the one without an answer
    this.late = false; // it should have been answered by now
  }

  // A message is taken once, however often it comes.
  start(version, changes) {
    this.end();
    this.sent += 1;
    this.message = { id: `${this.name}-${this.sent}`, version, changes };
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

  // What a run of the app says is at least a sign that the server is there. False while an answer is awaited: what it
  // shows was drawn before the changes were made.
  heard({ answered }) {
    if (this.message && answered !== this.message.id) {
      this.hasten();
      return false;
    }
    this.end();
    return true;
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
