"""Several serving relays on one PostgreSQL: any host and any client can use any node, and a node's death loses nothing."""

import http.client
import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as connect_websocket
from websockets.typing import Subprotocol

from client import WireClient
from crowd import Crowd
from fault_proxy import FaultProxy
from follower import Follower, allow, whole_log
from history import check_host, check_view
from host import ScriptedHost
from load import Load
from nodes import Anywhere, Cluster, Node
from postgres import PostgresServer
from relay import BINARY, ROOT
from waits import patient, wait_until

sys.path.append(str(ROOT / "Tests/Tools"))

from demo_phone import DEVICE, Phone  # noqa: E402

ROUNDS = int(os.environ.get("HELIOGRAPH_NODE_KILLS", "6"))
SEED = int(os.environ.get("HELIOGRAPH_SEED", random.SystemRandom().randrange(1 << 32)))


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.close()


@pytest.fixture
def make_cluster(server, tmp_path, request) -> Iterator[Any]:
    made: list[Cluster] = []

    def make(count: int, *arguments: str) -> Cluster:
        cluster = Cluster(tmp_path / f"c{len(made)}", server, f"n{abs(hash(request.node.name)) % 10**10}_{len(made)}", count, list(arguments))
        made.append(cluster)
        return cluster.start()

    yield make
    for cluster in made:
        cluster.kill()
    for cluster in made:
        cluster.check_logs()


def open_websocket(node: Node, path: str, token: str, subprotocol: str, **options: Any) -> ClientConnection:
    """Opens a WebSocket with an independent client."""
    address = f"ws://127.0.0.1:{node.port}{path}"
    return connect_websocket(address, additional_headers={"Authorization": f"Bearer {token}"}, subprotocols=[Subprotocol(subprotocol)], compression=None, **options)


def ask(host: ScriptedHost, session: str, command: str) -> str:
    return host.request_approval(session, "Bash", {"command": command})


def test_an_approval_goes_over_two_edges(make_cluster):
    cluster = make_cluster(3)
    owner, (left, right) = cluster.owner, cluster.edges
    assert owner is cluster.nodes[0]
    host = ScriptedHost(left)
    host.start_session("s1")
    host.wait_acked("s1")
    phone = WireClient(right)
    phone.subscribe()
    phone.subscribe("s1")
    laptop = WireClient(owner, "laptop")
    laptop.subscribe("s1")
    try:
        approval = ask(host, "s1", "ls")
        phone.wait(lambda message: message["type"] == "approval" or approval in phone.approvals, what="the approval")
        wait_until(lambda: approval in phone.approvals and approval in laptop.approvals, 10, "the approval at both")
        assert "error" not in phone.decide("s1", approval, "allow")
        host.wait_decision(approval)
        host.apply("s1", approval)
        host.wait_acked("s1")
        # Repeating the decision gives the same answer, and another decision is refused with the winner, at any node.
        assert "error" not in laptop.decide("s1", approval, "allow")
        assert laptop.decide("s1", approval, "deny")["error"]["code"] == "alreadyDecided"
        host.deltas("s1", "m1", "a piece of a message")
        for client in (phone, laptop):
            client.wait(lambda message: message["type"] == "deltas", what="a live piece of a message")
        assert phone.welcome["epoch"] == laptop.welcome["epoch"]
        assert owner.metric("heliograph_node_links") == 2 and left.metric("heliograph_node_links") == 1
        assert left.metric('heliograph_connections{role="host"}') == 1
    finally:
        host.close()
        phone.connection.close()
        laptop.connection.close()


def test_wrong_codes_of_pairing_are_no_load_on_the_database(make_cluster, server):
    cluster = make_cluster(2)
    (edge,) = cluster.edges
    code = edge.pair_link().partition("pair=")[2]

    def scans(table: str) -> int:
        return int(server.sql(f"SELECT seq_scan + coalesce(idx_scan, 0) FROM pg_stat_user_tables WHERE relname = '{table}'", edge.database))

    codes, tokens = scans("pairing_codes"), scans("tokens")
    body = {"code": "AAAAA-AAAAA-AAAAA-AAAAA", "previous": "hgh_none"}
    statuses = [edge.post("/v1/pair", body).status for _ in range(20)]
    with ThreadPoolExecutor(32) as pool:
        statuses += pool.map(lambda _: edge.post("/v1/pair", body).status, range(128))
    assert statuses == [404] * 20 + [429] * 128
    wait_until(lambda: scans("pairing_codes") >= codes + 20, 10, "the codes to have been looked up")
    assert scans("pairing_codes") <= codes + 20 + 20, "once a second for all the others"
    # Looking up a code reads only the tokens that made codes.
    assert scans("tokens") <= tokens + 40 + 20
    assert edge.post("/v1/pair", {"code": code, "name": "phone"}).status == 200, "a right one counts"


def test_an_edge_that_does_not_reach_the_database_says_of_nobody_who_it_is(make_cluster, server):
    cluster = make_cluster(2)
    (edge,) = cluster.edges
    bearer = {"Authorization": f"Bearer {edge.token('client', 'phone')}"}
    wait_until(lambda: edge.get("/v1/me", bearer).status == 200, 5, "the edge to know the token")
    with server.stopped():
        wait_until(lambda: edge.get("/v1/me", bearer).status == 503, 15, "the edge not to answer for a token that may be revoked")
        assert edge.get("/readyz").status == 503 and edge.get("/healthz").status == 200
    wait_until(lambda: edge.get("/v1/me", bearer).status == 200, 30, "the edge to know the token again")


def test_who_pairs_at_one_node_is_known_at_all_and_who_is_revoked_at_none(make_cluster):
    cluster = make_cluster(3)
    owner, (left, right) = cluster.owner, cluster.edges
    link = left.pair_link()
    answer = left.post("/v1/pair", {"code": link.partition("pair=")[2], "name": "tablet"})
    assert answer.status == 200, answer.body
    token = answer.json["token"]
    # A new token works at once at the node that made it, and at another node once that has looked it up; it never gets the answer "not paired".
    tablet = WireClient(left, "tablet", token)
    statuses: list[int] = []

    def opens() -> bool:
        try:
            WireClient(right, "tablet", token).connection.close()
        except InvalidStatus as refusal:
            statuses.append(refusal.response.status_code)
            return False
        return True

    wait_until(opens, 5, lambda: f"the other edge to know the token (answered {statuses})")
    assert set(statuses) <= {503}, statuses
    assert right.get("/v1/me", {"Authorization": f"Bearer {token}"}).status == 200
    # The page, and each node's health.
    assert b"<title>" in right.get("/").body and right.get("/v1/schema.json").status == owner.get("/v1/schema.json").status
    # An unknown token is refused after at most one look-up in the database.
    refused: list[int] = []

    def is_refused() -> bool:
        with pytest.raises(InvalidStatus) as refusal:
            open_websocket(right, "/v1/client", "hgc_nobody", "heliograph.v1")
        refused.append(refusal.value.response.status_code)
        return refused[-1] == 401

    wait_until(is_refused, 5, lambda: f"a refusal (answered {refused})")
    assert set(refused[:-1]) <= {503}
    # A token revoked by a client at one edge is disconnected at the other.
    laptop = left.token("client", "laptop")
    listed = right.get("/v1/tokens", {"Authorization": f"Bearer {laptop}"})
    identifier = next(one["id"] for one in listed.json["tokens"] if one["name"] == "tablet")
    assert right.post(f"/v1/tokens/{identifier}/revoke", {}, {"Authorization": f"Bearer {laptop}"}).status == 200
    wait_until(lambda: not tablet.connection.is_open, 5, "the tablet to be shown out at the other edge")
    assert tablet.connection.close_code == 4401


def test_a_revocation_that_the_database_does_not_take_holds_wherever_its_owner_is_reached(make_cluster, server):
    """The token is revoked at one edge and used at another: the workspace's owner must serve neither connection."""
    cluster = make_cluster(3)
    owner, (left, right) = cluster.owner, cluster.edges
    stolen, mine = left.token("client", "stolen"), {"Authorization": f"Bearer {left.token('client', 'mine')}"}
    identifier = next(token["id"] for token in owner.get("/v1/tokens", mine).json["tokens"] if token["name"] == "stolen")
    thiefs = {"Authorization": f"Bearer {stolen}"}
    assert right.get("/v1/me", thiefs).status == 200
    thief = WireClient(right, "thief", stolen)
    refusal = "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$"
    server.sql(f"{refusal}; CREATE TRIGGER refuse BEFORE UPDATE OF revoked_at ON tokens FOR EACH ROW EXECUTE FUNCTION refuse()", owner.database)
    revoked = left.run("token", "revoke", identifier, "--data", str(left.data), check=False)
    assert revoked.returncode == 7 and "NOT on disk" in revoked.stderr and identifier in revoked.stdout, revoked
    # The other edge owns nothing, so no node has a link to it.
    assert "shut out at 1 of 2 other relays on the database, too, and may get in at the rest" in revoked.stderr, revoked
    assert thief.connection.wait_closed() == 4401
    assert [node.get("/v1/me", thiefs).status for node in (owner, left)] == [401, 401]
    assert right.get("/v1/devices", thiefs).status == 401 and right.get("/v1/devices", mine).status == 200
    server.sql("DROP FUNCTION refuse CASCADE", owner.database)
    wait_until(lambda: right.get("/v1/me", thiefs).status == 401, 20, "it to be stored, and read")
    assert server.sql("SELECT count(*) FROM tokens WHERE revoked_at IS NOT NULL", owner.database) == "1"
    wait_until(lambda: all(node.metric('heliograph_revocations_waiting{place="memory"}') == 0 for node in cluster.nodes), 20, "nothing to wait in memory")


def test_a_token_that_cannot_be_looked_up_is_not_refused(make_cluster, server):
    """Another node may have just made the token, and a peer that is told "not paired" discards it."""
    edge = make_cluster(2).edges[0]
    token = {"Authorization": "Bearer hgc_nobody"}
    with server.stopped():
        connection = http.client.HTTPConnection("127.0.0.1", edge.port, timeout=patient(30))
        connection.request("GET", "/v1/me", headers=token)
        answer = connection.getresponse()
        assert answer.status == 503 and b"try again" in answer.read()
        connection.close()
    wait_until(lambda: edge.get("/v1/me", token).status == 401, 20, "the token to be refused")


@pytest.mark.parametrize("killed", ["owner", "edge", "both", "owner by SIGTERM"])
def test_what_is_killed_under_load_loses_nothing(make_cluster, killed):
    dice = random.Random(SEED)
    print(f"HELIOGRAPH_SEED={SEED} repeats this run's choices")
    cluster = make_cluster(3)
    load = Load(Anywhere(cluster.nodes), [dice.randrange(1 << 32) for _ in range(2)], [allow] * 3)
    try:
        for _ in range(ROUNDS):
            owner = cluster.wait_owner()
            load.wait_progress()
            edges = [node for node in cluster.nodes if node is not owner]
            victims = {"owner": [owner], "edge": [dice.choice(edges)], "both": [owner, dice.choice(edges)]}.get(killed, [owner])
            time.sleep(dice.random() * 0.1)  # the seed chooses the moment of the kill
            for victim in victims:
                victim.stop() if killed == "owner by SIGTERM" else victim.kill()
            for victim in victims:
                victim.launch()
        cluster.wait_owner()
        load.finish()
        load.check(cluster.wait_owner())
        # Only a promoted database begins a new epoch.
        assert len(load.epochs) == 1
    finally:
        load.close()


@pytest.mark.parametrize("generation", ["generation", "generation + 1"], ids=["holder alone", "as by a claim"])
def test_two_nodes_that_are_made_to_own_by_hand(make_cluster, generation):
    """Another owner is written into the row under load: for a while both nodes believe that they own the workspace, but only one can commit."""
    cluster = make_cluster(3)
    load = Load(Anywhere(cluster.nodes))
    try:
        owner, chosen = cluster.owner, cluster.edges[0]
        load.wait_progress()
        cluster.give("default", chosen, generation)
        # The node loses the workspace and continues as an edge.
        wait_until(lambda: "another relay has taken a workspace over" in owner.log_text() or "does not own a workspace any more" in owner.log_text(), 20, owner.log_text)
        wait_until(lambda: chosen.owned() == 1 and owner.owned() == 0, 20, "the other node to own it")
        assert owner.process is not None and owner.process.poll() is None
        wait_until(owner._is_ready, 20, "the former owner to serve as an edge")
        load.finish()
        load.check(cluster.owner)
        assert len(load.epochs) == 1
    finally:
        load.close()


def test_an_owner_that_is_stopped_past_its_lease_is_replaced_and_shows_nothing_more(make_cluster):
    cluster = make_cluster(3)
    owner, edges = cluster.owner, cluster.edges
    host = ScriptedHost(Anywhere(edges))
    host.start_session("s1")
    follower = Follower(Anywhere(edges), "follower", ["s1"], lambda approval: "allow")
    try:
        host.wait_acked("s1")
        assert owner.process is not None
        owner.process.send_signal(signal.SIGSTOP)
        host.event("s1", "message", {"role": "assistant", "text": "said while the owner was stopped"})
        second = cluster.wait_owner(among=edges, seconds=30)
        host.wait_acked("s1", timeout=20)
        owner.process.send_signal(signal.SIGCONT)
        assert owner.wait_end() == 75 and "may be another relay's" in owner.log_text()
        log = whole_log(second, "s1")
        wait_until(lambda: follower.positions.get("s1", ("", 0))[1] >= len(log), 20, lambda: f"{follower} to have all")
        check_view(follower, "s1", log)
        check_host(host, "s1", log)
    finally:
        follower.close()
        host.close()


def test_an_edge_without_its_link_sends_its_peers_away_and_takes_nothing_over(server, tmp_path):
    server.make("cut_link")
    first = Node(tmp_path / "first", server, "cut_link")
    proxy = FaultProxy(first)
    first.arguments[first.arguments.index("--advertise") + 1] = proxy.url
    second = Node(tmp_path / "second", server, "cut_link")
    try:
        first.start()
        second.start()
        host = ScriptedHost(second)
        host.start_session("s1")
        host.wait_acked("s1")
        # The second node receives nothing over the link, while both nodes reach the database.
        proxy.set("down", is_black=True)
        wait_until(lambda: not host.is_connected, 15, "the host to be sent away")
        assert 4000 in host.closed_with and set(host.closed_with) <= {4000, 503}, host.closed_with
        assert second.get("/readyz").status == 503 and second.get("/healthz").status == 200
        token = second.token("client", "phone")
        # Tokens are looked up in the database; the owner's state cannot be requested.
        assert second.get("/v1/me", {"Authorization": f"Bearer {token}"}).status == 200
        assert second.get("/v1/tokens", {"Authorization": f"Bearer {token}"}).status == 503
        assert first.owned() and not second.owned()
        proxy.cut()
        proxy.heal()
        host.wait_connected(20)
        host.close()
        assert first.owned() and not second.owned()
    finally:
        first.kill()
        second.kill()
        proxy.close()


def test_an_owner_that_speaks_another_version_of_the_link_is_not_dialled(server, make_cluster):
    cluster = make_cluster(2)
    edge = cluster.edges[0]
    database = server.sql("SELECT datname FROM pg_database ORDER BY oid DESC LIMIT 1")
    edge.stop()
    server.sql("UPDATE nodes SET link_version = link_version + 1", database)
    edge.launch()
    wait_until(lambda: "another version of links" in edge.log_text(), 10, lambda: edge.log_text()[-2000:])
    assert edge.get("/readyz").status == 503 and edge.get("/healthz").status == 200
    assert not edge.owned()
    # Simulates an owner of another version that is replaced by one of this version.
    server.sql("UPDATE nodes SET link_version = link_version - 1 WHERE holder IN (SELECT holder FROM owners)", database)
    wait_until(edge._is_ready, 10, "the edge to reach the owner")
    assert edge.log_text().count("another version of links") == 1


def without(arguments: list[str], flag: str) -> list[str]:
    place = arguments.index(flag)
    return arguments[:place] + arguments[place + 2 :]


def test_several_nodes_need_a_synchronous_standby_or_a_word_that_one_machine_is_enough(make_cluster):
    cluster = make_cluster(1)
    owner = cluster.owner
    other = Node(owner.folder.parent / "other", owner.server, owner.database)
    allowed, refused = other.arguments, without(other.arguments, "--asynchronous-database")
    other.arguments = refused
    try:
        # Beside an owner a node refuses to start if the database has no synchronous standby.
        other.launch()
        assert other.wait_end() == 2, other.log_text()[-2000:]
        assert "has no synchronous standby" in other.log_text() and owner._is_ready()
        # The former owner returns while an edge lives: by then the edge owns the log, or no node does.
        other.arguments = allowed
        other.start()
        owner.arguments = without(owner.arguments, "--asynchronous-database")
        owner.stop()
        cluster.wait_owner([other])
        owner.launch()
        assert owner.wait_end() == 2 and owner.log_text().count("has no synchronous standby") == 1, owner.log_text()[-2000:]
        # A single relay may use a database without a synchronous standby.
        other.stop()
        owner.start()
        assert owner.owned()
        wait_until(lambda: "machine alone" in owner.log_text(), 10, "the log to say what is lost with the database")
    finally:
        other.kill()


def test_a_node_that_could_claim_the_log_at_once_is_refused_all_the_same(make_cluster, server):
    cluster = make_cluster(2)
    owner, edge = cluster.owner, cluster.edges[0]
    assert edge.process is not None
    owner.arguments = without(owner.arguments, "--asynchronous-database")
    # The edge is suspended, so it cannot take over from the ended owner.
    edge.process.send_signal(signal.SIGSTOP)
    try:
        owner.stop()
        owner.launch()
        assert owner.wait_end() == 2 and "has no synchronous standby" in owner.log_text(), owner.log_text()[-2000:]
    finally:
        edge.process.send_signal(signal.SIGCONT)
    cluster.wait_owner([edge])


class PhoneAnywhere(Phone):
    """A phone whose app sends each request to another node, as behind a load balancer."""

    def __init__(self, folder: Path, nodes: list[Node]):
        super().__init__(BINARY, folder, "")
        self.nodes = nodes
        self._turn = 0

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        self._turn += 1
        self.relay = f"127.0.0.1:{self.nodes[self._turn % len(self.nodes)].port}"
        return super()._ask(method, path, body)

    def cards(self) -> list[Any]:
        return self.do("device?", device=DEVICE)["device"]["activities"]

    def outcomes(self) -> list[str]:
        """The outcome of each push at the APNs simulator, in order."""
        lines = [json.loads(line) for line in (self.folder / "pushes.jsonl").read_text().splitlines()]
        return [device["outcome"] for line in lines if line["kind"] == "request" for device in line.get("devices", [])]


@pytest.fixture
def make_phone(tmp_path) -> Iterator[Any]:
    made: list[Phone] = []

    def make(cluster: Cluster) -> PhoneAnywhere:
        folder = tmp_path / "apple"
        folder.mkdir()
        phone = PhoneAnywhere(folder, cluster.nodes)
        made.append(phone)
        phone.switch_on()
        for node in cluster.nodes:
            phone.enrol(node.data)
        phone.register(cluster.owner.token("client", "Ada's phone"), text="full", starts="always")
        return phone

    yield make
    for one in made:
        one.switch_off()


def test_rolling_restarts_with_an_approval_open_and_a_card_shown(make_cluster, make_phone):
    cluster = make_cluster(3)
    anywhere = Anywhere(cluster.nodes)
    apple = make_phone(cluster)
    host = ScriptedHost(anywhere)
    host.start_session("s1", title="Mend the roof")
    host.event("s1", "status.changed", {"status": "running"})
    follower = Follower(anywhere, "follower", ["s1"])

    def states() -> list[tuple[str, int]]:
        return [(card["contentState"]["status"], card["contentState"]["approvals"]) for card in apple.cards()]

    try:
        approval = ask(host, "s1", "make deploy")
        wait_until(lambda: approval in follower.approvals, 10, "the approval to be shown")
        wait_until(lambda: states() == [("waitingApproval", 1)], 20, lambda: f"the card; there are {apple.cards()}")
        (card,) = [card["activity"] for card in apple.cards()]
        for turn in range(3):
            for node in cluster.nodes:
                assert [(one["activity"], "endedAt" in one) for one in apple.cards()] == [(card, False)], apple.cards()
                node.restart()
                cluster.wait_owner()
                wait_until(node._is_ready, 20, "the node to reach the owner")
                phone = WireClient(node)
                phone.subscribe()
                assert phone.approvals[approval]["stage"] == "pending"
                phone.connection.close()
            # The log's new owner continues the card that another node started.
            ask(host, "s1", f"make check{turn}")
            wait_until(lambda: states() == [("waitingApproval", 2 + turn)], 30, lambda: f"the card to count the approval; there are {apple.cards()}")
        edge = cluster.edges[0]
        wait_until(edge._is_ready, 20, "an edge to reach the new owner")
        phone = WireClient(edge)
        phone.subscribe()
        assert "error" not in phone.decide("s1", approval, "allow")
        host.wait_decision(approval, timeout=20)
        host.apply("s1", approval)
        host.event("s1", "session.ended", {"reason": "done"})
        host.wait_acked("s1", timeout=20)
        wait_until(lambda: "endedAt" in apple.cards()[0], 30, lambda: f"the card's end; there are {apple.cards()}")
        assert [one["activity"] for one in apple.cards()] == [card]
        assert apple.outcomes().count("started") == 1 and apple.outcomes().count("ended") == 1, apple.outcomes()
        log = whole_log(cluster.owner, "s1")
        wait_until(lambda: follower.positions.get("s1", ("", 0))[1] >= len(log), 20, lambda: f"{follower} to have all")
        check_view(follower, "s1", log)
        check_host(host, "s1", log)
        assert not follower.resets
    finally:
        follower.close()
        host.close()


def test_who_does_not_read_at_an_edge_harms_nobody(make_cluster):
    cluster = make_cluster(2)
    edge = cluster.edges[0]
    host = ScriptedHost(cluster.owner)
    host.start_session("s1")
    host.wait_acked("s1")
    quick = WireClient(edge, "quick")
    quick.subscribe("s1")
    slow = open_websocket(edge, "/v1/client", edge.token("client", "slow"), "heliograph.v1", max_queue=1)
    try:
        slow.send('{"type":"hello","version":1,"software":"slow"}')
        slow.send('{"type":"subscribe","id":"1","session":"s1"}')
        text = "x" * 60_000
        for number in range(600):
            host.event("s1", "message", {"role": "assistant"}, {"text": f"{number} {text}"})
        host.wait_acked("s1", timeout=60)
        wait_until(lambda: quick.positions["s1"][1] >= 601, 60, lambda: f"who reads to have all, not {quick.positions}")
        assert not quick.violations
        # Output for the slow client waits, up to a limit, at the edge, and nothing of it at the owner.
        assert cluster.owner.resident_kib < 400 << 10 and edge.resident_kib < 400 << 10
    finally:
        slow.socket.close()
        host.close()
        quick.connection.close()


def test_an_edge_that_does_not_keep_up_harms_nobody_at_another(make_cluster):
    cluster = make_cluster(3)
    owner, (well, stopped) = cluster.owner, cluster.edges
    host = ScriptedHost(owner)
    host.start_session("s1")
    host.wait_acked("s1")
    quick = WireClient(well, "quick")
    quick.subscribe("s1")
    behind = Follower(stopped, "behind", ["s1"])
    try:
        wait_until(lambda: "s1" in behind.positions, 10, "the client of the edge that will be stopped")
        assert stopped.process is not None
        stopped.process.send_signal(signal.SIGSTOP)
        # All texts together are twice the amount at which a link counts as congested.
        text = "x" * 60_000
        for number in range(300):
            host.event("s1", "message", {"role": "assistant"}, {"text": f"{number} {text}"})
        host.wait_acked("s1", timeout=60)
        wait_until(lambda: quick.positions["s1"][1] >= 301, 60, lambda: f"the client of the other edge to have all, not {quick.positions}")
        assert not quick.violations and owner.resident_kib < 400 << 10
        stopped.process.send_signal(signal.SIGCONT)
        wait_until(lambda: behind.positions["s1"][1] >= 301, 60, lambda: f"{behind} to be level again")
        assert not behind.violations
    finally:
        host.close()
        quick.connection.close()
        behind.close()


@pytest.fixture
def narrow(server, tmp_path, request) -> Iterator[Any]:
    """An owner, an edge, and a proxy for the link between them."""
    database = f"w{abs(hash(request.node.name)) % 10**10}"
    server.make(database)
    owner = Node(tmp_path / "owner", server, database)
    proxy = FaultProxy(owner)
    owner.arguments[owner.arguments.index("--advertise") + 1] = proxy.url
    edge = Node(tmp_path / "edge", server, database)
    owner.start()
    edge.start()
    yield owner, edge, proxy
    edge.kill()
    owner.kill()
    proxy.close()
    for node in (owner, edge):
        node.check_log()


def test_a_host_that_floods_an_edges_link_holds_up_nobody_else_there(narrow):
    _, edge, proxy = narrow
    loud, quiet = ScriptedHost(edge, "loud"), ScriptedHost(edge, "quiet")
    for host, session in ((loud, "s1"), (quiet, "s2")):
        host.start_session(session)
        host.wait_acked(session)
    proxy.set("up", bytes_per_second=300_000)
    text = "x" * 60_000

    def flood() -> None:
        for number in range(500):
            loud.event("s1", "message", {"role": "assistant"}, {"text": f"{number} {text}"})

    flooding = threading.Thread(target=flood, daemon=True)
    flooding.start()
    taken: list[float] = []

    def stalls() -> bool:
        """True if the edge has stopped reading: data waits on the link or in the sockets."""
        assert edge.connections_report()["congested"] == 0, "the link itself does not keep up: nobody is read any more"
        taken.append(edge.metric("heliograph_bytes_received_total"))
        return taken[-1] > 1 << 20 and taken[-1:] == taken[-2:-1]

    wait_until(stalls, 60, lambda: f"the edge to read the loud host no further; it has read {taken}", every=0.5)
    assert edge.connections_report()["waitingBytesMax"] < 2 << 20
    messages = edge.metric("heliograph_messages_received_total")
    quiet.event("s2", "message", {"role": "assistant"}, {"text": "who else is here?"})
    wait_until(lambda: edge.metric("heliograph_messages_received_total") > messages, 10, "the quiet host to be read")
    proxy.heal()
    quiet.wait_acked("s2", timeout=60)
    flooding.join(patient(60))
    loud.wait_acked("s1", timeout=60)
    assert not loud.closed_with and not quiet.closed_with and proxy.connections == 1
    loud.close()
    quiet.close()


def test_a_client_that_asks_for_page_after_page_over_a_link_holds_up_nobody_else_there(narrow):
    owner, edge, proxy = narrow
    host = ScriptedHost(owner)
    for session in ("s1", "s2"):
        host.start_session(session)
    text = "x" * 20_000
    for number in range(300):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"{number} {text}"})
    for session in ("s1", "s2"):
        host.wait_acked(session, timeout=60)
    loud, quiet = WireClient(edge, "loud"), WireClient(edge, "quiet")
    quiet.subscribe("s2")
    proxy.set("down", bytes_per_second=1_000_000)
    waves = 0
    while owner.metric("heliograph_congestions_total") == 0:
        assert waves < 40, f"nobody holds the loud client up: {owner.connections_report()}, {loud.messages[-1:]}"
        received = owner.metric("heliograph_messages_received_total")
        for number in range(30):
            loud.connection.send({"type": "history", "id": f"w{waves}-{number}", "session": "s1", "before": 300, "limit": 5})
        waves += 1
        wait_until(
            lambda: owner.metric("heliograph_messages_received_total") >= received + 30 or owner.metric("heliograph_congestions_total") > 0, 20, "the wave to be taken"
        )
    seen = owner.connections_report()
    assert seen["congested"] == 0 and seen["waitingBytesMax"] < 8 << 20, seen
    host.event("s2", "message", {"role": "assistant"}, {"text": "who else is here?"})
    quiet.wait_event("s2", lambda event: event["kind"] == "message", timeout=60)
    assert owner.metric("heliograph_congestions_total") == 1 and owner.connections_report()["congested"] == 0
    proxy.heal()
    answered = lambda: {message["id"] for message in loud.messages if message.get("id", "").startswith("w")}  # noqa: E731
    wait_until(lambda: len(answered()) == 30 * waves, 60, lambda: f"an answer to each request; there are {len(answered())} of {30 * waves}")
    assert quiet.connection.is_open and loud.connection.is_open and proxy.connections == 1
    loud.close()
    quiet.close()
    host.close()


def test_a_thousand_clients_do_not_wait_for_those_behind_a_slow_edge(make_cluster):
    memory = 256
    cluster = make_cluster(3, "--limits-connections-per-token", "1000", "--limits-memory-megabytes", str(memory))
    owner, (well, slow) = cluster.owner, cluster.edges
    host = ScriptedHost(owner)
    for session in ("s1", "s2"):
        host.start_session(session)
        host.wait_acked(session)
    crowds = [Crowd(owner, "s1", 500), Crowd(well, "s1", 500)]
    behind = [Follower(slow, f"behind {number}", ["s1", "s2"]) for number in range(4)]
    try:
        wait_until(lambda: all(crowd.count_at(1) == 500 for crowd in crowds), 30, "all to follow")
        wait_until(lambda: all(len(one.positions) == 2 for one in behind), 30, lambda: f"{behind} to follow")
        assert slow.process is not None
        slow.process.send_signal(signal.SIGSTOP)
        # Events of a session that only the slow clients watch, more than the amount at which a link counts as congested.
        text = "x" * 60_000
        for number in range(300):
            host.event("s2", "message", {"role": "assistant"}, {"text": f"{number} {text}"})
            if number % 3 == 0:
                host.event("s1", "message", {"role": "assistant"}, {"text": f"{number}"})
        for session in ("s1", "s2"):
            host.wait_acked(session, timeout=60)
        wait_until(lambda: all(crowd.count_at(101) == 500 for crowd in crowds), 60, lambda: f"all to be level: {[crowd.count_at(101) for crowd in crowds]}")
        assert all(one.positions["s1"][1] == 1 for one in behind), "those behind the slow edge are where they were"
        assert not crowds[0].violations and not crowds[1].violations, (crowds[0].violations[:3], crowds[1].violations[:3])
        assert owner.peak_kib < memory << 10 and well.peak_kib < memory << 10
        slow.process.send_signal(signal.SIGCONT)
        for one in behind:
            wait_until(lambda: one.positions["s1"][1] >= 101 and one.positions["s2"][1] >= 301, 60, lambda: f"{one} to be level again")
        assert not any(one.violations for one in behind) and not crowds[0].violations and not crowds[1].violations
    finally:
        if slow.process is not None:
            slow.process.send_signal(signal.SIGCONT)
        for one in [*crowds, *behind]:
            one.close()
        host.close()


def test_a_link_is_for_nodes_and_their_protocol_alone(make_cluster, server):
    cluster = make_cluster(2)
    owner, edge = cluster.owner, cluster.edges[0]
    host = ScriptedHost(edge)
    host.start_session("s1")

    def link(secret: str, subprotocol: str = "heliograph.link.v2", node: Node = owner) -> Any:
        return open_websocket(node, "/v1/link", secret, subprotocol)

    database = server.sql("SELECT datname FROM pg_database ORDER BY oid DESC LIMIT 1")
    secret = server.sql("SELECT link_secret FROM owners JOIN nodes USING (holder)", database)
    for bad, subprotocol, status in [("hgl_wrong", "heliograph.link.v2", 401), (owner.token("client", "phone"), "heliograph.link.v2", 401), (secret, "heliograph.v1", 400)]:
        with pytest.raises(InvalidStatus) as refusal:
            link(bad, subprotocol)
        assert refusal.value.response.status_code == status
    # Each node has a secret of its own, so another node's is refused.
    with pytest.raises(InvalidStatus) as refusal:
        link(secret, node=edge)
    assert refusal.value.response.status_code == 401
    dice = random.Random(SEED)
    print(f"HELIOGRAPH_SEED={SEED} repeats this run's choices")
    hostile = [b"\xff", b"\x01", b"\x02\x00\x05hello", b"\x03\x07", b"\x01\x00\x20" + bytes(32), b"\x06\x01" + b"\xff" * 9, b"\x02" + b"\xff" * 12]
    hostile += [bytes(dice.randrange(256) for _ in range(dice.randrange(1, 200))) for _ in range(200)]
    for message in hostile:
        with link(secret) as connection:
            connection.send(message)
    with link(secret) as connection:
        connection.send("text")
        with pytest.raises(Exception):
            connection.recv(timeout=patient(5))
        assert connection.close_code == 1002
    # Existing peers have not been affected.
    host.event("s1", "message", {"role": "assistant", "text": "still here"})
    host.wait_acked("s1")
    assert not host.closed_with
    host.close()


def test_a_database_that_is_away_for_a_while_is_survived(server, make_cluster):
    cluster = make_cluster(2)
    edge = cluster.edges[0]
    host = ScriptedHost(edge)
    host.start_session("s1")
    host.wait_acked("s1")
    with server.stopped():
        host.event("s1", "message", {"role": "assistant", "text": "said while the database was stopped"})
        with ThreadPoolExecutor() as pool:
            asked = [pool.submit(lambda: edge.get("/healthz").status) for _ in range(10)]
            assert {one.result(patient(10)) for one in asked} == {200}
        assert host.through.get("s1", 0) < len(host.sessions["s1"])
    host.wait_acked("s1", timeout=30)
    host.close()


def test_requests_that_an_edge_hands_on_say_what_became_of_them(make_cluster):
    cluster = make_cluster(2)
    owner, edge = cluster.owner, cluster.edges[0]
    token = {"Authorization": f"Bearer {edge.token('client', 'phone')}"}
    assert edge.get("/v1/me", token).status == 200 and edge.get("/v1/me").status == 401
    assert edge.get("/nothing").status == 404 and edge.request("DELETE", "/v1/me").status == 405
    assert owner.process is not None
    owner.process.send_signal(signal.SIGSTOP)
    try:
        connection = http.client.HTTPConnection("127.0.0.1", edge.port, timeout=patient(20))
        connection.request("GET", "/v1/tokens", headers=token)
        answer = connection.getresponse()
        # The link ends before the lease does.
        assert answer.status == 503 and answer.headers["retry-after"] and b"may have been done" in answer.read()
        connection.close()
    finally:
        owner.process.send_signal(signal.SIGCONT)
