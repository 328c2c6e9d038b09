"""Sealed content with real processes: a host that seals, a relay that cannot read it, and terminals with and without the host's trust."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from client import WireClient
from daemon import Daemon, paired
from own_agent import Asking, event, post, question
from relay import BINARY, Relay, plain_environment
from steered import phone  # noqa: F401 (a fixture)
from test_consent import SESSION, Terminal, asked
from trusting import devices
from waits import patient, wait_until

TITLE = "Mark-title payroll"
SAID = "Mark-said: the salaries are in payroll.csv"
OFFER = {"actions": ["prompt", "interrupt", "stop"], "commands": ["/mark-deploy"]}
MARKS = ["Mark-title", "Mark-said", "payroll", "Deploy", "production", "Mark-words", "Mark-prompt", "Mark-rest", "mark-deploy", "Mark-blue", "Which colour"]
COLOURS = [{"id": "c", "text": "Which colour?", "choices": [{"label": "Red"}, {"label": "Mark-blue"}], "choicesOnly": True}]


@pytest.fixture
def daemon(short_path: Path, relay: Relay) -> Iterator[Daemon]:
    with paired(short_path, relay, "--consent", "signed", "--content", "sealed", is_signed=True) as daemon:
        yield daemon


@pytest.fixture
def terminal(tmp_path: Path, relay: Relay) -> Terminal:
    return Terminal(tmp_path / "terminals", relay, "desk")


def works(daemon: Daemon, title: str = TITLE) -> None:
    events = event("s1", "session.started", {"agent": {"name": "robot"}, "title": title}) + event("s1", "message", {"role": "assistant", "summary": SAID}, {"text": SAID})
    assert post(daemon.socket, "events", events)[0] == 200
    assert post(daemon.socket, "steering", {"session": "s1", "offer": OFFER, "standing": "idle"}) == (200, {})


def sees(terminal: Terminal, text: str, *arguments: str) -> str:
    """Waits until the command's output contains the text."""
    out = ""

    def look() -> bool:
        nonlocal out
        _, out, error = terminal.run(*(arguments or ("sessions",)))
        out += error
        return text in out

    wait_until(look, 20, lambda: f"{text!r}; it prints {out}")
    return out


def has_no_marks(relay: Relay, phone: WireClient) -> None:
    """Checks that neither the relay's files nor its messages contain any mark of the content."""
    kept = b"".join(file.read_bytes() for file in relay.folder.rglob("*") if file.is_file() and "terminals" not in file.parts)
    sent = json.dumps(phone.messages)
    for mark in MARKS:
        assert mark.encode() not in kept, f"{mark} is on the relay's disk"
        assert mark not in sent, f"{mark} is sent in the open"


def test_a_trusted_terminal_sees_and_decides_what_the_relay_cannot_read(daemon: Daemon, phone: WireClient, terminal: Terminal, relay: Relay) -> None:
    terminal.join(daemon)
    works(daemon)
    phone.subscribe(SESSION)
    sees(terminal, TITLE)
    assert SAID in sees(terminal, SAID, "watch", SESSION, "--once")

    asking = Asking(daemon, question("s1", "q1"))
    card = asked(phone, "q1")
    code, out, error = terminal.run("approvals", "show", card["approval"])
    assert code == 0 and "production" in out and "Deploy it" in out, error
    code, _, error = terminal.run("approvals", "allow", card["approval"], "--yes")
    assert code == 0, error
    assert asking.answer()[1]["decision"] == "allow"

    asking = Asking(daemon, question("s1", "q2"))
    card = asked(phone, "q2")
    code, _, error = terminal.run("approvals", "deny", card["approval"], "-m", "Mark-words: use staging")
    assert code == 0, error
    denied = asking.answer()[1]
    assert (denied["decision"], denied["message"]) == ("deny", "Mark-words: use staging")

    asking = Asking(daemon, {"session": "s1", "approval": "colour", "kind": "question", "questions": COLOURS, "waitSeconds": 60})
    card = phone.wait_card(lambda card: card["stage"] == "pending" and card["request"]["head"]["kind"] == "question")
    assert card["request"]["head"]["questions"][0]["choices"] == ["1", "2"]
    code, _, error = terminal.run("approvals", "answer", card["approval"], "--choose", "c=Mark-blue")
    assert code == 0, error
    assert asking.answer()[1]["answers"][0]["choices"] == ["Mark-blue"]

    log = sees(terminal, "Mark-words: use staging", "watch", SESSION, "--once")
    assert "missing" not in log and "cannot be opened" not in log and "not sealed" not in log
    has_no_marks(relay, phone)


def test_an_export_has_what_the_terminal_may_open_and_says_what_it_could_not(daemon: Daemon, phone: WireClient, terminal: Terminal, tmp_path: Path, relay: Relay) -> None:
    terminal.join(daemon)
    works(daemon)
    sees(terminal, SAID, "watch", SESSION, "--once")
    code, out, error = terminal.run("export", SESSION)
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and [line["seq"] for line in lines] == list(range(1, len(lines) + 1)), error
    assert [line["event"]["body"]["text"] for line in lines if line["event"]["kind"] == "message"] == [SAID]
    assert f"{len(lines)} events of 1 session" in error and "not be opened" not in error and "missing" not in error
    code, out, error = terminal.run("export")
    assert code == 0 and {json.loads(line)["session"] for line in out.splitlines()} == set(phone.summaries), error
    assert terminal.run("export", "nothing")[0] != 0

    other = Terminal(tmp_path / "others", relay, "attic")
    code, out, error = other.run("export", SESSION)
    assert code == 0 and "Mark-" not in out and {json.loads(line)["event"]["kind"] for line in out.splitlines()} == {"unopened"}
    assert "could not be opened" in error and "laptop seals its content, and does not trust this terminal" in error


def test_prompts_and_commands_reach_the_agent_and_nobody_else(daemon: Daemon, phone: WireClient, terminal: Terminal, relay: Relay) -> None:
    terminal.join(daemon)
    works(daemon)
    phone.subscribe(SESSION)
    sees(terminal, TITLE)
    for arguments, text in ((["Mark-prompt: go on"], "Mark-prompt: go on"), (["/mark-deploy Mark-rest", "--command"], "/mark-deploy Mark-rest")):
        waiting = Asking(daemon, {"session": "s1"}, "steering/next")
        process = subprocess.Popen(
            [str(BINARY), "prompt", SESSION, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=plain_environment(terminal.home),
        )  # fmt: skip
        status, given = waiting.answer()
        assert status == 200 and given["text"] == text, given
        post(daemon.socket, "steered", {"session": "s1", "client": given["by"]["id"], "command": given["id"], "stage": "taken"})
        out, error = process.communicate(timeout=patient(30))
        assert process.returncode == 0, out + error
        assert post(daemon.socket, "steering", {"session": "s1", "offer": OFFER, "standing": "idle"}) == (200, {})
    log = sees(terminal, "/mark-deploy Mark-rest", "watch", SESSION, "--once")
    assert "prompt: Mark-prompt: go on" in log
    has_no_marks(relay, phone)


def test_a_terminal_that_is_not_trusted_sees_that_there_is_something_and_how_to_get_in(
    daemon: Daemon, phone: WireClient, terminal: Terminal, tmp_path: Path, relay: Relay
) -> None:  # fmt: skip
    terminal.join(daemon)
    works(daemon)
    sees(terminal, TITLE)
    other = Terminal(tmp_path / "terminals", relay, "other")
    out = sees(other, "Sealed session")
    assert "laptop seals its content, and does not trust this terminal" in out and "heliograph host trust" in out
    asking = Asking(daemon, question("s1", "q1"))
    card = asked(phone, "q1")
    out = sees(other, "A sealed request", "approvals", "list")
    assert "production" not in out and "Deploy" not in out
    code, _, error = other.run("approvals", "allow", card["approval"], "--yes")
    assert code == 1 and "it is sealed for the devices that its host trusts" in error, error
    code, _, error = other.run("approvals", "deny", card["approval"])
    assert code == 0, error
    assert asking.answer()[1]["decision"] == "deny"
    assert SAID not in sees(other, "does not trust this terminal", "watch", SESSION, "--once")
    # Content from before the terminal was trusted is readable afterwards.
    other.join(daemon)
    assert SAID in sees(other, SAID, "watch", SESSION, "--once")
    assert TITLE in sees(other, TITLE)


def test_words_that_are_not_sealed_never_reach_the_agent(daemon: Daemon, phone: WireClient, terminal: Terminal) -> None:
    terminal.join(daemon)
    works(daemon)
    asking = Asking(daemon, question("s1", "q1"))
    phone.decide(SESSION, asked(phone, "q1")["approval"], "deny", message="plain words")
    assert "plain words" not in json.dumps(asking.answer()[1])


def test_who_is_distrusted_opens_nothing_new(daemon: Daemon, phone: WireClient, terminal: Terminal, tmp_path: Path, relay: Relay) -> None:
    terminal.join(daemon)
    lost = Terminal(tmp_path / "terminals", relay, "lost")
    device = lost.join(daemon)
    works(daemon)
    sees(lost, TITLE)
    watching = subprocess.Popen(
        [str(BINARY), "watch", SESSION, "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env=plain_environment(lost.home),
    )  # fmt: skip
    try:
        assert watching.stdout
        wait_for_line(watching, SAID)
        done = subprocess.run([str(BINARY), "host", "distrust", device["code"]], capture_output=True, text=True, env=daemon.environment, timeout=patient(20))
        assert done.returncode == 0, done.stderr
        assert len(devices(daemon)["devices"]) == 1
        works(daemon, "Mark-title new")
        line = wait_for_line(watching, "this device was not given its key")
        assert "Mark-title new" not in line
    finally:
        watching.kill()
        watching.wait()
    assert "Mark-title new" in sees(terminal, "Mark-title new")
    out = sees(lost, "Sealed session")
    assert "Mark-title" not in out and "laptop seals its content" in out
    assert SAID not in sees(lost, "laptop seals its content", "watch", SESSION, "--once")


def wait_for_line(process: subprocess.Popen[str], text: str) -> str:
    """The first output line with the text. If there is none in time, the process is killed."""
    assert process.stdout
    for line in process.stdout:
        if text in line:
            return line
    raise AssertionError(f"it ended without {text!r}")
