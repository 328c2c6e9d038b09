"""Any program can be steered by clients: over the host's local socket, or with the commands `steering` and `steered`."""

import base64
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from typing import Any

import pytest

from client import WireClient
from daemon import Daemon
from own_agent import Asking, command, connect, end, environment, event, post, question, send
from pictures import bring, named, png
from relay import ROOT
from steered import Steered, phone  # noqa: F401 (a fixture)
from waits import patient, wait_until

PAGE = ROOT / "Sources/HeliographServer/HeliographServer.docc/Agents.md"
OFFER = {"actions": ["prompt", "interrupt", "stop"]}


class Program(Steered):
    """The steerable session `local-s1`, and the phone's commands to it."""

    patience = 50

    def __init__(self, daemon: Daemon, phone: WireClient, session: str = "s1"):
        super().__init__(phone, f"local-{session}")
        self.daemon, self.name = daemon, session

    def stands(self, standing: str = "idle", offer: Any = None) -> None:
        body = {"session": self.name, "offer": offer or OFFER, "standing": standing}
        assert post(self.daemon.socket, "steering", body) == (200, {})

    def watched(self) -> "Program":
        self.stands()
        self.offers(*OFFER["actions"])
        self.phone.subscribe(self.session)
        return self

    def waits(self) -> Asking:
        return Asking(self.daemon, {"session": self.name}, "steering/next")

    def tell(self, asked: Any, stage: str, **more: Any) -> None:
        body = {"session": self.name, "client": asked["by"]["id"], "command": asked["id"], "stage": stage} | more
        assert post(self.daemon.socket, "steered", body) == (200, {})

    def send(self, type: str = "prompt", id: str | None = None, **fields: Any) -> str:
        return super().send(type, id, **({"text": "go on"} | fields if type == "prompt" else fields))


@pytest.fixture
def program(daemon: Daemon, phone: WireClient) -> Program:
    return Program(daemon, phone).watched()


@pytest.mark.shows("your own program", "prompt to an idle agent", "the program's own word")
@pytest.mark.shows("your own program", "the same id twice is one prompt", "handed over once")
def test_a_prompt_is_handed_over_once_and_ends_as_the_program_says(program: Program) -> None:
    waiting = program.waits()
    id = program.send(text="/help\nme")
    status, asked = waiting.answer()
    assert (status, asked["type"], asked["id"], asked["text"]) == (200, "prompt", id, "/help\nme")
    assert asked["by"]["name"] == "Ada's phone" and "command" not in asked, "literal, whatever it begins with"
    program.tell(asked, "taken", reason="it is in the queue")
    assert program.stage(id) | {"client": "", "command": ""} == {"client": "", "command": "", "stage": "taken", "reason": "it is in the queue"}
    program.phone.command("prompt", id=id, session=program.session, text="/help\nme")
    stop = program.send("stop")
    assert program.waits().answer()[1]["id"] == stop, "not the prompt again"


@pytest.mark.shows("your own program", "prompt to a busy one waits", "handed over after it")
@pytest.mark.shows("your own program", "prompt while a dialog is open waits", "handed over after it")
def test_while_it_works_or_asks_a_prompt_waits(program: Program) -> None:
    program.stands("busy")
    waiting = program.waits()
    first = program.send(text="first")
    program.stage(first, "queued")
    post(program.daemon.socket, "events", event("s1", "status.changed", {"status": "running"}))
    asking = connect(program.daemon.socket)
    send(asking, "ask", question("s1"))
    card = program.phone.wait_card()
    program.stands("idle")
    second = program.send(text="second")
    program.stage(second, "queued")
    program.phone.decide(program.session, card["approval"], "deny")
    assert json.loads(asking.getresponse().read())["decision"] == "deny"
    asked = waiting.answer()[1]
    assert asked["id"] == first
    program.tell(asked, "taken")
    program.stands("idle")
    assert program.waits().answer()[1]["id"] == second


@pytest.mark.shows("your own program", "pictures in a prompt", "handed over with it: the same bytes")
def test_pictures_are_handed_over_with_their_prompt(program: Program, relay: Any) -> None:
    picture = png()
    assert bring(relay, program.phone.token, program.session, picture).status == 200
    refused = program.phone.command("prompt", session=program.session, text="look", pictures=[named(picture)])
    assert refused["error"]["code"] == "unsupported", "it has not said that it takes any"
    program.stands(offer=OFFER | {"pictures": True})
    program.phone.wait_summary(program.session, lambda summary: summary["steering"].get("pictures"), what="pictures to be offered")
    waiting = program.waits()
    id = program.send(text="look", pictures=[named(picture)])
    asked = waiting.answer()[1]
    (handed,) = asked["pictures"]
    assert (asked["id"], asked["text"], base64.b64decode(handed.pop("content")), handed) == (id, "look", picture, named(picture))
    program.tell(asked, "taken")
    assert program.stage(id)["stage"] == "taken"


def test_gone_what_was_handed_is_unknown_and_what_was_not_is_refused(program: Program) -> None:
    waiting = program.waits()
    handed = program.send()
    assert waiting.answer()[0] == 200
    waiting = program.waits()
    waiting.hang_up()
    assert program.stage(handed)["stage"] == "unknown"
    assert "does not wait" in program.offers()["reason"]
    program.stands("busy")
    program.offers(*OFFER["actions"])
    queued = program.send()
    program.stage(queued, "queued")
    unfetched = program.send("interrupt")
    assert (program.stage(unfetched)["stage"], program.stage(unfetched)["reason"]) == ("refused", "the program did not fetch it")
    post(program.daemon.socket, "events", event("s1", "session.ended"))
    assert program.stage(queued)["stage"] == "refused"
    assert post(program.daemon.socket, "steering", {"session": "s1", "offer": OFFER, "standing": "idle"})[1]["path"] == "$.session"


def test_the_program_is_killed(daemon: Daemon, phone: WireClient) -> None:
    program = Program(daemon, phone)
    process = subprocess.Popen(["sleep", "600"])
    try:
        body = {"session": "s1", "offer": OFFER, "standing": "idle"}
        assert post(daemon.socket, "steering", body, pid=process.pid)[0] == 200
        program.offers(*OFFER["actions"])
        phone.subscribe(program.session)
        waiting = program.waits()
        id = program.send()
        assert waiting.answer()[0] == 200
    finally:
        process.kill()
        process.wait()
    assert program.stage(id)["stage"] == "unknown"
    phone.wait_summary(program.session, lambda summary: summary.get("endedAt"), 25, "the end")


def test_the_daemon_is_killed_and_the_program_says_it_again(program: Program) -> None:
    waiting = program.waits()
    handed = program.send()
    asked = waiting.answer()[1]
    program.daemon.kill()
    program.daemon.start()
    assert program.stage(handed)["stage"] == "unknown", "it may have been done"
    assert program.waits().answer()[1]["path"] == "$.offer"
    program.tell(asked, "taken")
    program.stands()
    waiting = program.waits()
    id = program.send()
    assert waiting.answer()[1]["id"] == id


def test_what_is_not_right_is_named(program: Program) -> None:
    path = program.daemon.socket
    assert post(path, "steering", {"session": "s1", "offer": OFFER, "standing": "asleep"})[1]["path"] == "$.standing"
    assert post(path, "steered", {"session": "s1", "client": "c", "command": "k", "stage": "withdrawn"})[1]["path"] == "$.stage"
    assert post(path, "steering/next", {"session": "other"})[0] == 409
    assert post(path, "steering/next/one", {"session": "s1"})[0] == 404
    theirs = {"session": "claude-s1", "adapter": "claude", "offer": OFFER, "standing": "idle"}
    assert post(path, "steering", theirs)[0] == 204, "Claude Code's, of which nothing is known"
    assert post(path, "steering", theirs | {"session": "codex-s1", "adapter": "codex"})[0] == 404
    older, newer = program.waits(), program.waits()
    assert older.answer()[1]["path"] == "$.session"
    id = program.send()
    assert newer.answer()[1]["id"] == id


@pytest.mark.parametrize("name", ["codex-s1", "claude-s1"])
def test_a_program_may_be_called_as_an_agents_sessions_are(daemon: Daemon, phone: WireClient, name: str) -> None:
    program = Program(daemon, phone, name).watched()
    waiting = program.waits()
    id = program.send()
    asked = waiting.answer()[1]
    assert asked["id"] == id
    program.tell(asked, "taken")
    program.taken(id)
    assert phone.summaries[program.session]["status"] == "idle", "as it stands: it says nothing else"



def test_the_commands_wait_print_and_tell(daemon: Daemon, phone: WireClient) -> None:
    program = Program(daemon, phone)
    waiting = command(daemon, "steering", "--session", "s1", "--can", "prompt", "--can", "interrupt")
    program.offers("prompt", "interrupt")
    phone.subscribe(program.session)
    id = program.send()
    status, out, error = end(waiting)
    assert (status, error) == (0, "") and json.loads(out)["id"] == id
    assert end(command(daemon, "steered", "--session", "s1", out, "refused", "--reason", "not today"))[0] == 0
    assert program.stage(id)["reason"] == "not today"
    assert end(command(daemon, "steered", "--session", "s1", "{}", "taken"))[0] == 1
    assert end(command(daemon, "steering", "--session", "s1", "--wait", "1"))[0] == 6
    daemon.kill()
    assert end(command(daemon, "steering", "--session", "s1"))[0] == 4
    daemon.start()


@pytest.mark.parametrize("language", ["sh", "python"])
def test_the_examples_of_the_page_work(daemon: Daemon, phone: WireClient, language: str) -> None:
    if language == "sh" and not shutil.which("jq"):
        pytest.skip("the example is for a shell with jq")
    examples = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert len(examples[1].splitlines()) <= 13, "short enough to be read"
    text = examples[1]
    if language == "python":
        text = examples[0][: examples[0].index("question =")] + text
    program = ["/bin/sh", "-c"] if language == "sh" else [sys.executable, "-c"]
    running = subprocess.Popen(
        [*program, text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(daemon), cwd=daemon.home,
        start_new_session=True,
    )  # fmt: skip
    try:
        wait_until(lambda: any((one.get("steering") or {}).get("actions") for one in phone.summaries.values()), 20, "an offer")
        session = next(iter(phone.summaries))
        steered = Program(daemon, phone, session.removeprefix("local-"))
        phone.subscribe(session)
        for prompt in ("the first", "the second"):
            assert steered.stage(steered.send(text=prompt))["stage"] == "taken"
            assert running.stdout and running.stdout.readline() == f"working on {prompt}\n"
        if language == "python":
            assert steered.stage(steered.send("stop"))["stage"] == "taken"
            assert running.wait(patient(20)) == 0
    finally:
        # A shell's pipeline outlives the shell and keeps its output open.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
