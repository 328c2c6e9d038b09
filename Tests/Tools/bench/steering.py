"""The time from a phone's prompt to the agent's evidence that it took the prompt, for each real agent that can be steered."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import rows
from acp_agents import vibe
from acp_peers import Editor
from claude import Machine
from client import WireClient
from codex import CodexMachine
from daemon import paired
from relay import Relay
from servers import RelayServer
from steered import Steered
from test_acp_steering import Proxied
from test_claude_run import Run
from test_codex_steering import Attached

PROMPTS = 40
WARM = 3
"""Not counted: agents are slower at their first."""
GOAL_MS = 1_000
"""Until a person sees that it was taken: the agent's own part is in it."""


@contextmanager
def claude_run(folder: Path, relay: Relay, phone: WireClient) -> Iterator[Steered]:
    machine = Machine(folder, relay)
    try:
        machine.set_up()
        run = Run(machine, phone)
        yield run
        run.end()
    finally:
        machine.tear_down()


@contextmanager
def codex(folder: Path, relay: Relay, phone: WireClient) -> Iterator[Steered]:
    machine = CodexMachine(folder, relay)
    try:
        machine.set_up()
        yield Attached(machine, phone)
    finally:
        machine.tear_down()


@contextmanager
def acp_vibe(folder: Path, relay: Relay, phone: WireClient) -> Iterator[Steered]:
    agent = vibe(folder)
    try:
        with paired(folder, relay):
            agent.api.scripts |= {"prompt": [[{"text": "Answered."}]]}
            editor = Editor(agent.command, agent.environment, agent.project)
            try:
                yield Proxied(agent, phone, editor.open_session())
            finally:
                editor.kill()
    finally:
        agent.close()


AGENTS: dict[str, Callable] = {"Claude Code, heliograph run": claude_run, "Codex, its own server": codex, "Mistral Vibe, heliograph acp": acp_vibe}


def steering(bench: rows.Bench) -> Iterator[str | rows.Ratio]:
    for name, begin in AGENTS.items():
        with RelayServer() as server, tempfile.TemporaryDirectory(prefix="hg-", ignore_cleanup_errors=True) as folder:
            phone = WireClient(server.relay, "bench", role="operator")
            phone.subscribe()
            try:
                with begin(Path(folder), server.relay, phone) as steered:
                    times = sorted(prompts(steered, PROMPTS // (4 if bench.quick else 1)))
            finally:
                phone.close()
        p50, p99 = statistics.median(times), times[len(times) * 99 // 100]
        yield f"{name}: p50 {p50:.0f} ms, p99 {p99:.0f} ms of {len(times)} prompts, with the agent's own part"
        yield rows.Ratio(f"{name}: p99", p99, GOAL_MS, True, " ms")


def prompts(steered: Steered, count: int) -> list[float]:
    """Milliseconds from each command until the phone has received `taken`. The agent is idle before each."""
    times = []
    before = answers(steered)
    for number in range(WARM + count):
        start = time.perf_counter()
        steered.taken(steered.prompt(f"prompt {number}"))
        times.append((time.perf_counter() - start) * 1000)
        steered.phone.wait_event(steered.session, lambda _, expected=before + number + 1: answers(steered) >= expected, 30, "the answer")
        steered.status("idle")
    return times[WARM:]


def answers(steered: Steered) -> int:
    """The number of the agent's answers so far."""
    events = steered.phone.logs.get(steered.session, [])
    return sum(1 for event in events if event["kind"] == "message" and event["head"]["role"] != "user")
