/** The wire as the page sees it, for the type checker only. Written by `make wire` from `WireTable`: do not edit. */

/** What depends on a kind, and nothing in it is to be trusted. */
export type Fields = { [field: string]: any };

/** One fact about a session. A kind that is not listed here is carried as it is; the body is never read by the relay. */
export interface Event {
  kind: string;
  at: number;
  head: Fields;
  body?: Fields;
  /** From a host that seals its content: what lists say of the session, for its devices. The latest is in the summary. */
  line?: string;
}

/** A client's position in a session's log. */
export interface Position { epoch: string; seq: number }

export interface Answer {
  question: string;
  /** Labels, as they were shown. */
  choices: string[];
  /** The places of `choices` in the question's list, from 0. */
  indexes?: number[];
  /** In the person's own words. */
  text?: string;
}

/** From minute `from` of the day to minute `to`, in a time zone of the tz database; over midnight where `to` is the smaller. */
export interface QuietHours {
  from: number;
  to: number;
  timeZone: string;
  /** An approval with `risks` rings all the same. Those of a sealed one are unknown. */
  exceptRisks?: boolean;
}

/** When it is told of what needs no answer, all in one: `interval`, so many minutes after the first of it, or `daily`. */
export type Gathering = {
} & (
  // at: The minute of the day.
  | { when: "interval"; minutes: number; at?: undefined; timeZone?: undefined }
  | { when: "daily"; minutes?: undefined; at: number; timeZone: string }
);

/** When it is told once a week what the seven days before have cost. */
export interface WeeklyCosts {
  /** 1 is Monday. */
  weekday: number;
  /** The minute of that day. */
  at: number;
  timeZone: string;
}

/** An app's registration for push. */
export type Device = {
  device: string;
  name: string;
  profile: string;
  environment: "production" | "sandbox";
  /** The version of iOS. */
  system: string;
  alertToken?: string;
  startToken?: string;
  frequentPushes?: boolean;
  cards: "perSession" | "aggregate" | "off";
  starts: "never" | "whenNeeded" | "always";
  kinds: ("approval" | "question" | "error" | "finished" | "budget")[];
  muted: string[];
  /** Sessions that are silent until a time, or only these approvals of them. What still waits rings then. */
  mutedUntil?: { session: string; until: number; asked?: string[] }[];
  /** Projects of hosts whose sessions are silent. Of a sealed session the relay does not know the project. */
  mutedProjects?: { host: string; project: string }[];
  quiet?: QuietHours;
  gather?: Gathering;
  weekly?: WeeklyCosts;
  /** With `gather`: its alert also counts the calls that rules answered. */
  countsRules?: boolean;
  /** No push to it says what something cost. */
  hidesCost?: boolean;
  /** Language of the relay's own words in pushes, as a BCP 47 tag. Default, and for languages that it does not have: English. */
  language?: string;
  web?: undefined;
  ntfy?: undefined;
  receiver?: undefined;
} & (
  | { text: "full" | "summary" | "generic"; sealKey?: undefined }
  | { text: "sealed"; sealKey: string }
);

/** What `PushSubscription.toJSON()` says; empty if the browser no longer has one. */
export interface WebSubscription {
  /** A URL, and a secret. */
  endpoint?: string;
  p256dh?: string;
  auth?: string;
}

/** A browser's registration for push. It has no cards, and nothing to seal: its pushes are encrypted to it. */
export interface WebDevice {
  device: string;
  name: string;
  /** Browser and system, such as `Firefox on Linux`. */
  system: string;
  web: WebSubscription;
  text: "full" | "summary" | "generic";
  kinds: ("approval" | "question" | "error" | "finished" | "budget")[];
  muted: string[];
  /** Sessions that are silent until a time, or only these approvals of them. What still waits rings then. */
  mutedUntil?: { session: string; until: number; asked?: string[] }[];
  /** Projects of hosts whose sessions are silent. Of a sealed session the relay does not know the project. */
  mutedProjects?: { host: string; project: string }[];
  quiet?: QuietHours;
  gather?: Gathering;
  weekly?: WeeklyCosts;
  /** With `gather`: its alert also counts the calls that rules answered. */
  countsRules?: boolean;
  /** No push to it says what something cost. */
  hidesCost?: boolean;
  /** A notification that shows the whole input may offer to allow it. */
  allowOnLockScreen?: boolean;
  /** Language of the relay's own words in pushes, as a BCP 47 tag. Default, and for languages that it does not have: English. */
  language?: string;
}

/** Where to publish; empty if the topic is to get nothing any more. */
export interface NtfyTopic {
  server?: string;
  /** A secret. */
  topic?: string;
  /** An access token with which the relay publishes, and a secret. */
  token?: string;
}

/** A topic of an ntfy server as a device. It has no cards; the server and whoever can read the topic read its pushes. */
export interface NtfyDevice {
  device: string;
  name: string;
  ntfy: NtfyTopic;
  text: "full" | "summary" | "generic";
  kinds: ("approval" | "question" | "error" | "finished" | "budget")[];
  muted: string[];
  /** Sessions that are silent until a time, or only these approvals of them. What still waits rings then. */
  mutedUntil?: { session: string; until: number; asked?: string[] }[];
  /** Projects of hosts whose sessions are silent. Of a sealed session the relay does not know the project. */
  mutedProjects?: { host: string; project: string }[];
  quiet?: QuietHours;
  gather?: Gathering;
  weekly?: WeeklyCosts;
  /** With `gather`: its alert also counts the calls that rules answered. */
  countsRules?: boolean;
  /** No push to it says what something cost. */
  hidesCost?: boolean;
  /** A notification that shows the whole input may offer to allow it. */
  allowOnLockScreen?: boolean;
  /** Language of the relay's own words in pushes, as a BCP 47 tag. Default, and for languages that it does not have: English. */
  language?: string;
}

/** Which one; empty if it is to get nothing any more. */
export interface Receiver {
  /** As the operator has named it for this workspace. */
  name?: string;
}

/** A program or webhook of the relay's operator as a device. It has no cards, and reads its pushes. */
export interface ReceiverDevice {
  device: string;
  name: string;
  receiver: Receiver;
  text: "full" | "summary" | "generic";
  kinds: ("approval" | "question" | "error" | "finished" | "budget")[];
  muted: string[];
  /** Sessions that are silent until a time, or only these approvals of them. What still waits rings then. */
  mutedUntil?: { session: string; until: number; asked?: string[] }[];
  /** Projects of hosts whose sessions are silent. Of a sealed session the relay does not know the project. */
  mutedProjects?: { host: string; project: string }[];
  quiet?: QuietHours;
  gather?: Gathering;
  weekly?: WeeklyCosts;
  /** With `gather`: its alert also counts the calls that rules answered. */
  countsRules?: boolean;
  /** No push to it says what something cost. */
  hidesCost?: boolean;
  /** A notification that shows the whole input may offer to allow it. */
  allowOnLockScreen?: boolean;
  /** Language of the relay's own words in pushes, as a BCP 47 tag. Default, and for languages that it does not have: English. */
  language?: string;
}

/** What an app says of one of its cards. Without `session`: the aggregate card. */
export interface CardReport { card: string; session?: string; token?: string; state: "active" | "stale" | "ended" | "dismissed" }

export type BudgetScope = "session" | "everySession" | "day" | "workspace";

/** How much may be spent. 0 micro-US-dollars take the budget away. */
export type Budget = {
  microUSD: number;
  /** In percent, ascending. */
  levels: number[];
  hold?: boolean;
} & (
  | { scope: "session"; session: string }
  | { scope: "everySession" | "day" | "workspace"; session?: undefined }
);

export type PictureType = "application/x-heliograph-sealed" | "image/png" | "image/jpeg" | "image/webp";

/** A picture that the relay keeps with a session: what `POST /v1/pictures` answers, and prompts name. */
export interface Picture {
  /** The digest of its bytes. */
  digest: string;
  type: PictureType;
  bytes: number;
}

/** How often the relay pings, and after how long a silence it hangs up. */
export interface Heartbeat { pingSeconds: number; hangUpSeconds: number }

export interface Limits { messageBytes: number; batchEvents: number; eventBytes: number }

export interface Named { id: string; name: string }

export type Status = "starting" | "running" | "waitingApproval" | "waitingAnswer" | "idle" | "completed" | "failed" | "stale";

export interface Todo { completed: number; total: number; current?: string }

export interface Tokens { input: number; output: number; cacheRead: number; cacheWrite: number }

/** The highest level that a budget which concerns the session has reached, that budget's limit, and whether every tool needs approval. */
export interface BudgetMark {
  /** In percent. */
  level: number;
  microUSD: number;
  held?: boolean;
  /** In place of `held`, if a budget that holds is spent and not every tool needs approval: as in the session's `steering`. */
  hold?: string;
}

/** What clients can do to a session, and how it is set. */
export interface SteeringOffer {
  actions: string[];
  /** Prompts with `busy` `steer` are taken. */
  whileBusy?: boolean;
  /** Prompts with `pictures` are taken. */
  pictures?: boolean;
  /** Its host holds its terminal: `screen` and `keys` are taken. */
  screen?: boolean;
  /** Why something that people expect is not offered, and what to do about it. */
  reason?: string;
  /** A person is asked before every tool, as one has wanted with `askAll`. */
  asksAll?: boolean;
  /** Once a budget that holds is spent: `most`, the agent asks about all tools but those that its own rules trust; `unchanged`, it asks as before, and prompts are refused. Left out where every tool needs approval then. */
  hold?: string;
  /** The host takes only what a device that it trusts has signed for these keys of its own; left out if it takes everything. */
  consent?: string;
  /** Its content is sealed for the devices that its host trusts. */
  seals?: boolean;
  /** The session represents its host, which seals: the keys of its epochs for each device that it trusts. */
  wraps?: { epoch: number; device: string; wrap: string }[];
  /** The whole offer, for devices that can open it. */
  sealed?: string;
  mode?: string;
  modes?: string[];
  /** Left out if the agent takes any name. */
  models?: string[];
  /** The agent's own, as they are typed. */
  commands?: string[];
  /** The session represents its host, where sessions can be started in these. */
  projects?: { name: string; folder: string }[];
  /** What can be started there. */
  agents?: { name: string; title: string; pictures?: boolean; modes?: string[]; models?: string[] }[];
  /** The rules of the host that this session represents, as their owner wrote them. */
  rules?: { accepted?: boolean; list: { name: string; answer: string; for: string[]; words?: string; folder?: string; agent?: string; hours?: string; until?: string; times?: number; left?: number; off?: boolean }[]; more?: number };
}

/** The reduced state of a session after event `seq`. */
export interface Summary {
  session: string;
  seq: number;
  /** The first event that the relay still holds; 1 if it is left out. */
  first?: number;
  host: { id: string; name: string; connected: boolean };
  agent: { name: string; version?: string };
  model?: string;
  title?: string;
  project?: string;
  cwd?: string;
  /** In full, where `cwd` says `~`. */
  folder?: string;
  /** Of the Git checkout that it works in, as of its start. */
  branch?: string;
  status: Status;
  statusReason?: string;
  operation?: string;
  file?: string;
  /** Tools started. */
  operations: number;
  messages: number;
  todo?: Todo;
  /** Pending now. */
  approvals: number;
  questions: number;
  subagents: number;
  /** Calls that the owner's rules have answered so far; 0 if it is left out. */
  ruleAnswers?: number;
  tokens?: Tokens;
  costMicroUSD?: number;
  /** What agents guess for models whose price they do not know. In no budget. */
  estimateMicroUSD?: number;
  context?: { used?: number; limit?: number };
  linesAdded: number;
  linesRemoved: number;
  budget?: BudgetMark;
  steering?: SteeringOffer;
  error?: string;
  /** As the latest event that had one. */
  line?: string;
  startedAt: number;
  lastActivityAt: number;
  endedAt?: number;
}

export type Stage = "pending" | "decided" | "delivered" | "applied" | "expired" | "cancelled" | "stale";

/** The one answer to an approval, and who gave it. */
export type Decision = {
  by: { client: string; name: string };
  at: number;
  command: string;
  /** The device's own, carried and not read by the relay. */
  signature?: string;
} & (
  // message: It reaches the agent's model.
  // mode: In which the agent goes on: one that the approval offers.
  // offer: The agent's own option that was chosen, by its id.
  // edit: It is allowed with these words: the JSON text of an object with the members of the input that change, each one of `editable` and a text.
  | { decision: "allow"; message?: undefined; mode?: string; offer?: string; edit?: undefined; answers?: undefined }
  | { decision: "edit"; message?: undefined; mode?: undefined; offer?: undefined; edit: string; answers?: undefined }
  | { decision: "deny"; message?: string; mode?: undefined; offer?: string; edit?: undefined; answers?: undefined }
  | { decision: "answer"; message?: undefined; mode?: undefined; offer?: undefined; edit?: undefined; answers: Answer[] }
);

export type Outcome = "ran" | "denied" | "answered";

/** An approval, and all that became of it by event `seq`. */
export type Approval = {
  approval: string;
  session: string;
  seq: number;
  requestedAt: number;
  /** By the relay's clock. */
  expiresAt?: number;
  request: Event;
} & (
  | { stage: "pending"; decision?: undefined; deliveredAt?: undefined; resolvedAt?: undefined; outcome?: undefined; reason?: undefined }
  | { stage: "decided"; decision: Decision; deliveredAt?: undefined; resolvedAt?: undefined; outcome?: undefined; reason?: undefined }
  | { stage: "delivered"; decision: Decision; deliveredAt: number; resolvedAt?: undefined; outcome?: undefined; reason?: undefined }
  | { stage: "applied"; decision: Decision; deliveredAt?: number; resolvedAt: number; outcome: Outcome; reason?: undefined }
  | { stage: "expired"; decision?: Decision; deliveredAt?: undefined; resolvedAt: number; outcome?: undefined; reason?: undefined }
  | { stage: "cancelled" | "stale"; decision?: Decision; deliveredAt?: number; resolvedAt: number; outcome?: undefined; reason: string }
);

export interface WireError {
  code: string;
  message: string;
  path?: string;
  /** With `alreadyDecided`. */
  winner?: Decision;
}

/** What an app or a browser told of itself and its person, without what it is reached by. */
export interface DeviceShown {
  device: string;
  name: string;
  /** For a browser: `web`; for a topic: `ntfy`; for a receiver: `receiver`. */
  profile: string;
  /** Only for an app. */
  environment?: "production" | "sandbox";
  /** The version of iOS, or browser and system. */
  system: string;
  /** There is one. */
  alertToken?: boolean;
  /** There is one. */
  startToken?: boolean;
  /** It is a browser. */
  web?: { service?: string };
  /** It is a topic of an ntfy server. */
  ntfy?: { server?: string };
  /** It is a receiver of the operator's. */
  receiver?: Receiver;
  frequentPushes?: boolean;
  cards: "perSession" | "aggregate" | "off";
  starts: "never" | "whenNeeded" | "always";
  text: "full" | "summary" | "generic" | "sealed";
  kinds: ("approval" | "question" | "error" | "finished" | "budget")[];
  muted: string[];
  /** Sessions that are silent until a time, or only these approvals of them. What still waits rings then. */
  mutedUntil?: { session: string; until: number; asked?: string[] }[];
  /** Projects of hosts whose sessions are silent. Of a sealed session the relay does not know the project. */
  mutedProjects?: { host: string; project: string }[];
  quiet?: QuietHours;
  gather?: Gathering;
  weekly?: WeeklyCosts;
  /** With `gather`: its alert also counts the calls that rules answered. */
  countsRules?: boolean;
  /** No push to it says what something cost. */
  hidesCost?: boolean;
  /** A notification that shows the whole input may offer to allow it. */
  allowOnLockScreen?: boolean;
  /** Language of the relay's own words in pushes, as a BCP 47 tag. Default, and for languages that it does not have: English. */
  language?: string;
}

export interface DeviceCard {
  card?: string;
  session?: string;
  state: "starting" | "active" | "stale" | "ended" | "dismissed";
  startedAt: number;
  /** 0: nothing was sent to it yet. */
  updatedAt: number;
  hasToken: boolean;
}

/** A push, and what became of it. No outcome yet: it is planned. */
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
  outcome?: { result: "accepted" | "refused" | "unknown" | "notSent"; text?: string };
  /** As it went out. */
  payload?: Fields;
}

/** A device as the relay knows it; of its tokens only whether they are there. `pushes`: the last 20, newest first. */
export interface DeviceState {
  device: DeviceShown;
  client: Named;
  present: boolean;
  cards: DeviceCard[];
  trouble?: string;
  /** The newest first. */
  pushes: Push[];
}

/** A budget that is set, and what has become of it. */
export type BudgetReport = {
  microUSD: number;
  /** In percent, ascending. */
  levels: number[];
  hold?: boolean;
  /** For `everySession`, the most that one of its sessions has spent. */
  spentMicroUSD: number;
  /** The highest level that is reached, in percent. */
  crossed?: number;
  /** Hosts that are connected and cannot do what `hold` asks. */
  cannotHold?: string[];
} & (
  // day: The day that `spentMicroUSD` is of.
  | { scope: "session"; session: string; day?: undefined }
  | { scope: "everySession" | "workspace"; session?: undefined; day?: undefined }
  | { scope: "day"; session?: undefined; day: string }
);

export interface CostShare {
  /** Absent for what has none. */
  name?: string;
  /** Absent if no cost was reported: the price is unknown, and not 0. */
  costMicroUSD?: number;
  /** What agents guess in addition to that. */
  estimateMicroUSD?: number;
  tokens?: Tokens;
  /** How many of all tokens have neither a cost nor an estimate; absent for none. */
  unpricedTokens?: number;
}

/** What was used on these days. Lists are ordered by cost, the dearest first. What sessions used stays counted when retention removes them. */
export interface CostReport {
  total: { costMicroUSD?: number; estimateMicroUSD?: number; tokens?: Tokens; unpricedTokens?: number };
  /** Those on which something was used. */
  days: { day: number; models: { model?: number; costMicroUSD?: number; estimateMicroUSD?: number; tokens?: Tokens; unpricedTokens?: number }[] }[];
  models: CostShare[];
  projects: CostShare[];
  hosts: CostShare[];
  agents: CostShare[];
  sessions: { session: string; host: string; agent: string; project?: string; model?: string; costMicroUSD?: number; estimateMicroUSD?: number; tokens?: Tokens; unpricedTokens?: number }[];
  sessionCount: number;
  /** Begin of the oldest UTC day on record. */
  since?: number;
  /** Whatever days are asked about. */
  lastHourMicroUSD: number;
}

/** What a terminal shows. */
export interface Screen {
  /** Names this drawing; `after` of the next `screen`. */
  of: string;
  /** `of` of the drawing whose rows it changes. Left out of a whole one. */
  base?: string;
  /** Rows that are not listed are empty; without it they are as they were. */
  whole?: boolean;
  /** Not all of it fits a message. */
  cut?: boolean;
  rows: number;
  columns: number;
  /** Left out while the program hides it. */
  cursor?: { row: number; column: number };
  /** The program wants what is pasted between `ESC [200~` and `ESC [201~`. */
  wrapsPaste?: boolean;
  /** The program wants arrows as `ESC O A`, not as `ESC [A`. */
  applicationKeys?: boolean;
  lines: { row: number; runs: { text: string; style?: string; wide?: boolean }[] }[];
  /** All of it, for devices that can open it; the rest is empty then. Of a host that seals. */
  sealed?: string;
}

/** What an edit does to its file, in the body of `approval.requested` and `file.changed`. */
export interface Change {
  file: "new" | "overwrites" | "edits" | "unchanged" | "unknown";
  /** Why there is no diff against the file. */
  problem?: string;
  added?: number;
  removed?: number;
  /** The size of the file before. */
  bytes?: number;
  places?: number;
  /** If a link on the path leads elsewhere: the file that is meant. */
  target?: string;
  cell?: { deed: "replace" | "insert" | "delete"; number: number; of: number };
}

/** One question in the body of `approval.requested`. */
export interface Question {
  id: string;
  text: string;
  header?: string;
  multiple?: boolean;
  /** It takes no answer in words of one's own. */
  choicesOnly?: boolean;
  choices: { label: string; description?: string }[];
}

/** What lets somebody in, of `GET /v1/tokens`. */
export interface Token {
  id: string;
  role: "client" | "host" | "watcher" | "operator";
  kind: string;
  name: string;
  subject: string;
  createdAt: number;
  /** The token that made its code. */
  by?: { id: string; name: string; revoked?: boolean };
  usedAt?: number;
  /** The address that it was last used from. */
  usedFrom?: string;
  connections: number;
  /** Those not revoked that it let in, the nearest first. */
  children: { id: string; role: "client" | "host" | "watcher" | "operator"; kind: string; name: string }[];
  /** Those beyond the ones that a list names. */
  moreChildren?: number;
  revokedAt?: number;
  /** It is the asker's. */
  own?: boolean;
}

/** What `POST /v1/pair` is sent: a code, for a token. */
export interface Pairing {
  code: string;
  name?: string;
  /** A host's earlier token: with it the host stays the one that it was. */
  previous?: string;
  /** A token that the program made: with the same again it gets the same answer, should the first be lost. */
  token?: string;
  /** What a program says of itself. */
  kind?: string;
}

/** What a program is answered. */
export interface Paired { token: string; role: "client" | "host" | "watcher" | "operator"; name: string }

/** What a page is answered, whose browser keeps the token in a cookie. */
export interface PairedPage { key: string; role: "client" | "host" | "watcher" | "operator"; name: string }

/** What `GET /v1/register` answers. */
export interface Registration {
  /** Whether anybody may register a workspace. */
  registration: string;
}

/** What `POST /v1/register` is sent. */
export interface Registering {
  /** Names the workspace: with the same again there are new codes for it, until somebody has entered it. */
  key?: string;
}

/** What `POST /v1/register` answers: a new workspace, and two codes for it, each of which works once. */
export interface Registered {
  workspace: Named;
  /** For a device, which also steers. */
  device: string;
  /** For a machine with agents. */
  machine: string;
  expiresAt: number;
  /** Limits of the workspace. */
  terms?: { megabytes: number; sessions: number; keepDays: number; idleDays: number };
}

/** What `GET /v1/me` answers a client. */
export interface Me {
  client: Named;
  workspace: Named;
  software: string;
  /** The relay's clock. */
  at: number;
}

/** What `GET /v1/me` answers a host. */
export interface MeHost {
  host: Named;
  workspace: Named;
  software: string;
  /** The relay's clock. */
  at: number;
}

/** What `POST /v1/tokens/ID/revoke` is sent; nothing at all says the same as no field. */
export interface Revocation {
  /** Those that it let in stay. */
  keepChildren?: boolean;
}

/** The answer, the named one first. */
export interface Revoked {
  revoked: { id: string; role: "client" | "host" | "watcher" | "operator"; kind: string; name: string }[];
}

/** What `POST /v1/tokens/ID/rename` is sent. */
export interface Renaming { name: string }

/** The answer, with the new name. */
export interface Renamed { id: string; role: "client" | "host" | "watcher" | "operator"; kind: string; name: string }

/** One push to a receiver. It may arrive again with the same `id`. */
export interface PushDocument {
  /** Later fields leave it as it is; programs ignore those that they do not know. */
  version: number;
  /** Names the push, in all attempts. */
  id: string;
  /** When it was planned. */
  time: number;
  workspace: string;
  device: { id: string; name: string };
  /** `test`: the person tries whether pushes arrive. */
  kind: "approval" | "question" | "error" | "finished" | "budget" | "test";
  /** `passive` makes no sound, as what is settled. */
  level: "passive" | "active" | "time-sensitive";
  /** A later push of this name takes the place of the earlier ones. */
  replaces: string;
  title: string;
  /** May be empty. */
  text: string;
  project?: string;
  sessionTitle?: string;
  session?: string;
  approval?: string;
  /** Opens on the relay's page what it is about. */
  link: string;
  /** What to look at twice, in words. */
  risks?: string[];
  /** Decisions that this push may take, each by `POST` of `{"decision":…}` to `url`, once. A secret. */
  actions?: { decision: "deny" | "allow"; url: string }[];
}

export interface Welcome {
  type: "welcome";
  version: number;
  software: string;
  epoch: string;
  heartbeat: Heartbeat;
  limits: Limits;
  client: Named;
  workspace: Named;
  /** What this client is allowed to do. */
  may: string[];
}

/** A snapshot of the workspace. */
export interface WorkspaceSnapshot {
  type: "snapshot";
  sessions: Summary[];
  approvals: Approval[];
  /** The rest follows as `summary` and `approval`, and then `snapshotEnd`. */
  more?: boolean;
  /** Sessions that are left out; none if it is. */
  older?: number;
  session?: undefined;
}

/** A snapshot of the session that it names. */
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

/** All of the workspace's snapshot that had `more` has come. */
export interface SnapshotEnd { type: "snapshotEnd" }

/** Events as the relay numbers them, from `first` on, without gap or repeat. */
export interface Events { type: "events"; session: string; epoch: string; first: number; events: Event[] }

/** A piece of an unfinished message; live only. */
export interface Deltas { type: "deltas"; session: string; message: string; text: string; agent?: string }

/** The end of what a tool has printed so far, in whole lines: replaces what was said of that call before. Live only. */
export interface Output { type: "output"; session: string; call: string; text: string }

/** The position given, or reached, is not continued; a snapshot follows. */
export interface Reset { type: "reset"; session: string; reason: "epochChanged" | "ahead" | "trimmed" | "behind" }

/** Retention removed the session; should its host go on with it, it comes back with its numbering. */
export interface Removed { type: "removed"; session: string }

/** The answer to the command `id`: the fields of its result, or an error. */
export interface Reply {
  type: "reply";
  id: string;
  error?: WireError;
  stage?: Stage;
  delivery?: "sent" | "unknown";
  first?: number;
  events?: Event[];
  link?: string;
  expiresAt?: number;
  qr?: string[];
  devices?: DeviceState[];
  budgets?: BudgetReport[];
  costs?: CostReport;
  screen?: Screen;
}

/** Bytes of the host that says that it has these keys. */
export interface Letter { type: "letter"; from: string; bytes: string; client?: undefined }

/** Something to know: a refused message, a limit. */
export interface Notice {
  type: "notice";
  code: string;
  message: string;
  path?: string;
  /** With `tooMany`: the workspace has all that the relay allows it of this. */
  limit?: string;
}

/** What the relay says. */
export type Message =
  | Welcome
  | WorkspaceSnapshot
  | SessionSnapshot
  | SnapshotEnd
  | Events
  | Deltas
  | Output
  | { type: "summary"; summary: Summary }
  | { type: "approval"; approval: Approval }
  | Reset
  | Removed
  | Reply
  | { type: "push"; push: Push }
  | Letter
  | { type: "letter"; client: string; bytes: string }
  | Notice;

/** A command, before the link gives it its `id`. */
export type Command =
  | { type: "subscribe"; session?: string; after?: Position }
  | { type: "olderSessions" }
  | { type: "unsubscribe"; session?: string }
  | { type: "history"; session: string; before: number; limit: number }
  | { type: "decide"; session: string; approval: string; digest: string; decision: "allow" | "edit" | "deny"; message?: string; mode?: string; offer?: string; edit?: string; signature?: string }
  | { type: "answer"; session: string; approval: string; digest: string; answers: Answer[]; signature?: string }
  | { type: "ping" }
  | { type: "pair"; role?: "client" | "host" | "watcher" | "operator" }
  | { type: "presence"; foreground: boolean; session?: string; device?: string }
  | { type: "seen"; session: string; approval: string }
  | { type: "device"; device: Device | WebDevice | NtfyDevice | ReceiverDevice }
  | { type: "deviceChoices"; device: string; text: "full" | "summary" | "generic" | "sealed"; kinds: ("approval" | "question" | "error" | "finished" | "budget")[]; muted: string[]; mutedUntil?: { session: string; until: number; asked?: string[] }[]; mutedProjects?: { host: string; project: string }[]; quiet?: QuietHours; gather?: Gathering; weekly?: WeeklyCosts; countsRules?: boolean; hidesCost?: boolean; allowOnLockScreen?: boolean }
  | { type: "card"; device: string; card: CardReport }
  | { type: "forget"; device: string }
  | { type: "devices"; watch?: boolean }
  | { type: "testPush"; device: string }
  | { type: "budget"; budget: Budget }
  | { type: "budgets" }
  | { type: "costs"; days: number[]; until: number; sessions?: number }
  | { type: "remove"; session: string }
  | { type: "letter"; to: string; bytes: string }
  | { type: "letter"; client: string; bytes: string }
  | { type: "prompt"; session: string; text: string; busy?: "queue" | "steer" | "refuse"; command?: boolean; pictures?: Picture[]; signature?: string }
  | { type: "interrupt"; session: string; signature?: string }
  | { type: "stop"; session: string; signature?: string }
  | { type: "mode"; session: string; mode: string; signature?: string }
  | { type: "model"; session: string; model: string; signature?: string }
  | { type: "askAll"; session: string; on: boolean; signature?: string }
  | { type: "start"; session: string; project: string; agent: string; mode?: string; model?: string; text?: string; pictures?: Picture[]; signature?: string }
  | { type: "resume"; session: string; past: string; project: string; agent: string; mode?: string; model?: string; text?: string; pictures?: Picture[]; signature?: string }
  | { type: "past"; session: string; project: string; agent: string; signature?: string }
  | { type: "ruleOff"; session: string; rule: string; signature?: string }
  | { type: "ruleAdd"; session: string; toml: string; signature?: string }
  | { type: "ruleChange"; session: string; rule: string; toml: string; signature?: string }
  | { type: "ruleTry"; session: string; toml: string; signature?: string }
  | { type: "withdraw"; session: string; client: string; command: string }
  | { type: "screen"; session: string; after?: string }
  | { type: "keys"; session: string; keys: string; seen?: string; signature?: string };
