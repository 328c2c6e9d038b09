"""Threads of the real Codex that a phone starts and resumes in a project that the host allows, on the server that the terminal uses as well."""

import base64
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client import WireClient
from codex import CodexMachine, codex_program, command
from pictures import bring, named, png
from relay import Relay
from start_desk import Desk
from terminal import Terminal
from waits import wait_until

pytestmark = pytest.mark.agent

ANSWERED = [[{"text": "Answered."}]]


@pytest.fixture
def machine(short_path: Path, relay: Relay) -> Iterator[CodexMachine]:
    """A machine with `codex` on its daemon's PATH but no Codex server, because no terminal was opened."""
    machine = CodexMachine(short_path, relay)
    programs = short_path / "bin"
    programs.mkdir()
    (programs / "codex").symlink_to(codex_program())
    machine.environment["PATH"] = f"{programs}:{machine.environment['PATH']}"
    with machine.at_work():
        machine.heliograph("host", "projects", "add", str(machine.project))
        yield machine


@pytest.fixture
def phone(relay: Relay, client: Callable[..., WireClient]) -> WireClient:
    phone = client(relay, "Ada's phone", token=relay.token("operator", "Ada's phone"))
    phone.subscribe()
    return phone


@pytest.fixture
def desk(machine: CodexMachine, phone: WireClient) -> Desk:
    """The host's session with a Codex server whose terminal has been closed."""
    machine.start_codex([[{"text": "First."}]])
    machine.prompt("hello there")
    machine.wait_screen("First.")
    # The host is attached to the server once it reports the terminal's own thread.
    wait_until(lambda: any("prompt" in (one.get("steering") or {}).get("actions", []) for one in phone.summaries.values()), 20, "the terminal's thread")
    machine.api.script = ANSWERED
    return Desk(machine, phone, "codex")


def wait_told(machine: CodexMachine, *texts: str) -> None:
    """Waits until one request to the model contains all texts. Codex shows a prompt before its request, and makes further requests for a title."""
    wait_until(lambda: any(all(text in str(request) for text in texts) for request in machine.api.requests), 20, lambda: f"the model to be told {texts}")


def another_terminal(machine: CodexMachine, name: str) -> None:
    """Opens another terminal; a closed one takes a moment to end."""
    machine.terminal.close()
    machine.terminal = Terminal(machine.folder / name, machine.environment, machine.project)


@pytest.mark.shows("Codex", "started by a client in a project", "`item/started` with our `clientId`, in that folder")
def test_a_thread_is_started_in_a_project_and_asks_first(desk, machine):
    machine.api.script = [[command("echo hi > out.txt")], [{"text": "Answered."}]]
    session = desk.start(text="/begin with this")
    wait_told(machine, "/begin with this")
    card = desk.phone.wait_card(timeout=30)
    assert card["session"] == session and not (machine.project / "out.txt").exists()
    desk.phone.decide(session, card["approval"], "allow")
    assert machine.wait_file("out.txt") == "hi\n"
    desk.phone.wait_summary(session, lambda summary: summary["status"] == "idle", 20, "idle")
    assert desk.phone.summaries[session]["cwd"] == str(machine.project)


@pytest.mark.shows("Codex", "started by a client with pictures", "the model's own request: the same bytes")
def test_it_begins_with_a_picture(desk, machine, relay):
    picture = png(64, 48, seed=1)
    assert bring(relay, desk.phone.token, desk.session, picture).status == 200
    session = desk.start(text="what is this?", pictures=[named(picture)])
    wait_told(machine, "what is this?", base64.b64encode(picture).decode())
    desk.phone.subscribe(session)
    said = desk.phone.wait_event(session, lambda event: event["kind"] == "message" and event["head"]["role"] == "user", 20, "the first prompt")
    assert said["body"] == {"text": "what is this?", "pictures": [named(picture)]}, "it stands in the new thread's own timeline"


@pytest.mark.shows("Codex", "resumed by a client", "the same thread, and the model has its past")
@pytest.mark.shows("Codex", "past sessions of a project", "`thread/list`")
@pytest.mark.shows("Codex", "taken over at the terminal and resumed", "`codex resume` opens it")
def test_a_past_thread_is_listed_resumed_and_opened_at_the_terminal(desk, machine):
    session = desk.start(text="remember this")
    desk.phone.wait_summary(session, lambda summary: summary["status"] == "idle", 20, "idle")
    thread = session.removeprefix("codex-")
    wait_until(lambda: thread in [one["id"] for one in desk.past()], 20, "it to be listed")
    titles = {one["id"]: one["title"] for one in desk.past()}
    assert titles[thread] == "remember this" and "hello there" in titles.values()
    assert "no such session" in desk.refused("resume", past="0199a213-81c0-7800-8aa1-bbab2a035a53")
    another_terminal(machine, "second")
    machine.codex("app-server", "daemon", "stop")
    machine.start_codex(ANSWERED)
    wait_until(lambda: "not connected" not in desk.first_word("past"), 30, "the host to find the next server")
    assert desk.start("resume", past=thread, text="go on") == session
    wait_told(machine, "remember this", "go on")
    another_terminal(machine, "third")
    machine.start_codex(ANSWERED, "resume", thread)
    machine.wait_screen("go on")


def test_where_no_server_runs_codex_starts_the_one_that_its_terminal_then_shares(machine, phone):
    desk = Desk(machine, phone, "codex")
    machine.api.script = ANSWERED
    assert desk.past() == [] and len(machine.servers()) == 1
    session = desk.start(text="remember this")
    phone.wait_summary(session, lambda summary: summary["status"] == "idle", 20, "idle")
    machine.kill_daemon()
    machine.start_codex(ANSWERED, "resume", session.removeprefix("codex-"))
    machine.wait_screen("remember this")
    assert len(machine.servers()) == 1, "it outlives this daemon, and the terminal starts no other"
    machine.start_daemon()
    phone.wait_summary(session, lambda summary: "prompt" in (summary.get("steering") or {}).get("actions", []), 20, "the next daemon at it")


def test_a_codex_that_starts_no_server_is_told_of(machine, phone):
    desk = Desk(machine, phone, "codex")
    program = machine.folder / "bin/codex"
    program.unlink()
    program.write_text("#!/bin/sh\necho WARNING: a word before >&2\necho 'Error: this version has none' >&2\nexit 1\n")
    program.chmod(0o755)
    assert desk.refused() == "Codex starts no server that is shared: this version has none"
    assert machine.servers() == []
