"""HTTP requests at several nodes while a workspace has no owner: they wait for the next owner, and are executed once."""

import http.client
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from follower import whole_log
from history import check_decisions
from host import ScriptedHost
from nodes import Anywhere, Node
from relay import Answer
from test_nodes import make_cluster, make_phone, server  # noqa: F401
from test_push import decide, payload, wait_notification
from waits import patient, wait_until

ROUNDS = 3
WAIT_SECONDS = 5
"""`CallMachine.patience`."""


def waiting(node: Node) -> float:
    return node.metric("heliograph_node_requests_waiting")


def timed(ask: Any, *arguments: Any, **named: Any) -> tuple[Answer, float]:
    begun = time.monotonic()
    answer = ask(*arguments, **named)
    return answer, time.monotonic() - begun


class Asker:
    """Repeats requests to one node that only the owner can answer, over a new connection each time, and records the answers."""

    def __init__(self, node: Node, token: str, number: int):
        self.node, self.number = node, number
        self.authorization = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self.answers: list[tuple[int, bytes]] = []
        self.failures: list[BaseException] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while not self._ended.is_set():
            try:
                answer = self._ask(len(self.answers))
                self.answers.append((answer.status, answer.body))
            except (OSError, http.client.HTTPException) as failure:
                self.failures.append(failure)
                self._ended.wait(0.02)

    def _ask(self, turn: int) -> Answer:
        """Alternates between a query and a command."""
        if turn % 2:
            return self.node.get("/v1/devices", self.authorization)
        device = {"device": f"d{self.number}", "name": f"n{turn}", "profile": "heliograph", "environment": "sandbox", "system": "18.1"}
        return self.node.request("PUT", f"/v1/devices/d{self.number}", json.dumps(device).encode(), self.authorization)

    def wait_answered(self, more: int = 4) -> None:
        before = len(self.answers)
        wait_until(lambda: len(self.answers) >= before + more, 20, lambda: f"{self.node.folder.name} to answer: {self.failures[-1:]}")

    def refusals(self, but: str | None = None) -> list[tuple[int, bytes]]:
        return [(status, body) for status, body in self.answers if status != 200 and not (but and status == 503 and but.encode() in body)]

    def close(self) -> None:
        self._ended.set()
        self._thread.join(patient(20))
        assert not self._thread.is_alive(), f"a request to {self.node.folder.name} does not end"


@pytest.mark.parametrize("end", ["SIGTERM", "kill -9"])
def test_nobody_is_refused_while_an_owner_goes_and_another_comes(make_cluster: Any, end: str) -> None:
    cluster = make_cluster(3)
    token = cluster.owner.token("client", "phone")
    for _ in range(ROUNDS):
        victim = cluster.wait_owner()
        rest = [node for node in cluster.nodes if node is not victim]
        askers = {node: [Asker(node, token, 2 * place + number) for number in range(2)] for place, node in enumerate(cluster.nodes)}
        try:
            for asker in sum(askers.values(), []):
                asker.wait_answered()
            victim.stop() if end == "SIGTERM" else victim.kill()
            cluster.wait_owner(rest)
            for asker in askers[rest[0]] + askers[rest[1]]:
                asker.wait_answered()
        finally:
            for asker in sum(askers.values(), []):
                asker.close()
        for node in rest:
            for asker in askers[node]:
                assert not asker.failures, asker.failures
                # A request in progress at a killed owner may have been executed, so it is not repeated. A stopping owner waits up to a second for
                # requests in progress, which can be too short on a busy machine.
                assert not asker.refusals(but="may have been done"), (node.folder.name, asker.refusals())
                assert len(asker.refusals()) <= 1, asker.refusals()
        for asker in askers[victim]:
            assert not asker.refusals(but="about to end"), asker.refusals()
        victim.start()


def test_a_decision_that_comes_while_nobody_owns_its_workspace_is_taken_once(make_cluster: Any, make_phone: Any, server: Any) -> None:
    cluster = make_cluster(3)
    phone = make_phone(cluster)
    # Without Live Activities the phone's app makes no requests of its own.
    phone.register(phone.token, text="full", starts="never")
    owner, edges = cluster.owner, cluster.edges
    host = ScriptedHost(Anywhere(edges))
    host.start_session("s1")
    try:
        approval = host.request_approval("s1", "Bash", {"command": "make deploy"})
        code = payload(wait_notification(phone))["heliograph"]["code"]
        with ThreadPoolExecutor() as pool:
            # No node can take over what the owner leaves.
            with server.locked("owners", owner.database):
                owner.kill()
                wait_until(lambda: all(edge.metric("heliograph_node_links") == 0 for edge in edges), 10, "the links to the owner to end")
                taps = [pool.submit(decide, edge, code, decision="allow") for edge in edges]
                wait_until(lambda: all(waiting(edge) == 1 for edge in edges), 3, lambda: f"both to wait: {[waiting(edge) for edge in edges]}")
                assert not any(tap.done() for tap in taps)
            answers = [tap.result() for tap in taps]
        # One request decides; the second request may arrive during that commit, and is told that the code was used.
        assert sorted({answer.status for answer in answers}) in ([200], [200, 409]), [answer.body for answer in answers]
        assert {answer.json["error"]["code"] for answer in answers if answer.status == 409} <= {"closed"}, [answer.body for answer in answers]
        assert host.wait_decision(approval, timeout=20)["decision"]["decision"] == "allow"
        for edge in edges:
            assert decide(edge, code, decision="allow").status == 200
        again = decide(edges[0], code, decision="deny")
        assert again.status == 409 and again.json["error"]["winner"]["decision"] == "allow", again.body
        host.apply("s1", approval)
        host.wait_acked("s1", timeout=20)
        assert check_decisions(whole_log(cluster.wait_owner(edges), "s1"), [], [host])[approval]["decision"] == "allow"
        assert all(waiting(edge) == 0 for edge in edges)
    finally:
        host.close()


def test_where_no_owner_is_reached_a_request_waits_for_so_long_and_holds_up_nobody(make_cluster: Any, server: Any) -> None:
    cluster = make_cluster(2)
    edge = cluster.edges[0]
    edge.stop()
    # The owner is alive and not replaced, but this node cannot talk to it, because the link's version differs.
    server.sql("UPDATE nodes SET link_version = link_version + 1", edge.database)
    edge.launch()
    wait_until(lambda: "another version of links" in edge.log_text(), 10, lambda: edge.log_text()[-2000:])
    token = {"Authorization": f"Bearer {edge.token('client', 'phone')}"}
    code = f"{(1 << 32) + 1}.{'A' * 22}"
    with ThreadPoolExecutor(2) as pool:
        asked = pool.submit(timed, edge.get, "/v1/devices", token)
        wait_until(lambda: waiting(edge) == 1, 4, "a request to wait")
        # The client of one request disconnects.
        leaving = http.client.HTTPConnection("127.0.0.1", edge.port, timeout=patient(10))
        leaving.request("GET", "/v1/tokens", headers=token)
        wait_until(lambda: waiting(edge) == 2, 4, "another request to wait")
        leaving.close()
        wait_until(lambda: waiting(edge) == 1, 4, "nothing to wait for who has gone")
        # Requests that need no owner are answered meanwhile.
        assert edge.get("/healthz").status == 200 and edge.get("/v1/me", token).status == 200
        assert edge.get("/v1/devices", {"Authorization": "Bearer hgc_nobody"}).status == 401
        # A guessed code gets the same answer for an unreachable workspace, after the same time.
        guessed = decide(edge, code, decision="allow")
        assert guessed.status == 404 and guessed.body == decide(edge, f"{(99 << 32) + 1}.{'A' * 22}", decision="allow").body and waiting(edge) == 1
        assert not asked.done(), "all of that took less time than a request waits"
        answer, seconds = asked.result()
        assert answer.status == 503 and answer.json["error"]["code"] == "unavailable" and answer.headers["retry-after"], answer.body
        assert f"within {WAIT_SECONDS} s" in answer.json["error"]["message"] and seconds >= WAIT_SECONDS - 0.1, (answer.body, seconds)
        assert waiting(edge) == 0
        # A stopping node does not keep requests waiting.
        asked = pool.submit(timed, edge.get, "/v1/devices", token)
        wait_until(lambda: waiting(edge) == 1, 4, "a request to wait")
        edge.stop()
        answer, seconds = asked.result()
        assert answer.status == 503 and "about to end" in answer.json["error"]["message"] and seconds < WAIT_SECONDS, (answer.body, seconds)


def test_a_request_whose_client_has_gone_while_its_token_is_looked_up_is_not_carried_out(make_cluster: Any, server: Any) -> None:
    cluster = make_cluster(2)
    edge = cluster.edges[0]
    edge.token("client", "phone")
    late = {"Authorization": "Bearer hgc_late", "Content-Type": "application/json"}
    device = {"device": "d1", "name": "n", "profile": "heliograph", "environment": "sandbox", "system": "18.1"}
    reading = (
        "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) JOIN nodes ON split_part(application_name, '/', 2) = holder "
        f"WHERE relation = 'tokens'::regclass AND NOT granted AND nodes.name = '{edge.folder.name}'"
    )
    # The token is just being made at another node: it cannot be read before that transaction commits.
    with server.locked("tokens", edge.database, "ACCESS EXCLUSIVE", "UPDATE tokens SET digest = sha256('hgc_late') WHERE name = 'phone'"):
        before = edge.connections_report()["all"]
        leaving = http.client.HTTPConnection("127.0.0.1", edge.port, timeout=patient(10))
        leaving.request("PUT", "/v1/devices/d1", json.dumps(device), late)
        wait_until(lambda: server.sql(reading, edge.database) != "0", 5, "the tokens to be read for it")
        leaving.close()
        wait_until(lambda: edge.connections_report()["all"] <= before, 5, lambda: f"it to be gone: {edge.connections_report()}, {before} before")
    assert edge.get("/v1/me", late).status == 200
    assert edge.get("/v1/devices", late).json["devices"] == []
