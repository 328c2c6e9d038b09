"""A temporary machine with the real Claude Code on it.

The program comes with the PyPI package `claude-agent-sdk`; it connects only to a scripted model API on loopback.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from acp_agents import install
from daemon import as_open
from relay import BINARY, ROOT, Relay, plain_environment
from terminal import Terminal
from waits import patient, wait_until

sys.path.insert(0, str(ROOT / "Tests/Tools"))
from scripted_anthropic_api import Block, ScriptedAnthropicAPI  # noqa: E402

KEY = "sk-ant-dummy-000000000000000000000000000000"
MODEL = "claude-opus-5-5"
DIALOG = "Do you want to proceed?"
PLAN_DIALOG = "Would you like to proceed?"
# A user's settings before `connect`, which `disconnect` must restore exactly.
SETTINGS = '{\n  "cleanupPeriodDays": 30,\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "true"}]}]\n  }\n}\n'


def claude_program() -> Path:
    """The path of the pinned Claude Code, or of the version of `claude-agent-sdk` that HELIOGRAPH_CLAUDE names."""
    if version := os.environ.get("HELIOGRAPH_CLAUDE"):
        packages = install(f"claude-agent-sdk=={version}").parent
        return next(packages.glob("lib/python*/site-packages/claude_agent_sdk/_bundled/claude"))
    import claude_agent_sdk

    return Path(claude_agent_sdk.__file__).parent / "_bundled/claude"


def decide(terminal: Terminal, key: str) -> None:
    """Answers Claude Code's dialog on the screen. In a tool's dialog `Enter` and `1` mean yes, `4` and `Escape` no."""
    shown = wait_until(
        lambda: next((dialog for dialog in (DIALOG, PLAN_DIALOG) if dialog in terminal.screen()), None), 20,
        lambda: f"a dialog on the screen, which shows:\n{terminal.screen()}",
    )  # fmt: skip
    terminal.press_until(key, lambda screen: shown not in screen, "close the dialog")


def listens(path: Path) -> bool:
    """True if a process accepts connections on the socket: its file remains after the process was killed."""
    with socket.socket(socket.AF_UNIX) as there:
        return there.connect_ex(str(path)) == 0


class Program:
    """A program of somebody's that runs the agent by the control protocol, as the SDK does, and answers in people's place."""

    def __init__(self, machine: "Machine", *arguments: str):
        command = [str(claude_program()), "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        command += ["--permission-prompt-tool", "stdio", "--model", MODEL, *arguments]
        self.process = subprocess.Popen(
            command, cwd=machine.project, env=machine.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def _write(self, message: dict[str, Any]) -> None:
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def _read(self, *kinds: str) -> dict[str, Any]:
        return next(line for line in map(json.loads, self.process.stdout) if line["type"] in kinds)

    def prompt(self, text: str) -> None:
        self._write({"type": "user", "message": {"role": "user", "content": text}, "parent_tool_use_id": None, "session_id": "x"})

    def wait_question(self) -> dict[str, Any]:
        return self._read("control_request")

    def answer(self, question: dict[str, Any], response: dict[str, Any]) -> None:
        answer = {"subtype": "success", "request_id": question["request_id"], "response": response}
        self._write({"type": "control_response", "response": answer})

    def run_allowing(self, text: str) -> None:
        """Prompts, and allows all that is asked until the turn is over."""
        self.prompt(text)
        while (message := self._read("control_request", "result"))["type"] == "control_request":
            self.answer(message, {"behavior": "allow", "updatedInput": message["request"]["input"]})


class Machine:
    """A machine with `home`, `project`, a `terminal`, the agent's model `api`, and `heliograph host` as `daemon`; `trusting.py` makes it require
    signatures.
    """

    def __init__(self, folder: Path, relay: Relay):
        self.folder = folder
        self.relay = relay
        self.home = folder / "home"
        self.project = folder / "project"
        self.settings = self.home / ".claude/settings.json"
        self.daemon_log = folder / "host.log"
        self.daemon: subprocess.Popen[bytes] | None = None
        self.api = ScriptedAnthropicAPI()
        self.environment = plain_environment(self.home) | {
            "ANTHROPIC_BASE_URL": self.api.url,
            "ANTHROPIC_API_KEY": KEY,
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1",
            "TMPDIR": str(folder / "tmp"),
        }
        self.terminal = Terminal(folder / "tmux", self.environment, self.project)

    @contextlib.contextmanager
    def at_work(self) -> Iterator[Self]:
        """Sets the machine up and always tears it down, even if the setup failed."""
        try:
            self.set_up()
            yield self
        finally:
            self.tear_down()

    def set_up(self) -> None:
        """Creates a home that has answered Claude Code's first-start questions, connects the hooks, and starts the daemon."""
        self.prepare()
        self.heliograph("connect", "claude", "--user", "--yes")
        self.start_daemon(self.relay.pair_link("host"))

    def prepare(self) -> None:
        for folder in (self.project, self.settings.parent, self.folder / "tmp"):
            folder.mkdir(parents=True)
        self.settings.write_text(SETTINGS)
        (self.home / ".claude.json").write_text(
            json.dumps({
                "hasCompletedOnboarding": True,
                "theme": "dark",
                "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
                "projects": {str(self.project): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
            })
        )
        self.api.start()

    def tear_down(self) -> None:
        self.terminal.close()
        try:
            self.stop_daemon()
        finally:
            self.api.stop()

    def start_daemon(self, link: str | None = None) -> None:
        """Starts `heliograph host`; the first start needs a pairing link."""
        command = [str(BINARY), "host", *([link, "--name", "laptop", *as_open([link])] if link else [])]
        with self.daemon_log.open("ab") as log:
            self.daemon = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.home, env=self.environment
            )
        path = self.home / ".local/state/heliograph/host.sock"
        wait_until(lambda: self._lives() and listens(path), 15, lambda: f"{path}. The daemon's log:\n{self.daemon_text()}")

    def stop_daemon(self) -> None:
        daemon, self.daemon = self.daemon, None
        if daemon is None:
            return
        daemon.send_signal(signal.SIGTERM)
        try:
            status = daemon.wait(patient(10))
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()
            raise AssertionError(f"heliograph host did not end after SIGTERM. Its log:\n{self.daemon_text()}")
        assert status == 0, f"heliograph host ended with {status} after SIGTERM. Its log:\n{self.daemon_text()}"

    def kill_daemon(self) -> None:
        daemon, self.daemon = self.daemon, None
        if daemon:
            daemon.kill()
            daemon.wait()

    def daemon_text(self) -> str:
        return self.daemon_log.read_text(errors="replace")[-4000:] if self.daemon_log.exists() else ""

    def _lives(self) -> bool:
        assert self.daemon is not None
        status = self.daemon.poll()
        assert status is None, f"heliograph host ended at once with {status}:\n{self.daemon_text()}"
        return True

    def heliograph(self, *arguments: str, check: bool = True, input: str | None = None) -> subprocess.CompletedProcess[str]:
        """Runs a `heliograph` command as this machine's user."""
        result = subprocess.run(
            [str(BINARY), *arguments], capture_output=True, text=True, cwd=self.project, env=self.environment,
            timeout=patient(20), input=input or "",
        )  # fmt: skip
        if check:
            shown = result.stdout + result.stderr
            assert result.returncode == 0, f"heliograph {' '.join(arguments)} ended with {result.returncode}:\n{shown}"
        return result

    def agents(self) -> list[dict[str, Any]]:
        """The running agents in Claude Code's own registry."""
        entries = [json.loads(path.read_text()) for path in (self.home / ".claude/sessions").glob("*.json")]
        return [entry for entry in entries if Path(f"/proc/{entry['pid']}").exists()]

    def agent(self, session: str) -> int:
        """The agent process that runs this session."""
        return next(entry["pid"] for entry in self.agents() if entry["sessionId"] == session.removeprefix("claude-"))

    def told(self) -> list[str]:
        """The person's words in the newest request to the model."""
        texts = []
        for message in self.api.requests[-1]["messages"]:
            if message["role"] != "user":
                continue
            content = message["content"]
            parts = [content] if isinstance(content, str) else [part["text"] for part in content if part["type"] == "text"]
            texts += [part for part in parts if not part.startswith("<system-reminder>")]
        return texts

    def start_claude(
        self, script: list[list[Block]], permission_mode: str | None = "manual", model: str = MODEL, arguments: list[str] | None = None
    ) -> None:
        """Starts Claude Code's TUI and waits for its input line.

        `manual` is the permission mode that asks; None leaves the mode to the program, whose default is `auto`.
        """
        self.api.script = script
        mode = ["--permission-mode", permission_mode] if permission_mode else []
        self.terminal.run([str(claude_program()), *mode, "--model", model, *(arguments or [])], self.environment)
        self.wait_screen(f"{permission_mode or 'auto'} mode", 30)

    def print_claude(self, prompt: str, *arguments: str, folder: Path | None = None) -> dict[str, Any]:
        """Runs `claude -p` without a terminal to its end; returns its JSON report."""
        command = [str(claude_program()), "-p", prompt, "--model", MODEL, "--output-format", "json", *arguments]
        result = subprocess.run(
            command, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=folder or self.project, env=self.environment, timeout=patient(60)
        )
        assert result.returncode == 0, f"claude -p ended with {result.returncode}:\n{result.stdout}{result.stderr}"
        said = json.loads(result.stdout)
        return said[-1] if isinstance(said, list) else said

    def prompt(self, text: str) -> None:
        self.type(text)
        self.wait_screen(text)
        self.press("Enter")

    def type(self, text: str) -> None:
        self.terminal.type(text)

    def press(self, *keys: str) -> None:
        self.terminal.press(*keys)

    def screen(self) -> str:
        return self.terminal.screen()

    def press_until(self, key: str, condition: Callable[[str], bool], what: str) -> None:
        self.terminal.press_until(key, condition, what)

    def decide_locally(self, key: str) -> None:
        decide(self.terminal, key)

    def wait_screen(self, text: str, timeout: float = 20) -> str:
        return self.terminal.wait_screen(text, timeout)

    def wait_gone(self, text: str, timeout: float = 20) -> None:
        self.terminal.wait_gone(text, timeout)

    def wait_file(self, name: str, timeout: float = 15) -> str:
        """Waits until a file in the project has its one line, because a shell creates the file before it writes; returns the text."""
        path = self.project / name
        wait_until(lambda: path.exists() and path.read_text().endswith("\n"), timeout, lambda: f"{path} to appear. The screen shows:\n{self.screen()}", every=0.05)
        return path.read_text()

    def wait_tool_result(self, text: str, timeout: float = 15) -> str:
        """Waits until the model received this text as a tool call's result."""

        def found() -> str | None:
            return next((result for result in self.api.tool_results() if text in result), None)

        return wait_until(found, timeout, lambda: f"a tool result with {text!r}; the model was told {self.api.tool_results()}")
