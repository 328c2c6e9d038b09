"""The real Codex in a real terminal, steered by a phone through the server that both are attached to.

The tests compare the model's input and the terminal's screen with the outcome shown on the phone.
"""

import base64
from typing import Any

import pytest

from client import WireClient
from codex import DIALOG, READY, AppServer, CodexMachine, codex_program, command, machine  # noqa: F401 (a fixture)
from pictures import bring, named, png
from steered import FINAL, Steered, phone  # noqa: F401 (a fixture)
from waits import patient, wait_until

pytestmark = pytest.mark.agent

SLOW = [[{"sleep": 4}, {"text": "Slow answer."}]]
"""A turn that is long enough to be met in it."""
TOOL = [[{"tool": "exec_command", "input": {"cmd": "sleep 4", "yield_time_ms": 20000}}], [{"text": "Slow answer."}]]
LONG_TOOL = [[{"tool": "exec_command", "input": {"cmd": "sleep 90", "yield_time_ms": 90000}}], [{"text": "No."}]]


class Attached(Steered):
    """A session with an open terminal, and the phone's commands to it."""

    def __init__(self, machine: CodexMachine, phone: WireClient, script: Any = None):
        self.machine = machine
        machine.start_codex([[{"text": "First."}]])
        machine.prompt("hello there")
        machine.wait_screen("First.")
        wait_until(lambda: phone.summaries, 15, "a session")
        super().__init__(phone, next(iter(phone.summaries)), machine.api)
        phone.subscribe(self.session)
        self.offered("prompt")
        self.status("idle")
        machine.api.script = script or [[{"text": "Answered."}]]

    def told(self) -> list[str]:
        """The person's words in the last request to the model."""
        items = self.machine.api.requests[-1]["input"]
        return [part["text"] for item in items if item.get("role") == "user" for part in item["content"] if "text" in part]


@pytest.fixture
def steered(machine: CodexMachine, phone: WireClient) -> Attached:
    return Attached(machine, phone)


@pytest.mark.shows("Codex", "prompt to an idle agent", "`item/started` with our `clientId`")
@pytest.mark.shows("Codex", "half-typed text at the terminal stays", "the screen")
def test_a_prompt_is_taken_and_what_is_half_typed_at_the_terminal_stays(machine, steered):
    machine.type("half a thought")
    machine.wait_screen("half a thought")
    id = steered.prompt("one line\nand another")
    steered.taken(id)
    machine.wait_screen("and another")
    machine.wait_screen("Answered.")
    steered.status("idle")
    assert steered.told()[-1] == "one line\nand another"
    assert steered.said() == ["hello there", "one line\nand another"], "each once"
    assert steered.stages(id) == ["given", "taken"]
    assert "half a thought" in machine.screen()
    machine.press("Enter")
    wait_until(lambda: steered.told()[-1] == "half a thought", 15, lambda: f"the model to be told; it was told {steered.told()}")


@pytest.mark.shows("Codex", "session ended by a client", "its thread is not loaded any more")
@pytest.mark.parametrize("what", ["at rest", "at work", "asking"])
def test_ended_from_afar_it_can_be_resumed(machine, steered, what):
    if what != "at rest":
        machine.api.script = LONG_TOOL if what == "at work" else [[command("echo hi > out.txt")], [{"text": "No."}]]
        steered.begin()
        steered.tool_runs() if what == "at work" else steered.phone.wait_card()
    queued = steered.prompt("never given") if what != "at rest" else None
    end = steered.stage(steered.send("stop"))
    assert end["stage"] == "taken" and end["reason"] == "the session has ended", end
    steered.phone.wait_summary(steered.session, lambda summary: summary.get("endedAt") and not summary["approvals"], 20, "the end")
    if queued:
        assert steered.stage(queued)["stage"] == "refused"
    assert not (machine.project / "out.txt").exists() and "never given" not in steered.told()
    # Closing the terminal does not archive the thread, which continues at the same point.
    machine.terminal.close()
    machine.api.script = [[{"text": "Answered."}]]
    machine.terminal.run([str(codex_program()), "resume", steered.session.removeprefix("codex-")], machine.environment)
    machine.wait_screen("hello there", 30)
    steered.status("idle")
    # Prompts are offered once Codex has attached the host, shortly after the session is shown as idle.
    steered.offered("prompt")
    steered.taken(steered.prompt("go on"))
    wait_until(lambda: steered.told()[-1] == "go on" and "hello there" in steered.told(), 20, "the model to be told")


@pytest.mark.shows("Codex", "a slash is text", "the model's own request")
@pytest.mark.shows("Codex", "a prompt of 20 kB", "the model's own request")
def test_text_is_never_taken_for_a_command(machine, steered):
    (machine.project / "README").write_text("content of a file\n")
    long = "".join(f"line {number}\n" for number in range(2_500)) + "the end"
    assert len(long) > 20_000
    for text in ("/help", " /quit", "/compact now", "!touch ran", "# a note", "@README", "@README says what?", long):
        id = steered.prompt(text)
        steered.taken(id)
        steered.status("idle")
        assert steered.told()[-1] == text
    assert not (machine.project / "ran").exists()
    assert len(steered.said()) == 9


@pytest.mark.shows("Codex", "prompt to a busy one waits", "`item/started`, after the turn")
@pytest.mark.shows("Codex", "the same id twice is one prompt", "one item")
def test_while_codex_works_a_prompt_waits_and_the_same_id_is_the_same_prompt(machine, steered):
    machine.api.script = SLOW
    steered.begin()
    id = steered.prompt("after that")
    again = steered.phone.command("prompt", id=id, session=steered.session, text="after that", busy="queue")
    assert "error" not in again
    steered.stage(id, "queued")
    assert "after that" not in steered.told()
    machine.api.script = [[{"text": "Answered."}]]
    steered.taken(id)
    machine.wait_screen("Answered.")
    steered.status("idle")
    assert steered.told()[-2:] == ["work", "after that"] and steered.said().count("after that") == 1
    assert steered.stages(id) == ["queued", "given", "taken"]


@pytest.mark.shows("Codex", "prompt into the running turn", "`item/started` in that turn")
def test_who_wants_that_steers_the_turn_that_runs(machine, steered):
    machine.api.script = TOOL
    steered.begin()
    machine.wait_screen("Working")
    id = steered.prompt("and mind the gap", busy="steer")
    steered.taken(id)
    steered.status("idle")
    assert steered.told()[-1] == "and mind the gap"
    assert steered.said() == ["hello there", "work", "and mind the gap"]


def test_what_was_not_read_when_the_turn_is_interrupted_was_refused(machine, steered):
    """Codex accepts the text and then drops it, so the outcome must not be "taken"."""
    machine.api.script = LONG_TOOL
    steered.begin()
    steered.tool_runs()
    steers = steered.prompt("never read", busy="steer")
    steered.stage(steers, "given")
    steered.taken(steered.send("interrupt"))
    assert steered.stage(steers, *FINAL)["stage"] == "refused"
    machine.api.script = [[{"text": "Answered."}]]
    steered.taken(steered.prompt("go on"))
    steered.status("idle")
    assert "never read" not in steered.told() and "never read" not in steered.said()


@pytest.mark.shows("Codex", "prompt while a dialog is open waits", "the screen, then `item/started`")
def test_with_a_dialog_open_a_prompt_waits_and_the_dialog_is_untouched(machine, steered):
    machine.api.script = [[command("echo hi > out.txt")], [{"text": "Answered."}]]
    steered.begin()
    machine.wait_screen(DIALOG)
    card = steered.phone.wait_card()
    ids = [steered.prompt("y", busy="steer"), steered.prompt("after the dialog")]
    for id in ids:
        steered.stage(id, "queued")
    assert DIALOG in machine.screen() and not (machine.project / "out.txt").exists()
    machine.api.script = [[{"text": "Answered."}]]
    steered.phone.decide(card["session"], card["approval"], "deny")
    for id in ids:
        steered.taken(id)
    steered.status("idle")
    assert steered.told()[-2:] == ["y", "after the dialog"]
    assert not (machine.project / "out.txt").exists()


def test_an_answer_that_is_steered_away_has_an_end(machine, steered):
    machine.api.script = [[{"text": "Begun.\n"}, {"sleep": 6}, {"text": "Never said."}]]
    steered.begin()
    shown = steered.phone.wait(lambda message: message["type"] == "deltas" and "Begun." in message["text"], 20, "the answer")
    machine.api.script = [[{"text": "Another answer."}]]
    steered.taken(steered.prompt("say something else", busy="steer"))
    end = steered.phone.wait_event(steered.session, lambda event: event["head"].get("message") == shown["message"], 20)
    assert end["body"]["text"].startswith("Begun.")
    steered.status("idle")


def test_a_command_outlives_the_turn_that_is_interrupted_and_its_end_is_said(machine, steered):
    run = {"tool": "exec_command", "input": {"cmd": "sleep 6; echo late", "yield_time_ms": 20000}}
    machine.api.script = [[run], [{"text": "No."}]]
    steered.begin()
    steered.tool_runs()
    steered.taken(steered.send("interrupt"))
    steered.status("idle")
    end = steered.phone.wait_event(steered.session, lambda event: event["kind"] == "tool.finished", 20)
    assert end["head"]["ok"] and "late" in end["body"]["output"]
    assert steered.phone.kinds(steered.session).count("tool.started") == 1
    assert steered.phone.summaries[steered.session]["status"] == "idle"


@pytest.mark.parametrize("what", ["text", "tool", "question"])
@pytest.mark.shows("Codex", "interrupt in text", "`turn/completed`, interrupted")
@pytest.mark.shows("Codex", "interrupt in a tool", "`turn/completed`, interrupted")
@pytest.mark.shows("Codex", "interrupt with an approval open", "`turn/completed`, and the approval is cancelled")
def test_interrupted(machine, steered, what):
    machine.api.script = {
        "text": [[{"text": "Begun.\n"}, {"sleep": 30}, {"text": "Done."}]],
        "tool": LONG_TOOL,
        "question": [[command("echo hi > out.txt")], [{"text": "Done."}]],
    }[what]
    steered.begin()
    if what == "tool":
        steered.tool_runs()
    if what == "question":
        machine.wait_screen(DIALOG)
        card = steered.phone.wait_card()
    id = steered.send("interrupt")
    steered.taken(id, timeout=10)
    machine.wait_screen("Conversation interrupted")
    steered.status("idle")
    if what == "question":
        closed = steered.phone.wait_card(lambda one: one["approval"] == card["approval"] and one["stage"] == "cancelled")
        assert closed["reason"] == "turnEnded"
        machine.wait_gone(DIALOG)
        assert not (machine.project / "out.txt").exists()
    # Without a running turn the interrupt's outcome is reported at once, because Codex would not answer at all.
    again = steered.stage(steered.send("interrupt"), *FINAL)
    assert (again["stage"], "nothing runs" in again["reason"]) == ("refused", True)
    machine.api.script = [[{"text": "Answered."}]]
    steered.taken(steered.prompt("go on"))
    machine.wait_screen("Answered.")


@pytest.mark.shows("Codex", "mode", "`thread/settings/updated`")
@pytest.mark.shows("Codex", "model", "`thread/settings/updated`")
def test_model_and_mode(machine, steered):
    offer = steered.offered("mode")
    assert (offer["mode"], offer["modes"]) == ("on-request", ["untrusted", "on-request"]), "nothing freer than at the terminal"
    steered.taken(steered.send("model", model="other-model"))
    machine.wait_screen("other-model")
    again = steered.stage(steered.send("model", model="other-model"), *FINAL)
    assert again["stage"] == "taken" and again["reason"]
    steered.taken(steered.send("mode", mode="untrusted"))
    machine.api.script = [[{"tool": "exec_command", "input": {"cmd": "touch x"}}], [{"text": "Answered."}]]
    steered.begin()
    card = steered.phone.wait_card()
    assert card["request"]["head"]["title"] == "Run: touch x"
    steered.phone.decide(card["session"], card["approval"], "deny")
    steered.status("idle")
    assert machine.api.requests[-1]["model"] == "other-model"
    freer = steered.phone.command("mode", session=steered.session, mode="never")
    assert freer["error"]["code"] == "unsupported"
    steered.taken(steered.send("mode", mode="on-request"))


@pytest.mark.shows("Codex", "the agent is killed", "its screen alone: the server goes on, and takes prompts")
def test_the_terminal_is_killed_and_prompts_are_taken(machine, steered):
    machine.terminal.kill()
    machine.terminal.wait_ended()
    id = steered.prompt("are you there?")
    steered.taken(id)
    steered.status("idle")
    assert steered.told()[-1] == "are you there?"


@pytest.mark.shows("Codex", "the host's daemon is killed", "`outstanding`: what it lost is told as not taken")
def test_our_daemon_is_killed_with_a_prompt_waiting_and_its_end_is_told(machine, steered):
    machine.api.script = SLOW
    steered.begin()
    id = steered.prompt("never given")
    steered.stage(id, "queued")
    machine.kill_daemon()
    machine.start_daemon()
    end = steered.stage(id, *FINAL)
    assert (end["stage"], "restarted" in end["reason"]) == ("refused", True)
    steered.offered("prompt")
    steered.status("idle")
    machine.api.script = [[{"text": "Answered."}]]
    steered.taken(steered.prompt("given"))
    steered.status("idle")
    assert steered.told()[-1] == "given" and "never given" not in steered.told()


@pytest.mark.shows("Codex", "the relay is killed or away", "the prompt is taken once")
def test_the_relay_is_killed_with_a_prompt_waiting_and_the_prompt_is_taken_once(machine, steered, relay, client):
    machine.api.script = SLOW
    steered.begin()
    id = steered.prompt("after that")
    steered.stage(id, "queued")
    token = steered.phone.token
    relay.kill()
    relay.start()
    phone = client(relay, "Ada's phone", token=token)
    phone.subscribe()
    phone.subscribe(steered.session)
    steered.phone = phone
    steered.taken(id, timeout=40)
    steered.status("idle")
    assert steered.told()[-1] == "after that" and steered.said().count("after that") == 1
    assert phone.summaries[steered.session]["steering"]["actions"]


def test_codexs_server_is_restarted_and_the_session_is_steered_again(machine, steered):
    machine.codex("app-server", "daemon", "stop")
    steered.phone.wait_summary(
        steered.session, lambda summary: not summary["steering"].get("actions") and "not connected" in summary["steering"]["reason"], 15,
        "nothing to be offered",
    )
    machine.codex("app-server", "daemon", "start")
    machine.wait_gone("Reconnecting", 40)
    machine.prompt("back again")
    machine.wait_screen("Answered.")
    steered.offered("prompt")
    steered.status("idle")
    steered.taken(steered.prompt("from afar"))
    steered.status("idle")
    assert steered.told()[-1] == "from afar"
    machine.wait_screen(READY)


@pytest.mark.shows("Codex", "pictures in a prompt", "the model's own request: the same bytes")
def test_a_picture_reaches_the_model_with_its_prompt(machine, steered, relay, phone):
    picture = png(64, 48, seed=1)
    assert bring(relay, phone.token, steered.session, picture).status == 200
    id = steered.prompt("what is this?", pictures=[named(picture)])
    steered.taken(id)
    steered.status("idle")
    items = machine.api.requests[-1]["input"]
    shown = [part["image_url"] for item in items if item.get("role") == "user" for part in item["content"] if part["type"] == "input_image"]
    assert [base64.b64decode(url.split(",", 1)[1]) for url in shown] == [picture]
    assert steered.told()[-1] == "what is this?"



@pytest.mark.shows("Codex", "output of a running tool", "`item/commandExecution/outputDelta`")
def test_what_a_command_prints_is_seen_while_it_runs(machine, phone):
    """The first output is missing, because Codex reports a command's output only after a moment."""
    slow = {"tool": "exec_command", "input": {"cmd": "for n in 1 2 3 4; do echo step $n; sleep 1; done", "yield_time_ms": 20000}}
    steered = Attached(machine, phone, [[slow], [{"text": "Answered."}]])
    steered.begin()
    shown = phone.wait(lambda message: message["type"] == "output" and "step 2\n" in message["text"], 20, "its output")
    assert "tool.finished" not in phone.kinds(steered.session), "while it runs"
    phone.wait(lambda message: message["type"] == "output" and "step 3\n" in message["text"] and message["call"] == shown["call"], 20, "more of it")
    end = phone.wait_event(steered.session, lambda event: event["kind"] == "tool.finished", 20)
    assert end["head"]["call"] == shown["call"] and "step 1" in end["body"]["output"] and "step 4" in end["body"]["output"]


@pytest.mark.shows("Codex", "a spent budget holds it", "its dialog, and the file that is not there")
def test_a_spent_budget_has_it_ask_for_what_it_ran_unasked(machine, steered, scripted_host, relay):
    def run(text: str) -> Any:
        return [[{"tool": "exec_command", "input": {"cmd": f"ls; echo {text}"}}], [{"text": f"That was {text}."}]]

    machine.api.script = run("unasked")
    machine.prompt("the first")
    machine.wait_screen("That was unasked.")
    assert not steered.phone.approvals
    spender = scripted_host(relay, name="spender")
    spender.start_session("s1")
    spender.event("s1", "usage", {"run": "r1", "costMicroUSD": 5})
    spender.wait_acked("s1")
    steered.phone.command("budget", budget={"scope": "day", "microUSD": 1, "hold": True})
    steered.phone.wait_summary(steered.session, lambda summary: summary.get("budget", {}).get("hold") == "most", 20, "the hold")
    steered.phone.wait_summary(steered.session, lambda summary: summary["steering"].get("mode") == "untrusted", 20, "the policy")
    machine.api.script = run("asked")
    machine.prompt("the second")
    card = steered.phone.wait_card()
    assert "echo asked" in card["request"]["body"]["input"]["command"]
    steered.phone.decide(steered.session, card["approval"], "allow")
    machine.wait_screen("That was asked.")
    steered.status("idle")

    # A client that starts a turn can choose a more permissive policy, so the turn is ended before its command runs.
    machine.api.script = [[{"sleep": patient(2)}, {"tool": "exec_command", "input": {"cmd": "echo ran > freely.txt"}}], [{"text": "That ran."}]]
    with AppServer(machine) as server:
        thread = steered.session.removeprefix("codex-")
        server.call("turn/start", threadId=thread, approvalPolicy="on-request", input=[{"type": "text", "text": "freely"}])
        steered.phone.wait_event(
            steered.session, lambda event: event["kind"] == "error" and "a budget is spent" in event["head"]["message"], 20, "the reason"
        )
        steered.status("idle")
    steered.phone.wait_summary(steered.session, lambda summary: summary["steering"].get("mode") == "untrusted", 20, "the policy again")
    assert not (machine.project / "freely.txt").exists()

    # Codex returns to its own policy when the budget is raised.
    steered.phone.command("budget", budget={"scope": "day", "microUSD": 0})
    steered.phone.wait_summary(steered.session, lambda summary: summary["steering"].get("mode") == "on-request", 20, "the policy")
    machine.api.script = run("unasked again")
    steered.taken(steered.prompt("the third"))
    machine.wait_screen("That was unasked again.")
    assert len(steered.phone.approvals) == 1
