// The page view: one page at any zoom and turn with what was found on it, regions to ask about, and the other pages as
// small pictures. Follows page_view_tools.js in one module.

const PAD = 22; // CSS pixels around the page: room for the numbers of blocks at its left edge
const SHARPEN_MS = 140; // after the last zoom, until a sharper picture is asked for
const DRAG = 4; // CSS pixels; less is a click
const KEPT = 12; // pages whose boxes are kept

class View {
  constructor(root) {
    this.root = root;
    this.fit = "width"; // "width", "page", or null where the zoom was chosen
    this.zoom = 0;
    this.turned = 0; // by the reader, on top of the turn that sets the page upright
    this.kept = new Map();
    this.tools = new Tools(this);
    this.strip = new Strip(this);
    this.stage = make("div", "stage");
    this.stage.tabIndex = 0;
    this.stage.setAttribute("role", "group");
    this.sheet = make("div", "sheet", this.stage);
    this.paper = make("div", "paper", this.sheet);
    this.image = make("img", "picture", this.paper);
    this.image.decoding = "sync";
    this.image.draggable = false;
    this.layers = new Layers(this, this.paper);
    this.regions = new Regions(this, this.paper);
    this.missing = make("p", "missing", this.stage);
    this.status = make("p", "status");
    this.status.setAttribute("role", "status");
    const frame = make("div", "frame");
    frame.append(this.stage, this.regions.bar);
    root.append(this.tools.bar, frame, this.strip.list, this.layers.legend, this.status);
    this.pageShared = new Shared((page) => (this.page = page));
    this.regionsShared = new Shared((regions) => this.regions.take(regions));
    this.listen();
  }

  get turns() {
    return (this.upright + this.turned) % 4;
  }

  listen() {
    const { stage, image } = this;
    this.root.addEventListener("keydown", (event) => this.tools.key(event));
    stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    stage.addEventListener("pointerdown", (event) => this.press(event));
    stage.addEventListener("pointermove", (event) => !event.buttons && this.size && this.layers.hover(this.pointOf(event)));
    stage.addEventListener("pointerleave", () => this.layers.hover(null));
    stage.addEventListener("click", (event) => this.click(event));
    stage.addEventListener("scroll", () => this.layers.hideTip());
    stage.addEventListener("touchstart", (event) => this.pinch(event), { passive: false });
    stage.addEventListener("touchmove", (event) => this.pinch(event), { passive: false });
    image.addEventListener("load", () => this.pictureLoaded());
    image.addEventListener("error", () => image.hasAttribute("src") && this.pictureFailed());
  }

  // What the server says. It may be older than what was done here.
  take(data, send) {
    const other = data.job !== this.job;
    this.send = send;
    Object.assign(this, { words: data.words, looks: data.looks, heat: data.heat, pages: data.pages, done: data.done });
    this.inline = data.inline;
    this.alt = data.alt;
    this.stage.setAttribute("aria-label", data.words.stage);
    this.stage.classList.toggle("busy", !data.done);
    if (other) {
      if (data.document !== this.document) Object.assign(this, { fit: "width", turned: 0 });
      Object.assign(this, { job: data.job, document: data.document });
      this.pageShared.forget();
      this.regionsShared.forget();
      this.regions.drawing && this.regions.setDrawing(false);
    }
    this.version = data.version;
    this.pageShared.take(data.page);
    this.regionsShared.take(data.regions);
    if (data.draw && data.draw !== this.drawn) this.regions.setDrawing(true);
    this.drawn = data.draw || this.drawn;
    this.strip.show(this.job, this.pages, this.words);
    this.given = data;
    this.load();
    this.regions.draw();
    this.tools.update();
  }

  turnTo(page) {
    if (page === this.page || page < 1 || page > this.pages) return;
    this.page = page;
    this.pageShared.send(page, (value) => this.send("page", value));
    this.load();
    this.stage.scrollTop = this.stage.scrollLeft = 0;
    this.say(this.words.page_named.replace("%", String(page)));
  }

  tellRegions(all) {
    this.regionsShared.send(all, (value) => this.send("regions", value));
  }

  // The page's boxes and picture, where they are not there yet.
  load() {
    const { given, job, page } = this;
    const place = `${job}/${page}`;
    const key = `${place}/${this.version}/${Boolean(this.inline)}`;
    this.strip.mark(page);
    if (key === this.loading) return;
    this.loading = key;
    if (place !== this.place) {
      this.place = place;
      this.missing.textContent = "";
      this.layers.show(null);
      this.image.alt = this.alt.replace("%", String(page));
      const known = this.kept.get(key);
      this.size = null;
      this.upright = 0;
      if (known) this.adopt(known);
      else if (given.page === page && given.width) this.setSize({ width: given.width, height: given.height }, given.turn);
      this.image.removeAttribute("src");
      this.pictured = 0;
      this.sharpen();
    }
    if (this.inline) {
      if (this.inline.boxes.page === page) this.adopt(readBoxes(this.inline.boxes));
      this.sharpen();
    } else if (!this.kept.has(key)) this.fetchBoxes(key);
    this.regions.draw();
    this.tools.update();
  }

  async fetchBoxes(key) {
    const version = this.version === null ? "" : `?v=${this.version}`;
    let found = null;
    try {
      const answer = await fetch(new URL(`ui/boxes/${this.job}/${this.page}${version}`, document.baseURI));
      if (answer.ok) found = readBoxes(await answer.json());
    } catch {
      found = null; // no network, or a server without the route
    }
    if (found && this.done) this.kept.set(key, found);
    if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value);
    if (key !== this.loading) return;
    if (found) this.adopt(found);
    else this.say(this.words.boxes_missing, true);
  }

  adopt(found) {
    this.setSize(found.page, found.turn);
    this.layers.show(found);
    const place = this.wanted;
    this.wanted = null;
    if (place) this.showPlace(place);
  }

  setSize(size, turn) {
    this.upright = turn;
    this.size = size;
    this.layOut();
    this.regions.draw();
  }

  // Layout -----------------------------------------------------------------------------------------------------------

  layOut() {
    const { size, stage } = this;
    if (!size || !stage.clientWidth) return;
    const room = { width: stage.clientWidth - 2 * PAD, height: stage.clientHeight - 2 * PAD };
    const across = turnedSize(size, this.turns);
    const tall = fitZoom(size, this.turns, room, false) * across.height + 2 * PAD;
    stage.style.setProperty("--tall", Math.ceil(tall) + "px");
    room.height = stage.clientHeight - 2 * PAD;
    if (this.fit) this.zoom = fitZoom(size, this.turns, room, this.fit === "page");
    const [w, h] = [size.width * this.zoom, size.height * this.zoom];
    const shift = [[0, 0], [h, 0], [w, h], [0, w]][this.turns];
    Object.assign(this.sheet.style, { width: across.width * this.zoom + "px", height: across.height * this.zoom + "px" });
    Object.assign(this.paper.style, {
      width: w + "px", height: h + "px", transform: `translate(${shift[0]}px, ${shift[1]}px) rotate(${90 * this.turns}deg)`,
    });
    this.root.style.setProperty("--turns", String(this.turns));
    this.root.classList.toggle("odd", this.turns % 2 === 1);
    this.tools.update();
    clearTimeout(this.later);
    this.later = setTimeout(() => this.sharpen(), this.pictured ? SHARPEN_MS : 0);
  }

  get rect() {
    return this.sheet.getBoundingClientRect();
  }

  pointOf(event) {
    return toPage([event.clientX, event.clientY], this.size, this.turns, this.rect);
  }

  // The box of the page that is in sight, in page pixels.
  inSight() {
    const { stage, size, turns, rect } = this;
    const box = stage.getBoundingClientRect();
    const from = toPage([box.left, box.top], size, turns, rect);
    const to = toPage([box.left + stage.clientWidth, box.top + stage.clientHeight], size, turns, rect);
    return between(from, to, size);
  }

  // The point of the page under `at` stays where it is on the screen.
  setZoom(zoom, at) {
    if (!this.size) return;
    const box = this.stage.getBoundingClientRect();
    const from = at || [box.left + this.stage.clientWidth / 2, box.top + this.stage.clientHeight / 2];
    const point = toPage(from, this.size, this.turns, this.rect);
    this.fit = null;
    this.zoom = within(zoom, LEAST_ZOOM, MOST_ZOOM);
    this.layOut();
    const [x, y] = toScreen(point, this.size, this.turns, this.rect);
    this.stage.scrollLeft += x - from[0];
    this.stage.scrollTop += y - from[1];
    this.layers.hideTip();
    this.say(`${Math.round(100 * this.zoom)}%`);
  }

  // What was in the middle is in the middle again.
  centre([x0, y0, x1, y1]) {
    const { stage } = this;
    const box = stage.getBoundingClientRect();
    const [x, y] = toScreen([(x0 + x1) / 2, (y0 + y1) / 2], this.size, this.turns, this.rect);
    stage.scrollLeft += x - box.left - stage.clientWidth / 2;
    stage.scrollTop += y - box.top - stage.clientHeight / 2;
  }

  setFit(fit) {
    this.fit = fit;
    this.layOut();
    this.say(`${Math.round(100 * this.zoom)}%`);
  }

  rotate(by) {
    if (!this.size) return;
    const seen = this.inSight();
    this.turned = (this.turned + by) % 4;
    this.layers.hideTip();
    this.layOut();
    this.centre(seen);
    this.say(this.words.turned.replace("%", String(90 * this.turns)));
  }

  // The picture ------------------------------------------------------------------------------------------------------

  pictureAddress(page, width) {
    if (this.inline) return page === this.given.page ? this.inline.src : "";
    return new URL(`ui/pages/${this.job}/${page}?w=${width}`, document.baseURI).href;
  }

  sharpen() {
    const width = this.size ? pictureWidth(this.size, this.zoom || 0.1, window.devicePixelRatio) : PICTURE_WIDTHS[2];
    const src = this.pictureAddress(this.page, width);
    if (!src || width <= this.pictured || this.image.src === src) return;
    const first = !this.pictured;
    this.pictured = width;
    if (first) {
      this.image.src = src;
      return;
    }
    const next = new Image(); // the blurred one stands until the sharp one is there
    next.onload = () => {
      if (this.pictured === width && this.pictureAddress(this.page, width) === src) this.image.src = src;
    };
    next.src = src;
  }

  pictureLoaded() {
    this.missing.textContent = "";
    if (!this.size) this.setSize({ width: this.image.naturalWidth, height: this.image.naturalHeight }, 0); // until its boxes are there
  }

  pictureFailed() {
    if (this.inline) this.missing.textContent = this.words.missing;
    else this.send("broken", true);
  }

  // Pointer ----------------------------------------------------------------------------------------------------------

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const step = within(event.deltaY, -25, 25);
    this.setZoom(this.zoom * Math.exp(-0.01 * step), [event.clientX, event.clientY]);
  }

  pinch(event) {
    if (event.touches.length !== 2 || !this.size) return;
    event.preventDefault();
    const [a, b] = event.touches;
    const apart = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1;
    if (event.type === "touchstart") this.pinched = { zoom: this.zoom, apart };
    else this.setZoom((this.pinched.zoom * apart) / this.pinched.apart, [(a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2]);
  }

  press(event) {
    if (!this.size || !event.isPrimary) return;
    if (this.regions.drawing && event.button === 0) {
      event.preventDefault();
      this.stage.focus({ preventScroll: true });
      this.regions.start(event);
    } else if (event.pointerType === "mouse" && event.button < 2) this.pan(event);
  }

  pan(event) {
    const { stage } = this;
    const from = [event.clientX, event.clientY];
    const scrolled = [stage.scrollLeft, stage.scrollTop];
    const until = new AbortController();
    let moving = false;
    const move = (now) => {
      const step = [now.clientX - from[0], now.clientY - from[1]];
      if (!moving && Math.hypot(...step) < DRAG) return;
      if (!moving) stage.setPointerCapture(event.pointerId);
      moving = true;
      stage.classList.add("panning");
      stage.scrollLeft = scrolled[0] - step[0];
      stage.scrollTop = scrolled[1] - step[1];
    };
    const end = () => {
      until.abort();
      stage.classList.remove("panning");
      this.panned = moving; // what comes now is no click
      setTimeout(() => (this.panned = false));
    };
    window.addEventListener("pointermove", move, { signal: until.signal });
    window.addEventListener("pointerup", end, { signal: until.signal });
    window.addEventListener("pointercancel", end, { signal: until.signal });
  }

  click(event) {
    if (this.panned || this.regions.drawing || !this.size || event.target.closest("button")) return;
    const point = this.pointOf(event);
    const one = this.layers.fineAt(point) || this.layers.cellAt(point);
    if (one) this.pick(one);
  }

  // Both ways --------------------------------------------------------------------------------------------------------

  // Something in the picture was chosen: the answer shows it, and whoever listens hears of it.
  pick(one) {
    if (this.panned) return;
    const { job, page } = this;
    this.layers.light(one.box);
    const detail = { job, page, box: one.box, table: one.table, row: one.row, col: one.col };
    document.dispatchEvent(new CustomEvent("workbench:picked", { detail }));
    lightAnswer(page, one);
  }

  // Something beside the picture was: { page, box } or { page, table, row, col }. `still`: the page stays where it is.
  showPlace(place) {
    if (place.page > this.pages) return;
    if (place.page !== this.page || !this.layers.found) {
      this.wanted = place;
      this.turnTo(place.page);
      return;
    }
    const box = this.boxOf(place);
    this.layers.light(box);
    if (box) this.reveal(box, place.still);
  }

  // What the pointer is over in the answer is outlined only, and the page stays where it is.
  hint(place) {
    const { layers } = this;
    const box = place && place.page === this.page && layers.found ? this.boxOf(place) : null;
    layers.hot.hidden = !box;
    if (box) put(layers.hot, box, this.size);
  }

  boxOf({ box, table, row, col }) {
    return box || this.layers.found.cells.find((one) => one.table === table && one.row === row && one.col === col)?.box;
  }

  reveal(box, still) {
    const { stage, size, turns, rect } = this;
    const seen = stage.getBoundingClientRect();
    const points = [[box[0], box[1]], [box[2], box[3]]].map((point) => toScreen(point, size, turns, rect));
    const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]).sort((a, b) => a - b));
    if (xs[0] < seen.left || xs[1] > seen.right) stage.scrollLeft += (xs[0] + xs[1]) / 2 - (seen.left + seen.right) / 2;
    if (ys[0] < seen.top || ys[1] > seen.bottom) stage.scrollTop += (ys[0] + ys[1]) / 2 - (seen.top + seen.bottom) / 2;
    if (still) return;
    if (seen.bottom < HEAD || seen.top > window.innerHeight - FOOT) stage.scrollIntoView({ block: "center" });
  }

  say(text, shown = false) {
    this.status.textContent = text;
    if (shown && !this.regions.bar.hidden) this.regions.said.textContent = text;
    this.missing.textContent = shown && this.regions.bar.hidden ? text : this.missing.textContent;
  }
}
