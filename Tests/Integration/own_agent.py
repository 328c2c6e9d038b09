"""A test's own programs that speak the host's local protocol."""

import http.client
import json
import os
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

from daemon import Daemon
from relay import BINARY
from waits import patient

INPUT = {"to": "production"}


def post(path: Path, what: str, body: Any, pid: int | None = None) -> tuple[int, Any]:
    """Makes one request; `body` is JSON text, or a value that is converted to it."""
    connection = connect(path)
    try:
        send(connection, what, body, pid)
        response = connection.getresponse()
        content = response.read()
        return response.status, json.loads(content) if content else None
    finally:
        connection.close()


def connect(path: Path) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection("localhost", timeout=patient(40))
    connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.sock.settimeout(patient(40))
    connection.sock.connect(str(path))
    return connection


def send(connection: http.client.HTTPConnection, what: str, body: Any, pid: int | None = None) -> None:
    text = body if isinstance(body, str) else json.dumps(body)
    connection.request("POST", f"/v1/agent/{what}", text.encode(), {"X-Agent-Pid": str(pid)} if pid else {})


def event(session: str, kind: str, head: Any = None, body: Any = None) -> str:
    made = {"session": session, "kind": kind, "head": head or {}}
    return json.dumps(made | ({"body": body} if body else {})) + "\n"


def question(session: str, approval: str = "go", **changes: Any) -> dict[str, Any]:
    return {"session": session, "approval": approval, "kind": "tool", "tool": "Deploy", "title": "Deploy it", "input": INPUT, "waitSeconds": 120} | changes


class Asking:
    """A request that waits for its answer in a thread of its own."""

    def __init__(self, daemon: Daemon, body: Any, path: str = "ask"):
        self.connection = connect(daemon.socket)
        send(self.connection, path, body)
        self._answer: tuple[int, Any] | None = None
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._thread.start()

    def _wait(self) -> None:
        try:
            response = self.connection.getresponse()
            content = response.read()
            self._answer = (response.status, json.loads(content) if content else None)
        except (OSError, http.client.HTTPException):
            self._answer = (0, None)

    @property
    def is_answered(self) -> bool:
        return not self._thread.is_alive()

    def answer(self) -> tuple[int, Any]:
        self._thread.join(patient(30))
        assert self._answer is not None, "there was no answer"
        return self._answer

    def hang_up(self) -> None:
        assert self.connection.sock
        self.connection.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join(patient(10))


def command(daemon: Daemon, *arguments: str, input: str | None = None) -> subprocess.Popen[str]:
    """The command line of `heliograph` for a script on the daemon's machine."""
    process = subprocess.Popen(
        [str(BINARY), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment(daemon),
    )  # fmt: skip
    assert process.stdin
    process.stdin.write(input or "")
    process.stdin.close()
    process.stdin = None
    return process


def environment(daemon: Daemon) -> dict[str, str]:
    programs = daemon.home / "bin"
    programs.mkdir(exist_ok=True)
    if not (programs / "heliograph").exists():
        (programs / "heliograph").symlink_to(BINARY)
    return daemon.environment | {"PATH": f"{programs}:{os.environ['PATH']}", "HELIOGRAPH_SOCKET": str(daemon.socket)}


def end(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, error = process.communicate(timeout=patient(30))
    return process.returncode, out, error
