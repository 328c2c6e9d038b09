"""The time for which an agent waits in each call of Heliograph's hooks."""

import json
import os
import re
import signal
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

import rows
from relay import BINARY, HOOK, plain_environment
from servers import RelayServer
from waits import wait_until

RUNS = 50
ADDED_MS_MAX = 5
"""What a call may cost above starting and ending any program at all."""
CALLS = 20
ROUNDS = 5
AGENT_MAX = 1.15
"""How much longer the same agent may take for its tool calls than with `/bin/true` in the place of every hook."""


EVENT = {
    "session_id": "bench", "transcript_path": "/tmp/x.jsonl", "hook_event_name": "PreToolUse", "permission_mode": "default",
    "tool_name": "Bash", "tool_input": {"command": "make test"}, "tool_use_id": "toolu_1",
}  # fmt: skip
STATUS = {
    "session_id": "bench", "transcript_path": "/tmp/x.jsonl", "model": {"id": "claude-opus-5-5", "display_name": "Opus 5.5"}, "version": "2.1.329",
    "cost": {"total_cost_usd": 0.018, "total_duration_ms": 2000, "total_api_duration_ms": 1500, "total_lines_added": 3, "total_lines_removed": 1},
    "context_window": {"used_percentage": 1, "context_window_size": 1_000_000},
}


def hook(_: object) -> list[str | rows.Ratio]:
    return calls("the hook", EVENT, ["hook", "claude", "PreToolUse"])


def status_line(_: object) -> list[str | rows.Ratio]:
    """The status line command, which Claude Code runs several times a second: Heliograph's own, and Heliograph's around a user's own."""
    wrapped = {"around a shell's": (["statusline", "claude", "--wrap", "cat"], ["/bin/sh", "-c", "cat"])}
    return calls("the status line", STATUS, ["statusline", "claude"], wrapped)


def calls(
    what: str, payload: dict[str, Any], arguments: list[str], others: dict[str, tuple[list[str], list[str]]] | None = None
) -> list[str | rows.Ratio]:
    """Measures the time beyond `/bin/true`, or, for `others`, beyond the wrapped program."""
    with RelayServer() as server:
        home = server.folder / "home"
        home.mkdir()
        environment = plain_environment(home)
        file = home / "payload.json"
        file.write_text(json.dumps(payload | {"cwd": str(home)}) + "\n")
        programs = {"true": ["/bin/true"], "hook": [str(HOOK), *arguments]}
        # The cost of a hook call without the small hook program: by the main program.
        programs["command"] = [str(BINARY), *programs["hook"][1:]]
        for name, (ours, theirs) in (others or {}).items():
            programs |= {name: [str(HOOK), *ours], f"{name}, alone": theirs}

        def medians() -> dict[str, float]:
            """The programs run in turn, so that all see the same state of the machine."""
            times = [{name: spawn_ms(command, environment, file) for name, command in programs.items()} for _ in range(RUNS)]
            return {name: statistics.median(one[name] for one in times) for name in programs}

        medians()  # the first round warms the caches
        found = {"without a daemon": medians()}
        daemon = subprocess.Popen(
            [str(BINARY), "host", server.relay.pair_link("host"), "--name", "bench"], env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            socket = home / ".local/state/heliograph/host.sock"
            wait_until(lambda: daemon.poll() is None and socket.exists(), 20, lambda: "the host's socket")
            found["with a daemon"] = medians()
            daemon.send_signal(signal.SIGSTOP)
            found["with a stopped daemon"] = medians()
        finally:
            daemon.send_signal(signal.SIGCONT)
            daemon.terminate()
            daemon.wait(15)
    said: list[str | rows.Ratio] = []
    for how, taken in found.items():
        said.append(f"{how}: /bin/true {taken['true']:.2f} ms, {what} {taken['hook']:.2f} ms, the command {taken['command']:.2f} ms; medians of {RUNS}")
        said.append(rows.Ratio(f"{what} {how} - /bin/true", taken["hook"] - taken["true"], ADDED_MS_MAX, True, " ms"))
        for name in others or {}:
            said.append(rows.Ratio(f"{what} {name}, {how} - that alone", taken[name] - taken[f"{name}, alone"], ADDED_MS_MAX, True, " ms"))
    return said


def tool_calls(_: object) -> list[str | rows.Ratio]:
    """The real Claude Code runs a script of tool calls, once with Heliograph's hooks and once with `/bin/true` as each hook."""
    from claude import Machine

    with RelayServer() as server, Machine(server.folder / "machine", server.relay).at_work() as machine:
        ours = machine.settings.read_text()
        nobodys = re.sub(r'"command": "[^"]*hook claude[^"]*"', '"command": "/bin/true"', ours)
        machine.api.script = [[{"tool": "Bash", "input": {"command": f"echo {number}"}}] for number in range(CALLS)] + [[{"text": "Done."}]]

        def turn_ms(settings: str) -> float:
            machine.settings.write_text(settings)
            return machine.print_claude("go on", "--allowedTools", "Bash")["duration_ms"]

        for settings in (nobodys, ours):
            turn_ms(settings)  # the first turn warms the caches
        times = [(turn_ms(nobodys), turn_ms(ours)) for _ in range(ROUNDS)]
    ratios = [with_ours / without for without, with_ours in times]
    return [
        f"{CALLS} tool calls: {statistics.median(first for first, _ in times):.0f} ms with /bin/true, "
        f"{statistics.median(second for _, second in times):.0f} ms with our hooks; medians of {ROUNDS}",
        rows.Ratio("with our hooks / with /bin/true", statistics.median(ratios), AGENT_MAX, True),
    ]


def spawn_ms(program: list[str], environment: dict[str, str], input: Path) -> float:
    """Wall time from starting a process to its end."""
    with input.open("rb") as stdin, open(os.devnull, "wb") as null:
        actions = [(os.POSIX_SPAWN_DUP2, stdin.fileno(), 0), (os.POSIX_SPAWN_DUP2, null.fileno(), 1), (os.POSIX_SPAWN_DUP2, null.fileno(), 2)]
        start = time.perf_counter()
        pid = os.posix_spawn(program[0], program, environment, file_actions=actions)
        _, status = os.waitpid(pid, 0)
        elapsed = time.perf_counter() - start
    assert os.waitstatus_to_exitcode(status) == 0, f"{program} failed"
    return elapsed * 1000
