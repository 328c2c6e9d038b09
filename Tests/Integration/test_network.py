"""The real daemon, the relay and independent clients over a network that delays, cuts, drops, resets and falls silent.

HELIOGRAPH_SWEEP=1 cuts after every byte of an approval's messages instead of a sample.
"""

import json
import os
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from client import WireClient
from daemon import Daemon, recorded_call
from fault_proxy import Direction, FaultProxy
from follower import Follower, whole_log
from history import check_decisions, check_host, check_view, positions_of
from host import ScriptedHost, now_ms
from namespaces import Namespace, namespace
from relay import Relay
from waits import patient, wait_until

SWEEPS_ALL = os.environ.get("HELIOGRAPH_SWEEP") == "1"
HOST_SAMPLES = 20
CLIENT_SAMPLES = 40
HEARTBEAT_SECONDS = 2
NOTICED_SLACK_SECONDS = 10
"""Slack for a busy machine, beside two intervals of 2 s. A peer that was not told of them would use the default 15 s, and notice after 30."""
STAGES = ["approval.requested", "approval.decided", "approval.delivered", "approval.applied"]


@pytest.fixture
def proxy(relay) -> Iterator[FaultProxy]:
    proxy = FaultProxy(relay)
    yield proxy
    proxy.close()


@pytest.fixture
def laptop(relay, proxy, short_path) -> Iterator[Daemon]:
    """The real daemon, connected through the proxy."""
    laptop = Daemon(short_path, relay)
    try:
        laptop.start(relay.pair_link("host", proxy.url))
        laptop.wait_link()
        yield laptop
        proxy.heal()
        laptop.stop()
    finally:
        laptop.kill()


@pytest.fixture
def phone(relay, client) -> WireClient:
    phone = client(relay, "phone")
    phone.subscribe()
    return phone


class Agent:
    """An agent's session on the daemon's machine."""

    def __init__(self, daemon: Daemon):
        self.daemon = daemon
        self.session = str(uuid.uuid4())
        self.wire_session = f"claude-{self.session}"
        self.hook("SessionStart", "")

    def hook(self, event: str, call: str) -> None:
        self.daemon.hook(event, self.input(event, call))

    def input(self, event: str, call: str) -> dict[str, Any]:
        return recorded_call(event, self.session, call, self.daemon.project.parent)

    def ask(self, call: str) -> Any:
        """Makes the hook calls PreToolUse and PermissionRequest for a Bash call; returns the hook's process, which waits for the decision."""
        input = self.input("PermissionRequest", call)
        input["tool_input"] = {"command": f"echo {call}"}
        self.daemon.hook("PreToolUse", self.input("PreToolUse", call) | {"tool_name": input["tool_name"], "tool_input": input["tool_input"]})
        return self.daemon.ask(input)

    def ran(self, call: str) -> None:
        """Reports that the allowed tool ran."""
        asked = self.input("PermissionRequest", call)
        self.daemon.hook("PostToolUse", self.input("PostToolUse", call) | {"tool_name": asked["tool_name"], "tool_input": {"command": f"echo {call}"}})


def play(agent: Agent, first: int, count: int) -> None:
    """Makes hook calls for tools that need no approval."""
    for number in range(first, first + count):
        agent.hook("PreToolUse", f"toolu_{number}")
        agent.hook("PostToolUse", f"toolu_{number}")


def check_played(relay: Relay, agent: Agent, count: int) -> None:
    """Checks that the log has these calls once and in order, and all stages of the approval of the only other call."""
    log = whole_log(relay, agent.wire_session)
    for kind in ("tool.started", "tool.finished"):
        calls = [event["head"]["call"] for event in log if event["kind"] == kind and event["head"]["call"] != "toolu_asked"]
        assert calls == [f"toolu_{number}" for number in range(count)], f"{kind}: {calls}"
    for stage in STAGES:
        assert len(positions_of(log, stage)) == 1, f"{stage}: {positions_of(log, stage)}"


def decision_of(process: Any) -> str:
    """The decision that the hook printed when it ended."""
    out, err = process.communicate(timeout=patient(60))
    assert process.returncode == 0 and out, f"the hook ended with {process.returncode} and said nothing: {err}"
    return json.loads(out)["hookSpecificOutput"]["decision"]["behavior"]



def sample(total: int, count: int) -> range:
    """Byte counts after which to cut: all, or evenly spaced ones."""
    return range(1, total + 1, 1 if SWEEPS_ALL else max(1, total // count))


@pytest.mark.timeout(3600 if SWEEPS_ALL else 120)
@pytest.mark.parametrize("direction", ["up", "down"])
def test_a_cut_between_host_and_relay_at_any_byte(relay, proxy, laptop, direction: Direction):
    """Request, decision, delivery and application are each in the log once, and the agent gets the decision once."""
    phone = Follower(relay, "phone", [], lambda _: "allow")
    try:
        agent = Agent(laptop)
        calls = []

        def journey(cut_after: int | None) -> None:
            call = f"toolu_{len(calls)}"
            calls.append(call)
            proxy.set(direction, cut_after=cut_after)
            process = agent.ask(call)
            assert decision_of(process) == "allow"
            agent.ran(call)
            laptop.wait_delivered()

        journey(None)
        total = proxy.passed(direction)
        offsets = sample(total, HOST_SAMPLES)
        for offset in offsets:
            # A new daemon, because one whose connections keep failing waits longer before each attempt.
            laptop.stop()
            laptop.start()
            laptop.wait_link()
            journey(offset)
        print(f"cut {proxy.cuts} times within {total} bytes {direction}, at {offsets}")
        assert proxy.cuts >= len(offsets) // 2, "most cuts must fall into the journey"
        log = whole_log(relay, agent.wire_session)
        for stage in STAGES:
            approvals = positions_of(log, stage)
            assert len(approvals) == len(set(approvals)) == len(calls), f"{stage}: {approvals}"
        assert {event["head"]["outcome"] for event in log if event["kind"] == "approval.applied"} == {"ran"}
        assert [event["head"]["call"] for event in log if event["kind"] == "tool.finished"] == calls
    finally:
        phone.close()


@pytest.mark.timeout(3600 if SWEEPS_ALL else 120)
@pytest.mark.parametrize("direction", ["up", "down"])
def test_a_cut_between_client_and_relay_at_any_byte(relay, proxy, scripted_host, direction: Direction):
    """Handshake, subscription, approval, decision, reply: the client reconnects with its position and repeats the command."""
    host = scripted_host(relay)
    host.start_session("s1")
    host.wait_acked("s1")
    phone = Follower(proxy, "phone", ["s1"], lambda _: "allow")
    try:

        def journey(cut_after: int | None) -> None:
            approval = host.request_approval("s1", "Bash", {"command": "make"})
            host.wait_acked("s1")
            proxy.set(direction, cut_after=cut_after)
            proxy.cut()  # the cut starts at the first byte, so that the handshake is included
            wait_until(lambda: approval in phone.replies, 20, lambda: f"the reply: {phone!r}")
            host.wait_decision(approval)
            host.apply("s1", approval)
            host.wait_acked("s1")

        for _ in range(3):
            journey(None)
        total = proxy.passed(direction)
        offsets = sample(total, CLIENT_SAMPLES)
        for offset in offsets:
            journey(offset)
        print(f"cut {proxy.cuts} times within {total} bytes {direction}, at {offsets}")
        assert proxy.cuts >= len(offsets) // 2, "most cuts must fall into the journey"
        proxy.heal()
        log = whole_log(relay, "s1")
        wait_until(lambda: phone.positions["s1"][1] >= len(log), 20, lambda: f"the phone to be level: {phone!r}")
    finally:
        phone.close()
    check_host(host, "s1", log)
    check_view(phone, "s1", log)
    assert len(check_decisions(log, [phone], [host])) == len(host.digests)
    assert all("error" not in reply for reply in phone.replies.values()), phone.replies



@pytest.mark.parametrize("faults", [{"slice": 1}, {"delay": 0.05}, {"bytes_per_second": 4000}], ids=["one byte at a time", "delayed", "narrow"])
def test_a_poor_link_only_takes_longer(relay, proxy, laptop, phone, faults):
    proxy.set("up", **faults)
    proxy.set("down", **faults)
    agent = Agent(laptop)
    process = agent.ask("toolu_1")
    card = phone.wait_card(timeout=30)
    assert phone.decide(card["session"], card["approval"], "allow")["stage"] == "decided"
    assert decision_of(process) == "allow"
    agent.ran("toolu_1")
    phone.wait_approval(card["approval"], "applied", timeout=30)


def test_a_reset_is_a_cut_like_any_other(relay, proxy, laptop, phone):
    agent = Agent(laptop)
    process = agent.ask("toolu_1")
    card = phone.wait_card()
    proxy.cut(reset=True)
    assert phone.decide(card["session"], card["approval"], "deny", message="no")["stage"] == "decided"
    assert decision_of(process) == "deny"



def test_a_decision_waits_for_a_host_that_cannot_be_heard(relay, proxy, laptop, phone):
    """Neither side has noticed the dead connection: the decision is stored but not delivered, and arrives in the end."""
    agent = Agent(laptop)
    process = agent.ask("toolu_asked")
    card = phone.wait_card()
    proxy.set("up", is_black=True)
    proxy.set("down", is_black=True)
    assert phone.decide(card["session"], card["approval"], "allow", id="once")["stage"] == "decided"
    assert phone.decide(card["session"], card["approval"], "allow", id="once")["stage"] == "decided"
    play(agent, 0, 5)
    assert phone.approvals[card["approval"]]["stage"] == "decided" and process.poll() is None
    proxy.heal()
    assert decision_of(process) == "allow"
    phone.wait_approval(card["approval"], "delivered")
    agent.ran("toolu_asked")
    laptop.wait_delivered()
    check_played(relay, agent, 5)


@pytest.mark.parametrize("ending", ["kill", "stop"])
def test_what_ran_before_the_daemon_was_restarted_stays_applied(relay, proxy, laptop, phone, ending):
    """Reports from before the restart wait in the daemon's spool while the relay, which lacks them, sends the decision again."""
    agent = Agent(laptop)
    process = agent.ask("toolu_asked")
    card = phone.wait_card()
    proxy.set("up", is_black=True)
    assert phone.decide(card["session"], card["approval"], "allow")["stage"] == "decided"
    assert decision_of(process) == "allow"
    agent.ran("toolu_asked")
    getattr(laptop, ending)()
    proxy.cut(reset=True)
    proxy.heal()
    laptop.start()
    laptop.wait_link()
    phone.wait_approval(card["approval"], "applied")
    laptop.wait_delivered()
    check_played(relay, agent, 0)
    log = whole_log(relay, agent.wire_session)
    assert not positions_of(log, "approval.stale"), log
    assert not [event for event in log if event["kind"] == "truncated"]


def test_an_answer_lost_on_its_way_is_asked_for_again(relay, proxy, scripted_host):
    """The relay has decided but the reply is lost: the same command on a new connection gets the same reply."""
    host = scripted_host(relay)
    host.start_session("s1")
    approval = host.request_approval("s1", "Bash", {"command": "make"})
    host.wait_acked("s1")
    phone = WireClient(proxy, "phone")
    phone.subscribe()
    proxy.set("down", is_black=True)
    command = {"session": "s1", "approval": approval, "digest": host.digests[approval], "decision": "allow"}
    phone.connection.send({"type": "decide", "id": "once", **command})
    host.wait_decision(approval)
    proxy.cut()
    proxy.heal()
    again = WireClient(proxy, "phone", phone.token)
    assert again.command("decide", id="once", **command)["stage"] == "decided"
    other = WireClient(relay, "tablet")
    assert other.command("decide", **command | {"decision": "deny"})["error"]["winner"]["command"] == "once"
    for peer in (phone, again, other):
        peer.close()
    assert positions_of(whole_log(relay, "s1"), "approval.decided") == [approval]


def test_what_expires_while_the_host_is_away_never_reaches_it(relay, proxy, phone):
    host = ScriptedHost(proxy)
    try:
        host.start_session("s1")
        host.wait_acked("s1")
        approval = host.request_approval("s1", "Bash", {"command": "make"}, expiresAt=now_ms() + 300)
        phone.wait_approval(approval, "pending")
        proxy.set("up", is_black=True)
        proxy.set("down", is_black=True)
        phone.wait_approval(approval, "expired", timeout=20)
        assert phone.decide("s1", approval, "allow")["error"]["code"] == "closed"
        proxy.heal()
        host.event("s1", "message", {"role": "user"}, {"text": "a round trip"})
        host.wait_acked("s1")
        assert host.decisions == []
    finally:
        host.close()


def test_a_dead_connection_is_found_from_both_sides(make_relay, short_path):
    """After two intervals of silence the relay marks the host as offline and closes a client's connection; the daemon reconnects."""
    relay = make_relay("--heartbeat", str(HEARTBEAT_SECONDS))
    laptop = Daemon(short_path, relay)
    proxy = FaultProxy(relay)
    phone = WireClient(relay, "phone")
    gone = None
    try:
        phone.subscribe()
        laptop.start(relay.pair_link("host", proxy.url))
        laptop.wait_link()
        session = Agent(laptop).wire_session
        assert phone.welcome["heartbeat"] == {"pingSeconds": HEARTBEAT_SECONDS, "hangUpSeconds": 2 * HEARTBEAT_SECONDS}
        phone.wait_summary(session, lambda summary: summary["host"]["connected"])
        connections = 'heliograph_connections{role="client"}'
        # The daemon has received the heartbeat intervals over its new connection by now.
        connected = proxy.connections
        proxy.cut()
        wait_until(lambda: proxy.connections > connected, 10, "the daemon to come back")
        phone.wait_summary(session, lambda summary: summary["host"]["connected"])
        laptop.wait_link()
        gone = WireClient(proxy, "gone")
        gone.subscribe()
        assert relay.metric(connections) == 2
        silent = time.monotonic()
        proxy.set("up", is_black=True)
        proxy.set("down", is_black=True)
        found = {}
        phone.wait_summary(session, lambda summary: not summary["host"]["connected"], timeout=40)
        found["the host"] = time.monotonic() - silent
        wait_until(lambda: relay.metric(connections) == 1, 40, lambda: f"the silent client to be let go: {relay.metric(connections)}")
        found["the client"] = time.monotonic() - silent
        wait_until(lambda: laptop.status()["link"]["state"] != "live", 40, lambda: f"the daemon to notice: {laptop.status()}")
        found["the relay"] = time.monotonic() - silent
        print(f"seconds until the silence of each is noticed: {found}")
        assert max(found.values()) <= 2 * HEARTBEAT_SECONDS + NOTICED_SLACK_SECONDS, found
        proxy.heal()
        phone.wait_summary(session, lambda summary: summary["host"]["connected"], timeout=40)
        phone.check()
        laptop.stop()
    finally:
        for peer in (phone, gone):
            if peer:
                peer.close()
        laptop.kill()
        proxy.close()



@pytest.fixture
def island(tmp_path, short_path) -> Iterator[tuple[Relay, Daemon, Namespace]]:
    """A daemon in a network namespace of its own, with the relay outside."""
    with namespace() as net:
        relay = Relay(tmp_path / "relay")
        relay.address = "0.0.0.0"
        laptop = Daemon(short_path, relay, prefix=net.prefix)
        try:
            relay.start()
            net.lead_out(relay.port)
            laptop.start(relay.pair_link("host"))
            laptop.wait_link()
            yield relay, laptop, net
            net.heal()
            laptop.stop()
            relay.stop()
            relay.check_log()
        finally:
            laptop.kill()
            relay.kill()


@pytest.mark.parametrize("fault", ["part", "reset"])
def test_a_partition_heals(island, fault):
    """Events from both sides arrive when the network works again: in order, once."""
    relay, laptop, net = island
    phone = WireClient(relay, "phone")
    phone.subscribe()
    agent = Agent(laptop)
    play(agent, 0, 5)
    process = agent.ask("toolu_asked")
    card = phone.wait_card()
    getattr(net, fault)()
    assert phone.decide(card["session"], card["approval"], "allow")["stage"] == "decided"
    play(agent, 5, 10)
    assert process.poll() is None
    net.heal()
    assert decision_of(process) == "allow"
    agent.ran("toolu_asked")
    laptop.wait_delivered()
    phone.wait_approval(card["approval"], "applied")
    phone.close()
    check_played(relay, agent, 15)


def test_lost_packets_lose_nothing(island):
    relay, laptop, net = island
    net.lose(percent=15)
    phone = WireClient(relay, "phone")
    phone.subscribe()
    agent = Agent(laptop)
    thread = threading.Thread(target=play, args=(agent, 0, 60))
    thread.start()
    process = agent.ask("toolu_asked")
    card = phone.wait_card(timeout=60)
    assert phone.decide(card["session"], card["approval"], "allow")["stage"] == "decided"
    assert decision_of(process) == "allow"
    agent.ran("toolu_asked")
    thread.join()
    laptop.wait_delivered(timeout=60)
    phone.wait_approval(card["approval"], "applied", timeout=60)
    phone.close()
    check_played(relay, agent, 60)
