"""One WebSocket connection of the wire with a thread that receives: the base of scripted hosts and clients."""

import json
import threading
import time
from collections.abc import Callable
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from waits import patient

SUBPROTOCOL = "heliograph.v1"
Message = dict[str, Any]


def strict_json(text: str) -> Any:
    """Parses the relay's output strictly: a duplicate key or NaN is a failure."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), f"the relay sent a duplicate key among {keys}"
        return dict(pairs)

    def constant(word: str) -> Any:
        raise AssertionError(f"the relay sent {word}")

    return json.loads(text, object_pairs_hook=members, parse_constant=constant)


class Connection:
    """Sends messages, and keeps all received ones in order; `wait` also finds messages that arrived earlier."""

    def __init__(
        self,
        url: str,
        path: str,
        token: str | None,
        *,
        headers: dict[str, str] | None = None,
        on_message: Callable[[Message], None] | None = None,
        on_closed: Callable[[], None] | None = None,
        subprotocol: str | None = SUBPROTOCOL,
        beside: tuple[str, ...] = (),
    ):
        """`beside` are further subprotocols that are offered, and that the relay must not select."""
        extra = dict(headers or {})
        if token is not None:
            extra["Authorization"] = f"Bearer {token}"
        self.messages: list[Message] = []
        self.sent: list[Message] = []
        """What was sent as a dict, that is as it should be."""
        self.changed = threading.Condition()
        self.close_code: int | None = None
        self.close_reason = ""
        self._on_message = on_message
        self._on_closed = on_closed
        self.failure: BaseException | None = None
        self.socket = connect(
            url.replace("http", "ws", 1) + path,
            subprotocols=[subprotocol, *beside] if subprotocol else None,
            additional_headers=extra,
            open_timeout=patient(10),
            close_timeout=2,
            max_size=None,
            max_queue=None,
            compression=None,
            proxy=None,
            ping_interval=None,
            legacy=True,
        )
        if subprotocol:
            assert self.socket.subprotocol == subprotocol, f"the relay chose {self.socket.subprotocol!r}"
        self._reader = threading.Thread(target=self._read, name=f"reader{path}", daemon=True)
        self._reader.start()

    @property
    def is_open(self) -> bool:
        return self.close_code is None

    def send(self, message: Message | str | bytes) -> None:
        """Sends a message: a dict is encoded as JSON, a `str` is sent as text, `bytes` as binary."""
        if isinstance(message, dict):
            self.sent.append(message)
            message = json.dumps(message)
        self.socket.send(message)

    def wait(self, predicate: Callable[[Message], Any], timeout: float = 10, what: str = "a message", since: int = 0) -> Message:
        """Waits for the first matching message from index `since` on."""
        deadline = time.monotonic() + patient(timeout)
        looked = since
        with self.changed:
            while True:
                while looked < len(self.messages):
                    if predicate(self.messages[looked]):
                        return self.messages[looked]
                    looked += 1
                if self.failure:
                    raise AssertionError(f"while waiting for {what}: {self.failure}") from self.failure
                left = deadline - time.monotonic()
                if left <= 0 or not self.is_open:
                    why = f"{patient(timeout):g} s passed" if self.is_open else f"the connection closed with {self.close_code} {self.close_reason!r}"
                    raise AssertionError(f"waited for {what}, but {why}. Came since:\n{self.tail(since)}")
                self.changed.wait(left)

    def wait_closed(self, timeout: float = 10) -> int:
        """Waits for the end of the connection; returns its close code, or 1006 if the peer sent none."""
        deadline = time.monotonic() + patient(timeout)
        with self.changed:
            while self.is_open:
                left = deadline - time.monotonic()
                assert left > 0, f"waited {patient(timeout):g} s in vain for the relay to close. Came:\n{self.tail(0)}"
                self.changed.wait(left)
        assert self.close_code is not None
        return self.close_code

    def tail(self, since: int, count: int = 12) -> str:
        seen = self.messages[since:]
        lines = [json.dumps(message, ensure_ascii=False)[:400] for message in seen[-count:]]
        return "\n".join((["…"] if len(seen) > count else []) + lines) or "(nothing)"

    def close(self) -> None:
        self.socket.close()
        self._reader.join(patient(5))

    def _read(self) -> None:
        try:
            for text in self.socket:
                assert isinstance(text, str), "the relay sent a binary message"
                message = strict_json(text)
                assert isinstance(message, dict) and next(iter(message)) == "type", f"'type' must stand first: {text[:200]}"
                with self.changed:
                    self.messages.append(message)
                    if self._on_message:
                        self._on_message(message)
                    self.changed.notify_all()
        except ConnectionClosed:
            pass
        except BaseException as failure:  # the next wait raises the failure in the test's own thread
            self.failure = failure
        with self.changed:
            self.close_code = self.socket.close_code or 1006
            self.close_reason = self.socket.close_reason or ""
            self.changed.notify_all()
        if self._on_closed:
            self._on_closed()
