"""Failing starts: one sentence that names the cause and the remedy, a meaningful exit status, and unchanged files."""

import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from disk_faults import remount, small_disk
from host import ScriptedHost
from relay import BINARY, Relay

REFUSED, NOT_GIVEN = 1, 7
OTHER_USER = 54321


def refused(relay: Relay, status: int, *words: str) -> str:
    """The error message of a start that fails."""
    before = len(relay.log_text())
    relay.launch()
    assert relay.wait_end() == status, relay.log_text()[before:]
    said = relay.log_text()[before:]
    sentences = [line for line in said.splitlines() if line.startswith("heliograph: ")]
    assert len(sentences) == 1, said
    for word in words:
        assert word in sentences[0], said
    for word in ("SQL", "CREATE", "NSCocoa", "Foundation", "Domain", "rawValue"):
        assert word not in said, said
    assert "is listening" not in said
    return said


def stopped_relay(folder: Path) -> Relay:
    relay = Relay(folder / "relay")
    relay.start()
    relay.token("client", "one")
    host = ScriptedHost(relay)
    host.start_session("s1")
    host.wait_acked("s1")
    host.close()
    relay.stop()
    return relay


def content(data: Path) -> dict[str, bytes]:
    """The data folder's content without files that every start writes, or that a stop leaves empty."""
    ours = ("relay.lock", "heliograph.sqlite-wal", "heliograph.sqlite-shm")
    return {path.name: path.read_bytes() for path in data.iterdir() if path.is_file() and path.name not in ours}


def test_without_its_table_of_versions_a_file_is_refused_and_not_touched(tmp_path):
    relay = stopped_relay(tmp_path)
    file = relay.data / "heliograph.sqlite"
    with sqlite3.connect(file) as database:
        database.execute("DROP TABLE grdb_migrations")
    database.close()
    before = content(relay.data)
    refused(relay, REFUSED, str(file), "which version of Heliograph", "restore")
    assert content(relay.data) == before
    doctor = relay.run("doctor", "--data", str(relay.data), check=False)
    assert doctor.returncode == 1 and "which version of Heliograph" in doctor.stdout


def test_a_file_of_another_version_by_its_user_version_is_left_alone(tmp_path):
    relay = stopped_relay(tmp_path)
    file = relay.data / "heliograph.sqlite"
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    before = content(relay.data)
    refused(relay, REFUSED, str(file), "newer version")
    assert content(relay.data) == before


def test_a_foreign_database_is_not_written_to(tmp_path):
    relay = Relay(tmp_path / "relay")
    relay.data.mkdir(mode=0o700)
    file = relay.data / "heliograph.sqlite"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE notes (text)")
    database.close()
    before = file.read_bytes()
    refused(relay, REFUSED, str(file), "restore")
    assert file.read_bytes() == before


def test_few_open_files_are_refused_and_a_low_habit_is_raised(tmp_path):
    relay = Relay(tmp_path / "relay", prefix=["prlimit", "--nofile=64:64"])
    refused(relay, NOT_GIVEN, "64 files", "ulimit -n", "LimitNOFILE")
    assert not relay.data.exists(), "nothing is made"
    relay.prefix = ["prlimit", "--nofile=64:4096"]
    relay.start()
    assert relay.get("/healthz").status == 200
    relay.stop()


def test_few_threads_are_refused(short_path):
    if os.geteuid() != 0:
        pytest.skip("only root can be another user, whose limit counts")
    # The relay runs as another user, because the limit does not apply to root; that user needs access to the program and the folder.
    os.chmod(short_path, 0o755)
    program = short_path / "heliograph"
    shutil.copy(BINARY, program)
    folder = short_path / "data"
    folder.mkdir(mode=0o700)
    os.chown(folder, OTHER_USER, OTHER_USER)
    command = ["setpriv", f"--reuid={OTHER_USER}", f"--regid={OTHER_USER}", "--clear-groups"]
    command += ["prlimit", "--nproc=4:4", str(program), "serve", "--data", str(folder), "--listen", "127.0.0.1:0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, cwd="/", env={"PATH": "/usr/bin:/bin"})
    assert done.returncode == NOT_GIVEN, done
    assert "threads" in done.stderr and "ulimit -u" in done.stderr, done.stderr
    assert list(folder.iterdir()) == []


def test_few_addresses_are_refused_and_more_bound_the_memory_budget(tmp_path):
    relay = Relay(tmp_path / "relay", prefix=["prlimit", f"--as={250 << 20}"])
    refused(relay, NOT_GIVEN, "ulimit -v", "MemoryMax")
    relay.prefix = ["prlimit", f"--as={2 << 30}"]
    relay.arguments = ["--limits-memory-megabytes", "100000"]
    relay.start()
    assert (32 << 20) < relay.metric("heliograph_memory_budget_bytes") < (1 << 30)
    relay.stop()


@pytest.mark.parametrize("what", ["bytes", "inodes"])
def test_a_disk_without_room_is_named(tmp_path, what):
    """The disk has less than 32 MB, so that no reserve is kept; for each file that cannot be created the error names the remedy, or the relay starts
    without it.
    """
    with small_disk(tmp_path / "relay/data", "4m,nr_inodes=40") as disk:
        relay = stopped_relay(tmp_path)
        kept = relay.rows("SELECT count(*) FROM events")
        fillers = []
        with pytest.raises(OSError, match="No space"):
            while True:
                filler = disk / f"filler{len(fillers)}"
                fillers.append(filler)
                with filler.open("wb") as file:
                    while what == "bytes":
                        file.write(bytes(4096))
                        file.flush()
        outcomes = set()
        # Each round permits one more file, or 4 KB more, until the relay starts.
        for _ in range(20):
            before = len(relay.log_text())
            relay.launch()
            try:
                relay.wait_end(6)
            except AssertionError:
                outcomes.add("runs")
                break
            said = relay.log_text()[before:]
            sentence = [line for line in said.splitlines() if line.startswith("heliograph: ")]
            assert len(sentence) == 1 and str(disk) in sentence[0] and "df -i" in sentence[0], said
            assert "SQL" not in said and "NSCocoa" not in said, said
            outcomes.add("refused")
            if what == "inodes":
                fillers.pop(0).unlink()
            else:
                remount(disk, f"size={in_use(disk) + 8192}")
        assert "refused" in outcomes, outcomes
        doctor = relay.run("doctor", "--data", str(relay.data), check=False)
        assert "Disk" in doctor.stdout
        for filler in fillers:
            filler.unlink(missing_ok=True)
        remount(disk, "size=64m")
        relay.start()
        assert relay.rows("SELECT count(*) FROM events") == kept
        relay.stop()
        relay.check_log()


def in_use(disk: Path) -> int:
    facts = os.statvfs(disk)
    return (facts.f_blocks - facts.f_bfree) * facts.f_frsize
