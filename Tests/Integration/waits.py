"""Waits for conditions with a deadline and an explanation, instead of sleeping."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE = float(os.environ.get("HELIOGRAPH_PATIENCE", "1"))
"""Every deadline is multiplied by this; a slow or busy machine sets it higher."""


def patient(seconds: float) -> float:
    return seconds * PATIENCE


def wait_until(condition: Callable[[], Any], timeout: float, what: str | Callable[[], str], every: float = 0.02) -> Any:
    """Returns the condition's first truthy value, or fails with what was expected and what was seen instead."""
    deadline = time.monotonic() + patient(timeout)
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= deadline:
            text = what() if callable(what) else what
            raise AssertionError(f"waited {patient(timeout):g} s in vain for {text}")
        time.sleep(every)


def has_ended(pid: int) -> bool:
    """True also for a zombie, whose exit status nobody has read yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True
