"""Signed consent on the page: one scan establishes trust with relay and host, decisions and prompts are signed, and without a host's trust there is
no Allow.
"""

import asyncio
import functools
import http.server
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from firefox import Desktop, Firefox
from page_screen import DESK, PHONE, Screen
from relay import ROOT, code_of
from signed_host import SignedHost, b64, short_code
from test_web_push_firefox import Stage, on_stage
from waits import wait_until


@pytest.fixture
def host(relay: Any) -> Iterator[SignedHost]:
    host = SignedHost(relay)
    host.start_session("s1", title="Fix the login", project="webshop", cwd="/home/ada/webshop")
    host.event("s1", "status.changed", {"status": "idle"})
    host.wait_acked("s1")
    yield host
    host.close()


def note(one: Screen) -> Any:
    return one.page.locator("trust-note")


def scanned(screen: Callable[..., Screen], relay: Any, host: SignedHost, name: str = "Ada's phone", role: str = "operator", **options: Any) -> Screen:
    """A device paired with the relay and trusted by the host, by one link."""
    one = screen(paired=False, **options)
    one.page.goto(host.link(code_of(relay.pair_link(role))))
    field = one.page.get_by_label("Name of this device")
    expect(field).not_to_have_value("")
    field.fill(name)
    one.page.get_by_role("button", name="Pair this device").click()
    one.expect_live()
    expect(note(one)).to_contain_text("laptop trusts this browser now")
    return one


def decided(host: SignedHost, approval: str) -> tuple[str | None, dict[str, Any]]:
    message = host.wait_decision(approval)
    return host.who_decided(message), message["decision"]


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_one_scan_pairs_with_the_relay_and_the_host_and_what_is_allowed_is_signed(
    screen: Callable[..., Screen], relay: Any, host: SignedHost, size: dict[str, int]
) -> None:
    one = scanned(screen, relay, host, size=size)
    device = host.wait_trusts("Ada's phone")
    expect(note(one).locator(".trust-code")).to_have_text(short_code(device))
    one.expect_no_overflow()
    one.expect_accessible()
    note(one).get_by_role("button", name="Close").click()
    expect(note(one)).to_be_hidden()
    host.ask("s1", "Bash", {"command": "swift test"})
    one.go("#/approvals")
    card = one.card("a1")
    expect(card).to_contain_text("swift test")
    expect(card).not_to_contain_text("as the relay says")
    card.get_by_role("button", name="Allow", exact=True).click()
    who, decision = decided(host, "a1")
    assert who == "Ada's phone" and decision["decision"] == "allow"
    host.apply("s1", "a1")
    expect(card).to_contain_text("The agent ran it.")


def test_the_secret_leaves_the_address_at_once_and_never_goes_to_the_relay(screen: Callable[..., Screen], relay: Any, host: SignedHost) -> None:
    one = screen(paired=False)
    one.page.add_init_script("window.seen = []; addEventListener('DOMContentLoaded', () => window.seen.push(location.href))")
    said: list[str] = []
    one.page.on("request", lambda request: said.append(f"{request.url} {request.post_data or ''} {request.headers.get('referer', '')}"))
    one.page.on("websocket", lambda socket: socket.on("framesent", lambda text: said.append(str(text))))
    one.page.goto(host.link(code_of(relay.pair_link("operator"))))
    one.page.get_by_role("button", name="Pair this device").click()
    expect(note(one)).to_contain_text("laptop trusts this browser now")
    assert one.page.evaluate("window.seen") == [f"{relay.url}/#/"]
    assert len(said) > 5 and not any(host.k in text or host.k[22:60] in text for text in said)
    log = relay.log.read_text()
    assert host.k not in log and host.k[22:60] not in log


def test_where_the_host_does_not_trust_it_there_is_no_allow_and_a_sentence_says_how_to_get_it(
    screen: Callable[..., Screen], host: SignedHost
) -> None:
    one = screen(role="operator")
    host.ask("s1", "Bash", {"command": "swift test"})
    one.go("#/approvals")
    card = one.card("a1")
    expect(card).to_contain_text("This device is not trusted by laptop yet. At that machine run heliograph host trust and scan what it shows.")
    expect(card.get_by_role("button", name="Allow", exact=True)).to_have_count(0)
    one.expect_accessible()
    one.go("#/session/s1")
    expect(one.page.locator("session-composer")).to_contain_text("This device is not trusted by laptop yet.")
    expect(one.page.get_by_label("Tell the agent")).to_be_hidden()
    one.go("#/approvals")
    card.get_by_role("button", name="Deny …").click()
    expect(card.get_by_label("Message to the agent")).to_be_hidden()
    card.get_by_role("button", name="Deny", exact=True).click()
    who, decision = decided(host, "a1")
    assert who is None and decision["decision"] == "deny" and "message" not in decision and "signature" not in decision


def test_a_paired_browser_is_asked_before_a_link_makes_a_machine_trust_it(screen: Callable[..., Screen], host: SignedHost) -> None:
    one = screen(role="operator")
    one.page.goto(host.link())
    expect(note(one)).to_contain_text("This link lets a machine trust this browser")
    assert one.page.evaluate("location.hash") == "#/"
    one.expect_accessible()
    note(one).get_by_role("button", name="Not now").click()
    expect(note(one)).to_be_hidden()
    assert not [message for message in host.received if message["type"] == "letter"]
    one.go(f"#k={host.machine_k}")
    note(one).get_by_role("button", name="Trust").click()
    expect(note(one)).to_contain_text("laptop trusts this browser now")
    host.wait_trusts("Ada's phone")


def test_a_second_device_with_the_same_link_is_told_so(screen: Callable[..., Screen], relay: Any, host: SignedHost) -> None:
    scanned(screen, relay, host)
    two = screen(name="Mallory's phone", role="operator")
    two.page.goto(host.link())
    note(two).get_by_role("button", name="Trust").click()
    expect(note(two)).to_contain_text("Another device has used this code already.")
    assert len(host.devices) == 1
    two.expect_no_overflow()


def test_answers_denials_with_words_prompts_and_modes_are_signed(screen: Callable[..., Screen], relay: Any, host: SignedHost) -> None:
    one = scanned(screen, relay, host)
    note(one).get_by_role("button", name="Close").click()
    questions = [{"id": "q0", "text": "Which colour?", "choices": [{"label": "Blue"}, {"label": "Grün"}]}]
    host.ask("s1", "AskUserQuestion", {"questions": []}, "q1", kind="question", body={"input": {}, "questions": questions})
    one.go("#/approvals")
    card = one.card("q1")
    card.get_by_text("Grün").click()
    card.get_by_role("button", name="Answer").click()
    who, decision = decided(host, "q1")
    assert who == "Ada's phone" and decision["answers"][0]["choices"] == ["Grün"]
    host.apply("s1", "q1", "answered")
    host.ask("s1", "Bash", {"command": "rm -rf build"}, "a2")
    card = one.card("a2")
    card.get_by_role("button", name="Deny …").click()
    card.get_by_label("Message to the agent").fill("not on my laptop – ask Bob")
    card.get_by_role("button", name="Deny", exact=True).click()
    who, decision = decided(host, "a2")
    assert who == "Ada's phone" and decision["message"] == "not on my laptop – ask Bob"
    host.apply("s1", "a2", "denied")
    one.go("#/session/s1")
    one.page.get_by_label("Tell the agent").fill("go on, but without force")
    one.page.get_by_role("button", name="Send", exact=True).click()
    prompt = host.wait_steered("prompt")
    assert host.who_prompted(prompt) == "Ada's phone"
    assert host.who_prompted(prompt | {"text": "go on, with force"}) is None
    host.steered(prompt, "taken")
    one.page.get_by_role("button", name="Mode, model and commands").click()
    panel = one.page.get_by_role("group", name="Mode, model and commands")
    panel.get_by_label("Mode", exact=True).select_option("plan")
    panel.get_by_role("button", name="Change", exact=True).first.click()
    assert host.who_prompted(host.wait_steered("mode")) == "Ada's phone"


def test_starts_are_signed_and_a_browser_that_is_not_trusted_only_lists_past_sessions(screen: Callable[..., Screen], relay: Any, host: SignedHost) -> None:
    host.start_session("heliograph-d1", title="New sessions", agent={"name": "heliograph"})
    host.event("heliograph-d1", "steering.offered", {"actions": ["start", "resume", "past"], "projects": [{"name": "site", "folder": "~/site"}],
        "agents": [{"name": "claude", "title": "Claude Code", "modes": ["default", "plan"]}], "consent": b64(host.id)})  # fmt: skip
    one = screen(role="operator")
    one.go("#/start")
    view = one.page.locator("start-view")
    expect(view).to_contain_text("This device is not trusted by laptop yet.")
    expect(view.get_by_role("button", name="Start", exact=True)).to_be_disabled()
    view.get_by_role("button", name="Past sessions").click()
    past = host.wait_steered("past")
    assert "signature" not in past
    host.event("heliograph-d1", "steering.changed", {"client": past["by"]["id"], "command": past["id"], "stage": "taken"},
        {"sessions": [{"id": "p1", "title": "Write the docs", "at": 1}]})  # fmt: skip
    expect(view).to_contain_text("Write the docs")
    one.page.goto(host.link())
    note(one).get_by_role("button", name="Trust").click()
    expect(note(one)).to_contain_text("laptop trusts this browser now")
    note(one).get_by_role("button", name="Close").click()
    one.go("#/start")
    view.get_by_label("Mode", exact=True).select_option("plan")
    view.get_by_label("First prompt").fill("Fix the failing test – grün")
    view.get_by_role("button", name="Start", exact=True).click()
    asked = host.wait_steered("start")
    assert host.who_prompted(asked) == "Ada's phone"
    assert host.who_prompted(asked | {"mode": "default"}) is None


def test_a_code_with_its_secret_is_pasted_where_no_link_can_be_opened(screen: Callable[..., Screen], relay: Any, host: SignedHost) -> None:
    one = screen(paired=False)
    one.page.goto(relay.url)
    one.page.get_by_label("Code or link").fill(f"{code_of(relay.pair_link('operator'))}.{host.machine_k}")
    one.page.get_by_role("button", name="Pair this device").click()
    expect(note(one)).to_contain_text("laptop trusts this browser now")


def test_a_link_of_a_machine_alone_is_kept_until_the_relay_knows_the_browser(screen: Callable[..., Screen], relay: Any, host: SignedHost) -> None:
    one = screen(paired=False)
    one.page.goto(host.link())
    expect(one.page.locator("pair-screen")).to_contain_text("Pair this browser with the relay first.")
    assert one.page.evaluate("location.hash") == "#/"
    one.page.get_by_label("Code or link").fill(code_of(relay.pair_link("operator")))
    one.page.get_by_role("button", name="Pair this device").click()
    expect(note(one)).to_contain_text("laptop trusts this browser now")


def test_on_a_phone_the_copied_code_has_the_secret_with_it(screen: Callable[..., Screen], relay: Any, host: SignedHost) -> None:
    """A page on the Home Screen has its own storage, so a code used in Safari would be wasted."""
    one = screen(paired=False)
    one.page.add_init_script("Object.defineProperty(navigator, 'standalone', { value: false })")
    code = code_of(relay.pair_link("operator"))
    one.page.goto(host.link(code))
    expect(one.page.get_by_label("Pairing code")).to_have_text(f"{code}.{host.k}")
    one.expect_no_overflow()
    one.page.get_by_role("button", name="This tab only").click()
    one.page.get_by_role("button", name="Pair this device").click()
    expect(note(one)).to_contain_text("laptop trusts this browser now")


def test_two_tabs_that_write_at_once_never_give_the_same_number(screen: Callable[..., Screen], relay: Any, host: SignedHost) -> None:
    one = scanned(screen, relay, host)
    other = one.context.new_page()
    other.goto(relay.url)
    for page in (one.page, other):
        page.evaluate("location.hash = '#/session/s1'")
        page.get_by_label("Tell the agent").fill("go")
    for page in (one.page, other):
        page.evaluate("() => [...document.querySelectorAll('session-composer button')].find((one) => one.getAttribute('aria-label') === 'Send').click()")
    wait_until(lambda: sum(message["type"] == "prompt" for message in host.received) == 2, 10, "two prompts")
    prompts = [message for message in host.received if message["type"] == "prompt"]
    assert [host.who_prompted(prompt) for prompt in prompts] == ["Ada's phone"] * 2
    assert len({prompt["signature"].split(".")[2] for prompt in prompts}) == 2


def test_keys_outlive_the_page_and_cannot_be_read_out(screen: Callable[..., Screen], relay: Any, host: SignedHost) -> None:
    one = scanned(screen, relay, host)
    one.page.reload()
    one.expect_live()
    kept = one.page.evaluate(
        """() => new Promise((resolve, reject) => {
            const asked = indexedDB.open("heliograph.consent");
            asked.onerror = reject;
            asked.onsuccess = () => {
                const request = asked.result.transaction("keys").objectStore("keys").get("own");
                request.onsuccess = async () => {
                    const tried = await Promise.all(["sign", "box"].flatMap((name) => ["jwk", "pkcs8", "raw"].map((form) =>
                        crypto.subtle.exportKey(form, request.result[name]).then(() => form, (error) => error.name))));
                    asked.result.close();
                    resolve({ tried, extractable: [request.result.sign.extractable, request.result.box.extractable] });
                };
            };
        })""")
    assert kept["extractable"] == [False, False] and set(kept["tried"]) <= {"InvalidAccessError", "NotSupportedError"}, kept
    host.ask("s1", "Bash", {"command": "swift test"})
    one.go("#/approvals")
    one.card("a1").get_by_role("button", name="Allow", exact=True).click()
    assert decided(host, "a1")[0] == "Ada's phone"


def test_a_browser_that_cleared_its_keys_says_so_and_loses_nothing_else(screen: Callable[..., Screen], relay: Any, host: SignedHost) -> None:
    one = scanned(screen, relay, host)
    one.page.evaluate("() => new Promise((resolve) => { indexedDB.deleteDatabase('heliograph.consent').onsuccess = resolve })")
    one.page.reload()
    one.expect_live()
    host.ask("s1", "Bash", {"command": "swift test"})
    one.go("#/approvals")
    expect(one.card("a1")).to_contain_text("This browser has cleared its keys, so laptop does not trust it any more. At that machine run heliograph host trust")
    one.go("#/devices")
    expect(one.page.locator("trust-list")).to_contain_text("This browser has cleared its keys")
    host.joins.clear()
    one.page.goto(host.link())
    note(one).get_by_role("button", name="Trust").click()
    expect(note(one)).to_contain_text("laptop trusts this browser now")
    one.go("#/approvals")
    one.card("a1").get_by_role("button", name="Allow", exact=True).click()
    assert decided(host, "a1")[0] == "Ada's phone"


def test_machines_that_trust_it_are_listed_and_can_be_forgotten(screen: Callable[..., Screen], relay: Any, host: SignedHost) -> None:
    one = scanned(screen, relay, host)
    device = host.wait_trusts("Ada's phone")
    note(one).get_by_role("button", name="Close").click()
    one.go("#/devices")
    trusted = one.page.locator("trust-list")
    expect(trusted).to_contain_text(short_code(device))
    expect(trusted).to_contain_text(short_code(host.id))
    one.expect_no_overflow()
    one.expect_accessible()
    trusted.get_by_role("button", name="Forget laptop …").click()
    trusted.get_by_role("button", name="Forget", exact=True).click()
    expect(trusted).to_contain_text("No machine yet.")
    host.joins.clear()
    trusted.get_by_label("What heliograph host trust shows").fill(f"abcdef.{host.k}")
    trusted.get_by_role("button", name="Trust a machine").click()
    expect(trusted).to_contain_text(short_code(host.id))


def test_an_approval_that_cannot_be_read_can_only_be_denied(screen: Callable[..., Screen], relay: Any, host: SignedHost) -> None:
    one = scanned(screen, relay, host)
    note(one).get_by_role("button", name="Close").click()
    host.ask("s1", "Bash", {"command": "swift test"}, "a1")
    parsed = json.loads(host.shown["a1"])
    head = {"approval": "a2", "kind": "tool", "tool": "Bash", "title": "harmless", "digest": "ab" * 32}
    host.event("s1", "approval.requested", head, {"shown": json.dumps(parsed | {"session": "s2"})})
    head["approval"] = "a3"
    host.event("s1", "approval.requested", head, {"input": {"command": "harmless"}})
    one.go("#/approvals")
    expect(one.card("a1").get_by_role("button", name="Allow", exact=True)).to_be_visible()
    expect(one.card("a2")).to_contain_text("What its host sent cannot be read: it is of another session.")
    expect(one.card("a3")).to_contain_text("The relay left out what its host showed.")
    for approval in ("a2", "a3"):
        expect(one.card(approval).get_by_role("button", name="Allow", exact=True)).to_have_count(0)
        expect(one.card(approval).get_by_role("button", name="Deny …")).to_be_visible()


def test_what_is_signed_is_what_stands_on_the_card_whatever_a_relay_sends_under_its_name(screen: Callable[..., Screen], relay: Any, host: SignedHost) -> None:
    one = scanned(screen, relay, host)
    note(one).get_by_role("button", name="Close").click()
    withheld: list[dict[str, Any]] = []
    pages: list[Any] = []

    def lying(page: Any) -> None:
        pages.append(page)
        server = page.connect_to_server()

        def pass_on(text: str) -> None:
            message = json.loads(text)
            if message["type"] == "approval" and message["approval"]["stage"] == "pending":
                withheld.append(message)
                message = harmless(message)
            page.send(json.dumps(message))

        server.on_message(pass_on)

    def harmless(message: dict[str, Any]) -> dict[str, Any]:
        """Alters the host's message: another command under the host's name."""
        forged = json.loads(json.dumps(message))
        request = forged["approval"]["request"]
        shown = json.loads(request["body"]["shown"])
        shown["event"]["body"] = {"input": {"command": "npm test"}}
        request["body"]["shown"] = json.dumps(shown)
        return forged

    one.page.route_web_socket("**/v1/client", lying)
    one.page.reload()
    one.expect_live()
    host.ask("s1", "Bash", {"command": "make release"})
    one.go("#/approvals")
    allow = one.card("a1").get_by_role("button", name="Allow", exact=True)
    expect(one.card("a1")).to_contain_text("npm test")
    expect(allow).to_be_enabled()
    [true] = withheld
    decided_already = {"decision": "allow", "by": {"client": "c9", "name": "Somebody"}, "at": 1}
    pages[-1].send(json.dumps({"type": "approval", "approval": true["approval"] | {"stage": "decided", "decision": decided_already}}))
    pages[-1].send(json.dumps(true))
    expect(one.card("a1")).to_contain_text("make release")
    expect(one.card("a1")).not_to_contain_text("npm test")
    allow.click()
    # `lying` passes messages on only while the browser is waited for.
    expect(one.card("a1")).not_to_have_attribute("data-stage", "pending")
    assert decided(host, "a1")[0] == "Ada's phone"


def test_in_firefox_one_scan_is_enough_and_a_notification_signs_with_the_page_closed(tmp_path: Path) -> None:
    async def travel(stage: Stage) -> None:
        firefox, relay = stage.firefox, stage.relay
        host = await asyncio.to_thread(SignedHost, relay)
        await asyncio.to_thread(host.start_session, "s1", title="Fix the login", project="webshop")
        await firefox.open(host.link(k=host.machine_k))
        await firefox.press("Trust")
        await firefox.expect_text("laptop trusts this browser now")
        await firefox.press("Close")
        name = host.devices[next(iter(host.devices))][1]
        await asyncio.to_thread(host.ask, "s1", "Bash", {"command": "swift test"}, "a1")
        await firefox.run("void (location.hash = '#/approvals')")
        await firefox.press("Allow")
        assert (await asyncio.to_thread(decided, host, "a1"))[0] == name
        await stage.shown()
        host.apply("s1", "a1")
        await firefox.run("void (location.hash = '#/devices')")
        await firefox.press("Change …")
        await firefox.choose("The whole command")
        await firefox.choose("Offer Allow in the notification")
        await firefox.press("Save")
        await firefox.expect_text("Where it shows the whole command, also while locked")
        for verdict in ("allow", "deny"):
            await stage.leave()
            command = f"make {verdict}"
            await asyncio.to_thread(host.ask, "s1", "Bash", {"command": command}, verdict, alert={"full": command, "whole": True})
            notification = await stage.shown()
            assert notification["body"] == command and list(notification["buttons"]) == ["deny", "allow"], notification
            assert notification["title"] == "Allow Bash? · laptop"
            await stage.desktop.press(notification, verdict)
            who, decision = await asyncio.to_thread(decided, host, verdict)
            assert (who, decision["decision"]) == (name, verdict)
            host.apply("s1", verdict, "ran" if verdict == "allow" else "denied")
        await asyncio.to_thread(host.close)

    on_stage(tmp_path, travel)


CHECK_VECTORS = """(async () => {
    const vectors = async (name) => (await fetch(`/Tests/ConsentTests/Fixtures/${name}.json`)).json();
    const [consent, sealing, statements, forms] = await Promise.all([
        "/web/consent.js", "/web/sealing.js", "/Tests/Web/consent-vectors.mjs", "/Tests/Web/sealing-vectors.mjs"].map((path) => import(path)));
    return Math.min(await statements.check(consent, await vectors("vectors")), await forms.check(sealing, await vectors("sealing")));
})()"""
"""How many altered statements, or sealed forms, were refused; it fails at the first thing that does not hold."""


class Files(http.server.SimpleHTTPRequestHandler):
    extensions_map = {".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json"}

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def files() -> Iterator[str]:
    """Serves the page's sources over HTTP on loopback, which browsers treat as a secure context."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=str(ROOT))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_vectors_hold_in_chromium(browser: Any, files: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{files}/web/manifest.webmanifest")
    assert page.evaluate(CHECK_VECTORS) > 150
    context.close()


def test_the_vectors_hold_in_firefox(files: str, short_path: Path) -> None:
    async def travel() -> None:
        desktop = await Desktop().start()
        firefox = await Firefox(short_path / "profile", {}, desktop).start()
        try:
            await firefox.open(f"{files}/Tests/Web/")
            assert await firefox.run(CHECK_VECTORS) > 150
        finally:
            await firefox.stop()
            await desktop.stop()

    # Runs in a separate thread, because Playwright leaves an event loop on the main one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, travel()).result()
