"""Costs of the real Claude Code, each counted once: without a terminal, after resuming, after forking."""

import json
import subprocess
from typing import Any

import pytest

from claude import MODEL, claude_program
from client import WireClient
from waits import wait_until

pytestmark = pytest.mark.agent

TOOL = {"tool": "Bash", "input": {"command": "true", "description": "Nothing"}}
SCRIPT = [[{"text": "I will run it."}, TOOL], [{"text": "All done now."}], [{"text": "More."}]]


def spent(phone: WireClient) -> dict[str, int]:
    return {session: summary.get("costMicroUSD", 0) for session, summary in phone.summaries.items()}


def micro(result: dict[str, Any]) -> int:
    return round(result["total_cost_usd"] * 1_000_000)


def wait_spent(phone: WireClient, result: dict[str, Any], money: int) -> dict[str, Any]:
    session = "claude-" + result["session_id"]
    wait_until(lambda: spent(phone).get(session) == money, 15, lambda: f"{session} to have cost {money}; the sessions cost {spent(phone)}")
    return phone.summaries[session]


def test_without_a_terminal_the_cost_comes_with_the_end(machine, phone):
    machine.api.script = SCRIPT
    result = machine.print_claude("run it", "--allowedTools", "Bash")
    summary = wait_spent(phone, result, micro(result))
    assert micro(result) > 0 and summary["status"] == "completed"
    usage = next(iter(result["modelUsage"].values()))
    assert summary["tokens"]["input"] == usage["inputTokens"] and summary["tokens"]["output"] == usage["outputTokens"]
    assert "opus" in summary["model"]


def test_resumed_and_forked_nothing_is_paid_twice(machine, phone):
    machine.api.script = SCRIPT
    first = machine.print_claude("run it", "--allowedTools", "Bash")
    again = machine.print_claude("again", "--resume", first["session_id"])
    assert again["session_id"] == first["session_id"] and micro(again) > micro(first)
    wait_spent(phone, again, micro(again))
    # Claude Code's own figure for a fork includes the cost of the original conversation.
    fork = machine.print_claude("elsewhere", "--resume", first["session_id"], "--fork-session")
    assert fork["session_id"] != first["session_id"] and micro(fork) > micro(again)
    wait_spent(phone, fork, micro(fork) - micro(again))
    # A fork of the fork, after the daemon was restarted.
    machine.stop_daemon()
    machine.start_daemon()
    second = machine.print_claude("further", "--continue", "--fork-session")
    wait_spent(phone, second, micro(second) - micro(fork))
    assert sum(spent(phone).values()) == micro(second), "all that was spent, once"


def test_resumed_and_forked_in_another_folder_nothing_is_paid_twice(machine, phone):
    machine.api.script = SCRIPT
    first = machine.print_claude("run it", "--allowedTools", "Bash")
    wait_spent(phone, first, micro(first))
    other = machine.project / "part"
    other.mkdir()
    again = machine.print_claude("again", "--resume", first["session_id"], folder=other)
    assert again["session_id"] == first["session_id"] and micro(again) > micro(first)
    summary = wait_spent(phone, again, micro(again))
    assert summary["tokens"]["input"] == sum(usage["inputTokens"] for usage in again["modelUsage"].values())
    assert summary["cwd"].endswith("/part"), "where it runs now"
    fork = machine.print_claude("elsewhere", "--resume", first["session_id"], "--fork-session", folder=other)
    wait_spent(phone, fork, micro(fork) - micro(again))
    back = machine.print_claude("back", "--resume", first["session_id"])
    wait_spent(phone, back, micro(back))


def test_a_price_that_claude_guesses_is_no_cost_until_the_owner_sets_one(machine, phone):
    model = "llama3.3:70b"

    def used(result: dict[str, Any], of: str) -> int:
        return result["modelUsage"][model][of]

    machine.api.script = SCRIPT
    first = machine.print_claude("run it", "--allowedTools", "Bash", "--model", model)
    session = "claude-" + first["session_id"]
    wait_until(lambda: phone.summaries.get(session, {}).get("estimateMicroUSD") == micro(first) > 0, 15, lambda: f"the guess: {phone.summaries}")
    assert "costMicroUSD" not in phone.summaries[session], "in no budget"
    assert model in machine.heliograph("cost", "price", model, "--input", "1", "--output", "2", "--cache-read", "0").stdout
    again = machine.print_claude("again", "--resume", first["session_id"], "--model", model)
    more = {name: used(again, name) - used(first, name) for name in ("inputTokens", "outputTokens", "cacheCreationInputTokens")}
    summary = wait_spent(phone, again, more["inputTokens"] + 2 * more["outputTokens"] + more["cacheCreationInputTokens"])
    assert more["inputTokens"] > 0 and summary["estimateMicroUSD"] == micro(first)


def test_at_a_screen_quick_requests_and_subagents_count(machine, phone):
    launch = {"tool": "Agent", "input": {"description": "a subtask", "prompt": "SUBTASK please", "subagent_type": "general-purpose"}}
    machine.api.scripts_by_word["SUBTASK"] = [[TOOL], [TOOL], [{"text": "The subtask is done."}]]
    machine.start_claude([[TOOL], [TOOL], [launch], [{"text": "All done now."}], [{"text": "Noted."}]], arguments=["--allowedTools", "Bash"])
    machine.prompt("work")
    machine.wait_screen("Noted.", 40)
    (session,) = phone.summaries
    # Five requests of the session and three of its subagent. Claude Code writes each transcript's last line after its hook.
    wait_until(lambda: phone.summaries[session].get("tokens", {}).get("input") == 8_000, 15, lambda: f"requests of 1,000: {phone.summaries[session].get('tokens')}")
    machine.prompt("/exit")
    machine.terminal.wait_ended()
    summary = phone.wait_summary(session, lambda summary: summary["status"] == "completed", timeout=15)
    assert summary["tokens"]["input"] == 8_000 and summary["tokens"]["output"] == 8 * 150


def test_a_fork_at_the_terminal_begins_at_zero(machine, phone):
    machine.api.script = SCRIPT
    first = machine.print_claude("run it", "--allowedTools", "Bash")
    wait_spent(phone, first, micro(first))
    machine.start_claude(SCRIPT, arguments=["--resume", first["session_id"], "--fork-session"])
    machine.prompt("more of it")
    machine.wait_screen("More.")
    machine.prompt("/exit")
    machine.terminal.wait_ended()
    wait_until(lambda: len(phone.summaries) == 2, 10, "the fork")
    (fork,) = (session for session in phone.summaries if session != "claude-" + first["session_id"])
    phone.wait_summary(fork, lambda summary: summary["status"] == "completed", timeout=15)
    states = [json.loads(line) for line in next((machine.home / ".claude/projects").rglob(f"{fork.removeprefix('claude-')}.jsonl")).open()]
    total = [round(line["totalCostUSD"] * 1_000_000) for line in states if line["type"] == "cost-state"][-1]
    wait_until(lambda: sum(spent(phone).values()) == total, 10, lambda: f"{total} in all; the sessions cost {spent(phone)}")
    assert spent(phone)[fork] == total - micro(first) > 0


def test_killed_without_a_terminal_only_tokens_are_known(machine, phone):
    """Claude Code wrote no total, and no price is guessed."""
    machine.api.script = [[{"text": "One."}, TOOL], [{"text": "Two."}, {"sleep": 60}]]
    process = subprocess.Popen(
        [str(claude_program()), "-p", "run it", "--model", MODEL, "--allowedTools", "Bash"], cwd=machine.project, env=machine.environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_until(lambda: len(machine.api.requests) >= 2, 30, "the second request")
        (session,) = wait_until(lambda: set(phone.summaries), 10, "the session")
    finally:
        process.kill()
        process.wait()
    summary = phone.wait_summary(session, lambda summary: summary["status"] == "failed", timeout=30)
    assert summary.get("tokens", {}).get("input") == 1000 and summary.get("costMicroUSD") is None
