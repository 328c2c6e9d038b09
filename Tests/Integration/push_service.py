"""A fake push service for browsers, stricter than the real ones, with faults.

It plays both ends of Web Push: it issues subscriptions like a browser, accepts pushes over HTTP/2 or HTTP/1.1, checks
token and headers by the rules of the strictest real service, and decrypts the body with the browser's key. `requests` lists what was received, with
the answers.
"""

import asyncio
import base64
import json
import re
import secrets
import ssl
import time
import urllib.parse
from collections import deque
from dataclasses import dataclass, field

import h2.config
import h2.connection
import h2.events
import http_ece
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

BODY_BYTES_MAX = 4096
TOKEN_SECONDS_MAX = 24 * 60 * 60
URGENCIES = ("very-low", "low", "normal", "high")
PRIVATE_NAMES = (".local", ".invalid", ".localhost", ".internal", ".test")


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Refusal(Exception):
    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


@dataclass
class Answer:
    """A response that a test sets in place of the service's own. Without a status the service does not answer, or closes the connection if `cuts`."""

    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    cuts: bool = False


@dataclass
class Browser:
    """One subscription with its private key."""

    endpoint: str
    key: ec.EllipticCurvePrivateKey
    auth: bytes
    server_key: bytes | None

    def subscription(self) -> dict[str, str]:
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"endpoint": self.endpoint, "p256dh": encoded(point), "auth": encoded(self.auth)}


@dataclass
class Request:
    """A received request, with header names in lower case, and its answer."""

    method: str
    path: str
    headers: dict[str, str]
    http: str
    connection: int
    at: float = 0
    """When it was there whole, in milliseconds since 1970."""
    status: int | None = None
    reason: str = ""
    text: bytes = b""


class PushService:
    def __init__(self, certificate: str, key: str, protocols: list[str], host: str = "localhost") -> None:
        self.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.tls.load_cert_chain(certificate, key)
        if protocols:
            self.tls.set_alpn_protocols(protocols)
        self.host = host
        self.origin = ""
        self.browsers: dict[str, Browser] = {}
        self.gone: set[str] = set()
        self.answers: deque[Answer] = deque()
        self.requests: asyncio.Queue[Request] = asyncio.Queue()
        self.connections = 0
        self.writers: set[asyncio.StreamWriter] = set()

    async def start(self) -> int:
        self.server = await asyncio.start_server(self.connected, "127.0.0.1", 0, ssl=self.tls)
        port: int = self.server.sockets[0].getsockname()[1]
        self.origin = f"https://{self.host}:{port}"
        return port

    def subscribe(self, server_key: str | None = None) -> Browser:
        path = f"/wpush/v2/{secrets.token_urlsafe(32)}"
        key = decoded(server_key) if server_key else None
        browser = Browser(self.origin + path, ec.generate_private_key(ec.SECP256R1()), secrets.token_bytes(16), key)
        self.browsers[path] = browser
        return browser

    def unsubscribe(self, endpoint: str) -> None:
        self.gone.add(endpoint.removeprefix(self.origin))

    def judge(self, request: Request, body: bytes) -> Answer:
        try:
            browser = self.judge_path(request)
            self.judge_token(request.headers.get("authorization", ""), browser.server_key)
            self.judge_headers(request.headers)
            self.judge_body(body)
            request.text = self.open(body, browser)
        except Refusal as refusal:
            request.reason = refusal.reason
            return Answer(refusal.status, {"content-type": "application/json"}, json.dumps({"reason": refusal.reason}).encode())
        return Answer(201, {"location": f"{self.origin}/m/{secrets.token_hex(8)}", "ttl": request.headers["ttl"]})

    def judge_path(self, request: Request) -> Browser:
        if request.method != "POST":
            raise Refusal(405, "MethodNotAllowed")
        if request.path in self.gone:
            raise Refusal(410, "Unregistered")
        if request.path not in self.browsers:
            raise Refusal(404, "BadDeviceToken")
        return self.browsers[request.path]

    def judge_token(self, authorization: str, server_key: bytes | None) -> None:
        found = re.fullmatch(r"vapid t=(([\w-]+)\.([\w-]+)\.([\w-]+)), k=([\w-]+)", authorization)
        if not found:
            raise Refusal(401, "BadAuthorizationHeader")
        _, head, claims, signature, public = found.groups()
        if server_key is not None and decoded(public) != server_key:
            raise Refusal(403, "VapidPkHashMismatch")
        try:
            raw = decoded(signature)
            if len(raw) != 64 or json.loads(decoded(head)) != {"typ": "JWT", "alg": "ES256"}:
                raise ValueError
            der = utils.encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
            key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(public))
            key.verify(der, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
            self.judge_claims(json.loads(decoded(claims)))
        except (ValueError, KeyError, InvalidSignature):
            raise Refusal(403, "BadJwtToken") from None

    def judge_claims(self, claims: dict[str, str | int]) -> None:
        if claims["aud"] != self.origin or not 0 < int(claims["exp"]) - time.time() < TOKEN_SECONDS_MAX:
            raise ValueError
        # Apple refuses a contact that cannot be reached.
        contact = urllib.parse.urlsplit(str(claims["sub"]))
        host = (contact.path.rpartition("@")[2] if contact.scheme == "mailto" else contact.hostname) or ""
        if contact.scheme not in ("mailto", "https") or "." not in host or host.endswith(PRIVATE_NAMES):
            raise ValueError

    def judge_headers(self, headers: dict[str, str]) -> None:
        # Microsoft refuses a TTL of 0, all services refuse a missing one.
        if not re.fullmatch(r"[1-9][0-9]{0,8}", headers.get("ttl", "")):
            raise Refusal(400, "BadTtl")
        if headers.get("urgency", "normal") not in URGENCIES:
            raise Refusal(400, "BadUrgency")
        topic = headers.get("topic")
        # Apple decodes the topic: no base64 text has a length of 1 modulo 4.
        if topic is not None and (not re.fullmatch(r"[\w-]{1,32}", topic, re.ASCII) or len(topic) % 4 == 1):
            raise Refusal(400, "BadWebPushTopic")
        if headers.get("content-encoding") != "aes128gcm":
            raise Refusal(400, "BadWebPushRequest")

    def judge_body(self, body: bytes) -> None:
        if len(body) > BODY_BYTES_MAX:
            raise Refusal(413, "PayloadTooLarge")
        # Salt (16 bytes), record size (4), key length (1), key (65), and one record with its tag.
        if len(body) < 86 + 17 or body[20:22] != b"\x41\x04" or int.from_bytes(body[16:20]) < len(body) - 86:
            raise Refusal(400, "BadWebPushRequest")

    def open(self, body: bytes, browser: Browser) -> bytes:
        try:
            return http_ece.decrypt(body, private_key=browser.key, auth_secret=browser.auth, version="aes128gcm")
        except http_ece.ECEException:
            raise Refusal(400, "BadWebPushRequest") from None

    def answered(self, request: Request, body: bytes) -> Answer:
        request.at = time.time() * 1000
        answer = self.answers.popleft() if self.answers else self.judge(request, body)
        request.status = answer.status
        self.requests.put_nowait(request)
        return answer

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writers.add(writer)
        try:
            if writer.get_extra_info("ssl_object").selected_alpn_protocol() == "h2":
                await self.speak_http2(reader, writer, self.connections)
            else:
                await self.speak_http1(reader, writer, self.connections)
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass  # A closed connection is no fault of the service.
        finally:
            self.writers.discard(writer)
            writer.close()

    async def speak_http2(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
        connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        connection.initiate_connection()
        writer.write(connection.data_to_send())
        streams: dict[int, tuple[dict[str, str], bytearray]] = {}
        while data := await reader.read(65536):
            for event in connection.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    streams[event.stream_id] = (dict(event.headers), bytearray())
                elif isinstance(event, h2.events.DataReceived):
                    connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                    streams[event.stream_id][1].extend(event.data)
                elif isinstance(event, h2.events.StreamEnded):
                    headers, body = streams.pop(event.stream_id)
                    request = Request(headers[":method"], headers[":path"], headers, "2", number)
                    answer = self.answered(request, bytes(body))
                    if answer.cuts:
                        return
                    if answer.status is None:
                        continue
                    head = [(":status", str(answer.status)), *answer.headers.items()]
                    connection.send_headers(event.stream_id, head, end_stream=not answer.body)
                    if answer.body:
                        connection.send_data(event.stream_id, answer.body, end_stream=True)
            writer.write(connection.data_to_send())
            await writer.drain()

    async def speak_http1(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> None:
        while line := await reader.readline():
            method, path, _ = line.decode().split()
            headers = {}
            while (line := await reader.readline()) not in (b"\r\n", b""):
                name, _, value = line.decode().partition(":")
                headers[name.strip().lower()] = value.strip()
            body = await reader.readexactly(int(headers["content-length"]))
            answer = self.answered(Request(method, path, headers, "1.1", number), body)
            if answer.cuts:
                return
            if answer.status is None:
                continue
            fields = {"content-length": str(len(answer.body)), **answer.headers}
            head = f"HTTP/1.1 {answer.status} -\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
            writer.write(head.encode() + b"\r\n" + answer.body)
            await writer.drain()
