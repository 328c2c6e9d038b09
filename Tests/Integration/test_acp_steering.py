"""`heliograph acp` in front of the real Mistral Vibe, steered by a phone. The tests compare the model's input and the editor's view with
the outcome shown on the phone.
"""

import base64
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_agents import Agent, vibe
from acp_steered import Proxied, daemon, editor, shown, steered, strangers  # noqa: F401 (fixtures)
from pictures import bring, named, png
from relay import BINARY
from steered import FINAL, phone  # noqa: F401 (a fixture)
from terminal import Terminal
from waits import patient, wait_until

RUN = {"tool": "bash", "input": {"command": "echo hi > out.txt"}}
NOTE = "(The text below was sent as a message, not as a command.)"


@pytest.fixture
def agent(short_path: Path) -> Iterator[Agent]:
    agent = vibe(short_path)
    agent.api.scripts |= {
        "write it": [[{"text": "Now run."}, RUN], [{"text": "All done."}]],
        "slow": [[{"until": "slow"}, {"text": "Slow answer."}]],
        "answer me": [[{"text": "Answered."}]],
        "take a nap": [[{"tool": "bash", "input": {"command": "sleep 25"}}], [{"text": "No."}]],
    }
    yield agent
    # A pending request to the model is released before the agent ends.
    agent.api.gate("slow").set()
    agent.close()


@pytest.mark.shows("ACP: Mistral Vibe", "prompt to an idle agent", "the first `session/update` of the turn, or its answer")
def test_a_prompt_to_a_session_that_rests(editor, steered):
    id = steered.prompt("answer me please")
    steered.taken(id)
    wait_until(lambda: "Answered." in "".join(shown(editor, "agent_message_chunk")), 20, "the answer at the editor")
    steered.status("idle")
    assert steered.stages(id) == ["given", "taken"] and steered.said() == ["answer me please"]
    assert shown(editor, "user_message_chunk") == ["answer me please"] and strangers(editor) == []
    # The editor's own prompt continues the same conversation.
    assert editor.wait_answer(editor.prompt(steered.name, "answer me again"))["result"]["stopReason"] == "end_turn"
    assert steered.asked("answer me please") == 1 and steered.asked("answer me again") == 1


@pytest.mark.shows("ACP: Mistral Vibe", "prompt to a busy one waits", "after the editor's turn")
def test_a_prompt_waits_for_the_end_of_the_editors_turn(agent, editor, steered):
    turn = editor.prompt(steered.name, "slow work")
    steered.wait_asked("slow work")
    id = steered.prompt("answer me after that")
    steered.stage(id, "queued")
    assert steered.asked("answer me after that") == 0
    agent.api.gate("slow").set()
    assert editor.wait_answer(turn)["result"]["stopReason"] == "end_turn"
    steered.taken(id)
    steered.status("idle")
    assert steered.stages(id) == ["queued", "given", "taken"] and steered.said() == ["slow work", "answer me after that"]


def test_the_editors_prompt_waits_for_the_end_of_ours(agent, editor, steered):
    id = steered.prompt("slow work")
    steered.taken(id)
    steered.wait_asked("slow work")
    turn = editor.prompt(steered.name, "answer me after that")
    # The answer to a later message on the same pipe shows that the prompt has arrived and waits.
    editor.request("session/list", {"cwd": str(editor.folder)})
    assert steered.asked("answer me after that") == 0
    agent.api.gate("slow").set()
    assert editor.wait_answer(turn)["result"]["stopReason"] == "end_turn"
    steered.status("idle")
    assert steered.said() == ["slow work", "answer me after that"] and strangers(editor) == []


@pytest.mark.shows("ACP: Mistral Vibe", "prompt while a dialog is open waits", "after the answer")
def test_with_a_permission_open_a_prompt_waits_and_the_permission_is_untouched(agent, editor, steered):
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


@pytest.mark.parametrize("whose", ["the editor's", "ours"])
@pytest.mark.shows("ACP: Mistral Vibe", "interrupt in text", "`stopReason` cancelled")
def test_an_interrupt(agent, editor, steered, whose):
    if whose == "ours":
        steered.taken(steered.prompt("slow work"))
        turn = None
    else:
        turn = editor.prompt(steered.name, "slow work")
    steered.wait_asked("slow work")
    steered.taken(steered.send("interrupt"))
    if turn:
        assert editor.wait_answer(turn)["result"]["stopReason"] == "cancelled"
    steered.status("idle")
    again = steered.stage(steered.send("interrupt"), *FINAL)
    assert again["stage"] == "refused" and "nothing runs" in again["reason"]
    steered.taken(steered.prompt("answer me"))
    assert strangers(editor) == []


@pytest.mark.shows("ACP: Mistral Vibe", "interrupt in a tool", "`stopReason` cancelled")
def test_an_interrupt_in_a_tool(editor, steered):
    editor.request("session/set_mode", {"sessionId": steered.name, "modeId": "auto-approve"})
    turn = editor.prompt(steered.name, "take a nap")
    steered.tool_runs()
    steered.taken(steered.send("interrupt"))
    assert editor.wait_answer(turn)["result"]["stopReason"] == "cancelled"
    steered.status("idle")


@pytest.mark.shows("ACP: Mistral Vibe", "interrupt with an approval open", "`stopReason` cancelled, and the approval is cancelled")
def test_an_interrupt_with_a_permission_open(agent, editor, steered):
    turn = editor.prompt(steered.name, "write it")
    card = steered.phone.wait_card()
    permission = wait_until(editor.permissions, 10, "the editor to be asked")[0]
    steered.taken(steered.send("interrupt"))
    assert editor.wait_answer(turn)["result"]["stopReason"] == "cancelled"
    assert editor.cancels() == [permission["id"]]
    steered.phone.wait_approval(card["approval"], "cancelled")
    # The editor's answer is too late: the agent must take it neither for this question nor for its next one.
    editor.select(permission, "allow_always")
    turn = editor.prompt(steered.name, "write it")
    second = wait_until(lambda: editor.permissions()[1:], 20, "the next question")[0]
    assert not (agent.project / "out.txt").exists()
    editor.select(second, "reject_once")
    assert editor.wait_answer(turn)["result"]["stopReason"] == "end_turn"
    assert not (agent.project / "out.txt").exists()


@pytest.mark.shows("ACP: Mistral Vibe", "a slash is text", "the model's own request")
def test_text_is_never_taken_for_a_command(editor, steered):
    for text in ("/help answer me", " /compact answer me", "!answer me", "# answer me", "@README answer me"):
        steered.taken(steered.prompt(text))
        steered.status("idle")
        wait_until(lambda: steered.asked(json.dumps(text, ensure_ascii=False)[1:-1]) == 1, 20, lambda: f"the model to be told {text!r}")
    assert steered.said()[0] == "/help answer me" and len(steered.said()) == 5
    assert shown(editor, "user_message_chunk")[0] == f"{NOTE}\n/help answer me"


@pytest.mark.shows("ACP: Mistral Vibe", "a prompt of 20 kB", "the model's own request")
def test_a_long_prompt(steered):
    text = "answer me " + "0123456789 " * 1_900
    steered.taken(steered.prompt(text))
    steered.status("idle")
    assert steered.asked(text) == 1


@pytest.mark.shows("ACP: Mistral Vibe", "model", "the agent's own answer, and the model's next request")
def test_models_are_the_agents_own(editor, steered):
    assert steered.offered("model")["models"][:2] == ["fake", "other"]
    steered.taken(steered.send("model", model="other"))

    def models() -> list[str]:
        told = [message["params"]["update"] for message in editor.messages if message.get("method") == "session/update"]
        options = [update["configOptions"] for update in told if update["sessionUpdate"] == "config_option_update"]
        return [option["currentValue"] for option in options[-1] if option["id"] == "model"] if options else []

    # Phone and editor are notified separately.
    wait_until(lambda: models() == ["other"], 10, "the editor to be told of the model")
    steered.taken(steered.prompt("answer me"))
    steered.status("idle")
    assert steered.agent.api.requests[-1]["model"] == "other-model"


@pytest.mark.shows("ACP: Mistral Vibe", "the same id twice is one prompt", "one turn")
def test_the_same_id_twice_is_one_prompt(agent, editor, steered):
    for _ in range(2):
        reply = steered.phone.command("prompt", id="one", session=steered.session, text="answer me once", busy="queue")
        assert "error" not in reply, reply
    steered.taken("one")
    steered.status("idle")
    assert steered.asked("answer me once") == 1 and steered.stages("one") == ["given", "taken"]


@pytest.mark.shows("ACP: Mistral Vibe", "mode", "the agent's own answer")
def test_modes_are_the_agents_own(agent, editor, steered):
    offer = steered.offered("mode")
    assert "ask" in offer["modes"] and offer["mode"] in offer["modes"]
    for mode in ("yolo", "auto-approve"):
        assert steered.phone.command("mode", session=steered.session, mode=mode)["error"]["code"] == "unsupported"
    other = next(mode for mode in offer["modes"] if mode != offer["mode"])
    steered.taken(steered.send("mode", mode=other))
    steered.phone.wait_summary(steered.session, lambda summary: summary["steering"]["mode"] == other, 10, "the new mode")

    def told() -> list[str]:
        updates = [message["params"]["update"] for message in editor.messages if message.get("method") == "session/update"]
        return [update["currentModeId"] for update in updates if update["sessionUpdate"] == "current_mode_update"]

    wait_until(lambda: told()[-1:] == [other], 10, lambda: f"the editor to hear of the mode, not of {told()}")
    # Only the editor can set a mode without questions; the host then reports that.
    editor.request("session/set_mode", {"sessionId": steered.name, "modeId": "auto-approve"})
    steered.phone.wait_summary(steered.session, lambda summary: summary["steering"]["mode"] == "auto-approve", 10, "the editor's mode")
    assert editor.wait_answer(editor.prompt(steered.name, "write it"))["result"]["stopReason"] == "end_turn"
    assert (agent.project / "out.txt").exists() and editor.permissions() == []


def test_the_proxy_is_killed_while_a_prompt_waits(editor, steered):
    steered.taken(steered.prompt("slow work"))
    steered.wait_asked("slow work")
    waits = steered.prompt("answer me never")
    steered.stage(waits, "queued")
    editor.process.kill()
    editor.process.wait(patient(10))
    assert steered.stage(waits, *FINAL)["stage"] == "refused"
    steered.phone.wait_summary(steered.session, lambda summary: summary.get("endedAt"), 60, "the session's end")
    assert steered.asked("answer me never") == 0


def test_the_proxy_is_killed_before_the_agent_shows_that_it_took_a_prompt(editor, steered):
    child = editor.agent_process()
    os.kill(child, signal.SIGSTOP)
    try:
        given = steered.prompt("answer me perhaps")
        steered.stage(given, "given")
        editor.process.kill()
        editor.process.wait(patient(10))
        assert steered.stage(given, *FINAL)["stage"] == "unknown"
    finally:
        os.kill(child, signal.SIGKILL)


def test_the_host_is_killed(agent, daemon, editor, steered):
    turn = editor.prompt(steered.name, "slow work")
    steered.wait_asked("slow work")
    waits = steered.prompt("answer me never")
    steered.stage(waits, "queued")
    daemon.kill()
    # The daemon is gone; editor and agent continue.
    agent.api.gate("slow").set()
    assert editor.wait_answer(turn)["result"]["stopReason"] == "end_turn"
    assert editor.wait_answer(editor.prompt(steered.name, "answer me here"))["result"]["stopReason"] == "end_turn"
    daemon.start()
    end = steered.stage(waits, *FINAL)
    assert (end["stage"], "restarted" in end["reason"]) == ("refused", True)
    steered.status("idle")

    # Steering is offered and accepted again; until the proxy has registered at the new daemon, the daemon refuses it.
    def again() -> bool:
        return steered.stage(steered.prompt("answer me now"), *FINAL)["stage"] == "taken"

    wait_until(again, 20, "a prompt to be taken again")
    # The agent confirms a prompt before it requests the model.
    steered.wait_asked("answer me now")
    assert steered.asked("answer me now") == 1 and steered.asked("answer me never") == 0


@pytest.mark.shows("ACP: Mistral Vibe", "half-typed text at the terminal stays", "the line as it is sent in the end")
def test_at_a_terminal_prompts_from_afar_and_typed_ones_take_turns(agent, daemon, phone, short_path):
    terminal = Terminal(short_path / "tmux", agent.environment, agent.project)
    try:
        terminal.run([str(BINARY), "acp", "--", *agent.command], agent.environment)
        wait_until(lambda: terminal.screen().rstrip().endswith(">"), 30, terminal.screen)
        session = next(iter(wait_until(lambda: phone.summaries, 20, "a session")))
        steered = Proxied(agent, phone, session.removeprefix("local-"))
        steered.taken(steered.prompt("slow work"))
        terminal.wait_screen("From a client: slow work")
        steered.wait_asked("slow work")
        terminal.type("answer me typed")
        terminal.press("Enter")
        terminal.wait_screen("This waits until the agent is done.")
        assert steered.asked("answer me typed") == 0
        agent.api.gate("slow").set()
        terminal.wait_screen("Answered.")
        # The answer's text arrives before the turn ends.
        wait_until(lambda: terminal.screen().rstrip().endswith(">"), 30, terminal.screen)
        steered.status("idle")
        terminal.type("answer me ha")
        terminal.wait_screen("answer me ha")
        steered.taken(steered.prompt("answer me from afar"))
        steered.status("idle")
        terminal.type("lf")
        terminal.press("Enter")
        steered.wait_asked("answer me half")
        steered.status("idle")
        assert steered.said() == ["slow work", "answer me typed", "answer me from afar", "answer me half"]
    finally:
        terminal.close()


@pytest.mark.parametrize("what", ["at rest", "at work"])
@pytest.mark.shows("ACP: Mistral Vibe", "session ended by a client", "its process has ended; where there is no editor")
def test_without_an_editor_it_is_ended_from_afar(agent, daemon, phone, short_path, what):
    terminal = Terminal(short_path / "tmux", agent.environment, agent.project)
    try:
        terminal.run([str(BINARY), "acp", "--", *agent.command], agent.environment)
        wait_until(lambda: terminal.screen().rstrip().endswith(">"), 30, terminal.screen)
        session = next(iter(wait_until(lambda: phone.summaries, 20, "a session")))
        steered = Proxied(agent, phone, session.removeprefix("local-"))
        queued = None
        if what == "at work":
            steered.taken(steered.prompt("slow work"))
            steered.wait_asked("slow work")
            queued = steered.prompt("answer me never")
            steered.stage(queued, "queued")
        end = steered.stage(steered.send("stop"))
        assert end["stage"] == "taken" and end["reason"] == "the agent has ended", end
        phone.wait_summary(steered.session, lambda summary: summary.get("endedAt"), 20, "the end")
        terminal.wait_ended()
        assert "Ended by a client." in terminal.last_screen()
        assert queued is None or steered.stage(queued)["stage"] == "refused"
        assert steered.asked("answer me never") == 0
    finally:
        terminal.close()


def test_an_editors_session_is_the_editors_to_end(editor, steered):
    assert "stop" not in steered.offered("prompt")["actions"]
    assert steered.phone.command("stop", session=steered.session)["error"]["code"] == "unsupported"


@pytest.mark.shows("ACP: Mistral Vibe", "pictures in a prompt", "the model's own request: the same bytes")
def test_a_picture_reaches_the_model_with_its_prompt(editor, steered, relay, phone):
    picture = png()
    assert steered.offered("prompt")["pictures"] is True
    assert bring(relay, phone.token, steered.session, picture).status == 200
    steered.taken(steered.prompt("answer me: what is this?", pictures=[named(picture)]))
    steered.status("idle")
    told = next(told for told in map(steered._newest, steered.api.requests) if told and "what is this?" in told)
    assert base64.b64encode(picture).decode() in told


def spend(agent, steered, scripted_host, relay):
    """Spends the workspace's budget with another host's session."""
    spender = scripted_host(relay, name="spender")
    spender.start_session("s1")
    spender.event("s1", "usage", {"run": "r1", "costMicroUSD": 5})
    spender.wait_acked("s1")
    steered.phone.command("budget", budget={"scope": "day", "microUSD": 1, "hold": True})
    marked = steered.phone.wait_summary(steered.session, lambda summary: summary.get("budget", {}).get("level") == 100)
    assert marked["budget"] == {"level": 100, "microUSD": 1, "hold": "unchanged"}
    holds = agent.home / ".local/state/heliograph/holds.json"
    wait_until(lambda: holds.exists() and json.loads(holds.read_text()).get("everySession"), 15, "the hold")


def test_while_a_budget_is_spent_prompts_are_refused_and_it_is_not_said_to_ask(agent, editor, steered, scripted_host, relay):
    spend(agent, steered, scripted_host, relay)
    end = steered.stage(steered.prompt("answer me please"))
    assert end["stage"] == "refused" and "a budget is spent" in end["reason"] and steered.asked("answer me please") == 0
    # The editor's own prompts are still accepted.
    assert editor.wait_answer(editor.prompt(steered.name, "answer me here"))["result"]["stopReason"] == "end_turn"
    steered.phone.command("budget", budget={"scope": "day", "microUSD": 0})
    steered.phone.wait_summary(steered.session, lambda summary: "budget" not in summary)
    steered.status("idle")
    steered.taken(steered.prompt("answer me again"))


@pytest.mark.shows("ACP: Mistral Vibe", "a spent budget holds it", "an editor's own allow does not count, and the file is not there")
def test_while_a_budget_is_spent_an_editor_that_allows_by_itself_is_not_enough(agent, editor, steered, scripted_host, relay):
    spend(agent, steered, scripted_host, relay)
    editor.on_permission = lambda request: editor.select(request, "allow_once")
    for decision, exists in (("deny", False), ("allow", True)):
        turn = editor.prompt(steered.name, "write it")
        card = steered.phone.wait_card()
        wait_until(editor.permissions, 10, "the editor to be asked")
        assert not (agent.project / "out.txt").exists()
        # The agent has asked for permission before, so it can be held as far as it asks, and accepts prompts.
        marked = steered.phone.wait_summary(steered.session, lambda summary: summary["budget"].get("hold") == "most")
        assert "prompt" in marked["steering"]["actions"]
        steered.phone.decide(card["session"], card["approval"], decision)
        assert editor.wait_answer(turn)["result"]["stopReason"] == "end_turn"
        assert (agent.project / "out.txt").exists() == exists and editor.cancels() == []
    steered.taken(steered.prompt("answer me please"))
    steered.status("idle")
    offer = marked["steering"]
    mode = steered.stage(steered.send("mode", mode=next(mode for mode in offer["modes"] if mode != offer["mode"])))
    assert mode["stage"] == "refused" and "a budget is spent" in mode["reason"]
    # After the budget is raised the editor's own answers are accepted again.
    steered.phone.command("budget", budget={"scope": "day", "microUSD": 0})
    steered.phone.wait_summary(steered.session, lambda summary: "budget" not in summary)
    assert editor.wait_answer(editor.prompt(steered.name, "answer me here"))["result"]["stopReason"] == "end_turn"
    assert editor.wait_answer(editor.prompt(steered.name, "write it"))["result"]["stopReason"] == "end_turn"
