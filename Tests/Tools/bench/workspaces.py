"""A thousand workspaces on one relay: the delay that a misbehaving one causes for another, and the cost of an idle one."""

import asyncio
import time

from cluster import make_workspaces
from fairness import Crowd, Pair, Times, measure, milliseconds, p99, together
from peer import Peer, event
from relay import Relay
from rows import Bench, Ratio, Yield
from servers import BenchFailed, Server

WORKSPACES = 1_000
SESSIONS = 3
EVENTS = 20
"""Of 300 bytes, in each session."""
GOAL = 2
SHAPES = {
    "events": "a flood of events",
    "commands": "a flood of commands on 250 connections",
    "slow": "50 clients that ask and do not read",
    "reconnects": "a storm of clients that come and go",
    "snapshots": "the largest snapshots, again and again, on 4 connections",
    "subscriptions": "subscriptions again and again",
}
BUSY, MEASURED = "Team 0", "Team 1"
BESIDE_SECONDS = 6
"""Of one that misbehaves, over all its runs: each ends with what it has to say."""
RUNS_MAX = 12
ALONE_SECONDS = 3
"""Before each of them: what else the machine does is in both."""


def disk_bytes(relay: Relay) -> int:
    return sum(file.stat().st_size for file in relay.data.rglob("*") if file.is_file())


async def fill(relay: Relay, token: str, workspace: str) -> None:
    """Fills a workspace with a host's session; the host then disconnects."""
    host = await Peer.open(relay, "host", token)
    for number in range(SESSIONS):
        made = [event("session.started", {"agent": {"name": "idle"}}, {})] + [event("message", {"role": "assistant"}, {"text": "x" * 200})] * EVENTS
        host.send({"type": "events", "session": f"{workspace}-{number}", "first": 1, "events": made})
        await host.until("ack")
    host.close()


def restarted(relay: Relay) -> tuple[int, int]:
    """KiB of memory after a restart, and bytes on disk."""
    relay.stop()
    disk = disk_bytes(relay)
    relay.start()
    return relay.resident_kib, disk


def measured(relay: Relay, shape: str, seconds: float) -> tuple[Times, Times, float, int]:
    """Measures alone and beside the crowd; also returns how long the crowd took for how many messages."""
    tokens = relay.token("host", f"beside {shape}", MEASURED), relay.token("client", f"beside {shape}", MEASURED)

    async def run() -> tuple[Times, Times, float, int]:
        pair = Pair()
        await pair.open(relay, *tokens)
        alone, beside, took, done = [], [], 0.0, 0
        while took < seconds and len(beside) < RUNS_MAX:
            with Crowd(relay, shape, BUSY) as crowd:
                until = time.monotonic() + ALONE_SECONDS
                alone.append(await measure(pair, lambda until=until: time.monotonic() > until))
                begun = time.monotonic()
                crowd.begin()
                beside.append(await measure(pair, lambda crowd=crowd: crowd.is_over))
                took += time.monotonic() - begun
                done += crowd.end()
        return together(alone), together(beside), took, done

    return asyncio.run(run())


def workspaces(bench: Bench) -> Yield:
    count = WORKSPACES // (10 if bench.quick else 1)
    # The first workspace of a relay exists already.
    with Server() as server:
        relay = Relay(server.folder / "relay")
        relay.start()
        try:
            memory, disk = restarted(relay)
            names = make_workspaces(relay, count - 1)
            for name in names:
                asyncio.run(fill(relay, relay.token("host", "idle", name), name))
            memory_of_all, disk_of_all = restarted(relay)
            yield (
                f"an idle workspace with {SESSIONS} sessions of {EVENTS + 1} events: {(memory_of_all - memory) / len(names):.1f} KiB of memory, "
                f"{(disk_of_all - disk) / len(names) / 1024:.1f} KiB on disk, of {count:,} together"
            )
            for shape in ("standing", "giant"):
                with Crowd(relay, shape, BUSY) as before:
                    before.begin()
                    before.end()
            for shape, title in SHAPES.items():
                alone, beside, took, done = measured(relay, shape, BESIDE_SECONDS / (4 if bench.quick else 1))
                if not done:
                    raise BenchFailed(f"nothing came of {shape}")
                yield f"{title}: {done:,} in {took:.1f} s"
                for name, (events, approvals) in (("alone", alone), ("beside it", beside)):
                    yield f"  {name:<10} p50 / p99 / max of {len(events):,} events {milliseconds(events)} ms, of as many approvals {milliseconds(approvals)} ms"
                yield Ratio(f"p99 of events beside {shape} / alone", p99(beside[0]) / p99(alone[0]), GOAL, True)
                yield Ratio(f"p99 of approvals beside {shape} / alone", p99(beside[1]) / p99(alone[1]), GOAL, True)
        finally:
            relay.stop()
