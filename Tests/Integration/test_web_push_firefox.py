"""A real Firefox, from switching notifications on to deciding by one: only Firefox decrypts the relay's push."""

import asyncio
import tempfile
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from claude import DIALOG, Machine
from client import WireClient
from firefox import Desktop, Firefox, FirefoxPushService, within
from host import ScriptedHost
from proxies import Certificate
from relay import Relay

COMMAND = "echo hi > out.txt"
WRITE = {"tool": "Bash", "input": {"command": COMMAND, "description": "Create out.txt"}}


@dataclass
class Stage:
    """A relay, and a Firefox that is paired with it and receives its pushes."""

    relay: Relay
    push: FirefoxPushService
    desktop: Desktop
    firefox: Firefox

    async def shown(self) -> dict[str, Any]:
        assert await within(self.push.acks.get(), "a push") == 100, "Firefox could not decrypt it"
        return await within(self.desktop.arrived.get(), "a notification")

    async def leave(self) -> None:
        """Leaves the page, so that nobody looks at it."""
        await self.firefox.open("about:blank")


def on_stage(folder: Path, travel: Callable[[Stage], Coroutine[Any, Any, None]]) -> None:
    # Runs in a separate thread, because Playwright leaves an event loop on the main one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, journey(folder, travel)).result()


async def journey(folder: Path, travel: Callable[[Stage], Coroutine[Any, Any, None]]) -> None:
    async with AsyncExitStack() as stack:
        certificate = Certificate(folder)
        push = FirefoxPushService(str(certificate.chain), str(certificate.key))
        port = await push.start()
        stack.callback(push.close)
        desktop = await Desktop().start()
        stack.push_async_callback(desktop.stop)
        relay = Relay(folder / "relay", environment={"SSL_CERT_FILE": str(certificate.chain), "HELIOGRAPH_PUSH_HOSTS": f"localhost:{port}=127.0.0.1",
            "HELIOGRAPH_PUSH_CONTACT": "mailto:ada@example.org"})  # fmt: skip
        stack.callback(relay.kill)
        await asyncio.to_thread(relay.start)
        firefox = await Firefox(folder / "profile", push.preferences, desktop).start()
        stack.push_async_callback(firefox.stop)
        on_it = Stage(relay, push, desktop, firefox)
        await switch_on(on_it)
        await travel(on_it)
        await asyncio.to_thread(relay.stop)
        relay.check_log()


async def switch_on(stage: Stage) -> None:
    firefox, relay = stage.firefox, stage.relay
    await firefox.permit(relay.url)
    await firefox.open(await asyncio.to_thread(relay.pair_link))
    await firefox.press("Pair this device")
    await firefox.until("document.querySelector('link-state')?.dataset.phase === 'live'", "the link")
    await firefox.run("void (location.hash = '#/devices')")
    await firefox.press("Switch on")
    await firefox.expect_button("Switch off")
    assert stage.push.subscriptions == 1


def test_a_browser_is_tested_decides_and_is_switched_off(tmp_path: Path) -> None:
    async def travel(stage: Stage) -> None:
        firefox = stage.firefox
        host = await asyncio.to_thread(ScriptedHost, stage.relay, "laptop")
        await asyncio.to_thread(host.start_session, "s1", title="Fix the login", project="webshop")

        async def decided_by(button: str, command: str) -> dict[str, Any]:
            await stage.leave()
            approval = await asyncio.to_thread(host.request_approval, "s1", "Bash", {"command": command})
            notification = await stage.shown()
            assert command in notification["body"]
            await stage.desktop.press(notification, button)
            decision = await asyncio.to_thread(host.wait_decision, approval)
            assert decision["decision"]["decision"] == button
            return notification

        await firefox.press("Send a test")
        assert (await stage.shown())["title"] == "Heliograph"
        await firefox.expect_text("It came to this browser and was shown.")

        assert list((await decided_by("deny", "make deploy"))["buttons"]) == ["deny", "review"]

        await firefox.open(stage.relay.url + "/#/devices")
        await firefox.press("Change …")
        await firefox.choose("The whole command")
        await firefox.choose("Offer Allow in the notification")
        await firefox.press("Save")
        await firefox.expect_text("Where it shows the whole command, also while locked")
        assert list((await decided_by("allow", "make test"))["buttons"]) == ["deny", "allow"]

        await firefox.open(stage.relay.url + "/#/devices")
        await firefox.press("Switch off")
        await firefox.expect_button("Switch on")
        assert stage.push.subscriptions == 0
        await asyncio.to_thread(host.close)

    on_stage(tmp_path, travel)


@pytest.mark.agent
def test_claude_code_is_denied_from_a_notification_and_another_is_reviewed(tmp_path: Path) -> None:
    async def travel(stage: Stage) -> None:
        # The host's Unix socket needs a short path.
        with tempfile.TemporaryDirectory(prefix="hg-", ignore_cleanup_errors=True) as folder:
            machine = Machine(Path(folder), stage.relay)
            phone = await asyncio.to_thread(WireClient, stage.relay, "Ada's phone")
            try:
                await asyncio.to_thread(phone.subscribe)
                await asyncio.to_thread(machine.set_up)
                await with_claude(stage, machine, phone)
            finally:
                await asyncio.to_thread(phone.close)
                await asyncio.to_thread(machine.tear_down)
        phone.check()

    on_stage(tmp_path, travel)


async def with_claude(stage: Stage, machine: Machine, phone: WireClient) -> None:
    asked: list[str] = []

    async def ask(prompt: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Sends a prompt that causes an approval; returns the notification and the approval."""
        await asyncio.to_thread(machine.prompt, prompt)
        await asyncio.to_thread(machine.wait_screen, DIALOG)
        notification = await stage.shown()
        card = await asyncio.to_thread(phone.wait_card, lambda card: card["approval"] not in asked)
        asked.append(card["approval"])
        assert COMMAND in notification["body"] and "Bash" in notification["title"]
        return notification, card

    async def ended(card: dict[str, Any], count: int) -> None:
        """Waits until the agent has received the denial, and checks that the command did not run."""
        assert (await asyncio.to_thread(phone.wait_approval, card["approval"], "applied"))["outcome"] == "denied"
        await asyncio.to_thread(machine.wait_screen, f"Done, number {count}.")
        assert not (machine.project / "out.txt").exists()

    await stage.leave()
    script = [step for count in (1, 2) for step in ([WRITE], [{"text": f"Done, number {count}."}])]
    await asyncio.to_thread(machine.start_claude, script)

    notification, card = await ask("please write it")
    await stage.desktop.press(notification, "deny")
    await ended(card, 1)

    notification, card = await ask("write it all the same")
    assert list(notification["buttons"]) == ["deny", "review"]
    await stage.desktop.press(notification, "review")
    await stage.firefox.look_at(f"{stage.relay.url}/#/approvals/{card['session']}/{card['approval']}")
    await stage.firefox.expect_text(COMMAND)
    await stage.firefox.press("Deny …")
    await stage.firefox.press("Deny")
    await ended(card, 2)
