"""Simulates smaller machines: control groups whose processes get a fixed share of a processor."""

import itertools
import os
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
PREFIX = "heliograph-bench-"
PERIOD_MICROSECONDS = 10_000
"""After which a machine goes on that has used up its share: short, or what is measured would be this wait. Linux takes no share of less
than a millisecond of it."""
NUMBERS = itertools.count()


class NoMachines(Exception):
    """Raised if control groups are not available; the message says what is missing."""


class Machine:
    """A control group with a share of one processor, independent of other processes. Needs root."""

    def __init__(self, share: float):
        try:
            self.folder = self._made(share)
        except OSError as missing:
            raise NoMachines(f"no control group for processors: {missing}") from missing

    @staticmethod
    def _made(share: float) -> Path:
        quota = round(share * PERIOD_MICROSECONDS)
        first = GROUPS / "cpu"
        parent = first if first.is_dir() else GROUPS
        sweep(parent)
        folder = parent / f"{PREFIX}{os.getpid()}-{next(NUMBERS)}"
        folder.mkdir()
        if parent == first:
            (folder / "cpu.cfs_period_us").write_text(str(PERIOD_MICROSECONDS))
            (folder / "cpu.cfs_quota_us").write_text(str(quota))
        else:
            (folder / "cpu.max").write_text(f"{quota} {PERIOD_MICROSECONDS}")
        return folder

    def take(self, pid: int) -> None:
        """Moves a process with its threads into the group; later child processes follow."""
        (self.folder / "cgroup.procs").write_text(str(pid))

    def throttled(self) -> float:
        """The fraction of periods in which the group wanted more processor time than its share."""
        words = (self.folder / "cpu.stat").read_text().split()
        found = dict(zip(words[::2], map(int, words[1::2])))
        return found["nr_throttled"] / max(1, found["nr_periods"])

    def close(self) -> None:
        """Removes the group once it has no processes."""
        self.folder.rmdir()


def sweep(parent: Path) -> None:
    """Removes groups that a killed run has left."""
    for folder in parent.glob(f"{PREFIX}*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if not Path(f"/proc/{owner}").exists() and not (folder / "cgroup.procs").read_text():
            folder.rmdir()
