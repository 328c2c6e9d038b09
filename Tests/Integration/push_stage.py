"""Fake devices, pushes and budgets between the page and the real relay."""

import json
import time
from typing import Any

from playwright.sync_api import Page, WebSocketRoute

Message = dict[str, Any]

SINCE_2001 = 978_307_200


def now() -> int:
    return int(time.time() * 1000)


class PushStage:
    """Answers commands about pushes and budgets in place of the relay, and records them; all others pass to the relay."""

    def __init__(self, page: Page):
        self.devices: dict[str, Message] = {}
        self.budgets: list[Message] = []
        self.commands: list[Message] = []
        self.refusals: dict[str, Message] = {}
        """The error that a command of this type gets."""
        self.test_result: dict[str, Any] = {}
        """Result of a test push to a browser, as `push` accepts it."""
        self.summaries: dict[str, Message] = {}
        """Fields added to the relay's own summary of a session."""
        self._sockets: list[WebSocketRoute] = []
        self._number = 0
        page.route_web_socket("**/v1/client", self._open)

    def said(self, type: str) -> list[Message]:
        return [command for command in self.commands if command["type"] == type]

    def device(self, device: str, **fields: Any) -> Message:
        registered = {"device": device, "name": "Ada's iPhone", "profile": "heliograph", "environment": "sandbox", "system": "18.1",
            "frequentPushes": True, "alertToken": True, "startToken": True, "cards": "perSession", "starts": "whenNeeded", "text": "summary",
            "kinds": ["approval", "question", "error", "finished", "budget"], "muted": []}  # fmt: skip
        beside = {key: fields.pop(key) for key in ("present", "trouble", "cards_held") if key in fields}
        self.devices[device] = {"device": registered | fields, "client": {"id": "c9", "name": "Ada's iPhone"}, "present": False, "cards": beside.pop("cards_held", []),
            "pushes": []} | beside  # fmt: skip
        return self.devices[device]

    def browser(self, device: str, **fields: Any) -> Message:
        state = self.device(device, name="Ada's laptop", profile="web", system="Firefox on Linux", cards="off", starts="never",
            web={"service": "updates.push.services.mozilla.com"}, **fields)  # fmt: skip
        for key in ("environment", "alertToken", "startToken", "frequentPushes"):
            del state["device"][key]
        return state

    def push(self, device: str, purpose: str, payload: Message | None, *, session: str | None = "s1", result: str | None = "accepted",
             text: str | None = None, ago: float = 0, **fields: Any) -> Message:  # fmt: skip
        """Plans a push, and reports its outcome if there is one; `ago` is in seconds. Pages are notified like by the relay."""
        self._number += 1
        at = now() - int(ago * 1000)
        push = {"push": self._number, "device": device, "purpose": purpose, "priority": 10, "plannedAt": at} | fields
        if session:
            push["session"] = session
        if payload is not None:
            push["payload"] = payload
        if device in self.devices:
            self.devices[device]["pushes"].insert(0, push)
        self.tell({"type": "push", "push": push})
        return self.answer(push, result, text) if result else push

    def answer(self, push: Message, result: str, text: str | None = None) -> Message:
        push["answeredAt"] = push["plannedAt"] + 40
        push["outcome"] = {"result": result} | ({"text": text} if text else {})
        self.tell({"type": "push", "push": {key: value for key, value in push.items() if key != "payload"}})
        return push

    def tell(self, message: Message) -> None:
        for socket in self._sockets:
            socket.send(json.dumps(message))

    def _open(self, page: WebSocketRoute) -> None:
        relay = page.connect_to_server()
        page.on_message(lambda text: self._heard(page, relay, text))
        relay.on_message(lambda text: page.send(self._enrich(text)))

    def _heard(self, page: WebSocketRoute, relay: WebSocketRoute, text: str | bytes) -> None:
        command = json.loads(text)
        answer = self._answer(command, page)
        if answer is None:
            return relay.send(text)
        self.commands.append(command)
        page.send(json.dumps({"type": "reply", "id": command["id"]} | answer))

    def _enrich(self, text: str | bytes) -> str | bytes:
        if not self.summaries:
            return text
        message = json.loads(text)
        for summary in [*message.get("sessions", []), *([message["summary"]] if "summary" in message else [])]:
            summary.update(self.summaries.get(summary["session"], {}))
        return json.dumps(message)

    def _answer(self, command: Message, page: WebSocketRoute) -> Message | None:
        kind = command["type"]
        if kind in self.refusals:
            return {"error": self.refusals[kind]}
        match kind:
            case "devices":
                if command.get("watch") and page not in self._sockets:
                    self._sockets.append(page)
                return {"devices": [device | {"pushes": device["pushes"][:20]} for device in self.devices.values()]}
            case "forget":
                self.devices.pop(command["device"], None)
                return {}
            case "deviceChoices":
                shown = self.devices[command["device"]]["device"]
                for key in ("quiet", "gather", "weekly", "hidesCost", "allowOnLockScreen"):
                    shown.pop(key, None)
                shown.update({key: value for key, value in command.items() if key not in ("type", "id")})
                return {}
            case "testPush" if "web" in self.devices[command["device"]]["device"]:
                notification = {"title": "Heliograph", "body": "Pushes reach it.", "data": {"heliograph": {"kind": "test"}}}
                self.push(command["device"], "alert", {"web_push": 8030, "notification": notification}, session=None, **self.test_result)
                return {}
            case "testPush":
                alert = {"aps": {"alert": {"title": "Heliograph", "body": "Pushes arrive."}}, "heliograph": {"kind": "test"}}
                self.push(command["device"], "alert", alert, session=None)
                return {}
            case "budgets":
                return {"budgets": self.budgets}
            case "budget":
                budget = command["budget"]
                same = lambda other: (other["scope"], other.get("session")) == (budget["scope"], budget.get("session"))  # noqa: E731
                self.budgets = [other for other in self.budgets if not same(other)]
                if budget["microUSD"]:
                    self.budgets.append(budget | {"spentMicroUSD": 0})
                return {}
            case "presence" | "seen":
                return {}
        return None


ATTRIBUTES = {"session": "s1", "title": "Fix the login", "project": "webshop", "agent": "claude", "host": "laptop"}
ALERT = {"title": "Fix the login", "body": "Running"}


def card(event: str, state: Message, *, alert: Message | None = None, ago: float = 0, **aps: Any) -> Message:
    """The payload of a card: `state` over that of a running session that began 20 minutes ago."""
    seconds = int(time.time() - ago)
    full = {"status": "running", "operation": "Editing src/login.ts", "progress": {"completed": 3, "total": 7, "current": "Test it"}, "approvals": 0,
        "questions": 0, "costMicroUSD": 412_300, "operations": 12, "messages": 4, "startedAt": seconds - 1230 - SINCE_2001,
        "updatedAt": seconds - SINCE_2001} | state  # fmt: skip
    given = {"timestamp": seconds, "event": event, "content-state": full} | aps
    if event == "start":
        given |= {"attributes-type": "HeliographAttributes", "attributes": ATTRIBUTES}
        alert = alert or ALERT
    return {"aps": given | ({"alert": alert} if alert else {})}


def waiting(summary: str = "npm test") -> Message:
    """The card's fields for a session that waits for an approval."""
    return {"status": "waitingApproval", "approvals": 1, "approval": {"id": "a1", "tool": "Bash", "summary": summary, "isQuestion": False}}


def notification(title: str, body: str, *, thread: str = "s1", kind: str = "approval", level: str = "time-sensitive", **aps: Any) -> Message:
    return {
        "aps": {"alert": {"title": title, "body": body}, "sound": "default", "category": kind, "thread-id": thread, "interruption-level": level} | aps,
        "heliograph": {"session": thread, "approval": "a1", "kind": kind, "code": "CODE"},
    }
