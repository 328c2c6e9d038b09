"""The page's frame: at every window size, zoom and font size all content is reachable, also by keyboard and screen readers."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from host import now_ms
from page_screen import DESK, PHONE, Screen
from waits import wait_until

TABLET = {"width": 768, "height": 1024}
LANDSCAPE = {"width": 640, "height": 360}
FOUR_TIMES = {"width": 320, "height": 256}
"""1280 × 1024 at 400 %, which is how the Web Content Accessibility Guidelines measure reflow."""
NARROW = {"width": 320, "height": 568}

VIEWS = {
    "#/": "Fix the login", "#/session/s1": "Fix the login, please", "#/session/s1/changes": "Conversation", "#/approvals": "npm test",
    "#/approvals/recent": "make old", "#/devices": "This browser", "#/budgets": "No budget is set", "#/link": "Ada's phone",
}  # fmt: skip
"""With words of each that the relay has to tell."""


@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop")
    host.start_session("s1", title="Fix the login", project="webshop", model="opus")
    host.event("s1", "message", {"role": "user"}, {"text": "Fix the login, please"})
    host.event("s1", "usage", {"run": "r1", "costMicroUSD": 412_300, "tokens": {"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0}})
    return host


def bash(host: Any, command: str, session: str = "s1") -> str:
    return host.request_approval(session, "Bash", {"command": command})



def test_reviewing_among_many_sessions_leaves_the_header_where_it_is(screen: Callable[..., Screen], host: Any) -> None:
    one = screen(size=DESK)
    for number in range(8):
        host.start_session(f"more{number}", title=f"More {number}")
        bash(host, f"make {number}", f"more{number}")
    one.go("#/session/s1")
    approval = bash(host, "npm test")
    for number in range(20):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"meanwhile {number}\n" * 4})
    expect(one.page.locator("session-row")).to_have_count(9)
    expect(one.timeline()).to_contain_text("meanwhile 19")
    one.timeline().get_by_role("group", name="Timeline, scrolls").evaluate("element => { element.scrollTop = element.scrollHeight }")
    one.page.get_by_role("link", name="Review", exact=True).click()
    expect(one.timeline().locator(f'[id="decide-s1/{approval}"]')).to_be_focused()
    assert one.page.evaluate("() => [document.scrollingElement.scrollTop, document.body.scrollTop]") == [0, 0]
    expect(one.page.locator("header.bar")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("font", [16, 32], ids=["font-16", "font-32"])
@pytest.mark.parametrize("size", [NARROW, PHONE, TABLET, LANDSCAPE, FOUR_TIMES, DESK], ids=lambda size: f"{size['width']}x{size['height']}")
def test_every_view_reflows_at_every_size_and_font(screen: Callable[..., Screen], host: Any, size: dict[str, int], font: int) -> None:
    one = screen(size=size)
    bash(host, "find . -name '*.pyc' -print0 | xargs -0 rm && git push --force-with-lease origin a-branch-with-a-rather-long-name")
    settled = bash(host, "npm test")
    host.cancel("s1", settled)
    # Sets the browser's default font size like a reader; media queries in em follow it, which a page's own style cannot cause.
    session = one.context.new_cdp_session(one.page)
    session.send("Page.setFontSizes", {"fontSizes": {"standard": font, "fixed": font * 13 // 16}})
    one.page.reload()
    one.expect_live()
    assert one.page.evaluate("() => parseFloat(getComputedStyle(document.body).fontSize)") == font
    for where in VIEWS:
        one.go(where)
        one.settle()
        one.expect_no_overflow()
        # The heading is readable, and there is room for the content below it.
        heading = one.page.locator("main > .pane:not([hidden]) h2:visible").last
        heading.scroll_into_view_if_needed()
        # If the inbox's switch needs all the room, the heading is only for screen readers.
        if heading.evaluate("heading => getComputedStyle(heading).clipPath") == "none":
            expect(heading).to_be_in_viewport()
    one.go("#/approvals")
    for name in ("Deny …", "Allow"):
        button = one.page.get_by_role("button", name=name, exact=True)
        button.scroll_into_view_if_needed()
        expect(button).to_be_in_viewport(ratio=0.95)


@pytest.mark.parametrize("where", VIEWS)
def test_a_view_that_is_reloaded_is_there_again(screen: Callable[..., Screen], host: Any, where: str) -> None:
    host.cancel("s1", bash(host, "make old"))
    bash(host, "npm test")
    one = screen()
    one.go(where)
    pane = one.page.locator("main > .pane:not([hidden])").last
    for _ in range(2):
        expect(pane).to_contain_text(VIEWS[where])
        expect(pane.locator("h2:visible").first).to_be_visible()
        assert one.page.url.endswith(where)
        one.page.reload()
    one.expect_live()


def test_a_tablet_shows_the_list_beside_the_session(screen: Callable[..., Screen], host: Any) -> None:
    one = screen(size=TABLET)
    one.row("s1").click()
    expect(one.timeline()).to_contain_text("Fix the login, please")
    expect(one.row("s1")).to_be_in_viewport(ratio=1)
    one.expect_no_overflow()


def test_a_phone_on_its_side_gives_most_of_its_height_to_what_is_read(screen: Callable[..., Screen], host: Any) -> None:
    one = screen(size=LANDSCAPE)
    one.go("#/session/s1")
    expect(one.timeline()).to_contain_text("Fix the login, please")
    box = one.timeline().bounding_box()
    assert box and box["height"] > LANDSCAPE["height"] * 0.65, box
    one.page.get_by_role("link", name="All sessions").click()
    expect(one.page.get_by_role("link", name="Approvals")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", [{"width": 768, "height": 400}, {"width": 932, "height": 430}, {"width": 844, "height": 390}, LANDSCAPE], ids=lambda size: f"{size['width']}x{size['height']}")
def test_on_its_side_what_a_session_cost_and_changed_is_in_reach(screen: Callable[..., Screen], host: Any, size: dict[str, int]) -> None:
    host.start_session("s2", title="A session with a name that is a good deal longer than any screen that lies on its side is wide, and then some more of it", project="webshop")
    for session in ("s1", "s2"):
        host.event(session, "file.changed", {"path": "src/login.ts", "added": 3, "removed": 1}, {"diff": "@@ -1 +1 @@\n+a"})
    one = screen(size=size)
    for session in ("s1", "s2"):
        one.go(f"#/session/{session}")
        expect(one.timeline()).to_contain_text("src/login.ts")
        expect(one.page.locator(".session-cost")).to_be_in_viewport(ratio=1)
        expect(one.page.get_by_role("link", name="Changes 3 lines added, 1 removed")).to_be_in_viewport(ratio=1)
        expect(one.page.get_by_role("button", name="Show the to-do list and the numbers")).to_be_in_viewport(ratio=1)
    one.expect_no_overflow()
    one.page.get_by_role("link", name="Changes 3 lines added, 1 removed").click()
    expect(one.page.locator("session-changes")).to_contain_text("src/login.ts")


@pytest.fixture
def many(host: Any) -> Any:
    """More sessions than fit on a screen, one of which waits."""
    for number in range(12):
        host.start_session(f"old{number}", title=f"Old {number}")
    bash(host, "make one", "old3")
    return host


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_a_new_session_comes_to_the_top_and_into_view(screen: Callable[..., Screen], many: Any, size: dict[str, int]) -> None:
    one = screen(size=size)
    expect(one.row("old3")).to_contain_text("Needs you")
    expect(one.page.locator("session-row")).to_have_count(13)
    # A tap at the moment when rows moved was meant for the earlier row in that place.
    one.page.evaluate("""() => new MutationObserver((_, watch) => {
      watch.disconnect();
      const [row] = document.querySelectorAll("session-row a");
      window.taken = row.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    }).observe(document.querySelector(".rows"), { childList: true })""")
    many.start_session("new1", title="New one")
    expect(one.page.locator("session-row").first).to_contain_text("New one")
    expect(one.row("new1")).to_be_in_viewport(ratio=1)
    expect(one.page.get_by_role("button", name="above")).to_be_hidden()
    assert one.page.evaluate("() => window.taken") is False


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_a_new_session_above_moves_nothing_that_is_read(screen: Callable[..., Screen], many: Any, size: dict[str, int]) -> None:
    one = screen(size=size)
    expect(one.page.locator("session-row")).to_have_count(13)
    one.page.locator("session-list").evaluate("element => { element.scrollTop = element.scrollHeight }")
    one.settle()
    last = one.page.locator("session-row").last
    before = last.bounding_box()
    many.start_session("new2", title="New two")
    show = one.page.get_by_role("button", name="1 new session above: show")
    expect(show).to_be_in_viewport(ratio=1)
    after = last.bounding_box()
    assert before and after and abs(before["y"] - after["y"]) < 2
    show.click()
    expect(one.row("new2")).to_be_in_viewport(ratio=1)
    expect(show).to_be_hidden()


def groups_of(one: Screen) -> dict[str, list[str]]:
    """The titles below each heading of the list."""
    return one.page.evaluate("""() => {
      const found = {};
      let under = "";
      for (const item of document.querySelectorAll("session-list .rows > li")) {
        if (item.matches(".row-heading")) found[under = item.textContent] = [];
        else found[under].push(item.querySelector(".row-title").textContent);
      }
      return found;
    }""")


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_headings_say_what_is_so_once_nobody_touches_the_list(screen: Callable[..., Screen], many: Any, size: dict[str, int]) -> None:
    one = screen(size=size)
    expect(one.page.locator("session-row")).to_have_count(13)
    if size is DESK:
        one.go("#/session/old1")
    for number in (4, 5):
        many.event(f"old{number}", "session.ended", {"reason": "completed"})
    bash(many, "make two", "old6")
    wait_until(
        lambda: set(groups_of(one)["Needs you"]) == {"Old 3", "Old 6"} and set(groups_of(one).get("Done today", [])) == {"Old 4", "Old 5"},
        20, lambda: f"each row under its heading: {groups_of(one)}")
    assert list(groups_of(one)) == ["Needs you", "Working", "Done today"]
    one.expect_no_overflow()


def test_no_row_moves_under_the_keyboard_and_a_scrolled_list_stays_where_it_is_read(screen: Callable[..., Screen], many: Any) -> None:
    one = screen(size=PHONE)
    rows = one.page.locator("session-row")
    expect(rows).to_have_count(13)
    # The list stays as it is while the focus is in it.
    one.row("old5").locator("a").focus()
    many.event("old5", "session.ended", {"reason": "completed"})
    expect(one.row("old5")).to_contain_text("Completed")
    asked = one.page.evaluate("() => performance.now()")
    wait_until(lambda: one.page.evaluate("() => performance.now()") > asked + 7000, 20, "longer than a list is let alone")
    assert "Old 5" in groups_of(one)["Working"]
    one.page.evaluate("() => document.activeElement.blur()")
    wait_until(lambda: "Old 5" not in groups_of(one)["Working"], 20, lambda: f"the list to be in order again: {groups_of(one)}")
    title = one.page.locator("session-list").evaluate("""(list) => {
      list.scrollTop = 200;
      return [...list.querySelectorAll("session-row")].find((row) => row.getBoundingClientRect().top >= 0).querySelector(".row-title").textContent;
    }""")
    first = one.page.locator("session-row", has=one.page.get_by_text(title, exact=True))
    before = first.bounding_box()
    bash(many, "make three", "old7")
    show = one.page.get_by_role("button", name="1 waiting: show first")
    expect(show).to_be_in_viewport(ratio=1)
    wait_until(lambda: "Old 7" in groups_of(one)["Needs you"], 20, lambda: f"the one that waits to go up: {groups_of(one)}")
    after = first.bounding_box()
    assert before and after and abs(before["y"] - after["y"]) < 2, (title, before, after)
    show.click()
    expect(one.row("old7")).to_be_in_viewport(ratio=1)
    expect(show).to_be_hidden()


def test_a_thousand_sessions_are_counted_and_the_oldest_is_found(screen: Callable[..., Screen], scripted_host: Callable[..., Any], relay: Any) -> None:
    host = scripted_host(relay, name="laptop")
    now = now_ms()
    for number in range(1000):
        host.event(f"m{number}", "session.started", {"agent": {"name": "claude"}, "title": f"Session number {number}."}, at=now - number * 60_000)
    for number in range(1000):
        host.wait_acked(f"m{number}")
    one = screen()
    total = one.page.locator("session-list .pane-head .quiet")
    expect(total).to_have_text("500 of 1000")
    # A session beyond the first 500 has an event: the list counts it, and does not call it new.
    host.event("m900", "status.changed", {"status": "idle"}, at=now)
    expect(total).to_have_text("501 of 1000")
    assert "New" not in groups_of(one)
    words = one.page.get_by_role("searchbox", name="Search sessions")
    words.fill("number 999.")
    expect(one.row("m999")).to_be_visible()
    expect(total).to_have_text("1 of 1000")
    words.fill("")
    expect(total).to_have_text("1000")
    assert "New" not in groups_of(one)
    one.expect_no_overflow()


def test_what_can_be_done_with_the_session_on_screen_is_found_by_its_words(screen: Callable[..., Screen], host: Any) -> None:
    host.start_session("s2", title="Second")
    one = screen(size=DESK)
    one.go("#/session/s1")
    expect(one.timeline()).to_contain_text("Fix the login, please")
    for words, count in (("archive this", 0), ("bring back", 1)):
        one.page.keyboard.press("Control+k")
        one.page.get_by_role("combobox", name="Find a session or a screen").fill(words)
        expect(one.page.get_by_role("option").first).to_contain_text("Fix the login")
        one.page.keyboard.press("Enter")
        expect(one.row("s1")).to_have_count(count)


def test_the_skip_link_leads_to_the_content_and_leaves_the_address(screen: Callable[..., Screen], host: Any) -> None:
    one = screen(size=DESK)
    one.go("#/session/s1")
    expect(one.timeline()).to_contain_text("Fix the login, please")
    one.page.reload()
    one.expect_live()
    one.page.keyboard.press("Tab")
    expect(one.page.get_by_role("link", name="Skip to the content")).to_be_in_viewport(ratio=1)
    one.page.keyboard.press("Enter")
    expect(one.page.get_by_role("heading", name="Fix the login")).to_be_focused()
    assert one.page.url.endswith("#/session/s1")


def test_after_a_decision_the_keyboard_goes_to_the_next_card_and_at_last_to_the_heading(screen: Callable[..., Screen], host: Any) -> None:
    one = screen(size=DESK)
    first, second = bash(host, "make one"), bash(host, "make two")
    one.go("#/approvals")
    for approval, following in ((first, one.card(second).locator(".card-title")), (second, one.page.get_by_role("heading", name="Approvals"))):
        allow = one.card(approval).get_by_role("button", name="Allow", exact=True)
        expect(allow).to_be_enabled()
        allow.focus()
        one.page.keyboard.press("Enter")
        host.wait_decision(approval, timeout=5)
        expect(following).to_be_focused()
        expect(one.page.locator("#announcer")).to_contain_text("Allowed by you")


def test_escape_takes_a_denial_back(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    approval = bash(host, "make one")
    one.go("#/approvals")
    card = one.card(approval)
    card.get_by_role("button", name="Deny …").click()
    expect(card.get_by_label("Message to the agent")).to_be_focused()
    one.page.keyboard.press("Escape")
    expect(card.get_by_role("button", name="Deny …")).to_be_focused()
    expect(card).to_have_attribute("data-stage", "pending")


def test_with_keys_one_walks_decides_and_finds(screen: Callable[..., Screen], host: Any) -> None:
    one = screen(size=DESK)
    host.start_session("s2", title="Ship the release")
    for number in range(30):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"line {number}\n\nand more"})
    approval = bash(host, "make one")
    keyboard = one.page.keyboard
    one.go("#/session/s1")
    card = one.timeline().locator("approval-card")
    expect(card.get_by_role("button", name="Allow", exact=True)).to_be_enabled()
    # The first press of the key focuses the waiting card, the second one allows.
    keyboard.press("a")
    expect(card.locator(".card-title")).to_be_focused()
    assert not host.decisions
    keyboard.press("d")
    expect(card.get_by_label("Message to the agent")).to_be_focused()
    keyboard.type("a")
    expect(card.get_by_label("Message to the agent")).to_have_value("a")
    keyboard.press("Escape")
    keyboard.press("a")
    assert host.wait_decision(approval)["decision"]["decision"] == "allow"
    keyboard.press("/")
    keyboard.type("line 7")
    expect(one.page.locator("session-find")).to_contain_text("3 of 3")
    expect(one.timeline().locator("[data-found]")).to_contain_text("line 27")
    expect(one.timeline().locator("[data-found]")).to_be_in_viewport()
    one.expect_accessible()
    keyboard.press("Escape")
    expect(one.page.locator("session-find")).to_be_hidden()
    keyboard.press("Control+k")
    keyboard.type("ship")
    expect(one.page.get_by_role("option")).to_have_count(1)
    one.expect_accessible()
    keyboard.press("Enter")
    expect(one.page.get_by_role("heading", name="Ship the release")).to_be_focused()
    keyboard.press("g")
    keyboard.press("i")
    expect(one.page.get_by_role("heading", name="Approvals")).to_be_focused()
    keyboard.press("?")
    expect(one.page.get_by_role("dialog")).to_contain_text("Next session")
    keyboard.press("Escape")
    keyboard.press("j")
    expect(one.page.locator("session-row a[aria-current]")).to_have_count(1)
    # Single-letter shortcuts are switched off and stay so; the list of shortcuts is still available.
    keyboard.press("Control+k")
    keyboard.type("single letters")
    keyboard.press("Enter")
    expect(one.page.locator("#announcer")).to_contain_text("Single letters do nothing now")
    one.page.reload()
    one.expect_live()
    here = one.page.url
    for key in "kgi?":
        keyboard.press(key)
    one.settle()
    assert one.page.url == here
    expect(one.page.get_by_role("dialog")).to_be_hidden()
    keyboard.press("Control+k")
    keyboard.type("single letters")
    expect(one.page.get_by_role("option", name="Switch single letters on")).to_be_visible()
