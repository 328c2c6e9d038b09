"""What an agent waits for each time that it calls `heliograph hook`."""

import json
import os
import statistics
import subprocess
import time
from pathlib import Path

import rows
from relay import BINARY, plain_environment
from servers import RelayServer
from waits import wait_until

RUNS = 50
ADDED_MS_MAX = 10
"""What a call may cost above starting and ending any program at all."""


def hook(_: object) -> list[str | rows.Ratio]:
    with RelayServer() as server:
        home = server.folder / "home"
        home.mkdir()
        environment = plain_environment(home)
        payload = home / "payload.json"
        payload.write_text(json.dumps({
            "session_id": "bench", "transcript_path": "/tmp/x.jsonl", "cwd": str(home), "hook_event_name": "PreToolUse",
            "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "toolu_1",
        }) + "\n")  # fmt: skip
        command = [str(BINARY), "hook", "claude", "PreToolUse"]

        def pair() -> tuple[float, float]:
            """Medians, taken in turn so that both see the same machine."""
            times = [(spawn_ms(["/bin/true"], environment, payload), spawn_ms(command, environment, payload)) for _ in range(RUNS)]
            return statistics.median(first for first, _ in times), statistics.median(second for _, second in times)

        pair()  # warms the caches
        true_alone, hook_alone = pair()
        daemon = subprocess.Popen(
            [str(BINARY), "host", server.relay.pair_link("host"), "--name", "bench"], env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            socket = home / ".local/state/heliograph/host.sock"
            wait_until(lambda: daemon.poll() is None and socket.exists(), 20, lambda: "the host's socket")
            true_beside, hook_beside = pair()
        finally:
            daemon.terminate()
            daemon.wait(15)
    return [
        f"/bin/true {true_alone:.2f} ms, median of {RUNS}",
        f"hook without a daemon {hook_alone:.2f} ms, fire and forget {hook_beside:.2f} ms",
        rows.Ratio("hook without a daemon - /bin/true", hook_alone - true_alone, ADDED_MS_MAX, True, " ms"),
        rows.Ratio("hook, fire and forget - /bin/true", hook_beside - true_beside, ADDED_MS_MAX, True, " ms"),
    ]


def spawn_ms(program: list[str], environment: dict[str, str], input: Path) -> float:
    """Wall time from asking for the process to its end."""
    with input.open("rb") as stdin, open(os.devnull, "wb") as null:
        actions = [(os.POSIX_SPAWN_DUP2, stdin.fileno(), 0), (os.POSIX_SPAWN_DUP2, null.fileno(), 1), (os.POSIX_SPAWN_DUP2, null.fileno(), 2)]
        start = time.perf_counter()
        pid = os.posix_spawn(program[0], program, environment, file_actions=actions)
        _, status = os.waitpid(pid, 0)
        elapsed = time.perf_counter() - start
    assert os.waitstatus_to_exitcode(status) == 0, f"{program} failed"
    return elapsed * 1000
