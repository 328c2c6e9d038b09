"""Forms that an agent asks its editor to fill in (`elicitation/create`), answered by a phone: with a scripted agent
behind the real `heliograph acp`, host and relay, and with the real Mistral Vibe.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_agents import vibe
from acp_peers import Editor, Message
from client import WireClient
from daemon import Daemon, paired
from relay import BINARY, Relay, plain_environment
from waits import patient, wait_until

SCHEMA = {
    "type": "object", "required": ["region"],
    "properties": {
        "region": {"type": "string", "title": "Region", "oneOf": [{"const": "eu", "title": "Europe"}, {"const": "us", "title": "America"}]},
        "port": {"type": "integer", "minimum": 1, "maximum": 99},
    },
}  # fmt: skip

ASKS = """
import json, sys

def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def update(**fields):
    say(method="session/update", params={"sessionId": "asks", "update": fields})

prompt, form = None, SCHEMA
for line in sys.stdin:
    message = json.loads(line)
    if message.get("id") == "form" and "method" not in message:
        update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "told: " + json.dumps(message["result"], sort_keys=True)})
        update(sessionUpdate="tool_call_update", toolCallId="c1", status="completed")
        say(id=prompt, result={"stopReason": "end_turn"})
        continue
    match message.get("method"):
        case "initialize": say(id=message["id"], result={"protocolVersion": 1})
        case "session/new": say(id=message["id"], result={"sessionId": "asks"})
        case "session/prompt":
            prompt = message["id"]
            if "pattern" in message["params"]["prompt"][0]["text"]:
                form = {"type": "object", "properties": {"region": {"type": "string", "pattern": "^[a-z]+$"}}}
            update(sessionUpdate="tool_call", toolCallId="c1", title="deploy", status="in_progress")
            if message["params"]["prompt"][0]["text"] == "back":
                say(method="elicitation/create", id="form", params={"sessionId": "asks", "mode": "form", "message": "Where to?", "requestedSchema": form})
                say(method="$/cancel_request", params={"requestId": "form"})
                say(id=prompt, result={"stopReason": "end_turn"})
                continue
            say(method="elicitation/create", id="form", params={
                "sessionId": "asks", "toolCallId": "c1", "mode": "form", "message": "Where to?", "requestedSchema": form})
""".replace("SCHEMA", repr(SCHEMA))

COMMAND = [sys.executable, "-c", ASKS]
ANSWERS = [{"question": "q0", "choices": ["Europe"], "indexes": [0]}, {"question": "q1", "choices": [], "text": "80"}]


class FormEditor(Editor):
    capabilities = {"elicitation": {"form": {}}}

    def forms(self) -> list[Message]:
        return [message for message in self.messages if message.get("method") == "elicitation/create"]

    def said(self) -> str:
        """The texts of the agent."""
        updates = [message["params"]["update"] for message in self.messages if message.get("method") == "session/update"]
        return "".join(update["content"]["text"] for update in updates if update["sessionUpdate"] == "agent_message_chunk")

    def told(self) -> Message:
        """The answer to its form that the agent received."""
        words = wait_until(lambda: self.said().partition("told: ")[2], 20, "the agent to be told")
        return json.loads(words)


@pytest.fixture
def host(short_path: Path, relay: Relay) -> Iterator[Daemon]:
    with paired(short_path, relay) as host:
        yield host


@pytest.fixture
def editor(host: Daemon) -> Iterator[FormEditor]:
    editor = FormEditor(COMMAND, plain_environment(host.home), host.project)
    yield editor
    editor.kill()


def asked(editor: FormEditor, phone: WireClient, text: str = "deploy") -> tuple[int, dict[str, Any]]:
    """Sends a prompt; returns its turn, and the card of the form that it causes."""
    turn = editor.prompt(editor.open_session(), text)
    card = phone.wait_card()
    wait_until(editor.forms, 10, "the editor to be asked, too")
    return turn, card


def test_a_form_is_filled_in_from_a_phone(editor, phone):
    turn, card = asked(editor, phone)
    request = card["request"]
    assert request["head"]["kind"] == "question" and request["head"]["title"] == "Where to? · Region"
    assert [question.get("choicesOnly", False) for question in request["body"]["questions"]] == [True, False]
    reply = phone.answer(card["session"], card["approval"], [{"question": "q0", "choices": [], "text": "Asia"}, ANSWERS[1]])
    assert reply["error"]["code"] == "badAnswer", "the relay itself refuses words where only choices are taken, and the card stays"
    phone.answer(card["session"], card["approval"], ANSWERS)
    assert editor.told() == {"action": "accept", "content": {"region": "eu", "port": 80}}
    assert editor.wait_answer(turn)["result"]["stopReason"] == "end_turn"
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "answered"
    assert editor.cancels() == ["form"]


def test_a_form_is_declined_from_a_phone(editor, phone):
    _, card = asked(editor, phone)
    phone.decide(card["session"], card["approval"], "deny")
    assert editor.told() == {"action": "decline"}
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "denied"


def test_a_form_is_filled_in_at_the_editor(editor, phone):
    _, card = asked(editor, phone)
    editor.send({"id": "form", "result": {"action": "accept", "content": {"region": "us"}}})
    assert editor.told() == {"action": "accept", "content": {"region": "us"}}
    assert phone.wait_approval(card["approval"], "cancelled")["reason"] == "answeredLocally"
    assert editor.cancels() == []


def test_an_interrupt_dismisses_a_form(editor, relay, client: Callable[..., WireClient]):
    phone = client(relay, "Ada's phone", role="operator")
    phone.subscribe()
    turn, card = asked(editor, phone)
    phone.command("interrupt", id="i1", session=card["session"])
    assert editor.told() == {"action": "cancel"}
    assert editor.wait_answer(turn)["result"]["stopReason"] == "end_turn"
    phone.wait_approval(card["approval"], "cancelled")


def test_a_form_that_the_agent_takes_back_is_gone(editor, phone):
    editor.wait_answer(editor.prompt(editor.open_session(), "back"))
    assert phone.wait_card(lambda card: card["stage"] == "cancelled")["request"]["head"]["title"] == "Where to? · Region"


def test_a_form_that_is_not_known_whole_is_the_editors_alone(editor, phone):
    turn = editor.prompt(editor.open_session(), "pattern")
    wait_until(editor.forms, 10, "the editor to be asked")
    editor.send({"id": "form", "result": {"action": "accept", "content": {"region": "eu"}}})
    assert editor.told() == {"action": "accept", "content": {"region": "eu"}}
    assert editor.wait_answer(turn)["result"]["stopReason"] == "end_turn"
    session = wait_until(lambda: list(phone.summaries), 10, "its session")[0]
    phone.wait_summary(session, lambda summary: summary["status"] == "idle" and summary["messages"] > 1, 10, "the end of the turn")
    assert phone.approvals == {}


def test_without_an_editor_and_a_terminal_a_form_is_answered_from_afar(host, phone):
    process = subprocess.Popen(
        [str(BINARY), "acp", "--prompt", "deploy", "--", *COMMAND], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=host.project, env=plain_environment(host.home), text=True,
    )  # fmt: skip
    card = phone.wait_card()
    phone.answer(card["session"], card["approval"], ANSWERS)
    said, log = process.communicate(timeout=patient(30))
    assert process.returncode == 0, log
    assert 'told: {"action": "accept", "content": {"port": 80, "region": "eu"}}' in said and "Decided by a client." in said


@pytest.mark.agent
@pytest.mark.shows("ACP: Mistral Vibe", "questions answered by a client", "the model is told the answers")
def test_vibes_own_question_is_answered_from_a_phone(short_path, relay, phone):
    agent = vibe(short_path)
    question = {
        "question": "Which port?", "header": "Port", "multiSelect": False,
        "options": [{"label": "80", "description": "as before"}, {"label": "8080", "description": "free"}],
    }  # fmt: skip
    agent.api.scripts["ask me"] = [[{"tool": "ask_user_question", "input": {"questions": [question]}}], [{"text": "Thanks."}]]
    editor = None
    try:
        with paired(short_path, relay):
            editor = FormEditor(agent.command, agent.environment, agent.project)
            turn, card = asked(editor, phone, "ask me")
            shown = card["request"]["body"]["questions"]
            assert [choice["label"] for choice in shown[0]["choices"]] == ["80", "8080"] and "Which port?" in shown[0]["text"]
            phone.answer(card["session"], card["approval"], [{"question": "q0", "choices": ["8080"], "indexes": [1]}])
            assert editor.wait_answer(turn)["result"]["stopReason"] == "end_turn"
            messages = [message for request in agent.api.requests if request.get("tools") for message in request["messages"]]
            told = [message["content"] for message in messages if message["role"] == "tool"]
            assert "8080" in str(told), told
            assert phone.wait_approval(card["approval"], "applied")["outcome"] == "answered"
    finally:
        if editor:
            editor.kill()
        agent.close()
