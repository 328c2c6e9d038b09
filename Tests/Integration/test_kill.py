"""Repeated kill -9 of the relay and of the host daemon, and stops of the relay, at moments chosen by a seed.

HELIOGRAPH_KILLS sets the number of kills (hundreds for a night), HELIOGRAPH_SEED repeats a run's choices.
"""

import os
import random
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from daemon import recorded_call
from follower import Follower, whole_log
from history import check_decisions, check_host, check_view
from load import Worker
from waits import patient, wait_until

KILLS = int(os.environ.get("HELIOGRAPH_KILLS", "110"))
DAEMON_KILLS = int(os.environ.get("HELIOGRAPH_KILLS", "40"))
STOPS = int(os.environ.get("HELIOGRAPH_KILLS", "15"))
SEED = int(os.environ.get("HELIOGRAPH_SEED", random.SystemRandom().randrange(1 << 32)))
# The latest moment of a kill after a process was started, which takes about 50 ms.
KILL_WITHIN_SECONDS = 0.08


@pytest.fixture
def kills() -> int:
    """Number of kills of the relay."""
    return KILLS


@pytest.fixture
def dice():
    print(f"HELIOGRAPH_SEED={SEED} repeats this run's choices")
    return random.Random(SEED)


@pytest.mark.timeout(60 + 3 * KILLS)
def test_kill_9_of_the_relay_in_a_loop(relay, dice, kills):
    def kill(number: int) -> None:
        relay.kill()
        if number % 5 == 3:
            relay.launch()  # the kill may hit a starting relay
        else:
            relay.start()

    end_under_load(relay, dice, kills, kill)


@pytest.mark.timeout(60 + 6 * STOPS)
def test_restarts_of_the_relay_in_a_loop(relay, dice):
    """Stops like for an upgrade: SIGTERM with pending approvals and decisions in flight. The relay ends with status 0 each time."""
    end_under_load(relay, dice, STOPS, lambda _: relay.restart())


def end_under_load(relay: Any, dice: random.Random, times: int, end: Callable[[int], None]) -> None:
    """Hosts send events and requests, and clients decide, while the relay ends repeatedly; then everything seen is compared with its log."""
    workers = [Worker(relay, number, dice.randrange(1 << 32)) for number in range(3)]
    sessions = [worker.session for worker in workers]
    followers = [
        Follower(relay, "allows", sessions, lambda _: "allow"),
        Follower(relay, "denies", sessions, lambda _: "deny"),
        Follower(relay, "half", sessions, lambda approval: "allow" if int(approval.split("-")[1]) % 2 else "deny"),
        Follower(relay, "watches", sessions),
    ]
    try:
        for number in range(times):
            if number % 5 == 4:
                time.sleep(dice.random() * KILL_WITHIN_SECONDS)
            else:
                wanted = sum(worker.through for worker in workers) + dice.randint(1, 40)
                wait_until(lambda: sum(worker.through for worker in workers) >= wanted, 20, "the hosts to go on", every=0.003)
            end(number)
        if relay.process is None:
            relay.start()
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
    decided = 0
    for worker in workers:
        log = logs[worker.session]
        check_host(worker.host, worker.session, log)
        for follower in followers:
            check_view(follower, worker.session, log)
        decided += len(check_decisions(log, followers, [worker.host]))
    assert not [reset for follower in followers for reset in follower.resets], "a position that was given was not taken"
    events = sum(len(log) for log in logs.values())
    print(f"{times} ends, {events} events, {decided} decisions, {sum(follower.connections for follower in followers)} connections")
    assert decided and events > times, "the run was too short to show anything"


@pytest.mark.timeout(60 + 3 * DAEMON_KILLS)
def test_kill_9_of_the_host_daemon_in_a_loop(relay, daemon, short_path, dice):
    """Everything that the daemon accepted from a hook ends up in the relay's log: once and in order."""
    ended = threading.Event()
    posted: dict[str, list[tuple[str, str]]] = {}
    failures: list[BaseException] = []

    def work(session: str) -> None:
        try:
            number = 0
            while not ended.is_set():
                number += 1
                for event in ("PreToolUse", "PostToolUse"):
                    call = f"{session}-{number}"
                    posted[session].append((event, call))
                    result = daemon.hook(event, recorded_call(event, session, call, short_path))
                    assert result.returncode == 0 and not result.stdout, result
        except BaseException as failure:  # the test's own thread raises the failure
            failures.append(failure)

    with daemon.recorder() as taken:
        threads = []
        for number in range(3):
            session = f"{number}b2f3c5e-0000-4000-8000-00000000000{number}"
            posted[session] = []
            daemon.hook("SessionStart", recorded_call("SessionStart", session, "", short_path))
            threads.append(threading.Thread(target=work, args=(session,), daemon=True))
        try:
            for thread in threads:
                thread.start()
            for kill in range(DAEMON_KILLS):
                if kill % 5 == 4:
                    time.sleep(dice.random() * KILL_WITHIN_SECONDS)
                else:
                    wanted = len(taken) + dice.randint(1, 12)
                    wait_until(lambda: len(taken) >= wanted or failures, 20, "hooks to be taken", every=0.003)
                daemon.kill()
                daemon.launch() if kill % 5 == 3 else daemon.start()
            daemon.kill()
            daemon.start()
        finally:
            ended.set()
            for thread in threads:
                thread.join(patient(10))
        assert not failures, failures
        daemon.wait_delivered()
    for session, calls in posted.items():
        check_calls(whole_log(relay, f"claude-{session}"), calls, {call for call in taken if call[1].startswith(session)}, session)
    print(f"{DAEMON_KILLS} kills, {len(taken)} of {sum(map(len, posted.values()))} hook calls were taken")


def check_calls(log: list[Any], posted: list[tuple[str, str]], taken: set[tuple[str, str]], session: str) -> None:
    assert not [event for event in log if event["kind"] == "truncated"], "the spool's bound was never reached"
    hooks = {"tool.started": "PreToolUse", "tool.finished": "PostToolUse"}
    stored = [(hooks[event["kind"]], event["head"]["call"]) for event in log if event["kind"] in hooks]
    assert len(stored) == len(set(stored)), f"twice in the log: {sorted(call for call in stored if stored.count(call) > 1)}"
    order = {call: number for number, call in enumerate(posted)}
    numbers = [order[call] for call in stored]
    assert numbers == sorted(numbers), f"the log of {session} has another order than the calls"
    lost = taken - set(stored)
    assert not lost, f"the daemon took these of {session}, and the relay never got them: {sorted(lost)}"
