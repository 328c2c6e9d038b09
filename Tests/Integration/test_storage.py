"""An operator's work with the data file: verifying the audit log, backup, restore, starting over."""

import hashlib
import json
import sqlite3
import subprocess

import pytest

from relay import BINARY, plain_environment

BASH = {"command": "rm -rf build"}


@pytest.fixture
def decided(relay, scripted_host, client):
    """A relay with one approval that was requested, decided and applied."""
    host, phone = scripted_host(relay), client(relay, "Ada's phone")
    phone.subscribe()
    host.start_session("s1")
    approval = host.request_approval("s1", "Bash", BASH)
    phone.wait_approval(approval, "pending")
    phone.decide("s1", approval, "deny", message='not "here"', id="my-command")
    host.wait_decision(approval)
    host.apply("s1", approval, "denied")
    phone.wait_approval(approval, "applied")
    return relay


def audit(relay, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    return relay.run("audit", *arguments, "--data", str(relay.data), check=check)


def head(relay) -> str:
    return json.loads(audit(relay, "verify", "--json").stdout)["heads"][0]["hash"]


def test_the_audit_log_says_who_decided_what_and_anybody_can_check_it(decided):
    lines = audit(decided, "export").stdout.splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["n"] for record in records] == list(range(1, len(records) + 1))
    assert [record["what"] for record in records if record["what"].startswith("approval.")] == [
        "approval.requested", "approval.decided", "approval.delivered", "approval.applied",
    ]  # fmt: skip
    made = next(record for record in records if record["what"] == "approval.decided")
    assert made["decision"]["message"] == 'not "here"' and made["decision"]["command"] == "my-command"
    assert made["decision"]["by"]["name"] == "Ada's phone" and made["at"] == made["decision"]["at"]
    assert made["tool"] == "Bash" and len(made["digest"]) == 64
    assert sum(record["what"] == "token.created" for record in records) == 2

    # Verifies the log as decision record 0007 describes, without Heliograph's code.
    last = "0" * 64
    for line, record in zip(lines, records):
        assert record["previous"] == last
        last = hashlib.sha256((last + line.rsplit(',"hash":"', 1)[0] + "}").encode()).hexdigest()
        assert record["hash"] == last
    assert head(decided) == last
    assert last in audit(decided, "verify").stdout


def test_a_touched_audit_log_is_noticed_wherever_it_lies(decided, tmp_path):
    kept = head(decided)
    exported = tmp_path / "audit.jsonl"
    exported.write_text(audit(decided, "export").stdout)
    assert audit(decided, "verify", str(exported), "--head", kept).returncode == 0
    assert decided.run("audit", "verify", str(exported)).returncode == 0

    lines = exported.read_text().splitlines(keepends=True)
    exported.write_text("".join(lines).replace("Bash", "Read", 1))
    result = decided.run("audit", "verify", str(exported), check=False)
    changed = next(number for number, line in enumerate(lines, 1) if "Bash" in line)
    assert result.returncode == 1 and f"line {changed} was changed" in result.stderr
    exported.write_text("".join(lines[:-1]))
    assert decided.run("audit", "verify", str(exported), "--head", kept, check=False).returncode == 1

    # Changes a denial into an allow in the running relay's file.
    with sqlite3.connect(decided.data / "heliograph.sqlite") as database:
        (row,) = database.execute("SELECT id FROM audit WHERE CAST(line AS TEXT) LIKE '%approval.decided%'").fetchone()
        database.execute("DROP TRIGGER audit_is_not_changed")
        database.execute("UPDATE audit SET line = CAST(replace(line, '\"deny\"', '\"allow\"') AS BLOB) WHERE id = ?", [row])
    result = audit(decided, "verify", check=False)
    assert result.returncode == 1 and f"row {row & 0xFFFFFFFF} of default was changed" in result.stderr


def test_a_backup_of_a_running_relay_becomes_another_life_of_it(decided, client, tmp_path):
    backup = tmp_path / "backup.sqlite"
    size = json.loads(decided.run("backup", str(backup), "--json", "--data", str(decided.data)).stdout)["bytes"]
    assert backup.stat().st_size == size and backup.stat().st_mode & 0o777 == 0o600
    assert decided.run("backup", str(backup), "--data", str(decided.data), check=False).returncode == 1
    before = client(decided)
    decided.token("client", "later")
    epoch, kept = before.welcome["epoch"], head(decided)
    before.close()

    refused = decided.run("restore", str(backup), "--force", "--data", str(decided.data), check=False)
    assert refused.returncode == 1 and "relay is running" in refused.stderr
    decided.stop()
    refused = decided.run("restore", str(backup), "--data", str(decided.data), check=False)
    assert refused.returncode == 1 and "--force" in refused.stderr
    restored = json.loads(decided.run("restore", str(backup), "--force", "--json", "--data", str(decided.data)).stdout)
    with sqlite3.connect(restored["kept"]) as database:
        assert database.execute("SELECT count(*) FROM tokens WHERE name = 'later'").fetchone() == (1,)
    decided.start()

    phone = client(decided)
    assert phone.welcome["epoch"] != epoch
    phone.subscribe("s1")
    assert "approval.applied" in phone.kinds("s1"), "what was backed up is there"
    assert "later" not in [token["name"] for token in decided.tokens()], "what came later is not"
    # The restored log lacks the later token's record, which a stored head of the log reveals.
    assert audit(decided, "verify", "--head", kept, check=False).returncode == 1


def test_a_damaged_file_is_refused_with_two_ways_out_and_kept(decided):
    decided.stop()
    file = decided.data / "heliograph.sqlite"
    with file.open("r+b") as database:
        database.seek(5 * 4096)
        database.write(b"\xff" * 64)
    damaged = file.read_bytes()
    command = [str(BINARY), "serve", "--data", str(decided.data), "--listen", f"127.0.0.1:{decided.port}"]
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL, env=plain_environment(decided.folder / "home")
    )
    assert result.returncode == 1
    for words in (str(file), "is damaged", "heliograph restore FILE --force", "heliograph restore --anew"):
        assert words in result.stderr, result.stderr
    assert file.read_bytes() == damaged

    kept = json.loads(decided.run("restore", "--anew", "--json", "--data", str(decided.data)).stdout)["kept"]
    assert open(kept, "rb").read() == damaged
    decided.start()
    assert decided.tokens() == [], "it begins with nothing"
