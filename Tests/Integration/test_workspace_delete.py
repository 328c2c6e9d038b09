"""A deleted workspace leaves no data behind, neither in a file nor in a database."""

import json
import os
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from client import WireClient
from host import ScriptedHost
from postgres import PostgresServer
from relay import Relay
from waits import wait_until

KITCHEN = "Kitchen-mark"
MARKS = [KITCHEN, "laptop-mark", "phone-mark", "title-mark", "prompt-mark", "command-mark", "answer-mark", "project-mark"]
OURS = ["our-laptop", "our-phone", "our-title"]


def run(relay: Relay, *words: str, check: bool = True) -> Any:
    return relay.run(*words, "--data", str(relay.data), check=check)


def found(marks: Iterable[str], folder: Path) -> list[str]:
    """The marks that occur in any file below the folder, each with the files."""
    places = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            places += [f"{mark} in {path.relative_to(folder)}" for mark in marks if mark.encode() in content]
    return places


def work(relay: Relay) -> tuple[ScriptedHost, WireClient, ScriptedHost]:
    """Activity in both workspaces; the deleted one's texts contain every mark."""
    run(relay, "workspace", "add", KITCHEN)
    theirs = ScriptedHost(relay, "laptop-mark", relay.token("host", "laptop-mark", KITCHEN))
    phone = WireClient(relay, "phone-mark", relay.token("operator", "phone-mark", KITCHEN))
    phone.subscribe()
    for number in range(20):
        session = f"s{number}"
        theirs.start_session(session, title=f"title-mark {number}", project="project-mark")
        theirs.events(session, [("message", {"role": "user"}, {"text": f"prompt-mark {'x' * (number * 700)}"})] * 5)
        theirs.request_approval(session, "Bash", {"command": "command-mark"}, approval=f"a{number}", title="Run: command-mark")
        theirs.wait_acked(session, timeout=30)
        phone.wait_approval(f"a{number}", "pending")
        phone.decide(session, f"a{number}", "deny", message="answer-mark")
        theirs.wait_decision(f"a{number}")
    ours = ScriptedHost(relay, "our-laptop", relay.token("host", "our-laptop", "default"))
    relay.token("operator", "our-phone", "default")
    ours.start_session("s1", title="our-title")
    ours.wait_acked("s1")
    return theirs, phone, ours


def test_a_thief_finds_nothing_of_it_in_the_files(relay: Relay) -> None:
    theirs, phone, ours = work(relay)
    backup = relay.data.parent / "backup.sqlite"
    run(relay, "backup", str(backup))
    try:
        assert {place.split()[0] for place in found(MARKS, relay.data)} == set(MARKS)
        number = json.loads(run(relay, "workspace", "list", "--json").stdout.splitlines()[-1])["id"]
        said = run(relay, "workspace", "delete", KITCHEN, "--yes")
        assert "Deleted, with its audit log and all names." in said.stdout and "backups" in said.stderr
        wait_until(lambda: 4401 in theirs.closed_with, 10, lambda: f"their host is shown out, with {theirs.closed_with}")
        wait_until(lambda: not phone.connection.is_open, 10, "their phone is shown out")
        assert phone.connection.close_code == 4401
        # No mark is found while the relay still runs.
        assert found(MARKS, relay.data) == []
        assert {place.split()[0] for place in found(OURS, relay.data)} == set(OURS)
        assert run(relay, "audit", "export", "--workspace", number, check=False).stdout == ""
        run(relay, "audit", "verify")
        ours.event("s1", "message", {"role": "user"}, {"text": "on we go"})
        ours.wait_acked("s1")
        assert relay.get("/v1/me", {"Authorization": f"Bearer {phone.token}"}).status == 401

        # Restoring an older backup does not bring the workspace's data back.
        relay.stop()
        run(relay, "restore", str(backup), "--force", "--yes")
        for path in relay.data.glob("heliograph.sqlite.*"):
            path.unlink()
        relay.start()
        wait_until(lambda: found(MARKS, relay.data) == [], 30, lambda: f"nothing to be left: {found(MARKS, relay.data)}")
        assert relay.get("/v1/me", {"Authorization": f"Bearer {phone.token}"}).status == 401
        run(relay, "audit", "verify")
    finally:
        for host in (theirs, ours):
            host.close()
        phone.close()


def test_one_that_was_removed_before_can_be_deleted_later(relay: Relay) -> None:
    theirs, phone, ours = work(relay)
    for peer in (theirs, phone, ours):
        peer.close()
    number = json.loads(run(relay, "workspace", "list", "--json").stdout.splitlines()[-1])["id"]
    run(relay, "workspace", "remove", KITCHEN, "--yes")
    assert "approval.requested" in run(relay, "audit", "export", "--workspace", number).stdout
    run(relay, "workspace", "delete", number, "--yes")
    assert found(MARKS, relay.data) == []
    assert run(relay, "workspace", "delete", "default", "--yes", check=False).returncode != 0


def test_nothing_of_it_is_in_the_database(make_relay: Callable[..., Relay]) -> None:
    server = PostgresServer()
    relay = make_relay("--store", server.address("postgres"))
    try:
        theirs, phone, ours = work(relay)
        run(relay, "workspace", "delete", KITCHEN, "--yes")
        wait_until(lambda: 4401 in theirs.closed_with, 30, lambda: f"their host is shown out, with {theirs.closed_with}")
        ours.event("s1", "message", {"role": "user"}, {"text": "on we go"})
        ours.wait_acked("s1", timeout=30)
        dump = [str(server.psql.with_name("pg_dump")), "-h", str(server.folder), "-U", "heliograph", "postgres"]
        # PGOPTIONS makes bytes appear as text, so that marks can be found.
        environment = {**os.environ, "PGOPTIONS": "-c bytea_output=escape"}
        dumped = subprocess.run(dump, capture_output=True, text=True, check=True, env=environment).stdout
        assert [mark for mark in MARKS if mark in dumped] == []
        assert [mark for mark in OURS if mark not in dumped] == []
        run(relay, "audit", "verify")
        for peer in (theirs, phone, ours):
            peer.close()
        relay.stop()
        # PostgreSQL's pages keep deleted data until a VACUUM FULL, as Operations.md describes.
        server.sql("VACUUM FULL")
        server.sql("CHECKPOINT")
        assert found(MARKS, server.folder / "data/base") == []
        assert found(["our-title"], server.folder / "data/base") != []
    finally:
        relay.kill()
        server.close()
