// The tools above the page picture and the keys that do the same. Follows page_view_strip.js in one module.

const ICONS = {
  previous: "M15 5l-7 7 7 7", next: "M9 5l7 7-7 7", out: "M5 12h14", in: "M5 12h14M12 5v14",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5", turn: "M19 12a7 7 0 1 1-2.2-5.1M17 3v4.5h-4.5",
  layers: "M12 4l8 4.5-8 4.5-8-4.5zM4 13l8 4.5 8-4.5", region: "M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M9 9h6v6H9z",
};
const LAYERS = ["blocks", "order", "lines", "cells", "heat"];

class Tools {
  constructor(view) {
    this.view = view;
    this.bar = make("div", "bar");
    this.bar.setAttribute("role", "toolbar");
    this.buttons = {};
    this.pager = this.group();
    this.add(this.pager, "previous", () => view.turnTo(view.page - 1));
    this.page = make("span", "page", this.pager);
    this.add(this.pager, "next", () => view.turnTo(view.page + 1));
    const zoom = this.group();
    this.add(zoom, "out", () => view.setZoom(stepZoom(view.zoom, -1)));
    this.percent = this.add(zoom, "original", () => view.setZoom(1));
    this.add(zoom, "in", () => view.setZoom(stepZoom(view.zoom, 1)));
    this.add(zoom, "fit", () => view.setFit(view.fit === "width" ? "page" : "width"));
    this.add(zoom, "turn", () => view.rotate(1));
    const more = this.group();
    this.layers = this.add(more, "layers", () => this.open(this.menu.hidden), true);
    this.region = this.add(more, "region", () => view.regions.setDrawing(!view.regions.drawing) || this.update(), true);
    this.menu = make("div", "menu", more);
    this.menu.setAttribute("role", "group");
    this.menu.hidden = true;
    this.boxes = Object.fromEntries(LAYERS.map((name) => [name, this.box(name)]));
    more.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.menu.hidden) return;
      this.open(false);
      this.layers.focus();
      event.stopPropagation();
    });
    more.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !more.contains(event.relatedTarget)) this.open(false);
    });
  }

  group() {
    return make("div", "group", this.bar);
  }

  add(group, name, act, worded = false) {
    const button = make("button", "", group);
    button.type = "button";
    button.dataset.tool = name;
    if (ICONS[name]) draw("path", { d: ICONS[name] }, draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, button));
    if (worded || name === "original") make("span", "", button);
    button.addEventListener("click", () => button.getAttribute("aria-disabled") !== "true" && act());
    this.buttons[name] = button;
    return button;
  }

  box(name) {
    const label = make("label", "", this.menu);
    const input = make("input", "", label);
    input.type = "checkbox";
    input.name = name;
    make("span", "", label);
    input.addEventListener("change", () => this.view.layers.turn(name, input.checked));
    return { input, label };
  }

  open(on) {
    this.menu.hidden = !on;
    this.layers.setAttribute("aria-expanded", String(on));
    if (on) this.boxes.blocks.input.focus();
  }

  update() {
    const { view, buttons } = this;
    const { words } = view;
    this.bar.setAttribute("aria-label", words.tools);
    for (const [name, button] of Object.entries(buttons)) {
      button.title = words[`${name}_help`];
      if (button.querySelector("span") === null) button.setAttribute("aria-label", words[`${name}_help`]);
    }
    this.menu.setAttribute("aria-label", words.layers);
    this.layers.querySelector("span").textContent = words.layers;
    this.layers.setAttribute("aria-expanded", String(!this.menu.hidden));
    this.region.querySelector("span").textContent = words.region;
    this.region.setAttribute("aria-pressed", String(view.regions.drawing));
    this.percent.querySelector("span").textContent = view.zoom ? `${Math.round(100 * view.zoom)}%` : "–";
    this.percent.setAttribute("aria-label", `${this.percent.textContent} · ${words.original_help}`);
    this.pager.hidden = view.pages < 2;
    this.page.textContent = `${view.page} / ${view.pages}`;
    const able = { previous: view.page > 1, next: view.page < view.pages, region: view.version !== null, layers: view.version !== null };
    for (const [name, possible] of Object.entries(able)) buttons[name].setAttribute("aria-disabled", String(!possible));
    for (const [name, { input, label }] of Object.entries(this.boxes)) {
      input.checked = view.layers.on[name];
      label.querySelector("span").textContent = words[`layer_${name}`];
    }
  }

  // Keys of the whole view. None with Ctrl or Alt: those are the browser's.
  key(event) {
    const { view } = this;
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input")) return;
    const acts = {
      "+": () => view.setZoom(stepZoom(view.zoom, 1)), "=": () => view.setZoom(stepZoom(view.zoom, 1)),
      "-": () => view.setZoom(stepZoom(view.zoom, -1)), "0": () => view.setFit("width"), "1": () => view.setZoom(1),
      r: () => view.rotate(1), R: () => view.rotate(3),
    };
    if (view.regions.drawing) {
      acts.Escape = () => view.regions.setDrawing(false) || this.update();
      if (event.target === view.stage) acts.Enter = () => view.regions.add();
    }
    if (!(event.key in acts) || !view.size) return;
    acts[event.key]();
    event.preventDefault();
    event.stopPropagation(); // the app has keys of its own, such as r
  }
}
