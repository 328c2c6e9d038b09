"""A tool's input is edited on the page before it is allowed: the change to what was asked is shown before and after, and is what the device signs."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from page_screen import DESK, Screen
from signed_host import SignedHost
from test_page_consent import decided, host, scanned  # noqa: F401 (a fixture)

SMALL = {"width": 360, "height": 640}
ASKED = "cd webshop\nrm -rf build dist"


def opened(one: Screen, approval: str = "a1") -> Any:
    card = one.card(approval)
    card.get_by_role("button", name="Edit …").click()
    return card


@pytest.mark.parametrize("size", [SMALL, DESK], ids=["small", "desk"])
def test_what_was_changed_is_shown_signed_and_told_after_it(screen: Callable[..., Screen], relay: Any, host: SignedHost, size: dict[str, int]) -> None:  # noqa: F811
    one = scanned(screen, relay, host, size=size)
    host.wait_trusts("Ada's phone")
    one.page.locator("trust-note").get_by_role("button", name="Close").click()
    host.ask("s1", "Bash", {"command": ASKED, "timeout": 5}, editable=["command"])
    one.go("#/approvals")
    card = opened(one)
    expect(card.get_by_role("button", name="Allow", exact=True)).to_be_hidden()
    field = card.get_by_role("textbox", name="Command")
    expect(field).to_have_value(ASKED)
    card.get_by_role("button", name="Show the change").click()
    expect(card).to_contain_text("Nothing is changed yet.")
    field.fill("cd webshop\nrm -rf build")
    card.get_by_role("button", name="Show the change").click()
    change = card.locator(".edit-form .diff")
    expect(change.locator("[data-sign='-']")).to_contain_text("rm -rf build dist")
    expect(change.locator("[data-sign='+']")).to_contain_text("rm -rf build")
    one.expect_no_overflow()
    one.expect_accessible()
    card.get_by_role("button", name="Allow as edited").click()
    who, decision = decided(host, "a1")
    assert who == "Ada's phone" and decision["decision"] == "edit"
    assert json.loads(decision["edit"]) == {"command": "cd webshop\nrm -rf build"}
    host.apply("s1", "a1")
    one.go("#/approvals/recent")
    settled = one.page.locator("approval-card", has_text="Edited and allowed by you")
    settled.locator("button.settled").click()
    expect(settled.locator(".edit-changes .diff [data-sign='-']").first).to_contain_text("rm -rf build dist")
    one.expect_no_overflow()
    one.expect_accessible()


def test_nothing_is_edited_by_who_may_not_steer_and_where_its_host_does_not_offer_it(
    screen: Callable[..., Screen], relay: Any, host: SignedHost  # noqa: F811
) -> None:
    one = scanned(screen, relay, host, role="client")
    host.wait_trusts("Ada's phone")
    host.ask("s1", "Bash", {"command": ASKED}, "a1", editable=["command"])
    host.ask("s1", "Bash", {"command": "make"}, "a2")
    one.go("#/approvals")
    for approval in ("a1", "a2"):
        expect(one.card(approval).get_by_role("button", name="Allow", exact=True)).to_be_visible()
        expect(one.card(approval).get_by_role("button", name="Edit …")).to_have_count(0)


def test_back_leaves_what_was_typed_and_allows_nothing(screen: Callable[..., Screen], relay: Any, host: SignedHost) -> None:  # noqa: F811
    one = scanned(screen, relay, host)
    host.wait_trusts("Ada's phone")
    host.ask("s1", "Bash", {"command": ASKED}, editable=["command"])
    one.go("#/approvals")
    card = opened(one)
    card.get_by_role("textbox", name="Command").fill("make")
    card.get_by_role("button", name="Show the change").click()
    card.locator(".edit-form").get_by_role("button", name="Back").last.click()
    expect(card.get_by_role("textbox", name="Command")).to_have_value("make")
    card.get_by_role("textbox", name="Command").press("Escape")
    card.get_by_role("button", name="Allow", exact=True).click()
    who, decision = decided(host, "a1")
    assert who == "Ada's phone" and decision["decision"] == "allow" and "edit" not in decision
