// Tells the app that the reader went back or forward (Streamlit runs nothing for a change of the query alone), shows
// another document or question from its top, and tells screen readers and fonts the page's language.

let shown = null;

export default function (component) {
  const { data, setTriggerValue } = component;
  if (shown !== null && shown !== data.job) document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0 });
  shown = data.job;
  document.documentElement.lang = data.language;
  const tell = () => setTriggerValue("moved", document.location.search || "/");
  window.addEventListener("popstate", tell);
  return () => window.removeEventListener("popstate", tell);
}
