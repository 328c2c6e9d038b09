"""One peer within its rates that costs much, in a process of its own: what a well-behaved pair is measured beside."""

import argparse
import hashlib
import json
import socket
import threading
import time
from collections.abc import Iterator

from peer import compact, event
from wire_bytes import frame, handshake

APPROVALS = 10_000
INPUT_BYTES = 12_000
SESSIONS = 12_000
NAMES = 1_000
"""Of sessions, in one `hello`."""
HELLOS = 2_000
SUBSCRIPTIONS = 20_000
STANDING_SESSIONS = 2_000
"""There before somebody subscribes again and again."""
SECONDS_MAX = 8
"""Nobody sends for longer."""
READ_BYTES = 1 << 18


def events(session: str, first: int, *made: dict) -> bytes:
    return frame(compact({"type": "events", "session": session, "first": first, "events": list(made)}))


def started(session: str) -> bytes:
    return events(session, 1, event("session.started", {"agent": {"name": "busy"}}, {}))


def approvals() -> Iterator[bytes]:
    yield started("busy-0")
    command = "x" * INPUT_BYTES
    digest = hashlib.sha256(b"heliograph.input.v1\0Bash" + b"\0" + json.dumps({"command": command}, separators=(",", ":")).encode()).hexdigest()
    for number in range(APPROVALS):
        head = {"approval": f"busy-{number}", "kind": "tool", "tool": "Bash", "title": "x", "digest": digest}
        yield events("busy-0", number + 2, event("approval.requested", head, {"input": {"command": command}}))


def sessions() -> Iterator[bytes]:
    for number in range(SESSIONS):
        yield started(f"busy-{number}")


def hellos() -> Iterator[bytes]:
    hello = frame(compact({"type": "hello", "version": 1, "software": "busy", "sessions": [f"never-{number}" for number in range(NAMES)]}))
    for _ in range(HELLOS):
        yield hello


def subscriptions() -> Iterator[bytes]:
    for number in range(SUBSCRIPTIONS):
        yield frame(compact({"type": "subscribe", "id": f"w{number}"} if number % 2 else {"type": "subscribe", "id": f"s{number}", "session": "standing-0"}))


def standing() -> Iterator[bytes]:
    """What is there before somebody subscribes."""
    for number in range(STANDING_SESSIONS):
        yield started(f"standing-{number}")
    for number in range(200):
        yield events("standing-0", number + 2, event("message", {"role": "assistant"}, {"text": "x" * 1_000}))


SHAPES = {"approvals": ("host", approvals), "sessions": ("host", sessions), "hellos": ("host", hellos), "subscriptions": ("client", subscriptions), "standing": ("host", standing)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("shape", choices=list(SHAPES))
    parser.add_argument("port", type=int)
    parser.add_argument("token")
    options = parser.parse_args()
    role, make = SHAPES[options.shape]
    with socket.create_connection(("127.0.0.1", options.port)) as connection:
        connection.sendall(handshake(options.port, role, options.token) + frame(b'{"type":"hello","version":1,"software":"busy"}'))
        reader = threading.Thread(target=drain, args=(connection,), daemon=True)
        frames = list(make())
        reader.start()
        print("ready", flush=True)
        input()
        ends, sent = time.monotonic() + SECONDS_MAX, 0
        connection.settimeout(SECONDS_MAX)
        for piece in frames:
            if time.monotonic() > ends:
                break
            connection.sendall(piece)
            sent += 1
        connection.shutdown(socket.SHUT_WR)
        reader.join(SECONDS_MAX)
        print(sent, flush=True)


def drain(connection: socket.socket) -> None:
    """All that comes, unread."""
    buffer = bytearray(READ_BYTES)
    try:
        while connection.recv_into(buffer):
            pass
    except OSError:
        pass


if __name__ == "__main__":
    main()
