"""An agent behind the real pydantic-acp, which is fetched from PyPI: `make pydantic-check`.

It represents agents that list no modes, show no prompts, and restart their token counts with each turn.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_agents import Agent, pydantic
from acp_steered import daemon, editor, shown, steered, strangers  # noqa: F401 (fixtures)
from steered import phone  # noqa: F401 (a fixture)
from waits import wait_until


@pytest.fixture
def agent(short_path: Path) -> Iterator[Agent]:
    agent = pydantic(short_path)
    file = str(agent.project / "out.txt")
    agent.api.scripts |= {
        "write it": [[{"text": "Now."}, {"tool": "write_file", "input": {"path": file, "text": "hi"}}], [{"text": "All done."}]],
        "answer me": [[{"text": "Answered."}]],
    }
    yield agent
    agent.close()


@pytest.mark.parametrize(("decision", "outcome"), [("allow", "ran"), ("deny", "denied")])
def test_a_phone_decides(agent, editor, steered, decision, outcome):
    turn = editor.prompt(steered.name, "write it")
    card = steered.phone.wait_card()
    assert card["request"]["body"]["input"] == {"path": str(agent.project / "out.txt"), "text": "hi"}
    steered.phone.decide(card["session"], card["approval"], decision)
    assert editor.wait_answer(turn)["result"]["stopReason"] == "end_turn"
    assert steered.phone.wait_approval(card["approval"], "applied")["outcome"] == outcome
    assert (agent.project / "out.txt").exists() == (decision == "allow")


def test_the_tokens_of_all_its_turns_count(editor, steered):
    """The scripted model reports 1,200 input tokens, 1,000 of them cached, and 80 output tokens for each request."""
    for turns in range(1, 4):
        answer = editor.wait_answer(editor.prompt(steered.name, "answer me"))["result"]
        assert answer["usage"]["inputTokens"] == 1200 and answer["usage"]["totalTokens"] == 2280
        sum = {"input": 200 * turns, "output": 80 * turns, "cacheRead": 1000 * turns, "cacheWrite": 0}
        steered.phone.wait_summary(steered.session, lambda summary, sum=sum: summary.get("tokens") == sum, 15, f"{sum}")


def test_it_is_steered(agent, editor, steered):
    steered.taken(steered.prompt("answer me please"))
    wait_until(lambda: "Answered." in "".join(shown(editor, "agent_message_chunk")), 20, "the answer at the editor")
    steered.status("idle")
    steered.taken(steered.prompt("write it"))
    card = steered.phone.wait_card()
    steered.taken(steered.send("interrupt"))
    steered.phone.wait_approval(card["approval"], "cancelled")
    steered.status("idle")
    assert strangers(editor) == []
