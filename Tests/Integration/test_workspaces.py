"""Two workspaces on one relay that runs: whoever is of one neither sees the other nor can tell it from what is not there.

No command makes a second workspace yet, so the test writes it into the data file.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from client import WireClient
from host import ScriptedHost, input_digest
from relay import Relay
from waits import wait_until
from wire import Message

OTHER = "w2"
SECRETS = ["theirs", "Their plan", "launch the missiles", "their laptop", "their phone"]
"""Words that are in the other workspace alone."""
SAMPLE: Message = {"digest": input_digest("Bash", {"command": "make"}), "approval": "the-approval"}
COMMANDS: list[Message] = [
    {"type": "subscribe"},
    {"type": "subscribe", "after": {"epoch": "e", "seq": 1}},
    {"type": "unsubscribe"},
    {"type": "history", "before": 5, "limit": 5},
    {"type": "decide", "decision": "allow", **SAMPLE},
    {"type": "decide", "decision": "deny", "message": "no", **SAMPLE, "digest": "0" * 64},
    {"type": "answer", "answers": [{"question": "q0", "choices": ["Blue"]}], **SAMPLE},
    {"type": "prompt", "text": "hello"},
    {"type": "interrupt"},
    {"type": "stop"},
    {"type": "mode", "mode": "plan"},
    {"type": "model", "model": "m"},
    {"type": "withdraw", "client": "c", "command": "k"},
    {"type": "seen", "approval": "the-approval"},
    {"type": "presence", "foreground": True},
    {"type": "budget", "budget": {"scope": "session", "microUSD": 5, "levels": [50]}},
]


@dataclass
class Side:
    """One workspace: its host with a session, and its client."""

    host: ScriptedHost
    phone: WireClient


@pytest.fixture
def sides(relay: Relay) -> Iterator[tuple[Side, Side]]:
    """Ours, and another workspace's with a session `theirs` and a session of the same name as ours."""
    ours = relay.token("host", "our laptop"), relay.token("operator", "our phone")
    theirs = relay.token("host", "their laptop"), relay.token("operator", "their phone")
    relay.stop()
    with sqlite3.connect(relay.data / "heliograph.sqlite") as database:
        database.execute("INSERT INTO workspaces (workspace, name) VALUES (?, 'Theirs')", [OTHER])
        assert database.execute("UPDATE tokens SET workspace = ? WHERE name LIKE 'their%'", [OTHER]).rowcount == 2
    database.close()
    relay.start()
    made = []
    for (host_token, client_token), name in ((ours, "our"), (theirs, "their")):
        host = ScriptedHost(relay, f"{name} laptop", host_token, capabilities=("steer",))
        phone = WireClient(relay, f"{name} phone", client_token)
        phone.subscribe()
        made.append(Side(host, phone))
    yield made[0], made[1]
    for side in made:
        side.host.close()
        side.phone.close()
        side.phone.check()


def fill(side: Side, session: str, title: str, command: str) -> None:
    side.host.start_session(session, title=title)
    side.host.event(session, "message", {"role": "user"}, {"text": command})
    side.host.request_approval(session, "Bash", {"command": "make"}, approval="the-approval", title=command)
    side.host.wait_acked(session)
    side.phone.wait_approval("the-approval", "pending")


def shown(side: Side) -> str:
    """Everything that the relay ever said to this side."""
    return json.dumps([side.phone.messages, side.host.received])


def test_absent_and_not_yours_are_answered_alike(sides: tuple[Side, Side]) -> None:
    """Each command, about a session of the other workspace and about none: byte for byte the same, but for the name that was asked for."""
    ours, theirs = sides
    fill(theirs, "theirs", "Their plan", "launch the missiles")
    before = dict(theirs.phone.approvals["the-approval"])
    for number, command in enumerate(COMMANDS):
        replies = []
        for turn, session in enumerate(["theirs", "absent"]):
            name = f"c{number}-{turn}"
            asked = json.dumps(command | {"id": name, "session": session})
            if command["type"] == "budget":
                asked = json.dumps(command | {"id": name, "budget": command["budget"] | {"session": session}})
            since = len(ours.phone.messages)
            ours.phone.connection.send(asked)
            reply = ours.phone.wait(lambda message: message.get("id") == name, since=since, what=f"the reply to {asked}")
            # What comes with it, a snapshot perhaps, came before the answer to a ping.
            ours.phone.command("ping")
            others = [message for message in ours.phone.messages[since:] if message["type"] != "reply"]
            replies.append(json.dumps([reply, others]).replace(name, "NAME").replace(session, "SESSION"))
        assert replies[0] == replies[1], command
        if command["type"] in ("subscribe", "history", "decide", "answer", "prompt", "interrupt", "stop", "mode", "model", "withdraw"):
            assert '"code": "notFound"' in replies[0], (command, replies[0])
    said = shown(ours)
    assert not [word for word in SECRETS if word in said.replace('"theirs"', "")]
    assert theirs.phone.approvals["the-approval"] == before and theirs.host.decisions == []
    assert not [message for message in theirs.host.received if message["type"] in ("prompt", "interrupt", "stop", "mode", "model", "withdraw", "hold")]


def test_the_same_names_in_two_workspaces_never_meet(sides: tuple[Side, Side]) -> None:
    """One session id, one approval id, in both at the same time: each side sees, decides and is told of its own."""
    ours, theirs = sides
    fill(ours, "s1", "Our plan", "make tea")
    fill(theirs, "s1", "Their plan", "launch the missiles")
    for side, title in ((ours, "Our plan"), (theirs, "Their plan")):
        assert side.phone.wait_summary("s1", lambda summary: summary["approvals"] == 1)["title"] == title
        side.phone.subscribe("s1")
    ours.phone.decide("s1", "the-approval", "deny", message="no tea")
    assert ours.host.wait_decision("the-approval")["decision"]["message"] == "no tea"
    theirs.phone.command("ping")
    assert theirs.phone.approvals["the-approval"]["stage"] == "pending" and theirs.host.decisions == []
    theirs.phone.decide("s1", "the-approval", "allow")
    assert theirs.host.wait_decision("the-approval")["decision"]["decision"] == "allow"
    ours.phone.wait_approval("the-approval", "decided")
    assert ours.phone.approvals["the-approval"]["decision"]["decision"] == "deny"
    theirs.host.deltas("s1", "m1", "launch the missiles in pieces")
    theirs.host.output("s1", "c1", "launch the missiles in lines\n")
    theirs.host.event("s1", "message", {"role": "assistant"}, {"text": "launch the missiles again"})
    theirs.host.wait_acked("s1")
    wait_until(lambda: "session.started" in theirs.phone.kinds("s1") and theirs.phone.kinds("s1").count("message") == 2, 10, "their own event")
    ours.phone.command("ping")
    assert ours.phone.kinds("s1").count("message") == 1
    said = shown(ours)
    assert not [word for word in SECRETS if word in said]
    said = shown(theirs)
    assert not [word for word in ("Our plan", "make tea", "our laptop", "our phone") if word in said]


def test_who_pairs_by_a_code_is_of_the_workspace_that_made_it(sides: tuple[Side, Side], relay: Relay, client: Callable[..., WireClient]) -> None:
    ours, theirs = sides
    fill(ours, "s1", "Our plan", "make tea")
    fill(theirs, "theirs", "Their plan", "launch the missiles")
    code = theirs.phone.command("pair", role="client")["link"].split("=")[1]
    paired = relay.post("/v1/pair", {"code": code, "name": "their tablet"})
    assert paired.status in (200, 201), paired.body
    tablet = client(relay, "their tablet", token=paired.json["token"])
    tablet.subscribe()
    assert list(tablet.summaries) == ["theirs"]
    again = relay.post("/v1/pair", {"code": code, "name": "ours"})
    never = relay.post("/v1/pair", {"code": "A" * len(code), "name": "ours"})
    assert (again.status, again.body) == (never.status, never.body), "a code of theirs that is used up, and one that never was"


def test_a_restart_keeps_them_apart(sides: tuple[Side, Side], relay: Relay, client: Callable[..., WireClient]) -> None:
    ours, theirs = sides
    fill(ours, "s1", "Our plan", "make tea")
    fill(theirs, "s1", "Their plan", "launch the missiles")
    theirs.host.event("s1", "message", {"role": "user"}, {"text": "one more than ours"})
    theirs.host.wait_acked("s1")
    relay.kill()
    relay.start()
    for side, title, other in ((ours, "Our plan", "Their plan"), (theirs, "Their plan", "Our plan")):
        again = client(relay, "again", token=side.phone.token)
        again.subscribe()
        again.subscribe("s1")
        assert [summary["title"] for summary in again.summaries.values()] == [title]
        assert other not in json.dumps(again.messages)
        side.host.wait_connected()
        assert side.host.through["s1"] == len(side.host.sessions["s1"]) and not side.host.lost_acks, "each host is told of its own log"
