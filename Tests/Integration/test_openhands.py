"""The real OpenHands behind `heliograph acp`, with the real host, relay and a phone.

OpenHands takes ten seconds of processor time to start, so all tests share one process, one editor and one phone, with a session each.
"""

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_agents import Agent, openhands
from acp_peers import Editor
from acp_steered import Proxied, shown, strangers
from client import WireClient
from daemon import Daemon, paired
from relay import Relay
from waits import wait_until

pytestmark = pytest.mark.agent
RUN = {"tool": "terminal", "input": {"command": "echo hi > out.txt", "security_risk": "LOW"}}
ITS_OWN_END = "the agent says that the turn had come to its own end"


@pytest.fixture(scope="module")
def agent() -> Iterator[Agent]:
    with tempfile.TemporaryDirectory(prefix="hg-", ignore_cleanup_errors=True) as folder:
        agent = openhands(Path(folder))
        new = str(agent.project / "new.txt")
        agent.api.scripts |= {
            "write both": [
                [{"text": "Now run."}, RUN],
                [{"tool": "file_editor", "input": {"command": "create", "path": new, "file_text": "a\nb\n", "security_risk": "LOW"}}],
                [{"text": "All done."}],
            ],
            "write it": [[{"text": "Now run."}, RUN], [{"text": "All done."}]],
            "answer me": [[{"text": "Answered."}]],
        } | {slow: [[{"until": slow}, {"text": "Slow answer."}]] for slow in ("slow work", "slow talk")}  # fmt: skip
        yield agent
        for gate in ("slow work", "slow talk"):
            agent.api.gate(gate).set()
        agent.close()


@pytest.fixture(scope="module")
def relay(agent: Agent) -> Iterator[Relay]:
    relay = Relay(agent.home.parent / "relay", [])
    relay.start()
    yield relay
    try:
        relay.stop()
        relay.check_log()
    finally:
        relay.kill()


@pytest.fixture(scope="module")
def daemon(agent: Agent, relay: Relay) -> Iterator[Daemon]:
    with paired(agent.home.parent, relay) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def phone(relay: Relay) -> Iterator[WireClient]:
    phone = WireClient(relay, "Ada's phone", role="operator")
    phone.subscribe()
    yield phone
    phone.close()
    phone.check()


@pytest.fixture(scope="module")
def editor(agent: Agent, daemon: Daemon) -> Iterator[Editor]:
    editor = Editor(agent.command, agent.environment, agent.project)
    yield editor
    editor.kill()


@pytest.fixture
def steered(agent: Agent, phone: WireClient, editor: Editor) -> Proxied:
    for name in ("out.txt", "new.txt"):
        (agent.project / name).unlink(missing_ok=True)
    steered = Proxied(agent, phone, editor.open_session())
    # Ids are made unique by the session's name, because one phone sends all commands, and a repeated id counts as the same command.
    steered.ids = (f"{steered.name[:8]}-{number}" for number in itertools.count(1))
    return steered


def ended(editor: Editor, turn: int) -> str:
    return editor.wait_answer(turn)["result"]["stopReason"]


def card_of(steered: Proxied) -> dict[str, Any]:
    return steered.phone.wait_card(lambda card: card["session"] == steered.session and card["stage"] == "pending")


def decide(steered: Proxied, card: dict[str, Any], decision: str) -> str:
    """Decides a card, and waits for the outcome."""
    steered.phone.decide(card["session"], card["approval"], decision)
    return steered.phone.wait_approval(card["approval"], "applied", 20)["outcome"]


@pytest.mark.shows("ACP: OpenHands", "messages and tools are watched", "`session/update`")
@pytest.mark.shows("ACP: OpenHands", "allowed by a client", "the tool call's own update")
@pytest.mark.shows("ACP: OpenHands", "denied by a client", "the tool call's own update")
def test_it_is_watched_and_decided_about_from_a_phone(agent, editor, steered):
    turn = editor.prompt(steered.name, "write both")
    card = card_of(steered)
    head = card["request"]["head"]
    assert head["tool"] == "execute" and card["request"]["body"]["input"]["command"] == "echo hi > out.txt"
    # Lasting options are chosen by their id only.
    assert [offer["id"] for offer in head["offers"]] == ["always_proceed", "risk_based"]
    assert decide(steered, card, "allow") == "ran"
    # The second command needs approval again; if the policy had been relaxed, OpenHands would not ask.
    second = card_of(steered)
    assert second["request"]["head"]["tool"] == "edit" and second["approval"] != card["approval"]
    assert decide(steered, second, "deny") == "denied"
    assert ended(editor, turn) == "end_turn"
    assert (agent.project / "out.txt").read_text() == "hi\n" and not (agent.project / "new.txt").exists()
    steered.status("idle")
    log = steered.phone.logs[steered.session]
    assert log[0]["kind"] == "session.started" and "OpenHands" in log[0]["head"]["agent"]["name"]
    said = [(event["head"]["role"], event["body"]["text"]) for event in log if event["kind"] == "message"]
    # OpenHands marks text that accompanies a tool call as a thought.
    assert said[0] == ("user", "write both") and said[1][0] == "thought" and "Now run." in said[1][1] and said[-1] == ("assistant", "All done.")
    assert not any("System Prompt" in text for _, text in said)
    finished = [event["head"] for event in log if event["kind"] == "tool.finished"]
    assert finished[0].get("exit") == 0 and strangers(editor) == []


@pytest.mark.shows("ACP: OpenHands", "answered at the terminal or editor first", "the editor's answer on its way")
def test_answered_at_the_editor(agent, editor, steered):
    before = len(editor.permissions())
    turn = editor.prompt(steered.name, "write it")
    card = card_of(steered)
    editor.select(wait_until(lambda: editor.permissions()[before:], 10, "the editor to be asked")[0], "allow_once")
    assert ended(editor, turn) == "end_turn"
    assert steered.phone.wait_approval(card["approval"], "cancelled")["reason"] == "answeredLocally" and (agent.project / "out.txt").exists()


@pytest.mark.shows("ACP: OpenHands", "prompt to an idle agent", "the first `session/update` of the turn, or its answer")
@pytest.mark.shows("ACP: OpenHands", "prompt to a busy one waits", "after the editor's turn")
def test_a_prompt_to_a_session_that_rests_and_one_that_waits_for_the_editors_turn(agent, editor, steered):
    id = steered.prompt("answer me please")
    steered.taken(id)
    wait_until(lambda: "Answered." in "".join(shown(editor, "agent_message_chunk")), 20, "the answer at the editor")
    steered.status("idle")
    assert steered.stages(id) == ["given", "taken"] and steered.said() == ["answer me please"] and strangers(editor) == []
    turn = editor.prompt(steered.name, "slow work")
    steered.wait_asked("slow work")
    waits = steered.prompt("answer me after that")
    steered.stage(waits, "queued")
    assert steered.asked("answer me after that") == 0
    agent.api.gate("slow work").set()
    assert ended(editor, turn) == "end_turn"
    steered.taken(waits)
    steered.status("idle")
    assert steered.said() == ["answer me please", "slow work", "answer me after that"]


@pytest.mark.shows("ACP: OpenHands", "prompt while a dialog is open waits", "after the answer")
def test_with_a_permission_open_a_prompt_waits(agent, editor, steered):
    cancels = len(editor.cancels())
    turn = editor.prompt(steered.name, "write it")
    card = card_of(steered)
    id = steered.prompt("answer me: yes, allow everything")
    steered.stage(id, "queued")
    assert not (agent.project / "out.txt").exists() and len(editor.cancels()) == cancels
    assert decide(steered, card, "deny") == "denied"
    assert ended(editor, turn) == "end_turn"
    steered.taken(id)
    steered.status("idle")
    assert not (agent.project / "out.txt").exists()


@pytest.mark.shows("ACP: OpenHands", "interrupt in text", "its turn ends with the model's present answer, and it calls that its own end")
def test_an_interrupt_waits_for_the_models_answer_and_the_agent_calls_that_its_own_end(agent, editor, steered):
    turn = editor.prompt(steered.name, "slow talk")
    steered.wait_asked("slow talk")
    id = steered.send("interrupt")
    steered.stage(id, "given")
    agent.api.gate("slow talk").set()
    assert ended(editor, turn) == "end_turn"
    end = steered.stage(id)
    assert (end["stage"], end["reason"]) == ("refused", ITS_OWN_END)
    steered.taken(steered.prompt("answer me"))
    assert strangers(editor) == []


@pytest.mark.shows("ACP: OpenHands", "interrupt with an approval open", "the approval is cancelled, and it calls that its own end")
def test_an_interrupt_with_a_permission_open(agent, editor, steered):
    turn = editor.prompt(steered.name, "write it")
    card = card_of(steered)
    id = steered.send("interrupt")
    assert ended(editor, turn) == "end_turn"
    # OpenHands continues for a moment and then reports a normal end.
    assert steered.stage(id)["stage"] == "refused"
    steered.phone.wait_approval(card["approval"], "cancelled")
    assert not (agent.project / "out.txt").exists()
