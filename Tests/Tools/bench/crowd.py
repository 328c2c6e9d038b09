"""An expensive peer within its rate limits, as a process of its own that runs beside a measured pair."""

import argparse
import hashlib
import json
import os
import select
import selectors
import socket
import time
from collections.abc import Callable, Iterator
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
BUSY = f"busy-{os.getpid()}"
"""Begins the names of its sessions: another process may have been here before."""
STANDING_SESSIONS = 2_000
"""There before somebody subscribes again and again."""
GIANT_EVENTS, GIANT_BYTES = 8, 60_000
"""Of the session with the largest snapshot: more than one has room for."""
ASKING = 4
"""Connections that ask for it again, each time that they have it."""
SLOW = 50
"""Connections that read nothing; one that the relay closes comes again."""
SLOW_ASKS = 400
"""Of each: more than its connection holds."""
RETURNING = 64
"""Connections of a storm that are in progress at once."""
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
    yield started(f"{BUSY}-0")
    command = "x" * INPUT_BYTES
    digest = hashlib.sha256(b"heliograph.input.v1\0Bash" + b"\0" + json.dumps({"command": command}, separators=(",", ":")).encode()).hexdigest()
    for number in range(APPROVALS):
        head = {"approval": f"{BUSY}-{number}", "kind": "tool", "tool": "Bash", "title": "x", "digest": digest}
        yield events(f"{BUSY}-0", number + 2, event("approval.requested", head, {"input": {"command": command}}))


def sessions() -> Iterator[bytes]:
    for number in range(SESSIONS):
        yield started(f"{BUSY}-{number}")


def hellos() -> Iterator[bytes]:
    hello = frame(compact({"type": "hello", "version": 1, "software": "busy", "sessions": [f"never-{number}" for number in range(NAMES)]}))
    for _ in range(HELLOS):
        yield hello


def subscriptions() -> Iterator[bytes]:
    for number in range(SUBSCRIPTIONS):
        yield frame(compact({"type": "subscribe", "id": f"w{number}"} if number % 2 else {"type": "subscribe", "id": f"s{number}", "session": "standing-0"}))


def small_events() -> Iterator[bytes]:
    yield started(f"{BUSY}-0")
    batch = b",".join(compact(event("message", {"role": "assistant"}, {})) for _ in range(BATCH_EVENTS))
    for number in range(MESSAGES):
        yield frame(b'{"type":"events","session":"%b-0","first":%d,"events":[%b]}' % (BUSY.encode(), number * BATCH_EVENTS + 2, batch))


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
    """Creates the data that subscriptions will read."""
    for number in range(STANDING_SESSIONS):
        yield started(f"standing-{number}")
    for number in range(200):
        yield events("standing-0", number + 2, event("message", {"role": "assistant"}, {"text": "x" * 1_000}))


def giant() -> Iterator[bytes]:
    """Creates one huge session to be requested as a whole."""
    yield started("giant-0")
    for number in range(GIANT_EVENTS):
        yield events("giant-0", number + 2, event("message", {"role": "assistant"}, {"text": "x" * GIANT_BYTES}))


def codes() -> Iterator[bytes]:
    for number in range(CODES):
        body = compact({"code": f"{number:020}", "name": "a stranger"})
        last = b"connection: close\r\n" if number == CODES - 1 else b""
        yield b"POST /v1/pair HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n%bcontent-length: %d\r\n\r\n%b" % (last, len(body), body)


SHAPES = {
    "approvals": ("host", approvals), "sessions": ("host", sessions), "hellos": ("host", hellos), "events": ("host", small_events),
    "subscriptions": ("client", subscriptions), "history": ("client", history), "commands": ("client", commands), "standing": ("host", standing),
    "codes": (None, codes), "giant": ("host", giant),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("shape", choices=[*SHAPES, *LIVES])
    parser.add_argument("port", type=int)
    parser.add_argument("token")
    options = parser.parse_args()
    if options.shape in LIVES:
        print("ready", flush=True)
        input()
        return print(LIVES[options.shape](options.port, options.token), flush=True)
    role, make = SHAPES[options.shape]
    frames = [*make()] if role is None else [*make(), CLOSE]
    with ExitStack() as stack:
        connections = [stack.enter_context(socket.create_connection(("127.0.0.1", options.port))) for _ in range(CONNECTIONS.get(options.shape, 1))]
        for connection in connections if role else []:
            connection.sendall(handshake(options.port, role, options.token) + frame(b'{"type":"hello","version":1,"software":"busy"}'))
        print("ready", flush=True)
        input()
        print(send(connections, frames), flush=True)


def entry(port: int, token: str) -> bytes:
    return handshake(port, "client", token) + frame(b'{"type":"hello","version":1,"software":"busy"}')


def connected(port: int, said: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(said)
    connection.setblocking(False)
    return connection


def come_again(port: int, token: str) -> int:
    """Clients that connect, request everything and disconnect, a few at a time. Returns their number."""
    said = entry(port, token) + frame(b'{"type":"subscribe","id":"all"}')
    return answered(port, said, RETURNING, lambda _: (b'"snapshot"', None))


def ask_again(port: int, token: str) -> int:
    """Requests the largest snapshot repeatedly, each after the last has arrived. Returns the number of snapshots."""

    def ask(number: int) -> tuple[bytes, bytes]:
        return b'"snapshot"', frame(b'{"type":"subscribe","id":"g%d","session":"giant-0"}' % (number + 1))

    return answered(port, entry(port, token) + frame(b'{"type":"subscribe","id":"g0","session":"giant-0"}'), ASKING, ask)


def answered(port: int, said: bytes, count: int, then: Callable[[int], tuple[bytes, bytes | None]]) -> int:
    """`then` gives, by the answer's number on a connection, a text in the expected answer, and the next message; None means that the client
    disconnects and another connects.
    """
    ends, done, buffer = time.monotonic() + SECONDS_MAX, 0, bytearray(READ_BYTES)
    with selectors.DefaultSelector() as selector:
        for _ in range(count):
            selector.register(connected(port, said), selectors.EVENT_READ, (0, b""))
        while time.monotonic() < ends:
            for key, _ in selector.select(1):
                connection, (number, before) = cast(socket.socket, key.fileobj), key.data
                try:
                    read = connection.recv_into(buffer)
                except BlockingIOError:
                    continue
                except OSError:
                    read = 0
                awaited, more = then(number)
                seen = before + bytes(buffer[:read])
                is_here = awaited in seen
                if read and not is_here:
                    selector.modify(connection, selectors.EVENT_READ, (number, seen[-len(awaited) :]))
                    continue
                done += is_here
                if read and more:
                    connection.sendall(more)
                    selector.modify(connection, selectors.EVENT_READ, (number + 1, b""))
                    continue
                selector.unregister(connection)
                connection.close()
                selector.register(connected(port, said), selectors.EVENT_READ, (0, b""))
        for key in list(selector.get_map().values()):
            cast(socket.socket, key.fileobj).close()
    return done


def read_nothing(port: int, token: str) -> int:
    """Clients that request much and do not read. Returns their number: the relay closes them, and others connect."""
    asks = b"".join(frame(b'{"type":"subscribe","id":"s%d","session":"standing-0"}' % number) for number in range(SLOW_ASKS))
    said, ends, came = entry(port, token) + asks, time.monotonic() + SECONDS_MAX, 0
    connections: dict[int, socket.socket] = {}
    with select.epoll() as epoll:
        while time.monotonic() < ends:
            while len(connections) < SLOW:
                connection = connected(port, said)
                connections[connection.fileno()] = connection
                epoll.register(connection, select.EPOLLRDHUP)
                came += 1
            for file, _ in epoll.poll(0.1):
                epoll.unregister(file)
                connections.pop(file).close()
    for connection in connections.values():
        connection.close()
    return came


LIVES = {"slow": read_nothing, "reconnects": come_again, "snapshots": ask_again}
"""Clients whose next step is an answer to the relay's."""


def send(connections: list[socket.socket], frames: list[bytes]) -> int:
    """Sends all frames on each connection as fast as the relay reads, and discards received data. Returns the number of sent messages."""
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
