"""Nodes of two versions on one database, as in every rolling upgrade.

A version knows another one by the schema's number, by the rows that it writes, and by the name of the link's protocol: the tests
change each to that of another version. `HELIOGRAPH_OLD_BIN=…` adds a real older program (`make upgrade-check` builds one, which takes
ten minutes: too long for CI, where yesterday's program mostly agrees in all of these).
"""

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from client import WireClient
from follower import whole_log
from history import check_host
from host import ScriptedHost
from load import Load
from nodes import Anywhere, Cluster, InWorkspace, Node, settled_log
from postgres import PostgresServer
from relay import BINARY
from test_nodes import PhoneAnywhere
from test_push import decide, notifications, payload
from waits import wait_until

OLD = os.environ.get("HELIOGRAPH_OLD_BIN")


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.close()


@contextmanager
def owner_of_another_version() -> Iterator[str]:
    """Yields the address of a fake node that offers only the link protocol of another version."""

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
            # The node serves no peer, takes nothing over, and keeps trying.
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
        # A schema that a newer program has extended: while the previous version runs, a version may only add to it.
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
    """From schema version 6 the first new node takes over from all older ones, whose owner then ends."""
    process = node.process
    assert process is not None
    process.send_signal(signal.SIGTERM)
    assert node.wait_end() in (0, 75), node.log_text()[-3000:]


def replace_one_by_one(server: PostgresServer, tmp_path: Path, old: Path, and_back: bool) -> None:
    """Replaces three nodes under load with a pending approval; also back to the older version, as long as the schema is the same."""
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
        # A command never ends serving relays. If its version only adds to the schema they continue, and are not restarted.
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
        # The edge's owner may have just been replaced.
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


class Team:
    """A workspace's activity while its nodes are replaced: an approval, a prompt and a budget that last through all replacements, and others that do
    not.
    """

    COSTS = (600_000, 900_000, 1_100_000, 1_200_000)
    """Cost of the session so far at each stage, in micro-dollars. Each threshold of a 1-dollar budget (half, four fifths, all) is crossed once."""

    def __init__(self, name: str, place: InWorkspace, phone: PhoneAnywhere | None):
        self.name, self.place, self.phone = name, place, phone
        self.operator_token, self.stage = place.token("operator", f"operator of {name}"), 0
        self.session = name.lower().replace(" ", "-")
        if phone:
            phone.register(place.token("client", f"phone of {name}"), text="full", starts="never")
        self.host = ScriptedHost(place, f"laptop of {name}", capabilities=("hold", "steer"))
        self.host.start_session(self.session, title=f"Plan of {name}")
        self.host.event(self.session, "steering.offered", {"actions": ["prompt"]})
        self.open = self.host.request_approval(self.session, "Bash", {"command": "make deploy"}, approval=f"open-{self.session}")
        self.host.wait_acked(self.session)
        self.prompts: list[str] = []
        self.approvals = [self.open]
        with self.operator() as operator:
            assert "error" not in operator.command("budget", budget={"scope": "workspace", "microUSD": 1_000_000, "hold": True})
        self.open_prompt = self.prompt("what outlasts it")

    @contextmanager
    def operator(self) -> Iterator[WireClient]:
        """Connects an operator to another node each time."""
        made: list[WireClient] = []

        def connect() -> bool:
            try:
                made.append(WireClient(self.place, token=self.operator_token))
            except (OSError, InvalidStatus, ConnectionClosed):
                # The node has just ended, or cannot reach the owner yet.
                return False
            return True

        wait_until(connect, 30, f"a connection to {self.name}")
        try:
            made[0].subscribe()
            made[0].subscribe(self.session)
            yield made[0]
        finally:
            made[0].close()

    def prompt(self, text: str) -> dict[str, Any]:
        """Sends a prompt that reaches the host; the caller handles its outcome."""
        came = len(self.host.received)
        with self.operator() as operator:
            sent = operator.command("prompt", session=self.session, text=text)
            assert "error" not in sent, sent
        message = self.host.wait_steered("prompt", since=came, timeout=20)
        assert message["text"] == text
        self.prompts.append(message["id"])
        return message

    def rung(self, approval: str) -> list[Any]:
        """The notifications of an approval, with the code that decides it."""
        shown = [payload(one)["heliograph"] for one in notifications(self.phone)] if self.phone else []
        return [one for one in shown if one.get("approval") == approval and "code" in one]

    def settle(self, approval: str, decision: str, node: Node) -> None:
        """Decides an approval by its notification if there is a phone, otherwise by the operator."""
        if self.phone:
            wait_until(lambda: self.rung(approval), 20, lambda: f"a notification of {self.name} for {approval}")
            answer = decide(node, self.rung(approval)[0]["code"], decision=decision)
            assert answer.status == 200, answer.body
        else:
            with self.operator() as operator:
                operator.wait_approval(approval, "pending")
                assert "error" not in operator.decide(self.session, approval, decision)
        assert self.host.wait_decision(approval, timeout=20)["decision"]["decision"] == decision

    def live_a_stage(self, nodes: list[Node]) -> None:
        """A prompt is taken, an approval is decided by its notification at some node, and money is spent."""
        self.host.wait_connected(30)
        self.host.steered(self.prompt(f"stage {self.stage}"), "taken")
        approval = self.host.request_approval(self.session, "Bash", {"command": f"make {self.stage}"}, approval=f"{self.stage}-{self.session}")
        self.approvals.append(approval)
        self.settle(approval, "allow", nodes[self.stage % len(nodes)])
        self.host.apply(self.session, approval)
        self.host.event(self.session, "usage", {"run": "r1", "costMicroUSD": self.COSTS[self.stage]})
        self.host.wait_acked(self.session, timeout=20)
        self.stage += 1

    def finish(self, nodes: list[Node]) -> None:
        self.host.steered(self.open_prompt, "taken")
        # The notification's code from before the replacements still works.
        self.settle(self.open, "deny", nodes[0])
        self.host.wait_acked(self.session, timeout=20)
        with self.operator() as operator:
            (budget,) = operator.command("budgets")["budgets"]
            assert (budget["spentMicroUSD"], budget["crossed"]) == (self.COSTS[self.stage - 1], 100), budget
            held = operator.wait_summary(self.session, lambda summary: summary.get("budget", {}).get("level") == 100)
            assert held["budget"].get("held") is True
        log = settled_log(self.place, self.session)
        check_host(self.host, self.session, log)
        heads = [(event["kind"], event["head"]) for event in log]
        assert [head["level"] for kind, head in heads if kind == "budget.crossed"] == [50, 80, 100]
        taken = [head["command"] for kind, head in heads if kind == "steering.changed" and head["stage"] == "taken"]
        assert sorted(taken) == sorted(self.prompts) and len(set(taken)) == self.stage + 1
        reached = [message["id"] for message in self.host.received if message["type"] == "prompt"]
        # A prompt that the host has not answered may be delivered twice; no other is, and none is lost.
        assert set(reached) == set(self.prompts) and all(reached.count(one) == 1 for one in self.prompts if one != self.open_prompt["id"])
        for kind in ("approval.decided", "approval.applied"):
            told = [head["approval"] for found, head in heads if found == kind]
            assert len(told) == len(set(told)), f"{kind} twice: {told}"
        if self.phone:
            assert {approval: len(self.rung(approval)) for approval in self.approvals} == dict.fromkeys(self.approvals, 1), "each rang once"


def roll_whole_teams(server: PostgresServer, database: str, tmp_path: Path, old: Path) -> None:
    """Three nodes share three workspaces; each node is replaced by one of this version while all workspaces are active."""
    cluster = Cluster(tmp_path / "nodes", server, database, 3)
    new = cluster.nodes[0].binary
    apple = tmp_path / "apple"
    apple.mkdir()
    phone = PhoneAnywhere(apple, cluster.nodes)
    teams: list[Team] = []
    try:
        phone.switch_on()
        for node in cluster.nodes:
            node.binary = old
        cluster.start()
        for node in cluster.nodes:
            phone.enrol(node.data)
        names = list(cluster.share(["team 1", "team 2"]))
        anywhere = Anywhere(cluster.nodes)
        # A phone's APNs address belongs to one workspace at a time.
        teams = [Team(name, InWorkspace(anywhere, name), phone if name == names[-1] else None) for name in names]
        for replaced in [None, *cluster.nodes]:
            if replaced:
                end_older(replaced)
                replaced.binary = new
                replaced.start()
                cluster.wait_shared()
            for team in teams:
                team.live_a_stage(cluster.running)
        for team in teams:
            team.finish(cluster.running)
        for team in teams:
            team.host.close()
        cluster.check_logs()
    finally:
        for team in teams:
            team.host.close()
        cluster.kill()
        phone.switch_off()


if OLD:

    @pytest.mark.parametrize("and_back", [False, True])
    def test_a_real_older_program_and_this_one_side_by_side(server, tmp_path, and_back):
        replace_one_by_one(server, tmp_path, Path(OLD), and_back)

    def test_workspaces_live_on_while_their_nodes_are_replaced(server, tmp_path):
        roll_whole_teams(server, "teams_replaced", tmp_path, Path(OLD))


def test_workspaces_live_on_while_their_nodes_are_started_anew(server, tmp_path):
    """Nodes of this version are replaced by this version, so that the test behind `make upgrade-check` stays valid between its runs."""
    roll_whole_teams(server, "teams_anew", tmp_path, BINARY)
