// A chart as the point editor keeps it, and the changes of document/chart_edits.py made to it at once, before the
// server has answered. Recognised text is only ever set as text, never as HTML.

const LOG = "log";

// Slope and intercept of the line through an axis' marks, in powers of ten if it is logarithmic; null where it has none.
function lineOf(axis) {
  if (!axis || axis.marks.length < 2) return null;
  const log = axis.scale === LOG;
  if (log && axis.marks.some(([, value]) => value <= 0)) return null;
  const points = axis.marks.map(([place, value]) => [place, log ? Math.log10(value) : value]);
  const middle = points.reduce((sum, [place]) => sum + place, 0) / points.length;
  const mean = points.reduce((sum, [, value]) => sum + value, 0) / points.length;
  const spread = points.reduce((sum, [place]) => sum + (place - middle) ** 2, 0);
  const rise = points.reduce((sum, [place, value]) => sum + (place - middle) * (value - mean), 0);
  if (!(spread > 0) || rise === 0) return null;
  return [rise / spread, mean - (rise / spread) * middle];
}

function valueAt(axis, place) {
  const line = lineOf(axis);
  if (!line) return null;
  const value = line[0] * place + line[1];
  return axis.scale === LOG ? 10 ** value : value;
}

function placeOf(axis, value) {
  const line = lineOf(axis);
  if (!line || (axis.scale === LOG && value <= 0)) return null;
  return ((axis.scale === LOG ? Math.log10(value) : value) - line[1]) / line[0];
}

// Which coordinate of a place an axis measures: 1 for y.
function along(axis, upright) {
  return (axis.vertical ?? upright) ? 1 : 0;
}

// A value rounded to what a tenth of a pixel can tell.
function measured(axis, place, upright) {
  if (!axis) return null;
  const at = place[along(axis, upright)];
  const value = valueAt(axis, at);
  const beside = valueAt(axis, at + 0.1);
  if (value === null || value === beside) return value;
  const digits = Math.max(0, -Math.floor(Math.log10(Math.abs(beside - value))));
  return Number(value.toFixed(Math.min(20, digits)));
}

class ChartModel {
  constructor(chart) {
    Object.assign(this, chart);
    this.series = chart.series.map((one) => ({ ...one, points: one.points.map(([x, y, sure, px, py, source, edited]) => (
      { x, y, sure, place: px === null ? null : [px, py], source, edited })) }));
  }

  kindOf(series) {
    return series.kind ?? this.kind;
  }

  // Whether marks of a series stand upon others.
  isPiled(series) {
    return this.stacked && !["line", "scatter"].includes(this.kindOf(series));
  }

  byPlace(series) {
    return !this.isPiled(series) && this.kindOf(series) !== "pie";
  }

  axisOf(series) {
    return (series.second && this.axes.second_y) || this.axes.y;
  }

  // What the axes say of a place.
  at(series, place) {
    const found = {};
    if (!this.byPlace(series)) return found;
    const y = measured(this.axisOf(series), place, true);
    const x = measured(this.axes.x, place, false);
    if (y !== null) found.y = y;
    if (x !== null) found.x = String(x);
    return found;
  }

  nearestCategory(place) {
    const way = this.axes.y.vertical === false ? 1 : 0;
    let best = ["", Infinity];
    for (const { points } of this.series) {
      for (const point of points) {
        const far = point.place ? Math.abs(point.place[way] - place[way]) : Infinity;
        if (far < best[1]) best = [point.x, far];
      }
    }
    return best[0];
  }

  apply(change) {
    const series = this.series[change.series];
    const does = {
      "set-point": () => this.setPoint(series, series.points[change.point], change),
      "add-point": () => {
        const point = { x: this.nearestCategory(change.place), y: null, sure: 100, place: change.place, source: "measured", edited: true };
        series.points.splice(change.at, 0, point);
        this.setPoint(series, point, change);
      },
      "delete-point": () => series.points.splice(change.point, 1),
      "add-series": () => this.series.push({ name: change.name, color: change.color ?? null, second: false, points: [] }),
      "rename-series": () => (series.name = change.name),
      "delete-series": () => this.series.splice(change.series, 1),
      "set-titles": () => {
        if (change.title !== undefined) this.title = change.title;
      },
      "calibrate-axis": () => this.calibrate(change),
    };
    does[change.op]?.();
  }

  setPoint(series, point, { x, y, place }) {
    Object.assign(point, { edited: true, sure: 100 });
    if (place) {
      const found = this.at(series, place);
      Object.assign(point, { place }, found, found.y === undefined ? {} : { source: "measured" });
    }
    if (x !== undefined) point.x = x;
    if (y !== undefined) Object.assign(point, { y, source: "typed" });
  }

  calibrate({ axis: name, vertical, log, marks }) {
    const before = lineOf(this.axes[name]);
    const axis = { ...this.axes[name], vertical, scale: log ? LOG : "linear", marks: marks.map(({ place, value }) => [place, value]) };
    this.axes[name] = axis;
    const after = lineOf(axis);
    for (const series of this.series) {
      if (name !== "x" && Boolean(series.second) !== (name === "second_y")) continue;
      for (const point of series.points) {
        if (point.source !== "measured") continue;
        if (name === "x") point.x = point.place ? String(measured(axis, point.place, false)) : point.x;
        else if (this.byPlace(series)) point.y = point.place ? measured(axis, point.place, true) : point.y;
        else if (before && after) point.y = Number((point.y * Math.abs(after[0] / before[0])).toPrecision(6));
      }
    }
  }
}

// Round values across a range, for the ticks of the redrawn chart.
function ticksOf(low, high) {
  if (!(high > low)) return [low];
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((one) => one * power >= rough);
  const ticks = [];
  for (let n = Math.ceil(low / step); n * step <= high + step * 1e-9; n++) ticks.push(Number((n * step).toPrecision(12)));
  return ticks;
}
