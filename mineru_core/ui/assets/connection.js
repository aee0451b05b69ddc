// Says that the server cannot be reached, for as long as that is so. Follows elements.js and mounting.js in one module.

const PATIENCE_MS = 2500; // a shorter break is not worth a word

export default function (component) {
  const { data, parentElement } = component;
  const app = document.querySelector("[data-test-connection-state]");
  if (!app) return undefined; // another version of Streamlit, which says it elsewhere
  return oneRun(parentElement, (signal) => watch(app, data.words, signal));
}

function watch(app, words, signal) {
  const banner = make("p", "wb-offline", app);
  banner.setAttribute("role", "alert");
  let timer = null;
  const look = () => {
    if (app.dataset.testConnectionState === "CONNECTED") {
      clearTimeout(timer);
      timer = null;
      banner.textContent = "";
    } else timer ??= setTimeout(() => (banner.textContent = words), PATIENCE_MS);
  };
  const observer = new MutationObserver(look);
  observer.observe(app, { attributes: true, attributeFilter: ["data-test-connection-state"] });
  look();
  signal.addEventListener("abort", () => {
    observer.disconnect();
    clearTimeout(timer);
    banner.remove();
  });
}
