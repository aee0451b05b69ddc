// What the parts of the page view share. Follows page_view_geometry.js in one module.

const ECHO_MS = 5000; // after which what the server says counts again, though it has not heard

// A value that both sides may change: what the server says while it has not heard the last change is old.
class Shared {
  constructor(adopt) {
    this.adopt = adopt;
    this.forget();
  }

  forget() {
    this.last = this.sent = undefined;
  }

  send(value, deliver) {
    this.sent = JSON.stringify(value);
    this.until = performance.now() + ECHO_MS;
    deliver(value);
  }

  take(value) {
    const now = JSON.stringify(value);
    if (this.sent !== undefined && now !== this.sent && performance.now() < this.until) return;
    const heard = now === this.sent;
    this.sent = undefined;
    if (now === this.last && !heard) return;
    this.last = now;
    if (!heard) this.adopt(value);
  }
}

// A press followed to its end, wherever the pointer goes; `stop` where the browser takes it away.
function follow(event, element, { move, end, stop = () => {} }) {
  const { pointerId } = event;
  const until = new AbortController();
  const listen = (name, act, last) => element.addEventListener(name, (now) => {
    if (now.pointerId !== pointerId) return;
    if (last) until.abort();
    act(now);
  }, { signal: until.signal });
  element.setPointerCapture(pointerId);
  listen("pointermove", move, false);
  listen("pointerup", end, true);
  listen("pointercancel", stop, true);
}
