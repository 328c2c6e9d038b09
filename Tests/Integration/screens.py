"""Programs in terminals of `heliograph shell`, and clients that look at them."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from client import WireClient
from consent import b64
from relay import BINARY
from terminal import Terminal
from waits import wait_until
from wire import Message


@contextmanager
def held(machine: Any, folder: Path, *command: str, columns: int = 80, rows: int = 24) -> Iterator[Terminal]:
    """Runs `heliograph shell -- COMMAND` in a real terminal, below a shell that prints its exit status."""
    terminal = Terminal(folder, machine.environment, machine.project, columns, rows)
    try:
        terminal.run(["sh", "-c", '"$@"; echo status $?', "sh", str(BINARY), "shell", "--", *command], machine.environment)
        yield terminal
    finally:
        for holder in holders(machine):
            os.kill(holder, signal.SIGTERM)
        wait_until(lambda: not holders(machine), 20, "all to end")
        terminal.close()


def holders(machine: Any, kind: str = "shell") -> list[int]:
    """The holder processes of the machine's `heliograph KIND` terminals, which outlive their windows."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words, place = (process / "cmdline").read_bytes().split(b"\0"), (process / "cwd").readlink()
        except OSError:
            continue
        if words[1:3] == [kind.encode(), b"hold"] and place == machine.project:
            found.append(int(process.name))
    return found


def session_of(client: WireClient, agent: str) -> str:
    """The program's session, once clients can see its screen."""

    def found() -> str | None:
        for session, summary in client.summaries.items():
            if summary["agent"]["name"] == agent and summary.get("steering", {}).get("screen") and "endedAt" not in summary:
                return session
        return None

    return wait_until(found, 20, lambda: f"a session of {agent} with a screen: {client.summaries}")


class Looking:
    """A client's view of a terminal, drawn from received data."""

    def __init__(self, client: WireClient, session: str):
        self.client, self.session = client, session
        self.of: str | None = None
        self.rows: dict[int, str] = {}
        self.drawings: list[Message] = []

    def look(self, timeout: float = 20) -> str:
        """The screen as text, requested once."""
        reply = self.client.command("screen", timeout, session=self.session, **({"after": self.of} if self.of else {}))
        assert "screen" in reply, reply
        drawing = reply["screen"]
        self.drawings.append(drawing)
        assert drawing.get("whole") or drawing["base"] == self.of, drawing
        if drawing.get("whole"):
            self.rows = {}
        self.rows.update({line["row"]: "".join(run["text"] for run in line["runs"]) for line in drawing["lines"]})
        self.of = drawing["of"]
        return self.text

    @property
    def text(self) -> str:
        return "\n".join(self.rows.get(row, "") for row in range(max(self.rows, default=-1) + 1))

    def until(self, is_meant: Callable[[str], bool] | str) -> str:
        meant = is_meant if callable(is_meant) else lambda text: is_meant in text
        return wait_until(lambda: self.text if meant(self.look()) else None, 20, lambda: f"{is_meant} on the screen, which shows:\n{self.text}")

    def type(self, keys: bytes, **fields: Any) -> Message:
        return self.client.command("keys", session=self.session, keys=b64(keys), **({"seen": self.of} if self.of else {}), **fields)
