"""Calls of the real Claude Code that a person edits before allowing them: the edited one runs, the one that was asked does not."""

import json
from collections.abc import Callable

import pytest

from claude import DIALOG, Machine
from client import WireClient
from relay import Relay
from steered import phone  # noqa: F401 (a fixture)
from test_claude import WRITE, ask, session_of

pytestmark = pytest.mark.agent

EDITED = {"command": "echo edited > out.txt", "description": "Create out.txt"}


@pytest.mark.shows("Claude Code, its own screen", "edited before it is allowed", "what ran is in its `PostToolUse`")
def test_an_edited_command_runs_and_not_the_one_that_was_asked(
    machine: Machine, phone: WireClient, client: Callable[..., WireClient], relay: Relay  # noqa: F811
) -> None:
    card = ask(machine, phone)
    session = session_of(card)
    assert card["request"]["head"]["editable"] == ["command"]
    phone.subscribe(session)
    edit = json.dumps({"command": EDITED["command"]})
    watcher = client(relay, "Bob's phone")
    watcher.subscribe()
    watcher.wait_card()
    assert watcher.decide(session, card["approval"], "edit", edit=edit)["error"]["code"] == "forbidden", "to edit is to steer"
    phone.decide(session, card["approval"], "edit", edit=edit)
    assert machine.wait_file("out.txt") == "edited\n"
    machine.wait_screen("All done now.")
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "ran"
    decided = phone.wait_event(session, lambda event: event["kind"] == "approval.decided")["head"]["decision"]
    assert decided["decision"] == "edit" and decided["edit"] == edit
    # The model reads its own call with the other one's result.
    assert WRITE["input"]["command"] in json.dumps(machine.api.requests[-1]) and EDITED["command"] not in json.dumps(machine.api.requests[-1])


@pytest.mark.parametrize(
    ("command", "reason"),
    [("sudo rm -rf /", "editRisky"), ("git push origin main", "editRuled")],
)
def test_an_edited_command_that_needs_a_second_look_or_is_denied_by_a_rule_does_not_run(
    machine: Machine, phone: WireClient, command: str, reason: str  # noqa: F811
) -> None:
    folder = machine.home / ".config/heliograph"
    (folder / "rules.toml").write_text('[[rule]]\nname = "no-push"\nanswer = "deny"\nfor = "Bash(git push:*)"\n')
    card = ask(machine, phone)
    phone.decide(session_of(card), card["approval"], "edit", edit=json.dumps({"command": command}))
    assert phone.wait_approval(card["approval"], "stale")["reason"] == reason
    machine.wait_screen(DIALOG)
    assert not (machine.project / "out.txt").exists()
    machine.decide_locally("Enter")
    assert machine.wait_file("out.txt") == "hi\n", "the agent's own prompt is as it was"


def test_what_claude_codes_own_settings_deny_does_not_run_as_an_edit_either(machine: Machine, phone: WireClient) -> None:  # noqa: F811
    settings = json.loads(machine.settings.read_text())
    settings["permissions"] = {"deny": ["Bash(touch:*)"]}
    machine.settings.write_text(json.dumps(settings))
    card = ask(machine, phone)
    phone.decide(session_of(card), card["approval"], "edit", edit=json.dumps({"command": "touch forbidden.txt"}))
    machine.wait_screen("All done now.")
    assert not (machine.project / "forbidden.txt").exists()
