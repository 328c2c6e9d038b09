"""The page's main functions in other engines: Debian's Firefox, and WebKitGTK if it is installed."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest

from driven import Driven
from firefox import Desktop, Firefox
from relay import Relay
from webkit import IS_HERE, WebKit

ENGINES = ["firefox", *(["webkit"] if IS_HERE else [])]
PHONE = (390, 664)
"""A phone's browser with its bars."""
OFFER = {"actions": ["prompt", "interrupt"], "whileBusy": True}
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
WATCH = "window.faults = []; addEventListener('error', ({ message }) => faults.push(message)); addEventListener('unhandledrejection', ({ reason }) => faults.push(String(reason)))"


def travelling(engine: str, folder: Path, travel: Callable[[Driven], Coroutine[Any, Any, None]]) -> None:
    async def journey() -> None:
        desktop = await Desktop().start()
        browser = Firefox(folder / "profile", {}, desktop) if engine == "firefox" else WebKit(folder / "webkit")
        try:
            await browser.start()
            await browser.resize(*PHONE)
            await travel(browser)
        finally:
            await browser.stop()
            await desktop.stop()

    # Runs in a separate thread, because Playwright leaves an event loop on the main one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, journey()).result()


async def expect_accessible(browser: Driven) -> None:
    found = await browser.run(f"(async () => {{ {AXE}; return (await axe.run({json.dumps(RULES)})).violations.map(({{ id, nodes }}) => `${{id}}: ${{nodes.map(({{ html }}) => html)}}`) }})()")
    assert found == []


async def expect_phase(browser: Driven, phase: str) -> None:
    await browser.until(f"document.querySelector('link-state')?.dataset.phase === '{phase}'", f"the link to be {phase}")


async def paired(browser: Driven, relay: Relay) -> None:
    await browser.open(await asyncio.to_thread(relay.pair_link, "operator"))
    await browser.expect_in_reach("Pair this device")
    await expect_accessible(browser)
    await browser.press("Pair this device")
    await expect_phase(browser, "live")
    await browser.run(f"(() => {{ {WATCH} }})()")


@pytest.mark.parametrize("engine", ENGINES)
def test_the_main_path(engine: str, relay: Relay, scripted_host: Callable[..., Any], short_path: Path) -> None:
    host = scripted_host(relay, name="laptop", capabilities=("steer",))
    host.start_session("s1", title="Fix the login", project="webshop")
    host.event("s1", "steering.offered", OFFER)
    for number in range(30):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"Paragraph {number} of what was found.\n\n```js\nconst n = {number};\n```"})
    first = host.request_approval("s1", "Bash", {"command": "npm test", "description": "Run the tests"})
    host.wait_acked("s1")

    async def travel(browser: Driven) -> None:
        await paired(browser, relay)
        await browser.expect_text("Fix the login")
        await expect_accessible(browser)
        # After opening the session from its row both buttons of its approval are visible without scrolling.
        await browser.run("void document.querySelector('session-row a').click()")
        await browser.expect_in_reach("Allow")
        await browser.expect_in_reach("Deny …")
        await expect_accessible(browser)
        await browser.press("Allow")
        assert (await asyncio.to_thread(host.wait_decision, first))["decision"]["decision"] == "allow"
        host.apply("s1", first)
        await browser.expect_text("Allowed by you")

        second = host.request_approval("s1", "Bash", {"command": "git push", "description": "Push it"})
        await browser.expect_in_reach("Deny …")
        await browser.press("Deny …")
        await browser.fill("approval-card textarea", "Open a pull request instead")
        await browser.expect_in_reach("Deny")
        await browser.press("Deny")
        decision = (await asyncio.to_thread(host.wait_decision, second))["decision"]
        assert (decision["decision"], decision["message"]) == ("deny", "Open a pull request instead")
        host.apply("s1", second, "denied")
        await browser.expect_text("Denied by you")

        host.event("s1", "status.changed", {"status": "idle"})
        await browser.fill("session-composer textarea", "And update the changelog")
        await browser.expect_in_reach("Send")
        await browser.press("Send")
        prompt = await asyncio.to_thread(host.wait_steered, "prompt")
        assert prompt["text"] == "And update the changelog"
        host.steered(prompt, "taken")
        await browser.until("document.querySelector('session-composer textarea').value === ''", "an empty field")

        await browser.run("void document.querySelector('.back').click()")
        await browser.until("!document.querySelector('session-list').hidden", "the list")
        await browser.run("void history.back()")
        await browser.until("!document.querySelector('session-view').hidden", "the session")
        await browser.expect_text("And update the changelog")

        await asyncio.to_thread(relay.kill)
        await expect_phase(browser, "waiting")
        await asyncio.to_thread(relay.start)
        await expect_phase(browser, "live")
        host.event("s1", "message", {"role": "assistant"}, {"text": "Back again, with nothing lost."})
        await browser.expect_text("Back again, with nothing lost.")
        assert await browser.run("faults") == []
        for where in ("#/approvals/recent", "#/devices", "#/link", "#/budgets"):
            await browser.run(f"void (location.hash = {json.dumps(where)})")
            await expect_accessible(browser)

    travelling(engine, short_path, travel)
