"""A client that reconnects with its positions whenever its connection ends, and decides approvals as a function says."""

import threading
from collections.abc import Callable
from typing import Any

from websockets.exceptions import WebSocketException

from client import WireClient
from waits import patient
from wire import Message

COME_BACK_SECONDS = 0.05

Choose = Callable[[str], str | None]
"""The verdict on an approval: `allow`, `deny`, or None for leaving it to others."""


def allow(_: str) -> str:
    return "allow"


def deny(_: str) -> str:
    return "deny"


class Follower:
    """Subscribes to the workspace and the named sessions. Its state outlives its connections."""

    def __init__(self, relay: Any, name: str, sessions: list[str], choose: Choose = lambda approval: None):
        self.relay = relay
        self.name = name
        self.token = relay.token("client", name)
        self.sessions = sessions
        self.choose = choose
        self.positions: dict[str, tuple[str, int]] = {}
        self.logs: dict[str, list[Message]] = {}
        self.firsts: dict[str, int] = {}
        self.approvals: dict[str, Message] = {}
        self.violations: list[str] = []
        self.resets: list[Message] = []
        self.verdicts: dict[str, str] = {}
        """Its decisions, by approval."""
        self.replies: dict[str, Message] = {}
        """The final replies to them, by approval."""
        self.closed_with: list[int] = []
        self.connections = 0
        self._ended = threading.Event()
        self._client: WireClient | None = None
        self._thread = threading.Thread(target=self._stay, name=f"follower {name}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        client = self._client
        if client:
            client.close()
        self._thread.join(patient(15))
        assert not self._thread.is_alive(), f"{self.name} does not end"

    def __repr__(self) -> str:
        unanswered = [approval for approval in self.verdicts if approval not in self.replies]
        return f"{self.name}: connected {self.connections} times, at {self.positions}, unanswered {unanswered}, violations {self.violations}"

    def hang_up(self) -> None:
        """Closes the connection; the follower reconnects at once."""
        client = self._client
        if client:
            client.connection.socket.socket.close()

    def _stay(self) -> None:
        try:
            self._follow()
        except BaseException as failure:  # check() raises the failure in the test's own thread
            self.violations.append(f"{self.name} ended with {failure!r}")
            raise

    def _follow(self) -> None:
        while not self._ended.is_set():
            try:
                client = WireClient(self.relay, self.name, self.token)
            except (OSError, EOFError, WebSocketException, AssertionError):
                self._ended.wait(COME_BACK_SECONDS)  # the relay cannot be reached: a pause before the next attempt
                continue
            self.connections += 1
            client.positions, client.logs, client.firsts = self.positions, self.logs, self.firsts
            client.approvals, client.violations, client.resets = self.approvals, self.violations, self.resets
            self._client = client
            try:
                self._watch(client)
            except (OSError, WebSocketException):
                pass  # the connection ended during a send
            except AssertionError as failure:
                if client.connection.is_open:
                    self.violations.append(f"{self.name}: {failure}")
            self._client = None
            client.close()
            self.closed_with.append(client.connection.close_code or 1006)
            broken = client.connection.failure
            if broken:
                self.violations.append(f"{self.name}: {broken!r}")

    def _watch(self, client: WireClient) -> None:
        client.subscribe()
        for session in self.sessions:
            held = self.positions.get(session)
            error = client.subscribe(session, after={"epoch": held[0], "seq": held[1]} if held else None).get("error")
            if error:
                self.violations.append(f"{self.name} cannot subscribe to {session}: {error}")
        # Decisions without a reply are sent again under the same id, because they may have arrived.
        for approval in [approval for approval in self.verdicts if approval not in self.replies]:
            self._decide(client, approval)
        while client.connection.is_open and not self._ended.is_set():
            with client.connection.changed:
                approval = self._next()
                if approval is None:
                    client.connection.changed.wait(0.5)
                    continue
            self._decide(client, approval)

    def _next(self) -> str | None:
        for approval, card in self.approvals.items():
            if card["stage"] == "pending" and approval not in self.verdicts:
                verdict = self.choose(approval)
                if verdict:
                    self.verdicts[approval] = verdict
                    return approval
        return None

    def _decide(self, client: WireClient, approval: str) -> None:
        reply = client.decide(self.approvals[approval]["session"], approval, self.verdicts[approval], id=f"{self.name}-{approval}")
        # The store accepts no writes at the moment, so the decision is sent again on the next connection.
        if reply.get("error", {}).get("code") != "unavailable":
            self.replies[approval] = reply


def whole_log(relay: Any, session: str, name: str = "auditor") -> list[Message]:
    """All events of a session, as the relay sends them to a new client."""
    client = WireClient(relay, name)
    try:
        client.subscribe()
        assert session in client.summaries, f"the relay does not know {session}, only {list(client.summaries)}"
        end = client.summaries[session]["seq"]
        client.subscribe(session, after={"epoch": client.welcome["epoch"], "seq": 0})
        client.wait(lambda _: client.positions[session][1] >= end, 30, f"all {end} events of {session}")
        client.check()
        return client.logs[session][:end]
    finally:
        client.close()
