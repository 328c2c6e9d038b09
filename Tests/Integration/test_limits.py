"""Exceeding each limit by one: connections, requests, messages, approvals, sessions, bytes. A refused peer gets a time to retry; a host's events are
kept.
"""

import json
import re
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from client import WireClient
from daemon import Daemon, paired, recorded_call
from disk_faults import injected
from host import ScriptedHost
from relay import Relay
from waits import patient, wait_until
from wire import SUBPROTOCOL, Connection

TURNED_AWAY = "heliograph_connections_turned_away_total"
BATCH_BYTES = 3 << 19
"""FairShares.batchCostMax: so many bytes of one host are in one commit, and what one read of its socket brought."""
VISITOR, NEIGHBOUR = {"X-Forwarded-For": "203.0.113.1"}, {"X-Forwarded-For": "203.0.113.2"}
"""Loopback is a trusted proxy by default, so a test names its visitor."""


def count(relay: Relay, limit: str, name: str = TURNED_AWAY) -> float:
    return relay.metric(f'{name}{{limit="{limit}"}}')


def refused(relay: Relay, token: str, headers: dict[str, str] | None = None) -> int:
    """Tries a WebSocket that has to be refused with a time to retry; returns the status."""
    with pytest.raises(InvalidStatus) as caught:
        Connection(relay.url, "/v1/client", token, headers=headers)
    response = caught.value.response
    assert 1 <= int(response.headers["Retry-After"]) <= 8, response.headers
    return response.status_code



def test_connections_of_a_token(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay("--limits-connections-per-token", "2")
    with closing(WireClient(relay)) as one, closing(WireClient(relay, token=one.token)):
        assert refused(relay, one.token) == 429
        with closing(WireClient(relay, "another")):
            pass
        assert count(relay, "connectionsPerToken") == 1
        one.close()
        wait_until(lambda: lets_in(relay, one.token), 20, "room")


def lets_in(relay: Relay, token: str) -> bool:
    try:
        Connection(relay.url, "/v1/client", token).close()
    except InvalidStatus:
        return False
    return True


def test_connections_of_an_address(make_relay: Callable[..., Relay]) -> None:
    """Connections count for the visitor that the proxy names; addresses further left in the header are the visitor's own claims."""
    relay = make_relay("--limits-connections-per-address", "1", "--log-level", "info")
    with closing(WireClient(relay, headers=VISITOR)) as one:
        assert refused(relay, one.token, VISITOR) == 429
        assert refused(relay, one.token, {"X-Forwarded-For": "203.0.113.9, 203.0.113.1"}) == 429
        assert refused(relay, one.token, {"X-Forwarded-For": "203.0.113.1, 127.0.0.9"}) == 429
        with closing(WireClient(relay, headers=NEIGHBOUR)), closing(WireClient(relay)), closing(WireClient(relay)):
            assert count(relay, "connectionsPerAddress") == 3
    assert '"peer":"203.0.113.1"' in relay.log_text()


def test_a_network_of_ipv6_counts_as_one(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay("--limits-connections-per-address", "1")
    with closing(WireClient(relay, headers={"X-Forwarded-For": "2001:db8:0:1::1"})) as one:
        assert refused(relay, one.token, {"X-Forwarded-For": "2001:db8:0:1:ffff::2"}) == 429
        with closing(WireClient(relay, headers={"X-Forwarded-For": "2001:db8:0:2::1"})):
            pass


def test_connections_of_a_workspace(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay("--limits-connections-per-workspace", "2")
    with closing(WireClient(relay)) as one, closing(ScriptedHost(relay)):
        assert refused(relay, one.token) == 503
        assert count(relay, "connectionsPerWorkspace") == 1


def test_a_host_that_was_turned_away_comes_back_when_it_is_told(make_relay: Callable[..., Relay], short_path: Any) -> None:
    relay = make_relay("--limits-connections-per-workspace", "1")
    laptop = Daemon(short_path, relay)
    try:
        with closing(WireClient(relay)):
            laptop.start(relay.pair_link("host"))
            wait_until(lambda: count(relay, "connectionsPerWorkspace") >= 1, 20, "the host to be turned away")
        laptop.wait_link()
        laptop.stop()
    finally:
        laptop.kill()
    assert re.search(r"refused with HTTP 503, to come back in [1-8] s", laptop.log_text()), laptop.log_text()



def test_nobody_is_believed_who_is_not_trusted(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay("--limits-connections-per-address", "1", "--trusted-proxies", "192.0.2.0/24", "--log-level", "info")
    with closing(WireClient(relay, headers=VISITOR)) as one:
        assert refused(relay, one.token, NEIGHBOUR) == 429
    assert '"peer":"203.0.113' not in relay.log_text() and '"peer":"127.0.0.1"' in relay.log_text()


def test_only_the_header_that_proxies_write_is_read(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay("--proxy-header", "Forwarded", "--log-level", "info")
    with closing(WireClient(relay, headers={**VISITOR, "Forwarded": 'for="[2001:db8::9]:4711";proto=https'})):
        assert '"peer":"2001:db8::9"' in relay.log_text() and "203.0.113" not in relay.log_text()


def test_a_proxy_that_talks_nonsense_is_told_of_once(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay("--log-level", "info")
    for value in ("unknown", "203.0.113.1, \x7f", ",", "203.0.113.1:99999"):
        assert relay.get("/healthz", {"X-Forwarded-For": value}).status == 200
    assert relay.log_text().count("does not say who sent its requests") == 1



def test_requests_of_an_address(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay("--limits-requests-per-second-per-address", "1")
    assert [relay.get("/healthz", VISITOR).status for _ in range(10)] == [200] * 10
    late = wait_until(lambda: next((answer for answer in [relay.get("/healthz", VISITOR)] if answer.status == 429), None), 20, "one too many")
    assert 1 <= int(late.headers["Retry-After"]) <= 2
    assert relay.get("/healthz", NEIGHBOUR).status == 200 and relay.get("/healthz").status == 200
    assert count(relay, "requestsPerSecondPerAddress") == 1


@contextmanager
def half_a_request(relay: Relay, headers: dict[str, str]) -> Iterator[socket.socket]:
    """Sends a request's head without its body."""
    with socket.create_connection(("127.0.0.1", relay.port), timeout=patient(10)) as knock:
        lines = ["POST /v1/pair HTTP/1.1", "Host: x", "Content-Length: 5", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        knock.sendall("\r\n".join(lines).encode())
        yield knock


def test_requests_under_way_of_an_address(make_relay: Callable[..., Relay]) -> None:
    """The limit on unauthenticated requests counts a proxy's visitors separately."""
    relay = make_relay("--limits-pending-per-address", "2")
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(half_a_request(relay, VISITOR))
        wait_until(lambda: relay.get("/healthz", VISITOR).status == 429, 20, "the visitor to be counted")
        assert "Retry-After" in relay.get("/healthz", VISITOR).headers
        assert relay.get("/healthz", NEIGHBOUR).status == 200 and relay.get("/healthz").status == 200
        assert count(relay, "address") >= 2
    wait_until(lambda: relay.get("/healthz", VISITOR).status == 200, 20, "room")


def test_the_time_to_say_who_one_is(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay("--limits-handshake-seconds", "1")
    with socket.create_connection(("127.0.0.1", relay.port), timeout=patient(20)) as knock:
        knock.sendall(b"GET / HTTP/1.1\r\nHost:")
        assert knock.recv(100) == b""
    assert count(relay, "handshake") == 1


def test_the_size_of_saying_it(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay("--limits-header-kilobytes", "1", "--log-level", "info")
    assert relay.get("/healthz", {"Cookie": "x" * 500}).status == 200
    told = relay.get("/healthz", {"Cookie": "x" * 1_500})
    assert (told.status, told.body) == (431, b"the headers are longer than 1024 bytes\n")
    with pytest.raises(InvalidStatus) as caught:
        Connection(relay.url, "/v1/client", "x" * 1_500)
    assert caught.value.response.status_code == 431
    assert count(relay, "headerKilobytes") == 2
    # libwebsockets closes the connection if a header is too large, known or unknown.
    for name in ("Cookie", "X-Nobody-Knows"):
        with pytest.raises(OSError):
            relay.get("/healthz", {name: "x" * 3_000})
    wait_until(lambda: count(relay, "headerKilobytes") == 4, 20, "all of them to be counted")
    # A visitor who disconnects during a request is no longer counted.
    with socket.create_connection(("127.0.0.1", relay.port), timeout=patient(10)) as knock:
        knock.sendall(b"GET / HTTP/1.1\r\nHost:")
    assert relay.get("/healthz").status == 200 and count(relay, "headerKilobytes") == 4
    assert relay.log_text().count("a connection was turned away (headerKilobytes)") == 4



def until_slowed(relay: Relay, limit: str, send: Callable[[int], None], most: int = 5_000) -> int:
    """Sends until the relay reads more slowly, at any speed of this machine; returns the number of messages."""
    sent = 0
    while not count(relay, limit, "heliograph_slowed_total"):
        for _ in range(20):
            send(sent)
            sent += 1
        assert sent < most, f"{limit} slowed nobody"
    return sent


@pytest.mark.parametrize(
    ("limit", "flag", "size"),
    [
        ("messagesPerSecondPerHost", "--limits-messages-per-second-per-host", 100),
        ("kilobytesPerSecondPerHost", "--limits-kilobytes-per-second-per-host", 4 << 10),
        ("messagesPerSecondPerAddress", "--limits-messages-per-second-per-address", 100),
        ("kilobytesPerSecondPerAddress", "--limits-kilobytes-per-second-per-address", 4 << 10),
        ("messagesPerSecondPerWorkspace", "--limits-messages-per-second-per-workspace", 100),
        ("kilobytesPerSecondPerWorkspace", "--limits-kilobytes-per-second-per-workspace", 4 << 10),
    ],
)
def test_a_host_that_sends_more_is_read_slower_and_loses_nothing(make_relay: Callable[..., Relay], limit: str, flag: str, size: int) -> None:
    # Loopback has a limit of its own only if it is not a trusted proxy.
    relay = make_relay(flag, "50" if "kilo" in limit else "10", "--trusted-proxies", "192.0.2.0/24")
    with closing(ScriptedHost(relay)) as host:
        host.start_session("s1")
        sent = until_slowed(
            relay, limit, lambda number: host.event("s1", "message", {"role": "assistant", "message": f"m{number}"}, {"text": "x" * size}) and None
        )
        host.wait_acked("s1", timeout=30)
        assert host.closed_with == []
        (notice,) = host.notices()
        assert notice["code"] == "tooMany" and f"limits.{limit}" in notice["message"] and "path" not in notice
    assert f"limits.{limit}" in relay.log_text()
    assert relay.rows("select count(*) from events") == [(sent + 1,)]


@pytest.mark.parametrize(("limit", "flag", "size"), [
    ("messagesPerSecondPerClient", "--limits-messages-per-second-per-client", 100),
    ("kilobytesPerSecondPerClient", "--limits-kilobytes-per-second-per-client", 4 << 10),
])  # fmt: skip
def test_a_client_that_asks_more_is_answered_later(make_relay: Callable[..., Relay], limit: str, flag: str, size: int) -> None:
    relay = make_relay(flag, "50" if "kilo" in limit else "10")
    with closing(WireClient(relay)) as client, closing(WireClient(relay, "another")) as other:
        asked = until_slowed(relay, limit, lambda number: client.connection.send({"type": "ping", "id": f"p{number}", "padding": "x" * size}))
        other.command("ping")
        client.wait(lambda message: message.get("id") == f"p{asked - 1}", 30, "the last answer")
        replies = [message["id"] for message in client.messages if message["type"] == "reply"]
        assert replies == [f"p{number}" for number in range(asked)]


def test_what_waits_for_the_disk_is_bounded(make_relay: Callable[..., Relay], tmp_path: Any) -> None:
    relay = make_relay("--limits-uncommitted-megabytes", "1")
    assert relay.process
    with closing(ScriptedHost(relay)) as host:
        host.start_session("s1")
        host.wait_acked("s1")
        with injected(relay.process.pid, "fdatasync:delay_enter=200000", log=tmp_path / "strace"):
            for number in range(40):
                host.event("s1", "message", {"role": "assistant", "message": f"m{number}"}, {"text": "x" * (100 << 10)})
            host.wait_acked("s1", timeout=30)
        assert host.closed_with == [] and count(relay, "uncommittedMegabytes", "heliograph_slowed_total") >= 1


def test_what_one_host_has_in_a_commit_is_bounded_so_that_others_do_not_wait_for_all_it_wants(make_relay: Callable[..., Relay], tmp_path: Any) -> None:
    """During a slow commit one host sends 8 MB and another one event, which is stored after two commits, not after all of the former's events."""
    relay = make_relay()
    assert relay.process
    size, number = 12_000, 700
    with ExitStack() as stack:
        busy, calm = (stack.enter_context(closing(ScriptedHost(relay, name))) for name in ("busy", "calm"))
        for host, session in ((busy, "busy"), (calm, "calm")):
            host.start_session(session)
            host.wait_acked(session)
        seen = len(busy.received)
        with injected(relay.process.pid, "fdatasync:delay_enter=100000", log=tmp_path / "strace"):
            for _ in range(number):
                busy.event("busy", "message", {"role": "assistant"}, {"text": "x" * size})
            calm.event("calm", "message", {"role": "assistant"}, {"text": "ls"})
            calm.wait_acked("calm", timeout=30)
            busy.wait_acked("busy", timeout=60)
        acks = [message["acks"] for message in busy.received[seen:] if message["type"] == "ack"]
        through = [1] + [entry["through"] for entries in acks for entry in entries]
        steps = [later - earlier for earlier, later in zip(through, through[1:], strict=False)]
        assert sum(steps) == number and max(steps) * size <= BATCH_BYTES * 3 / 2, steps
        assert busy.closed_with == [] and not busy.notices()



def test_open_approvals_of_a_session_a_host_and_a_workspace(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay(
        "--limits-open-approvals-per-session", "1", "--limits-open-approvals-per-host", "2", "--limits-open-approvals-per-workspace", "3"
    )
    with closing(WireClient(relay)) as phone, ExitStack() as stack:
        phone.subscribe()

        one, two = (stack.enter_context(closing(ScriptedHost(relay, name))) for name in ("one", "two"))
        for host, session, approval, stage in [
            (one, "a", "a1", "pending"), (one, "a", "a2", "stale"), (one, "b", "b1", "pending"), (one, "c", "c1", "stale"),
            (two, "d", "d1", "pending"), (two, "e", "e1", "stale"),
        ]:  # fmt: skip
            host.request_approval(session, "Bash", {"command": "ls"}, approval=approval)
            phone.wait_approval(approval, stage)
        for limit in ("openApprovalsPerSession", "openApprovalsPerHost", "openApprovalsPerWorkspace"):
            assert count(relay, limit, "heliograph_quota_refusals_total") == 1


def test_commands_of_a_day_are_few_for_each_client(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay("--limits-commands-per-day-per-client", "2")
    with ExitStack() as stack:
        host = stack.enter_context(closing(ScriptedHost(relay, capabilities=("steer",))))
        host.event("s1", "session.started", {"agent": {"name": "claude"}})
        host.event("s1", "steering.offered", {"actions": ["mode"], "modes": ["plan"]})
        host.wait_acked("s1")
        phone, tablet = (stack.enter_context(closing(WireClient(relay, name, role="operator"))) for name in ("phone", "tablet"))
        replies = [client.command("mode", session="s1", mode="plan") for client in (phone, phone, phone, tablet)]
        assert ["error" in reply for reply in replies] == [False, False, True, False] and replies[2]["error"]["code"] == "tooMany"
        assert count(relay, "commandsPerDayPerClient", "heliograph_quota_refusals_total") == 1


def test_a_session_too_many_waits_at_its_host(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay("--limits-sessions-per-host", "2")
    with closing(ScriptedHost(relay)) as host:
        for session in ("s1", "s2"):
            host.start_session(session)
            host.wait_acked(session)
        host.start_session("s3")
        wait_until(lambda: host.notices(), 20, "a word on it")
        assert host.notices()[0]["code"] == "tooMany" and host.notices()[0]["path"] == "$.session"
        host.event("s1", "session.ended", {})
        host.wait_acked("s1")

        def has_room() -> bool:
            host.disconnect()
            host.reconnect()
            return host.through.get("s3", 0) == 1

        wait_until(has_room, 20, "the ended session to make room", every=0.2)
        assert count(relay, "sessionsPerHost", "heliograph_quota_refusals_total") >= 1


def test_what_sessions_keep_in_memory_is_bounded_and_shown_in_pages_and_a_client_removes_one(make_relay: Callable[..., Relay]) -> None:
    """Steering offers of 60 kB each: beyond a megabyte they wait at their host, which is notified; a snapshot of them has a limited size."""
    relay = make_relay("--limits-session-megabytes-per-host", "1")
    offer = {"actions": ["prompt"], "commands": [f"/{number}" + "x" * 240 for number in range(200)]}
    names = [f"s{number}" for number in range(25)]
    with closing(ScriptedHost(relay)) as host, closing(WireClient(relay)) as phone:
        for name in names:
            host.events(name, [("session.started", {"agent": {"name": "claude"}}), ("steering.offered", offer)])
        wait_until(lambda: host.notices(), 20, "a word on it")
        assert host.notices()[0]["code"] == "tooMany" and host.notices()[0]["path"] == "$.session"
        assert count(relay, "sessionMegabytesPerHost", "heliograph_quota_refusals_total") >= 1

        def heard(name: str) -> bool:
            return host.through.get(name, 0) == 2 or any(notice.get("session") == name for notice in host.notices())

        wait_until(lambda: all(map(heard, names)), 20, "a word on each")
        kept = [name for name in names if host.through.get(name, 0) == 2]
        refused = set(names) - set(kept)
        assert 12 <= len(kept) < len(names)

        phone.subscribe()
        wait_until(lambda: set(kept) <= set(phone.summaries), 10, "every session that is kept")
        snapshots = [message for message in phone.messages if message["type"] == "snapshot"]
        assert all(len(json.dumps(message)) < 1 << 20 for message in snapshots) and len(snapshots[0]["sessions"]) < len(kept)

        assert snapshots[0]["more"] is True
        phone.wait(lambda message: message["type"] == "snapshotEnd", what="the end of the pages")
        listed = json.loads(relay.run("sessions", "--all", "--json", "--data", str(relay.data)).stdout)["sessions"]
        assert {summary["session"] for summary in listed} == set(kept), "one look shows all of them"

        assert "error" not in phone.command("remove", session="s0")
        phone.wait(lambda message: message["type"] == "removed" and message["session"] == "s0", what="s0 to be removed")
        assert phone.command("history", session="s0", before=10, limit=10)["error"]["code"] == "notFound"

        def has_room() -> bool:
            host.disconnect()
            host.reconnect()
            return any(host.through.get(name, 0) == 2 for name in refused)

        wait_until(has_room, 20, "what was removed to make room", every=0.2)


def test_a_session_that_says_too_much_waits_at_its_host_and_the_others_go_on(make_relay: Callable[..., Relay], short_path: Path) -> None:
    relay = make_relay("--limits-messages-per-second-per-session", "1")
    with paired(short_path, relay) as laptop:
        calls = 0
        while not count(relay, "messagesPerSecondPerSession", "heliograph_quota_refusals_total"):
            laptop.hook("PostToolUse", recorded_call("PostToolUse", "busy", f"call-{calls}", short_path))
            calls += 1
            assert calls < 200, "nobody was told to wait"
        with closing(WireClient(relay)) as phone:
            phone.subscribe()
            laptop.hook("SessionStart", recorded_call("SessionStart", "quiet", "", short_path))
            phone.wait(lambda message: message["type"] == "summary" and message["summary"]["session"] == "claude-quiet", 20, "the other session")
        laptop.wait_delivered(60)
        assert relay.rows("select count(*) from events where kind = 'tool.finished'") == [(calls,)]



def test_short_of_memory_the_slow_go_first_then_nobody_new_comes_and_hosts_are_heard(make_relay: Callable[..., Relay]) -> None:
    relay = make_relay()
    used = relay.metric("heliograph_memory_bytes")
    assert 0 < used < relay.metric("heliograph_memory_budget_bytes")
    relay.arguments = ["--limits-memory-megabytes", str(int(used / 2**20) + 20), "--limits-connections-per-token", "0"]
    relay.restart()
    with closing(ScriptedHost(relay)) as host, closing(WireClient(relay)) as quick, ExitStack() as stack:
        host.start_session("s1")
        host.wait_acked("s1")
        quick.subscribe("s1")
        slow = stack.enter_context(deaf_client(relay, relay.token("client", "slow"), "s1"))
        for number in range(60):
            host.event("s1", "message", {"role": "assistant", "message": f"m{number}"}, {"text": "x" * (200 << 10)})
        host.wait_acked("s1", timeout=30)
        wait_until(lambda: relay.metric("heliograph_congestions_total") >= 1, 20, "the slow one to be behind")
        crowd = relay.token("client", "crowd")

        def while_more_come(condition: Callable[[], Any]) -> bool:
            """Opens connections until a condition holds; each one occupies memory that cannot be freed while it is open."""
            for _ in range(100):
                stack.enter_context(opened(relay, crowd)).sendall(frame(b" " * 15_000 + b"{}", final=True))
            return bool(condition())

        cut_off = "heliograph_clients_cut_off_total"
        wait_until(lambda: while_more_come(lambda: relay.metric(cut_off) == 1), 20, "the slow one to be cut off", every=0.2)
        # A closed client has five seconds to read the reason.
        assert closing_code(slow) in (4029, 1006)
        wait_until(lambda: while_more_come(lambda: not lets_in(relay, quick.token)), 30, "nobody new to be let in", every=0.2)
        assert refused(relay, quick.token) == 503
        assert count(relay, "memoryMegabytes") >= 2
        host.event("s1", "message", {"role": "assistant", "message": "heard"}, {"text": "still"})
        host.wait_acked("s1")
        quick.wait_event("s1", lambda event: event["head"].get("message") == "heard")
        quick.check()
        stack.close()
        wait_until(lambda: lets_in(relay, quick.token), 30, "memory again")


def test_unfinished_messages_of_one_token_cost_nobody_else_anything(make_relay: Callable[..., Relay]) -> None:
    """200 connections of one token, each with an unfinished message of a megabyte: they are closed, and other peers can connect throughout."""
    relay = make_relay("--limits-memory-megabytes", "120")
    greedy, others = relay.token("client", "greedy"), relay.token("client", "others")
    begun = frame(b"x" * 1_000_000, final=False)
    with ExitStack() as stack:
        patient_one = stack.enter_context(opened(relay, others))
        patient_one.sendall(frame(b'{"type":"hello","version":1,', final=False))
        for number in range(200):
            one = stack.enter_context(opened(relay, greedy))
            # The relay may close the connection during a send.
            with suppress(OSError):
                one.sendall(begun)
            if number % 10 == 0:
                assert lets_in(relay, others), f"a newcomer was refused beside {number} unfinished messages"
        assert relay.metric("heliograph_memory_bytes") < 120 << 20
        assert count(relay, "unfinished") >= 150
        patient_one.sendall(frame(b'"software":"patient"}', final=True, opcode=0))
        read_until(patient_one, b'"type":"welcome"')


def test_strangers_do_not_send_much(relay: Relay) -> None:
    with socket.create_connection(("127.0.0.1", relay.port), timeout=patient(10)) as stranger:
        stranger.sendall(b"POST /v1/pair HTTP/1.1\r\nHost: x\r\nContent-Length: 65537\r\n\r\n")
        read_until(stranger, b"HTTP/1.1 413 ")


def frame(payload: bytes, final: bool, opcode: int = 1) -> bytes:
    """A client's WebSocket frame, masked with zeros."""
    head = bytes([(0x80 if final else 0) | opcode])
    if len(payload) < 126:
        return head + bytes([0x80 | len(payload)]) + bytes(4) + payload
    return head + bytes([0x80 | 127]) + struct.pack(">Q", len(payload)) + bytes(4) + payload


@contextmanager
def opened(relay: Relay, token: str) -> Iterator[socket.socket]:
    """A WebSocket that sends nothing automatically."""
    with socket.create_connection(("127.0.0.1", relay.port), timeout=patient(20)) as plain:
        plain.sendall(b"GET /v1/client HTTP/1.1\r\nHost: x\r\n" + upgrade(token) + b"\r\n")
        read_until(plain, b"\r\n\r\n")
        yield plain


@contextmanager
def deaf_client(relay: Relay, token: str, session: str) -> Iterator[socket.socket]:
    """A client that subscribes but reads nothing."""
    with socket.socket() as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.settimeout(patient(20))
        plain.connect(("127.0.0.1", relay.port))
        plain.sendall(b"GET /v1/client HTTP/1.1\r\nHost: x\r\n" + upgrade(token) + b"\r\n")
        read_until(plain, b"\r\n\r\n")
        for message in ({"type": "hello", "version": 1, "software": "deaf"}, {"type": "subscribe", "id": "s", "session": session}):
            plain.sendall(frame(json.dumps(message).encode(), final=True))
        read_until(plain, b'"id":"s"')
        yield plain


def read_until(plain: socket.socket, end: bytes) -> None:
    data = b""
    while end not in data:
        piece = plain.recv(1)
        assert piece, f"closed after {data!r}"
        data += piece


def closing_code(plain: socket.socket) -> int:
    """Reads to the end of the connection; returns the close frame's code, or 1006 if there is none."""
    data = b""
    try:
        while piece := plain.recv(1 << 20):
            data = (data + piece)[-200:]
    except OSError:
        pass
    found = re.search(rb"\x88[\x02-\x7d](..)[ -~]*$", data, re.DOTALL)
    return struct.unpack(">H", found[1])[0] if found else 1006



@pytest.fixture
def behind_balancer(tmp_path: Any) -> Iterator[Relay]:
    """A relay that accepts only connections with a PROXY header, so `Relay.start` cannot wait for it."""
    relay = Relay(tmp_path / "relay", ["--proxy-protocol", "true", "--log-level", "info", "--limits-connections-per-address", "1"])
    relay.launch()
    wait_until(lambda: "is listening on" in relay.log_text(), 20, lambda: f"the relay to listen: {relay.log_text()}")
    yield relay
    relay.stop()
    relay.check_log()


LINE = b"PROXY TCP4 203.0.113.1 127.0.0.1 4711 8787\r\n"
BINARY = b"\r\n\r\n\0\r\nQUIT\n" + struct.pack(">BBH4s4sHH", 0x21, 0x11, 12, socket.inet_aton("203.0.113.2"), socket.inet_aton("127.0.0.1"), 4711, 8787)


def asked(relay: Relay, head: bytes, path: str = "/healthz", extra: bytes = b"") -> bytes:
    with socket.create_connection(("127.0.0.1", relay.port), timeout=patient(20)) as knock:
        knock.sendall(head + f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n".encode() + extra + b"\r\n")
        answer = b""
        try:
            while piece := knock.recv(65536):
                answer += piece
                if b"content-length: 3\r\n" in answer:
                    break
        except ConnectionResetError:
            pass
        return answer


def upgrade(token: str) -> bytes:
    return (
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        f"Sec-WebSocket-Protocol: {SUBPROTOCOL}\r\nAuthorization: Bearer {token}\r\n"
    ).encode()


def test_a_balancer_names_whom_it_connects(behind_balancer: Relay) -> None:
    relay = behind_balancer
    for head in (LINE, BINARY, b"PROXY UNKNOWN\r\n"):
        assert asked(relay, head).startswith(b"HTTP/1.1 200 "), head
    assert b"401" in asked(relay, LINE, "/metrics")[:20], "a visitor is no neighbour"
    with socket.create_connection(("127.0.0.1", relay.port), timeout=patient(20)) as knock:
        token = relay.token("client", "phone")
        knock.sendall(LINE + b"GET /v1/client HTTP/1.1\r\nHost: x\r\n" + upgrade(token) + b"\r\n")
        assert knock.recv(1000).startswith(b"HTTP/1.1 101 ")
        assert asked(relay, LINE, "/v1/client", upgrade(token)).startswith(b"HTTP/1.1 429 ")
    assert '"peer":"203.0.113.1"' in relay.log_text()


@pytest.mark.parametrize("head", [b"", b"PROXY TCP4 nonsense\r\n", b"PROXY TCP4 203.0.113.1 127.0.0.1 4711 8787\n", BINARY[:12] + b"\x31\x11\0\0"])
def test_who_does_not_begin_as_agreed_is_closed(behind_balancer: Relay, head: bytes) -> None:
    relay = behind_balancer
    assert asked(relay, head) == b""
    text = asked(relay, b"PROXY UNKNOWN\r\n", "/metrics", f"Authorization: Bearer {relay.token('client', 'x')}\r\n".encode()).decode()
    assert f'{TURNED_AWAY}{{limit="proxyHeader"}} 1.0\n' in text
