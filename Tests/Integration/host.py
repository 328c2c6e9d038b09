"""A host that a test controls: it numbers, keeps and resends events like a real one."""

import hashlib
import json
import threading
import time
from typing import Any

from sealed_relay import Line, sealed, sealed_text
from waits import patient, wait_until
from wire import Connection, Message

BATCH_EVENTS_MAX = 256
BATCH_BYTES_MAX = 512 << 10
ALERT_BYTES_MAX = 3_000
ALERT_LINES_MAX = 20
COME_BACK_SECONDS = 0.1
TRY_AGAIN_SECONDS = 0.5
"""Wait after the relay could not store a message."""


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def input_bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def input_digest(tool: str, value: Any) -> str:
    """The digest of a tool's input as in RelayProtocol/InputDigest.swift."""
    return hashlib.sha256(b"heliograph.input.v1\0" + tool.encode() + b"\0" + input_bytes(value)).hexdigest()


def alert_words(value: dict[str, Any], whole: bool) -> Message:
    """The `alert` field for a tool's short input, a line for each part; empty for a longer one."""
    full = "\n".join(f"{name}: {part if isinstance(part, str) else json.dumps(part)}" for name, part in value.items())
    if len(full.encode()) > ALERT_BYTES_MAX or full.count("\n") != len(value) - 1 or len(value) > ALERT_LINES_MAX:
        return {}
    command = {"summary": f"Run: {value['command']}"} if isinstance(value.get("command"), str) else {}
    return {"alert": {"full": full, "whole": whole, **command}}


class ScriptedHost:
    """Reconnects automatically unless `disconnect` was called, and sends unacknowledged events again."""

    def __init__(self, relay: Any, name: str = "laptop", token: str | None = None, capabilities: tuple[str, ...] = (), key: str = ""):
        self.relay = relay
        self.name = name
        self.token = token or relay.token("host", name)
        self.capabilities = capabilities
        self.key = key
        """Id of its keys, if it has any."""
        self.lock = threading.RLock()
        self.sessions: dict[str, list[Message]] = {}
        """Every event ever made, by session; number n stands at n - 1."""
        self.lines: dict[str, Line] = {}
        self.through: dict[str, int] = {}
        """Numbers that the relay has confirmed to be on its disk."""
        self.sent: dict[str, int] = {}
        self.decisions: list[Message] = []
        self.received: list[Message] = []
        """Every message of every connection so far."""
        self.digests: dict[str, str] = {}
        self.closed_with: list[int] = []
        self.lost_acks: list[str] = []
        """Cases in which a restarted relay knew less than it had acknowledged."""
        self._connection: Connection | None = None
        self._is_welcome = False
        self._wanted = True
        self._try_again_at: float | None = None
        self._ended = False
        self._wake = threading.Event()
        self._keeper = threading.Thread(target=self._keep_connected, name=f"host {name}", daemon=True)
        self._keeper.start()
        self.wait_connected()

    @property
    def is_connected(self) -> bool:
        connection = self._connection
        return bool(connection and connection.is_open and self._is_welcome)

    @property
    def connection(self) -> Connection:
        """The live connection, for messages that no correct host would send."""
        self.wait_connected()
        assert self._connection
        return self._connection

    def wait_connected(self, timeout: float = 10) -> None:
        wait_until(lambda: self.is_connected, timeout, lambda: f"host {self.name!r} to be welcomed (closed with {self.closed_with})")

    def disconnect(self) -> None:
        """Disconnects and stays offline; later events wait in this object."""
        self._wanted = False
        self._hang_up()

    def reconnect(self) -> None:
        self._wanted = True
        self._wake.set()
        self.wait_connected()

    def close(self) -> None:
        self._ended = True
        self._wanted = False
        self._wake.set()
        self._hang_up()
        self._keeper.join(patient(5))

    def start_session(self, session: str, **facts: Any) -> None:
        """Announces a session. Keyword arguments become fields of the head: `title`, `project`, `model`, `cwd`, `agent` …"""
        head = {"agent": {"name": "claude", "version": "2.1.329"}, "project": "demo", **facts}
        self.event(session, "session.started", head)

    def event(self, session: str, kind: str, head: Message, body: Message | None = None, at: int | None = None) -> int:
        """Creates an event and sends it once there is a connection; returns the host's number of the event."""
        made: Message = {"kind": kind, "at": at or now_ms(), "head": head}
        if body is not None:
            made["body"] = body
        with self.lock:
            events = self.sessions.setdefault(session, [])
            events.append(made)
            self._flush(session)
            return len(events)

    def events(self, session: str, made: list[tuple[str, Message] | tuple[str, Message, Message | None]]) -> int:
        """Sends several events in one message."""
        with self.lock:
            events = self.sessions.setdefault(session, [])
            for kind, head, *body in made:
                event: Message = {"kind": kind, "at": now_ms(), "head": head}
                if body and body[0] is not None:
                    event["body"] = body[0]
                events.append(event)
            self._flush(session)
            return len(events)

    def deltas(self, session: str, message: str, text: str, agent: str | None = None) -> None:
        self.connection.send({"type": "deltas", "session": session, "message": message, "text": sealed_text(text), **({"agent": agent} if agent else {})})

    def output(self, session: str, call: str, text: str) -> None:
        self.connection.send({"type": "output", "session": session, "call": call, "text": sealed_text(text)})

    def request_approval(
        self,
        session: str,
        tool: str,
        input: Any,
        title: str | None = None,
        kind: str = "tool",
        approval: str | None = None,
        questions: list[Message] | None = None,
        diff: str | None = None,
        change: Message | None = None,
        **head: Any,
    ) -> str:
        """Requests an approval and returns its id. Keyword arguments add fields to the head: `cut`, `redacted`, `expiresAt`, `agent` …"""
        with self.lock:
            approval = approval or f"ap-{len(self.digests) + 1}-{session}"[:64]
            digest = head.pop("digest", None) or input_digest(tool, input)
            self.digests[approval] = digest
            if title is None:
                title = str(input.get("command") or input.get("file_path") or tool) if isinstance(input, dict) else tool
            body: Message = {"input": input}
            if questions is not None:
                body["questions"] = questions
            if diff is not None:
                body["diff"] = diff
            if change is not None:
                body["change"] = change
            facts = {"approval": approval, "kind": kind, "tool": tool, "title": title, "digest": digest, **head}
            if isinstance(input, dict) and not head.get("cut"):
                facts = alert_words(input, whole=not head.get("redacted")) | facts
            self.event(session, "approval.requested", facts, body)
            return approval

    def apply(self, session: str, approval: str, outcome: str = "ran") -> None:
        """Reports that the decision was delivered to the agent and applied: `ran`, `denied` or `answered`."""
        self.event(session, "approval.delivered", {"approval": approval})
        self.event(session, "approval.applied", {"approval": approval, "outcome": outcome})

    def cancel(self, session: str, approval: str, reason: str = "answeredLocally") -> None:
        self.event(session, "approval.cancelled", {"approval": approval, "reason": reason})

    def wait_decision(self, approval: str, timeout: float = 10) -> Message:
        """Waits for the approval's complete `decision` message: `session`, `approval`, `digest`, `decision` {…}."""

        def found() -> Message | None:
            return next((message for message in self.decisions if message["approval"] == approval), None)

        return wait_until(found, timeout, lambda: f"a decision for {approval!r}; came: {self.decisions}")

    def wait_acked(self, session: str, number: int | None = None, timeout: float = 10) -> None:
        """Waits until the relay has stored all of the session's events, or those up to `number`."""
        wanted = number or len(self.sessions[session])
        wait_until(
            lambda: self.through.get(session, 0) >= wanted, timeout,
            lambda: f"an ack of {session!r} through {wanted}; it stands at {self.through.get(session, 0)}. "
            f"Last from the relay: {self.received[-3:]}",
        )

    def wait_steered(self, type: str, since: int = 0, timeout: float = 10) -> Message:
        """Waits for a client's command to a session, such as `prompt`, `interrupt` or `withdraw`: the first in `received` from index `since` on."""

        def found() -> Message | None:
            return next((message for message in self.received[since:] if message["type"] == type), None)

        return wait_until(found, timeout, lambda: f"a {type}; came: {self.received[since:]}")

    def steered(self, message: Message, stage: str, reason: str | None = None) -> None:
        """Reports the outcome of a command."""
        why = {"reason": reason} if reason else {}
        self.event(message["session"], "steering.changed", {"client": message["by"]["id"], "command": message["id"], "stage": stage, **why})

    def notices(self) -> list[Message]:
        return [message for message in self.received if message["type"] == "notice"]

    def _keep_connected(self) -> None:
        while not self._ended:
            # A connection that has ended unnoticed is removed only here.
            if self._connection and not self._connection.is_open:
                self._connection = None
            if self._wanted and self._connection is None:
                try:
                    self._connect()
                except Exception as failure:
                    # The relay cannot be reached or refuses the host; a waiting test reports that.
                    response = getattr(failure, "response", None)
                    if response is not None:
                        self.closed_with.append(response.status_code)
                        if response.status_code in (401, 403):
                            self._wanted = False
            self._try_again()
            self._wake.wait(COME_BACK_SECONDS)
            self._wake.clear()

    def _try_again(self) -> None:
        with self.lock:
            if self._try_again_at is None or time.monotonic() < self._try_again_at:
                return
            self._try_again_at = None
            for session in self.sessions:
                self.sent[session] = self.through.get(session, 0)
                self._flush(session)

    def _connect(self) -> None:
        self._is_welcome = False
        connection = Connection(self.relay.url, "/v1/host", self.token, on_message=self._receive, on_closed=self._closed)
        with self.lock:
            self._connection = connection
            hello: Message = {"type": "hello", "version": 1, "software": "scripted host", "name": self.name}
            if self.capabilities:
                hello["capabilities"] = list(self.capabilities)
            if self.key:
                hello["key"] = self.key
            hello["sessions"] = list(self.sessions)
            connection.send(hello)

    def _hang_up(self) -> None:
        connection = self._connection
        if connection:
            connection.close()

    def _closed(self) -> None:
        with self.lock:
            connection, self._connection = self._connection, None
            self._is_welcome = False
            if connection:
                code = connection.close_code or 1006
                self.closed_with.append(code)
                if 4400 <= code < 4500:
                    self._wanted = False
        self._wake.set()

    def _receive(self, message: Message) -> None:
        with self.lock:
            self.received.append(message)
            match message["type"]:
                case "welcome":
                    self.sent = {}
                    for entry in message["sessions"]:
                        before = self.through.get(entry["session"], 0)
                        if entry["through"] < before:
                            self.lost_acks.append(f"{entry['session']} was acknowledged through {before}, the relay now says {entry['through']}")
                        self.through[entry["session"]] = self.sent[entry["session"]] = entry["through"]
                    self._is_welcome = True
                    for session in self.sessions:
                        self._flush(session)
                case "ack":
                    for entry in message["acks"]:
                        assert entry["through"] >= self.through.get(entry["session"], 0), f"an ack went back: {entry}"
                        self.through[entry["session"]] = entry["through"]
                case "resend":
                    self.sent[message["session"]] = message["from"] - 1
                    self._flush(message["session"])
                case "decision":
                    self.decisions.append(message)
                case "notice" if message["code"] == "unavailable":
                    self._try_again_at = time.monotonic() + TRY_AGAIN_SECONDS

    def _flush(self, session: str) -> None:
        """Sends the events that this connection has not sent yet; the caller holds the lock."""
        connection = self._connection
        if not connection or not self._is_welcome:
            return
        events = self.sessions[session]
        start = self.sent.get(session, 0)
        while start < len(events):
            batch: list[Message] = []
            size = 0
            for event in (sealed(event, self.lines.setdefault(session, Line())) for event in events[start : start + BATCH_EVENTS_MAX]):
                size += len(json.dumps(event))
                if batch and size > BATCH_BYTES_MAX:
                    break
                batch.append(event)
            try:
                connection.send({"type": "events", "session": session, "first": start + 1, "events": batch})
            except Exception:
                return  # the connection is closing; the next welcome says from which event to continue
            start += len(batch)
            self.sent[session] = start
