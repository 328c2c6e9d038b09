"""The real agents with an MCP server whose tool asks a question during a call (elicitation).

A phone answers it if nobody is at the terminal, otherwise the terminal does; a session without a screen does not wait in vain.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from claude import Machine
from client import WireClient
from steered import phone  # noqa: F401 (a fixture)
from test_claude_run import Run, steer  # noqa: F401 (a fixture)
from waits import wait_until

pytestmark = pytest.mark.agent

SERVER = '''
import json, sys

def say(message):
    print(json.dumps({"jsonrpc": "2.0"} | message), flush=True)

READS = {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False}
TOOL = {"name": "ship", "description": "Ships it", "inputSchema": {"type": "object", "properties": {}}, "annotations": READS}
FORM = {
    "type": "object",
    "required": ["sure", "port"],
    "properties": {
        "sure": {"type": "boolean", "title": "Sure"},
        "port": {"type": "integer", "minimum": 1},
        "stage": {"type": "string", "enum": ["prod", "test"], "enumNames": ["Production", "Test"]},
    },
}
if "plain" in sys.argv:
    FORM = {"type": "object", "properties": {"sure": {"type": "boolean", "title": "Sure"}}}
ASKED = {"mode": "form", "message": "Ship to production?", "requestedSchema": FORM}
if "page" in sys.argv:
    ASKED = {"mode": "url", "message": "Sign in to ship", "url": "http://127.0.0.1:9/", "elicitationId": "e1"}
call = None
for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "initialize":
            version = message["params"]["protocolVersion"]
            say({"id": message["id"], "result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "deploy", "version": "1"}}})
        case "tools/list":
            say({"id": message["id"], "result": {"tools": [TOOL]}})
        case "tools/call":
            call = message["id"]
            say({"id": "q1", "method": "elicitation/create", "params": ASKED})
        case None if message.get("id") == "q1":
            result = message.get("result") or {"action": "an error"}
            heard = " ".join([result["action"], *([json.dumps(result["content"])] if result.get("content") else [])])
            say({"id": call, "result": {"content": [{"type": "text", "text": f"The server heard: {heard}"}]}})
        case _ if "id" in message:
            say({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})
'''
SHIP = [[{"tool": "mcp__deploy__ship", "input": {}}], [{"text": "All done now."}]]


ANSWERS = [{"question": "q0", "choices": ["Yes"]}, {"question": "q1", "choices": [], "text": "8080"}, {"question": "q2", "choices": ["Leave it out"]}]
ACCEPTED = 'accept {"sure": true, "port": 8080}'


def arguments(machine: Machine, form: str = "") -> list[str]:
    """Arguments for Claude Code that start the MCP server, and allow its tool without a question."""
    program = machine.folder / "server.py"
    program.write_text(SERVER)
    configuration = machine.folder / "mcp.json"
    configuration.write_text(json.dumps({"mcpServers": {"deploy": {"command": sys.executable, "args": [str(program), form]}}}))
    return ["--mcp-config", str(configuration), "--allowedTools", "mcp__deploy__ship"]


def heard(machine: Machine) -> str:
    return machine.wait_tool_result("The server heard:", 30).removeprefix("The server heard: ")


def outcome(phone: WireClient, card: dict[str, Any]) -> tuple[str, str]:
    ends = ("applied", "stale", "cancelled")
    over = phone.wait_card(lambda one: one["approval"] == card["approval"] and one["stage"] in ends, 20)
    return over["stage"], over.get("outcome") or over.get("reason")



@pytest.mark.parametrize("key", ["accept", "decline", "cancel"])
@pytest.mark.shows("Claude Code, its own screen", "a tool's server asks (elicitation)", "its dialog, where somebody is there")
def test_where_somebody_is_at_the_terminal_it_is_answered_there(machine, phone, key):
    machine.start_claude(SHIP, arguments=arguments(machine, "plain"))
    machine.prompt("ship it")
    machine.wait_screen("Ship to production?", 30)
    session = next(iter(wait_until(lambda: phone.summaries, 20, "a session")))
    waits = phone.wait_summary(session, lambda summary: summary["status"] == "waitingAnswer", 20, "it to wait")
    assert waits["statusReason"] == "waits at the terminal" and not phone.approvals
    press(machine, key)
    assert key in heard(machine)
    machine.wait_screen("All done now.")
    phone.wait_summary(session, lambda summary: summary["status"] == "idle", 20, "its turn to end")


def press(machine: Machine, key: str) -> None:
    if key == "cancel":
        time.sleep(0.5)  # a new dialog ignores keys for some 0.2 s, and a second Escape would interrupt the turn
        machine.press("Escape")
        return machine.wait_gone("Ship to production?")
    for one in ("Down", *(["Right"] if key == "decline" else [])):
        machine.press(one)
    machine.press_until("Enter", lambda screen: "Ship to production?" not in screen, "close the question")


@pytest.mark.parametrize("who", ["afar", "a key"])
@pytest.mark.shows("Claude Code, its own screen", "a tool's server asks (elicitation)", "the server's own word, where nobody types")
def test_where_nobody_types_it_is_asked_afar_until_a_key_is_pressed(machine, phone, who):
    # The turn lasts longer than 8 s, the resolution at which the kernel records a terminal's last read, by which the host detects typing.
    machine.start_claude([[{"sleep": 9}, *SHIP[0]], SHIP[1]], arguments=arguments(machine))
    machine.prompt("ship it")
    card = phone.wait_card(timeout=40)
    assert [one["text"] for one in card["request"]["body"]["questions"]][0] == "Ship to production? · Sure"
    machine.wait_screen("Asked remotely too")
    if who == "afar":
        phone.answer(card["session"], card["approval"], ANSWERS)
        assert heard(machine) == ACCEPTED
        assert outcome(phone, card) == ("applied", "answered")
    else:
        machine.press("Space")
        machine.wait_screen("Ship to production?", 10)
        assert outcome(phone, card) == ("cancelled", "hookEnded")
        press(machine, "cancel")
        assert heard(machine) == "cancel"
    machine.wait_screen("All done now.")



@pytest.mark.shows("Claude Code, `heliograph run`", "a tool's server asks (elicitation)", "the server's own word")
def test_without_its_screen_it_is_answered_afar(machine, phone, steer):
    steered: Run = steer(*arguments(machine))
    steered.work([SHIP[0], SHIP[0], SHIP[1]])
    card = phone.wait_card()
    assert card["request"]["head"]["title"] == "Ship to production?"
    steered.status("waitingAnswer")
    phone.answer(card["session"], card["approval"], ANSWERS)
    assert heard(machine) == ACCEPTED
    assert outcome(phone, card) == ("applied", "answered")
    card = phone.wait_card()
    phone.decide(card["session"], card["approval"], "deny")
    assert outcome(phone, card) == ("applied", "denied")
    machine.wait_tool_result("The server heard: decline")
    steered.status("idle")


def test_at_its_terminal_it_is_answered_by_number(machine, phone, steer):
    steered: Run = steer(*arguments(machine, "plain"), terminal=True)
    steered.work(SHIP)
    card = phone.wait_card()
    machine.wait_screen("Leave it out")
    machine.type("2")
    machine.press("Enter")
    assert heard(machine) == 'accept {"sure": false}'
    assert outcome(phone, card) == ("cancelled", "answeredLocally")


def test_a_page_that_is_to_be_opened_is_cancelled_at_once_and_said(machine, phone, steer):
    steered: Run = steer(*arguments(machine, "page"))
    steered.work(SHIP)
    assert heard(machine) == "cancel"
    steered.status("idle")
    assert "deploy asked for something" in Path(machine.folder / "run.log").read_text()
    assert not phone.approvals
