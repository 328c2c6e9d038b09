"""Replays the conversation in Protocol.md against the real relay, so that the page stays correct.

A line begins with its peer and direction: the host sends `H>` and a client sends `C>`; `<H` and `<C` are received, in
exactly that order with nothing between. Other capital letters are further clients. An indented line continues the one above;
`#` begins a remark. In received messages `"…"` matches any value and `"…": "…"` any further members; a list that
ends with `"…"` may continue. `"…epoch"` also stores the value, and in sent messages stands for it.
"""

import json
import re
from typing import Any

import pytest

from relay import ROOT
from wire import Connection

PROTOCOL = ROOT / "Sources/HeliographServer/HeliographServer.docc/Protocol.md"
NAMES = {"H": "laptop", "C": "Ada's phone", "D": "Ben's tablet"}
ANY = "…"


def conversation(text: str) -> list[tuple[str, bool, str]]:
    """(peer, is sent, JSON text) of each line, in order."""
    block = re.search(r"```conversation\n(.*?)```", text, re.DOTALL)
    assert block, "the page has no ```conversation block"
    lines: list[tuple[str, bool, str]] = []
    for line in block.group(1).splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0].isspace():
            peer, is_sent, message = lines.pop()
            lines.append((peer, is_sent, message + " " + line.strip()))
            continue
        head = re.match(r"(?:([A-Z])>|<([A-Z])) (.*)", line)
        assert head, f"this line begins as none does: {line}"
        lines.append((head.group(1) or head.group(2), head.group(1) is not None, head.group(3)))
    return lines


def mismatch(pattern: Any, value: Any, names: dict[str, Any], path: str = "$") -> str | None:
    """The first difference between value and pattern, with its path; None if they match."""
    if isinstance(pattern, str) and pattern.startswith(ANY):
        name = pattern[len(ANY) :]
        if name and names.setdefault(name, value) != value:
            return f"{path} is {value!r}, but …{name} was {names[name]!r} before"
        return None
    if isinstance(pattern, dict) and isinstance(value, dict):
        wanted = {key: part for key, part in pattern.items() if key != ANY}
        missing, more = wanted.keys() - value.keys(), value.keys() - wanted.keys()
        if missing or (more and ANY not in pattern):
            return f"{path} lacks {sorted(missing)} and has {sorted(more)} besides"
        found = [mismatch(part, value[key], names, f"{path}.{key}") for key, part in wanted.items()]
        return next((reason for reason in found if reason), None)
    if isinstance(pattern, list) and isinstance(value, list):
        if pattern and pattern[-1] == ANY:
            pattern, value = pattern[:-1], value[: len(pattern) - 1]
        if len(pattern) != len(value):
            return f"{path} has {len(value)} entries, not {len(pattern)}"
        found = [mismatch(part, value[index], names, f"{path}[{index}]") for index, part in enumerate(pattern)]
        return next((reason for reason in found if reason), None)
    return None if type(pattern) is type(value) and pattern == value else f"{path} is {value!r}, not {pattern!r}"


def fill_in(text: str, names: dict[str, Any]) -> str:
    """Replaces placeholders by stored values."""
    return re.sub(r'"…(\w+)"', lambda found: json.dumps(names[found.group(1)]), text)


def replay(relay: Any, text: str) -> int:
    """Replays the whole conversation; returns its number of lines."""
    names: dict[str, Any] = {}
    peers: dict[str, Connection] = {}
    received: dict[str, int] = {}
    lines = conversation(text)
    for number, (peer, is_sent, line) in enumerate(lines, 1):
        if peer not in peers:
            role = "host" if peer == "H" else "client"
            peers[peer] = Connection(relay.url, f"/v1/{role}", relay.token(role, NAMES.get(peer, peer)))
            received[peer] = 0
        if is_sent:
            peers[peer].send(fill_in(line, names))
            continue
        message = peers[peer].wait(lambda _: True, what=f"line {number}: {line}", since=received[peer])
        received[peer] += 1
        reason = mismatch(json.loads(line), message, names)
        assert not reason, f"line {number}: {reason}\nwritten  <{peer} {line}\nreceived <{peer} {json.dumps(message, ensure_ascii=False)}"
    rest = {peer: connection.messages[received[peer] :] for peer, connection in peers.items()}
    for connection in peers.values():
        connection.close()
    assert not any(rest.values()), f"the page does not mention what came at the end: {rest}"
    return len(lines)


def test_the_page_tells_the_truth(relay):
    assert replay(relay, PROTOCOL.read_text()) > 20, "the conversation is too short to show anything"


@pytest.mark.parametrize(
    "pattern, value, fits",
    [
        ({"a": "…"}, {"a": [1]}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": 1, "…": "…"}, {"a": 1, "b": 2}, True),
        ({"a": 1, "b": "…"}, {"a": 1}, False),
        ({"a": 1}, {"a": True}, False),
        ({"a": ["x", "…"]}, {"a": ["x", "y", "z"]}, True),
        ({"a": ["x"]}, {"a": ["x", "y"]}, False),
        ({"a": "…same", "b": "…same"}, {"a": 1, "b": 1}, True),
        ({"a": "…same", "b": "…same"}, {"a": 1, "b": 2}, False),
    ],
)
def test_the_replay_can_fail(pattern, value, fits):
    assert (mismatch(pattern, value, {}) is None) is fits


def test_the_page_names_every_code_of_an_error() -> None:
    listed = re.search(r"\*\*Codes\*\* of errors and notices:(.*?)\n\n", PROTOCOL.read_text(), re.DOTALL)
    assert listed
    named = set(re.findall(r"`(\w+)`", listed[1])) - {"winner", "message", "session"}
    made = set()
    for path in (ROOT / "Sources").rglob("*.swift"):
        made |= set(re.findall(r'Notice\(code: "(\w+)"', path.read_text()))
    for file, kind in (("WireError", "Code"), ("Messages/Notice", "ErrorCode")):
        text = (ROOT / f"Sources/RelayProtocol/{file}.swift").read_text()
        closed = re.search(rf"enum {kind}: String.*?{{\n(.*?)\n *}}", text, re.DOTALL)
        assert closed, file
        made |= set(re.findall(r'static let (\w+) = "\1"', text))
        made |= {code for cases in re.findall(r"^ *case (.*)$", closed[1], re.MULTILINE) for code in cases.split(", ")}
    assert {"badJSON", "notFound", "badCode"} <= made
    assert named == made
