"""Seven tasks on a phone in a browser, each with the taps that it takes."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from page_screen import Screen
from waits import wait_until

SIZE = {"width": 390, "height": 664}


@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop", capabilities=("steer",))
    for number in range(8):
        host.start_session(f"s{number}", title=f"Task {number}", project="webshop", cwd="/home/ada/webshop")
        host.event(f"s{number}", "steering.offered", {"actions": ["prompt"]})
        host.event(f"s{number}", "status.changed", {"status": "idle"})
    host.event("s3", "file.changed", {"path": "src/login.ts", "added": 1, "removed": 0}, {"diff": "@@ -0,0 +1 @@\n+x"})
    host.event("s3", "file.changed", {"path": "src/other.ts", "added": 1, "removed": 0}, {"diff": "@@ -0,0 +1 @@\n+x"})
    host.event("s5", "usage", {"run": "r1", "model": "opus", "costMicroUSD": 1_230_000, "tokens": {"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0}})
    host.start_session("desk", title="New sessions", agent={"name": "heliograph"})
    host.event("desk", "steering.offered", {"actions": ["start"], "projects": [{"name": "webshop", "folder": "~/webshop"}], "agents": [{"name": "claude", "title": "Claude Code"}]})
    host.wait_acked("desk")
    return host


class Hand:
    """Taps what is on screen, and counts. Typing goes to the field that a tap has focused."""

    def __init__(self, one: Screen, where: str):
        self.one, self.taps = one, 0
        one.go(where)

    def tap(self, target: Locator) -> None:
        expect(target).to_be_in_viewport(ratio=0.9)
        target.click()
        self.taps += 1

    def type(self, words: str) -> None:
        wait_until(lambda: self.one.page.evaluate("() => document.activeElement?.matches('input, textarea')"), 5, "a field with the focus")
        self.one.page.keyboard.type(words)

    def button(self, name: str) -> Locator:
        return self.one.page.get_by_role("button", name=name, exact=True).locator("visible=true").first


@pytest.fixture
def hand(screen: Callable[..., Screen], host: Any) -> Callable[[str], Hand]:
    return lambda where: Hand(screen(role="operator", size=SIZE), where)


def test_the_oldest_is_allowed_with_one(hand: Callable[[str], Hand], host: Any) -> None:
    oldest, _ = (host.request_approval(session, "Bash", {"command": f"make {session}"}) for session in ("s1", "s2"))
    one = hand("#/approvals")
    one.tap(one.button("Allow"))
    assert host.wait_decision(oldest)["decision"]["decision"] == "allow"
    assert one.taps == 1


def test_a_reason_is_given_with_a_denial_in_three(hand: Callable[[str], Hand], host: Any) -> None:
    approval = host.request_approval("s1", "Bash", {"command": "make"})
    one = hand("#/approvals")
    one.tap(one.button("Deny …"))
    one.type("use npm")
    one.tap(one.button("Deny"))
    decision = host.wait_decision(approval)["decision"]
    assert (decision["decision"], decision["message"]) == ("deny", "use npm")
    assert one.taps <= 3


def test_a_prompt_is_sent_with_two(hand: Callable[[str], Hand], host: Any) -> None:
    one = hand("#/session/s1")
    one.tap(one.one.page.get_by_label("Tell the agent"))
    one.type("run the tests")
    one.tap(one.button("Send"))
    assert host.wait_steered("prompt")["text"] == "run the tests"
    assert one.taps == 2


def test_today_s_cost_is_one_away(hand: Callable[[str], Hand]) -> None:
    one = hand("#/")
    one.tap(one.one.page.get_by_role("link", name="Cost", exact=True))
    today = one.one.page.locator("costs-view").get_by_text("$1.23").first
    expect(today).to_be_in_viewport(ratio=1)
    assert one.taps == 1


def test_the_session_that_changed_a_file_is_found_with_four(hand: Callable[[str], Hand]) -> None:
    one = hand("#/")
    page = one.one.page
    one.tap(page.get_by_label("Search sessions"))
    one.type("login.ts")
    hit = page.locator("file-finder").get_by_role("link", name="Task 3")
    more = page.get_by_role("button", name="Search the files of 1 session")
    expect(hit.or_(more).first).to_be_visible()
    if not hit.count():
        one.tap(more)
    one.tap(hit)
    expect(page.locator("session-changes")).to_contain_text("login.ts")
    assert one.taps <= 4


def test_a_session_is_started_with_three(hand: Callable[[str], Hand], host: Any) -> None:
    one = hand("#/")
    page = one.one.page
    one.tap(page.get_by_role("link", name="New", exact=True))
    one.tap(page.get_by_label("First prompt"))
    one.type("Fix the login")
    one.tap(one.button("Start"))
    assert host.wait_steered("start")["text"] == "Fix the login"
    assert one.taps <= 3


def test_a_session_is_silent_for_an_hour_with_two(hand: Callable[[str], Hand], host: Any) -> None:
    host.request_approval("s1", "Bash", {"command": "make"})
    one = hand("#/")
    page = one.one.page
    badge = page.locator("[data-tab=approvals] .count")
    expect(badge).to_have_text("1")
    one.tap(one.one.row("s1").locator("xpath=..").get_by_role("button", name="Later, mute, archive: Task 1"))
    one.tap(one.button("Later"))
    expect(page.get_by_role("group", name="Done just now")).to_contain_text("Back at")
    expect(badge).to_be_hidden()
    assert one.taps == 2
