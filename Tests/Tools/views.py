#!/usr/bin/env python3
"""Takes pictures of every view of the page at six sizes, light and dark, to be looked at one by one.

    HELIOGRAPH_BIN=.build/check/release/heliograph .venv/bin/python Tests/Tools/views.py --to /tmp/views

A relay of its own serves `web/` as it stands. It is fed the demo's recorded session twice, once to its end and once to its first question, and a day's
work of a scripted host beside it. Of the four sizes of phones there is one picture a view, side by side.
"""

import argparse
import base64
import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "Tests/Integration"))
# The imported modules read these variables when they are loaded.
os.environ.setdefault("HELIOGRAPH_BIN", str(TOP / ".build/check/release/heliograph"))
os.environ["HELIOGRAPH_WEB_ROOT"] = str(TOP / "web")

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright  # noqa: E402

from demo import Demo  # noqa: E402
from host import ScriptedHost, now_ms  # noqa: E402

LISTEN = "127.0.0.1:8798"
SPEED = 20
PHONES = [(320, 568), (360, 640), (390, 664), (390, 844)]
LARGE = [(768, 1024), (1280, 800)]
WAIT_MS = 60_000
HOUR = 3_600_000
CODE = """The bug is in `total()`: it multiplies **before** it divides, so a discount on an empty basket gives `-0`.

```swift
func total(_ prices: [Int], discount: Int) -> Int {
    guard !prices.isEmpty else { return 0 } // nothing to discount
    return prices.reduce(0, +) * (100 - discount) / 100
}
```

| case | before | after |
|---|---:|---:|
| empty | -0 | 0 |
| 3 items, 10 % | 269 | 270 |

1. Round half up, as the invoice does.
2. Keep the old name, so that no caller changes.

Next I run the tests, then I ask before anything is pushed."""
DIFF = """@@ -1,6 +1,7 @@
 func total(_ prices: [Int], discount: Int) -> Int {
-    return prices.reduce(0, +) * (100 - discount) / 100
+    guard !prices.isEmpty else { return 0 }
+    return (prices.reduce(0, +) * (100 - discount) + 50) / 100
 }
 
 func invoice(_ basket: Basket) -> Invoice {"""
SESSIONS = [
    ("docs", "Write the migration guide for 2.0", "handbook", "running", 0.01, 310_000),
    ("flaky", "Find out why the upload test is flaky on Linux", "uploader", "running", 0.05, 1_870_000),
    ("deploy", "Roll out the new rate limiter", "gateway", "idle", 0.4, 620_000),
    ("types", "Turn on strict types in the billing module", "webshop", "idle", 1.2, 2_430_000),
    ("icons", "Replace the icon font with a sprite", "webshop", "completed", 2.1, 90_000),
    ("perf", "Halve the memory of the image cache", "uploader", "failed", 2.6, 5_120_000),
    ("arabic", "أصلح صفحة الدخول", "webshop", "completed", 3.1, 240_000),
    ("deps", "Update dependencies", "gateway", "completed", 26, 120_000),
    ("search", "Search that understands German compounds, such as Donaudampfschifffahrtsgesellschaft", "handbook", "completed", 30, 1_310_000),
    ("seed", "Seed data for the staging database", "webshop", "completed", 50, 0),
]
LONG_COMMAND = "docker compose -f deploy/compose.yaml --profile staging up --detach --wait && curl --fail --silent https://staging.example/health | jq .status"


class Served:
    """The demo's relay with the interface that a scripted host expects."""

    def __init__(self, demo: Demo):
        self._demo = demo
        self.url = f"http://{LISTEN}"

    def token(self, role: str, name: str) -> str:
        return self._demo.administer("token", "create", "--role", role, "--name", name).decode().strip()


def feed(host: ScriptedHost) -> None:
    """Sends the events of a day's work."""
    now = now_ms()
    for session, title, project, status, hours, cost in SESSIONS:
        at = now - int(hours * HOUR)
        host.event(session, "session.started", {"agent": {"name": "claude", "version": "2.1.329"}, "title": title, "project": project, "model": "opus"}, at=at - 60_000)
        host.event(session, "message", {"role": "user"}, {"text": title}, at=at - 50_000)
        if cost:
            host.event(session, "usage", {"run": "r1", "costMicroUSD": cost, "tokens": {"input": 9000, "output": 800, "cacheRead": 0, "cacheWrite": 0}, "contextUsed": 61_000, "contextLimit": 200_000}, at=at)
        if status in ("completed", "failed"):
            host.event(session, "session.ended", {"reason": "The tests do not pass" if status == "failed" else "", "failed": status == "failed"}, at=at)
        else:
            host.event(session, "status.changed", {"status": status}, at=at)
    host.event("flaky", "tool.started", {"call": "f1", "tool": "Bash", "operation": "swift test --filter UploadTests --repeat 50"}, {"input": {"command": "swift test --filter UploadTests --repeat 50"}})
    host.event("docs", "todo.changed", {"completed": 2, "total": 5, "current": "Write the chapter on tokens"}, {"items": [{"text": "Write the chapter on tokens", "status": "active"}]})
    host.start_session("studio-desk", title="New sessions", agent={"name": "heliograph"})
    host.event("studio-desk", "steering.offered", {"actions": ["start", "resume", "past"], "projects": [{"name": name, "folder": f"~/work/{name}"} for name in ("gateway", "handbook", "webshop")],
        "agents": [{"name": "claude", "title": "Claude Code", "modes": ["default", "plan"], "pictures": True}, {"name": "codex", "title": "Codex", "modes": ["untrusted"]}]})
    offer = {"actions": ["prompt", "interrupt", "stop", "mode", "model"], "whileBusy": True, "pictures": True, "mode": "default", "modes": ["default", "plan", "acceptEdits"], "models": ["opus", "sonnet"], "commands": ["/compact", "/review"]}
    long(host, offer)


def ask(host: ScriptedHost) -> None:
    """Requests two approvals: for a risky command, and for a harmless one."""
    host.request_approval("deploy", "Bash", {"command": LONG_COMMAND, "description": "Start staging and look at its health"}, risks=["Starts containers that stay"])
    host.request_approval("types", "Bash", {"command": "git push origin strict-types", "description": "Push the branch"})


def long(host: ScriptedHost, offer: dict[str, Any]) -> None:
    """A session with every kind of row, longer than a screen."""
    session = "long"
    host.start_session(session, title="Discounts that round as the invoice does", project="webshop", model="opus", cwd="/home/ada/webshop")
    host.event(session, "steering.offered", offer)
    host.event(session, "message", {"role": "user"}, {"text": "A customer was charged 2.69 for three items at 10 % off. Find out why, mend it, and tell me before you push."})
    host.event(session, "message", {"role": "thought"}, {"text": "The total is computed in two places; the invoice rounds half up. I should look at both."})
    for number, (tool, operation, given) in enumerate([
        ("Read", "Reading Sources/Shop/Total.swift", {"file_path": "/home/ada/webshop/Sources/Shop/Total.swift"}),
        ("Grep", "Searching for total(", {"pattern": "total\\(", "path": "Sources"}),
        ("Bash", "swift test --filter TotalTests", {"command": "swift test --filter TotalTests"}),
    ]):  # fmt: skip
        call = f"c{number}"
        host.event(session, "tool.started", {"call": call, "tool": tool, "operation": operation}, {"input": given})
        failed = tool == "Bash"
        output = "\n".join(f"Test case {n} passed (0.00{n} s)" for n in range(1, 30)) + "\nerror: TotalTests.empty: expected 0, got -0" if failed else "12 lines"
        host.event(session, "tool.finished", {"call": call, "tool": tool, "ok": not failed, **({"exit": 1} if failed else {}), "durationMs": 2100}, {"output": output})
    host.event(session, "message", {"role": "assistant"}, {"text": CODE})
    host.event(session, "file.changed", {"path": "Sources/Shop/Total.swift", "added": 2, "removed": 1}, {"diff": DIFF})
    host.event(session, "file.changed", {"path": "Tests/ShopTests/TotalTests.swift", "added": 3, "removed": 0}, {"diff": "@@ -8,0 +9,3 @@\n+@Test func emptyBasket() {\n+    #expect(total([], discount: 10) == 0)\n+}"})
    host.event(session, "todo.changed", {"completed": 2, "total": 3, "current": "Ask before the push"},
        {"items": [{"text": "Find the fault", "status": "done"}, {"text": "Mend it", "status": "done"}, {"text": "Ask before the push", "status": "active"}]})
    host.event(session, "usage", {"run": "r1", "model": "opus", "costMicroUSD": 1_240_000, "tokens": {"input": 52_000, "output": 4_100, "cacheRead": 410_000, "cacheWrite": 0}, "contextUsed": 84_000, "contextLimit": 200_000})
    host.event(session, "message", {"role": "assistant"}, {"text": "All 31 tests pass. The change is two lines in `Total.swift` and one new test.\n\nShall I push it to `rounding` and open a pull request?"})
    host.event(session, "status.changed", {"status": "idle"})
    host.wait_acked(session)


def pair(browser: Browser, link: str, name: str) -> tuple[BrowserContext, Page]:
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(link)
    page.get_by_label("Name of this device").fill(name)
    page.get_by_role("button", name="Pair this device").click()
    expect(page.locator("link-state")).to_have_attribute("data-phase", "live", timeout=WAIT_MS)
    page.locator("trust-note").get_by_role("button", name="Close").click(timeout=WAIT_MS)
    return context, page


def play_to_the_end(demo: Demo, page: Page) -> str:
    """Allows and answers all requests of the recorded session on the page; returns the session."""
    played = threading.Thread(target=demo.play)
    played.start()
    page.evaluate("() => { location.hash = '#/approvals' }")
    while played.is_alive():
        button = page.locator("approval-card button.allow:enabled:visible").first
        if button.count():
            if (choice := page.locator("question-form input:enabled:not(:checked)")).count():
                choice.first.check()
            button.click()
        played.join(0.2)
    return demo.session


class Views:
    def __init__(self, browser: Browser, folder: Path, only: str, schemes: list[str]):
        self.browser, self.folder, self.only, self.schemes = browser, folder, only, schemes
        folder.mkdir(parents=True, exist_ok=True)

    def take(self, page: Page, name: str, where: str, ready: str) -> None:
        if self.only and self.only not in name:
            return
        for scheme in self.schemes:
            forced = scheme == "forced"
            page.emulate_media(color_scheme="dark" if forced else scheme, reduced_motion="reduce", forced_colors="active" if forced else "none")
            taken = []
            for width, height in PHONES + LARGE:
                page.set_viewport_size({"width": width, "height": height})
                # Starts from another screen, so that the view is opened anew at each size.
                page.evaluate("() => { location.hash = '#/link' }")
                page.evaluate("where => { location.hash = where }", where)
                expect(page.locator(ready).first).to_be_visible(timeout=WAIT_MS)
                page.evaluate("() => document.activeElement?.blur()")
                page.wait_for_timeout(800)
                picture = page.screenshot()
                if (width, height) in PHONES:
                    taken.append(picture)
                else:
                    (self.folder / f"{name}-{width}-{scheme}.png").write_bytes(picture)
            self.lay_out(taken, self.folder / f"{name}-phones-{scheme}.png")

    def lay_out(self, pictures: list[bytes], file: Path) -> None:
        sheet = self.browser.new_page(viewport={"width": sum(width for width, _ in PHONES) + 10 * len(PHONES), "height": max(height for _, height in PHONES)})
        images = "".join(f'<img src="data:image/png;base64,{base64.b64encode(picture).decode()}">' for picture in pictures)
        sheet.set_content(f'<body style="margin:0;display:flex;gap:10px;align-items:start;background:#888">{images}')
        sheet.screenshot(path=file)
        sheet.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--to", type=Path, required=True, help="a folder")
    parser.add_argument("--only", default="", help="views whose name has this in it")
    parser.add_argument("--schemes", default="light,dark", help="of light, dark and forced, which are a system's own colours (%(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hg-views-", ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"])
        demo = Demo(Path(folder), LISTEN, SPEED)
        host = None
        try:
            demo.start()
            _, page = pair(browser, demo.pair("operator"), "Ada's phone")
            host = ScriptedHost(Served(demo), name="studio", capabilities=("steer",))
            feed(host)
            after = play_to_the_end(demo, page)
            ask(host)
            threading.Thread(target=demo.play, daemon=True).start()
            while demo.session == after:
                time.sleep(0.1)
            asked = demo.session
            expect(page.locator("approval-card[data-stage=pending]")).to_have_count(3, timeout=WAIT_MS)
            ids = [one["session"] for one in json.loads(demo.administer("sessions", "--json"))["sessions"]]
            asked, after = (next(id for id in ids if id.endswith(played)) for played in (asked, after))
            views = Views(browser, options.to, options.only, options.schemes.split(","))
            views.take(page, "list", "#/", "session-row")
            views.take(page, "inbox", "#/approvals", "approval-card")
            views.take(page, "recent", "#/approvals/recent", "approval-card")
            views.take(page, "asked", f"#/session/{asked}", "approval-card")
            views.take(page, "after", f"#/session/{after}", "session-timeline .event")
            views.take(page, "long", "#/session/long", "session-timeline .event")
            views.take(page, "changes", "#/session/long/changes", "session-changes .changes-file")
            views.take(page, "start", "#/start", "start-view h2")
            views.take(page, "devices", "#/devices", "devices-view h2")
            views.take(page, "budgets", "#/budgets", "budgets-view h2")
            views.take(page, "link", "#/link", "link-view h2")
            stranger = browser.new_page()
            stranger.goto(f"http://{LISTEN}")
            views.take(stranger, "pair", "", "pair-screen h2")
        finally:
            if host:
                host.close()
            if demo.phone:
                demo.phone.switch_off()
            demo.end_processes()
            browser.close()


if __name__ == "__main__":
    main()
