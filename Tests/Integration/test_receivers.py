"""Pushes to an operator's programs from end to end: the real relay, real programs, and the examples of deploy/ with the real Apprise and a mail server."""

import json
import os
import re
import shutil
import stat
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message as MailHandler

from deploy_files import DEPLOY
from relay import Relay, free_port
from schema import faults
from waits import has_ended, patient, wait_until

EXAMPLES = DEPLOY / "receivers"
PROGRAM = """#!{python}
import json, os, sys, time
pushes = {folder!r}
text = sys.stdin.read()
document = json.loads(text)
known = os.path.join(pushes, "environment.json")
with open(known, "w") as file:
    json.dump({{"environment": dict(os.environ), "arguments": sys.argv[1:], "descriptors": sorted(os.listdir("/proc/self/fd")), "group": os.getpgrp(), "process": os.getpid()}}, file)
name = os.path.join(pushes, f"{{time.time_ns()}}-{{os.getpid()}}.json")
with open(name + ".new", "w") as file:
    file.write(text)
os.rename(name + ".new", name)
exec(open(os.path.join(pushes, "then.py")).read())
"""


class Program:
    """A program that records its input, and then behaves as the test says."""

    def __init__(self, folder: Path, name: str = "keep"):
        folder.mkdir()
        self.folder, self.name = folder, name
        self.path = folder / "program"
        self.path.write_text(PROGRAM.format(python=sys.executable, folder=str(folder)))
        self.path.chmod(0o755)
        self.then("")

    def then(self, code: str) -> None:
        draft = self.folder / "then.py.new"
        draft.write_text(code)
        draft.rename(self.folder / "then.py")

    @property
    def entry(self) -> dict[str, Any]:
        return {"name": self.name, "program": [str(self.path), "$HOME", "two words"], "environment": {"SAYS": "hello world"}, "inherits": ["LANG", "ABSENT"], "seconds": 5}

    @property
    def documents(self) -> list[dict[str, Any]]:
        return [json.loads(path.read_text()) for path in sorted(self.folder.glob("*-*.json"))]

    @property
    def seen(self) -> dict[str, Any]:
        return json.loads((self.folder / "environment.json").read_text())

    def wait(self, fits: Callable[[dict[str, Any]], Any] = lambda _: True) -> dict[str, Any]:
        return wait_until(lambda: next((document for document in self.documents if fits(document)), None), 20, lambda: f"a push; {self.documents}", every=0.05)


def serving(folder: Path, entries: list[dict[str, Any]], **options: Any) -> Relay:
    folder.mkdir(exist_ok=True)
    file = folder / "receivers.json"
    file.write_text(json.dumps({"receivers": entries}))
    return Relay(folder, ["--log-level", "debug", "--receivers", str(file)], **options)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "program")


@pytest.fixture
def relay(tmp_path: Path, program: Program) -> Iterator[Relay]:
    relay = serving(tmp_path / "relay", [program.entry])
    relay.start()
    yield relay
    relay.stop()
    relay.check_log()
    # The codes are secrets, because they decide approvals.
    codes = [action["url"].rpartition("/")[2] for document in program.documents for action in document.get("actions", [])]
    assert not [code for code in codes if code in relay.log_text()], "a code stands in the log"


@pytest.fixture
def asking(scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host()
    host.start_session("s1", title="Mend the roof")
    return host


def register(client: Any, name: str = "keep", device: str = "d1", **wishes: Any) -> Any:
    return client.command("device", device={"device": device, "name": "Ada's lamp", "receiver": {"name": name}, "text": "full", **wishes})


@pytest.fixture
def ada(relay: Relay, client: Callable[..., Any]) -> Any:
    client = client(relay, "Ada")
    assert "error" not in register(client, allowOnLockScreen=True)
    return client


def device(client: Any, name: str = "d1") -> Any:
    return next(entry for entry in client.command("devices")["devices"] if entry["device"]["device"] == name)


def wait_outcome(client: Any, result: str) -> Any:
    def found() -> Any:
        return next((push["outcome"] for push in device(client)["pushes"] if push.get("outcome", {}).get("result") == result), None)

    return wait_until(found, 20, lambda: f"a push that is {result}; {device(client)}", every=0.1)


def act(document: dict[str, Any], decision: str) -> tuple[int, Any]:
    action = next(action for action in document["actions"] if action["decision"] == decision)
    request = urllib.request.Request(action["url"], json.dumps({"decision": decision}).encode(), {"Content-Type": "application/json"}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_an_agent_goes_on_after_a_program_has_posted_what_its_person_decided(relay, program, ada, asking):
    approval = asking.request_approval("s1", "Bash", {"command": "rm -rf build"}, risks=["It deletes a folder."])
    document = program.wait()
    assert faults("push-document", document) == []
    assert (document["version"], document["kind"], document["level"], document["workspace"]) == (1, "approval", "time-sensitive", "default")
    assert document["device"] == {"id": "d1", "name": "Ada's lamp"} and document["sessionTitle"] == "Mend the roof"
    assert (document["session"], document["approval"]) == ("s1", approval) and document["risks"] == ["It deletes a folder."]
    assert document["text"].endswith("command: rm -rf build") and "Bash" in document["title"]
    assert document["link"] == f"{relay.url}/#/approvals/s1/{approval}"
    assert [action["decision"] for action in document["actions"]] == ["deny", "allow"]
    assert abs(document["time"] / 1000 - time.time()) < patient(60)
    wait_outcome(ada, "accepted")
    assert act(document, "allow") == (200, {"stage": "decided"})
    asking.wait_decision(approval)
    assert act(document, "deny")[0] == 409
    # Clients see the push without its code.
    assert document["actions"][0]["url"].rpartition("/")[2] not in json.dumps(device(ada))


def test_a_program_gets_no_shell_no_other_variable_and_no_file_of_the_relays(relay, program, ada):
    assert "error" not in ada.command("testPush", device="d1")
    assert program.wait()["kind"] == "test" and faults("push-document", program.wait()) == []
    seen = program.seen
    assert seen["arguments"] == ["$HOME", "two words"]
    # The Python interpreter may add LC_CTYPE.
    assert {name: text for name, text in seen["environment"].items() if name != "LC_CTYPE"} == {"SAYS": "hello world", "LANG": "C.UTF-8"}
    # Besides the three standard descriptors the program has one for listing the folder, and one for its output file.
    assert len(seen["descriptors"]) <= 5, seen
    assert seen["group"] == seen["process"]


def test_what_is_settled_elsewhere_follows_silently_and_in_order(relay, program, ada, asking, client):
    program.then("time.sleep(0.5)")
    approval = asking.request_approval("s1", "Bash", {"command": "ls"})
    rung = program.wait()
    desk = client(relay, "desk")
    desk.subscribe()
    desk.wait_approval(approval, "pending")
    desk.decide("s1", approval, "allow")
    settled = program.wait(lambda document: document["level"] == "passive")
    assert settled["text"] == "Allowed by desk" and settled["replaces"] == rung["replaces"] and "actions" not in settled
    assert settled["id"] != rung["id"]


@pytest.mark.parametrize("wishes", [{}, {"text": "summary", "allowOnLockScreen": True}, {"text": "generic", "allowOnLockScreen": True}])
def test_only_what_its_person_chose_may_be_allowed_or_said(relay, program, client, asking, wishes):
    assert "error" not in register(client(relay, "Ada"), **wishes)
    asking.request_approval("s1", "Bash", {"command": "ls"}, risks=["It looks around."])
    document = program.wait()
    assert [action["decision"] for action in document["actions"]] == ["deny"]
    if wishes.get("text") == "generic":
        assert not {"project", "sessionTitle", "risks"} & document.keys() and "ls" not in document["text"].split()


def test_who_only_watches_gets_no_action(relay, program, client, asking):
    assert "error" not in register(client(relay, "Ada", role="watcher"), allowOnLockScreen=True)
    asking.request_approval("s1", "Bash", {"command": "ls"})
    assert "actions" not in program.wait()



@pytest.mark.parametrize("code, result, text", [
    ("sys.exit(0)", "accepted", None), ("sys.exit(3)", "refused", "exit status 3"), ("sys.exit(75)", "refused", "exit status 75"),
    ("os.kill(os.getpid(), 9)", "refused", "exit status 137"), ("time.sleep(60)", "unknown", "its program did not end within 5 seconds and was killed"),
])  # fmt: skip
def test_a_programs_end_is_the_pushs_outcome(relay, program, ada, code, result, text):
    program.then(f"print('a word of the program', file=sys.stderr, flush=True)\n{code}")
    assert "error" not in ada.command("testPush", device="d1")
    outcome = wait_outcome(ada, result)
    assert outcome.get("text") == text
    status = relay.run("push", "status", "--data", str(relay.data)).stdout
    if result == "accepted":
        assert "receiver keep: 0 running, 0 waiting, 1 accepted\n" in status
        assert "trouble" not in device(ada)
    else:
        assert f"receiver keep: 0 running, 0 waiting, 0 accepted; the last was not: {text}" in status
        assert f"Receiver keep: its last push was not taken: {text}" in relay.run("doctor", "--data", str(relay.data), check=False).stdout
    if result == "refused":
        # A program's output is for the operator only.
        assert '"a word of the program"' in relay.log_text() and "a word of the program" not in json.dumps(device(ada))
        assert text in device(ada)["trouble"]


def test_a_receiver_that_is_gone_is_dropped_until_it_is_added_again(relay, program, ada):
    program.then("sys.exit(67)")
    assert "error" not in ada.command("testPush", device="d1")
    wait_until(lambda: device(ada)["device"]["receiver"] == {}, 20, lambda: str(device(ada)), every=0.1)
    assert "says that it is gone" in device(ada)["trouble"]
    assert ada.command("testPush", device="d1")["error"]["code"] == "unavailable"
    program.then("")
    assert "error" not in register(ada)
    assert "error" not in ada.command("testPush", device="d1")
    wait_outcome(ada, "accepted")


def test_an_approval_rings_again_when_its_program_asks_to_try_later(relay, program, ada, asking):
    program.then("sys.exit(75)")
    asking.request_approval("s1", "Bash", {"command": "ls"})
    first = program.wait()
    wait_outcome(ada, "refused")
    program.then("")
    # The planner retries after half a minute.
    second = wait_until(lambda: (program.documents + [None, None])[1], 60, lambda: str(program.documents), every=0.2)
    assert second["approval"] == first["approval"] and second["replaces"] == first["replaces"]
    wait_outcome(ada, "accepted")


def test_what_a_killed_program_has_started_is_killed_with_it(relay, program, ada):
    program.then(
        "import subprocess\nchild = subprocess.Popen(['sleep', '600'])\n"
        f"open(os.path.join({str(program.folder)!r}, 'child'), 'w').write(str(child.pid))\ntime.sleep(600)"
    )
    assert "error" not in ada.command("testPush", device="d1")
    child = int(wait_until(lambda: (program.folder / "child").exists() and (program.folder / "child").read_text(), 20, "a child"))
    wait_outcome(ada, "unknown")
    wait_until(lambda: has_ended(child) and has_ended(program.seen["process"]), 10, "both to be killed")


def test_a_program_that_writes_much_and_reads_nothing_harms_nobody(relay, program, ada):
    program.then("sys.stdout.write('x' * (8 << 20))")
    before = relay.resident_kib
    assert "error" not in ada.command("testPush", device="d1")
    wait_outcome(ada, "accepted")
    assert relay.resident_kib - before < 8 << 10
    assert len(max(relay.log_text().splitlines(), key=len)) < 5_000


def test_a_stop_ends_what_runs_and_a_start_sends_it_again(relay, program, ada, asking):
    program.then("time.sleep(600)")
    approval = asking.request_approval("s1", "Bash", {"command": "ls"})
    first = program.wait()
    process = program.seen["process"]
    relay.stop()
    wait_until(lambda: has_ended(process), 10, "the program to be killed")
    program.then("")
    relay.start()
    again = wait_until(lambda: [document for document in program.documents if document["approval"] == approval][1:], 60, lambda: str(program.documents), every=0.1)
    assert again[0]["replaces"] == first["replaces"]


def test_the_loop_goes_on_while_programs_run(relay, program, client, ada):
    program.then("time.sleep(1)")
    for number in range(8):
        assert "error" not in register(ada, device=f"d{number}")
        assert "error" not in ada.command("testPush", device=f"d{number}")
    begun = time.monotonic()
    assert relay.get("/healthz").status == 200
    assert time.monotonic() - begun < patient(0.9)
    # At most four programs run at a time.
    status = json.loads(relay.run("push", "status", "--json", "--data", str(relay.data)).stdout)["receivers"][0]
    assert status["running"] <= 4
    wait_until(lambda: len(program.documents) == 8, 30, lambda: str(len(program.documents)), every=0.1)



def test_a_receiver_is_of_the_workspaces_that_its_operator_named(tmp_path, program, client):
    other = Program(tmp_path / "other", "elsewhere")
    relay = serving(tmp_path / "two", [program.entry, other.entry | {"workspaces": ["w2"]}])
    relay.start()
    try:
        ada = client(relay, "Ada")
        refused = register(ada, "elsewhere")["error"]
        assert (refused["code"], refused["path"]) == ("badValue", "$.device.receiver.name")
        # The refusal does not reveal other workspaces' receivers.
        assert refused["message"].endswith("it has: keep")
        assert register(ada, "keep").get("error") is None
    finally:
        relay.stop()


def test_two_devices_may_share_a_receiver(relay, program, client):
    ada, bob = client(relay, "Ada"), client(relay, "Bob")
    for person, name in ((ada, "a1"), (bob, "b1")):
        assert "error" not in register(person, device=name)
    assert "error" not in ada.command("testPush", device="a1")
    assert "error" not in bob.command("testPush", device="b1")
    wait_until(lambda: {document["device"]["id"] for document in program.documents} == {"a1", "b1"}, 20, lambda: str(program.documents))


def test_a_receiver_that_its_operator_took_away_is_said_at_the_device(relay, program, client, ada):
    relay.stop()
    (relay.folder / "receivers.json").write_text('{"receivers": []}')
    relay.start()
    ada = client(relay, token=ada.token)
    assert "error" not in ada.command("testPush", device="d1")
    assert "has set up no receiver keep" in wait_outcome(ada, "notSent")["text"]
    assert program.documents == []


def test_a_name_in_a_terminal_is_a_device(relay, program):
    local = ("--data", str(relay.data))
    added = relay.run("devices", "add", "keep", "--name", "Lamp", "--text", "full", *local)
    assert "added Lamp" in added.stdout
    shown = json.loads(relay.run("devices", "--json", *local).stdout)["devices"][0]["device"]
    assert shown["receiver"] == {"name": "keep"} and shown["profile"] == "receiver"
    assert "a receiver, keep" in relay.run("devices", *local).stdout
    assert "Its receiver took it" in (tested := relay.run("push", "test", shown["device"], *local).stdout) or "accepted" in tested
    assert program.wait()["text"] == "Pushes reach Lamp."
    refused = relay.run("devices", "add", "nothing", *local, check=False)
    assert refused.returncode != 0 and "it has: keep" in refused.stdout + refused.stderr


@pytest.mark.parametrize("change, words", [
    ({"program": ["program"]}, "$.receivers[0].program: a program is an absolute path"), ({"program": ["/nowhere/program"]}, "cannot be run"),
    ({"name": "A b"}, "$.receivers[0].name"), ({"seconds": 0}, "$.receivers[0].seconds"), ({"environment": {"A=B": "c"}}, "not the name of a variable"),
    ({"shell": True}, "$.receivers[0].shell"), ({"workspaces": ["a b"]}, "$.receivers[0].workspaces"),
])  # fmt: skip
def test_a_relay_does_not_start_with_a_receiver_that_cannot_work(tmp_path, program, change, words):
    relay = serving(tmp_path / "wrong", [program.entry | change])
    relay.launch()
    assert relay.wait_end() != 0
    assert words in relay.log_text()


def test_a_file_that_others_may_write_runs_nothing(tmp_path, program):
    relay = serving(tmp_path / "open", [program.entry])
    (relay.folder / "receivers.json").chmod(0o666)
    relay.launch()
    assert relay.wait_end() != 0
    assert "can be written by others" in relay.log_text()



class Notified(BaseHTTPRequestHandler):
    """A server that receives Apprise's `json://` posts."""

    taken: list[Any] = []
    status = 200

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.status == 200:
            self.taken.append(json.loads(body))
        self.send_response(self.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def example(folder: Path, name: str, **entry: Any) -> Relay:
    """A relay whose only receiver is the named example of deploy/, with the settings in its file."""
    shipped = next(entry for entry in json.loads((EXAMPLES / "receivers.json").read_text())["receivers"] if entry["name"] == name)
    at = next(place for place, word in enumerate(shipped["program"]) if word.endswith(".py"))
    program = [str(EXAMPLES / Path(shipped["program"][at]).name), *shipped["program"][at + 1 :]]
    # The program runs with the Python that has Apprise.
    return serving(folder / "example", [shipped | {"program": [sys.executable, *program]} | entry])


def ring(relay: Relay, client: Callable[..., Any], scripted_host: Callable[..., Any], name: str) -> Any:
    ada = client(relay, "Ada")
    assert "error" not in register(ada, name)
    host = scripted_host(relay)
    host.start_session("s1", title="Mend the roof")
    host.request_approval("s1", "Bash", {"command": "rm -rf <build>"})
    return ada


def test_apprise_carries_it_on(tmp_path, client, scripted_host):
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Taking", (Notified,), {"taken": []}))
    Thread(target=server.serve_forever, daemon=True).start()
    relay = example(tmp_path, "apprise", environment={"APPRISE_URLS": f"json://127.0.0.1:{server.server_port}/"})
    relay.start()
    try:
        ada = ring(relay, client, scripted_host, "apprise")
        wait_outcome(ada, "accepted")
        message = server.RequestHandlerClass.taken[0]
        assert "Bash" in message["title"] and "rm -rf <build>" in message["message"] and f"{relay.url}/#/approvals/s1/" in message["message"]
        server.RequestHandlerClass.status = 500
        assert "error" not in ada.command("testPush", device="d1")
        assert wait_outcome(ada, "refused")["text"] == "exit status 75"
    finally:
        relay.stop()
        server.shutdown()


class Mailbox(MailHandler):
    def __init__(self) -> None:
        super().__init__()
        self.mails: list[Any] = []

    def handle_message(self, message: Any) -> None:
        self.mails.append(message)


def test_mail_arrives_and_a_server_that_is_away_is_tried_later(tmp_path, client, scripted_host):
    mailbox = Mailbox()
    server = Controller(mailbox, hostname="127.0.0.1", port=free_port())
    server.start()
    relay = example(tmp_path, "mail", environment={"SMTP_HOST": "127.0.0.1", "SMTP_PORT": str(server.port)})
    relay.start()
    try:
        ada = ring(relay, client, scripted_host, "mail")
        wait_outcome(ada, "accepted")
        mail = mailbox.mails[0]
        assert mail["To"] == "ada@example.org" and "Bash" in mail["Subject"] and re.fullmatch(r"<[0-9a-f-]{36}@example.org>", mail["Message-ID"])
        assert "rm -rf <build>" in mail.get_payload() and "#/approvals/s1/" in mail.get_payload()
        server.stop()
        assert "error" not in ada.command("testPush", device="d1")
        assert wait_outcome(ada, "refused")["text"] == "exit status 75"
    finally:
        relay.stop()


def test_a_desktop_shows_it(tmp_path, client, scripted_host):
    shown = tmp_path / "shown"
    stand_in = tmp_path / "bin/notify-send"
    stand_in.parent.mkdir()
    stand_in.write_text(f"#!{sys.executable}\nimport json, sys\nopen({str(shown)!r}, 'w').write(json.dumps(sys.argv[1:]))\n")
    stand_in.chmod(0o755)
    relay = example(tmp_path, "desktop", environment={"PATH": f"{stand_in.parent}:/usr/bin:/bin"})
    relay.start()
    try:
        wait_outcome(ring(relay, client, scripted_host, "desktop"), "accepted")
        arguments = json.loads(shown.read_text())
        assert "--urgency=critical" in arguments and arguments[-3] == "--" and "Bash" in arguments[-2]
        assert "rm -rf &lt;build&gt;" in arguments[-1]
    finally:
        relay.stop()


def test_every_example_can_be_run_and_is_named_by_the_file():
    entries = json.loads((EXAMPLES / "receivers.json").read_text())["receivers"]
    named = {Path(word).name for entry in entries for word in entry.get("program", []) if word.endswith(".py")}
    assert named == {path.name for path in EXAMPLES.glob("*.py")}
    for path in EXAMPLES.glob("*.py"):
        assert path.stat().st_mode & stat.S_IXUSR and os.access(path, os.X_OK)
        assert shutil.which(path.read_text().splitlines()[0].rpartition(" ")[2])
