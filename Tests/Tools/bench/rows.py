"""The rows of the standard benchmark matrix, run in alternating rounds, with their ratios."""

import resource
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fill import fill_history
from peer import begin_session
from servers import BareLibwebsockets, Raw, RelayServer, Result, Server, plain_sqlite, slow_disk, storm_of_libwebsockets

EVENT_BYTES = 300
SEALED_EVENT_BYTES = 541
"""Of an event of `EVENT_BYTES`: 41 bytes are added, all of it is written in base64url, and what the relay reads stands beside it."""
OPEN_LOOP_DELIVERIES = 50_000
"""A second."""
INGEST_WINDOW = 16_384
"""Events under way, over all hosts: enough that the relay never waits for one round trip."""
EVENTS_UNDER_WAY = 64
"""The number of events in flight from each host, where commits are to be small."""
IN_PROGRESS = 64
"""Handshakes of a storm by a client of another make."""
LIBWEBSOCKETS_ALLOWANCE_KIB = 2.7
CROWD = 100_000
"""Clients, or as many as one process may have open files: each is one here and one at the relay."""
CROWD_OTHER_FILES = 1_500
CROWD_ALLOWANCE_KIB = 7
CROWD_LEVEL_PER_SECOND = 3_000
CROWD_MICROSECONDS_PER_CLIENT = 60
"""Of one event each second to all of them: until the last has it, with the load on the same two processors."""


@dataclass
class Ratio:
    """A row's result with its target."""

    what: str
    value: float
    target: float
    at_most: bool
    unit: str = ""

    @property
    def holds(self) -> bool:
        return self.value <= self.target if self.at_most else self.value >= self.target

    def __str__(self) -> str:
        sign = "<=" if self.at_most else ">="
        return f"{self.what} {self.value:.2f}{self.unit} ({sign} {self.target:g}){'' if self.holds else '  MISSED'}"


@dataclass
class Bench:
    """The duration, the number of rounds, and the servers of a run."""

    programs: Path
    sizes: tuple[int, int]
    """Bytes of the relay's summary and of its snapshot: the C programs send as many."""
    rounds: int = 3
    seconds: float = 4
    quick: bool = False
    notes: list[str] = field(default_factory=list)

    def raw(self, mode: str = "durable", environment: dict[str, str] | None = None, hosts: int = 1) -> Raw:
        return Raw(self.programs, mode, EVENT_BYTES, self.sizes, environment, hosts)

    def in_turn(self, servers: dict[str, Callable[[], Server]], scenario: str, rounds: int | None = None, **options: Any) -> dict[str, list[Result]]:
        """Runs each server once in each round, every time as a new process."""
        found: dict[str, list[Result]] = {name: [] for name in servers}
        for _ in range(rounds or self.rounds):
            for name, make in servers.items():
                with make() as server:
                    found[name].append(server.bench(scenario, **options))
        return found


def median(results: list[Result], *path: str) -> float:
    values = []
    for result in results:
        for key in path:
            result = result[key]
        values.append(float(result))  # type: ignore[arg-type]
    return statistics.median(values)


def ratio(found: dict[str, list[Result]], *path: str) -> float:
    """The relay's ratio to L, the bare server that sets the limit: per round, because both then ran under the same conditions; then the median."""
    pairs = zip(found["relay"], found["L"], strict=True)
    return statistics.median(median([relay], *path) / max(1e-9, median([limit], *path)) for relay, limit in pairs)


# Each function yields lines of figures, then its ratios.

Yield = Iterator[str | Ratio]


def saturated(bench: Bench) -> Yield:
    servers = {"relay": RelayServer, "L": bench.raw, "raw, coalesced": lambda: bench.raw("coalesced"), "raw, one by one": lambda: bench.raw("one")}
    found = bench.in_turn(servers, "fanout", clients=1_000, window=64, size=EVENT_BYTES, duration=bench.seconds)
    for name, results in found.items():
        yield (
            f"{name:<17} {median(results, 'result', 'deliveriesPerSecond') / 1000:7,.0f} k deliveries/s, {median(results, 'relay', 'secondsPerMillionDeliveries'):.2f} s of processor a million, "
            f"{calls(results)}the load {median(results, 'driver', 'secondsPerMillionDeliveries'):.2f} s and idle {median(results, 'driver', 'waitedShare'):.0%}, p99 {median(results, 'latency', 'p99') / 1000:.1f} ms"
        )
    yield Ratio("CPU per delivery / L", ratio(found, "relay", "secondsPerMillionDeliveries"), 1.5, True)
    yield Ratio("deliveries/s / L", ratio(found, "result", "deliveriesPerSecond"), 0.6, False)


def open_loop(bench: Bench, clients: int) -> Yield:
    servers = {"relay": RelayServer, "L": bench.raw}
    rate = OPEN_LOOP_DELIVERIES // clients
    found = bench.in_turn(servers, "fanout", clients=clients, rate=rate, size=EVENT_BYTES, duration=bench.seconds)
    for name, results in found.items():
        times = " / ".join(f"{median(results, 'latency', key) / 1000:.2f}" for key in ("p50", "p99", "p999"))
        yield f"{name:<17} p50 / p99 / p99.9 {times} ms, {median(results, 'relay', 'secondsPerMillionDeliveries'):.2f} s of processor a million, {calls(results)}the load {median(results, 'driver', 'secondsPerMillionDeliveries'):.2f} s"
    yield Ratio("p99 / L", ratio(found, "latency", "p99"), 1.3, True)
    yield Ratio("CPU / L", ratio(found, "relay", "secondsPerMillionDeliveries"), 1.3, True)


def sealed_fanout(bench: Bench) -> Yield:
    """The relay's work depends on an event's bytes, not on their meaning, so both sides send the same number of bytes; the bytes that sealing adds
    are reported.
    """
    kinds = {"open": (False, EVENT_BYTES), "sealed": (True, EVENT_BYTES), "sealed, the same content": (True, SEALED_EVENT_BYTES)}
    found: dict[str, list[Result]] = {name: [] for name in kinds}
    for _ in range(bench.rounds):
        for name, (sealed, size) in kinds.items():
            with RelayServer() as server:
                found[name].append(server.bench("fanout", clients=1_000, window=64, size=size, sealed=sealed, duration=bench.seconds))
    for name, results in found.items():
        rate = median(results, "result", "deliveriesPerSecond")
        yield (
            f"{name:<24} {kinds[name][1]} bytes: {rate / 1000:7,.0f} k deliveries/s, {rate * kinds[name][1] / 1e6:,.0f} MB/s, "
            f"{median(results, 'relay', 'secondsPerMillionDeliveries'):.2f} s of processor a million, the load idle {median(results, 'driver', 'waitedShare'):.0%}"
        )
    pair = {"relay": found["sealed"], "L": found["open"]}
    yield Ratio("deliveries/s, sealed / open", ratio(pair, "result", "deliveriesPerSecond"), 0.95, False)


def approval(bench: Bench, slower_by: int = 0) -> Yield:
    """`slower_by`: microseconds added to each sync of both servers."""
    disk = slow_disk(bench.programs, slower_by) if slower_by else {}
    found = bench.in_turn({"relay": lambda: RelayServer(disk), "L": lambda: bench.raw(environment=disk)}, "approval", duration=bench.seconds)
    for name, results in found.items():
        times = " / ".join(f"{median(results, 'latency', key) / 1000:.2f}" for key in ("p50", "p99", "max"))
        yield f"{name:<17} p50 / p99 / max {times} ms of {median(results, 'result', 'done'):,.0f} in turn"
    yield Ratio("p50 / (two commits + two raw round trips)", ratio(found, "latency", "p50"), 1.5, True)
    yield Ratio("p99 / the same", ratio(found, "latency", "p99"), 2, True)


def ingest(bench: Bench, hosts: int, batch: int) -> Yield:
    shares, rates, groups, uses = [], [], [], []
    for _ in range(bench.rounds):
        with RelayServer() as server:
            result = server.bench("ingest", hosts=hosts, window=INGEST_WINDOW, batch=batch, size=EVENT_BYTES, duration=bench.seconds)
            commits, events = (server.relay.metric(f"heliograph_{name}") for name in ("commit_seconds_count", "events_committed_total"))
        groups.append(events / commits)
        plain = plain_sqlite(bench.programs, hosts, round(groups[-1]), EVENT_BYTES, bench.seconds)
        rates.append((result["result"]["donePerSecond"], plain))
        shares.append(result["result"]["donePerSecond"] / plain)
        uses.append(result["relay"]["processorSeconds"] / result["result"]["seconds"])
    relay, plain = (statistics.median(column) for column in zip(*rates, strict=True))
    yield f"relay {relay:,.0f} events/s, plain SQLite {plain:,.0f} rows/s in transactions of the same {statistics.median(groups):,.0f}; the relay used {statistics.median(uses):.2f} of a core"
    yield Ratio("events/s / plain SQLite", statistics.median(shares), 0.6 if batch == 1 else 0.8, False)


def ingest_under_way(bench: Bench, hosts: int) -> Yield:
    """A team's agents, each with a limited number of unacknowledged events: commits are small, so the cost of a commit matters."""
    window = hosts * EVENTS_UNDER_WAY
    found = bench.in_turn({"relay": RelayServer, "L": lambda: bench.raw(hosts=hosts)}, "ingest", hosts=hosts, window=window, size=EVENT_BYTES, duration=bench.seconds)
    for results in found.values():
        for result in results:
            result["relay"]["microsecondsPerEvent"] = 1e6 * result["relay"]["processorSeconds"] / result["result"]["done"]
    for name, results in found.items():
        yield f"{name:<17} {median(results, 'result', 'donePerSecond'):,.0f} events/s, {median(results, 'relay', 'microsecondsPerEvent'):.1f} µs of processor each"
    yield Ratio("events/s / L", ratio(found, "result", "donePerSecond"), 0.6, False)
    yield Ratio("CPU / L", ratio(found, "relay", "microsecondsPerEvent"), 2.5, True)


def idle(bench: Bench) -> Yield:
    clients = 1_000 if bench.quick else 9_000
    found = bench.in_turn({"relay": RelayServer, "bare": lambda: BareLibwebsockets(bench.programs, bench.sizes[1])}, "idle", rounds=1,
        clients=clients, history=1, duration=max(4.0, bench.seconds))  # fmt: skip
    each = {name: median(results, "relay", "kibPerClient") for name, results in found.items()}
    yield f"{clients:,} clients: {each['relay']:.1f} KiB each, libwebsockets alone {each['bare']:.1f}; the relay's processor {median(found['relay'], 'relay', 'idleSecondsPerMinute'):.2f} s a minute"
    yield Ratio("KiB for each idle client above libwebsockets", each["relay"] - each["bare"], LIBWEBSOCKETS_ALLOWANCE_KIB, True)


def crowd(bench: Bench) -> Yield:
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    clients = 2_000 if bench.quick else min(CROWD, files - CROWD_OTHER_FILES)
    servers: dict[str, Callable[[], Server]] = {
        "relay": lambda: RelayServer(arguments=["--limits-connections", str(2 * CROWD)]),
        "bare": lambda: BareLibwebsockets(bench.programs, bench.sizes[1]),
    }
    quiet = bench.in_turn(servers, "idle", rounds=1, clients=clients, history=1, duration=max(15.0, bench.seconds))
    each = {name: median(results, "relay", "kibPerClient") for name, results in quiet.items()}
    relay = {"relay": servers["relay"]}
    storms = bench.in_turn(relay, "storm", clients=clients, history=1)["relay"]
    told = bench.in_turn(relay, "fanout", clients=clients, rate=1, size=EVENT_BYTES, duration=4 * bench.seconds)["relay"]
    level, slowest = median(storms, "result", "clientsPerSecond"), median(told, "latency", "p99")
    yield (
        f"{clients:,} clients: {each['relay']:.1f} KiB each, libwebsockets alone {each['bare']:.1f}; idle {median(quiet['relay'], 'relay', 'idleSecondsPerMinute'):.2f} s of processor a minute; "
        f"all at once are level after {clients / level:.1f} s; one event a second to all: p50 / p99 {median(told, 'latency', 'p50') / 1000:,.0f} / {slowest / 1000:,.0f} ms, "
        f"{median(told, 'relay', 'secondsPerMillionDeliveries'):.1f} s of processor a million"
    )
    yield Ratio("KiB for each of them above libwebsockets", each["relay"] - each["bare"], CROWD_ALLOWANCE_KIB, True)
    yield Ratio("clients that are level a second, all at once", level, CROWD_LEVEL_PER_SECOND, False)
    yield Ratio("p99 of an event to all, microseconds for each client", slowest / clients, CROWD_MICROSECONDS_PER_CLIENT, True)


def storm(bench: Bench) -> Yield:
    clients = 1_000 if bench.quick else 5_000
    found = bench.in_turn({"relay": RelayServer, "L": lambda: BareLibwebsockets(bench.programs, bench.sizes[1])}, "storm", clients=clients, history=1)
    for name, results in found.items():
        label = "libwebsockets" if name == "L" else name
        yield (
            f"{label:<17} {clients:,} clients, each with a snapshot: {median(results, 'result', 'clientsPerSecond'):,.0f} /s, {median(results, 'relay', 'processorSeconds') * 1e6 / clients:,.0f} ms of processor a thousand, "
            f"{median(results, 'result', 'turnedAway'):,.0f} turned away and back; the load idle {median(results, 'driver', 'waitedShare'):.0%}"
        )
    yield Ratio("handshakes/s / bare libwebsockets", ratio(found, "result", "clientsPerSecond"), 0.7, False)


def storm_of_another_make(bench: Bench) -> Yield:
    """A storm of connections by libwebsockets' own client, which has one processor for itself."""
    clients = 1_000 if bench.quick else 5_000
    rates: dict[str, list[float]] = {"relay": [], "libwebsockets": []}
    loads: dict[str, list[float]] = {"relay": [], "libwebsockets": []}
    for _ in range(bench.rounds):
        with RelayServer() as server:
            session = begin_session(server.relay)
            found = {"relay": storm_of_libwebsockets(bench.programs, server.relay.port, server.relay.token("client", "storm"), session, clients, IN_PROGRESS)}
        with BareLibwebsockets(bench.programs, bench.sizes[1]) as bare:
            found["libwebsockets"] = storm_of_libwebsockets(bench.programs, bare.port, "any", "any", clients, IN_PROGRESS)
        for name, (rate, seconds) in found.items():
            rates[name].append(rate)
            loads[name].append(seconds * rate / clients)
    for name in rates:
        yield f"{name:<17} {clients:,} clients, {IN_PROGRESS} in progress, each with a snapshot: {statistics.median(rates[name]):,.0f} /s; the load uses {statistics.median(loads[name]):.0%} of a processor"
    yield Ratio("handshakes/s / bare libwebsockets", statistics.median(relay / bare for relay, bare in zip(*rates.values(), strict=True)), 0.7, False)


def resume(bench: Bench) -> Yield:
    clients = 1_000 if bench.quick else 5_000
    with Server() as own:
        result = own.bench("resume", clients=clients, history=200, missed=20, size=EVENT_BYTES)
    yield (
        f"{clients:,} clients come back to a relay that was killed, 20 events missed: level after {result['result']['seconds']:.2f} s, {result['result']['turnedAway']:,} turned away and back, "
        f"peak {result['relay']['peakKiB'] / 1024:.0f} MiB; bottleneck: {result['driver']['bottleneck']}"
    )


def start(bench: Bench) -> Yield:
    megabytes = 100 if bench.quick else 1_000
    with RelayServer() as server:
        stored = fill_history(server, megabytes)
        times = []
        for _ in range(3):
            server.relay.stop()
            begun = time.perf_counter()
            server.relay.start()
            times.append(time.perf_counter() - begun)
    yield f"start with {stored / 1e6:,.0f} MB of history until ready: {statistics.median(times):.2f} s"
    yield Ratio("seconds to ready", statistics.median(times), 1, True, " s")


def calls(results: list[Result]) -> str:
    if any("systemCallsPerDelivery" not in result["relay"] for result in results):
        return ""
    return f"{median(results, 'relay', 'systemCallsPerDelivery'):.3f} system calls a delivery, "
