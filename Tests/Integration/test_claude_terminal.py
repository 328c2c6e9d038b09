"""The real Claude Code's TUI in a terminal held by `heliograph claude`: detached, attached again, and steered by a phone.

The tests compare the model's input, the executed tools and the screen with the outcome shown on the phone.
"""

import itertools
import json
import os
import signal
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from claude import DIALOG, MODEL, Machine, claude_program, decide
from client import WireClient
from relay import BINARY
from steered import FINAL, Steered, allowed_after_a_restart, phone  # noqa: F401 (a fixture)
from terminal import Terminal
from test_at_the_terminal import QUESTION, decide_at_once
from test_claude_mcp import ACCEPTED, ANSWERS, SHIP, arguments, outcome
from test_claude_run import ALLOWED, ANSWERED, LONG, Run
from test_screens import begin_typing, opened, rows
from waits import wait_until

pytestmark = pytest.mark.agent

LEAVE = "C-\\"


class Held(Run):
    """A session in a held terminal, with an attached window, and the phone's commands to it."""

    program = None

    def __init__(self, machine: Machine, phone: WireClient, *arguments: str, name: str = "window"):
        self.machine = machine
        machine.api.script = ANSWERED
        self.environment = machine.environment | {"PATH": f"{claude_program().parent}:{machine.environment['PATH']}"}
        mode = [] if "--permission-mode" in arguments else ["--permission-mode", "manual"]
        known = set(phone.summaries)
        before = {entry["id"] for entry in self.listed()}
        self.window = self.open([str(BINARY), "claude", "--model", MODEL, *mode, *arguments], name)
        self.window.wait_screen("manual mode on", 40)
        self.id = next(entry["id"] for entry in self.listed() if entry["id"] not in before)
        wait_until(lambda: set(phone.summaries) - known, 30, lambda: f"a session. {self.shown()}")
        Steered.__init__(self, phone, next(iter(set(phone.summaries) - known)), machine.api)
        # Each session makes ids with a prefix of its own, so that two never collide.
        self.ids = (f"{name}-{number}" for number in itertools.count(1))
        phone.subscribe(self.session)
        self.offered("prompt")

    def open(self, command: list[str], name: str) -> Terminal:
        window = Terminal(self.machine.folder / name, self.environment, self.machine.project)
        WINDOWS.append(window)
        window.run(command, self.environment)
        return window

    def attach(self, name: str = "another") -> Terminal:
        return self.open([str(BINARY), "claude", "attach", self.id], name)

    def listed(self) -> list[dict[str, str]]:
        lines = self.machine.heliograph("claude", "list").stdout.splitlines()
        return [dict(zip(("id", "does", "windows", "folder"), line.split())) for line in lines[1:]] if lines[0].startswith("ID") else []

    @property
    def entry(self) -> dict[str, str]:
        return next(entry for entry in self.listed() if entry["id"] == self.id)

    @property
    def holder(self) -> int:
        """The process that holds the terminal: the agent's parent."""
        return int(Path(f"/proc/{self.agent}/stat").read_text().rsplit(")", 1)[1].split()[1])

    def wait_told(self, *texts: str) -> None:
        """The agent confirms a prompt before it requests the model."""
        wait_until(lambda: bool(self.machine.api.requests) and self.told() == list(texts), 15, lambda: f"the model to be told {texts}; it was told {self.machine.api.requests and self.told()}", every=0.05)
        self.status("idle")

    def wait_told_last(self, text: str) -> None:
        wait_until(lambda: bool(self.machine.api.requests) and self.told()[-1].strip() == text, 15, lambda: f"the model to be told {text[:200]!r}; it was told {self.machine.api.requests and self.told()[-1][:200]}", every=0.05)
        self.status("idle")

    def shown(self) -> str:
        return self.window.screen() if hasattr(self, "window") else ""

    def box(self) -> str:
        """The text in the TUI's input line, without blanks."""
        lines = self.shown().splitlines()
        rules = [place for place, line in enumerate(lines) if line.startswith("───")]
        return "".join("".join(line[1:].split()) for line in lines[rules[-2] + 1 : rules[-1]]) if len(rules) > 1 else ""

    def wait_box(self, text: str, timeout: float = 10) -> None:
        wanted = "".join(text.split())
        wait_until(lambda: self.box() == wanted, timeout, lambda: f"{text!r} in the input line:\n{self.shown()}", every=0.05)


WINDOWS: list[Terminal] = []


@pytest.fixture
def hold(machine: Machine, phone: WireClient):
    """`hold(*arguments)`: starts a session in a held terminal; it is ended after the test."""
    yield lambda *arguments, **options: Held(machine, phone, *arguments, **options)
    for entry in machine.agents():
        os.kill(entry["pid"], signal.SIGTERM)
    wait_until(lambda: "None runs" in machine.heliograph("claude", "list").stdout, 20, "all to end")
    while WINDOWS:
        WINDOWS.pop().close()


@pytest.fixture
def held(hold) -> Held:
    return hold()



def test_it_is_left_and_come_back_to_and_its_size_follows(machine, held):
    held.window.type("hello here")
    held.window.wait_screen("hello here")
    held.window.press("Enter")
    held.window.wait_screen("Answered.")
    held.window.type("half typed")
    held.wait_box("half typed")
    held.window.press(LEAVE)
    held.window.wait_screen("it goes on")
    held.window.wait_ended()
    # Claude Code's registry follows the screen with a short delay.
    wait_until(lambda: (held.entry["windows"], held.entry["does"]) == ("0", "idle"), 10, lambda: f"nobody to look at it, and it to be idle: {held.entry}")
    window = held.attach()
    window.wait_screen("half typed")
    # An attaching window draws the whole screen.
    window.wait_screen("Answered.")
    small = Terminal(machine.folder / "small", held.environment, machine.project, columns=70, rows=24)
    WINDOWS.append(small)
    small.run([str(BINARY), "claude", "attach", held.id], held.environment)
    small.wait_screen("half typed")
    wait_until(lambda: held.entry["windows"] == "2", 10, "two windows")
    small.type(" and more")
    window.wait_screen("half typed and more")

    def widths() -> set[int]:
        return {len(line.rstrip()) for line in window.screen().splitlines() if line.startswith("───")}

    wait_until(lambda: widths() == {70}, 10, lambda: f"all as wide as the smallest:\n{window.screen()}")
    small.press(LEAVE)
    small.wait_ended()
    wait_until(lambda: 140 in widths(), 10, window.screen)


def test_it_is_drawn_anew_by_an_agent_that_is_late(held):
    held.window.type("half typed")
    held.wait_box("half typed")
    os.kill(held.agent, signal.SIGSTOP)
    try:
        window = held.attach()
        wait_until(lambda: held.entry["windows"] == "2", 10, "two windows")
        time.sleep(0.5)  # time in which an unwanted change of the terminal's size would reach the agent
    finally:
        os.kill(held.agent, signal.SIGCONT)
    window.wait_screen("half typed")


def test_it_ends_with_the_agent_and_gives_its_status(machine, held):
    held.window.type("/exit")
    held.window.wait_screen("/exit")
    held.window.press("Enter")
    held.window.wait_ended(30)
    assert "None runs" in machine.heliograph("claude", "list").stdout
    held.phone.wait_summary(held.session, lambda summary: summary.get("endedAt"), 30, "the end")


def test_what_is_no_terminal_and_what_cannot_be_is_refused(machine):
    for arguments in (["claude"], ["claude", "attach"], ["claude", "attach", "nobody"]):
        result = machine.heliograph(*arguments, check=False)
        assert result.returncode == 2 and result.stderr.startswith("heliograph: "), result



@pytest.mark.shows("Claude Code, `heliograph claude`", "messages and tools are watched", "hooks: one session")
@pytest.mark.shows("Claude Code, `heliograph claude`", "prompt to an idle agent", "`UserPromptSubmit` with the same text, and its line in the transcript")
@pytest.mark.shows("Claude Code, `heliograph claude`", "the same id twice is one prompt", "typed once")
def test_a_prompt_is_taken_once_with_a_window_and_without(machine, held):
    id = held.prompt("one line\nand another")
    held.taken(id)
    held.status("idle")
    again = held.phone.command("prompt", id=id, session=held.session, text="one line\nand another", busy="queue")
    assert "error" not in again
    held.window.press(LEAVE)
    held.window.wait_ended()
    held.taken(held.prompt("and more"))
    held.status("idle")
    held.wait_told("one line\nand another", "and more")
    wait_until(lambda: held.said() == ["one line\nand another", "and more"], 10, lambda: f"each once: {held.said()}")
    assert held.stages(id) == ["given", "taken"]
    assert len(held.phone.summaries) == 1


@pytest.mark.shows("Claude Code, `heliograph claude`", "a slash is text", "the model's own request")
@pytest.mark.shows("Claude Code, `heliograph claude`", "a prompt of 20 kB", "the model's own request")
def test_text_is_never_taken_for_a_command(machine, held):
    (machine.project / "README").write_text("content of a file\n")
    long = " ".join(f"word{number}" for number in range(2_400))
    assert len(long) > 20_000
    many = "one\ntwo\n\nfour\n  five\nsix\nseven\neight\nnine\nten"
    for text in ("/help", " /quit", "!touch ran", "# a note", "see @README", "@README says what?", "ends with \\", many, "中文 👩‍👩‍👧 é", long):
        held.taken(held.prompt(text), timeout=30)
        held.wait_told_last("> " + text.strip() if text.strip()[0] in "/!" else text.strip())
    assert not (machine.project / "ran").exists()


@pytest.mark.shows("Claude Code, `heliograph claude`", "half-typed text at the terminal stays", "the screen, before and after")
def test_half_typed_text_is_set_aside_and_given_back(machine, held):
    held.window.type("my own thought")
    held.wait_box("my own thought")
    held.taken(held.prompt("from afar"))
    held.status("idle")
    held.wait_box("my own thought")
    held.wait_told("from afar")
    held.window.press("C-s")
    held.wait_box("")
    held.window.type("another one")
    held.wait_box("another one")
    end = held.stage(held.prompt("not now"), *FINAL)
    assert end["stage"] == "refused" and "set aside already" in end["reason"]
    held.wait_box("another one")


@pytest.mark.shows("Claude Code, `heliograph claude`", "prompt to a busy one waits", "`UserPromptSubmit`, after the turn")
def test_while_the_agent_works_a_prompt_waits(machine, held):
    held.work([[{"sleep": 4}, {"text": "Slow answer."}]])
    id = held.prompt("after that")
    held.stage(id, "queued")
    machine.api.script = ANSWERED
    held.taken(id)
    held.status("idle")
    held.wait_told("work", "after that")


IN_THE_BACKGROUND = {
    "a command": {"tool": "Bash", "input": {"command": "sleep 60", "description": "serve", "run_in_background": True}},
    "a subagent": {"tool": "Agent", "input": {"description": "a subtask", "prompt": "SUBTASK please", "subagent_type": "general-purpose"}},
}


@pytest.mark.parametrize("what", IN_THE_BACKGROUND)
def test_while_something_runs_in_the_background_a_prompt_is_taken_at_once(machine, hold, what):
    held = hold("--allowedTools", "Bash")
    machine.api.scripts_by_word["SUBTASK"] = [[{"sleep": 40}, {"text": "The subtask is done."}]]
    held.work([[IN_THE_BACKGROUND[what]], [{"text": "It runs."}], [{"text": "Answered."}]])
    held.window.wait_screen("It runs.")
    id = held.prompt("and what now?")
    held.taken(id)
    held.window.wait_screen("Answered.")


@pytest.mark.shows("Claude Code, `heliograph claude`", "prompt while a dialog is open waits", "`UserPromptSubmit`, after the answer")
@pytest.mark.shows("Claude Code, `heliograph claude`", "allowed by a client", "the file is there, and `PostToolUse`")
def test_with_a_dialog_open_a_prompt_waits_and_the_dialog_is_untouched(machine, held):
    card = held.ask()
    held.window.wait_screen(DIALOG)
    id = held.prompt("1")
    held.stage(id, "queued")
    time.sleep(1.5)  # Nothing must happen, so there is no event to wait for.
    assert held.phone.approvals[card["approval"]]["stage"] == "pending" and not (machine.project / "out.txt").exists()
    held.phone.decide(card["session"], card["approval"], "allow")
    assert machine.wait_file("out.txt") == "hi\n"
    held.taken(id)
    held.status("idle")
    held.wait_told_last("1")



@pytest.mark.shows("Claude Code, `heliograph claude`", "denied by a client", "the approval's outcome, and no file")
@pytest.mark.shows("Claude Code, `heliograph claude`", "the agent reads why it was denied", "the model's own request")
@pytest.mark.shows("Claude Code, `heliograph claude`", "interrupt with an approval open", "refused, and the dialog stays")
def test_denied_from_afar_and_the_model_reads_why(machine, held):
    card = held.ask()
    held.window.wait_screen(DIALOG)
    end = held.stage(held.send("interrupt"), *FINAL)
    assert end["stage"] == "refused" and "deny what it asks" in end["reason"]
    assert held.phone.approvals[card["approval"]]["stage"] == "pending" and DIALOG in held.window.screen()
    held.phone.decide(card["session"], card["approval"], "deny", message="Use another file, please.")
    assert "Use another file" in machine.wait_tool_result("another file")
    held.status("idle")
    assert held.phone.wait_approval(card["approval"], "applied")["outcome"] == "denied"
    assert not (machine.project / "out.txt").exists()


@pytest.mark.shows("Claude Code, `heliograph claude`", "questions answered by a client", "the model is told the answers")
def test_a_question_is_answered_from_afar(machine, held):
    held.work([[{"tool": "AskUserQuestion", "input": {"questions": [QUESTION]}}], [{"text": "Answered."}]])
    held.window.wait_screen(QUESTION["question"])
    card = held.phone.wait_card()
    asked = card["request"]["body"]["questions"]
    held.phone.answer(card["session"], card["approval"], [{"question": asked[0]["id"], "choices": ["Blue"]}])
    assert "Blue" in machine.wait_tool_result("Blue")
    assert held.phone.wait_approval(card["approval"], "applied")["outcome"] == "answered"


@pytest.mark.shows("Claude Code, `heliograph claude`", "answered at the terminal or editor first", "the dialog's own answer")
def test_answered_at_the_terminal_first(machine, held):
    card = held.ask()
    held.window.wait_screen(DIALOG)
    decide(held.window, "Enter")
    assert machine.wait_file("out.txt") == "hi\n"
    closed = held.phone.wait_card(lambda one: one["approval"] == card["approval"] and one["stage"] == "cancelled")
    assert closed["reason"] in ("allowedLocally", "answeredLocally"), closed
    held.status("idle")


@pytest.mark.shows("Claude Code, `heliograph claude`", "always allow, by the agent's own offer", "the rule in its settings, and no second question")
def test_what_is_allowed_always_from_afar_is_not_asked_again(machine, held):
    run = {"tool": "Bash", "input": {"command": "npm test", "description": "Run the tests"}}
    held.work([[run], [run], [{"text": "Answered."}]])
    card = held.phone.wait_card()
    (offer,) = card["request"]["head"]["offers"]
    held.phone.decide(card["session"], card["approval"], "allow", offer=offer["id"])
    held.status("idle")
    settings = json.loads((machine.project / ".claude/settings.local.json").read_text())
    assert settings["permissions"]["allow"] == [offer["rule"]] == ["Bash(npm test *)"]
    assert len(held.phone.approvals) == 1, "the second ran without a question"


@pytest.mark.shows("Claude Code, `heliograph claude`", "a tool's server asks (elicitation)", "the server's own word, where nobody types")
def test_what_a_server_of_tools_asks_is_answered_from_afar_though_the_prompt_was_typed_just_now(machine, hold):
    held = hold(*arguments(machine))
    held.work(SHIP)
    card = held.phone.wait_card()
    held.phone.answer(card["session"], card["approval"], ANSWERS)
    machine.wait_tool_result(ACCEPTED, 30)
    assert outcome(held.phone, card) == ("applied", "answered")
    held.status("idle")


@pytest.mark.shows("Claude Code, `heliograph claude`", "both at once", "the transcript says whose it was")
def test_both_at_once(machine, held):
    card = held.ask()
    held.window.wait_screen(DIALOG)
    decide_at_once(machine, held.phone, card, held.window.press, "allow", "4", 0)


@pytest.mark.shows("Claude Code, `heliograph claude`", "the relay is killed or away", "the question is there again")
def test_the_relay_is_killed_with_a_question_open(machine, held, relay, client):
    card = held.ask()
    held.window.wait_screen(DIALOG)
    relay.kill()
    relay.start()
    allowed_after_a_restart(machine, held, client(relay, "Ada's phone", token=held.phone.token), card)


def test_while_a_view_or_a_menu_is_open_nothing_is_typed(machine, held):
    held.taken(held.prompt("hello"))
    held.status("idle")
    held.window.press("C-o")
    held.window.wait_screen("detailed transcript")
    end = held.stage(held.prompt("not now"), *FINAL, timeout=30)
    assert end["stage"] == "refused" and "view" in end["reason"]
    held.window.press("C-o")
    held.window.wait_gone("detailed transcript")
    held.taken(held.prompt("now"))
    held.status("idle")
    held.wait_told("hello", "now")


def test_somebody_who_types_is_not_interrupted_and_both_texts_stay_whole(machine, held):
    words = "the quick brown fox jumps over the lazy dog "
    id = None
    for number, letter in enumerate(words * 2):
        held.window.type(letter)
        if number == 20:
            id = held.prompt("from afar while somebody types")
        time.sleep(0.05)  # The pace of a person's typing.
    held.taken(id, 30)
    held.status("idle")
    held.wait_box(words * 2)
    held.wait_told("from afar while somebody types")



@pytest.mark.shows("Claude Code, `heliograph claude`", "interrupt in text", "the transcript's line")
def test_interrupted(machine, held):
    held.work([[{"text": "Begun.\n"}, {"sleep": 30}, {"text": "Done."}], [{"text": "Done."}]])
    # Before the answer's first text an interrupt would move the prompt back to the input line and record nothing.
    held.window.wait_screen("Begun.")
    held.taken(held.send("interrupt"), timeout=15)
    held.status("idle")
    again = held.stage(held.send("interrupt"), *FINAL)
    assert (again["stage"], "nothing runs" in again["reason"]) == ("refused", True)
    machine.api.script = ANSWERED
    held.taken(held.prompt("go on"))
    held.status("idle")
    held.wait_told_last("go on")


@pytest.mark.shows("Claude Code, `heliograph claude`", "interrupt in a tool", "the transcript's line, and its command has ended")
def test_interrupted_while_a_tool_runs(machine, hold):
    held = hold(*ALLOWED)
    held.work([[LONG], [{"text": "Never."}]])
    held.runs_long()
    held.taken(held.send("interrupt"), timeout=15)
    held.runs_no_more()
    held.status("idle")
    assert not held.phone.approvals and "Never." not in held.window.screen()
    machine.api.script = ANSWERED
    held.taken(held.prompt("go on"))
    held.wait_told_last("go on")


@pytest.mark.shows("Claude Code, `heliograph claude`", "mode", "what its screen says")
def test_modes(machine, held):
    held.phone.wait_summary(held.session, lambda summary: "mode" in summary["steering"]["actions"], what="modes to be offered")
    for mode, shown in (("plan", "plan mode on"), ("acceptEdits", "accept edits on"), ("default", "manual mode on")):
        held.taken(held.send("mode", mode=mode))
        held.window.wait_screen(shown)
    freer = held.phone.command("mode", session=held.session, mode="bypassPermissions")
    assert freer["error"]["code"] == "unsupported"


@pytest.mark.shows("Claude Code, `heliograph claude`", "session ended by a client", "its process has ended")
def test_stopped_from_afar(machine, held):
    held.taken(held.prompt("remember this"))
    held.status("idle")
    held.taken(held.send("stop"), 30)
    held.window.wait_ended(30)
    held.phone.wait_summary(held.session, lambda summary: summary.get("endedAt"), 30, "the end")


def test_two_at_once_are_steered_each(machine, held, hold):
    other = hold(name="second")
    assert held.session != other.session and len(held.listed()) == 2
    held.taken(held.prompt("for the first"))
    held.wait_told("for the first")
    other.taken(other.prompt("for the second"))
    other.wait_told("for the second")
    held.window.wait_screen("for the first")
    assert "for the second" not in held.window.screen()



@pytest.mark.shows("Claude Code, `heliograph claude`", "the agent is killed", "its process is gone")
def test_the_holder_is_killed_and_the_session_ends(machine, held):
    held.work([[{"sleep": 30}, {"text": "Never."}]])
    id = held.prompt("never given")
    held.stage(id, "queued")
    os.kill(held.holder, signal.SIGKILL)
    held.window.wait_screen("claude --resume", 20)
    end = held.stage(id, *FINAL, timeout=40)
    assert end["stage"] == "refused"
    held.phone.wait_summary(held.session, lambda summary: summary.get("endedAt"), 40, "the end")
    assert "None runs" in machine.heliograph("claude", "list").stdout


@pytest.mark.shows("Claude Code, `heliograph claude`", "the host's daemon is killed", "the holder tells the next daemon")
def test_our_daemon_is_killed_and_the_session_goes_on_and_is_steered_again(machine, held):
    held.taken(held.prompt("before"))
    held.status("idle")
    before = list(held.phone.logs[held.session])
    machine.kill_daemon()
    held.window.type("typed meanwhile")
    held.wait_box("typed meanwhile")
    machine.start_daemon()
    held.phone.wait_event(
        held.session,
        lambda event: event["kind"] == "steering.offered" and "prompt" in event["head"]["actions"] and event not in before, 30, "a new offer",
    )
    held.taken(held.prompt("after"), 30)
    held.status("idle")
    held.wait_told("before", "after")
    held.wait_box("typed meanwhile")


def test_a_dialog_that_no_adapter_knows_is_answered_from_the_page(hold, screen):
    """The dialog is Claude Code's menu of models, which Claude Code does not report and for which there is no approval."""
    session = hold()
    one = screen(role="operator")
    view = opened(one, session.session)
    expect(rows(view)).to_contain_text("manual mode on")
    begin_typing(view)
    view.get_by_label("Text to type at the terminal").fill("/model")
    view.get_by_role("button", name="Type", exact=True).click()
    session.wait_box("/model")
    view.get_by_role("button", name="Enter", exact=True).click()
    session.window.wait_screen("Select model")
    expect(rows(view)).to_contain_text("Select model")
    view.get_by_role("button", name="Down", exact=True).click()
    view.get_by_role("button", name="Enter", exact=True).click()
    session.window.wait_gone("Select model")
    expect(rows(view)).to_contain_text("Set model to")
    session.prompt("go on")
    session.wait_told_last("go on")
