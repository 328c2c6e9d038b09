"""The machine of the database is lost under load, and its standby is promoted: what was acknowledged is there, or its loss is told."""

import random
from collections.abc import Iterator

import pytest

from client import WireClient
from follower import Follower, whole_log
from history import check_decisions, check_host, check_view
from host import ScriptedHost
from load import Worker
from postgres import ReplicatedPostgres
from relay import Relay
from waits import wait_until


@pytest.fixture
def cluster() -> Iterator[ReplicatedPostgres]:
    cluster = ReplicatedPostgres()
    yield cluster
    cluster.close()


@pytest.fixture
def relay(cluster: ReplicatedPostgres, tmp_path) -> Iterator[Relay]:
    # A relay that stands by outlives its database: where this process is killed, it has to go with it.
    relay = Relay(tmp_path / "relay", ["--store", cluster.address()], prefix=["setpriv", "--pdeathsig", "KILL"])
    relay.start()
    yield relay
    relay.kill()
    relay.check_log()


def take_up(relay: Relay) -> None:
    """The relay notices that the database is another one, ends, and is started again, as service managers do."""
    assert relay.wait_end() == 75
    assert "was promoted" in relay.log_text() or "cannot be reached" in relay.log_text(), relay.log_text()
    relay.start()


def epoch_of(relay: Relay) -> str:
    client = WireClient(relay, "epoch")
    client.close()
    return client.welcome["epoch"]


def test_a_relay_says_when_the_database_is_on_one_machine_alone(cluster, relay):
    wait_until(lambda: relay.metric("heliograph_database_synchronous") == 1, 20, "the relay to have looked")
    wait_until(lambda: relay.metric("heliograph_database_standbys_in_sync") == 1, 60, "the standby to have caught up")
    assert relay.metric("heliograph_database_standbys_needed") == 1
    assert "machine alone" not in relay.log_text()
    cluster.cut()
    wait_until(lambda: relay.metric("heliograph_database_synchronous") == 0, 60, "the relay to have looked again")
    assert relay.metric("heliograph_database_standbys_in_sync") == relay.metric("heliograph_database_standbys_needed") == 0
    wait_until(lambda: "machine alone" in relay.log_text(), 5, "the log to say so, too")


def test_the_standby_of_each_commit_has_all_that_was_acknowledged(cluster, relay):
    before = epoch_of(relay)
    workers = [Worker(relay, number, random.randrange(1 << 32)) for number in range(2)]
    sessions = [worker.session for worker in workers]
    followers = [Follower(relay, "allows", sessions, lambda _: "allow"), Follower(relay, "denies", sessions, lambda _: "deny")]
    try:
        wait_until(lambda: sum(worker.through for worker in workers) >= 200, 30, "events that are acknowledged")
        wait_until(lambda: all(set(sessions) <= set(follower.positions) for follower in followers), 20, "clients that follow")
        cluster.fail_over()
        take_up(relay)
        through = sum(worker.through for worker in workers)
        wait_until(lambda: sum(worker.through for worker in workers) >= through + 20, 30, "the hosts to go on")
        for worker in workers:
            worker.finish(followers)
        logs = {session: whole_log(relay, session) for session in sessions}
        for follower in followers:
            wait_until(
                lambda: all(follower.positions[session][1] >= len(logs[session]) for session in sessions), 30,
                lambda: f"{follower.name} to be level: {follower.positions}",
            )
    finally:
        for peer in [*followers, *(worker.host for worker in workers)]:
            peer.close()
    # Nobody can tell a promotion that has lost nothing from one that has: each begins an epoch.
    after = epoch_of(relay)
    assert after != before
    for worker in workers:
        log = logs[worker.session]
        check_host(worker.host, worker.session, log)
        for follower in followers:
            check_view(follower, worker.session, log)
            assert worker.session in {reset["session"] for reset in follower.resets}, f"{follower.name} was not told of the promotion"
            assert follower.positions[worker.session][0] == after
        check_decisions(log, followers, [worker.host])
    assert relay.run("audit", "verify", "--data", str(relay.data)).stdout


def test_what_a_standby_did_not_have_is_told_as_lost(cluster, relay):
    before = epoch_of(relay)
    host = ScriptedHost(relay)
    host.start_session("s1")
    host.event("s1", "message", {"role": "assistant"}, {"text": "on both"})
    host.wait_acked("s1")
    follower = Follower(relay, "follower", ["s1"])
    try:
        cluster.cut()
        for number in range(5):
            host.event("s1", "message", {"role": "assistant"}, {"text": f"on one alone {number}"})
        host.wait_acked("s1")
        shown = len(host.sessions["s1"])
        wait_until(lambda: follower.positions.get("s1") == (before, shown), 20, lambda: f"the client to see all: {follower}")
        cluster.fail_over()
        take_up(relay)
        wait_until(lambda: follower.positions["s1"][0] != before, 30, lambda: f"the client to be told: {follower}")
        wait_until(lambda: host.lost_acks, 20, "the host to hear what is missing")
        # This host has kept what it made, so it is all there in the end, in the order in which it was made.
        host.wait_acked("s1", timeout=20)
        log = whole_log(relay, "s1")
        wait_until(lambda: follower.positions["s1"][1] >= len(log), 20, lambda: f"the client to be level: {follower}")
    finally:
        follower.close()
        host.close()
    assert [reset["session"] for reset in follower.resets] == ["s1"]
    assert log == host.sessions["s1"]
    check_view(follower, "s1", log)
