"""Edits of a call before it is allowed, at a host that takes signed commands only and seals its content: the relay reads neither call nor edit."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from client import WireClient
from daemon import Daemon
from own_agent import Asking, post, question
from page_screen import Screen
from relay import Relay
from steered import phone  # noqa: F401 (a fixture)
from test_consent import SESSION, Terminal, asked, settled
from test_sealed_terminal import daemon, terminal  # noqa: F401 (fixtures)
from trusting import trust_page

CALL: dict[str, Any] = {"tool": "Bash", "title": "Mark-title", "input": {"command": "make mark-all\nmake mark-clean", "n": 1.0}, "editable": ["command"]}


def has_no_marks(relay: Relay, phone: WireClient) -> None:  # noqa: F811
    kept = b"".join(file.read_bytes() for file in relay.folder.rglob("*") if file.is_file() and "terminals" not in file.parts)
    assert b"mark-" not in kept and "mark-" not in json.dumps(phone.messages)


def proven(relay: Relay, daemon: Daemon) -> int:  # noqa: F811
    """The decisions of the relay's audit log that the host's devices have signed; there is no other."""
    pins = daemon.home / ".config/heliograph/devices.json"
    said = relay.run("audit", "verify", "--data", str(relay.data), "--devices", str(pins), "--json")
    signatures = json.loads(said.stdout)["signatures"]
    assert (signatures["unproven"], signatures["sealed"], signatures["refused"]) == (0, 0, 0), signatures
    return int(signatures["proven"])


def test_a_terminal_edits_what_the_relay_cannot_read_and_the_audit_proves_it(
    daemon: Daemon, phone: WireClient, terminal: Terminal, relay: Relay, tmp_path: Path  # noqa: F811
) -> None:
    terminal.join(daemon)
    phone.subscribe()
    asking = Asking(daemon, question("s1", "q1", **CALL))
    card = asked(phone, "q1")
    file = tmp_path / "edited.json"
    file.write_text(json.dumps(CALL["input"] | {"n": 2}))
    code, _, error = terminal.run("approvals", "allow", card["approval"], "--yes", "--input", str(file))
    assert code == 2 and "only command can be changed" in error
    code, _, error = terminal.run("approvals", "allow", card["approval"], "--yes", "--input", "-", input='{"command":"make mark-all"}\n')
    assert code == 0 or "has not taken it yet" in error, error
    status, said = asking.answer()
    assert status == 200 and said == {"decision": "allow", "input": {"command": "make mark-all", "n": 1.0}}
    assert post(daemon.socket, "settled", {"session": "s1", "approval": "q1", "outcome": "ran"})[0] == 204
    assert settled(phone, card) == "applied ran"
    code, out, error = terminal.run("approvals", "show", card["approval"])
    assert code == 0 and "edited and allowed by" in out and "│ -make mark-clean" in out, out + error
    assert "edited and allowed by" in terminal.run("watch", SESSION, "--once")[1]
    decided = phone.approvals[card["approval"]]["decision"]
    assert decided["decision"] == "edit" and decided["edit"].startswith("sealed.")
    has_no_marks(relay, phone)
    assert proven(relay, daemon) == 1


def test_a_page_edits_what_the_relay_cannot_read(
    daemon: Daemon, phone: WireClient, screen: Callable[..., Screen], relay: Relay  # noqa: F811
) -> None:
    one = screen(role="operator", size={"width": 360, "height": 640})
    trust_page(daemon, one)
    asking = Asking(daemon, question("s1", "q1", **CALL))
    card = asked(phone, "q1")
    one.go(f"#/session/{SESSION}")
    form = one.page.locator("approval-card[data-stage=pending]")
    form.get_by_role("button", name="Edit …").click()
    form.get_by_role("textbox", name="Command").fill("make mark-all")
    form.get_by_role("button", name="Show the change").click()
    expect(form.locator(".edit-form .diff [data-sign='-']")).to_contain_text("make mark-clean")
    one.expect_no_overflow()
    form.get_by_role("button", name="Allow as edited").click()
    assert asking.answer()[1] == {"decision": "allow", "input": {"command": "make mark-all", "n": 1.0}}
    assert post(daemon.socket, "settled", {"session": "s1", "approval": "q1", "outcome": "ran"})[0] == 204
    assert settled(phone, card) == "applied ran"
    one.go("#/approvals/recent")
    done = one.page.locator("approval-card:visible", has_text="Edited and allowed by you")
    done.locator("button.settled").click()
    expect(done.locator(".edit-changes .diff [data-sign='-']").first).to_contain_text("make mark-clean")
    has_no_marks(relay, phone)
    assert proven(relay, daemon) == 1
