#!/usr/bin/env python3
"""Lets a relay work for minutes and looks whether it grows: `make soak`, `make soak MINUTES=60`. Exits 1 where it does.

Hosts talk and ask without end; clients come, watch, decide and go. At every checkpoint all clients leave and the relay's resident
memory and descriptors are read; the first quarter of the checkpoints is the warm-up.
"""

import argparse
import asyncio
import hashlib
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "Integration"), str(Path(__file__).resolve().parent)]
from peer import Peer, event  # noqa: E402
from relay import BINARY, Relay  # noqa: E402

HOSTS = 8
CLIENTS = 40
EVENTS_PER_SECOND = 25
APPROVE_EVERY_EVENTS = 50
CHECKPOINTS = 20
STAYS_SECONDS_MAX = 4.0
# Resolved approvals are kept for an hour, and the allocator keeps its peak memory.
GROWTH_MIB_MAX = 8.0
GROWTH_SHARE_MAX = 0.15
# The store opens up to five readers on demand.
DESCRIPTORS_MAX = 5


class Soak:
    def __init__(self, relay: Relay):
        self.relay = relay
        self.ends = False
        self.rests = asyncio.Event()
        """Set while clients may come."""
        self.here = 0
        self.events = self.decisions = self.visits = 0

    async def host(self, number: int) -> None:
        session = f"soak-{number}"
        peer = await Peer.open(self.relay, "host", self.relay.token("host", session))
        sent = 0

        async def send(*made: dict) -> None:
            nonlocal sent
            peer.send({"type": "events", "session": session, "first": sent + 1, "events": list(made)})
            sent += len(made)
            self.events += len(made)
            await peer.writer.drain()

        async def listen() -> None:
            while True:
                message = await peer.receive()
                if message["type"] == "decision":
                    head = {"approval": message["approval"]}
                    await send(event("approval.delivered", head, {}), event("approval.applied", head | {"outcome": "ran"}, {}))

        listener = asyncio.create_task(listen())
        await send(event("session.started", {"agent": {"name": "soak"}}, {}))
        while not self.ends:
            await asyncio.sleep(1 / EVENTS_PER_SECOND)
            await send(event("message", {"role": "assistant"}, {"text": "x" * random.randrange(400)}))
            if sent % APPROVE_EVERY_EVENTS == 0:
                approval = f"a{sent}"
                head = {"approval": approval, "kind": "tool", "tool": "Bash", "title": "make", "digest": hashlib.sha256(approval.encode()).hexdigest()}
                await send(event("approval.requested", head, {"input": {"command": "make"}}))
            if listener.done():
                listener.result()
        listener.cancel()
        peer.close()

    async def client(self, token: str) -> None:
        """Clients that connect one after the other, each for a while, and decide pending approvals."""
        while not self.ends:
            await self.rests.wait()
            self.here += 1
            try:
                await self.visit(token)
            finally:
                self.here -= 1

    async def visit(self, token: str) -> None:
        peer = await Peer.open(self.relay, "client", token)
        self.visits += 1
        peer.send({"type": "subscribe", "id": "all"})
        peer.send({"type": "subscribe", "id": "one", "session": f"soak-{random.randrange(HOSTS)}"})
        leaves = time.monotonic() + random.random() * STAYS_SECONDS_MAX
        while (left := leaves - time.monotonic()) > 0 and self.rests.is_set() and not self.ends:
            try:
                message = await asyncio.wait_for(peer.receive(), left)
            except TimeoutError:
                break
            if message["type"] == "approval" and message["approval"]["stage"] == "pending":
                approval = message["approval"]
                self.decisions += 1
                peer.send({
                    "type": "decide", "id": f"d-{approval['session']}-{approval['approval']}", "session": approval["session"],
                    "approval": approval["approval"], "digest": approval["request"]["head"]["digest"], "decision": "allow",
                })  # fmt: skip
        peer.close()
        await peer.writer.wait_closed()

    async def checkpoint(self) -> tuple[float, int]:
        """Resident MiB and descriptors, while only the hosts are connected."""
        self.rests.clear()
        deadline = time.monotonic() + 30
        while self.here or self.relay.metric('heliograph_connections{role="client"}'):
            assert time.monotonic() < deadline, f"clients do not leave: {self.here} here"
            await asyncio.sleep(0.05)
        found = self.relay.resident_kib / 1024, self.relay.descriptors
        self.rests.set()
        return found

    async def run(self, minutes: float) -> int:
        self.rests.set()
        token = self.relay.token("client", "soak")
        tasks = [asyncio.create_task(self.host(number)) for number in range(HOSTS)]
        tasks += [asyncio.create_task(self.client(token)) for _ in range(CLIENTS)]
        found: list[tuple[float, int]] = []
        for number in range(CHECKPOINTS):
            done, _ = await asyncio.wait(tasks, timeout=minutes * 60 / CHECKPOINTS, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()
            found.append(await self.checkpoint())
            print(
                f"  {(number + 1) * minutes / CHECKPOINTS:6.1f} min  {found[-1][0]:6.1f} MiB  {found[-1][1]:4} descriptors  "
                f"{self.events:,} events, {self.visits:,} visits, {self.decisions:,} decisions", flush=True,
            )  # fmt: skip
        self.ends = True
        await asyncio.gather(*tasks)
        return verdict(found)


def verdict(found: list[tuple[float, int]]) -> int:
    quarter = len(found) // 4
    early, late = found[quarter : 2 * quarter], found[-quarter:]
    before, after = (statistics.median(memory for memory, _ in part) for part in (early, late))
    bound = before * (1 + GROWTH_SHARE_MAX) + GROWTH_MIB_MAX
    descriptors = max(count for _, count in late) - max(count for _, count in early)
    print(f"resident memory {before:.1f} → {after:.1f} MiB (at most {bound:.1f}), descriptors {descriptors:+} (at most {DESCRIPTORS_MAX})")
    if after > bound or descriptors > DESCRIPTORS_MAX:
        print("it grows")
        return 1
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    minutes = parser.parse_args().minutes
    print(f"{BINARY}, {minutes:g} minutes", flush=True)
    with tempfile.TemporaryDirectory(prefix="hg-soak-") as folder:
        relay = Relay(Path(folder))
        relay.start()
        try:
            status = asyncio.run(Soak(relay).run(minutes))
        finally:
            relay.stop()
        relay.check_log()
    sys.exit(status)


if __name__ == "__main__":
    main()
