"""Hosts and clients at work in several workspaces, with checks of each workspace whatever happens to its nodes."""

import random
from collections.abc import Iterable, Mapping
from typing import Any

from follower import allow, deny
from load import Load
from nodes import InWorkspace, Owner, settled_log
from waits import wait_until

PAUSE_SECONDS = 0.4
"""Pause of each host between two rounds: the tests' process has to keep up with all of them, and checks every message against the schema."""


def workspaces(count: int) -> list[str]:
    """Names of `count` workspaces in addition to the first one."""
    return [f"team {number}" for number in range(1, count)]


class Teams:
    """Hosts and clients for each workspace. `places` gives the relay, or `Anywhere`, that those of a workspace connect to."""

    def __init__(self, places: Mapping[str, Any], dice: random.Random, hosts: int = 1, pause: float = PAUSE_SECONDS):
        self.places = {name: InWorkspace(place, name) for name, place in places.items()}
        self.loads = {
            name: Load(place, [dice.randrange(1 << 32) for _ in range(hosts)], [allow, deny], pause) for name, place in self.places.items()
        }
        followers = [(follower, len(load.workers)) for load in self.loads.values() for follower in load.followers]
        wait_until(lambda: all(len(one.positions) == count for one, count in followers), 30, lambda: f"clients that follow: {followers}")
        self.epochs = {name: load.epochs for name, load in self.loads.items()}
        self.wait_progress()

    def wait_progress(self, seconds: float = 30) -> None:
        """Waits until each host has made progress."""
        workers = [(name, worker, worker.through) for name, load in self.loads.items() for worker in load.workers]

        def waiting() -> list[str]:
            return [f"{worker.host.name} of {name}" for name, worker, before in workers if worker.through <= before]

        wait_until(lambda: not waiting(), seconds, lambda: f"progress of {waiting()}")

    def check_undisturbed(self, names: Iterable[str]) -> None:
        """Checks that no peer of these workspaces has lost a connection or received a reset."""
        for name in names:
            load = self.loads[name]
            closed = {peer.name: peer.closed_with for peer in [*load.followers, *(worker.host for worker in load.workers)] if peer.closed_with}
            assert not closed, f"peers of {name} were disturbed: {closed}"
            assert all(follower.connections == 1 for follower in load.followers), load.followers
            assert not any(follower.resets or follower.violations for follower in load.followers), load.followers
            assert load.epochs == self.epochs[name]

    def finish(self, promoted: bool = False) -> None:
        """Waits until each workspace is settled, then checks its logs and that its epoch is unchanged unless a standby was `promoted`."""
        for load in self.loads.values():
            load.finish()
        for name, load in self.loads.items():
            load.check(self.places[name], settled_log)
            assert len(load.epochs) == 1 and (load.epochs != self.epochs[name]) == promoted, f"{name} was in {self.epochs[name]}, and is in {load.epochs}"
        assert len(set().union(*(load.epochs for load in self.loads.values()))) == len(self.loads), "two workspaces are in one epoch"

    def close(self) -> None:
        for load in self.loads.values():
            load.close()


def owned_by(node: str, owners: Mapping[str, Owner]) -> set[str]:
    return {name for name, owner in owners.items() if owner.node == node}
