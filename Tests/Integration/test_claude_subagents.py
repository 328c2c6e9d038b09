"""The real Claude Code with a background subagent that asks: its dialog in the terminal opens only when Heliograph's hook has ended.

So a key press at the terminal ends the hook and opens the dialog, even if the relay or the daemon is unreachable.
"""

import os
import signal
from typing import Any

import pytest

from claude import DIALOG, Machine
from client import WireClient
from steered import phone  # noqa: F401 (a fixture)

pytestmark = pytest.mark.agent

LAUNCH = {"tool": "Agent", "input": {"description": "a subtask", "prompt": "SUBTASK please", "subagent_type": "general-purpose"}}
COMMAND = "echo sub > sub.txt"
# Seconds; longer than the resolution at which key presses are detected, so that the terminal counts as unattended.
LONG_AGO = 10


def ask(machine: Machine, phone: WireClient, after: float) -> dict[str, Any]:
    """The card of the subagent's question, whose dialog is not on the screen yet."""
    call = {"tool": "Bash", "input": {"command": COMMAND, "description": "Create sub.txt"}}
    machine.api.scripts_by_word["SUBTASK"] = [[{"sleep": after}, call], [{"text": "The subtask is done."}]]
    machine.start_claude([[LAUNCH], [{"text": "All done now."}]])
    machine.prompt("delegate it")
    card = phone.wait_card(timeout=40)
    assert card["request"]["body"]["input"]["command"] == COMMAND and card["request"]["head"]["agentName"] == "a subtask"
    assert DIALOG not in machine.screen()
    return card


def answered_at_the_terminal(machine: Machine) -> None:
    machine.decide_locally("Enter")
    assert machine.wait_file("sub.txt") == "sub\n"


def ended(phone: WireClient, card: dict[str, Any]) -> tuple[str, str | None]:
    over = phone.wait_card(lambda one: one["approval"] == card["approval"] and one["stage"] != "pending", 20)
    return over["stage"], over.get("reason")


def test_a_key_opens_its_dialog(machine, phone):
    card = ask(machine, phone, after=LONG_AGO)
    machine.press("Space")
    machine.wait_screen(DIALOG, 10)
    assert ended(phone, card) == ("cancelled", "hookEnded")
    phone.wait_summary(card["session"], lambda summary: summary.get("statusReason") == "waits at the terminal", 10, "it to wait at the terminal")
    answered_at_the_terminal(machine)


def test_it_opens_by_itself_where_somebody_typed_just_now(machine, phone):
    card = ask(machine, phone, after=0)
    machine.wait_screen(DIALOG, 15)
    assert ended(phone, card) == ("cancelled", "hookEnded")
    answered_at_the_terminal(machine)


def test_it_is_allowed_from_afar(machine, phone):
    card = ask(machine, phone, after=LONG_AGO)
    phone.decide(card["session"], card["approval"], "allow")
    assert machine.wait_file("sub.txt") == "sub\n"
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "ran"


@pytest.mark.parametrize("gone", ["the relay is killed", "the daemon is killed", "the daemon is stopped"])
def test_it_opens_by_itself_where_nobody_can_be_asked(machine, phone, relay, gone):
    ask(machine, phone, after=LONG_AGO)
    match gone:
        case "the relay is killed": relay.kill()
        case "the daemon is killed": machine.kill_daemon()
        case _: os.kill(machine.daemon.pid, signal.SIGSTOP)
    try:
        machine.wait_screen(DIALOG, 15)
        answered_at_the_terminal(machine)
    finally:
        if machine.daemon:
            os.kill(machine.daemon.pid, signal.SIGCONT)

