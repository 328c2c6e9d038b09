"""The page in a browser: paired by a link, and watched for errors, layout shifts and accessibility faults (by axe)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect

from waits import patient

PHONE = {"width": 360, "height": 780}
DESK = {"width": 1280, "height": 800}
LOOKS = pytest.mark.parametrize("size, scheme", [(PHONE, "light"), (DESK, "dark")], ids=["phone, light", "desk, dark"])
"""Colours are the scheme's and places the size's: each once shows both."""

# Records layout shifts that no tap or key caused, with the elements that moved. Installed before the page's scripts.
WATCH_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    const moved = entry.sources.map(({ node }) => node && (node.outerHTML ?? node.textContent ?? "").slice(0, 120));
    window.shifts.push({ value: entry.value, moved });
  }
}).observe({ type: "layout-shift", buffered: true });
"""

# Errors that a browser logs for any failed request: before pairing, and while a test has stopped the relay.
UNPAIRED = ("status of 401",)
AWAY = ("ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "WebSocket connection to", "status of 503", "Failed to fetch", "error occurred when fetching the script")


BLOCKED = "Service Worker registration blocked by Playwright"
"""What we asked for ourselves, see `Screen.__init__`."""

NETWORK_MADE = "ERR_NETWORK_CHANGED"
"""Chromium's error when another test has created a network on this machine; the page then retries."""


class Screen:
    """One browser context, which is one device. `close` fails if the page logged an error or violated its own policy."""

    def __init__(self, browser: Browser, relay: Any, *, name: str = "Ada's phone", size: dict[str, int] = PHONE, scheme: str = "light", paired: bool = True, role: str = "client", locale: str = "en-US"):
        self.relay = relay
        # A relay with TLS has a self-signed certificate.
        self.context = browser.new_context(
            viewport=size, color_scheme=scheme, locale=locale, has_touch=size is PHONE, reduced_motion="reduce", ignore_https_errors=relay.url.startswith("https:"),
            # Chromium refuses service workers of a site whose certificate error is ignored, and logs that.
            service_workers="block" if relay.url.startswith("https:") else "allow",
        )
        self.context.set_default_timeout(patient(10_000))
        self.page: Page = self.context.new_page()
        self.problems: list[str] = []
        self.forgiven: tuple[str, ...] = UNPAIRED
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.problems.append(f"uncaught: {error}"))
        self.page.add_init_script(WATCH_SHIFTS)
        if paired:
            self.pair(name, role)

    def pair(self, name: str, role: str = "client") -> None:
        self.page.goto(self.relay.pair_link(role))
        field = self.page.get_by_label("Name of this device")
        expect(field).not_to_have_value("")
        field.fill(name)
        self.page.get_by_role("button", name="Pair this device").click()
        self.expect_live()

    def go(self, where: str) -> None:
        """Opens the fragment `#/…`, like a link."""
        self.page.evaluate("where => { location.hash = where }", where)

    def expect_live(self) -> None:
        expect(self.page.locator("link-state")).to_have_attribute("data-phase", "live")

    def wait_worker(self) -> None:
        """Waits until the service worker serves the page, which then loads without a relay."""
        self.page.evaluate("() => navigator.serviceWorker.ready")

    def forgive_absence(self) -> None:
        """Ignores the browser's errors about an unreachable relay from now on."""
        self.forgiven = UNPAIRED + AWAY

    def row(self, session: str) -> Locator:
        return self.page.locator(f'session-row:has(a[href="#/session/{session}"])')

    def card(self, approval: str, session: str | None = None) -> Locator:
        name = f'[id="approval-{session}/{approval}"]' if session else f'[id^="approval-"][id$="/{approval}"]'
        return self.page.locator(f"approval-card:has({name})")

    def timeline(self) -> Locator:
        return self.page.locator("session-timeline")

    def reset_shifts(self) -> None:
        self.settle()
        self.page.evaluate("() => { window.shifts = [] }")

    def shifts(self) -> list[dict[str, Any]]:
        self.settle()
        return self.page.evaluate("() => window.shifts")

    def settle(self) -> None:
        """Waits for two frames, after which pending drawing is done and observers were called."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))")

    def expect_no_overflow(self) -> None:
        wide = self.page.evaluate(
            """() => [document.documentElement, ...document.querySelectorAll("body, main, .pane:not([hidden]), .phone-scroller")]
                .filter((element) => element.scrollWidth > element.clientWidth).map((element) => element.outerHTML.slice(0, 80))""")
        assert not wide, f"wider than the screen: {wide}"

    def expect_accessible(self) -> None:
        found = Axe().run(self.page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
        assert found.violations_count == 0, found.generate_report()

    def close(self) -> None:
        self.context.close()
        assert not self.problems, "\n".join(self.problems)

    def _console(self, message: ConsoleMessage) -> None:
        # A relay without an address for browsers' push services answers 404, which the browser logs.
        if message.location["url"].endswith("/v1/push/key") and "status of 404" in message.text:
            return
        if message.type in ("error", "warning") and not any(words in message.text for words in (*self.forgiven, BLOCKED, NETWORK_MADE)):
            self.problems.append(f"{message.type}: {message.text}")


S = TypeVar("S", bound=Screen)


@contextmanager
def closing_screens(make: Callable[..., S]) -> Iterator[Callable[..., S]]:
    """Yields a function that makes screens; afterwards none of them may have logged an error."""
    made: list[S] = []

    def keep(**options: Any) -> S:
        made.append(make(**options))
        return made[-1]

    yield keep
    for one in made:
        one.close()
