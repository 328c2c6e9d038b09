"""A WebSocket peer for measuring."""

import asyncio
import json
import time
from typing import Any

from relay import Relay
from wire_bytes import frame, handshake


class Peer:
    """One WebSocket with minimal cost: text messages, small frames out, whole frames in."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, relay: Relay, role: str, token: str) -> "Peer":
        """Connects a peer; returns once it has received `welcome`."""
        reader, writer = await asyncio.open_connection("127.0.0.1", relay.port, limit=1 << 22)
        writer.write(handshake(relay.port, role, token))
        answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 101"), answer
        peer = cls(reader, writer)
        peer.send({"type": "hello", "version": 1, "software": "bench"})
        await peer.until("welcome")
        return peer

    def send(self, message: dict[str, Any]) -> None:
        self.send_text(compact(message))

    def send_text(self, text: bytes) -> None:
        self.writer.write(frame(text))

    async def receive(self) -> dict[str, Any]:
        """The next text message; pings before it are answered."""
        message = b""
        while True:
            head = await self.reader.readexactly(2)
            size = head[1] & 0x7F
            if size >= 126:
                size = int.from_bytes(await self.reader.readexactly(2 if size == 126 else 8))
            part = await self.reader.readexactly(size)
            match head[0] & 0x0F:
                case 0 | 1:
                    message += part
                    if head[0] & 0x80:
                        return json.loads(message)
                case 9:
                    self.writer.write(bytes([0x8A, 0x80 | size]) + b"\0\0\0\0" + part)
                case 8:
                    raise ConnectionError(f"the relay closed with {int.from_bytes(part[:2])}")

    async def until(self, type: str) -> dict[str, Any]:
        while (message := await self.receive())["type"] != type:
            if message["type"] == "notice" or "error" in message:
                raise RuntimeError(f"the relay refused: {message}")
        return message

    def close(self) -> None:
        self.writer.close()


def wire_sizes(relay: Relay) -> tuple[int, int]:
    """Bytes of a summary, and of a new session's snapshot."""

    async def ask() -> tuple[int, int]:
        host = await Peer.open(relay, "host", relay.token("host", "sizes"))
        client = await Peer.open(relay, "client", relay.token("client", "sizes"))
        host.send({"type": "events", "session": "bench-0000-0", "first": 1, "events": [event("session.started", {"agent": {"name": "bench"}}, {})]})
        await host.until("ack")
        client.send({"type": "subscribe", "id": "s", "session": "bench-0000-0"})
        snapshot = await client.until("snapshot")
        host.send({"type": "events", "session": "bench-0000-0", "first": 2, "events": [event("message", {"role": "assistant"}, {"text": "x"})]})
        summary = await client.until("summary")
        host.close()
        client.close()
        return len(compact(summary)), len(compact(snapshot))

    return asyncio.run(ask())


def begin_session(relay: Relay) -> str:
    """Starts a session; returns its id."""

    async def begin() -> None:
        host = await Peer.open(relay, "host", relay.token("host", "begins"))
        host.send({"type": "events", "session": "bench-0000-0", "first": 1, "events": [event("session.started", {"agent": {"name": "bench"}}, {})]})
        await host.until("ack")
        host.close()

    asyncio.run(begin())
    return "bench-0000-0"


def compact(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode()


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def event(kind: str, head: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    return {"kind": kind, "at": now_ms(), "head": head, "body": body}
