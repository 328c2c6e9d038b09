/** Parses ntfy topics as people paste them. Pure. */

/**
 * The topic in a link such as `ntfy.sh/topic`, with or without a scheme.
 * @param {string} text @param {string} [token] An access token; empty if none is needed.
 * @returns {import("./wire").NtfyTopic|null} Null if the text is no such link.
 */
export function topicFrom(text, token = "") {
  const link = text.trim();
  const [, scheme = "https://", authority, topic] = link.match(/^(https?:\/\/)?([A-Za-z0-9.-]{1,253}(?::\d{1,5})?)\/([A-Za-z0-9_-]{1,64})$/) ?? [];
  if (!authority || !topic) return null;
  return { server: `${scheme}${authority.toLowerCase()}`, topic, ...(token.trim() ? { token: token.trim() } : {}) };
}
