/** The rare views: the page loads them when one of them is opened (`part.js`). */

import { joinSeldom, view } from "./app.js";
import { Budgets } from "./budgets.js";
import { Costs } from "./costs.js";
import { Devices } from "./devices.js";
import { BudgetsView } from "./elements/budgets-view.js";
import { CommandPalette } from "./elements/command-palette.js";
import "./elements/composer-offers.js";
import "./elements/composer-panel.js";
import { CostsView } from "./elements/costs-view.js";
import { DevicesView } from "./elements/devices-view.js";
import "./elements/file-finder.js";
import "./elements/held-prompts.js";
import "./elements/install-steps.js";
import { LinkView } from "./elements/link-view.js";
import { RulesView } from "./elements/rules-view.js";
import "./elements/picture-choice.js";
import "./elements/picture-frames.js";
import "./elements/session-changes.js";
import "./elements/session-facts.js";
import "./elements/session-find.js";
import "./elements/sieve-saver.js";
import "./elements/speech-button.js";
import { StartView } from "./elements/start-view.js";
import { Held } from "./held.js";
import { TerminalView } from "./elements/terminal-view.js";
import { KeyStore } from "./keys.js";
import { t } from "./language.js";
import { Opening } from "./opening.js";
import { Passkeys } from "./passkeys.js";
import { sealPictures } from "./pictures.js";
import { ask } from "./page-key.js";
import { Resuming } from "./resuming.js";
import { Sender } from "./sender.js";
import { failureWords, isBusy, standing } from "./steering.js";
import { Tokens } from "./tokens.js";

/**
 * Creates the store of held prompts, which all tabs of this browser share.
 * @param {import("./link.js").Link} link @param {import("./store.js").State} state @param {() => number} now @param {() => void} changed @param {import("./trust.js").Trust} trust
 */
function heldPrompts(link, state, now, changed, trust) {
  const sender = new Sender(link, () => undefined, trust);
  const held = new Held({
    storage: () => localStorage,
    now,
    freshID: () => link.freshID(),
    standing: (session) => {
      const summary = state.sessions.get(session);
      if (!summary || !state.welcome) return { isBusy: true, obstacle: t`This session is not known here.` };
      const { composes, reason } = standing(state.welcome.may, summary, link.isLive);
      return { isBusy: isBusy(summary), obstacle: reason || (composes ? trust.steeringObstacle(session, summary.host.name) : t`It takes no prompts.`) };
    },
    send: async ({ id, session, text, command }) => {
      const error = await sender.send(session, "held", { type: "prompt", session, text, busy: "queue", ...(command ? { command } : {}) }, id);
      if (error === null) return null;
      return error && error.code !== "linkLost" ? { isKnown: true, words: failureWords(error) } : { isKnown: false, words: "" };
    },
    alone: async (run) => {
      if (!navigator.locks) return run();
      return navigator.locks.request("heliograph.held", { ifAvailable: true }, (lock) => (lock ? run() : undefined));
    },
  }, changed);
  addEventListener("storage", ({ key }) => key === "heliograph.held" && held.changedElsewhere());
  return held;
}

joinSeldom((link, state, now, changed, trust) => {
  sealPictures(trust);
  return {
    devices: new Devices(link, state, changed),
    held: heldPrompts(link, state, now, changed, trust),
    tokens: new Tokens(ask, changed),
    budgets: new Budgets(link, state, changed),
    costs: new Costs(link, now, changed),
  };
}, () => ({
  devices: view("devices-view", DevicesView),
  budgets: view("budgets-view", BudgetsView),
  costs: view("costs-view", CostsView),
  link: view("link-view", LinkView),
  palette: view("command-palette", CommandPalette),
  rules: view("rules-view", RulesView),
  start: view("start-view", StartView),
  terminal: view("terminal-view", TerminalView),
}), (link, trust, state, changed) => {
  trust.complete((around, letters, hands) => ({
    resuming: new Resuming(around, letters, hands),
    passkeys: new Passkeys({ credentials: "PublicKeyCredential" in globalThis ? navigator.credentials : undefined, place: location, changed }, around, letters, hands),
  }));
  const keys = new KeyStore();
  const again = (/** @type {string} */ session) => {
    // A session whose log is not on screen is loaded again when it is opened.
    state.logs.delete(session);
    link.rewatch(session);
  };
  const opening = new Opening({ trust, own: () => keys.own(), now: () => Date.now(), again, summary: (session) => state.sessions.get(session) ?? state.hosts.get(session) });
  trust.sealer = opening;
  return opening;
});
