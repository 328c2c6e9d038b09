"""A real Firefox from the switch on the page to a decision from its notification: the relay's ciphertext is opened by nothing of ours."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from firefox import Desktop, Firefox, FirefoxPushService, within
from host import ScriptedHost
from proxies import Certificate
from relay import Relay


def test_a_browser_is_switched_on_tested_decides_and_is_switched_off(tmp_path: Path) -> None:
    # On a thread of its own: Playwright keeps a loop on the main one, once a test has used it.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, journey(tmp_path)).result()


async def journey(folder: Path) -> None:
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
        host = await asyncio.to_thread(ScriptedHost, relay, "laptop")
        stack.callback(host.close)
        await asyncio.to_thread(host.start_session, "s1", title="Fix the login", project="webshop")
        firefox = await Firefox(folder / "profile", push.preferences, desktop).start()
        stack.push_async_callback(firefox.stop)
        await travel(relay, host, push, desktop, firefox)
        await asyncio.to_thread(relay.stop)
        relay.check_log()


async def travel(relay: Relay, host: ScriptedHost, push: FirefoxPushService, desktop: Desktop, firefox: Firefox) -> None:
    async def shown() -> dict[str, Any]:
        assert await within(push.acks.get(), "a push") == 100, "Firefox could not decrypt it"
        return await within(desktop.arrived.get(), "a notification")

    async def decided_by(button: str, command: str) -> dict[str, Any]:
        """Nobody looks at the page when it is asked."""
        await firefox.open("about:blank")
        approval = await asyncio.to_thread(host.request_approval, "s1", "Bash", {"command": command})
        notification = await shown()
        assert command in notification["body"]
        await desktop.press(notification, button)
        decision = await asyncio.to_thread(host.wait_decision, approval)
        assert decision["decision"]["decision"] == button
        return notification

    await firefox.permit(relay.url)
    await firefox.open(await asyncio.to_thread(relay.pair_link))
    await firefox.press("Pair this device")
    await firefox.until("document.querySelector('link-state')?.dataset.phase === 'live'", "the link")
    await firefox.run("void (location.hash = '#/devices')")
    await firefox.press("Switch on")
    await firefox.expect_button("Switch off")
    assert push.subscriptions == 1

    await firefox.press("Send a test")
    assert (await shown())["title"] == "Heliograph"
    await firefox.expect_text("It came to this browser and was shown.")

    assert list((await decided_by("deny", "make deploy"))["buttons"]) == ["deny", "review"]

    await firefox.open(relay.url + "/#/devices")
    await firefox.press("Change …")
    await firefox.choose("The whole command")
    await firefox.choose("Offer Allow in the notification")
    await firefox.press("Save")
    await firefox.expect_text("Where it shows the whole command, also while locked")
    assert list((await decided_by("allow", "make test"))["buttons"]) == ["deny", "allow"]

    await firefox.open(relay.url + "/#/devices")
    await firefox.press("Switch off")
    await firefox.expect_button("Switch on")
    assert push.subscriptions == 0
