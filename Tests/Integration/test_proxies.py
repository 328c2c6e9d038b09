"""The relay behind the proxies of deploy/: the real nginx and the real Caddy, with TLS."""

import json
import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from client import WireClient
from daemon import Daemon, recorded_call
from host import ScriptedHost
from page_screen import Screen, closing_screens
from pictures import png
from proxies import Caddy, Certificate, Nginx, ReverseProxy
from relay import free_port
from waits import patient, wait_until

BODY_BYTES_MAX = 64 << 10
"""The size limit of one HTTP request at the relay (`Limits.httpBodyBytesMax`)."""
PICTURE_BYTES_MAX = 768 << 10
"""The size limit of a picture at the relay (`WireLimits.pictureBytesMax`)."""
READ_SECONDS = 20
"""nginx' patience with a silent relay in these tests; the example has three times as much, and so has the relay's own heartbeat."""


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Certificate:
    certificate = Certificate(tmp_path)
    # SSL_CERT_FILE sets the certificates that Python's TLS trusts.
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.chain))
    return certificate


@pytest.fixture
def proxy(tmp_path: Path, certificate: Certificate) -> Iterator[Callable[[type[ReverseProxy]], ReverseProxy]]:
    made: list[ReverseProxy] = []

    def make(kind: type[ReverseProxy]) -> ReverseProxy:
        made.append(kind(tmp_path / f"{kind.name}{len(made)}", certificate))
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture(params=[Nginx, Caddy], ids=lambda kind: kind.name)
def front(request: pytest.FixtureRequest, proxy: Callable[..., ReverseProxy], make_relay: Callable[..., Any]) -> ReverseProxy:
    """A relay that knows its public address, behind a proxy at that address."""
    front = proxy(request.param)
    front.relay = make_relay("--public-url", front.url)
    front.start(front.relay.port)
    return front


def test_a_phone_pairs_and_its_page_lives(front: ReverseProxy, browser: Any) -> None:
    with closing_screens(lambda **options: Screen(browser, front, **options)) as screen:
        one = screen()
        assert one.page.url.startswith(front.url)
        cookie = next(cookie for cookie in one.context.cookies() if cookie["name"] == "__Host-heliograph")
        assert cookie["secure"] and cookie["httpOnly"] and cookie["sameSite"] == "Strict"
        # Links on this page use an address that other machines can open.
        one.go("#/link")
        one.page.get_by_role("button", name="Pair another device").click()
        expect(one.page.locator("pair-dialog")).to_contain_text(f"{front.url}/#pair=")
        answer = one.page.request.get(front.url)
        assert answer.headers["strict-transport-security"] and "script-src 'sha256-" in answer.headers["content-security-policy"]


def test_a_host_and_a_client_meet(front: ReverseProxy, short_path: Path, certificate: Certificate) -> None:
    """The real daemon and an independent client: a question reaches the client, and its decision returns."""
    laptop = Daemon(short_path, front)
    try:
        link = front.pair_link("host")
        assert link.startswith(f"{front.url}/#host=")
        laptop.launch(link, "--name", "laptop", "--ca-file", str(certificate.chain))
        laptop.start()
        laptop.wait_link()
        with closing(WireClient(front)) as phone:
            phone.subscribe()
            session, call = str(uuid.uuid4()), "toolu_1"
            laptop.hook("SessionStart", recorded_call("SessionStart", session, "", short_path))
            # The command is larger than the proxies' buffers, in both directions.
            command = {"command": "echo " + "x" * (200 << 10)}
            asked = recorded_call("PermissionRequest", session, call, short_path, tool_name="Bash", tool_input=command)
            laptop.hook("PreToolUse", recorded_call("PreToolUse", session, call, short_path, tool_name="Bash", tool_input=command))
            hook = laptop.ask(asked)
            card = phone.wait_card()
            phone.subscribe(f"claude-{session}")
            assert "error" not in phone.decide(f"claude-{session}", card["approval"], "deny")
            out, _ = hook.communicate(timeout=patient(60))
            assert json.loads(out)["hookSpecificOutput"]["decision"]["behavior"] == "deny"
            phone.check()
        laptop.stop()
    finally:
        laptop.kill()


def test_a_visitor_is_no_neighbour(front: ReverseProxy) -> None:
    """The relay's metrics are only for its own machine. A proxied request comes from that machine, but counts as the visitor's."""
    assert front.relay.get("/metrics").status == 200
    assert front.curl("/metrics")[0] == 401
    assert front.curl("/metrics", "--header", "Host: localhost")[0] == 401
    token = front.token("client", "prometheus")
    status, text = front.curl("/metrics", "--header", f"Authorization: Bearer {token}")
    assert status == 200 and "heliograph_connections" in text


def test_bodies_up_to_the_relays_own_limit_come_through(front: ReverseProxy) -> None:
    path = "/v1/pair"
    status, text = front.curl(path, "--header", "Content-Type: application/json", body=b"x" * BODY_BYTES_MAX)
    assert status == 400 and '"error"' in text, "the relay read it, and it is no JSON"
    assert front.curl(path, body=b"x" * (BODY_BYTES_MAX + 1))[0] == 413


def test_a_picture_comes_through_whole(front: ReverseProxy) -> None:
    """The largest permitted body passes; one byte more is refused by the relay or the proxy."""
    with closing(ScriptedHost(front, name="laptop", capabilities=("steer",))) as host:
        host.start_session("s1", title="s1")
        host.event("s1", "steering.offered", {"actions": ["prompt"], "pictures": True})
        host.wait_acked("s1")
        words = ("--header", f"Authorization: Bearer {front.token('operator', 'phone')}", "--header", "Content-Type: image/png", "--header", "Expect:")
        largest = png().ljust(PICTURE_BYTES_MAX, b"x")
        assert front.curl("/v1/pictures?session=s1", *words, body=largest)[0] == 200
        assert front.curl("/v1/pictures?session=s1", *words, body=largest + b"x")[0] == 413


def test_no_header_of_a_visitors_hides_where_it_is_from(front: ReverseProxy) -> None:
    """libwebsockets 4.1 takes a header whose name continues a known header's name for a part of that: such a request is refused, and never
    taken for the proxy's own.
    """
    token = front.token("client", "phone")
    before = front.relay.log_text()
    for name in ("X-Forwarded", "X-Forwarded-F", "X-A", "X-Real", "F"):
        for host in ((), ("--header", "Host: localhost")):
            # nginx may leave the header at the end, where it hides nothing; libwebsockets then waits for more until its time limit.
            words = ("--http1.1", "--interface", "127.0.0.5", "--header", f"{name}: b", "--header", "Accept-Language: en", *host)
            assert front.curl("/metrics", *words)[0] in (400, 401), name
            assert front.curl("/v1/client", *words, *upgrade_headers())[0] in (400, 401), name
            assert front.curl("/v1/me", *words, "--header", f"Authorization: Bearer {token}")[0] in (200, 400), name
    said = front.relay.log_text()[len(before) :]
    assert '"peer":"127.0.0.1"' not in said, said


class Mirror(BaseHTTPRequestHandler):
    """A server that answers with the request's headers."""

    def do_GET(self) -> None:
        body = json.dumps([[name.lower(), value] for name, value in self.headers.items()]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.mark.parametrize("kind", [Nginx, Caddy], ids=lambda kind: kind.name)
def test_the_visitors_address_is_told_and_cannot_be_forged(kind: type[ReverseProxy], proxy: Callable[..., ReverseProxy]) -> None:
    front = proxy(kind)
    with ThreadingHTTPServer(("127.0.0.1", 0), Mirror) as upstream:
        threading.Thread(target=upstream.serve_forever, args=(0.05,), daemon=True).start()
        try:
            front.start(upstream.server_port)
            forged = [f"{name}: {value}" for name, value in {"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=203.0.113.9"}.items()]
            status, text = front.curl("/", *(word for header in forged for word in ("--header", header)))
        finally:
            upstream.shutdown()
    headers = json.loads(text)
    assert status == 200 and "203.0.113.9" not in text, headers
    for name, value in {"x-forwarded-for": "127.0.0.1", "x-forwarded-proto": "https", "host": f"localhost:{front.port}"}.items():
        assert [told for header, told in headers if header == name] == [value]


@pytest.mark.parametrize("kind", [Nginx, Caddy], ids=lambda kind: kind.name)
def test_limits_count_the_visitor_and_not_the_proxy(
    kind: type[ReverseProxy], proxy: Callable[..., ReverseProxy], make_relay: Callable[..., Any]
) -> None:
    """A visitor exceeds the rate limit and gets a time to retry; another visitor behind the same proxy is served."""
    front = proxy(kind)
    front.relay = make_relay("--trusted-proxies", "127.0.0.1", "--limits-requests-per-second-per-address", "1", "--public-url", front.url)
    front.start(front.relay.port)
    forged = ("--header", "X-Forwarded-For: 203.0.113.9", "--header", "Forwarded: for=203.0.113.9")
    statuses = [front.curl("/healthz", "--interface", "127.0.0.2", *forged)[0] for _ in range(10)]
    assert statuses == [200] * 10

    def one_too_many() -> str | None:
        status, head = front.curl("/healthz", "--interface", "127.0.0.2", *forged, "--dump-header", "-")
        return head if status == 429 else None

    head = wait_until(one_too_many, 20, "one too many")
    assert re.search(r"(?im)^retry-after: [12]\r?$", head), head
    assert front.curl("/healthz", "--interface", "127.0.0.3")[0] == 200
    assert front.relay.get("/healthz").status == 200
    # The log names the visitor's address.
    assert front.curl("/v1/client", "--interface", "127.0.0.4", "--http1.1", *upgrade_headers())[0] == 401
    assert '"peer":"127.0.0.4"' in front.relay.log_text() and "203.0.113.9" not in front.relay.log_text()


def upgrade_headers() -> tuple[str, ...]:
    headers = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")
    return tuple(word for header in (*headers, "Sec-WebSocket-Protocol: heliograph.v1") for word in ("--header", header))


def test_silence_is_kept_open_by_the_heartbeat(proxy: Callable[..., ReverseProxy], make_relay: Callable[..., Any]) -> None:
    """Host and client are silent for longer than the proxy's idle limit, and stay connected."""
    relay = make_relay("--heartbeat", "5")
    fronts = [proxy(Nginx), proxy(Caddy)]
    patience = {"proxy_read_timeout 60s": f"proxy_read_timeout {READ_SECONDS}s", "proxy_send_timeout 60s": f"proxy_send_timeout {READ_SECONDS}s"}
    for front in fronts:
        front.relay = relay
        front.start(relay.port, patience if isinstance(front, Nginx) else {})
    clients = [WireClient(front) for front in fronts]
    hosts = [ScriptedHost(front, front.name) for front in fronts]
    try:
        connections = [peer.connection for peer in (*clients, *hosts)]
        end = time.monotonic() + READ_SECONDS + 5
        wait_until(lambda: time.monotonic() > end or not all(one.is_open for one in connections), 60, "the proxy's patience to end")
        for front, client, host in zip(fronts, clients, hosts, strict=True):
            client.subscribe()
            host.start_session(front.name)
            host.wait_acked(front.name)
            client.wait_summary(front.name, lambda _: True)
        assert [host.closed_with for host in hosts] == [[], []] and all(one.is_open for one in connections)
    finally:
        for peer in (*clients, *hosts):
            peer.close()


def test_without_a_heartbeat_nginx_ends_it(proxy: Callable[..., ReverseProxy], make_relay: Callable[..., Any]) -> None:
    """Shows that the test of the heartbeat can fail."""
    front = proxy(Nginx)
    front.relay = make_relay("--heartbeat", "1800")
    front.start(front.relay.port, {"proxy_read_timeout 60s": "proxy_read_timeout 1s", "proxy_send_timeout 60s": "proxy_send_timeout 1s"})
    with closing(WireClient(front)) as client:
        assert client.connection.wait_closed(60) == 1006


def test_plain_http_leads_to_tls(proxy: Callable[..., ReverseProxy]) -> None:
    front = proxy(Nginx)
    front.start(free_port())
    front.url = f"http://localhost:{front.plain_port}"
    status, where = front.curl("/some/path", "--output", "/dev/null", "--write-out", "%{redirect_url}\n%{http_code}")
    assert (status, where) == (301, "https://localhost/some/path")
