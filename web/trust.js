/**
 * The hosts that trust this browser, and the signatures for them.
 *
 * Browser, link and clock are arguments, so that tests control them.
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
 * @property {boolean} isSecure  True in a secure context: browsers sign only there.
 * @property {import("./keys.js").KeyStore} keys
 * @property {() => string} pageKey The page's key, for the service worker, which shows hosts' requests and signs decisions in notifications.
 * @property {() => Storage} storage Throws if site data is blocked.
 * @property {() => Promise<unknown>} persist Asks the browser not to clear this site's data.
 * @property {() => number} now  The time in milliseconds.
 * @property {(run: () => void, milliseconds: number) => any} setTimer
 * @property {() => string} name This browser's name.
 * @property {() => void} tellTabs Makes other tabs read the stored data again.
 * @property {() => Promise<unknown>} more Loads the rarely needed parts (`complete`).
 */

/** The storage key that records that this browser had keys, outside IndexedDB: so the page notices if the browser cleared the keys. */
const place = "heliograph.trust";

export class Trust {
  /** The stored data has been read. */
  isKnown = false;
  /** The reason why this browser cannot sign at all, as a sentence. */
  reason = "";
  /** This browser had keys, which are gone. */
  isLost = false;
  /** The short code of this browser's key; empty without keys. */
  code = "";
  /** @type {Map<string, Pin>} Pinned hosts by key id. */
  hosts = new Map();
  /** @type {News|null} */
  news = null;
  /** @type {Promise<void>} Resolves once the stored data has been read. */
  ready;
  /**
   * @type {Pick<import("./opening.js").Opening, "command"|"verdict"|"picture"|"openedPicture"|"screen">|null} Opens and seals content for hosts that
   * seal; loads when the first of them appears.
   */
  sealer = null;
  /** @type {import("./vouching.js").Vouching|null} Vouches for further devices; rarely needed, so it loads later. */
  vouching = null;

  /** @type {TrustSurroundings} */ #around;
  /** @type {LetterLink} */ #link;
  /** @type {import("./store.js").State} */ #state;
  /** @type {() => void} */ #changed;
  /** @type {import("./resuming.js").Resuming|null} Handles hosts that were restored from a backup; rarely needed, so it loads later. */
  resuming = null;
  /** @type {import("./passkeys.js").Passkeys|null} */
  passkeys = null;

  /** @type {Joining} */ #joining;
  /** @type {import("./joining.js").TrustHands & import("./rolls.js").RollHands} */ #hands;
  /** @type {Rolls} */ #rolls;
  /** This browser's key id, as text. */ #id = "";
  #hasMet = false;
  /** @type {Promise<void>} Resolves when the letters received so far have been handled, one after the other. */ #taken = Promise.resolve();

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

  /**
   * The host of a session, if it requires signatures.
   * @param {string} session @returns {string|undefined} The host's key id.
   */
  signedHost(session) {
    return (this.#state.sessions.get(session) ?? this.#state.hosts.get(session))?.steering?.consent;
  }

  /**
   * The reason why this browser cannot sign for a host, as a sentence; empty if it can, or need not.
   * @param {string|undefined} host @param {string} name The host's name.
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
   * The reason why this browser cannot allow or answer an approval; empty if it can.
   * @param {import("./wire").Approval} approval The approval as it is shown. @param {string} name The name of its host.
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

  /**
   * @param {(around: TrustSurroundings, link: LetterLink, hands: import("./joining.js").TrustHands & import("./rolls.js").RollHands) => Pick<Trust,
   * "resuming"|"passkeys">} make Creates the rarely needed parts, once they have loaded.
   */
  complete(make) {
    Object.assign(this, make(this.#around, this.#link, this.#hands));
  }

  /** The parameter `k` of a link that waits for the person's consent. */
  get asked() {
    return this.#joining.asked;
  }

  /**
   * Called with the secret of an opened link.
   * @param {string} k @param {boolean} isMeant The person has consented already, by pairing with the link.
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

  /** Removes the notice, because it has been read. A notice about a device stays away only once that is stored. */
  dismiss() {
    const newcomer = this.news?.newcomer;
    if (newcomer) this.#later(() => this.#rolls.read(newcomer));
    else this.#tell(null);
  }

  /**
   * The devices that a host trusts according to its last list, newest first. `host`: the host's key id.
   * @param {string} host @returns {import("./consent.js").TrustedDevice[]}
   */
  devicesOf(host) {
    return this.#rolls.said.get(host)?.devices ?? [];
  }

  /**
   * Asks a host to remove a device. Both arguments are key ids.
   * @param {string} host @param {string} device
   */
  distrust(host, device) {
    this.#later(() => this.#rolls.distrust(host, device));
  }

  /** @param {typeof import("./vouching.js").Vouching} Part */
  bringing(Part) {
    return (this.vouching ??= new Part(this.#around, this.#link, { vouchable: () => this.#vouchable, keep: this.keep.bind(this), changed: this.#changed }));
  }

  /** Vouches for the new device, after the person has compared the codes on both screens. */
  bring() {
    this.#later(async () => this.vouching?.accept());
  }

  turnAway() {
    this.#later(async () => this.vouching?.decline());
  }

  /**
   * Removes a host's pin. `host`: the host's key id.
   * @param {string} host
   */
  async forget(host) {
    await this.#around.keys.unpin(host);
    this.hosts.delete(host);
    this.#around.tellTabs();
    this.#changed();
  }

  /** Called when the link is live or the hosts have changed. */
  stirred() {
    this.#joining.stirred();
    this.#rolls.stirred();
    this.passkeys?.stirred();
  }

  /** Called when hosts may have connected. Once a host requires signatures, the service worker gets the key to look up its requests. */
  met() {
    this.#joining.met();
    this.#rolls.met();
    if (this.#hasMet || !this.isKnown || this.reason || !this.#summaries.some(({ steering }) => steering?.consent !== undefined)) return;
    this.#hasMet = true;
    this.#around.keys.keep("page", this.#around.pageKey()).catch(() => undefined);
  }

  /** Called after logging out: deletes the keys, so that the browser's next user cannot sign with them. Rejects if that fails. */
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
      // Deleting the keys fails only if none were stored.
    }
    await this.#around.keys.forget();
  }

  /** Called when another tab has changed the stored data. */
  async changedElsewhere() {
    await this.ready;
    this.ready = this.#read();
    await Promise.all([this.ready, this.passkeys?.read()]);
  }

  /**
   * Called with every message of the relay.
   * @param {import("./wire").Message} message
   */
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

  /**
   * @template T
   * @param {T} plain @param {(sealer: NonNullable<Trust["sealer"]>) => Promise<T>} seal
   * @returns {Promise<T>} The sealed value, or the plain one if its host does not seal. If any pinned host seals, nothing is sent before the session's host is known.
   */
  async sealed(plain, seal) {
    await this.ready;
    if (!this.sealer && [...this.hosts.values()].some(({ epochs }) => epochs)) throw notSigned();
    return this.sealer ? seal(this.sealer) : plain;
  }

  /**
   * @param {import("./wire").Approval} asked The approval as it is shown. @param {Verdict} given
   * @returns {Promise<{verdict: Verdict, signature?: string}>} The verdict in the form that its host accepts, with a signature if required.
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
   * @param {C} command @param {string} id The command's id.
   * @returns {Promise<C>} The command, with a signature if its host requires one.
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
      // Site data is blocked, so no other data is kept either.
    }
  }

  /** @param {string} id The host's. @param {import("./joining.js").Admitted} admitted */
  async #pin(id, admitted) {
    await this.keep({ id, ...admitted, since: this.#around.now() });
    this.#rolls.met();
  }

  /**
   * Stores the changed fields of a pin.
   * @param {Pin|import("./keys.js").PinPart} part
   */
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

  /**
   * Runs work items one after the other.
   * @param {() => Promise<void>} work
   */
  #later(work) {
    this.#taken = this.#taken.then(work).catch(() => undefined);
  }

  /**
   * Handles a host's letter. `from`: the host's key id, according to the relay.
   * @param {string} from @param {string} text
   */
  async #take(from, text) {
    const bytes = bytesOfBase64url(text, "letter");
    if (!(await this.resuming?.take(from, bytes)) && !(await this.passkeys?.take(from, bytes)) && !(await this.#rolls.take(from, bytes)) && !(await this.vouching?.answered(from, bytes))) await this.#joining.take(from, bytes);
  }

  /**
   * Handles another device's letter. `client`: the relay's id of that device.
   * @param {string} client @param {string} text
   */
  async #takeOfClient(client, text) {
    const bytes = bytesOfBase64url(text, "letter");
    await this.#joining.takeOfDevice(bytes);
    await this.vouching?.take(client, bytes);
  }

  /** Connected hosts that were paired with this browser at their terminal: only such a browser may vouch. */
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

  /**
   * A host's own name from its pin, the relay's name of it, or its short code.
   * @param {string} host
   */
  #nameOf(host) {
    return this.hosts.get(host)?.name ?? this.#summaries.find(({ steering }) => steering?.consent === host)?.host.name ?? codeOfKey(host);
  }
}

/**
 * True if the command needs a signature, because it may give an agent more freedom. Removing a rule gives none, but needs one because it lasts.
 * @param {Command} command @returns {command is import("./consent.js").Prompt|import("./consent.js").Steering}
 */
const needsSignature = (command) =>
  ["prompt", "mode", "model", "start", "resume", "ruleOff", "ruleAdd", "ruleChange", "keys"].includes(command.type) || (command.type === "askAll" && !command.on);

const notSigned = () => new CommandError({ code: "notSigned", message: t`this browser is not trusted by its host` });
