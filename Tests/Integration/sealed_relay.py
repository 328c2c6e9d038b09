"""Runs the relay's tests with sealed content: HELIOGRAPH_CONTENT=sealed.

Fake hosts then send each event like a host that seals: a head reduced by the marks in Protocol.md, and random bytes in place of the
event. Fake clients restore the event before the test sees it, like a trusted device. Anything that the relay derived from a
body would be missing, so a passing test proves that the relay does not depend on bodies.
"""

import base64
import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

IS_ON = os.environ.get("HELIOGRAPH_CONTENT") == "sealed"

ROOT = Path(__file__).resolve().parents[2]
PROTOCOL = ROOT / "Sources/HeliographServer/HeliographServer.docc/Protocol.md"

WORDS = "reads the words of pushes, which a relay has none for"
ALLOWS = "allows from a notification, which has to show what"
THIEF = "finds content in the relay's files before it is deleted"
REAL = "has a real client, which would need keys"
LOOK_AT_CONTENT = {
    "test_push.py": WORDS, "test_web_push.py": WORDS, "test_receivers.py": WORDS, "test_ntfy.py": WORDS, "test_webhooks.py": WORDS,
    "the_code_of_a_removed_workspace": ALLOWS, "test_a_notification_decides_at_whichever_node": ALLOWS,
    "test_a_decision_that_comes_while_nobody_owns_its_workspace": ALLOWS, "test_an_approval_is_allowed_by_the_code": ALLOWS,
    "test_workspaces_live_on_while_their_nodes": ALLOWS, "honours_codes_and_subscriptions_made_before": ALLOWS, "test_what_was_sent_and_subscribed_holds": ALLOWS,
    "test_a_thief_finds_nothing_of_it_in_the_files": THIEF, "test_nothing_of_it_is_in_the_database": THIEF,
    "test_storage.py": "reads tools and titles in the audit log",
    "test_changed_content_is_noticed": "changes a word in the data file, which has to be there",
    "test_what_a_tick_brings_leaves_in_one_piece": "finds its own words in system calls",
    "test_what_sessions_keep_in_memory_is_bounded": "fills the memory with long titles",
    "test_terminal.py": REAL, "test_app.py": REAL, "test_page_engines.py": REAL, "test_web_push_firefox.py": REAL,
    "test_the_terminal_starts_a_session_with_a_picture": REAL,
    "test_consent_audit.py": "has a host that signs and does not seal, as third parties read its log",
}
"""Tests of the relay's own reading of content, each with that content. They are left out."""

REAL_ONES = {"screen", "browser", "whole_browser", "daemon", "agent", "machine", "codex", "laptop"}
"""Fixtures of real clients and hosts: these seal and open themselves, with tests of their own (test_sealed*.py, test_page_sealed*.py)."""


def is_left_out(item: pytest.Item) -> bool:
    """True unless the test's only host is a fake one."""
    names = set(getattr(item, "fixturenames", ()))
    is_played = "scripted_host" in names or hasattr(getattr(item, "module", None), "ScriptedHost")
    return not is_played or bool(REAL_ONES & names) or any(name in item.nodeid for name in LOOK_AT_CONTENT)


Path_ = tuple[str, ...]


def _read_marks() -> dict[str, dict[Path_, str]]:
    """The mark of each field in the protocol's table by kind: `×`, `≈`, `+`, or none."""
    kinds: dict[str, dict[Path_, str]] = {}
    _, _, table = PROTOCOL.read_text().partition("| kind | head | body |\n|---|---|---|\n")
    for line in table.partition("\n\n")[0].splitlines():
        cells = line.split(" | ")
        found = re.fullmatch(r"\| `([\w.]+)`", cells[0])
        assert found, line
        text = cells[1]
        while (shorter := re.sub(r"\([^()]*\)", "", text)) != text:
            text = shorter
        marks: dict[Path_, str] = {}
        inside: list[str] = []
        last = ""
        for token in re.findall(r"`\w+`\??[×≈+]?|[{}]", text):
            if token == "{":
                inside.append(last)
            elif token == "}":
                inside.pop()
            else:
                last = token.split("`")[1]
                marks[(*inside, last)] = token[-1] if token[-1] in "×≈+" else ""
        kinds[found[1]] = marks
    return kinds


REASONS = set(re.findall(r'"(\w+)"', (ROOT / "Sources/RelayProtocol/Wire/WireSide.swift").read_text().partition("reasons: Set<String>")[2]))


def alias(name: str) -> str:
    return "~" + hashlib.sha256(name.encode()).hexdigest()[:12]


def aliased(fields: dict[str, Any]) -> dict[str, Any]:
    """A command with aliases in place of names of projects and agents' commands."""
    if not IS_ON:
        return fields
    named = {"project": alias(fields["project"])} if "project" in fields else {}
    if fields.get("command") is True:
        first, space, rest = fields["text"].partition(" ")
        named["text"] = alias(first) + space + rest
    return fields | named


def _stands_in(path: Path_, value: Any, beside: dict[str, Any], kind: str) -> Any:
    match path[-1]:
        case "choices":
            return [str(place + 1) for place in range(len(value))]
        case "label":
            return beside["id"]
        case "digest":
            return "0" * 64
        case "commands":
            return [alias(name) for name in value]
        case "name" if path[0] == "projects":
            return alias(value)
        case "reason" if value in REASONS:
            return value
        case "reason" if kind not in ("approval.cancelled", "approval.stale"):
            return None
    return "sealed"


def _stripped(value: Any, path: Path_, marks: dict[Path_, str], kind: str) -> Any:
    if isinstance(value, list):
        return [_stripped(one, path, marks, kind) for one in value]
    if not isinstance(value, dict):
        return value
    head = {}
    for name, held in value.items():
        inner = (*path, name)
        # A field that the protocol's table does not list counts as content.
        mark = marks.get(inner, "×")
        if held is None or mark in ("×", "+"):
            continue
        kept = _stands_in(inner, held, value, kind) if mark == "≈" else _stripped(held, inner, marks, kind)
        if kept is not None:
            head[name] = kept
    return head


MARKS = _read_marks() if IS_ON else {}
LINE_BYTES_MAX = 1 << 10
SEALED: dict[str, Any] = {}
"""Sealed content, by the random bytes that stand for it."""


def _kept(value: Any, bytes_max: int = 1 << 20) -> str:
    """Random base64 as long as sealed content: four thirds of its bytes, plus 41."""
    size = min(bytes_max, len(json.dumps(value, ensure_ascii=False).encode()))
    token = base64.urlsafe_b64encode(os.urandom(41 + size)).rstrip(b"=").decode()
    SEALED[token] = value
    return token


class Line:
    """A session's line in lists, as its host seals it."""

    OF_SUMMARY = {"title": "title", "project": "project", "cwd": "cwd", "folder": "folder", "branch": "branch", "operation": "operation", "file": "file", "error": "error", "reason": "statusReason"}

    def __init__(self) -> None:
        self.facts: dict[str, Any] = {}

    def learn(self, kind: str, head: dict[str, Any]) -> None:
        named = {"session.started": ("title", "project", "cwd", "folder", "branch"), "session.renamed": ("title",), "tool.started": ("operation", "file"), "status.changed": ("reason",)}
        self.facts |= {name: head[name] for name in named.get(kind, ()) if head.get(name) is not None}
        match kind:
            case "approval.requested":
                self.facts["operation"] = head.get("title")
            case "file.changed":
                self.facts["file"] = head.get("path")
            case "error":
                self.facts["error"] = head.get("message")
            case "todo.changed":
                self.facts["current"] = head.get("current")


def open_summary(summary: dict[str, Any]) -> None:
    """Restores the texts of a sealed line in the summary, if it has one."""
    line = SEALED.get(summary.get("line", ""))
    if line is None:
        return
    del summary["line"]
    for name, shown in Line.OF_SUMMARY.items():
        if line.get(name) is not None and (shown in summary or name in ("title", "project", "cwd", "folder", "branch")):
            summary[shown] = line[name]
    if "todo" in summary and line.get("current"):
        summary["todo"]["current"] = line["current"]


def sealed(event: Any, line: Line) -> Any:
    """The event in the form that a host that seals would send; events that no host can send stay unchanged."""
    if not IS_ON or not isinstance(event, dict) or not isinstance(event.get("head"), dict) or not set(event) <= {"kind", "at", "head", "body"}:
        return event
    marks = MARKS.get(event.get("kind", ""), {})
    line.learn(event["kind"], event["head"])
    return {**event, "head": _stripped(event["head"], (), marks, event["kind"]), "body": {"sealed": _kept(event)}, "line": _kept(dict(line.facts), LINE_BYTES_MAX)}


def sealed_text(text: str) -> str:
    return "sealed." + _kept(text) if IS_ON else text


def open_all(message: Any) -> None:
    """Restores the sealed content of a relay's message in place."""
    if not IS_ON:
        return
    if isinstance(message, list):
        for one in message:
            open_all(one)
    elif isinstance(message, dict):
        body = message.get("body")
        if isinstance(body, dict) and list(body) == ["sealed"] and body["sealed"] in SEALED:
            event = SEALED[body["sealed"]]
            assert message["kind"] == event["kind"] and message["at"] == event["at"]
            message["head"] = event["head"]
            message.pop("body")
            message.pop("line", None)
            if "body" in event:
                message["body"] = event["body"]
            return
        text = message.get("text")
        if isinstance(text, str) and text.startswith("sealed.") and text[7:] in SEALED:
            message["text"] = SEALED[text[7:]]
        if "lastActivityAt" in message:
            open_summary(message)
        for one in message.values():
            open_all(one)
