import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandError } from "../../web/link.js";
import { Sender } from "../../web/sender.js";

/** A fake link whose replies the test controls. */
function link() {
  const sent = [];
  return {
    sent, freshID: () => `id${sent.length}`,
    command: (message, options) => new Promise((resolve, reject) => sent.push({ message, options, resolve, reject })),
  };
}
/** A signer that adds no signature, for hosts that require none. */
const signer = { signed: async (command) => command };
/** Resolves once signing is done. */
const signed = () => new Promise(setImmediate);
const prompt = { type: "prompt", session: "s", text: "go" };

test("a double tap is one command; what is sent later is another", async () => {
  const one = link();
  const sender = new Sender(one, () => undefined, signer);
  const first = sender.send("s", "prompt", prompt);
  assert.equal(await sender.send("s", "prompt", prompt), undefined);
  await signed();
  one.sent[0].resolve({});
  assert.equal(await first, null);
  const second = sender.send("s", "prompt", prompt);
  await signed();
  one.sent[1].resolve({});
  assert.equal(await second, null);
  assert.notEqual(one.sent[0].options.id, one.sent[1].options.id);
});

test("it is not sent again by itself, and what failed is kept until somebody goes on", async () => {
  const one = link();
  let changes = 0;
  const sender = new Sender(one, () => { changes += 1; }, signer);
  const sending = sender.send("s", "prompt", prompt, "mine");
  await signed();
  assert.deepEqual(one.sent[0].options, { id: "mine" });
  one.sent[0].reject(new CommandError({ code: "linkLost", message: "broke" }));
  assert.equal((await sending).code, "linkLost");
  assert.equal(sender.attempt("s", "prompt").error.code, "linkLost");
  assert.equal(sender.attempt("t", "prompt"), undefined);
  sender.forgetFailures();
  assert.equal(sender.attempt("s", "prompt"), undefined);
  assert.equal(changes, 2);
});

test("what its host wants signed goes with a signature, and goes nowhere without one", async () => {
  const one = link();
  const signing = new Sender(one, () => undefined, { signed: async (command, id) => ({ ...command, signature: `by ${id}` }) });
  signing.send("s", "prompt", prompt, "mine");
  await signed();
  assert.deepEqual(one.sent[0].message, { ...prompt, signature: "by mine" });
  const refusing = new Sender(one, () => undefined, { signed: () => Promise.reject(new CommandError({ code: "notSigned", message: "no key" })) });
  assert.equal((await refusing.send("s", "prompt", prompt)).code, "notSigned");
  assert.equal(one.sent.length, 1);
});
