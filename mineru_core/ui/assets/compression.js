// How far a picture may shrink before it travels: the policy of mineru_core/intake/compression.py, step by step, with
// the numbers that the server gives. The vectors in tests/intake/compression_vectors.json hold for both. Runs in a
// worker, or in the page where there is none.
//
// A source is {width, height, row(y) -> [bytes, offset]}: RGBA from the offset on, opaque.

// Tenths of the policy's letters. Smaller letters travel untouched; those in between keep their size, and as WebP they
// lose nothing (measured), while the blocks of a JPEG may cost them.
const FINE_PRINT = 7;
const BAND_ROWS = 128; // decoded at once: what is held of a picture beside the picture itself

// ---- measuring

// A grey copy of `most` pixels at most, each the rounded mean of a square of the page; null for a narrow strip.
function reducedGrey(source, most) {
  const { width, height } = source;
  let factor = Math.max(1, Math.floor(Math.sqrt(Math.floor((width * height) / most))));
  while (Math.floor(width / factor) * Math.floor(height / factor) > most) factor += 1;
  if (Math.min(width, height) < factor) return null;
  const columns = Math.floor(width / factor);
  const rows = Math.floor(height / factor);
  const grey = new Uint8Array(columns * rows);
  const total = new Uint32Array(columns);
  const area = factor * factor;
  for (let row = 0; row < rows; row++) {
    total.fill(0);
    for (let y = row * factor; y < (row + 1) * factor; y++) {
      const [data, offset] = source.row(y);
      for (let column = 0, i = offset; column < columns; column++) {
        for (let x = 0; x < factor; x++, i += 4) {
          total[column] += (data[i] * 4899 + data[i + 1] * 9617 + data[i + 2] * 1868 + 8192) >> 14;
        }
      }
    }
    const at = row * columns;
    for (let column = 0; column < columns; column++) {
      grey[at + column] = Math.floor((2 * total[column] + area) / (2 * area));
    }
  }
  return { grey, width: columns, height: rows, factor };
}

// The rounded mean of the square window around each pixel, the edge's pixels repeated beyond it.
function blurred({ grey, width, height }, radius) {
  const side = 2 * radius + 1;
  const area = side * side;
  const across = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) {
    const at = y * width;
    const last = at + width - 1;
    let sum = 0;
    for (let x = -radius; x <= radius; x++) sum += grey[Math.min(Math.max(at + x, at), last)];
    for (let x = 0; x < width; x++) {
      across[at + x] = sum;
      sum += grey[Math.min(at + x + radius + 1, last)] - grey[Math.max(at + x - radius, at)];
    }
  }
  const around = new Uint8Array(width * height);
  const sums = new Uint32Array(width);
  const add = (y, sign) => {
    const at = Math.min(Math.max(y, 0), height - 1) * width;
    for (let x = 0; x < width; x++) sums[x] += sign * across[at + x];
  };
  for (let y = -radius; y <= radius; y++) add(y, 1);
  for (let y = 0; y < height; y++) {
    const at = y * width;
    for (let x = 0; x < width; x++) around[at + x] = Math.floor((2 * sums[x] + area) / (2 * area));
    add(y + radius + 1, 1);
    add(y - radius, -1);
  }
  return around;
}

// The value that half of the pixels do not exceed.
function median(grey) {
  const counts = new Uint32Array(256);
  for (let i = 0; i < grey.length; i++) counts[grey[i]] += 1;
  const half = Math.floor((grey.length + 1) / 2);
  let value = 0;
  for (let sum = counts[0]; sum < half; sum += counts[value]) value += 1;
  return value;
}

// The connected components (over corners, too) of the pixels where `set(i)` holds: [width, height, area] of each.
function components(set, width, height) {
  const parent = [];
  const left = [];
  const right = [];
  const top = [];
  const bottom = [];
  const areas = [];
  const find = (label) => {
    while (parent[label] !== label) label = parent[label] = parent[parent[label]];
    return label;
  };
  let above = []; // runs of the row before, as start, end, label
  for (let y = 0; y < height; y++) {
    const runs = [];
    let reach = 0;
    for (let x = 0; x < width; x++) {
      if (!set(y * width + x)) continue;
      const start = x;
      while (x < width && set(y * width + x)) x += 1;
      const label = parent.length;
      parent.push(label);
      left.push(start);
      right.push(x);
      top.push(y);
      bottom.push(y);
      areas.push(x - start);
      while (reach < above.length && above[reach + 1] < start) reach += 3;
      for (let i = reach; i < above.length && above[i] <= x; i += 3) {
        const [one, other] = [find(above[i + 2]), find(label)];
        if (one !== other) parent[other] = one;
      }
      runs.push(start, x, label);
    }
    above = runs;
  }
  const whole = new Map();
  for (let label = 0; label < parent.length; label++) {
    const root = find(label);
    const box = whole.get(root);
    if (!box) {
      whole.set(root, [left[label], right[label], top[label], bottom[label], areas[label]]);
      continue;
    }
    box[0] = Math.min(box[0], left[label]);
    box[1] = Math.max(box[1], right[label]);
    box[2] = Math.min(box[2], top[label]);
    box[3] = Math.max(box[3], bottom[label]);
    box[4] += areas[label];
  }
  return [...whole.values()].map(([x0, x1, y0, y1, area]) => [x1 - x0, y1 - y0 + 1, area]);
}

function looksLikeLetter(width, height, area, pageHeight, policy) {
  return (
    height >= policy.least_height &&
    width <= 3 * height + 2 && // wider: a rule, or a line whose letters touch
    5 * width >= height && // thinner: the side of a frame
    5 * area >= width * height && // emptier: a frame, a diagonal
    20 * area < 19 * width * height && // fuller: a bar, a block of colour
    6 * height <= pageHeight + 24 // higher: a picture
  );
}

// The height of the page's small letters in its own pixels; null where too few letters are seen.
export function letterHeight(source, policy) {
  const reduced = reducedGrey(source, policy.grey_pixels);
  if (reduced === null) return null;
  const { grey, width, height, factor } = reduced;
  const around = blurred(reduced, policy.radius);
  const sign = median(grey) < policy.dark_median ? -1 : 1;
  const set = (i) => sign * (around[i] - grey[i]) > policy.contrast;
  const heights = components(set, width, height)
    .filter(([w, h, area]) => looksLikeLetter(w, h, area, height, policy))
    .map(([, h]) => h)
    .sort((a, b) => a - b);
  if (heights.length < policy.least_letters) return null;
  return heights[Math.floor((heights.length * policy.percentile) / 100)] * factor;
}

// By how much a page with letters of this height (null: unknown) may be scaled, above 0 and at most 1.
export function shrinkFactor(width, height, letters, policy) {
  const edge = Math.max(width, height);
  let wanted = policy.plain_edge / edge;
  if (letters !== null) wanted = Math.max(policy.letter_px / letters, policy.least_edge / edge);
  return 100 * wanted <= policy.worth_it ? wanted : 1;
}

// ---- shrinking

// For each of `count` new pixels the old ones under it: the first, and the share of each.
function shares(length, count) {
  const step = length / count;
  return Array.from({ length: count }, (_, at) => {
    const [from, to] = [at * step, Math.min((at + 1) * step, length)];
    const first = Math.floor(from);
    const under = [];
    for (let i = first; i < to - 1e-6; i++) under.push((Math.min(i + 1, to) - Math.max(i, from)) / (to - from));
    return [first, under];
  });
}

// The picture at another size, at most its own, each pixel the mean of those it stands for: RGBA bytes.
export function shrunk(source, width, height) {
  const columns = shares(source.width, width);
  const out = new Uint8ClampedArray(4 * width * height).fill(255);
  let known = -1; // the old row that `line` holds, reduced across
  const line = new Float32Array(3 * width);
  const sum = new Float32Array(3 * width);
  const reduce = (y) => {
    if (y === known) return;
    known = y;
    const [data, offset] = source.row(y);
    columns.forEach(([first, under], x) => {
      let [red, green, blue] = [0, 0, 0];
      for (let k = 0, i = offset + 4 * first; k < under.length; k++, i += 4) {
        red += under[k] * data[i];
        green += under[k] * data[i + 1];
        blue += under[k] * data[i + 2];
      }
      line[3 * x] = red;
      line[3 * x + 1] = green;
      line[3 * x + 2] = blue;
    });
  };
  shares(source.height, height).forEach(([first, under], row) => {
    sum.fill(0);
    under.forEach((share, k) => {
      reduce(first + k);
      for (let i = 0; i < sum.length; i++) sum[i] += share * line[i];
    });
    for (let x = 0, i = 4 * width * row; x < width; x++, i += 4) {
      out[i] = sum[3 * x]; // a clamped array rounds
      out[i + 1] = sum[3 * x + 1];
      out[i + 2] = sum[3 * x + 2];
    }
  });
  return out;
}

// ---- files

const starts = (head, ...bytes) => bytes.every((byte, i) => byte === null || head[i] === byte);

const holds = (tail, ...bytes) => tail.some((_, at) => bytes.every((byte, i) => tail[at + i] === byte));

const number = (head, at) => head[at] + 256 * (head[at + 1] + 256 * (head[at + 2] + 256 * head[at + 3]));

// Whether a file may be re-encoded, by its first 16 and last 512 bytes: what is one picture, what every browser decodes
// (TIFF has pages, HEIC is small already, GIF may move) and what is whole: a browser draws half a picture as if it were
// one, and the server would never know.
export function mayShrink(head, tail, size) {
  if (starts(head, 0xff, 0xd8, 0xff)) return holds(tail, 0xff, 0xd9); // JPEG
  if (starts(head, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return holds(tail, 0x49, 0x45, 0x4e, 0x44); // PNG
  const riff = starts(head, 0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50);
  if (riff) return number(head, 4) + 8 <= size; // WebP
  return starts(head, 0x42, 0x4d) && number(head, 2) <= size; // BMP
}

async function fileMayShrink(file) {
  const [head, tail] = await Promise.all(
    [file.slice(0, 16), file.slice(-512)].map(async (part) => new Uint8Array(await part.arrayBuffer())),
  );
  return mayShrink(head, tail, file.size);
}

function surface(width, height) {
  if (typeof OffscreenCanvas !== "undefined") return new OffscreenCanvas(width, height);
  return Object.assign(document.createElement("canvas"), { width, height });
}

function encodeAs(canvas, type, quality) {
  if (canvas.convertToBlob) return canvas.convertToBlob({ type, quality: quality / 100 });
  return new Promise((done) => canvas.toBlob(done, type, quality / 100));
}

// WebP, which takes three fifths of a JPEG's bytes for pages of text; JPEG in browsers that do not write it.
async function encode(canvas, quality) {
  const blob = await encodeAs(canvas, "image/webp", quality);
  return blob?.type === "image/webp" ? blob : encodeAs(canvas, "image/jpeg", quality);
}

// The rows of a decoded picture on white ground, a band at a time: one canvas of a whole photo is more than phones allow.
export function sourceOf(bitmap) {
  const { width, height } = bitmap;
  const band = surface(width, Math.min(height, BAND_ROWS));
  const context = band.getContext("2d", { willReadFrequently: true });
  let top = -1;
  let data = null;
  const row = (y) => {
    const wanted = y - (y % BAND_ROWS);
    if (wanted !== top) {
      top = wanted;
      context.fillStyle = "#fff";
      context.fillRect(0, 0, width, band.height);
      context.drawImage(bitmap, 0, -top);
      data = context.getImageData(0, 0, width, band.height).data;
    }
    return [data, 4 * width * (y - top)];
  };
  return { width, height, row };
}

// The picture at the best quality that fits, else at the least.
async function smallestEnough(canvas, policy) {
  for (let quality = policy.quality; ; quality = Math.max(policy.least_quality, quality - 5)) {
    const blob = await encode(canvas, quality);
    if (blob.size <= policy.max_bytes || quality <= policy.least_quality) return blob;
  }
}

// The file as it should travel: {blob, natural: [width, height], size: [width, height]}, turned upright; null where the
// file itself should: it is small or no such picture, its letters are small, or it would be no smaller.
export async function compress(file, policy) {
  if (file.size <= policy.max_bytes) return null;
  if (!(await fileMayShrink(file))) return null;
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (bitmap === null) return null; // damaged, or beyond what this browser decodes: the server says which
  try {
    const source = sourceOf(bitmap);
    const letters = letterHeight(source, policy);
    if (letters !== null && 10 * letters < FINE_PRINT * policy.letter_px) return null;
    const factor = shrinkFactor(source.width, source.height, letters, policy);
    const [width, height] = [source.width, source.height].map((edge) => Math.max(1, Math.round(edge * factor)));
    const canvas = surface(width, height);
    canvas.getContext("2d").putImageData(new ImageData(shrunk(source, width, height), width, height), 0, 0);
    const blob = await smallestEnough(canvas, policy);
    if (!blob || blob.size >= file.size) return null;
    if (letters !== null && letters < policy.letter_px && blob.type !== "image/webp") return null;
    return { blob, natural: [source.width, source.height], size: [width, height] };
  } finally {
    bitmap.close();
  }
}

// In a worker: one file a message, and one answer.
if (typeof WorkerGlobalScope !== "undefined" && self instanceof WorkerGlobalScope) {
  self.onmessage = async ({ data: { file, policy } }) => {
    try {
      self.postMessage({ found: await compress(file, policy) });
    } catch (error) {
      self.postMessage({ found: null, error: String(error) }); // such as too little memory: the file travels as it is
    }
  };
}
