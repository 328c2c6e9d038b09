"""Everybody comes back at once after the relay was killed and started anew."""

import asyncio
import random
import time

from peer import Peer, event
from relay import Relay

CLIENTS = 5_000
# What each of them has missed: a screenful.
MISSED = 20
EVENTS = 200
# As a real client waits after a refusal: a part of this, and another part the next time.
RETRY_SECONDS = 0.25

Row = tuple[str, str]


async def measure_resume(relay: Relay) -> list[Row]:
    token = relay.token("client", "resume")
    host = await Peer.open(relay, "host", relay.token("host", "resume host"))
    made = [event("message", {"role": "assistant"}, {"text": f"{number} " + "x" * 150}) for number in range(EVENTS)]
    host.send({"type": "events", "session": "resume", "first": 1, "events": made})
    while (await host.until("ack"))["acks"][0]["through"] < EVENTS:
        pass
    probe = await Peer.open(relay, "client", token)
    probe.send({"type": "subscribe", "id": "s", "session": "resume"})
    epoch = (await probe.until("snapshot"))["epoch"]
    probe.close()
    host.close()
    await asyncio.to_thread(relay.kill)
    await asyncio.to_thread(relay.start)
    idle = relay.resident_kib
    refused = 0

    async def come_back() -> Peer:
        """Connected, and level with the log."""
        nonlocal refused
        while True:
            try:
                peer = await Peer.open(relay, "client", token)
                peer.send({"type": "subscribe", "id": "s", "session": "resume", "after": {"epoch": epoch, "seq": EVENTS - MISSED}})
                seq = EVENTS - MISSED
                while seq < EVENTS:
                    message = await peer.until("events")
                    assert message["first"] == seq + 1, message
                    seq += len(message["events"])
                return peer
            except (OSError, asyncio.IncompleteReadError, AssertionError) as failure:
                if isinstance(failure, AssertionError) and "503" not in str(failure):
                    raise
                refused += 1
                await asyncio.sleep(random.random() * RETRY_SECONDS)

    start, used, own = time.perf_counter(), relay.processor_seconds, time.process_time()
    peers = await asyncio.gather(*(come_back() for _ in range(CLIENTS)))
    elapsed, used, own = time.perf_counter() - start, relay.processor_seconds - used, time.process_time() - own
    rows = [
        (f"resume of {CLIENTS:,} clients at once, until every one is level", f"{elapsed:.2f} s, {refused} refused and back"),
        ("… the relay used", f"{used:.2f} s of processor, this process {own:.2f}: {'this one' if own > used else 'the relay'} was the bottleneck"),
        ("… peak resident memory", f"{relay.peak_kib / 1024:.1f} MiB ({idle / 1024:.1f} before)"),
    ]
    for peer in peers:
        peer.close()
    return rows
