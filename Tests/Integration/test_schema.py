"""The published schema and the relay are of one opinion, message by message and field by field."""

import copy
import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from client import WireClient
from host import ScriptedHost
from relay import Relay
from schema import assert_valid, document, faults
from wire import Connection, Message

DECISION = {
    "decision": "answer", "answers": [{"question": "q0", "choices": ["Blue"], "text": "dark"}],
    "by": {"client": "c1", "name": "phone"}, "at": 1, "command": "c9", "signature": "sig",
}  # fmt: skip
DIGEST = "a" * 64

# Every event kind that a host may state, with every field.
HEADS: dict[str, Message] = {
    "session.started": {
        "agent": {"name": "claude", "version": "2"}, "model": "m", "title": "t", "project": "p", "cwd": "/x", "run": "r", "resumed": True,
    },
    "session.renamed": {"title": "t"},
    "session.ended": {"reason": "r", "failed": False},
    "status.changed": {"status": "running", "reason": "r"},
    "message": {"role": "assistant", "summary": "s", "message": "m", "agent": "a"},
    "tool.started": {"call": "c", "tool": "Bash", "operation": "o", "file": "f", "agent": "a", "redacted": True},
    "tool.finished": {"call": "c", "tool": "Bash", "ok": True, "exit": -1, "durationMs": 5, "summary": "s", "agent": "a"},
    "file.changed": {"path": "p", "added": 1, "removed": 0, "call": "c"},
    "todo.changed": {"completed": 1, "total": 2, "current": "c"},
    "usage": {
        "run": "r", "model": "m", "tokens": {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4}, "costMicroUSD": 5,
        "costDeltaMicroUSD": 6, "contextUsed": 7, "contextLimit": 8,
    },
    "approval.requested": {
        "approval": "a1", "kind": "tool", "tool": "Bash", "title": "t", "digest": DIGEST, "redacted": False, "cut": True,
        "expiresAt": 4_000_000_000_000, "call": "c", "agent": "a",
    },
    "approval.delivered": {"approval": "a1"},
    "approval.applied": {"approval": "a1", "outcome": "ran"},
    "approval.cancelled": {"approval": "a1", "reason": "r"},
    "approval.stale": {"approval": "a1", "reason": "r"},
    "subagent.started": {"agent": "a", "name": "n"},
    "subagent.finished": {"agent": "a", "name": "n"},
    "error": {"message": "m", "recoverable": True},
    "truncated": {"count": 3},
    "rewound": {"to": 1},
    "mood.changed": {"mood": "sunny"},
}  # fmt: skip

FROM_HOST: dict[str, Message] = {
    "hello": {"type": "hello", "version": 1, "software": "s", "name": "n", "capabilities": ["prompt", "dance"], "sessions": ["s1"]},
    "deltas": {"type": "deltas", "session": "s1", "message": "m", "text": "t", "agent": "a"},
    **{
        f"events {kind}": {
            "type": "events", "session": "s1", "first": 1, "gap": False,
            "events": [{"kind": kind, "at": 1, "head": head, "body": {"text": "t"}}],
        }
        for kind, head in HEADS.items()
    },
}  # fmt: skip

FROM_CLIENT: dict[str, Message] = {
    "hello": {"type": "hello", "version": 1, "software": "s"},
    "subscribe": {"type": "subscribe", "id": "c1", "session": "s1", "after": {"epoch": "e", "seq": 1}},
    "unsubscribe": {"type": "unsubscribe", "id": "c1", "session": "s1"},
    "history": {"type": "history", "id": "c1", "session": "s1", "before": 5, "limit": 1},
    "decide": {
        "type": "decide", "id": "c1", "session": "s1", "approval": "a", "digest": DIGEST, "decision": "deny", "message": "m", "signature": "s",
    },
    "answer": {
        "type": "answer", "id": "c1", "session": "s1", "approval": "a", "digest": DIGEST, "answers": DECISION["answers"], "signature": "s",
    },
    "prompt": {"type": "prompt", "id": "c1", "session": "s1", "text": "t"},
    "interrupt": {"type": "interrupt", "id": "c1", "session": "s1"},
    "ping": {"type": "ping", "id": "c1"},
    "pair": {"type": "pair", "id": "c1", "role": "host"},
    "presence": {"type": "presence", "id": "c1", "foreground": True, "session": "s1", "device": "d1"},
    "seen": {"type": "seen", "id": "c1", "session": "s1", "approval": "a"},
    "device": {
        "type": "device", "id": "c1",
        "device": {
            "device": "d1", "name": "n", "profile": "heliograph", "environment": "sandbox", "system": "18.1", "alertToken": "0aF9",
            "startToken": "00", "frequentPushes": True, "cards": "aggregate", "starts": "always", "text": "sealed",
            "sealKey": "A" * 43 + "=", "kinds": ["approval", "budget"], "muted": ["s1"],
            "quiet": {"from": 1380, "to": 420, "timeZone": "Europe/Berlin"},
        },
    },
    "card": {"type": "card", "id": "c1", "device": "d1", "card": {"card": "k1", "session": "s1", "token": "0aF9", "state": "active"}},
    "forget": {"type": "forget", "id": "c1", "device": "d1"},
    "devices": {"type": "devices", "id": "c1", "watch": False},
    "testPush": {"type": "testPush", "id": "c1", "device": "d1"},
    "budget": {"type": "budget", "id": "c1", "budget": {"scope": "session", "session": "s1", "microUSD": 5, "levels": [50, 100], "hold": True}},
    "budgets": {"type": "budgets", "id": "c1"},
}  # fmt: skip

BAD_INPUT = {"badJSON", "badUTF8", "duplicateKey", "loneSurrogate", "tooDeep", "missingField", "wrongType", "outOfRange", "badValue", "unknownType"}


@pytest.fixture(scope="module")
def one_relay(tmp_path_factory) -> Iterator[Relay]:
    """One relay for all mutations: they leave nothing behind that another would see."""
    relay = Relay(tmp_path_factory.mktemp("schema"))
    relay.start()
    yield relay
    relay.stop()
    relay.check_log()


class Judge:
    """Says what the relay thinks of a message: nil where it takes it, else the refusal."""

    def __init__(self, relay: Relay, role: str):
        self.connection = Connection(relay.url, f"/v1/{role}", relay.token(role, f"judge of {role}"))
        self.connection.send({"type": "hello", "version": 1, "software": "judge"})
        self.connection.wait(lambda message: message["type"] == "welcome", what="welcome")
        self.count = itertools.count(1)

    def opinion(self, message: Message) -> Message | None:
        since = len(self.connection.messages)
        probe = f"probe-{next(self.count)}"
        self.connection.send(json.dumps(message))
        self.connection.send({"type": probe})
        # Refusals come in order, so all that the message brought stands before the probe's own.
        self.connection.wait(lambda reply: reply["type"] == "notice" and probe in reply["message"], what="the probe's notice", since=since)
        for reply in self.connection.messages[since:]:
            refusal = reply.get("error") if reply["type"] == "reply" else reply
            if refusal and refusal.get("code") in BAD_INPUT and probe not in refusal["message"]:
                return refusal
        return None


def members(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every member below a value, bodies left out: nobody reads those."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in pairs:
        if key == "body":
            continue
        if isinstance(key, str):
            yield (*path, key)
        yield from members(part, (*path, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def spelled(path: tuple[Any, ...]) -> str:
    return "$" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)


def wrong_values(value: Any) -> list[Any]:
    """Of every other type."""
    return [other for other in (True, 7, "x y", [0], {"x": 0}) if type(other) is not type(value)]


def mutations(example: Message) -> Iterator[tuple[str, str, Message]]:
    """(what was done, where, message)"""
    for path in members(example):
        if path == ("type",):
            continue
        dropped = copy.deepcopy(example)
        del at(dropped, path[:-1])[path[-1]]
        yield "dropped", spelled(path), dropped
        nulled = copy.deepcopy(example)
        at(nulled, path[:-1])[path[-1]] = None
        yield "made null", spelled(path), nulled
        for wrong in wrong_values(at(example, path)):
            changed = copy.deepcopy(example)
            at(changed, path[:-1])[path[-1]] = wrong
            yield f"made {wrong!r}", spelled(path), changed


def compare(relay: Relay, role: str, example: Message) -> None:
    judge = Judge(relay, role)
    direction = f"{role}-to-relay"
    assert not faults(direction, example), faults(direction, example)
    assert judge.opinion(example) is None, judge.opinion(example)
    disagreements = []
    for what, where, message in mutations(example):
        by_schema, by_relay = faults(direction, message), judge.opinion(message)
        if bool(by_schema) != bool(by_relay):
            disagreements.append(f"{where} {what}: schema {by_schema or 'takes it'}, relay {by_relay or 'takes it'}")
        elif by_relay and not by_relay.get("path", "").startswith(where):
            disagreements.append(f"{where} {what}: the relay names {by_relay.get('path')}")
    judge.connection.close()
    assert not disagreements, "\n".join(disagreements)


@pytest.mark.parametrize("name", FROM_HOST)
def test_host_messages(one_relay, name):
    compare(one_relay, "host", FROM_HOST[name])


@pytest.mark.parametrize("name", FROM_CLIENT)
def test_client_messages(one_relay, name):
    compare(one_relay, "client", FROM_CLIENT[name])


def test_every_message_and_kind_has_an_example():
    defined = document()["$defs"]
    kinds = {name.removeprefix("head.") for name in defined if name.startswith("head.")}
    assert kinds - HEADS.keys() == {"approval.decided", "approval.expired", "budget.crossed"}, "those are the relay's own"
    for direction, examples in (("host-to-relay", FROM_HOST), ("client-to-relay", FROM_CLIENT)):
        types = {name.split(".", 1)[1] for name in defined if name.startswith(f"{direction}.")}
        assert types == {name.split(" ")[0] for name in examples}


def test_it_is_a_schema_and_it_is_served(one_relay):
    Draft202012Validator.check_schema(document())
    assert one_relay.get("/v1/schema.json").json == document()


@pytest.mark.parametrize("direction", ["host-to-relay", "relay-to-host", "client-to-relay", "relay-to-client"])
def test_it_refuses_nonsense(direction):
    for message in (5, [], {}, {"type": 1}, {"type": "launch"}, {"type": "welcome"}, {"type": "events"}):
        if message != {"type": "welcome"} or direction.startswith("relay"):
            assert faults(direction, message), message


BUDGET = {"scope": "day", "microUSD": 5, "levels": [50], "hold": True, "spentMicroUSD": 4, "crossed": 50, "day": "2026-11-21", "cannotHold": ["mac"]}


@pytest.mark.parametrize(
    "change",
    [
        {"scope": "month"}, {"scope": "session"}, {"microUSD": 0}, {"microUSD": "5"}, {"levels": None}, {"levels": [0]}, {"hold": 1},
        {"spentMicroUSD": None}, {"spentMicroUSD": -1}, {"spentMicroUSD": 0.5}, {"crossed": 1001}, {"crossed": "50"}, {"day": None},
        {"day": "today"}, {"cannotHold": []}, {"cannotHold": "mac"}, {"cannotHold": [1]},
    ],
)  # fmt: skip
def test_an_entry_of_budgets_has_its_fields(change):
    assert not faults("relay-to-client", {"type": "reply", "id": "c1", "budgets": [BUDGET]})
    assert faults("relay-to-client", {"type": "reply", "id": "c1", "budgets": [BUDGET | change]})


def test_real_traffic_is_as_the_schema_has_it(relay, scripted_host, client):
    """One session with every kind of event, and every command; all that went over the wire, in all four directions."""
    host: ScriptedHost = scripted_host(relay, capabilities=("prompt", "interrupt"))
    phone: WireClient = client(relay)
    phone.subscribe()
    for kind, head in HEADS.items():
        if not kind.startswith("approval.") and kind != "session.ended":
            host.event("s1", kind, head, {"text": "t"})
    host.wait_acked("s1")
    phone.subscribe("s1")
    host.deltas("s1", "m1", "Hel", agent="a")
    phone.wait(lambda message: message["type"] == "deltas", what="deltas")
    ends = [("allow", "applied"), ("deny", "applied"), (None, "cancelled"), (None, "stale")]
    for verdict, stage in ends:
        approval = host.request_approval("s1", "Bash", {"command": stage})
        phone.wait_approval(approval, "pending")
        if verdict:
            phone.decide("s1", approval, verdict)
            host.wait_decision(approval)
            host.apply("s1", approval, "ran" if verdict == "allow" else "denied")
        else:
            host.event("s1", f"approval.{stage}", {"approval": approval, "reason": "r"})
        phone.wait_approval(approval, stage)
        assert "error" in phone.decide("s1", approval, "deny", message="too late")
    question = host.request_approval("s1", "AskUserQuestion", {}, kind="question", questions=[
        {"id": "q0", "text": "?", "choices": [{"label": "Blue"}]}])  # fmt: skip
    phone.wait_approval(question, "pending")
    phone.answer("s1", question, DECISION["answers"], signature="sig")
    host.wait_decision(question)
    phone.command("history", session="s1", before=5, limit=2)
    phone.command("prompt", session="s1", text="go on")
    phone.command("interrupt", session="s1")
    phone.command("ping")
    phone.command("pair", role="host")
    for scope in ({"scope": "session", "session": "s1"}, {"scope": "everySession"}, {"scope": "day"}, {"scope": "workspace"}):
        phone.command("budget", budget=scope | {"microUSD": 1, "levels": [50, 100], "hold": True})
    assert len(phone.command("budgets")["budgets"]) == 4
    phone.command("unsubscribe", session="s1")
    phone.subscribe("s1", after={"epoch": "another", "seq": 1})
    phone.wait(lambda message: message["type"] == "reset", what="reset")
    phone.subscribe()
    host.connection.send('{"type":"events","session":"s1","first":999,"events":[{"kind":"rewound","at":1,"head":{"to":1}}]}')
    host.connection.wait(lambda message: message["type"] == "resend", what="resend")
    host.connection.send('{"type":"launch"}')
    host.connection.wait(lambda message: message["type"] == "notice", what="a notice")
    phone.connection.send('{"type":"launch"}')
    phone.wait(lambda message: message["type"] == "notice", what="a notice")
    host.event("s1", "session.ended", {})
    phone.wait_summary("s1", lambda summary: summary["status"] == "completed")

    assert_valid("host-to-relay", host.connection.sent, each_type_max=1000)
    assert_valid("client-to-relay", phone.connection.sent, each_type_max=1000)
    assert_valid("relay-to-host", host.received, each_type_max=1000)
    assert_valid("relay-to-client", phone.messages, each_type_max=1000)
    for direction, messages in (("relay-to-host", host.received), ("relay-to-client", phone.messages)):
        defined = {name.split(".", 1)[1] for name in document()["$defs"] if name.startswith(f"{direction}.")}
        # What retention removes is in test_retention.py, holds are in test_budgets.py, pushes where there are some.
        assert {message["type"] for message in messages} == defined - {"removed", "hold", "push"}, "a type was not seen"
