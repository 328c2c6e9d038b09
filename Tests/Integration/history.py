"""Invariants of a relay's log and of everything that peers received, whatever processes were killed or connections cut."""

from collections.abc import Iterable
from typing import Any

from follower import Follower
from host import ScriptedHost
from wire import Message

RELAY_MADE = {"approval.decided", "approval.expired", "budget.crossed", "steering.requested"}
"""Kinds that no host makes: the relay puts them into the log."""


def check_host(host: ScriptedHost, session: str, log: list[Message]) -> None:
    """Checks that the log has exactly the host's events in their order, and that no acknowledged event was lost."""
    assert not host.lost_acks, "\n".join(host.lost_acks)
    # The relay itself marks approvals that are open at a session's end as stale.
    stored = [event for event in log if event["kind"] not in RELAY_MADE and event["head"].get("reason") != "sessionEnded"]
    made = host.sessions[session]
    for number, (left, right) in enumerate(zip(made, stored), 1):
        assert left == right, f"event {number} of {session} was made as {left} and is in the log as {right}"
    assert len(stored) == len(made), f"the host made {len(made)} events of {session}, the log has {len(stored)}"


def check_view(follower: Follower, session: str, log: list[Message]) -> None:
    """Checks that the client's events equal the log's from the client's first position on: no gap, no repetition, the same order."""
    assert not follower.violations, "\n".join(follower.violations)
    first = follower.firsts[session]
    held = follower.logs[session]
    expected = log[first - 1 : first - 1 + len(held)]
    for number, (left, right) in enumerate(zip(held, expected), first):
        assert left == right, f"{follower.name} holds event {number} of {session} as {left}, the log as {right}"
    assert first - 1 + len(held) == len(log), f"{follower.name} holds {session} through {first - 1 + len(held)}, the log goes to {len(log)}"


def check_decisions(log: list[Message], followers: Iterable[Follower], hosts: Iterable[ScriptedHost]) -> dict[str, Message]:
    """Checks that each approval was decided at most once, that all peers received the same decision, and that the relay repeated it to the host until it was confirmed.

    Returns the decisions by approval.
    """
    winners: dict[str, Message] = {}
    for event in log:
        if event["kind"] == "approval.decided":
            approval = event["head"]["approval"]
            assert approval not in winners, f"{approval} was decided twice"
            winners[approval] = event["head"]["decision"]
    asked = {event["head"]["approval"] for event in log if event["kind"] == "approval.requested"}
    for follower in followers:
        for approval, reply in follower.replies.items():
            if approval in asked:
                check_reply(follower.name, approval, follower.verdicts[approval], reply, winners.get(approval))
    for host in hosts:
        check_deliveries(host, winners, asked)
    return winners


def check_reply(name: str, approval: str, verdict: str, reply: Message, winner: Message | None) -> None:
    if "error" not in reply:
        assert winner, f"{name} was told that {approval} is decided, and the log has no decision"
        assert winner["decision"] == verdict, f"{name} was told that its {verdict} of {approval} holds; the log has {winner}"
    elif reply["error"]["code"] == "alreadyDecided":
        assert reply["error"]["winner"] == winner, f"{name} was told that {approval} went to {reply['error']['winner']}; the log has {winner}"
    else:
        assert reply["error"]["code"] == "closed" and winner is None, f"{name} was told {reply['error']} of {approval}; the log has {winner}"


def check_deliveries(host: ScriptedHost, winners: dict[str, Message], asked: set[str]) -> None:
    """Checks that the host received the decisions of the log, and none after the relay had acknowledged its delivery."""
    confirmed = {
        (session, event["head"]["approval"]): number
        for session, events in host.sessions.items()
        for number, event in enumerate(events, 1)
        if event["kind"] == "approval.delivered"
    }
    through: dict[str, int] = {}
    heard: set[str] = set()
    for message in host.received:
        for entry in message.get("acks") or message.get("sessions") or []:
            through[entry["session"]] = entry["through"]
        if message["type"] == "decision" and message["approval"] in asked:
            approval, session = message["approval"], message["session"]
            assert message["decision"] == winners.get(approval), f"{host.name} heard {message['decision']} of {approval}; the log has {winners.get(approval)}"
            number = confirmed.get((session, approval))
            assert number is None or through.get(session, 0) < number, f"{host.name} heard {approval} again after its confirmation was on disk"
            heard.add(approval)
    missing = {approval for approval in asked if approval in winners} - heard
    mine = {event["head"]["approval"] for events in host.sessions.values() for event in events if event["kind"] == "approval.requested"}
    assert not missing & mine, f"{host.name} was never told of {sorted(missing & mine)}"


def positions_of(log: list[Message], kind: str) -> list[Any]:
    """The positions of one kind of event by approval, in the log's order."""
    return [event["head"]["approval"] for event in log if event["kind"] == kind]
