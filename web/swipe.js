/** A finger that goes sideways. Pure. */

/** Before it went so far it may be a tap, or a scroll. */
const slackPixels = 10;
/** The distance beyond which a swipe is meant. */
const meantPixels = 56;

export class Swipe {
  /** @type {{x: number, y: number}|null} */ #from = null;
  #isSideways = false;
  #way = 0;

  /** @param {number} x @param {number} y */
  begin(x, y) {
    this.#from = { x, y };
    [this.#isSideways, this.#way] = [false, 0];
  }

  /**
   * @param {number} x @param {number} y
   * @returns {number|null} How far to the left it is; nothing while it is no swipe.
   */
  move(x, y) {
    if (!this.#from) return null;
    const [left, down] = [this.#from.x - x, Math.abs(this.#from.y - y)];
    if (!this.#isSideways && Math.max(Math.abs(left), down) > slackPixels) {
      // Once it scrolls it goes on scrolling.
      if (Math.abs(left) <= down) this.#from = null;
      else this.#isSideways = true;
    }
    if (!this.#from || !this.#isSideways) return null;
    this.#way = Math.max(0, left);
    return this.#way;
  }

  /** @returns {"none"|"short"|"meant"} `short`: it went sideways, and came back. */
  end() {
    const wasSideways = this.#from !== null && this.#isSideways;
    this.#from = null;
    if (!wasSideways) return "none";
    return this.#way >= meantPixels ? "meant" : "short";
  }

  cancel() {
    this.#from = null;
  }
}
