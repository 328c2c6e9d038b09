"""The real Claude Code beside what is not ours: hooks of the person's own, settings that stop hooks, a second process of the same conversation."""

import json
from typing import Any

import pytest

from claude import DIALOG
from client import WireClient
from waits import wait_until

pytestmark = pytest.mark.agent

OTHER = {"command": "echo other > other.txt", "description": "x"}


def write(name: str) -> dict[str, Any]:
    return {"tool": "Bash", "input": {"command": f"echo {name} > {name}.txt", "description": "do it"}}


def done(name: str) -> list[dict[str, Any]]:
    return [{"text": f"That was {name}."}]


def add_hook(machine: Any, event: str, script: str) -> None:
    program = machine.folder / f"{event}.sh"
    program.write_text(f"#!/bin/sh\n{script}")
    program.chmod(0o755)
    settings = json.loads(machine.settings.read_text())
    settings["hooks"].setdefault(event, []).insert(0, {"hooks": [{"type": "command", "command": str(program)}]})
    machine.settings.write_text(json.dumps(settings))


def answer(event: str, **fields: Any) -> str:
    return f"cat > /dev/null; cat <<'E'\n{json.dumps({'hookSpecificOutput': {'hookEventName': event, **fields}})}\nE\n"


def own_session(phone: WireClient) -> str:
    wait_until(lambda: phone.summaries, 15, "a session")
    return next(iter(phone.summaries))


@pytest.mark.parametrize("event", ["PreToolUse", "PermissionRequest"])
def test_what_another_hook_changed_is_told_as_it_ran(machine: Any, phone: WireClient, event: str) -> None:
    if event == "PreToolUse":
        add_hook(machine, event, answer(event, permissionDecision="allow", updatedInput=OTHER))
    else:
        add_hook(machine, event, answer(event, decision={"behavior": "allow", "updatedInput": OTHER}))
    machine.start_claude([[write("one")], done("one")])
    machine.prompt("please one")
    machine.wait_screen("That was one.")
    session = own_session(phone)
    phone.subscribe(session)
    told = phone.wait_event(session, lambda one: one["kind"] == "error")
    assert told["head"]["message"].endswith("Bash ran: echo other > other.txt")
    assert (machine.project / "other.txt").exists() and not (machine.project / "one.txt").exists()
    # A program answered, so a budget that is spent holds the session in part.
    if event == "PermissionRequest":
        phone.wait_summary(session, lambda one: one["steering"].get("hold") == "most", what="held in part")


def test_a_rule_that_denies_holds_beside_a_hook_that_allows(machine: Any, phone: WireClient) -> None:
    rules = machine.home / ".config/heliograph/rules.toml"
    rules.parent.mkdir(parents=True, exist_ok=True)
    rules.write_text("[[rule]]\nname = 'no-echo'\nanswer = 'deny'\nfor = 'Bash(echo:*)'\n")
    add_hook(machine, "PermissionRequest", answer("PermissionRequest", decision={"behavior": "allow"}))
    machine.start_claude([[write("one")], done("one")], arguments=["--allowedTools", "Bash"])
    machine.prompt("please one")
    machine.wait_screen("That was one.")
    assert not (machine.project / "one.txt").exists()


def test_hooks_that_settings_stop_are_missed_within_half_a_minute(machine: Any, phone: WireClient) -> None:
    machine.start_claude([[write("one")], done("one"), [write("two")], done("two")], arguments=["--allowedTools", "Bash"])
    machine.prompt("please one")
    machine.wait_screen("That was one.")
    session = own_session(phone)
    phone.wait_summary(session, lambda one: one["status"] == "idle")
    machine.settings.write_text(json.dumps(json.loads(machine.settings.read_text()) | {"disableAllHooks": True}))
    phone.wait_summary(session, lambda one: one["status"] == "stale" and one["steering"]["hold"] == "unchanged", timeout=30, what="its hooks do not run")
    machine.prompt("please two")
    machine.wait_screen("That was two.")
    assert phone.summaries[session]["status"] == "stale"


def test_a_second_process_leaves_the_firsts_card_open(machine: Any, phone: WireClient) -> None:
    machine.start_claude([[write("one")], done("one"), done("two")])
    machine.prompt("please one")
    card = phone.wait_card()
    machine.wait_screen(DIALOG)
    machine.print_claude("what is up", "--resume", card["session"].removeprefix("claude-"))
    phone.wait_summary(card["session"], lambda one: one["status"] == "waitingApproval", what="it waits")
    assert phone.approvals[card["approval"]]["stage"] == "pending"
    phone.decide(card["session"], card["approval"], "allow")
    wait_until((machine.project / "one.txt").exists, 15, "the file")
    phone.wait_card(lambda one: one["approval"] == card["approval"] and one["stage"] == "applied")


def test_a_turn_that_another_stop_hook_sends_on_is_running(machine: Any, phone: WireClient) -> None:
    once = machine.folder / "once"
    add_hook(machine, "Stop", f"cat > /dev/null; [ -e {once} ] && exit 0; touch {once}; echo 'go on' >&2; exit 2\n")
    machine.start_claude([done("one"), [{"sleep": 12}, *done("two")]])
    machine.prompt("hello")
    machine.wait_screen("That was one.")
    session = own_session(phone)
    phone.wait_summary(session, lambda one: one["status"] == "idle")
    phone.wait_summary(session, lambda one: one["status"] == "running", what="it goes on")
    machine.wait_screen("That was two.", timeout=30)
    phone.wait_summary(session, lambda one: one["status"] == "idle", timeout=15)
