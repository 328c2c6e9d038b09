import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder, kindOf, lastUse, originOf, revocationQuestion, revokedWords, Tokens } from "../../web/tokens.js";

const now = 10_000_000;
const token = (id, more = {}) => ({ id, role: "client", kind: "browser", name: id, createdAt: now - 3_600_000, connections: 0, children: [], ...more });

test("each says what it is and when it was last here", () => {
  assert.deepEqual([token("a"), token("b", { kind: "terminal" }), token("c", { kind: "new", role: "host" }), token("d", { kind: "new" })].map(kindOf),
    ["Browser", "Terminal", "Host", "new"]);
  assert.equal(lastUse(token("a", { connections: 2 }), now), "In use now");
  assert.equal(lastUse(token("a"), now), "Never used");
  assert.match(lastUse(token("a", { usedAt: now - 120_000 }), now), /^Last used 2 min ago$/);
  assert.equal(lastUse(token("a", { usedAt: now - 120_000, usedFrom: "192.0.2.7" }), now), "Last used 2 min ago from 192.0.2.7");
  assert.equal(lastUse(token("a", { usedAt: now - 120_000, usedFrom: "192.0.2.7", connections: 2 }), now), "In use now from 192.0.2.7");
  assert.match(lastUse(token("a", { kind: "unsure", connections: 1 }), now), /pair it again/);
  assert.match(originOf(token("a"), now), /^Added 1 h ago on the relay's own machine$/);
  assert.match(originOf(token("a", { by: { id: "b", name: "Ada's phone", revoked: true } }), now), /by Ada's phone \(revoked\)$/);
});

test("this browser comes first, then what is in use, then what was used last", () => {
  const tokens = [token("old", { usedAt: 1 }), token("never"), token("live", { connections: 1 }), token("own", { own: true }), token("late", { usedAt: 2 })];
  assert.deepEqual(inOrder(tokens).map(({ id }) => id), ["own", "live", "late", "old", "never"]);
});

test("the question names what goes along, and says what it means for this browser and for a host", () => {
  const children = [{ id: "x", role: "client", kind: "terminal", name: "Ada's shell" }];
  assert.equal(revocationQuestion(token("Phone", { children })), "Revoke Phone? It is out at once. So is what it added: Ada's shell (Terminal).");
  assert.match(revocationQuestion(token("Phone", { children, moreChildren: 14 })), /: Ada's shell \(Terminal\) and 14 more\.$/);
  assert.match(revocationQuestion(token("Phone", { own: true })), /the browser that you use: it is logged out/);
  assert.match(revocationQuestion(token("laptop", { role: "host", kind: "host" })), /Its sessions stay here/);
  assert.equal(revokedWords("Phone", 0), "Phone is revoked");
  assert.equal(revokedWords("Phone", 2), "Phone is revoked, and 2 others with it");
});

test("the relay is asked, told, and asked again; what it refuses is said in its words", async () => {
  const asked = [];
  const answers = [
    { status: 200, body: { tokens: [token("b")], next: "b" } }, { status: 200, body: { tokens: [token("a")] } }, { status: 200, body: { revoked: [{ id: "a" }, { id: "b" }] } }, { status: 200, body: { tokens: [] } },
    { status: 404, body: { error: { message: "there is no such token" } } }, { status: 503, body: null }, { status: 404, body: null },
  ];
  const tokens = new Tokens(async (path, { method = "GET", body } = {}) => {
    asked.push([method, path, body]);
    const { status, body: answer } = answers.shift();
    return { ok: status === 200, status, json: async () => { if (!answer) throw new Error("no JSON"); return answer; } };
  }, () => undefined);
  await tokens.load();
  assert.deepEqual(tokens.all.map(({ id }) => id), ["b", "a"]);
  assert.deepEqual(asked.splice(0, 1).concat(asked).map(([, path]) => path), ["/v1/tokens", "/v1/tokens?after=b"]);
  assert.equal(await tokens.revoke("a", true), 1);
  assert.deepEqual(asked[1], ["POST", "/v1/tokens/a/revoke", '{"keepChildren":true}']);
  assert.deepEqual(tokens.all, []);
  await assert.rejects(tokens.revoke("a", false), /there is no such token/);
  await tokens.load();
  assert.deepEqual([tokens.isKnown, tokens.problem], [true, "The relay answered 503."]);
  await tokens.load();
  assert.deepEqual([tokens.isKnown, tokens.problem], [false, ""]);
});

test("another name is told, and a refusal is the relay's own words", async () => {
  const asked = [];
  let status = 200;
  const tokens = new Tokens(async (path, { method = "GET", body } = {}) => {
    asked.push([method, path, body]);
    return { ok: status === 200, status, json: async () => (status === 200 ? { tokens: [] } : { error: { message: "there is no such token" } }) };
  }, () => undefined);
  await tokens.rename("a", "Kitchen");
  assert.deepEqual(asked, [["POST", "/v1/tokens/a/rename", '{"name":"Kitchen"}'], ["GET", "/v1/tokens", undefined]]);
  status = 404;
  await assert.rejects(tokens.rename("a", "Kitchen"), /there is no such token/);
});
