#!/usr/bin/env python3
"""Runs the tests with the real Claude Code on its oldest version that is right in all, on the pinned one, and on PyPI's newest: `make claude-check`.

Prints a table of versions, with the tests that failed on each. `claude_versions.py 0.2.182` tries that version of `claude-agent-sdk` alone, which carries 2.1.325.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Integration"))
OLDEST = "0.2.183"
"""Carries 2.1.326, which `ClaudeDoctor` calls the oldest."""
FILES = "test_claude*.py test_at_the_terminal.py test_cost.py"


def newest() -> str:
    """The newest version on PyPI."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run", "--no-deps", "--ignore-installed"]
    report = subprocess.run([*command, "--report", "-", "claude-agent-sdk"], capture_output=True, text=True, check=True).stdout
    return json.loads(report)["install"][0]["metadata"]["version"]


def pinned() -> str:
    text = (ROOT / "Tests/Integration/requirements.txt").read_text()
    return re.findall(r"^claude-agent-sdk==(\S+)", text, re.MULTILINE)[0]


def attempt(version: str) -> tuple[str, str]:
    """Runs the tests with a version; returns the program's version and the outcome."""
    environment = os.environ | {"HELIOGRAPH_CLAUDE": version}
    asked = "from claude import claude_program; import subprocess; print(subprocess.run([claude_program(), '--version'], capture_output=True, text=True).stdout)"
    said = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, env=environment, cwd=ROOT / "Tests/Integration")
    program = next(iter(said.stdout.strip().splitlines()[-1:]), "unknown").split(" ")[0]
    files = sorted(str(path) for pattern in FILES.split() for path in (ROOT / "Tests/Integration").glob(pattern))
    command = [sys.executable, "-m", "pytest", "-c", "Tests/Integration/pytest.ini", "-q", "--tb=short", "-rf", *files]
    tests = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT)
    lines = []
    for line in tests.stdout or []:
        print(line, end="", flush=True)
        lines.append(line)
    if tests.wait() == 0:
        return program, "right in all"
    failed = [found[1] for line in lines if (found := re.match(r"FAILED \S+::(\S+)", line))]
    return program, "wrong in " + ", ".join(failed) if failed else f"no tests ran (pytest ended with {tests.returncode})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", help="of claude-agent-sdk; the three if none is given")
    chosen = parser.parse_args().versions or [OLDEST, pinned(), newest()]
    rows = [(version, *attempt(version)) for version in dict.fromkeys(chosen)]
    print("\n| claude-agent-sdk | Claude Code | |\n|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    return 0 if all(row[2] == "right in all" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
