#!/usr/bin/env python3
"""Takes the README's pictures, of the page and of the Lock Screen: `make pictures`. Plays the demo into a relay of its own and waits for its first approval."""

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

TOP = Path(__file__).resolve().parents[2]
PICTURES = TOP / "Sources/HeliographServer/HeliographServer.docc/Resources"
LISTEN = "127.0.0.1:8797"
SPEED = 3
# The first approval comes after some twenty of the agent's calls, and its push follows later.
WAIT_MS = 120_000
# An alert keeps the island expanded for five seconds.
ISLAND_MS = 15_000


def pair(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_label("Name of this device").fill("Ada's laptop")
    page.get_by_role("button", name="Pair this device").click()
    expect(page.locator("link-state")).to_have_attribute("data-phase", "live", timeout=WAIT_MS)
    page.locator("trust-note").get_by_role("button", name="Close").click(timeout=WAIT_MS)


def take_page(page: Page, file: Path) -> None:
    """The list of sessions beside the first session's waiting approval."""
    page.set_viewport_size({"width": 1280, "height": 690})
    page.evaluate("() => { location.hash = '#/approvals' }")
    # *Allow* is enabled once the whole request has been on screen for a moment.
    expect(page.get_by_role("button", name="Allow", exact=True)).to_be_enabled(timeout=WAIT_MS)
    page.screenshot(path=file)


def take_lock_screen(page: Page, file: Path) -> None:
    """The phone beside the outcomes of its pushes, with a waiting approval on both card and notification."""
    # High enough to show the whole device.
    page.set_viewport_size({"width": 1280, "height": 1100})
    page.evaluate("() => { location.hash = '#/devices' }")
    screen = page.get_by_role("list", name="On the Lock Screen")
    expect(screen).to_contain_text("Approval needed", timeout=WAIT_MS)
    expect(screen.locator(".notice").first).to_be_visible(timeout=WAIT_MS)
    expect(page.locator(".phone > .island")).to_have_attribute("data-form", "compact", timeout=ISLAND_MS)
    page.get_by_role("heading", name="Devices").click()
    page.locator("device-card").first.screenshot(path=file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scheme", choices=["light", "dark"], default="light")
    parser.add_argument("--to", type=Path, default=PICTURES, help="a folder (%(default)s)")
    options = parser.parse_args()
    command: list[Any] = [sys.executable, TOP / "Tests/Tools/demo.py", "--speed", str(SPEED), "--listen", LISTEN]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as demo:
        assert demo.stdout is not None
        try:
            said = []
            for line in demo.stdout:
                said.append(line)
                if "#pair=" in line:
                    break
            else:
                sys.exit(f"The demo ended by itself:\n{''.join(said)}")
            with sync_playwright() as playwright:
                chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"])
                page = chromium.new_page(color_scheme=options.scheme, reduced_motion="reduce")
                pair(page, line.strip())
                # The Lock Screen comes first, because no phone is notified while a person reads the approval on the page.
                take_lock_screen(page, options.to / "lockscreen.png")
                take_page(page, options.to / "page.png")
                chromium.close()
        finally:
            demo.terminate()
    print(options.to / "lockscreen.png", options.to / "page.png", sep="\n")


if __name__ == "__main__":
    main()
