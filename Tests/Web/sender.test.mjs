import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandError } from "../../web/link.js";
import { Sender } from "../../web/sender.js";

/** A link that answers when a test says so. */
function link() {
  const sent = [];
  return {
    sent, freshID: () => `id${sent.length}`,
    command: (message, options) => new Promise((resolve, reject) => sent.push({ message, options, resolve, reject })),
  };
}
const prompt = { type: "prompt", session: "s", text: "go" };

test("a double tap is one command; what is sent later is another", async () => {
  const one = link();
  const sender = new Sender(one, () => undefined);
  const first = sender.send("s", "prompt", prompt);
  assert.equal(await sender.send("s", "prompt", prompt), undefined);
  one.sent[0].resolve({});
  assert.equal(await first, null);
  const second = sender.send("s", "prompt", prompt);
  one.sent[1].resolve({});
  assert.equal(await second, null);
  assert.notEqual(one.sent[0].options.id, one.sent[1].options.id);
});

test("it is not sent again by itself, and what failed is kept until somebody goes on", async () => {
  const one = link();
  let changes = 0;
  const sender = new Sender(one, () => { changes += 1; });
  const sending = sender.send("s", "prompt", prompt, "mine");
  assert.deepEqual(one.sent[0].options, { id: "mine" });
  one.sent[0].reject(new CommandError({ code: "linkLost", message: "broke" }));
  assert.equal((await sending).code, "linkLost");
  assert.equal(sender.attempt("s", "prompt").error.code, "linkLost");
  assert.equal(sender.attempt("t", "prompt"), undefined);
  sender.forgetFailures();
  assert.equal(sender.attempt("s", "prompt"), undefined);
  assert.equal(changes, 2);
});
