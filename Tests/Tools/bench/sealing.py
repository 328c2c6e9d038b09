"""The cost of sealed content: for the host that seals its events for trusted devices, and for the relay that carries them."""

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

import rows
from client import WireClient
from daemon import Daemon
from own_agent import event, post
from relay import processor_seconds
from servers import RelayServer
from trusting import trust_client

EVENTS = 16_000
"""The number of events of each kind in a round."""
TOGETHER = 64
"""In one request to the host, so that what is compared is more than that request."""
TEXT = "The test passes now; the cause was a clock that two of them shared. " * 4
GOAL = 1.3
NAMES = ("open", "sealed")


def sealing(bench: rows.Bench) -> Iterator[str | rows.Ratio]:
    """Alternates between two hosts at one relay; a client counts received events."""
    count = EVENTS // (4 if bench.quick else 1)
    host: dict[str, list[float]] = {name: [] for name in NAMES}
    relay: dict[str, list[float]] = {name: [] for name in NAMES}
    with RelayServer() as server, tempfile.TemporaryDirectory(prefix="hg-", ignore_cleanup_errors=True) as folder:
        for name in NAMES:
            (Path(folder) / name).mkdir()
        phone = WireClient(server.relay, "bench", role="operator")
        phone.subscribe()
        daemons = {name: Daemon(Path(folder) / name, server.relay, is_signed=True) for name in NAMES}
        try:
            for name, daemon in daemons.items():
                daemon.launch(server.relay.pair_link("host"), "--name", name, "--content", name)
                daemon.start()
                daemon.wait_link()
                trust_client(daemon, phone)
            lines = {name: event(name, "message", {"role": "assistant"}, {"text": TEXT}) for name in NAMES}
            sent = dict.fromkeys(NAMES, 0)

            def report(name: str, events: int) -> None:
                for _ in range(events // TOGETHER):
                    assert post(daemons[name].socket, "events", lines[name] * TOGETHER)[0] == 200
                sent[name] += events // TOGETHER * TOGETHER
                phone.wait_summary(f"local-{name}", lambda summary: summary["messages"] == sent[name], 60, "its events")

            for name in NAMES:
                report(name, 10 * TOGETHER)
            for _ in range(bench.rounds):
                for name in NAMES:
                    pids = [daemons[name].process.pid, server.relay.process.pid]
                    before = [processor_seconds(pid) for pid in pids]
                    report(name, count)
                    spent = [processor_seconds(pid) - start for pid, start in zip(pids, before, strict=True)]
                    host[name].append(spent[0] / count * 1e6)
                    relay[name].append(spent[1] / count * 1e6)
        finally:
            for daemon in daemons.values():
                daemon.kill()
            phone.close()
    for name in NAMES:
        yield f"{name:<7} {statistics.median(host[name]):.1f} µs of the host's processor an event, {statistics.median(relay[name]):.1f} µs of the relay's"
    yield rows.Ratio("host's processor, sealed / open", statistics.median(host["sealed"]) / statistics.median(host["open"]), GOAL, True)
    yield rows.Ratio("relay's processor, sealed / open", statistics.median(relay["sealed"]) / statistics.median(relay["open"]), 1.5, True)
