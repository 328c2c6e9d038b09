"""The real Claude Code, run by `heliograph run` and steered by a phone, and steering as far as hooks alone allow.

The tests compare the model's input and the executed tools with the outcome shown on the phone.
"""

import base64
import os
import signal
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from claude import MODEL, Machine, claude_program
from client import WireClient
from consent import Shown
from pictures import bring, named, png
from relay import BINARY
from steered import FINAL, Steered, allowed_after_a_restart, phone  # noqa: F401 (a fixture)
from trusting import trust_client
from waits import patient, wait_until

pytestmark = pytest.mark.agent

ANSWERED = [[{"text": "Answered."}]]
WRITE = {"tool": "Bash", "input": {"command": "echo hi > out.txt", "description": "Create out.txt"}}
# The file is in the project, because Claude Code asks about paths outside whatever the command's rule says.
LONG = {"tool": "Bash", "input": {"command": "tail -F never.txt", "description": "Wait"}}
ALLOWED = ["--allowedTools", "Bash(tail *)"]


class Run(Steered):
    """A session of `heliograph run`, and the phone's commands to it."""

    def __init__(self, machine: Machine, phone: WireClient, *arguments: str, terminal: bool = False, run: tuple[str, ...] = ()):
        self.machine = machine
        self.program: subprocess.Popen[bytes] | None = None
        machine.api.script = ANSWERED
        mode = [] if "--permission-mode" in arguments else ["--permission-mode", "manual"]
        command = [str(BINARY), "run", *run, "--", str(claude_program()), "--model", MODEL, *mode, *arguments]
        if terminal:
            machine.terminal.run(command, machine.environment)
        else:
            self.log = (machine.folder / "run.log").open("wb")
            self.program = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, cwd=machine.project, env=machine.environment
            )
        wait_until(lambda: phone.summaries, 30, lambda: f"a session. {self.shown()}")
        super().__init__(phone, next(iter(phone.summaries)), machine.api)
        phone.subscribe(self.session)
        self.offered("prompt")

    def shown(self) -> str:
        return self.machine.screen() if self.program is None else (self.machine.folder / "run.log").read_text(errors="replace")

    @property
    def name(self) -> str:
        return self.session.removeprefix("claude-")

    @property
    def agent(self) -> int:
        return self.machine.agent(self.session)

    def end(self) -> int:
        """Ends the program by SIGTERM, like a machine's shutdown; returns its exit status."""
        assert self.program
        self.program.terminate()
        return self.program.wait(patient(20))

    def work(self, script: Any, text: str = "work") -> None:
        self.machine.api.script = script
        self.begin(text)

    def ask(self) -> dict[str, Any]:
        """Sends a prompt that causes an approval; returns its card."""
        self.work([[WRITE], [{"text": "Answered."}]])
        return self.phone.wait_card()

    def told(self) -> list[str]:
        return self.machine.told()

    def _long(self) -> list[str]:
        """The processes of the long-running command."""
        return [path for path in map(str, Path("/proc").glob("[0-9]*")) if _runs(path, "tail\0-F\0never.txt\0", self.machine.project)]

    def runs_long(self) -> None:
        """Waits until the long-running command runs, without an approval."""
        wait_until(self._long, 20, lambda: f"the command to run. {self.shown()}")

    def runs_no_more(self) -> None:
        wait_until(lambda: not self._long(), 10, lambda: f"the command to end. {self.shown()}")


def _runs(process: str, command: str, folder: Path) -> bool:
    try:
        return Path(process, "cmdline").read_text() == command and os.readlink(f"{process}/cwd") == str(folder)
    except OSError:  # The process has ended meanwhile.
        return False


@pytest.fixture
def steer(machine: Machine, phone: WireClient):
    """`steer(*arguments)`: starts a session with `heliograph run`; it is ended after the test."""
    made: list[Run] = []

    def make(*arguments: str, **options: Any) -> Run:
        made.append(Run(machine, phone, *arguments, **options))
        return made[-1]

    yield make
    for one in made:
        if one.program and one.program.poll() is None:
            one.end()


@pytest.fixture
def steered(steer) -> Run:
    return steer()


def run(machine: Machine, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(BINARY), "run", "--", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=machine.project, env=machine.environment, timeout=patient(30)
    )



def model_pictures(machine: Machine) -> list[bytes]:
    """The person's pictures in the last request to the model."""
    parts = [part for message in machine.api.requests[-1]["messages"] if isinstance(message["content"], list) for part in message["content"]]
    return [base64.b64decode(part["source"]["data"]) for part in parts if part["type"] == "image"]


@pytest.mark.shows("Claude Code, `heliograph run`", "messages and tools are watched", "hooks: one session")
@pytest.mark.shows("Claude Code, `heliograph run`", "prompt to an idle agent", "it repeats the line under our `uuid`")
@pytest.mark.shows("Claude Code, `heliograph run`", "the same id twice is one prompt", "one line")
def test_a_prompt_is_taken_once_and_the_session_is_one(machine, steered):
    id = steered.prompt("one line\nand another")
    steered.taken(id)
    steered.status("idle")
    again = steered.phone.command("prompt", id=id, session=steered.session, text="one line\nand another", busy="queue")
    assert "error" not in again
    steered.taken(steered.prompt("and more"))
    steered.status("idle")
    assert steered.told() == ["one line\nand another", "and more"]
    assert steered.said() == ["one line\nand another", "and more"], "each once"
    assert steered.stages(id) == ["given", "taken"]
    assert len(steered.phone.summaries) == 1, "what hooks tell and what is steered is one session"
    assert [event["body"]["text"] for event in steered.phone.logs[steered.session] if event["kind"] == "message" and event["head"]["role"] == "assistant"] == ["Answered."] * 2
    assert steered.end() == 0
    steered.phone.wait_summary(steered.session, lambda summary: summary.get("endedAt"), what="the end")


@pytest.mark.shows("Claude Code, `heliograph run`", "a slash is text", "the model's own request")
@pytest.mark.shows("Claude Code, `heliograph run`", "a prompt of 20 kB", "the model's own request")
def test_text_is_never_taken_for_a_command(machine, steered):
    (machine.project / "README").write_text("content of a file\n")
    long = "".join(f"line {number}\n" for number in range(2_500)) + "the end"
    assert len(long) > 20_000
    for text in ("/help", " /quit", "/compact now", "!touch ran", "# a note", "@README says what?", long):
        steered.taken(steered.prompt(text))
        steered.status("idle")
        assert steered.told()[-1].strip() == text.strip()
    assert not (machine.project / "ran").exists()


def test_a_command_of_the_agents_own_is_run_where_it_is_offered(machine, steered):
    commands = steered.offered("prompt")["commands"]
    assert "/context" in commands and "/model" not in commands
    steered.taken(steered.prompt("hello"))
    steered.status("idle")
    asked = len(machine.api.requests)
    steered.taken(steered.prompt("/context", command=True))
    steered.status("idle")
    assert len(machine.api.requests) == asked, "it was no prompt for the model"
    refused = steered.phone.command("prompt", session=steered.session, text="/model haiku", command=True, busy="queue")
    end = refused if "error" in refused else steered.stage(refused["id"], *FINAL)
    assert "error" in end or end["stage"] == "refused"


@pytest.mark.shows("Claude Code, `heliograph run`", "prompt to a busy one waits", "our `uuid`, after the turn")
def test_while_the_agent_works_a_prompt_waits(machine, steered):
    steered.work([[{"sleep": 4}, {"text": "Slow answer."}]])
    id = steered.prompt("after that")
    steered.stage(id, "queued")
    withdrawn = steered.prompt("never")
    steered.stage(withdrawn, "queued")
    refused = steered.stage(steered.prompt("now or never", busy="refuse"), *FINAL)
    assert refused["stage"] == "refused"
    steered.phone.command("withdraw", session=steered.session, client=steered.changes(id)[0]["client"], command=withdrawn)
    assert steered.stage(withdrawn, *FINAL)["stage"] == "withdrawn"
    machine.api.script = ANSWERED
    steered.taken(id)
    steered.status("idle")
    assert steered.told() == ["work", "after that"]
    assert steered.stages(id) == ["queued", "given", "taken"]


@pytest.mark.shows("Claude Code, `heliograph run`", "prompt while a dialog is open waits", "our `uuid`, after the answer")
def test_with_a_permission_open_a_prompt_waits_and_the_permission_is_untouched(machine, steered):
    card = steered.ask()
    id = steered.prompt("yes")
    steered.stage(id, "queued")
    assert steered.phone.approvals[card["approval"]]["stage"] == "pending" and not (machine.project / "out.txt").exists()
    steered.phone.decide(card["session"], card["approval"], "deny")
    steered.taken(id)
    steered.status("idle")
    assert steered.told()[-1] == "yes" and not (machine.project / "out.txt").exists()



@pytest.mark.parametrize("decision", ["allow", "deny"])
@pytest.mark.shows("Claude Code, `heliograph run`", "allowed by a client", "the file is there, and `PostToolUse`")
@pytest.mark.shows("Claude Code, `heliograph run`", "denied by a client", "the transcript's `toolDenialKind`")
@pytest.mark.shows("Claude Code, `heliograph run`", "the agent reads why it was denied", "the model's own request")
def test_a_permission_is_decided_from_afar(machine, steered, decision):
    trust_client(machine, steered.phone)
    card = steered.ask()
    assert Shown(card["request"]).event["body"]["input"] == WRITE["input"]
    more = {"message": "Use another file, please."} if decision == "deny" else {}
    steered.phone.decide(card["session"], card["approval"], decision, **more)
    if decision == "allow":
        assert machine.wait_file("out.txt") == "hi\n"
    else:
        assert "Use another file" in machine.wait_tool_result("another file")
    steered.status("idle")
    assert steered.phone.wait_approval(card["approval"], "applied")["outcome"] == {"allow": "ran", "deny": "denied"}[decision]
    assert len(steered.phone.approvals) == 1, "asked once, though hook and control line both ask"
    assert (machine.project / "out.txt").exists() == (decision == "allow")


@pytest.mark.parametrize("choice", ["1", "2 not that one"])
@pytest.mark.shows("Claude Code, `heliograph run`", "answered at the terminal or editor first", "the answer on its way")
def test_a_permission_is_answered_where_it_runs(machine, steer, choice):
    steered = steer(terminal=True)
    card = steered.ask()
    machine.wait_screen("asks for permission")
    machine.type(choice)
    machine.press("Enter")
    if choice == "1":
        machine.wait_file("out.txt")
    else:
        machine.wait_tool_result("not that one")
    steered.status("idle")
    final = steered.phone.wait_card(lambda one: one["approval"] == card["approval"] and one["stage"] in ("applied", "cancelled", "stale"))
    # On a busy machine Claude Code's registry may report work before its hook reports what ran; then only the answer is known.
    reasons = {"allowedLocally", "answeredLocally"} if choice == "1" else {"deniedLocally"}
    assert final["stage"] == "cancelled" and final.get("reason") in reasons, final
    assert (machine.project / "out.txt").exists() == (choice == "1")


def test_who_sits_there_types_prompts_and_reads_the_answers(machine, steer):
    steered = steer(terminal=True)
    machine.type("typed here")
    machine.press("Enter")
    machine.wait_screen("Answered.")
    steered.status("idle")
    steered.taken(steered.prompt("from afar"))
    machine.wait_screen("Ada's phone: from afar")
    steered.status("idle")
    assert steered.said() == ["typed here", "from afar"]
    machine.press("C-d")
    machine.wait_screen("claude --resume " + steered.name)
    steered.phone.wait_summary(steered.session, lambda summary: summary.get("endedAt"), what="the end")


def test_nobody_decides_and_it_is_denied(machine, steer, relay):
    steered = steer(run=("--wait", "4"))
    steered.machine.api.script = [[WRITE], [{"text": "Answered."}]]
    steered.taken(steered.prompt("work"))
    relay.kill()
    assert "nobody decided in time" in machine.wait_tool_result("rejected", 30)
    relay.start()
    assert not (machine.project / "out.txt").exists()


@pytest.mark.shows("Claude Code, `heliograph run`", "the relay is killed or away", "it waits, and is denied in the end")
def test_with_the_relay_away_it_waits_and_is_decided_when_it_is_back(machine, steered, relay, client):
    card = steered.ask()
    relay.kill()
    relay.start()
    allowed_after_a_restart(machine, steered, client(relay, "Ada's phone", token=steered.phone.token), card)



@pytest.mark.parametrize("what", ["text", "tool", "permission"])
@pytest.mark.shows("Claude Code, `heliograph run`", "interrupt in text", "`result`")
@pytest.mark.shows("Claude Code, `heliograph run`", "interrupt in a tool", "`result`, and its command has ended")
@pytest.mark.shows("Claude Code, `heliograph run`", "interrupt with an approval open", "`result`, and the approval is cancelled")
def test_interrupted(machine, steer, what):
    steered = steer(*ALLOWED)
    script = {"text": [{"text": "Begun.\n"}, {"sleep": 30}, {"text": "Done."}], "tool": [LONG], "permission": [WRITE]}[what]
    steered.work([script, [{"text": "Done."}]])
    if what == "tool":
        steered.runs_long()
    if what == "permission":
        steered.phone.wait_card()
    steered.taken(steered.send("interrupt"), timeout=15)
    steered.status("idle")
    if what == "tool":
        steered.runs_no_more()
    assert bool(steered.phone.approvals) == (what == "permission") and not (machine.project / "out.txt").exists()
    again = steered.stage(steered.send("interrupt"), *FINAL)
    assert (again["stage"], "nothing runs" in again["reason"]) == ("refused", True)
    machine.api.script = ANSWERED
    steered.taken(steered.prompt("go on"))
    steered.status("idle")
    assert steered.told()[-1] == "go on"


@pytest.mark.shows("Claude Code, `heliograph run`", "mode", "`control_response`")
@pytest.mark.shows("Claude Code, `heliograph run`", "model", "`control_response`")
def test_modes_and_models(machine, steered):
    offer = steered.offered("mode")
    assert offer["modes"] == ["default", "acceptEdits", "plan"], "none that asks nobody"
    steered.taken(steered.send("mode", mode="acceptEdits"))
    steered.phone.wait_summary(steered.session, lambda summary: summary["steering"].get("mode") == "acceptEdits", what="the mode")
    freer = steered.phone.command("mode", session=steered.session, mode="bypassPermissions")
    assert freer["error"]["code"] == "unsupported"
    edit = {"tool": "Write", "input": {"file_path": str(machine.project / "new.txt"), "content": "fresh\n"}}
    steered.work([[edit], [{"text": "Answered."}]])
    machine.wait_file("new.txt")
    steered.status("idle")
    assert not steered.phone.approvals
    model = next(model for model in offer["models"] if "haiku" in model)
    steered.taken(steered.send("model", model=model))
    machine.api.script = ANSWERED
    steered.taken(steered.prompt("go on"))
    steered.status("idle")
    assert "haiku" in machine.api.requests[-1]["model"]


@pytest.mark.shows("Claude Code, `heliograph run`", "session ended by a client", "its process has ended")
@pytest.mark.shows("Claude Code, `heliograph run`", "taken over at the terminal and resumed", "one session, resumed")
def test_stopped_from_afar_and_taken_over_at_the_terminal(machine, steered):
    steered.taken(steered.prompt("remember this"))
    steered.status("idle")
    live = run(machine, str(claude_program()), "--resume", steered.name)
    assert live.returncode == 2 and "open in another program" in live.stderr
    steered.taken(steered.send("stop"))
    assert steered.program and steered.program.wait(patient(20)) == 0
    steered.phone.wait_summary(steered.session, lambda summary: summary.get("endedAt"), what="the end")
    machine.start_claude(ANSWERED, arguments=["--resume", steered.name])
    machine.prompt("go on here")
    wait_until(lambda: "go on here" in steered.told(), 20, "the model to be told")
    assert "remember this" in steered.told()
    resumed = steered.phone.wait_event(steered.session, lambda event: event["kind"] == "session.started" and event["head"].get("resumed"))
    assert resumed
    steered.phone.wait_summary(steered.session, at_its_own_screen, what="what a terminal allows")


@pytest.mark.shows("Claude Code, `heliograph run`", "taken over while it runs", "one of the two has it open, and the model has its past")
def test_opened_at_the_terminal_while_it_works_it_goes_on_there_alone(machine, steered):
    steered.taken(steered.prompt("remember this"))
    steered.status("idle")
    steered.work([[{"sleep": 30}, {"text": "Never."}]])
    machine.api.script = ANSWERED
    machine.start_claude(ANSWERED, arguments=["--resume", steered.name])
    # The exit status depends on whether a turn was interrupted.
    assert steered.program and steered.program.wait(patient(20)) in (0, 1), "two that write one session lose what one of them wrote"
    assert "has opened this session" in steered.shown()
    assert len([one for one in machine.agents() if one["sessionId"] == steered.name]) == 1
    machine.prompt("go on here")
    wait_until(lambda: "go on here" in steered.told() and "remember this" in steered.told(), 20, "the model to be told")
    steered.phone.wait_summary(steered.session, at_its_own_screen, 20, "what a terminal allows")
    assert not steered.phone.summaries[steered.session].get("endedAt")


def test_a_session_is_taken_over_from_the_terminal(machine, phone, steer):
    machine.start_claude(ANSWERED)
    machine.prompt("begun here")
    machine.wait_screen("Answered.")
    wait_until(lambda: phone.summaries, 15, "a session")
    session = next(iter(phone.summaries))
    machine.terminal.close()
    phone.wait_summary(session, lambda summary: summary.get("endedAt"), 20, "the end")
    steered = steer("--resume", session.removeprefix("claude-"))
    assert steered.session == session
    steered.taken(steered.prompt("go on from afar"))
    steered.status("idle")
    assert steered.told() == ["begun here", "go on from afar"]


def at_its_own_screen(summary: dict[str, Any]) -> bool:
    """The actions that a session in Claude Code's own TUI offers."""
    offer = summary.get("steering") or {}
    return "stop" not in offer.get("actions", []) and "interrupt" in offer.get("actions", []) and "heliograph run" in offer.get("reason", "")



@pytest.mark.shows("Claude Code, `heliograph run`", "the agent is killed", "its process is gone")
def test_the_agent_is_killed(machine, steered):
    steered.work([[{"sleep": 30}, {"text": "Never."}]])
    id = steered.prompt("never given")
    steered.stage(id, "queued")
    os.kill(steered.agent, signal.SIGKILL)
    assert steered.program and steered.program.wait(patient(20)) == 137
    end = steered.stage(id, *FINAL, timeout=40)
    assert end["stage"] == "refused"
    assert steered.phone.wait_summary(steered.session, lambda summary: summary.get("endedAt"), 40, "the end")["status"] == "failed"


def test_heliograph_run_is_killed_and_nothing_more_is_given(machine, steered):
    steered.work([[{"sleep": 3}, {"text": "Slow answer."}]])
    id = steered.prompt("never given")
    steered.stage(id, "queued")
    assert steered.program
    steered.program.kill()
    steered.program.wait()
    end = steered.stage(id, *FINAL, timeout=40)
    assert end["stage"] == "refused"
    steered.phone.wait_summary(steered.session, lambda summary: summary.get("endedAt"), 40, "the agent to end by itself")
    assert "never given" not in steered.told()


@pytest.mark.shows("Claude Code, `heliograph run`", "the host's daemon is killed", "the program tells the next daemon")
def test_our_daemon_is_killed_and_the_session_is_steered_again(machine, steered):
    steered.work([[{"sleep": 4}, {"text": "Slow answer."}]])
    id = steered.prompt("never given")
    steered.stage(id, "queued")
    before = list(steered.phone.logs[steered.session])
    machine.kill_daemon()
    machine.start_daemon()
    end = steered.stage(id, *FINAL, timeout=40)
    assert (end["stage"], "restarted" in end["reason"]) == ("refused", True)
    machine.api.script = ANSWERED
    seen = len(before)
    steered.phone.wait_event(
        steered.session,
        lambda event: event["kind"] == "steering.offered" and "prompt" in event["head"]["actions"] and event not in before, 20, "a new offer",
    )
    assert all(event["head"]["actions"] != ["interrupt", "askAll"] for event in steered.phone.logs[steered.session][seen:] if event["kind"] == "steering.offered")
    steered.status("idle")
    given = steered.prompt("given")
    steered.taken(given, 30)
    steered.status("idle")
    assert steered.told()[-1] == "given" and "never given" not in steered.told()


def test_the_relay_is_killed_with_a_prompt_waiting_and_the_prompt_is_taken_once(machine, steered, relay, client):
    steered.work([[{"sleep": 4}, {"text": "Slow answer."}]])
    id = steered.prompt("after that")
    steered.stage(id, "queued")
    machine.api.script = ANSWERED
    token = steered.phone.token
    relay.kill()
    relay.start()
    phone = client(relay, "Ada's phone", token=token)
    phone.subscribe()
    phone.subscribe(steered.session)
    steered.phone = phone
    steered.taken(id, timeout=40)
    steered.status("idle")
    assert steered.told() == ["work", "after that"] and steered.said().count("after that") == 1



@pytest.mark.shows("Claude Code, its own screen", "interrupt in a tool", "the hook stops it at its next tool")
def test_plain_claude_can_be_interrupted_at_its_next_tool_and_says_how_to_start_it_otherwise(machine, phone):
    machine.start_claude([[{"sleep": 3}, WRITE], [{"text": "Never."}]])
    machine.prompt("please work")
    wait_until(lambda: phone.summaries, 15, "a session")
    session = next(iter(phone.summaries))
    phone.subscribe(session)
    offer = phone.wait_summary(session, lambda summary: (summary.get("steering") or {}).get("actions"), what="an offer")["steering"]
    assert "interrupt" in offer["actions"] and "mode" not in offer["actions"] and "heliograph run -- claude" in offer["reason"]
    refused = phone.command("stop", session=session)
    assert refused["error"]["code"] == "unsupported"
    phone.wait_summary(session, lambda summary: summary["status"] == "running")
    reply = phone.command("interrupt", id="i1", session=session)
    assert reply.get("delivery") == "sent", reply
    end = phone.wait_event(session, lambda event: event["kind"] == "steering.changed" and event["head"]["stage"] in FINAL, 30, "the outcome")
    assert end["head"]["stage"] == "taken", end
    assert not (machine.project / "out.txt").exists() and not phone.approvals
    phone.wait_summary(session, lambda summary: summary["status"] == "idle")
    machine.wait_screen("Interrupted remotely by Ada's phone")


@pytest.mark.shows("Claude Code, its own screen", "prompt to an idle agent", "`UserPromptSubmit`, as a message of another session, and its line in the transcript")
@pytest.mark.shows("Claude Code, its own screen", "prompt to a busy one waits", "`UserPromptSubmit`, after the turn")
@pytest.mark.shows("Claude Code, its own screen", "prompt while a dialog is open waits", "`UserPromptSubmit`, after the answer")
@pytest.mark.shows("Claude Code, its own screen", "half-typed text at the terminal stays", "the screen, before and after")
@pytest.mark.shows("Claude Code, its own screen", "a slash is text", "the model's own request")
@pytest.mark.shows("Claude Code, its own screen", "a prompt of 20 kB", "the model's own request")
@pytest.mark.shows("Claude Code, its own screen", "the same id twice is one prompt", "one message")
def test_plain_claude_is_given_prompts_as_messages_of_another_session(machine, phone):
    machine.start_claude(ANSWERED)
    machine.type("half a thought")
    wait_until(lambda: phone.summaries, 15, "a session")
    steered = Steered(phone, next(iter(phone.summaries)), machine.api)
    phone.subscribe(steered.session)
    assert "message of another session" in steered.offered("prompt")["reason"]
    steered.status("idle")
    for text in ("one line\nand another", "/help", "!touch ran", "# a note", "@README says what?", "word " * 4_000 + "the end"):
        id = steered.prompt(text)
        steered.taken(id)
        assert all("as a message of another session" == change["reason"] for change in steered.changes(id))
        steered.status("idle")
        told = machine.told()[-1]
        assert told.startswith("Another Claude session sent a message:") and text in told, told
        assert steered.said()[-1] == text
    assert not (machine.project / "ran").exists()
    steered.phone.command("prompt", id="s1", session=steered.session, text="one line\nand another", busy="queue")
    assert "half a thought" in machine.screen()

    machine.api.script = [*ANSWERED * 6, [WRITE], [{"text": "Answered."}]]
    steered.taken(steered.prompt("write it"))
    card = phone.wait_card()
    id = steered.prompt("yes, allow it")
    steered.stage(id, "queued")
    assert not (machine.project / "out.txt").exists()
    phone.decide(card["session"], card["approval"], "deny")
    steered.taken(id)
    steered.status("idle")
    assert not (machine.project / "out.txt").exists() and steered.stages(id) == ["queued", "given", "taken"]
    assert steered.said().count("one line\nand another") == 1 and "half a thought" in machine.screen()


def test_plain_claude_is_given_a_prompt_while_a_command_runs_in_the_background(machine, phone):
    serve = {"tool": "Bash", "input": {"command": "sleep 60", "description": "serve", "run_in_background": True}}
    machine.start_claude([[serve], [{"text": "It runs."}], [{"text": "Answered."}]], arguments=["--allowedTools", "Bash"])
    machine.prompt("serve it")
    machine.wait_screen("It runs.")
    steered = Steered(phone, next(iter(phone.summaries)), machine.api)
    phone.subscribe(steered.session)
    steered.status("idle")
    steered.taken(steered.prompt("and what now?"))
    machine.wait_screen("Answered.")


def test_what_a_turn_cost_is_told_at_its_end(machine, steered):
    steered.taken(steered.prompt("hello"))
    steered.status("idle")
    steered.phone.wait_summary(steered.session, lambda summary: summary.get("costMicroUSD", 0) > 0 and not summary.get("endedAt"), 15, "what it cost")



@pytest.mark.parametrize("arguments", [["-p", "hello"], ["--session-id", "x"], ["--continue"]])
def test_what_would_make_it_another_session_is_refused(machine, arguments):
    result = run(machine, str(claude_program()), *arguments)
    assert result.returncode == 2 and result.stderr.startswith("heliograph: ")


def test_other_programs_and_missing_ones(machine):
    assert run(machine, "bash").returncode == 2
    missing = run(machine, "/nowhere/claude")
    assert missing.returncode == 127, missing.stderr



@pytest.mark.shows("Claude Code, `heliograph run`", "pictures in a prompt", "the model's own request: the same bytes")
def test_pictures_reach_the_model_with_their_prompt(machine, steered, relay, phone):
    pictures = [png(), png(9, 7)]
    for picture in pictures:
        assert bring(relay, phone.token, steered.session, picture).status == 200
    id = steered.prompt("/what is this?", pictures=[named(picture) for picture in pictures])
    steered.taken(id)
    steered.status("idle")
    assert model_pictures(machine) == pictures
    assert any("/what is this?" in text for text in steered.told())
    assert steered.stages(id) == ["given", "taken"]
    # The hook reports a prompt's text without its pictures.
    assert [text.strip() for text in steered.said()] == ["/what is this?"]
    # A repeated prompt has no effect.
    again = phone.command("prompt", id=id, session=steered.session, text="/what is this?", busy="queue", pictures=[named(picture) for picture in pictures])
    assert "error" not in again and steered.stages(id) == ["given", "taken"]


def test_what_is_not_kept_any_more_is_not_given_without_it(machine, steered, relay, phone):
    picture = png()
    assert bring(relay, phone.token, steered.session, picture).status == 200
    steered.work([[{"sleep": 2}, {"text": "Done."}]])
    id = steered.prompt("look at this", pictures=[named(picture)])
    steered.stage(id, "queued")
    with sqlite3.connect(relay.data / "heliograph.sqlite") as database:
        database.execute("DELETE FROM pictures")
    end = steered.stage(id)
    assert (end["stage"], end["reason"]) == ("refused", "the picture is not there any more")
    steered.status("idle")
    assert "look at this" not in steered.told()
