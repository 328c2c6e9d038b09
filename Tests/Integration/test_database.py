"""A relay with its data in PostgreSQL: killed, started again, and replaced by a standby relay."""

import http.client
import json
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from doctor import doctor
from follower import Follower, whole_log
from history import check_decisions, check_host, check_view
from host import ScriptedHost
from postgres import Pooler, PostgresServer
from relay import Answer, Relay
from waits import patient, wait_until


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.close()


def stand_by(relay: Relay) -> None:
    """Starts a relay and waits until it reports that it is a standby."""
    relay.launch()
    wait_until(lambda: "stands by" in relay.log_text(), 20, lambda: f"the relay stands by. Its log:\n{relay.log_text()}")


def wait_ready(relay: Relay) -> None:
    wait_until(relay._is_ready, 30, lambda: f"/readyz of the relay. Its log:\n{relay.log_text()}")


def test_what_was_decided_survives_kill_and_another_relay_goes_on(server, tmp_path, make_relay, scripted_host, client):
    store = ["--store", server.address("postgres")]
    relay = make_relay(*store)
    phone = client(relay)
    epoch = phone.welcome["epoch"]
    host = scripted_host(relay)
    host.start_session("s1")
    follower = Follower(relay, "follower", ["s1"], lambda approval: "allow")
    second = Relay(tmp_path / "second", store)
    try:
        decided(host, "before")
        relay.kill()
        relay.start()
        decided(host, "after a kill")

        # The second relay uses the same port, on which it listens once the first has ended.
        second.port, second.url = relay.port, relay.url
        stand_by(second)
        assert relay.run("audit", "verify", "--data", str(relay.data)).stdout
        refused = relay.run("backup", str(tmp_path / "copy"), "--data", str(relay.data), check=False)
        assert refused.returncode != 0 and "pg_basebackup" in refused.stderr, refused
        refused = second.run("serve", "--data", str(relay.data), check=False)
        assert refused.returncode != 0 and "--store" in refused.stderr, refused
        relay.kill()
        wait_ready(second)
        decided(host, "after another took over")
        log = whole_log(second, "s1")
        wait_until(lambda: follower.positions.get("s1", ("", 0))[1] >= len(log), 10, "the follower's view")
        check_host(host, "s1", log)
        check_view(follower, "s1", log)
        assert len(check_decisions(log, [follower], [host])) == 3
        assert client(second, "late").welcome["epoch"] == epoch
        assert second.run("audit", "verify", "--data", str(second.data)).stdout
        second.check_log()
        # A relay that stops releases the data at once, so the first can take over again.
        second.stop()
        relay.start()
    finally:
        follower.close()
        second.kill()


def decided(host: Any, command: str) -> None:
    approval = host.request_approval("s1", "Bash", {"command": f"echo {command}"})
    host.wait_decision(approval, timeout=20)
    host.apply("s1", approval)
    host.wait_acked("s1", timeout=20)


def test_a_relay_that_was_stopped_past_its_lease_is_replaced_and_ends(server, tmp_path):
    store = ["--store", server.address("template1")]
    first, second = (Relay(tmp_path / name, store) for name in ("first", "second"))
    try:
        first.start()
        stand_by(second)
        first.process.send_signal(signal.SIGSTOP)
        wait_ready(second)
        first.process.send_signal(signal.SIGCONT)
        assert first.wait_end() == 75
        assert "may be another relay's" in first.log_text()
        second.check_log()
        # A standby relay stops like any other.
        stand_by(first)
        first.stop()
        second.stop()
    finally:
        first.kill()
        second.kill()


def ask_by_socket(relay: Relay, method: str, path: str) -> int:
    """Sends a request to the relay's local socket, like the command line."""
    connection = http.client.HTTPConnection("relay")
    connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.sock.settimeout(patient(30))
    try:
        connection.sock.connect(str(relay.data / "relay.sock"))
        connection.request(method, path)
        return connection.getresponse().status
    finally:
        connection.close()


def test_a_database_that_hangs_holds_up_who_asks_it_and_nobody_else(server, make_relay, scripted_host, client):
    relay = make_relay("--store", server.address("postgres"))
    code = relay.pair_link().partition("pair=")[2]
    phone = client(relay)
    host = scripted_host(relay)
    host.start_session("s3")
    host.wait_acked("s3")
    phone.subscribe("s3")
    administrator = {"Authorization": f"Bearer {relay.token('client', 'laptop')}"}
    with ThreadPoolExecutor() as pool:
        with server.stopped():
            waiting = [
                pool.submit(ask_by_socket, relay, "POST", "/v1/admin/reload"),
                *(pool.submit(lambda: relay.post("/v1/pair", {"code": code, "name": "tablet"}).status) for _ in range(2)),
                pool.submit(lambda: relay.get("/v1/tokens", administrator).status),
            ]
            # All requests are made while the relay's lease is far from its end.
            for number in range(20):
                assert relay.get("/healthz").status == 200
                host.deltas("s3", f"m{number}", "still here")
                phone.wait(lambda message: message["type"] == "deltas" and f'"m{number}"' in json.dumps(message), what=f"piece {number}")
            assert not [one for one in waiting if one.done()]
        answers = [one.result(patient(30)) for one in waiting]
    # The pairing code works once; the other requests get the answers that they would get without an outage.
    assert answers[0] == 200 and sorted(answers[1:3]) == [200, 404] and answers[3] == 200, answers
    assert [token["name"] for token in relay.tokens()].count("tablet") == 1
    relay.check_log()


def test_what_another_machine_changes_takes_effect_within_two_seconds(server, tmp_path, make_relay, client):
    store = ["--store", server.address("postgres")]
    relay = make_relay(*store, "--log-level", "info")
    elsewhere = Relay(tmp_path / "elsewhere")

    def command(*words: str) -> str:
        return elsewhere.run(*words, *store, "--data", str(elsewhere.data)).stdout.strip()

    def me(token: str) -> Answer:
        return relay.get("/v1/me", {"Authorization": f"Bearer {token}"})

    phone = client(relay)
    command("token", "revoke", relay.token_id("phone"))
    wait_until(lambda: not phone.connection.is_open, 2, "the relay to show out whose token was revoked")
    assert phone.connection.close_code == 4401

    token = command("token", "create", "--role", "client", "--name", "tablet")
    wait_until(lambda: me(token).status == 200, 2, "the relay to know a new token")
    command("workspace", "add", "Kitchen")
    cook = relay.token("client", "cook", "Kitchen")
    wait_until(lambda: me(cook).status == 200, 2, "the relay to know a new workspace")
    assert me(cook).json["workspace"]["name"] == "Kitchen"
    command("workspace", "rename", "Kitchen", "Garden")
    wait_until(lambda: me(cook).json["workspace"]["name"] == "Garden", 2, "the workspace's new name")
    assert "Removed, with its data." in command("workspace", "remove", "Garden", "--yes")
    wait_until(lambda: me(cook).status == 401, 2, "nobody to be in a workspace that was removed")
    wait_until(lambda: "nothing is left of a workspace" in relay.log_text(), 10, lambda: f"its data to be gone. The log:\n{relay.log_text()[-3000:]}")
    assert me(token).status == 200
    link = command("pair", "--url", relay.url, "--json")
    assert relay.post("/v1/pair", {"code": json.loads(link)["link"].partition("pair=")[2].partition("&")[0], "name": "visitor"}).status == 200
    assert "tablet" in command("token", "list")
    relay.check_log()


def fill_workspace(relay: Relay, name: str) -> None:
    relay.run("workspace", "add", name, "--data", str(relay.data))
    host = ScriptedHost(relay, "cook", relay.token("host", "cook", name))
    try:
        host.start_session("s1")
        host.wait_acked("s1")
    finally:
        host.close()


def test_a_removed_workspaces_data_is_deleted_where_all_tables_are_published(server, make_relay):
    server.make("published")
    relay = make_relay("--store", server.address("published"))
    server.sql("CREATE PUBLICATION everything FOR ALL TABLES", "published")
    fill_workspace(relay, "Kitchen")
    removed = relay.run("workspace", "remove", "Kitchen", "--yes", "--json", "--data", str(relay.data))
    assert json.loads(removed.stdout)["dataIsGone"]
    assert server.sql("SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM sessions)", "published") == "0|0"


def test_what_is_left_of_a_removed_workspace_is_said_until_it_is_gone(server, make_relay):
    server.make("kept")
    relay = make_relay("--store", server.address("kept"))
    fill_workspace(relay, "Kitchen")
    server.sql("CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'kept'; END $$", "kept")
    server.sql("CREATE TRIGGER keep BEFORE DELETE ON events FOR EACH STATEMENT EXECUTE FUNCTION keep()", "kept")
    removed = relay.run("workspace", "remove", "Kitchen", "--yes", "--json", "--data", str(relay.data), check=False, timeout=40)
    assert removed.returncode == 7 and "NOT deleted yet" in removed.stderr, removed
    assert not json.loads(removed.stdout).get("dataIsGone") and [token["name"] for token in json.loads(removed.stdout)["revoked"]] == ["cook"]
    assert doctor(relay)["Relay"].state("Removed workspaces") == "doubtful"
    server.sql("DROP TRIGGER keep ON events", "kept")
    # The relay deletes the data by itself, at most half a minute later.
    wait_until(lambda: server.sql("SELECT count(*) FROM events", "kept") == "0", 60, "the data to be deleted")
    assert "Removed workspaces" not in doctor(relay)["Relay"]


def test_a_lock_that_commits_wait_for_is_a_store_that_takes_no_writes(server, make_relay, scripted_host):
    server.make("locked")
    relay = make_relay("--store", server.address("locked"))
    host = scripted_host(relay)
    host.start_session("s1")
    host.wait_acked("s1")
    assert relay.get("/readyz").status == 200 and relay.metric("heliograph_store_takes_writes") == 1
    with server.locked("events", "locked"):
        host.event("s1", "message", {"role": "user"}, {"text": "waits"})
        wait_until(lambda: relay.get("/readyz").status == 503, 20, "the relay to say that nothing is written")
        assert relay.metric("heliograph_store_takes_writes") == 0
        # The data can be read again, but not written yet.
        wait_until(lambda: "the store has been read again" in relay.log_text(), 60, lambda: f"a look at what is there:\n{relay.log_text()}")
        assert relay.get("/readyz").status == 503
    wait_ready(relay)
    host.wait_acked("s1", timeout=60)
    wait_until(lambda: relay.metric("heliograph_store_takes_writes") == 1, 20, "the metric to say that it is written again")


def test_a_pooler_that_shares_sessions_is_named_and_refused_and_one_in_session_mode_serves(server, tmp_path, make_relay, scripted_host):
    server.make("pooled")
    sharing, session = Pooler(server, "transaction"), Pooler(server, "session")
    try:
        relay = make_relay("--store", session.address("pooled"))
        host = scripted_host(relay)
        host.start_session("s1")
        host.wait_acked("s1")
        # A standby relay refuses a transaction pooler as well, because it would otherwise fail only when it is needed.
        second = Relay(tmp_path / "second", ["--store", sharing.address("pooled")])
        for words in (["serve", "--listen", "127.0.0.1:0", *second.arguments], ["token", "list", *second.arguments]):
            refused = second.run(*words, "--data", str(second.data), check=False)
            assert refused.returncode != 0 and "pooler" in refused.stderr and "session mode" in refused.stderr, refused
        relay.stop()
    finally:
        sharing.close()
        session.close()
