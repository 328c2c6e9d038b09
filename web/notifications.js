/** Notifications that the worker made, and the number on an installed page's icon. */

/**
 * @typedef {object} Surroundings What of the browser is used; all of it may be missing.
 * @property {Pick<ServiceWorkerContainer, "addEventListener"|"getRegistration">} [serviceWorker]
 * @property {(count: number) => Promise<void>} [setAppBadge]
 * @property {(hash: string) => void} go
 * @property {() => void} arrived A test push was shown by this browser.
 * @property {() => void} moved The browser changed its subscription.
 */

/** A page that is looked at leaves no notification behind, and goes where one that was pressed leads. */
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

  /** Somebody looks: what a notification says is on the page. */
  async clear() {
    const registration = await this.#around.serviceWorker?.getRegistration();
    for (const notification of (await registration?.getNotifications()) ?? []) notification.close();
  }

  /** @param {number} count Approvals that wait. */
  badge(count) {
    if (count === this.#count) return;
    this.#count = count;
    // A browser without an installed page refuses, and nothing is lost by that.
    this.#around.setAppBadge?.(count).catch(() => undefined);
  }
}
