"""Debian's WebKitGTK on a virtual screen, driven over WebDriver: the closest engine to Safari on Linux."""

import asyncio
import json
import os
import shutil
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Self

from driven import Driven
from relay import free_port
from waits import patient, wait_until

SCREEN = "1400x1000x24"
IS_HERE = shutil.which("WebKitWebDriver") is not None and shutil.which("Xvfb") is not None
"""The packages are webkit2gtk-driver and xvfb."""


class WebKit(Driven):
    def __init__(self, folder: Path):
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self._session = ""

    async def start(self) -> Self:
        await asyncio.to_thread(self._start)
        return self

    async def stop(self) -> None:
        await asyncio.to_thread(self._stop)

    async def resize(self, width: int, height: int) -> None:
        """Gives the page that size; the window is larger by its border and bar."""
        outer = {"width": width, "height": height}
        for _ in range(2):
            await self._command("POST", "window/rect", outer)
            inner = await self.run("[innerWidth, innerHeight]")
            outer = {"width": outer["width"] + width - inner[0], "height": outer["height"] + height - inner[1]}

    async def open(self, url: str) -> None:
        await self._command("POST", "url", {"url": url})

    async def run(self, expression: str) -> Any:
        script = (
            f"const done = arguments[0]; (async () => JSON.stringify(await ({expression})) ?? 'null')()"
            ".then((value) => done({ value }), (error) => done({ error: `${error} ${error.stack}` }))"
        )
        answer = await self._command("POST", "execute/async", {"script": script, "args": []})
        assert "value" in answer, answer
        return json.loads(answer["value"])

    def _start(self) -> None:
        self._folder.mkdir()
        read, write = os.pipe()
        self._spawn(["Xvfb", "-displayfd", str(write), "-screen", "0", SCREEN, "-nolisten", "tcp"], {}, (write,))
        os.close(write)
        with os.fdopen(read) as told:
            display = told.readline().strip()
        port = free_port()
        self._driver = f"http://127.0.0.1:{port}"
        # WebKit would use a GPU, which this machine lacks.
        self._spawn(["WebKitWebDriver", f"--port={port}"], {"DISPLAY": f":{display}", "WEBKIT_DISABLE_COMPOSITING_MODE": "1", "NO_AT_BRIDGE": "1"})
        wait_until(self._is_up, 20, lambda: f"WebKitWebDriver to come up; see {self._folder}")
        self._session = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": {}}})["sessionId"]
        self._ask("POST", f"/session/{self._session}/timeouts", {"script": int(patient(30_000))})

    def _spawn(self, command: list[str], environment: dict[str, str], inherited: tuple[int, ...] = ()) -> None:
        with (self._folder / f"{command[0]}.log").open("wb") as log:
            own = {"HOME": str(self._folder), "XDG_RUNTIME_DIR": str(self._folder), **environment}
            self._processes.append(subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | own, pass_fds=inherited))

    def _stop(self) -> None:
        try:
            if self._session:
                self._ask("DELETE", f"/session/{self._session}")
        finally:
            for process in reversed(self._processes):
                process.terminate()
            for process in self._processes:
                try:
                    process.wait(patient(10))
                except subprocess.TimeoutExpired:
                    process.kill()

    def _is_up(self) -> bool:
        try:
            return self._ask("GET", "/status")["ready"]
        except urllib.error.URLError:
            return False

    async def _command(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return await asyncio.to_thread(self._ask, method, f"/session/{self._session}/{path}", body)

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        request = urllib.request.Request(f"{self._driver}{path}", json.dumps(body).encode() if body is not None else None, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=patient(60)) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as refusal:
            raise AssertionError(f"{method} {path}: {refusal.read().decode(errors='replace')[:2000]}") from None
