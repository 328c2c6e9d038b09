"""Sealed content on the page with a real host: after one scan the page works as with any host, while the relay cannot read anything."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from client import WireClient
from daemon import Daemon
from firefox import Desktop, Firefox
from own_agent import Asking, event, post, question
from page_screen import DESK, PHONE, Screen, closing_screens
from relay import BINARY, Relay
from steered import phone  # noqa: F401 (a fixture)
from test_consent import SESSION
from test_page_consent import files  # noqa: F401 (a fixture)
from test_page_delivery import wait_kept
from test_page_install import Worker
from test_sealed_terminal import COLOURS, OFFER, SAID, TITLE, daemon, has_no_marks, works  # noqa: F401 (a fixture)
from trusting import devices, trust_page
from waits import patient, wait_until

SENTENCE = "What is said here is sealed for the devices that laptop trusts. At that machine run heliograph host trust and scan what it shows"
WRONG = ("missing here", "Not shown", "Cannot be opened", "not sealed", "Sealed with a key")


def says_nothing_is_wrong(one: Screen) -> None:
    text = one.timeline().inner_text()
    assert not [words for words in WRONG if words in text], text


def test_what_the_relay_cannot_read_is_seen_decided_and_steered(daemon: Daemon, phone: WireClient, screen: Callable[..., Screen], relay: Relay) -> None:  # noqa: F811
    one = screen(role="operator")
    trust_page(daemon, one)
    works(daemon)
    phone.subscribe(SESSION)
    one.go("#/")
    expect(one.row(SESSION)).to_contain_text(TITLE)
    one.row(SESSION).click()
    expect(one.page.get_by_role("heading", name=TITLE)).to_be_visible()
    expect(one.timeline()).to_contain_text(SAID)

    post(daemon.socket, "events", event("s1", "tool.started", {"call": "c1", "tool": "make", "operation": "Mark-words build"}))
    expect(one.timeline()).to_contain_text("Mark-words build")
    post(daemon.socket, "events", event("s1", "tool.output", {"call": "c1"}, {"text": "Mark-words so far\nand mo"}))
    expect(one.timeline().locator(".tool-tail")).to_contain_text("Mark-words so far")
    post(daemon.socket, "events", event("s1", "tool.finished", {"call": "c1", "tool": "make", "ok": True}, {"output": "Mark-words in the end"}))

    asking = Asking(daemon, question("s1", "q1"))
    card = one.page.locator("approval-card[data-stage=pending]")
    expect(card).to_contain_text("Use Deploy?")
    expect(card).to_contain_text("production")
    one.expect_accessible()
    card.get_by_role("button", name="Allow", exact=True).click()
    assert asking.answer()[1]["decision"] == "allow"
    expect(card).to_have_count(0)

    asking = Asking(daemon, question("s1", "q2"))
    card.get_by_role("button", name="Deny …").click()
    card.get_by_label("Message to the agent").fill("Mark-words: not today – ask Bob")
    card.get_by_role("button", name="Deny", exact=True).click()
    answer = asking.answer()[1]
    assert answer["decision"] == "deny" and answer["message"] == "Mark-words: not today – ask Bob"
    expect(card).to_have_count(0)

    questions = [*COLOURS, {"id": "w", "text": "Which name?", "choices": [{"label": "Mark-blue"}]}]
    asking = Asking(daemon, {"session": "s1", "approval": "colour", "kind": "question", "questions": questions, "waitSeconds": 60})
    card.get_by_label("Mark-blue").first.check()
    card.get_by_label("Your own answer").fill("Mark-words: neither")
    card.get_by_role("button", name="Answer").click()
    answers = {answer["question"]: answer for answer in asking.answer()[1]["answers"]}
    assert answers["c"]["choices"] == ["Mark-blue"] and answers["w"]["text"] == "Mark-words: neither", answers
    one.go("#/approvals/recent")
    settled = one.page.locator("approvals-inbox approval-card", has_text="Which name?")
    expect(settled).to_contain_text("Mark-words: neither")
    one.go(f"#/session/{SESSION}")

    for text, is_command in (("Mark-prompt: go on – grün", False), ("/mark-deploy Mark-rest", True)):
        waiting = Asking(daemon, {"session": "s1"}, "steering/next")
        one.page.get_by_label("Tell the agent").fill(text)
        if is_command:
            one.page.get_by_label("Run", exact=False).check()
        one.page.get_by_role("button", name="Send", exact=True).click()
        status, given = waiting.answer()
        assert status == 200 and given["text"] == text, given
        post(daemon.socket, "steered", {"session": "s1", "client": given["by"]["id"], "command": given["id"], "stage": "taken"})
        expect(one.timeline()).to_contain_text(text)
        assert post(daemon.socket, "steering", {"session": "s1", "offer": OFFER, "standing": "idle"}) == (200, {})
    says_nothing_is_wrong(one)
    has_no_marks(relay, phone)
    assert "Mark-" not in one.page.evaluate("() => JSON.stringify(localStorage)")

    one.go("#/link")
    expect(one.page.locator("link-view")).to_contain_text("laptop: sealed, the relay cannot read it")
    one.go("#/devices")
    expect(one.page.locator("trust-list")).to_contain_text("its content is sealed")


def test_a_program_that_offers_nothing_is_answered_and_denied_in_sealed_words(daemon: Daemon, phone: WireClient, screen: Callable[..., Screen], relay: Relay) -> None:  # noqa: F811
    one = screen(role="operator")
    trust_page(daemon, one)
    one.go("#/approvals")
    card = one.page.locator("approvals-inbox approval-card[data-stage=pending]")
    asking = Asking(daemon, question("script", "q1"))
    expect(card).to_contain_text("production")
    card.get_by_role("button", name="Deny …").click()
    card.get_by_label("Message to the agent").fill("Mark-words: use staging")
    card.get_by_role("button", name="Deny", exact=True).click()
    answer = asking.answer()[1]
    assert (answer["decision"], answer["message"]) == ("deny", "Mark-words: use staging")
    expect(card).to_have_count(0)
    asking = Asking(daemon, {"session": "script", "approval": "q2", "kind": "question", "questions": [{"id": "w", "text": "Which name?", "choices": []}], "waitSeconds": 60})
    card.get_by_label("Your own answer").fill("Mark-words: neither")
    card.get_by_role("button", name="Answer").click()
    assert asking.answer()[1]["answers"][0]["text"] == "Mark-words: neither"
    assert "steering" not in phone.summaries["local-script"]
    has_no_marks(relay, phone)


def test_a_page_that_is_not_trusted_says_how_to_get_in_and_opens_all_when_it_is(daemon: Daemon, screen: Callable[..., Screen]) -> None:  # noqa: F811
    one = screen(role="operator")
    works(daemon)
    one.go("#/")
    expect(one.row(SESSION)).to_contain_text("Sealed session")
    one.row(SESSION).click()
    expect(one.timeline()).to_contain_text(SENTENCE)
    expect(one.timeline()).not_to_contain_text("Mark-")
    one.expect_no_overflow()
    one.expect_accessible()
    asking = Asking(daemon, question("s1", "q1"))
    one.go("#/approvals")
    card = one.page.locator("approval-card[data-stage=pending]")
    expect(card).to_contain_text("Use a sealed tool?")
    expect(card).to_contain_text("This device is not trusted by laptop yet")
    expect(card.get_by_role("button", name="Allow", exact=True)).to_be_hidden()
    one.go("#/link")
    expect(one.page.locator("link-view")).to_contain_text("laptop: sealed, and not for this browser")

    trust_page(daemon, one)
    one.go("#/approvals")
    expect(card).to_contain_text("production")
    card.get_by_role("button", name="Allow", exact=True).click()
    assert asking.answer()[1]["decision"] == "allow"
    one.go("#/")
    expect(one.row(SESSION)).to_contain_text(TITLE)
    one.row(SESSION).click()
    expect(one.timeline()).to_contain_text(SAID)
    expect(one.timeline()).not_to_contain_text(SENTENCE)
    says_nothing_is_wrong(one)


def kept_texts(one: Screen) -> str:
    """All texts of the relay's messages that the page keeps."""
    return one.page.evaluate("""() => new Promise((done) => {
        indexedDB.open("heliograph.kept").onsuccess = ({ target }) => {
            target.result.transaction("leaves").objectStore("leaves").getAll().onsuccess = ({ target: { result } }) => done(JSON.stringify(result));
        };
    })""")


def test_what_is_kept_is_sealed_and_opens_without_a_connection(daemon: Daemon, screen: Callable[..., Screen], relay: Relay) -> None:  # noqa: F811
    one = screen(role="operator")
    one.wait_worker()
    trust_page(daemon, one)
    works(daemon)
    one.go(f"#/session/{SESSION}")
    expect(one.timeline()).to_contain_text(SAID)
    wait_kept(one, f"log {SESSION}")
    kept = kept_texts(one)
    assert '"sealed' in kept and "Mark-" not in kept.replace("\\\\", "")
    one.forgive_absence()
    relay.stop()
    one.page.goto(f"{relay.url}/#/")
    one.page.reload()
    expect(one.row(SESSION)).to_contain_text(TITLE)
    one.row(SESSION).click()
    expect(one.timeline()).to_contain_text(SAID)
    relay.start()
    one.expect_live()
    daemon.wait_link()
    expect(one.timeline()).to_contain_text(SAID)
    says_nothing_is_wrong(one)


CLAUDE = """#!/bin/sh
[ "$1" = --version ] && echo "2.1.0 (Claude Code)" && exit
echo $$ > "$HOME/pid"
pwd > "$HOME/told"
exec cat >> "$HOME/told"
"""
"""As much of an agent as it takes to see what it is started with."""


def test_a_session_is_started_in_a_project_whose_name_the_relay_does_not_read(daemon: Daemon, phone: WireClient, screen: Callable[..., Screen], relay: Relay) -> None:  # noqa: F811
    programs, project = daemon.home / "bin", daemon.home / "Mark-title-shop"
    for folder in (programs, project):
        folder.mkdir()
    (programs / "claude").write_text(CLAUDE)
    (programs / "claude").chmod(0o755)
    daemon.stop()
    daemon.own_environment["PATH"] = f"{programs}:{daemon.environment['PATH']}"
    daemon.start()
    daemon.wait_link()
    done = subprocess.run([str(BINARY), "host", "projects", "add", str(project)], capture_output=True, text=True, env=daemon.environment, timeout=patient(20))
    assert done.returncode == 0, done.stderr
    one = screen(role="operator")
    trust_page(daemon, one)
    one.go("#/start")
    start = one.page.locator("start-view")
    expect(start.get_by_label("Project", exact=True)).to_contain_text("Mark-title-shop")
    start.get_by_label("First prompt").fill("Mark-prompt: begin – grün")
    start.get_by_role("button", name="Start", exact=True).click()
    told = daemon.home / "told"
    # The sealed start worked, because the host refuses content that does not open.
    try:
        wait_until(lambda: told.exists() and told.read_text().startswith(f"{project}\n"), 20, lambda: f"the agent to be started. The host's log:\n{daemon.log_text()}\n{start.inner_text()}")
        has_no_marks(relay, phone)
    finally:
        # The session outlives the host's daemon, so the test ends `heliograph run` itself.
        if (daemon.home / "pid").exists():
            os.kill(int((daemon.home / "pid").read_text()), signal.SIGTERM)


def test_a_notification_says_what_the_relay_cannot(daemon: Daemon, phone: WireClient, whole_browser: Any, relay: Relay) -> None:  # noqa: F811
    with closing_screens(lambda **options: Screen(whole_browser, relay, **options)) as screen:
        one = screen(role="operator")
        trust_page(daemon, one)
        works(daemon)
        line = phone.wait_summary(SESSION, lambda summary: summary.get("line"))["line"]
        expect(one.row(SESSION)).to_contain_text(TITLE)
        worker = Worker(one)
        told = {"kind": "finished", "session": SESSION, "line": line}
        notification = {"title": "An agent has finished", "body": "14 messages", "tag": "t", "navigate": f"{relay.url}/#/session/{SESSION}", "data": {"heliograph": told}}
        worker.push({"web_push": 8030, "notification": notification})
        (shown,) = wait_until(worker.shown, 10, "the notification")
        assert (shown["title"], shown["body"]) == ("An agent has finished", TITLE)


def test_who_is_distrusted_opens_nothing_new_and_the_others_go_on(daemon: Daemon, screen: Callable[..., Screen]) -> None:  # noqa: F811
    one, lost = screen(role="operator"), screen(name="Bob's phone", role="operator")
    trust_page(daemon, one)
    code = trust_page(daemon, lost)["code"]
    works(daemon)
    for each in (one, lost):
        each.go(f"#/session/{SESSION}")
        expect(each.timeline()).to_contain_text(SAID)
    done = subprocess.run([str(BINARY), "host", "distrust", code], capture_output=True, text=True, env=daemon.environment, timeout=patient(20))
    assert done.returncode == 0, done.stderr
    wait_until(lambda: len(devices(daemon)["devices"]) == 1, 20, "the device to be gone")
    assert post(daemon.socket, "events", event("s1", "message", {"role": "assistant"}, {"text": "Mark-later: only for Ada"}))[0] == 200
    expect(one.timeline()).to_contain_text("Mark-later")
    expect(lost.timeline()).to_contain_text("Sealed with a key that laptop has not given to this browser")
    expect(lost.timeline()).not_to_contain_text("Mark-later")
    says_nothing_is_wrong(one)


def test_both_kinds_look_alike(daemon: Daemon, screen: Callable[..., Screen], scripted_host: Callable[..., Any]) -> None:  # noqa: F811
    plain = scripted_host(name="server")
    plain.start_session("p1", title=TITLE, agent={"name": "robot"})
    plain.event("p1", "message", {"role": "assistant", "summary": SAID}, {"text": SAID})
    plain.wait_acked("p1")
    for size, scheme in ((PHONE, "light"), (DESK, "dark")):
        one = screen(role="operator", name=f"A {scheme} one", size=size, scheme=scheme)
        trust_page(daemon, one)
        works(daemon)
        one.go("#/")
        heights = []
        for session in ("p1", SESSION):
            expect(one.row(session)).to_contain_text(TITLE)
            heights.append(one.row(session).evaluate("row => row.getBoundingClientRect().height"))
        assert heights[0] == heights[1]
        one.go(f"#/session/{SESSION}")
        expect(one.timeline()).to_contain_text(SAID)
        one.expect_no_overflow()
        one.expect_accessible()


KEEPS = """(async () => {
    const [{ KeyStore }, { SessionSealing }, { learned }, { base64urlOf, bytesOfBase64url }] = await Promise.all(
        ["keys", "sealing", "epochs", "consent"].map((name) => import(`/web/${name}.js`)));
    const { deviceID, deviceBox, hostID, hostBox, session, epoch, wrap, line } = await (await fetch("/Tests/ConsentTests/Fixtures/sealing.json")).json();
    const point = bytesOfBase64url(deviceBox.public, "vector");
    const [x, y] = [point.slice(1, 33), point.slice(33)].map(base64urlOf);
    const box = await crypto.subtle.importKey("jwk", { kty: "EC", crv: "P-256", x, y, d: deviceBox.private }, { name: "ECDH", namedCurve: "P-256" }, false, ["deriveBits"]);
    const pin = { id: hostID, box: bytesOfBase64url(hostBox.public, "vector"), sign: point, name: "laptop", since: 1 };
    const epochs = await learned({ id: bytesOfBase64url(deviceID, "vector"), box, points: { box: point } }, pin, [{ epoch, device: deviceID, wrap: wrap.bytes }]);
    await new KeyStore().pin({ ...pin, epochs });
    const [kept] = await new KeyStore().hosts();
    const key = kept.epochs.get(epoch);
    const opened = await new SessionSealing(kept.id, session, () => key).openLine(line.bytes);
    return [opened.line.title, await crypto.subtle.exportKey("raw", key).then(() => "read out", () => "stays")];
})()"""
"""A key of the vectors is kept in the browser, and what opens with it then; and whether a script can read it out."""
KEPT = ["Fix the login \u2013 gr\u00fcn", "stays"]


def test_keys_are_kept_in_chromium(browser: Any, files: str) -> None:  # noqa: F811
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{files}/web/manifest.webmanifest")
    assert page.evaluate(KEEPS) == KEPT
    context.close()


def test_keys_are_kept_in_firefox(files: str, short_path: Path) -> None:  # noqa: F811
    async def travel() -> None:
        desktop = await Desktop().start()
        firefox = await Firefox(short_path / "profile", {}, desktop).start()
        try:
            await firefox.open(f"{files}/Tests/Web/")
            assert await firefox.run(KEEPS) == KEPT
        finally:
            await firefox.stop()
            await desktop.stop()

    # Runs in a separate thread, because Playwright leaves an event loop on the main one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, travel()).result()
