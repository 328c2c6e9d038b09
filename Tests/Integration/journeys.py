"""Selects the tests of real agents for a submission: all tests of agents that changed since they last passed, and the journeys of the others.

Starting agents takes half of an integration run. `make nightly`, and `make test AGENTS=all`, run all their tests.
"""

import ast
import os
import subprocess
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
TRIED = FOLDER / "agents-tried"
"""A commit at which every test of every agent has passed. A run with AGENTS=all that passes writes it."""


class Agent(NamedTuple):
    sources: tuple[str, ...]
    """Folders and files of the product and of the tests that are this agent's alone."""
    tests: tuple[str, ...]


OF_ALL = ("Sources/HostCore/Approvals", "Sources/HostCore/Steering", "Tests/Integration/requirements.txt")
"""What every agent's tests run on most."""

AGENTS = {
    "Claude Code": Agent(
        ("Sources/AgentClaude", "Sources/HeliographHook", "Sources/HeliographHost/Claude", "Sources/HeliographHost/Terminal", "Sources/HostCore/Terminal",
         "Tests/Integration/claude.py", "Tests/Integration/terminal.py"),
        ("test_claude.py", "test_claude_asks.py", "test_claude_mcp.py", "test_claude_others.py", "test_claude_run.py", "test_claude_start.py", "test_claude_subagents.py",
         "test_claude_terminal.py",
         "test_at_the_terminal.py", "test_cost.py", "test_order.py", "test_budgets.py", "test_journey.py", "test_days_work.py"),
    ),
    "Codex": Agent(
        ("Sources/AgentCodex", "Sources/HeliographHost/Codex", "Tests/Integration/codex.py"),
        ("test_codex.py", "test_codex_start.py", "test_codex_steering.py"),
    ),
    "ACP": Agent(
        ("Sources/AgentACP", "Sources/HeliographHost/ACP", "Tests/Integration/acp_agents.py", "Tests/Integration/acp_peers.py",
         "Tests/Integration/acp_steered.py"),
        ("test_acp.py", "test_acp_forms.py", "test_acp_steering.py", "test_openhands.py"),
    ),
}  # fmt: skip

JOURNEYS = {
    "test_journey.py", "test_days_work.py",
    "test_claude.py::test_remote_allow_makes_the_file_appear", "test_claude.py::test_remote_deny_reaches_the_model",
    "test_claude.py::test_a_question_is_answered_from_afar", "test_claude.py::test_a_secret_stays_on_the_machine",
    "test_claude.py::test_a_plan_is_read_and_approved_from_afar", "test_claude.py::test_a_plain_allow_writes_nothing_and_is_asked_again",
    "test_claude.py::test_local_yes_first_closes_the_card", "test_claude.py::test_relay_away_means_the_local_prompt_only",
    "test_claude.py::test_relay_killed_with_an_open_card", "test_claude.py::test_daemon_killed_with_an_open_card",
    "test_claude.py::test_agent_killed_with_an_open_card", "test_claude.py::test_cost_context_and_todo_show",
    "test_claude.py::test_connect_keeps_what_is_there_and_disconnect_leaves_no_trace",
    "test_claude.py::test_a_hook_without_a_daemon_says_nothing_and_is_quick", "test_claude.py::test_a_hook_gives_up_on_a_daemon_that_is_stopped",
    "test_claude_run.py::test_a_prompt_is_taken_once_and_the_session_is_one", "test_claude_run.py::test_a_permission_is_decided_from_afar",
    "test_claude_run.py::test_interrupted", "test_claude_run.py::test_the_agent_is_killed",
    "test_claude_terminal.py::test_a_prompt_is_taken_once_with_a_window_and_without", "test_claude_terminal.py::test_both_at_once",
    "test_claude_start.py::test_a_session_is_started_in_a_project_and_steered",
    "test_claude_start.py::test_a_past_session_is_listed_resumed_and_taken_over",
    "test_claude_mcp.py::test_without_its_screen_it_is_answered_afar", "test_claude_asks.py::test_run_without_its_screen",
    "test_cost.py::test_resumed_and_forked_nothing_is_paid_twice", "test_budgets.py::test_a_held_session_asks_for_what_it_ran_unasked",
    "test_at_the_terminal.py::test_both_at_once",
    "test_codex.py::test_allowed_from_the_phone", "test_codex.py::test_denied_from_the_phone_the_turn_goes_on",
    "test_codex.py::test_answered_at_the_terminal_first", "test_codex.py::test_our_daemon_is_killed_with_a_question_open",
    "test_codex_start.py::test_a_thread_is_started_in_a_project_and_asks_first",
    "test_codex_steering.py::test_a_prompt_is_taken_and_what_is_half_typed_at_the_terminal_stays",
    "test_codex_steering.py::test_interrupted",
    "test_acp_forms.py", "test_acp.py::test_a_phone_decides_through_the_real_host", "test_acp.py::test_allowed_from_afar",
    "test_acp.py::test_denied_from_afar", "test_acp.py::test_an_agent_that_is_killed", "test_acp.py::test_without_a_daemon_it_is_not_there",
    "test_acp.py::test_a_daemon_that_is_restarted_is_asked_again",
    "test_acp_steering.py::test_a_prompt_to_a_session_that_rests", "test_acp_steering.py::test_an_interrupt_with_a_permission_open",
    "test_acp_steering.py::test_the_host_is_killed",
}  # fmt: skip
"""Files and tests, by name: what a person does with each agent, and what a failure of each part must never allow."""


def left_to_journeys() -> dict[str, str]:
    """Agents whose code, comments aside, has not changed since the commit at which all their tests passed, each with the reason in words.

    If git cannot tell, outside a clone or without that commit, an agent counts as changed.
    """
    commit = TRIED.read_text().strip() if TRIED.exists() else ""
    if not commit:
        return {}
    reasons = {}
    for name, agent in AGENTS.items():
        if not has_changed(commit, [*OF_ALL, *agent.sources, *(f"Tests/Integration/{file}" for file in agent.tests)]):
            reasons[name] = f"{name}: journeys only, as nothing of {', '.join(agent.sources)} or its tests has changed since {commit[:8]}"
    return reasons


def has_changed(commit: str, paths: list[str]) -> bool:
    def git(*arguments: str) -> str:
        return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True).stdout

    try:
        changed = git("diff", "--name-only", "--no-renames", commit, "--", *paths).splitlines()
        return any(code_of(name, git("show", f"{commit}:{name}")) != code_of(name, (ROOT / name).read_text()) for name in changed)
    except (subprocess.CalledProcessError, OSError):
        return True


def code_of(name: str, text: str) -> str:
    """The text without its comments, as far as they can be told apart for certain."""
    if name.endswith(".swift"):
        return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
    if not name.endswith(".py"):
        return text
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            # A docstring is a statement that is nothing but a text.
            node.body = [one for one in body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    return ast.dump(tree)


def is_left_out(file: str, test: str) -> bool:
    """True if the test function `test` in `file` runs a real agent and is left out of this run. HELIOGRAPH_JOURNEYS names the agents concerned."""
    left = os.environ.get("HELIOGRAPH_JOURNEYS", "").split(",")
    return any(file in AGENTS[name].tests for name in left if name) and file not in JOURNEYS and f"{file}::{test}" not in JOURNEYS
