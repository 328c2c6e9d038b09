/** The wire as the page sees it, for the type checker only. `Protocol.md` is the truth. */

export interface Position { epoch: string; seq: number }
export interface Named { id: string; name: string }

export type Status =
  | "starting" | "running" | "waitingApproval" | "waitingAnswer" | "idle" | "completed" | "failed" | "stale";

export interface Summary {
  session: string;
  seq: number;
  /** The first event that the relay still holds; 1 where it is not named. */
  first?: number;
  host: Named & { connected: boolean };
  agent: { name: string; version?: string };
  model?: string;
  title?: string;
  project?: string;
  cwd?: string;
  status: Status;
  statusReason?: string;
  operation?: string;
  file?: string;
  operations: number;
  messages: number;
  todo?: { completed: number; total: number; current?: string };
  approvals: number;
  questions: number;
  subagents: number;
  tokens?: { input: number; output: number; cacheRead: number; cacheWrite: number };
  costMicroUSD?: number;
  context?: { used: number; limit: number };
  linesAdded: number;
  linesRemoved: number;
  error?: string;
  startedAt: number;
  lastActivityAt: number;
  endedAt?: number;
  /** The highest level that is reached of any budget that concerns it, in percent, and that budget's limit. */
  budget?: { level: number; microUSD: number; held?: boolean };
}

/** A head or a body: what is in it depends on the kind, and nothing in it is to be trusted. */
export type Fields = { [field: string]: any };

export interface Event { kind: string; at: number; head: Fields; body?: Fields }

/** What a host says of what an edit does to its file, in the body of `approval.requested` and `file.changed`. */
export interface Change {
  file: "new" | "overwrites" | "edits" | "unchanged" | "unknown";
  /** Why there is no diff against the file. */
  problem?: string;
  added?: number;
  removed?: number;
  /** Of the file before. */
  bytes?: number;
  places?: number;
  /** Of a link: the file that is meant. */
  target?: string;
  cell?: { deed: "replace" | "insert" | "delete"; number: number; of: number };
}

export interface Answer { question: string; choices: string[]; text?: string }

export interface Decision {
  decision: "allow" | "deny" | "answer";
  message?: string;
  /** With an allow: in which the agent goes on. */
  mode?: string;
  answers?: Answer[];
  by: { client: string; name: string };
  at: number;
  command: string;
}

export type Stage = "pending" | "decided" | "delivered" | "applied" | "expired" | "cancelled" | "stale";

export interface Approval {
  approval: string;
  session: string;
  seq: number;
  stage: Stage;
  requestedAt: number;
  /** By the relay's clock. */
  expiresAt?: number;
  request: Event;
  decision?: Decision;
  deliveredAt?: number;
  resolvedAt?: number;
  outcome?: string;
  reason?: string;
}

export interface Question {
  id: string;
  text: string;
  header?: string;
  multiple?: boolean;
  choices: { label: string; description?: string }[];
}

/** What an app told of itself and its person, without its tokens. */
export interface Registration {
  device: string;
  name: string;
  profile: string;
  environment: string;
  system: string;
  alertToken?: boolean;
  startToken?: boolean;
  frequentPushes?: boolean;
  cards?: "perSession" | "aggregate" | "off";
  starts?: "never" | "whenNeeded" | "always";
  text?: "full" | "summary" | "generic" | "sealed";
  kinds?: string[];
  muted?: string[];
  quiet?: { from: number; to: number; timeZone: string };
  /** No push to it says what something cost. */
  hidesCost?: boolean;
}

export interface Device {
  device: Registration;
  client: Named;
  present: boolean;
  cards: DeviceCard[];
  trouble?: string;
  /** The newest first. */
  pushes: Push[];
}

export interface DeviceCard {
  card: string;
  session?: string;
  state: "starting" | "active" | "stale" | "ended" | "dismissed";
  /** 0: nothing was sent to it yet. */
  updatedAt: number;
  hasToken: boolean;
}

export interface Push {
  push: number;
  device: string;
  session?: string;
  purpose: "start" | "update" | "end" | "alert" | "channel";
  priority: number;
  plannedAt: number;
  answeredAt?: number;
  /** A notification takes the place of an earlier one with the same. */
  collapse?: string;
  /** None: planned, and not answered yet. */
  outcome?: { result: "accepted" | "refused" | "unknown" | "notSent"; text?: string };
  /** As it went out. */
  payload?: Fields;
}

export type BudgetScope = "session" | "everySession" | "day" | "workspace";

export interface Budget {
  scope: BudgetScope;
  session?: string;
  /** 0 takes the budget away. */
  microUSD: number;
  /** In percent, ascending. */
  levels: number[];
  hold?: boolean;
}

/** A budget as the relay tells it. */
export type KnownBudget = Budget & {
  /** Of `everySession` the most that one of its sessions has spent. */
  spentMicroUSD: number;
  /** The highest level that is reached. */
  crossed?: number;
  /** The day that `spentMicroUSD` is of. */
  day?: string;
  /** Hosts that are connected and cannot do what `hold` asks. */
  cannotHold?: string[];
};

export interface WireError { code: string; message: string; path?: string; winner?: Decision }

export interface Welcome {
  type: "welcome";
  version: number;
  software: string;
  epoch: string;
  client: Named;
  workspace: Named;
  heartbeat: { pingSeconds: number; hangUpSeconds: number };
  limits: Fields;
}

export interface WorkspaceSnapshot { type: "snapshot"; session?: undefined; sessions: Summary[]; approvals: Approval[] }

export interface SessionSnapshot {
  type: "snapshot";
  session: string;
  epoch: string;
  seq: number;
  first: number;
  events: Event[];
  summary: Summary;
  approvals: Approval[];
}

export interface Events { type: "events"; session: string; epoch: string; first: number; events: Event[] }
export interface Deltas { type: "deltas"; session: string; message: string; text: string; agent?: string }
export interface Reset { type: "reset"; session: string; reason: string }
export interface Removed { type: "removed"; session: string }
export interface Reply { type: "reply"; id: string; error?: WireError; [field: string]: any }
export interface Notice { type: "notice"; code: string; message: string; path?: string }

/** What the relay says. */
export type Message =
  | Welcome | WorkspaceSnapshot | SessionSnapshot | Events | Deltas | Reset | Removed | Reply | Notice
  | { type: "summary"; summary: Summary }
  | { type: "push"; push: Push }
  | { type: "approval"; approval: Approval };

/** A command, before the link gives it its `id`. */
export type Command =
  | { type: "subscribe"; session?: string; after?: Position }
  | { type: "unsubscribe"; session?: string }
  | { type: "history"; session: string; before: number; limit: number }
  | { type: "decide"; session: string; approval: string; digest: string; decision: "allow" | "deny"; message?: string }
  | { type: "answer"; session: string; approval: string; digest: string; answers: Answer[] }
  | { type: "ping" }
  | { type: "pair"; role?: "client" | "host" }
  | { type: "presence"; foreground: boolean; session?: string }
  | { type: "seen"; session: string; approval: string }
  | { type: "devices"; watch: boolean }
  | { type: "testPush"; device: string }
  | { type: "forget"; device: string }
  | { type: "budgets" }
  | { type: "budget"; budget: Budget };

/** What lets somebody in, of `GET /v1/tokens`. */
export interface Token {
  id: string;
  role: "client" | "host";
  kind: string;
  name: string;
  createdAt: number;
  by?: { id: string; name: string; revoked?: boolean };
  usedAt?: number;
  connections: number;
  children: { id: string; role: "client" | "host"; kind: string; name: string }[];
  own?: boolean;
}
