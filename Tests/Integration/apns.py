"""Heliograph's APNs simulator as a process of its own, and a strict HTTP/2 client of another make (hyper-h2) to test it with."""

import base64
import http.client
import json
import socket
import ssl
import subprocess
import time
from pathlib import Path
from typing import Any

import h2.config
import h2.connection
import h2.events
import h2.settings
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from relay import APNS_SIMULATOR, CRASH, Relay, plain_environment
from waits import patient

BUNDLE = "com.codingbridge"
ATTRIBUTES = {"projectName": "relay", "projectPath": "~/relay", "sessionId": "sess_7f3a"}


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class ProviderKey:
    """An ES256 key that signs provider tokens."""

    def __init__(self, key_id: str = "KEYID12345", team: str = "ABCDE12345"):
        self.id, self.team = key_id, team
        self._key = ec.generate_private_key(ec.SECP256R1())
        # Tokens are reused, because an ES256 signature differs each time, and APNs accepts only one new token in 20 minutes on a connection.
        self._tokens: dict[tuple[int | None, bool], str] = {}

    @property
    def public_pem(self) -> str:
        encoding, form = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        return self._key.public_key().public_bytes(encoding, form).decode()

    @property
    def private_pem(self) -> bytes:
        """The private key in the PEM form of Apple's `.p8` files."""
        encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        return self._key.private_bytes(encoding, form, serialization.NoEncryption())

    def token(self, issued_at: int | None = None, der: bool = False) -> str:
        """A provider token, the same for the same arguments."""
        if (issued_at, der) not in self._tokens:
            self._tokens[issued_at, der] = self._sign(issued_at, der)
        return self._tokens[issued_at, der]

    def _sign(self, issued_at: int | None, der: bool) -> str:
        header = {"alg": "ES256", "kid": self.id}
        claims = {"iss": self.team, "iat": issued_at or int(time.time())}
        message = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
        signature = self._key.sign(message.encode(), ec.ECDSA(hashes.SHA256()))
        if not der:
            r, s = decode_dss_signature(signature)
            signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
        return f"{message}.{base64url(signature)}"


class Simulator:
    """`heliograph-apns-simulator` with one team, one app and one phone."""

    def __init__(self, folder: Path, *arguments: str, script: dict[str, Any] | None = None):
        folder.mkdir(parents=True, exist_ok=True)
        self.journal_file = folder / "journal.jsonl"
        self.ca = folder / "ca.pem"
        self.key = ProviderKey()
        command = [APNS_SIMULATOR, "--ca", self.ca, "--journal", self.journal_file, *arguments]
        if script is not None:
            (folder / "script.json").write_text(json.dumps(script))
            command += ["--script", folder / "script.json"]
        self._log = (folder / "simulator.log").open("w+")
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self._log, text=True, env=plain_environment(folder)
        )
        line = self.process.stdout.readline()
        assert line, f"the simulator did not start: {(folder / 'simulator.log').read_text()}"
        self.addresses = json.loads(line)
        self.do("key", id=self.key.id, team=self.key.team, publicKey=self.key.public_pem)
        self.do("app", bundle=BUNDLE, team=self.key.team, broadcast=True)
        self.do("device", device="phone")
        self.do("install", device="phone", bundle=BUNDLE, app="codingbridge", categories={"approval": ["Deny", "Approve"]})

    def stop(self) -> None:
        """Ends the simulator by SIGTERM, which must be quick and leave no crash in its log."""
        self.process.terminate()
        try:
            assert self.process.wait(patient(5)) == 0
        finally:
            self.process.kill()
            self.process.wait()
        self._log.seek(0)
        assert not CRASH.search(self._log.read())
        self._log.close()

    def serve(self, relay: Relay, bundle: str = BUNDLE) -> None:
        """Makes the relay send its pushes to this simulator instead of Apple."""
        file = self.ca.with_name("from-apple.p8")
        file.write_bytes(self.key.private_pem)
        relay.run(
            "push", "setup", "--data", str(relay.data), "--team", self.key.team, "--key", self.key.id, "--file", str(file), "--bundle", bundle
        )
        configuration = json.loads((relay.data / "push.json").read_text())
        configuration["hosts"] = {
            service: {environment: self._host(environment + door) for environment in ("sandbox", "production")}
            for service, door in (("devices", ""), ("broadcasts", ""), ("channels", "Management"))
        }
        configuration["authority"] = str(self.ca)
        (relay.data / "push.json").write_text(json.dumps(configuration))

    def _host(self, door: str) -> dict[str, Any]:
        address, port = self.addresses[door].split(":")
        return {"host": "localhost", "port": int(port), "address": address}

    def admin(self, body: Any) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self.addresses["admin"].removeprefix("http://"), timeout=patient(5))
        connection.request("POST", "/", body if isinstance(body, bytes) else json.dumps(body))
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def do(self, command: str, **fields: Any) -> Any:
        status, answer = self.admin({"do": command, **fields})
        assert status == 200, answer
        return answer

    def device(self) -> Any:
        return self.do("device?", device="phone")["device"]

    def token(self, kind: str) -> str:
        tokens = self.do("tokens?")["tokens"]
        return next(t["token"] for t in tokens if t["tokenKind"] == kind and t["state"] == "live")

    def journal(self, kind: str | None = None) -> list[Any]:
        lines = [json.loads(line) for line in self.journal_file.read_text().splitlines()]
        return [line for line in lines if kind in (None, line["kind"])]

    def alert(self, **aps: Any) -> tuple[dict[str, str], bytes]:
        headers = {"apns-push-type": "alert", "apns-topic": BUNDLE, "apns-priority": "10"}
        body = {"aps": {"alert": {"title": "Approval", "body": "Run: swift test"}, **aps}}
        return self.headers(self.token("alert"), headers), json.dumps(body).encode()

    def activity(self, kind: str, **aps: Any) -> tuple[dict[str, str], bytes]:
        headers = {"apns-push-type": "liveactivity", "apns-topic": BUNDLE + ".push-type.liveactivity"}
        return self.headers(self.token(kind), headers), json.dumps({"aps": aps}).encode()

    def headers(self, token: str, headers: dict[str, str]) -> dict[str, str]:
        return {":path": f"/3/device/{token}", "authorization": f"bearer {self.key.token()}", **headers}


class Gone(Exception):
    """The server closed the connection."""


class APNsPeer:
    """One HTTP/2 connection. hyper-h2 raises if the server violates HTTP/2."""

    def __init__(self, simulator: Simulator, door: str = "sandbox"):
        host, port = simulator.addresses[door].split(":")
        context = ssl.create_default_context(cafile=str(simulator.ca))
        context.set_alpn_protocols(["h2"])
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        plain = socket.create_connection((host, int(port)), timeout=patient(5))
        self.socket = context.wrap_socket(plain, server_hostname="api.sandbox.push.apple.com")
        assert self.socket.selected_alpn_protocol() == "h2"
        self.connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
        self.connection.initiate_connection()
        self.events: list[Any] = []
        self.flush()
        self.wait_for(h2.events.RemoteSettingsChanged)

    def close(self) -> None:
        self.socket.close()

    def flush(self) -> None:
        self.socket.sendall(self.connection.data_to_send())

    @property
    def streams_max(self) -> int:
        return self.connection.remote_settings.max_concurrent_streams

    def send(self, headers: dict[str, str], body: bytes = b"", method: str = "POST") -> int:
        stream = self.connection.get_next_available_stream_id()
        pseudo = {":method": method, ":scheme": "https", ":authority": "api.sandbox.push.apple.com"}
        self.connection.send_headers(stream, [*pseudo.items(), *headers.items()], end_stream=not body)
        if body:
            self.connection.send_data(stream, body, end_stream=True)
        self.flush()
        return stream

    def read(self) -> None:
        data = self.socket.recv(65536)
        if not data:
            raise Gone
        self.events += self.connection.receive_data(data)
        self.flush()

    def wait_for(self, kind: type, stream: int | None = None) -> Any:
        while True:
            for event in self.events:
                if isinstance(event, kind) and stream in (None, getattr(event, "stream_id", None)):
                    return event
            self.read()

    def answer(self, stream: int) -> tuple[int, dict[str, str], Any]:
        """Status, headers and body of a complete response."""
        self.wait_for(h2.events.StreamEnded, stream)
        headers, body = {}, b""
        for event in self.events:
            if getattr(event, "stream_id", None) != stream:
                continue
            if isinstance(event, h2.events.ResponseReceived):
                headers = dict(event.headers)
            elif isinstance(event, h2.events.DataReceived):
                body += event.data
        return int(headers[":status"]), headers, json.loads(body) if body else None

    def push(self, request: tuple[dict[str, str], bytes]) -> tuple[int, dict[str, str], Any]:
        return self.answer(self.send(*request))
