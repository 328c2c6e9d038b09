"""Tokens revoked after a backup was made must not return with it."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from host import ScriptedHost
from relay import code_of


@pytest.fixture
def backup(relay: Any, tmp_path: Path) -> Path:
    """A backup with the tokens `lost`, which is revoked afterwards, and `kept`."""
    relay.secrets = {name: relay.token("client", name) for name in ("lost", "kept")}
    file = tmp_path / "backup.sqlite"
    relay.run("backup", str(file), "--data", str(relay.data))
    relay.revoke(relay.token_id("lost"))
    relay.stop()
    return file


def statuses(relay: Any) -> list[int]:
    return [relay.get("/v1/me", {"Authorization": f"Bearer {relay.secrets[name]}"}).status for name in ("lost", "kept")]


def test_what_was_revoked_since_stays_so(relay: Any, backup: Path) -> None:
    restored = json.loads(relay.run("restore", str(backup), "--force", "--json", "--data", str(relay.data)).stdout)
    assert len(restored["stillRevoked"]) == 1
    relay.start()
    assert statuses(relay) == [401, 200]
    audit = [json.loads(line) for line in relay.run("audit", "export", "--data", str(relay.data)).stdout.splitlines()]
    assert [line["name"] for line in audit if line["what"] == "token.revoked"] == ["lost"]
    relay.run("audit", "verify", "--data", str(relay.data))


@pytest.mark.parametrize("state", ["gone", "damaged", "another"])
def test_where_nothing_says_so_one_is_asked(relay: Any, backup: Path, state: str) -> None:
    file = relay.data / "heliograph.sqlite"
    match state:
        case "gone":
            file.unlink()
        case "damaged":
            file.write_bytes(b"\xff" * file.stat().st_size)
        case "another":
            with sqlite3.connect(file) as database:
                database.execute("DELETE FROM tokens")
            database.close()
    before = file.read_bytes() if file.exists() else None
    asked = relay.run("restore", str(backup), "--force", "--data", str(relay.data), check=False)
    assert asked.returncode == 1
    for words in ("lost", "kept", "--yes", "again"):
        assert words in asked.stderr, asked.stderr
    assert (file.read_bytes() if file.exists() else None) == before, "nothing was changed"
    relay.run("restore", str(backup), "--force", "--yes", "--data", str(relay.data))
    relay.start()
    assert statuses(relay) == [200, 200], "as was said"


def test_a_code_of_then_lets_nobody_in(relay: Any, tmp_path: Path) -> None:
    link = relay.pair_link()
    file = tmp_path / "backup.sqlite"
    relay.run("backup", str(file), "--data", str(relay.data))
    code = {"code": code_of(link), "name": "phone"}
    assert relay.post("/v1/pair", code).status == 200
    relay.stop()
    relay.run("restore", str(file), "--force", "--yes", "--data", str(relay.data))
    relay.start()
    assert relay.post("/v1/pair", code).status == 404, "it was used already"


def test_a_data_file_without_its_newest_events_is_asked_about(relay: Any, tmp_path: Path) -> None:
    relay.secrets = {name: relay.token("client", name) for name in ("lost", "kept")}
    link = relay.pair_link()
    relay.stop()
    file = relay.data / "heliograph.sqlite"
    older = file.read_bytes()
    relay.start()
    relay.revoke(relay.token_id("lost"))
    host = ScriptedHost(relay, "laptop")
    host.start_session("s1")
    host.wait_acked("s1")
    host.close()
    relay.stop()
    file.write_bytes(older)
    asked = relay.run("restore", "--as-is", "--data", str(relay.data), check=False)
    assert asked.returncode == 1
    for words in ("lost", "kept", "--yes", "again", "Nothing was changed"):
        assert words in asked.stderr, asked.stderr
    assert file.read_bytes() == older
    relay.run("restore", "--as-is", "--yes", "--data", str(relay.data))
    relay.start()
    assert statuses(relay) == [200, 200], "as was said"
    code = {"code": code_of(link), "name": "phone"}
    assert relay.post("/v1/pair", code).status == 404, "it may have been used since"
