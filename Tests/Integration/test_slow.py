"""Clients that stop, crawl or never read: others receive everything, the relay's memory stays bounded, and a resumed client catches up."""

import json
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from client import WireClient
from fault_proxy import FaultProxy
from host import ScriptedHost
from waits import patient, wait_until

# A connection's outbox is limited to 16 MiB (RelayServer), besides the kernel's buffers; a run sends far more than both.
BODY = "x" * 100_000
EVENTS = 600
# 60 MB are sent. Permitted growth: one outbox, and as much again for the allocator and the store's caches, because slow clients share their bytes.
GROWTH_KIB_MAX = 2 * (16 << 10)


@pytest.fixture
def host(relay, scripted_host) -> ScriptedHost:
    host = scripted_host(relay)
    host.start_session("s1")
    host.wait_acked("s1")
    return host


@pytest.fixture
def others(relay, client) -> list[WireClient]:
    """Clients that read normally."""
    made = [client(relay, f"reader {number}") for number in range(3)]
    for one in made:
        one.subscribe("s1")
    return made


class ReadingClient:
    """`reading_client.py` as a process, with its output so far."""

    def __init__(self, url: str, token: str, session: str):
        program = Path(__file__).parent / "reading_client.py"
        self.process = subprocess.Popen(
            [sys.executable, str(program), url.replace("http", "ws", 1) + "/v1/client", token, session],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout
        self.said: list[dict[str, Any]] = []
        self.held = 0
        """The number of the last event it has."""

    def next(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, f"the reading client ended with {self.process.wait()} after {self.said[-3:]}"
        self.said.append(json.loads(line))
        return self.said[-1]

    def until_level(self, seq: int) -> None:
        """Continues until the client has event `seq`, and checks that each step follows from the one before."""
        while self.held < seq:
            fact = self.next()
            if "snapshot" in fact:
                self.held = fact["snapshot"]
            elif "first" in fact:
                assert fact["first"] == self.held + 1, f"a gap or a repeat after {self.held}: {fact}"
                self.held = fact["last"]

    def close(self) -> None:
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()


@pytest.fixture
def reader(relay, host) -> Iterator[ReadingClient]:
    reader = ReadingClient(relay.url, relay.token("client", "stopped"), "s1")
    reader.until_level(1)
    yield reader
    reader.close()


def flood(host: ScriptedHost, others: list[WireClient], count: int = EVENTS) -> list[float]:
    """Sends large events one after the other, each once the first normal client has the one before; returns the times in seconds."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        seq = host.event("s1", "message", {"role": "assistant"}, {"text": BODY})
        wait_until(lambda: others[0].positions["s1"][1] >= seq, 20, lambda: f"event {seq}", every=0.0005)
        times.append(time.perf_counter() - start)
    return times


def check_others(others: list[WireClient], seq: int) -> None:
    for one in others:
        wait_until(lambda: one.positions["s1"][1] >= seq, 30, lambda: f"{one.name} to have event {seq}: {one.positions}")
        assert len(one.logs["s1"]) == seq - one.firsts["s1"] + 1
        assert not one.violations


def check_memory(relay: Any, before: int) -> None:
    grown = relay.resident_kib - before
    print(f"resident memory grew by {grown / 1024:.0f} MiB")
    assert grown < GROWTH_KIB_MAX, f"{grown} KiB grown while {EVENTS * len(BODY) >> 10} KiB were sent"


def test_a_stopped_client_harms_nobody_and_is_level_when_it_wakes(relay, host, others, reader):
    undisturbed = flood(host, others, 50)
    reader.until_level(51)
    before = relay.resident_kib
    reader.process.send_signal(signal.SIGSTOP)
    disturbed = flood(host, others)
    seq = len(host.sessions["s1"])
    check_others(others, seq)
    check_memory(relay, before)
    ratio = statistics.median(disturbed) / statistics.median(undisturbed)
    print(f"the others' median time for an event beside a stopped client: {ratio:.2f} of what it was")
    reader.process.send_signal(signal.SIGCONT)
    reader.until_level(seq)
    closed = [fact["closed"] for fact in reader.said if "closed" in fact]
    resets = [fact["reset"] for fact in reader.said if "reset" in fact]
    print(f"after SIGCONT: closed with {closed}, resets {resets}")
    assert closed or resets or any("snapshot" in fact for fact in reader.said[1:]), "more waited for it than the bound allows"
    # 4008 asks the client to reconnect with its position. A connection closed because nothing was read has no close code.
    assert set(closed) <= {4008, 1006}, closed


def test_a_client_at_a_kilobyte_a_second(relay, host, others):
    proxy = FaultProxy(relay)
    token = relay.token("client", "crawling")
    crawling = ReadingClient(proxy.url, token, "s1")
    try:
        crawling.until_level(1)
        before = relay.resident_kib
        proxy.set("down", bytes_per_second=1000)
        flood(host, others)
        seq = len(host.sessions["s1"])
        check_others(others, seq)
        check_memory(relay, before)
        proxy.heal()
        crawling.until_level(seq)
    finally:
        crawling.close()
        proxy.close()


def test_clients_that_never_read(relay, host, others):
    """The clients request everything, and their sockets' buffers fill up."""
    silent = []
    try:
        for number in range(4):
            token = relay.token("client", f"silent {number}")
            connection = connect(
                relay.url.replace("http", "ws", 1) + "/v1/client", subprotocols=["heliograph.v1"], proxy=None, compression=None,
                additional_headers={"Authorization": f"Bearer {token}"}, max_queue=1, ping_interval=None, legacy=True,
            )  # fmt: skip
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.send(json.dumps({"type": "hello", "version": 1, "software": "silent"}))
            connection.send(json.dumps({"type": "subscribe", "id": "all"}))
            connection.send(json.dumps({"type": "subscribe", "id": "s1", "session": "s1"}))
            silent.append(connection)
        wait_until(lambda: relay.metric('heliograph_connections{role="client"}') == 7, 10, "all to be connected")
        before = relay.resident_kib
        flood(host, others)
        check_others(others, len(host.sessions["s1"]))
        check_memory(relay, before)
    finally:
        for connection in silent:
            connection.socket.close()
    wait_until(lambda: relay.metric('heliograph_connections{role="client"}') == 3, patient(10), "the silent to be gone")
