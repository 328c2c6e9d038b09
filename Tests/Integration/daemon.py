"""The real `heliograph host` on a temporary machine without an agent: tests make the hook calls that an agent would make."""

import contextlib
import http.client
import json
import os
import signal
import socket
import socketserver
import subprocess
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from relay import BINARY, HOOK, ROOT, Relay, plain_environment
from waits import patient, wait_until

RECORDING = ROOT / "Tests/Tools/demo/session.jsonl"


def recorded_call(event: str, session: str, call: str, folder: Path, **changes: Any) -> dict[str, Any]:
    """The real Claude Code's recorded input to the hook of that event, with another session and tool call."""
    for line in RECORDING.read_text().splitlines():
        step = json.loads(line)
        if step["event"] == event:
            text = json.dumps(step["input"])
            for name, value in {"{session}": session, "{project}": str(folder / "project"), "{home}": str(folder)}.items():
                text = text.replace(name, value)
            made = json.loads(text)
            if "tool_use_id" in made:
                made["tool_use_id"] = call
            return made | changes
    raise AssertionError(f"there is no {event} in {RECORDING}")


def as_open(arguments: Iterable[str], is_signed: bool = False) -> list[str]:
    """Adds arguments that make `heliograph host` send content unsealed, and require no signatures unless `is_signed`."""
    if not any("#host=" in argument for argument in arguments) or "--content" in arguments:
        return []
    return ["--content", "open", *([] if is_signed or "--consent" in arguments else ["--consent", "open"])]


@contextlib.contextmanager
def paired(folder: Path, relay: Relay, *options: str, is_signed: bool = False) -> Iterator["Daemon"]:
    """`heliograph host` on a temporary machine without an agent, connected. At the end it must stop cleanly."""
    daemon = Daemon(folder, relay, is_signed=is_signed)
    try:
        daemon.launch(relay.pair_link("host"), "--name", "laptop", *options)
        daemon.start()
        daemon.wait_link()
        yield daemon
        daemon.stop()
    finally:
        daemon.kill()


class Daemon:
    """`heliograph host` as a process. `prefix` is a program that executes it; `environment` is added to the daemon's environment, not to the hooks'.

    Unless `is_signed` is set, the host accepts unsigned commands, because most tests are not about signatures; `trusting.py` makes it require them, too. Content
    is unsealed unless the arguments say `--content`.
    """

    def __init__(
        self, folder: Path, relay: Relay, prefix: list[str] | None = None, environment: dict[str, str] | None = None, is_signed: bool = False
    ):
        self.is_signed = is_signed
        self.relay = relay
        self.home = folder / "home"
        self.project = folder / "project"
        self.log = folder / "host.log"
        self.socket = self.home / ".local/state/heliograph/host.sock"
        self.process: subprocess.Popen[bytes] | None = None
        self.prefix = prefix or []
        # Hooks watch this test's process as if it were the agent.
        self.environment = plain_environment(self.home) | {"CLAUDE_PID": str(os.getpid()), "CLAUDE_PROJECT_DIR": str(self.project)}
        self.own_environment = environment or {}
        self._hook_socket = self.socket
        for path in (self.home, self.project):
            path.mkdir(exist_ok=True)

    def launch(self, *arguments: str) -> None:
        """Starts the process without waiting for it."""
        assert self.process is None, "the daemon runs already"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.prefix, str(BINARY), "host", *arguments, *as_open(arguments, self.is_signed)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd=self.home, env=self.environment | self.own_environment,
            )  # fmt: skip

    def start(self, link: str | None = None) -> None:
        """Starts the daemon and waits until it answers; the first start needs a pairing link."""
        if self.process is None:
            self.launch(*([link, "--name", "laptop"] if link else []))
        wait_until(self._answers, 15, lambda: f"the daemon to answer. Its log:\n{self.log_text()}")

    def stop(self) -> None:
        """Sends SIGTERM; the daemon must end with status 0."""
        process, self.process = self.process, None
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            status = process.wait(patient(10))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"heliograph host did not end after SIGTERM. Its log:\n{self.log_text()}")
        assert status == 0, f"heliograph host ended with {status} after SIGTERM. Its log:\n{self.log_text()}"

    def kill(self) -> None:
        process, self.process = self.process, None
        if process:
            process.kill()
            process.wait()

    def log_text(self) -> str:
        return self.log.read_text(errors="replace")[-4000:] if self.log.exists() else ""

    def _answers(self) -> bool:
        assert self.process is not None
        status = self.process.poll()
        assert status is None, f"heliograph host ended at once with {status}:\n{self.log_text()}"
        return self.status() is not None

    def status(self) -> dict[str, Any] | None:
        """The daemon's status report; None if the daemon does not answer."""
        connection = http.client.HTTPConnection("localhost", timeout=patient(5))
        try:
            connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.sock.settimeout(patient(5))
            connection.sock.connect(str(self.socket))
            connection.request("GET", "/v1/status")
            return json.loads(connection.getresponse().read())
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def wait_link(self, state: str = "live", timeout: float = 20) -> None:
        wait_until(lambda: (self.status() or {}).get("link", {}).get("state") == state, timeout, lambda: f"the link to be {state}: {self.status()}\n{self.log_text()}")

    def wait_delivered(self, timeout: float = 40) -> None:
        """Waits until the relay has acknowledged everything: the spool is empty, and no tool call waits for the text that precedes it."""

        def is_all_acknowledged() -> bool:
            now = self.status()
            return now is not None and now["spool"]["events"] == 0 and not any(session.get("deferred") for session in now["sessions"])

        wait_until(is_all_acknowledged, timeout, lambda: f"an empty spool: {self.status()}\n{self.log_text()}")

    def hook(self, event: str, input: dict[str, Any], timeout: float = 30) -> subprocess.CompletedProcess[bytes]:
        """Makes one hook call like an agent: starts the hook with one line of JSON as input; returns its JSON output, if any."""
        return subprocess.run(
            [str(HOOK), "hook", "claude", event], input=json.dumps(input).encode() + b"\n", capture_output=True,
            cwd=self.project, env=self._hook_environment(input), timeout=patient(timeout),
        )  # fmt: skip

    def ask(self, input: dict[str, Any]) -> subprocess.Popen[bytes]:
        """Makes a PermissionRequest call: the hook waits for a decision and prints it."""
        process = subprocess.Popen(
            [str(HOOK), "hook", "claude", "PermissionRequest"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=self.project, env=self._hook_environment(input),
        )  # fmt: skip
        assert process.stdin
        process.stdin.write(json.dumps(input).encode() + b"\n")
        process.stdin.close()
        process.stdin = None
        return process

    def _hook_environment(self, input: dict[str, Any]) -> dict[str, str]:
        return self.environment | {"CLAUDE_CODE_SESSION_ID": input["session_id"], "HELIOGRAPH_SOCKET": str(self._hook_socket)}

    @contextlib.contextmanager
    def recorder(self) -> Iterator[set[tuple[str, str]]]:
        """A proxy between hooks and daemon. Yields a set that fills with (event, call) of each hook call that the daemon accepted.

        The hook always exits with 0, so its success can be seen only here. Calls are passed on one at a time in their
        order, because a hook that gives up after its time limit must not be overtaken by the next one.
        """
        taken: set[tuple[str, str]] = set()
        target = str(self.socket)

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                self.request.settimeout(patient(10))
                with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as daemon:
                    daemon.settimeout(patient(10))
                    daemon.connect(target)
                    request = read_request(self.request)
                    daemon.sendall(request)
                    answer = daemon.recv(1 << 16)
                    if answer.startswith(b"HTTP/1.1 204"):
                        head, _, body = request.partition(b"\r\n\r\n")
                        event = head.split(b" ", 2)[1].rsplit(b"/", 1)[1].decode()
                        taken.add((event, json.loads(body).get("tool_use_id", "")))
                    self.request.sendall(answer)  # the hook may have ended by now

        path = self.home / "recorder.sock"
        with socketserver.UnixStreamServer(str(path), Handler) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
            thread.start()
            self._hook_socket = path
            try:
                yield taken
            finally:
                self._hook_socket = self.socket
                server.shutdown()
                thread.join()


def read_request(connection: socket.socket) -> bytes:
    """Reads one HTTP request with its body."""
    request = b""
    while b"\r\n\r\n" not in request:
        request += connection.recv(1 << 16) or _broken()
    head, _, _ = request.partition(b"\r\n\r\n")
    length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
    while len(request) < len(head) + 4 + length:
        request += connection.recv(1 << 16) or _broken()
    return request


def _broken() -> bytes:
    raise ConnectionError("the peer has gone")
