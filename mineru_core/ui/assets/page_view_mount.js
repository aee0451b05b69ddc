// The page view in its place on the page: what it listens to outside of itself. Follows page_view.js in one module.

function hoverPlace(view, event) {
  const place = event.pointerType === "mouse" ? placeOf(event.target) : null;
  if (place?.element === view.over) return;
  view.over = place?.element;
  view.hint(place);
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".view");
  const view = root.view || (root.view = new View(root));
  return oneRun(root, (signal) => {
    view.take(data, setTriggerValue);
    listen(view, signal);
  });
}

function listen(view, signal) {
  const resized = new ResizeObserver(() => requestAnimationFrame(() => view.layOut())); // it changes the height itself
  resized.observe(view.stage);
  signal.addEventListener("abort", () => resized.disconnect());
  // On the document: the answer is not this component's. No run of the app stands between a click and what it shows.
  document.addEventListener("workbench:place", ({ detail }) => {
    // Who works in a table must not have it scrolled out of sight: with the picture above it, that is what would happen.
    if (detail && detail.job === view.job) view.showPlace({ ...detail, still: true });
  }, { signal });
  document.addEventListener("click", (event) => {
    const place = getSelection().isCollapsed ? placeOf(event.target) : null;
    if (place) view.showPlace(place);
  }, { signal });
  document.addEventListener("keydown", (event) => {
    const place = event.key === "Enter" || event.key === " " ? placeOf(event.target) : null;
    if (!place || event.target !== place.element) return;
    event.preventDefault(); // the space bar would scroll
    view.showPlace(place);
  }, { signal });
  document.addEventListener("pointerover", (event) => hoverPlace(view, event), { signal });
}
