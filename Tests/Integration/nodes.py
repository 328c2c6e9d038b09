"""Several relays on one database: each owns some workspaces, and is an edge for the others."""

import http.client
import json
import re
import socket
import subprocess
from pathlib import Path
from typing import Any

from namespaces import Namespace
from postgres import PostgresServer
from relay import Relay
from waits import patient, wait_until


class Node(Relay):
    """A relay that others reach."""

    def __init__(self, folder: Path, server: PostgresServer, database: str, arguments: list[str] | None = None, advertised: str | None = None):
        """`advertised` is where others are led to it, if not straight."""
        super().__init__(folder)
        self.server, self.database = server, database
        store = ["--store", server.address(database), "--node", folder.name, "--log-level", "info", "--asynchronous-database", "true"]
        self.arguments = [*store, "--advertise", advertised or self.url, *(arguments or [])]

    def owned(self) -> int:
        """How many workspaces; 0 also while it does not answer."""
        try:
            metrics = self.metrics()
        except OSError:
            return 0
        found = re.search(r"^heliograph_node_workspaces (\d+)", metrics, re.MULTILINE)
        assert found, metrics
        return int(found.group(1))

    def metrics(self) -> str:
        return self.get("/metrics").body.decode()

    def connections_report(self) -> dict[str, int]:
        """What the engine says of its connections."""
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
    """A node on a machine of its own, as far as the network goes."""

    def __init__(self, folder: Path, server: PostgresServer, database: str, machine: Namespace):
        super().__init__(folder, server, database)
        self.prefix, self.address, self.reached_at = machine.prefix, "0.0.0.0", machine.inside
        self.url = f"http://{machine.inside}:{self.port}"
        self.arguments[self.arguments.index("--advertise") + 1] = self.url

    def metrics(self) -> str:
        """Asked for where it runs: from elsewhere a token is needed."""
        command = [*self.prefix, "curl", "--silent", "--show-error", "--max-time", "10", f"http://127.0.0.1:{self.port}/metrics"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise OSError(done.stderr)
        return done.stdout


class Cluster:
    """Nodes that are started one after the other: the first owns the workspace that is there from the start, and keeps it."""

    def __init__(self, folder: Path, server: PostgresServer, database: str, count: int, arguments: list[str] | None = None):
        server.make(database)
        self.nodes = [Node(folder / f"node{number}", server, database, arguments) for number in range(count)]

    def start(self) -> "Cluster":
        for node in self.nodes:
            node.start()
        return self

    @property
    def owner(self) -> Node:
        owners = [node for node in self.nodes if node.process is not None and node.owned()]
        assert len(owners) == 1, f"{len(owners)} nodes own something"
        return owners[0]

    @property
    def edges(self) -> list[Node]:
        owner = self.owner
        return [node for node in self.nodes if node is not owner]

    def wait_owner(self, among: list[Node] | None = None, seconds: float = 20) -> Node:
        """Until one of these owns the only workspace and is ready."""
        nodes = among or [node for node in self.nodes if node.process is not None]
        found: list[Node] = []

        def look() -> bool:
            found[:] = [node for node in nodes if node.owned() and node._is_ready()]
            return len(found) == 1

        wait_until(look, seconds, lambda: "an owner. The logs:\n" + "\n".join(node.log_text()[-2000:] for node in nodes))
        return found[0]

    def wait_owned(self, workspaces: int, seconds: float = 20) -> dict[str, int]:
        """Until each workspace has an owner among the nodes that run, and all are ready; how many each node owns then."""
        owned: dict[str, int] = {}

        def look() -> bool:
            running = [node for node in self.nodes if node.process is not None]
            owned.clear()
            owned.update({node.folder.name: node.owned() for node in running})
            return sum(owned.values()) == workspaces and all(node._is_ready() for node in running)

        wait_until(look, seconds, lambda: f"{workspaces} workspaces to be owned, not {owned}")
        return dict(owned)

    def check_logs(self) -> None:
        for node in self.nodes:
            node.check_log()

    def kill(self) -> None:
        for node in self.nodes:
            node.kill()


class Anywhere:
    """For a peer that comes to another node each time, as behind a balancer: looks like a relay."""

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
    """A relay as those know it who are of one workspace: tokens are made for that."""

    def __init__(self, relay: Any, workspace: str):
        self.relay = relay
        self.workspace = workspace

    def __getattr__(self, name: str) -> Any:
        return getattr(self.relay, name)

    def token(self, role: str, name: str) -> str:
        words = ["token", "create", "--role", role, "--name", name, "--workspace", self.workspace]
        return self.relay.run(*words, "--data", str(self.relay.data)).stdout.strip()
