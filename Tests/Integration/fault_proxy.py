"""A TCP proxy with a network's faults: delay, low bandwidth, a cut after any byte, a reset, silence.

It does not interpret the data. Byte counts begin when a fault is set, so that a test can cut at any byte of the data that follows.
"""

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

Direction = Literal["up", "down"]
"""`up` goes to the relay, `down` comes from it."""
CHUNK_BYTES = 64 << 10


@dataclass
class Faults:
    """The faults in one direction."""

    delay: float = 0
    """Seconds that each piece is held."""
    bytes_per_second: float = 0
    """Limit of bytes per second; 0 for none."""
    slice: int = 0
    """Largest size of one write in bytes; 0 to keep the original sizes."""
    is_black: bool = False
    """Takes bytes and passes none on; they go on when this ends."""
    cut_after: int | None = None
    """Ends every connection once so many more bytes went this way."""
    passed: int = 0
    """Bytes that went since the fault was set."""


@dataclass(eq=False)
class Pair:
    """One connection through the proxy."""

    near: asyncio.StreamWriter
    far: asyncio.StreamWriter
    tasks: list[asyncio.Task[None]] = field(default_factory=list)


class FaultProxy:
    """Listens on a loopback port and represents the relay: it has the `url` and `token` that scripted peers expect."""

    def __init__(self, relay: Any):
        self.relay = relay
        self.up, self.down = Faults(), Faults()
        self.cuts = 0
        self.connections = 0
        self.swallows = False
        """True if new connections are dead: nothing on them arrives, and they are not closed."""
        self._pairs: set[Pair] = set()
        self._swallowed: set[asyncio.Task[Any]] = set()
        self._loop = asyncio.new_event_loop()
        self._changed: asyncio.Event
        self.port = 0
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), name="fault proxy", daemon=True)
        self._thread.start()
        assert started.wait(10), "the proxy does not listen"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def token(self, role: str, name: str) -> str:
        return self.relay.token(role, name)

    def set(self, direction: Direction, **faults: Any) -> None:
        """Replaces a direction's faults, also for open connections."""
        self._on_loop(lambda: self._set(direction, Faults(**faults)))

    def heal(self) -> None:
        self.set("up")
        self.set("down")

    def cut(self, reset: bool = False) -> None:
        """Closes every connection at once, with RST instead of FIN if `reset` is set."""
        self._on_loop(lambda: self._cut(reset))

    def passed(self, direction: Direction) -> int:
        """Bytes passed in that direction since its fault was set."""
        return (self.up if direction == "up" else self.down).passed

    def close(self) -> None:
        self._on_loop(lambda: self._cut(reset=False))
        asyncio.run_coroutine_threadsafe(self._spit_out(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _on_loop(self, action: Callable[[], None]) -> None:
        async def run() -> None:
            action()

        asyncio.run_coroutine_threadsafe(run(), self._loop).result(10)

    def _run(self, started: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)

        async def listen() -> None:
            self._changed = asyncio.Event()
            server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
            self.port = server.sockets[0].getsockname()[1]
            started.set()

        self._loop.run_until_complete(listen())
        self._loop.run_forever()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.swallows:
            return await self._swallow(reader, writer)
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.relay.port)
        except OSError:
            writer.transport.abort()  # the relay is gone, so the proxy closes the connection as well
            return
        self.connections += 1
        pair = Pair(near=writer, far=far_writer)
        self._pairs.add(pair)
        pair.tasks = [
            asyncio.create_task(self._pump(pair, reader, far_writer, "up")),
            asyncio.create_task(self._pump(pair, far_reader, writer, "down")),
        ]

    async def _swallow(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._swallowed.add(task)
        with contextlib.suppress(OSError, asyncio.CancelledError):
            while await reader.read(CHUNK_BYTES):
                pass
        self._swallowed.discard(task)
        writer.close()

    async def _spit_out(self) -> None:
        tasks = list(self._swallowed)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _pump(self, pair: Pair, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, direction: Direction) -> None:
        with contextlib.suppress(OSError, asyncio.CancelledError):
            while data := await reader.read(CHUNK_BYTES):
                while data:
                    faults = self.up if direction == "up" else self.down
                    if faults.is_black:
                        await self._changed.wait()
                        continue
                    size = min(len(data), faults.slice or len(data))
                    if faults.bytes_per_second:
                        size = min(size, max(1, int(faults.bytes_per_second / 10)))
                    if faults.cut_after is not None:
                        size = min(size, faults.cut_after - faults.passed)
                    if faults.delay:
                        await asyncio.sleep(faults.delay)
                    writer.write(data[:size])
                    faults.passed += size
                    data = data[size:]
                    if faults.cut_after is not None and faults.passed >= faults.cut_after:
                        faults.cut_after = None
                        self.cuts += 1
                        self._cut(reset=False)
                        return
                    await writer.drain()
                    if faults.bytes_per_second:
                        await asyncio.sleep(size / faults.bytes_per_second)
        self._end(pair)

    def _set(self, direction: Direction, faults: Faults) -> None:
        if direction == "up":
            self.up = faults
        else:
            self.down = faults
        self._changed.set()
        self._changed = asyncio.Event()

    def _cut(self, reset: bool) -> None:
        for pair in list(self._pairs):
            if reset:
                for writer in (pair.near, pair.far):
                    connection = writer.get_extra_info("socket")
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._end(pair)

    def _end(self, pair: Pair) -> None:
        if pair in self._pairs:
            self._pairs.remove(pair)
            # Written data is sent first; then both directions are closed.
            for writer in (pair.near, pair.far):
                with contextlib.suppress(OSError):
                    writer.close()
            for task in pair.tasks:
                if task is not asyncio.current_task():
                    task.cancel()
