"""What the page keeps and does for a person in one browser: saved filters of the list, and vibrations that confirm decisions."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from page_screen import DESK, LOOKS, Screen

@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop")
    for number in range(8):
        host.start_session(f"s{number}", title=f"Task {number}", project="webshop" if number % 2 else "docs")
    host.wait_acked("s7")
    return host


@LOOKS
def test_a_filter_is_saved_used_renamed_and_removed_by_keyboard(screen: Callable[..., Screen], host: Any, size: dict[str, int], scheme: str) -> None:
    one = screen(size=size, scheme=scheme)
    page, rows = one.page, one.page.locator("session-list .row")
    chips = page.get_by_role("group", name="Saved filters").get_by_role("button")
    expect(rows).to_have_count(8)
    page.get_by_role("button", name="Filter").press("Enter")
    saver = page.locator("sieve-saver")
    expect(saver).to_be_hidden()
    page.locator("#sieve-project").select_option("webshop")
    expect(rows).to_have_count(4)
    page.get_by_role("button", name="Save this filter …").press("Enter")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(saver.get_by_role("alert")).to_have_text("Give it a name.")
    page.keyboard.type("My shop")
    page.keyboard.press("Enter")
    expect(chips).to_have_text(["My shop"])
    expect(chips).to_have_attribute("aria-pressed", "true")
    expect(saver.get_by_role("status")).to_have_text("Saved: it stands above the list.")
    one.expect_no_overflow()
    one.expect_accessible()
    # A pressed chip takes its filter off again and keeps the focus.
    chips.first.press("Enter")
    expect(rows).to_have_count(8)
    expect(chips.first).to_be_focused()
    expect(chips).to_have_attribute("aria-pressed", "false")
    page.reload()
    one.expect_live()
    chips.first.press("Enter")
    expect(rows).to_have_count(4)
    # The chips are there from the first frame on. On a wide screen the words of the connection change their width beside the list.
    assert [shift for shift in one.shifts() if not all("<link-state" in str(moved) for moved in shift["moved"])] == []
    # In the palette it is found by its name, from anywhere.
    chips.first.press("Enter")
    one.go("#/session/s2")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Find a session or a screen").fill("my shop")
    expect(page.get_by_role("option")).to_have_text(["My shopSaved filter"])
    page.keyboard.press("Enter")
    expect(rows).to_have_count(4)
    page.get_by_role("button", name="Filter (1)").press("Enter")
    page.get_by_role("button", name="Rename …").press("Enter")
    page.keyboard.type("Shop")
    page.keyboard.press("Enter")
    expect(chips).to_have_text(["Shop"])
    page.get_by_role("button", name="Remove").press("Enter")
    expect(chips).to_have_count(0)
    expect(rows).to_have_count(4)
    expect(page.get_by_role("button", name="Save this filter …")).to_be_focused()


def test_a_decision_is_felt_and_not_with_reduced_motion(screen: Callable[..., Screen], host: Any) -> None:
    one = screen(size=DESK)
    one.page.evaluate("() => { window.felt = []; navigator.vibrate = (pattern) => window.felt.push(pattern) }")
    one.go("#/approvals")
    for motion, count in (("reduce", 0), ("no-preference", 1)):
        one.page.emulate_media(reduced_motion=motion)
        approval = host.request_approval("s1", "Bash", {"command": f"make {motion}"})
        one.card(approval).get_by_role("button", name="Allow", exact=True).click()
        host.wait_decision(approval)
        assert len(one.page.evaluate("() => window.felt")) == count
