"""A client that a test controls, and that checks all received messages: no gap, no repetition, nothing before its position."""

import itertools
import json
import secrets
from collections.abc import Callable
from typing import Any

from consent import Device, Shown, unb64
from schema import assert_valid
from sealed_relay import aliased, open_all
from wire import Connection, Message


class WireClient:
    def __init__(self, relay: Any, name: str = "phone", token: str | None = None, headers: dict[str, str] | None = None, role: str = "client"):
        self.relay = relay
        self.name = name
        self.token = token or relay.token(role, name)
        self.positions: dict[str, tuple[str, int]] = {}
        """Epoch and seq of the last event, by session subscribed to."""
        self.logs: dict[str, list[Message]] = {}
        """The events held of each session, from `firsts` on."""
        self.firsts: dict[str, int] = {}
        self.summaries: dict[str, Message] = {}
        self.approvals: dict[str, Message] = {}
        self.violations: list[str] = []
        self.resets: list[Message] = []
        self.device: Device | None = None
        """Signs decisions and prompts if a host requires that: see `trusting.py`."""
        self._ids = itertools.count(1)
        # Command ids are unique across connections, because the relay takes a repeated id for the same command.
        self._prefix = secrets.token_hex(4)
        self._stale: set[str] = set()
        self.connection = Connection(relay.url, "/v1/client", self.token, headers=headers, on_message=self._check)
        self.connection.send({"type": "hello", "version": 1, "software": f"scripted client {name}"})
        self.welcome = self.connection.wait(lambda message: message["type"] == "welcome", what="welcome")

    def subscribe(self, session: str | None = None, after: Message | None = None) -> Message:
        """Subscribes to a session, or to the workspace if none is given. Returns the reply, after the snapshot if one follows."""
        fields: Message = {}
        if session is not None:
            fields["session"] = session
        if after is not None:
            fields["after"] = after
            assert session is not None
            self.positions[session] = (after["epoch"], after["seq"])
            self.logs.setdefault(session, [])
            self.firsts.setdefault(session, after["seq"] + 1)
        since = len(self.messages)
        reply = self.command("subscribe", **fields)
        if after is None and "error" not in reply:
            self.wait(
                lambda message: message["type"] == "snapshot" and message.get("session") == session,
                what=f"the snapshot of {session or 'the workspace'}", since=since,
            )
        return reply

    def unsubscribe(self, session: str | None = None) -> Message:
        reply = self.command("unsubscribe", **({"session": session} if session else {}))
        if session:
            self.positions.pop(session, None)
        return reply

    def command(self, type: str, timeout: float = 10, id: str | None = None, **fields: Any) -> Message:
        """Sends a command and returns its reply: a result or an `error`."""
        id = id or f"{self._prefix}-{next(self._ids)}"
        host = self.summaries.get(fields.get("session", ""), {}).get("steering", {}).get("consent")
        if type == "prompt" and self.device and host and "signature" not in fields:
            fields["signature"] = self.device.prompt(unb64(host), fields["session"], id, fields["text"], pictures=fields.get("pictures", ()))
        if type in ("ruleOff", "ruleAdd", "ruleChange") and self.device and host and "signature" not in fields:
            texts = [fields[key] for key in ("rule", "toml") if key in fields]
            fields["signature"] = self.device.steer(unb64(host), fields["session"], id, type, *texts)
        since = len(self.messages)
        self.connection.send({"type": type, "id": id, **aliased(fields)})
        return self.wait(
            lambda message: message["type"] == "reply" and message["id"] == id, timeout, f"the reply to {type} {id}", since
        )

    def decide(self, session: str, approval: str, decision: str, digest: str | None = None, **fields: Any) -> Message:
        """Decides an approval by `allow` or `deny`, with the digest of the shown card unless another is given."""
        signed = self._signature(approval, decision, **fields)
        digest = digest or self.approvals[approval]["request"]["head"]["digest"]
        return self.command("decide", session=session, approval=approval, digest=digest, decision=decision, **fields, **signed)

    def answer(self, session: str, approval: str, answers: list[Message], digest: str | None = None, **fields: Any) -> Message:
        signed = self._signature(approval, "answer", answers=answers)
        digest = digest or self.approvals[approval]["request"]["head"]["digest"]
        return self.command("answer", session=session, approval=approval, digest=digest, answers=answers, **fields, **signed)

    def _signature(self, approval: str, verdict: str, **said: Any) -> Message:
        if self.device is None or "shown" not in self.approvals[approval]["request"].get("body", {}):
            return {}
        return {"signature": self.device.decide(Shown(self.approvals[approval]["request"]), verdict, **said)}

    @property
    def messages(self) -> list[Message]:
        return self.connection.messages

    def wait(self, predicate: Callable[[Message], Any], timeout: float = 10, what: str = "a message", since: int = 0) -> Message:
        return self.connection.wait(predicate, timeout, what, since)

    def wait_summary(self, session: str, predicate: Callable[[Message], Any], timeout: float = 10, what: str = "") -> Message:
        return self._wait_state(lambda: self.summaries.get(session), predicate, timeout, what or f"a summary of {session!r}")

    def wait_approval(self, approval: str, stage: str | None = None, timeout: float = 10) -> Message:
        """Waits until the approval is known, or has reached that stage."""
        return self._wait_state(
            lambda: self.approvals.get(approval), lambda state: stage is None or state["stage"] == stage, timeout,
            f"approval {approval!r} to be {stage or 'known'}",
        )

    def wait_card(self, predicate: Callable[[Message], Any] = lambda card: card["stage"] == "pending", timeout: float = 15) -> Message:
        """Waits until an approval matches `predicate`, by default until one is pending."""

        def fitting() -> Message | None:
            return next((card for card in self.approvals.values() if predicate(card)), None)

        self._wait_state(fitting, lambda card: True, timeout, f"a card; known are {list(self.approvals.values())}")
        card = fitting()
        assert card is not None
        return card

    def wait_event(self, session: str, predicate: Callable[[Message], Any], timeout: float = 10, what: str = "an event") -> Message:
        def look(_: Any) -> Message | None:
            return next((event for event in self.logs.get(session, []) if predicate(event)), None)

        self._wait_state(lambda: True, look, timeout, f"{what} in {session!r}")
        found = look(None)
        assert found is not None
        return found

    def kinds(self, session: str) -> list[str]:
        return [event["kind"] for event in self.logs.get(session, [])]

    def position(self, session: str) -> Message:
        epoch, seq = self.positions[session]
        return {"epoch": epoch, "seq": seq}

    def check(self) -> None:
        """Fails if the relay broke a promise to this client, or violated its own schema."""
        assert not self.violations, "\n".join(self.violations)
        assert_valid("relay-to-client", self.messages)

    def close(self) -> None:
        self.connection.close()

    def _wait_state(self, state: Callable[[], Any], predicate: Callable[[Any], Any], timeout: float, what: str) -> Any:
        held = state()
        if held is not None and predicate(held):
            return held
        try:
            self.wait(lambda _: (now := state()) is not None and predicate(now), timeout, what)
        except AssertionError as failure:
            raise AssertionError(f"{failure}\nThe newest state is {json.dumps(state(), ensure_ascii=False)}") from None
        return state()

    def _check(self, message: Message) -> None:
        open_all(message)
        match message["type"]:
            case "snapshot":
                if "session" in message:
                    self._take_snapshot(message)
                else:
                    for summary in message["sessions"]:
                        self._take_summary(summary)
                for approval in message["approvals"]:
                    self._take_approval(approval)
            case "events":
                self._take_events(message)
            case "summary":
                self._take_summary(message["summary"])
            case "approval":
                self._take_approval(message["approval"])
            case "reset":
                self.resets.append(message)
                self._stale.add(message["session"])

    def _take_snapshot(self, message: Message) -> None:
        session = message["session"]
        if message["events"] and message["first"] + len(message["events"]) - 1 != message["seq"]:
            self.violations.append(f"snapshot of {session}: {len(message['events'])} events from {message['first']} do not end at {message['seq']}")
        before = self.positions.get(session)
        if before and session not in self._stale and before[0] == message["epoch"] and message["seq"] < before[1]:
            self.violations.append(f"snapshot of {session} goes back from {before[1]} to {message['seq']}")
        self._stale.discard(session)
        self.positions[session] = (message["epoch"], message["seq"])
        self.logs[session] = list(message["events"])
        self.firsts[session] = message["first"]
        self._take_summary(message["summary"])

    def _take_events(self, message: Message) -> None:
        session = message["session"]
        if session not in self.positions:
            self.violations.append(f"events of {session}, to which this client holds no position")
            return
        if session in self._stale:
            self.violations.append(f"events of {session} between its reset and its snapshot")
        epoch, seq = self.positions[session]
        if message["epoch"] != epoch:
            self.violations.append(f"events of {session} are of epoch {message['epoch']}, the position of {epoch}")
        if message["first"] != seq + 1:
            self.violations.append(f"events of {session} begin at {message['first']} after {seq}")
        if not message["events"]:
            self.violations.append(f"an events message of {session} without events")
        self.positions[session] = (message["epoch"], message["first"] + len(message["events"]) - 1)
        self.logs[session].extend(message["events"])

    def _take_summary(self, summary: Message) -> None:
        held = self.summaries.get(summary["session"])
        if held is None or summary["seq"] >= held["seq"]:
            self.summaries[summary["session"]] = summary

    def _take_approval(self, approval: Message) -> None:
        held = self.approvals.get(approval["approval"])
        if held is None or approval["seq"] >= held["seq"]:
            self.approvals[approval["approval"]] = approval
