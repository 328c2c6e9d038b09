"""Snoozed, muted and archived sessions on a device: by a swipe or a button, and undone."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from page_screen import PHONE, Screen

WIDE = {"width": 1280, "height": 800}
SMALL = {"width": 360, "height": 640}


@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop")
    for session, title in (("s1", "Fix the login"), ("s2", "Ship the release"), ("s3", "Read the logs")):
        host.start_session(session, title=title, project="webshop")
        host.wait_acked(session)
    return host


def deeds(one: Screen, session: str, title: str) -> Any:
    """Opens the actions of a row by its button."""
    one.row(session).locator("xpath=..").get_by_role("button", name=f"Later, mute, archive: {title}").click()
    return one.page.get_by_role("group", name="Out of the way")


def headings(one: Screen) -> list[str]:
    return one.page.locator("session-list .row-heading").all_inner_texts()


def swipe(one: Screen, target: Any, pixels: int = 90) -> None:
    """Swipes to the left, with Chromium's touch events."""
    box = target.bounding_box()
    assert box
    x, y = box["x"] + box["width"] * 0.7, box["y"] + min(24, box["height"] / 2)
    session = one.context.new_cdp_session(one.page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 7):
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x - pixels * step / 6, "y": y + step / 3}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()


@pytest.mark.parametrize("size", [SMALL, PHONE, WIDE], ids=["small", "phone", "wide"])
def test_a_session_is_put_off_and_taken_back(screen: Callable[..., Screen], host: Any, size: dict[str, int]) -> None:
    one = screen(size=size)
    panel = deeds(one, "s2", "Ship the release")
    expect(panel.get_by_role("button", name="Later")).to_be_focused()
    one.expect_no_overflow()
    one.expect_accessible()
    panel.get_by_role("button", name="Later").press("Enter")
    done = one.page.get_by_role("group", name="Done just now")
    expect(done).to_contain_text("or when it asks something new")
    expect(done.get_by_role("button", name="Undo")).to_be_focused()
    assert headings(one)[-1] == "Later"
    expect(one.page.locator("session-row").last).to_contain_text("Ship the release")
    one.expect_no_overflow()
    one.expect_accessible()
    # The state survives a reload.
    one.page.reload()
    one.expect_live()
    expect(one.page.locator("session-row").last).to_contain_text("Ship the release")
    expect(deeds(one, "s2", "Ship the release").get_by_role("button", name="Now")).to_be_visible()
    one.page.keyboard.press("Escape")
    expect(one.page.get_by_role("group", name="Out of the way")).to_be_hidden()
    host.request_approval("s2", "Bash", {"command": "npm publish"})
    expect(one.page.locator("session-row").first).to_contain_text("Ship the release")
    assert "Later" not in headings(one)


def test_it_waits_until_tomorrow_instead_and_undo_brings_it_back(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    deeds(one, "s1", "Fix the login").get_by_role("button", name="Later").click()
    done = one.page.get_by_role("group", name="Done just now")
    done.get_by_role("button", name="Tomorrow").click()
    expect(done).to_contain_text("Back tomorrow at 08:00")
    expect(done.get_by_role("button", name="Tomorrow")).to_be_hidden()
    done.get_by_role("button", name="Undo").click()
    expect(done).to_have_count(0)
    expect(one.page.get_by_role("heading", name="Later")).to_have_count(0)


def test_it_is_back_when_its_time_has_come(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    one.page.clock.install()
    one.page.reload()
    one.expect_live()
    host.request_approval("s1", "Bash", {"command": "npm test"})
    expect(one.row("s1")).to_contain_text("Needs you")
    badge = one.page.locator("[data-tab=approvals] .count")
    expect(badge).to_have_text("1")
    deeds(one, "s1", "Fix the login").get_by_role("button", name="Later").click()
    expect(one.page.get_by_role("heading", name="Later")).to_be_visible()
    # Snoozed requests are counted nowhere.
    expect(badge).to_be_hidden()
    one.page.clock.fast_forward("01:00:01")
    expect(one.page.get_by_role("heading", name="Later")).to_have_count(0)
    expect(badge).to_have_text("1")
    one.forgive_absence()


def test_a_row_is_archived_and_brought_back(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    deeds(one, "s3", "Read the logs").get_by_role("button", name="Archive").click()
    expect(one.row("s3")).to_have_count(0)
    one.page.get_by_role("group", name="Done just now").get_by_role("button", name="Undo").click()
    expect(one.row("s3")).to_be_visible()


def test_a_swipe_opens_what_the_button_opens_and_taps_nothing(screen: Callable[..., Screen], host: Any) -> None:
    one = screen(size=PHONE)
    panel = one.page.get_by_role("group", name="Out of the way")
    swipe(one, one.row("s2"), pixels=30)
    one.settle()
    expect(panel).to_be_hidden()
    swipe(one, one.row("s2"))
    expect(panel).to_be_visible()
    assert one.page.url.endswith("#/")
    # A tap elsewhere closes the actions.
    one.page.locator("session-list h2").click()
    expect(panel).to_be_hidden()


@pytest.mark.parametrize("way", ["button", "swipe"])
def test_in_the_inbox_what_can_wait_becomes_a_line_with_the_way_back(screen: Callable[..., Screen], host: Any, way: str) -> None:
    approvals = [host.request_approval(session, "Bash", {"command": f"make {session}"}) for session in ("s1", "s2")]
    one = screen(size=PHONE)
    one.go("#/approvals")
    first = one.card(approvals[0])
    expect(first).to_be_visible()
    later = one.page.get_by_role("button", name="Later Fix the login")
    if way == "button":
        later.click()
    else:
        swipe(one, first.locator(".card-head"))
    expect(first).to_be_hidden()
    put = one.page.locator(".later-line:visible")
    expect(put).to_contain_text("Fix the login: back at")
    expect(one.page.locator("[data-tab=approvals] .count")).to_have_text("1")
    one.expect_no_overflow()
    one.expect_accessible()
    put.get_by_role("button", name="Undo").click()
    expect(first).to_be_visible()
    expect(first.locator(".card-title")).to_be_focused()
    later.click()
    # From the second archiving on only the number is shown.
    one.go("#/")
    one.go("#/approvals")
    expect(one.card(approvals[1])).to_be_visible()
    expect(first).to_have_count(0)
    one.page.get_by_role("button", name="1 put off until later: show").click()
    expect(first).to_be_visible()
    first.get_by_role("button", name="Allow", exact=True).click()
    assert host.wait_decision(approvals[0])["decision"]["decision"] == "allow"


def test_words_find_what_is_archived_and_it_is_brought_back(screen: Callable[..., Screen], scripted_host: Callable[..., Any], relay: Any) -> None:
    host = scripted_host(relay, name="laptop")
    for number in range(7):
        host.start_session(f"n{number}", title=f"Task number {number}")
        host.wait_acked(f"n{number}")
    one = screen()
    deeds(one, "n3", "Task number 3").get_by_role("button", name="Archive").click()
    expect(one.row("n3")).to_have_count(0)
    one.page.get_by_role("searchbox", name="Search sessions").fill("number 3")
    expect(one.row("n3")).to_be_visible()
    assert headings(one) == ["Archived"]
    deeds(one, "n3", "Task number 3").get_by_role("button", name="Bring back").click()
    one.page.get_by_role("searchbox", name="Search sessions").fill("")
    expect(one.row("n3")).to_be_visible()


def is_met(button: Any) -> bool:
    """True if a tap anywhere on the button hits it."""
    return button.evaluate("""button => {
        const { left, top, width, height } = button.getBoundingClientRect();
        return [[.1, .1], [.9, .1], [.5, .5], [.1, .9], [.9, .9]].every(([x, y]) => button.contains(document.elementFromPoint(left + width * x, top + height * y)));
    }""")


@pytest.mark.parametrize("size", [SMALL, PHONE, WIDE], ids=["small", "phone", "wide"])
def test_the_offer_to_reload_covers_no_button(screen: Callable[..., Screen], host: Any, size: dict[str, int]) -> None:
    host.request_approval("s1", "Bash", {"command": "\n".join(f"echo {number}" for number in range(40))})
    host.request_approval("s2", "Bash", {"command": "make"})
    one = screen(size=size)
    for place, pane in (("#/session/s1", "session-timeline"), ("#/approvals", "approvals-inbox"), ("#/session/s2", "session-timeline")):
        one.go(place)
        reload = one.page.locator("#reload")
        reload.evaluate("button => { button.textContent = 'Updated: load the new page'; button.hidden = false; }")
        expect(reload).to_be_in_viewport(ratio=1)
        assert is_met(reload)
        deny = one.page.locator(pane).get_by_role("button", name="Deny …").first
        deny.scroll_into_view_if_needed()
        assert is_met(deny)
        tabs = one.page.locator(".tabs a:visible")
        assert all(is_met(tab) for tab in tabs.all())
        one.expect_no_overflow()


@pytest.mark.parametrize("size", [SMALL, PHONE, WIDE], ids=["small", "phone", "wide"])
def test_the_trust_question_covers_no_button(screen: Callable[..., Screen], host: Any, size: dict[str, int]) -> None:
    host.request_approval("s1", "Bash", {"command": "\n".join(f"echo {number}" for number in range(40))})
    one = screen(size=size)
    one.go("#/session/s1")
    deny = one.page.locator("session-timeline").get_by_role("button", name="Deny …")
    expect(deny).to_be_visible()
    one.go(f"#k={'A' * 43}")
    note = one.page.locator("trust-note")
    expect(note).to_be_visible()
    one.settle()
    one.go("#/session/s1")
    expect(note).to_be_visible()
    deny.scroll_into_view_if_needed()
    assert is_met(deny)
    one.expect_no_overflow()
