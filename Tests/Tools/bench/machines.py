"""Smaller machines on this one: control groups in which processes have so much of a processor and no more."""

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
    """Raised if this machine cannot be divided; says what is missing."""


class Machine:
    """A control group with a share of one processor, by itself: what others use of the rest does not matter to it. Needs root."""

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
        """The process with its threads, and what it starts from now on."""
        (self.folder / "cgroup.procs").write_text(str(pid))

    def throttled(self) -> float:
        """In which part of its periods it wanted more than it has."""
        words = (self.folder / "cpu.stat").read_text().split()
        found = dict(zip(words[::2], map(int, words[1::2])))
        return found["nr_throttled"] / max(1, found["nr_periods"])

    def close(self) -> None:
        """When none of its processes is left."""
        self.folder.rmdir()


def sweep(parent: Path) -> None:
    """What a run has left that was killed."""
    for folder in parent.glob(f"{PREFIX}*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if not Path(f"/proc/{owner}").exists() and not (folder / "cgroup.procs").read_text():
            folder.rmdir()
