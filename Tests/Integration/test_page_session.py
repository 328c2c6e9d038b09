"""Deciding within the session: a waiting approval is a card in its row."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from page_screen import DESK, PHONE, Screen

LANDSCAPE = {"width": 640, "height": 360}
LOW_PHONES = [{"width": 390, "height": 664}, {"width": 375, "height": 548}, {"width": 360, "height": 640}]
"""The part of a phone's screen that a browser leaves to the page, between its address bar and its buttons."""


@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop")
    host.start_session("s1", title="Fix the login", project="webshop", cwd="/home/ada/webshop")
    host.event("s1", "message", {"role": "user"}, {"text": "Fix the login, please"})
    return host


def card(one: Screen, approval: str, session: str = "s1") -> Locator:
    return one.timeline().locator(f'approval-card:has([id="decide-{session}/{approval}"])')


@pytest.mark.parametrize("size", [PHONE, LANDSCAPE, DESK], ids=["phone", "landscape", "desk"])
def test_what_waits_is_decided_in_its_session(screen: Callable[..., Screen], host: Any, size: dict[str, int]) -> None:
    one = screen(size=size)
    one.go("#/session/s1")
    expect(one.timeline()).to_contain_text("Fix the login, please")
    approval = host.request_approval("s1", "Bash", {"command": "npm test", "description": "Run the tests"})
    here = card(one, approval)
    expect(here.locator("pre")).to_have_text("npm test")
    one.expect_accessible()
    one.expect_no_overflow()
    here.get_by_role("button", name="Allow", exact=True).click()
    assert host.wait_decision(approval, timeout=5)["decision"]["decision"] == "allow"
    expect(here).to_contain_text("Allowed by you")
    expect(one.page.get_by_role("heading", name="Fix the login")).to_be_focused()
    host.apply("s1", approval)
    expect(here).to_contain_text("The agent ran it.")
    # The settled card stays while the session is open, and is a line when the session is opened again.
    one.go("#/approvals/recent")
    expect(one.card(approval)).to_contain_text("Allowed by you")
    one.go("#/session/s1")
    expect(here).to_have_count(0)
    expect(one.timeline().locator(".event-approval-line")).to_contain_text("ran")


@pytest.mark.parametrize("role", ["client", "operator"])
@pytest.mark.parametrize("size", LOW_PHONES, ids=lambda size: f"{size['width']}x{size['height']}")
def test_on_a_phone_in_a_browser_a_short_question_stands_whole_with_its_buttons(
    screen: Callable[..., Screen], scripted_host: Callable[..., Any], relay: Any, size: dict[str, int], role: str
) -> None:
    host = scripted_host(relay, name="laptop", capabilities=("steer",))
    host.start_session("s1", title="Fix the login", project="webshop", cwd="/home/ada/webshop", model="opus")
    host.event("s1", "steering.offered", {"actions": ["prompt", "interrupt", "mode"], "whileBusy": True, "mode": "default", "modes": ["plan", "default"]})
    host.event("s1", "status.changed", {"status": "running"})
    for number in range(8):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"I looked at part {number}.\n\nThere is more to see."})
    approval = host.request_approval("s1", "Bash", {"command": "npm test -- --run login", "description": "Run the login tests"})
    host.start_session("s2", title="Deploy")
    one = screen(size=size, role=role)

    def expect_whole(card: Locator) -> None:
        deny, allow = card.get_by_role("button", name="Deny …"), card.get_by_role("button", name="Allow", exact=True)
        for part in (card.locator(".card-title"), card.locator("pre"), card.locator(".agent-says"), deny, allow):
            expect(part).to_be_in_viewport(ratio=1)
            # The card is not covered by the fixed parts below or above.
            assert part.evaluate(
                """element => {
                    const { left, right, top, bottom } = element.getBoundingClientRect();
                    return [top + 2, bottom - 2].every((y) => element.closest("approval-card").contains(document.elementFromPoint((left + right) / 2, y)));
                }"""), part
        expect(allow).to_be_enabled()
        one.expect_no_overflow()

    one.go("#/session/s1")
    expect_whole(card(one, approval))
    one.expect_accessible()
    # All parts except the conversation take at most a quarter of the screen.
    read = one.timeline().bounding_box()
    assert read and read["height"] >= size["height"] * 0.75, read
    review = one.page.get_by_role("link", name="Review", exact=True)
    expect(review).to_be_hidden()
    one.timeline().get_by_role("group", name="Timeline, scrolls").evaluate("element => { element.scrollTop = 0 }")
    expect(card(one, approval).get_by_role("button", name="Allow", exact=True)).not_to_be_in_viewport()
    review.click()
    expect_whole(one.page.locator("approval-card:visible"))
    one.go("#/approvals")
    expect_whole(one.card(approval))
    one.go(f"#/approvals/s1/{approval}")
    expect_whole(one.card(approval))
    # Parts beside the conversation are still visible.
    one.go("#/session/s1")
    if role == "operator":
        one.page.get_by_label("Tell the agent").fill("And then the logout.")
        expect(one.page.get_by_role("button", name="Send", exact=True)).to_be_in_viewport(ratio=1)
        expect(one.page.get_by_role("button", name="Mode, model and commands")).to_be_in_viewport(ratio=1)
    one.page.get_by_role("link", name="All sessions").click()
    expect(one.page.get_by_role("link", name="Approvals")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", [{"width": 320, "height": 568}, {"width": 375, "height": 548}, {"width": 360, "height": 640}], ids=lambda size: f"{size['width']}x{size['height']}")
def test_a_short_change_elsewhere_stands_whole_in_the_inbox_and_in_its_session(
    screen: Callable[..., Screen], scripted_host: Callable[..., Any], relay: Any, host: Any, size: dict[str, int]
) -> None:
    offer = {"actions": ["start", "ruleTry"], "projects": [{"name": "webshop", "folder": "~/webshop"}], "agents": [{"name": "claude", "title": "Claude Code", "modes": ["default"]}]}
    studio = scripted_host(relay, name="studio", capabilities=("steer",))
    studio.start_session("desk", title="New sessions", agent={"name": "heliograph"})
    studio.event("desk", "steering.offered", offer)
    lines = "@@ -1,3 +1,3 @@\n func total(_ prices: [Int]) -> Int {\n-    return prices.reduce(0, +)\n+    return prices.reduce(0, +) / 100\n }"
    sent = {"file_path": "/home/ada/elsewhere/Sources/Shop/Total.swift", "old_string": "a", "new_string": "b"}
    host.request_approval("s1", "Edit", sent, diff=lines, change={"file": "edits", "added": 1, "removed": 1, "places": 1})
    one = screen(size=size)
    for where in ("#/approvals", "#/session/s1"):
        one.go(where)
        here = one.page.locator("approval-card:visible")
        expect(here).to_have_count(1)
        for part in (here.locator(".card-title"), here.locator("button.deny:visible"), here.locator("button.allow:visible")):
            expect(part).to_be_in_viewport(ratio=1)
        allow = here.locator("button.allow:visible")
        assert allow.evaluate("""button => {
            const { left, right, top, bottom } = button.getBoundingClientRect();
            return [top + 2, bottom - 2].every((y) => button.contains(document.elementFromPoint((left + right) / 2, y)));
        }""")
        # Each button's words fit on one line, and so does the sign behind the title.
        assert max(here.locator("button:visible").evaluate_all("buttons => buttons.map((button) => button.offsetHeight)")) <= 46
        one.expect_no_overflow()
    for where, current in (("#/approvals", "#/approvals"), ("#/rules", "#/rules")):
        one.go(where)
        switch = one.page.locator(".pane:visible .switch")
        expect(switch.locator("a:visible")).to_have_count(3)
        expect(switch.locator("[aria-current]")).to_have_attribute("href", current)
        expect(one.page.locator("[data-tab=approvals]")).to_have_attribute("aria-current", "page")
        head = one.page.locator(".pane:visible .pane-head").bounding_box()
        assert head and head["height"] < 66, head
        one.expect_no_overflow()


NINE_LINES = """@@ -3,7 +3,8 @@

 def total(prices: list[int], discount: int) -> int:
     \"\"\"Cents, after a discount in per cent.\"\"\"
-    return sum(prices) * (100 - discount) // 100
+    discounted = sum(prices) * (100 - discount)
+    return discounted // 100  # in the customer's favour


 def invoice(basket: Basket) -> Invoice:
     return Invoice(total(basket.prices, basket.discount))"""


def test_on_a_phone_in_a_browser_a_change_of_nine_lines_is_decided_without_scrolling(screen: Callable[..., Screen], host: Any) -> None:
    for number in range(8):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"I looked at part {number}.\n\nThere is more to see."})
    sent = {"file_path": "/home/ada/webshop/shop/price.py", "old_string": "a\n", "new_string": "b\nc\n", "replace_all": False}
    approval = host.request_approval("s1", "Edit", sent, diff=NINE_LINES, change={"file": "edits", "added": 2, "removed": 1, "places": 1})
    host.start_session("s2", title="Deploy")
    one = screen(size=LOW_PHONES[0])

    def expect_decidable(card: Locator) -> None:
        for name in ("Deny …", "Allow"):
            expect(card.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
        expect(card.get_by_role("button", name="Allow", exact=True)).to_be_enabled()
        lines = card.locator(".diff").first.locator(".diff-line:visible")
        for place in (card.locator(".card-title"), lines.first, lines.last):
            expect(place).to_be_in_viewport(ratio=1)
        expect(card.get_by_role("button", name="More below")).to_be_hidden()
        one.expect_no_overflow()

    one.go("#/session/s1")
    expect_decidable(card(one, approval))
    one.timeline().get_by_role("group", name="Timeline, scrolls").evaluate("element => { element.scrollTop = 0 }")
    one.page.get_by_role("link", name="Review", exact=True).click()
    expect_decidable(card(one, approval))
    one.go(f"#/approvals/s1/{approval}")
    expect_decidable(one.card(approval))


@pytest.mark.parametrize("size", LOW_PHONES, ids=lambda size: f"{size['width']}x{size['height']}")
def test_on_a_phone_in_a_browser_what_is_long_is_read_and_decided_where_it_stands(screen: Callable[..., Screen], host: Any, size: dict[str, int]) -> None:
    one = screen(size=size)
    approval = host.request_approval("s1", "Bash", {"command": "\n".join(f"echo {number}" for number in range(60))})
    for number in range(12):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"meanwhile {number}\n" * 4})
    one.go("#/session/s1")
    here = card(one, approval)
    allow = here.get_by_role("button", name="Allow", exact=True)
    expect(here.locator(".card-title")).to_be_in_viewport(ratio=1)
    one.timeline().get_by_role("group", name="Timeline, scrolls").evaluate("element => { element.scrollTop = element.scrollHeight }")
    one.page.get_by_role("link", name="Review", exact=True).click()
    expect(here.locator(".card-title")).to_be_in_viewport(ratio=1)
    expect(allow).to_be_disabled()
    here.get_by_role("button", name="Scroll to the end to allow it.").click()
    expect(allow).to_be_enabled()
    expect(allow).to_be_in_viewport(ratio=1)
    expect(here.get_by_text("echo 59")).to_be_in_viewport()


def test_a_reader_comes_back_to_the_place_that_they_left(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    for number in range(60):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"line {number}\n\nand more"})
    host.start_session("s2", title="Deploy")
    one.go("#/session/s1")
    scroller = one.timeline().get_by_role("group", name="Timeline, scrolls")
    row = one.timeline().locator("[data-role=assistant]", has_text="line 20")
    expect(one.timeline()).to_contain_text("line 59")
    row.evaluate("element => element.scrollIntoView({ block: 'start' })")
    one.settle()
    before = row.bounding_box()
    for away in ("#/", "#/approvals", "#/session/s2"):
        one.go(away)
        one.settle()
        one.go("#/session/s1")
        expect(row).to_be_in_viewport()
        one.settle()
        after = row.bounding_box()
        assert before and after and abs(before["y"] - after["y"]) < 4, away
    expect(one.page.get_by_role("button", name="↓ Newer")).to_be_visible()
    # A reader who was at the end returns to the end, but a waiting card takes precedence.
    scroller.evaluate("element => { element.scrollTop = element.scrollHeight }")
    one.settle()
    one.go("#/")
    host.event("s1", "message", {"role": "assistant"}, {"text": "the newest"})
    one.go("#/session/s1")
    expect(one.timeline().get_by_text("the newest")).to_be_in_viewport()
    row.evaluate("element => element.scrollIntoView({ block: 'start' })")
    one.settle()
    one.go("#/")
    approval = host.request_approval("s1", "Bash", {"command": "npm test"})
    expect(one.row("s1")).to_contain_text("Needs you")
    one.go("#/session/s1")
    expect(card(one, approval).get_by_role("button", name="Allow", exact=True)).to_be_in_viewport(ratio=1)


def test_what_came_while_a_reader_was_away_is_announced_and_not_jumped_to(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    for number in range(20):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"line {number}\n\nand more"})
    one.go("#/session/s1")
    expect(one.timeline().get_by_text("line 19", exact=True)).to_be_in_viewport()
    one.settle()
    one.go("#/")
    for number in range(20, 60):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"line {number}\n\nand more"})
    host.wait_acked("s1")
    one.go("#/session/s1")
    newer = one.page.get_by_role("button", name=re.compile("newer"))
    expect(newer).to_have_text("↓ 40 newer")
    for known in ("line 19", "line 20"):
        expect(one.timeline().get_by_text(known, exact=True)).to_be_in_viewport()
    newer.click()
    expect(one.timeline().get_by_text("line 59", exact=True)).to_be_in_viewport()
    expect(newer).to_be_hidden()


def test_after_an_answer_the_view_goes_on_with_the_agent(screen: Callable[..., Screen], host: Any) -> None:
    one = screen(size=LOW_PHONES[0])
    for number in range(12):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"before {number}"})
    first = host.request_approval("s1", "Bash", {"command": "make one"})
    second = host.request_approval("s1", "Bash", {"command": "make two"})
    one.go("#/session/s1")
    card(one, first).get_by_role("button", name="Allow", exact=True).click()
    expect(card(one, second).get_by_role("button", name="Allow", exact=True)).to_be_in_viewport(ratio=1)
    card(one, second).get_by_role("button", name="Allow", exact=True).click()
    host.wait_decision(second)
    for number in range(12):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"after {number}\n" * 3})
    expect(one.timeline().get_by_text("after 11").last).to_be_in_viewport()


def test_review_leads_to_the_card_and_moves_nothing_else(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    first = host.request_approval("s1", "Bash", {"command": "make one"})
    for number in range(12):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"meanwhile {number}\n" * 4})
    second = host.request_approval("s1", "Bash", {"command": "make two"})
    one.go("#/session/s1")
    expect(card(one, second)).to_have_count(1)
    one.timeline().get_by_role("group", name="Timeline, scrolls").evaluate("element => { element.scrollTop = element.scrollHeight }")
    expect(card(one, first)).not_to_be_in_viewport()
    one.page.get_by_role("link", name="Review 2 requests").click()
    expect(card(one, first).locator(".card-title")).to_be_focused()
    expect(card(one, first).locator(".card-title")).to_be_in_viewport(ratio=1)
    expect(one.page.locator(".session-head")).to_be_in_viewport(ratio=1)
    assert one.page.url.endswith("#/session/s1")
    card(one, first).get_by_role("button", name="Allow", exact=True).click()
    expect(card(one, second).locator(".card-title")).to_be_focused()


def test_the_view_waits_at_the_beginning_of_what_is_to_be_read(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    for number in range(8):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"before {number}\n" * 3})
    one.go("#/session/s1")
    expect(one.timeline()).to_contain_text("before 7")
    approval = host.request_approval("s1", "Bash", {"command": "\n".join(f"echo step {n}" for n in range(60))})
    heading = card(one, approval).locator(".card-title")
    expect(heading).to_be_in_viewport(ratio=1)
    # A card shorter than the screen scrolls up until its beginning is at the top.
    host.event("s1", "message", {"role": "assistant"}, {"text": "after that\n" * 3})
    expect(one.timeline()).to_contain_text("after that")
    one.settle()
    before = heading.bounding_box()
    for number in range(6):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"after {number}\n" * 3})
    expect(one.timeline()).to_contain_text("after 5")
    one.settle()
    assert heading.bounding_box() == before
    # The view does not move when another client settles the card; the button to the end appears.
    host.cancel("s1", approval)
    expect(card(one, approval)).to_have_attribute("data-stage", "cancelled")
    one.settle()
    after = heading.bounding_box()
    assert before and after and abs(before["y"] - after["y"]) < 2
    one.timeline().get_by_role("button", name="Newer").click()
    expect(one.timeline().get_by_text("after 5").first).to_be_in_viewport()


def test_the_inbox_and_the_session_show_the_same_decision(screen: Callable[..., Screen], host: Any) -> None:
    reading, deciding = screen(name="Ben's laptop", size=DESK), screen(name="Ada's phone")
    approval = host.request_approval("s1", "Bash", {"command": "npm test"})
    reading.go("#/session/s1")
    deciding.go("#/approvals")
    deciding.card(approval).get_by_role("button", name="Deny …").click()
    deciding.card(approval).get_by_role("button", name="Deny", exact=True).click()
    expect(card(reading, approval)).to_contain_text("Denied by Ada's phone")


@pytest.mark.parametrize("size", [{"width": 320, "height": 640}, DESK], ids=["narrow", "desk"])
def test_what_a_tool_prints_is_seen_while_it_runs(screen: Callable[..., Screen], host: Any, size: dict[str, int]) -> None:
    host.event("s1", "tool.started", {"call": "c1", "tool": "Bash", "operation": "Run the tests"}, {"input": {"command": "make test"}})
    host.wait_acked("s1")
    one = screen(size=size)
    one.go("#/session/s1")
    row = one.timeline().locator('[data-kind="tool.started"]')
    expect(row).to_contain_text("Run the tests")
    tail = row.get_by_label("Output so far")
    expect(tail).to_be_hidden()
    host.output("s1", "c1", "compiling a\n" + "w" * 200 + "\n<b>not markup</b>\n")
    expect(tail).to_contain_text("compiling a")
    expect(tail).to_contain_text("<b>not markup</b>")
    host.output("s1", "c1", "".join(f"test {number} passed\n" for number in range(60)))
    expect(tail).to_contain_text("test 59 passed")
    expect(tail).not_to_contain_text("compiling a")
    assert tail.evaluate("pre => pre.scrollTop + pre.clientHeight >= pre.scrollHeight - 2"), "its end is in sight"
    one.expect_accessible()
    one.expect_no_overflow()
    host.event("s1", "tool.finished", {"call": "c1", "tool": "Bash", "ok": True}, {"output": "60 passed"})
    expect(tail).to_be_hidden()
    row.locator("summary").click()
    expect(row).to_contain_text("60 passed")


def test_what_the_agent_has_forgotten_is_one_line_until_it_is_read(screen: Callable[..., Screen], host: Any) -> None:
    host.event("s1", "message", {"role": "assistant"}, {"text": "The login works again."})
    host.event("s1", "message", {"role": "user"}, {"text": "Now rewrite the shop"})
    host.event("s1", "message", {"role": "assistant"}, {"text": "The shop is rewritten."})
    one = screen()
    one.go("#/session/s1")
    timeline = one.timeline()
    expect(timeline.get_by_text("The shop is rewritten.")).to_be_visible()
    host.event("s1", "rewound", {"to": 0}, {"text": "Fix the login, please"})
    host.event("s1", "message", {"role": "user"}, {"text": "Only paint the shop"})
    expect(timeline.get_by_text("Only paint the shop")).to_be_visible()
    for gone in ("Now rewrite the shop", "The shop is rewritten."):
        expect(timeline.get_by_text(gone)).to_be_hidden()
    expect(timeline.get_by_text("The login works again.")).to_be_visible()
    fold = timeline.get_by_role("button", name="2 messages that the agent has forgotten")
    expect(fold).to_have_attribute("aria-expanded", "false")
    one.expect_accessible()
    fold.click()
    expect(timeline.get_by_text("The shop is rewritten.")).to_be_visible()
    expect(fold).to_have_attribute("aria-expanded", "true")
    one.expect_accessible()
    one.expect_no_overflow()
    # The next event does not fold the settled card that is being read.
    host.event("s1", "message", {"role": "assistant"}, {"text": "Painted."})
    expect(timeline.get_by_text("Painted.")).to_be_visible()
    expect(timeline.get_by_text("The shop is rewritten.")).to_be_visible()
    fold.click()
    expect(timeline.get_by_text("The shop is rewritten.")).to_be_hidden()


def test_after_a_decision_the_next_one_stands_in_its_place_and_a_second_tap_means_nothing(screen: Callable[..., Screen], host: Any) -> None:
    one = screen(size=LOW_PHONES[0])
    first, second, _ = (host.request_approval("s1", "Bash", {"command": f"make {name}"}) for name in ("one", "two", "three"))
    one.go("#/approvals")
    allow = one.card(first).get_by_role("button", name="Allow", exact=True)
    expect(allow).to_be_enabled()
    box = allow.bounding_box()
    assert box
    # Two clicks instead of `dblclick`, because the second one is meant for whatever then stands in that place.
    one.page.mouse.click(box["x"] + 20, box["y"] + 20)
    expect(one.card(first)).to_have_attribute("data-folded", "")
    one.page.mouse.click(box["x"] + 20, box["y"] + 20)
    then = one.card(second).get_by_role("button", name="Allow", exact=True)
    expect(then).to_be_enabled()
    now = then.bounding_box()
    assert now and abs(now["y"] - box["y"]) < 12, (now, box)
    assert [decision["approval"] for decision in host.decisions] == [first]
    # A settled approval is a line with its outcome, which opens the card.
    host.apply("s1", first)
    line = one.card(first).locator(".settled")
    expect(line).to_contain_text("Allowed by you")
    expect(line).to_contain_text("The agent ran it.")
    expect(one.card(first).locator("pre")).to_be_hidden()
    line.click()
    expect(one.card(first).locator("pre")).to_be_visible()
    one.expect_accessible()
