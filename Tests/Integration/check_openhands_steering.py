"""The real OpenHands behind `heliograph acp`, steered from a phone: `make openhands-check`."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_agents import Agent, openhands
from acp_steered import daemon, editor, shown, steered, strangers  # noqa: F401 (fixtures)
from steered import phone  # noqa: F401 (a fixture)
from waits import wait_until

RUN = {"tool": "terminal", "input": {"command": "echo hi > out.txt", "security_risk": "LOW"}}


@pytest.fixture
def agent(short_path: Path) -> Iterator[Agent]:
    agent = openhands(short_path)
    agent.api.scripts |= {
        "write it": [[{"text": "Now run."}, RUN], [{"text": "All done."}]],
        "slow": [[{"until": "slow"}, {"text": "Slow answer."}]],
        "answer me": [[{"text": "Answered."}]],
    }
    yield agent
    agent.api.gate("slow").set()
    agent.close()


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
    agent.api.gate("slow").set()
    assert editor.wait_answer(turn)["result"]["stopReason"] == "end_turn"
    steered.taken(waits)
    steered.status("idle")
    assert steered.said() == ["answer me please", "slow work", "answer me after that"]


def test_with_a_permission_open_a_prompt_waits(agent, editor, steered):
    turn = editor.prompt(steered.name, "write it")
    card = steered.phone.wait_card()
    id = steered.prompt("answer me: yes, allow everything")
    steered.stage(id, "queued")
    assert not (agent.project / "out.txt").exists() and editor.cancels() == []
    steered.phone.decide(card["session"], card["approval"], "deny")
    assert editor.wait_answer(turn)["result"]["stopReason"] == "end_turn"
    steered.taken(id)
    steered.status("idle")
    assert not (agent.project / "out.txt").exists()


def test_an_interrupt_waits_for_the_models_answer_and_the_agent_calls_that_its_own_end(agent, editor, steered):
    turn = editor.prompt(steered.name, "slow work")
    steered.wait_asked("slow work")
    id = steered.send("interrupt")
    steered.stage(id, "given")
    agent.api.gate("slow").set()
    assert editor.wait_answer(turn)["result"]["stopReason"] == "end_turn"
    end = steered.stage(id)
    assert (end["stage"], end["reason"]) == ("refused", "the agent says that the turn had come to its own end")
    steered.taken(steered.prompt("answer me"))
    assert strangers(editor) == []


def test_an_interrupt_with_a_permission_open(agent, editor, steered):
    turn = editor.prompt(steered.name, "write it")
    card = steered.phone.wait_card()
    id = steered.send("interrupt")
    assert editor.wait_answer(turn)["result"]["stopReason"] == "end_turn"
    # It goes on for a moment, and calls its end its own.
    assert steered.stage(id)["stage"] == "refused"
    steered.phone.wait_approval(card["approval"], "cancelled")
    assert not (agent.project / "out.txt").exists()


def test_text_is_never_taken_for_a_command(editor, steered):
    for text in ("/help answer me", "!answer me"):
        steered.taken(steered.prompt(text))
        steered.status("idle")
        wait_until(lambda: steered.asked(json.dumps(text)[1:-1]) == 1, 20, lambda: f"the model to be told {text!r}")


def test_modes_are_the_agents_own(agent, editor, steered):
    offer = steered.offered("mode")
    assert offer["mode"] == "always-ask" and "always-approve" in offer["modes"], offer
    steered.taken(steered.send("mode", mode="always-approve"))
    steered.phone.wait_summary(steered.session, lambda summary: summary["steering"]["mode"] == "always-approve", 10, "the new mode")
    assert editor.wait_answer(editor.prompt(steered.name, "write it"))["result"]["stopReason"] == "end_turn"
    assert (agent.project / "out.txt").exists() and editor.permissions() == []
