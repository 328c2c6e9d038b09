/** The views that are opened seldom: the page requests them when one of them is (`part.js`), and they join it then. */

import { joinSeldom, view } from "./app.js";
import { Budgets } from "./budgets.js";
import { Costs } from "./costs.js";
import { BudgetsView } from "./elements/budgets-view.js";
import { CostsView } from "./elements/costs-view.js";
import { DevicesView } from "./elements/devices-view.js";
import { LinkView } from "./elements/link-view.js";
import { RulesView } from "./elements/rules-view.js";
import "./elements/session-changes.js";
import { StartView } from "./elements/start-view.js";
import { TerminalView } from "./elements/terminal-view.js";
import { ask } from "./page-key.js";
import { Tokens } from "./tokens.js";

joinSeldom((link, state, now, changed) => ({
  tokens: new Tokens(ask, changed),
  budgets: new Budgets(link, state, changed),
  costs: new Costs(link, now, changed),
}), () => ({
  devices: view("devices-view", DevicesView),
  budgets: view("budgets-view", BudgetsView),
  costs: view("costs-view", CostsView),
  link: view("link-view", LinkView),
  rules: view("rules-view", RulesView),
  start: view("start-view", StartView),
  terminal: view("terminal-view", TerminalView),
}));
