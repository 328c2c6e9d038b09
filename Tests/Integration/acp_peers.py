"""The two peers of `heliograph acp`, played by a test: an editor in front of it, and the host's daemon on its Unix socket."""

import json
import os
import select
import signal
import socket
import subprocess
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingUnixStreamServer
from typing import Any

from relay import BINARY
from waits import patient, wait_until

Message = dict[str, Any]


class FakeDaemon:
    """Receives the agents' reports, and answers their questions when the test does."""

    def __init__(self, path: Path):
        self.path = path
        self.events: list[Message] = []
        self.settled: dict[str, str] = {}
        self.asked: dict[str, Message] = {}
        self.attempts: dict[str, int] = {}
        self.withdrawn: set[str] = set()
        self.refuses: Callable[[Message], bool] = lambda event: False
        self._answers: dict[str, Message | None] = {}
        self._changed = threading.Condition()
        self._server: ThreadingUnixStreamServer | None = None
        self._connections: set[socket.socket] = set()

    def start(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.unlink(missing_ok=True)
        self._server = ThreadingUnixStreamServer(str(self.path), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Closes all connections, like a daemon that is killed."""
        server, self._server = self._server, None
        if server is None:
            return
        server.shutdown()
        server.server_close()
        self.path.unlink(missing_ok=True)
        for connection in list(self._connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def wait_asked(self, count: int = 1) -> Message:
        """Waits for that many questions; returns the newest."""
        wait_until(lambda: len(self.asked) >= count, 20, lambda: f"question {count}; there are {list(self.asked)}")
        return list(self.asked.values())[count - 1]

    def answer(self, approval: str, answer: Message | None) -> None:
        """Answers the question; None sends no decision."""
        with self._changed:
            self._answers[approval] = answer
            self._changed.notify_all()

    def kinds(self) -> list[str]:
        return [event["kind"] for event in self.events]

    def of(self, kind: str) -> list[Message]:
        return [event for event in self.events if event["kind"] == kind]

    def wait_settled(self, approval: str) -> str:
        return wait_until(lambda: self.settled.get(approval), 20, f"the end of {approval}")

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        daemon = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                daemon._connections.add(self.connection)

            def finish(self) -> None:
                daemon._connections.discard(self.connection)
                super().finish()

            def address_string(self) -> str:
                return "local"

            def log_message(self, *_: Any) -> None:
                pass

            def reply(self, status: int, value: Any = None) -> None:
                content = b"" if value is None else json.dumps(value).encode()
                self.send_response(status)
                if status != 204:
                    self.send_header("Content-Length", str(len(content)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(content)
                self.close_connection = True

            def do_GET(self) -> None:
                self.reply(200, {})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path == "/v1/agent/events":
                    events = [json.loads(line) for line in body.splitlines()]
                    if any(daemon.refuses(event) for event in events):
                        self.reply(400, {"code": "badValue", "message": "not this one", "path": "$", "line": 1})
                        return
                    daemon.events += events
                    self.reply(200, {"taken": len(events)})
                elif self.path == "/v1/agent/settled":
                    end = json.loads(body)
                    assert end["approval"] not in daemon.settled, f"{end} was settled before"
                    daemon.settled[end["approval"]] = end["outcome"]
                    self.reply(200, {})
                elif self.path == "/v1/agent/ask":
                    self.ask(json.loads(body))
                else:
                    self.reply(404, {})

            def ask(self, question: Message) -> None:
                approval = question["approval"]
                daemon.attempts[approval] = int(self.headers.get("X-Attempt") or 1)
                daemon.asked[approval] = question
                while True:
                    with daemon._changed:
                        if approval in daemon._answers:
                            answer = daemon._answers[approval]
                            break
                        daemon._changed.wait(0.02)
                    if select.select([self.connection], [], [], 0)[0] and not self.connection.recv(1, socket.MSG_PEEK):
                        daemon.withdrawn.add(approval)
                        self.close_connection = True
                        return
                self.reply(*((204, None) if answer is None else (200, answer)))

        return Handler


LEFT = (0, 128 + signal.SIGTERM)
"""What an agent ends with when its editor leaves. One that needs more than five seconds for it, on a busy machine, is told to."""


class Editor:
    """Starts `heliograph acp -- AGENT` and speaks ACP with it. `on_permission` handles permission requests; by default they stay unanswered."""

    capabilities: Message = {}
    """The capabilities that it declares."""

    def __init__(self, agent: list[str], environment: dict[str, str], folder: Path, options: list[str] | None = None):
        self.folder = folder
        self.messages: list[Message] = []
        self.received = bytearray()
        self.on_permission: Callable[[Message], None] = lambda request: None
        self._number = 0
        self._is_initialized = False
        self._lock = threading.Lock()
        self.log = folder / "acp.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(BINARY), "acp", *(options or []), "--", *agent], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                cwd=folder, env=environment,
            )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.received += line
            message = json.loads(line)
            self.messages.append(message)
            if message.get("method") == "session/request_permission":
                self.on_permission(message)

    def send(self, message: Message) -> None:
        assert self.process.stdin is not None
        with self._lock:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self.process.stdin.flush()

    def begin(self, method: str, params: Message) -> int:
        self._number += 1
        self.send({"id": self._number, "method": method, "params": params})
        return self._number

    def wait_answer(self, number: int, timeout: float = 60) -> Message:
        def answer() -> Message | None:
            return next((m for m in self.messages if m.get("id") == number and "method" not in m), None)

        return wait_until(lambda: answer() or self._check(), timeout, lambda: f"answer {number}. The log:\n{self.log_text()}")

    def _check(self) -> None:
        status = self.process.poll()
        assert status is None or self._reader.is_alive(), f"heliograph acp ended with {status}:\n{self.log_text()}"

    def request(self, method: str, params: Message, timeout: float = 60) -> Message:
        answer = self.wait_answer(self.begin(method, params), timeout)
        assert "result" in answer, answer
        return answer["result"]

    def open_session(self) -> str:
        if not self._is_initialized:
            client = {"clientCapabilities": self.capabilities, "clientInfo": {"name": "test", "version": "0"}}
            self.request("initialize", {"protocolVersion": 1, **client})
            self._is_initialized = True
        return self.request("session/new", {"cwd": str(self.folder), "mcpServers": []})["sessionId"]

    def prompt(self, session: str, text: str) -> int:
        return self.begin("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": text}]})

    def permissions(self) -> list[Message]:
        return [m for m in self.messages if m.get("method") == "session/request_permission"]

    def cancels(self) -> list[Message]:
        return [m["params"]["requestId"] for m in self.messages if m.get("method") == "$/cancel_request"]

    def select(self, request: Message, kind: str) -> None:
        option = next(option["optionId"] for option in request["params"]["options"] if option["kind"] == kind)
        self.send({"id": request["id"], "result": {"outcome": {"outcome": "selected", "optionId": option}}})

    def agent_process(self) -> int:
        """The process id of the agent, a grandchild of this process."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return int(wait_until(lambda: children.read_text().split(), 10, "the agent's process")[0])

    def leave(self, timeout: float = 30) -> int:
        """Ends the connection and returns the proxy's exit status, which is its agent's."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        status = self.process.wait(patient(timeout))
        self._reader.join(patient(5))
        return status

    def kill(self) -> None:
        if self.process.poll() is None:
            try:
                os.kill(self.agent_process(), signal.SIGKILL)
            except (OSError, AssertionError):
                pass
            self.process.kill()
            self.process.wait()

    def log_text(self) -> str:
        return self.log.read_text(errors="replace")[-4000:]
