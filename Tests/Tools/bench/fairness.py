"""The delay that one expensive peer within its rate limits causes for a well-behaved pair: events from host to client, and approvals in both directions."""

import asyncio
import hashlib
import os
import secrets
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from peer import Peer, event
from relay import Relay
from rows import Bench, Ratio, Yield
from servers import BenchFailed, Server

GOAL_MS = 50
PAUSE_SECONDS = 0.004
"""Between two of the pair's."""
SHAPES = {
    "approvals": "10,000 approvals of 12 kB",
    "sessions": "12,000 sessions",
    "hellos": "pipelined hellos of 1,000 names",
    "events": "a host that sends all the small events it can",
    "subscriptions": "one that subscribes again and again",
    "history": "one client that reads history on 8 connections",
    "commands": "one client that asks for this and that on 250 connections",
    "codes": "a stranger who tries wrong pairing codes on 8 connections",
}
CLIENTS = ("subscriptions", "history", "commands", "slow", "reconnects", "snapshots")
DIGEST = hashlib.sha256(b'heliograph.input.v1\0Bash\0{"command":"ls"}').hexdigest()
ALONE_SECONDS = 2
CROWD_SECONDS_MAX = 60


class Crowd:
    """`crowd.py` in one of its shapes as a process, ready to begin, ended with the `with` block."""

    def __init__(self, relay: Relay, shape: str, workspace: str | None = None):
        role = "client" if shape in CLIENTS else "host"
        token = relay.token(role, f"busy {shape}", workspace)
        command = [sys.executable, str(Path(__file__).with_name("crowd.py")), shape, str(relay.port), token]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
        # The crowd stands for another machine, so it must not take processor time from the measured processes.
        os.sched_setscheduler(self.process.pid, os.SCHED_BATCH, os.sched_param(0))
        assert self.process.stdin and self.process.stdout
        if self.process.stdout.readline() != "ready\n":
            raise BenchFailed(f"the busy peer of {shape} does not start")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.communicate()

    def begin(self) -> None:
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    @property
    def is_over(self) -> bool:
        return self.process.poll() is not None

    def end(self) -> int:
        """Ends the process; returns the number of messages that it has sent."""
        said = self.process.communicate(timeout=CROWD_SECONDS_MAX)[0].strip()
        if not said:
            raise BenchFailed("the busy peer ended before it had sent what it was to send")
        return int(said)


class Pair:
    """A host and the client that watches its session."""

    def __init__(self) -> None:
        self.session = f"pair-{secrets.token_hex(4)}"

    async def open(self, relay: Relay, host: str, client: str) -> None:
        self.host = await Peer.open(relay, "host", host)
        self.client = await Peer.open(relay, "client", client)
        self.count = 0
        self.say("session.started", {"agent": {"name": "pair"}}, {})
        await self.host.until("ack")
        self.client.send({"type": "subscribe", "id": "s", "session": self.session})
        await self.client.until("snapshot")

    def say(self, kind: str, head: dict, body: dict) -> None:
        self.count += 1
        self.host.send({"type": "events", "session": self.session, "first": self.count, "events": [event(kind, head, body)]})

    async def one_event(self) -> float:
        begun = time.perf_counter()
        self.say("message", {"role": "assistant"}, {"text": "x" * 200})
        await self.client.until("events")
        return time.perf_counter() - begun

    async def one_approval(self) -> float:
        name = f"pair-{self.count}"
        begun = time.perf_counter()
        head = {"approval": name, "kind": "tool", "tool": "Bash", "title": "ls", "digest": DIGEST}
        self.say("approval.requested", head, {"input": {"command": "ls"}})
        await self.client.until("approval")
        self.client.send({"type": "decide", "id": name, "session": self.session, "approval": name, "digest": DIGEST, "decision": "allow"})
        await self.host.until("decision")
        took = time.perf_counter() - begun
        self.say("approval.applied", {"approval": name, "outcome": "ran"}, {})
        while (await self.client.until("approval"))["approval"].get("stage") != "applied":
            pass
        return took


Times = tuple[list[float], list[float]]
"""Seconds of each event, and of each approval."""


async def measure(pair: Pair, ends: Callable[[], bool]) -> Times:
    times: Times = ([], [])
    while not ends() or not times[1]:
        times[0].append(await pair.one_event())
        await asyncio.sleep(PAUSE_SECONDS)
        times[1].append(await pair.one_approval())
        await asyncio.sleep(PAUSE_SECONDS)
    return times


def measured(shape: str) -> tuple[Times, Times, float, int]:
    """Measures alone and beside the crowd; also returns how long the crowd took for how many messages."""
    with Server() as server:
        relay = Relay(server.folder / "relay")
        relay.start()
        try:
            if shape in CLIENTS:
                with Crowd(relay, "standing") as before:
                    before.begin()
                    before.end()
            tokens = relay.token("host", "well-behaved"), relay.token("client", "well-behaved")
            with Crowd(relay, shape) as crowd:
                return asyncio.run(run(relay, tokens, crowd))
        finally:
            relay.stop()


async def run(relay: Relay, tokens: tuple[str, str], crowd: Crowd) -> tuple[Times, Times, float, int]:
    pair = Pair()
    await pair.open(relay, *tokens)
    until = time.monotonic() + ALONE_SECONDS
    alone = await measure(pair, lambda: time.monotonic() > until)
    begun = time.monotonic()
    crowd.begin()
    beside = await measure(pair, lambda: crowd.is_over)
    took = time.monotonic() - begun
    return alone, beside, took, crowd.end()


def milliseconds(times: list[float]) -> str:
    return f"{1000 * statistics.median(times):.1f} / {p99(times):.1f} / {1000 * max(times):.1f}"


def p99(times: list[float]) -> float:
    return 1000 * sorted(times)[int(0.99 * len(times))]


def together(parts: list[Times]) -> Times:
    """Joins the times of all rounds, because one round has too few for a 99th percentile."""
    return [time for events, _ in parts for time in events], [time for _, approvals in parts for time in approvals]


def fairness(bench: Bench) -> Yield:
    for shape, title in SHAPES.items():
        rounds = [measured(shape) for _ in range(bench.rounds)]
        yield f"{title}: {rounds[-1][3]:,} in {statistics.median(took for _, _, took, _ in rounds):.1f} s"
        alone, beside = together([alone for alone, _, _, _ in rounds]), together([beside for _, beside, _, _ in rounds])
        for name, (events, approvals) in (("alone", alone), ("beside it", beside)):
            yield f"  {name:<10} p50 / p99 / max of {len(events):,} events {milliseconds(events)} ms, of as many approvals {milliseconds(approvals)} ms"
        yield Ratio(f"p99 of events beside {shape}", p99(beside[0]), GOAL_MS, True, " ms")
        yield Ratio(f"p99 of approvals beside {shape}", p99(beside[1]), GOAL_MS, True, " ms")
