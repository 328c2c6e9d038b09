/**
 * What a page knows of one session's log by its host's own numbers, which stand in what is sealed: where the relay dropped, repeated or reordered something. Pure.
 *
 * The relay numbers all events (`seq`), its own among them; the host numbers its own alone (`number`), from 1 and without a hole.
 */

/** @typedef {"repeated"|"oldKey"|"unsealed"} Doubt Why an event is not shown. */
/**
 * @typedef {{seq: number, number: number, epoch: number}} Numbered What opened, and is the host's.
 * @typedef {{seq: number, counts: number, isPlain?: true}} Counted What has no number that is known, but took one of the host's: it did not open, or was not sealed.
 * @typedef {{seq: number, skips: number}} Skipped What the relay says that it has not.
 * @typedef {{seq: number, isPlain: true}} Plain An event of a host that was not sealed.
 */
/** @typedef {{doubts: Map<number, Doubt>, missing: Map<number, number>, missingAfter: number}} Reading Both by `seq`; `missing`: how many before it. */

export class Ledger {
  /** @type {(Numbered|Counted|Skipped)[]} By `seq`. */ #entries = [];
  /** @type {{from: number, to: number}[]} What of the relay's log was seen, in stretches without a hole. */ #stretches = [];

  /**
   * A stretch of the log, in its order.
   * @param {number} first @param {number} last @param {(Numbered|Counted|Skipped|Plain)[]} found What of it is a host's. @param {number} [plainMax] So many events were there before the host sealed.
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
    // From the last one, as each leaves less room for those before it.
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
   * The relay may have an event of its own now where it first brought one of the host's, which counts no more.
   * @param {number} first @param {number} last @param {Set<number>} found
   */
  #replace(first, last, found) {
    let at = this.#at(first);
    while (at < this.#entries.length && this.#entries[at].seq <= last) {
      if (found.has(this.#entries[at].seq)) at += 1;
      else this.#entries.splice(at, 1);
    }
  }

  /** @param {number} seq Whether its host had sealed something before. */
  isBehindSealed(seq) {
    return this.#lastNumbered(this.#at(seq)) >= 0;
  }

  /** @param {number} first @param {number} last @returns {boolean} Whether what follows was known before. */
  #see(first, last) {
    const isJoined = this.#stretches.some(({ from }) => from === last + 1);
    const isTouching = (/** @type {{from: number, to: number}} */ { from, to }) => to + 1 >= first && from <= last + 1;
    const touching = this.#stretches.filter(isTouching);
    this.#stretches = [...this.#stretches.filter((one) => !isTouching(one)), { from: Math.min(first, ...touching.map(({ from }) => from)), to: Math.max(last, ...touching.map(({ to }) => to)) }];
    return isJoined;
  }

  /** @param {number} seq The place in the entries of the first that is not before it. */
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

  /** @param {number} at @returns {number} Of the one before that place; -1 for none. */
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

  /** @param {number} seq Whether an event that is not sealed may be from before its host sealed any. @param {number} plainMax */
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

  /** @param {number} at Of an entry, where all of the relay's log between it and the one before was seen. */
  #missingBefore(at) {
    const entry = this.#entries[at];
    if (!entry || !("number" in entry)) return 0;
    const before = this.#lastNumbered(at);
    const floor = this.#entries[before];
    const stretch = this.#stretches.find(({ from, to }) => from <= entry.seq && entry.seq <= to);
    if (!stretch || stretch.from > (floor?.seq ?? 1)) return 0;
    const missing = Math.max(0, entry.number - 1 - (floor && "number" in floor ? floor.number : 0) - this.#countsIn(before + 1, at));
    // The relay's word for a hole counts only if it is that hole.
    const said = this.#entries.slice(before + 1, at).reduce((sum, one) => sum + ("skips" in one ? one.skips : 0), 0);
    return said === missing ? 0 : missing;
  }
}

/** @param {object} one @returns {one is Plain} */
const isPlain = (one) => "isPlain" in one && !("counts" in one);
