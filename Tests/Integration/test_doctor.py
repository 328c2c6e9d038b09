"""`heliograph doctor`: each fault that it knows, made for real, is found and says how it is mended."""

import json
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

from daemon import Daemon
from relay import BINARY, Relay, plain_environment
from waits import patient


class Found(dict[str, Any]):
    def state(self, subject: str) -> str | None:
        return self.get(subject, {}).get("state")


def doctor(relay: Relay, *arguments: str, home: Path | None = None, exit_code: int | None = None) -> dict[str, Found]:
    """The findings by part and subject."""
    asked = subprocess.run(
        [BINARY, "doctor", "--json", "--data", str(relay.data), *arguments], capture_output=True, text=True, timeout=patient(60),
        stdin=subprocess.DEVNULL, env=plain_environment(home or relay.folder / "home"),
    )
    assert asked.returncode in (0, 1), asked.stderr
    found: dict[str, Found] = {}
    for line in asked.stdout.splitlines():
        finding = json.loads(line)
        found.setdefault(finding["part"].split(",")[0], Found())[finding["subject"]] = finding
        assert (finding["state"] == "well") == ("mend" not in finding), finding
    is_wrong = any(one["state"] == "wrong" for part in found.values() for one in part.values())
    assert asked.returncode == (1 if is_wrong else 0)
    return found


def test_a_relay_that_is_well(relay: Relay) -> None:
    found = doctor(relay)["Relay"]
    assert {subject: one["state"] for subject, one in found.items()} == {"Settings": "well", "Data file": "well", "Disk": "well", "Relay": "well"}


def test_what_is_wrong_with_a_relay(relay: Relay, tmp_path: Path) -> None:
    relay.stop()
    (relay.data / "relay.json").write_text('{"listen": "0.0.0.0:8787", "publicURL": "http://127.0.0.1:1"}')
    (relay.data / "push.json").write_text("{")
    found = doctor(relay)["Relay"]
    assert [found.state(subject) for subject in ("Relay", "Exposure", "Public address", "Pushes")] == ["wrong", "doubtful", "doubtful", "wrong"]
    (relay.data / "relay.json").write_text('{"keepDay": 3}')
    assert "did you mean keepDays?" in doctor(relay)["Relay"]["Settings"]["text"]
    (relay.data / "relay.json").unlink()
    (relay.data / "push.json").unlink()
    certificate, key = tmp_path / "a.pem", tmp_path / "a.key"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=a", "-days", "3"]
    subprocess.run([*made, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    tls = ["--tls-certificate", str(certificate), "--tls-key", str(key)]
    assert doctor(relay, *tls)["Relay"].state("Certificate") == "doubtful"
    subprocess.run([*made, "-keyout", str(tmp_path / "b.key"), "-out", str(tmp_path / "b.pem")], check=True, capture_output=True)
    assert doctor(relay, "--tls-certificate", str(tmp_path / "b.pem"), "--tls-key", str(key))["Relay"].state("Certificate") == "wrong"
    data = next(relay.data.glob("*.sqlite"))
    data.write_bytes(b"not a data file at all" * 100)
    assert doctor(relay)["Relay"].state("Data file") == "wrong"


def test_a_file_is_looked_at_and_left_as_it_is(relay: Relay) -> None:
    relay.stop()
    file = relay.data / "heliograph.sqlite"
    with sqlite3.connect(file) as database:
        database.execute("INSERT INTO sessions (workspace, session, host, seq, host_seq, state, is_removed) VALUES ('w', 's', 'h', 1, 1, x'7b', 0)")
    database.close()
    found = doctor(relay)["Relay"]["Data file"]
    assert found["state"] == "doubtful" and found["text"].startswith("1 records are damaged, such as: ")
    with sqlite3.connect(file) as database:
        database.execute("DELETE FROM sessions")
        database.execute("DELETE FROM grdb_migrations WHERE rowid = (SELECT max(rowid) FROM grdb_migrations)")
    database.close()
    older = file.read_bytes()
    found = doctor(relay)["Relay"]["Data file"]
    assert found["state"] == "well" and "the next start of the relay brings it up to date" in found["text"]
    assert file.read_bytes() == older
    with sqlite3.connect(file) as database:
        database.execute("INSERT INTO grdb_migrations VALUES ('from the future')")
    database.close()
    found = doctor(relay)["Relay"]["Data file"]
    assert found["state"] == "wrong" and found["mend"].startswith("install the version")


def test_a_host_from_nothing_to_well(relay: Relay, daemon: Daemon) -> None:
    found = doctor(relay, home=daemon.home)["Host"]
    assert [found.state(subject) for subject in ("Relay", "Pairing", "Clock", "Daemon", "Disk")] == ["well"] * 5, found
    assert found.state("Claude Code") == "doubtful" and found.state("Hooks") == "doubtful"
    connect = [BINARY, "connect", "claude", "--yes"]
    subprocess.run(connect, check=True, capture_output=True, env=daemon.environment, timeout=patient(20))
    found = doctor(relay, home=daemon.home)["Host"]
    assert found.state("Hooks") == "well" and found.state("Questions") == "doubtful" and found["Questions"]["mend"] == "heliograph connect claude --ask Bash"
    subprocess.run([*connect, "--ask", "Bash"], check=True, capture_output=True, env=daemon.environment, timeout=patient(20))
    found = doctor(relay, home=daemon.home)["Host"]
    assert found.state("Hooks") == "well" and found.state("Questions") == "well"
    relay.revoke(relay.token_id("laptop"))
    found = doctor(relay, home=daemon.home)["Host"]
    assert found.state("Pairing") == "wrong" and "Clock" not in found
    daemon.stop()
    relay.stop()
    found = doctor(relay, home=daemon.home)["Host"]
    assert found.state("Relay") == "wrong" and found.state("Daemon") == "wrong" and "Pairing" not in found
