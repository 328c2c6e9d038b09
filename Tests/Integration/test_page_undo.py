"""The inbox after a decision: a line with its undo where one is possible, and the next request in its place."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from page_screen import DESK, PHONE, Screen
from waits import wait_until

NARROW = {"width": 320, "height": 568}
LONG = "git push --force-with-lease origin a-branch-with-a-rather-long-name"


@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop", capabilities=("steer",))
    host.start_session("s1", title="Fix the login", project="webshop")
    host.event("s1", "steering.offered", {"actions": ["prompt"]})
    host.wait_acked("s1")
    return host


def deny(one: Screen, host: Any, approval: str) -> Locator:
    """Denies a request in the inbox; returns its item once the agent has the denial."""
    card = one.card(approval)
    card.get_by_role("button", name="Deny …").click()
    card.get_by_role("button", name="Deny", exact=True).click()
    host.wait_decision(approval)
    host.apply("s1", approval, "denied")
    expect(card).to_have_attribute("data-tone", "denied")
    return one.page.locator(".cards > li", has=card)


@pytest.mark.parametrize("size", [NARROW, DESK], ids=["narrow", "desk"])
def test_after_a_denial_one_tap_has_the_agent_ask_again(screen: Callable[..., Screen], host: Any, size: dict[str, int]) -> None:
    one = screen(role="operator", size=size)
    approval = host.request_approval("s1", "Bash", {"command": LONG}, title=LONG)
    host.request_approval("s1", "Bash", {"command": "make"})
    one.go("#/approvals")
    item = deny(one, host, approval)
    again = item.get_by_role("button", name=f"Ask again {LONG}")
    line = item.locator(".settled")
    expect(again).to_be_visible()
    # The line and its button stand side by side.
    boxes = [one.bounding_box() for one in (line, again)]
    assert all(boxes) and abs((boxes[0]["y"] + boxes[0]["height"] / 2) - (boxes[1]["y"] + boxes[1]["height"] / 2)) < 2, boxes
    one.expect_no_overflow()
    one.expect_accessible()
    again.click()
    prompt = host.wait_steered("prompt")
    assert LONG in prompt["text"] and "ask me again" in prompt["text"], prompt
    expect(item.get_by_role("status")).to_have_text("The agent is told to ask you again.")
    expect(again).to_be_hidden()
    expect(line).to_be_focused()
    one.expect_accessible()
    # The words stay as long as the request is listed.
    one.go("#/approvals/recent")
    expect(one.page.locator(".settled-told:visible")).to_have_text("The agent is told to ask you again.")


def test_what_has_no_undo_offers_none(screen: Callable[..., Screen], host: Any) -> None:
    operator, decider = screen(role="operator"), screen(name="Bea's phone")
    allowed, denied = (host.request_approval("s1", "Bash", {"command": f"make {name}"}) for name in ("one", "two"))
    for one in (operator, decider):
        one.go("#/approvals")
    operator.card(allowed).get_by_role("button", name="Allow", exact=True).click()
    host.wait_decision(allowed)
    host.apply("s1", allowed)
    item = deny(operator, host, denied)
    expect(item.get_by_role("button", name="Ask again")).to_be_visible()
    expect(operator.page.locator(".settled-undo:visible")).to_have_count(1)
    decider.go("#/approvals/recent")
    expect(decider.page.locator(".settled:visible")).to_have_count(2)
    expect(decider.page.locator(".settled-undo:visible")).to_have_count(0)


def test_the_next_request_slides_in_within_200_ms_and_stands_at_once_where_motion_is_reduced(screen: Callable[..., Screen], host: Any) -> None:
    one = screen(size=PHONE)
    one.page.evaluate("() => { window.slides = []; const own = Element.prototype.animate;"
                      " Element.prototype.animate = function (frames, how) { window.slides.push(how.duration); return own.call(this, frames, how); } }")
    one.go("#/approvals")
    for motion, count in (("no-preference", 1), ("reduce", 1)):
        one.page.emulate_media(reduced_motion=motion)
        first, second = (host.request_approval("s1", "Bash", {"command": f"make {motion} {number}"}) for number in (1, 2))
        one.card(first).get_by_role("button", name="Allow", exact=True).click()
        expect(one.card(second).locator(".card-title")).to_be_focused()
        wait_until(lambda: len(one.page.evaluate("() => window.slides")) >= count, 5, "the slide of the next card")
        one.settle()
        slides = one.page.evaluate("() => window.slides")
        assert len(slides) == count and max(slides) <= 200, slides
        one.card(second).get_by_role("button", name="Allow", exact=True).click()
        host.wait_decision(second)


@pytest.mark.parametrize("language", ["en", "de"])
def test_in_recent_a_verdict_is_whole_beside_its_undo(screen: Callable[..., Screen], client: Callable[..., Any], host: Any, language: str) -> None:
    one, other = screen(role="operator", size=PHONE), client(host.relay, "Adas altes Telefon")
    other.subscribe()
    for command, decision, outcome in ((LONG, "deny", "denied"), ("make", "allow", "allowed")):
        approval = host.request_approval("s1", "Bash", {"command": command}, title=command)
        other.wait_approval(approval)
        other.decide("s1", approval, decision)
        host.wait_decision(approval)
        host.apply("s1", approval, outcome)
    one.page.evaluate("language => localStorage.setItem('heliograph.language', language)", language)
    one.page.reload()
    one.go("#/approvals/recent")
    verdicts = one.page.locator(".settled-line strong:visible")
    expect(verdicts).to_have_count(2)
    expect(one.page.locator(".settled-undo:visible")).to_have_count(1)
    expect(verdicts.first).to_have_text({"en": "Allowed by Adas altes Telefon", "de": "Erlaubt von Adas altes Telefon"}[language])
    cut = """all => all.filter((one) => { const { right } = one.parentElement.getBoundingClientRect();
        return [...one.getClientRects()].some((box) => box.right > right + 1); }).map((one) => one.textContent)"""
    assert verdicts.evaluate_all(cut) == []
    one.expect_no_overflow()
