/** The options that an agent offers besides allow and deny, and the risks of each. Pure. */

import { isWhole } from "./approvals.js";
import { t } from "./language.js";

/** @typedef {import("./wire").Approval} Approval */
/** @typedef {{id: string, label: string, rule?: string, mode?: string, scope: string, effect: "allow"|"deny"}} Offer */

/** @type {Record<string, string>} The place where each option's rule is written, which determines how long it applies. */
const places = {
  once: t`For this request alone.`,
  session: t`Until this session ends. Nothing is written to a file.`,
  local: t`Written for you alone, in this project.`,
  project: t`Written to the project's shared settings: it holds for everyone who works on it.`,
  user: t`Written for all that you do with this agent, in every project.`,
  agent: t`The agent does not say where it is written, or for how long it holds.`,
};

/** @param {Offer} offer */
export const scopeWords = (offer) => places[offer.scope];

/**
 * True if the option applies beyond this project, to other people, for an unknown time, or to several kinds of tools: it needs confirmation.
 * @param {Offer} offer
 */
export const isFarReaching = ({ scope, mode }) => !["once", "session", "local"].includes(scope) || mode !== undefined;

/**
 * The agent's options that arrived completely and can be chosen. Options with the same name are omitted, because they are ambiguous.
 * @param {Approval} approval
 * @returns {Offer[]}
 */
export function offersOf(approval) {
  const { head } = approval.request;
  if (head.kind === "question" || !isWhole(approval) || !Array.isArray(head.offers)) return [];
  const ids = head.offers.map((offer) => offer?.id);
  return head.offers.filter((offer) => isKnown(offer) && ids.indexOf(offer.id) === ids.lastIndexOf(offer.id));
}

/** @param {any} offer */
const isKnown = (offer) =>
  isText(offer?.id) && isText(offer.label) && Object.hasOwn(places, offer.scope) && ["allow", "deny"].includes(offer.effect) &&
  [offer.rule, offer.mode].every((text) => text === undefined || isText(text));

/** @param {unknown} value */
const isText = (value) => typeof value === "string" && value !== "";

/**
 * The label of the button that opens the list of options.
 * @param {Offer[]} offers
 */
export const openerWords = (offers) =>
  (offers.every(({ effect, scope }) => effect === "allow" && scope !== "once") ? t`Always allow …` : t`More answers …`);

/**
 * @param {Offer} offer
 * @returns {import("./decisions.js").Verdict}
 */
export const verdictOf = ({ id, effect }) => ({ decision: effect, offer: id });

/**
 * The option that was chosen in the decision; empty for a plain allow or deny.
 * @param {Approval} approval
 */
export function chosenIn({ request: { head }, decision }) {
  if (!decision?.offer) return "";
  const offers = Array.isArray(head.offers) ? head.offers.filter((offer) => isKnown(offer) && offer.id === decision.offer) : [];
  const [offer] = offers;
  if (offers.length !== 1) return t` By the agent's option ${decision.offer}.`;
  return `${offer.rule ? t` By the agent's option “${offer.label}”: ${offer.rule.split("\n").join(", ")}.` : t` By the agent's option “${offer.label}”.`} ${scopeWords(offer)}`;
}
