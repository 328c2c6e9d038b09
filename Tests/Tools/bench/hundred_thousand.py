"""A hundred thousand clients on one relay whose process may have fewer open files: each event loop has a file table of its own."""

import asyncio
import resource
import select
import statistics
import subprocess
import time
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any, Self

from peer import Peer, compact, event
from relay import Relay
from rows import CROWD_ALLOWANCE_KIB, CROWD_LEVEL_PER_SECOND, CROWD_MICROSECONDS_PER_CLIENT, EVENT_BYTES, Bench, Ratio, Yield, median
from servers import BareLibwebsockets, BenchFailed, RelayServer
from waits import wait_until

CLIENTS = 100_000
QUICK_CLIENTS = 3_000
BARE_CLIENTS = 15_000
"""Of libwebsockets alone, which has one table: what one costs does not depend on how many there are."""
SESSION = "hundred"
LOOPS = 7
TABLE_FILES = 20_000
"""Each loop may have open, and no more than the machine lets it."""
SPARE_CONNECTIONS = 10_000
CLIENTS_OF_PROCESS = 15_000
LEVEL_SECONDS_MAX = 310
"""It ends by itself after 300, and says why."""
SETTLE_SECONDS = 20
"""After all have come: each is pinged at least once."""
IDLE_SECONDS = 60
QUICK_IDLE_SECONDS = 15
"""Each is pinged once."""
EVENTS = 30
"""One a second."""
TOLD_SECONDS_MAX = 90
GONE_SECONDS_MAX = 120
"""libwebsockets 4.1.6 looks through its whole table at each that goes, as long as the limit of open files (`sanity_assert_no_sockfd_traces`)."""


@dataclass
class Told:
    """The clients' results for the events, with latencies in microseconds."""

    deliveries: int
    p50: int
    p99: int
    longest: int
    lost: int
    twice: int
    reset: int
    cut_off: int
    load_seconds: float


@dataclass
class Run:
    """One relay with all its clients, from the first connection to the last event."""

    kib: float
    level_seconds: float
    came_back: int
    idle_seconds_per_minute: float
    told: Told
    microseconds_per_delivery: float
    gone_seconds: float
    """From when all leave at once until the relay has seen it."""


class Crowd:
    """`crowd.c` as a process, ended with the `with` block."""

    def __init__(self, programs: Path, relay: Relay, clients: int):
        processes = max(2, -(-clients // CLIENTS_OF_PROCESS))
        command = [programs / "crowd", relay.port, relay.token("client", "crowd"), SESSION, clients, processes]
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.kill()  # the killed process's children end as well
        self.process.communicate()

    def says(self, word: str, seconds: float) -> list[str]:
        """Waits for the output line that begins with `word`; returns the rest of the line."""
        assert self.process.stdout and self.process.stderr
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            raise BenchFailed(f"the crowd does not say {word!r} within {seconds:g} s")
        line = self.process.stdout.readline().split()
        if line[:1] != [word]:
            raise BenchFailed(f"the crowd: {self.process.stderr.read().strip() or line}")
        return line[1:]

    def told(self, last: int) -> Told:
        """Waits until all clients have event `last`; returns the clients' results."""
        assert self.process.stdin
        self.process.stdin.write(f"{last}\n")
        self.process.stdin.flush()
        *counts, seconds = self.says("told", TOLD_SECONDS_MAX)
        return Told(*map(int, counts), load_seconds=float(seconds))


async def say(relay: Relay, token: str, first: int, count: int) -> None:
    """Sends the session's events from `first` on, one per second. From the second one each contains its number and its time in the text."""
    host = await Peer.open(relay, "host", token)
    begun = time.monotonic()
    for place in range(count):
        await asyncio.sleep(max(0.0, begun + place - time.monotonic()))
        made = event("message", {"role": "assistant"}, {}) if first + place > 1 else event("session.started", {"agent": {"name": "bench"}}, {})
        if first + place > 1:
            made["body"]["text"] = f"sent {first + place - 1} {time.monotonic_ns() // 1_000} ".ljust(EVENT_BYTES - len(compact(made)), "x")
        host.send({"type": "events", "session": SESSION, "first": first + place, "events": [made]})
        await asyncio.wait_for(host.until("ack"), TOLD_SECONDS_MAX)
    host.close()


def has_nobody(relay: Relay) -> bool:
    try:
        return relay.metric('heliograph_connections{role="client"}') == 0
    except (OSError, HTTPException):  # the relay is busy with disconnecting clients
        return False


def run(bench: Bench, clients: int) -> Run:
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    tables = {"LD_PRELOAD": bench.programs / "thread_tables.so", "TABLE_FILES": min(TABLE_FILES, files), "CONNECTIONS": clients + SPARE_CONNECTIONS}
    arguments = ["--loops", str(LOOPS), "--limits-connections", str(2 * CLIENTS)]
    with RelayServer({name: str(value) for name, value in tables.items()}, arguments) as server:
        relay = server.relay
        token = relay.token("host", "tells")
        asyncio.run(say(relay, token, 1, 1))
        resident = relay.resident_kib
        with Crowd(bench.programs, relay, clients) as crowd:
            level, came_back = crowd.says("level", LEVEL_SECONDS_MAX)
            time.sleep(SETTLE_SECONDS)
            kib = (relay.resident_kib - resident) / clients
            used, begun = relay.processor_seconds, time.monotonic()
            time.sleep(QUICK_IDLE_SECONDS if bench.quick else IDLE_SECONDS)
            idle = (relay.processor_seconds - used) / (time.monotonic() - begun) * 60
            used = relay.processor_seconds
            events = 5 if bench.quick else EVENTS
            asyncio.run(say(relay, token, 2, events))
            told = crowd.told(events)
            each = (relay.processor_seconds - used) * 1e6 / max(1, told.deliveries)
            left = time.monotonic()
        # A stopping relay sends a close to all connected clients and waits for them.
        wait_until(lambda: has_nobody(relay), GONE_SECONDS_MAX, "the relay to see that its clients left")
        gone = time.monotonic() - left
    if told.lost or told.twice or told.reset or told.cut_off:
        raise BenchFailed(f"{told.lost} events were lost and {told.twice} came twice, {told.reset} clients were reset and {told.cut_off} cut off")
    return Run(kib, float(level), int(came_back), idle, told, each, gone)


def hundred_thousand(bench: Bench) -> Yield:
    clients = QUICK_CLIENTS if bench.quick else CLIENTS
    bare = bench.in_turn({"bare": lambda: BareLibwebsockets(bench.programs, bench.sizes[1])}, "idle", rounds=1,
        clients=1_000 if bench.quick else BARE_CLIENTS, history=1, duration=max(4.0, bench.seconds))["bare"]  # fmt: skip
    alone = median(bare, "relay", "kibPerClient")
    runs: list[Run] = []
    for _ in range(bench.rounds):
        one = run(bench, clients)
        runs.append(one)
        yield (
            f"{clients:,} clients: {one.kib:.1f} KiB each, libwebsockets alone {alone:.1f}; all at once are level after {one.level_seconds:.1f} s, {one.came_back:,} turned away and back; "
            f"idle {one.idle_seconds_per_minute:.2f} s of processor a minute; one event a second to all: p50 / p99 / max "
            f"{one.told.p50 / 1000:,.0f} / {one.told.p99 / 1000:,.0f} / {one.told.longest / 1000:,.0f} ms, {one.microseconds_per_delivery:.1f} µs of processor a delivery, "
            f"the load {one.told.load_seconds:.0f} s in all; all leave at once: {one.gone_seconds:.0f} s"
        )
    middle = statistics.median
    yield Ratio("KiB for each of them above libwebsockets", middle(one.kib for one in runs) - alone, CROWD_ALLOWANCE_KIB, True)
    yield Ratio("clients that are level a second, all at once", clients / middle(one.level_seconds for one in runs), CROWD_LEVEL_PER_SECOND, False)
    yield Ratio("p99 of an event to all, microseconds for each client", middle(one.told.p99 for one in runs) / clients, CROWD_MICROSECONDS_PER_CLIENT, True)
