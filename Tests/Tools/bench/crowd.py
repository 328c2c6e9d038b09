"""One peer within its rates that costs much, in a process of its own: what a well-behaved pair is measured beside."""

import argparse
import hashlib
import json
import selectors
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import cast

from peer import compact, event
from wire_bytes import frame, handshake

APPROVALS = 10_000
INPUT_BYTES = 12_000
SESSIONS = 12_000
NAMES = 1_000
"""Of sessions, in one `hello`."""
HELLOS = 2_000
SUBSCRIPTIONS = 20_000
MESSAGES = 60_000
BATCH_EVENTS = 16
"""Small ones, in one message of the host that says all it can: about what a row costs counts there, not its bytes."""
PAGES = 8_000
CODES = 2_000
"""Wrong ones, which a stranger tries on each connection."""
CONNECTIONS = {"history": 8, "commands": 250, "codes": 8}
"""Of one token; for the other shapes one."""
COMMANDS_OF_CONNECTION = 190
"""250 times that are within what one client may send at once."""
STANDING_SESSIONS = 2_000
"""There before somebody subscribes again and again."""
SECONDS_MAX = 8
"""Nobody sends for longer."""
READ_BYTES = 1 << 18
CLOSE = b"\x88\x80\0\0\0\0"
"""Comes after all that was said, so that the relay has taken that when it hangs up."""


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


def small_events() -> Iterator[bytes]:
    yield started("busy-0")
    batch = b",".join(compact(event("message", {"role": "assistant"}, {})) for _ in range(BATCH_EVENTS))
    for number in range(MESSAGES):
        yield frame(b'{"type":"events","session":"busy-0","first":%d,"events":[%b]}' % (number * BATCH_EVENTS + 2, batch))


def history() -> Iterator[bytes]:
    for number in range(PAGES // CONNECTIONS["history"]):
        yield frame(compact({"type": "history", "id": f"h{number}", "session": "standing-0", "before": 201 - number % 150, "limit": 200}))


def commands() -> Iterator[bytes]:
    asked: list[dict] = [
        {"type": "subscribe"}, {"type": "budgets"}, {"type": "devices"}, {"type": "subscribe", "session": "standing-0"},
        {"type": "history", "session": "standing-0", "before": 100, "limit": 50}, {"type": "unsubscribe", "session": "standing-0"},
    ]  # fmt: skip
    for number in range(COMMANDS_OF_CONNECTION):
        yield frame(compact(asked[number % len(asked)] | {"id": f"c{number}"}))


def standing() -> Iterator[bytes]:
    """What is there before somebody subscribes."""
    for number in range(STANDING_SESSIONS):
        yield started(f"standing-{number}")
    for number in range(200):
        yield events("standing-0", number + 2, event("message", {"role": "assistant"}, {"text": "x" * 1_000}))


def codes() -> Iterator[bytes]:
    for number in range(CODES):
        body = compact({"code": f"{number:020}", "name": "a stranger"})
        last = b"connection: close\r\n" if number == CODES - 1 else b""
        yield b"POST /v1/pair HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n%bcontent-length: %d\r\n\r\n%b" % (last, len(body), body)


SHAPES = {
    "approvals": ("host", approvals), "sessions": ("host", sessions), "hellos": ("host", hellos), "events": ("host", small_events),
    "subscriptions": ("client", subscriptions), "history": ("client", history), "commands": ("client", commands), "standing": ("host", standing),
    "codes": (None, codes),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("shape", choices=list(SHAPES))
    parser.add_argument("port", type=int)
    parser.add_argument("token")
    options = parser.parse_args()
    role, make = SHAPES[options.shape]
    frames = [*make()] if role is None else [*make(), CLOSE]
    with ExitStack() as stack:
        connections = [stack.enter_context(socket.create_connection(("127.0.0.1", options.port))) for _ in range(CONNECTIONS.get(options.shape, 1))]
        for connection in connections if role else []:
            connection.sendall(handshake(options.port, role, options.token) + frame(b'{"type":"hello","version":1,"software":"busy"}'))
        print("ready", flush=True)
        input()
        print(send(connections, frames), flush=True)


def send(connections: list[socket.socket], frames: list[bytes]) -> int:
    """Says all of it on each connection, as fast as the relay reads, and reads what comes without a look at it. Returns how many messages were sent."""
    ends, sent, buffer = time.monotonic() + SECONDS_MAX, 0, bytearray(READ_BYTES)
    with selectors.DefaultSelector() as selector:
        waiting = {}
        for connection in connections:
            connection.setblocking(False)
            waiting[connection] = [0, memoryview(frames[0])]
            selector.register(connection, selectors.EVENT_READ | selectors.EVENT_WRITE)
        while selector.get_map() and time.monotonic() < ends:
            for key, ready in selector.select(1):
                connection = cast(socket.socket, key.fileobj)
                try:
                    if ready & selectors.EVENT_READ and not connection.recv_into(buffer):
                        selector.unregister(connection)
                        continue
                    if ready & selectors.EVENT_WRITE:
                        state = waiting[connection]
                        state[1] = state[1][connection.send(state[1]) :]
                        if not state[1]:
                            sent += 1
                            state[0] += 1
                            if state[0] == len(frames):
                                selector.modify(connection, selectors.EVENT_READ)
                            else:
                                state[1] = memoryview(frames[state[0]])
                except BlockingIOError:
                    continue
                except OSError:
                    selector.unregister(connection)
    return sent


if __name__ == "__main__":
    main()
