"""A fake ntfy server after its documentation and source, stricter than the real one: https://docs.ntfy.sh/publish/, server/server.go, server/actions.go.

The registries that tests may use have no ntfy server. Where the real one would silently change a message (into an
attachment, or by ignoring a wrong priority or field), this one refuses it.
"""

import json
import re
import ssl
import threading
import time
import uuid
from collections import defaultdict
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from proxies import Certificate
from waits import wait_until

MESSAGE_BYTES_MAX = 4096
JSON_BYTES_MAX = 2 * MESSAGE_BYTES_MAX
NAME = re.compile(r"[-_A-Za-z0-9]{1,64}")
FIELDS = {"topic", "title", "message", "priority", "tags", "click", "icon", "actions", "attach", "markdown", "filename", "email", "call", "cache", "firebase", "delay", "sequence_id"}
ACTION_FIELDS = {"action", "label", "clear", "url", "method", "headers", "body"}


class Refusal(Exception):
    """The server's error; the first three digits of `code` are the HTTP status."""

    def __init__(self, code: int, error: str):
        super().__init__(error)
        self.body = {"code": code, "http": code // 100, "error": error, "link": "https://ntfy.sh/docs/publish/"}


@dataclass
class Request:
    """A received request with its answer."""

    path: str
    headers: dict[str, str]
    body: bytes
    status: int = 0


@dataclass
class Canned:
    """An answer that a test sets in place of the server's own."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


class NtfyServer:
    """Listens on loopback. If there are `tokens`, publishing to and reading `topic` needs one of them."""

    def __init__(self, certificate: Certificate | None = None):
        self.messages: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.requests: list[Request] = []
        self.answers: list[Canned] = []
        self.tokens: dict[str, set[str]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate.chain, certificate.key)
            context.set_alpn_protocols(["http/1.1"])
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port: int = self._server.server_address[1]
        self.url = f"https://localhost:{self.port}" if certificate else f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def wait_message(self, topic: str, fits: Any = lambda _: True, timeout: float = 20) -> dict[str, Any]:
        """Waits for a message that matches `fits`; returns the newest."""
        return wait_until(
            lambda: next((message for message in reversed(self.messages[topic]) if fits(message)), None), timeout,
            lambda: f"a message; what came: {[(r.status, r.body[:300]) for r in self.requests]}", every=0.05)  # fmt: skip

    def publish(self, body: bytes, authorization: str) -> dict[str, Any]:
        if len(body) > JSON_BYTES_MAX:
            raise Refusal(41303, "JSON body too large")
        try:
            told = json.loads(body)
        except ValueError:
            raise Refusal(40024, "invalid request: request body must be valid JSON") from None
        if not isinstance(told, dict) or set(told) - FIELDS:
            raise Refusal(40024, f"unknown fields: {sorted(set(told) - FIELDS)}")
        topic, text = told.get("topic", ""), told.get("message", "")
        if not NAME.fullmatch(topic):
            raise Refusal(40009, "invalid topic: not allowed")
        self.admit(topic, authorization)
        if not isinstance(text, str) or len(text.encode()) > MESSAGE_BYTES_MAX:
            raise Refusal(40014, "the message would become an attachment")
        if told.get("priority", 3) not in range(1, 6):
            raise Refusal(40007, "invalid priority parameter")
        if not NAME.fullmatch(told.get("sequence_id", "a")):
            raise Refusal(40049, "invalid sequence id")
        if not all(isinstance(tag, str) and "," not in tag for tag in told.get("tags", [])):
            raise Refusal(40024, "invalid tags")
        if not re.match("https?://", told.get("click", "https://")):
            raise Refusal(40024, "click is a URL")
        actions = told.get("actions", [])
        if len(actions) > 3:
            raise Refusal(40018, "only 3 actions allowed")
        for action in actions:
            if action.get("action") != "http" or not action.get("label") or not re.match("https?://", action.get("url", "")) or set(action) - ACTION_FIELDS:
                raise Refusal(40018, f"invalid action {action}")
        message = {"id": uuid.uuid4().hex[:12], "time": int(time.time()), "expires": int(time.time()) + 43_200, "event": "message", **told}
        message["message"] = text.strip() or "triggered"
        message["actions"] = [{"id": uuid.uuid4().hex[:10], "method": "POST", "clear": False} | action for action in actions]
        self.messages[topic].append(message)
        return message

    def admit(self, topic: str, authorization: str) -> None:
        if topic not in self.tokens:
            return
        kind, _, token = authorization.partition(" ")
        if kind != "Bearer":
            raise Refusal(40301, "forbidden")
        if token not in self.tokens[topic]:
            raise Refusal(40101, "unauthorized")

    def judge(self, method: str, path: str, body: bytes, authorization: str) -> bytes:
        parts = urlsplit(path)
        if method in ("POST", "PUT") and parts.path == "/":
            return json.dumps(self.publish(body, authorization)).encode()
        topic, _, rest = parts.path.removeprefix("/").partition("/")
        if method == "GET" and rest == "json" and parse_qs(parts.query).get("poll") == ["1"]:
            self.admit(topic, authorization)
            return b"".join(json.dumps(message).encode() + b"\n" for message in self.messages[topic])
        raise Refusal(40401, "page not found")

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self) -> None:
                length = int(self.headers.get("content-length", 0))
                request = Request(self.path, {name.lower(): value for name, value in self.headers.items()}, self.rfile.read(length))
                headers = {"content-type": "application/json"}
                if self.command == "POST" and server.answers:
                    canned = server.answers.pop(0)
                    status, body, headers = canned.status, canned.body, canned.headers
                else:
                    try:
                        status, body = 200, server.judge(self.command, self.path, request.body, request.headers.get("authorization", ""))
                    except Refusal as refusal:
                        status, body = refusal.body["http"], json.dumps(refusal.body).encode()
                request.status = status
                if self.command == "POST":
                    server.requests.append(request)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = handle_one

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler
