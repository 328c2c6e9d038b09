"""Hosts and clients that work while a test kills, stops and cuts, with checks of everything that they received."""

import random
import threading
from collections.abc import Callable, Iterable
from typing import Any

from follower import Choose, Follower, allow, whole_log
from history import check_decisions, check_host, check_view
from host import ScriptedHost
from waits import patient, wait_until

UNACKED_MAX = 48
OPEN_APPROVALS_MAX = 3


class Worker:
    """A scripted host whose agent reports events and requests approvals without end, and confirms every decision.

    Sometimes it pauses for `pause` seconds.
    """

    def __init__(self, relay: Any, number: int, seed: int, pause: float = 0):
        self.session = f"s{number}"
        self.host = ScriptedHost(relay, f"host-{number}")
        self.dice = random.Random(seed)
        self.pause = pause
        self.open: set[str] = set()
        self.confirmed = 0
        self.failure: BaseException | None = None
        self.host.start_session(self.session)
        self.host.wait_acked(self.session)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name=self.session, daemon=True)
        self._thread.start()

    @property
    def through(self) -> int:
        return self.host.through.get(self.session, 0)

    def finish(self, followers: list[Follower]) -> None:
        """Stops making events and requests, and waits until all of them are settled."""
        self._ended.set()
        self._thread.join(patient(30))
        assert not self._thread.is_alive() and self.failure is None, self.failure
        wait_until(lambda: self._confirm() or not self.open, 30, lambda: f"decisions of {sorted(self.open)}: {followers}")
        self.host.wait_acked(self.session, timeout=30)

    def _work(self) -> None:
        try:
            text = 0
            while not self._ended.is_set():
                for _ in range(self.dice.randint(1, 4)):
                    text += 1
                    self.host.event(self.session, "message", {"role": "assistant"}, {"text": f"{self.session}.{text}"})
                if len(self.open) < OPEN_APPROVALS_MAX:
                    self.open.add(self.host.request_approval(self.session, "Bash", {"command": f"echo {text}"}))
                self._confirm()
                self._ended.wait(self.pause)
                while len(self.host.sessions[self.session]) - self.through > UNACKED_MAX and not self._ended.wait(0.005):
                    self._confirm()
        except BaseException as failure:  # finish() raises the failure in the test's own thread
            self.failure = failure

    def _confirm(self) -> None:
        for message in self.host.decisions[self.confirmed :]:
            self.confirmed += 1
            approval = message["approval"]
            if approval in self.open:  # the relay repeats a decision whose confirmation was lost; it has then been counted already
                self.open.remove(approval)
                self.host.apply(self.session, approval, "ran" if message["decision"]["decision"] == "allow" else "denied")


class Load:
    """A host for each seed, and a client of all hosts for each choice function, at one relay or several nodes; at the end all clients' views must
    match the log.
    """

    def __init__(self, relay: Any, seeds: Iterable[int] = (0, 1), choices: Iterable[Choose] = (allow, allow), pause: float = 0):
        self.workers = [Worker(relay, number, seed, pause) for number, seed in enumerate(seeds)]
        sessions = [worker.session for worker in self.workers]
        self.followers = [Follower(relay, f"follower-{number}", sessions, choose) for number, choose in enumerate(choices)]

    @property
    def through(self) -> int:
        return sum(worker.through for worker in self.workers)

    @property
    def epochs(self) -> set[str]:
        """The epochs in all positions of the clients."""
        return {position[0] for follower in self.followers for position in follower.positions.values()}

    def wait_progress(self, seconds: float = 30) -> None:
        """Waits until each host has made progress."""
        before = [worker.through for worker in self.workers]
        wait_until(lambda: all(worker.through > start for worker, start in zip(self.workers, before)), seconds, lambda: f"more than {before} of each host: {self.followers}")

    def finish(self) -> None:
        """Waits until all events are stored and all approvals settled."""
        for worker in self.workers:
            worker.finish(self.followers)

    def check(self, relay: Any, read: Callable[[Any, str], list[Any]] = whole_log) -> None:
        """Checks each session's log at that relay, after `finish`."""
        for worker in self.workers:
            log = read(relay, worker.session)
            for follower in self.followers:
                wait_until(lambda: follower.positions.get(worker.session, ("", 0))[1] >= len(log), 30, lambda: f"{follower} to have {len(log)} events")
                check_view(follower, worker.session, log)
            check_host(worker.host, worker.session, log)
            check_decisions(log, self.followers, [worker.host])

    def close(self) -> None:
        for follower in self.followers:
            follower.close()
        for worker in self.workers:
            worker.host.close()
