/** Checks `consent.js` against the test vectors, in Node and in browsers, so it uses only features of both. */

const es256 = { name: "ECDSA", hash: "SHA-256" };

const same = (what, a, b) => {
  if (a.length !== b.length || a.some((byte, at) => byte !== b[at])) throw new Error(`not the same: ${what}`);
};
const must = (what, holds) => {
  if (!holds) throw new Error(`not so: ${what}`);
};

/** @param consent The module `consent.js`. @param vectors The parsed file of vectors. */
export async function statementsOf(consent, vectors) {
  const bytes = (text) => consent.bytesOfBase64url(text, "vector");
  const [hostID, deviceID] = [bytes(vectors.hostID), bytes(vectors.deviceID)];
  const { session } = vectors.body;
  const text = new TextDecoder().decode(bytes(vectors.body.plain));
  const { approval, digest, issuedAt, answers, denyMessage } = vectors.decision;
  const decided = { hostID, session, approval, text, digest, issuedAt, deviceID };
  const { command: id, text: words, count } = vectors.prompt;
  return [
    { name: "allow", fields: { ...decided, verdict: { decision: "allow" } }, make: consent.decisionStatementOf, statement: bytes(vectors.decision.allow), signature: bytes(vectors.decision.allowSignature) },
    { name: "deny", fields: { ...decided, verdict: { decision: "deny", message: denyMessage } }, make: consent.decisionStatementOf, statement: bytes(vectors.decision.deny), signature: bytes(vectors.decision.denySignature) },
    { name: "answer", fields: { ...decided, verdict: { decision: "answer", answers } }, make: consent.decisionStatementOf, statement: bytes(vectors.decision.answer), signature: bytes(vectors.decision.answerSignature) },
    { name: "prompt", fields: { hostID, id, count, deviceID, command: { type: "prompt", session, text: words } }, make: consent.steeringStatementOf, statement: bytes(vectors.prompt.statement), signature: bytes(vectors.prompt.signature) },
  ];
}

/** Copies of a value with one field altered, for every field at any depth. An empty list has no field to alter. */
export function* mutations(value, path = "") {
  if (typeof value === "string") {
    yield [path, /^[0-9a-f]{64}$/.test(value) ? (value[0] === "0" ? "1" : "0") + value.slice(1) : `${value}x`];
    if (!/^[0-9a-f]{64}$/.test(value)) yield [`${path} without its end`, value.slice(0, -1)];
  } else if (typeof value === "number") {
    yield [path, value + 1];
  } else if (typeof value === "boolean") {
    yield [path, !value];
  } else if (value instanceof Uint8Array) {
    for (let at = 0; at < value.length; at += 1) yield [`${path}[${at}]`, value.with ? value.with(at, value[at] ^ 1) : Uint8Array.from(value, (byte, place) => (place === at ? byte ^ 1 : byte))];
  } else if (Array.isArray(value)) {
    for (const [at, part] of value.entries()) for (const [where, other] of mutations(part, `${path}[${at}]`)) yield [where, value.map((one, place) => (place === at ? other : one))];
    if (value.length > 1) yield [`${path} in another order`, [...value].reverse()];
    if (value.length) yield [`${path} without its end`, value.slice(0, -1)];
  } else {
    for (const [name, part] of Object.entries(value)) for (const [where, other] of mutations(part, `${path}.${name}`)) yield [where, { ...value, [name]: other }];
  }
}

/** Checks all vectors; throws at the first difference. Returns the number of altered statements that were refused. */
export async function check(consent, vectors) {
  const bytes = (text) => consent.bytesOfBase64url(text, "vector");
  const { keys, pair, link } = vectors;
  const point = (name) => bytes(keys[name].public);
  same("hostID", await consent.keyIDOf(point("hostSign")), bytes(vectors.hostID));
  same("deviceID", await consent.keyIDOf(point("deviceSign")), bytes(vectors.deviceID));
  must("the short code has sixteen letters", /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/.test(consent.shortCodeOf(bytes(vectors.deviceID))));

  const found = consent.linkSecretOf(link.k);
  same("the link's host", found.hostID, bytes(vectors.hostID));
  same("the link's secret", found.secret, bytes(link.secret));
  const device = { sign: point("deviceSign"), box: point("deviceBox") };
  const host = { sign: point("hostSign"), box: point("hostBox") };
  const joinBytes = consent.joinBytesOf(found.hostID, device, pair.name, bytes(pair.join).slice(-16));
  same("join", joinBytes, bytes(pair.join));
  const admitBytes = bytes(pair.admit);
  const key = await consent.pairingKeyOf(found.secret, found.hostID);
  // A letter in its transmitted form, with tag and signature.
  const letter = (body, tag, signature) => Uint8Array.from([1, ...[body, tag, signature].flatMap((part) => [0, 0, part.length >> 8, part.length & 255, ...part])]);
  const join = letter(joinBytes, bytes(pair.joinTag), bytes(pair.joinSignature));
  const admitted = await consent.admitOf(letter(admitBytes, bytes(pair.admitTag), bytes(pair.admitSignature)), link.k, vectors.hostID, join);
  same("the host's keys", [...admitted.sign, ...admitted.box], [...host.sign, ...host.box]);
  must("the host's name", admitted.name === pair.hostName);
  must("join's tag", await crypto.subtle.verify("HMAC", key, bytes(pair.joinTag), joinBytes));
  must("admit's tag", await crypto.subtle.verify("HMAC", key, bytes(pair.admitTag), admitBytes));

  const checker = await crypto.subtle.importKey("raw", device.sign, { name: "ECDSA", namedCurve: "P-256" }, true, ["verify"]);
  let refused = 0;
  for (const { name, fields, make, statement, signature } of await statementsOf(consent, vectors)) {
    same(name, await make(fields), statement);
    must(`${name}'s signature`, await crypto.subtle.verify(es256, checker, signature, statement));
    for (const [where, other] of mutations(fields)) {
      let altered;
      try {
        altered = await make(other);
      } catch {
        continue; // The altered value cannot be encoded as a statement at all.
      }
      must(`not even ${name}${where} is signed`, !(await crypto.subtle.verify(es256, checker, signature, altered)));
      refused += 1;
    }
    for (const [where, other] of mutations(signature)) must(`${name}: signature${where} holds`, !(await crypto.subtle.verify(es256, checker, other, statement)));
  }
  return refused;
}
