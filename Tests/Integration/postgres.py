"""A real PostgreSQL, started by the tests and gone with them."""

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from relay import ROOT

SERVER = ROOT / "Tests/Tools/postgres-server"


class PostgresServer:
    """On a socket in a folder of its own. Whoever ends without `close` closes its standard input, and that ends it, too."""

    def __init__(self) -> None:
        # Another user has to get there, and the name of a socket has room for a hundred bytes: no folder of pytest's.
        self.folder = Path(tempfile.gettempdir()) / tempfile.mkdtemp(prefix="heliograph-pg-")
        self.process = subprocess.Popen([str(SERVER), str(self.folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n", "PostgreSQL did not start"

    def address(self, database: str) -> str:
        return f"postgresql://heliograph@/{database}?host={self.folder}"

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """As if the machine did not answer any more: connections stay, and nothing comes over them."""
        pids = descendants(self.process.pid)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)


def descendants(pid: int) -> list[int]:
    """All processes below this one, parents first: who is stopped makes no more."""
    found = [int(child) for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()]
    return found + [grandchild for child in found for grandchild in descendants(child)]
