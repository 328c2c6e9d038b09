"""Pushes to an ntfy topic from end to end: the real relay, a fake server after ntfy's documentation, and an independent client that reads the topic."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from python_ntfy import NtfyClient

from daemon import paired
from ntfy_server import Canned, NtfyServer
from own_agent import Asking, question
from page_screen import Screen, closing_screens
from proxies import Certificate
from relay import Relay
from trusting import trust_client
from waits import wait_until

DEVICE = "ada-phone"
TOPIC = "heliograph-9f3kd72"
TOKEN = "tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2"


@pytest.fixture
def server() -> Iterator[NtfyServer]:
    server = NtfyServer()
    yield server
    server.close()


@pytest.fixture
def relay(tmp_path: Path, server: NtfyServer) -> Iterator[Relay]:
    relay = Relay(tmp_path / "relay", ["--log-level", "trace", "--ntfy-servers", server.url])
    relay.start()
    yield relay
    relay.stop()
    relay.check_log()
    # Topic, token and codes are secrets: the topic allows reading requests, and the codes allow deciding.
    secrets = [TOPIC, TOKEN] + [action["url"].rpartition("/")[2] for message in server.messages[TOPIC] for action in message["actions"]]
    assert not [secret for secret in secrets if secret in relay.log_text()], "a secret stands in the log"


@pytest.fixture
def asking(scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host()
    host.start_session("s1", title="Mend the roof")
    return host


def register(client: Any, url: str, device: str = DEVICE, token: str | None = None, topic: str = TOPIC, **wishes: Any) -> Any:
    place = {"server": url, "topic": topic} | ({"token": token} if token else {})
    return client.command("device", device={"device": device, "name": "Ada's phone", "ntfy": place, "text": "full", **wishes})


class Phone:
    """A client that has registered a topic, with an app that reads it."""

    def __init__(self, client: Any, url: str, **wishes: Any):
        self.client = client
        reply = register(client, url, **wishes)
        assert "error" not in reply, reply
        self.app = NtfyClient(topic=TOPIC, server=url)

    @property
    def device(self) -> Any:
        return next(entry for entry in self.client.command("devices")["devices"] if entry["device"]["device"] == DEVICE)

    def read(self, fits: Callable[[Any], bool] = lambda _: True) -> Any:
        """The newest matching message, as an independent ntfy client parses it."""
        def found() -> Any:
            # The client sorts by seconds, newest first; messages of the same second keep their order.
            messages = self.app.get_cached_messages()
            return next((message for message in reversed(sorted(messages, key=lambda message: message["time"])) if fits(message)), None)

        return wait_until(found, 20, lambda: f"a message; {self.device}", every=0.1)

    def wait_outcome(self, result: str, text: str = "") -> Any:
        def found() -> Any:
            pushes = [push for push in self.device["pushes"] if push.get("outcome", {}).get("result") == result]
            return next((push for push in pushes if text in push["outcome"].get("text", "")), None)

        return wait_until(found, 20, lambda: f"a push that is {result} {text}; {self.device}", every=0.1)


@pytest.fixture
def phone(relay: Relay, server: NtfyServer, client: Callable[..., Any]) -> Callable[..., Phone]:
    """`phone(**wishes)`: registers Ada's topic at the relay."""
    return lambda **wishes: Phone(client(relay, "Ada's phone"), server.url, **wishes)


def press(message: Any, label: str) -> tuple[int, Any]:
    """Makes the request of the notification's button, like the app; returns status and answer."""
    action = next(action for action in message["actions"] if action["label"] == label)
    request = urllib.request.Request(action["url"], action["body"].encode(), action.get("headers", {}), method=action["method"])
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def labels(message: Any) -> list[str]:
    return [action["label"] for action in message["actions"]]


def test_an_agent_goes_on_after_allow_in_the_notification(relay, server, phone, asking):
    ada = phone(allowOnLockScreen=True)
    approval = asking.request_approval("s1", "Bash", {"command": "rm -rf build"})
    message = ada.read()
    assert message["message"] == "command: rm -rf build" and "Bash" in message["title"] and "Mend the roof" in message["title"]
    assert message["click"] == f"{relay.url}/#/approvals/s1/{approval}"
    assert message["priority"] == 4 and message["tags"] == ["raised_hand"] and labels(message) == ["Deny", "Allow"]
    assert all(action["clear"] for action in message["actions"]) and "heliograph" not in message
    ada.wait_outcome("accepted")
    assert press(message, "Allow") == (200, {"stage": "decided"})
    asking.wait_decision(approval)
    status, answer = press(message, "Deny")
    assert status == 409 and answer["error"]["winner"]["decision"] == "allow" and answer["error"]["winner"]["by"]["name"] == "Ada's phone"
    # Clients see the push without topic and code.
    shown = json.dumps(ada.device)
    assert TOPIC not in shown and message["actions"][0]["url"].rpartition("/")[2] not in shown


def test_without_the_persons_choice_a_topic_may_only_deny(relay, phone, asking):
    ada = phone()
    asking.request_approval("s1", "Bash", {"command": "ls"})
    message = ada.read()
    assert labels(message) == ["Deny"]
    code = message["actions"][0]["url"].rpartition("/")[2]
    assert relay.post(f"/v1/decisions/{code}", {"decision": "allow"}).json["error"]["code"] == "notWhole"
    assert press(message, "Deny") == (200, {"stage": "decided"})


@pytest.mark.parametrize("wishes, tool_input", [
    ({}, {"command": "x" * 4_000}), ({}, {"command": "\n".join(f"line {number}" for number in range(60))}), ({"text": "summary"}, {"command": "ls"}), ({"text": "generic"}, {"command": "ls"}),
])  # fmt: skip
def test_what_the_message_does_not_show_whole_is_denied_from_it_only(phone, asking, wishes, tool_input):
    ada = phone(allowOnLockScreen=True, **wishes)
    asking.request_approval("s1", "Bash", tool_input)
    message = ada.read()
    assert labels(message) == ["Deny"]
    assert press(message, "Deny") == (200, {"stage": "decided"})


def test_who_only_watches_gets_no_button(relay, server, client, asking):
    ada = Phone(client(relay, "Ada's phone", role="watcher"), server.url, allowOnLockScreen=True)
    asking.request_approval("s1", "Bash", {"command": "ls"})
    assert labels(ada.read()) == []


def test_what_is_settled_elsewhere_takes_the_messages_place_silently(relay, phone, asking, client):
    ada = phone()
    approval = asking.request_approval("s1", "Bash", {"command": "ls"})
    rung = ada.read()
    other = client(relay, "desk")
    other.subscribe()
    other.wait_approval(approval, "pending")
    other.decide("s1", approval, "allow")
    settled = ada.read(lambda message: message["message"] == "Allowed by desk")
    assert settled["sequence_id"] == rung["sequence_id"] and settled["priority"] == 1 and labels(settled) == []


def test_the_planner_rules_hold_for_topics_too(relay, phone, asking):
    ada = phone(kinds=["error"], hidesCost=True)
    asking.request_approval("s1", "Bash", {"command": "ls"})
    asking.event("s1", "status.changed", {"status": "running"})
    asking.event("s1", "error", {"message": "out of money"})
    message = ada.read()
    assert message["tags"] == ["warning"] and message["priority"] == 3 and message["click"].endswith("/#/session/s1")
    assert len(ada.app.get_cached_messages()) == 1



@pytest.mark.parametrize("language, test, title, allow", [
    ([], "Pushes reach Ada's phone.", "claude wants to run Bash", "Allow"),
    (["--language", "de-AT"], "Mitteilungen kommen bei Ada's phone an.", "claude will Bash ausführen", "Erlauben"),
], ids=["English", "German"])  # fmt: skip
def test_a_link_that_is_pasted_into_a_terminal_is_a_device_that_rings(relay, server, asking, language, test, title, allow):
    local = ("--data", str(relay.data))
    added = relay.run("devices", "add", f"{server.url}/{TOPIC}", "--name", "Ada's phone", "--text", "full", "--allow", *language, *local)
    assert "Ada's phone" in added.stdout and TOPIC not in added.stdout
    device = json.loads(relay.run("devices", "--json", *local).stdout)["devices"][0]["device"]
    assert device["ntfy"] == {"server": server.url} and device["allowOnLockScreen"] is True and device["text"] == "full"
    listing = relay.run("devices", *local).stdout
    assert server.url in listing and TOPIC not in listing
    assert "accepted" in relay.run("push", "test", device["device"], *local).stdout
    assert server.wait_message(TOPIC)["message"] == test
    approval = asking.request_approval("s1", "Bash", {"command": "ls"})
    message = server.wait_message(TOPIC, lambda message: message["actions"])
    assert title in message["title"] and press(message, allow) == (200, {"stage": "decided"})
    asking.wait_decision(approval)
    assert f"topics, 127.0.0.1:{server.port}: connected" in relay.run("push", "status", *local).stdout


def test_of_a_host_that_seals_a_topic_rings_without_words_and_that_is_said_when_it_is_added(relay, server, client, short_path):
    added = relay.run("devices", "add", f"{server.url}/{TOPIC}", "--text", "full", "--allow", "--data", str(relay.data)).stdout
    assert "Of a host that seals, as heliograph up sets up, it gets no words" in added and "neither seal nor want signatures" in added
    generic = relay.run("devices", "add", f"{server.url}/other", "--text", "generic", "--data", str(relay.data)).stdout
    assert "no words" not in generic
    with paired(short_path, relay, "--consent", "signed", "--content", "sealed", is_signed=True) as daemon:
        trust_client(daemon, client(relay, "Ada's phone"))
        asking = Asking(daemon, question("s1"))
        message = server.wait_message(TOPIC, lambda message: message["actions"])
        assert message["message"] == "Open this notification to see what it asks." and labels(message) == ["Deny"]
        assert "Deploy" not in json.dumps(message) and message["click"].startswith(f"{relay.url}/#/approvals/")
        assert press(message, "Deny") == (200, {"stage": "decided"})
        assert asking.answer()[1]["decision"] == "deny"


@pytest.mark.parametrize("link, words", [
    ("https://ntfy.sh/", "https://ntfy.sh/topic"), ("https://ntfy.sh/a/b", "https://ntfy.sh/topic"), ("https://ntfy.sh/a b", "https://ntfy.sh/topic"),
    ("ntfy.sh/topic", "https://ntfy.sh/topic"), ("http://ntfy.sh/topic", "it has no TLS"), ("https://ntfy.lan/topic", "only called if"),
    ("https://169.254.169.254/topic", "only called if"), ("https://localhost:8080/topic", "only called if"),
])  # fmt: skip
def test_a_link_that_is_none_or_leads_into_the_own_network_is_refused_with_the_reason(relay, link, words):
    refused = relay.run("devices", "add", link, "--data", str(relay.data), check=False)
    assert refused.returncode != 0 and words in refused.stdout + refused.stderr



def test_a_token_opens_a_topic_that_is_not_everybodys(relay, server, client, asking):
    server.tokens[TOPIC] = {TOKEN}
    ada = client(relay, "Ada's phone")
    assert "error" not in register(ada, server.url)
    assert "error" not in ada.command("testPush", device=DEVICE)

    def trouble() -> str:
        return ada.command("devices")["devices"][0].get("trouble", "")

    wait_until(trouble, 20, trouble, every=0.1)
    assert "add the topic again with a token" in trouble() and "forbidden" in trouble()
    assert "error" not in register(ada, server.url, token=TOKEN)
    assert "error" not in ada.command("testPush", device=DEVICE)
    assert server.wait_message(TOPIC)["message"] == "Pushes reach Ada's phone."
    assert server.requests[-1].headers["authorization"] == f"Bearer {TOKEN}"
    wait_until(lambda: not trouble(), 20, trouble, every=0.1)


FAULTS = {"too many": [Canned(429, {"retry-after": "1"})], "down": [Canned(503)] * 2, "a proxy without its server": [Canned(502, body=b"<html>")]}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_approval_rings_whatever_the_server_does(server, phone, asking, fault):
    ada = phone()
    server.answers += FAULTS[fault]
    asking.request_approval("s1", "Bash", {"command": "ls"})
    message = ada.read(lambda message: message["tags"] == ["raised_hand"])
    assert press(message, "Deny") == (200, {"stage": "decided"})
    # All attempts use the same sequence id, so that accepted duplicates become one notification.
    assert len({json.loads(request.body)["sequence_id"] for request in server.requests[: len(FAULTS[fault]) + 1]}) == 1


def test_one_persons_wrong_token_bars_nobody_elses_topic(relay, server, phone, client, asking):
    ada = phone()
    server.tokens["closed"] = {TOKEN}
    bob = client(relay, "Bob's phone")
    for number in range(5):
        assert "error" not in register(bob, server.url, device=f"bob{number}", topic="closed", token=f"tk_wrong{number}")
        assert "error" not in bob.command("testPush", device=f"bob{number}")
    wait_until(lambda: len([request for request in server.requests if request.status == 401]) >= 5, 20, lambda: str(server.requests), every=0.1)
    asking.request_approval("s1", "Bash", {"command": "ls"})
    assert ada.read()["tags"] == ["raised_hand"]


def test_over_tls_a_server_in_the_own_network_is_called_by_its_name(tmp_path, make_relay, client, scripted_host):
    certificate = Certificate(tmp_path)
    server = NtfyServer(certificate)
    relay = Relay(tmp_path / "tls", ["--ntfy-servers", f"{server.url}=127.0.0.1"], environment={"SSL_CERT_FILE": str(certificate.chain)})
    relay.start()
    try:
        ada = client(relay, "Ada's phone")
        assert "error" not in register(ada, server.url)
        assert "error" not in ada.command("testPush", device=DEVICE)
        assert server.wait_message(TOPIC)["message"] == "Pushes reach Ada's phone."
        # Another scheme means another server, which is not permitted.
        refused = register(ada, server.url.replace("https", "http"))
        assert (refused["error"]["code"], refused["error"]["path"]) == ("badValue", "$.device.ntfy.server")
    finally:
        relay.stop()
        server.close()


def test_a_topic_is_one_devices_and_stays_after_a_kill(relay, server, phone, client, asking):
    ada = phone(allowOnLockScreen=True)
    relay.kill()
    relay.start()
    approval = asking.request_approval("s1", "Bash", {"command": "ls"})
    message = server.wait_message(TOPIC)
    assert press(message, "Allow") == (200, {"stage": "decided"})
    asking.wait_decision(approval)
    again = client(relay, token=ada.client.token)
    assert "error" not in register(again, server.url, device="another", token=TOKEN)
    listed = {entry["device"]["device"]: entry for entry in again.command("devices")["devices"]}
    assert listed[DEVICE]["device"]["ntfy"] == {} and listed[DEVICE]["trouble"] and listed["another"]["device"]["ntfy"] == {"server": server.url}
    assert again.command("testPush", device=DEVICE)["error"]["code"] == "unavailable"



def test_a_link_that_is_pasted_into_the_page_is_a_device_that_rings(relay, server, browser, asking):
    with closing_screens(lambda **options: Screen(browser, relay, **options)) as screen:
        ada = screen()
        ada.go("#/devices")
        ada.page.get_by_text("Push to any phone with ntfy").click()
        ada.expect_no_overflow()
        ada.expect_accessible()
        link, add = ada.page.get_by_label("Link of the topic"), ada.page.get_by_role("button", name="Add this topic")
        link.fill("my topic")
        add.click()
        expect(ada.page.get_by_text("This is no link of a topic.")).to_be_visible()
        link.fill("http://192.0.2.1/topic")
        add.click()
        expect(ada.page.get_by_text("is only called if the relay's operator has named it")).to_be_visible()
        link.fill(f"{server.url}/{TOPIC}")
        add.click()
        device = ada.page.get_by_role("article", name=f"ntfy at {server.url}")
        expect(device).to_contain_text("Topic of ntfy · added by Ada's phone")
        expect(device).to_contain_text("It offers Deny, never Allow")
        expect(link).to_have_value("")
        device.get_by_role("button", name="Send a test").click()
        expect(device).to_contain_text("Its server took it.")
        expect(device.get_by_role("list", name="Pushes")).to_contain_text("Alert · Heliograph")
        assert server.wait_message(TOPIC)["click"] == f"{relay.url}/#/devices"
        # A person permits allowing by the topic, on the page of another device.
        device.get_by_role("button", name="Change what").click()
        device.get_by_label("The whole command or question").check()
        device.get_by_label("Offer Allow in the notification").check()
        device.get_by_role("button", name="Save").click()
        expect(device).to_contain_text("to whoever can read the topic")
        ada.expect_no_overflow()
        ada.expect_accessible()
        ada.context.close()
        approval = asking.request_approval("s1", "Bash", {"command": "ls"})
        assert press(server.wait_message(TOPIC, lambda message: message["actions"]), "Allow") == (200, {"stage": "decided"})
        asking.wait_decision(approval)
