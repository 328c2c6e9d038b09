"""A terminal on the phone: shown live, typed into by permitted clients, and stored nowhere."""

import json
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from client import WireClient
from consent import unb64
from daemon import Daemon
from page_screen import DESK, LOOKS, PHONE, Screen
from screens import Looking, held, session_of
from trusting import trust_client, trust_page
from waits import patient, wait_until

OFFER = {"actions": ["stop"], "screen": True}


@pytest.fixture
def phone(client: Callable[..., WireClient]) -> WireClient:
    phone = client(role="operator")
    phone.subscribe()
    return phone


def opened(one: Screen, session: str) -> Locator:
    """Opens the terminal from its session's page, like a person."""
    one.go(f"#/session/{session}")
    one.page.get_by_role("link", name="Screen", exact=True).click()
    view = one.page.locator("terminal-view")
    expect(view).to_be_visible()
    return view


def rows(view: Locator) -> Locator:
    return view.locator(".screen-rows")


def begin_typing(view: Locator) -> None:
    view.get_by_role("button", name="Type here …").click()
    expect(view.locator(".warning")).to_contain_text("as if you sat there")



@LOOKS
def test_vim_is_seen_and_typed_into_from_the_page(
    daemon: Daemon, phone: WireClient, screen: Callable[..., Screen], short_path: Path, size: dict[str, int], scheme: str
) -> None:
    (daemon.project / "notes.md").write_text("first line\n")
    with held(daemon, short_path / "t", "vim", "-u", "NONE", "-N", "notes.md") as terminal:
        terminal.wait_screen("first line")
        session = session_of(phone, "vim")
        one = screen(role="operator", size=size, scheme=scheme)
        view = opened(one, session)
        expect(rows(view)).to_contain_text("first line")
        expect(view.locator(".screen-state")).to_contain_text("Live, 80 × 24")
        one.expect_accessible()
        begin_typing(view)
        view.get_by_label("Text to type at the terminal").fill("ihello from afar")
        view.get_by_role("button", name="Type", exact=True).click()
        expect(rows(view)).to_contain_text("hello from afar")
        terminal.wait_screen("hello from afar")
        view.get_by_role("button", name="Escape").click()
        view.get_by_label("Text to type at the terminal").fill(":wq")
        view.get_by_label("Text to type at the terminal").press("Enter")
        terminal.wait_screen("status 0")
        assert (daemon.project / "notes.md").read_text().startswith("hello from afar")
        expect(view).to_contain_text("This session has ended, and its terminal with it.")
        expect(view.get_by_role("button", name="Type here …")).to_be_hidden()
        one.expect_accessible()
        one.expect_no_overflow()
        one.go(f"#/session/{session}")
        expect(one.timeline()).to_contain_text("Ada's phone typed at the terminal")


def test_a_keyboard_types_directly_and_its_bar_has_the_keys_that_a_phone_lacks(
    daemon: Daemon, phone: WireClient, screen: Callable[..., Screen], short_path: Path
) -> None:
    with held(daemon, short_path / "t", "cat", "-v") as terminal:
        one = screen(role="operator", size=DESK)
        view = opened(one, session_of(phone, "cat"))
        begin_typing(view)
        for name in ("Up", "Tab", "Escape"):
            view.get_by_role("button", name=name, exact=True).click()
        view.get_by_role("button", name="Ctrl", exact=True).click()
        view.get_by_label("Text to type at the terminal").press_sequentially("v")
        view.get_by_label("Text to type at the terminal").press_sequentially("x")
        view.get_by_role("button", name="Type", exact=True).click()
        view.get_by_role("button", name="Enter", exact=True).click()
        terminal.wait_screen("^[[A")
        view.get_by_role("button", name="This keyboard").click()
        paper = view.get_by_role("document")
        expect(paper).to_be_focused()
        one.page.keyboard.type("dear terminal")
        one.page.keyboard.press("ArrowLeft")
        one.page.keyboard.press("Enter")
        terminal.wait_screen("dear terminal^[[D")
        expect(rows(view)).to_contain_text("dear terminal^[[D")
        one.page.keyboard.press("Control+Backslash")
        expect(view.get_by_role("button", name="This keyboard")).to_be_focused()
        one.page.keyboard.type("x")
        view.get_by_role("button", name="Ctrl", exact=True).click()
        view.get_by_label("Text to type at the terminal").press_sequentially("c")
        terminal.wait_screen("status 130")


def test_keys_that_may_have_been_typed_are_said_until_the_next_ones(daemon: Daemon, phone: WireClient, screen: Callable[..., Screen], short_path: Path) -> None:
    with held(daemon, short_path / "t", "cat"):
        one = screen(role="operator")
        view = opened(one, session_of(phone, "cat"))
        expect(view.locator(".screen-state")).to_contain_text("Live,")
        begin_typing(view)
        assert daemon.process
        os.kill(daemon.process.pid, signal.SIGSTOP)
        view.get_by_label("Text to type at the terminal").fill("hello")
        view.get_by_label("Text to type at the terminal").press("Enter")
        one.forgive_absence()
        daemon.relay.kill()
        trouble = view.get_by_role("alert")
        expect(trouble).to_contain_text("may have been typed or not")
        os.kill(daemon.process.pid, signal.SIGCONT)
        daemon.relay.start()
        expect(view.locator(".screen-state")).to_contain_text("Live,", timeout=patient(30_000))
        expect(trouble).to_contain_text("may have been typed or not")
        one.expect_accessible()
        begin_typing(view)
        view.get_by_role("button", name="Enter", exact=True).click()
        expect(trouble).to_be_hidden()


def test_wide_characters_keep_their_columns(daemon: Daemon, phone: WireClient, screen: Callable[..., Screen], short_path: Path) -> None:
    texts = ["中文中文中文中文", "한국어 \U0001f600\U0001f468\u200d\U0001f469 ⏺ ✻ → é ❤\ufe0f", "\033[4;1m日本\033[0m ─┤"]
    script = "printf '" + "".join(f"{text}|\\n" for text in texts) + "中文'; cat"
    with held(daemon, short_path / "t", "sh", "-c", script, columns=60):
        one = screen()
        view = opened(one, session_of(phone, "sh"))
        expect(rows(view)).to_contain_text("日本")
        # The columns left of each bar and of the cursor equal the host's count.
        found = view.get_by_role("document").evaluate("""(paper) => {
            const column = paper.querySelector(".screen-cursor").getBoundingClientRect().width;
            const left = paper.querySelector(".screen-rows").getBoundingClientRect().left;
            const range = document.createRange();
            const bars = [];
            const texts = document.createTreeWalker(paper.querySelector(".screen-rows"), NodeFilter.SHOW_TEXT);
            while (texts.nextNode()) {
                const at = texts.currentNode.data.indexOf("|");
                if (at < 0) continue;
                range.setStart(texts.currentNode, at);
                bars.push((range.getBoundingClientRect().left - left) / column);
            }
            return [...bars, (paper.querySelector(".screen-cursor").getBoundingClientRect().left - left) / column];
        }""")
        wanted = [16, 22, 7, 4]
        assert len(found) == 4 and all(abs(column - exact) < 0.3 for column, exact in zip(found, wanted)), (found, wanted)
        assert rows(view).evaluate("(rows) => rows.innerText").splitlines()[0] == texts[0] + "|", "as it is copied"


def test_two_fingers_make_the_screen_larger(daemon: Daemon, phone: WireClient, screen: Callable[..., Screen], short_path: Path) -> None:
    with held(daemon, short_path / "t", "cat"):
        one = screen()
        view = opened(one, session_of(phone, "cat"))
        box = view.get_by_role("document").bounding_box()
        assert box
        middle = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        one.context.new_cdp_session(one.page).send("Input.synthesizePinchGesture", {**middle, "scaleFactor": 2})
        assert one.page.evaluate("visualViewport.scale") > 1.5


def test_a_watcher_sees_and_is_given_no_keyboard(daemon: Daemon, phone: WireClient, screen: Callable[..., Screen], short_path: Path) -> None:
    with held(daemon, short_path / "t", "sh", "-c", "echo seen by all; cat"):
        session = session_of(phone, "sh")
        one = screen(role="watcher")
        view = opened(one, session)
        expect(rows(view)).to_contain_text("seen by all")
        expect(view.get_by_role("button", name="Type here …")).to_be_hidden()
        expect(view).to_contain_text("heliograph pair --role operator")
        watcher = WireClient(daemon.relay, "watcher", role="watcher")
        assert Looking(watcher, session).type(b"x")["error"]["code"] == "forbidden"
        assert "seen by all" in Looking(watcher, session).look()
        watcher.connection.close()


def test_the_page_asks_only_while_somebody_sees_it(relay: Any, scripted_host: Callable[..., Any], screen: Callable[..., Screen]) -> None:
    host = scripted_host(relay, capabilities=("steer",))
    host.start_session("s1", title="A program")
    host.event("s1", "steering.offered", OFFER)
    host.wait_acked("s1")

    def looks() -> list[dict[str, Any]]:
        return [message for message in host.connection.messages if message["type"] == "screen"]

    def answer(look: dict[str, Any], of: str) -> None:
        drawing = {"of": of, "whole": True, "rows": 2, "columns": 20, "lines": [{"row": 0, "runs": [{"text": f"drawing {of}"}]}]}
        host.connection.send({"type": "answered", "to": look["by"]["id"], "id": look["id"], "screen": drawing})

    one = screen()
    one.go("#/session/s1")
    expect(one.page.get_by_role("link", name="Screen", exact=True)).to_be_visible()
    assert not looks()
    view = opened(one, "s1")
    for number in range(3):
        wait_until(lambda number=number: len(looks()) == number + 1, 10, "the next look")
        assert looks()[number].get("after") == (f"t.{number}" if number else None)
        answer(looks()[number], f"t.{number + 1}")
        expect(view).to_contain_text(f"drawing t.{number + 1}")
    wait_until(lambda: len(looks()) == 4, 10, "the look that waits")
    one.go("#/session/s1")
    expect(view).to_be_hidden()
    answer(looks()[3], "t.9")
    # A later request on the same connection was answered, so all earlier messages have arrived.
    one.go("#/costs")
    expect(one.page.locator("costs-view")).to_be_visible()
    one.settle()
    assert len(looks()) == 4


def test_a_wide_screen_pans_after_the_cursor_and_grows(daemon: Daemon, phone: WireClient, screen: Callable[..., Screen], short_path: Path) -> None:
    script = "printf '%150s|' x; cat"
    with held(daemon, short_path / "t", "sh", "-c", script, columns=160):
        one = screen(role="operator", size=PHONE)
        view = opened(one, session_of(phone, "sh"))
        expect(rows(view)).to_contain_text("x|")
        paper = view.get_by_role("document")
        wait_until(lambda: paper.evaluate("(one) => one.scrollLeft") > 100, 10, "the screen to follow its cursor")
        one.expect_no_overflow()
        before = rows(view).bounding_box()
        for _ in range(2):
            view.get_by_role("button", name="Larger").click()
        after = rows(view).bounding_box()
        assert before and after and after["height"] > before["height"] * 1.2
        view.get_by_role("button", name="Follow").click()
        paper.evaluate("(one) => { one.scrollLeft = 0 }")
        begin_typing(view)
        assert paper.evaluate("(one) => one.scrollLeft") == 0
        view.get_by_role("button", name="Enter", exact=True).click()
        expect(view.get_by_role("button", name="Follow")).to_have_attribute("aria-pressed", "true")
        one.expect_no_overflow()



def test_a_slow_reader_gets_what_is_there_and_not_what_was(daemon: Daemon, phone: WireClient, short_path: Path) -> None:
    with held(daemon, short_path / "t", "sh", "-c", "n=0; while :; do n=$((n+1)); printf '\\rcount %d ' $n; sleep 0.01; done"):
        looking = Looking(phone, session_of(phone, "sh"))
        looking.until("count")
        counts = []
        for _ in range(4):
            since = time.monotonic()
            wait_until(lambda since=since: time.monotonic() - since > 0.7, 5, "a slow line")
            counts.append(int(re.search(r"count (\d+)", looking.look())[1]))  # type: ignore[index]
        numbers = [int(drawing["of"].split(".")[1]) for drawing in looking.drawings[-5:]]
        assert counts == sorted(set(counts)), "each is newer than the one before"
        assert numbers == list(range(numbers[0], numbers[0] + 5)), "nothing was drawn while nobody asked"
        assert all(not drawing.get("whole") and len(drawing["lines"]) == 1 for drawing in looking.drawings[-4:]), "only what changed"
        since, quick = time.monotonic(), 0
        while time.monotonic() - since < 2:
            looking.look()
            quick += 1
        assert quick <= 22, "at most ten drawings a second"


def test_nothing_of_a_screen_or_its_keys_is_stored_but_who_typed_how_much(daemon: Daemon, phone: WireClient, short_path: Path) -> None:
    with held(daemon, short_path / "t", "cat") as terminal:
        session = session_of(phone, "cat")
        looking = Looking(phone, session)
        assert "error" not in looking.type(b"hush4711\r")
        terminal.wait_screen("hush4711")
        looking.until("hush4711")
        phone.subscribe(session)
        typed = phone.wait_event(session, lambda event: event["kind"] == "steering.typed")
        assert typed["head"] == {"by": {"id": typed["head"]["by"]["id"], "name": "phone"}, "bytes": 9}
        lines = [json.loads(line) for line in daemon.relay.run("audit", "export", "--data", str(daemon.relay.data)).stdout.splitlines()]
        assert [(line["by"]["name"], line["bytes"]) for line in lines if line["what"] == "steering.typed"] == [("phone", 9)]
        daemon.wait_delivered()
        spool = b"".join(path.read_bytes() for path in (daemon.home / ".local/state/heliograph").rglob("*") if path.is_file())
        assert b"4711" not in daemon.relay.files_text() + spool + daemon.log.read_bytes()


def test_a_secret_on_the_screen_stays_on_the_machine(daemon: Daemon, phone: WireClient, short_path: Path) -> None:
    secret = "ghp_" + "A1b2C3d4" * 4 + "Zz9y"
    with held(daemon, short_path / "t", "sh", "-c", f"echo export GITHUB_TOKEN={secret}; echo shown; cat", columns=40) as terminal:
        terminal.wait_screen("shown")
        text = Looking(phone, session_of(phone, "sh")).until("shown")
        assert "⟨redacted⟩" in text and "A1b2" not in text


def test_stop_ends_the_program_and_its_session(daemon: Daemon, phone: WireClient, short_path: Path) -> None:
    with held(daemon, short_path / "t", "cat") as terminal:
        session = session_of(phone, "cat")
        assert phone.summaries[session]["steering"]["hold"] == "unchanged", "nothing in it is ever held"
        assert "error" not in phone.command("stop", session=session)
        terminal.wait_screen("status 129")
        phone.wait_summary(session, lambda summary: "endedAt" in summary)
        assert phone.command("screen", session=session)["error"]["code"] == "closed"


def test_a_terminal_outlives_daemon_and_relay_and_is_seen_again(daemon: Daemon, phone: WireClient, short_path: Path) -> None:
    with held(daemon, short_path / "t", "cat") as terminal:
        session = session_of(phone, "cat")
        looking = Looking(phone, session)
        looking.look()
        daemon.kill()
        reply = phone.command("screen", session=session, after=looking.of)
        assert reply["error"]["code"] in ("unavailable", "closed")
        daemon.start()
        daemon.wait_link()
        terminal.type("still here")
        terminal.press("Enter")
        wait_until(lambda: "screen" in phone.command("screen", session=session), 20, "the screen after the daemon's restart")
        looking.until("still here")



def test_a_host_that_wants_signatures_types_only_what_its_device_signed_in_order_and_once(daemon: Daemon, phone: WireClient, short_path: Path) -> None:
    with held(daemon, short_path / "t", "cat") as terminal:
        session = session_of(phone, "cat")
        trust_client(daemon, phone)
        host, device = unb64(phone.summaries[session]["steering"]["consent"]), phone.device
        assert device
        looking = Looking(phone, session)
        assert "something else by now" in looking.type(b"unseen\r")["error"]["message"]
        looking.look()
        assert looking.of
        assert "signature only" in looking.type(b"unsigned\r")["error"]["message"]
        second, first = (device.keys(host, session, name, keys, looking.of, count=count) for name, keys, count in (("k2", b"two\r", 902), ("k1", b"one\r", 901)))
        assert "does not fit" in looking.type(b"three\r", id="k2", signature=second)["error"]["message"]
        assert "error" not in looking.type(b"two\r", id="k2", signature=second)
        assert "later command" in looking.type(b"one\r", id="k1", signature=first)["error"]["message"]
        assert "error" in looking.type(b"two\r", id="k2", signature=second)
        terminal.wait_screen("two")
        assert terminal.screen().count("two") == 2, "typed once, and said once by the program"
        assert not any(word in terminal.screen() for word in ("one", "three", "unsigned"))


def test_the_page_signs_its_keys(daemon: Daemon, phone: WireClient, screen: Callable[..., Screen], short_path: Path) -> None:
    with held(daemon, short_path / "t", "cat") as terminal:
        session = session_of(phone, "cat")
        one, other = screen(role="operator"), screen(name="Bob's phone", role="operator")
        trust_page(daemon, one)
        view = opened(one, session)
        begin_typing(view)
        view.get_by_label("Text to type at the terminal").fill("signed by hand")
        view.get_by_label("Text to type at the terminal").press("Enter")
        terminal.wait_screen("signed by hand")
        theirs = opened(other, session)
        expect(rows(theirs)).to_contain_text("signed by hand")
        expect(theirs.get_by_role("button", name="Type here …")).to_be_hidden()
        expect(theirs).to_contain_text("heliograph host trust")


def test_an_owner_who_lets_nobody_steer_shows_no_terminal(short_path: Path, relay: Any, phone: WireClient) -> None:
    daemon = Daemon(short_path, relay)
    try:
        daemon.launch(relay.pair_link("host"), "--name", "laptop", "--no-steering")
        daemon.wait_link()

        def found() -> str | None:
            return next((name for name, summary in phone.summaries.items() if summary["agent"]["name"] == "cat"), None)

        with held(daemon, short_path / "t", "cat"):
            session = wait_until(found, 20, "the session")
            assert phone.command("screen", session=session)["error"]["code"] == "unsupported"
    finally:
        daemon.kill()
