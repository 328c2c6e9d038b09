"""Sealed content with real processes: an attacker with all of the relay's data cannot read a day's work, and a trusted device reads all of it."""

import base64
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from client import WireClient
from consent import Opener, Shown, unb64
from daemon import Daemon
from own_agent import Asking, event, post, question
from page_screen import Screen
from pictures import bring, png
from postgres import PostgresServer
from push_site import PushSite, site  # noqa: F401 (a fixture)
from relay import BINARY, ROOT, Relay, plain_environment
from steered import phone  # noqa: F401 (a fixture)
from test_web_push import Laptop
from thief import Wiretap, found_in, loot
from trusting import devices, join, opener_of, shown_link, trust_client, trust_page
from waits import patient, wait_until

sys.path.append(str(ROOT / "Tests/Tools"))

from demo_phone import Phone as AppleService  # noqa: E402

SESSION = "local-s1"
MARKS = 200
PICTURED = "bildunterschriftgrün"
"""A text in the picture only, which no screen shows."""


class Marks:
    """Unique words, which the test puts into every text."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._random = random.Random(36)

    def new(self) -> str:
        word = "".join(self._random.choice("bdfgklmnprstvz") + self._random.choice("aeiou") for _ in range(6))
        # Every fifth word is escaped in JSON.
        self.all.append(word + ("grün" if len(self.all) % 5 == 0 else "weiss"))
        return self.all[-1]


class Machine:
    """A host behind a wiretap, with a program as its agent, and a phone that it trusts."""

    def __init__(self, folder: Path, relay: Relay, phone: WireClient, is_sealed: bool):
        self.relay, self.phone, self.is_sealed = relay, phone, is_sealed
        self.tap = Wiretap(relay)
        self.daemon = Daemon(folder, relay, is_signed=True)
        self.opener: Opener | None = None
        self.marks = Marks()
        self.picture = b""

    @property
    def environment(self) -> dict[str, str]:
        return self.daemon.environment

    def start(self) -> None:
        link = self.relay.pair_link("host").replace(self.relay.url, self.tap.url)
        self.daemon.launch(link, "--name", "laptop", "--content", "sealed" if self.is_sealed else "open")
        self.daemon.start()
        self.daemon.wait_link()
        trust_client(self, self.phone)
        self.phone.wait_summary(self.desk, lambda summary: "steering" in summary)
        if self.is_sealed:
            self.open()

    def open(self) -> Opener:
        """Opens sealed content with the phone's keys."""
        self.opener = opener_of(self.phone, unb64(devices(self)["host"]))
        return self.opener

    @property
    def desk(self) -> str:
        """The session that represents the host."""
        wait_until(lambda: any(name.startswith("heliograph-") for name in self.phone.summaries), 20, "the host's own session")
        return next(name for name in self.phone.summaries if name.startswith("heliograph-"))

    def emit(self, kind: str, head: Any = None, body: Any = None) -> None:
        assert post(self.daemon.socket, "events", event("s1", kind, head, body))[0] == 200

    def offer(self, standing: str = "idle", **more: Any) -> None:
        body = {"session": "s1", "offer": {"actions": ["prompt", "interrupt", "stop"]} | more, "standing": standing}
        assert post(self.daemon.socket, "steering", body) == (200, {})

    def plain(self, event: Any, session: str = SESSION) -> Any:
        return self.opener.event(session, event)[1] if self.opener else event

    def words(self, session: str, to: str, text: str) -> str:
        return self.opener.sealed_words(session, to, text) if self.opener else text

    def card(self, call: str) -> tuple[dict[str, Any], Shown]:
        """The pending approval of a tool call, and the text that its host showed."""
        found = self.phone.wait_card(lambda card: card["stage"] == "pending" and card["request"]["head"].get("call") == call)
        return found, Shown(self.plain(found["request"]))

    def decide(self, card: Any, shown: Shown, decision: str, message: str | None = None) -> Any:
        assert self.phone.device
        said = {"message": self.words(SESSION, card["approval"], message)} if message else {}
        signature = self.phone.device.decide(shown, decision, **said)
        return self.phone.command(
            "decide", session=SESSION, approval=card["approval"], digest=shown.digest, decision=decision, signature=signature, **said
        )

    def answer(self, card: Any, shown: Shown, answers: list[Any]) -> Any:
        assert self.phone.device
        signature = self.phone.device.decide(shown, "answer", answers=answers)
        return self.phone.command("answer", session=SESSION, approval=card["approval"], digest=shown.digest, answers=answers, signature=signature)

    def prompt(self, text: str, id: str, session: str = SESSION, **more: Any) -> Any:
        return self.phone.command("prompt", id=id, session=session, text=self.words(session, id, text), busy="queue", **more)

    def bring(self, picture: bytes) -> Any:
        """Uploads a picture; returns the form in which prompts refer to it."""
        sent = self.opener.sealed_picture(SESSION, picture) if self.opener else picture
        answer = bring(self.relay, self.phone.token, SESSION, sent)
        assert answer.status == 200, answer.body
        return answer.json

    def stage(self, id: str) -> dict[str, Any]:
        """The final event of a command, opened by the phone."""
        ended = self.phone.wait_event(
            SESSION, lambda event: event["kind"] == "steering.changed" and event["head"]["command"] == id and event["head"]["stage"] not in ("queued", "given"), 30
        )
        return self.plain(ended)["head"]


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[PostgresServer | None]:
    """The PostgreSQL server of tests whose relay stores its data there; otherwise None."""
    if getattr(request, "param", "files") == "files":
        yield None
        return
    server = PostgresServer()
    yield server
    server.close()


@pytest.fixture
def relay(tmp_path: Path, site: PushSite, server: PostgresServer | None) -> Iterator[Relay]:
    relay = Relay(tmp_path / "relay", ["--store", server.address("postgres")] if server else [], environment=site.environment)
    relay.start()
    try:
        yield relay
        relay.stop()
        relay.check_log()
    finally:
        relay.kill()


@pytest.fixture
def apple(tmp_path: Path, relay: Relay) -> Iterator[AppleService]:
    """A phone with an app that has a Live Activity for each session, and its received pushes."""
    folder = tmp_path / "apple"
    folder.mkdir()
    service = AppleService(BINARY, folder, f"127.0.0.1:{relay.port}")
    service.switch_on()
    service.enrol(relay.data)
    service.register(relay.token("client", "Ada's iPhone"), text="full", starts="always")
    yield service
    service.switch_off()


@pytest.fixture
def machine(short_path: Path, relay: Relay, phone: WireClient) -> Iterator[Callable[..., Machine]]:
    made: list[Machine] = []

    def make(is_sealed: bool = True) -> Machine:
        one = Machine(short_path, relay, phone, is_sealed)
        made.append(one)
        one.start()
        return one

    yield make
    for one in made:
        try:
            one.daemon.stop()
        finally:
            one.daemon.kill()
            one.tap.close()


def work(machine: Machine, reader: "Reader") -> None:
    """A short day's work with a unique mark in every text of a person or an agent."""
    new = machine.marks.new
    folder = machine.daemon.home / new()
    folder.mkdir()
    done = subprocess.run([str(BINARY), "host", "projects", "add", str(folder)], capture_output=True, text=True, env=machine.environment, timeout=patient(20))
    assert done.returncode == 0, done.stderr
    title = new()
    machine.emit("session.started", {"agent": {"name": "own"}, "title": title, "project": new(), "cwd": f"/srv/{new()}", "branch": new()})
    machine.offer(commands=[f"/{new()}"], pictures=True)
    machine.phone.wait_summary(SESSION, lambda summary: "prompt" in summary.get("steering", {}).get("actions", []), 20)
    machine.phone.subscribe(SESSION)
    reader.follow()
    reader.sees(title)
    for number in range(22):
        call, done = f"c{number}", new()
        machine.emit("tool.started", {"call": call, "tool": "Run", "operation": f"Running {done}", "file": f"src/{done}.c"}, {"input": {"command": f"make {new()}"}})
        if number < 2:
            printed = new()
            machine.emit("tool.output", {"call": call}, {"text": f"{printed}\n"})
            machine.phone.wait(lambda message: message["type"] == "output" and message["call"] == call, 20, f"output of {call}")
            reader.sees(printed)
        machine.emit("tool.finished", {"call": call, "tool": "Run", "ok": True, "summary": done}, {"output": new()})
    for _ in range(8):
        said = new()
        machine.emit("message", {"role": "assistant", "summary": said}, {"text": f"I have done {said}."})
        machine.emit("file.changed", {"path": f"src/{new()}.c", "added": 1, "removed": 0}, {"diff": f"+{new()}\n"})
    task = new()
    machine.emit("todo.changed", {"completed": 1, "total": 2, "current": task}, {"items": [{"text": task, "status": "active"}]})
    machine.emit("subagent.started", {"agent": "a1", "name": new()})
    machine.emit("error", {"message": new(), "recoverable": True})
    reason = new()
    machine.emit("status.changed", {"status": "idle", "reason": reason})
    reader.sees(reason)
    machine.emit("session.renamed", {"title": new()})
    for number in range(6):
        call, tool, title = f"q{number}", new(), new()
        asking = Asking(machine.daemon, question("s1", call, tool=f"Tool {tool}", title=f"Deploy {title}", input={"to": new()}))
        card, shown = machine.card(call)
        reader.sees(tool, title)
        words = new() if number % 2 else None
        reply = machine.decide(card, shown, "deny" if words else "allow", words)
        assert "error" not in reply, reply
        status, said = asking.answer()
        assert status == 200 and (words in said["message"] if words else said["decision"] == "allow"), said
    asked = [{"id": "q0", "text": new(), "choices": [{"label": new()}, {"label": new()}]}, {"id": "q1", "text": new(), "choices": [{"label": new()}]}]
    title = new()
    asking = Asking(machine.daemon, {"session": "s1", "approval": "which", "kind": "question", "title": title, "questions": asked, "waitSeconds": 120})
    card, shown = machine.card("which")
    reader.sees(title)
    own, labels = new(), [choice["label"] for choice in asked[0]["choices"]]  # type: ignore[index]
    answers = [
        {"question": "q0", "choices": ["2" if machine.is_sealed else labels[1]], "indexes": [1]},
        {"question": "q1", "choices": [], "text": machine.words(SESSION, card["approval"], own)},
    ]
    reply = machine.answer(card, shown, answers)
    assert "error" not in reply, reply
    given = asking.answer()[1]["answers"]
    assert given[0]["choices"] == [labels[1]] and given[1]["text"] == own, given
    machine.picture = png(16, 16, seed=36, text=PICTURED)
    while len(machine.marks.all) < MARKS - 1:
        machine.emit("message", {"role": "assistant"}, {"text": new()})
    text = new()
    waiting = Asking(machine.daemon, {"session": "s1"}, "steering/next")
    machine.prompt(text, "p1", pictures=[machine.bring(machine.picture)])
    given = waiting.answer()[1]
    (handed,) = given["pictures"]
    assert given["text"] == text and base64.b64decode(handed["content"]) == machine.picture and handed["type"] == "image/png"
    told = {"session": "s1", "client": given["by"]["id"], "command": "p1", "stage": "taken"}
    assert post(machine.daemon.socket, "steered", told) == (200, {})
    assert machine.stage("p1")["stage"] == "taken"
    machine.daemon.wait_delivered()
    wait_until(lambda: any("to" in json.dumps(event) for event in machine.phone.logs[SESSION]), 10, "the log")


def picture_of(machine: Machine, named: Any) -> bytes:
    """The stored bytes of a picture."""
    return machine.relay.get(f"/v1/pictures/{named['digest']}", {"Authorization": f"Bearer {machine.phone.token}"}).body


def read_by(machine: Machine) -> str:
    """All content that the phone has read, as text."""
    phone, opener = machine.phone, machine.opener
    if opener is None:
        named = next(picture for event in phone.logs[SESSION] for picture in event.get("body", {}).get("pictures", []))
        return json.dumps([phone.messages, picture_of(machine, named).decode(errors="replace")], ensure_ascii=False)
    opened: list[Any] = []
    number = 0
    for event in phone.logs[SESSION]:
        head, body = event["head"], event.get("body", {})
        if "line" in event:
            opened.append(opener.line(SESSION, event["line"]))
        if "sealed" in body:
            this, plain = opener.event(SESSION, event)
            assert this == number + 1, f"event {this} came after {number}"
            number = this
            opened.append(plain)
        elif event["kind"] == "steering.requested" and "text" in body:
            opened.append(opener.words(SESSION, head["command"], body["text"]))
            for named in body.get("pictures", []):
                opened.append(opener.picture(SESSION, picture_of(machine, named)).decode(errors="replace"))
        elif event["kind"] == "approval.decided":
            texts = [head["decision"].get("message"), *(answer.get("text") for answer in head["decision"].get("answers", []))]
            opened += [opener.words(SESSION, head["approval"], text) for text in texts if text]
    for message in phone.messages:
        if message["type"] == "output":
            opened.append(opener.live(SESSION, message["call"], message["text"]))
    opened.append(opener.line(SESSION, phone.summaries[SESSION]["line"]))
    offer = phone.summaries[machine.desk]["steering"]
    opened.append(opener.event(machine.desk, {"kind": "steering.offered", "body": {"sealed": offer["sealed"]}})[1])
    return json.dumps(opened, ensure_ascii=False)


class Reader:
    """The page in a trusted browser, open all day: collects all lines ever shown. It reports as not looked at, so that notifications are sent."""

    SEES = """
        Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
        const seen = new Set(); window.seen = seen;
        const look = window.look = () => { for (const line of (document.body?.innerText ?? "").split("\\n")) seen.add(line); };
        new MutationObserver(() => requestAnimationFrame(look)).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    """

    READS = """async () => {
        for (const place of document.querySelectorAll("main .event, main approval-card, main details")) {
            place.scrollIntoView();
            await new Promise(requestAnimationFrame);
            window.look();
        }
    }"""
    """A browser draws what is scrolled to."""
    DEPTH = 3
    ROUNDS = 3

    def __init__(self, machine: Machine, one: Screen):
        self.machine, self.one = machine, one
        one.page.add_init_script(self.SEES)
        one.page.reload()
        trust_page(machine, one)

    def follow(self) -> None:
        self.one.go(f"#/session/{SESSION}")

    def sees(self, *marks: str) -> None:
        """Collects texts that are shown only briefly."""
        self.one.page.wait_for_function("marks => marks.every((mark) => [...window.seen].some((line) => line.includes(mark)))", arg=marks)

    def look_around(self) -> None:
        """Visits all screens of the page, like a person."""
        page = self.one.page
        self.follow()
        expect(self.one.timeline()).to_contain_text(self.machine.marks.all[-1])
        sent = self.one.timeline().locator('[data-kind="steering.requested"]')
        expect(sent.get_by_role("button", name="Picture").locator("canvas")).to_be_visible()
        for name in ("Show the to-do list and the numbers", "Mode, model and commands"):
            page.get_by_role("button", name=name).click()
            self.one.settle()
            page.get_by_role("button", name=name).click()
        for begun in ("/", ""):
            page.get_by_label("Tell the agent").fill(begun)
            self.one.settle()
        for place in (f"#/session/{SESSION}", "#/approvals/recent", "#/start", "#/"):
            self.one.go(place)
            self.one.settle()
            # An opened fold may contain further closed ones.
            for _ in range(self.DEPTH):
                page.evaluate("() => { for (const closed of document.querySelectorAll('main details:not([open])')) closed.open = true; }")
                self.one.settle()
            page.evaluate(self.READS)

    def missing(self) -> list[str]:
        """The marks that were never shown, after enough rounds for a page that draws content only when it is scrolled to."""
        for _ in range(self.ROUNDS):
            self.look_around()
            seen = "\n".join(self.one.page.evaluate("() => [...window.seen]"))
            missing = [mark for mark in self.machine.marks.all if mark not in seen]
            if not missing:
                break
        return missing


@pytest.mark.parametrize(("server", "content"), [("files", "sealed"), ("files", "open"), ("PostgreSQL", "sealed"), ("PostgreSQL", "open")], indirect=["server"])
def test_a_thief_of_everything_the_relay_has_finds_nothing_and_a_trusted_device_reads_all(
    content: str, machine: Callable[..., Machine], server: PostgresServer | None, site: PushSite, apple: AppleService,
    screen: Callable[..., Screen],
) -> None:
    one = machine(content == "sealed")
    browser = Laptop(one.relay, site, one.phone).browser
    reader = Reader(one, screen(role="operator"))
    work(one, reader)
    missing = reader.missing()
    assert not missing, " ".join(missing)
    assert len(one.marks.all) == MARKS == len(set(one.marks.all))
    marks = [*one.marks.all, PICTURED]
    text = read_by(one)
    assert not [mark for mark in marks if mark not in text], "the phone has not read all of it"
    pushed = {"browser": site.notifications(browser), "apple": [json.loads(line) for line in (apple.folder / "pushes.jsonl").read_text().splitlines()]}
    assert len(pushed["browser"]) >= 6 and len(pushed["apple"]) >= 6, "each question rang"
    pieces = {f"pixels {place}": piece for place, piece in enumerate(piece for piece in chunks(one.picture[-600:-100], 24) if b"\n" not in piece)}
    assert pieces
    found = found_in(loot(one.relay, one.tap, server, {"clients": one.phone.messages, **pushed}), marks, pieces)
    proven = verified(one)
    assert (proven["unproven"], proven["sealed"], proven["refused"]) == (0, 0, 0) and proven["proven"] >= 8, proven
    if content == "sealed":
        assert not found, f"{len(found)} marks were found: {dict(list(found.items())[:5])}"
    else:
        assert len(found) == len(marks) + len(pieces), "the thief can find what is there"
        counts = {place: sum(place in names for names in found.values()) for place in ("dump" if server else "backup", "traffic", "memory", *pushed)}
        places = {place for place, count in counts.items() if count > (MARKS - 20 if place in ("dump", "backup", "traffic") else 4)}
        assert places == set(counts), f"the thief cannot read some of {counts}"


def verified(machine: Machine) -> dict[str, Any]:
    """The relay's audit log, verified with the host's list of devices."""
    pins = machine.daemon.home / ".config/heliograph/devices.json"
    said = machine.relay.run("audit", "verify", "--data", str(machine.relay.data), "--devices", str(pins), "--json")
    return json.loads(said.stdout)["signatures"]


def chunks(blob: bytes, size: int) -> list[bytes]:
    return [blob[place : place + size] for place in range(0, len(blob) - size, size)]


def test_what_is_not_sealed_for_this_host_is_refused_and_says_why(machine: Callable[..., Machine]) -> None:
    one = machine()
    one.emit("session.started", {"agent": {"name": "own"}})
    one.offer()
    one.phone.wait_summary(SESSION, lambda summary: summary.get("steering", {}).get("seals"), 20)
    one.phone.subscribe(SESSION)
    assert one.opener
    one.phone.command("prompt", id="p1", session=SESSION, text="run it", busy="queue")
    assert one.stage("p1")["reason"] == "This host takes sealed text only."
    one.phone.command("prompt", id="p2", session=SESSION, text=one.opener.sealed_words(SESSION, "p1", "run it"), busy="queue")
    assert one.stage("p2")["reason"] == "The host cannot open what was sealed. Send it again."


def test_a_device_that_is_distrusted_reads_nothing_that_follows_and_one_that_joins_later_reads_what_the_host_lets_it(
    machine: Callable[..., Machine], client: Callable[..., WireClient], relay: Relay
) -> None:
    one = machine()
    first = one.opener
    assert first
    one.emit("session.started", {"agent": {"name": "own"}, "title": "before"})
    late = client(relay, "tablet", role="operator")
    late.subscribe()
    process = subprocess.Popen(
        [str(BINARY), "host", "trust", "--json", "--history", "from-now"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=one.environment
    )
    late.device = join(late, shown_link(process).split("k=")[1])
    assert process.wait(patient(20)) == 0
    tablet = Opener(late.device, first.host)
    tablet.learn(late.wait_summary(one.desk, lambda summary: any(unb64(wrap["device"]) == tablet.device.id for wrap in summary["steering"]["wraps"]), 20)["steering"])
    begun = max(first.epochs)
    assert list(tablet.epochs) == [begun + 1]
    assert one.phone.device
    trusted = devices(one)["devices"]
    assert [device["name"] for device in trusted] == [one.phone.name, "tablet"]
    done = subprocess.run([str(BINARY), "host", "distrust", trusted[0]["id"]], capture_output=True, text=True, env=one.environment, timeout=patient(20))
    assert done.returncode == 0, done.stderr
    one.emit("message", {"role": "assistant"}, {"text": "after"})
    late.subscribe(SESSION)
    said = late.wait_event(SESSION, lambda event: event["kind"] == "message")
    steering = late.wait_summary(one.desk, lambda summary: any(wrap["epoch"] == begun + 2 for wrap in summary["steering"]["wraps"]), 20)["steering"]
    tablet.learn(steering)
    assert tablet.event(SESSION, said)[1]["body"]["text"] == "after"
    first.learn(steering)
    with pytest.raises(KeyError):
        first.event(SESSION, said)


def test_a_host_that_begins_to_seal_says_from_which_event_on(machine: Callable[..., Machine]) -> None:
    one = machine(False)
    one.emit("session.started", {"agent": {"name": "own"}, "title": "begun in the open"})
    one.emit("message", {"role": "assistant"}, {"text": "in the open"})
    one.phone.subscribe(SESSION)
    one.phone.wait_event(SESSION, lambda event: event.get("body", {}).get("text") == "in the open")
    one.daemon.stop()
    one.daemon.launch("--content", "sealed")
    one.daemon.start()
    one.daemon.wait_link()
    one.phone.wait_summary(one.desk, lambda summary: summary["steering"].get("seals"))
    opener = one.open()
    one.emit("message", {"role": "assistant"}, {"text": "sealed"})
    one.phone.wait_event(SESSION, lambda event: event["kind"] == "message" and "sealed" in event.get("body", {}))
    line = one.phone.wait_summary(SESSION, lambda summary: "line" in summary)["line"]
    sealed = [opener.event(SESSION, event) for event in one.phone.logs[SESSION] if "sealed" in event.get("body", {})]
    assert opener.line(SESSION, line)["from"] == sealed[0][0] and sealed[-1][1]["body"]["text"] == "sealed"
    # Events from before the host sealed stay readable for everyone who may read the log.
    open_events = [event for event in one.phone.logs[SESSION] if "sealed" not in event.get("body", {})]
    assert [event["body"]["text"] for event in open_events if event["kind"] == "message"] == ["in the open"]
    assert sealed[0][0] == len(open_events) + 1


def test_sealed_needs_signed_and_says_so(machine: Callable[..., Machine]) -> None:
    one = machine()
    for arguments in (["--consent", "open"], ["--consent", "open", "--content", "sealed"]):
        done = subprocess.run([str(BINARY), "host", *arguments], capture_output=True, text=True, env=one.environment, timeout=patient(20))
        assert done.returncode != 0 and "sealed content needs signed consent" in done.stderr
    assert devices(one)["content"] == "sealed"
    kept = one.daemon.home / ".config/heliograph/sealing.json"
    assert kept.stat().st_mode & 0o777 == 0o600


def paired(relay: Relay, home: Path, *arguments: str) -> tuple[str, Path]:
    """Pairs a terminal; returns the output, and the stored file."""
    home.mkdir(exist_ok=True)
    command = [str(BINARY), "host", relay.pair_link("host"), "--pair-only", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=plain_environment(home), timeout=patient(20))
    assert done.returncode == 0, done.stderr
    return done.stdout, home / ".config/heliograph/host.json"


@pytest.mark.parametrize(
    ("arguments", "consent", "content"), [([], "signed", "sealed"), (["--consent", "open"], "open", "open"), (["--content", "open"], "signed", "open")], ids=["new", "takes all", "open"]
)
def test_a_machine_that_is_new_seals_unless_its_owner_says_otherwise(relay: Relay, short_path: Path, arguments: list[str], consent: str, content: str) -> None:
    said, file = paired(relay, short_path / "home", *arguments)
    kept = json.loads(file.read_text())
    assert (kept["consent"], kept["content"]) == (consent, content)
    assert ("the relay can read what they say and do: only --consent signed can seal that" in said) == (consent == "open")
    paired(relay, short_path / "home")
    of_pairing = {"token": "", "pairedBy": ""}
    assert json.loads(file.read_text()) | of_pairing == kept | of_pairing, "what it is called and wants is kept"


def test_a_host_of_before_stays_as_it_is(relay: Relay, short_path: Path) -> None:
    _, file = paired(relay, short_path / "home", "--content", "open")
    older = json.loads(file.read_text())
    for missing in (["content"], ["content", "consent"]):
        file.write_text(json.dumps({name: value for name, value in older.items() if name not in missing}))
        paired(relay, short_path / "home")
        kept = json.loads(file.read_text())
        assert (kept["consent"], kept["content"]) == ("open" if "consent" in missing else "signed", "open")


def test_a_host_that_is_paired_anew_goes_on_sealing(machine: Callable[..., Machine]) -> None:
    one = machine()
    one.daemon.stop()
    file = one.daemon.home / ".config/heliograph/host.json"
    for text in (file.read_text(), "{"):
        file.write_text(text)
        link = one.relay.pair_link("host")
        done = subprocess.run([str(BINARY), "host", link, "--pair-only"], capture_output=True, text=True, env=one.environment, timeout=patient(20))
        assert done.returncode == 0, done.stderr
        assert json.loads(file.read_text())["content"] == "sealed"


def test_keys_that_cannot_be_read_are_an_error_and_never_replaced(machine: Callable[..., Machine]) -> None:
    one = machine()
    one.daemon.stop()
    file = one.daemon.home / ".config/heliograph/sealing.json"
    key = json.loads(file.read_text())["epochs"][0]["key"]
    broken = file.read_text().replace('"version":1', '"version":2')
    file.write_text(broken)
    done = subprocess.run([str(BINARY), "host"], capture_output=True, text=True, env=one.environment, timeout=patient(20))
    assert done.returncode != 0 and "sealing.json is not as this program writes it" in done.stderr and key not in done.stderr
    assert file.read_text() == broken
