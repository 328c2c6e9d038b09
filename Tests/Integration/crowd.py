"""Many clients of one session in a single thread: each records its position, and whether events were missing."""

import base64
import json
import os
import selectors
import socket
import struct
import threading
from typing import Any

from waits import patient

class Member:
    def __init__(self, connection: socket.socket):
        self.socket = connection
        self.unread = b""
        self.seq = 0
        """The last event that it has."""
        self.violation: str | None = None


class Crowd:
    """`count` clients with the same token at a node."""

    def __init__(self, node: Any, session: str, count: int):
        token = node.token("client", f"crowd of {count}")
        self.session = session
        self.members: list[Member] = []
        self._selector = selectors.DefaultSelector()
        for _ in range(count):
            member = Member(self._connect(node.port, token))
            self.members.append(member)
            self._selector.register(member.socket, selectors.EVENT_READ, member)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._read, name="crowd", daemon=True)
        self._thread.start()

    def count_at(self, seq: int) -> int:
        """The number of clients that have received all events up to `seq`."""
        return sum(member.seq >= seq for member in self.members)

    @property
    def violations(self) -> list[str]:
        return [member.violation for member in self.members if member.violation]

    def close(self) -> None:
        self._ended.set()
        self._thread.join(patient(15))
        for member in self.members:
            member.socket.close()

    def _connect(self, port: int, token: str) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", port), timeout=patient(20))
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            "GET /v1/client HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: heliograph.v1", f"Authorization: Bearer {token}",
        ]  # fmt: skip
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            piece = connection.recv(1)
            assert piece, f"the node ended a handshake after {answer!r}"
            answer += piece
        assert answer.startswith(b"HTTP/1.1 101"), answer
        connection.sendall(self._frame({"type": "hello", "version": 1, "software": "crowd"}))
        connection.sendall(self._frame({"type": "subscribe", "id": "s", "session": self.session}))
        connection.setblocking(False)
        return connection

    @staticmethod
    def _frame(message: dict[str, Any]) -> bytes:
        """A WebSocket frame of a short text, with a mask of zeros."""
        text = json.dumps(message).encode()
        assert len(text) < 126
        return bytes([0x81, 0x80 | len(text)]) + bytes(4) + text

    def _read(self) -> None:
        while not self._ended.is_set():
            for key, _ in self._selector.select(0.2):
                member: Member = key.data
                try:
                    piece = member.socket.recv(1 << 18)
                except BlockingIOError:
                    continue
                except OSError:
                    piece = b""
                if not piece:
                    self._selector.unregister(member.socket)
                    member.violation = member.violation or "its connection ended"
                    continue
                member.unread += piece
                self._take(member)

    def _take(self, member: Member) -> None:
        while True:
            data = member.unread
            if len(data) < 2:
                return
            opcode, length, start = data[0] & 15, data[1] & 127, 2
            if length >= 126:
                size = 2 if length == 126 else 8
                if len(data) < 2 + size:
                    return
                length, start = struct.unpack(">H" if size == 2 else ">Q", data[2 : 2 + size])[0], 2 + size
            if len(data) < start + length:
                return
            payload, member.unread = data[start : start + length], data[start + length :]
            if opcode == 9:
                member.socket.send(bytes([0x8A, 0x80 | length]) + bytes(4) + payload)
            elif opcode == 8:
                member.violation = member.violation or f"it was closed: {payload!r}"
            else:
                self._took(member, payload)

    def _took(self, member: Member, payload: bytes) -> None:
        """Handles a received message by its type, which comes first; messages of other types are ignored."""
        if payload.startswith(b'{"type":"reset"'):
            member.violation = member.violation or f"it was reset: {payload!r}"
        elif payload.startswith(b'{"type":"snapshot"') or payload.startswith(b'{"type":"events"'):
            message = json.loads(payload)
            if message.get("session") != self.session:
                return
            if message["type"] == "snapshot":
                member.seq = message["seq"]
                return
            if message["first"] != member.seq + 1:
                member.violation = member.violation or f"event {message['first']} came after {member.seq}"
            member.seq = message["first"] + len(message["events"]) - 1
