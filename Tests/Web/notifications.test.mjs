import assert from "node:assert/strict";
import { test } from "node:test";
import { Notifications } from "../../web/notifications.js";

function surroundings() {
  const seen = { badges: [], went: [], closed: 0, arrived: 0, moved: 0, say: undefined };
  const notification = { close: () => { seen.closed += 1; } };
  const around = {
    serviceWorker: {
      addEventListener: (_, run) => { seen.say = (data) => run({ data }); },
      getRegistration: async () => ({ getNotifications: async () => [notification, notification] }),
    },
    setAppBadge: async (count) => { seen.badges.push(count); if (count === 3) throw new Error("not installed"); },
    go: (hash) => seen.went.push(hash),
    arrived: () => { seen.arrived += 1; },
    moved: () => { seen.moved += 1; },
  };
  return { seen, around };
}

test("a page that is looked at closes every notification", async () => {
  const { seen, around } = surroundings();
  await new Notifications(around).clear();
  assert.equal(seen.closed, 2);
});

test("the icon has the number of what waits, told once each, and a browser that refuses is no trouble", async () => {
  const { seen, around } = surroundings();
  const notifications = new Notifications(around);
  for (const count of [0, 2, 2, 3, 0]) notifications.badge(count);
  await new Promise(setImmediate);
  assert.deepEqual(seen.badges, [0, 2, 3, 0]);
});

test("a notification that was pressed leads to a place of this page, and to nothing else", () => {
  const { seen, around } = surroundings();
  assert.ok(new Notifications(around));
  for (const data of [{ open: "#/approvals/s1/a1" }, { open: "#pair=abcd" }, { open: "https://evil.example" }, { open: 7 }, null, "x"]) seen.say(data);
  assert.deepEqual(seen.went, ["#/approvals/s1/a1"]);
});

test("a test that the worker has shown is told to the page", () => {
  const { seen, around } = surroundings();
  assert.ok(new Notifications(around));
  for (const data of [{ arrived: "test" }, { arrived: "approval" }, { arrived: true }]) seen.say(data);
  assert.equal(seen.arrived, 1);
});

test("a browser without workers and badges has neither", async () => {
  const notifications = new Notifications({ go: () => undefined, arrived: () => undefined });
  await notifications.clear();
  notifications.badge(1);
});

test("a page hears that the browser changed its subscription", () => {
  const { seen, around } = surroundings();
  assert.ok(new Notifications(around));
  for (const data of [{ subscription: "changed" }, { subscription: 7 }, { arrived: "test" }]) seen.say(data);
  assert.deepEqual([seen.moved, seen.arrived], [1, 1]);
});
