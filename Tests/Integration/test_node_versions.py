"""Nodes of two versions on one database, as in every rolling upgrade.

What one version can know of another is the number of the schema, the rows that the other writes, and the name of the link's protocol: each
is made that of another version here. `HELIOGRAPH_OLD_BIN=…` names a real older program, too (`make upgrade-check` builds one, which takes
ten minutes: too long for each run of CI, where the program of the day before mostly differs in nothing of these).
"""

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from client import WireClient
from follower import whole_log
from host import ScriptedHost
from load import Load
from nodes import Anywhere, Cluster, Node
from postgres import PostgresServer
from waits import wait_until

OLD = os.environ.get("HELIOGRAPH_OLD_BIN")


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.close()


@contextmanager
def owner_of_another_version() -> Iterator[str]:
    """Where a node answers that offers the link of another version alone: its address."""

    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # noqa: N802
            self.send_response(400)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    other = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    thread = threading.Thread(target=other.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{other.server_port}"
    finally:
        other.shutdown()
        other.server_close()


def test_a_node_whose_link_is_of_another_version_waits_until_the_owner_has_gone(server, tmp_path):
    server.make("another_link")
    with owner_of_another_version() as url:
        first, second = (Node(tmp_path / name, server, "another_link") for name in ("first", "second"))
        first.arguments[first.arguments.index("--advertise") + 1] = url
        try:
            first.start()
            host = ScriptedHost(first)
            host.start_session("s1")
            host.wait_acked("s1")
            server.sql("UPDATE nodes SET link_version = link_version + 1", "another_link")
            second.launch()
            wait_until(lambda: second.get("/healthz").status == 200 if listens(second) else False, 20, "the second node to be there")
            wait_until(lambda: "link" in second.log_text(), 10, "the second node to have tried")
            # It serves nobody, takes nothing over, and goes on trying.
            assert second.get("/readyz").status == 503 and first.owned()
            host.event("s1", "message", {"role": "assistant", "text": "the older one goes on"})
            host.wait_acked("s1")
            first.stop()
            wait_until(second._is_ready, 20, "the second node to own the log")
            assert second.owned() and whole_log(second, "s1") == host.sessions["s1"]
            host.close()
        finally:
            first.kill()
            second.kill()
        first.check_log()
        second.check_log()


def listens(node: Node) -> bool:
    try:
        return node.get("/healthz").status > 0
    except OSError:
        return False


def test_nodes_that_run_go_on_after_a_newer_version_and_none_of_theirs_is_started_again(server, tmp_path):
    cluster = Cluster(tmp_path, server, "newer_schema", 3)
    anywhere = Anywhere(cluster.nodes)
    try:
        cluster.start()
        host = ScriptedHost(anywhere)
        host.start_session("s1")
        host.wait_acked("s1")
        token = cluster.nodes[1].token("client", "phone")
        # As a newer program leaves it that only adds, which is all that a version may do while the one before runs.
        server.sql("INSERT INTO versions (version) SELECT max(version) + 1 FROM versions", "newer_schema")
        server.sql("ALTER TABLE nodes ADD COLUMN added_later int; ALTER TABLE sessions ADD COLUMN added_later int", "newer_schema")
        approval = host.request_approval("s1", "Bash", {"command": "make"})
        host.wait_acked("s1")
        first = cluster.nodes[0]
        first.kill()
        second = cluster.wait_owner(among=cluster.nodes[1:], seconds=20)
        host.wait_acked("s1", timeout=20)
        phone = WireClient(second, token=token)
        phone.subscribe()
        assert phone.approvals[approval]["stage"] == "pending" and "error" not in phone.decide("s1", approval, "allow")
        host.wait_decision(approval, timeout=20)
        first.launch()
        assert first.wait_end() != 0 and "newer version" in first.log_text()
        assert second.owned()
        phone.close()
        host.close()
        cluster.check_logs()
    finally:
        cluster.kill()


def end_older(node: Node) -> None:
    """With schema version 6 the first new node takes over from all that are older: their owner ends by itself."""
    process = node.process
    assert process is not None
    process.send_signal(signal.SIGTERM)
    assert node.wait_end() in (0, 75), node.log_text()[-3000:]


def replace_one_by_one(server: PostgresServer, tmp_path: Path, old: Path, and_back: bool) -> None:
    """Three nodes under load, with an approval open; back, too, as long as the schema is the same."""
    database = f"side_{int(and_back)}"
    cluster = Cluster(tmp_path / "nodes", server, database, 3)

    def schema() -> str:
        return server.sql("SELECT max(version) FROM versions", database)

    new = cluster.nodes[0].binary
    for node in cluster.nodes:
        node.binary = old
    anywhere = Anywhere(cluster.nodes)
    try:
        cluster.start()
        waiting = ScriptedHost(anywhere, "waiting")
        waiting.start_session("open")
        approval = waiting.request_approval("open", "Bash", {"command": "make deploy"})
        load = Load(anywhere, choices=[lambda asked: None if asked == approval else "allow"] * 2)
        before = schema()
        # A command never ends relays that serve. Where its version only adds to the database they go on, and are not started again.
        tried = subprocess.run([str(new), "token", "list", "--data", str(cluster.nodes[0].data)], capture_output=True, text=True)
        assert tried.returncode == 0 or ("Relays of an older version serve" in tried.stderr and schema() == before), tried
        assert all(node.process is not None and node.process.poll() is None for node in cluster.nodes)
        for binary in [new, old] if and_back else [new]:
            if binary == old and schema() != before:
                refused = cluster.nodes[0]
                refused.stop()
                refused.binary = old
                refused.launch()
                assert refused.wait_end() != 0 and "newer version" in refused.log_text()
                refused.binary = new
                refused.start()
                cluster.wait_owner()
                break
            for node in cluster.nodes:
                end_older(node)
                node.binary = binary
                node.start()
                cluster.wait_owner()
                phone = WireClient(node)
                phone.subscribe()
                assert phone.approvals[approval]["stage"] == "pending"
                phone.close()
        edge = cluster.edges[0]
        # Its owner may have just been replaced.
        wait_until(edge._is_ready, 20, "the edge to reach the owner")
        phone = WireClient(edge)
        phone.subscribe()
        assert "error" not in phone.decide("open", approval, "allow")
        waiting.wait_decision(approval, timeout=20)
        load.finish()
        load.check(cluster.owner)
        for peer in (load, waiting, phone):
            peer.close()
        cluster.check_logs()
    finally:
        cluster.kill()


if OLD:

    @pytest.mark.parametrize("and_back", [False, True])
    def test_a_real_older_program_and_this_one_side_by_side(server, tmp_path, and_back):
        replace_one_by_one(server, tmp_path, Path(OLD), and_back)
