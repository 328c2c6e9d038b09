"""Networks between nodes and their database, and between two nodes, that work in one direction only: real processes in network namespaces."""

import contextlib
import os
import random
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import pytest

from load import Load
from namespaces import Namespace, namespace
from nodes import Anywhere, Node, NodeElsewhere, Nodes
from postgres import PostgresServer
from teams import Teams, owned_by, workspaces
from waits import patient, wait_until

CASES: list[tuple[str, Literal["out", "in"]]] = [("database", "out"), ("database", "in"), ("node", "out"), ("node", "in")]
"""What the node in the namespace is cut off from, and the direction in which packets are lost."""
DATABASE_PORT = 5432


class PostgresOnNetworks(PostgresServer):
    """A PostgreSQL that listens at this machine's end of each veth pair. Nodes use these addresses, so that a cut affects them."""

    def __init__(self, machines: list[Namespace]):
        super().__init__(f"listen_addresses={','.join(machine.outside for machine in machines)}", "max_connections=300")
        with (self.folder / "data/pg_hba.conf").open("a") as file:
            file.write("host all all 10.213.0.0/16 trust\n")
        os.kill(self.servers()[0], signal.SIGHUP)
        wait_until(lambda: self.sql("SELECT count(*) FROM pg_hba_file_rules WHERE address = '10.213.0.0'") == "1", 10, "the rule")

    def reached_from(self, machine: Namespace) -> "PostgresAt":
        return PostgresAt(self, machine)


class PostgresAt:
    """The same PostgreSQL at the address for one of the machines."""

    def __init__(self, server: PostgresOnNetworks, machine: Namespace):
        self.server, self.machine = server, machine

    def address(self, database: str) -> str:
        return f"postgresql://heliograph@{self.machine.outside}:{DATABASE_PORT}/{database}"

    def sql(self, statement: str, database: str) -> str:
        return self.server.sql(statement, database)


@pytest.mark.timeout(270)
def test_what_a_network_carries_one_way_only_costs_nobody_an_event(short_path):
    with contextlib.ExitStack() as undo:
        machines = [undo.enter_context(namespace(place)) for place in range(len(CASES))]
        server = PostgresOnNetworks(machines)
        undo.callback(server.close)
        # Cases run in parallel, because each mostly waits for leases and heartbeats.
        with ThreadPoolExecutor(len(CASES)) as pool:
            running = [pool.submit(play, short_path / f"{what}-{way}", server, machine, what, way) for machine, (what, way) in zip(machines, CASES)]
            for one in running:
                one.result(patient(240))


def play(folder: Path, server: PostgresOnNetworks, machine: Namespace, what: str, way: Literal["out", "in"]) -> None:
    database = f"cut_{what}_{way}"
    server.make(database)
    here = server.reached_from(machine)
    inner = NodeElsewhere(folder / "inner", here, database, machine)
    outer = [Node(folder / f"outer{number}", here, database) for number in range(2)]
    for node in outer:
        node.address = "0.0.0.0"
        node.arguments[node.arguments.index("--advertise") + 1] = f"http://{machine.outside}:{node.port}"
    nodes = [inner, *outer] if what == "database" else [outer[0], inner, outer[1]]
    try:
        for node in nodes:
            node.start()
        assert nodes[0].owned()
        (cut_from_database if what == "database" else cut_from_owner)(machine, inner, outer, way)
        for node in nodes:
            node.check_log()
    finally:
        for node in nodes:
            node.kill()


def cut_from_database(machine: Namespace, inner: Node, outer: list[Node], way: Literal["out", "in"]) -> None:
    """Cuts one of three nodes off from the database. Its links still work, but it must show nothing there that is not committed."""
    nodes = Nodes([inner, *outer])
    before = nodes.share(workspaces(6))
    staying = set(before) - owned_by(inner.folder.name, before)
    assert len(staying) == 4, before
    teams = Teams({name: Anywhere(outer) for name in before}, random.Random())
    try:
        machine.cut_one_way(way, DATABASE_PORT)
        assert inner.wait_end(30) == 75, "it steps down before its lease is over"
        after = nodes.wait_shared(among=outer)
        assert {name: after[name] for name in staying} == {name: before[name] for name in staying}
        teams.wait_progress()
        teams.check_undisturbed(staying)
        # Messages in flight at the cut arrive when the network works again.
        machine.heal()
        inner.start()
        even = nodes.wait_shared(90, evenly=True)
        teams.wait_progress()
        teams.check_undisturbed(name for name in staying if even[name] == after[name])
        teams.finish()
    finally:
        teams.close()


def cut_from_owner(machine: Namespace, inner: Node, outer: list[Node], way: Literal["out", "in"]) -> None:
    """Both nodes reach the database, so neither takes over; peers use another edge, which reaches the owner."""
    load = Load(Anywhere([inner, outer[1]]))
    try:
        load.wait_progress()
        machine.cut_one_way(way, outer[0].port)
        wait_until(lambda: inner.get("/readyz").status == 503, 30, "the edge to notice that its link carries nothing")
        assert inner.get("/healthz").status == 200
        load.wait_progress()
        assert outer[0].owned() and not inner.owned() and not outer[1].owned()
        machine.heal()
        wait_until(lambda: inner.get("/readyz").status == 200, 30, "the edge to reach the owner again")
        load.wait_progress()
        load.finish()
        load.check(inner)
        assert len(load.epochs) == 1, "an epoch began"
        assert outer[0].owned()
    finally:
        load.close()
