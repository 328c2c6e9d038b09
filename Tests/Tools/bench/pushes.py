"""From an approval's request to its push on the wire, while a thousand sessions are at work: issue 4's part of the way to the phone."""

import asyncio
import hashlib
import json
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from demo_phone import Phone
from peer import Peer, event
from relay import BINARY, plain_environment
from rows import Ratio
from servers import BenchFailed, RelayServer
from waits import wait_until

SESSIONS = 1_000
EVENTS_PER_SECOND = 1_000
"""Of all sessions together: each says something every second."""
APPROVALS = 200
OPENING = 5
"""Of these, not counted: the first of them open the connection to APNs."""
PAUSE_SECONDS = 0.05
"""Between two, so that each is on its own."""
LOOK_SECONDS = 0.005
"""At the journal, which names the moment itself."""
WAIT_SECONDS_MAX = 30
LOAD_SECONDS_MAX = 600
"""It is ended once all is asked."""
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
            load = subprocess.Popen(
                [str(BINARY), "bench", "fanout", *server.target, "--hosts", "10", "--sessions", str(SESSIONS), "--clients", "1", "--rate",
                 str(EVENTS_PER_SECOND), "--duration", str(LOAD_SECONDS_MAX), "--json"],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=plain_environment(server.folder), text=True,
            )  # fmt: skip
            try:
                wait_until(lambda: server.relay.metric("heliograph_events_committed_total") > 2 * SESSIONS, 30, "the load to be under way")
                times = asyncio.run(ask(server, OPENING + approvals, folder / "pushes.jsonl"))
                if load.poll() is not None:
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
    host.send({"type": "events", "session": "asked", "first": 1, "events": [event("session.started", {"agent": {"name": "bench"}}, {})]})
    await host.until("ack")
    listener = asyncio.create_task(listen(host))
    times = []
    with journal.open(encoding="utf-8") as lines:
        for count in range(approvals):
            name = f"push-{count}"
            head = {"approval": name, "kind": "tool", "tool": "Bash", "title": "make test", "digest": hashlib.sha256(name.encode()).hexdigest()}
            asked = time.time() * 1000
            host.send({"type": "events", "session": "asked", "first": 2 + 2 * count, "events": [event("approval.requested", head, {"input": {"command": "make test"}})]})
            times.append(await arrival(lines, name) - asked)
            # Settled at the terminal, so that there is never more than one to ring for.
            settled = event("approval.cancelled", {"approval": name, "reason": "answeredLocally"}, {})
            host.send({"type": "events", "session": "asked", "first": 3 + 2 * count, "events": [settled]})
            await asyncio.sleep(PAUSE_SECONDS)
    listener.cancel()
    host.close()
    return times[OPENING:]


async def listen(host: Peer) -> None:
    while True:
        await host.receive()


async def arrival(lines: TextIO, approval: str) -> float:
    """When the first push of the approval arrived, in milliseconds since 1970."""
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    half = ""
    while time.monotonic() < deadline:
        for line in lines:
            # One that is still being written is read on in the next turn.
            half += line
            if not half.endswith("\n"):
                continue
            entry, half = json.loads(half), ""
            if (entry.get("body") or {}).get("heliograph", {}).get("approval") == approval:
                return float(entry["at"])
        await asyncio.sleep(LOOK_SECONDS)
    raise BenchFailed(f"the push for {approval} is not on the wire after {WAIT_SECONDS_MAX} s")
