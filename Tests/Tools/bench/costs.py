"""Reading the costs of a year: 5 hosts, 4 agents, 6 models and 4,800 sessions, requested like by the page."""

import statistics
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import rows
from client import WireClient
from cost_team import HOSTS, Team
from host import ScriptedHost
from servers import RelayServer

DAYS = 365
SESSIONS = 4_800
ASKED = 30
GOAL_MS = 100


def costs(bench: rows.Bench) -> Iterator[str | rows.Ratio]:
    with RelayServer() as server:
        hosts = [ScriptedHost(server.relay, name) for name in HOSTS]
        try:
            Team(server.relay, hosts, DAYS, SESSIONS // (4 if bench.quick else 1))
        finally:
            for host in hosts:
                host.close()
        today = datetime.now().replace(hour=0, minute=0, second=0, microsecond=0)
        days = [int((today - timedelta(days=DAYS - 1 - day)).timestamp() * 1000) for day in range(DAYS)]
        until = int((today + timedelta(days=1)).timestamp() * 1000)
        phone = WireClient(server.relay, "bench")
        times: list[float] = []
        before = server.relay.processor_seconds
        try:
            for _ in range(ASKED):
                begun = time.perf_counter()
                report = phone.command("costs", days=days, until=until)["costs"]
                times.append((time.perf_counter() - begun) * 1e3)
            spent = (server.relay.processor_seconds - before) / ASKED * 1e3
        finally:
            phone.close()
    yield f"{report['sessionCount']:,} sessions in {len(report['days'])} days; {statistics.median(times):.1f} ms a request with the client's reading, the slowest of {ASKED} {max(times):.1f}"
    yield rows.Ratio("the relay's processor for a request", spent, GOAL_MS, True, " ms")
