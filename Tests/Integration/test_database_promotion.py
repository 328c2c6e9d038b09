"""The database's machine is lost under load and its standby is promoted: acknowledged events survive, or their loss is reported."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from follower import Follower
from history import check_host, check_view
from host import ScriptedHost
from nodes import Anywhere, Cluster, InWorkspace, settled_log
from postgres import ReplicatedPostgres
from relay import Relay
from teams import Teams, workspaces
from waits import wait_until

DIES_WITH_US = ["setpriv", "--pdeathsig", "KILL"]
"""Relays that stand by, and nodes that own nothing, outlive their database: where this process is killed, they have to go with it."""


class OneRelay:
    """A single relay on the database, with one workspace."""

    hosts = 2
    """Number of hosts at work in each workspace."""

    def __init__(self, folder: Path, database: ReplicatedPostgres):
        relay = Relay(folder / "relay", ["--store", database.address()], prefix=DIES_WITH_US)
        relay.start()
        self.relays: list[Any] = [relay]
        self.places: dict[str, Any] = {"default": relay}

    def take_up(self) -> None:
        """Waits until the relay has noticed that the database was replaced and has ended; then starts it again, like a service manager."""
        (relay,) = self.relays
        assert relay.wait_end() == 75
        check_says_why(relay)
        relay.start()


class ThreeNodes:
    """Three nodes that own two of six workspaces each."""

    hosts = 1

    def __init__(self, folder: Path, database: ReplicatedPostgres):
        self.cluster = Cluster(folder, database, "shared", 3)
        self.relays: list[Any] = self.cluster.nodes
        for node in self.cluster.nodes:
            node.prefix = DIES_WITH_US
        self.cluster.start()
        self.before = self.cluster.share(workspaces(6))
        self.places: dict[str, Any] = {name: Anywhere(self.cluster.nodes) for name in self.before}

    def take_up(self) -> None:
        """Each node has ended and been restarted, or has reloaded its workspaces itself. At the end each workspace has one owner, which has noticed
        the promotion.
        """

        def look() -> bool:
            for node in self.cluster.running:
                assert node.process is not None
                if node.process.poll() is not None:
                    assert node.wait_end() == 75
                    check_says_why(node)
                    node.launch()
            owners = self.cluster.owners()
            return all(owners[name].epoch != owner.epoch for name, owner in self.before.items()) and self.cluster.is_shared(owners, self.cluster.nodes)

        wait_until(look, 60, lambda: f"owners of all workspaces; there are {self.cluster.owners()}", every=0.25)


def check_says_why(relay: Relay) -> None:
    assert "was promoted" in relay.log_text() or "cannot be reached" in relay.log_text(), relay.log_text()


@pytest.fixture
def database() -> Iterator[ReplicatedPostgres]:
    database = ReplicatedPostgres()
    yield database
    database.close()


@pytest.fixture(params=[OneRelay, ThreeNodes])
def served(request, database: ReplicatedPostgres, tmp_path) -> Iterator[Any]:
    served = request.param(tmp_path, database)
    yield served
    for relay in served.relays:
        relay.kill()
    for relay in served.relays:
        relay.check_log()


@pytest.mark.parametrize("served", [OneRelay], indirect=True)
def test_a_relay_says_when_the_database_is_on_one_machine_alone(database, served):
    (relay,) = served.relays
    wait_until(lambda: relay.metric("heliograph_database_synchronous") == 1, 20, "the relay to have looked")
    wait_until(lambda: relay.metric("heliograph_database_standbys_in_sync") == 1, 60, "the standby to have caught up")
    assert relay.metric("heliograph_database_standbys_needed") == 1
    assert "machine alone" not in relay.log_text()
    database.cut()
    wait_until(lambda: relay.metric("heliograph_database_synchronous") == 0, 60, "the relay to have looked again")
    assert relay.metric("heliograph_database_standbys_in_sync") == relay.metric("heliograph_database_standbys_needed") == 0
    wait_until(lambda: "machine alone" in relay.log_text(), 5, "the log to say so, too")


@pytest.mark.timeout(300)
def test_the_standby_of_each_commit_has_all_that_was_acknowledged(database, served):
    teams = Teams(served.places, random.Random(), served.hosts, pause=0.1)
    try:
        wait_until(lambda: all(load.through >= 60 for load in teams.loads.values()), 60, "events that are acknowledged")
        database.fail_over()
        served.take_up()
        teams.wait_progress()
        # A promotion without losses looks like one with losses, so each begins a new epoch.
        teams.finish(promoted=True)
        for name, load in teams.loads.items():
            for follower in load.followers:
                told = {reset["session"] for reset in follower.resets}
                assert told == {worker.session for worker in load.workers}, f"{follower.name} of {name} was told of the promotion for {told}"
    finally:
        teams.close()
    assert served.relays[0].run("audit", "verify", "--data", str(served.relays[0].data)).stdout


class Peers:
    """The host and the client of a workspace."""

    def __init__(self, place: Any):
        self.place = place
        self.host = ScriptedHost(place)
        self.host.start_session("s1")
        self.say("on both")
        self.host.wait_acked("s1")
        self.follower = Follower(place, "follower", ["s1"])
        self.wait_level()
        self.epoch = self.follower.positions["s1"][0]

    def say(self, text: str) -> None:
        self.host.event("s1", "message", {"role": "assistant"}, {"text": text})

    def wait_level(self) -> None:
        wait_until(
            lambda: self.follower.positions.get("s1", ("", 0))[1] == len(self.host.sessions["s1"]), 20, lambda: f"the client to see all: {self.follower}"
        )

    def close(self) -> None:
        self.follower.close()
        self.host.close()


@pytest.mark.timeout(300)
def test_what_a_standby_did_not_have_is_told_as_lost(database, served):
    peers = [Peers(InWorkspace(place, name)) for name, place in served.places.items()]
    # The other workspaces are idle during the promotion.
    losing = peers[::2]
    try:
        database.cut()
        for one in losing:
            for number in range(5):
                one.say(f"on one alone {number}")
        for one in losing:
            one.host.wait_acked("s1")
            one.wait_level()
        database.fail_over()
        served.take_up()
        for one in peers:
            wait_until(lambda: one.follower.positions["s1"][0] != one.epoch, 30, lambda: f"the client to be told: {one.follower}")
        for one in losing:
            wait_until(lambda: one.host.lost_acks, 20, "the host to hear what is missing")
        for one in peers:
            # The host still has its events, so at the end all of them are stored in order.
            one.host.wait_acked("s1", timeout=20)
            log = settled_log(one.place, "s1")
            one.wait_level()
            assert log == one.host.sessions["s1"]
            check_view(one.follower, "s1", log)
            assert [reset["session"] for reset in one.follower.resets] == ["s1"]
            if one not in losing:
                check_host(one.host, "s1", log)
    finally:
        for one in peers:
            one.close()
