/**
 * Which hosts trust this browser, and what is signed for them.
 *
 * What is wanted of the browser, the link and the clock are arguments, so that tests can hold them.
 */

import { base64urlOf, bytesOfBase64url, codeOfKey, decisionSignatureOf, shortCodeOf, steeringSignatureOf } from "./consent.js";
import { sealsHere } from "./ingress.js";
import { Joining } from "./joining.js";
import { t } from "./language.js";
import { CommandError } from "./link.js";
import { restoredHost } from "./restored.js";
import { Rolls } from "./rolls.js";
import { consentOf, shownApproval } from "./shown.js";
import { keep } from "./stored.js";
import { insecureWords, leftOutWords, storageWords, unreadWords, untrustedWords } from "./trust-words.js";

/** @typedef {import("./keys.js").Pin} Pin */
/** @typedef {import("./wire").Command} Command */
/** @typedef {import("./decisions.js").Verdict} Verdict */
/** @typedef {import("./joining.js").News} News */
/** @typedef {Pick<import("./link.js").Link, "command"|"isLive">} LetterLink */

/**
 * @typedef {object} TrustSurroundings
 * @property {boolean} isSecure  Whether this is a secure context: elsewhere a browser signs nothing.
 * @property {import("./keys.js").KeyStore} keys
 * @property {() => string} pageKey For the worker, which shows what such a host asks and signs what is decided there.
 * @property {() => Storage} storage Throws where site data is blocked.
 * @property {() => Promise<unknown>} persist Asks the browser not to clear what is kept here.
 * @property {() => number} now  Milliseconds.
 * @property {(run: () => void, milliseconds: number) => any} setTimer
 * @property {() => string} name What this browser is called.
 * @property {() => void} tellTabs Other tabs read again what is kept.
 * @property {() => Promise<unknown>} more Requests the parts of the page that few need (`complete`).
 */

/** Where this browser remembers that it had keys, apart from where they are: a browser that cleared those says so. */
const place = "heliograph.trust";

export class Trust {
  /** What is kept has been read. */
  isKnown = false;
  /** Why this browser cannot sign at all, as a sentence. */
  reason = "";
  /** It could, and what it needs for that is gone. */
  isLost = false;
  /** The first part of this browser's own id; empty while it has no keys. */
  code = "";
  /** @type {Map<string, Pin>} By the id of the host's key. */
  hosts = new Map();
  /** @type {News|null} */
  news = null;
  /** @type {Promise<void>} What is kept has been read. */
  ready;
  /** @type {Pick<import("./opening.js").Opening, "command"|"verdict"|"picture"|"openedPicture"|"screen">|null} For hosts that seal: its part of the page comes with the first of them. */
  sealer = null;
  /** @type {import("./vouching.js").Vouching|null} A further device that this browser brings: few do, so its part of the page comes late. */
  vouching = null;

  /** @type {TrustSurroundings} */ #around;
  /** @type {LetterLink} */ #link;
  /** @type {import("./store.js").State} */ #state;
  /** @type {() => void} */ #changed;
  /** @type {import("./resuming.js").Resuming|null} For hosts that were restored: its part of the page comes late, too. */
  resuming = null;
  /** @type {import("./passkeys.js").Passkeys|null} */
  passkeys = null;

  /** @type {Joining} */ #joining;
  /** @type {import("./joining.js").TrustHands & import("./rolls.js").RollHands} */ #hands;
  /** @type {Rolls} */ #rolls;
  /** This browser's own id, as text. */ #id = "";
  #hasMet = false;
  /** @type {Promise<void>} Letters are taken one after the other. */ #taken = Promise.resolve();

  /** @param {TrustSurroundings} around @param {LetterLink} link @param {import("./store.js").State} state @param {() => void} changed */
  constructor(around, link, state, changed) {
    [this.#around, this.#link, this.#state, this.#changed] = [around, link, state, changed];
    const hands = this.#hands = {
      reason: () => this.reason, code: () => this.code, id: () => this.#id, news: () => this.news,
      make: () => this.#make(), pin: this.#pin.bind(this), fail: () => this.#fail(), tell: this.#tell.bind(this), nameOf: this.#nameOf.bind(this),
      isTrusted: (/** @type {string} */ host) => this.hosts.has(host),
      signedHosts: () => this.#signedHosts,
      hosts: () => this.hosts, keep: this.keep.bind(this),
    };
    this.#joining = new Joining(around, link, hands);
    this.#rolls = new Rolls(around, link, hands);
    this.ready = this.#read();
  }

  // Whom

  /**
   * The session's host, where it takes nothing without a signature.
   * @param {string} session @returns {string|undefined} The id of its key.
   */
  signedHost(session) {
    return (this.#state.sessions.get(session) ?? this.#state.hosts.get(session))?.steering?.consent;
  }

  /**
   * Why this browser cannot sign for a host, as a sentence; empty where it can, or need not.
   * @param {string|undefined} host @param {string} name What it is called.
   */
  obstacle(host, name) {
    if (host === undefined || this.hosts.has(host)) return "";
    return this.isKnown ? this.reason || untrustedWords(name, this.isLost) : "…";
  }

  /** @param {string} session @param {string} name */
  steeringObstacle(session, name) {
    return this.obstacle(this.signedHost(session), name);
  }

  /**
   * Why an approval cannot be allowed or answered from here; empty where it can.
   * @param {import("./wire").Approval} approval As it is shown. @param {string} name Its host's.
   */
  approvalObstacle({ session, request }, name) {
    const consent = consentOf(request);
    const host = this.signedHost(session);
    if (!consent) return host === undefined ? request.head.passkey ? this.#passkeyObstacle(host, name) : "" : this.obstacle(host, name) || leftOutWords;
    if ("problem" in consent) return unreadWords(consent.problem);
    return this.obstacle(consent.host, name) || (request.head.passkey ? this.#passkeyObstacle(consent.host, name) : "");
  }

  /** @param {string|undefined} host @param {string} name */
  #passkeyObstacle(host, name) {
    if (this.passkeys) return this.passkeys.obstacle(host, name);
    this.#around.more();
    return "…";
  }

  /** @param {(around: TrustSurroundings, link: LetterLink, hands: import("./joining.js").TrustHands & import("./rolls.js").RollHands) => Pick<Trust, "resuming"|"passkeys">} make The parts that few need have come. */
  complete(make) {
    Object.assign(this, make(this.#around, this.#link, this.#hands));
  }

  // Deeds of the person, and letters that come

  /** A link's `k` that waits for a person's word. */
  get asked() {
    return this.#joining.asked;
  }

  /**
   * A link brought a secret.
   * @param {string} k @param {boolean} isMeant A person has said so already, by pairing with it.
   */
  async offered(k, isMeant) {
    await this.ready;
    await this.#joining.offered(k, isMeant);
  }

  accept() {
    return this.#joining.accept();
  }

  decline() {
    this.#joining.decline();
  }

  /** The notice has been read; of a device, once that is kept. */
  dismiss() {
    const newcomer = this.news?.newcomer;
    if (newcomer) this.#later(() => this.#rolls.read(newcomer));
    else this.#tell(null);
  }

  /** @param {string} host The id of its key. @returns {import("./consent.js").TrustedDevice[]} Those that it trusts, as it said, the last that came first. */
  devicesOf(host) {
    return this.#rolls.said.get(host)?.devices ?? [];
  }

  /** @param {string} host The id of its key. @param {string} device That of the one that is to go. */
  distrust(host, device) {
    this.#later(() => this.#rolls.distrust(host, device));
  }

  /** @param {typeof import("./vouching.js").Vouching} Part */
  bringing(Part) {
    return (this.vouching ??= new Part(this.#around, this.#link, { vouchable: () => this.#vouchable, keep: this.keep.bind(this), changed: this.#changed }));
  }

  /** The codes of this browser's newcomer are the same on both screens. */
  bring() {
    this.#later(async () => this.vouching?.accept());
  }

  turnAway() {
    this.#later(async () => this.vouching?.decline());
  }

  /** @param {string} host The id of its key. */
  async forget(host) {
    await this.#around.keys.unpin(host);
    this.hosts.delete(host);
    this.#around.tellTabs();
    this.#changed();
  }

  /** The link is live, or other hosts are here. */
  stirred() {
    this.#joining.stirred();
    this.#rolls.stirred();
    this.passkeys?.stirred();
  }

  /** Hosts may be here that were not before. From the first one that wants signatures on the worker can look up what is asked. */
  met() {
    this.#joining.met();
    this.#rolls.met();
    if (this.#hasMet || !this.isKnown || this.reason || !this.#summaries.some(({ steering }) => steering?.consent !== undefined)) return;
    this.#hasMet = true;
    this.#around.keys.keep("page", this.#around.pageKey()).catch(() => undefined);
  }

  /** A person logged out: nobody who uses this browser after them signs with its keys. Rejects if the keys could not be deleted. */
  async loggedOut() {
    this.#joining.forget();
    this.#rolls.forget();
    this.vouching?.forget();
    this.passkeys?.forget();
    this.hosts.clear();
    [this.code, this.#id] = ["", ""];
    try {
      for (const name of [place, sealsHere]) this.#around.storage().removeItem(name);
    } catch {
      // Nothing was kept.
    }
    await this.#around.keys.forget();
  }

  /** Another tab has changed what is kept. */
  async changedElsewhere() {
    await this.ready;
    this.ready = this.#read();
    await Promise.all([this.ready, this.passkeys?.read()]);
  }

  /** @param {import("./wire").Message} message Whatever the relay says. */
  received(message) {
    if (message.type === "letter") this.#later(() => (message.client === undefined ? this.#take(message.from, message.bytes) : this.#takeOfClient(message.client, message.bytes)));
    const host = restoredHost(message, (session) => this.signedHost(session));
    if (host !== undefined) {
      this.#later(async () => {
        await this.#around.more();
        await this.resuming?.refused(host);
      });
    }
    this.passkeys?.received(message);
  }

  // Signing

  /**
   * @template T
   * @param {T} plain @param {(sealer: NonNullable<Trust["sealer"]>) => Promise<T>} seal
   * @returns {Promise<T>} As its host takes it. Where one is pinned that seals, nothing leaves before it is known whether that is it.
   */
  async sealed(plain, seal) {
    await this.ready;
    if (!this.sealer && [...this.hosts.values()].some(({ epochs }) => epochs)) throw notSigned();
    return this.sealer ? seal(this.sealer) : plain;
  }

  /**
   * @param {import("./wire").Approval} asked As it is shown. @param {Verdict} given
   * @returns {Promise<{verdict: Verdict, signature?: string}>} As its host takes it, signed where it has to be.
   */
  async signedDecision(asked, given) {
    const { session, approval, request } = asked;
    const consent = consentOf(request);
    const verdict = await this.sealed(given, (sealer) => sealer.verdict(asked, given));
    if (!consent) return { verdict };
    const own = "problem" in consent || !this.hosts.has(consent.host) ? undefined : await this.#around.keys.own();
    if (!own || "problem" in consent) {
      if (given.decision === "deny" && given.message === undefined && given.offer === undefined) return { verdict };
      throw notSigned();
    }
    const decided = { host: consent.host, session, approval, text: consent.text, digest: request.head.digest, verdict, issuedAt: this.#around.now() };
    const signature = await decisionSignatureOf(own, decided);
    if (!request.head.passkey || given.decision === "deny") return { verdict, signature };
    if (!this.passkeys) throw notSigned();
    return { verdict, signature: await this.passkeys.confirmed(own, decided, signature) };
  }

  /**
   * @template {Command} C
   * @param {C} command @param {string} id Under which it is sent.
   * @returns {Promise<C>} With its signature, where its host wants one.
   */
  async signed(command, id) {
    const { session = "" } = /** @type {{session?: string}} */ (command);
    const host = this.signedHost(session);
    const sent = await this.sealed(command, (sealer) => sealer.command(command, id));
    if (host === undefined || !needsSignature(sent)) return sent;
    const own = this.hosts.has(host) ? await this.#around.keys.own() : undefined;
    if (!own) throw notSigned();
    const count = await this.#around.keys.nextCount(this.#around.now());
    return { ...sent, signature: await steeringSignatureOf(own, { host, id, command: sent, count }) };
  }

  // Inside

  async #read() {
    try {
      if (this.#around.isSecure) await this.#readKept();
      else this.reason = insecureWords;
    } catch {
      this.reason = storageWords;
    }
    this.isKnown = true;
    this.#changed();
    this.met();
    this.stirred();
  }

  async #readKept() {
    const own = await this.#around.keys.own();
    const pins = own ? await this.#around.keys.hosts() : [];
    this.hosts = new Map(pins.map((pin) => [pin.id, pin]));
    pins.forEach((pin) => this.#rememberSealing(pin));
    this.isLost = !own && this.#remembers;
    if (own) await this.#has(own);
    await this.#joining.read(own !== undefined);
  }

  get #remembers() {
    try {
      return this.#around.storage().getItem(place) !== null;
    } catch {
      return false;
    }
  }

  async #make() {
    const own = await this.#around.keys.make();
    await this.#has(own);
    return own;
  }

  /** @param {import("./keys.js").OwnKeys} own */
  async #has({ id }) {
    [this.code, this.#id] = [shortCodeOf(id), base64urlOf(id)];
    this.isLost = false;
    this.#hasMet = true;
    await this.#around.keys.keep("page", this.#around.pageKey());
    try {
      this.#around.storage().setItem(place, this.code);
    } catch {
      // Site data is blocked: then nothing else is kept either.
    }
  }

  /** @param {string} id The host's. @param {import("./joining.js").Admitted} admitted */
  async #pin(id, admitted) {
    await this.keep({ id, ...admitted, since: this.#around.now() });
    this.#rolls.met();
  }

  /** @param {Pin|import("./keys.js").PinPart} part What has changed of a pin. */
  async keep(part) {
    if (!await this.#around.keys.pin(part)) return;
    this.hosts.set(part.id, { .../** @type {Pin} */ (this.hosts.get(part.id)), ...part });
    this.#rememberSealing(part);
    this.#around.tellTabs();
  }

  /** @param {Pin|import("./keys.js").PinPart} pin */
  #rememberSealing({ epochs }) {
    if (epochs?.size) keep(this.#around.storage, sealsHere, true);
  }

  #fail() {
    this.reason = storageWords;
    this.#tell({ tone: "bad", words: storageWords });
  }

  /** @param {News|null} news */
  #tell(news) {
    this.news = news;
    this.#changed();
  }

  /** @param {() => Promise<void>} work One after the other. */
  #later(work) {
    this.#taken = this.#taken.then(work).catch(() => undefined);
  }

  /** @param {string} from The id of its key, as the relay says. @param {string} text */
  async #take(from, text) {
    const bytes = bytesOfBase64url(text, "letter");
    if (!(await this.resuming?.take(from, bytes)) && !(await this.passkeys?.take(from, bytes)) && !(await this.#rolls.take(from, bytes)) && !(await this.vouching?.answered(from, bytes))) await this.#joining.take(from, bytes);
  }

  /** @param {string} client What the relay calls another device. @param {string} text */
  async #takeOfClient(client, text) {
    const bytes = bytesOfBase64url(text, "letter");
    await this.#joining.takeOfDevice(bytes);
    await this.vouching?.take(client, bytes);
  }

  /** The hosts that are here and say that a person at their terminal let this browser in: it may bring others then. */
  get #vouchable() {
    const here = new Set(this.#signedHosts);
    return [...this.hosts.values()].filter(({ id }) => here.has(id) && this.devicesOf(id).some((device) => device.id === this.#id && device.by === ""));
  }

  get #summaries() {
    return [...this.#state.sessions.values(), ...this.#state.hosts.values()];
  }

  get #signedHosts() {
    const asking = [...this.#state.approvals.values()].map((approval) => consentOf(shownApproval(approval).request));
    return [...this.#summaries.flatMap(({ host, steering }) => (host.connected && steering?.consent) || []), ...asking.flatMap((consent) => (consent && "host" in consent ? consent.host : []))];
  }

  /** @param {string} host What it said itself when it was trusted, or what the relay calls it, or the first part of its id. */
  #nameOf(host) {
    return this.hosts.get(host)?.name ?? this.#summaries.find(({ steering }) => steering?.consent === host)?.host.name ?? codeOfKey(host);
  }
}

/**
 * Whether it may give an agent more freedom; the rest takes some away, or only asks. A rule that is taken back gives none, but that lasts.
 * @param {Command} command @returns {command is import("./consent.js").Prompt|import("./consent.js").Steering}
 */
const needsSignature = (command) =>
  ["prompt", "mode", "model", "start", "resume", "ruleOff", "ruleAdd", "ruleChange", "keys"].includes(command.type) || (command.type === "askAll" && !command.on);

const notSigned = () => new CommandError({ code: "notSigned", message: t`this browser is not trusted by its host` });
