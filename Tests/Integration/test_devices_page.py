"""Devices, the Lock Screen preview and budgets on the page of the real relay, with fake pushes and budgets."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from page_screen import DESK, LOOKS, Screen, closing_screens
from push_stage import ATTRIBUTES, PushStage, card, notification, waiting
from waits import patient, wait_until

HTML = '<img src=x onerror="window.pwned = true"><b>bold</b>'
RLO = "\u202e"


class Phone(Screen):
    """A page whose connection passes through the fake `PushStage`."""

    def __init__(self, browser: Any, relay: Any, **options: Any):
        super().__init__(browser, relay, paired=False, **options)
        self.stage = PushStage(self.page)
        self.pair("Ada's page")

    def device(self, name: str = "Ada's iPhone") -> Locator:
        return self.page.get_by_role("article", name=name)

    def lock_screen(self, name: str = "Ada's iPhone") -> Locator:
        return self.device(name).get_by_role("list", name="On the Lock Screen")

    def island(self) -> Locator:
        return self.device().get_by_role("button", name="Dynamic Island")

    def pushes(self) -> Locator:
        return self.device().get_by_role("list", name="Pushes").get_by_role("listitem")


@pytest.fixture
def phone(browser: Any, relay: Any) -> Iterator[Callable[..., Phone]]:
    """Makes pages; after the test none of them may have logged an error."""
    with closing_screens(lambda **options: Phone(browser, relay, **options)) as make:
        yield make


@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop")
    host.start_session("s1", title="Fix the login", project="webshop")
    host.event("s1", "usage", {"run": "r1", "costMicroUSD": 4_100_000, "tokens": {"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0}})
    return host



def let_in(one: Screen, name: str) -> Locator:
    return one.page.locator("token-list").get_by_role("listitem").filter(has=one.page.get_by_role("heading", name=name, exact=True))


def test_everything_that_is_let_in_is_listed_and_revoked_after_a_question(screen: Callable[..., Screen], scripted_host: Callable[..., Any], relay: Any) -> None:
    host = scripted_host(relay, "laptop")
    relay.run("login", relay.pair_link(), "--name", "Ada's shell")
    relay.run("sessions")
    one, other = screen(name="Ada's phone"), screen(name="An old phone", size=DESK)
    one.go("#/devices")
    expect(let_in(one, "Ada's phone")).to_contain_text("This browser")
    expect(let_in(one, "An old phone")).to_contain_text("Browser · In use now")
    expect(let_in(one, "An old phone").get_by_text("This browser")).to_be_hidden()
    expect(let_in(one, "laptop")).to_contain_text("Host · In use now from 127.0.0.1")
    expect(let_in(one, "Ada's shell")).to_contain_text("Terminal · Last used just now from 127.0.0.1")
    one.expect_no_overflow()
    one.expect_accessible()
    revoke = one.page.get_by_role("button", name="Revoke An old phone")
    revoke.click()
    expect(one.page.get_by_text("Revoke An old phone? It is out at once.")).to_be_visible()
    one.page.keyboard.press("Escape")
    expect(revoke).to_be_focused()
    other.expect_live()
    revoke.click()
    other.forgive_absence()
    one.page.get_by_role("button", name="Revoke", exact=True).click()
    expect(let_in(one, "An old phone")).to_have_count(0)
    expect(one.page.get_by_role("heading", name="Access")).to_be_focused()
    expect(other.page.locator("pair-screen")).to_be_visible()
    one.expect_live()
    assert host.is_connected



def test_without_a_device_it_says_how_one_gets_here(phone: Callable[..., Phone]) -> None:
    one = phone()
    one.page.get_by_role("link", name="Devices").click()
    expect(one.page.get_by_role("heading", name="Devices")).to_be_focused()
    expect(one.page.locator("devices-view")).to_contain_text("No device gets pushes yet")
    expect(one.page.locator("devices-view")).to_contain_text("make demo")


def test_a_device_says_what_it_gets_and_what_is_wrong_with_it(phone: Callable[..., Phone], host: Any) -> None:
    one = phone()
    expect(one.row("s1")).to_be_visible()
    one.stage.device(
        "d1", trouble="The token is dead: Unregistered.", present=True, text="generic", kinds=["approval"], muted=["s1"], startToken=False,
        quiet={"from": 1320, "to": 420, "timeZone": "Europe/Berlin"},
        cards_held=[{"card": "k1", "session": "s1", "state": "active", "updatedAt": 1, "hasToken": False}],
    )  # fmt: skip
    one.go("#/devices")
    for words in ("heliograph · sandbox · iOS 18.1", "Being looked at", "The token is dead: Unregistered.", "One for each session, begun when a session needs you",
            "Rings forApprovals", "That an agent needs something, not what", "22:00 to 07:00, Europe/Berlin", "MutedFix the login", "Tokensalerts",
            "Fix the login · on the Lock Screen", "no token yet"):  # fmt: skip
        expect(one.device()).to_contain_text(words)


def test_every_push_shows_what_became_of_it(phone: Callable[..., Phone], host: Any) -> None:
    one = phone()
    one.stage.device("d1")
    one.go("#/devices")
    expect(one.device()).to_contain_text("None yet")
    push = one.stage.push("d1", "start", card("start", {}), result=None)
    expect(one.pushes()).to_have_count(1)
    expect(one.pushes().first).to_contain_text("Card begun · Fix the login")
    expect(one.pushes().first).to_contain_text("Planned")
    one.stage.answer(push, "accepted")
    expect(one.pushes().first).to_contain_text("Accepted by APNs")
    for result, text, words in (("refused", "BadDeviceToken", "Refused: BadDeviceToken"), ("unknown", "the connection broke", "Unknown: the connection broke"),
            ("notSent", "it is muted", "Not sent: it is muted")):  # fmt: skip
        one.stage.push("d1", "alert", notification("Bash wants to run", "npm test"), result=result, text=text)
        expect(one.pushes().first).to_contain_text("Alert · Bash wants to run")
        expect(one.pushes().first).to_contain_text(words)
    one.pushes().last.locator("summary").click()
    expect(one.pushes().last.locator("pre")).to_contain_text('"content-state"')
    expect(one.pushes().last).to_contain_text("priority 10, answered after 40 ms")


def test_a_new_device_appears_with_its_first_push(phone: Callable[..., Phone]) -> None:
    one = phone()
    one.go("#/devices")
    expect(one.page.locator("devices-view")).to_contain_text("No device gets pushes yet")
    one.stage.device("d1")
    one.stage.push("d1", "alert", notification("Hello", "you"))
    expect(one.lock_screen()).to_contain_text("Hello")


def test_a_test_is_sent_and_a_device_is_forgotten_once_it_is_confirmed(phone: Callable[..., Phone]) -> None:
    one = phone()
    one.stage.device("d1")
    one.go("#/devices")
    one.device().get_by_role("button", name="Send a test").click()
    expect(one.pushes().first).to_contain_text("Accepted by APNs")
    expect(one.lock_screen()).to_contain_text("Pushes arrive.")
    one.device().get_by_role("button", name="Forget …").click()
    expect(one.device()).to_contain_text("Forget Ada's iPhone?")
    one.device().get_by_role("button", name="Back").click()
    assert not one.stage.said("forget")
    one.device().get_by_role("button", name="Forget …").click()
    one.device().get_by_role("button", name="Forget", exact=True).click()
    expect(one.page.locator("devices-view")).to_contain_text("No device gets pushes yet")
    assert [command["device"] for command in one.stage.said("forget")] == ["d1"]


def test_a_refusal_is_shown_and_an_older_relay_is_named(phone: Callable[..., Phone]) -> None:
    one = phone()
    one.stage.device("d1")
    one.stage.refusals["testPush"] = {"code": "notFound", "message": "There is no push.json."}
    one.go("#/devices")
    one.device().get_by_role("button", name="Send a test").click()
    expect(one.device().get_by_role("alert")).to_have_text("No test was sent: There is no push.json.")
    expect(one.device().get_by_role("button", name="Send a test")).to_be_enabled()
    one.stage.refusals["devices"] = {"code": "unknownType", "message": "devices"}
    one.go("#/")
    one.go("#/devices")
    expect(one.page.get_by_role("alert").filter(has_text="older than this page")).to_be_visible()


def test_after_a_lost_link_the_devices_are_asked_for_again(phone: Callable[..., Phone], relay: Any) -> None:
    one = phone()
    one.forgive_absence()
    one.stage.device("d1")
    one.go("#/devices")
    expect(one.device()).to_be_visible()
    asked = len(one.stage.said("devices"))
    relay.restart()
    one.stage.device("d2", name="Another")
    expect(one.device("Another")).to_be_visible(timeout=patient(40_000))
    assert len(one.stage.said("devices")) > asked



def test_a_card_lives_on_the_lock_screen_and_in_the_island(phone: Callable[..., Phone], host: Any) -> None:
    one = phone()
    one.stage.device("d1")
    one.stage.push("d1", "start", card("start", {}, ago=60), ago=60)
    one.go("#/devices")
    expect(one.lock_screen()).to_contain_text("Fix the login")
    for words in ("Working", "Editing src/login.ts", "3/7", "$0.41", "webshop · laptop"):
        expect(one.lock_screen()).to_contain_text(words)
    expect(one.island()).to_have_attribute("data-form", "compact")
    one.stage.push("d1", "update", card("update", waiting() | {"budgetLevel": 80}, alert={"title": "Approval", "body": "Bash"}))
    expect(one.lock_screen()).to_contain_text("Approval needed")
    expect(one.lock_screen()).to_contain_text("npm test")
    expect(one.lock_screen().locator(".face-cost")).to_have_attribute("data-budget", "near")
    expect(one.island()).to_have_attribute("data-form", "expanded")
    # Five seconds later the Dynamic Island is compact again, without a push.
    expect(one.island()).to_have_attribute("data-form", "compact", timeout=patient(20_000))
    one.stage.push("d1", "end", card("end", {"status": "completed", "operation": "All done"}, ago=-2))
    expect(one.lock_screen()).to_contain_text("Ended")
    expect(one.island()).to_have_attribute("data-form", "empty")
    expect(one.island()).to_be_disabled()


def test_what_a_phone_would_not_show_is_not_shown_and_says_why(phone: Callable[..., Phone], host: Any) -> None:
    one = phone()
    one.stage.device("d1")
    one.stage.push("d1", "start", card("start", {"operation": "New"}, ago=10), ago=10)
    one.stage.push("d1", "update", card("update", {"operation": "Old"}, ago=40), ago=5)
    one.stage.push("d1", "update", card("update", {"operation": "Never taken"}), result="refused", text="TooManyRequests")
    one.go("#/devices")
    expect(one.lock_screen()).to_contain_text("New")
    expect(one.lock_screen()).not_to_contain_text("Old")
    expect(one.lock_screen()).not_to_contain_text("Never taken")
    expect(one.pushes().nth(1)).to_contain_text("a phone shows nothing of it: it is 30 s older than what is shown")


def test_notifications_lie_on_stacks_and_take_each_others_place(phone: Callable[..., Phone]) -> None:
    one = phone()
    one.stage.device("d1")
    one.stage.push("d1", "alert", notification("Bash wants to run", "npm test"), collapse="a1", ago=20)
    one.stage.push("d1", "alert", notification("Session failed", "no credit", kind="error"), ago=10)
    one.stage.push("d1", "alert", notification("Other", "session", thread="s2"), session="s2", ago=5)
    one.go("#/devices")
    items = one.lock_screen().get_by_role("listitem")
    expect(items).to_have_count(2)
    expect(items.first).to_contain_text("Other")
    expect(items.last).to_contain_text("Session failed")
    expect(items.last).to_contain_text("and 1 more")
    one.stage.push("d1", "alert", notification("Allowed elsewhere", "npm test", level="passive"), collapse="a1")
    expect(items.first).to_contain_text("Allowed elsewhere")
    expect(items.first).to_contain_text("and 1 more")


def test_time_counts_on_without_a_push(phone: Callable[..., Phone], host: Any) -> None:
    one = phone()
    one.stage.device("d1")
    one.stage.push("d1", "start", card("start", {}, ago=10), ago=10)
    one.go("#/devices")
    timer = one.lock_screen().locator(".face-timer")
    expect(timer).to_have_text(re.compile(r"^2\d:\d\d$"))
    before = timer.inner_text()
    expect(timer).not_to_have_text(before)
    # The page counts as hidden, so that its clocks stop.
    one.page.evaluate("() => Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })")
    one.settle()
    hidden = timer.inner_text()
    one.page.wait_for_timeout(2_500)
    assert timer.inner_text() == hidden
    one.page.evaluate("() => { delete document.visibilityState; dispatchEvent(new Event('visibilitychange')) }")
    expect(timer).not_to_have_text(hidden)


def test_a_finger_holds_the_island_open(phone: Callable[..., Phone], host: Any) -> None:
    one = phone()
    one.stage.device("d1")
    one.stage.push("d1", "start", card("start", {}, ago=60), ago=60)
    one.go("#/devices")
    expect(one.island()).to_have_attribute("aria-expanded", "false")
    one.island().press("Enter")
    expect(one.island()).to_have_attribute("data-form", "expanded")
    expect(one.island()).to_be_focused()
    one.island().press("Enter")
    expect(one.island()).to_have_attribute("data-form", "compact")


def test_another_apps_card_shows_its_own_fields(phone: Callable[..., Phone]) -> None:
    one = phone()
    one.stage.device("d1", profile="codingbridge")
    state = {"status": "awaitingApproval", "elapsedSeconds": 1230, "todoProgress": {"completed": 3, "total": 7}, "approvalRequest": {"toolName": "Bash"}}
    aps = card("start", {}, ago=5)["aps"] | {"content-state": state, "attributes": {"projectName": "relay", "sessionId": "s"}}
    one.stage.push("d1", "start", {"aps": aps}, ago=5)
    one.go("#/devices")
    for words in ("relay", "Awaiting approval", "3 of 7", "Approval request tool name Bash"):
        expect(one.lock_screen()).to_contain_text(words)


def test_hostile_text_in_a_push_is_text(phone: Callable[..., Phone], host: Any) -> None:
    one = phone()
    one.stage.device("d1", name=HTML, trouble=HTML)
    payload = card("start", {"operation": f"{HTML}{RLO}"}, ago=5)
    payload["aps"]["attributes"] = ATTRIBUTES | {"title": HTML}
    one.stage.push("d1", "start", payload, ago=5)
    one.stage.push("d1", "alert", notification(HTML, f"{HTML}{RLO}"), result="accepted", text=HTML)
    one.go("#/devices")
    article = one.page.get_by_role("article")
    expect(article.get_by_role("list", name="On the Lock Screen")).to_contain_text(f"{HTML}⟨U+202E⟩")
    for fold in article.locator("summary").all():
        fold.click()
    expect(article.locator("pre").first).to_contain_text("onerror")
    assert one.page.evaluate("() => window.pwned") is None
    assert one.page.locator('main :is(b, script, img[src="x"])').count() == 0
    one.expect_no_overflow()



def test_the_page_says_whether_it_is_looked_at_and_at_what(phone: Callable[..., Phone], host: Any) -> None:
    one = phone()
    wait_until(lambda: one.stage.said("presence"), 10, "the page's presence")
    assert one.stage.said("presence")[0]["foreground"] is True
    one.go("#/session/s1")
    one.settle()
    assert one.stage.said("presence")[-1] | {"id": ""} == {"type": "presence", "foreground": True, "session": "s1", "id": ""}
    one.page.evaluate("() => { Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true }); dispatchEvent(new Event('visibilitychange')) }")
    one.settle()
    assert one.stage.said("presence")[-1]["foreground"] is False


def test_an_approval_is_told_as_seen_when_all_of_it_was_on_the_screen(phone: Callable[..., Phone], host: Any) -> None:
    one = phone()
    short = host.request_approval("s1", "Bash", {"command": "npm test"})
    one.go(f"#/approvals/s1/{short}")
    expect(one.card(short).get_by_role("button", name="Allow", exact=True)).to_be_enabled()
    assert [(command["session"], command["approval"]) for command in one.stage.said("seen")] == [("s1", short)]
    long = host.request_approval("s1", "Bash", {"command": "\n".join(f"echo {n}" for n in range(300))})
    cut = host.request_approval("s1", "Bash", {"command": "npm test"}, cut=True)
    one.go(f"#/approvals/s1/{cut}")
    one.go(f"#/approvals/s1/{long}")
    expect(one.card(long)).to_contain_text("Scroll to the end")
    one.settle()
    assert len(one.stage.said("seen")) == 1, "neither what is cut nor what was not scrolled through"
    one.card(long).get_by_role("group", name="What it would do, in full").first.focus()
    one.page.keyboard.press("End")
    expect(one.card(long).get_by_role("button", name="Allow", exact=True)).to_be_enabled()
    assert one.stage.said("seen")[-1]["approval"] == long


def test_a_relay_that_knows_nothing_of_presence_is_not_bothered(phone: Callable[..., Phone], host: Any) -> None:
    one = phone()
    one.stage.refusals |= {kind: {"code": "unsupported", "message": "no"} for kind in ("presence", "seen")}
    one.go("#/session/s1")
    one.settle()
    told = len(one.stage.said("presence"))
    approval = host.request_approval("s1", "Bash", {"command": "npm test"})
    one.go("#/approvals")
    expect(one.card(approval).get_by_role("button", name="Allow", exact=True)).to_be_enabled()
    one.settle()
    assert (len(one.stage.said("presence")), one.stage.said("seen")) == (told, [])
    expect(one.page.get_by_role("alert").filter(has_text=re.compile("."))).to_have_count(0)



def test_a_budget_is_set_changed_and_taken_away(phone: Callable[..., Phone], host: Any) -> None:
    one = phone(size=DESK)
    one.go("#/session/s1")
    one.page.locator("session-facts").get_by_role("link", name="Budgets").click()
    view = one.page.locator("budgets-view")
    expect(view).to_contain_text("No budget is set")
    expect(view.get_by_label("Session", exact=True)).to_have_value("s1")
    view.get_by_role("button", name="Set this budget").click()
    expect(view.get_by_role("alert")).to_contain_text("Say how many dollars")
    view.get_by_label("Dollars").fill("5")
    view.get_by_label("Tell me at").fill("80, 50")
    view.get_by_role("button", name="Set this budget").click()
    expect(view.get_by_role("alert")).to_contain_text("each above the one before")
    view.get_by_label("Tell me at").fill("50, 80, 100")
    view.get_by_label("Hold at 100 %").check()
    view.get_by_role("button", name="Set this budget").click()
    row = view.get_by_role("list", name="Budgets").get_by_role("listitem")
    expect(row).to_contain_text("Fix the login")
    expect(row).to_contain_text("$0.00 of $5.00")
    expect(row).to_contain_text("every tool needs approval")
    assert one.stage.said("budget")[-1]["budget"] == {"scope": "session", "session": "s1", "microUSD": 5_000_000, "levels": [50, 80, 100], "hold": True}
    row.get_by_role("button", name="Change").click()
    expect(view.get_by_label("Dollars")).to_have_value("5.00")
    view.get_by_label("Dollars").fill("7,50")
    view.get_by_role("button", name="Set this budget").click()
    expect(row).to_contain_text("of $7.50")
    row.get_by_role("button", name="Remove the budget").click()
    expect(row.get_by_role("group", name="Remove this budget")).to_contain_text("needs no approval any more")
    row.get_by_role("button", name="Back").click()
    assert one.stage.said("budget")[-1]["budget"]["microUSD"] == 7_500_000, "asking alone must remove nothing"
    row.get_by_role("button", name="Remove the budget").click()
    row.get_by_role("button", name="Remove", exact=True).click()
    expect(view).to_contain_text("No budget is set")
    assert one.stage.said("budget")[-1]["budget"]["microUSD"] == 0
    expect(one.page.locator("#announcer")).to_have_text("The budget is removed")
    expect(view.get_by_role("heading", name="Budgets")).to_be_focused()


def test_the_keyboard_stays_among_the_budgets_when_one_is_removed(phone: Callable[..., Phone], host: Any) -> None:
    one = phone(size=DESK)
    one.go("#/budgets")
    view = one.page.locator("budgets-view")
    for scope in ("day", "workspace"):
        view.get_by_label("For", exact=True).select_option(scope)
        view.get_by_label("Dollars").fill("5")
        view.get_by_role("button", name="Set this budget").click()
        expect(view.get_by_label("Dollars")).to_have_value("")
    rows = view.get_by_role("list", name="Budgets").get_by_role("listitem")
    expect(rows).to_have_count(2)
    rows.first.get_by_role("button", name="Remove the budget").click()
    rows.first.get_by_role("button", name="Remove", exact=True).click()
    expect(rows).to_have_count(1)
    expect(rows.get_by_role("button", name="Change the budget")).to_be_focused()


def test_a_budget_that_is_refused_says_why(phone: Callable[..., Phone], host: Any) -> None:
    one = phone()
    one.stage.refusals["budget"] = {"code": "tooMany", "message": "There are too many budgets."}
    one.go("#/budgets")
    view = one.page.locator("budgets-view")
    view.get_by_label("For", exact=True).select_option("day")
    expect(view.get_by_label("Session", exact=True)).to_be_hidden()
    view.get_by_label("Dollars").fill("5")
    view.get_by_role("button", name="Set this budget").click()
    expect(view.get_by_role("alert")).to_have_text("Not set: There are too many budgets.")
    expect(view.get_by_label("Dollars")).to_have_value("5")


@pytest.mark.parametrize(("level", "held", "colour"), [(80, False, "near"), (100, True, "over")])
def test_a_session_is_coloured_by_its_budget(phone: Callable[..., Phone], host: Any, level: int, held: bool, colour: str) -> None:
    one = phone(size=DESK)
    one.stage.summaries["s1"] = {"budget": {"level": level, "microUSD": 5_000_000} | ({"held": True} if held else {})}
    host.event("s1", "message", {"role": "assistant"}, {"text": "On it."})
    expect(one.row("s1").locator(".row-cost")).to_have_attribute("data-budget", colour)
    expect(one.row("s1")).to_contain_text(f"{level} % of $5.00 crossed")
    one.go("#/session/s1")
    expect(one.page.locator(".session-cost")).to_have_attribute("data-budget", colour)
    expect(one.page.locator("session-facts")).to_contain_text(f"{level} % of $5.00 crossed{'; every tool needs approval' if held else ''}")
    # The hold is visible in the list, below the conversation and on the card.
    asked = host.request_approval("s1", "Bash", {"command": "npm test"})
    one.go("#/approvals")
    spent = "The budget of $5.00 is spent: every tool needs approval."
    expect(one.card(asked)).to_be_visible()
    one.go("#/session/s1")
    if held:
        expect(one.row("s1").locator(".row-cost")).to_contain_text(", held")
        expect(one.page.locator("session-composer").get_by_text(spent)).to_be_visible()
        expect(one.timeline().locator("approval-card").get_by_text(spent)).to_be_visible()
        one.expect_accessible()
    else:
        expect(one.page.get_by_text("is spent")).to_have_count(0)


def test_a_budget_that_was_set_is_seen_on_a_phone(phone: Callable[..., Phone], host: Any) -> None:
    one = phone()
    one.go("#/budgets")
    view = one.page.locator("budgets-view")
    for scope in ("day", "everySession", "workspace"):
        view.get_by_label("For", exact=True).select_option(scope)
        view.get_by_label("Dollars").fill("1,000")
        view.get_by_role("button", name="Set this budget").click()
        expect(view.get_by_role("alert")).to_contain_text("write dollars without separators")
        view.get_by_label("Dollars").fill("1000")
        view.get_by_role("button", name="Set this budget").click()
        expect(view.get_by_label("Dollars")).to_have_value("")
        expect(view.get_by_role("listitem").filter(has_text={"day": "Each day", "everySession": "Each session", "workspace": "All sessions"}[scope])).to_be_in_viewport(ratio=1)



@LOOKS
def test_everything_is_accessible_and_fits(phone: Callable[..., Phone], host: Any, scheme: str, size: dict[str, int]) -> None:
    one = phone(size=size, scheme=scheme)
    for where in ("#/devices", "#/budgets"):
        one.go(where)
        one.settle()
        one.expect_accessible()
    one.stage.device("d1", trouble="Apple refuses the key.", quiet={"from": 0, "to": 420, "timeZone": "America/Argentina/Buenos_Aires"})
    one.stage.device("d2", name="Another " * 8, present=True, profile="opencode")
    one.stage.push("d1", "start", card("start", {}, ago=100, **{"stale-date": 1}), ago=100)
    one.stage.push("d1", "start", card("start", {"status": "failed", "error": "long " * 60}, ago=90), session="s2", ago=90)
    one.stage.push("d1", "end", card("end", {"status": "completed"}, ago=80), session="s2", ago=80)
    one.stage.push("d1", "alert", notification("x" * 300, "word " * 200), ago=70)
    one.stage.push("d1", "alert", notification("Second", "of a stack"), ago=60)
    one.stage.push("d1", "update", card("update", waiting() | {"budgetLevel": 100}), result="refused", text="BadDeviceToken " * 5)
    one.stage.push("d2", "update", {"aps": card("update", {}, ago=5)["aps"] | {"content-state": {f"field{n}": "v" * 80 for n in range(12)}}}, ago=5)
    one.stage.budgets = [
        {"scope": "session", "session": "s1", "microUSD": 5_000_000, "levels": [50, 80, 100], "hold": True, "spentMicroUSD": 4_100_000, "crossed": 80},
        {"scope": "day", "microUSD": 20_000_000, "levels": [100], "hold": False, "spentMicroUSD": 21_000_000, "crossed": 100},
    ]
    one.stage.summaries["s1"] = {"budget": {"level": 80, "microUSD": 5_000_000}}
    one.go("#/devices")
    expect(one.lock_screen()).to_contain_text("Fix the login")
    for fold in one.page.locator("devices-view summary").all():
        fold.click()
    one.page.get_by_role("button", name="Forget …").first.click()
    one.expect_accessible()
    one.expect_no_overflow()
    one.island().press("Enter")
    expect(one.island()).to_have_attribute("data-form", "expanded")
    one.expect_accessible()
    one.go("#/budgets/s1")
    expect(one.page.locator("budgets-view")).to_contain_text("$21.00 of $20.00")
    one.expect_accessible()
    one.expect_no_overflow()
    one.go("#/session/s1")
    one.settle()
    one.expect_accessible()


def test_everything_to_tap_is_large_enough(phone: Callable[..., Phone], host: Any) -> None:
    one = phone()
    one.stage.device("d1")
    one.stage.push("d1", "start", card("start", {}, ago=60), ago=60)
    one.stage.budgets = [{"scope": "day", "microUSD": 20_000_000, "levels": [100], "hold": False, "spentMicroUSD": 1, "crossed": 0}]
    for where in ("#/devices", "#/budgets"):
        one.go(where)
        one.settle()
        small = one.page.evaluate(
            """() => [...document.querySelectorAll("button:not(.island), .tabs a, .head-link, .pushes summary, select, input:not([type=checkbox]), .choice")]
                .map((element) => [element.getBoundingClientRect(), element])
                .filter(([box]) => box.width && (box.height < 43.5 || box.width < 43.5)).map(([box, element]) => `${box.height} ${element.outerHTML.slice(0, 80)}`)""")
        assert not small, small
    # The Dynamic Island is drawn as small as on the phone, but its touch target is larger.
    one.go("#/devices")
    hit = one.island().evaluate("element => { element.scrollIntoView({ block: 'center', behavior: 'instant' }); const box = element.getBoundingClientRect(); return document.elementFromPoint(box.x + box.width / 2, box.bottom + 6) === element }")
    assert hit


def test_pushes_move_nothing_but_their_own_list(phone: Callable[..., Phone], host: Any) -> None:
    one = phone()
    one.stage.device("d1")
    for number in range(12):
        one.stage.push("d1", "update", card("update", {"operation": f"step {number}"}, ago=30 - number), ago=30 - number)
    one.go("#/devices")
    expect(one.pushes()).to_have_count(12)
    one.settle()
    # Shown ages stop changing after a moment.
    one.page.wait_for_timeout(1_500)
    one.reset_shifts()
    one.stage.push("d1", "update", card("update", waiting()))
    expect(one.lock_screen()).to_contain_text("Approval needed")
    one.stage.push("d1", "alert", notification("Bash wants to run", "npm test"))
    expect(one.lock_screen()).to_contain_text("Bash wants to run")
    one.page.wait_for_timeout(1_200)
    moved = [shift for shift in one.shifts() if not all(re.search(r"push-|<li|live-card|notice|face-", node) for node in shift["moved"])]
    assert not moved, moved
