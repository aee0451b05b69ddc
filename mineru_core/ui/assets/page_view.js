// Draws the page picture with one box a block. Recognised text enters through textContent and setAttribute only,
// never as markup: this code runs in the page itself, not in a frame.

const RESIZE_STEP = 24; // CSS pixels; smaller changes of the width are not worth a rerun
const EDGE = 5; // percent of the page's width; nearer to its left edge a number has no room on the page
const GAP = 6; // CSS pixels between a block and its tooltip
const HEAD = 60; // CSS pixels at the top of the window, and
const FOOT = 96; // at its bottom, that the app's own bars cover

function make(tag, className, parent) {
  const element = document.createElement(tag);
  element.className = className;
  if (parent) parent.appendChild(element);
  return element;
}

function put(element, place) {
  const [left, top, width, height] = place;
  element.style.left = left + "%";
  element.style.top = top + "%";
  element.style.width = width + "%";
  element.style.height = height + "%";
}

function skeleton(root) {
  const figure = make("figure", "sheet", root);
  figure.tabIndex = -1;
  const image = make("img", "picture", figure);
  const layer = make("div", "layer", figure);
  const marks = make("div", "layer marks", figure);
  const tip = make("div", "tip", root);
  tip.setAttribute("role", "tooltip");
  tip.id = "tip-" + Math.random().toString(36).slice(2);
  const missing = make("p", "missing", figure);
  const legend = make("ul", "legend", root);
  return { root, figure, image, layer, marks, tip, missing, legend };
}

function showTip(parts, box, target) {
  const { tip, root } = parts;
  tip.replaceChildren();
  const head = make("strong", "tip-head", tip);
  head.textContent = box.sure ? `${box.label} · ${box.sure}` : box.label;
  head.style.setProperty("--ink", box.colour || "");
  if (box.text) make("span", "tip-text", tip).textContent = box.text;
  tip.classList.add("shown");
  const origin = root.getBoundingClientRect();
  const [left, top] = besideBlock(target.getBoundingClientRect(), tip.offsetWidth, tip.offsetHeight, origin.left);
  tip.style.left = left - origin.left + "px";
  tip.style.top = top - origin.top + "px";
}

// Where a tooltip hides nothing of its block: below it, above it, at its right or left; in window coordinates.
function besideBlock(block, width, height, leftmost) {
  const bottom = window.innerHeight - FOOT;
  const rightmost = document.documentElement.clientWidth - width - 4;
  const left = Math.max(Math.min(block.left, rightmost), 4);
  if (block.bottom + GAP + height <= bottom) return [left, block.bottom + GAP];
  if (block.top - GAP - height >= HEAD) return [left, block.top - GAP - height];
  const top = Math.min(Math.max(block.top, HEAD), bottom - height);
  if (block.right + GAP <= rightmost) return [block.right + GAP, top];
  if (block.left - GAP - width >= leftmost) return [block.left - GAP - width, top];
  return [left, bottom - height]; // it fills the window: its end is hidden, not what stands first in it
}

function hideTip(parts) {
  parts.tip.classList.remove("shown");
}

// One tab stop for all blocks; the arrow keys walk them in reading order.
function walk(event, buttons, index) {
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  let next = null;
  if (event.key in steps) next = (index + steps[event.key] + buttons.length) % buttons.length;
  if (event.key === "Home") next = 0;
  if (event.key === "End") next = buttons.length - 1;
  if (next === null) return;
  event.preventDefault();
  buttons.forEach((button, at) => (button.tabIndex = at === next ? 0 : -1));
  buttons[next].focus();
}

function drawBlocks(parts, blocks) {
  const buttons = blocks.map((block) => {
    const button = make("button", "block", parts.layer);
    button.type = "button";
    button.dataset.kind = block.kind;
    button.style.setProperty("--ink", block.colour);
    button.style.setProperty("--line", block.line);
    button.setAttribute("aria-label", `${block.number}. ${block.label}, ${block.sure}. ${block.text}`);
    put(button, block.place);
    make("span", "number", button).textContent = String(block.number);
    return button;
  });
  buttons.forEach((button, index) => {
    button.tabIndex = index === 0 ? 0 : -1;
    const show = () => showTip(parts, blocks[index], button);
    const hide = () => hideTip(parts);
    button.addEventListener("pointerenter", show);
    button.addEventListener("focus", show);
    button.addEventListener("click", show);
    button.addEventListener("pointerleave", hide);
    button.addEventListener("blur", hide);
    button.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hide();
      else walk(event, buttons, index);
    });
  });
}

function drawMarks(parts, marks) {
  for (const mark of marks) {
    const element = make("div", "mark " + mark.kind, parts.marks);
    put(element, mark.place);
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", mark.label);
    element.title = mark.label;
  }
}

function drawLegend(parts, data) {
  parts.legend.replaceChildren();
  parts.legend.setAttribute("aria-label", data.legend);
  const seen = new Set();
  for (const block of data.blocks) {
    if (seen.has(block.label)) continue;
    seen.add(block.label);
    const item = make("li", "", parts.legend);
    const swatch = make("i", "swatch", item);
    swatch.style.setProperty("--ink", block.colour);
    swatch.style.setProperty("--line", block.line);
    make("span", "", item).textContent = block.label;
  }
}

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  const root = parentElement.querySelector(".view");
  const parts = root.parts || (root.parts = skeleton(root));
  const { figure, image, layer, marks, missing } = parts;

  figure.style.aspectRatio = `${data.width} / ${data.height}`;
  figure.classList.toggle("busy", data.busy);
  image.alt = data.alt;
  missing.textContent = "";
  const src = new URL(data.src, document.baseURI).href;
  image.onload = () => (missing.textContent = "");
  image.onerror = () => {
    if (data.src.startsWith("data:")) missing.textContent = data.missing;
    else setStateValue("broken", data.src);
  };
  if (image.src !== src) image.src = src;

  hideTip(parts);
  layer.replaceChildren();
  marks.replaceChildren();
  root.classList.toggle("gutter", data.blocks.some((block) => block.place[0] < EDGE));
  drawBlocks(parts, data.blocks);
  drawMarks(parts, data.marks);
  drawLegend(parts, data);

  let told = data.known_width;
  const observer = new ResizeObserver(() => {
    const width = Math.round(figure.clientWidth);
    if (width > 0 && Math.abs(width - told) >= RESIZE_STEP) {
      told = width;
      setStateValue("width", width);
    }
  });
  observer.observe(figure);
  return () => observer.disconnect();
}
