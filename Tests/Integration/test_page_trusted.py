"""The page with a real host: after one scan the host accepts the page's signatures."""

import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from playwright.sync_api import expect

from daemon import Daemon
from own_agent import Asking, post, question
from page_screen import DESK, Screen, closing_screens
from relay import BINARY, ROOT, free_port
from terminal import Terminal
from test_consent import OFFER, SESSION
from trusting import devices, trust_page
from waits import patient


def allow(one: Screen, host: str = "") -> None:
    one.go("#/approvals")
    button = one.page.locator("approval-card[data-stage=pending]", has_text=host).get_by_role("button", name="Allow", exact=True)
    button.scroll_into_view_if_needed()
    button.click()


def test_the_page_is_trusted_by_a_real_host_and_signs_all_that_it_takes(daemon: Daemon, screen: Callable[..., Screen]) -> None:
    one = screen(role="operator")
    device = trust_page(daemon, one)
    assert device["name"] == "Ada's phone"

    asking = Asking(daemon, question("s1", "q1"))
    one.go("#/approvals")
    card = one.page.locator("approval-card").last
    expect(card).to_contain_text("production")
    card.get_by_role("button", name="Allow", exact=True).click()
    assert asking.answer()[1]["decision"] == "allow"
    # The agent receives its decision before the page receives the event.
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


def test_the_first_link_is_all_that_relay_demo_and_first_host_need(short_path: Path, browser: Any) -> None:
    """A newcomer's steps: `serve` at a terminal, its link in a browser, the demo, and then the machine's own host, without another scan or code."""
    machine, port = Daemon(short_path, None, is_signed=True), free_port()  # type: ignore[arg-type]
    url = f"http://127.0.0.1:{port}"
    terminal = Terminal(short_path, machine.environment, short_path, columns=300, rows=90)
    demo = None
    try:
        terminal.run([str(BINARY), "serve", "--listen", f"127.0.0.1:{port}"], machine.environment)
        shown = terminal.wait_screen("#host=")
        link, host_link = (re.search(rf"{url}/#{role}=[^\s']+", shown)[0] for role in ("pair", "host"))  # type: ignore[index]
        relay = SimpleNamespace(url=url, pair_link=lambda _: link)
        with closing_screens(lambda **options: Screen(browser, relay, **options)) as make:
            one = make(size=DESK)
            note = one.page.locator("trust-note")
            expect(note).to_be_hidden()

            environment = machine.environment | {"HELIOGRAPH_BIN": str(BINARY)}
            command = [sys.executable, str(ROOT / "Tests/Tools/demo.py"), "--speed", "20", "--listen", f"127.0.0.1:{port}"]
            demo = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            expect(note).to_contain_text("demo trusts this browser now", timeout=patient(60_000))
            note.get_by_role("button", name="Close").click()
            allow(one, "demo")
            said = ""
            while "  allow" not in said:
                line = demo.stdout.readline()  # type: ignore[union-attr]
                assert line, said
                said += line
            demo.send_signal(signal.SIGTERM)
            said += demo.communicate(timeout=patient(60))[0]
            assert demo.returncode == 0 and "Ada's phone" in said and "#k=" not in said, said

            machine.launch(host_link, "--name", "laptop")
            machine.start()
            machine.wait_link()
            expect(note).to_contain_text("laptop trusts this browser now")
            note.get_by_role("button", name="Close").click()
            (device,) = devices(machine)["devices"]
            assert device["name"] == "Ada's phone" and device["by"] == "terminal"
            asking = Asking(machine, question("s1", "q1"))
            allow(one, "laptop")
            assert asking.answer()[1]["decision"] == "allow"
        machine.stop()
        terminal.press("C-c")
        terminal.wait_ended()
    finally:
        machine.kill()
        if demo:
            demo.kill()
        terminal.close()


def test_a_device_that_comes_is_announced_on_the_others_and_distrusted_from_there(daemon: Daemon, screen: Callable[..., Screen]) -> None:
    one, other = screen(role="operator"), screen(name="Bob's phone", role="operator")
    trust_page(daemon, one)
    code = trust_page(daemon, other)["code"]
    assert '"a device is trusted"' in daemon.log_text() and code in daemon.log_text(), "and at the host's terminal"
    note = one.page.locator("trust-note")
    expect(note).to_contain_text(f"Bob's phone ({code}) is now trusted by laptop, let in at its terminal.")
    one.expect_no_overflow()
    one.expect_accessible()
    one.page.reload()
    expect(note).to_contain_text("Bob's phone", timeout=patient(10_000))
    note.get_by_role("button", name="Distrust").click()
    expect(note).to_contain_text("laptop does not trust Bob's phone any more.")
    assert [device["name"] for device in devices(daemon)["devices"]] == ["Ada's phone"]
    note.get_by_role("button", name="Close").click()

    trust_page(daemon, screen(name="Carol's phone", role="operator"))
    expect(note).to_contain_text("Carol's phone")
    note.get_by_role("button", name="Close").click()
    expect(note).to_be_hidden()
    one.page.reload()
    one.go("#/devices")
    trusted = one.page.locator("trust-list")
    expect(trusted).to_contain_text("Carol's phone")
    expect(note).to_be_hidden()
    one.expect_accessible()
    trusted.get_by_role("button", name="Distrust Carol's phone …").click()
    trusted.get_by_role("button", name="Distrust", exact=True).click()
    expect(trusted).not_to_contain_text("Carol's phone")
    assert [device["name"] for device in devices(daemon)["devices"]] == ["Ada's phone"]


def test_a_host_that_was_restored_takes_its_decisions_again_after_the_page_said_its_count(daemon: Daemon, screen: Callable[..., Screen]) -> None:
    one = screen(role="operator")
    trust_page(daemon, one)
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
    trust_page(daemon, one)
    (device,) = devices(daemon)["devices"]
    done = subprocess.run([str(BINARY), "host", "distrust", device["id"]], capture_output=True, text=True, env=daemon.environment, timeout=patient(20))
    assert done.returncode == 0, done.stderr
    asking = Asking(daemon, question("s1", "q1"))
    allow(one)
    expect(one.page.locator("approval-card").last).to_contain_text("Its host does not trust the device that decided.")
    assert asking.answer()[0] != 200
