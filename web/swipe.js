/** Recognises horizontal swipes. Pure. */

/** Distance below which a touch may still be a tap or a scroll. */
const slackPixels = 10;
/** Distance from which a swipe counts. */
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
   * @returns {number|null} The distance to the left; null while the touch is no swipe.
   */
  move(x, y) {
    if (!this.#from) return null;
    const [left, down] = [this.#from.x - x, Math.abs(this.#from.y - y)];
    if (!this.#isSideways && Math.max(Math.abs(left), down) > slackPixels) {
      // A touch that has scrolled vertically never becomes a swipe.
      if (Math.abs(left) <= down) this.#from = null;
      else this.#isSideways = true;
    }
    if (!this.#from || !this.#isSideways) return null;
    this.#way = Math.max(0, left);
    return this.#way;
  }

  /** @returns {"none"|"short"|"meant"} `short`: a horizontal movement that ended below the distance. */
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
