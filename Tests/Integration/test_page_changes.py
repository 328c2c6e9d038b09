"""A session's file changes as one diff, its subagents as threads, and its running tool calls."""

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from page_screen import DESK, PHONE, Screen
from waits import wait_until

NARROW = {"width": 320, "height": 640}
SIZES = pytest.mark.parametrize("size", [NARROW, PHONE, DESK], ids=["narrow", "phone", "desk"])
EVENTS_OF_A_SNAPSHOT = 1_000
"""More events than the relay sends in a session's snapshot."""


@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop", capabilities=("steer",))
    host.start_session("s1", title="Fix the login", project="webshop", cwd="/home/ada/webshop")
    host.event("s1", "message", {"role": "user"}, {"text": "Fix the login, please"})
    return host


def opened(screen: Callable[..., Screen], where: str = "#/session/s1", **options: Any) -> Screen:
    one = screen(**options)
    one.go(where)
    expect(one.page.locator("session-view h2")).to_have_text("Fix the login")
    return one


def edit(host: Any, path: str, diff: str | None, added: int, removed: int, file: str = "edits", **head: Any) -> None:
    host.event("s1", "file.changed", {"path": path, "added": added, "removed": removed, **head}, {"change": {"file": file}, **({"diff": diff} if diff else {})})


def changes(one: Screen) -> Locator:
    return one.page.locator("session-changes")


def file(one: Screen, path: str) -> Locator:
    return changes(one).get_by_role("listitem").filter(has=one.page.locator(".changes-path", has_text=path))


def signed(where: Locator) -> list[str]:
    return where.locator(".diff-line").evaluate_all("lines => lines.map((line) => line.dataset.sign + line.lastChild.textContent.trimEnd())")



@pytest.mark.parametrize("size, scheme", [(NARROW, "light"), (DESK, "dark")], ids=["narrow, light", "desk, dark"])
def test_all_changes_are_one_diff_a_file(screen: Callable[..., Screen], host: Any, size: dict[str, int], scheme: str) -> None:
    edit(host, "src/login.ts", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c", 1, 1)
    edit(host, "a/" + "long" * 30 + ".ts", "@@ -0,0 +1,90 @@\n" + "\n".join(f"+line {n} " + "x" * 90 for n in range(90)), 90, 0, "new")
    edit(host, "src/login.ts", "@@ -1,3 +1,4 @@\n a\n-B\n+B!\n+new\n c", 2, 1)
    one = opened(screen, size=size, scheme=scheme)
    one.page.get_by_role("link", name="Changes 93 lines added, 2 removed").click()
    expect(changes(one).locator(".changes-sum")).to_contain_text("2 files")
    expect(changes(one).locator(".changes-sum .unseen")).to_have_text("92 lines added, 1 removed")
    login = file(one, "src/login.ts")
    expect(login).to_contain_text("2 edits in one.")
    assert signed(login) == [" a", "-b", "+B!", "+new", " c"]
    long = file(one, "longlong")
    expect(long).to_contain_text("new")
    expect(long.locator(".diff-line")).to_have_count(0)
    one.expect_accessible()
    one.expect_no_overflow()
    long.locator("summary").click()
    expect(long.locator(".diff-line")).to_have_count(90)
    one.expect_no_overflow()
    assert changes(one).evaluate("element => element.scrollWidth <= element.clientWidth")
    # A new edit is joined to the shown diff, and an unfolded diff stays unfolded.
    edit(host, "src/login.ts", "@@ -1,4 +1,3 @@\n a\n B!\n-new\n c", 0, 1)
    expect(login).to_contain_text("3 edits in one.")
    assert signed(login) == [" a", "-b", "+B!", " c"]
    expect(long.locator(".diff-line")).to_have_count(90)
    one.page.get_by_role("link", name="Conversation").click()
    expect(changes(one)).to_be_hidden()
    expect(one.timeline()).to_contain_text("Fix the login, please")


def test_what_does_not_fit_stands_in_its_order_and_what_is_not_told_is_said(screen: Callable[..., Screen], host: Any) -> None:
    edit(host, "a.ts", "@@ -1,1 +1,1 @@\n-a\n+b", 1, 1)
    edit(host, "a.ts", "@@ -1,1 +1,1 @@\n-other\n+more", 1, 1)
    edit(host, "b.bin", None, 0, 0)
    edit(host, "c.ts", "@@ -1,1 +1,1 @@\n-a\n+b", 1, 1)
    edit(host, "c.ts", "@@ -1,1 +1,1 @@\n-b\n+a", 1, 1)
    one = opened(screen, "#/session/s1/changes")
    expect(file(one, "a.ts")).to_contain_text("This does not fit the diff above")
    assert signed(file(one, "a.ts")) == ["-a", "+b", "-other", "+more"]
    expect(file(one, "b.bin")).to_contain_text("The host sent no diff of it.")
    expect(file(one, "c.ts")).to_contain_text("Nothing is left of it")
    one.expect_accessible()
    one.page.reload()
    expect(file(one, "a.ts")).to_contain_text("This does not fit")


def test_a_long_diff_comes_in_pieces(screen: Callable[..., Screen], host: Any) -> None:
    edit(host, "long.txt", "@@ -0,0 +1,1200 @@\n" + "\n".join(f"+line {n}" for n in range(1200)), 1200, 0, "new")
    one = opened(screen, "#/session/s1/changes")
    long = file(one, "long.txt")
    long.locator("summary").click()
    expect(long.locator(".diff-line")).to_have_count(500)
    long.get_by_role("button", name="Show 500 of 700 more lines").click()
    long.get_by_role("button", name="Show 200 of 200 more lines").click()
    expect(long.locator(".diff-line")).to_have_count(1200)
    expect(long.get_by_role("button")).to_have_count(0)
    one.expect_accessible()


def test_what_waits_is_reviewed_from_the_changes_too(screen: Callable[..., Screen], host: Any) -> None:
    edit(host, "a.ts", "@@ -1,1 +1,1 @@\n-a\n+b", 1, 1)
    approval = host.request_approval("s1", "Bash", {"command": "npm test"})
    one = opened(screen, "#/session/s1/changes")
    expect(file(one, "a.ts")).to_be_visible()
    one.page.get_by_role("link", name="Review", exact=True).last.click()
    expect(one.card(approval)).to_be_in_viewport()


def test_older_changes_are_read_on_demand_and_the_conversation_stays_as_it_is(screen: Callable[..., Screen], host: Any) -> None:
    edit(host, "first.ts", "@@ -1,1 +1,1 @@\n-a\n+b", 1, 1)
    host.events("s1", [("message", {"role": "assistant"}, {"text": f"meanwhile {n}"}) for n in range(EVENTS_OF_A_SNAPSHOT)])
    edit(host, "last.ts", "@@ -1,1 +1,1 @@\n-a\n+b", 1, 1)
    host.wait_acked("s1")
    one = opened(screen)
    expect(one.timeline()).to_contain_text("meanwhile 999")
    rows = one.timeline().locator(".event").count()
    one.page.get_by_role("link", name=re.compile("^Changes ")).click()
    expect(file(one, "last.ts")).to_be_visible()
    expect(file(one, "first.ts")).to_have_count(0)
    expect(changes(one)).to_contain_text("Read from event")
    one.expect_accessible()
    changes(one).get_by_role("button", name="Read what came before").click()
    expect(file(one, "first.ts")).to_be_visible()
    expect(changes(one).get_by_role("button", name="Read what came before")).to_be_hidden()
    assert one.timeline().locator(".event").count() == rows


def test_words_far_back_are_found_on_demand_and_none_is_said_only_of_what_was_searched(screen: Callable[..., Screen], host: Any) -> None:
    needle = "the login.ts file was changed"
    host.events("s1", [("message", {"role": "assistant"}, {"text": needle if n == 17 else f"meanwhile {n}"}) for n in range(5 * EVENTS_OF_A_SNAPSHOT)])
    host.wait_acked("s1")
    one = opened(screen, size=NARROW)
    expect(one.timeline()).to_contain_text("meanwhile 4999")
    one.page.keyboard.press("/")
    one.page.keyboard.type("login.ts")
    find = one.page.locator("session-find")
    status = find.get_by_role("status")
    expect(status).to_have_text(re.compile(r"^None in the last \d+ events$"))
    one.expect_accessible()
    one.expect_no_overflow()
    assert find.evaluate("element => element.scrollWidth <= element.clientWidth")
    find.get_by_role("button", name="Search earlier").click()
    expect(status).to_have_text("1 of 1")
    expect(one.timeline().locator("[data-found]")).to_contain_text(needle)
    expect(one.timeline().locator("[data-found]")).to_be_in_viewport()
    expect(find.locator(".earlier")).to_be_hidden()
    find.get_by_role("searchbox").fill("meanwhile")
    expect(status).to_have_text("4999 of 4999")


@pytest.mark.parametrize("size, scheme", [(NARROW, "light"), (PHONE, "dark"), (DESK, "light")], ids=["narrow", "phone, dark", "desk"])
def test_a_file_s_name_comes_first_and_what_was_viewed_is_marked_until_it_changes_again(screen: Callable[..., Screen], host: Any, size: dict[str, int], scheme: str) -> None:
    folder = "Sources/Shop/Module0/With/A/Long/Way"
    edit(host, f"{folder}/Checkout.swift", "@@ -1,1 +1,2 @@\n-let total = price\n+let tax = 0.19\n+let total = price * (1 + tax)", 2, 1)
    edit(host, f"{folder}/Basket.swift", "@@ -1,1 +1,1 @@\n-a\n+b", 1, 1)
    one = opened(screen, size=size, scheme=scheme)
    for name in (one.timeline().locator(".path-name").get_by_text("Checkout.swift"), one.timeline().locator(".path-name").get_by_text("Basket.swift")):
        assert name.evaluate("e => e.scrollWidth <= e.clientWidth && e.getBoundingClientRect().right <= e.closest('summary').getBoundingClientRect().right")
    one.expect_accessible()
    one.go("#/session/s1/changes")
    checkout = file(one, "Checkout.swift")
    expect(checkout.locator(".changed")).to_have_text([" * (1 + tax)"])
    box = checkout.get_by_role("checkbox", name=f"Viewed : {folder}/Checkout.swift")
    box.check()
    expect(checkout.locator("details")).not_to_have_attribute("open", "")
    expect(changes(one).locator(".changes-sum")).to_contain_text("1 viewed")
    one.expect_accessible()
    one.expect_no_overflow()
    one.page.reload()
    expect(box).to_be_checked()
    expect(checkout.locator("details")).not_to_have_attribute("open", "")
    expect(file(one, "Basket.swift").get_by_role("checkbox")).not_to_be_checked()
    edit(host, f"{folder}/Checkout.swift", "@@ -3,0 +3,1 @@\n+more", 1, 0)
    expect(box).not_to_be_checked()
    expect(changes(one).locator(".changes-sum")).not_to_contain_text("viewed")
    box.uncheck()
    box.check()
    box.uncheck()
    expect(checkout.locator("details")).to_have_attribute("open", "")
    expect(checkout.locator(".diff-line", has_text="more")).to_be_visible()


@pytest.mark.parametrize("size, scheme", [(NARROW, "light"), (DESK, "dark")], ids=["narrow, light", "desk, dark"])
def test_the_session_that_changed_a_file_is_found_by_three_taps(screen: Callable[..., Screen], host: Any, size: dict[str, int], scheme: str) -> None:
    edit(host, "src/login.ts", "@@ -1,1 +1,1 @@\n-a\n+b", 1, 1)
    edit(host, "src/cart.ts", "@@ -1,1 +1,1 @@\n-a\n+b", 1, 1)
    for number in range(2, 9):
        host.start_session(f"s{number}", title=f"Task {number}")
        host.event(f"s{number}", "file.changed", {"path": f"src/task{number}.ts", "added": 1, "removed": 0})
        host.wait_acked(f"s{number}")
    one = screen(size=size, scheme=scheme)
    search, finder = one.page.get_by_label("Search sessions"), one.page.locator("file-finder")
    # The file that a session changed last needs no reading.
    search.fill("cart.ts")
    expect(finder.get_by_role("link")).to_contain_text("Fix the login")
    expect(one.page.get_by_text("No session fits.")).to_be_hidden()
    search.click()
    search.fill("login.ts")
    expect(one.page.get_by_text("No session fits.")).to_be_visible()
    expect(finder.get_by_role("link")).to_have_count(0)
    finder.get_by_role("button", name="Search the files of 8 sessions").click()
    hit = finder.get_by_role("link")
    expect(hit).to_have_count(1)
    expect(hit).to_contain_text("src/login.ts")
    expect(finder.get_by_role("button")).to_be_hidden()
    one.expect_accessible()
    one.expect_no_overflow()
    search.fill("nowhere.ts")
    expect(finder).to_contain_text("None in what 8 sessions changed last.")
    # Only sessions that have changed since are read again.
    edit(host, "src/nowhere.ts", None, 1, 0)
    edit(host, "src/last.ts", None, 1, 0)
    finder.get_by_role("button", name="Search the files of 1 session").click()
    expect(hit).to_contain_text("src/nowhere.ts")
    search.fill("login.ts")
    hit.click()
    expect(one.page.locator("session-view h2")).to_have_text("Fix the login")
    expect(file(one, "src/login.ts")).to_be_visible()
    one.go("#/")
    search.fill("lo")
    expect(finder).to_be_hidden()


@SIZES
def test_what_a_subagent_does_is_a_thread_under_its_call(screen: Callable[..., Screen], host: Any, size: dict[str, int]) -> None:
    host.event("s1", "tool.started", {"call": "t1", "tool": "Agent", "operation": "Delegating: look for bugs"}, {"input": {"prompt": "Look for bugs."}})
    host.event("s1", "subagent.started", {"agent": "a1", "name": "look for bugs", "call": "t1"})
    host.event("s1", "tool.started", {"call": "x1", "tool": "Bash", "operation": "Running: grep -rn token src", "agent": "a1"}, {"input": {"command": "grep"}})
    one = opened(screen, size=size)
    host_row = one.timeline().locator(".event", has_text="Delegating").first
    thread = host_row.locator("details.thread")
    expect(thread).to_contain_text("look for bugs")
    expect(thread).to_contain_text("working, 1 step")
    expect(thread).to_contain_text("Running: grep -rn token src")
    expect(thread.locator(".event")).to_have_count(0)
    one.expect_accessible()
    one.expect_no_overflow()
    thread.locator("summary").first.click()
    inner = thread.get_by_role("list", name="What look for bugs does")
    expect(inner.get_by_role("listitem")).to_have_count(1)
    host.event("s1", "message", {"role": "assistant", "agent": "a1"}, {"text": "It is in **refresh**."})
    expect(inner).to_contain_text("It is in refresh.")
    host.event("s1", "tool.finished", {"call": "x1", "tool": "Bash", "ok": True, "durationMs": 1200, "agent": "a1"}, {"output": "src/login.ts"})
    expect(inner.locator('[data-state="ok"]')).to_contain_text("1.2 s")
    # A subagent's approval is not hidden in its folded thread.
    approval = host.request_approval("s1", "Bash", {"command": "rm -rf dist"})
    expect(one.timeline().locator(f'.event[data-key="a:{approval}"] approval-card')).to_be_visible()
    host.cancel("s1", approval)
    one.expect_accessible()
    one.expect_no_overflow()
    host.event("s1", "subagent.finished", {"agent": "a1", "name": "look for bugs"}, {"text": "One bug."})
    expect(thread).to_contain_text("done, 1 step")
    expect(thread).to_contain_text("One bug.")


def test_a_thread_whose_call_is_not_known_stands_by_itself_and_stays_open(screen: Callable[..., Screen], host: Any) -> None:
    host.event("s1", "subagent.started", {"agent": "a1", "name": "explorer"})
    host.events("s1", [("message", {"role": "assistant", "agent": "a1"}, {"text": f"found {n}"}) for n in range(150)])
    one = opened(screen)
    thread = one.timeline().locator("details.thread")
    thread.locator("summary").click()
    expect(thread.locator(".thread-rows .event")).to_have_count(100)
    thread.get_by_role("button", name="Show 50 before these").click()
    expect(thread.locator(".thread-rows .event")).to_have_count(150)
    expect(thread.locator(".thread-rows .event").first).to_contain_text("found 0")
    one.expect_accessible()
    host.event("s1", "session.ended", {})
    expect(thread).to_contain_text("stopped")



def test_what_runs_says_for_how_long_and_ends_with_its_session(screen: Callable[..., Screen], host: Any) -> None:
    at = time.time_ns() // 1_000_000 - 130_000
    host.event("s1", "tool.started", {"call": "c1", "tool": "Bash", "operation": "make"}, {"input": {"command": "make"}}, at=at)
    one = opened(screen)
    running = one.timeline().locator('.event[data-state="running"]')
    expect(running.locator(".tool-result")).to_have_text("running 2 min …")
    before = running.bounding_box()
    host.event("s1", "tool.started", {"call": "c2", "tool": "Bash", "operation": "make test"}, {"input": {"command": "make test"}})
    second = one.timeline().locator('.event[data-key="t::c2"] .tool-result')
    assert wait_until(lambda: " s " in (second.text_content() or ""), 10, "its seconds")
    host.event("s1", "tool.finished", {"call": "c2", "tool": "Bash", "ok": True, "durationMs": 3100})
    expect(second).to_have_text("3.1 s")
    assert before and running.bounding_box() is not None
    # In an idle session a tool call without an end does not count as running.
    host.event("s1", "status.changed", {"status": "idle"})
    expect(running.locator(".tool-result")).to_contain_text("no end told")


@pytest.mark.parametrize("size", [{"width": 320, "height": 568}, DESK], ids=["narrow", "desk"])
def test_many_files_have_a_tree_that_leads_to_each(screen: Callable[..., Screen], host: Any, size: dict[str, int]) -> None:
    one = screen(size=size)
    host.start_session("s2", title="Rename it")
    paths = [f"Sources/{module}/{module}{number}.swift" for module in ("Basket", "Invoice") for number in range(4)]
    for path in paths[:7]:
        host.event("s2", "file.changed", {"path": path, "added": 1, "removed": 0}, {"diff": "@@ -0,0 +1 @@\n+x"})
    one.go("#/session/s2/changes")
    view = changes(one)
    fold = view.get_by_text("Files by folder", exact=True)
    expect(view.locator(".changes-file")).to_have_count(7)
    expect(fold).to_be_hidden()
    host.event("s2", "file.changed", {"path": paths[7], "added": 1, "removed": 0}, {"diff": "@@ -0,0 +1 @@\n+x"})
    fold.click()
    tree = view.get_by_role("navigation", name="Files by folder")
    expect(tree.locator(".changes-folder-name")).to_have_text(["Sources/", "Basket/", "Invoice/"])
    expect(tree.get_by_role("button")).to_have_count(8)
    one.expect_no_overflow()
    one.expect_accessible()
    last = view.locator(".changes-file", has_text="Invoice3.swift")
    last.get_by_role("checkbox").check()
    leaf = tree.get_by_role("button", name="Invoice3.swift")
    expect(leaf).to_contain_text("viewed")
    expect(last.locator("details")).not_to_have_attribute("open", "")
    leaf.click()
    expect(last.locator("summary")).to_be_focused()
    expect(last.locator(".diff")).to_be_in_viewport()
