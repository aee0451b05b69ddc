// Tells the app that the reader went back or forward: Streamlit runs nothing for a change of the query alone.

export default function (component) {
  const { setTriggerValue } = component;
  const tell = () => setTriggerValue("moved", document.location.search || "/");
  window.addEventListener("popstate", tell);
  return () => window.removeEventListener("popstate", tell);
}
