#!/usr/bin/env python3
"""Measures the release binary on this machine, over loopback, and prints a table: `make bench`. Takes about three minutes.

Compare within one run: a shared machine is not the same machine an hour later. The peers are raw sockets with hand-made frames
on the same machine, so what they cost is in the figures, too; where that may be what is measured, the figures say so.
"""

import argparse
import asyncio
import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "Integration"), str(Path(__file__).resolve().parent / "bench")]
from durable import measure_durable  # noqa: E402
from peer import Peer, event  # noqa: E402
from relay import BINARY, Relay, plain_environment  # noqa: E402
from resume import measure_resume  # noqa: E402

HOOK_RUNS = 50
ROUND_TRIPS = 500
IDLE_CLIENTS = (0, 1_000, 5_000)
CONNECTING_AT_ONCE = 64

Row = tuple[str, str]


# Hook cost


def spawn_ms(program: list[str], environment: dict[str, str], input: Path) -> float:
    """Wall time from asking for the process to its end."""
    with input.open("rb") as stdin, open(os.devnull, "wb") as null:
        actions = [(os.POSIX_SPAWN_DUP2, stdin.fileno(), 0), (os.POSIX_SPAWN_DUP2, null.fileno(), 1), (os.POSIX_SPAWN_DUP2, null.fileno(), 2)]
        start = time.perf_counter()
        pid = os.posix_spawn(program[0], program, environment, file_actions=actions)
        _, status = os.waitpid(pid, 0)
        elapsed = time.perf_counter() - start
    assert os.waitstatus_to_exitcode(status) == 0, f"{program} failed"
    return elapsed * 1000


def measure_hook(relay: Relay, folder: Path) -> list[Row]:
    environment = plain_environment(folder)
    payload = folder / "payload.json"
    payload.write_text(json.dumps({
        "session_id": "bench", "transcript_path": "/tmp/x.jsonl", "cwd": str(folder), "hook_event_name": "PreToolUse",
        "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "toolu_1",
    }) + "\n")  # fmt: skip
    hook = [str(BINARY), "hook", "claude", "PreToolUse"]
    true = ["/bin/true"]

    def pair() -> tuple[float, float]:
        """Medians, taken in turn so that both see the same machine."""
        times = [(spawn_ms(true, environment, payload), spawn_ms(hook, environment, payload)) for _ in range(HOOK_RUNS)]
        return statistics.median(first for first, _ in times), statistics.median(second for _, second in times)

    pair()  # warms the caches
    true_alone, hook_alone = pair()
    daemon = subprocess.Popen(
        [str(BINARY), "host", relay.pair_link("host"), "--name", "bench"], env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        socket = folder / ".local/state/heliograph/host.sock"
        deadline = time.monotonic() + 15
        while not socket.exists():
            assert time.monotonic() < deadline and daemon.poll() is None, "heliograph host does not come up"
            time.sleep(0.02)
        true_beside, hook_beside = pair()
    finally:
        daemon.terminate()
        daemon.wait(15)
    return [
        ("/bin/true, median of 50", f"{true_alone:.2f} ms"),
        ("hook without a daemon", f"{hook_alone:.2f} ms (+{hook_alone - true_alone:.2f})"),
        ("hook, fire and forget", f"{hook_beside:.2f} ms (+{hook_beside - true_beside:.2f})"),
    ]


# Approvals


async def measure_round_trip(relay: Relay) -> list[Row]:
    host = await Peer.open(relay, "host", relay.token("host", "round trip host"))
    client = await Peer.open(relay, "client", relay.token("client", "round trip client"))
    client.send({"type": "subscribe", "id": "s"})
    await client.until("snapshot")
    host.send({"type": "events", "session": "trip", "first": 1, "events": [event("session.started", {"agent": {"name": "bench"}}, {})]})
    await host.until("ack")
    number, times = 1, []

    async def decide() -> None:
        for _ in range(ROUND_TRIPS):
            while True:
                message = await client.until("approval")
                if message["approval"]["stage"] == "pending":
                    break
            approval = message["approval"]
            client.send({
                "type": "decide", "id": f"d-{approval['approval']}", "session": "trip", "approval": approval["approval"],
                "digest": approval["request"]["head"]["digest"], "decision": "allow",
            })  # fmt: skip

    decider = asyncio.create_task(decide())
    for round in range(ROUND_TRIPS):
        digest = hashlib.sha256(str(round).encode()).hexdigest()
        head = {"approval": f"a{round}", "kind": "tool", "tool": "Bash", "title": "make test", "digest": digest}
        start = time.perf_counter()
        host.send({"type": "events", "session": "trip", "first": number + 1, "events": [event("approval.requested", head, {"input": {"command": "make test"}})]})
        await host.until("decision")
        times.append((time.perf_counter() - start) * 1000)
        done = [("approval.delivered", {"approval": f"a{round}"}), ("approval.applied", {"approval": f"a{round}", "outcome": "ran"})]
        host.send({"type": "events", "session": "trip", "first": number + 2, "events": [event(kind, head, {}) for kind, head in done]})
        number += 3
        while (await host.until("ack"))["acks"][0]["through"] < number:
            pass
    await decider
    host.close()
    client.close()
    times.sort()
    return [
        (f"approval, host → client → host, {ROUND_TRIPS} in turn", f"p50 {times[len(times) // 2]:.2f} ms, p99 {times[len(times) * 99 // 100]:.2f} ms"),
    ]


# Idle clients


async def measure_memory(relay: Relay) -> list[Row]:
    token = relay.token("client", "idle")
    clients: list[Peer] = []
    rows: list[Row] = []
    gate = asyncio.Semaphore(CONNECTING_AT_ONCE)

    async def connect() -> None:
        async with gate:
            peer = await Peer.open(relay, "client", token)
            peer.send({"type": "subscribe", "id": "s"})
            await peer.until("snapshot")
            clients.append(peer)

    for count in IDLE_CLIENTS:
        await asyncio.gather(*(connect() for _ in range(count - len(clients))))
        assert len(clients) == count
        rows.append((f"resident memory, {count:,} idle clients", f"{relay.resident_kib / 1024:.1f} MiB"))
    first, last = float(rows[0][1].split()[0]), float(rows[-1][1].split()[0])
    rows.append(("… for each idle client", f"{(last - first) * 1024 / IDLE_CLIENTS[-1]:.1f} KiB"))
    for peer in clients:
        peer.close()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", choices=["hook", "trip", "stream", "resume", "memory"], help="measure one thing")
    only = parser.parse_args().only
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # the relay inherits it; both hold every idle client

    parts: dict[str, Callable[[Relay, Path], list[Row] | Awaitable[list[Row]]]] = {
        "hook": measure_hook,
        "trip": lambda relay, _: measure_round_trip(relay),
        "stream": measure_durable,
        "resume": lambda relay, _: measure_resume(relay),
        "memory": lambda relay, _: measure_memory(relay),
    }
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown processor")
    print(f"{model}, {os.cpu_count()} cores; {BINARY}", flush=True)
    for name, part in parts.items():
        if only in (None, name):
            with tempfile.TemporaryDirectory(prefix="hg-bench-") as folder:
                # A relay of its own for each, so that one does not carry what another left in memory.
                relay = Relay(Path(folder) / "relay")
                (Path(folder) / "home").mkdir()
                relay.start()
                try:
                    found = part(relay, Path(folder) / "home")
                    for what, value in found if isinstance(found, list) else asyncio.run(asyncio.wait_for(found, 180)):
                        print(f"  {what:<62} {value}", flush=True)
                finally:
                    relay.stop()


if __name__ == "__main__":
    main()
