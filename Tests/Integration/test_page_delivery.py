"""How the page comes to a browser: in one piece, compressed, asked about each time, and as a shell where there is no connection."""

import gzip
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from page_screen import Screen, closing_screens
from relay import ROOT
from waits import patient

REQUESTS_MAX = 6
"""The page, its icon, its manifest, who this is, the socket, and the worker for later."""
BYTES_MAX = 90_000
"""The page has 70 kB. On a slow phone network, 400 kbit/s, 5 kB more are 0.1 s more until the list is there."""


class Traffic:
    """What one visit costs, as Chromium counts it: compressed, headers and all."""

    def __init__(self, one: Screen):
        self.paths: list[str] = []
        self.bytes = 0
        self.statuses: dict[str, int] = {}
        self.session = one.context.new_cdp_session(one.page)
        self.session.send("Network.enable")
        self.session.on("Network.requestWillBeSent", lambda event: self.paths.append(re.sub(r"^\w+://[^/]+", "", event["request"]["url"])))
        self.session.on("Network.webSocketCreated", lambda event: self.paths.append("socket"))
        self.session.on("Network.loadingFinished", self._finished)

    def _finished(self, event: Any) -> None:
        self.bytes += int(event["encodedDataLength"])


def visit(one: Screen) -> Traffic:
    traffic = Traffic(one)
    one.page.goto(one.relay.url + "/#/")
    expect(one.row("s0")).to_be_visible()
    one.expect_live()
    one.page.wait_for_load_state("networkidle")
    traffic.session.detach()
    return traffic


def session(host: Any) -> None:
    host.start_session("s0", title="Fix the login", project="webshop")
    host.wait_acked("s0")


def test_a_visit_asks_for_little_and_a_second_one_for_less(screen: Callable[..., Screen], scripted_host: Callable[..., Any]) -> None:
    session(scripted_host())
    one = screen(paired=False)
    # A worker's own requests are not among the page's.
    one.page.add_init_script("delete Navigator.prototype.serviceWorker")
    one.pair("Ada's phone")
    one.page.goto("about:blank")
    clearing = one.context.new_cdp_session(one.page)
    clearing.send("Network.enable")
    clearing.send("Network.clearBrowserCache")
    first = visit(one)
    assert len(first.paths) <= REQUESTS_MAX, first.paths
    assert first.bytes <= BYTES_MAX
    one.page.goto("about:blank")
    second = visit(one)
    assert len(second.paths) <= REQUESTS_MAX, second.paths
    assert second.bytes <= first.bytes / 8, "the page was sent again though it is the same"


def test_the_page_is_sent_compressed_and_only_once(relay: Any) -> None:
    plain = relay.get("/")
    assert plain.headers["Content-Encoding"] is None and plain.headers["Vary"] == "accept-encoding" and plain.headers["Cache-Control"] == "no-cache"
    small = relay.get("/", {"Accept-Encoding": "br, gzip"})
    assert small.headers["Content-Encoding"] == "gzip" and len(small.body) < len(plain.body) / 2
    assert gzip.decompress(small.body) == plain.body
    again = relay.get("/", {"Accept-Encoding": "gzip", "If-None-Match": small.headers["ETag"]})
    assert again.status == 304 and not again.body and again.headers["Content-Security-Policy"] == small.headers["Content-Security-Policy"]
    head = relay.request("HEAD", "/", headers={"Accept-Encoding": "gzip"})
    assert head.headers["Content-Length"] == str(len(small.body)) and not head.body
    assert relay.get("/app.js").status == 404, "it stands in the page"


def test_in_pieces_while_somebody_works_on_it(browser: Any, make_relay: Callable[..., Any]) -> None:
    relay = make_relay("--web-root", str(ROOT / "web"))
    with closing_screens(lambda **options: Screen(browser, relay, **options)) as screen:
        one = screen()
        assert one.page.locator("script[src]").count() == 2
        one.page.reload()
        one.expect_live()
        # A shell in pieces would be none.
        assert one.page.evaluate("async () => (await navigator.serviceWorker.getRegistrations()).length") == 0


def test_without_a_connection_the_shell_says_so_and_shows_nothing(screen: Callable[..., Screen], scripted_host: Callable[..., Any], relay: Any) -> None:
    session(scripted_host())
    one = screen()
    expect(one.row("s0")).to_be_visible()
    one.page.evaluate("() => navigator.serviceWorker.ready")
    one.forgive_absence()
    relay.stop()
    for where in ("#/", "#/budgets", "#/session/s0"):
        one.page.goto(f"{relay.url}/{where}")
        one.page.reload()
        expect(one.page.locator("link-state")).to_contain_text("Offline")
        expect(one.page.locator("main .pane:visible").last).to_contain_text("No connection to the relay")
        assert one.page.locator("session-row").count() == 0
    one.expect_no_overflow()
    relay.start()
    one.expect_live()
    one.go("#/")
    expect(one.row("s0")).to_be_visible()


def test_a_shell_from_before_an_upgrade_gives_way_to_the_relays_page(screen: Callable[..., Screen], relay: Any) -> None:
    one = screen()
    one.page.evaluate("() => navigator.serviceWorker.ready")
    digest = one.page.locator("meta[name=page]").get_attribute("content")
    assert digest
    one.forgive_absence()
    relay.stop()
    # As if the relay had been another version when the shell was kept.
    one.page.evaluate(
        """async (digest) => {
            const shell = await caches.open("shell");
            const page = await shell.match("/");
            await shell.put("/", new Response((await page.text()).replace(`content="${digest}"`, 'content="0"'), { headers: page.headers }));
        }""", digest)
    one.page.reload()
    expect(one.page.locator("meta[name=page]")).to_have_attribute("content", "0")
    relay.start()
    expect(one.page.locator("meta[name=page]")).to_have_attribute("content", digest, timeout=patient(45_000))
    one.expect_live()


def test_a_page_that_was_open_during_an_upgrade_offers_the_new_one(screen: Callable[..., Screen], relay: Any) -> None:
    one = screen()
    button = one.page.get_by_role("button", name="load the new page")
    one.forgive_absence()
    relay.restart()
    one.expect_live()
    expect(button).to_be_hidden()
    one.page.evaluate("() => document.querySelector('meta[name=page]').setAttribute('content', '0')")
    relay.restart()
    expect(button).to_be_visible(timeout=patient(45_000))
    one.expect_no_overflow()
    button.click()
    one.expect_live()
    expect(button).to_be_hidden()
