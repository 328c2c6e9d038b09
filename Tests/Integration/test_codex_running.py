"""Codex while something runs on: text that it types into a command, and a model that it cannot reach. With the real Codex."""

import json
import re
from typing import Any

import pytest

from client import WireClient
from codex import CodexMachine, machine  # noqa: F401 (a fixture)
from steered import phone  # noqa: F401 (a fixture)
from test_codex_steering import Attached
from waits import wait_until

pytestmark = pytest.mark.agent


@pytest.mark.parametrize("verdict", ["allow", "deny"])
def test_text_for_a_running_command_is_asked_about_and_shown(machine: CodexMachine, phone: WireClient, verdict: str) -> None:  # noqa: F811
    steered = Attached(machine, phone)
    shell = {"cmd": "bash", "tty": True, "yield_time_ms": 500, "sandbox_permissions": "require_escalated", "justification": "It is a test."}
    machine.api.script = [[{"tool": "exec_command", "input": shell}], [{"text": "It runs now."}]]
    machine.prompt("run it")
    started = phone.wait_card()
    phone.decide(steered.session, started["approval"], "allow")
    machine.wait_screen("It runs now.", 20)
    outputs = [item for item in machine.api.requests[-1]["input"] if item.get("type", "").endswith("_output")]
    named = re.search(r"session ID:? (\d+)", json.dumps(outputs[-1]))
    assert named, outputs[-1]
    typing = {"session_id": int(named[1]), "chars": "echo x > typed.txt\n", "yield_time_ms": 1500}
    machine.api.script = [[{"tool": "write_stdin", "input": typing}], [{"text": "It is typed."}]]
    machine.prompt("type it")
    card = phone.wait_card(lambda card: card["stage"] == "pending")
    head, body = card["request"]["head"], card["request"]["body"]
    assert head["tool"] == "write_stdin" and "call" not in head and len(head["risks"]) == 1
    assert body["input"]["command"] == f"write_stdin --session-id {named[1]} 'echo x > typed.txt\n'"
    phone.decide(steered.session, card["approval"], verdict)
    shown = phone.wait_approval(card["approval"], "applied", timeout=20)
    assert shown["outcome"] == ("ran" if verdict == "allow" else "denied")
    if verdict == "allow":
        wait_until((machine.project / "typed.txt").exists, 10, "what was typed to run")
        phone.wait_event(steered.session, lambda event: event["kind"] == "tool.started" and event["head"]["operation"] == "Typing: echo x > typed.txt")
    else:
        assert not (machine.project / "typed.txt").exists()


def test_what_keeps_a_turn_from_its_model_is_shown_until_it_is_reached(machine: CodexMachine, phone: WireClient) -> None:  # noqa: F811
    steered = Attached(machine, phone)
    machine.api.script = [[{"cut": True}]]
    machine.prompt("go on")
    summary = phone.wait_summary(steered.session, lambda summary: "Reconnecting" in (summary.get("statusReason") or ""), 30, "the reason")
    assert summary["status"] == "running"
    machine.api.script = [[{"text": "Back again."}]]
    machine.wait_screen("Back again.", 30)
    phone.wait_summary(steered.session, lambda summary: summary["status"] == "idle" and not summary.get("statusReason"), 20, "the end of it")
    changes = [event["head"] for event in phone.logs[steered.session] if event["kind"] == "status.changed"]
    reasons = [change.get("reason") for change in changes if change["status"] == "running"]
    assert "Reconnecting" in reasons[-2] and reasons[-1] is None, changes
