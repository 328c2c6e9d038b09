"""Debian's Firefox, headless, with a fake push service and a fake desktop: Firefox subscribes, decrypts and shows pushes, and the test presses notifications.

The test drives Firefox over WebDriver BiDi, and Firefox keeps a WebSocket to the push service with Mozilla's protocol (hello, register, notification, ack).
"""

import asyncio
import base64
import json
import os
import re
import subprocess
import time
import uuid
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Self

from cryptography.hazmat.primitives.asymmetric import ec
from jeepney import DBusAddress, HeaderFields, Message, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.asyncio import open_dbus_connection
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from driven import WAIT, Driven
from push_service import Browser, PushService, decoded
from waits import patient

QUIET = {
    "app.update.enabled": False, "browser.safebrowsing.update.enabled": False, "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0, "datareporting.policy.dataSubmissionEnabled": False, "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1", "toolkit.telemetry.enabled": False,
}  # fmt: skip
"""Preferences that keep it from contacting anything but the test."""


async def within(awaited: Awaitable[Any], what: str) -> Any:
    try:
        async with asyncio.timeout(patient(WAIT)):
            return await awaited
    except TimeoutError:
        raise AssertionError(f"waited {patient(WAIT):g} s in vain for {what}") from None


class FirefoxPushService(PushService):
    """Issues subscriptions to one Firefox and forwards pushes to it. The service cannot decrypt them; Firefox's acks show whether Firefox could."""

    def __init__(self, certificate: str, key: str):
        super().__init__(certificate, key, ["h2", "http/1.1"])
        self.acks: asyncio.Queue[int] = asyncio.Queue()
        """100 if decrypted, 101 if not."""
        self._outgoing: asyncio.Queue[str] = asyncio.Queue()
        self._channels: dict[str, str] = {}

    async def start(self) -> int:
        port = await super().start()
        self._sockets = await serve(self._firefox, "127.0.0.1", 0, subprotocols=["push-notification"])  # type: ignore[list-item]
        return port

    def close(self) -> None:
        self.server.close()
        self._sockets.close()

    @property
    def preferences(self) -> dict[str, Any]:
        port = next(iter(self._sockets.sockets)).getsockname()[1]
        # Firefox's recommended preferences for remote control switch pushes off, so they are not applied.
        return {"dom.push.serverURL": f"ws://127.0.0.1:{port}/", "dom.push.testing.allowInsecureServerURL": True,
            "dom.push.connection.enabled": True, "remote.prefs.recommended": False}  # fmt: skip

    @property
    def subscriptions(self) -> int:
        return len(self._channels)

    def open(self, body: bytes, browser: Browser) -> bytes:
        channel = next(channel for channel, endpoint in self._channels.items() if endpoint == browser.endpoint)
        data = base64.urlsafe_b64encode(body).rstrip(b"=").decode()
        self._outgoing.put_nowait(json.dumps({"messageType": "notification", "channelID": channel, "version": uuid.uuid4().hex, "ttl": 60,
            "data": data, "headers": {"encoding": "aes128gcm"}}))  # fmt: skip
        return b""

    async def _firefox(self, socket: ServerConnection) -> None:
        sending = asyncio.create_task(self._send(socket))
        try:
            async for text in socket:
                answer = self._answer(json.loads(text))
                if answer is not None:
                    self._outgoing.put_nowait(json.dumps(answer))
        finally:
            sending.cancel()

    async def _send(self, socket: ServerConnection) -> None:
        while True:
            text = await self._outgoing.get()
            await socket.send(text)

    def _answer(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """The reply to Firefox's message; None if it needs none."""
        match message.get("messageType"):
            case "hello":
                return {"messageType": "hello", "uaid": message.get("uaid") or uuid.uuid4().hex, "status": 200, "use_webpush": True, "broadcasts": {}}
            case "register":
                path = f"/wpush/v2/{uuid.uuid4().hex}"
                # A placeholder key: Firefox's private key never leaves Firefox, so this one decrypts nothing.
                self.browsers[path] = Browser(self.origin + path, ec.generate_private_key(ec.SECP256R1()), b"", decoded(message["key"].rstrip("=")))
                self._channels[message["channelID"]] = self.origin + path
                return {"messageType": "register", "channelID": message["channelID"], "status": 200, "pushEndpoint": self.origin + path}
            case "unregister":
                if endpoint := self._channels.pop(message["channelID"], None):
                    self.unsubscribe(endpoint)
                return {"messageType": "unregister", "channelID": message["channelID"], "status": 200}
            case "ack":
                for update in message["updates"]:
                    self.acks.put_nowait(update["code"])
                return None
        return {}  # An empty object is Firefox's ping.


class Desktop:
    """A fake `org.freedesktop.Notifications` on a session bus of its own, so that a test sees and presses notifications like a person."""

    PLACE = DBusAddress("/org/freedesktop/Notifications", interface="org.freedesktop.Notifications")

    def __init__(self) -> None:
        self.arrived: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        """Each with `id`, `title`, `body` and `buttons`, by what the page calls them."""
        self._last = 0

    async def start(self) -> Self:
        command = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert self._process.stdout
        self.address = (await asyncio.to_thread(self._process.stdout.readline)).decode().strip()
        self._connection = await open_dbus_connection(self.address)
        await self._connection.send(message_bus.RequestName("org.freedesktop.Notifications"))
        self._serving = asyncio.create_task(self._serve())
        return self

    async def press(self, shown: dict[str, Any], button: str) -> None:
        # Firefox names a page's action `allow` `allow-moz`.
        await self._connection.send(new_signal(self.PLACE, "ActionInvoked", "us", (shown["id"], f"{button}-moz")))

    async def stop(self) -> None:
        self._serving.cancel()
        await self._connection.close()
        self._process.terminate()
        await asyncio.to_thread(self._process.wait)

    async def _serve(self) -> None:
        while True:
            message = await self._connection.receive()
            if message.header.message_type == MessageType.method_call:
                await self._connection.send(self._answer(message))

    def _answer(self, message: Message) -> Message:
        match message.header.fields[HeaderFields.member]:
            case "GetCapabilities":
                return new_method_return(message, "as", (["actions", "body", "persistence"],))
            case "GetServerInformation":
                return new_method_return(message, "ssss", ("desktop of a test", "test", "1", "1.2"))
            case "Notify":
                _, replaces, _, title, body, actions, _, _ = message.body
                self._last = replaces or self._last + 1
                buttons = {name.removesuffix("-moz"): words for name, words in zip(actions[::2], actions[1::2]) if name.endswith("-moz")}
                self.arrived.put_nowait({"id": self._last, "title": title, "body": body, "buttons": buttons})
                return new_method_return(message, "u", (self._last,))
            case "CloseNotification":
                return new_method_return(message)
        return new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")


class Firefox(Driven):
    def __init__(self, profile: Path, preferences: dict[str, Any], desktop: Desktop):
        self._profile, self._preferences, self._desktop = profile, preferences, desktop
        self._number = 0

    async def start(self) -> Self:
        self._profile.mkdir()
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in {**QUIET, **self._preferences}.items()]
        (self._profile / "user.js").write_text("\n".join(lines))
        log = self._profile / "log"
        command = ["firefox-esr", "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", str(self._profile), "about:blank"]
        environment = {**os.environ, "HOME": str(self._profile), "DBUS_SESSION_BUS_ADDRESS": self._desktop.address}
        with log.open("wb") as file:
            self._process = subprocess.Popen(command, stdout=file, stderr=file, env=environment)
        try:
            self._socket = await connect(await within(self._address(log), f"Firefox to come up; see {log}") + "/session", max_size=None)
            await self.command("session.new", capabilities={})
            self._context = (await self.command("browsingContext.getTree"))["contexts"][0]["context"]
        except BaseException:
            self._process.kill()
            raise
        return self

    async def stop(self) -> None:
        try:
            await self.command("browser.close")
            await asyncio.to_thread(self._process.wait, patient(WAIT))
        finally:
            self._process.kill()

    async def command(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        await self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        answer: dict[str, Any] = {}
        while answer.get("id") != self._number:
            answer = json.loads(await within(self._socket.recv(), f"an answer to {method}"))
        assert answer["type"] == "success", f"{method}: {answer}"
        return answer["result"]

    async def permit(self, origin: str) -> None:
        """Permits notifications for the origin, like a person who chooses Allow."""
        await self.command("permissions.setPermission", descriptor={"name": "notifications"}, state="granted", origin=origin)

    async def resize(self, width: int, height: int) -> None:
        await self.command("browsingContext.setViewport", context=self._context, viewport={"width": width, "height": height})

    async def open(self, url: str) -> None:
        await self.command("browsingContext.navigate", context=self._context, url=url, wait="complete")

    async def look_at(self, url: str) -> None:
        """Uses the tab with this URL from now on."""
        deadline = time.monotonic() + patient(WAIT)
        while True:
            tabs = (await self.command("browsingContext.getTree"))["contexts"]
            if found := next((tab["context"] for tab in tabs if tab["url"] == url), None):
                self._context = found
                return
            assert time.monotonic() < deadline, f"waited in vain for {url}; there is {[tab['url'] for tab in tabs]}"
            await asyncio.sleep(0.05)

    async def run(self, expression: str) -> Any:
        answer = await self.command("script.evaluate", expression=f"(async () => JSON.stringify(await ({expression})) ?? 'null')()",
            target={"context": self._context}, awaitPromise=True, userActivation=True)  # fmt: skip
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])

    async def _address(self, log: Path) -> str:
        while not (found := re.search(r"WebDriver BiDi listening on (ws://\S+)", log.read_text(errors="replace"))):
            assert self._process.poll() is None, f"Firefox ended with {self._process.returncode}: {log.read_text(errors='replace')}"
            await asyncio.sleep(0.1)
        return found.group(1)
