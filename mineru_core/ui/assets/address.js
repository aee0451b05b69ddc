// Tells the app that the reader went back or forward (Streamlit runs nothing for a change of the query alone), shows
// another document or question from its top, and tells screen readers and fonts the page's language. Follows mounting.js
// in one module.

let shown = null;

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  return oneRun(parentElement, (signal) => {
    if (shown !== null && shown !== data.job) document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0 });
    shown = data.job;
    document.documentElement.lang = data.language;
    window.addEventListener("popstate", () => setTriggerValue("moved", document.location.search || "/"), { signal });
  });
}
