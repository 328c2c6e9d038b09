"""Pictures, terminals, rules and notifications of a sealing host in a real browser, unreadable for the relay."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from client import WireClient
from daemon import Daemon
from own_agent import Asking, post
from page_screen import Screen, closing_screens
from pictures import png
from push_site import PushSite, site  # noqa: F401 (a fixture)
from relay import Relay
from screens import held, session_of
from steered import phone  # noqa: F401 (a fixture)
from test_consent import SESSION
from test_page_install import Worker
from test_page_pictures import choose, chosen, send
from test_page_sealed import says_nothing_is_wrong
from test_rules import ask, begin, write
from test_screens import begin_typing, opened, rows
from test_sealed import relay, server  # noqa: F401 (fixtures)
from test_sealed_terminal import OFFER, TITLE, daemon, has_no_marks, works  # noqa: F401 (a fixture)
from test_web_push import Laptop
from trusting import trust_page
from waits import wait_until


def kept_by(relay: Relay) -> bytes:
    return b"".join(file.read_bytes() for file in relay.folder.rglob("*") if file.is_file())


def test_a_picture_is_sealed_in_the_page_and_opened_by_the_agent_and_by_another_page(
    daemon: Daemon, phone: WireClient, screen: Callable[..., Screen], relay: Relay  # noqa: F811
) -> None:
    one, other = screen(role="operator"), screen(name="Bob's phone", role="operator")
    for each in (one, other):
        trust_page(daemon, each)
    works(daemon)
    assert post(daemon.socket, "steering", {"session": "s1", "offer": OFFER | {"pictures": True}, "standing": "idle"}) == (200, {})
    phone.subscribe(SESSION)
    one.go(f"#/session/{SESSION}")
    choose(one, png(300, 200))
    expect(chosen(one)).to_have_count(1)
    waiting = Asking(daemon, {"session": "s1"}, "steering/next")
    send(one, "Mark-prompt: what is this?")
    given = waiting.answer()[1]
    (handed,) = given["pictures"]
    content = base64.b64decode(handed["content"])
    assert handed["type"] == "image/png" and content.startswith(b"\x89PNG") and given["text"] == "Mark-prompt: what is this?"
    told = {"session": "s1", "client": given["by"]["id"], "command": given["id"], "stage": "taken"}
    assert post(daemon.socket, "steered", told) == (200, {})
    other.go(f"#/session/{SESSION}")
    for each in (one, other):
        sent = each.timeline().locator('[data-kind="steering.requested"]')
        expect(sent.get_by_role("button", name="Picture").locator("canvas")).to_be_visible()
        says_nothing_is_wrong(each)
    asked = phone.wait_event(SESSION, lambda event: event["kind"] == "steering.requested")
    (named,) = asked["body"]["pictures"]
    got = relay.get(f"/v1/pictures/{named['digest']}", {"Authorization": f"Bearer {phone.token}"}).body
    assert named["type"] == "application/x-heliograph-sealed" and got[0] == 4 and b"IHDR" not in got
    pixels = content[content.index(b"IDAT") :][:64]
    assert pixels not in kept_by(relay)
    has_no_marks(relay, phone)


def test_a_terminal_is_seen_and_typed_into_and_the_relay_sees_neither_screen_nor_keys(
    daemon: Daemon, phone: WireClient, screen: Callable[..., Screen], relay: Relay, short_path: Path  # noqa: F811
) -> None:
    with held(daemon, short_path / "t", "cat") as terminal:
        session = session_of(phone, "cat")
        one, stranger = screen(role="operator"), screen(name="Bob's phone", role="operator")
        trust_page(daemon, one)
        view = opened(one, session)
        expect(view.locator(".screen-state")).to_contain_text("Live")
        begin_typing(view)
        view.get_by_label("Text to type at the terminal").fill("Mark-words by hand")
        view.get_by_label("Text to type at the terminal").press("Enter")
        terminal.wait_screen("Mark-words by hand")
        # `cat` prints the typed line a second time.
        expect(rows(view)).to_contain_text("Mark-words by hand\nMark-words by hand", use_inner_text=True)
        one.expect_accessible()
        drawn = phone.command("screen", session=session)["screen"]
        assert drawn["sealed"].startswith("sealed.") and drawn["lines"] == []
        stranger.go(f"#/session/{session}")
        expect(stranger.page.get_by_role("link", name="Screen", exact=True)).to_have_count(0)
        phone.subscribe(session)
        has_no_marks(relay, phone)


def test_rules_are_tried_from_afar_on_a_past_that_the_relay_cannot_read(
    daemon: Daemon, phone: WireClient, screen: Callable[..., Screen], relay: Relay  # noqa: F811
) -> None:
    write(daemon.home, daemon.environment)
    begin(daemon)
    one = screen(role="operator")
    trust_page(daemon, one)
    one.go("#/approvals")
    for name, command, decision in [*((f"a{number}", "npm test", "Allow") for number in range(5)), ("b", "npm run payroll", "Deny")]:
        asking = ask(daemon, name, command)
        card = one.page.locator("approvals-inbox approval-card[data-stage=pending]", has_text=command)
        if decision == "Deny":
            card.get_by_role("button", name="Deny …").click()
        card.get_by_role("button", name=decision, exact=True).click()
        assert asking.answer()[1]["decision"] == decision.lower()
        expect(card).to_have_count(0)
    assert ask(daemon, "c", "echo one").answer()[1]["decision"] == "allow"
    daemon.wait_delivered()
    one.go("#/rules")
    host = one.page.locator("rules-view .rule-host")
    host.get_by_role("button", name="Try the rules of laptop on what was asked").click()
    expect(host).to_contain_text("Of 7 requests since")
    expect(host).to_contain_text("a person would still be asked about 6.")
    expect(host).to_contain_text("echoes: would allow 1; people allowed 0 of them and denied 0")
    host.get_by_role("button", name="Look at this rule …").click()
    draft = one.page.locator("rules-view .rule-draft")
    expect(draft.get_by_role("group", name="The rule", exact=True)).to_contain_text('for = ["Bash(npm test)"]')
    draft.get_by_role("button", name="Write it otherwise").click()
    field = draft.get_by_label("The rule as it is to stand in the file")
    field.fill(field.input_value().replace("npm test", "npm *"))
    draft.get_by_role("button", name="Look at it").click()
    denied = draft.get_by_role("list", name="What these rules would have allowed, and a person denied")
    expect(denied.get_by_role("link", name="npm run payroll")).to_be_visible()
    phone.subscribe(SESSION)
    kept = kept_by(relay)
    assert b"npm test" not in kept and b"payroll" not in kept and b"echoes" not in kept
    has_no_marks(relay, phone)


def test_a_push_is_opened_by_the_worker_with_no_page_open(daemon: Daemon, phone: WireClient, whole_browser: Any, relay: Relay, site: PushSite) -> None:  # noqa: F811
    """The relay's push as the browser decrypts it, and the notification that the service worker makes of it."""
    ada = Laptop(relay, site, phone)
    with closing_screens(lambda **options: Screen(whole_browser, relay, **options)) as screen:
        one = screen(role="operator")
        trust_page(daemon, one)
        works(daemon)
        expect(one.row(SESSION)).to_contain_text(TITLE)
        worker = Worker(one)
        beside = one.context.new_page()
        beside.goto(f"{relay.url}/manifest.webmanifest")
        asking = ask(daemon, "q1", "make payroll")
        (push,) = wait_until(lambda: site.notifications(ada.browser), 20, "the push")
        said = push["notification"]
        assert (said["title"], said["body"]) == ("An agent needs approval", "Open this notification to see what it asks."), said
        assert "payroll" not in str(push) and TITLE not in str(push)
        page, one.page = one.page, beside
        page.goto("about:blank")
        worker.push(push)
        (shown,) = wait_until(worker.shown, 10, "the notification")
        assert (shown["title"], shown["body"]) == ("An agent needs approval", f"{TITLE}\nmake payroll"), shown
        asking.hang_up()
