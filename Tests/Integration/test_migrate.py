"""`heliograph migrate`: moves all of a relay's data from its folder to a database and back, completely or not at all."""

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from client import WireClient
from follower import Follower, whole_log
from history import check_decisions, check_host, check_view
from host import ScriptedHost
from pictures import bring, named, png
from postgres import PostgresServer
from relay import BINARY, Relay, plain_environment
from waits import wait_until


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.close()


def address(server: PostgresServer, name: str) -> str:
    """The address of a database of its own."""
    server.make(name)
    return server.address(name)


def migrate(relay: Relay, source: str | Path, target: str | Path) -> dict[str, Any]:
    """Migrates; returns the report on each table by name."""
    lines = relay.run("migrate", str(source), str(target), "--json", timeout=60).stdout.splitlines()
    tables = {table.pop("table"): table for table in map(json.loads, lines)}
    for name, table in tables.items():
        assert table["from"] == table["to"], (name, table)
    return tables


def decided(host: ScriptedHost, command: str) -> None:
    approval = host.request_approval("s1", "Bash", {"command": f"echo {command}"})
    host.wait_decision(approval, timeout=20)
    host.apply("s1", approval)
    host.wait_acked("s1", timeout=20)


def test_there_and_back_nobody_notices(server: PostgresServer, relay: Relay, scripted_host: Callable[..., ScriptedHost]) -> None:
    store = address(server, "there")
    host = scripted_host(relay, capabilities=("steer",))
    host.start_session("s1")
    host.event("s1", "steering.offered", {"actions": ["prompt"], "pictures": True})
    host.event("s1", "status.changed", {"status": "idle"})
    host.wait_acked("s1")
    follower = Follower(relay, "follower", ["s1"], lambda approval: "allow" if approval.endswith("s1") else None)
    operator = relay.token("operator", "desk")
    try:
        decided(host, "before")
        picture = png()
        assert bring(relay, operator, "s1", picture).status == 200
        pending = host.request_approval("s2", "Bash", {"command": "wait for it"})
        host.wait_acked("s2")
        relay.run("workspace", "add", "Kitchen", "--data", str(relay.data))
        relay.run("workspace", "add", "Garage", "--data", str(relay.data))
        relay.run("workspace", "remove", "Garage", "--yes", "--data", str(relay.data))
        relay.stop()
        there = migrate(relay, relay.data, store)
        assert there["events"]["from"]["rows"] > 5 and there["approvals"]["from"]["rows"] == 2
        assert there["pictures"]["from"]["rows"] == 1 and there["workspaces"]["from"]["rows"] == 3

        # The folder names the database, so that the next start cannot begin with an empty relay by mistake.
        refused = relay.run("serve", "--data", str(relay.data), check=False)
        assert refused.returncode != 0 and "--store" in refused.stderr, refused
        relay.arguments = ["--store", store]
        relay.start()
        decided(host, "in the database")
        got = relay.get(f"/v1/pictures/{named(picture)['digest']}", {"Authorization": f"Bearer {operator}"})
        assert (got.status, got.body) == (200, picture)
        assert relay.run("audit", "verify", "--data", str(relay.data)).stdout
        relay.stop()

        back = migrate(relay, store, relay.data)
        assert back["audit"]["from"]["rows"] > there["audit"]["from"]["rows"]
        relay.arguments = []
        relay.start()
        decided(host, "in a file again")
        assert relay.run("audit", "verify", "--data", str(relay.data)).stdout
        assert relay.run("doctor", "--data", str(relay.data)).stdout.count("every session opens") == 1
        log = whole_log(relay, "s1")
        wait_until(lambda: follower.positions.get("s1", ("", 0))[1] >= len(log), 10, "the follower's view")
        check_host(host, "s1", log)
        check_view(follower, "s1", log)
        # A client that reconnected with its position received only the missing events.
        assert follower.connections >= 3 and not follower.resets, follower
        assert len(check_decisions(log, [follower], [host])) == 3
        desk = WireClient(relay, "desk", operator)
        desk.subscribe()
        assert desk.wait_approval(pending, "pending")
        desk.close()
        relay.check_log()
    finally:
        follower.close()


def test_what_came_back_unchanged_has_the_same_digests(server: PostgresServer, relay: Relay, scripted_host: Callable[..., ScriptedHost]) -> None:
    store = address(server, "digests")
    host = scripted_host(relay)
    host.start_session("s1")
    for count in range(50):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"line {count}"})
    host.wait_acked("s1")
    relay.stop()
    there = migrate(relay, relay.data, store)
    back = migrate(relay, store, relay.data)
    assert {name: table["from"] for name, table in there.items()} == {name: table["to"] for name, table in back.items()}
    text = relay.run("migrate", str(relay.data), address(server, "again"), timeout=60).stdout
    assert "Every row is the same on both sides." in text and "relay.json" in text and "events" in text, text


def test_a_store_in_use_and_a_target_with_data_are_refused(
    server: PostgresServer, tmp_path: Path, relay: Relay, scripted_host: Callable[..., ScriptedHost]
) -> None:
    store = address(server, "refusals")
    scripted_host(relay).start_session("s1")

    def refused(source: str | Path, target: str | Path, what: str) -> None:
        result = relay.run("migrate", str(source), str(target), check=False, timeout=60)
        assert result.returncode != 0 and what in result.stderr, result

    refused(relay.data, store, "A relay is running on")
    refused(relay.data, tmp_path / "elsewhere", "Name a database")
    refused(store, store, "Name a relay's data folder")
    refused(tmp_path / "nothing", store, "not there")
    other = Relay(tmp_path / "other", ["--store", store])
    other.start()
    standing = Relay(tmp_path / "standing", ["--store", store])
    try:
        relay.stop()
        refused(relay.data, store, "is in use by a relay")
        refused(store, tmp_path / "elsewhere", "is in use by a relay")
        standing.launch()
        wait_until(lambda: "stands by" in standing.log_text(), 20, standing.log_text)
        other.stop()
        wait_until(standing._is_ready, 30, standing.log_text)
        refused(store, tmp_path / "elsewhere", "is in use by a relay")
        standing.stop()
    finally:
        other.kill()
        standing.kill()
    refused(relay.data, store, "is not empty")
    refused(store, relay.data, "There is a relay's data in")
    # None of the refused migrations has changed anything.
    epoch = relay.rows("SELECT value FROM meta WHERE name = 'epoch'")
    relay.start()
    assert relay.rows("SELECT value FROM meta WHERE name = 'epoch'") == epoch
    relay.check_log()


@pytest.mark.parametrize("direction", ["to the database", "to a file"])
def test_killed_in_the_middle_it_leaves_nothing_half(
    direction: str, server: PostgresServer, tmp_path: Path, relay: Relay, scripted_host: Callable[..., ScriptedHost]
) -> None:
    """The migration is killed after longer and longer times: the target then has nothing or everything."""
    store = address(server, "killed_" + direction.replace(" ", "_"))
    host = scripted_host(relay)
    host.start_session("s1")
    for count in range(3_000):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"line {count} " + "x" * 500})
    host.wait_acked("s1", timeout=60)
    relay.stop()
    source, target = str(relay.data), store
    if direction == "to a file":
        migrate(relay, source, target)
        source, target = store, str(tmp_path / "file")
    killed = 0
    delay = 0.02
    while True:
        process = subprocess.Popen(
            [str(BINARY), "migrate", source, target], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=relay.folder, env=plain_environment(relay.folder / "home"),
        )
        try:
            said, errors = process.communicate(timeout=delay)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            killed += 1
            delay += 0.04
            server.wait_alone()
            continue
        if process.returncode != 0:
            # The last kill came between the end of the migration and its last output.
            words = ("not empty", "no relay's data", "There is a relay's data", "keeps its data in postgresql://")
            assert any(one in errors for one in words), errors
        else:
            assert "Every row is the same" in said
        break
    assert killed > 1, "it was too quick to be killed in the middle"
    other = Relay(tmp_path / "after", ["--store", target] if target == store else [])
    if target != store:
        other.data = Path(target)
    try:
        other.start()
        late = WireClient(other, "late", other.token("client", "late"))
        late.subscribe("s1")
        wait_until(lambda: late.position("s1").get("seq", 0) >= 3_001, 20, "all of it")
        late.close()
        assert other.run("audit", "verify", "--data", str(other.data)).stdout
        other.stop()
    finally:
        other.kill()


def test_after_a_restore_of_the_database_clients_get_everything_anew(
    server: PostgresServer, make_relay: Callable[..., Relay], tmp_path: Path
) -> None:
    relay = make_relay("--store", address(server, "restored"))
    follower = Follower(relay, "follower", [])

    def epoch() -> str:
        return server.sql("SELECT epoch FROM owners WHERE scope = '*'", "restored")

    try:
        before = epoch()
        refused = relay.run("cluster", "new-epoch", "--data", str(relay.data), check=False)
        assert refused.returncode != 0 and "is in use by a relay" in refused.stderr, refused
        assert epoch() == before
        relay.stop()
        (tmp_path / "older").write_bytes(b"a backup of some relay")
        # Even if the backup does not exist, the first error says that the data is in a database.
        restores = [["restore", str(tmp_path / "older"), "--force"], ["restore", str(tmp_path / "absent")], ["restore", "--anew"]]
        for words in (["backup", str(tmp_path / "copy")], *restores):
            refused = relay.run(*words, "--data", str(relay.data), check=False)
            assert refused.returncode != 0 and "WAL" in refused.stderr and "heliograph migrate" in refused.stderr, refused
        relay.run("cluster", "new-epoch", "--data", str(relay.data))
        relay.start()
        assert epoch() != before
        wait_until(lambda: follower.connections >= 2, 10, "the follower is back")
    finally:
        follower.close()


def test_a_file_needs_no_command_for_that(relay: Relay) -> None:
    relay.stop()
    refused = relay.run("cluster", "new-epoch", "--data", str(relay.data), check=False)
    assert refused.returncode != 0 and "heliograph restore" in refused.stderr, refused
