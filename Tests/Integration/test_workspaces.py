"""Two workspaces on one running relay: peers of one can neither see the other nor distinguish it from a missing one."""

import json
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from client import WireClient
from host import ScriptedHost, input_digest
from pictures import bring, named, png
from postgres import PostgresServer
from relay import Relay
from waits import wait_until
from wire import Message

OTHER = "Their own"
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


def run(relay: Relay, *words: str, check: bool = True) -> Any:
    return relay.run(*words, "--data", str(relay.data), check=check)


def workspaces(relay: Relay) -> dict[str, dict[str, Any]]:
    return {entry["name"]: entry for entry in map(json.loads, run(relay, "workspace", "list", "--json").stdout.splitlines())}


@pytest.fixture
def sides(relay: Relay) -> Iterator[tuple[Side, Side]]:
    """Our workspace and another one, which has a session `theirs` and a session with the same name as ours."""
    ours = relay.token("host", "our laptop"), relay.token("operator", "our phone")
    run(relay, "workspace", "add", OTHER)
    theirs = relay.token("host", "their laptop", OTHER), relay.token("operator", "their phone", OTHER)
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
    """All messages that the relay has ever sent to this side."""
    return json.dumps([side.phone.messages, side.host.received])


def test_absent_and_not_yours_are_answered_alike(sides: tuple[Side, Side]) -> None:
    """Each command is sent for a session of the other workspace and for a missing one: both answers are equal to the byte, except for the requested
    name.
    """
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
            # Everything that belongs to the answer, such as a snapshot, arrived before the answer to a ping.
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
    """Both workspaces use the same session id and approval id at the same time. Each side sees and decides only its own."""
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


def test_http_knows_nothing_of_the_other_workspace(sides: tuple[Side, Side], relay: Relay) -> None:
    ours, theirs = sides
    fill(ours, "s1", "Our plan", "make tea")
    fill(theirs, "s1", "Their plan", "launch the missiles")
    mine, their = ({"Authorization": f"Bearer {side.phone.token}"} for side in sides)
    picture = png(seed=1)
    assert bring(relay, theirs.phone.token, "s1", picture).status == 200
    digest = named(picture)["digest"]
    assert relay.get(f"/v1/pictures/{digest}", their).body == picture
    for side in (ours.phone, ours.host):
        absent, foreign = (relay.get(f"/v1/pictures/{name}", {"Authorization": f"Bearer {side.token}"}) for name in ("0" * 64, digest))
        assert foreign.status == absent.status == 404 and foreign.body == absent.body
    listed = [relay.get("/v1/tokens", headers).json["tokens"] for headers in (mine, their)]
    assert [{token["name"] for token in tokens} for tokens in listed] == [{"our laptop", "our phone"}, {"their laptop", "their phone"}]
    foreign = listed[1][0]["id"]
    for path, body in ((f"/v1/tokens/{foreign}", None), (f"/v1/tokens/{foreign}/revoke", {}), (f"/v1/tokens/{foreign}/rename", {"name": "x"})):
        answers = [
            relay.get(path, mine) if body is None else relay.post(path.replace(foreign, name), body, mine) for name in (foreign, "t_absent")
        ]
        assert answers[0].status == 404 and answers[0].body == answers[1].body, path
    assert relay.get("/v1/me", their).json["workspace"]["name"] == OTHER
    assert relay.get("/v1/me", mine).json["workspace"]["name"] == "default"


def test_whoever_never_adds_one_sees_nothing_of_it(relay: Relay) -> None:
    relay.token("operator", "our phone")
    shown = run(relay, "token", "list").stdout + run(relay, "token", "list", "--json").stdout + run(relay, "pair", "--json").stdout
    assert "workspace" not in shown and "default" not in shown and " in " not in shown


def test_names_are_plain_and_belong_to_one(relay: Relay) -> None:
    run(relay, "workspace", "add", "Küche")
    for name in ("", " ", " edge", "a\nb", "tab\there", "\u202ebackwards", "un\u200bseen", "x" * 257):
        refused = run(relay, "workspace", "add", name, check=False)
        assert refused.returncode != 0, repr(name)
    for words in (("add", "Küche"), ("add", "default"), ("rename", "Küche", "default"), ("rename", "absent", "x"), ("remove", "absent", "--yes")):
        refused = run(relay, "workspace", *words, check=False)
        assert refused.returncode != 0 and "workspace" in refused.stderr, (words, refused)
    run(relay, "workspace", "rename", "Küche", "Keller")
    assert run(relay, "workspace", "remove", "Keller", check=False).returncode != 0, "without --yes nobody was asked"
    first = run(relay, "workspace", "remove", "default", "--yes", check=False)
    assert first.returncode != 0 and "first" in first.stderr
    assert list(workspaces(relay)) == ["default", "Keller"]


def test_a_code_is_for_the_workspace_that_it_names(relay: Relay, client: Callable[..., WireClient]) -> None:
    run(relay, "workspace", "add", OTHER)
    made = json.loads(run(relay, "pair", "--workspace", OTHER, "--json").stdout)
    assert made["workspace"]["name"] == OTHER
    paired = relay.post("/v1/pair", {"code": made["link"].partition("pair=")[2].partition("&")[0], "name": "their phone"})
    theirs = client(relay, "their phone", token=paired.json["token"])
    ours = client(relay, "our phone")
    assert theirs.welcome["workspace"]["name"] == OTHER and ours.welcome["workspace"]["name"] == "default"
    assert theirs.welcome["epoch"] != ours.welcome["epoch"], "a position of one means nothing in the other"
    names = {entry["name"]: entry["workspace"]["name"] for entry in relay.tokens()}
    assert names == {"their phone": OTHER, "our phone": "default"}
    assert f"in {OTHER}" in run(relay, "token", "list").stdout
    # Connected peers receive the new name when they reconnect.
    run(relay, "workspace", "rename", OTHER, "Their new")
    assert client(relay, "again", token=theirs.token).welcome["workspace"]["name"] == "Their new"


def test_an_invitation_lets_a_device_and_a_machine_into_a_workspace_of_their_own(relay: Relay, client: Callable[..., WireClient]) -> None:
    invited = run(relay, "workspace", "invite", OTHER, "--days", "2", "--json")
    assert "nobody elsewhere reaches" in invited.stderr
    links = json.loads(invited.stdout)
    assert 47 < (links["expiresAt"] / 1000 - time.time()) / 3600 < 49
    code = links["device"].partition("#pair=")[2]
    phone = client(relay, "their phone", token=relay.post("/v1/pair", {"code": code, "name": "their phone"}).json["token"])
    assert phone.welcome["workspace"]["name"] == OTHER and "steer" in phone.welcome["may"]
    code = links["machine"].partition("#host=")[2]
    host = ScriptedHost(relay, "their laptop", relay.post("/v1/pair", {"code": code, "name": "their laptop"}).json["token"])
    host.start_session("s1", title="Their plan")
    phone.subscribe()
    phone.wait_summary("s1", lambda summary: summary["title"] == "Their plan")
    assert relay.post("/v1/pair", {"code": code, "name": "again"}).status == 404, "once"
    ours = client(relay, "our phone")
    ours.subscribe()
    assert not ours.summaries
    # Another member would see all of the workspace.
    refused = run(relay, "workspace", "invite", OTHER, check=False)
    assert refused.returncode == 1 and not refused.stdout
    assert "1 host (their laptop) and 1 client (their phone)" in refused.stderr and "--again" in refused.stderr
    assert "already" in run(relay, "workspace", "invite", "default", check=False).stderr
    again = run(relay, "workspace", "invite", OTHER, "--again", "--json")
    assert json.loads(again.stdout)["workspace"]["id"] == links["workspace"]["id"]
    assert "shared with 1 host (their laptop)" in run(relay, "workspace", "invite", OTHER, "--again").stdout
    assert run(relay, "workspace", "invite", OTHER, "--days", "31", check=False).returncode == 2
    said = run(relay, "workspace", "invite", "Kitchen", "--url", "https://relay.example").stdout
    assert "2 open codes" in run(relay, "workspace", "invite", "Kitchen", check=False).stderr, "it may be another's"
    assert "join 'https://relay.example/#join=" in said and "7 days" in said


def left(relay: Relay) -> int:
    """Rows of the other workspace's data."""
    return relay.rows("SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM sessions) + (SELECT count(*) FROM approvals)")[0][0]


def test_a_removed_workspace_is_gone_and_the_other_notices_nothing(sides: tuple[Side, Side], relay: Relay) -> None:
    ours, theirs = sides
    fill(ours, "s1", "Our plan", "make tea")
    own_rows = left(relay)
    fill(theirs, "s1", "Their plan", "launch the missiles")
    theirs.phone.command("budget", budget={"scope": "workspace", "microUSD": 5_000_000, "levels": [50]})
    number = workspaces(relay)[OTHER]["id"]
    said, closings = len(ours.phone.messages), len(ours.host.closed_with)
    removed = json.loads(run(relay, "workspace", "remove", OTHER, "--yes", "--json").stdout)
    assert {entry["name"] for entry in removed["revoked"]} == {"their laptop", "their phone"} and removed["dataIsGone"]
    wait_until(lambda: not theirs.phone.connection.is_open, 10, "their phone is shown out")
    assert "this workspace was removed" in theirs.phone.connection.close_reason
    wait_until(lambda: 4401 in theirs.host.closed_with, 10, lambda: f"their host is shown out, with {theirs.host.closed_with}")
    theirs.host.disconnect()
    assert relay.get("/v1/me", {"Authorization": f"Bearer {theirs.phone.token}"}).status == 401
    wait_until(lambda: left(relay) == own_rows, 20, lambda: f"the data is gone: {left(relay)} rows, {own_rows} of them ours")
    assert relay.rows("SELECT count(*) FROM push_records WHERE workspace <> 'default'") == [(0,)]
    ours.phone.command("ping")
    assert [message["type"] for message in ours.phone.messages[said:]] == ["reply"] and len(ours.host.closed_with) == closings
    assert list(workspaces(relay)) == ["default"]
    # The deleted workspace's audit log remains, with the deletion as the last record; its name can be used again.
    words = [json.loads(line)["what"] for line in run(relay, "audit", "export", "--workspace", number).stdout.splitlines()]
    assert words[0] == "workspace.added" and words[-1] == "workspace.removed" and "approval.requested" in words
    run(relay, "audit", "verify")
    run(relay, "workspace", "add", OTHER)
    assert workspaces(relay)[OTHER]["id"] != number
    ours.phone.decide("s1", "the-approval", "deny")
    ours.host.wait_decision("the-approval")


def many(side: Side, count: int) -> None:
    for number in range(count):
        side.host.event("s1", "message", {"role": "user"}, {"text": f"{number}"})
    side.host.wait_acked("s1", timeout=30)


def test_a_crash_in_between_leaves_nothing_half(sides: tuple[Side, Side], relay: Relay) -> None:
    """The data is deleted in steps of 2,000 rows: after a kill at any moment the next start continues."""
    ours, theirs = sides
    fill(ours, "s1", "Our plan", "make tea")
    own_rows = left(relay)
    epoch = ours.phone.welcome["epoch"]
    fill(theirs, "s1", "Their plan", "launch the missiles")
    many(theirs, 5_000)
    run(relay, "workspace", "remove", OTHER, "--yes")
    relay.kill()
    theirs.host.disconnect()
    assert left(relay) >= own_rows
    relay.start()
    wait_until(lambda: left(relay) == own_rows, 20, lambda: f"the data is gone: {left(relay)} rows, {own_rows} of them ours")
    again = WireClient(relay, "again", ours.phone.token)
    again.subscribe()
    assert list(again.summaries) == ["s1"] and again.welcome["epoch"] == epoch
    again.close()
    run(relay, "audit", "verify")


@pytest.mark.parametrize("store", ["file", "database"])
def test_one_is_added_and_removed_while_no_relay_runs(store: str, make_relay: Callable[..., Relay], client: Callable[..., WireClient]) -> None:
    server = PostgresServer() if store == "database" else None
    relay = make_relay(*(["--store", server.address("postgres")] if server else []))
    try:
        ours = client(relay, "our phone")
        relay.stop()
        run(relay, "workspace", "add", OTHER)
        theirs = relay.token("host", "their laptop", OTHER), relay.token("operator", "their phone", OTHER)
        relay.start()
        host = ScriptedHost(relay, "their laptop", theirs[0])
        phone = WireClient(relay, "their phone", theirs[1])
        phone.subscribe()
        fill(Side(host, phone), "s1", "Their plan", "launch the missiles")
        again = client(relay, "again", token=ours.token)
        again.subscribe()
        assert not again.summaries and again.welcome["epoch"] == ours.welcome["epoch"]
        relay.stop()
        host.close()
        phone.close()
        assert json.loads(run(relay, "workspace", "remove", OTHER, "--yes", "--json").stdout)["dataIsGone"]
        if not server:
            assert left(relay) == 0
        relay.start()
        assert relay.get("/v1/me", {"Authorization": f"Bearer {theirs[1]}"}).status == 401
        assert client(relay, "at last", token=ours.token).welcome["epoch"] == ours.welcome["epoch"]
        run(relay, "audit", "verify")
        relay.stop()
    finally:
        relay.kill()
        if server:
            server.close()


def test_a_removal_on_another_machine_takes_effect_at_the_relay(
    make_relay: Callable[..., Relay], client: Callable[..., WireClient], tmp_path: Path
) -> None:
    """The command reaches only the database; the relay notices the removal there and deletes the data itself."""
    server = PostgresServer()
    relay = make_relay("--store", server.address("postgres"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    shutil.copy(relay.data / "store.url", elsewhere)
    hosts = []
    try:
        run(relay, "workspace", "add", OTHER)
        ours, theirs = ScriptedHost(relay, "our laptop"), ScriptedHost(relay, "their laptop", relay.token("host", "their laptop", OTHER))
        hosts += [ours, theirs]
        for host in hosts:
            host.start_session("s1")
            host.wait_acked("s1")
        number = workspaces(relay)[OTHER]["id"]
        removed = relay.run("workspace", "remove", OTHER, "--yes", "--json", "--data", str(elsewhere))
        assert json.loads(removed.stdout)["dataIsGone"]
        wait_until(lambda: {401, 4401} & set(theirs.closed_with), 30, lambda: f"their host is shown out, with {theirs.closed_with}")
        theirs.disconnect()
        ours.event("s1", "message", {"role": "user"}, {"text": "to us"})
        ours.wait_acked("s1", timeout=30)
        phone = client(relay, "our phone")
        phone.subscribe()
        assert list(phone.summaries) == ["s1"]
        run(relay, "audit", "verify")
        relay.stop()
        assert json.loads(run(relay, "workspace", "remove", number, "--yes", "--json").stdout)["dataIsGone"]
    finally:
        for host in hosts:
            host.close()
        relay.kill()
        server.close()


def test_figures_of_all_workspaces_are_for_no_member_of_one(sides, relay):
    def status(token: str) -> int:
        # A request through a proxy, as if from a program on another machine.
        return relay.get("/metrics", {"Authorization": f"Bearer {token}", "X-Forwarded-For": "192.0.2.7"}).status

    theirs = relay.token("client", "their program", OTHER)
    mine = relay.token("client", "prometheus")
    paired = relay.post("/v1/pair", {"code": relay.pair_link().partition("pair=")[2], "name": "our phone", "kind": "app"}).json["token"]
    assert [status(theirs), status(mine), status(paired), status(relay.token("host", "laptop"))] == [401, 200, 401, 401]
    run(relay, "workspace", "remove", OTHER, "--yes")
    assert status(paired) == 200, "there is one"
