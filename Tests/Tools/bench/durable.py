"""Events that the relay acknowledges, that is has on disk, against what SQLite alone does with the same rows in the same run."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from relay import Relay
from wire_bytes import EVENT

HERE = Path(__file__).resolve().parent
SECONDS = 4.0
# Events under way without an ack, over all hosts: enough that the relay never waits for one round trip.
WINDOW = 16_384
# A load process that waits less than this share of the time is what was measured.
LOAD_WAITS_MIN = 0.15

Row = tuple[str, str]


def measure_durable(relay: Relay, folder: Path) -> list[Row]:
    plain = folder / "plain_sqlite"
    compiler = next(name for name in ("cc", "clang", "gcc") if shutil.which(name))
    subprocess.run([compiler, "-O2", "-o", str(plain), str(HERE / "plain_sqlite.c"), "-lsqlite3"], check=True)
    rows: list[Row] = []
    for hosts in (1, 100):
        peers = [(relay.token("host", f"load {hosts} {number}"), number) for number in range(hosts)]
        for batch in (1, 64):
            run = accept(relay, [(token, f"load-{hosts}-{batch}-{number}") for token, number in peers], batch)
            alone, alone_each = plain_rates(plain, folder / f"plain-{hosts}-{batch}.sqlite", hosts, max(1, round(run["group"])))
            what = f"events accepted durably, {hosts} host{'s' if hosts > 1 else ''}, {batch} a message"
            rows += [
                (what, f"{run['rate']:,.0f} /s = {run['rate'] / alone:.2f} of plain SQLite's {alone:,.0f} /s"),
                (f"… {run['group']:,.0f} a commit; the relay used", f"{run['processor']:.2f} of a core, others {run['others']:.2f}; bottleneck: {run['bottleneck']}"),
                ("… for each second of its processor", f"{run['each']:,.0f} = {run['each'] / alone_each:.2f} of plain SQLite's {alone_each:,.0f}"),
            ]
    return rows


def accept(relay: Relay, peers: list[tuple[str, str]], batch: int) -> dict[str, Any]:
    """One run of the load: `rate`, events in a commit, the relay's use of the processor, and which side could not go faster."""
    command = [sys.executable, str(HERE / "load.py"), str(relay.port), str(batch), str(SECONDS), str(WINDOW // len(peers))]
    load = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert load.stdin and load.stdout
    load.stdin.write("".join(f"{token} {session}\n" for token, session in peers))
    load.stdin.close()
    assert load.stdout.readline() == "ready\n", "the load does not start"
    before, machine = counters(relay), machine_seconds()
    result = load.stdout.readline()
    after, machine = counters(relay), machine_seconds() - machine
    load.stdout.close()
    assert load.wait() == 0, "the load failed"
    told = json.loads(result)
    events, commits, processor = (late - early for late, early in zip(after, before))
    waits = told["waited"] / told["seconds"]
    return {
        "rate": told["acked"] / told["seconds"],
        "group": events / commits,
        "processor": processor / told["seconds"],
        "each": events / processor,
        "bottleneck": f"{'the relay or its disk' if waits >= LOAD_WAITS_MIN else 'the load'} (the load waited {waits:.0%} of the time)",
        "others": max(0.0, machine - processor - told["busy"]) / told["seconds"],
    }


def counters(relay: Relay) -> tuple[float, float, float]:
    return (
        relay.metric("heliograph_events_committed_total"), relay.metric("heliograph_commit_seconds_count"), relay.processor_seconds,
    )  # fmt: skip


def machine_seconds() -> float:
    """What all processes of this machine have used of its processors."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, interrupts, soft, *_ = map(int, file.readline().split()[1:])
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")


def plain_rates(program: Path, file: Path, sessions: int, group: int) -> tuple[float, float]:
    """Rows a second, and for each second of processor, which others on the machine disturb less."""
    command = [str(program), str(file), str(sessions), str(group), str(len(EVENT)), str(SECONDS)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    file.unlink()
    each_second, each_processor_second = map(float, done.stdout.split())
    return each_second, each_processor_second
