"""A malicious relay: it speaks the wire to a real host and real clients, accepts everything, and sends whatever a test wants."""

import itertools
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve
from websockets.typing import Subprotocol

from relay import free_port
from waits import wait_until
from wire import SUBPROTOCOL, Message, strict_json


GREETING: Message = {
    "type": "welcome", "version": 1, "software": "bad", "epoch": "e1", "heartbeat": {"pingSeconds": 20, "hangUpSeconds": 60},
    "limits": {"messageBytes": 1 << 20, "batchEvents": 256, "eventBytes": 256 << 10},
}  # fmt: skip


class BadRelay:
    """Keeps all events, letters and hellos of its one host over any number of connections, and the letters of its clients, which are named after
    their tokens.
    """

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.lock = threading.Condition()
        self.events: dict[str, list[Message]] = {}
        self.hellos: list[Message] = []
        self.letters: list[Message] = []
        self.client_letters: list[tuple[str, Message]] = []
        # The reply to a client's `pair`; empty if the client may not pair others.
        self.pairing_link = ""
        self._host: ServerConnection | None = None
        self._clients: dict[str, ServerConnection] = {}
        self._server = serve(self._serve, "127.0.0.1", self.port, subprotocols=[Subprotocol(SUBPROTOCOL)])
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self._numbers = itertools.count(1)

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join(10)

    def configure(self, folder: Path, consent: str = "signed") -> None:
        """Configures a host as if it had paired with a pairing code."""
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
        file = folder / "host.json"
        file.write_text(json.dumps({"relay": self.url, "token": "bad-relay", "name": "laptop", "consent": consent}))
        file.chmod(0o600)

    def _serve(self, connection: ServerConnection) -> None:
        assert connection.request
        if connection.request.path == "/v1/client":
            return self._serve_client(connection, connection.request.headers["Authorization"].removeprefix("Bearer "))
        with self.lock:
            self._host = connection
        try:
            for text in connection:
                self._take(strict_json(text if isinstance(text, str) else text.decode()))
        except ConnectionClosed:
            pass
        finally:
            with self.lock:
                if self._host is connection:
                    self._host = None

    def _take(self, message: Message) -> None:
        with self.lock:
            match message["type"]:
                case "hello":
                    self.hellos.append(message)
                    self._send(self._welcome(message))
                case "events":
                    log = self.events.setdefault(message["session"], [])
                    log += message["events"][max(0, len(log) + 1 - message["first"]) :]
                    self._send({"type": "ack", "acks": [{"session": message["session"], "through": len(log)}]})
                case "letter":
                    self.letters.append(message)
            self.lock.notify_all()

    def _welcome(self, hello: Message) -> Message:
        sessions = [{"session": name, "through": len(self.events.get(name, []))} for name in hello.get("sessions", [])]
        return GREETING | {"host": {"id": "h1", "name": "laptop"}, "sessions": sessions}

    def _serve_client(self, connection: ServerConnection, name: str) -> None:
        try:
            for text in connection:
                message = strict_json(text if isinstance(text, str) else text.decode())
                with self.lock:
                    for answer in self._answers(name, message):
                        connection.send(json.dumps(answer))
                    self._clients[name] = connection
                    self.lock.notify_all()
        except ConnectionClosed:
            pass

    def _answers(self, name: str, message: Message) -> list[Message]:
        done = {"type": "reply", "id": message.get("id")}
        match message["type"]:
            case "hello":
                return [GREETING | {"client": {"id": name, "name": name}, "workspace": {"id": "w1", "name": "W"}, "may": ["decide", "steer"]}]
            case "subscribe":
                return [done, {"type": "snapshot", "sessions": [], "approvals": []}]
            case "letter":
                self.client_letters.append((name, message))
                return [done]
            case "pair" if self.pairing_link:
                return [done | {"link": self.pairing_link, "expiresAt": 2**52, "qr": []}]
        return [done | {"error": {"code": "forbidden", "message": "no"}}]

    def tell(self, name: str, data: str, **sender: str) -> None:
        """Sends a letter in base64url to a client, from another client (`client`) or from a host's key (`from`)."""
        with self.lock:
            self._clients[name].send(json.dumps({"type": "letter", "bytes": data} | sender))

    def _send(self, message: Message) -> None:
        assert self._host is not None, "the host is not connected"
        self._host.send(json.dumps(message, ensure_ascii=False))

    def send(self, message: Message) -> None:
        with self.lock:
            self._send(message)

    def wait(self, found: Callable[[], Any], what: str, timeout: float = 20) -> Any:
        def look() -> Any:
            with self.lock:
                return found()

        return wait_until(look, timeout, lambda: f"{what}; the host said {self.events}")

    def wait_event(self, session: str, kind: str, matches: Callable[[Message], Any] = lambda event: True) -> Message:
        return self.wait(lambda: next((event for event in self.events.get(session, []) if event["kind"] == kind and matches(event)), None), f"{kind} in {session}")

    def ends(self, session: str, approval: str) -> list[Message]:
        with self.lock:
            return [event for event in self.events.get(session, []) if event["head"].get("approval") == approval and event["kind"] != "approval.requested"]

    def decide(self, session: str, approval: str, digest: str, decision: Message, signature: str | None = None) -> None:
        made = decision | {"by": {"client": "c1", "name": "Ada's phone"}, "at": 1, "command": f"k{next(self._numbers)}"}
        if signature is not None:
            made["signature"] = signature
        self.send({"type": "decision", "session": session, "approval": approval, "digest": digest, "decision": made})

    def steer(self, session: str, kind: str, id: str | None = None, signature: str | None = None, **fields: Any) -> str:
        id = id or f"s{next(self._numbers)}"
        made = {"type": kind, "id": id, "session": session, "by": {"id": "c1", "name": "Ada's phone"}} | fields
        if signature is not None:
            made["signature"] = signature
        self.send(made)
        return id

    def letter(self, data: str, client: str = "c1", name: str = "Ada's phone") -> None:
        """Sends a letter that is already in base64url to the host."""
        self.send({"type": "letter", "from": {"id": client, "name": name}, "bytes": data})
