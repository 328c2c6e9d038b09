"""The cost of `heliograph acp` for an editor and its agent, per message of the protocol, compared with a plain pipe."""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import rows
from daemon import paired
from relay import BINARY, plain_environment
from servers import HERE, RelayServer

TURNS = 300
"""Requests in turn, each answered before the next."""
UPDATES = 20_000
"""Of one turn, as fast as the agent writes them."""
WARM = 30
ADDED_MS_MAX = 0.2
"""What a request and its answer may wait in the proxy: a person's editor redraws every 16 ms."""
UPDATE_US_MAX = 20
"""Processor time of the proxy for an update, which agents write at some hundred a second."""


class Editor:
    """An editor that talks to `command` over its standard input and output. Ended with the `with` block."""

    def __init__(self, command: list[str], environment: dict[str, str], folder: Path):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd=folder)
        self.ids = 0

    def __enter__(self) -> "Editor":
        self.request("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
        self.session = self.request("session/new", {"cwd": os.getcwd(), "mcpServers": []})["sessionId"]
        return self

    def __exit__(self, *_: Any) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(15)

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Sends a request and returns its result; other messages are read and counted."""
        assert self.process.stdin and self.process.stdout
        self.ids += 1
        self.updates = 0
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params}).encode() + b"\n")
        self.process.stdin.flush()
        # Updates are not parsed, because that would measure Python.
        for line in self.process.stdout:
            if b'"method"' in line:
                self.updates += 1
                continue
            answer = json.loads(line)
            assert answer["id"] == self.ids and "result" in answer, answer
            return answer["result"]
        raise AssertionError("the agent's output ended")

    def turn(self) -> float:
        """Milliseconds for one request and its answer."""
        start = time.perf_counter()
        self.request("session/set_mode", {"sessionId": self.session, "modeId": "default"})
        return (time.perf_counter() - start) * 1000

    def stream(self, count: int) -> float:
        """Microseconds for each update of a prompt."""
        start = time.perf_counter()
        self.request("session/prompt", {"sessionId": self.session, "prompt": [{"type": "text", "text": str(count)}]})
        elapsed = time.perf_counter() - start
        assert self.updates == count, f"{self.updates} updates of {count} came through"
        return elapsed / count * 1e6


def measured(command: list[str], environment: dict[str, str], folder: Path) -> tuple[float, float, float]:
    """A request's milliseconds at the median, an update's microseconds, and the processor time in microseconds of all processes per update."""
    with Editor(command, environment, folder) as editor:
        for _ in range(WARM):
            editor.turn()
        turn = statistics.median(editor.turn() for _ in range(TURNS))
        update = editor.stream(UPDATES)
    # Processor time of ended children: the command, and those of its children that it waited for.
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return turn, update, (used.ru_utime + used.ru_stime) * 1e6 / UPDATES


def acp_proxy(_: object) -> list[str | rows.Ratio]:
    """The same agent behind a plain pipe and behind the proxy, with a daemon and a relay that receive its reports."""
    agent = [sys.executable, str(HERE / "acp_agent.py")]
    with RelayServer() as server, tempfile.TemporaryDirectory(prefix="hg-") as short:
        folder = Path(short)
        with paired(folder, server.relay):
            environment = plain_environment(folder / "home")
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            idle = (before.ru_utime + before.ru_stime) * 1e6 / UPDATES
            plain_turn, plain_update, plain_used = measured(agent, environment, folder)
            proxy_turn, proxy_update, proxy_used = measured([str(BINARY), "acp", "--", *agent], environment, folder)
    plain_cost, proxy_cost = plain_used - idle, proxy_used - plain_used
    return [
        f"plain pipe  a request and its answer {plain_turn:.3f} ms, median of {TURNS}; an update {plain_update:.1f} µs, {plain_cost:.1f} µs of processor",
        f"the proxy   a request and its answer {proxy_turn:.3f} ms, median of {TURNS}; an update {proxy_update:.1f} µs, {proxy_cost:.1f} µs of processor",
        rows.Ratio("a request and its answer through the proxy - plain", proxy_turn - plain_turn, ADDED_MS_MAX, True, " ms"),
        rows.Ratio("processor for an update through the proxy - plain", proxy_cost - plain_cost, UPDATE_US_MAX, True, " µs"),
    ]
