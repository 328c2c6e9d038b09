"""The page and a real host: one scan, and what the page signs is what the host's own checks take."""

import json
import subprocess
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from daemon import Daemon
from own_agent import Asking, end, post, question
from page_screen import Screen
from relay import BINARY
from test_consent import OFFER, SESSION, devices, trusting
from waits import patient


def test_the_page_is_trusted_by_a_real_host_and_signs_all_that_it_takes(daemon: Daemon, screen: Callable[..., Screen]) -> None:
    process = trusting(daemon)
    assert process.stdout
    link = json.loads(process.stdout.readline())["link"]
    one = screen(role="operator")
    one.page.goto(link)
    note = one.page.locator("trust-note")
    note.get_by_role("button", name="Trust").click()
    expect(note).to_contain_text("trusts this browser now")
    code, said, error = end(process)
    assert code == 0, error
    device = json.loads(said.splitlines()[-1])["device"]
    expect(note.locator(".trust-code")).to_have_text(device["code"])
    assert device["name"] == "Ada's phone"
    note.get_by_role("button", name="Close").click()

    asking = Asking(daemon, question("s1", "q1"))
    one.go("#/approvals")
    card = one.page.locator("approval-card").last
    expect(card).to_contain_text("production")
    card.get_by_role("button", name="Allow", exact=True).click()
    assert asking.answer()[1]["decision"] == "allow"
    # The agent has its answer before the page has the news of it.
    expect(one.page.locator("approval-card[data-stage=pending]")).to_have_count(0)

    asking = Asking(daemon, question("s1", "q2"))
    card = one.page.locator("approval-card[data-stage=pending]")
    card.get_by_role("button", name="Deny …").click()
    card.get_by_label("Message to the agent").fill("not today – ask Bob")
    card.get_by_role("button", name="Deny", exact=True).click()
    answer = asking.answer()[1]
    assert answer["decision"] == "deny" and answer["message"] == "not today – ask Bob", "words count only with a signature"

    post(daemon.socket, "steering", {"session": "s1", "offer": OFFER, "standing": "idle"})
    waiting = Asking(daemon, {"session": "s1"}, "steering/next")
    one.go(f"#/session/{SESSION}")
    one.page.get_by_label("Tell the agent").fill("go on – grün")
    one.page.get_by_role("button", name="Send", exact=True).click()
    status, given = waiting.answer()
    assert status == 200 and given["text"] == "go on – grün"
    post(daemon.socket, "steered", {"session": "s1", "client": given["by"]["id"], "command": given["id"], "stage": "taken"})

    assert [entry["id"] for entry in devices(daemon)["devices"]] == [device["id"]]


def joined(daemon: Daemon, one: Screen) -> None:
    process = trusting(daemon)
    assert process.stdout
    one.page.goto(json.loads(process.stdout.readline())["link"])
    note = one.page.locator("trust-note")
    note.get_by_role("button", name="Trust").click()
    expect(note).to_contain_text("trusts this browser now")
    note.get_by_role("button", name="Close").click()
    assert end(process)[0] == 0


def allow(one: Screen) -> None:
    one.go("#/approvals")
    one.page.locator("approval-card[data-stage=pending]").get_by_role("button", name="Allow", exact=True).click()


def test_a_host_that_was_restored_takes_its_decisions_again_after_the_page_said_its_count(daemon: Daemon, screen: Callable[..., Screen]) -> None:
    one = screen(role="operator")
    joined(daemon, one)
    book = daemon.home / ".config/heliograph/devices.json"
    older = book.read_bytes()
    daemon.stop()
    daemon.start()
    daemon.wait_link()
    daemon.stop()
    book.write_bytes(older)
    daemon.start()
    daemon.wait_link()
    asking = Asking(daemon, question("s1", "q1"))
    allow(one)
    expect(one.page.locator("trust-note")).to_contain_text("was restored from older files and did not take what came from here. It knows this browser again now")
    assert asking.answer()[0] != 200, "its own prompt stays"
    one.page.locator("trust-note").get_by_role("button", name="Close").click()
    asking = Asking(daemon, question("s1", "q2"))
    allow(one)
    assert asking.answer()[1]["decision"] == "allow"


def test_a_browser_that_the_host_was_told_to_distrust_allows_nothing_and_the_card_says_so(daemon: Daemon, screen: Callable[..., Screen]) -> None:
    one = screen(role="operator")
    joined(daemon, one)
    (device,) = devices(daemon)["devices"]
    done = subprocess.run([str(BINARY), "host", "distrust", device["id"]], capture_output=True, text=True, env=daemon.environment, timeout=patient(20))
    assert done.returncode == 0, done.stderr
    asking = Asking(daemon, question("s1", "q1"))
    allow(one)
    expect(one.page.locator("approval-card").last).to_contain_text("Its host does not trust the device that decided.")
    assert asking.answer()[0] != 200
