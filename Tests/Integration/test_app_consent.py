"""The Swift libraries for apps with the real relay and a real host that accepts only signed decisions and seals its content."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app import App
from client import WireClient
from daemon import Daemon, paired
from own_agent import Asking, end, event, post, question
from relay import Relay, plain_environment
from steered import phone  # noqa: F401 (a fixture)
from test_consent import SESSION, Terminal, asked, settled
from test_consent_vouching import Vouching
from test_push import Phone, payload, wait_notification
from test_push import phone as lock_screen  # noqa: F401 (a fixture)
from trusting import devices, joined, restore_pins, shown_link, trusting
from waits import wait_until

TITLE = "Mark-title payroll"
SAID = "Mark-said: the salaries are in payroll.csv"
OFFER = {"actions": ["prompt", "interrupt", "stop"]}
COLOURS = [{"id": "c", "text": "Which colour?", "choices": [{"label": "Red"}, {"label": "Mark-blue"}], "choicesOnly": True}]
WORDS = {"kind": "approval", "session": SESSION, "code": "7.abc"}


@pytest.fixture
def daemon(short_path: Path, relay: Relay, request: pytest.FixtureRequest) -> Iterator[Daemon]:
    """A host that accepts only signed decisions; with the parameter `sealed` it also seals its content."""
    with paired(short_path, relay, "--consent", "signed", "--content", getattr(request, "param", "open"), is_signed=True) as daemon:
        yield daemon


sealing = pytest.mark.parametrize("daemon", ["sealed"], indirect=True)


@pytest.fixture
def make_app(relay: Relay) -> Iterator[Callable[[], App]]:
    made: list[App] = []

    def make() -> App:
        made.append(App(relay.pair_link("operator")))
        assert made[-1].wait_answers(1) == "Ada's phone"
        made[-1].wish("foreground")
        made[-1].wait_state(lambda state: state["link"] == "live" and state["isComplete"])
        return made[-1]

    yield make
    for one in made:
        one.end()


@pytest.fixture
def app(make_app: Callable[[], App]) -> App:
    return make_app()


def trusts(daemon: Daemon, app: App) -> dict[str, Any]:
    """The app scans the link on the host's terminal; both show the same code."""
    process = trusting(daemon)
    said = app.wish("trust", shown_link(process))
    device = joined(process)
    assert said == f'["laptop"] {device["code"]}' and app.wish("code") == device["code"]
    return device


def works(daemon: Daemon) -> None:
    events = event("s1", "session.started", {"agent": {"name": "robot"}, "title": TITLE}) + event("s1", "message", {"role": "assistant", "summary": SAID}, {"text": SAID})
    assert post(daemon.socket, "events", events)[0] == 200
    assert post(daemon.socket, "steering", {"session": "s1", "offer": OFFER, "standing": "idle"}) == (200, {})


def waits(app: App, card: dict[str, Any]) -> dict[str, Any]:
    def shown(state: dict[str, Any]) -> bool:
        return any(one["id"] == card["approval"] for one in state["approvals"])

    return next(one for one in app.wait_state(shown)["approvals"] if one["id"] == card["approval"])


def test_an_app_allows_what_it_signs_and_nothing_before_it_is_trusted(daemon: Daemon, phone: WireClient, app: App) -> None:
    before = Asking(daemon, question("s1", "q0"))
    card = asked(phone, "q0")
    assert waits(app, card)["obstacle"] == 'notTrusted(host: "laptop")' and not waits(app, card)["canAllow"]
    assert app.wish("allow", card["approval"]).startswith("refused: laptop does not trust this device yet")
    assert app.wish("deny", card["approval"]).startswith("refused:"), "its words would reach the agent"
    assert "decided" in app.wish("refuse", card["approval"])
    assert before.answer()[1]["decision"] == "deny"

    device = trusts(daemon, app)
    assert [one["id"] for one in devices(daemon)["devices"]] == [device["id"]]
    asking = Asking(daemon, question("s1", "q1"))
    card = asked(phone, "q1")
    shown = waits(app, card)
    assert shown["canAllow"] and "production" in shown["input"]["to"]
    assert "decided" in app.wish("allow", card["approval"])
    assert asking.answer()[1]["decision"] == "allow"

    asking = Asking(daemon, question("s1", "q2"))
    card = asked(phone, "q2")
    waits(app, card)
    assert "decided" in app.wish("deny", card["approval"])
    assert (asking.answer()[1]["decision"], asking.answer()[1]["message"]) == ("deny", "not now")

    works(daemon)
    phone.wait_summary(SESSION, lambda summary: summary.get("steering", {}).get("consent"))
    waiting = Asking(daemon, {"session": "s1"}, "steering/next")
    wait_until(lambda: app.wish("prompt", SESSION, "go on") == "done", 20, lambda: "the prompt was not sent")
    assert waiting.answer()[1]["text"] == "go on"


@sealing
def test_an_app_opens_what_is_sealed_and_answers_in_it(daemon: Daemon, phone: WireClient, app: App, relay: Relay) -> None:
    works(daemon)
    app.wait_state(lambda state: any(one["session"] == SESSION and one["isSealed"] for one in state["sessions"]))
    assert TITLE not in json.dumps(app.state)
    trusts(daemon, app)
    app.wait_state(lambda state: any(one["title"] == TITLE and not one["isSealed"] for one in state["sessions"]))
    app.wish("show", SESSION)
    app.wait_state(lambda state: any(one.get("text") == SAID for one in state["events"]))
    assert all("remark" not in one for one in app.state["events"])

    asking = Asking(daemon, question("s1", "q1"))
    card = asked(phone, "q1")
    assert "production" not in json.dumps(card) and waits(app, card)["input"] == {"to": "production"}
    assert "decided" in app.wish("allow", card["approval"])
    assert asking.answer()[1]["decision"] == "allow"

    asking = Asking(daemon, {"session": "s1", "approval": "colour", "kind": "question", "questions": COLOURS, "waitSeconds": 60})
    card = phone.wait_card(lambda card: card["stage"] == "pending" and card["request"]["head"]["kind"] == "question")
    assert waits(app, card)["questions"] == {"c": ["Red", "Mark-blue"]}
    assert "decided" in app.wish("answer", card["approval"], "c", "1")
    assert asking.answer()[1]["answers"][0]["choices"] == ["Mark-blue"]

    waiting = Asking(daemon, {"session": "s1"}, "steering/next")
    wait_until(lambda: app.wish("prompt", SESSION, "Mark-prompt") == "done", 20, lambda: "the prompt was not sent")
    assert waiting.answer()[1]["text"] == "Mark-prompt"

    # The notification service extension opens the sealed line in an alert; the sealed approval itself is decided in the app.
    line = phone.wait_summary(SESSION, lambda summary: summary.get("line"))["line"]
    opened = app.wish("alert", json.dumps({"kind": "finished", "session": SESSION, "line": line}, separators=(",", ":")))
    assert TITLE in opened and "An agent waits" in opened
    Asking(daemon, question("s1", "q2"))
    card = asked(phone, "q2")
    assert app.wish("alert", json.dumps({**WORDS, "approval": card["approval"]}, separators=(",", ":"))) == "review"
    kept = b"".join(file.read_bytes() for file in relay.folder.rglob("*") if file.is_file())
    assert b"Mark-" not in kept, "the relay read it"


def test_a_button_of_an_alert_signs_only_what_the_alert_said(daemon: Daemon, phone: WireClient, app: App, lock_screen: Callable[..., Phone]) -> None:
    trusts(daemon, app)
    app.wish("background")
    rung = lock_screen()
    asking = Asking(daemon, question("s1", "q1"))
    alert = payload(wait_notification(rung))["heliograph"]
    words = json.loads(app.wish("alert", json.dumps(alert, separators=(",", ":"))))
    assert words["title"] == "Allow Deploy? · laptop" and "production" in words["body"]
    button = ("press", alert["approval"], alert["code"], alert["session"])
    assert app.wish(*button, json.dumps({**words, "body": "harmless"})) == "needsApp"
    assert app.wish(*button) == "needsApp", "what a card says is the relay's"
    assert phone.wait_approval(alert["approval"], "pending")["stage"] == "pending"
    assert "stands" in app.wish(*button, json.dumps(words))
    assert asking.answer()[1]["decision"] == "allow"


def test_new_devices_are_announced_and_can_be_told_to_go(daemon: Daemon, phone: WireClient, app: App, tmp_path: Path, relay: Relay) -> None:
    own = trusts(daemon, app)
    app.wait_state(lambda state: [(one["code"], one["isOwn"], one["isNew"]) for one in state["devices"]] == [(own["code"], True, False)])
    other = Terminal(tmp_path / "terminals", relay, "desk").join(daemon)
    app.wait_state(lambda state: [(one["code"], one["isNew"]) for one in state["devices"]] == [(other["code"], True), (own["code"], False)])
    assert app.wish("read", other["code"]) == "done"
    app.wait_state(lambda state: not any(one["isNew"] for one in state["devices"]))
    assert app.wish("distrust", other["code"]) == "done"
    app.wait_state(lambda state: [one["code"] for one in state["devices"]] == [own["code"]])
    assert [one["id"] for one in devices(daemon)["devices"]] == [own["id"]]


def test_a_second_device_with_the_same_link_is_refused(daemon: Daemon, phone: WireClient, make_app: Callable[[], App]) -> None:
    process = trusting(daemon)
    link = shown_link(process)
    first, second = make_app(), make_app()
    assert first.wish("trust", link).startswith('["laptop"]')
    assert second.wish("trust", link).startswith("refused:") and "already been used" in second.answers()[-1]["text"]
    assert end(process)[0] == 0
    assert second.wish("trust", "https://relay.example/#k=AAAA").startswith("badLink:")
    asking = Asking(daemon, question("s1", "q1"))
    card = asked(phone, "q1")
    assert waits(second, card)["obstacle"].startswith("notTrusted")
    assert "decided" in second.wish("refuse", card["approval"])
    assert asking.answer()[1]["decision"] == "deny"


def test_a_body_that_does_not_fit_its_request_is_denied_and_never_allowed(relay: Relay, scripted_host: Any, make_app: Callable[[], App]) -> None:
    """The relay has swapped the requests' bodies."""
    app = make_app()
    host = scripted_host(relay)
    host.start_session("s1", title="Clean up")
    shown = {"salt": "A" * 22, "host": "A" * 22, "session": "s2", "event": {"kind": "approval.requested", "at": 1, "head": {}}}
    head = {"approval": "a1", "kind": "tool", "tool": "Bash", "title": "Run: ls", "digest": "ab" * 32}
    host.event("s1", "approval.requested", head, {"shown": json.dumps(shown)})
    one = waits(app, {"approval": "a1"})
    assert one["obstacle"].startswith("unreadable") and not one["canAllow"] and one["input"] == {}
    assert app.wish("allow", "a1").startswith("refused: It can only be denied from here")
    assert "decided" in app.wish("refuse", "a1")
    assert host.wait_decision("a1")["decision"]["decision"] == "deny"


def test_an_app_is_brought_by_a_device_after_a_person_compared_the_codes(daemon: Daemon, phone: WireClient, app: App, tmp_path: Path, relay: Relay) -> None:
    terminal = Terminal(tmp_path / "terminals", relay, "desk")
    own = terminal.join(daemon)
    vouching = Vouching(plain_environment(terminal.home))
    app.send("trust", vouching.link)
    newcomer = vouching.line()["newcomer"]
    assert newcomer["name"] == "Ada's phone" and [one["id"] for one in devices(daemon)["devices"]] == [own["id"]]
    vouching.say("y")
    assert app.wait_answers(3) == f'["laptop"] {newcomer["code"]}'
    assert end(vouching.process)[0] == 0
    app.wait_state(lambda state: [one.get("broughtBy") for one in state["devices"]] == ["desk", None])
    asking = Asking(daemon, question("s1", "q1"))
    card = asked(phone, "q1")
    assert waits(app, card)["canAllow"]
    assert "decided" in app.wish("allow", card["approval"])
    assert asking.answer()[1]["decision"] == "allow"


def test_an_app_brings_another_one_or_turns_it_away(daemon: Daemon, phone: WireClient, make_app: Callable[[], App]) -> None:
    own, other = make_app(), make_app()
    assert own.wish("invite").startswith("notFound:"), "nobody trusts it yet"
    trusts(daemon, own)
    for word in ("turnAway", "accept"):
        link = own.wish("invite")
        told = len(other.answers()) + 1
        other.send("trust", link)
        newcomer = own.wait_state(lambda state: state.get("newcomer"))["newcomer"]
        assert newcomer["name"] == "Ada's phone" and len(devices(daemon)["devices"]) == 1, "nothing happens before a person says so"
        said = own.wish(word)
        if word == "turnAway":
            assert said == "done" and other.wait_answers(told).startswith("refused: The device that showed the link did not let this one in")
        else:
            assert said == '["laptop"]' and other.wait_answers(told) == f'["laptop"] {newcomer["code"]}'
    assert own.wish("accept").startswith("notFound:"), "nobody asks"
    assert len(devices(daemon)["devices"]) == 2


def test_after_a_restore_of_the_host_the_app_says_its_count_again(daemon: Daemon, phone: WireClient, app: App) -> None:
    trusts(daemon, app)
    restore_pins(daemon)
    asking = Asking(daemon, question("s1", "q1"))
    card = asked(phone, "q1")
    waits(app, card)
    assert "decided" in app.wish("allow", card["approval"])
    assert asking.answer()[0] != 200 and settled(phone, card) == "stale restored"
    wait_until(lambda: not devices(daemon)["devices"][0].get("suspended"), 20, lambda: "it is suspended still")
    asking = Asking(daemon, question("s1", "q2"))
    card = asked(phone, "q2")
    waits(app, card)
    assert "decided" in app.wish("allow", card["approval"])
    assert asking.answer()[1]["decision"] == "allow"
