"""Prompts held in the browser until a time or an idle agent, and a person's templates."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from page_screen import LOOKS, Screen
from test_page_steering import composer, opened

OFFER = {"actions": ["prompt", "interrupt", "mode"], "whileBusy": True, "mode": "default", "modes": ["plan", "default"]}


@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop", capabilities=("steer",))
    host.start_session("s1", title="Fix the login", project="webshop")
    host.event("s1", "steering.offered", OFFER)
    host.event("s1", "status.changed", {"status": "running"})
    host.wait_acked("s1")
    return host


def panel(one: Screen) -> Locator:
    found = one.page.get_by_role("group", name="Mode, model and commands")
    if not found.is_visible():
        one.page.get_by_role("button", name="Mode, model and commands").click()
    return found


def waiting(one: Screen) -> Locator:
    return one.page.get_by_role("list", name="Waiting in this browser").get_by_role("listitem")


def prompts(host: Any) -> list[Any]:
    return [message["text"] for message in host.received if message["type"] == "prompt"]


@LOOKS
def test_a_prompt_waits_until_the_agent_is_idle(screen: Callable[..., Screen], host: Any, size: dict[str, int], scheme: str) -> None:
    one = opened(screen, size=size, scheme=scheme)
    composer(one).fill("Now run the tests")
    later = panel(one).get_by_role("group", name="Send it later")
    expect(later).to_contain_text("sent while this page is open")
    one.expect_no_overflow()
    one.expect_accessible()
    later.get_by_role("button", name="When it is idle").click()
    expect(composer(one)).to_have_value("")
    expect(composer(one)).to_be_focused()
    expect(waiting(one)).to_contain_text("Sent when the agent is idle, while this page is open")
    one.expect_no_overflow()
    one.expect_accessible()
    # The held prompt survives a reload.
    one.page.reload()
    one.expect_live()
    expect(waiting(one)).to_contain_text("Now run the tests")
    assert prompts(host) == []
    host.event("s1", "status.changed", {"status": "idle"})
    prompt = host.wait_steered("prompt")
    assert prompt["text"] == "Now run the tests" and prompt["by"]["name"] == "Ada's phone"
    expect(waiting(one)).to_have_count(0)


def test_a_prompt_waits_for_its_time(screen: Callable[..., Screen], host: Any) -> None:
    one = opened(screen)
    one.page.clock.install()
    one.page.reload()
    one.expect_live()
    soon = one.page.evaluate("() => { const day = new Date(Date.now() + 30 * 60_000); return day.toTimeString().slice(0, 5) }")
    composer(one).fill("Sum it up")
    later = panel(one).get_by_role("group", name="Send it later")
    expect(later.get_by_role("button", name="At that time")).to_be_disabled()
    later.get_by_label("Time to send it at").fill(soon)
    later.get_by_role("button", name="At that time").click()
    expect(waiting(one)).to_contain_text(f"at {soon}")
    assert prompts(host) == []
    one.forgive_absence()
    one.page.clock.fast_forward("30:01")
    assert host.wait_steered("prompt")["text"] == "Sum it up"
    expect(waiting(one)).to_have_count(0)


def test_it_is_taken_back_or_sent_at_once(screen: Callable[..., Screen], host: Any) -> None:
    one = opened(screen)
    for text in ("first", "second"):
        composer(one).fill(text)
        panel(one).get_by_role("button", name="When it is idle").click()
    expect(waiting(one)).to_have_count(2)
    waiting(one).first.get_by_role("button", name="Take back").click()
    expect(composer(one)).to_have_value("first")
    waiting(one).get_by_role("button", name="Send now").click()
    assert host.wait_steered("prompt")["text"] == "second"
    expect(waiting(one)).to_have_count(0)
    host.event("s1", "status.changed", {"status": "idle"})
    one.settle()
    assert prompts(host) == ["second"]


def test_nothing_is_sent_while_the_host_is_away_and_then_once(screen: Callable[..., Screen], host: Any, relay: Any) -> None:
    one = opened(screen)
    composer(one).fill("go on")
    panel(one).get_by_role("button", name="When it is idle").click()
    one.forgive_absence()
    relay.stop()
    expect(waiting(one).get_by_role("button", name="Send now")).to_be_disabled()
    expect(waiting(one).get_by_role("button", name="Take back")).to_be_enabled()
    relay.start()
    one.expect_live()
    host.event("s1", "status.changed", {"status": "idle"})
    host.wait_steered("prompt")
    expect(waiting(one)).to_have_count(0)
    assert prompts(host) == ["go on"]


def test_what_is_refused_stays_with_the_reason(screen: Callable[..., Screen], host: Any) -> None:
    one = opened(screen)
    composer(one).fill("go on")
    panel(one).get_by_role("button", name="When it is idle").click()
    expect(waiting(one)).to_have_count(1)
    host.event("s1", "steering.offered", {"actions": [], "reason": "Its terminal has the keyboard."})
    expect(one.page.locator("session-composer")).to_contain_text("Its terminal has the keyboard.")
    host.event("s1", "status.changed", {"status": "idle"})
    host.wait_acked("s1")
    expect(waiting(one).get_by_role("button", name="Send now")).to_be_disabled()
    assert prompts(host) == []
    waiting(one).get_by_role("button", name="Take back").click()
    expect(waiting(one)).to_have_count(0)


def test_a_template_is_kept_taken_and_removed(screen: Callable[..., Screen], host: Any) -> None:
    one = opened(screen)
    composer(one).fill("Run the tests and say what failed")
    mine = panel(one).get_by_role("group", name="Your templates")
    mine.get_by_role("button", name="Keep what is written").click()
    expect(mine.get_by_role("button", name="Keep what is written")).to_be_disabled()
    one.expect_no_overflow()
    one.expect_accessible()
    composer(one).fill("")
    expect(panel(one).get_by_role("group", name="Send it later")).to_be_hidden()
    one.page.reload()
    one.expect_live()
    panel(one).get_by_role("button", name="Run the tests and say what failed", exact=True).click()
    expect(composer(one)).to_have_value("Run the tests and say what failed")
    expect(composer(one)).to_be_focused()
    mine = panel(one).get_by_role("group", name="Your templates")
    mine.get_by_role("button", name="Remove Run the tests").click()
    expect(mine.get_by_role("listitem")).to_have_count(0)
    mine.get_by_role("button", name="Removed: undo").click()
    expect(mine.get_by_role("listitem")).to_have_count(1)


def test_who_logs_out_leaves_neither_behind(screen: Callable[..., Screen], host: Any) -> None:
    one = opened(screen)
    composer(one).fill("a secret plan")
    panel(one).get_by_role("button", name="Keep what is written").click()
    panel(one).get_by_role("button", name="When it is idle").click()
    expect(waiting(one)).to_have_count(1)
    one.go("#/link")
    one.page.get_by_role("button", name="Log this device out …").click()
    one.page.get_by_role("button", name="Log out", exact=True).click()
    expect(one.page.locator("pair-screen")).to_be_visible()
    assert "secret plan" not in one.page.evaluate("() => JSON.stringify(localStorage)")
