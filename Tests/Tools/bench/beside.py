"""The cost of another peer for live clients: the same load alone, then with a slow reader or a storm of connections on the same relay."""

import json
import socket
import statistics
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Self

import rows
from relay import Relay
from servers import BenchFailed, RelayServer, Result
from wire_bytes import frame, handshake

SLOW_BYTES_PER_SECOND = 1_000
SLOW_BUFFER_BYTES = 4_096
"""What the kernel may hold for the slow reader: it asks for as little as it can."""


ENDS_SECONDS_MAX = 60
"""For what goes on beside the load, once that is over: one more storm."""


class Beside(AbstractContextManager["Beside"]):
    """Disturbing activity in a thread of its own; its failure fails the benchmark's row."""

    def __init__(self, server: RelayServer):
        self.server = server
        self.ends = threading.Event()
        self.failure: Exception | None = None
        self.said = ""
        self.thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.ends.set()
        self.thread.join(ENDS_SECONDS_MAX)
        if self.thread.is_alive():
            raise BenchFailed(f"{type(self).__name__} does not end within {ENDS_SECONDS_MAX} s")
        if self.failure:
            raise BenchFailed(f"{type(self).__name__}: {self.failure}")

    def _run(self) -> None:
        try:
            self.go()
        except Exception as failure:  # noqa: BLE001
            self.failure = failure

    def go(self) -> None:
        raise NotImplementedError


class SlowReader(Beside):
    """A client that subscribes to the load's session and reads only a kilobyte per second."""

    def go(self) -> None:
        relay, token = self.server.relay, self.server.relay.token("client", "slow")
        with socket.socket() as reader:
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SLOW_BUFFER_BYTES)
            reader.connect(("127.0.0.1", relay.port))
            reader.sendall(handshake(relay.port, "client", token))
            reader.sendall(frame(b'{"type":"hello","version":1,"software":"slow"}'))
            reader.sendall(frame(f'{{"type":"subscribe","id":"s","session":"{self.session(relay)}"}}'.encode()))
            reader.settimeout(1)
            taken, began = 0, time.monotonic()
            while not self.ends.wait(0.1):
                allowed = int((time.monotonic() - began) * SLOW_BYTES_PER_SECOND) - taken
                try:
                    data = reader.recv(max(1, allowed))
                except TimeoutError:
                    continue
                if not data:
                    self.said = f"closed after {time.monotonic() - began:.1f} s"
                    return
                taken += len(data)
            self.said = f"read {taken:,} bytes"

    def session(self, relay: Relay) -> str:
        """Waits for one of the load's sessions."""
        while not self.ends.wait(0.05):
            if sessions := json.loads(relay.run("sessions", "--json", "--data", str(relay.data)).stdout)["sessions"]:
                return str(sessions[0]["session"])
        raise BenchFailed("the load has no session")


class Storm(Beside):
    """Clients that repeatedly connect all at once while the load runs, each with a snapshot."""

    clients = 10_000

    def go(self) -> None:
        times: list[float] = []
        if self.ends.wait(2):  # by now the load's clients are connected, and caches are warm
            return
        while not self.ends.is_set():
            result = self.server.bench("storm", clients=self.clients, history=1)
            times.append(result["result"]["clientsPerSecond"])
        self.said = f"{len(times)} storms of {self.clients:,}, {statistics.median(times):,.0f} clients/s"


def measured(bench: rows.Bench, clients: int, beside: Callable[[RelayServer], AbstractContextManager[Any]]) -> tuple[Result, str]:
    with RelayServer() as server:
        with beside(server) as other:
            result = server.bench("fanout", clients=clients, rate=rows.OPEN_LOOP_DELIVERIES // 1_000, size=rows.EVENT_BYTES, duration=2 * bench.seconds)
        return result, getattr(other, "said", "")


def beside(bench: rows.Bench, clients: int, other: Callable[[RelayServer], AbstractContextManager[Any]], at_most: float) -> rows.Yield:
    pairs = [(measured(bench, clients, lambda _: nullcontext()), measured(bench, clients, other)) for _ in range(bench.rounds)]
    for name, results in (("alone", [alone for alone, _ in pairs]), ("beside it", [with_it for _, with_it in pairs])):
        times = " / ".join(f"{rows.median([result for result, _ in results], 'latency', key) / 1000:.2f}" for key in ("p50", "p99", "max"))
        yield f"{name:<17} p50 / p99 / max {times} ms{f'; {results[-1][1]}' if results[-1][1] else ''}"
    share = statistics.median(rows.median([with_it[0]], "latency", "p99") / rows.median([alone[0]], "latency", "p99") for alone, with_it in pairs)
    yield rows.Ratio("p99 beside it / alone", share, at_most, True)
