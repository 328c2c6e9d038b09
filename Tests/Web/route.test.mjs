import assert from "node:assert/strict";
import { test } from "node:test";
import { pairingOf, routeOf, secretIn, staysHere } from "../../web/route.js";

test("fragments name screens", () => {
  assert.deepEqual(["", "#/", "#/archive", "#/link", "#/approvals", "#/approvals/recent", "#/approvals/s1/a-1", "#/session/s_1-x", "#/devices", "#/budgets", "#/budgets/s1", "#/rules", "#/rules/s1/no-push.1", "#/rules/new/s1/a1"].map(routeOf), [
    { screen: "sessions", archive: false }, { screen: "sessions", archive: false }, { screen: "sessions", archive: true }, { screen: "link" }, { screen: "approvals", recent: false },
    { screen: "approvals", recent: true }, { screen: "approvals", recent: false, named: "s1/a-1" }, { screen: "session", session: "s_1-x", changes: false },
    { screen: "devices" }, { screen: "budgets" }, { screen: "budgets", session: "s1" }, { screen: "rules" },
    { screen: "rules", session: "s1", name: "no-push.1" }, { screen: "rules", session: "s1", approval: "a1" },
  ]);
});

test("what names no screen is none", () => {
  for (const hash of ["#main", "#pair=abc", "#/session/", "#/session/a b", "#/session/a/b", "#/approvals/a", "#/approvals/a/b/c", "#/budgets/", "#/devices/d1", "#/nowhere", "#/rules/", "#/rules/s1", "#/rules/s1/a b"]) assert.equal(routeOf(hash), null);
});

test("a code is found in a link, in a fragment, and alone", () => {
  for (const text of ["http://relay:1/#pair=AbC-123_x", "#pair=AbC-123_x", " AbC-123_x\n"]) assert.deepEqual(pairingOf(text), { role: "client", code: "AbC-123_x" });
  assert.deepEqual(pairingOf("https://r/#host=abcd"), { role: "host", code: "abcd" });
  assert.deepEqual(pairingOf("https://r/#join=abcd.efgh"), { role: "host", code: "abcd" });
  for (const text of ["", "#/", "a b", "#pair=", "<script>"]) assert.equal(pairingOf(text), null);
});

test("a host's secret comes with a code or alone, and its form is not looked at here", () => {
  const k = "A".repeat(66);
  for (const text of [`https://r/#pair=AbC-123_x&k=${k}`, `#pair=AbC-123_x&k=${k}`, ` AbC-123_x.${k}\n`]) assert.deepEqual(pairingOf(text), { role: "client", code: "AbC-123_x", k });
  assert.deepEqual(pairingOf("#pair=abcd&k=x"), { role: "client", code: "abcd", k: "x" });
  assert.deepEqual([`#k=${k}`, `https://r/#k=${k}`, k, "#k=", "#/k=x", ""].map(secretIn), [k, k, "", "", "", ""]);
  for (const text of ["#pair=abcd&k=", "#pair=abcd&x=y", "abcd.", "abcd.x.y"]) assert.equal(pairingOf(text), null);
});

test("a link to a machine's own address is of no use to a phone", () => {
  for (const link of ["http://127.0.0.1:8787/#pair=a", "http://localhost/#pair=a", "https://[::1]:8787/#pair=a", "http://127.1.2.3"]) assert.ok(staysHere(link), link);
  for (const link of ["https://relay.example/#pair=a", "http://10.0.0.7:8787/", "https://localhost.example/", "http://127.0.0.1.example/"]) assert.ok(!staysHere(link), link);
});
