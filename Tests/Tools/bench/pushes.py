"""From an approval's request to its push on the wire, while a thousand sessions are at work: issue 4's part of the way to the phone."""

import asyncio
import hashlib
import json
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from demo_phone import Phone
from peer import Peer, event
from relay import BINARY, plain_environment
from rows import Ratio
from servers import BenchFailed, RelayServer

SESSIONS = 1_000
EVENTS_PER_SECOND = 1_000
"""Of all sessions together: each says something every second."""
APPROVALS = 200
PAUSE_SECONDS = 0.05
"""Between two, so that each is on its own."""
WAIT_SECONDS_MAX = 30
GOAL_MS = 50


def approval_to_push(approvals: int) -> Iterator[str | Ratio]:
    with RelayServer() as server:
        folder = server.folder / "apple"
        folder.mkdir()
        phone = Phone(BINARY, folder, f"127.0.0.1:{server.relay.port}")
        phone.switch_on()
        try:
            phone.enrol(server.relay.data)
            phone.register(server.relay.token("client", "phone"), text="summary", starts="never", cards="off")
            seconds = approvals * (PAUSE_SECONDS + 0.1) + 5
            load = subprocess.Popen(
                [str(BINARY), "bench", "fanout", *server.target, "--hosts", "10", "--sessions", str(SESSIONS), "--clients", "1", "--rate",
                 str(EVENTS_PER_SECOND), "--duration", str(seconds), "--json"],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=plain_environment(server.folder), text=True,
            )  # fmt: skip
            try:
                times = asyncio.run(ask(server, approvals, folder / "pushes.jsonl"))
                if load.poll() not in (None, 0):
                    raise BenchFailed(f"the load beside it ended: {load.communicate()[1]}")
            finally:
                load.terminate()
                load.communicate()
        finally:
            phone.switch_off()
    times.sort()
    p50, p99 = statistics.median(times), times[len(times) * 99 // 100]
    yield f"approval → push at the APNs simulator, {SESSIONS:,} sessions at work, {len(times)} approvals: p50 {p50:.0f} ms, p99 {p99:.0f} ms (the clock has steps of 1 ms)"
    yield Ratio("p99, ms", p99, GOAL_MS, True)


async def ask(server: RelayServer, approvals: int, journal: Path) -> list[float]:
    """Milliseconds of each."""
    host = await Peer.open(server.relay, "host", server.relay.token("host", "asks"))
    first = {"type": "events", "session": "asked", "first": 1, "events": [event("session.started", {"agent": {"name": "bench"}}, {})]}
    host.send(first)
    await host.until("ack")
    listener = asyncio.create_task(listen(host))
    asked: dict[str, float] = {}
    number = 2
    for count in range(approvals):
        name = f"push-{count}"
        head = {"approval": name, "kind": "tool", "tool": "Bash", "title": "make test", "digest": hashlib.sha256(name.encode()).hexdigest()}
        asked[name] = time.time() * 1000
        host.send({"type": "events", "session": "asked", "first": number, "events": [event("approval.requested", head, {"input": {"command": "make test"}})]})
        await asyncio.sleep(PAUSE_SECONDS)
        # Settled at the terminal, so that there is never more than one to ring for.
        host.send({"type": "events", "session": "asked", "first": number + 1, "events": [event("approval.cancelled", {"approval": name, "reason": "answeredLocally"}, {})]})
        number += 2
        await asyncio.sleep(PAUSE_SECONDS)
    listener.cancel()
    host.close()
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while len(found := arrivals(journal)) < approvals:
        if time.monotonic() > deadline:
            raise BenchFailed(f"only {len(found)} of {approvals} approvals reached the wire")
        await asyncio.sleep(0.1)
    return [found[name] - at for name, at in asked.items()]


async def listen(host: Peer) -> None:
    while True:
        await host.receive()


def arrivals(journal: Path) -> dict[str, float]:
    """When the first push of each approval arrived, in milliseconds since 1970."""
    found: dict[str, float] = {}
    for line in journal.read_text().splitlines():
        entry = json.loads(line)
        if entry["kind"] == "request":
            approval = (entry.get("payload") or {}).get("heliograph", {}).get("approval")
            if approval and approval not in found:
                found[approval] = entry["at"]
    return found
