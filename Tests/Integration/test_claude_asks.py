"""With the setting to be asked about everything, the real Claude Code asks about each tool exactly once, in each of the three ways to start it.

A tool has run if its file exists.
"""

import json
import subprocess
from typing import Any

import pytest

from claude import DIALOG, Machine
from client import WireClient
from relay import BINARY, Relay
from steered import Steered, phone  # noqa: F401 (a fixture)
from test_claude_run import steer  # noqa: F401 (a fixture)
from test_claude_terminal import hold  # noqa: F401 (a fixture)
from waits import patient, wait_until

pytestmark = pytest.mark.agent

NAMES = ["one", "two", "three", "four", "five"]


def script() -> list[Any]:
    """A script that writes a file in each turn, which a rule allows without a question."""
    turns: list[Any] = []
    for name in NAMES:
        turns += [[{"tool": "Bash", "input": {"command": f"echo {name} > {name}.txt", "description": f"Create {name}.txt"}}], [{"text": f"That was {name}."}]]
    return turns


def allow_all(machine: Machine) -> None:
    settings = json.loads(machine.settings.read_text())
    settings["permissions"] = {"allow": ["Bash"]}
    machine.settings.write_text(json.dumps(settings))


def asks(steered: Steered, on: bool) -> None:
    steered.taken(steered.send("askAll", on=on))
    steered.phone.wait_summary(steered.session, lambda summary: summary["steering"].get("asksAll", False) is on, what=f"asksAll to be {on}")


def denied(steered: Steered, machine: Machine, name: str) -> None:
    """Expects an approval on the phone, and that denying it is effective."""
    card = steered.phone.wait_card(lambda card: card["stage"] == "pending")
    assert card["request"]["body"]["input"]["command"] == f"echo {name} > {name}.txt"
    steered.phone.decide(steered.session, card["approval"], "deny", message=f"Not {name}.")
    machine.wait_tool_result(f"Not {name}.")
    assert not (machine.project / f"{name}.txt").exists()
    steered.status("idle")


@pytest.mark.shows("Claude Code, its own screen", "asked for everything, and no more", "denied though a rule allows it: the file is not there")
def test_at_its_own_screen_also_while_no_daemon_runs(machine: Machine, phone: WireClient) -> None:
    allow_all(machine)
    machine.start_claude(script())
    machine.prompt("the first")
    machine.wait_screen("That was one.")
    assert machine.wait_file("one.txt") and not phone.approvals, "a rule allows it"
    (session,) = phone.summaries
    phone.subscribe(session)
    steered = Steered(phone, session, machine.api)
    steered.status("idle")
    asks(steered, True)
    machine.prompt("the second")
    denied(steered, machine, "two")

    machine.kill_daemon()
    machine.prompt("the third")
    machine.wait_screen(DIALOG)
    assert not (machine.project / "three.txt").exists(), "nobody is there to be asked but who sits here"
    machine.decide_locally("Enter")
    machine.wait_file("three.txt")
    machine.start_daemon()
    machine.wait_screen("That was three.")

    machine.prompt("the fourth")
    denied(steered, machine, "four")
    asks(steered, False)
    machine.prompt("the fifth")
    machine.wait_file("five.txt")
    assert not [card for card in phone.approvals.values() if card["stage"] == "pending"]


def test_from_the_terminal_and_back_before_the_session_says_anything_to_a_new_daemon(machine: Machine, phone: WireClient, relay: Relay) -> None:
    own = machine.environment | {"HELIOGRAPH_RELAY": relay.url, "HELIOGRAPH_TOKEN": relay.token("operator", "terminal")}

    def ask_all(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(BINARY), "ask-all", *words]
        return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=own, cwd=machine.home, timeout=patient(60))

    allow_all(machine)
    machine.start_claude(script())
    (session,) = wait_until(lambda: list(phone.summaries), 20, "a session")
    phone.wait_summary(session, lambda summary: "askAll" in (summary.get("steering") or {}).get("actions", []), what="an offer")
    on = ask_all("on")
    assert on.returncode == 0, on.stderr
    phone.wait_summary(session, lambda summary: summary["steering"].get("asksAll"), what="asksAll")
    machine.kill_daemon()
    phone.wait_summary(session, lambda summary: not summary["host"]["connected"], what="the host to be away")
    assert ask_all(session, "off").returncode == 1, "nothing is kept for a host that is away"
    machine.start_daemon()
    phone.wait_summary(session, lambda summary: summary["host"]["connected"], 20, "the host to be back")
    off = ask_all(session, "off")
    assert off.returncode == 0, off.stdout + off.stderr
    phone.wait_summary(session, lambda summary: not summary["steering"].get("asksAll"), what="asksAll to be off")
    assert ask_all(session, "maybe").returncode == 2
    machine.prompt("the first")
    machine.wait_file("one.txt")
    assert not phone.approvals


@pytest.mark.shows("Claude Code, `heliograph run`", "asked for everything, and no more", "denied though a rule allows it: the file is not there")
def test_run_without_its_screen(machine: Machine, steer: Any) -> None:
    asked_and_then_not(machine, steer("--allowedTools", "Bash", "--permission-mode", "acceptEdits"))


@pytest.mark.shows("Claude Code, `heliograph claude`", "asked for everything, and no more", "denied though a rule allows it: the file is not there")
def test_in_a_terminal_of_ours(machine: Machine, hold: Any) -> None:
    asked_and_then_not(machine, hold("--allowedTools", "Bash"))


def asked_and_then_not(machine: Machine, steered: Steered) -> None:
    asks(steered, True)
    machine.api.script = script()
    steered.begin()
    denied(steered, machine, "one")
    asks(steered, False)
    steered.begin("go on")
    machine.wait_file("two.txt")
    assert len(steered.phone.approvals) == 1
