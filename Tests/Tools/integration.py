#!/usr/bin/env python3
"""Runs the integration tests, and repeats the failed ones alone: `integration.py PYTEST-ARGUMENTS`.

Many real processes share two processors, so a neighbour can delay a test beyond its time limit. A test
that passes alone is reported as unsteady, with its first failure above: it has to be mended, but does not make the run fail.
A test that fails twice makes the run fail, and so do more than SECOND_TRIES_MAX failed tests. Record 0107 gives the reasons.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "Integration"
sys.path.insert(0, str(TESTS))
from journeys import TRIED, left_to_journeys  # noqa: E402

SECOND_TRIES_MAX = 3
"""More failures say something about the change, or about a machine on which nobody should test."""

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
    arguments = sys.argv[1:]
    journeys = {} if os.environ.get("HELIOGRAPH_AGENTS") == "all" else left_to_journeys()
    os.environ["HELIOGRAPH_JOURNEYS"] = ",".join(journeys)
    print(*journeys.values(), sep="\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        failures = Path(folder) / "failures"
        beside = ["--dist", "loadfile", "--no-loadscope-reorder", "--numprocesses", os.environ["WORKERS"]]
        status, failed = run([*beside, *arguments], failures)
        if status == SOME_TESTS_FAILED and 0 < len(failed) <= SECOND_TRIES_MAX:
            status = again(failed, arguments, failures)
    if status == 0 and os.environ.get("HELIOGRAPH_AGENTS") == "all" and is_whole(arguments):
        commit = subprocess.run(["git", "-C", str(TESTS), "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout
        TRIED.write_text(commit)
        print(f"every test of every agent has passed: {TRIED.name} is to be committed")
    return status


def is_whole(arguments: list[str]) -> bool:
    """True if all tests were selected and the working tree is a commit."""
    selected = [argument for argument in arguments if not argument.startswith("--timeout")]
    return selected == ["Tests/Integration"] and subprocess.run(["git", "-C", str(TESTS), "diff", "--quiet", "HEAD"], check=False).returncode == 0


def again(failed: list[str], arguments: list[str], failures: Path) -> int:
    """Repeats the failed tests one after the other with no other load, and prints which ones pass."""
    print("\nOnce more, alone:", *failed, sep="\n  ", flush=True)
    limits = [argument for argument in arguments if argument.startswith("--timeout")]
    status, twice = run([*limits, *(str(TESTS / name) for name in failed)], failures)
    for name in failed:
        print(f"{'FAILED TWICE' if name in twice else 'UNSTEADY'}: {name}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
