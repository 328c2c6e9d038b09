"""Several nodes that own different workspaces: the fault of a node affects its own workspaces only."""

import random
import signal
import time
from typing import Any

import pytest

from follower import Follower
from history import check_host, check_view
from host import ScriptedHost
from nodes import Anywhere, InWorkspace, settled_log
from teams import Teams, owned_by, workspaces
from test_nodes import SEED, make_cluster, server  # noqa: F401
from waits import wait_until


@pytest.fixture
def dice() -> random.Random:
    print(f"HELIOGRAPH_SEED={SEED} repeats this run's choices")
    return random.Random(SEED)


class AtTheStopped:
    """A workspace's host and client that first connect to the node that will be suspended, and reconnect to any node."""

    def __init__(self, workspace: str, victim: Any, anywhere: Any):
        place = InWorkspace(victim, workspace)
        self.host = ScriptedHost(place, "late host")
        self.host.start_session("late")
        self.host.wait_acked("late")
        self.follower = Follower(place, "late client", ["late"])
        wait_until(lambda: "late" in self.follower.positions, 20, "the client to follow")
        self.place = InWorkspace(anywhere, workspace)
        self.host.relay = self.follower.relay = self.place

    def say(self, text: str) -> None:
        self.host.event("late", "message", {"role": "assistant"}, {"text": text})

    def check(self) -> None:
        self.host.wait_acked("late", timeout=30)
        log = settled_log(self.place, "late")
        wait_until(lambda: self.follower.positions["late"][1] >= len(log), 30, lambda: f"{self.follower} to have {len(log)} events")
        check_host(self.host, "late", log)
        check_view(self.follower, "late", log)
        assert not self.follower.resets

    def close(self) -> None:
        self.host.close()
        self.follower.close()


@pytest.mark.timeout(300)
def test_a_node_that_is_stopped_past_its_lease_loses_its_own_alone_and_gets_its_share_again(make_cluster, dice):
    cluster = make_cluster(3)
    before = cluster.share(workspaces(6))
    victim = dice.choice(cluster.nodes)
    others = [node for node in cluster.nodes if node is not victim]
    moving = owned_by(victim.folder.name, before)
    assert len(moving) == 2, before
    staying = set(before) - moving
    teams = Teams({name: Anywhere(others) for name in before}, dice)
    late = [AtTheStopped(name, victim, Anywhere(cluster.nodes)) for name in sorted(moving)]
    try:
        time.sleep(dice.random() * 0.1)  # the seed chooses the moment of the kill
        assert victim.process is not None
        victim.process.send_signal(signal.SIGSTOP)
        # When it wakes up, the suspended node has its peers' last messages in its sockets and would commit them.
        for peers in late:
            for number in range(5):
                peers.say(f"said to the stopped one {number}")
        after = cluster.wait_shared(among=others)
        assert {name: after[name] for name in staying} == {name: before[name] for name in staying}
        assert {name: owner.epoch for name, owner in after.items()} == {name: owner.epoch for name, owner in before.items()}
        teams.wait_progress()
        teams.check_undisturbed(staying)
        seen = [len(settled_log(InWorkspace(others[0], name), "late")) for name in moving]
        assert seen == [1, 1], f"what only the stopped one has been told is shown: {seen}"

        victim.process.send_signal(signal.SIGCONT)
        assert victim.wait_end() == 75 and "may be another relay's" in victim.log_text(), victim.log_text()[-3000:]
        for peers in late:
            peers.host.wait_acked("late", timeout=30)
        teams.wait_progress()
        teams.check_undisturbed(staying)

        # A returning node owns nothing until the others hand over its share.
        victim.launch()
        even = cluster.wait_shared(90, evenly=True)
        given = owned_by(victim.folder.name, even)
        assert len(given) == 2, even
        teams.wait_progress()
        teams.check_undisturbed(name for name in staying if even[name] == after[name])
        for peers in late:
            peers.say("and on")
        teams.finish()
        for peers in late:
            peers.check()
        assert cluster.owners() == even, "workspaces move though nobody has two more than another"
    finally:
        teams.close()
        for peers in late:
            peers.close()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("generation", ["generation", "generation + 1"], ids=["holder alone", "as by a claim"])
def test_two_nodes_that_are_made_to_own_one_of_several_by_hand(make_cluster, dice, generation):
    cluster = make_cluster(3)
    # One workspace more than can be divided evenly: it may stay at any node, and no other has to move.
    before = cluster.share(workspaces(7))
    owner = next(node for node in cluster.nodes if len(owned_by(node.folder.name, before)) == 3)
    chosen = dice.choice([node for node in cluster.nodes if node is not owner])
    forced = dice.choice(sorted(owned_by(owner.folder.name, before)))
    teams = Teams({name: Anywhere(cluster.nodes) for name in before}, dice)
    try:
        cluster.give(forced, chosen, generation)
        wait_until(lambda: "does not own a workspace any more" in owner.log_text(), 20, owner.log_text)
        after = cluster.wait_shared()
        assert after == before | {forced: before[forced]._replace(node=chosen.folder.name)}
        teams.wait_progress()
        teams.finish()
        teams.check_undisturbed(set(before) - {forced})
        assert cluster.owners() == after
    finally:
        teams.close()
