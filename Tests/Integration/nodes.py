"""Several relays on one database: each owns some workspaces, and is an edge for the others."""

import http.client
import json
import re
import socket
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from websockets.exceptions import ConnectionClosed, InvalidStatus

from follower import whole_log
from namespaces import Namespace
from postgres import PostgresServer
from relay import Relay
from waits import patient, wait_until


class Node(Relay):
    """A relay that other nodes can reach."""

    def __init__(self, folder: Path, server: PostgresServer, database: str, arguments: list[str] | None = None, advertised: str | None = None):
        """`advertised` is the address by which other nodes reach this one, if it is not the node's own."""
        super().__init__(folder)
        self.server, self.database = server, database
        store = ["--store", server.address(database), "--node", folder.name, "--log-level", "info", "--asynchronous-database", "true"]
        self.arguments = [*store, "--advertise", advertised or self.url, *(arguments or [])]

    def owned(self) -> int:
        """Number of workspaces that the node owns; 0 also if it does not answer."""
        try:
            metrics = self.metrics()
        except (OSError, http.client.HTTPException):
            return 0
        found = re.search(r"^heliograph_node_workspaces (\d+)", metrics, re.MULTILINE)
        assert found, metrics
        return int(found.group(1))

    def serves(self) -> bool:
        """True if the node accepts peers of every workspace; false also if it has just ended."""
        try:
            return self.get("/readyz").status == 200
        except (OSError, http.client.HTTPException):
            return False

    def metrics(self) -> str:
        return self.get("/metrics").body.decode()

    def connections_report(self) -> dict[str, int]:
        connection = http.client.HTTPConnection("relay", timeout=patient(10))
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(patient(10))
        connection.sock.connect(str(self.data / "relay.sock"))
        connection.request("GET", "/v1/admin/report")
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        assert answer.status == 200, (answer.status, body)
        return json.loads(body)["connections"]


class NodeElsewhere(Node):
    """A node in a network namespace of its own, as if on another machine."""

    def __init__(self, folder: Path, server: PostgresServer, database: str, machine: Namespace):
        super().__init__(folder, server, database)
        self.prefix, self.address, self.reached_at = machine.prefix, "0.0.0.0", machine.inside
        self.url = f"http://{machine.inside}:{self.port}"
        self.arguments[self.arguments.index("--advertise") + 1] = self.url

    def metrics(self) -> str:
        """The node's metrics, requested from inside its namespace, because other addresses need a token."""
        command = [*self.prefix, "curl", "--silent", "--show-error", "--max-time", "10", f"http://127.0.0.1:{self.port}/metrics"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise OSError(done.stderr)
        return done.stdout


class Owner(NamedTuple):
    """A workspace's row in the table of owners."""

    node: str
    """Its name; empty if the workspace has no owner."""
    epoch: str


class Nodes:
    def __init__(self, nodes: list[Node]):
        self.nodes = nodes

    @property
    def running(self) -> list[Node]:
        return [node for node in self.nodes if node.process is not None]

    def called(self, name: str) -> Node:
        return next(node for node in self.nodes if node.folder.name == name)

    def owners(self) -> dict[str, Owner]:
        """Owners by workspace name."""
        rows = self._sql(
            "SELECT w.name, coalesce(n.name, ''), coalesce(o.epoch, '') FROM owners AS o JOIN workspaces AS w ON w.workspace = o.scope "
            "LEFT JOIN nodes AS n USING (holder) ORDER BY w.number"
        )
        fields = [row.split("|") for row in rows.splitlines()]
        return {workspace: Owner(node, epoch) for workspace, node, epoch in fields}

    def share(self, workspaces: list[str]) -> dict[str, Owner]:
        """Creates workspaces in addition to the first one. Returns once no node owns two more than another."""
        for workspace in workspaces:
            self.nodes[0].run("workspace", "add", workspace, "--data", str(self.nodes[0].data))
        return self.wait_shared(evenly=True)

    def wait_shared(self, seconds: float = 40, among: list[Node] | None = None, evenly: bool = False) -> dict[str, Owner]:
        """Waits until each workspace is owned by one of these nodes, according to its row and the node's report, and all nodes serve it."""
        owners: dict[str, Owner] = {}

        def look() -> bool:
            owners.clear()
            owners.update(self.owners())
            return self.is_shared(owners, among or self.running, evenly)

        wait_until(look, seconds, lambda: f"each workspace to have its owner: {owners}", every=0.25)
        return dict(owners)

    def is_shared(self, owners: dict[str, Owner], among: list[Node], evenly: bool = False) -> bool:
        counts = Counter({node.folder.name: 0 for node in among})
        counts.update(owner.node for owner in owners.values())
        if len(counts) > len(among) or evenly and max(counts.values()) - min(counts.values()) > 1:
            return False
        return all(node.owned() == counts[node.folder.name] and node.serves() for node in among)

    def give(self, workspace: str, node: Node, generation: str) -> None:
        """Writes another owner into the workspace's row, which no correct node does; `generation` is an SQL expression."""
        holder = f"(SELECT holder FROM nodes WHERE name = '{node.folder.name}' ORDER BY expires_at DESC LIMIT 1)"
        scope = f"(SELECT workspace FROM workspaces WHERE name = '{workspace}')"
        self._sql(f"UPDATE owners SET holder = {holder}, generation = {generation} WHERE scope = {scope}")

    def check_logs(self) -> None:
        for node in self.nodes:
            node.check_log()

    def kill(self) -> None:
        for node in self.nodes:
            node.kill()

    def _sql(self, statement: str) -> str:
        return self.nodes[0].server.sql(statement, self.nodes[0].database)


class Cluster(Nodes):
    """Nodes that are started one after the other: the first one owns the only workspace, and keeps it."""

    def __init__(self, folder: Path, server: PostgresServer, database: str, count: int, arguments: list[str] | None = None):
        server.make(database)
        super().__init__([Node(folder / f"node{number}", server, database, arguments) for number in range(count)])

    def start(self) -> "Cluster":
        for node in self.nodes:
            node.start()
        return self

    @property
    def owner(self) -> Node:
        owners = [node for node in self.running if node.owned()]
        assert len(owners) == 1, f"{len(owners)} nodes own something"
        return owners[0]

    @property
    def edges(self) -> list[Node]:
        owner = self.owner
        return [node for node in self.nodes if node is not owner]

    def wait_owner(self, among: list[Node] | None = None, seconds: float = 20) -> Node:
        """Waits until one of these nodes owns the only workspace and is ready."""
        nodes = among or self.running
        found: list[Node] = []

        def look() -> bool:
            found[:] = [node for node in nodes if node.owned() and node._is_ready()]
            return len(found) == 1

        wait_until(look, seconds, lambda: "an owner. The logs:\n" + "\n".join(node.log_text()[-2000:] for node in nodes))
        return found[0]

    def wait_owned(self, workspaces: int, seconds: float = 20) -> dict[str, int]:
        """Waits until the running nodes own all workspaces and are ready; returns the number owned by each."""
        owned: dict[str, int] = {}

        def look() -> bool:
            owned.clear()
            owned.update({node.folder.name: node.owned() for node in self.running})
            return sum(owned.values()) == workspaces and all(node._is_ready() for node in self.running)

        wait_until(look, seconds, lambda: f"{workspaces} workspaces to be owned, not {owned}")
        return dict(owned)


class Anywhere:
    """Sends each connection of a peer to another node, like a load balancer; has the interface of a relay."""

    def __init__(self, nodes: list[Node]):
        self.nodes = nodes
        self._turn = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.nodes[0], name)

    @property
    def port(self) -> int:
        return self._next().port

    @property
    def url(self) -> str:
        return self._next().url

    def _next(self) -> Node:
        self._turn += 1
        return self.nodes[self._turn % len(self.nodes)]


class InWorkspace:
    """A relay for peers of one workspace: its tokens are made for that workspace."""

    def __init__(self, relay: Any, workspace: str):
        self.relay = relay
        self.workspace = workspace

    def __getattr__(self, name: str) -> Any:
        return getattr(self.relay, name)

    def token(self, role: str, name: str) -> str:
        token: str = self.relay.token(role, name, self.workspace)
        return token


def settled_log(relay: Any, session: str) -> list[Any]:
    """The complete log of a session; requested again if its workspace was just being handed over."""
    found: list[list[Any]] = []

    def read() -> bool:
        try:
            found.append(whole_log(relay, session))
        except InvalidStatus as refusal:
            assert refusal.response.status_code == 503, refusal
        except AssertionError as failure:
            if "closed with 4000" not in str(failure):
                raise
        except ConnectionClosed as closed:
            # The workspace was handed over between handshake and first message.
            if closed.rcvd is None or closed.rcvd.code != 4000:
                raise
        return bool(found)

    wait_until(read, 30, "the log")
    return found[0]
