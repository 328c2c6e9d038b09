"""A session steered by a phone, with any agent: the phone's commands and their effects."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from claude import Machine
from client import WireClient
from relay import Relay
from waits import wait_until

FINAL = ("taken", "refused", "withdrawn", "unknown")


@pytest.fixture
def phone(relay: Relay, client: Callable[..., WireClient]) -> WireClient:
    """A client that may steer and subscribes to all sessions."""
    phone = client(relay, "Ada's phone", role="operator")
    phone.subscribe()
    return phone


class Steered:
    patience: float = 20
    """Time to wait for effects, in seconds."""

    def __init__(self, phone: WireClient, session: str, api: Any = None):
        self.phone, self.session, self.api = phone, session, api
        self.ids = (f"s{number}" for number in itertools.count(1))

    def shown(self) -> str:
        """The agent's screen, for a failed test's message."""
        return ""

    def send(self, type: str, id: str | None = None, **fields: Any) -> str:
        id = id or next(self.ids)
        reply = self.phone.command(type, id=id, session=self.session, **fields)
        assert reply.get("delivery") == "sent", reply
        return id

    def prompt(self, text: str, id: str | None = None, **fields: Any) -> str:
        return self.send("prompt", id=id, text=text, **({"busy": "queue"} | fields))

    def begin(self, text: str = "work") -> None:
        """Sends a prompt from the phone, and waits until the model received it."""
        asked = len(self.api.requests)
        self.taken(self.prompt(text))
        wait_until(lambda: len(self.api.requests) > asked, 15, "the model to be asked")

    def tool_runs(self) -> None:
        self.phone.wait_event(self.session, lambda event: event["kind"] == "tool.started", 20, "the tool to run")

    def changes(self, id: str) -> list[dict[str, Any]]:
        heads = [event["head"] for event in self.phone.logs[self.session] if event["kind"] == "steering.changed"]
        return [head for head in heads if head["command"] == id]

    def stages(self, id: str) -> list[str]:
        return [change["stage"] for change in self.changes(id)]

    def stage(self, id: str, *stages: str, timeout: float | None = None) -> dict[str, Any]:
        """Waits until a command has reached one of the stages; without any, its final stage."""
        stages = stages or FINAL

        def fits(event: dict[str, Any]) -> bool:
            return event["kind"] == "steering.changed" and event["head"]["command"] == id and event["head"]["stage"] in stages

        try:
            return self.phone.wait_event(self.session, fits, timeout or self.patience, f"{id} to be {stages}")["head"]
        except AssertionError as error:
            raise AssertionError(f"{error}\nIt was {self.changes(id)}. The program shows:\n{self.shown()[-2000:]}") from None

    def taken(self, id: str, timeout: float | None = None) -> None:
        end = self.stage(id, timeout=timeout)
        assert end["stage"] == "taken", end

    def status(self, status: str, timeout: float | None = None) -> dict[str, Any]:
        return self.phone.wait_summary(self.session, lambda summary: summary["status"] == status, timeout or self.patience, status)

    def offered(self, action: str) -> dict[str, Any]:
        """Waits until the session offers this action."""
        return self._offer(lambda actions: action in actions, f"{action} to be offered")

    def offers(self, *actions: str) -> dict[str, Any]:
        """Waits until the session offers exactly these actions."""
        return self._offer(lambda offered: offered == list(actions), f"{actions} to be offered")

    def _offer(self, fits: Callable[[list[str] | None], bool], what: str) -> dict[str, Any]:
        def look(summary: dict[str, Any]) -> bool:
            offer = summary.get("steering")
            return offer is not None and fits(offer.get("actions"))

        return self.phone.wait_summary(self.session, look, self.patience, what)["steering"]

    def said(self) -> list[str]:
        """The user's messages in the timeline."""
        events = [event for event in self.phone.logs[self.session] if event["kind"] == "message" and event["head"]["role"] == "user"]
        return [event["body"]["text"] for event in events]


def allowed_after_a_restart(machine: Machine, steered: Steered, phone: WireClient, card: dict[str, Any]) -> None:
    """After a restart of the relay with an open question, a new connection sees the question, allows it, and continues to steer."""
    phone.subscribe()
    again = phone.wait_card()
    assert again["approval"] == card["approval"] and not (machine.project / "out.txt").exists()
    wait_until(lambda: phone.decide(again["session"], again["approval"], "allow").get("stage"), 20, "the decision to be taken")
    machine.wait_file("out.txt", 30)
    phone.subscribe(steered.session)
    steered.phone = phone
    steered.status("idle", 30)
    steered.taken(steered.prompt("go on"), 30)
