"""Several relays on one PostgreSQL compared with one relay on SQLite and one on PostgreSQL, on the same disk: real servers and real processes."""

import itertools
import os
import resource
import socket
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from machines import Machine, NoMachines
from nodes import Cluster, Node
from postgres import PostgresServer, ReplicatedPostgres
from relay import Relay
from rows import EVENT_BYTES, Bench, Ratio, Yield
from servers import CONNECTIONS, RATES, RelayServer, Result, Server, slow_disk
from waits import wait_until
from wire_bytes import handshake

WORKSPACES = 8
BATCH = 64
WINDOW = 16_384
"""Events under way, over all hosts."""
MACHINES = 8
MACHINE_SHARE = 0.1
"""Of a processor, for each node, where each has a machine of its own: so little that nodes are what is scarce."""
MACHINE_WINDOW = 2_048
"""Events under way there, over all hosts."""
SLOW_MICROSECONDS = 4_000
"""What each sync of a disk over a network takes longer."""
CLIENTS = 5_000
CLIENT_FILES = 3
"""Open files of one client while it comes again: here, at the edge, and its next connection."""
KILLS = 3
EVENTS_PER_SECOND = 2_000
IDLE_SECONDS = 20
NUMBERS = itertools.count()
UNLIMITED = [word for limit in CONNECTIONS + RATES for word in (limit, "0")]


class Database(Server):
    """A PostgreSQL with serving relays on it. With `standby` each commit also waits for a standby's disk."""

    def __init__(self, nodes: int = 1, standby: bool = False, slower_by: int = 0, on: PostgresServer | None = None):
        """`slower_by`: microseconds added to each flush of the log, by a setting of PostgreSQL that simulates a slow disk.
        `on`: an existing server to use instead of a new one.
        """
        super().__init__()
        self.count, self.standby, self.slower_by, self.on = nodes, standby, slower_by, on
        self.name = f"bench{next(NUMBERS)}"

    def __enter__(self) -> "Database":
        with ExitStack() as undo:
            if self.standby:
                pair = ReplicatedPostgres()
                self.server: PostgresServer | ReplicatedPostgres = pair
                self.postgres = [pair.primary, pair.standby]
                undo.callback(pair.close)
            elif self.on:
                self.server, self.postgres = self.on, [self.on]
            else:
                slow = [f"commit_delay={self.slower_by}", "commit_siblings=0"] if self.slower_by else []
                self.server = PostgresServer(*slow)
                self.postgres = [self.server]
                undo.callback(self.server.close)
            self.cluster = Cluster(self.folder, self.server, self.name, self.count, UNLIMITED)
            undo.callback(self.cluster.kill)
            for node in self.cluster.nodes:
                # The same log level as the relays in comparison, because logging a line for each peer would be measured, too.
                node.arguments[node.arguments.index("--log-level") + 1] = "notice"
            self.cluster.start()
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *rest: Any) -> None:
        self._undo.close()
        super().__exit__(*rest)

    @property
    def owner(self) -> Node:
        return self.cluster.nodes[0]

    @property
    def edges(self) -> list[Node]:
        return self.cluster.nodes[1:]

    def lead(self, hosts: list[Node], clients: list[Node], measured: Node | None = None, count: int = 1, workspaces: list[str] | None = None) -> None:
        """Directs the load to these relays; `count` hosts are distributed over the workspaces."""
        self.target = where([node.url for node in hosts], [node.url for node in clients], self.owner, count, workspaces)
        if measured and measured.process:
            self.target += ["--pid", str(measured.process.pid)]
        # An edge looks for new tokens four times a second, and tells peers that connect earlier to retry.
        tokens = [word for option, word in zip(self.target, self.target[1:]) if option in ("--host-token", "--client-token")]
        for node in {*hosts, *clients}:
            wait_until(node._is_ready, 20, "a node to reach the owner")
            for token in tokens:
                wait_until(lambda: knows(node, token), 20, "a node to know the load's tokens")

    def database_seconds(self) -> float:
        """The processor time of all of PostgreSQL's processes so far."""
        return sum(used(pid) for server in self.postgres for pid in server.servers())


def where(hosts: list[str], clients: list[str], relay: Relay, count: int, workspaces: list[str] | None) -> list[str]:
    """The load's options, with tokens made at `relay`."""
    target = [word for url in hosts for word in ("--relay", url)] + [word for url in clients for word in ("--client-relay", url)]
    names = workspaces or ["default"]
    for number in range(count):
        made = relay.run("token", "create", "--role", "host", "--name", f"host {number}", "--workspace", names[number % len(names)], "--data", str(relay.data))
        target += ["--host-token", made.stdout.strip()]
    return [*target, "--client-token", relay.token("client", "load")]


def knows(node: Node, token: str) -> bool:
    with socket.create_connection(("127.0.0.1", node.port), 10) as peer:
        peer.sendall(handshake(node.port, "host" if token.startswith("hgh_") else "client", token))
        return peer.recv(64).startswith(b"HTTP/1.1 101")


def make_workspaces(relay: Relay, count: int) -> list[str]:
    names = [f"Team {number}" for number in range(count)]
    for name in names:
        relay.run("workspace", "add", name, "--data", str(relay.data))
    return names


def used(pid: int) -> float:
    """Processor seconds of a process and its ended children."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def milliseconds(result: Result, *keys: str) -> str:
    return " / ".join(f"{result['latency'][key] / 1000:.2f}" for key in keys)



def events(bench: Bench) -> Yield:
    """The events of the same number of hosts, in one workspace, or spread over eight."""
    for title, slower_by in (("this disk", 0), (f"a disk whose sync takes {SLOW_MICROSECONDS / 1000:g} ms longer", SLOW_MICROSECONDS)):
        rates = {}
        for count in (1, WORKSPACES):
            with RelayServer(slow_disk(bench.programs, slower_by) if slower_by else None) as alone:
                alone.target = where([alone.relay.url], [], alone.relay, WORKSPACES, make_workspaces(alone.relay, count))
                rates["SQLite", count] = ingested(alone, bench)
            with Database(3, slower_by=slower_by) as database:
                names = make_workspaces(database.owner, count)
                database.lead(database.cluster.nodes, [], count=WORKSPACES, workspaces=names)
                rates["PostgreSQL, three nodes", count] = ingested(database, bench)
        for store in ("SQLite", "PostgreSQL, three nodes"):
            one, many = rates[store, 1], rates[store, WORKSPACES]
            yield f"{store:<24} on {title}: one workspace {one:,.0f} events/s, {WORKSPACES} workspaces {many:,.0f}, {many / one:.2f} × one"
        yield Ratio(f"{WORKSPACES} workspaces / one, on {title}", rates["PostgreSQL, three nodes", WORKSPACES] / rates["PostgreSQL, three nodes", 1], 3, False)


def ingested(server: Server, bench: Bench, window: int = WINDOW) -> float:
    return float(server.bench("ingest", hosts=WORKSPACES, window=window, batch=BATCH, size=EVENT_BYTES, duration=bench.seconds)["result"]["donePerSecond"])


def machines(bench: Bench) -> Yield:
    """The same load with each node limited to a share of a processor, as on machines of their own: otherwise the shared processors would be the limit."""
    rates = {}
    for count in (1, WORKSPACES):
        with ExitStack() as undo:
            try:
                groups = [Machine(MACHINE_SHARE) for _ in range(MACHINES)]
            except NoMachines as missing:
                return (yield f"left out: {missing}")
            for group in groups:
                undo.callback(group.close)
            database = undo.enter_context(Database(MACHINES))
            # The first workspace exists already, and a node that owned only that one would have no load.
            names = ["default", *make_workspaces(database.owner, count - 1)]
            database.lead(database.cluster.nodes, [], count=WORKSPACES, workspaces=names)
            for group, node in zip(groups, database.cluster.nodes):
                assert node.process
                group.take(node.process.pid)
            rates[count] = ingested(database, bench, MACHINE_WINDOW)
            busy = ", ".join(f"{group.throttled():.0%}" for group in groups)
            yield f"{MACHINES} nodes, {MACHINE_SHARE:.0%} of a processor each, {count} workspaces: {rates[count]:,.0f} events/s; each wanted more in {busy} of its time"
    yield Ratio(f"{WORKSPACES} workspaces / one, where each node has a machine of its own", rates[WORKSPACES] / rates[1], 3, False)


def approval(bench: Bench) -> Yield:
    with RelayServer() as alone:
        found = {"one relay, SQLite": alone.bench("approval", duration=bench.seconds)}
    for standby in (False, True):
        with Database(3, standby) as database:
            what = "PostgreSQL with a synchronous standby" if standby else "PostgreSQL"
            database.lead([database.owner], [database.owner])
            found[f"one relay, {what}"] = database.bench("approval", duration=bench.seconds)
            database.lead(database.edges[:1], database.edges[1:])
            found[f"over two edges, {what}"] = database.bench("approval", duration=bench.seconds)
    for name, result in found.items():
        yield f"{name:<53} p50 / p99 {milliseconds(result, 'p50', 'p99')} ms of {result['result']['done']:,} in turn"
    base = found["one relay, SQLite"]["latency"]["p50"]
    yield Ratio("p50 over two edges / one machine's SQLite", found["over two edges, PostgreSQL"]["latency"]["p50"] / base, 3, True)


def takeover(bench: Bench) -> Yield:
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    clients = 500 if bench.quick else min(CLIENTS, files // CLIENT_FILES)
    if clients < CLIENTS:
        yield f"{clients:,} clients instead of {CLIENTS:,}{'' if bench.quick else f': a process may have {files:,} open files here'}"
    server = PostgresServer()
    try:
        # After the database's start nodes wait for a lease's duration for earlier owners to return.
        wait_until(lambda: server.sql("SELECT now() - pg_postmaster_start_time() > interval '9 s'") == "t", 20, "a database that is older than a lease")
        killed = [taken_over(server, clients) for _ in range(1 if bench.quick else KILLS)]
        stopped = taken_over(server, clients, "--stop-owner")
    finally:
        server.close()
    for number, result in enumerate(killed):
        yield f"kill -9, {number + 1}: {clients:,} clients at two edges, level again p50 / p99 / all {milliseconds(result, 'p50', 'p99', 'max')} ms after it, {result['result']['turnedAway']:,} turned away and back"
    yield f"SIGSTOP: level again p50 / p99 / all {milliseconds(stopped, 'p50', 'p99', 'max')} ms after it; the lease is 8 s"
    yield Ratio("seconds after kill -9 until all are level, median", statistics.median(result["latency"]["max"] for result in killed) / 1e6, 2, True, " s")
    yield Ratio("seconds after SIGSTOP until all are level", stopped["latency"]["max"] / 1e6, 11, True, " s")


def taken_over(server: PostgresServer, clients: int, *arguments: str) -> Result:
    with Database(3, on=server) as database:
        database.lead(database.edges, database.edges)
        owner = database.owner.process
        assert owner
        database.target += ["--owner", str(owner.pid), *arguments]
        return database.bench("takeover", clients=clients, history=20)


def deliveries(bench: Bench) -> Yield:
    with RelayServer() as alone:
        found = {"one relay, SQLite": saturated(alone, bench)}
    with Database(2) as database:
        database.lead([database.owner], [database.owner], database.owner)
        found["one relay, PostgreSQL"] = saturated(database, bench)
        database.lead([database.owner], database.edges, database.edges[0])
        found["clients at an edge"] = saturated(database, bench)
    for name, result in found.items():
        yield (
            f"{name:<22} {result['result']['deliveriesPerSecond'] / 1000:7,.0f} k deliveries/s, {result['relay']['secondsPerMillionDeliveries']:.2f} s of processor a million where the clients are, "
            f"the load {result['driver']['secondsPerMillionDeliveries']:.2f} s and idle {result['driver']['waitedShare']:.0%}"
        )
    rates = {name: result["result"]["deliveriesPerSecond"] for name, result in found.items()}
    yield Ratio("deliveries/s through an edge / one relay's on the same database", rates["clients at an edge"] / rates["one relay, PostgreSQL"], 0.9, False)


def saturated(server: Server, bench: Bench) -> Result:
    return server.bench("fanout", clients=1_000, window=64, size=EVENT_BYTES, duration=bench.seconds)


def processor(bench: Bench) -> Yield:
    """Many events a second, one per message, with all peers at one node."""
    for clients in (1, 100):
        with RelayServer() as alone, spent({"relay": lambda: alone.relay.processor_seconds}) as sqlite:
            load(alone, bench, clients)
        with Database(2) as database:
            owner, edge = database.owner, database.edges[0]
            parts = {"owner": lambda: owner.processor_seconds, "database": database.database_seconds}
            database.lead([owner], [owner])
            with spent(parts) as single:
                load(database, bench, clients)
            database.lead([edge], [edge])
            with spent(parts | {"edge": lambda: edge.processor_seconds}) as through:
                load(database, bench, clients)
        count = EVENTS_PER_SECOND * (bench.seconds + 1)
        for name, use in (("one relay, SQLite", sqlite), ("one relay, PostgreSQL", single), ("over an edge", through)):
            yield f"{name:<22} {clients:>3} clients, {EVENTS_PER_SECOND:,} events/s: " + ", ".join(f"{part} {1e6 * seconds / count:.0f} µs" for part, seconds in use.items()) + " an event"


def load(server: Server, bench: Bench, clients: int) -> None:
    server.bench("fanout", clients=clients, rate=EVENTS_PER_SECOND, size=EVENT_BYTES, duration=bench.seconds)


@contextmanager
def spent(parts: dict[str, Callable[[], float]]) -> Iterator[dict[str, float]]:
    """Yields processor seconds of each process, filled in at the end."""
    before = {name: part() for name, part in parts.items()}
    found: dict[str, float] = {}
    yield found
    found.update({name: part() - before[name] for name, part in parts.items()})


def idle(bench: Bench) -> Yield:
    seconds = 5 if bench.quick else IDLE_SECONDS
    clients = 500 if bench.quick else 2_000
    with Database(3) as database:
        owner, edges = database.owner, database.edges
        nodes = [owner, *edges]
        wait_until(lambda: all(node._is_ready() for node in nodes), 20, "nodes that are ready")
        time.sleep(3)  # time for the background work of the relay's start
        three = at_rest(database, nodes, seconds)
        edges[1].stop()
        two = at_rest(database, nodes[:2], seconds)
        for node, name in ((owner, "owner"), (edges[0], "edge")):
            yield f"{name} at rest: {3_600 * three[node]:.1f} s of processor an hour, {node.resident_kib / 1024:.0f} MiB"
        yield f"database: {three['transactions']:.1f} transactions a second for three nodes, {three['transactions'] - two['transactions']:.1f} for each further edge, {3_600 * three['database']:.0f} s of processor an hour for three"
        database.lead([owner], edges[:1], edges[0])
        before = owner.resident_kib
        crowd = database.bench("idle", clients=clients, history=1, duration=4)
        yield f"{clients:,} idle clients at an edge: {crowd['relay']['kibPerClient']:.1f} KiB each at the edge, {(owner.peak_kib - before) / clients:.1f} at the owner"


def at_rest(database: Database, nodes: list[Node], seconds: float) -> dict[Any, float]:
    """Processor time of each node and of the database, and transactions, per second."""
    parts: dict[Any, Callable[[], float]] = {node: (lambda node=node: run_seconds(node)) for node in nodes}
    before = transactions(database)
    with spent(parts | {"database": database.database_seconds}) as found:
        time.sleep(seconds)
    return {name: value / seconds for name, value in found.items()} | {"transactions": (transactions(database) - before) / seconds}


def run_seconds(node: Node) -> float:
    """The running time of a node's threads, in nanosecond resolution."""
    assert node.process
    return sum(int(file.read_text().split()[0]) for file in Path(f"/proc/{node.process.pid}/task").glob("*/schedstat")) / 1e9


def transactions(database: Database) -> float:
    return float(database.postgres[0].sql(f"SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '{database.name}'"))


CLUSTER: dict[str, tuple[str, Callable[[Bench], Yield]]] = {
    "cluster-events": ("several nodes: durable events a second, 8 hosts, 64 events a message", events),
    "cluster-machines": (f"several nodes: the same, each with {MACHINE_SHARE:.0%} of a processor of its own", machines),
    "cluster-approval": ("several nodes: approval, host → node → client → node → host, each step on disk", approval),
    "cluster-takeover": ("several nodes: the owner of a workspace is lost", takeover),
    "cluster-deliveries": ("several nodes: saturated, 1,000 subscribers, window 64", deliveries),
    "cluster-processor": ("several nodes: processor of an event", processor),
    "cluster-idle": ("several nodes: at rest", idle),
}
"""Rows of the matrix, each one run."""
