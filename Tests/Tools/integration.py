#!/usr/bin/env python3
"""Runs the integration tests, and the few that failed beside others a second time, alone: `integration.py PYTEST-ARGUMENTS`.

Many real processes share two processors here, and what a test waits for may come later than its limit because of its neighbours. A test
that passes alone is named as unsteady at the end, with what it failed of above: it is a test to mend, not a reason to refuse a change.
One that fails twice has failed, and so has the run in which more than UNSTEADY_MAX fail. Record 0087 says why.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "Integration"
UNSTEADY_MAX = 8
"""More of them say something about the change, or about a machine on which nobody should test."""

SOME_TESTS_FAILED = 1
"""pytest's exit status; every other one that is not 0 is about the run itself."""


def run(arguments: list[str], failures: Path) -> tuple[int, list[str]]:
    """The exit status, and the node ids of the tests that failed."""
    failures.unlink(missing_ok=True)
    environment = os.environ | {"HELIOGRAPH_FAILURES": str(failures)}
    command = [sys.executable, "-m", "pytest", "-c", str(TESTS / "pytest.ini"), *arguments]
    status = subprocess.run(command, env=environment, check=False).returncode
    return status, failures.read_text().splitlines() if failures.exists() else []


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        failures = Path(folder) / "failures"
        beside = ["--dist", "loadfile", "--no-loadscope-reorder", "--numprocesses", os.environ["WORKERS"]]
        status, failed = run([*beside, *sys.argv[1:]], failures)
        if status != SOME_TESTS_FAILED or not 0 < len(failed) <= UNSTEADY_MAX:
            return status
        print("\nOnce more, alone:", *failed, sep="\n  ", flush=True)
        limits = [argument for argument in sys.argv[1:] if argument.startswith("--timeout")]
        status, again = run([*limits, *(str(TESTS / name) for name in failed)], failures)
        for name in failed:
            print(f"{'FAILED TWICE' if name in again else 'UNSTEADY'}: {name}", flush=True)
        return status


if __name__ == "__main__":
    sys.exit(main())
