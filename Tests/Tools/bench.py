#!/usr/bin/env python3
"""Measures the release binary on this machine, over loopback, against the machine's own limit in the same run: `make bench`.

Compare ratios within one run: a shared machine is not the same machine an hour later. The load, `heliograph-bench`, is on the same
machine, and what it uses is said beside each figure. L is `bench/raw.c durable`: one thread that commits what a read brought, then sends
it to each subscriber in one call. About 16 minutes; --quick takes three, and misses targets that need time to settle.
"""

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "Integration"), str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent / "bench")]
import rows  # noqa: E402
from beside import SlowReader, Storm, beside  # noqa: E402
from cluster import CLUSTER  # noqa: E402
from costs import costs  # noqa: E402
from fairness import fairness  # noqa: E402
from hook import hook, status_line, tool_calls  # noqa: E402
from hundred_thousand import hundred_thousand  # noqa: E402
from peer import wire_sizes  # noqa: E402
from proxy import acp_proxy  # noqa: E402
from push_rate import APNS, WEB, pushes_a_second  # noqa: E402
from pushes import APPROVALS, Apple, Browsers, approval_to_push  # noqa: E402
from reading import reading  # noqa: E402
from relay import BINARY  # noqa: E402
from sealing import sealing  # noqa: E402
from servers import BenchFailed, RelayServer, compile_programs, processor_name  # noqa: E402
from signing import signing  # noqa: E402
from steering import steering  # noqa: E402
from workspaces import workspaces  # noqa: E402

MATRIX: dict[str, tuple[str, Callable[[rows.Bench], Iterable[str | rows.Ratio]]]] = {
    "saturated": ("saturated, 1,000 subscribers, window 64", rows.saturated),
    "saturated-sealed": ("saturated, 1,000 subscribers, window 64: content that is sealed, and that is not", rows.sealed_fanout),
    "open-100": ("open loop, 100 subscribers, 500 events/s", lambda bench: rows.open_loop(bench, 100)),
    "open-1000": ("open loop, 1,000 subscribers, 50 events/s", lambda bench: rows.open_loop(bench, 1_000)),
    "open-5000": ("open loop, 5,000 subscribers, 10 events/s", lambda bench: rows.open_loop(bench, 5_000)),
    "approval": ("approval, host → relay → client → relay → host, each step on disk", rows.approval),
    "approval-disk": ("the same on a disk whose sync takes half a millisecond longer", lambda bench: rows.approval(bench, 500)),
    "signing": ("a decision until its agent has it, signed and not, the device's signature included", signing),
    "sealing": ("an event of a host that seals its content, and of one that does not", sealing),
    "reading": ("a session of 5,000 events in the page, sealed and not, read to its beginning", reading),
    "ingest-1": ("durable ingest, 1 host, 1 event a message", lambda bench: rows.ingest(bench, 1, 1)),
    "ingest-1-64": ("durable ingest, 1 host, 64 events a message", lambda bench: rows.ingest(bench, 1, 64)),
    "ingest-100": ("durable ingest, 100 hosts, 1 event a message", lambda bench: rows.ingest(bench, 100, 1)),
    "ingest-100-64": ("durable ingest, 100 hosts, 64 events a message", lambda bench: rows.ingest(bench, 100, 64)),
    "ingest-window": ("durable ingest, 1 host, 1 event a message, 64 under way", lambda bench: rows.ingest_under_way(bench, 1)),
    "ingest-window-100": ("durable ingest, 100 hosts, 1 event a message, 64 under way each", lambda bench: rows.ingest_under_way(bench, 100)),
    "idle": ("idle clients", rows.idle),
    "storm": ("storm", rows.storm),
    "storm-lws": ("storm, by libwebsockets' client", rows.storm_of_another_make),
    "crowd": ("a hundred thousand clients, or as many as a process may have open files", rows.crowd),
    "clients-100000": ("a hundred thousand clients, each loop of the relay with a table of open files of its own", hundred_thousand),
    "slow": ("1,000 clients at 50 events/s, beside one that reads a kilobyte a second", lambda bench: beside(bench, 1_000, SlowReader, 1.3)),
    "storm-live": ("100 clients at 50 events/s, beside storms of 10,000 clients", lambda bench: beside(bench, 100, Storm, 10)),
    "fair": ("a well-behaved host and its client, beside one peer that costs much within its rates", fairness),
    "workspaces": ("a thousand workspaces, one of which misbehaves beside another", workspaces),
    "resume": ("resume", rows.resume),
    "start": ("start with history", rows.start),
    "costs": ("the costs of a year, asked for at once", costs),
    "hook": ("the hook", hook),
    "status-line": ("the status line", status_line),
    "hook-agent": ("twenty tool calls of a real agent", tool_calls),
    "proxy": ("`heliograph acp` between an editor and its agent", acp_proxy),
    "steering": ("a prompt from the phone until the agent shows that it took it", steering),
    "pushes": ("pushes over one connection to APNs", pushes_a_second(APNS)),
    "pushes-web": ("pushes over one connection to a browser's service", pushes_a_second(WEB)),
    "push": ("approval to push at APNs", lambda bench: approval_to_push(Apple, APPROVALS // (4 if bench.quick else 1))),
    "push-web": ("approval to push at a browser's service", lambda bench: approval_to_push(Browsers, APPROVALS // (4 if bench.quick else 1))),
    **CLUSTER,
}
GROUPS = {"cluster": list(CLUSTER), "approval": ["approval", "signing"]}
ONLY_NAMED = {"clients-100000"}
"""Rows that are run where they are asked for: ten minutes, and most of a machine's kernel memory for sockets."""


OTHERS_MAX = 0.3
"""Cores that others may use meanwhile: beyond that their load is what is measured."""


def machine_seconds() -> float:
    """The processor time of all processes of this machine."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, interrupts, soft, *_ = map(int, file.readline().split()[1:])
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")


def own_seconds() -> float:
    """The processor time of this process and its ended children."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", action="append", choices=sorted({*MATRIX, *GROUPS}), help="a row, or a group of rows; may be given several times")
    parser.add_argument("--quick", action="store_true", help="one round, short: to see that it works")
    parser.add_argument("--rounds", type=int, help="of each row")
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # the relay inherits this limit
    chosen = {name for one in options.only or MATRIX.keys() - ONLY_NAMED for name in GROUPS.get(one, [one])}
    missed = 0
    with tempfile.TemporaryDirectory(prefix="hg-bench-") as programs:
        compile_programs(Path(programs))
        with RelayServer() as server:
            sizes = wire_sizes(server.relay)
        bench = rows.Bench(Path(programs), sizes, options.rounds or (1 if options.quick else 3), 1.5 if options.quick else 4, options.quick)
        print(f"{processor_name()}; {BINARY.name}, summaries of {sizes[0]} bytes, events of {rows.EVENT_BYTES}; {bench.rounds} rounds", flush=True)
        for name, (title, row) in MATRIX.items():
            if name not in chosen:
                continue
            begun, machine, own = time.monotonic(), machine_seconds(), own_seconds()
            print(f"\n{title}", flush=True)
            try:
                for line in row(bench):
                    missed += isinstance(line, rows.Ratio) and not line.holds
                    print(f"  {'→ ' if isinstance(line, rows.Ratio) else ''}{line}", flush=True)
            except BenchFailed as failure:
                missed += 1
                print(f"  FAILED: {failure}", flush=True)
            elapsed = time.monotonic() - begun
            others = max(0.0, machine_seconds() - machine - (own_seconds() - own)) / elapsed
            print(f"  ({elapsed:.0f} s{f'; others used {others:.1f} cores: trust nothing here' if others > OTHERS_MAX else ''})", flush=True)
    print(f"\n{missed} targets missed" if missed else "\nevery target holds")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
