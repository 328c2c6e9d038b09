"""The page with nothing to decide: settled approvals, empty screens, and a newcomer's first screen."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from page_screen import DESK, PHONE, Screen

QUESTIONS = [{"id": "q0", "text": "Which colour?", "choices": [{"label": "Blue"}, {"label": "Amber"}]}, {"id": "q1", "text": "Where?", "choices": [{"label": "Links"}]}]


@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop")
    host.start_session("s1", title="Fix the login", project="webshop", model="opus")
    return host



def test_a_settled_question_shows_its_answer_and_nothing_to_fill_in(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    approval = host.request_approval("s1", "AskUserQuestion", {"questions": QUESTIONS}, kind="question", questions=QUESTIONS, title="Which colour?")
    one.go("#/approvals")
    card = one.card(approval)
    card.get_by_role("radio", name="Amber").check()
    card.get_by_role("textbox", name="Your own answer").nth(1).fill("in the footer")
    card.get_by_role("button", name="Answer").click()
    expect(card).to_contain_text("Answered by you")
    one.go("#/approvals/recent")
    settled = one.card(approval).locator("question-form")
    expect(settled.locator(".chosen")).to_have_text(["Amber", "in the footer"])
    expect(settled).not_to_contain_text("Blue")
    assert settled.locator("input").count() == 0
    one.expect_accessible()


def test_a_denied_call_did_not_fail(screen: Callable[..., Screen], host: Any) -> None:
    one = screen(name="Ada's phone", size=DESK)
    for number, (verdict, ok) in enumerate((("Deny", False), ("Allow", True))):
        host.event("s1", "tool.started", {"call": f"c{number}", "tool": "Bash", "operation": "npm test"}, {"input": {"command": "npm test"}})
        approval = host.request_approval("s1", "Bash", {"command": "npm test"}, call=f"c{number}")
        one.go(f"#/approvals/s1/{approval}")
        card = one.card(approval)
        if verdict == "Deny":
            card.get_by_role("button", name="Deny …").click()
        card.get_by_role("button", name=verdict, exact=True).click()
        host.wait_decision(approval, timeout=5)
        host.event("s1", "approval.applied", {"approval": approval, "outcome": "ran" if ok else "denied"})
        host.event("s1", "tool.finished", {"call": f"c{number}", "tool": "Bash", "ok": ok, "durationMs": 40})
    one.go("#/session/s1")
    calls = one.timeline().locator('[data-kind="tool.started"]')
    expect(calls.nth(0)).to_have_attribute("data-state", "denied")
    expect(calls.nth(0).locator(".tool-result")).to_have_text("denied")
    expect(calls.nth(1).locator(".tool-result")).to_have_text("done")
    words = one.timeline().locator(".event-approval-line")
    expect(words).to_have_text([re.compile("denied by Ada's phone"), re.compile("allowed by Ada's phone, ran")])



@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_an_address_that_leads_nowhere_leads_home(screen: Callable[..., Screen], host: Any, size: dict[str, int]) -> None:
    one = screen(size=size)
    one.go("#/devices")
    one.go("#/sessions")
    expect(one.row("s1")).to_be_visible()
    assert one.page.url.endswith("#/")
    one.page.goto(f"{one.relay.url}/#/nowhere")
    expect(one.row("s1")).to_be_visible()
    assert one.page.url.endswith("#/")
    one.go("#/session/gone")
    expect(one.page.locator("session-view")).to_contain_text("This relay has no such session.")
    one.page.get_by_role("link", name="All sessions", exact=True).click()
    expect(one.row("s1")).to_be_visible()


def test_beside_the_list_there_is_one_page_for_what_waits(screen: Callable[..., Screen], host: Any) -> None:
    desk, phone = screen(size=DESK), screen()
    for where in ("#/", "#/approvals"):
        desk.go(where)
        expect(desk.page.locator(".tabs [aria-current]:visible")).to_have_text(re.compile("Approvals"))
        expect(desk.row("s1")).to_be_visible()
    expect(desk.page.get_by_role("link", name="Sessions", exact=True)).to_have_count(0)
    expect(phone.page.locator(".tabs [aria-current]:visible")).to_have_text(re.compile("Sessions"))


def test_a_newcomer_is_told_what_to_do(screen: Callable[..., Screen], relay: Any) -> None:
    one = screen()
    expect(one.page.locator("session-list")).to_contain_text("heliograph connect claude")
    expect(one.page.locator("session-list")).to_contain_text("heliograph pair --role host")
    one.go("#/devices")
    expect(one.page.locator("devices-view")).to_contain_text("No device gets pushes yet.")
    one.expect_accessible()
    one.go("#/link")
    expect(one.page.get_by_role("heading", name="Connection")).to_be_visible()
    expect(one.page.locator("link-view")).to_contain_text("Up to date.")


REFUSALS = {
    "the relay's own": (403, {"error": {"code": "foreignOrigin", "message": "this origin is not the relay's own"}}, "The relay says: this origin is not the relay's own."),
    "too many": (429, {"error": {"code": "tooMany", "message": "too many wrong codes"}}, "Wait a minute"),
    "another server": (404, "<html>Not Found", "Something else answers in the relay's place at 127.0.0.1"),
    "another server's JSON": (405, {"error": "no"}, "Something else answers in the relay's place at 127.0.0.1"),
    "a page for logging in": (200, "<html>Log in", "Something else answers in the relay's place at 127.0.0.1"),
    "a relay in trouble": (503, {"error": {"code": "unavailable", "message": "the disk is full"}}, "The relay says: the disk is full."),
    "a proxy in trouble": (502, "<html>Bad Gateway", "The relay could not do it just now (502)"),
}  # fmt: skip


@pytest.mark.parametrize("refusal", REFUSALS)
def test_why_a_browser_is_not_paired_is_said_by_who_knows(screen: Callable[..., Screen], relay: Any, refusal: str) -> None:
    status, body, words = REFUSALS[refusal]
    one = screen(paired=False)
    one.forgiven += ("Failed to load resource",)
    one.page.route("**/v1/pair", lambda route: route.fulfill(status=status, body=body if isinstance(body, str) else json.dumps(body)))
    one.page.goto(relay.pair_link())
    one.page.get_by_role("button", name="Pair this device").click()
    alert = one.page.locator("pair-screen").get_by_role("alert")
    expect(alert).to_contain_text(words)
    expect(alert).not_to_contain_text("does not take this code")
    one.expect_accessible()
    # Pairing failed before anything was stored, so the code is still valid.
    one.page.unroute("**/v1/pair")
    one.page.get_by_role("button", name="Pair this device").click()
    one.expect_live()


def test_ages_are_right_on_a_device_that_was_paired_with_a_wrong_clock(screen: Callable[..., Screen], relay: Any, scripted_host: Callable[..., Any]) -> None:
    host = scripted_host()
    host.start_session("s1", title="Fix the login")
    host.event("s1", "status.changed", {"status": "idle"})
    one = screen(paired=False)
    one.page.add_init_script("{ const own = Date.now; Date.now = () => own() + (window.fast ?? 3_600_000) }")
    one.pair("Ada's phone")
    one.go("#/session/s1")
    expect(one.page.locator(".now strong")).to_contain_text(re.compile(r"Idle, (just now|\d+ s ago)"))
    # The fault is corrected while the page is open.
    one.forgive_absence()
    relay.stop()
    one.page.evaluate("() => { window.fast = 0 }")
    relay.start()
    one.expect_live()
    expect(one.page.locator(".now strong")).to_contain_text(re.compile(r"Idle, (just now|\d+ (s|min) ago)"))


def test_after_a_wrong_code_it_says_where_to_get_another(screen: Callable[..., Screen], relay: Any) -> None:
    one = screen(paired=False)
    one.forgiven += ("Failed to load resource",)
    one.page.goto(f"{relay.url}/#pair=AAAA-BBBB")
    form = one.page.locator("pair-screen")
    expect(form).to_contain_text("Give it a name")
    one.page.get_by_role("button", name="Pair this device").click()
    expect(form.get_by_role("alert")).to_contain_text("does not take this code")
    expect(form).not_to_contain_text("Give it a name")
    expect(form).to_contain_text("heliograph pair")
