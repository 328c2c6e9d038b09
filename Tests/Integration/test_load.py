"""Many connections: waiting for sockets, a storm of connections, and sending a tick's output in one piece."""

import socket
import subprocess
from pathlib import Path

import pytest

from disk_faults import traced
from relay import Relay
from waits import patient, wait_until

PLUGIN = next(Path("/usr/lib").glob("*/libwebsockets-evlib_ev.so"), None)
# The number of unauthenticated connections that RelayServer's listeners accept (WebSocketEngine.Limits.pendingMax).
PENDING_MAX = 1024
TURNED_AWAY = 'heliograph_connections_turned_away_total{limit="%s"}'


def test_the_relay_waits_by_epoll(relay):
    assert relay.metric('heliograph_event_loops{wait="epoll"}') == 1


def test_without_the_plugin_the_relay_waits_by_poll_and_says_what_to_install(tmp_path):
    assert PLUGIN, "libwebsockets-evlib-ev is not installed"
    hidden = ["unshare", "--mount", "sh", "-c", f'mount --bind /dev/null {PLUGIN} && exec "$@"', "sh"]
    if subprocess.run([*hidden, "true"], capture_output=True).returncode != 0:
        pytest.skip("mount namespaces are not allowed here")
    relay = Relay(tmp_path, prefix=hidden)
    relay.start()
    try:
        assert relay.metric('heliograph_event_loops{wait="poll"}') == 1
        assert "install the package libwebsockets-evlib-ev" in relay.log_text()
    finally:
        relay.stop()


def test_those_who_say_nothing_make_room_for_those_who_do(relay, client):
    """The test opens twice as many silent connections as permitted: a peer with a token is accepted, and none is told to retry later."""
    one = client(relay, "inside")
    silent = []
    try:
        for _ in range(2 * PENDING_MAX):
            silent.append(socket.create_connection(("127.0.0.1", relay.port), timeout=patient(20)))
        for number in range(3):
            client(relay, f"newcomer {number}").command("ping")
        one.command("ping")
        wait_until(lambda: relay.metric('heliograph_connections_turned_away_total{limit="pending"}') > 0, 20, "the metric")
    finally:
        for connection in silent:
            connection.close()


def test_thousands_of_silent_strangers_from_many_addresses_keep_nobody_out(relay, client):
    """Each address opens only a few connections, so no limit for an address applies. A peer with a token is accepted at its first attempt;
    of the silent connections only as many are kept as the limit permits.
    """
    addresses, each, between = 1_000, 5, 500
    one = client(relay, "inside")
    silent = []
    try:
        for number in range(addresses * each):
            place = number % addresses
            source = (f"127.1.{place // 250}.{1 + place % 250}", 0)
            silent.append(socket.create_connection(("127.0.0.1", relay.port), timeout=patient(20), source_address=source))
            if number % between == between - 1:
                client(relay, f"newcomer {number}").command("ping")
        one.command("ping")
        descriptors = len(list(Path(f"/proc/{relay.process.pid}/fd").iterdir()))
        assert descriptors <= PENDING_MAX + 200, f"{descriptors} descriptors for {PENDING_MAX} that may wait, and a dozen clients"
        made_room = addresses * each - PENDING_MAX
        wait_until(lambda: relay.metric(TURNED_AWAY % "pending") >= made_room, 20, f"{made_room} strangers to have made room")
        assert relay.metric('heliograph_connections{role="client"}') == 1 + addresses * each // between
        assert relay.metric(TURNED_AWAY % "address") == 0
    finally:
        for connection in silent:
            connection.close()


def test_what_a_tick_brings_leaves_in_one_piece(relay, scripted_host, client, tmp_path):
    """An event and the resulting summary are sent by one system call for each subscriber."""
    host = scripted_host(relay)
    host.start_session("s1")
    host.wait_acked("s1")
    watching = [client(relay, f"watching {number}") for number in range(3)]
    for one in watching:
        one.subscribe("s1")
    trace = tmp_path / "trace"
    with traced(relay.process.pid, "-s", "4096", "-e", "trace=sendto", log=trace):
        seq = host.event("s1", "message", {"role": "assistant"}, {"text": "look for this"})
        for one in watching:
            wait_until(lambda: one.positions["s1"][1] >= seq, 20, "the event")
        wait_until(lambda: len(sends(trace)) == len(watching), 20, lambda: f"three calls that carry it: {sends(trace)}")
    assert all(r'\"type\":\"summary\"' in line for line in sends(trace)), sends(trace)


def sends(trace: Path) -> list[str]:
    """The system calls that sent the event."""
    lines = trace.read_text().splitlines() if trace.exists() else []
    return [line for line in lines if r'\"type\":\"events\"' in line and "look for this" in line]
