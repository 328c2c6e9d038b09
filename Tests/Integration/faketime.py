"""A wall clock that jumps on a test's request, by libfaketime."""

from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDERS = ("/usr/lib/x86_64-linux-gnu/faketime", "/usr/lib/aarch64-linux-gnu/faketime", "/usr/lib/faketime", "/usr/local/lib/faketime")


def library() -> str:
    for folder in FOLDERS:
        path = Path(folder) / "libfaketimeMT.so.1"
        if path.exists():
            return str(path)
    pytest.skip("libfaketime is not installed: apt-get install faketime")


PREFIX = ["/bin/sh", "-c", 'exec "$0" "$@"']
"""Runs a program under libfaketime, and becomes it: a shell before it, because the library changes the environment of the first
program that it is in, and a Swift program finds its arguments beside an environment that nobody has moved."""


def clean_up() -> None:
    """Removes the shared memory that killed programs have left behind."""
    for path in Path("/dev/shm").glob("*faketime_*"):
        if not Path("/proc", path.name.rsplit("_", 1)[1]).exists():
            path.unlink(missing_ok=True)


class JumpingClock:
    """The wall clock of any program that gets `environment`; its monotonic clock is not changed."""

    def __init__(self, folder: Path):
        self.file = folder / "clock"
        self.jump("+0")
        self.environment = {
            "LD_PRELOAD": library(),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def jump(self, offset: str) -> None:
        """Sets the offset from the real time, such as `+1h` or `-10y`."""
        # The file is replaced atomically, so that no reader sees half of it.
        new = self.file.with_suffix(".new")
        new.write_text(f"{offset}\n")
        new.rename(self.file)


@pytest.fixture
def clock(tmp_path: Path) -> Iterator[JumpingClock]:
    yield JumpingClock(tmp_path)
    clean_up()
