"""The main use in one test: the real Claude Code at a terminal, the real page, and `heliograph watch` in another terminal."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from claude import DIALOG
from page_screen import Screen
from relay import BINARY
from terminal import Terminal
from trusting import trust_page

pytestmark = pytest.mark.agent

BUILD = {"tool": "Bash", "input": {"command": "echo built > built.txt", "description": "Build it"}}
PUBLISH = {"tool": "Bash", "input": {"command": "echo published > published.txt", "description": "Publish it"}}
SCRIPT = [[{"text": "First the build."}, BUILD], [{"text": "It is built."}], [{"text": "Now out with it."}, PUBLISH], [{"text": "Then I leave it."}]]


def test_an_approval_from_end_to_end(machine: Any, relay: Any, screen: Callable[..., Screen]) -> None:
    """The page and `watch` show the session live; the page allows once and denies once with a reason, both signed; the terminal's own prompt stays
    usable.
    """
    machine.heliograph("login", relay.pair_link(), "--name", "Ada's shell")
    watch = Terminal(machine.folder / "watch", machine.environment, machine.project)
    page = screen(name="Ada's phone")
    trust_page(machine, page)
    try:
        watch.run([str(BINARY), "watch"], machine.environment)
        watch.wait_screen("watching 0 sessions")

        machine.start_claude(SCRIPT)
        machine.prompt("please build it")
        machine.wait_screen(DIALOG)
        row = page.page.locator("session-row")
        expect(row).to_contain_text("Needs you")
        row.click()
        expect(page.timeline()).to_contain_text("please build it")
        expect(page.timeline()).to_contain_text("First the build.")
        watch.wait_screen("First the build.")
        watch.wait_screen("WANTS TO Bash")
        assert not (machine.project / "built.txt").exists()

        page.go("#/approvals")
        card = page.page.locator("approvals-inbox approval-card", has_text="built.txt")
        expect(card.locator("pre")).to_have_text(BUILD["input"]["command"])
        card.get_by_role("button", name="Allow", exact=True).click()
        assert machine.wait_file("built.txt") == "built\n"
        machine.wait_gone(DIALOG)
        machine.wait_screen("It is built.")
        expect(card).to_contain_text("Allowed by you")
        expect(card).to_have_attribute("data-stage", "applied")
        watch.wait_screen("allowed by Ada's phone")

        machine.prompt("now publish it")
        machine.wait_screen(DIALOG)
        card = page.page.locator("approvals-inbox approval-card", has_text="published.txt")
        card.get_by_role("button", name="Deny …").click()
        card.get_by_label("Message to the agent").fill("Not before Monday")
        card.get_by_role("button", name="Deny", exact=True).click()
        machine.wait_tool_result("Not before Monday")
        machine.wait_gone(DIALOG)
        machine.wait_screen("Then I leave it.")
        expect(card).to_contain_text("Denied by you")
        expect(card).to_have_attribute("data-stage", "applied")
        watch.wait_screen("denied by Ada's phone: Not before Monday")
        watch.wait_screen("Then I leave it.")
        assert not (machine.project / "published.txt").exists()
    finally:
        watch.close()
