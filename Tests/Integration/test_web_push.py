"""Pushes to browsers from end to end: the real relay, a push service stricter than the real ones, and the browser's own keys to decrypt them."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from push_service import Answer, Browser
from push_site import PushSite, site  # noqa: F401 (a fixture)
from relay import Relay
from waits import wait_until

DEVICE = "ada-firefox"
DAY = 86_400_000


@pytest.fixture
def relay(make_relay: Callable[..., Relay], tmp_path: Path, site: PushSite) -> Iterator[Relay]:
    relay = Relay(tmp_path / "relay", ["--log-level", "trace"], environment=site.environment)
    relay.start()
    yield relay
    relay.stop()
    relay.check_log()
    # Endpoints, keys and codes are secrets: endpoint and keys allow pushing to a phone, codes allow deciding.
    secrets = [part for browser in site.service.browsers.values() for part in [browser.endpoint.rpartition("/")[2], *list(browser.subscription().values())[1:]]]
    secrets += [code for request in site.taken if request.text and (code := told(json.loads(request.text)).get("code"))]
    assert not [secret for secret in secrets if secret in relay.log_text()], "a secret stands in the log"


def told(shown: Any) -> Any:
    return shown["notification"]["data"]["heliograph"]


def server_key(relay: Relay, token: str) -> str:
    answer = relay.get("/v1/push/key", {"Authorization": f"Bearer {token}"})
    assert answer.status == 200, answer.body
    return answer.json["key"]


def register(client: Any, browser: Browser, device: str = DEVICE, **wishes: Any) -> Any:
    registration = {"device": device, "name": "Ada's laptop", "system": "Firefox on Linux", "web": browser.subscription(), "text": "full", **wishes}
    return client.command("device", device=registration)


class Laptop:
    """A client whose browser is subscribed and registered."""

    def __init__(self, relay: Relay, site: PushSite, client: Any, **wishes: Any):
        self.client = client
        self.browser = site.subscribe(server_key(relay, client.token))
        reply = register(client, self.browser, **wishes)
        assert "error" not in reply, reply

    @property
    def device(self) -> Any:
        return self.client.command("devices")["devices"][0]

    def wait_outcome(self, result: str, text: str = "") -> Any:
        def found() -> Any:
            pushes = [push for push in self.device["pushes"] if push.get("outcome", {}).get("result") == result]
            return next((push for push in pushes if text in push["outcome"].get("text", "")), None)

        return wait_until(found, 20, lambda: f"a push that is {result} {text}; {self.device}", every=0.1)


@pytest.fixture
def laptop(relay: Relay, site: PushSite, client: Callable[..., Any]) -> Callable[..., Laptop]:
    """`laptop(**wishes)`: registers Ada's browser at the relay."""
    return lambda **wishes: Laptop(relay, site, client(relay, "Ada's laptop"), **wishes)


@pytest.fixture
def asking(scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host()
    host.start_session("s1", title="Mend the roof")
    return host


def decide(relay: Relay, code: str, **decision: Any) -> Any:
    return relay.post(f"/v1/decisions/{code}", decision)


def test_an_approval_is_allowed_through_the_browsers_notification(relay, site, laptop, asking):
    ada = laptop(allowOnLockScreen=True)
    approval = asking.request_approval("s1", "Bash", {"command": "rm -rf build"})
    shown = site.wait_notification(ada.browser)
    assert shown["web_push"] == 8030 and shown["mutable"] is True
    notification = shown["notification"]
    assert notification["body"] == "command: rm -rf build" and "Bash" in notification["title"] and "Mend the roof" in notification["title"]
    assert notification["navigate"] == f"{relay.url}/#/approvals/s1/{approval}"
    assert told(shown) | {"code": ""} == {
        "kind": "approval", "session": "s1", "approval": approval, "decisions": ["deny", "allow"], "code": "",
    }  # fmt: skip
    request = site.taken[0]
    assert request.headers["urgency"] == "high" and len(request.headers["topic"]) == 32 and 28 * 86_400 - 600 < int(request.headers["ttl"]) <= 28 * 86_400
    ada.wait_outcome("accepted")

    assert decide(relay, told(shown)["code"], decision="allow").json == {"stage": "decided"}
    asking.wait_decision(approval)
    again = decide(relay, told(shown)["code"], decision="deny")
    assert again.status == 409 and again.json["error"]["winner"]["decision"] == "allow"
    assert again.json["error"]["winner"]["by"]["name"] == "Ada's laptop"


def test_without_the_persons_choice_a_browser_may_only_deny(relay, site, laptop, asking):
    ada = laptop()
    asking.request_approval("s1", "Bash", {"command": "ls"})
    shown = site.wait_notification(ada.browser)
    assert told(shown)["decisions"] == ["deny"]
    assert decide(relay, told(shown)["code"], decision="allow").json["error"]["code"] == "notWhole"
    assert decide(relay, told(shown)["code"], decision="deny").json == {"stage": "decided"}


def test_a_choice_that_is_taken_back_holds_for_what_was_sent_before(relay, site, laptop, asking):
    ada = laptop(allowOnLockScreen=True)
    asking.request_approval("s1", "Bash", {"command": "ls"})
    shown = site.wait_notification(ada.browser)
    assert told(shown)["decisions"] == ["deny", "allow"]
    assert "error" not in register(ada.client, ada.browser)
    assert decide(relay, told(shown)["code"], decision="allow").json["error"]["code"] == "notWhole"


@pytest.mark.parametrize("wishes, tool_input", [
    ({}, {"command": "x" * 2_800}), ({}, {"command": "\n".join(f"line {number}" for number in range(60))}), ({"text": "summary"}, {"command": "ls"}),
])  # fmt: skip
def test_what_the_notification_does_not_show_whole_is_denied_from_it_only(relay, site, laptop, asking, wishes, tool_input):
    ada = laptop(allowOnLockScreen=True, **wishes)
    asking.request_approval("s1", "Bash", tool_input)
    shown = site.wait_notification(ada.browser)
    assert told(shown)["decisions"] == ["deny"]
    assert len(site.taken[0].text.rstrip(b"\0")) <= 2_600
    assert decide(relay, told(shown)["code"], decision="allow").json["error"]["code"] == "notWhole"
    assert decide(relay, told(shown)["code"], decision="deny").json == {"stage": "decided"}


def test_what_is_settled_elsewhere_takes_the_notifications_place_silently(relay, site, laptop, asking, client):
    ada = laptop()
    approval = asking.request_approval("s1", "Bash", {"command": "ls"})
    rung = site.wait_notification(ada.browser)
    other = client(relay, "desk")
    other.subscribe()
    other.wait_approval(approval, "pending")
    other.decide("s1", approval, "allow")
    settled = site.wait_notification(ada.browser, lambda shown: told(shown).get("rings") is False)
    assert settled["notification"]["tag"] == rung["notification"]["tag"] and settled["notification"]["silent"] is True
    assert settled["notification"]["body"] == "Allowed by desk" and "code" not in told(settled)
    first, second = site.taken
    assert first.headers["topic"] == second.headers["topic"] and second.headers["urgency"] == "low"


def test_whoever_looks_at_the_page_is_not_rung(relay, site, laptop, asking):
    ada = laptop()
    ada.client.command("presence", foreground=True, session="s1", device=DEVICE)
    ada.client.subscribe()
    approval = asking.request_approval("s1", "Bash", {"command": "ls"})
    ada.client.wait_approval(approval, "pending")
    ada.client.command("seen", session="s1", approval=approval)
    # The test push is subject to the same delay while a person looks, so any push planned before would arrive before it.
    assert "error" not in ada.client.command("testPush", device=DEVICE)
    site.wait_notification(ada.browser, lambda shown: told(shown)["kind"] == "test")
    assert [told(shown)["kind"] for shown in site.notifications(ada.browser)] == ["test"]
    ada.client.command("presence", foreground=False, device=DEVICE)
    site.wait_notification(ada.browser, lambda shown: told(shown)["kind"] == "approval")


def test_a_test_push_says_that_it_arrives(relay, site, laptop):
    ada = laptop()
    assert "error" not in ada.client.command("testPush", device=DEVICE)
    shown = site.wait_notification(ada.browser)
    assert shown["notification"]["body"] == "Pushes reach Ada's laptop." and told(shown) == {"kind": "test"}
    assert shown["notification"]["navigate"] == f"{relay.url}/#/devices"
    ada.wait_outcome("accepted")


def test_quiet_kinds_and_mutes_hold_for_browsers_too(relay, site, laptop, asking):
    ada = laptop(kinds=["error"], hidesCost=True)
    asking.request_approval("s1", "Bash", {"command": "ls"})
    asking.event("s1", "status.changed", {"status": "running"})
    asking.event("s1", "error", {"message": "out of money"})
    shown = site.wait_notification(ada.browser)
    assert told(shown)["kind"] == "error" and shown["notification"]["navigate"].endswith("/#/session/s1")
    assert site.taken[0].headers["urgency"] == "normal"
    assert len(site.notifications(ada.browser)) == 1


def test_at_night_where_its_person_is_a_browser_waits_for_the_morning(relay, site, laptop, asking):
    zone = "Pacific/Apia"
    there = datetime.now(ZoneInfo(zone))
    minute = there.hour * 60 + there.minute
    ada = laptop(quiet={"from": (minute - 60) % 1440, "to": (minute + 60) % 1440, "timeZone": zone})
    approval = asking.request_approval("s1", "Bash", {"command": "ls"})
    # A test push is sent nevertheless, and later than a notification would have been.
    assert "error" not in ada.client.command("testPush", device=DEVICE)
    site.wait_notification(ada.browser)
    assert [told(shown)["kind"] for shown in site.notifications(ada.browser)] == ["test"]
    choices = {"text": "full", "kinds": ["approval"], "muted": [], "quiet": {"from": (minute + 60) % 1440, "to": (minute + 120) % 1440, "timeZone": zone}}
    assert "error" not in ada.client.command("deviceChoices", device=DEVICE, **choices)
    assert told(site.wait_notification(ada.browser, lambda shown: told(shown)["kind"] != "test"))["approval"] == approval


def test_what_needs_a_second_look_rings_in_quiet_hours_and_a_muted_project_does_not(relay, site, laptop, asking, client):
    there = datetime.now(ZoneInfo("Asia/Tokyo"))
    minute = there.hour * 60 + there.minute
    quiet = {"from": (minute - 60) % 1440, "to": (minute + 60) % 1440, "timeZone": "Asia/Tokyo", "exceptRisks": True}
    desk = client(relay, "desk")
    desk.subscribe()
    project = {"host": desk.wait_summary("s1", bool)["host"]["id"], "project": "webshop"}
    ada = laptop(quiet=quiet, mutedProjects=[project])
    assert (ada.device["device"]["quiet"], ada.device["device"]["mutedProjects"]) == (quiet, [project])
    asking.start_session("s2", project="webshop")
    asking.request_approval("s1", "Bash", {"command": "ls"})
    asking.request_approval("s2", "Bash", {"command": "rm -r dist"}, risks=["Deletes files."])
    asking.wait_acked("s2")
    risky = asking.request_approval("s1", "Bash", {"command": "rm -r build"}, risks=["Deletes files."])
    assert told(site.wait_notification(ada.browser))["approval"] == risky
    # The relay still knows both after a kill. Without either choice everything rings that waits.
    relay.kill()
    relay.start()
    assert "error" not in client(relay, token=ada.client.token).command("deviceChoices", device=DEVICE, text="full", kinds=["approval"], muted=[])
    site.wait_notification(ada.browser, lambda shown: told(shown)["session"] == "s2")
    site.wait_notification(ada.browser, lambda shown: told(shown)["session"] == "s1" and told(shown)["approval"] != risky)


def test_what_needs_no_answer_is_gathered_and_an_approval_rings_at_once(relay, site, laptop, asking, client):
    ada = laptop(gather={"when": "daily", "at": 0, "timeZone": "Europe/Berlin"})
    asking.event("s1", "status.changed", {"status": "running"})
    asking.event("s1", "error", {"message": "out of money"})
    approval = asking.request_approval("s1", "Bash", {"command": "ls"})
    assert told(site.wait_notification(ada.browser))["approval"] == approval
    assert "errors, finished runs and budgets in one notification, at 0:00, Europe/Berlin" in relay.run("devices", "--data", str(relay.data)).stdout
    # After a kill the relay still knows of the error; a device without a digest is notified at once.
    relay.kill()
    relay.start()
    choices = {"text": "full", "kinds": ["approval", "error"], "muted": []}
    assert "error" not in client(relay, token=ada.client.token).command("deviceChoices", device=DEVICE, **choices)
    digest = site.wait_notification(ada.browser, lambda shown: told(shown)["kind"] != "approval")
    assert digest["notification"]["body"] == "1 error" and digest["notification"]["silent"] is True
    assert len([shown for shown in site.notifications(ada.browser) if told(shown)["kind"] != "approval"]) == 1


def test_what_a_week_has_cost_is_told_at_the_chosen_minute(relay, site, laptop, asking):
    now = time.time_ns() // 1_000_000
    asking.event("s2", "session.started", {"agent": {"name": "claude"}, "project": "webshop"}, at=now - 11 * DAY)
    for cost, age in [(10_000_000, 10), (14_500_000, 3)]:
        asking.event("s2", "usage", {"run": "r1", "model": "opus", "costMicroUSD": cost}, at=now - age * DAY)
    asking.wait_acked("s2")
    ada = laptop()
    local = ("--data", str(relay.data))
    # The digest is due in the next minute, or in the one after if the next is about to begin.
    due = datetime.fromtimestamp(now // 60_000 * 60 + (60 if now % 60_000 < 50_000 else 120), ZoneInfo("Asia/Tokyo"))
    said = relay.run("devices", "weekly", DEVICE, "--day", due.strftime("%A"), "--at", due.strftime("%H:%M"), "--time-zone", "Asia/Tokyo", *local).stdout
    assert f"told each {due.strftime('%A')} at {due.hour}:{due.minute:02}, Asia/Tokyo, what the week has cost" in said
    assert "what the week has cost" in relay.run("devices", *local).stdout
    assert ada.device["device"]["weekly"] == {"weekday": due.isoweekday(), "at": due.hour * 60 + due.minute, "timeZone": "Asia/Tokyo"}
    # The digest is on disk before it is due.
    relay.kill()
    relay.start()
    shown = site.wait_notification(ada.browser, lambda one: "week" in one["notification"]["title"], timeout=130)["notification"]
    assert shown["title"] == "This week: $4.50" and shown["silent"] is True
    assert shown["body"] == "$5.50 less than in the week before ($10.00). Dearest: project webshop, $4.50; model opus, $4.50."
    off = relay.run("devices", "weekly", DEVICE, "--off", "--json", *local).stdout
    assert json.loads(off) == {"changed": DEVICE}
    wrong = relay.run("devices", "weekly", DEVICE, "--at", "25:00", *local, check=False)
    assert wrong.returncode == 2 and "a time is like 09:00" in wrong.stderr



def test_nobody_is_shown_more_of_a_subscription_than_its_service(relay, laptop):
    ada = laptop(allowOnLockScreen=True)
    device = ada.device["device"]
    assert device["web"] == {"service": "localhost"} and device["profile"] == "web" and device["allowOnLockScreen"] is True
    assert device["cards"] == "off" and "environment" not in device
    listing = relay.run("push", "status", "--json", "--data", str(relay.data)).stdout
    for text in (json.dumps(ada.device), listing, relay.run("push", "status", "--data", str(relay.data)).stdout):
        for secret in [ada.browser.endpoint.rpartition("/")[2], *list(ada.browser.subscription().values())[1:]]:
            assert secret not in text


@pytest.mark.parametrize("change, path", [
    ({"endpoint": "https://push.evil.example/a"}, "$.device.web.endpoint"),
    ({"endpoint": "https://127.0.0.1/a"}, "$.device.web.endpoint"),
    ({"endpoint": "http://updates.push.services.mozilla.com/a"}, "$.device.web.endpoint"),
    ({"endpoint": "https://updates.push.services.mozilla.com@evil.example/a"}, "$.device.web.endpoint"),
    ({"p256dh": "BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}, "$.device.web.p256dh"),
    ({"auth": "short"}, "$.device.web.auth"),
])  # fmt: skip
def test_a_subscription_that_is_none_is_refused_by_its_place(relay, site, client, change, path):
    ada = client(relay, "Ada's laptop")
    browser = site.subscribe(server_key(relay, ada.token))
    registration = {"device": DEVICE, "name": "n", "system": "s", "web": browser.subscription() | change}
    reply = ada.command("device", device=registration)
    assert (reply["error"]["code"], reply["error"]["path"]) == ("badValue", path)
    over_http = relay.request("PUT", f"/v1/devices/{DEVICE}", json.dumps(registration).encode(), {"Authorization": f"Bearer {ada.token}"})
    assert over_http.status == 400 and over_http.json["error"]["path"].endswith(path.removeprefix("$.device"))
    assert "evil" not in relay.log_text()


def test_one_endpoint_belongs_to_one_device(relay, site, laptop, client):
    ada = laptop()
    assert "error" not in register(ada.client, ada.browser, device="another")
    listed = {entry["device"]["device"]: entry for entry in ada.client.command("devices")["devices"]}
    assert listed[DEVICE]["device"]["web"] == {} and listed[DEVICE]["trouble"]
    assert listed["another"]["device"]["web"] == {"service": "localhost"}
    assert ada.client.command("testPush", device=DEVICE)["error"]["code"] == "unavailable"


def test_a_relay_without_a_contact_says_why_it_pushes_to_no_browser(make_relay):
    relay = make_relay()
    answer = relay.get("/v1/push/key", {"Authorization": f"Bearer {relay.token('client', 'Ada')}"})
    assert answer.status == 404 and answer.json["error"]["code"] == "webPushOff"
    assert "--push-contact" in answer.json["error"]["message"]
    assert not (relay.data / "web-push-key.pem").exists()
    assert relay.get("/v1/push/key").status == 401


@pytest.mark.parametrize("contact", ["mailto:ada@localhost", "https://relay.local", "mailto:ada@box.invalid", "https://192.0.2.1", "ada@example.org"])
def test_a_contact_that_nobody_can_reach_is_refused_at_the_start_with_the_reason(tmp_path, contact):
    relay = Relay(tmp_path / "refused", ["--push-contact", contact])
    relay.launch()
    assert relay.wait_end() != 0
    assert "pushContact takes" in relay.log_text() and contact in relay.log_text()


FAULTS: dict[str, list[Answer]] = {
    "too many": [Answer(429, {"retry-after": "1"})], "too many, as Microsoft says": [Answer(406, {"retry-after": "1", "x-wns-error-description": "throttled"})], "down": [Answer(503)] * 2, "internal error": [Answer(500)], "cut": [Answer(cuts=True)],
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_approval_rings_whatever_the_service_does(relay, site, laptop, asking, fault):
    ada = laptop()
    site.answer(*FAULTS[fault])
    approval = asking.request_approval("s1", "Bash", {"command": "ls"})
    shown = site.wait_notification(ada.browser, timeout=60)
    assert told(shown)["approval"] == approval
    ada.wait_outcome("accepted")
    assert decide(relay, told(shown)["code"], decision="deny").json == {"stage": "decided"}
    # All attempts use the same topic, so that accepted duplicates become one notification.
    assert len({request.headers["topic"] for request in site.seen[: len(FAULTS[fault]) + 1]}) == 1
    assert len([r for r in site.notifications(ada.browser) if told(r).get("code")]) == 1


def test_a_service_that_does_not_answer_is_asked_again_for_the_same_notification(relay, site, laptop, asking):
    ada = laptop()
    site.answer(Answer())
    asking.request_approval("s1", "Bash", {"command": "ls"})
    site.wait_notification(ada.browser, timeout=60)
    assert len({request.headers["topic"] for request in site.seen}) == 1
    ada.wait_outcome("accepted")


@pytest.mark.parametrize("status, reason", [(410, ""), (403, "VapidPkHashMismatch"), (401, "VAPID public key mismatch")])
def test_a_subscription_that_is_gone_is_dropped_until_the_page_subscribes_anew(relay, site, laptop, asking, status, reason):
    ada = laptop()
    site.answer(Answer(status, body=json.dumps({"reason": reason}).encode()))
    asking.request_approval("s1", "Bash", {"command": "ls"})
    wait_until(lambda: ada.device.get("trouble"), 20, lambda: f"the trouble; {ada.device}", every=0.1)
    assert "open the page there once" in ada.device["trouble"] and ada.device["device"]["web"] == {}
    site.unsubscribe(ada.browser)
    ada.browser = site.subscribe(server_key(relay, ada.client.token))
    assert "error" not in register(ada.client, ada.browser)
    site.wait_notification(ada.browser)
    assert "trouble" not in ada.device
    assert len(site.seen) == 2, "what is gone is not tried again"


def test_a_subscription_outlives_the_404_of_our_own_next_try(relay, site, laptop, asking):
    ada = laptop()
    site.answer(Answer(404), Answer(404))
    asking.request_approval("s1", "Bash", {"command": "ls"})
    wait_until(lambda: "does not know" in ada.device.get("trouble", ""), 20, lambda: f"the first; {ada.device}", every=0.1)
    wait_until(lambda: [push["outcome"]["result"] for push in ada.device["pushes"] if "outcome" in push] == ["refused"] * 2, 60, "the second", every=0.2)
    assert ada.device["device"]["web"] == {"service": "localhost"}


def test_a_new_subscription_is_rung_for_what_waits(relay, site, laptop, asking):
    ada = laptop()
    asking.request_approval("s1", "Bash", {"command": "ls"})
    site.wait_notification(ada.browser, lambda shown: told(shown)["kind"] == "approval")
    site.unsubscribe(ada.browser)
    ada.browser = site.subscribe(server_key(relay, ada.client.token))
    assert "error" not in register(ada.client, ada.browser)
    site.wait_notification(ada.browser, lambda shown: told(shown)["kind"] == "approval")


@pytest.mark.parametrize("status", [400, 413])
def test_a_request_that_is_refused_is_told_and_not_repeated(relay, site, laptop, asking, status):
    ada = laptop()
    site.answer(Answer(status, body=b'{"reason":"BadWebPushRequest"}'))
    asking.request_approval("s1", "Bash", {"command": "ls"})
    ada.wait_outcome("refused", "BadWebPushRequest")
    assert "does not take what we send" in ada.device["trouble"] and ada.device["device"]["web"] == {"service": "localhost"}
    assert "error" not in ada.client.command("testPush", device=DEVICE)
    site.wait_notification(ada.browser, lambda shown: told(shown)["kind"] == "test")
    assert [request.status for request in site.seen] == [status, 201]


@pytest.mark.parametrize("status, body, reason", [
    (403, {"reason": "BadJwtToken"}, "BadJwtToken"), (401, {"code": 401, "errno": 109, "message": "Invalid token"}, "Invalid token, errno 109"),
])  # fmt: skip
def test_a_token_that_is_refused_is_the_operators_to_mend(relay, site, laptop, asking, status, body, reason):
    ada = laptop()
    site.answer(Answer(status, body=json.dumps(body).encode()))
    asking.request_approval("s1", "Bash", {"command": "ls"})
    ada.wait_outcome("refused", reason)
    assert "heliograph doctor" in ada.device["trouble"] and ada.device["device"]["web"] == {"service": "localhost"}
    assert [request.status for request in site.seen] == [status], "the same token is not tried at once again"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_followed_nowhere(relay, site, laptop, asking, status):
    ada = laptop()
    other = site.subscribe(server_key(relay, ada.client.token))
    with socket.create_server(("127.0.0.1", 0)) as trap:
        trap.setblocking(False)
        private = f"https://127.0.0.1:{trap.getsockname()[1]}/latest/meta-data"
        for count, target in enumerate([private, private.replace("https", "http"), other.endpoint], start=1):
            site.answer(Answer(status, {"location": target}))
            assert "error" not in ada.client.command("testPush", device=DEVICE)
            refused = ["refused"] * count
            wait_until(lambda: [push.get("outcome", {}).get("result") for push in ada.device["pushes"]] == refused, 20, lambda: f"{refused}; {ada.device}")
        assert {push["outcome"]["text"] for push in ada.device["pushes"]} == {f"{status} a redirect, which is not followed"}
        # Later pushes are sent normally, once.
        asking.request_approval("s1", "Bash", {"command": "ls"})
        site.wait_notification(ada.browser)
        with pytest.raises(BlockingIOError):
            trap.accept()
    assert [request.status for request in site.seen] == [status] * 3 + [201]
    assert not site.notifications(other)


@pytest.mark.parametrize("status", [406, 429])
def test_a_service_that_does_not_say_how_long_is_left_alone_and_the_push_is_kept(relay, site, laptop, asking, client, status):
    ada, bob = laptop(), Laptop(relay, site, client(relay, "Bob's laptop"), device="bobs", kinds=[])
    site.answer(Answer(status))
    approval = asking.request_approval("s1", "Bash", {"command": "ls"})
    site.wait_requests(1)
    for count in (1, 2, 3):
        assert "error" not in bob.client.command("testPush", device="bobs")
        wait_until(lambda: len(site.notifications(bob.browser)) == count, 20, lambda: f"{count} to the other", every=0.05)
    assert [request.status for request in site.seen] == [status, 201, 201, 201], "nothing is tried again within seconds"
    assert "outcome" not in ada.device["pushes"][0]
    # The relay is killed instead of waiting for the minute: the push was stored.
    relay.kill()
    relay.start()
    assert told(site.wait_notification(ada.browser))["approval"] == approval
    assert len(site.notifications(ada.browser)) == 1 and len(site.notifications(bob.browser)) == 3



def test_a_relay_that_is_killed_loses_no_push_and_keeps_its_key(relay, site, laptop, asking):
    ada = laptop()
    key = server_key(relay, ada.client.token)
    site.answer(Answer())
    approval = asking.request_approval("s1", "Bash", {"command": "ls"})
    site.wait_requests(1)
    relay.kill()
    relay.start()
    shown = site.wait_notification(ada.browser)
    assert told(shown)["approval"] == approval
    assert server_key(relay, ada.client.token) == key
    assert len({request.headers["topic"] for request in site.seen}) == 1, "what was on its way and comes again is one notification"
    assert decide(relay, told(shown)["code"], decision="deny").json == {"stage": "decided"}


def test_a_backup_has_the_key_that_browsers_subscribed_with(relay, site, laptop, asking, tmp_path):
    ada = laptop()
    key = server_key(relay, ada.client.token)
    file = relay.data / "web-push-key.pem"
    assert file.stat().st_mode & 0o777 == 0o600
    copy = tmp_path / "copy.sqlite"
    relay.run("backup", str(copy), "--data", str(relay.data))
    assert copy.stat().st_mode & 0o777 == 0o600
    relay.stop()
    file.unlink()
    relay.run("restore", str(copy), "--force", "--data", str(relay.data))
    assert file.stat().st_mode & 0o777 == 0o600
    relay.start()
    assert server_key(relay, ada.client.token) == key
    asking.request_approval("s1", "Bash", {"command": "ls"})
    site.wait_notification(ada.browser)


def test_numbers_and_status_tell_of_browsers_too(relay, site, laptop, asking):
    ada = laptop()
    asking.request_approval("s1", "Bash", {"command": "ls"})
    site.wait_notification(ada.browser)
    ada.wait_outcome("accepted")
    assert relay.metric('heliograph_pushes_answered_total{purpose="alert",result="accepted"}') == 1
    status = json.loads(relay.run("push", "status", "--json", "--data", str(relay.data)).stdout)
    assert [origin["service"] for origin in status["web"]["origins"]] == [f"localhost:{site.port}"]
    text = relay.run("push", "status", "--data", str(relay.data)).stdout
    assert f"localhost:{site.port}" in text and "alert to ada-firefox: accepted" in text and "no APNs key" not in text
    listing = relay.run("devices", "--data", str(relay.data)).stdout
    assert "Ada's laptop  Firefox on Linux, by localhost, of Ada's laptop" in listing
    assert "alert: accepted by its push service" in listing and "notifications there offer Deny, never Allow" in listing


def doctor(relay: Relay) -> dict[str, Any]:
    lines = relay.run("doctor", "--json", "--data", str(relay.data), check=False, timeout=60).stdout.splitlines()
    return {finding["subject"]: finding for finding in map(json.loads, lines)}


def test_the_doctor_names_a_page_that_may_not_notify(tmp_path, site):
    relay = Relay(tmp_path / "plain", ["--public-url", "http://box.example:8787"], environment=site.environment)
    relay.start()
    assert doctor(relay)["Browsers' page"]["state"] == "doubtful" and "https://" in doctor(relay)["Browsers' page"]["mend"]
    relay.stop()
    relay.check_log()


def test_the_doctor_looks_at_what_browsers_need(relay, site, laptop, asking):
    def findings() -> dict[str, Any]:
        return doctor(relay)

    assert "Browsers" in findings() and "Browsers' key" not in findings(), "no browser has asked yet"
    laptop()
    well = findings()
    assert "mailto:ada@example.org" in well["Browsers"]["text"] and "Home Screen" in well["Browsers"]["text"]
    assert well["Browsers' key"]["state"] == "well"
    # No real push service can be reached from this machine; services without a registered browser do not matter.
    assert well["Push services"]["state"] in ("well", "doubtful")
    (relay.data / "web-push-key.pem").chmod(0o644)
    assert findings()["Browsers' key"]["state"] == "wrong"
    site.answer(*[Answer(403, body=b'{"reason":"BadJwtToken"}')] * 3)
    for name in ("a", "b", "c"):
        asking.request_approval("s1", "Bash", {"command": name})
    wait_until(lambda: f"localhost:{site.port}" in findings(), 30, lambda: f"the refusal; {findings()}", every=0.5)
    refused = findings()[f"localhost:{site.port}"]
    assert refused["state"] == "wrong" and "BadJwtToken" in refused["text"] and "clock" in refused["mend"]
