"""The gallery: a day's work of a scripted host with every kind of row, card and screen, and the page's views of it. Tests go through it, and
`make gallery` takes its pictures."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page, expect

from host import ScriptedHost, now_ms

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

QUESTIONS = [{"id": "q0", "header": "Rounding", "text": "How shall discounts be rounded?", "choices": [{"label": "Half up", "description": "As the invoice does"}, {"label": "Down"}]}]
RULES = [
    {"name": "tests", "answer": "allow", "for": ["Bash(swift test *)", "Bash(npm test)"], "folder": "~/work", "words": "Tests change nothing outside the build's folder."},
    {"name": "no-push", "answer": "deny", "for": ["Bash(git push *)"], "words": "Ask Ada before you push."},
    {"name": "old", "answer": "allow", "for": ["Read(./docs/**)"], "off": True},
]
SCREEN = ["  build.log - 1 of 214 lines", "", "  [ 91%] Compiling Shop Total.swift", "  [ 92%] Compiling Shop Invoice.swift", "  warning: variable 'sum' was never mutated", "  [ 93%] Linking ShopTests", "", "$ "]


@dataclass(frozen=True)
class View:
    """One state of the page: `where` is its address, `ready` an element that it then has, and `prepare` leads on from there, as `leave` leads back."""

    name: str
    where: str
    ready: str
    prepare: Callable[[Page], object] = lambda page: None
    leave: Callable[[Page], object] = lambda page: None


def tap(selector: str) -> Callable[[Page], object]:
    """A tap on the first visible element. Selectors name it, because the gallery is looked at in every language."""
    return lambda page: page.locator(selector).locator("visible=true").first.click()


def fill(selector: str, words: str) -> Callable[[Page], object]:
    return lambda page: page.locator(selector).fill(words)


def key(name: str) -> Callable[[Page], object]:
    return lambda page: page.keyboard.press(name)


SEARCH, COMPOSER = "sieve-bar input[type=search]", "session-composer textarea"

VIEWS = [
    View("list", "#/", "session-row"),
    View("list-search", "#/", "session-row", fill(SEARCH, "total.swift"), fill(SEARCH, "")),
    View("list-nothing", "#/", "session-row", fill(SEARCH, "no such session"), fill(SEARCH, "")),
    View("list-filter", "#/", "session-row", tap("sieve-bar .sieve-line > button"), tap("sieve-bar .sieve-line > button")),
    View("list-deeds", "#/", ".row-more", tap(".row-more"), key("Escape")),
    View("inbox", "#/approvals", "approval-card"),
    View("inbox-denying", "#/approvals", "approval-card", tap("approval-card button.deny"), tap(".denial button.plain")),
    View("recent", "#/approvals/recent", "approval-card"),
    View("asked", "#/session/types", "approval-card"),
    View("question", "#/session/docs", "question-form"),
    View("long", "#/session/long", "session-timeline .event"),
    View("long-panel", "#/session/long", "session-composer", tap(".composer-more"), key("Escape")),
    View("long-commands", "#/session/long", "session-composer", fill(COMPOSER, "/"), fill(COMPOSER, "")),
    View("long-files", "#/session/long", "session-composer", fill(COMPOSER, "look at @"), fill(COMPOSER, "")),
    View("trouble", "#/session/trouble", "session-timeline .event"),
    View("changes", "#/session/long/changes", "session-changes .changes-file"),
    View("changes-many", "#/session/many/changes", "session-changes .changes-file"),
    View("terminal", "#/session/build/screen", ".screen-row"),
    View("rules", "#/rules", "rules-view .budget:not([hidden])"),
    View("cost", "#/costs", "costs-view h2"),
    View("budgets", "#/budgets", "budgets-view h2"),
    View("start", "#/start", "start-view textarea"),
    View("devices", "#/devices", "devices-view h2"),
    View("link", "#/link", "link-view h2"),
    View("palette", "#/", "session-row", key("Control+k"), key("Escape")),
]
"""Views of a connected page. An overlay follows its screen."""

OFFLINE = [View("offline-list", "#/", "session-row"), View("offline-inbox", "#/approvals", "approval-card"), View("offline-session", "#/session/long", "session-timeline .event")]
"""The same page after its relay has stopped."""


def open_view(page: Page, view: View, timeout: float) -> None:
    """Opens a view anew from another screen, without a focus of the keyboard unless the view itself sets it."""
    page.evaluate("() => { location.hash = '#/link' }")
    page.evaluate("where => { location.hash = where }", view.where)
    expect(page.locator(view.ready).first).to_be_visible(timeout=timeout)
    page.evaluate("() => document.activeElement?.blur()")
    view.prepare(page)
    # Two frames and the observers' calls: pending drawing is done.
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100))))")


class Day:
    """A host with a day's work. Clients that look at its terminal get a screen."""

    def __init__(self, relay: Any):
        self.host = ScriptedHost(relay, name="studio", capabilities=("steer",))
        self._ended = threading.Event()
        self._answers = threading.Thread(target=self._answer)
        feed(self.host)
        ask(self.host)
        self._answers.start()

    def __enter__(self) -> "Day":
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._answers.join()
        self.host.close()

    def _answer(self) -> None:
        """Sends the terminal's screen, twice a second, to clients that asked for it."""
        answered = 0
        lines = [{"row": row, "runs": [{"text": text}]} for row, text in enumerate(SCREEN) if text]
        while not self._ended.wait(0.5):
            looks = [message for message in list(self.host.connection.messages) if message.get("type") == "screen"]
            for number, look in enumerate(looks[answered:], start=answered):
                drawing = {"of": f"t.{number + 1}", "whole": True, "rows": 24, "columns": 80, "lines": lines}
                self.host.connection.send({"type": "answered", "to": look["by"]["id"], "id": look["id"], "screen": drawing})
            answered = len(looks)


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
    host.event("studio-desk", "steering.offered", {"actions": ["start", "resume", "past", "ruleOff", "ruleAdd", "ruleChange", "ruleTry"], "rules": {"accepted": True, "list": RULES}, "projects": [{"name": name, "folder": f"~/work/{name}"} for name in ("gateway", "handbook", "webshop")],
        "agents": [{"name": "claude", "title": "Claude Code", "modes": ["default", "plan"], "pictures": True}, {"name": "codex", "title": "Codex", "modes": ["untrusted"]}]})
    offer = {"actions": ["prompt", "interrupt", "stop", "mode", "model"], "whileBusy": True, "pictures": True, "mode": "default", "modes": ["default", "plan", "acceptEdits"], "models": ["opus", "sonnet"], "commands": ["/compact", "/review"]}
    long(host, offer)
    many(host)
    trouble(host)
    host.start_session("build", title="Watch the build", project="webshop", agent={"name": "shell"})
    host.event("build", "steering.offered", {"actions": ["stop"], "screen": True})
    host.wait_acked("build")


def ask(host: ScriptedHost) -> None:
    """Requests approvals of each kind, one of them settled, one answered by a rule and one denied."""
    for session in ("deploy", "types", "flaky", "docs"):
        host.event(session, "steering.offered", {"actions": ["prompt", "interrupt"]})
    host.request_approval("deploy", "Bash", {"command": LONG_COMMAND, "description": "Start staging and look at its health"}, risks=["Starts containers that stay"])
    host.request_approval("types", "Edit", {"file_path": "/home/ada/webshop/Sources/Shop/Total.swift", "old_string": "a", "new_string": "b"}, title="Edit Total.swift", diff=DIFF)
    host.request_approval("docs", "AskUserQuestion", {"questions": QUESTIONS}, kind="question", questions=QUESTIONS, title="How shall discounts be rounded?")
    for name, decision, outcome in (("swift test", "allow", "ran"), ("git push origin strict-types", "deny", "denied")):
        approval = host.request_approval("flaky", "Bash", {"command": name}, rule={"name": "tests", "digest": "0" * 64, "decision": decision})
        host.apply("flaky", approval, outcome)
    host.wait_acked("flaky")


def many(host: ScriptedHost) -> None:
    """A session that changed many files in several folders."""
    host.start_session("many", title="Rename the modules", project="webshop", cwd="/home/ada/webshop")
    for module in ("Basket", "Invoice", "Shipping"):
        for number in range(8):
            host.event("many", "file.changed", {"path": f"Sources/Shop/{module}/{module}{number}.swift", "added": 1, "removed": 1}, {"diff": "@@ -1 +1 @@\n-let shop = 1\n+let store = 1"})
    host.event("many", "file.changed", {"path": "README.md", "added": 1, "removed": 0}, {"diff": "@@ -3,0 +4 @@\n+Renamed."})
    host.event("many", "session.ended", {"reason": "", "failed": False})
    host.wait_acked("many")


def trouble(host: ScriptedHost) -> None:
    """A session in which much goes wrong."""
    host.start_session("trouble", title="Upload to the staging bucket", project="uploader")
    host.event("trouble", "message", {"role": "user"}, {"text": "Upload the build to staging."})
    host.event("trouble", "tool.started", {"call": "t1", "tool": "Bash", "operation": "make upload"}, {"input": {"command": "make upload"}})
    host.event("trouble", "tool.finished", {"call": "t1", "tool": "Bash", "ok": False, "exit": 2, "durationMs": 61_000}, {"output": "curl: (28) Operation timed out\nmake: *** [upload] Error 2"})
    host.event("trouble", "error", {"message": "The model is overloaded", "recoverable": True})
    host.event("trouble", "truncated", {"count": 12})
    host.event("trouble", "error", {"message": "The credit is used up", "recoverable": False})
    host.event("trouble", "session.ended", {"reason": "The credit is used up", "failed": True})
    host.wait_acked("trouble")


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
