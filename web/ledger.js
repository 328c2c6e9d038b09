/**
 * Detects events of one session that the relay dropped, repeated or reordered, by the host's own numbers inside the sealed content. Pure.
 *
 * The relay numbers all events, including its own (`seq`); the host numbers only its own (`number`), from 1 without gaps.
 */

/**
 * The reason why an event is not shown.
 * @typedef {"repeated"|"oldKey"|"unsealed"} Doubt
 */
/**
 * @typedef {{seq: number, number: number, epoch: number}} Numbered An opened event of the host.
 * @typedef {{seq: number, counts: number, isPlain?: true}} Counted Events with unknown host numbers, because they did not open or were not sealed.
 * @typedef {{seq: number, skips: number}} Skipped Events that the relay says it does not have.
 * @typedef {{seq: number, isPlain: true}} Plain An unsealed event of a host.
 */
/**
 * @typedef {{doubts: Map<number, Doubt>, missing: Map<number, number>, missingAfter: number}} Reading Both maps are by `seq`; `missing`: the number
 * of events missing before that one.
 */

export class Ledger {
  /** @type {(Numbered|Counted|Skipped)[]} By `seq`. */ #entries = [];
  /** @type {{from: number, to: number}[]} The parts of the relay's log that were seen, as ranges without gaps. */ #stretches = [];

  /**
   * Adds a contiguous range of the log.
   * @param {number} first @param {number} last @param {(Numbered|Counted|Skipped|Plain)[]} found The host's events in the range. @param {number} [plainMax] The number of events from before the host sealed.
   * @returns {Reading}
   */
  take(first, last, found, plainMax = 0) {
    const isJoined = this.#see(first, last);
    this.#replace(first, last, new Set(found.map(({ seq }) => seq)));
    /** @type {Map<number, Doubt>} */ const doubts = new Map();
    for (const one of found) {
      const doubt = "number" in one ? this.#doubtOf(one) : undefined;
      if (doubt) doubts.set(one.seq, doubt);
      else if (!isPlain(one)) this.#put(one);
    }
    // Events are examined from the last one backwards, because each unsealed event leaves less room for those before it.
    for (const one of [...found].reverse()) {
      if (!isPlain(one)) continue;
      if (this.#hasRoom(one.seq, plainMax)) this.#put({ seq: one.seq, counts: 1, isPlain: true });
      else doubts.set(one.seq, "unsealed");
    }
    /** @type {Map<number, number>} */ const missing = new Map();
    for (const { seq } of found) {
      const count = doubts.has(seq) ? 0 : this.#missingBefore(this.#at(seq));
      if (count > 0) missing.set(seq, count);
    }
    const next = isJoined ? this.#entries.findIndex(({ seq }) => seq > last) : -1;
    return { doubts, missing, missingAfter: next < 0 ? 0 : this.#missingBefore(this.#firstNumbered(next)) };
  }

  /**
   * Drops known events in the range that the relay no longer sends as the host's: at their `seq` it may now have events of its own.
   * @param {number} first @param {number} last @param {Set<number>} found
   */
  #replace(first, last, found) {
    let at = this.#at(first);
    while (at < this.#entries.length && this.#entries[at].seq <= last) {
      if (found.has(this.#entries[at].seq)) at += 1;
      else this.#entries.splice(at, 1);
    }
  }

  /**
   * True if the host had sealed an event before this one.
   * @param {number} seq
   */
  isBehindSealed(seq) {
    return this.#lastNumbered(this.#at(seq)) >= 0;
  }

  /**
   * Adds a range to the seen ones. Returns true if what follows it was seen before.
   * @param {number} first @param {number} last @returns {boolean}
   */
  #see(first, last) {
    const isJoined = this.#stretches.some(({ from }) => from === last + 1);
    const isTouching = (/** @type {{from: number, to: number}} */ { from, to }) => to + 1 >= first && from <= last + 1;
    const touching = this.#stretches.filter(isTouching);
    this.#stretches = [...this.#stretches.filter((one) => !isTouching(one)), { from: Math.min(first, ...touching.map(({ from }) => from)), to: Math.max(last, ...touching.map(({ to }) => to)) }];
    return isJoined;
  }

  /**
   * Index of the first entry at or after `seq`.
   * @param {number} seq
   */
  #at(seq) {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#entries[middle].seq < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** @param {Numbered|Counted|Skipped} entry */
  #put(entry) {
    const at = this.#at(entry.seq);
    this.#entries.splice(at, this.#entries[at]?.seq === entry.seq ? 1 : 0, entry);
  }

  /** @param {number} at */
  #firstNumbered(at) {
    while (at < this.#entries.length && !("number" in this.#entries[at])) at += 1;
    return at;
  }

  /**
   * Index of the last numbered entry before `at`; -1 if there is none.
   * @param {number} at @returns {number}
   */
  #lastNumbered(at) {
    do at -= 1;
    while (at >= 0 && !("number" in this.#entries[at]));
    return at;
  }

  /** @param {Numbered} one @returns {Doubt|undefined} */
  #doubtOf({ seq, number, epoch }) {
    const at = this.#at(seq);
    const held = this.#entries[at];
    if (held?.seq === seq && "number" in held) return held.number === number && held.epoch === epoch ? undefined : "repeated";
    const before = this.#entries[this.#lastNumbered(at)];
    const after = this.#entries[this.#firstNumbered(held?.seq === seq ? at + 1 : at)];
    if (before && "number" in before && epoch < before.epoch) return "oldKey";
    if (before && "number" in before && number <= before.number) return "repeated";
    return after && "number" in after && (number >= after.number || epoch > after.epoch) ? "repeated" : undefined;
  }

  /**
   * True if an unsealed event may be from before its host sealed.
   * @param {number} seq @param {number} plainMax
   */
  #hasRoom(seq, plainMax) {
    const at = this.#at(seq);
    const held = this.#entries[at];
    if (held?.seq === seq && "isPlain" in held) return true;
    const next = this.#firstNumbered(at);
    const first = this.#entries[next];
    const isBefore = this.#lastNumbered(at) < 0 && (!first || !("number" in first) || first.number - 1 > this.#countsIn(at, next));
    return isBefore && this.#entries.filter((one) => "isPlain" in one).length < plainMax;
  }

  /** @param {number} from @param {number} to */
  #countsIn(from, to) {
    return this.#entries.slice(from, to).reduce((sum, one) => sum + ("counts" in one ? one.counts : 0), 0);
  }

  /**
   * The number of events missing before an entry, if the whole range since the previous entry was seen.
   * @param {number} at
   */
  #missingBefore(at) {
    const entry = this.#entries[at];
    if (!entry || !("number" in entry)) return 0;
    const before = this.#lastNumbered(at);
    const floor = this.#entries[before];
    const stretch = this.#stretches.find(({ from, to }) => from <= entry.seq && entry.seq <= to);
    if (!stretch || stretch.from > (floor?.seq ?? 1)) return 0;
    const missing = Math.max(0, entry.number - 1 - (floor && "number" in floor ? floor.number : 0) - this.#countsIn(before + 1, at));
    // The relay's claim about skipped events counts only if it explains the whole gap.
    const said = this.#entries.slice(before + 1, at).reduce((sum, one) => sum + ("skips" in one ? one.skips : 0), 0);
    return said === missing ? 0 : missing;
  }
}

/** @param {object} one @returns {one is Plain} */
const isPlain = (one) => "isPlain" in one && !("counts" in one);
