"""A relay whose data is in PostgreSQL: killed, started again, and replaced by another that stood by."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from follower import Follower, whole_log
from history import check_decisions, check_host, check_view
from postgres import PostgresServer
from relay import Relay
from waits import wait_until


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.close()


def stand_by(relay: Relay) -> None:
    """Until it says so."""
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

        # On the same port: it listens when the first has gone.
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
        # Whoever stops leaves the data at once, and the first may have it again.
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
        assert first.wait_end() == 1
        assert "may be another relay's" in first.log_text()
        second.check_log()
        # A relay that stands by is told to stop like any other.
        stand_by(first)
        first.stop()
        second.stop()
    finally:
        first.kill()
        second.kill()
