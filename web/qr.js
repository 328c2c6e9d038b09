/**
 * Draws QR codes (ISO/IEC 18004) of texts with a secret, which the relay must not see. Pure; byte mode at error correction level L, because a screen
 * is clean.
 */

/** For versions 1 to 15: the error correction bytes of each block, and the number of blocks. */
const checkBytes = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22];
const blocks = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6];

/** Powers of 2 in GF(256) with the standard's polynomial, and their logarithms. */
const [powers, exponents] = [new Uint8Array(255), new Uint8Array(256)];
for (let at = 0, value = 1; at < 255; at += 1) {
  [powers[at], exponents[value]] = [value, at];
  value = (value << 1) ^ (value & 128 ? 0x11d : 0);
}
const product = (/** @type {number} */ a, /** @type {number} */ b) => (a && b ? powers[(exponents[a] + exponents[b]) % 255] : 0);

const sizeOf = (/** @type {number} */ version) => 17 + 4 * version;

/**
 * The centres of the alignment patterns, in both directions.
 * @param {number} version @returns {number[]}
 */
function centresOf(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = 2 * Math.ceil((2 * version + 2) / (count - 1));
  return [6, ...Array.from({ length: count - 1 }, (_, at) => sizeOf(version) - 7 - step * (count - 2 - at))];
}

/**
 * The capacity of a version in bytes, including error correction.
 * @param {number} version
 */
function bytesOf(version) {
  const centres = centresOf(version).length;
  const taken = centres ? 25 * centres * centres - 10 * centres - 55 : 0;
  return Math.floor(((16 * version + 128) * version + 64 - taken - (version >= 7 ? 36 : 0)) / 8);
}

/**
 * The Reed-Solomon error correction bytes for the data.
 * @param {Uint8Array} data @param {number} count @returns {Uint8Array}
 */
function checkOf(data, count) {
  let divisor = Uint8Array.of(1);
  for (let at = 0; at < count; at += 1) {
    divisor = Uint8Array.from({ length: divisor.length + 1 }, (_, place) => (divisor[place] ?? 0) ^ product(divisor[place - 1] ?? 0, powers[at]));
  }
  const rest = new Uint8Array(data.length + count);
  rest.set(data);
  for (let at = 0; at < data.length; at += 1) {
    const factor = rest[at];
    for (let place = 0; place <= count; place += 1) rest[at + place] ^= product(divisor[place], factor);
  }
  return rest.subarray(data.length);
}

/**
 * The data bytes: mode, length, the text and padding, `room` bytes in all.
 * @param {Uint8Array} bytes @param {number} version @param {number} room
 */
function dataOf(bytes, version, room) {
  const data = new Uint8Array(room);
  let at = 0;
  const put = (/** @type {number} */ value, /** @type {number} */ count) => {
    for (let bit = count - 1; bit >= 0; bit -= 1, at += 1) data[at >> 3] |= ((value >> bit) & 1) << (7 - (at & 7));
  };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  bytes.forEach((byte) => put(byte, 8));
  // Four zero bits end the data; the rest of the last byte is zero.
  for (let place = Math.ceil((at + 4) / 8), isOdd = false; place < room; place += 1, isOdd = !isOdd) data[place] = isOdd ? 0x11 : 0xec;
  return data;
}

/**
 * Splits the data into blocks, interleaves them byte by byte, and appends the blocks' error correction, interleaved as well.
 * @param {Uint8Array} data @param {number} version
 */
function interleaved(data, version) {
  const [count, check] = [blocks[version - 1], checkBytes[version - 1]];
  const short = Math.floor(data.length / count);
  const longer = data.length % count;
  let from = 0;
  const parts = Array.from({ length: count }, (_, at) => {
    const part = data.subarray(from, (from += short + (at >= count - longer ? 1 : 0)));
    return { part, check: checkOf(part, check) };
  });
  const all = [];
  for (let at = 0; at <= short; at += 1) for (const { part } of parts) if (at < part.length) all.push(part[at]);
  for (let at = 0; at < check; at += 1) for (const one of parts) all.push(one.check[at]);
  return all;
}

const masks = [
  (/** @type {number} */ x, /** @type {number} */ y) => (x + y) % 2,
  (/** @type {number} */ _, /** @type {number} */ y) => y % 2,
  (/** @type {number} */ x) => x % 3,
  (/** @type {number} */ x, /** @type {number} */ y) => (x + y) % 3,
  (/** @type {number} */ x, /** @type {number} */ y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (/** @type {number} */ x, /** @type {number} */ y) => ((x * y) % 2) + ((x * y) % 3),
  (/** @type {number} */ x, /** @type {number} */ y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (/** @type {number} */ x, /** @type {number} */ y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

/**
 * Appends the BCH error correction bits to a value.
 * @param {number} value @param {number} polynomial @param {number} bits
 */
function checked(value, polynomial, bits) {
  let rest = value;
  for (let at = 0; at < bits; at += 1) rest = (rest << 1) ^ ((rest >> (bits - 1)) * polynomial);
  return (value << bits) | rest;
}

class Grid {
  /** @param {number} version */
  constructor(version) {
    this.size = sizeOf(version);
    this.dark = Array.from({ length: this.size }, () => new Uint8Array(this.size));
    this.fixed = Array.from({ length: this.size }, () => new Uint8Array(this.size));
    for (let at = 0; at < this.size; at += 1) for (const [x, y] of [[6, at], [at, 6]]) this.fix(x, y, at % 2 === 0);
    for (const [x, y] of [[3, 3], [this.size - 4, 3], [3, this.size - 4]]) this.square(x, y, 4, (ring) => ring !== 2 && ring !== 4);
    const centres = centresOf(version);
    for (const x of centres) {
      for (const y of centres) {
        const isCorner = (x === 6 && y === 6) || (x === 6 && y === this.size - 7) || (x === this.size - 7 && y === 6);
        if (!isCorner) this.square(x, y, 2, (ring) => ring !== 1);
      }
    }
    this.format(0);
    if (version < 7) return;
    const bits = checked(version, 0x1f25, 12);
    for (let at = 0; at < 18; at += 1) {
      const [along, across] = [Math.floor(at / 3), this.size - 11 + (at % 3)];
      for (const [x, y] of [[along, across], [across, along]]) this.fix(x, y, (bits >> at) & 1);
    }
  }

  /** @param {number} x @param {number} y @param {boolean|number} isDark */
  fix(x, y, isDark) {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return;
    [this.dark[y][x], this.fixed[y][x]] = [isDark ? 1 : 0, 1];
  }

  /** @param {number} x @param {number} y @param {number} radius @param {(ring: number) => boolean} isDark */
  square(x, y, radius, isDark) {
    for (let down = -radius; down <= radius; down += 1) {
      for (let right = -radius; right <= radius; right += 1) this.fix(x + right, y + down, isDark(Math.max(Math.abs(down), Math.abs(right))));
    }
  }

  /** @param {number} mask */
  format(mask) {
    const bits = checked((1 << 3) | mask, 0x537, 10) ^ 0x5412;
    for (let at = 0; at < 15; at += 1) {
      const isDark = (bits >> at) & 1;
      this.fix(8, at < 6 ? at : at < 8 ? at + 1 : this.size - 15 + at, isDark);
      this.fix(at < 8 ? this.size - 1 - at : at < 9 ? 7 : 14 - at, 8, isDark);
    }
    this.fix(8, this.size - 8, true);
  }

  /**
   * Places the bits in columns of two, upwards and downwards in turn.
   * @param {number[]} bytes
   */
  fill(bytes) {
    let at = 0;
    for (let right = this.size - 1, up = true; right > 0; right -= 2, up = !up) {
      if (right === 6) right = 5;
      for (let step = 0; step < this.size; step += 1) {
        const y = up ? this.size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.fixed[y][x]) continue;
          this.dark[y][x] = at < 8 * bytes.length ? (bytes[at >> 3] >> (7 - (at & 7))) & 1 : 0;
          at += 1;
        }
      }
    }
  }

  /**
   * Inverts the modules of a mask pattern. Applying a mask twice removes it.
   * @param {number} mask
   */
  mask(mask) {
    for (let y = 0; y < this.size; y += 1) for (let x = 0; x < this.size; x += 1) if (!this.fixed[y][x] && masks[mask](x, y) === 0) this.dark[y][x] ^= 1;
  }

  get rows() {
    return this.dark.map((row) => row.join(""));
  }

  /** The standard's penalty of a pattern: for long runs, blocks, shapes like a finder pattern, and an uneven number of dark modules. */
  get penalty() {
    const lines = [...this.rows, ...Array.from({ length: this.size }, (_, x) => this.dark.map((row) => row[x]).join(""))];
    let sum = 0;
    for (const line of lines) {
      for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2;
      sum += 40 * [...line.matchAll(/(?=10111010000)|(?=00001011101)/g)].length;
    }
    for (let y = 1; y < this.size; y += 1) {
      for (let x = 1; x < this.size; x += 1) if (new Set([this.dark[y][x], this.dark[y - 1][x], this.dark[y][x - 1], this.dark[y - 1][x - 1]]).size === 1) sum += 3;
    }
    const share = this.rows.join("").replaceAll("0", "").length / this.size ** 2;
    return sum + 10 * Math.floor(Math.abs(share - 0.5) * 20);
  }
}

/**
 * @param {string} text
 * @returns {string[]} Rows of `0` and `1`; empty if the text is too long.
 */
export function qrRowsOf(text) {
  const bytes = new TextEncoder().encode(text);
  const version = blocks.findIndex((count, at) => bytesOf(at + 1) - count * checkBytes[at] >= bytes.length + (at < 9 ? 2 : 3)) + 1;
  if (version === 0) return [];
  const grid = new Grid(version);
  grid.fill(interleaved(dataOf(bytes, version, bytesOf(version) - blocks[version - 1] * checkBytes[version - 1]), version));
  const found = masks.map((_, mask) => {
    grid.mask(mask);
    grid.format(mask);
    const { penalty, rows } = grid;
    grid.mask(mask);
    return { penalty, rows };
  });
  return found.reduce((best, one) => (one.penalty < best.penalty ? one : best)).rows;
}
