#!/usr/bin/env python3
"""Runs what is too long for a submission, one step after the other, and reports on each: `make nightly`, or `nightly.py --only fuzz`.

A step that fails does not stop the others. The logs are in .build/nightly, with the report as a table for a note.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".build/nightly"
STEPS = {
    "check": ["check", "AGENTS=all"],
    "released": ["test-released"],
    "sealed": ["test-sealed"],
    "worlds": ["worlds"],
    "fuzz": ["fuzz", "SECONDS=1800", "JOBS=2"],
    "soak": ["soak", "MINUTES=60"],
    "sanitize": ["sanitize"],
    "autobahn": ["autobahn"],
    "upgrade": ["upgrade-check", "OLD=b15cd65a"],
    "deb": ["deb-check"],
    "image": ["image-check"],
    "claude": ["claude-check"],
    "codex": ["codex-check"],
    "openhands": ["openhands-check"],
    "pydantic": ["pydantic-check"],
}
"""Arguments of `make`, by the name of the step. OLD is the last state that others have run: there is no release yet."""
HOURS_MAX = 4
"""For a step: what takes longer hangs."""


def run(name: str) -> tuple[str, float]:
    begun = time.monotonic()
    with (FOLDER / f"{name}.log").open("wb") as log:
        try:
            command = [str(ROOT / "Tests/Tools/reaped"), "make", "--no-print-directory", *STEPS[name]]
            status = subprocess.run(command, cwd=ROOT, stdout=log, stderr=log, timeout=HOURS_MAX * 3_600, check=False).returncode
            outcome = "passed" if status == 0 else f"failed ({status})"
        except subprocess.TimeoutExpired:
            outcome = f"ended after {HOURS_MAX} hours"
    return outcome, time.monotonic() - begun


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=STEPS, help="this step only; may be given more than once")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    lines = [f"Nightly run of {commit or 'an export'}", "", "| step | outcome | minutes |", "|---|---|---|"]
    failed = False
    for name in options.only or STEPS:
        outcome, seconds = run(name)
        failed = failed or outcome != "passed"
        lines.append(f"| {name} | {outcome} | {seconds / 60:.0f} |")
        print(f"{name}: {outcome} after {seconds / 60:.0f} min, see {FOLDER.relative_to(ROOT) / name}.log", flush=True)
    report = FOLDER / "report.md"
    report.write_text("\n".join(lines) + "\n")
    print(f"\n{report.read_text()}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
