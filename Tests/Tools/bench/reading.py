"""The cost for a browser of opening and showing a session's content, sealed and unsealed."""

import statistics
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import rows
from client import WireClient
from daemon import Daemon
from own_agent import event, post
from page_screen import DESK, Screen
from playwright.sync_api import Browser, expect, sync_playwright
from servers import RelayServer
from trusting import trust_page

EVENTS = 5_000
TOGETHER = 50
"""In one request to the host."""
TEXT = "The test passes now; the cause was a clock that two of them shared. " * 4
ROUNDS = 5
GOAL = 1.5
NAMES = ("open", "sealed")
READ = """async () => {
  const view = document.querySelector("session-timeline");
  for (;;) {
    const [earlier, beginning] = view.querySelectorAll(".timeline-content > .earlier");
    if (earlier.hidden && !beginning.hidden) return;
    if (!earlier.hidden && !earlier.disabled) earlier.click();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}"""
"""Reads on, page by page, until the beginning shows."""


def processor_seconds(browser: Browser) -> float:
    """Processor seconds of all of the browser's processes, because WebCrypto works in threads of its own."""
    session = browser.new_browser_cdp_session()
    try:
        return sum(process["cpuTime"] for process in session.send("SystemInfo.getProcessInfo")["processInfo"])
    finally:
        session.detach()


def read_through(browser: Browser, screen: Screen, session: str) -> float:
    """Processor seconds from the list until the session's first event is shown, on a page that has not loaded it before."""
    page = screen.page
    page.reload()
    screen.expect_live()
    screen.row(session).wait_for()
    before = processor_seconds(browser)
    screen.go(f"#/session/{session}")
    page.locator("session-timeline .event").first.wait_for()
    page.evaluate(READ)
    seconds = processor_seconds(browser) - before
    expect(screen.timeline()).to_contain_text(TEXT.strip())
    expect(screen.timeline()).not_to_contain_text("missing")
    screen.go("#/")
    return seconds


def reading(bench: rows.Bench) -> Iterator[str | rows.Ratio]:
    """Alternates between two hosts at one relay in a browser that both trust: one host seals its content, the other does not."""
    count = EVENTS // (10 if bench.quick else 1)
    found: dict[str, list[float]] = {name: [] for name in NAMES}
    with ExitStack() as stack:
        server = stack.enter_context(RelayServer())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hg-", ignore_cleanup_errors=True)))
        browser = stack.enter_context(sync_playwright()).chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"])
        screen = Screen(browser, server.relay, size=DESK, role="operator")
        watcher = WireClient(server.relay, "bench")
        stack.callback(watcher.close)
        watcher.subscribe()
        for name in NAMES:
            (folder / name).mkdir()
            daemon = Daemon(folder / name, server.relay, is_signed=True)
            stack.callback(daemon.kill)
            daemon.launch(server.relay.pair_link("host"), "--name", name, "--content", name)
            daemon.start()
            daemon.wait_link()
            trust_page(daemon, screen)
            line = event(name, "message", {"role": "assistant"}, {"text": TEXT})
            for _ in range(count // TOGETHER):
                assert post(daemon.socket, "events", line * TOGETHER)[0] == 200
            watcher.wait_summary(f"local-{name}", lambda summary: summary["messages"] == count, 60, "its events")
        for number in range(1 + (1 if bench.quick else ROUNDS)):
            for name in NAMES:
                seconds = read_through(browser, screen, f"local-{name}")
                if number:  # the first round of each fills the browser's caches
                    found[name].append(seconds)
        screen.close()
        browser.close()
    for name in NAMES:
        yield f"{name:<7} {statistics.median(found[name]):.2f} s of the browser's processor for {count:,} events, from the list to the beginning"
    ratios = [sealed / plain for sealed, plain in zip(found["sealed"], found["open"], strict=True)]
    yield rows.Ratio("browser's processor, sealed / open", statistics.median(ratios), GOAL, True)
