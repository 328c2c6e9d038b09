"""The real Claude Code with a server of tools that asks a question of its own in the middle of a call (MCP's elicitation).

Nobody afar can answer it: what counts is that they see that it waits, that an answer at the terminal is seen, and that a session without a
screen does not wait for nobody.
"""

import json
import sys
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

TOOL = {"name": "ship", "description": "Ships it", "inputSchema": {"type": "object", "properties": {}}}
FORM = {"type": "object", "properties": {"sure": {"type": "boolean", "title": "Sure"}}}
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
            say({"id": "q1", "method": "elicitation/create", "params": {"mode": "form", "message": "Ship to production?", "requestedSchema": FORM}})
        case None if message.get("id") == "q1":
            heard = (message.get("result") or {}).get("action", "an error")
            say({"id": call, "result": {"content": [{"type": "text", "text": f"The server heard: {heard}"}]}})
        case _ if "id" in message:
            say({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})
'''
SHIP = [[{"tool": "mcp__deploy__ship", "input": {}}], [{"text": "All done now."}]]


@pytest.fixture
def arguments(machine: Machine) -> list[str]:
    """Those that have Claude Code start the server, and use its tool unasked."""
    program = machine.folder / "server.py"
    program.write_text(SERVER)
    configuration = machine.folder / "mcp.json"
    configuration.write_text(json.dumps({"mcpServers": {"deploy": {"command": sys.executable, "args": [str(program)]}}}))
    return ["--mcp-config", str(configuration), "--allowedTools", "mcp__deploy__ship"]


def heard(machine: Machine) -> str:
    return machine.wait_tool_result("The server heard:", 30)


@pytest.mark.parametrize("key", ["accept", "decline", "cancel"])
@pytest.mark.shows("Claude Code, its own screen", "a tool's server asks (elicitation)", "shown as waiting; answered at the terminal")
def test_at_its_own_screen_it_shows_as_waiting_until_it_is_answered_there(machine, phone, arguments, key):
    machine.start_claude(SHIP, arguments=arguments)
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
        return machine.press_until("Escape", lambda screen: "Ship to production?" not in screen, "close the question")
    for one in ("Down", *(["Right"] if key == "decline" else [])):
        machine.press(one)
    machine.press_until("Enter", lambda screen: "Ship to production?" not in screen, "close the question")


@pytest.mark.shows("Claude Code, `heliograph run`", "a tool's server asks (elicitation)", "it is told that it is cancelled, and the turn goes on")
def test_without_its_screen_it_is_cancelled_at_once_and_said(machine, phone, arguments, steer):
    steered: Run = steer(*arguments)
    steered.work(SHIP)
    result: Any = heard(machine)
    assert "cancel" in result or "an error" in result, result
    steered.status("idle")
    assert "deploy asked for something" in Path(machine.folder / "run.log").read_text()
    assert not phone.approvals
