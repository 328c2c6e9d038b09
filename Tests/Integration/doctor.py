"""Runs `heliograph doctor` with JSON output."""

import json
import subprocess
from pathlib import Path
from typing import Any

from relay import BINARY, Relay, plain_environment
from waits import patient


class Found(dict[str, Any]):
    def state(self, subject: str) -> str | None:
        return self.get(subject, {}).get("state")


def doctor(relay: Relay, *arguments: str, home: Path | None = None, environment: dict[str, str] | None = None) -> dict[str, Found]:
    """The doctor's findings by part and subject."""
    asked = subprocess.run(
        [BINARY, "doctor", "--json", "--data", str(relay.data), *arguments], capture_output=True, text=True, timeout=patient(60),
        stdin=subprocess.DEVNULL, env=plain_environment(home or relay.folder / "home") | (environment or {}),
    )
    assert asked.returncode in (0, 1), asked.stderr
    found: dict[str, Found] = {}
    for line in asked.stdout.splitlines():
        finding = json.loads(line)
        found.setdefault(finding["part"].split(",")[0], Found())[finding["subject"]] = finding
        assert (finding["state"] == "well") == ("mend" not in finding), finding
    is_wrong = any(one["state"] == "wrong" for part in found.values() for one in part.values())
    assert asked.returncode == (1 if is_wrong else 0)
    return found
