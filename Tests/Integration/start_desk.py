"""The session that represents a host, and a phone's requests to it: starting, resuming and listing sessions."""

from typing import Any

from claude import Machine
from client import WireClient
from waits import wait_until

FINAL = ("taken", "refused", "withdrawn", "unknown")


class Desk:
    """The session that represents the host, and a phone that sends commands to it."""

    def __init__(self, machine: Machine, phone: WireClient, agent: str, **usual: Any):
        self.machine, self.phone, self.agent, self.usual = machine, phone, agent, usual
        wait_until(lambda: self.found, 20, lambda: f"the host to offer a project. Its log:\n{machine.daemon_text()}")
        self.session = self.found
        phone.subscribe(self.session)

    @property
    def found(self) -> str | None:
        return next((id for id, one in self.phone.summaries.items() if (one.get("steering") or {}).get("projects")), None)

    @property
    def offer(self) -> dict[str, Any]:
        return self.phone.summaries[self.session]["steering"]

    def ask(self, type: str, **fields: Any) -> dict[str, Any]:
        return self.phone.command(type, session=self.session, **({"project": "project", "agent": self.agent} | fields))

    def end(self, reply: dict[str, Any], timeout: float = 60) -> dict[str, Any]:
        """Waits for the event with a command's outcome."""
        assert reply.get("delivery") == "sent", reply

        def fits(event: dict[str, Any]) -> bool:
            return event["kind"] == "steering.changed" and event["head"]["command"] == reply["id"] and event["head"]["stage"] in FINAL

        try:
            return self.phone.wait_event(self.session, fits, timeout, "an outcome")
        except AssertionError as error:
            raise AssertionError(f"{error}\nThe daemon's log:\n{self.machine.daemon_text()}") from None

    def start(self, type: str = "start", **fields: Any) -> str:
        """Starts a session; returns its id."""
        head = self.end(self.ask(type, **(self.usual | fields)))["head"]
        assert head["stage"] == "taken" and head["started"], head
        self.phone.subscribe(head["started"])
        return head["started"]

    def refused(self, type: str = "start", **fields: Any) -> str:
        reply = self.ask(type, **fields)
        if "error" in reply:
            return reply["error"]["message"]
        head = self.end(reply)["head"]
        assert head["stage"] == "refused" and "started" not in head, head
        return head["reason"]

    def past(self) -> list[dict[str, Any]]:
        event = self.end(self.ask("past"))
        assert event["head"]["stage"] == "taken", event
        return event["body"]["sessions"]

    def first_word(self, type: str, **fields: Any) -> str:
        """The reason why the host refuses to start a session; empty if it does not."""
        return self.end(self.ask(type, **fields))["head"].get("reason", "")
