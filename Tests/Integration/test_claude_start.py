"""Sessions of the real Claude Code that a phone or terminal starts and resumes in a project that the host allows.

The tests compare the agent's folder and the model's input with the reported outcome.
"""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from claude import MODEL, Machine, claude_program
from client import WireClient
from pictures import bring, named, png
from relay import BINARY, Relay
from start_desk import Desk
from steered import phone  # noqa: F401 (a fixture)
from test_claude_run import model_pictures
from waits import patient, wait_until

pytestmark = pytest.mark.agent

ANSWERED = [[{"text": "Answered."}]]
WRITE = {"tool": "Bash", "input": {"command": "echo hi > out.txt", "description": "Create out.txt"}}


class ClaudeDesk(Desk):
    def stop(self, session: str) -> None:
        process = self.process(session)
        self.end_now(session)
        wait_until(lambda: not Path(f"/proc/{process}").exists(), 30, "its process to end")

    def end_now(self, session: str) -> None:
        """Stops the session and waits until its end is reported; the agent's process and `heliograph run` may still exist."""
        self.phone.command("stop", session=session)
        self.phone.wait_summary(session, lambda summary: summary.get("endedAt"), 30, "the end")

    def process(self, session: str) -> int:
        return self.machine.agent(session)

    def told(self) -> list[str]:
        return self.machine.told()


@pytest.fixture
def host(machine: Machine):
    """The machine with `claude` on its daemon's PATH; at the end no agent may be left."""
    programs = machine.folder / "bin"
    programs.mkdir()
    (programs / "claude").symlink_to(claude_program())
    machine.environment["PATH"] = f"{programs}:{machine.environment['PATH']}"
    machine.api.script = ANSWERED
    machine.stop_daemon()
    machine.start_daemon()
    yield machine
    for path in (machine.home / ".claude/sessions").glob("*.json"):
        try:
            os.kill(json.loads(path.read_text())["pid"], signal.SIGKILL)
        except ProcessLookupError:
            pass


@pytest.fixture
def desk(host: Machine, phone: WireClient) -> ClaudeDesk:
    host.heliograph("host", "projects", "add", str(host.project))
    return ClaudeDesk(host, phone, "claude", model=MODEL)


def terminal(machine: Machine, relay: Relay, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = machine.environment | {"HELIOGRAPH_RELAY": relay.url, "HELIOGRAPH_TOKEN": relay.token("operator", "terminal")}
    return subprocess.run(
        [str(BINARY), *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment, cwd=machine.home, timeout=patient(90)
    )


@pytest.mark.shows("Claude Code, `heliograph run`", "started by a client in a project", "its hooks report the session, and the model reads the prompt")
def test_a_session_is_started_in_a_project_and_steered(desk, host):
    assert desk.offer["projects"] == [{"name": "project", "folder": str(host.project)}]
    assert [agent["name"] for agent in desk.offer["agents"]] == ["claude"]
    session = desk.start(text="/begin with this")
    assert desk.told() == ["/begin with this"] or [text.strip() for text in desk.told()] == ["/begin with this"]
    assert os.readlink(f"/proc/{desk.process(session)}/cwd") == str(host.project)
    desk.phone.wait_summary(session, lambda summary: summary["status"] == "idle", 20, "idle")
    assert desk.phone.summaries[session]["cwd"] == str(host.project)
    desk.phone.command("prompt", session=session, text="and more", busy="queue")
    wait_until(lambda: desk.told()[-1:] == ["and more"], 20, "the next prompt")
    desk.stop(session)


@pytest.mark.shows("Claude Code, `heliograph run`", "started by a client with pictures", "the model's own request: the same bytes")
def test_it_begins_with_a_picture_and_goes_on_with_another(desk, host, relay):
    first, second = png(), png(9, 7)
    for picture in (first, second):
        assert bring(relay, desk.phone.token, desk.session, picture).status == 200
    assert "pictures go with a prompt" in desk.refused(pictures=[named(first)])
    session = desk.start(text="what is this?", pictures=[named(first)])
    # Claude Code adds a text of its own that names the file of a picture.
    assert (desk.told()[0].strip(), model_pictures(host)) == ("what is this?", [first])
    desk.phone.subscribe(session)
    said = desk.phone.wait_event(session, lambda event: event["kind"] == "message" and event["head"]["role"] == "user", 20, "the first prompt")
    assert said["body"] == {"text": said["body"]["text"], "pictures": [named(first)]}, "it stands in the new session's own timeline"
    desk.phone.wait_summary(session, lambda summary: summary["status"] == "idle", 20, "idle")
    desk.stop(session)
    wait_until(lambda: any(one["id"] == session.removeprefix("claude-") for one in desk.past()), 10, "the session to be listed")
    assert desk.start("resume", past=session.removeprefix("claude-"), text="and this?", pictures=[named(second)]) == session
    assert model_pictures(host) == [first, second]
    desk.stop(session)


def test_what_it_does_is_asked_of_the_phone(desk, host):
    host.api.script = [[WRITE], [{"text": "Answered."}]]
    desk.start(text="work")
    card = desk.phone.wait_card()
    assert not (host.project / "out.txt").exists(), "its own default would have asked nobody"
    desk.phone.decide(card["session"], card["approval"], "allow")
    assert host.wait_file("out.txt") == "hi\n"


@pytest.mark.shows("Claude Code, `heliograph run`", "resumed by a client", "the same session, and the model has its past")
@pytest.mark.shows("Claude Code, `heliograph run`", "past sessions of a project", "its transcripts")
def test_a_past_session_is_listed_resumed_and_taken_over(desk, host):
    session = desk.start(text="remember this")
    name = session.removeprefix("claude-")
    desk.phone.wait_summary(session, lambda summary: summary["status"] == "idle", 20, "idle")
    # Claude Code writes the transcript shortly after its hooks' reports.
    wait_until(lambda: [(one["id"], one["title"], one.get("open")) for one in desk.past()] == [(name, "remember this", True)], 10, "the session")
    assert "open in another program" in desk.refused("resume", past=name)
    desk.stop(session)
    assert [(one["id"], one.get("open")) for one in desk.past()] == [(name, None)]
    assert desk.start("resume", past=name, text="go on") == session
    assert desk.told() == ["remember this", "go on"]
    desk.stop(session)
    host.start_claude(ANSWERED, arguments=["--resume", name])
    host.prompt("and at the terminal")
    wait_until(lambda: desk.told()[-1:] == ["and at the terminal"], 20, "the model to be told")
    assert desk.told()[0] == "remember this"
    assert "open in another program" in desk.refused("resume", past=name), "never a second writer"


def test_it_is_resumed_as_soon_as_it_has_ended(desk):
    session = desk.start(text="first")
    name, told = session.removeprefix("claude-"), ["first"]
    for text in ("second", "third"):
        # Resuming is refused before the turn ends, too: output of the program that runs the session must not look like another program's start.
        assert "open in another program" in desk.refused("resume", past=name)
        desk.phone.wait_summary(session, lambda summary: summary["status"] == "idle", 20, "idle")
        desk.end_now(session)
        assert desk.start("resume", past=name, text=text) == session
        told.append(text)
        # If the session is ended during an answer, Claude Code records that as the user's text.
        assert [words for words in desk.told() if words != "[Request interrupted by user]"] == told
    desk.stop(session)


def test_of_two_that_resume_it_in_the_same_moment_one_goes_on(desk, host):
    session = desk.start(text="first")
    name = session.removeprefix("claude-")
    desk.phone.wait_summary(session, lambda summary: summary["status"] == "idle", 20, "idle")
    desk.stop(session)
    command = [str(BINARY), "run", "--", str(claude_program()), "--resume", name, "--model", MODEL]
    pipe = subprocess.PIPE
    runs = [
        subprocess.Popen(command, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe, text=True, cwd=host.project, env=host.environment)
        for _ in range(2)
    ]
    try:
        (other,) = wait_until(lambda: [run for run in runs if run.poll() is not None], 30, "one of them to be refused")
        assert other.returncode == 2 and "open in another program" in other.stderr.read()
        wait_until(lambda: list((host.home / ".claude/sessions").glob("*.json")), 30, "the other to run it")
        (one,) = [run for run in runs if run.poll() is None]
        assert int(Path(f"/proc/{desk.process(session)}/stat").read_text().rsplit(")", 1)[1].split()[1]) == one.pid
    finally:
        for run in runs:
            run.terminate()
            run.communicate(timeout=patient(30))


def test_nothing_is_started_outside_the_projects(desk, host):
    assert "no such project" in desk.refused(project=str(host.home))
    assert "no such agent" in desk.refused(agent="bash")
    assert "not offered" in desk.refused(mode="bypassPermissions")
    assert "no name of a model" in desk.refused(model="--dangerously-skip-permissions")
    assert "no such session" in desk.refused("resume", past="2f1c7c5e-0d51-4c63-9c1e-7b0f3a6d2e11")
    # The allowed folder is replaced by a link to another place.
    host.project.rename(host.folder / "moved")
    host.project.symlink_to(host.home)
    assert "another one now" in desk.refused()
    assert not list((host.home / ".claude/sessions").glob("*.json"))


def test_who_may_not_steer_starts_nothing(desk, host, relay, client):
    other = client(relay, "Bob's phone", token=relay.token("client", "Bob's phone"))
    other.subscribe()
    reply = other.command("start", session=desk.session, project="project", agent="claude")
    assert reply["error"]["code"] == "forbidden"
    host.heliograph("host", "projects", "remove", "project")
    desk.phone.wait_summary(desk.session, lambda summary: "start" not in summary["steering"]["actions"], 20, "no start to be offered")
    assert "start" in desk.refused()


def test_the_same_id_starts_one_session(desk):
    fields = {"id": "one", "session": desk.session, "project": "project", "agent": "claude", "model": MODEL}
    first = desk.phone.command("start", **fields)
    head = desk.end(first)["head"]
    assert head["stage"] == "taken"
    desk.phone.wait_summary(head["started"], lambda summary: summary["status"] == "idle", 20, "idle")
    desk.phone.command("start", **fields)
    assert [id for id in desk.phone.summaries if id != desk.session] == [head["started"]]


def test_a_session_outlives_the_daemon_and_is_steered_by_the_next(desk, host):
    session = desk.start(text="first")
    desk.phone.wait_summary(session, lambda summary: summary["status"] == "idle", 20, "idle")
    process = desk.process(session)
    before = list(desk.phone.logs[session])
    host.kill_daemon()
    host.start_daemon()
    desk.phone.wait_event(
        session, lambda event: event["kind"] == "steering.offered" and "prompt" in event["head"]["actions"] and event not in before, 40, "a new offer"
    )
    assert desk.phone.command("prompt", session=session, text="second", busy="queue").get("delivery") == "sent"
    wait_until(lambda: desk.told()[-1:] == ["second"], 30, "the model to be told")
    assert desk.process(session) == process
    desk.stop(session)


def test_the_terminal_starts_lists_and_resumes(desk, host, relay):
    shown = terminal(host, relay, "projects")
    assert shown.returncode == 0 and "project" in shown.stdout and "claude" in shown.stdout, shown
    started = terminal(host, relay, "start", "project", "from a terminal", "--model", MODEL)
    assert started.returncode == 0 and "it has begun: claude-" in started.stdout, started
    session = started.stdout.split("it has begun: ")[1].split()[0]
    assert desk.told() == ["from a terminal"]
    desk.phone.subscribe(session)
    desk.phone.wait_summary(session, lambda summary: summary["status"] == "idle", 20, "idle")
    desk.stop(session)
    listed = terminal(host, relay, "projects", "project")
    assert listed.returncode == 0 and "from a terminal" in listed.stdout, listed
    resumed = terminal(host, relay, "resume", "project", session.removeprefix("claude-"), "and on", "--model", MODEL)
    assert resumed.returncode == 0, resumed
    assert desk.told() == ["from a terminal", "and on"]
    assert terminal(host, relay, "start", "elsewhere").returncode == 5


def test_the_list_of_projects_refuses_what_holds_everything(host):
    for folder in ("/", str(host.home), str(host.home.parent)):
        result = host.heliograph("host", "projects", "add", folder, check=False)
        assert result.returncode == 2, (folder, result)
    host.heliograph("host", "projects", "add", str(host.home), "--home-too")
    link = host.folder / "link"
    link.symlink_to(host.project)
    assert str(host.project) in host.heliograph("host", "projects", "add", str(link)).stdout
    file = host.home / ".config/heliograph/projects.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [one["folder"] for one in json.loads(file.read_text())["projects"]] == [str(host.home), str(host.project)]
