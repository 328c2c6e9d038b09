/** A fake host that reads and answers `join` letters, implemented independently from the protocol document alone. */

import { createHash, createHmac, createPublicKey, generateKeyPairSync, hkdfSync, sign, verify } from "node:crypto";

export const counted = (part) => Buffer.concat([Buffer.from([0, 0, part.length >> 8, part.length & 255]), Buffer.from(part)]);
export const domain = (name) => Buffer.from(`heliograph/v1/${name}\0`);
export const letter = (body, tag, signature) => new Uint8Array(Buffer.concat([Buffer.from([1]), counted(body), counted(tag), counted(signature)]));
const sha256 = (bytes) => createHash("sha256").update(bytes).digest();

function keyPair() {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x, y } = pair.publicKey.export({ format: "jwk" });
  return { ...pair, point: Buffer.concat([Buffer.from([4]), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]) };
}

const keyOf = (point) => createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x: point.subarray(1, 33).toString("base64url"), y: point.subarray(33).toString("base64url") } });

export class PlayedHost {
  sign = keyPair();
  box = keyPair();
  idBytes = sha256(Buffer.concat([domain("key"), this.sign.point])).subarray(0, 16);
  id = this.idBytes.toString("base64url");
  secret = Buffer.alloc(32, 7);
  name = "laptop";
  /** @type {Map<string, string>} Names by device id. */
  devices = new Map();

  /** The parameter `k` of this host's link. */
  get k() {
    return Buffer.concat([Buffer.from([1]), this.idBytes, this.secret]).toString("base64url");
  }

  /** The parameter `k` of a link for all hosts of this machine. */
  get machineK() {
    return Buffer.concat([Buffer.from([2]), this.secret]).toString("base64url");
  }

  get pairKey() {
    return Buffer.from(hkdfSync("sha256", this.secret, Buffer.alloc(0), Buffer.concat([domain("pair"), this.idBytes]), 32));
  }

  signed(body, tag = Buffer.alloc(0), by = this.sign) {
    return letter(body, tag, sign("sha256", body, { key: by.privateKey, dsaEncoding: "ieee-p1363" }));
  }

  tagged(body, by = this.sign) {
    return this.signed(body, createHmac("sha256", this.pairKey).update(body).digest(), by);
  }

  /**
   * Reads a `join` letter.
   * @param {Uint8Array} bytes
   */
  read(bytes) {
    const [body, tag, signature] = parts(bytes.subarray(1));
    const fields = parts(body.subarray(domain("join").length));
    const [host, point, box, name] = fields;
    if (!body.subarray(0, domain("join").length).equals(domain("join")) || fields.length !== 5) throw new Error("no join");
    if (!createHmac("sha256", this.pairKey).update(body).digest().equals(tag)) throw new Error("a tag of somebody who has not seen the link");
    if (!verify("sha256", body, { key: keyOf(point), dsaEncoding: "ieee-p1363" }, signature)) throw new Error("not signed by its device");
    if (!host.equals(this.idBytes)) throw new Error("for another host");
    return { body, point, box, name: name.toString() };
  }

  /** An `admit` letter, which trusts the device. */
  admit(bytes, { sign: point = this.sign.point, box = this.box.point, by = this.sign, name = this.name } = {}) {
    const join = this.read(bytes);
    this.devices.set(sha256(Buffer.concat([domain("key"), join.point])).subarray(0, 16).toString("base64url"), join.name);
    return this.tagged(Buffer.concat([domain("admit"), counted(sha256(join.body)), counted(point), counted(box), counted(Buffer.alloc(16, 9)), counted(Buffer.from(name))]), by);
  }

  refuse(bytes, reason, generation = Buffer.alloc(16)) {
    const [body] = parts(bytes.subarray(1));
    return this.signed(Buffer.concat([domain("refusal"), counted(this.sign.point), counted(sha256(body)), counted(Buffer.from(reason)), counted(generation)]));
  }

  /** A letter with the trusted devices, for the device that asked. */
  roll(bytes, devices) {
    const [body] = parts(bytes.subarray(1));
    const long = (number) => Buffer.concat([Buffer.alloc(4), Buffer.from([number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255])]);
    return this.signed(Buffer.concat([domain("roll"), counted(this.sign.point), counted(sha256(body)), long(devices.length),
      ...devices.flatMap(({ id, name, since, by }) => [counted(id), counted(Buffer.from(name)), long(since), counted(by ?? Buffer.alloc(0))])]));
  }

  /** A receipt for a letter. */
  receipt(bytes) {
    const [body] = parts(bytes.subarray(1));
    return this.signed(Buffer.concat([domain("receipt"), counted(this.sign.point), counted(sha256(body))]));
  }
}

/** @param {Uint8Array} bytes */
export function parts(bytes) {
  const found = [];
  for (let rest = Buffer.from(bytes); rest.length;) {
    const length = rest.readUInt32BE(0);
    found.push(rest.subarray(4, 4 + length));
    rest = rest.subarray(4 + length);
  }
  return found;
}
