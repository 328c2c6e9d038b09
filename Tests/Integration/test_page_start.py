"""Starting a session on the page, and resuming a past one."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from page_screen import LOOKS, Screen
from pictures import png

OFFER = {
    "actions": ["start", "resume", "past"],
    "projects": [{"name": "site", "folder": "~/work/site"}, {"name": "api", "folder": "~/work/" + "a-folder-with-a-long-name/" * 4}],
    "agents": [{"name": "claude", "title": "Claude Code", "modes": ["default", "plan"], "pictures": True}, {"name": "codex", "title": "Codex", "modes": ["untrusted"]}],
}


@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop", capabilities=("steer",))
    host.start_session("heliograph-d1", title="New sessions", agent={"name": "heliograph"})
    host.event("heliograph-d1", "status.changed", {"status": "idle"})
    host.event("heliograph-d1", "steering.offered", OFFER)
    host.start_session("s1", title="Fix the login")
    host.wait_acked("heliograph-d1")
    host.wait_acked("s1")
    return host


def outcome(host: Any, asked: dict[str, Any], stage: str, body: dict[str, Any] | None = None, **head: Any) -> None:
    host.event("heliograph-d1", "steering.changed", {"client": asked["by"]["id"], "command": asked["id"], "stage": stage, **head}, body)


def opened(screen: Callable[..., Screen], **options: Any) -> Screen:
    one = screen(role="operator", **options)
    one.go("#/")
    one.page.get_by_role("link", name="New", exact=True).click()
    expect(one.page.get_by_role("heading", name="New session")).to_be_focused()
    return one


def field(one: Screen, name: str) -> Locator:
    return one.page.locator("start-view").get_by_label(name, exact=True)


@LOOKS
def test_a_session_is_started_and_shown_when_it_is_there(screen: Callable[..., Screen], host: Any, size: dict[str, int], scheme: str) -> None:
    one = opened(screen, size=size, scheme=scheme)
    expect(one.page.locator("session-list a.row")).to_have_count(1)
    one.expect_accessible()
    one.expect_no_overflow()
    field(one, "Project").select_option(label="site · laptop · ~/work/site")
    field(one, "Mode").select_option("plan")
    field(one, "First prompt").fill("Fix the failing test")
    one.page.get_by_role("button", name="Start", exact=True).click()
    asked = host.wait_steered("start")
    assert {name: asked.get(name) for name in ("session", "project", "agent", "mode", "model", "text")} == {
        "session": "heliograph-d1", "project": "site", "agent": "claude", "mode": "plan", "model": None, "text": "Fix the failing test",
    }
    expect(one.page.locator("start-view")).to_contain_text("On its way to the host")
    expect(one.page.get_by_role("button", name="Start", exact=True)).to_be_disabled()
    host.start_session("s2", title="Fix the failing test")
    outcome(host, asked, "taken", started="s2")
    expect(one.page.locator("session-view h2")).to_contain_text("Fix the failing test")


def test_past_sessions_are_listed_and_one_is_resumed(screen: Callable[..., Screen], host: Any) -> None:
    one = opened(screen)
    field(one, "Project").select_option(label="site · laptop · ~/work/site")
    one.page.get_by_role("button", name="Past sessions").click()
    past = [{"id": "p1", "title": "Fix <b>it</b>", "at": 1, "open": True}, {"id": "p2", "title": "Write the docs", "at": 1}]
    outcome(host, host.wait_steered("past"), "taken", {"sessions": past})
    expect(one.page.get_by_role("button", name="Open elsewhere: Fix <b>it</b>")).to_be_disabled()
    one.expect_accessible()
    one.expect_no_overflow()
    one.page.get_by_role("button", name="Resume: Write the docs").click()
    asked = host.wait_steered("resume")
    assert (asked["past"], asked["project"], asked["agent"]) == ("p2", "site", "claude")
    outcome(host, asked, "refused", reason="it is open in another program")
    expect(one.page.locator("start-view")).to_contain_text("Not started: it is open in another program.")


def test_a_picture_goes_with_the_first_prompt_of_an_agent_that_takes_some(screen: Callable[..., Screen], host: Any, relay: Any) -> None:
    one = opened(screen)
    add, start = (one.page.locator("start-view").get_by_role("button", name=name, exact=True) for name in ("Add a picture", "Start"))
    field(one, "Agent").select_option("codex")
    expect(add).to_be_hidden()
    field(one, "Agent").select_option("claude")
    expect(add).to_be_visible()
    one.page.locator("start-view input[type=file]").set_input_files([{"name": "screen.png", "mimeType": "image/png", "buffer": png(40, 30)}])
    expect(one.page.locator("start-view").get_by_role("list", name="Pictures that go with it").get_by_role("listitem")).to_have_count(1)
    one.expect_accessible()
    one.expect_no_overflow()
    start.click()
    expect(one.page.locator("start-view [role=alert]")).to_contain_text("Write a prompt")
    field(one, "First prompt").fill("What is wrong here?")
    start.click()
    asked = host.wait_steered("start")
    (picture,) = asked["pictures"]
    got = relay.get(f"/v1/pictures/{picture['digest']}", {"Authorization": f"Bearer {host.token}"})
    assert (got.status, len(got.body), asked["text"]) == (200, picture["bytes"], "What is wrong here?")


def test_who_may_not_steer_is_offered_nothing(screen: Callable[..., Screen], host: Any) -> None:
    one = screen(role="client")
    one.go("#/")
    expect(one.page.locator("session-list a.row")).to_have_count(1)
    expect(one.page.get_by_role("link", name="New", exact=True)).to_be_hidden()
    one.go("#/start")
    expect(one.page.locator("start-view")).to_contain_text("--role operator")
    expect(one.page.get_by_role("button", name="Start", exact=True)).to_be_hidden()
    one.expect_accessible()
