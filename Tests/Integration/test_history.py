"""The history checkers detect faults: each is given a correct history, and one with each kind of fault."""

import copy
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from history import check_decisions, check_host, check_view

DECISION = {"decision": "allow", "by": {"client": "c1", "name": "phone"}, "at": 1, "command": "d1"}


def event(kind: str, **head: Any) -> dict[str, Any]:
    return {"kind": kind, "at": 1, "head": head}


class History:
    """A history of two messages and one approval through all its stages, with each peer's records."""

    def __init__(self) -> None:
        made = [
            event("session.started"), event("message", role="user"), event("approval.requested", approval="a1"),
            event("message", role="assistant"), event("approval.delivered", approval="a1"), event("approval.applied", approval="a1", outcome="ran"),
        ]  # fmt: skip
        self.log = [*made[:4], event("approval.decided", approval="a1", decision=DECISION), *made[4:]]
        decision = {"type": "decision", "session": "s1", "approval": "a1", "decision": DECISION}
        self.host: Any = SimpleNamespace(
            name="host", sessions={"s1": made}, lost_acks=[],
            received=[{"type": "ack", "acks": [{"session": "s1", "through": 4}]}, decision, {"type": "ack", "acks": [{"session": "s1", "through": 6}]}],
        )  # fmt: skip
        self.follower: Any = SimpleNamespace(
            name="phone", violations=[], firsts={"s1": 2}, logs={"s1": copy.deepcopy(self.log[1:])}, verdicts={"a1": "allow"},
            replies={"a1": {"type": "reply", "id": "d1", "stage": "decided"}},
        )  # fmt: skip

    def check(self) -> None:
        check_host(self.host, "s1", self.log)
        check_view(self.follower, "s1", self.log)
        check_decisions(self.log, [self.follower], [self.host])


def test_a_right_history_passes():
    History().check()


WRONGS: dict[str, Callable[[History], Any]] = {
    "an acknowledged event is gone": lambda history: history.host.lost_acks.append("s1"),
    "the log lacks an event": lambda history: history.log.pop(1),
    "the log has an event twice": lambda history: history.log.insert(1, history.log[1]),
    "the log has another order": lambda history: history.log.__setitem__(slice(1, 3), [history.log[2], history.log[1]]),
    "the client lacks an event": lambda history: history.follower.logs["s1"].pop(2),
    "the client has an event twice": lambda history: history.follower.logs["s1"].insert(1, history.follower.logs["s1"][1]),
    "the client has not all": lambda history: history.follower.logs["s1"].pop(),
    "the client saw a violation": lambda history: history.follower.violations.append("a gap"),
    "two decisions": lambda history: history.log.insert(5, history.log[4]),
    "an accepted decision is not in the log": lambda history: history.log.pop(4),
    "an accepted decision lost": lambda history: history.follower.verdicts.update(a1="deny"),
    "another winner was named": lambda history: history.follower.replies.update(
        a1={"error": {"code": "alreadyDecided", "winner": DECISION | {"command": "other"}}}
    ),
    "a decision was refused although there is one": lambda history: history.follower.replies.update(a1={"error": {"code": "closed"}}),
    "the host heard another decision": lambda history: history.host.received[1].update(decision=DECISION | {"decision": "deny"}),
    "the host never heard": lambda history: history.host.received.pop(1),
    "the host heard again after it had confirmed": lambda history: history.host.received.append(history.host.received[1]),
}


@pytest.mark.parametrize("wrong", WRONGS.values(), ids=WRONGS.keys())
def test_a_wrong_history_is_noticed(wrong):
    history = History()
    wrong(history)
    with pytest.raises(AssertionError):
        history.check()
