"""Slow tests of steering OpenHands, each of which starts the agent anew; faster ones are in `test_openhands.py`: `make openhands-check`."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_agents import Agent, openhands
from acp_steered import daemon, editor, steered  # noqa: F401 (fixtures)
from steered import phone  # noqa: F401 (a fixture)
from waits import wait_until

RUN = {"tool": "terminal", "input": {"command": "echo hi > out.txt", "security_risk": "LOW"}}


@pytest.fixture
def agent(short_path: Path) -> Iterator[Agent]:
    agent = openhands(short_path)
    agent.api.scripts |= {
        "write it": [[{"text": "Now run."}, RUN], [{"text": "All done."}]],
        "answer me": [[{"text": "Answered."}]],
    }
    yield agent
    agent.close()


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
