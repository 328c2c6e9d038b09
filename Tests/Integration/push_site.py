"""The fake `PushService` beside a real relay, on a thread of its own, for tests that are plain functions."""

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from proxies import Certificate
from push_service import Answer, Browser, PushService, Request
from waits import patient, wait_until


class PushSite:
    """Serves `localhost` over TLS, with a certificate that the relay is configured to trust."""

    def __init__(self, folder: Path, protocols: tuple[str, ...] = ("h2", "http/1.1")):
        folder.mkdir(parents=True, exist_ok=True)
        self.certificate = Certificate(folder)
        self.seen: list[Request] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="push service", daemon=True)
        self._thread.start()
        self.service = PushService(str(self.certificate.chain), str(self.certificate.key), list(protocols))
        self.port: int = self._do(self.service.start())
        self._watch: asyncio.Task[None] = self._call(lambda: self._loop.create_task(self._note()))

    def close(self) -> None:
        self._do(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(patient(5))

    @property
    def environment(self) -> dict[str, str]:
        """The environment for `heliograph serve`."""
        return {
            "SSL_CERT_FILE": str(self.certificate.chain), "HELIOGRAPH_PUSH_HOSTS": f"localhost:{self.port}=127.0.0.1",
            "HELIOGRAPH_PUSH_CONTACT": "mailto:ada@example.org",
        }  # fmt: skip

    def subscribe(self, server_key: str) -> Browser:
        return self._call(lambda: self.service.subscribe(server_key))

    def unsubscribe(self, browser: Browser) -> None:
        self._call(lambda: self.service.unsubscribe(browser.endpoint))

    def answer(self, *answers: Answer) -> None:
        """Sets the answers to the next requests, in place of the service's own."""
        self._call(lambda: self.service.answers.extend(answers))

    @property
    def taken(self) -> list[Request]:
        return [request for request in self.seen if request.status == 201]

    def notifications(self, browser: Browser) -> list[Any]:
        """The notifications that the browser decrypted, oldest first."""
        path = browser.endpoint.removeprefix(self.service.origin)
        return [json.loads(request.text) for request in self.taken if request.path == path and request.text]

    def wait_notification(self, browser: Browser, fits: Callable[[Any], bool] = lambda _: True, timeout: float = 20) -> Any:
        def found() -> Any:
            return next((shown for shown in reversed(self.notifications(browser)) if fits(shown)), None)

        return wait_until(found, timeout, lambda: f"a notification; what came: {[(r.status, r.reason, r.text[:200]) for r in self.seen]}", every=0.05)

    def wait_requests(self, count: int, timeout: float = 20) -> list[Request]:
        wait_until(lambda: len(self.seen) >= count, timeout, lambda: f"{count} requests; there are {len(self.seen)}", every=0.05)
        return self.seen

    async def _end(self) -> None:
        self.service.server.close()
        # Idle connections of a relay would keep the server open, so they are closed here.
        for writer in self.service.writers:
            writer.close()
        self._watch.cancel()
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()}, return_exceptions=True)

    async def _note(self) -> None:
        while True:
            self.seen.append(await self.service.requests.get())

    def _call(self, action: Callable[[], Any]) -> Any:
        async def run() -> Any:
            return action()

        return self._do(run())

    def _do(self, work: Coroutine[Any, Any, Any]) -> Any:
        future: Future[Any] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result(patient(10))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[PushSite]:
    site = PushSite(tmp_path / "service")
    yield site
    site.close()
