"""The published schema and the relay agree on every message and field."""

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
from samples import DECISION, FROM_CLIENT, FROM_HOST, HEADS, KEY, SCREEN
from schema import assert_valid, document, faults
from waits import wait_until
from wire import Connection, Message

BAD_INPUT = {"badJSON", "badUTF8", "duplicateKey", "loneSurrogate", "tooDeep", "missingField", "wrongType", "outOfRange", "badValue", "unknownType"}


@pytest.fixture(scope="module")
def one_relay(tmp_path_factory) -> Iterator[Relay]:
    """A single relay for all mutations, because none of them leaves state behind."""
    relay = Relay(tmp_path_factory.mktemp("schema"))
    relay.start()
    yield relay
    relay.stop()
    relay.check_log()


class Judge:
    """Asks the relay about a message: None if it accepts the message, otherwise its refusal."""

    def __init__(self, relay: Relay, role: str):
        self.connection = Connection(relay.url, f"/v1/{role}", relay.token({"client": "operator"}.get(role, role), f"judge of {role}"))
        self.connection.send({"type": "hello", "version": 1, "software": "judge"})
        self.connection.wait(lambda message: message["type"] == "welcome", what="welcome")
        self.count = itertools.count(1)

    def opinion(self, message: Message) -> Message | None:
        since = len(self.connection.messages)
        probe = f"probe-{next(self.count)}"
        self.connection.send(json.dumps(message))
        self.connection.send({"type": probe})
        # Refusals arrive in order, so all refusals of the message precede that of the probe.
        self.connection.wait(lambda reply: reply["type"] == "notice" and probe in reply["message"], what="the probe's notice", since=since)
        for reply in self.connection.messages[since:]:
            refusal = reply.get("error") if reply["type"] == "reply" else reply
            if refusal and refusal.get("code") in BAD_INPUT and probe not in refusal["message"]:
                return refusal
        return None


def members(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all members of a value, except inside bodies, which the relay does not read."""
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
    """A value of each other JSON type."""
    return [other for other in (True, 7, "x y", [0], {"x": 0}) if type(other) is not type(value)]


def mutations(example: Message) -> Iterator[tuple[str, str, Message]]:
    """(mutation, path, message) for each change of an example."""
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


OTHERWISE = {("letter", "$.client"): "$.to"}
"""Without this field, the message is the other one of its type, and lacks that."""


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
        elif by_relay and not by_relay.get("path", "").startswith((where, OTHERWISE.get((example["type"], where), where))):
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
    assert kinds - HEADS.keys() == {"approval.decided", "approval.expired", "budget.crossed", "steering.requested"}, "those are the relay's own"
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
    """One session with every kind of event, and every command; all messages in the four directions conform to the schema."""
    host: ScriptedHost = scripted_host(relay, capabilities=("steer",), key=KEY)
    phone: WireClient = client(relay, role="operator")
    phone.subscribe()
    phone.command("letter", to=KEY, bytes="aGVsbG8")
    letter = wait_until(lambda: next((m for m in host.received if m["type"] == "letter"), None), 10, "the letter")
    host.connection.send({"type": "letter", "to": letter["from"]["id"], "bytes": "aGVsbG8"})
    phone.wait(lambda message: message["type"] == "letter", what="the answer")
    host.start_session("s1")
    host.event("s1", "steering.offered", HEADS["steering.offered"])
    host.wait_acked("s1")
    phone.command("prompt", session="s1", text="first", busy="refuse")
    host.wait_steered("prompt")
    host.disconnect()
    host.reconnect()
    host.wait_steered("outstanding")
    for kind, head in HEADS.items():
        if not kind.startswith("approval.") and kind != "session.ended":
            host.event("s1", kind, head, {"text": "t"})
    host.wait_acked("s1")
    phone.subscribe("s1")
    host.deltas("s1", "m1", "Hel", agent="a")
    phone.wait(lambda message: message["type"] == "deltas", what="deltas")
    host.output("s1", "c1", "Hel\n")
    phone.wait(lambda message: message["type"] == "output", what="output")
    phone.connection.send({"type": "screen", "id": "look", "session": "s1"})
    look = wait_until(lambda: next((m for m in host.received if m["type"] == "screen"), None), 10, "the look")
    host.connection.send({"type": "answered", "to": look["by"]["id"], "id": "look", "screen": SCREEN})
    phone.wait(lambda message: message.get("id") == "look", what="the screen")
    phone.connection.send({"type": "keys", "id": "type", "session": "s1", "keys": "aWhlbGxv", "signature": "s"})
    wait_until(lambda: any(m["type"] == "keys" for m in host.received), 10, "the keys")
    host.connection.send({"type": "answered", "to": look["by"]["id"], "id": "type"})
    phone.wait(lambda message: message.get("id") == "type", what="that they were typed")
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
    phone.command("prompt", session="s1", text="go on", busy="queue", id="p1")
    prompt = wait_until(lambda: next((m for m in host.received if m.get("id") == "p1"), None), 10, "the prompt")
    host.steered(prompt, "queued")
    phone.command("withdraw", session="s1", client=prompt["by"]["id"], command="p1")
    host.steered(host.wait_steered("withdraw") | {"id": "p1", "by": prompt["by"]}, "withdrawn")
    project = {"project": "p", "agent": "a"}
    for action in ({"type": "interrupt"}, {"type": "stop"}, {"type": "mode", "mode": "plan"}, {"type": "model", "model": "m"},
                   {"type": "askAll", "on": True}, {"type": "start", **project}, {"type": "resume", "past": "x", **project},
                   {"type": "past", **project}, {"type": "ruleOff", "rule": "r"}, {"type": "ruleAdd", "toml": "[[rule]]"},
                   {"type": "ruleChange", "rule": "r", "toml": "[[rule]]"}, {"type": "ruleTry", "toml": ""}):  # fmt: skip
        phone.command(action.pop("type"), session="s1", **action)
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
        # Other files test the messages missing here: `removed` in test_retention.py, `hold` in test_budgets.py, `push` in the tests of pushes,
        # and a snapshot's pages in test_limits.py.
        assert {message["type"] for message in messages} == defined - {"removed", "hold", "push", "snapshotEnd"}, "a type was not seen"
