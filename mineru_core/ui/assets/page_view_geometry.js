// Where things are on the page and on the screen: functions without a browser. Page places are in page pixels (x to the
// right, y down, before any turn), screen places in CSS pixels of the window. `page` is { width, height } in pixels,
// `turns` counts clockwise quarter turns, `rect` is where the turned page lies in the window: { left, top, width, height }.

const LEAST_ZOOM = 0.05; // CSS pixels a page pixel
const MOST_ZOOM = 8;
const ZOOM_STEPS = [0.05, 0.1, 0.15, 0.25, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4, 6, 8];
const PICTURE_WIDTHS = [240, 480, 800, 1200, 1600, 2400, 3200, 4000]; // pixels; few, so that the browser keeps them
const LEAST_SIDE = 8; // CSS pixels a region's sides have: less is a click, not a rectangle

function within(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

function turnedSize(page, turns) {
  return turns % 2 ? { width: page.height, height: page.width } : { width: page.width, height: page.height };
}

// Zoom at which the turned page fills the room's width, or with `whole` lies in the room as a whole.
function fitZoom(page, turns, room, whole) {
  const size = turnedSize(page, turns);
  const across = room.width / size.width;
  return within(whole ? Math.min(across, room.height / size.height) : across, LEAST_ZOOM, MOST_ZOOM);
}

// The next round zoom above (`by` 1) or below (-1).
function stepZoom(zoom, by) {
  const near = 0.005 * zoom;
  if (by > 0) return ZOOM_STEPS.find((step) => step > zoom + near) || MOST_ZOOM;
  return ZOOM_STEPS.findLast((step) => step < zoom - near) || LEAST_ZOOM;
}

function toScreen([x, y], page, turns, rect) {
  const [u, v] = [x / page.width, y / page.height];
  const [across, down] = [[u, v], [1 - v, u], [1 - u, 1 - v], [v, 1 - u]][turns];
  return [rect.left + across * rect.width, rect.top + down * rect.height];
}

function toPage([x, y], page, turns, rect) {
  const [across, down] = [(x - rect.left) / rect.width, (y - rect.top) / rect.height];
  const [u, v] = [[across, down], [down, 1 - across], [1 - across, 1 - down], [1 - down, across]][turns];
  return [u * page.width, v * page.height];
}

// A step on the screen as a step on the page, in whatever unit it is given.
function stepOnPage([dx, dy], turns) {
  return [[dx, dy], [dy, -dx], [-dx, -dy], [-dy, dx]][turns];
}

function rounded(box) {
  return box.map((value) => Math.round(value * 10) / 10);
}

// The box between two points, on the page.
function between([ax, ay], [bx, by], page) {
  const xs = [ax, bx].map((x) => within(x, 0, page.width)).sort((one, other) => one - other);
  const ys = [ay, by].map((y) => within(y, 0, page.height)).sort((one, other) => one - other);
  return rounded([xs[0], ys[0], xs[1], ys[1]]);
}

// The box moved; it keeps its size and stays on the page.
function moved([x0, y0, x1, y1], [dx, dy], page) {
  const right = within(dx, -x0, page.width - x1);
  const down = within(dy, -y0, page.height - y1);
  return rounded([x0 + right, y0 + down, x1 + right, y1 + down]);
}

// The box with the edges named in `handle` (n, e, s, w, as on the page) moved; an edge pulled past its opposite takes
// that one's part.
function resized([x0, y0, x1, y1], handle, [dx, dy], page) {
  const from = [handle.includes("w") ? x0 + dx : x0, handle.includes("n") ? y0 + dy : y0];
  const to = [handle.includes("e") ? x1 + dx : x1, handle.includes("s") ? y1 + dy : y1];
  return between(from, to, page);
}

// Whether the box is a rectangle at that zoom, and not a click.
function isRegion([x0, y0, x1, y1], zoom) {
  return (x1 - x0) * zoom >= LEAST_SIDE && (y1 - y0) * zoom >= LEAST_SIDE && x1 - x0 >= 1 && y1 - y0 >= 1;
}

// Pixels across of the picture to ask for: sharp at that zoom and pixel ratio, and no more than the page has.
function pictureWidth(page, zoom, ratio) {
  const most = within(page.width, PICTURE_WIDTHS[0], PICTURE_WIDTHS.at(-1));
  const wanted = Math.min(page.width * zoom * ratio, most);
  return PICTURE_WIDTHS.find((width) => width >= wanted - 1) || PICTURE_WIDTHS.at(-1);
}

function percent([x0, y0, x1, y1], page) {
  return [(100 * x0) / page.width, (100 * y0) / page.height, (100 * (x1 - x0)) / page.width, (100 * (y1 - y0)) / page.height];
}

function holds([x0, y0, x1, y1], [x, y]) {
  return x >= x0 && x < x1 && y >= y0 && y < y1;
}

function areaOf([x0, y0, x1, y1]) {
  return Math.max(0, x1 - x0) * Math.max(0, y1 - y0);
}

// Share of the smaller box that lies in the other, 0 to 1.
function overlap(one, other) {
  const common = [Math.max(one[0], other[0]), Math.max(one[1], other[1]), Math.min(one[2], other[2]), Math.min(one[3], other[3])];
  const least = Math.min(areaOf(one), areaOf(other));
  return least > 0 && common[2] > common[0] && common[3] > common[1] ? areaOf(common) / least : 0;
}

// Places of cells in an HTML table of plain rows, by the spans of the cells before: [row, column] of each.
function cellPlaces(rows) {
  const taken = new Set();
  return rows.map((cells, row) => {
    let col = 0;
    return cells.map(({ rowSpan, colSpan }) => {
      while (taken.has(`${row},${col}`)) col += 1;
      const place = [row, col];
      for (let r = row; r < row + rowSpan; r++) for (let c = col; c < col + colSpan; c++) taken.add(`${r},${c}`);
      return place;
    });
  });
}
