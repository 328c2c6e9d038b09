/** A fake host that seals, implemented independently from the protocol document alone. */

import { createCipheriv, createDecipheriv, createECDH, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { counted, domain, PlayedHost } from "./played-host.mjs";

const u32 = (value) => { const bytes = Buffer.alloc(4); bytes.writeUInt32BE(value); return bytes; };
const u64 = (value) => { const bytes = Buffer.alloc(8); bytes.writeBigUInt64BE(BigInt(value)); return bytes; };
const lp = (part) => counted(Buffer.from(part));
const hkdf = (key, ...info) => Buffer.from(hkdfSync("sha256", key, Buffer.alloc(0), Buffer.concat(info), 32));

function gcm(key, plain, ...about) {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.concat(about));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

export class SealingHost extends PlayedHost {
  epoch = 1;
  /** The number of each session's first sealed event; undefined if the host does not send it. */
  from = 1;
  keys = new Map([[1, randomBytes(32)]]);
  /** @type {Map<string, number>} The number of each session's last event. */
  numbers = new Map();

  get desk() {
    return `heliograph-${this.name}`;
  }

  /** Begins a new epoch, as after a device was removed. */
  turn() {
    this.epoch += 1;
    this.keys.set(this.epoch, randomBytes(32));
  }

  /**
   * The wraps of all epochs for a device.
   * @param {{id: Uint8Array, points: {box: Uint8Array}}} device
   */
  wraps(device, epochs = [...this.keys.keys()]) {
    const own = createECDH("prime256v1");
    own.setPrivateKey(Buffer.from(this.box.privateKey.export({ format: "jwk" }).d, "base64url"));
    const wrapKey = hkdf(own.computeSecret(device.points.box), domain("wrap"), lp(this.idBytes), lp(device.id), lp(this.box.point), lp(device.points.box));
    return epochs.map((epoch) => ({
      epoch, device: Buffer.from(device.id).toString("base64url"),
      wrap: gcm(wrapKey, this.keys.get(epoch), domain("epoch"), lp(this.idBytes), lp(device.id), u32(epoch)).toString("base64url"),
    }));
  }

  #key(session, epoch) {
    return hkdf(this.keys.get(epoch), domain("session"), lp(this.idBytes), lp(session), u32(epoch));
  }

  #place(session, epoch) {
    return [lp(this.idBytes), lp(session), u32(epoch)];
  }

  #next(session) {
    this.numbers.set(session, (this.numbers.get(session) ?? 0) + 1);
    return this.numbers.get(session);
  }

  #numbered(session, epoch, number, plain, name, ...more) {
    const sealed = gcm(this.#key(session, epoch), JSON.stringify(plain), domain(name), ...this.#place(session, epoch), u64(number), ...more);
    return Buffer.concat([Buffer.from([1]), u32(epoch), u64(number), sealed]).toString("base64url");
  }

  /** A sealed event as this host sends it. */
  event(session, event, { epoch = this.epoch, number = this.#next(session), head = {}, kind = event.kind } = {}) {
    const plain = { at: 1000 + number, head: {}, ...event };
    return { kind, at: plain.at, head, body: { sealed: this.#numbered(session, epoch, number, plain, "body", lp(kind)) } };
  }

  message(session, text, options) {
    return this.event(session, { kind: "message", head: { role: "assistant" }, body: { text } }, { head: { role: "assistant" }, ...options });
  }

  line(session, line, { epoch = this.epoch, number = this.numbers.get(session) ?? 1, from = this.from } = {}) {
    return this.#numbered(session, epoch, number, { ...line, ...(from ? { from } : {}) }, "line");
  }

  live(session, of, text, place = 0, epoch = this.epoch) {
    const piece = Buffer.concat([u64(place), Buffer.from(text)]);
    return `sealed.${Buffer.concat([Buffer.from([2]), u32(epoch), gcm(this.#key(session, epoch), piece, domain("live"), ...this.#place(session, epoch), lp(of))]).toString("base64url")}`;
  }

  words(session, to, text, epoch = this.epoch) {
    return `sealed.${Buffer.concat([Buffer.from([3]), u32(epoch), gcm(this.#key(session, epoch), text, domain("words"), ...this.#place(session, epoch), lp(to))]).toString("base64url")}`;
  }

  /** A sealed terminal screen, bound to the command that requested it. */
  screen(session, to, drawing, epoch = this.epoch) {
    const sealed = Buffer.concat([Buffer.from([2]), u32(epoch), gcm(this.#key(session, epoch), JSON.stringify(drawing), domain("screen"), ...this.#place(session, epoch), lp(to))]);
    return { of: "sealed", rows: 0, columns: 0, lines: [], sealed: `sealed.${sealed.toString("base64url")}` };
  }

  /** Opens text that a device has sealed for this host. */
  read(session, to, text) {
    return this.#read(session, Buffer.from(text.slice("sealed.".length), "base64url"), 3, domain("words"), lp(to)).toString();
  }

  readKeys(session, to, keys) {
    return this.#read(session, Buffer.from(keys, "base64url"), 3, domain("words"), lp(to));
  }

  readPicture(session, bytes) {
    return this.#read(session, Buffer.from(bytes), 4, domain("picture"));
  }

  #read(session, bytes, form, name, ...more) {
    if (bytes[0] !== form) throw new Error(`form ${bytes[0]}`);
    const epoch = bytes.readUInt32BE(1);
    const cipher = createDecipheriv("aes-256-gcm", this.#key(session, epoch), bytes.subarray(5, 17));
    cipher.setAAD(Buffer.concat([name, ...this.#place(session, epoch), ...more])).setAuthTag(bytes.subarray(-16));
    return Buffer.concat([cipher.update(bytes.subarray(17, -16)), cipher.final()]);
  }

  alias(name) {
    return `~${createHmac("sha256", hkdf(this.keys.get(this.epoch), domain("alias"), lp(this.idBytes))).update(name).digest().subarray(0, 9).toString("base64url")}`;
  }

  /** The host's offer in a session's summary. */
  offer(session, { commands = [], projects, wraps, ...offer } = {}) {
    const whole = { actions: ["prompt"], commands, ...(projects ? { projects } : {}), ...offer, consent: this.id, seals: true };
    return {
      actions: whole.actions, commands: commands.map((name) => this.alias(name)), ...(projects ? { projects: projects.map(({ name }) => ({ name: this.alias(name), folder: "sealed" })) } : {}),
      consent: this.id, seals: true, ...(wraps ? { wraps } : {}), sealed: this.event(session, { kind: "steering.offered", head: whole }).body.sealed,
    };
  }

  summary(session, seq, { line, ...more } = {}) {
    return {
      session, seq, host: { id: "h1", name: this.name, connected: true }, agent: { name: "claude" }, title: "Sealed session", status: "running", lastActivityAt: seq, approvals: 0, questions: 0,
      steering: { actions: ["prompt"], consent: this.id, seals: true }, ...(line ? { line: this.line(session, line) } : {}), ...more,
    };
  }
}
