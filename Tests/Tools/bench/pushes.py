"""The time from an approval's request to its push, while a thousand sessions are active: at the APNs simulator, and at a push service for browsers."""

import asyncio
import hashlib
import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Protocol

from demo_phone import Phone
from peer import Peer, event
from push_site import PushSite
from relay import BENCH, BINARY, plain_environment
from rows import Ratio
from servers import BenchFailed, RelayServer
from waits import wait_until

SESSIONS = 1_000
EVENTS_PER_SECOND = 1_000
"""Of all sessions together: each says something every second."""
APPROVALS = 200
OPENING = 5
"""Of these, not counted: the first of them open the connection to the service."""
PAUSE_SECONDS = 0.05
"""Between two, so that each is on its own."""
LOOK_SECONDS = 0.005
"""At what came, which names its moment itself."""
WAIT_SECONDS_MAX = 30
LOAD_SECONDS_MAX = 600
"""It is ended once all is asked."""
GOAL_MS = 50


class Service(Protocol):
    """A push service, started before the relay, which gets its address by `environment`."""

    name: str
    environment: dict[str, str]

    def enrol(self, server: RelayServer) -> None:
        """Registers a device of this service at the relay."""

    def came(self) -> Iterator[tuple[str, float]]:
        """The approvals pushed since the last call, with their times in milliseconds since 1970."""

    def close(self) -> None: ...


class Apple:
    name = "the APNs simulator"
    environment: dict[str, str] = {}

    def __init__(self, folder: Path):
        self._folder = folder
        self._half = ""
        self._open = ExitStack()

    def enrol(self, server: RelayServer) -> None:
        phone = Phone(BINARY, self._folder, f"127.0.0.1:{server.relay.port}")
        phone.switch_on()
        self._open.callback(phone.switch_off)
        phone.enrol(server.relay.data)
        phone.register(server.relay.token("client", "phone"), text="summary", starts="never", cards="off")
        self._journal = self._open.enter_context((self._folder / "pushes.jsonl").open(encoding="utf-8"))

    def came(self) -> Iterator[tuple[str, float]]:
        for line in self._journal:
            # An incomplete line is continued at the next call.
            self._half += line
            if self._half.endswith("\n"):
                entry, self._half = json.loads(self._half), ""
                yield (entry.get("body") or {}).get("heliograph", {}).get("approval", ""), float(entry["at"])

    def close(self) -> None:
        self._open.close()


class Browsers:
    name = "the stand-in for browsers' services"

    def __init__(self, folder: Path):
        self._site = PushSite(folder)
        self._seen = 0
        self.environment = self._site.environment

    def enrol(self, server: RelayServer) -> None:
        token = {"Authorization": f"Bearer {server.relay.token('client', 'laptop')}"}
        key = server.relay.get("/v1/push/key", token).json["key"]
        device = {"device": "laptop", "name": "laptop", "system": "Firefox on Linux", "web": self._site.subscribe(key).subscription(), "text": "full"}
        answer = server.relay.request("PUT", "/v1/devices/laptop", json.dumps(device).encode(), token)
        if answer.status != 200:
            raise BenchFailed(f"the browser is not taken: {answer.body!r}")

    def came(self) -> Iterator[tuple[str, float]]:
        seen = self._site.seen[self._seen :]
        self._seen += len(seen)
        for request in seen:
            if request.status != 201:
                raise BenchFailed(f"the push service refused: {request.reason}")
            yield json.loads(request.text)["notification"]["data"]["heliograph"].get("approval", ""), request.at

    def close(self) -> None:
        self._site.close()


def approval_to_push(make: Callable[[Path], Service], approvals: int) -> Iterator[str | Ratio]:
    with tempfile.TemporaryDirectory(prefix="hg-push-") as folder:
        service = make(Path(folder))
        with RelayServer(service.environment) as server, closing(service):
            service.enrol(server)
            times = sorted(measure(server, service, approvals))
    p50, p99 = statistics.median(times), times[len(times) * 99 // 100]
    yield f"approval → push at {service.name}, {SESSIONS:,} sessions at work, {len(times)} approvals: p50 {p50:.0f} ms, p99 {p99:.0f} ms (the clock has steps of 1 ms)"
    yield Ratio("p99, ms", p99, GOAL_MS, True)


def measure(server: RelayServer, service: Service, approvals: int) -> list[float]:
    """Milliseconds of each push while the load runs."""
    load = subprocess.Popen(
        [str(BENCH), "fanout", *server.target, "--hosts", "10", "--sessions", str(SESSIONS), "--clients", "1", "--rate",
         str(EVENTS_PER_SECOND), "--duration", str(LOAD_SECONDS_MAX), "--json"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=plain_environment(server.folder), text=True,
    )  # fmt: skip
    try:
        wait_until(lambda: server.relay.metric("heliograph_events_committed_total") > 2 * SESSIONS, 30, "the load to be under way")
        times = asyncio.run(ask(server, OPENING + approvals, service))
        if load.poll() is not None:
            raise BenchFailed(f"the load beside it ended: {load.communicate()[1]}")
        return times
    finally:
        load.terminate()
        load.communicate()


async def ask(server: RelayServer, approvals: int, service: Service) -> list[float]:
    """Requests approvals; returns each push's milliseconds."""
    host = await Peer.open(server.relay, "host", server.relay.token("host", "asks"))
    host.send({"type": "events", "session": "asked", "first": 1, "events": [event("session.started", {"agent": {"name": "bench"}}, {})]})
    await host.until("ack")
    listener = asyncio.create_task(listen(host))
    times = []
    for count in range(approvals):
        name = f"push-{count}"
        head = {"approval": name, "kind": "tool", "tool": "Bash", "title": "make test", "digest": hashlib.sha256(name.encode()).hexdigest()}
        asked = time.time() * 1000
        host.send({"type": "events", "session": "asked", "first": 2 + 2 * count, "events": [event("approval.requested", head, {"input": {"command": "make test"}})]})
        times.append(await arrival(service, name) - asked)
        # The approval is cancelled, so that never more than one is pending.
        settled = event("approval.cancelled", {"approval": name, "reason": "answeredLocally"}, {})
        host.send({"type": "events", "session": "asked", "first": 3 + 2 * count, "events": [settled]})
        await asyncio.sleep(PAUSE_SECONDS)
    listener.cancel()
    host.close()
    return times[OPENING:]


async def listen(host: Peer) -> None:
    while True:
        await host.receive()


async def arrival(service: Service, approval: str) -> float:
    """The time of the approval's first push, in milliseconds since 1970."""
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while time.monotonic() < deadline:
        for rung, at in service.came():
            if rung == approval:
                return at
        await asyncio.sleep(LOOK_SECONDS)
    raise BenchFailed(f"the push for {approval} is not on the wire after {WAIT_SECONDS_MAX} s")
