/**
 * Creates the test vectors of sealed content independently from the protocol document alone, and checks them with `sealing.js`. Runs in Node and in browsers, so it uses only features of both.
 *
 * `node Tests/Web/sealing-vectors.mjs < Tests/ConsentTests/Fixtures/vectors.json > Tests/ConsentTests/Fixtures/sealing.json` writes the file: keys and nonces are
 * fixed, so that the result is always the same.
 */

const utf8 = (text) => new TextEncoder().encode(text);
const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const u32 = (value) => Uint8Array.of(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
const u64 = (value) => joined(u32(Math.floor(value / 2 ** 32)), u32(value % 2 ** 32));
const lp = (part) => joined(u32((typeof part === "string" ? utf8(part) : part).length), typeof part === "string" ? utf8(part) : part);
const domain = (name) => utf8(`heliograph/v1/${name}\0`);
const b64 = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const unb64 = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));

const same = (what, a, b) => {
  if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error(`not the same: ${what}`);
};

async function hkdf(material, info) {
  const key = await crypto.subtle.importKey("raw", material, "HKDF", false, ["deriveBits"]);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info }, key, 256));
}

async function gcm(raw, iv, additionalData, plain) {
  const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt"]);
  return new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, plain));
}

const privateKey = ({ private: d, public: point }, usage = "deriveKey") => {
  const bytes = unb64(point);
  return crypto.subtle.importKey("jwk", { kty: "EC", crv: "P-256", x: b64(bytes.slice(1, 33)), y: b64(bytes.slice(33)), d }, { name: "ECDH", namedCurve: "P-256" }, false, [usage]);
};
const publicKey = ({ public: point }) => crypto.subtle.importKey("raw", unb64(point), { name: "ECDH", namedCurve: "P-256" }, true, []);

/** @param consent The test vectors of signed consent, whose keys are reused. */
export async function made({ keys: { hostBox, deviceBox }, hostID, deviceID }) {
  const [host, device] = [unb64(hostID), unb64(deviceID)];
  const session = "s-2f6e0c1a", epoch = 3, number = 41;
  const nonce = (first) => Uint8Array.from({ length: 12 }, (_, at) => first + at);
  const shared = new Uint8Array(await crypto.subtle.deriveBits({ name: "ECDH", public: await publicKey(hostBox) }, await privateKey(deviceBox, "deriveBits"), 256));
  const wrapKey = await hkdf(shared, joined(domain("wrap"), lp(host), lp(device), lp(unb64(hostBox.public)), lp(unb64(deviceBox.public))));
  const epochKey = Uint8Array.from({ length: 32 }, (_, at) => (at * 7 + 5) & 255);
  const sessionKey = await hkdf(epochKey, joined(domain("session"), lp(host), lp(session), u32(epoch)));
  const place = joined(lp(host), lp(session), u32(epoch));

  const wrapNonce = nonce(1);
  const wrapAbout = joined(domain("epoch"), lp(host), lp(device), u32(epoch));
  const wrap = { nonce: b64(wrapNonce), about: b64(wrapAbout), bytes: b64(joined(wrapNonce, await gcm(wrapKey, wrapNonce, wrapAbout, epochKey))) };

  const form = async (head, iv, about, plain, before = []) => ({ nonce: b64(iv), about: b64(about), plain, bytes: b64(joined(head, iv, await gcm(sessionKey, iv, about, joined(before, utf8(plain))))) });
  const numbered = joined(Uint8Array.of(1), u32(epoch), u64(number));
  const kind = "tool.started";
  const event = JSON.stringify({ kind, at: 1767225605000, head: { call: "c1", tool: "Bash", operation: "Running grün.sh" }, body: { input: { command: "sh grün.sh", big: 1 } } });
  const line = JSON.stringify({ title: "Fix the login – grün", project: "webshop", operation: "Running grün.sh" });
  const [message, command] = ["m1", "0f8c2a"];
  const alias = await hkdf(epochKey, joined(domain("alias"), lp(host)));
  const mac = await crypto.subtle.importKey("raw", alias, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const aliases = [];
  for (const name of ["webshop", "/deploy", "grün"]) aliases.push({ name, alias: `~${b64(new Uint8Array(await crypto.subtle.sign("HMAC", mac, utf8(name))).slice(0, 9))}` });
  const texts = async (byte, name, of, first, plain, before) => {
    const { bytes, ...rest } = await form(joined(Uint8Array.of(byte), u32(epoch)), nonce(first), joined(domain(name), place, lp(of)), plain, before);
    return { ...rest, text: `sealed.${bytes}` };
  };
  return {
    hostBox, deviceBox, hostID, deviceID, session, epoch, number, shared: b64(shared), wrapKey: b64(wrapKey), epochKey: b64(epochKey), sessionKey: b64(sessionKey), wrap,
    sealed: { kind, ...await form(numbered, nonce(21), joined(domain("body"), place, u64(number), lp(kind)), event) },
    line: await form(numbered, nonce(41), joined(domain("line"), place, u64(number)), line),
    live: { message, place: 258, ...await texts(2, "live", message, 61, "Let me look at the grün", u64(258)) },
    words: { command, ...await texts(3, "words", command, 81, "go on – grün") },
    alias: { key: b64(alias), names: aliases },
  };
}

/** Copies of the bytes with each byte altered once, without the last byte, and with an additional one. */
function* altered(bytes) {
  for (let at = 0; at < bytes.length; at += 1) yield [`byte ${at}`, Uint8Array.from(bytes, (byte, place) => (place === at ? byte ^ 1 : byte))];
  yield ["its end", bytes.slice(0, -1)];
  yield ["one more byte", joined(bytes, [0])];
}

async function refused(what, open) {
  try {
    await open();
  } catch (error) {
    if (!["malformed", "noKey", "cannotOpen"].includes(error.code)) throw new Error(`${what}: ${error}`);
    return 1;
  }
  throw new Error(`it opens: ${what}`);
}

/** Checks all vectors; throws at the first difference. Returns the number of altered copies that did not open. */
export async function check({ SessionSealing, wrapKeyOf, epochKeyOf }, vectors) {
  const { hostID, deviceID, session, epoch, number, sealed, line, live, words } = vectors;
  same("what is made", await made({ keys: vectors, hostID, deviceID }), vectors);
  const own = { id: unb64(deviceID), box: await privateKey(vectors.deviceBox), points: { sign: new Uint8Array(65), box: unb64(vectors.deviceBox.public) } };
  const names = { hostID: unb64(hostID), deviceID: unb64(deviceID), epoch };
  // Keys from before hosts sealed allow `deriveBits` only.
  await epochKeyOf(await wrapKeyOf({ ...own, box: await privateKey(vectors.deviceBox, "deriveBits") }, names.hostID, unb64(vectors.hostBox.public)), vectors.wrap.bytes, names);
  const wrapKey = await wrapKeyOf(own, names.hostID, unb64(vectors.hostBox.public));
  const epochKey = await epochKeyOf(wrapKey, vectors.wrap.bytes, names);
  let exported = false;
  await crypto.subtle.exportKey("raw", epochKey).then(() => { exported = true; }, () => undefined);
  if (exported || epochKey.extractable) throw new Error("an epoch's key can be read out");
  // All epochs have the same key here, so that only the associated data tells them apart.
  const opener = (host = hostID, where = session) => new SessionSealing(host, where, () => epochKey);
  const right = opener();
  const event = JSON.parse(sealed.plain);
  same("the event", await right.openEvent(sealed.bytes, sealed.kind), { epoch, number, event });
  same("the line", await right.openLine(line.bytes), { epoch, number, line: JSON.parse(line.plain) });
  same("live text", await right.openLive(live.text, live.message), { epoch, place: live.place, size: utf8(live.plain).length, text: live.plain });
  same("words", await right.openWords(words.text, words.command), { epoch, text: words.plain });
  for (const { name, alias } of vectors.alias.names) same(`the alias of ${name}`, await right.alias(name, epoch), alias);
  const long = "grün ".repeat(20_000);
  same("long words", (await right.openWords(await right.sealWords(long, "c1", epoch), "c1")).text, long);

  let count = 0;
  const other = b64(unb64(hostID).map((byte) => byte ^ 1));
  for (const [where, bytes] of altered(unb64(vectors.wrap.bytes))) count += await refused(`wrap, ${where}`, () => epochKeyOf(wrapKey, b64(bytes), names));
  for (const [field, value] of [["epoch", epoch + 1], ["hostID", unb64(other)], ["deviceID", unb64(other)]]) count += await refused(`wrap, ${field}`, () => epochKeyOf(wrapKey, vectors.wrap.bytes, { ...names, [field]: value }));
  count += await refused("wrap of another device", async () => epochKeyOf(await wrapKeyOf({ ...own, id: unb64(other) }, names.hostID, unb64(vectors.hostBox.public)), vectors.wrap.bytes, names));
  count += await refused("wrap of another host", async () => epochKeyOf(await wrapKeyOf(own, names.hostID, unb64(vectors.deviceBox.public)), vectors.wrap.bytes, names));
  const openers = [["host", opener(other)], ["session", opener(hostID, `${session}x`)], ["no key", new SessionSealing(hostID, session, () => undefined)]];
  const numberedForms = [["sealed", sealed.bytes, (one, text) => one.openEvent(text, sealed.kind)], ["line", line.bytes, (one, text) => one.openLine(text)]];
  for (const [name, text, open] of numberedForms) {
    for (const [where, bytes] of altered(unb64(text))) count += await refused(`${name}, ${where}`, () => open(right, b64(bytes)));
    for (const [where, one] of openers) count += await refused(`${name}, ${where}`, () => open(one, text));
  }
  const textForms = [["live", live.text, (one, text, of = live.message) => one.openLive(text, of)], ["words", words.text, (one, text, of = words.command) => one.openWords(text, of)]];
  for (const [name, text, open] of textForms) {
    for (const [where, bytes] of altered(unb64(text.slice(7)))) count += await refused(`${name}, ${where}`, () => open(right, `sealed.${b64(bytes)}`));
    for (const [where, one] of openers) count += await refused(`${name}, ${where}`, () => open(one, text));
    count += await refused(`${name} of another`, () => open(right, text, "m2"));
    count += await refused(`${name} without its prefix`, () => open(right, text.slice(7)));
  }
  count += await refused("an event as another kind", () => right.openEvent(sealed.bytes, "tool.finished"));
  count += await refused("a line as an event", () => right.openEvent(line.bytes, sealed.kind));
  count += await refused("an event as a line", () => right.openLine(sealed.bytes));
  count += await refused("live text as words", () => right.openWords(live.text, live.message));
  for (const text of ["", "A", `${sealed.bytes}=`, ` ${sealed.bytes}`, undefined, 7, {}, [sealed.bytes]]) count += await refused(`sealed as ${text}`, () => right.openEvent(text, sealed.kind));
  return count;
}

if (globalThis.process?.argv[1]?.endsWith("sealing-vectors.mjs")) {
  let text = "";
  for await (const part of process.stdin) text += part;
  process.stdout.write(`${JSON.stringify(await made(JSON.parse(text)), null, 1)}\n`);
}
