/** Notifications that the service worker showed, and the count on the installed page's icon. */

/**
 * @typedef {object} Surroundings The browser's functions used here; each may be missing.
 * @property {Pick<ServiceWorkerContainer, "addEventListener"|"getRegistration">} [serviceWorker]
 * @property {(count: number) => Promise<void>} [setAppBadge]
 * @property {(hash: string) => void} go
 * @property {() => void} arrived Called when this browser has shown a test push.
 * @property {() => void} moved Called when the browser changed its push subscription.
 */

/** Removes shown notifications while the page is visible, and opens the screen of a pressed notification. */
export class Notifications {
  /** @type {Surroundings} */ #around;
  #count = -1;

  /** @param {Surroundings} around */
  constructor(around) {
    this.#around = around;
    around.serviceWorker?.addEventListener("message", ({ data }) => {
      if (data?.arrived === "test") around.arrived();
      if (data?.subscription === "changed") around.moved();
      if (typeof data?.open === "string" && data.open.startsWith("#/")) around.go(data.open);
    });
  }

  /** Removes all notifications, because their content is visible on the page. */
  async clear() {
    const registration = await this.#around.serviceWorker?.getRegistration();
    for (const notification of (await registration?.getNotifications()) ?? []) notification.close();
  }

  /**
   * Shows the number of waiting approvals on the page's icon.
   * @param {number} count
   */
  badge(count) {
    if (count === this.#count) return;
    this.#count = count;
    // Browsers refuse if the page is not installed, which is harmless.
    this.#around.setAppBadge?.(count).catch(() => undefined);
  }
}
