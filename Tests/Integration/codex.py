"""A temporary machine with the real Codex on it.

The program comes with the PyPI package `openai-codex`; it connects only to a scripted Responses API on loopback.
"""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest
from websockets.sync.client import unix_connect

from claude import Machine
from relay import Relay
from scripted_anthropic_api import Block
from scripted_responses_api import ScriptedResponsesAPI
from waits import patient, wait_until

DIALOG = "Press enter to confirm"
READY = "Ask Codex to do anything"


def codex_program() -> Path:
    import codex_cli_bin

    return Path(codex_cli_bin.__file__).parent / "bin/codex"


def command(text: str) -> Block:
    """A command for which Codex asks for approval, whatever its sandbox would permit."""
    return {"tool": "exec_command", "input": {"cmd": text, "sandbox_permissions": "require_escalated", "justification": "It is a test."}}


def patch(text: str) -> Block:
    return {"tool": "exec_command", "input": {"cmd": f"apply_patch <<'EOF'\n*** Begin Patch\n{text}\n*** End Patch\nEOF\n"}}


class CodexMachine(Machine):
    """A machine with `home`, `project`, a `terminal` for the TUI, the model's `api`, and `heliograph host` as `daemon`."""

    def __init__(self, folder: Path, relay: Relay):
        super().__init__(folder, relay)
        self.api.server.server_close()
        self.api = ScriptedResponsesAPI()
        self.codex_home = self.home / ".codex"
        self.socket = self.codex_home / "app-server-control/app-server-control.sock"
        self.environment = {name: value for name, value in self.environment.items() if not name.startswith(("ANTHROPIC", "CLAUDE"))}
        self.environment["CODEX_HOME"] = str(self.codex_home)

    def set_up(self) -> None:
        self.prepare()
        self.heliograph("connect", "codex", "--yes")
        self.start_daemon(self.relay.pair_link("host"))

    def prepare(self) -> None:
        for folder in (self.project, self.codex_home, self.folder / "tmp"):
            folder.mkdir(parents=True)
        (self.codex_home / "config.toml").write_text(
            f"""model = "gpt-5.4"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "Scripted"
base_url = {json.dumps(self.api.url)}
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
[analytics]
enabled = false
[tools.update_plan]
enabled = true
[projects.{json.dumps(str(self.project))}]
trust_level = "trusted"
"""
        )
        subprocess.run(["git", "init", "-q", str(self.project)], check=True, timeout=patient(10))
        self.api.start()

    def tear_down(self) -> None:
        try:
            super().tear_down()
        finally:
            # The server that the terminal started outlives the terminal, and ends on request only after its turn.
            for process in Path("/proc").glob("[0-9]*"):
                self._kill(process)

    def _is_ours(self, process: Path) -> bool:
        """True for a process of this machine's Codex, recognised by its folder."""
        try:
            return f"CODEX_HOME={self.codex_home}".encode() in (process / "environ").read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            return False  # the listed process has ended, or belongs to another user

    def _command(self, process: Path) -> list[str]:
        try:
            return (process / "cmdline").read_text().split("\0")
        except (FileNotFoundError, ProcessLookupError):
            return []

    def _kill(self, process: Path) -> None:
        try:
            if self._is_ours(process):
                os.kill(int(process.name), signal.SIGKILL)
        except ProcessLookupError:
            pass

    def codex(self, *arguments: str, check: bool = True) -> str:
        result = subprocess.run(
            [str(codex_program()), *arguments], capture_output=True, text=True, env=self.environment, cwd=self.project, timeout=patient(30)
        )
        assert not check or result.returncode == 0, f"codex {' '.join(arguments)} ended with {result.returncode}:\n{result.stderr}"
        return result.stdout

    def start_codex(self, script: list[list[Block]], *arguments: str) -> None:
        """Starts Codex's TUI and waits for its input line; its sandbox requires approval for every write."""
        self.api.script = script
        self.terminal.run([str(codex_program()), "-a", "on-request", "-s", "read-only", *arguments], self.environment)
        self.wait_screen(READY, 30)
        wait_until(self.socket.exists, 15, lambda: f"{self.socket}; the screen shows:\n{self.screen()}")

    def decide_locally(self, key: str) -> None:
        """Answers Codex's dialog on the screen: `y` means yes; `Escape` means no and ends the turn."""
        self.press_until(key, lambda screen: DIALOG not in screen, "close the dialog")

    def server(self) -> dict[str, Any]:
        return json.loads(self.codex("app-server", "daemon", "version").strip())

    def servers(self) -> list[int]:
        """Process ids of this machine's Codex servers."""
        return [int(process.name) for process in Path("/proc").glob("[0-9]*") if self._is_ours(process) and "--listen" in self._command(process)]


class AppServer:
    """Another client of the Codex server that terminal and host are attached to, for actions without a key in the terminal."""

    def __init__(self, machine: CodexMachine):
        self.opening = unix_connect(str(machine.socket), "ws://localhost/", compression=None, open_timeout=patient(10))
        self.calls = 0

    def __enter__(self) -> Self:
        self.connection = self.opening.__enter__()
        self.call("initialize", clientInfo={"name": "test", "version": "1"}, capabilities={"experimentalApi": True})
        self.connection.send(json.dumps({"method": "initialized"}))
        return self

    def __exit__(self, *failure: Any) -> None:
        self.opening.__exit__(*failure)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self.calls += 1
        self.connection.send(json.dumps({"id": self.calls, "method": method, "params": params}))
        while True:
            message = json.loads(self.connection.recv(timeout=patient(20)))
            if message.get("id") == self.calls and "method" not in message:
                assert "result" in message, message
                return message["result"]

    def turn(self, thread: str, text: str) -> None:
        self.call("turn/start", threadId=thread, input=[{"type": "text", "text": text}])


@pytest.fixture
def machine(short_path: Path, relay: Relay) -> Iterator[CodexMachine]:
    with CodexMachine(short_path, relay).at_work() as machine:
        yield machine
