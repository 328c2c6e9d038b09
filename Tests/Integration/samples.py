"""A sample of every message and event kind that a host or a client may send, with every field. The fuzzer starts from them, too."""

from typing import Any

Message = dict[str, Any]

DECISION = {
    "decision": "answer", "answers": [{"question": "q0", "choices": ["Blue"], "text": "dark"}],
    "by": {"client": "c1", "name": "phone"}, "at": 1, "command": "c9", "signature": "sig",
}  # fmt: skip
DIGEST = "a" * 64
KEY = "c2l4dGVlbi1rZXktYnl0ZQ"

# The head of every event kind that a host may send, with every field.
HEADS: dict[str, Message] = {
    "session.started": {
        "agent": {"name": "claude", "version": "2"}, "model": "m", "title": "t", "project": "p", "cwd": "/x", "run": "r", "resumed": True,
    },
    "session.renamed": {"title": "t"},
    "session.ended": {"reason": "r", "failed": False},
    "status.changed": {"status": "running", "reason": "r"},
    "message": {"role": "assistant", "summary": "s", "message": "m", "agent": "a"},
    "tool.started": {"call": "c", "tool": "Bash", "operation": "o", "file": "f", "agent": "a", "redacted": True},
    "tool.finished": {"call": "c", "tool": "Bash", "ok": True, "exit": -1, "durationMs": 5, "summary": "s", "agent": "a"},
    "file.changed": {"path": "p", "added": 1, "removed": 0, "call": "c"},
    "todo.changed": {"completed": 1, "total": 2, "current": "c"},
    "usage": {
        "run": "r", "model": "m", "tokens": {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4}, "costMicroUSD": 5,
        "costDeltaMicroUSD": 6, "contextUsed": 7, "contextLimit": 8,
    },
    "approval.requested": {
        "approval": "a1", "kind": "tool", "tool": "Bash", "title": "t", "digest": DIGEST, "redacted": False, "cut": True,
        "expiresAt": 4_000_000_000_000, "call": "c", "agent": "a", "editable": ["command"], "consent": {"host": KEY, "shown": DIGEST},
    },
    "approval.delivered": {"approval": "a1"},
    "approval.applied": {"approval": "a1", "outcome": "ran"},
    "approval.cancelled": {"approval": "a1", "reason": "r"},
    "approval.stale": {"approval": "a1", "reason": "r"},
    "subagent.started": {"agent": "a", "name": "n", "call": "c"},
    "subagent.finished": {"agent": "a", "name": "n"},
    "error": {"message": "m", "recoverable": True},
    "steering.offered": {
        "actions": ["prompt", "interrupt", "stop", "mode", "model", "askAll", "start", "resume", "past", "ruleOff", "ruleAdd", "ruleChange", "ruleTry"], "whileBusy": True, "pictures": True, "screen": True, "reason": "r", "asksAll": True, "hold": "most", "consent": KEY, "seals": True, "wraps": [{"epoch": 1, "device": KEY, "wrap": "wrap" * 20}], "sealed": "c2VhbGVk", "mode": "plan", "modes": ["plan"], "models": ["m"],
        "commands": ["/compact"], "projects": [{"name": "p", "folder": "~/p"}],
        "agents": [{"name": "a", "title": "A", "modes": ["plan"]}],
        "rules": {"accepted": True, "more": 2, "list": [{"name": "no", "answer": "deny", "for": ["Bash(rm:*)"], "words": "w", "folder": "~/p",
                  "agent": "a", "hours": "09:00-18:00", "until": "2026-12-24"}, {"name": "r", "answer": "allow", "for": ["Bash(ls)"], "off": True}]},
    },
    "steering.changed": {"client": "c1", "command": "c2", "stage": "taken", "reason": "r", "started": "s2"},
    "steering.typed": {"by": {"id": "c1", "name": "n"}, "bytes": 5},
    "truncated": {"count": 3},
    "rewound": {"to": 1},
    "mood.changed": {"mood": "sunny"},
}  # fmt: skip

SCREEN = {
    "of": "t.2", "whole": True, "rows": 24, "columns": 80, "cursor": {"row": 1, "column": 2}, "wrapsPaste": True,
    "lines": [{"row": 0, "runs": [{"text": "$ vim"}, {"text": "x", "style": "1;31"}, {"text": "中", "wide": True}]}],
}  # fmt: skip

FROM_HOST: dict[str, Message] = {
    "hello": {"type": "hello", "version": 1, "software": "s", "name": "n", "capabilities": ["steer", "dance"], "sessions": ["s1"], "key": KEY},
    "deltas": {"type": "deltas", "session": "s1", "message": "m", "text": "t", "agent": "a"},
    "output": {"type": "output", "session": "s1", "call": "c", "text": "t"},
    "letter": {"type": "letter", "to": "c1", "bytes": "aGVsbG8"},
    "answered": {"type": "answered", "to": "c1", "id": "k1", "screen": SCREEN},
    **{
        f"events {kind}": {
            "type": "events", "session": "s1", "first": 1, "gap": False,
            "events": [{"kind": kind, "at": 1, "head": head, "body": {"text": "t"}, "line": "c2VhbGVk"}],
        }
        for kind, head in HEADS.items()
    },
}  # fmt: skip

FROM_CLIENT: dict[str, Message] = {
    "hello": {"type": "hello", "version": 1, "software": "s"},
    "subscribe": {"type": "subscribe", "id": "c1", "session": "s1", "after": {"epoch": "e", "seq": 1}},
    "olderSessions": {"type": "olderSessions", "id": "c1"},
    "unsubscribe": {"type": "unsubscribe", "id": "c1", "session": "s1"},
    "history": {"type": "history", "id": "c1", "session": "s1", "before": 5, "limit": 1},
    "decide": {
        "type": "decide", "id": "c1", "session": "s1", "approval": "a", "digest": DIGEST, "decision": "deny", "message": "m", "signature": "s",
    },
    "answer": {
        "type": "answer", "id": "c1", "session": "s1", "approval": "a", "digest": DIGEST, "answers": DECISION["answers"], "signature": "s",
    },
    "prompt": {"type": "prompt", "id": "c1", "session": "s1", "text": "t", "busy": "steer", "command": True, "signature": "s",
        "pictures": [{"digest": DIGEST, "type": "image/png", "bytes": 5}]},
    "interrupt": {"type": "interrupt", "id": "c1", "session": "s1", "signature": "s"},
    "stop": {"type": "stop", "id": "c1", "session": "s1", "signature": "s"},
    "mode": {"type": "mode", "id": "c1", "session": "s1", "mode": "plan", "signature": "s"},
    "askAll": {"type": "askAll", "id": "c1", "session": "s1", "on": True, "signature": "s"},
    "model": {"type": "model", "id": "c1", "session": "s1", "model": "m", "signature": "s"},
    "start": {
        "type": "start", "id": "c1", "session": "s1", "project": "p", "agent": "a", "mode": "plan", "model": "m", "text": "t", "signature": "s",
    },
    "resume": {
        "type": "resume", "id": "c1", "session": "s1", "project": "p", "agent": "a", "past": "x", "mode": "plan", "model": "m", "text": "t", "signature": "s",
    },
    "past": {"type": "past", "id": "c1", "session": "s1", "project": "p", "agent": "a", "signature": "s"},
    "ruleOff": {"type": "ruleOff", "id": "c1", "session": "s1", "rule": "r", "signature": "s"},
    "ruleAdd": {"type": "ruleAdd", "id": "c1", "session": "s1", "toml": "[[rule]]", "signature": "s"},
    "ruleChange": {"type": "ruleChange", "id": "c1", "session": "s1", "rule": "r", "toml": "[[rule]]", "signature": "s"},
    "ruleTry": {"type": "ruleTry", "id": "c1", "session": "s1", "toml": "", "signature": "s"},
    "withdraw": {"type": "withdraw", "id": "c1", "session": "s1", "client": "c2", "command": "c9"},
    "ping": {"type": "ping", "id": "c1"},
    "pair": {"type": "pair", "id": "c1", "role": "host"},
    "presence": {"type": "presence", "id": "c1", "foreground": True, "session": "s1", "device": "d1"},
    "seen": {"type": "seen", "id": "c1", "session": "s1", "approval": "a"},
    "device": {
        "type": "device", "id": "c1",
        "device": {
            "device": "d1", "name": "n", "profile": "heliograph", "environment": "sandbox", "system": "18.1", "alertToken": "0aF9",
            "startToken": "00", "frequentPushes": True, "cards": "aggregate", "starts": "always", "text": "sealed",
            "sealKey": "A" * 43 + "=", "kinds": ["approval", "budget"], "muted": ["s1"],
            "quiet": {"from": 1380, "to": 420, "timeZone": "Europe/Berlin"}, "gather": {"when": "interval", "minutes": 30}, "countsRules": True,
            "hidesCost": True, "language": "de-AT",
            "weekly": {"weekday": 1, "at": 540, "timeZone": "Europe/Berlin"},
        },
    },
    "card": {"type": "card", "id": "c1", "device": "d1", "card": {"card": "k1", "session": "s1", "token": "0aF9", "state": "active"}},
    "deviceChoices": {
        "type": "deviceChoices", "id": "c1", "device": "d9", "text": "summary", "kinds": ["approval"], "muted": ["s1"],
        "mutedUntil": [{"session": "s2", "until": 1_700_000_000_000, "asked": ["a1"]}],
        "mutedProjects": [{"host": "h1", "project": "webshop"}],
        "quiet": {"from": 1380, "to": 420, "timeZone": "Europe/Berlin", "exceptRisks": True},
        "gather": {"when": "daily", "at": 1080, "timeZone": "Europe/Berlin"},
        "weekly": {"weekday": 7, "at": 0, "timeZone": "Europe/Berlin"}, "countsRules": True, "hidesCost": True, "allowOnLockScreen": True,
    },
    "forget": {"type": "forget", "id": "c1", "device": "d1"},
    "devices": {"type": "devices", "id": "c1", "watch": False},
    "testPush": {"type": "testPush", "id": "c1", "device": "d1"},
    "budget": {"type": "budget", "id": "c1", "budget": {"scope": "session", "session": "s1", "microUSD": 5, "levels": [50, 100], "hold": True}},
    "budgets": {"type": "budgets", "id": "c1"},
    "costs": {"type": "costs", "id": "c1", "days": [1763251200000, 1763337600000], "until": 1763424000000, "sessions": 5},
    "remove": {"type": "remove", "id": "c1", "session": "s1"},
    "letter": {"type": "letter", "id": "c1", "to": KEY, "bytes": "aGVsbG8"},
    "letter to a client": {"type": "letter", "id": "c1", "client": "c2", "bytes": "aGVsbG8"},
    "screen": {"type": "screen", "id": "c1", "session": "s1", "after": "t.1"},
    "keys": {"type": "keys", "id": "c1", "session": "s1", "keys": "aWhlbGxv", "seen": "t1.1", "signature": "s"},
}  # fmt: skip
