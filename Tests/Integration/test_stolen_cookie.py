"""Another server on the relay's machine receives the browser's cookies, which ignore ports, but cannot use them. Real Chromium."""

import http.server
import sqlite3
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from page_screen import Screen


class DevelopmentServer:
    """A server that an agent may start: it records received cookies, and sets its own."""

    def __init__(self) -> None:
        self.cookies: list[str] = []
        self.plants: list[str] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.cookies.append(self.headers.get("Cookie", ""))
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                for plant in outer.plants:
                    self.send_header("Set-Cookie", plant)
                self.end_headers()
                self.wfile.write(b"<!doctype html><link rel=icon href='data:,'><title>hello</title>")

            def log_message(self, *_: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def neighbour() -> Iterator[DevelopmentServer]:
    server = DevelopmentServer()
    yield server
    server.close()


def status_of_upgrade(relay: Any, headers: dict[str, str], *beside: str) -> int:
    url = relay.url.replace("http", "ws") + "/v1/client"
    with pytest.raises(InvalidStatus) as failure:
        connect(url, subprotocols=["heliograph.v1", *beside], additional_headers=headers, proxy=None, legacy=True)
    return failure.value.response.status_code


def test_a_server_on_another_port_gets_the_cookie_and_nothing_by_it(
    screen: Callable[..., Screen], relay: Any, neighbour: DevelopmentServer
) -> None:
    one = screen()
    other = one.context.new_page()
    other.goto(neighbour.url)
    stolen = neighbour.cookies[-1]
    assert stolen.startswith("heliograph=hgc_"), "browsers send it to every port: this is what the key is for"
    assert other.evaluate("() => Object.keys(localStorage)") == [], "the key is the origin's own"
    secret = stolen.split("=", 1)[1]
    as_page = {"Cookie": stolen, "Origin": relay.url}
    bearer = {"Authorization": f"Bearer {secret}"}
    for headers in (as_page, bearer, as_page | bearer, as_page | {"Heliograph-Key": secret}):
        for method, path in [("GET", "/v1/me"), ("GET", "/v1/devices"), ("GET", "/v1/tokens"), ("POST", "/v1/logout")]:
            assert relay.request(method, path, headers=headers).status == 401, (method, path, headers)
        assert status_of_upgrade(relay, headers) == 401
        assert status_of_upgrade(relay, headers, f"key.{secret}") == 401
    one.page.reload()
    one.expect_live()


def test_cookies_that_it_plants_do_no_more_than_log_the_page_out(
    screen: Callable[..., Screen], relay: Any, neighbour: DevelopmentServer
) -> None:
    one, theirs = screen(), screen(name="the attacker's own")
    own = next(cookie for cookie in theirs.context.cookies() if cookie["name"] == "heliograph")["value"]
    other = one.context.new_page()
    # The planted cookies come in addition to the relay's, and first because of their longer path.
    neighbour.plants = ["heliograph=planted; Path=/v1", f"heliograph={own}; Path=/v1/"]
    other.goto(neighbour.url)
    one.page.reload()
    one.expect_live()
    one.go("#/link")
    expect(one.page.locator("link-view")).to_contain_text("Ada's phone")
    # The planted cookie replaces the relay's. The page's first socket is refused, which the browser logs.
    one.forgive_absence()
    neighbour.plants = [f"heliograph={own}; Path=/; HttpOnly"]
    other.goto(neighbour.url)
    one.page.reload()
    expect(one.page.locator("pair-screen")).to_contain_text("heliograph pair")
    one.pair("Ada's phone again")
    one.go("#/link")
    expect(one.page.locator("link-view")).to_contain_text("Ada's phone again")


def test_logging_out_leaves_neither_half(screen: Callable[..., Screen], relay: Any) -> None:
    one = screen()
    assert one.page.evaluate("() => localStorage.getItem('heliograph.key')").startswith("hgk_")
    one.go("#/link")
    one.page.get_by_role("button", name="Log this device out").click()
    one.page.get_by_role("button", name="Log out", exact=True).click()
    expect(one.page.locator("pair-screen")).to_contain_text("logged out")
    assert one.page.evaluate("() => localStorage.length") == 0
    assert "heliograph" not in [cookie["name"] for cookie in one.context.cookies()]
    assert relay.tokens() == []


def test_a_browser_that_was_paired_before_there_was_a_key_pairs_again(screen: Callable[..., Screen], relay: Any) -> None:
    """A cookie from before there was a page key may have leaked, so it is worth nothing, neither as a cookie nor as a bearer token."""
    one = screen()
    cookie = next(cookie for cookie in one.context.cookies() if cookie["name"] == "heliograph")["value"]
    relay.stop()
    with sqlite3.connect(relay.data / "heliograph.sqlite") as database:
        database.executescript("""
            ALTER TABLE tokens DROP COLUMN kind; ALTER TABLE tokens DROP COLUMN parent; ALTER TABLE tokens DROP COLUMN page_key;
            ALTER TABLE tokens DROP COLUMN used_at; ALTER TABLE tokens DROP COLUMN used_from; ALTER TABLE pairing_codes DROP COLUMN parent;
            DROP TRIGGER audit_is_not_cut; CREATE TRIGGER audit_is_not_cut BEFORE DELETE ON audit BEGIN SELECT raise(ABORT, 'no'); END;
            ALTER TABLE workspaces DROP COLUMN is_erased; ALTER TABLE workspaces DROP COLUMN sessions_max;
            ALTER TABLE workspaces DROP COLUMN megabytes_max; ALTER TABLE workspaces DROP COLUMN pushes_max;
            ALTER TABLE workspaces DROP COLUMN connections_max; ALTER TABLE workspaces DROP COLUMN keep_days;
            ALTER TABLE workspaces DROP COLUMN registered_from; ALTER TABLE workspaces DROP COLUMN registered_at;
            DROP TABLE pictures; ALTER TABLE workspaces DROP COLUMN removed_at;
            DELETE FROM grdb_migrations WHERE CAST(substr(identifier, 2) AS INTEGER) > 5;
        """)
    database.close()
    one.forgive_absence()
    relay.start()
    assert relay.get("/v1/me", {"Authorization": f"Bearer {cookie}"}).status == 401
    one.page.reload()
    expect(one.page.locator("pair-screen")).to_contain_text("heliograph pair")
    assert relay.tokens()[0]["kind"] == "unsure"
    assert "has to be paired again" in relay.run("token", "list", "--data", str(relay.data)).stdout
    one.pair("Ada's phone again")
