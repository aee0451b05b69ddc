// One run of a component. Streamlit calls a module's function at each change of the data, and what that returns once:
// when the component leaves the page, or right away for a run that a later one has overtaken. As long as the module is
// still being loaded, the later one may come first: then what it showed is put back.

// ``apply`` is given a signal that ends with the run; whatever it listens to outside of the component hangs on that.
// Returns what the module's function is to return.
function oneRun(place, apply) {
  const before = place.run;
  const run = { apply };
  begin(place, run);
  return () => {
    run.until.abort();
    if (place.run !== run || !before) return;
    setTimeout(() => place.run === run && place.isConnected && begin(place, before));
  };
}

function begin(place, run) {
  place.run?.until.abort();
  place.run = run;
  run.until = new AbortController();
  run.apply(run.until.signal);
}
