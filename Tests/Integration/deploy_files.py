"""Reads the files of deploy/ for tests."""

import re
import subprocess
from pathlib import Path
from typing import Any

import yaml

from proxies import SERVERS
from relay import ROOT

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
SOCKETS = sorted((DEPLOY / "systemd").glob("*.socket"))
IMAGE_USER = 10001
METRIC = re.compile(r"\bheliograph_[a-z_]+")


def unit(name: str) -> dict[str, list[str]]:
    """Every setting of a systemd unit, with all its values in order."""
    settings: dict[str, list[str]] = {}
    for line in (DEPLOY / "systemd" / name).read_text().splitlines():
        if re.match(r"[A-Z]\w+=", line):
            key, _, value = line.partition("=")
            settings.setdefault(key, []).append(value)
    return settings


def image_stages() -> list[list[tuple[str, str]]]:
    """The Containerfile's instructions: those before the first stage, then those of each stage. Continued lines are joined."""
    text = re.sub(r"\\\n\s*", " ", (DEPLOY / "container/Containerfile").read_text())
    stages: list[list[tuple[str, str]]] = [[]]
    for line in text.splitlines():
        if line and not line.startswith("#"):
            word, rest = line.split(" ", 1)
            if word == "FROM":
                stages.append([])
            stages[-1].append((word, rest))
    return stages


def documents(path: Path) -> list[dict[str, Any]]:
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def promtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SERVERS / "usr/bin/promtool", *arguments], capture_output=True, text=True)
