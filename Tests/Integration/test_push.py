"""Pushes from end to end: the real relay, the APNs simulator in place of Apple, a simulated phone, and the real Claude Code."""

import base64
import json
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from claude import DIALOG
from relay import BINARY, ROOT
from waits import patient, wait_until

sys.path.append(str(ROOT / "Tests/Tools"))

from demo_phone import DEVICE, Phone  # noqa: E402


@pytest.fixture
def phone(tmp_path: Path, relay: Any) -> Iterator[Callable[..., Phone]]:
    """`phone(**wishes)`: a phone with the app, registered at `relay`."""
    made: list[Phone] = []

    def make(**wishes: Any) -> Phone:
        folder = tmp_path / "apple"
        folder.mkdir()
        phone = Phone(BINARY, folder, f"127.0.0.1:{relay.port}")
        made.append(phone)
        phone.switch_on()
        phone.enrol(relay.data)
        phone.register(relay.token("client", "Ada's phone"), **{"text": "full", "starts": "never", **wishes})
        return phone

    yield make
    for one in made:
        if not relay._is_ready():
            relay.start()
        one.switch_off()


def notifications(phone: Phone) -> list[Any]:
    return phone.do("device?", device=DEVICE)["device"]["notifications"]


def payload(notification: Any) -> Any:
    return notification["payload"]


def wait_notification(phone: Phone, fits: Callable[[Any], bool] = lambda n: "code" in payload(n)["heliograph"]) -> Any:
    def found() -> Any:
        return next((n for n in notifications(phone) if fits(n)), None)

    return wait_until(found, 20, lambda: f"a notification; there are {notifications(phone)}", every=0.1)


def decide(relay: Any, code: str, **decision: Any) -> Any:
    return relay.post(f"/v1/decisions/{code}", decision, {"Content-Type": "application/json"})


def pushes(relay: Any, watcher: Any) -> list[Any]:
    return watcher.command("devices")["devices"][0]["pushes"]


@pytest.mark.agent
def test_claude_is_allowed_through_the_notification(machine, relay, phone, client):
    """A decision passes through all stations: hook, relay, simulator, phone, code, relay, hook."""
    app = phone()
    write = {"tool": "Bash", "input": {"command": "echo hi > out.txt", "description": "Create out.txt"}}
    machine.start_claude([[write], [{"text": "All done now."}]])
    machine.prompt("please write it")
    machine.wait_screen(DIALOG)
    shown = wait_notification(app)
    assert "echo hi > out.txt" in shown["body"] and shown["level"] == "time-sensitive"
    assert shown["actions"] == ["Deny", "Allow"]
    assert not (machine.project / "out.txt").exists()

    code = payload(shown)["heliograph"]["code"]
    answer = decide(relay, code, decision="allow")
    assert answer.status == 200 and answer.json["stage"] in ("decided", "delivered", "applied")
    assert machine.wait_file("out.txt") == "hi\n"
    machine.wait_screen("All done now.")
    watcher = client(relay, "laptop")
    watcher.subscribe()
    card = watcher.wait_approval(payload(shown)["heliograph"]["approval"], "applied")
    assert card["decision"]["by"]["name"] == "Ada's phone"
    again = decide(relay, code, decision="deny")
    assert again.status == 409 and again.json["error"]["winner"]["decision"] == "allow"


def test_what_does_not_fit_the_notification_is_denied_from_it_only(relay, phone, scripted_host):
    app = phone()
    host = scripted_host()
    host.start_session("s1")
    host.request_approval("s1", "Bash", {"command": "\n".join(f"line {number}" for number in range(60))})
    shown = wait_notification(app)
    assert shown["actions"] == ["Deny", "Review"]
    code = payload(shown)["heliograph"]["code"]
    assert decide(relay, code, decision="allow").json["error"]["code"] == "notWhole"
    assert decide(relay, code, decision="deny", message="too long").json == {"stage": "decided"}


def test_a_code_carries_the_devices_signature_to_the_host(relay, phone, scripted_host):
    app = phone()
    host = scripted_host()
    host.start_session("s1")
    approval = host.request_approval("s1", "Bash", {"command": "ls"})
    code = payload(wait_notification(app))["heliograph"]["code"]
    assert decide(relay, code, decision="deny", signature="s" * 4097).json["error"]["path"] == "$.signature"
    assert decide(relay, code, decision="deny", signature="1.key.5.proof").json == {"stage": "decided"}
    assert host.wait_decision(approval)["decision"]["signature"] == "1.key.5.proof"


def test_what_is_sealed_only_the_phone_reads(relay, phone, scripted_host):
    key = bytes(range(32))
    app = phone(text="sealed", sealKey=base64.b64encode(key).decode())
    host = scripted_host()
    host.start_session("s1", title="Secret plan", project="secret-project")
    host.request_approval("s1", "Bash", {"command": "rm secret.txt"})
    shown = wait_notification(app, lambda n: "sealed" in payload(n))
    assert "secret" not in json.dumps(shown).lower()
    assert payload(shown)["aps"]["mutable-content"] == 1
    sealed = base64.b64decode(payload(shown)["sealed"])
    words = json.loads(AESGCM(key).decrypt(sealed[:12], sealed[12:], None))
    assert "rm secret.txt" in words["body"]
    assert decide(relay, words["code"], decision="allow").json == {"stage": "decided"}


def test_a_card_lives_from_its_start_to_its_end(relay, phone, scripted_host, client):
    app = phone(starts="whenNeeded")
    host = scripted_host()
    host.start_session("s1", title="Mend the roof")
    host.event("s1", "status.changed", {"status": "running"})
    approval = host.request_approval("s1", "Bash", {"command": "ls"})

    def cards() -> list[Any]:
        return app.do("device?", device=DEVICE)["device"]["activities"]

    def states() -> list[str]:
        return [card["contentState"]["status"] for card in cards()]

    wait_until(lambda: states() == ["waitingApproval"], 20, lambda: f"a card; there are {cards()}", every=0.1)
    watcher = client(relay, "laptop")
    watcher.subscribe()
    wait_until(
        lambda: any(card.get("hasToken") for card in watcher.command("devices")["devices"][0]["cards"]), 20, lambda: "the card's token at the relay", every=0.1
    )
    decided = time.time() * 1000
    watcher.decide("s1", approval, "allow")
    host.wait_decision(approval)
    host.apply("s1", approval)
    wait_until(lambda: states() == ["running"], 30, lambda: f"the card to say that it runs; {cards()}", every=0.1)
    since = [push for push in pushes(relay, watcher) if push["purpose"] == "update" and push["plannedAt"] >= decided]
    assert [push["payload"]["aps"]["content-state"]["status"] for push in since] == ["running"], since
    assert since[0]["priority"] == 10 and since[0]["plannedAt"] - decided < patient(2) * 1000
    host.event("s1", "session.ended", {"reason": "done"})
    wait_until(lambda: cards() and "endedAt" in cards()[0], 30, lambda: f"the card's end; {cards()}", every=0.1)
    assert states() == ["completed"]
    outcomes = pushes(relay, watcher)
    assert {push["purpose"] for push in outcomes} >= {"start", "update", "end", "alert"}
    wait_until(lambda: all("outcome" in push for push in pushes(relay, watcher)), 10, "an outcome of each push")
    assert all(push["outcome"]["result"] == "accepted" for push in pushes(relay, watcher))


def activities(phone: Phone) -> list[Any]:
    return phone.do("device?", device=DEVICE)["device"]["activities"]


def test_a_phone_without_a_token_for_alerts_is_rung_by_its_card(relay, phone, scripted_host):
    app = phone(alertToken=None, starts="whenNeeded")
    host = scripted_host()
    host.start_session("s1")
    host.event("s1", "status.changed", {"status": "running"})
    first = host.request_approval("s1", "Bash", {"command": "ls"})

    def alert() -> Any:
        return next((card["alert"] for card in activities(app) if "alert" in card), None)

    begun = wait_until(alert, 20, lambda: f"a card that rings; {activities(app)}", every=0.1)
    assert begun["sound"] and "Bash" in begun["title"]
    host.event("s1", "approval.cancelled", {"approval": first, "reason": "answeredLocally"})
    host.request_approval("s1", "Write", {"file_path": "a.txt", "content": "x"})
    wait_until(lambda: "Write" in alert()["title"], 30, lambda: f"an update that rings; {activities(app)}", every=0.1)
    assert alert()["sound"] and alert()["at"] > begun["at"]
    assert notifications(app) == []


def test_a_wrong_host_that_is_mended_lets_what_waits_ring(relay, phone, scripted_host):
    app = phone()
    file = relay.data / "push.json"
    right = json.loads(file.read_text())
    with socket.socket() as nobody:
        # A bound port that nobody listens on, so connections are refused.
        nobody.bind(("127.0.0.1", 0))
        door = {"host": "api.sandbox.push.apple.com", "port": nobody.getsockname()[1], "address": "127.0.0.1"}
        wrong = {**right, "hosts": {**right["hosts"], "devices": {"sandbox": door}}}
        file.write_text(json.dumps(wrong))
        host = scripted_host()
        host.start_session("s1")
        approval = host.request_approval("s1", "Bash", {"command": "ls"})
        wait_until(lambda: relay.metric('heliograph_pushes_planned_total{purpose="alert"}') == 1, 20, lambda: "a push that is planned", every=0.1)
        assert notifications(app) == []
        file.write_text(json.dumps(right))
        relay.process.send_signal(signal.SIGHUP)
        shown = wait_until(lambda: notifications(app), 3, lambda: "the notification", every=0.1)
    assert [payload(n)["heliograph"]["approval"] for n in shown] == [approval]


def test_a_phone_that_is_offline_at_the_end_gets_it_from_the_channel(relay, phone, scripted_host):
    app = phone(starts="never")
    file = relay.data / "push.json"
    settings = json.loads(file.read_text())
    settings["teams"][0]["broadcasts"] = settings["teams"][0]["bundles"]
    file.write_text(json.dumps(settings))
    relay.restart()
    app.register(app.token, starts="always")
    host = scripted_host()
    host.start_session("s1")
    host.event("s1", "status.changed", {"status": "running"})
    wait_until(lambda: activities(app) and "channel" in activities(app)[0], 30, lambda: f"a card that listens; {activities(app)}", every=0.1)
    app.do("online", device=DEVICE, on=False)
    host.event("s1", "session.ended", {"reason": "done"})
    outcomes = lambda: relay.metric('heliograph_pushes_answered_total{purpose="end",result="accepted"}')  # noqa: E731
    wait_until(lambda: outcomes() == 1, 30, lambda: "the end at Apple", every=0.1)
    assert "endedAt" not in activities(app)[0]
    app.do("online", device=DEVICE, on=True)
    wait_until(lambda: "endedAt" in activities(app)[0], 10, lambda: f"the card's end; {activities(app)}", every=0.1)


FAULTS = {
    "busy": {"do": "answer", "reason": "TooManyRequests", "times": 2},
    "down": {"do": "answer", "reason": "ServiceUnavailable", "times": 3},
    "internal error": {"do": "answer", "reason": "InternalServerError"},
    "refused stream": {"do": "reset", "code": 7},
    "reset": {"do": "reset"},
    "going away, before": {"do": "goAway", "lastStream": "before", "closes": True},
    "going away, after": {"do": "goAway", "lastStream": "all"},
    "half an answer": {"do": "cut"},
    "closed": {"do": "close"},
    "closed by RST": {"do": "close", "resets": True},
    "twice": {"do": "duplicate"},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_approval_rings_once_whatever_apple_does(relay, phone, scripted_host, fault):
    app = phone()
    app.do("script", rules=[{"request": 1, **FAULTS[fault]} if "times" not in FAULTS[fault] else {"every": 1, **FAULTS[fault]}])
    host = scripted_host()
    host.start_session("s1")
    approval = host.request_approval("s1", "Bash", {"command": "ls"})
    shown = wait_until(lambda: notifications(app), 90, lambda: "the notification", every=0.2)
    assert [payload(n)["heliograph"]["approval"] for n in shown] == [approval]
    assert decide(relay, payload(shown[0])["heliograph"]["code"], decision="allow").json == {"stage": "decided"}


@pytest.mark.parametrize("reason", ["ServiceUnavailable", "InternalServerError"])
def test_what_is_settled_before_apple_takes_it_does_not_ring(relay, phone, scripted_host, client, reason):
    app = phone()
    app.do("script", rules=[{"request": 1, "do": "answer", "reason": reason}])
    watcher = client(relay, "laptop")
    watcher.subscribe()
    host = scripted_host()
    host.start_session("s1")
    approval = host.request_approval("s1", "Bash", {"command": "ls"})
    journal = app.folder / "pushes.jsonl"
    wait_until(lambda: f'"{reason}"' in journal.read_text(), 20, lambda: f"Apple's refusal; {journal.read_text()}")
    watcher.wait_approval(approval)
    watcher.decide("s1", approval, "allow")
    later = host.request_approval("s1", "Bash", {"command": "pwd"})
    wait_notification(app, lambda n: payload(n)["heliograph"].get("approval") == later)
    wait_until(lambda: all("outcome" in push for push in pushes(relay, watcher)), 20, lambda: f"outcomes; {pushes(relay, watcher)}", every=0.1)
    assert [payload(n)["heliograph"].get("approval") for n in notifications(app)] == [later]


def test_a_dead_token_is_forgotten_until_the_app_registers_again(relay, phone, scripted_host, client):
    app = phone()
    app.do("script", rules=[{"every": 1, "times": 1, "do": "answer", "reason": "Unregistered", "timestamp": 4_102_444_800_000}])
    host = scripted_host()
    host.start_session("s1")
    host.request_approval("s1", "Bash", {"command": "ls"})
    watcher = client(relay, "laptop")

    def device() -> Any:
        return watcher.command("devices")["devices"][0]

    wait_until(lambda: device().get("trouble"), 20, lambda: f"the trouble; {device()}", every=0.1)
    assert "Unregistered" in device()["trouble"] and "alertToken" not in device()["device"]
    app.register(relay.token("client", "Ada's phone again"), text="full", starts="never")
    host.request_approval("s1", "Bash", {"command": "pwd"})
    # With a new token the waiting notification is sent at once, without the back-off of the old one.
    rung = wait_until(lambda: sorted(n["body"] for n in notifications(app)) if len(notifications(app)) == 2 else None, 20, lambda: "two notifications", every=0.1)
    assert rung == ["command: ls", "command: pwd"]
    assert "trouble" not in device() or not device()["trouble"]


def test_a_killed_relay_neither_loses_nor_repeats_a_push(relay, phone, scripted_host):
    app = phone()
    app.do("script", rules=[{"every": 1, "times": 1, "do": "hang", "processed": False}])
    host = scripted_host()
    host.start_session("s1")
    approval = host.request_approval("s1", "Bash", {"command": "ls"})
    wait_until(lambda: (app.folder / "pushes.jsonl").read_text().count('"request"'), 20, lambda: "a push at Apple", every=0.1)
    assert notifications(app) == []
    relay.kill()
    relay.start()
    shown = wait_until(lambda: notifications(app), 30, lambda: "the notification", every=0.1)
    assert [payload(n)["heliograph"]["approval"] for n in shown] == [approval]
    relay.kill()
    relay.start()
    second = host.request_approval("s1", "Bash", {"command": "pwd"})
    wait_until(lambda: len(notifications(app)) == 2, 30, lambda: "the second notification", every=0.1)
    assert [payload(n)["heliograph"]["approval"] for n in notifications(app)] == [approval, second]


def test_a_device_that_shows_it_does_not_ring(relay, phone, scripted_host, client):
    app = phone()
    screen = client(relay, "Ada's phone", token=app.token)
    screen.subscribe()
    screen.command("presence", foreground=True, device=DEVICE)
    host = scripted_host()
    host.start_session("s1")
    approval = host.request_approval("s1", "Bash", {"command": "ls"})
    screen.wait_approval(approval, "pending")
    screen.command("seen", session="s1", approval=approval)
    screen.command("presence", foreground=True, device=DEVICE)
    # Any other notification would have been sent before the one of this request, whose session is not on screen.
    other = host.request_approval("s1", "Bash", {"command": "pwd"})
    shown = wait_notification(app)
    assert [payload(n)["heliograph"]["approval"] for n in notifications(app)] == [other], shown
    screen.command("presence", foreground=False, device=DEVICE)
    wait_until(lambda: len(notifications(app)) == 2, 20, lambda: "the notification that waited", every=0.1)
