#!/usr/bin/env python3
"""Hosts that send as fast as they are acknowledged, in a process of its own: nothing is built or parsed that need not be.

    load.py PORT BATCH SECONDS WINDOW    with a line `TOKEN SESSION` on standard input for each host

Prints a JSON object: how many events were acknowledged, in how many seconds, and how many of these it was waiting.
"""

import json
import re
import selectors
import socket
import sys
import time

from wire_bytes import EVENT, frame, handshake

THROUGH = re.compile(rb'"through":(\d+)')
READ_BYTES = 1 << 18


class Host:
    def __init__(self, port: int, token: str, session: str, batch: int, window: int):
        self.batch, self.window = batch, max(batch, window)
        self.head = f'{{"type":"events","session":"{session}","first":'.encode()
        self.events = b',"events":[' + b",".join([EVENT] * batch) + b"]}"
        self.sent = self.acked = 0
        self.unsent = b""
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(handshake(port, "host", token))
        hello = {"type": "hello", "version": 1, "software": "load", "sessions": [session]}
        self.socket.sendall(frame(json.dumps(hello).encode()))
        seen = b""
        while b'"welcome"' not in seen:
            seen += self.socket.recv(READ_BYTES) or sys.exit(f"the relay hung up: {seen!r}")
        self.socket.setblocking(False)

    def fill(self) -> None:
        """Sends until the window is full or the socket takes no more."""
        while self.unsent or self.sent - self.acked + self.batch <= self.window:
            if not self.unsent:
                frames = []
                # As many as the window has room for go in one write.
                for _ in range(min(64, (self.window - self.sent + self.acked) // self.batch)):
                    frames.append(frame(self.head + str(self.sent + 1).encode() + self.events))
                    self.sent += self.batch
                self.unsent = b"".join(frames)
            try:
                count = self.socket.send(self.unsent)
            except BlockingIOError:
                return
            self.unsent = self.unsent[count:]

    def read(self) -> None:
        """Takes the last ack. A number that is cut at the end of what was read is only too small, and the next one comes."""
        data = self.socket.recv(READ_BYTES)
        if not data:
            sys.exit("the relay hung up")
        if b'"notice"' in data:
            sys.exit(f"the relay refused: {data[-300:]!r}")
        found = THROUGH.findall(data)
        if found:
            self.acked = max(self.acked, int(found[-1]))


def main() -> None:
    port, batch, window = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[4])
    seconds = float(sys.argv[3])
    hosts = [Host(port, *line.split(), batch, window) for line in sys.stdin]
    selector = selectors.DefaultSelector()
    for host in hosts:
        selector.register(host.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, host)
    print("ready", flush=True)
    waited = 0.0
    start = time.perf_counter()
    while (now := time.perf_counter()) - start < seconds:
        ready = selector.select(1)
        waited += time.perf_counter() - now
        for key, mask in ready:
            host = key.data
            if mask & selectors.EVENT_READ:
                host.read()
            host.fill()
            # Asked for only where something waits for room.
            selector.modify(host.socket, selectors.EVENT_READ | (selectors.EVENT_WRITE if host.unsent else 0), host)
    elapsed = time.perf_counter() - start
    print(json.dumps({"acked": sum(host.acked for host in hosts), "seconds": elapsed, "waited": waited, "busy": time.process_time()}))


if __name__ == "__main__":
    main()
