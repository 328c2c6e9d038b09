"""`heliograph doctor` finds each fault that it knows, caused for real, and gives advice."""

import json
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from apns import BUNDLE, ProviderKey, Simulator
from daemon import Daemon
from doctor import doctor
from nodes import Cluster
from postgres import PostgresServer
from relay import BINARY, Relay
from waits import patient, wait_until


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



def test_what_pushes_need_is_looked_at_without_a_relay(relay: Relay, tmp_path: Path) -> None:
    relay.stop()
    key = ProviderKey()
    (tmp_path / "from-apple.p8").write_bytes(key.private_pem)
    relay.run(
        "push", "setup", "--data", str(relay.data), "--team", key.team, "--key", key.id, "--file", str(tmp_path / "from-apple.p8"), "--bundle", BUNDLE
    )
    subject, file = f"Push key {key.id}", relay.data / f"AuthKey_{key.id}.p8"
    found = doctor(relay)["Relay"]
    assert found.state(subject) == "well" and "Pushes" not in found and "Profiles" not in found
    assert f"Pushes to {BUNDLE}" not in found
    settings = (relay.data / "push.json").read_text()
    (relay.data / "push.json").write_text(settings.replace(BUNDLE, "org.example.mine"))
    missing = doctor(relay)["Relay"]["Pushes to org.example.mine"]
    assert missing["state"] == "doubtful" and missing["text"] == "no profile is for org.example.mine", missing
    assert f"{relay.data}/profiles" in missing["mend"]
    (relay.data / "push.json").write_text(settings)
    file.chmod(0o640)
    assert doctor(relay)["Relay"][subject]["mend"] == f"chmod 600 {file}"
    other = ec.generate_private_key(ec.SECP384R1())
    file.write_bytes(other.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    found = doctor(relay)["Relay"][subject]
    assert found["state"] == "wrong" and "is no key of Apple's" in found["text"] and "heliograph push setup" in found["mend"]
    file.unlink()
    found = doctor(relay, "--ask-apple")["Relay"]
    assert found.state(subject) == "wrong" and found[subject]["text"] == f"{file} is not there"
    # Every wrong profile is named, not only the first.
    (relay.data / "profiles").mkdir()
    profile = json.loads(relay.run("push", "profiles", "heliograph").stdout)
    for name, text in {"broken": "{", "empty": "{}", "mine": json.dumps(profile | {"bundle": "org.example.other"})}.items():
        (relay.data / "profiles" / f"{name}.json").write_text(text)
    found = doctor(relay)["Relay"]
    assert [found.state(f"Profile {name}") for name in ("broken", "empty", "mine")] == ["wrong", "wrong", "doubtful"]
    assert f"--profile {relay.data}/profiles/broken.json" in found["Profile broken"]["mend"]
    assert found["Profile mine"]["text"] == "no key speaks for its app, org.example.other"
    for name in ("broken", "empty"):
        (relay.data / "profiles" / f"{name}.json").unlink()
    (relay.data / "profiles/mine.json").write_text(json.dumps(profile | {"bundle": BUNDLE}))
    assert doctor(relay)["Relay"].state("Profiles") == "well"


@pytest.fixture
def apple(tmp_path: Path) -> Iterator[Simulator]:
    simulator = Simulator(tmp_path / "apple")
    yield simulator
    simulator.stop()


def test_apple_is_asked_and_nobody_is_rung(relay: Relay, apple: Simulator) -> None:
    apple.serve(relay)
    assert "has not been asked" in doctor(relay)["Relay"]["Apple"]["text"]
    names = [f"Apple, {apple.key.team}, {environment}" for environment in ("production", "sandbox")]
    found = doctor(relay, "--ask-apple")["Relay"]
    assert [found.state(f"{name}, {BUNDLE}") for name in names] == ["well"] * 2, found
    # The doctor remembers the last result.
    found = doctor(relay)["Relay"]
    assert [found.state(name) for name in names] == ["well"] * 2, found
    relay.stop()
    found = doctor(relay, "--ask-apple")["Relay"]
    assert [found.state(f"{name}, {BUNDLE}") for name in names] == ["well"] * 2, found
    assert not apple.device()["notifications"]


@pytest.mark.parametrize(
    ("reason", "mend"),
    [
        ("InvalidProviderToken", "its own id and its own team"), ("ExpiredProviderToken", "set this machine's clock"),
        ("TopicDisallowed", "the right --bundle"), ("BadCertificateEnvironment", "--sandbox-only"),
    ],
)  # fmt: skip
def test_what_apple_says_of_the_key_is_told_with_what_to_do(relay: Relay, apple: Simulator, reason: str, mend: str) -> None:
    apple.serve(relay)
    apple.do("script", rules=[{"every": 1, "times": 100, "do": "answer", "reason": reason}])
    name = f"Apple, {apple.key.team}, sandbox"
    found = doctor(relay, "--ask-apple")["Relay"][f"{name}, {BUNDLE}"]
    assert found["state"] == "wrong" and found["text"] == f"says {reason}" and mend in found["mend"]
    found = doctor(relay)["Relay"][name]
    assert found["state"] == "wrong" and found["text"].startswith(f"said {reason}, last at ") and mend in found["mend"]
    assert f"Apple said {reason}" in relay.run("push", "status", "--data", str(relay.data)).stdout


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


def test_a_database_is_looked_at_and_each_doubt_has_its_mend(tmp_path: Path) -> None:
    server = PostgresServer()
    relay = Relay(tmp_path / "relay", ["--store", server.address("postgres")])

    def findings() -> dict[str, dict[str, str]]:
        lines = relay.run("doctor", "--data", str(relay.data), "--json", check=False).stdout.splitlines()
        found = {line["subject"]: line for line in map(json.loads, lines)}
        assert all(line.get("mend") for line in found.values() if line["state"] != "well"), found
        return found

    try:
        relay.start()
        found = findings()
        assert "schema version" in found["Database version"]["text"] and "timeline 00000001" in found["Database version"]["text"]
        assert "holds the log" in found["Database log"]["text"] and found["Database log"]["state"] == "well"
        assert (found["Database standby"]["state"], found["Database commits"]["state"]) == ("doubtful", "well")
        assert "synchronous_mode_strict" in found["Database standby"]["mend"]
        assert found["Database clock"]["state"] == "well" and found["Database rights"]["state"] == "well"
        assert "Database connection" not in found, "it is on this machine"
        relay.stop()
        assert "nobody holds the log" in findings()["Database log"]["text"]
        server.sql("ALTER ROLE heliograph SET synchronous_commit = off")
        assert findings()["Database commits"]["state"] == "wrong"
        server.sql("ALTER ROLE heliograph RESET synchronous_commit")
        server.sql("CREATE ROLE plain LOGIN; ALTER DATABASE postgres OWNER TO plain")
        server.sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO plain; GRANT INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO plain")
        server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        server.sql("SELECT pg_reload_conf()")
        wait_until(lambda: server.sql("SHOW synchronous_standby_names") == "nobody", 10, "the setting")
        assert "none of 0 standbys is in sync, and each commit waits for one" in findings()["Database standby"]["text"]
        server.configure("synchronous_standby_names = 'ANY 2 (a, b, c)'")
        wait_until(lambda: server.sql("SHOW synchronous_standby_names").startswith("ANY"), 10, "the setting")
        assert "each commit waits for 2" in findings()["Database standby"]["text"]
        (relay.data / "store.url").write_text(server.address("postgres").replace("heliograph@", "plain@") + "\n")
        assert "pg_read_all_stats" in findings()["Database standby"]["mend"]
    finally:
        relay.kill()
        server.close()


def test_nodes_are_called_where_they_say_that_they_are(tmp_path: Path) -> None:
    server = PostgresServer()
    cluster = Cluster(tmp_path, server, "nodes", 2)

    def findings(node: Relay) -> dict[str, dict[str, str]]:
        lines = node.run("doctor", "--data", str(node.data), "--json", check=False).stdout.splitlines()
        found = {line["subject"]: line for line in map(json.loads, lines)}
        assert all(line.get("mend") for line in found.values() if line["state"] != "well"), found
        return found

    try:
        owner, edge = cluster.start().nodes
        for node in (owner, edge):
            found = findings(node)
            assert found["Nodes"]["state"] == "well" and "node0 (owns 1 workspace, lease for" in found["Nodes"]["text"]
            assert "node1 (owns 0 workspaces, lease" in found["Nodes"]["text"]
            assert found["Node node0"]["state"] == "well" and "takes links" in found["Node node0"]["text"]
            assert found["Node node1"]["state"] == "well" and "Node versions" not in found
            # The node's process runs with its own machine's settings.
            assert node.process is not None
            said = found["Relay"]["text"]
            assert said.startswith(f"runs on {node.url}, ") and f"process {node.process.pid}, a node that owns {int(node is owner)} workspace" in said, said
        # A node that does not connect to the workspace's owner.
        edge.stop()
        server.sql("UPDATE nodes SET link_version = 9 WHERE name = 'node0'", "nodes")
        edge.launch()
        wait_until(lambda: "another version of links" in edge.log_text(), 10, lambda: edge.log_text()[-2000:])
        assert edge.process is not None
        said = findings(edge)["Relay"]
        assert said["state"] == "wrong" and f"process {edge.process.pid}, a node that owns 0 workspaces, and serves nobody: it reaches no relay that owns" in said["text"], said
        server.sql("UPDATE nodes SET link_version = 2 WHERE name = 'node0'", "nodes")
        wait_until(edge._is_ready, 10, "the edge to reach the owner")
        server.sql("UPDATE nodes SET link_version = 9 WHERE name = 'node1'", "nodes")
        assert "version 9 of the link" in findings(owner)["Node node1"]["text"]
        server.sql(f"UPDATE nodes SET url = '{owner.url}', link_version = 2 WHERE name = 'node1'", "nodes")
        assert "leads to another node" in findings(owner)["Node node1"]["text"]
        assert edge.process is not None
        server.sql(f"UPDATE nodes SET url = '{edge.url}' WHERE name = 'node1'", "nodes")
        edge.process.send_signal(signal.SIGSTOP)
        found = findings(owner)["Node node1"]
        assert found["state"] == "wrong" and "cannot be reached from here" in found["text"]
        edge.process.send_signal(signal.SIGCONT)
        # The lease may have expired while the node was stopped.
        wait_until(lambda: "node1 (owns 0 workspaces, lease" in findings(owner)["Nodes"]["text"], 10, "the node to renew its lease")
        edge.kill()
        wait_until(lambda: "is not connected" in findings(owner)["Nodes"]["text"], 5, "the node without a process to be noticed")
        wait_until(lambda: "1 ended without a word" in findings(owner)["Nodes"]["text"], 20, "the end of its lease", every=1)
    finally:
        cluster.kill()
        server.close()
