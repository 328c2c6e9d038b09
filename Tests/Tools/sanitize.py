#!/usr/bin/env python3
"""Runs the Swift tests, and the integration tests that are nearest to the heart, under the address and the thread sanitizer: `make sanitize`.

What a sanitizer reports, in any process that the tests start, is a file in .build/SANITIZER/reports and ends this with status 1; so does a
test that fails. What is known to be no fault of ours stands in Tests/Tools/sanitize, each entry with its reason.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "Tests/Tools/sanitize"
PATIENCE = 20
"""A debug build under a sanitizer takes ten times as long, and the machine may be shared."""

INTEGRATION = ["test_claude.py", "test_kill.py", "test_wire.py"]
"""The real agent, the relay killed in a loop, and everything that a peer may send."""

OPTIONS = {
    "address": {
        # Leak detection is off, because Swift's runtime never frees its caches; `make soak` checks for growth.
        "ASAN_OPTIONS": f"suppressions={HERE / 'address.supp'}:detect_leaks=0:log_path={{reports}}",
    },
    "thread": {
        # Tests continue after a report, so that one run shows all of them.
        "TSAN_OPTIONS": f"suppressions={HERE / 'thread.supp'}:exitcode=0:second_deadlock_stack=1:log_path={{reports}}",
    },
}


def run(command: list[str], environment: dict[str, str]) -> bool:
    print(f"+ {' '.join(command)}", flush=True)
    return subprocess.run(command, cwd=ROOT, env=os.environ | environment).returncode == 0


def sanitize(kind: str, only_swift: bool, only_integration: bool, filters: list[str]) -> bool:
    scratch = ROOT / ".build" / kind
    reports = scratch / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)
    environment = {name: value.format(reports=reports / "report") for name, value in OPTIONS[kind].items()}
    environment["HELIOGRAPH_PATIENCE"] = str(PATIENCE)
    built = ["--sanitize", kind, "--scratch-path", str(scratch)]
    if not run(["swift", "build", "--build-tests", *built], {}):
        return False
    is_good = True
    if not only_integration:
        # The simulation is single-threaded pure code, and its seeds would take hours.
        test = ["swift", "test", "--skip-build", "--no-parallel", *built, *(filters or ["--skip", "RelaySimulationTests"])]
        is_good = run(test, environment | {"SWIFT_BACKTRACE": "enable=no"})
    if not only_swift:
        binary = {"HELIOGRAPH_BIN": str(scratch / "debug/heliograph")}
        files = [str(ROOT / "Tests/Integration" / name) for name in INTEGRATION]
        test = [sys.executable, "-m", "pytest", "-c", "Tests/Integration/pytest.ini", f"--timeout={120 * PATIENCE}", *files]
        is_good = run(test, environment | binary) and is_good
    for report in sorted(reports.iterdir()):
        text = report.read_text(errors="replace")
        print(f"{kind}: {report.name}\n{text[:4_000]}", flush=True)
        is_good = False
    print(f"{kind}: {'nothing found' if is_good else 'see above'}", flush=True)
    return is_good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=sorted(OPTIONS), help="this sanitizer only")
    parser.add_argument("--only-swift", action="store_true")
    parser.add_argument("--only-integration", action="store_true")
    parser.add_argument("--filter", action="append", default=[], help="Swift tests whose name matches, as `swift test` has it")
    options = parser.parse_args()
    filters = [word for name in options.filter for word in ("--filter", name)]
    kinds = [options.only] if options.only else sorted(OPTIONS)
    found = [sanitize(kind, options.only_swift, options.only_integration, filters) for kind in kinds]
    return 0 if all(found) else 1


if __name__ == "__main__":
    sys.exit(main())
