// Regions of pages that limit the next question: drawn, moved, resized and deleted, by pointer and by keyboard. They are
// kept in page pixels; what is on the screen follows from them. Follows page_view_layers.js in one module.

const HANDLES = ["nw", "n", "ne", "e", "se", "s", "sw", "w"];
const FAR = 10; // page pixels a key moves by with Ctrl; 1 without
const NEW_SHARE = 0.5; // of what is in sight, that a region made by a key covers

class Regions {
  constructor(view, paper) {
    this.view = view;
    this.all = []; // { page, box }
    this.drawing = false; // whether the tool is on
    this.layer = make("div", "layer regions", paper);
    this.rubber = make("div", "region rubber", paper);
    this.rubber.hidden = true;
    this.bar = make("div", "pill");
    this.bar.hidden = true;
    this.said = make("span", "", this.bar);
    this.clear = make("button", "", this.bar);
    this.clear.type = "button";
    this.clear.addEventListener("click", () => this.change([]));
  }

  get here() {
    return this.all.filter((one) => one.page === this.view.page);
  }

  // What the server has: only what it did not hear from here.
  take(regions) {
    this.all = regions.map(([page, ...box]) => ({ page, box }));
    this.draw();
  }

  change(all, told = true) {
    this.all = all;
    this.draw();
    if (told) this.tell();
  }

  tell() {
    this.view.tellRegions(this.all.map(({ page, box }) => [page, ...box]));
  }

  setDrawing(on) {
    this.drawing = on;
    this.view.root.classList.toggle("drawing", on);
    this.view.layers.hideTip();
    this.draw();
  }

  draw() {
    const { words, size } = this.view;
    if (this.held) return; // what is under the pointer must not be replaced
    const held = [...this.layer.children].indexOf(this.view.root.getRootNode().activeElement);
    this.layer.replaceChildren();
    if (size) this.here.forEach((one, at) => this.drawOne(one, at));
    if (held >= 0 && this.layer.children.length) {
      this.layer.children[Math.min(held, this.layer.children.length - 1)].focus({ preventScroll: true });
    }
    this.clear.textContent = words.region_clear;
    this.clear.hidden = !this.all.length;
    this.bar.hidden = !this.all.length && !this.drawing;
    const pages = [...new Set(this.all.map((one) => one.page))].sort((one, other) => one - other).join(", ");
    if (this.all.length === 1) this.said.textContent = words.region_one.replace("%", pages);
    else if (this.all.length) this.said.textContent = words.region_many.replace("#", String(this.all.length)).replace("%", pages);
    else this.said.textContent = words.region_hint;
  }

  drawOne(one, at) {
    const { words, size } = this.view;
    const element = make("div", "region", this.layer);
    element.tabIndex = 0;
    element.setAttribute("role", "group");
    element.setAttribute("aria-roledescription", words.region_named);
    const [x0, y0, x1, y1] = one.box.map(Math.round);
    element.setAttribute("aria-label", `${at + 1}: ${x0}, ${y0}, ${x1 - x0} × ${y1 - y0}. ${words.region_keys}`);
    put(element, one.box, size);
    for (const name of HANDLES) make("i", `handle ${name}`, element).dataset.handle = name;
    const remove = make("button", "remove", element);
    remove.type = "button";
    remove.textContent = "×";
    remove.title = words.region_delete;
    remove.setAttribute("aria-label", words.region_delete);
    remove.addEventListener("click", () => this.remove(one));
    element.addEventListener("pointerdown", (event) => this.grab(event, one, element));
    element.addEventListener("keydown", (event) => this.key(event, one));
  }

  remove(one) {
    this.change(this.all.filter((other) => other !== one));
    this.view.stage.focus({ preventScroll: true });
  }

  // A rectangle dragged over the page.
  start(event) {
    const { view } = this;
    const from = view.pointOf(event);
    follow(event, view.stage, {
      move: (now) => {
        this.rubber.hidden = false;
        put(this.rubber, between(from, view.pointOf(now), view.size), view.size);
      },
      end: (now) => {
        this.rubber.hidden = true;
        const box = between(from, view.pointOf(now), view.size);
        if (isRegion(box, view.zoom)) this.change([...this.all, { page: view.page, box }]);
        else view.say(view.words.region_small, true);
      },
      stop: () => (this.rubber.hidden = true),
    });
  }

  // A region moved, or one of its handles.
  grab(event, one, element) {
    event.stopPropagation(); // it would begin a rectangle
    if (event.button !== 0 || event.target.closest("button")) return;
    const { view } = this;
    const handle = event.target.dataset.handle;
    const from = view.pointOf(event);
    const before = one.box;
    const after = (now) => {
      const [x, y] = view.pointOf(now);
      const step = [x - from[0], y - from[1]];
      return handle ? resized(before, handle, step, view.size) : moved(before, step, view.size);
    };
    element.focus({ preventScroll: true });
    this.held = true;
    follow(event, element, {
      move: (now) => put(element, after(now), view.size),
      end: (now) => {
        const box = after(now);
        this.held = false;
        this.draw();
        if (box.join() !== before.join() && isRegion(box, view.zoom)) this.replace(one, box);
      },
      stop: () => {
        this.held = false;
        this.draw();
      },
    });
  }

  replace(one, box) {
    this.change(this.all.map((other) => (other === one ? { page: one.page, box } : other)));
  }

  key(event, one) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.target !== event.currentTarget || event.altKey) return;
    if (event.key === "Delete" || event.key === "Backspace") this.remove(one);
    else if (event.key === "Escape") this.view.stage.focus({ preventScroll: true });
    else if (event.key in steps) {
      const far = event.ctrlKey || event.metaKey ? FAR : 1;
      const step = stepOnPage(steps[event.key], this.view.turns).map((value) => value * far);
      const { size } = this.view;
      const box = event.shiftKey ? resized(one.box, "se", step, size) : moved(one.box, step, size);
      if (box[2] - box[0] >= 1 && box[3] - box[1] >= 1) this.replace(one, box);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // By the keyboard: a region in the middle of what is in sight, to be moved and resized by keys.
  add() {
    const { view } = this;
    const seen = view.inSight();
    const [w, h] = [seen[2] - seen[0], seen[3] - seen[1]];
    const cut = (1 - NEW_SHARE) / 2;
    const box = rounded([seen[0] + cut * w, seen[1] + cut * h, seen[2] - cut * w, seen[3] - cut * h]);
    this.change([...this.all, { page: view.page, box }]);
    this.layer.lastElementChild.focus({ preventScroll: true });
  }
}
