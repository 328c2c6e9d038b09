/** The settings of a new browser, topic or receiver until a person changes them on any device. Sending them again changes nothing. */
export const firstChoices = /** @type {Pick<import("./wire").WebDevice, "text"|"kinds"|"muted">} */ ({
  text: "summary", kinds: ["approval", "question", "error", "finished", "budget"], muted: [],
});
