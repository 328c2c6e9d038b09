"""A disk that fails, fills up, becomes read-only or rots: a clear error, no acknowledgement without stored data, and recovery.

HELIOGRAPH_ROT sets the number of damaged copies, HELIOGRAPH_SEED repeats their choice.
"""

import json
import os
import random
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from client import WireClient
from daemon import paired, recorded_call
from disk_faults import injected, injected_count, remount, small_disk
from follower import Follower, whole_log
from history import check_decisions, check_host, check_view
from host import ScriptedHost
from relay import Relay
from waits import wait_until

ROT = int(os.environ.get("HELIOGRAPH_ROT", "40"))
SEED = int(os.environ.get("HELIOGRAPH_SEED", random.SystemRandom().randrange(1 << 32)))
DATABASE = "heliograph.sqlite"
PAGE = 4096
BIG = "x" * 100_000


@pytest.fixture
def host(relay, scripted_host):
    host = scripted_host(relay)
    host.start_session("s1")
    host.wait_acked("s1")
    return host


@pytest.fixture
def phone(relay, host):
    """A client that decides all approvals, and reconnects."""
    phone = Follower(relay, "phone", ["s1"], lambda approval: "allow" if approval.startswith("ap-") else None)
    wait_until(lambda: "s1" in phone.positions, 20, lambda: f"the phone to watch: {phone!r}")
    yield phone
    phone.close()


def talk(host: ScriptedHost, count: int, text: str = "a line") -> None:
    for number in range(count):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"{number} {text}"})


def settle(relay: Relay, host: ScriptedHost, phone: Follower) -> list[Any]:
    """Checks, after a fault, that every event is stored once and in order, seen by the client, and every approval decided. Returns the log."""
    host.wait_acked("s1", timeout=30)
    for approval in host.digests:
        if approval.startswith("ap-"):
            host.wait_decision(approval, timeout=30)
            if not any(event["kind"] == "approval.applied" and event["head"]["approval"] == approval for event in host.sessions["s1"]):
                host.apply("s1", approval)
    host.wait_acked("s1", timeout=30)
    log = whole_log(relay, "s1")
    wait_until(lambda: phone.positions["s1"][1] >= len(log), 30, lambda: f"the phone to be level: {phone!r}")
    phone.close()
    check_host(host, "s1", log)
    check_view(phone, "s1", log)
    check_decisions(log, [phone], [host])
    return log



@pytest.mark.parametrize("call", ["fdatasync", "pwrite64"])
@pytest.mark.parametrize("when", ["1", "2", "3", "5"])
def test_one_error_is_mended_without_a_word_to_anybody(relay, host, phone, tmp_path, call, when):
    """The relay looks for the failed batch on the disk and writes it again if it is missing: hosts stay connected, nothing is stored twice."""
    trace = tmp_path / "strace"
    with injected(relay.process.pid, f"{call}:error=EIO:when={when}", log=trace):
        talk(host, 5)
        host.request_approval("s1", "Bash", {"command": "make"})
        for number in range(8):
            talk(host, 1)
            host.wait_acked("s1", timeout=20)
        wait_until(lambda: injected_count(trace) >= 1, 10, lambda: f"the fault to be met: {trace.read_text()}")
    settle(relay, host, phone)
    assert relay.get("/readyz").status == 200


@pytest.mark.parametrize("call", ["fdatasync", "pwrite64"])
def test_an_outage_of_the_disk_is_survived(relay, host, phone, tmp_path, call):
    """During the outage nothing is acknowledged or shown; if it ends within seconds everything continues automatically."""
    talk(host, 10)
    host.wait_acked("s1")
    trace = tmp_path / "strace"
    with injected(relay.process.pid, f"{call}:error=EIO:when=1+", log=trace):
        through, seen = host.through["s1"], phone.positions["s1"][1]
        talk(host, 10)
        host.request_approval("s1", "Bash", {"command": "make"})
        # The relay tries to write the same batch several times, and fails each time.
        wait_until(lambda: injected_count(trace) >= 3, 20, lambda: f"the fault to be met: {trace.read_text()}")
        assert host.through["s1"] == through, "acknowledged what the disk refused"
        assert phone.positions["s1"][1] == seen, "shown what the disk refused"
    settle(relay, host, phone)


def test_a_disk_that_is_away_for_long(relay, host, phone, tmp_path):
    """All peers are disconnected, nothing is acknowledged, and the log gives the reason; after the outage the relay continues automatically."""
    talk(host, 10)
    host.wait_acked("s1")
    with injected(relay.process.pid, "fdatasync:error=EIO:when=1+", log=tmp_path / "strace"):
        through = host.through["s1"]
        talk(host, 10)
        wait_until(lambda: relay.get("/readyz").status == 503, 30, lambda: f"readyz to say so: {relay.log_text()[-1500:]}")
        wait_until(lambda: 4000 in host.closed_with, 30, lambda: f"the host to be sent away: {relay.log_text()[-1500:]}")
        wait_until(lambda: relay.log_text().count("the store cannot be read yet") >= 2, 30, lambda: relay.log_text()[-1500:])
        assert host.through["s1"] == through, "acknowledged what the disk refused"
    assert f"The disk of {relay.data / DATABASE} reported an error" in relay.log_text()
    wait_until(lambda: relay.get("/readyz").status == 200, 30, lambda: f"readyz: {relay.log_text()[-1500:]}")
    host.request_approval("s1", "Bash", {"command": "make"})
    settle(relay, host, phone)


def test_killed_while_the_disk_is_away(relay, host, phone, tmp_path):
    """After the next start all acknowledged events are there; the host sends the rest again."""
    talk(host, 10)
    host.wait_acked("s1")
    trace = tmp_path / "strace"
    with injected(relay.process.pid, "fdatasync:error=EIO:when=1+", log=trace):
        talk(host, 10)
        wait_until(lambda: injected_count(trace) >= 1, 20, "the fault to be met")
        relay.kill()
    relay.start()
    host.request_approval("s1", "Bash", {"command": "make"})
    settle(relay, host, phone)


@pytest.mark.parametrize("fault, word", [("ENOSPC:when=3+", "full"), ("EDQUOT:when=3+", "full"), ("EROFS:when=1+", "read-only"), ("EROFS:when=3+", "read-only")])
def test_refused_writes_are_told_and_come_again(relay, host, phone, client, tmp_path, fault, word):
    """With a full or read-only disk hosts are asked to retry, a decision is refused with that reason, and reading works; afterwards everything
    recovers.
    """
    approval = host.request_approval("s1", "Bash", {"command": "make"}, approval="kept")
    host.wait_acked("s1")
    tablet = client(relay, "tablet")
    tablet.subscribe()
    through = host.through["s1"]
    with injected(relay.process.pid, f"pwrite64:error={fault}", log=tmp_path / "strace"):
        talk(host, 50)
        wait_until(lambda: relay.get("/readyz").status == 503, 20, lambda: f"readyz to say so\n{relay.log_text()[-1500:]}")
        wait_until(lambda: 4000 in host.closed_with, 10, lambda: f"the host to be asked to come back: {host.closed_with}")
        error = tablet.decide("s1", approval, "allow")["error"]
        assert error["code"] == "unavailable", error
        assert tablet.subscribe("s1")["type"] == "reply", "who only reads is served"
        assert tablet.approvals[approval]["stage"] == "pending"
        assert tablet.connection.is_open and "all peers are disconnected" not in relay.log_text()
    assert word in relay.log_text() and DATABASE in relay.log_text()
    host.wait_acked("s1", timeout=20)
    assert relay.get("/readyz").status == 200
    assert tablet.decide("s1", approval, "allow")["stage"] == "decided"
    host.wait_decision(approval)
    assert not host.lost_acks and host.through["s1"] > through
    settle(relay, host, phone)


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "killed before"])
@pytest.mark.parametrize("fault", ["pwrite64:error=EIO", "fdatasync:error=EIO", "pwrite64:error=EROFS", "openat:error=EIO", "pread64:error=EIO"])
def test_a_disk_that_fails_at_the_start(tmp_path, fault, is_new):
    """Whichever system call fails first: the relay starts with all data, or ends with an error that names the file."""
    relay = Relay(tmp_path / "relay") if is_new else filled_relay(tmp_path, unclean=True)
    expected = [] if is_new else stored_events(relay.data)
    met = 0
    for when in (1, 2, 4, 8, 16, 32):
        trace = tmp_path / "strace"
        # With -D the relay stays this test's child, and strace runs beside it.
        relay.prefix = ["strace", "-D", "-f", "-o", str(trace), "-P", str(relay.data / DATABASE), "-P", str(relay.data / f"{DATABASE}-wal"),
                        "-e", f"trace={fault.split(':')[0]}", "-e", f"inject={fault}:when={when}"]  # fmt: skip
        before = len(relay.log_text())
        relay.launch()
        outcome = start_outcome(relay, before)
        met += injected_count(trace)
        if outcome == "refused":
            assert DATABASE in relay.log_text()[before:], relay.log_text()[before:]
            relay.process = None
        else:
            relay.kill()
        relay.check_log()
    relay.prefix = []
    relay.start()
    relay.token("client", "one more")
    relay.stop()
    assert stored_events(relay.data) == expected
    # A start after a kill may write nothing.
    assert met or (fault.startswith(("pwrite64", "fdatasync")) and not is_new), "no fault was met"



@contextmanager
def relay_on_small_disk(folder: Path, size: str = "64m") -> Iterator[tuple[Path, Relay]]:
    """A relay with its data on a file system of its own. At the end it must stop cleanly."""
    with small_disk(folder / "relay/data", size) as disk:
        relay = Relay(folder / "relay")
        relay.start()
        try:
            yield disk, relay
            relay.stop()
            relay.check_log()
        finally:
            relay.kill()


def test_a_full_disk_makes_room_again(tmp_path):
    with relay_on_small_disk(tmp_path, "3m") as (disk, relay), closing(ScriptedHost(relay)) as host:
        host.start_session("s1")
        host.wait_acked("s1")
        with closing(Follower(relay, "phone", ["s1"], lambda approval: "allow" if approval.startswith("ap-") else None)) as phone:
            kept = host.request_approval("s1", "Bash", {"command": "make"}, approval="kept")
            host.wait_acked("s1")
            talk(host, 60, BIG)
            wait_until(lambda: relay.get("/readyz").status == 503, 20, lambda: f"the disk to be full\n{relay.log_text()[-1500:]}")
            watcher = WireClient(relay, "watcher", phone.token)
            watcher.subscribe()
            assert watcher.approvals[kept]["stage"] == "pending", "an open approval stands through it"
            # A decision is small and may still fit; otherwise it is refused because the disk is full.
            reply = watcher.decide("s1", kept, "deny", id="decided-once")
            assert reply.get("stage") == "decided" or reply["error"]["code"] == "unavailable", reply
            watcher.close()
            assert f"The disk of {relay.data / DATABASE} is full" in relay.log_text()
            remount(disk, "size=64m")
            host.wait_acked("s1", timeout=40)
            wait_until(lambda: relay.get("/readyz").status == 200, 20, "readyz")
            host.request_approval("s1", "Bash", {"command": "make more"})
            watcher = WireClient(relay, "watcher", phone.token)
            watcher.subscribe()
            assert watcher.decide("s1", kept, "deny", id="decided-once")["stage"] == "decided"
            watcher.close()
            host.wait_decision(kept)
            settle(relay, host, phone)


def test_what_is_decided_while_the_disk_is_full_has_its_place(tmp_path):
    """Hosts are told to wait with events; a decision is stored, delivered to its agent and survives a kill; with room everything continues
    automatically.
    """
    with relay_on_small_disk(tmp_path) as (disk, relay), closing(ScriptedHost(relay)) as host:
        host.start_session("s1")
        asked = [host.request_approval("s1", "Bash", {"command": f"make {number}"}) for number in range(20)]
        host.wait_acked("s1")
        phone = WireClient(relay, "phone")
        phone.subscribe()
        filler = disk / "filler"
        with filler.open("wb", buffering=0) as other, pytest.raises(OSError, match="No space"):
            while True:
                other.write(bytes(PAGE))
        talk(host, 60, BIG)
        wait_until(lambda: "the disk is full" in relay.log_text(), 20, lambda: f"the disk to be full\n{relay.log_text()[-1500:]}")
        assert relay.metric("heliograph_store_takes_writes") == 0
        wait_until(lambda: any(notice["code"] == "unavailable" for notice in host.notices()), 20, "the host to be told")
        for approval in asked:
            assert phone.decide("s1", approval, "allow")["stage"] == "decided", relay.log_text()[-1500:]
            host.wait_decision(approval)
        through = host.through["s1"]
        assert through < len(host.sessions["s1"]) and host.is_connected and relay.get("/readyz").status == 200
        phone.close()
        relay.kill()
        # The restarted relay has the decision.
        relay.start()
        host.wait_connected()
        wait_until(lambda: relay.log_text().count("the disk is full") == 2, 20, lambda: relay.log_text()[-1500:])
        assert relay.metric("heliograph_store_takes_writes") == 0
        filler.unlink()
        host.wait_acked("s1", timeout=30)
        wait_until(lambda: relay.metric("heliograph_store_takes_writes") == 1, 20, "all to be taken again")
        log = whole_log(relay, "s1")
        assert {event["head"]["approval"] for event in log if event["kind"] == "approval.decided"} == set(asked)
        check_host(host, "s1", log)


def test_a_disk_that_is_full_no_more_is_written_on_by_itself(tmp_path):
    with relay_on_small_disk(tmp_path) as (disk, relay), closing(ScriptedHost(relay)) as host:
        host.start_session("s1")
        host.wait_acked("s1")
        for number in range(2):
            remount(disk, f"size={bytes_in_use(disk) + PAGE}")
            talk(host, 60, BIG)
            wait_until(lambda: relay.log_text().count("the disk is full") == number + 1, 20, lambda: f"a full disk\n{relay.log_text()[-1500:]}")
            remount(disk, "size=128m")
            wait_until(lambda: relay.log_text().count("there is room on the disk again") == number + 1, 20, "room")
            host.wait_acked("s1", timeout=30)
            assert relay.get("/readyz").status == 200
        check_host(host, "s1", whole_log(relay, "s1"))


def test_a_relay_starts_on_a_full_disk_by_its_reserve(tmp_path):
    with relay_on_small_disk(tmp_path) as (disk, relay), closing(ScriptedHost(relay)) as host:
        asked = host.request_approval("s1", "Bash", {"command": "make"})
        host.wait_acked("s1")
        relay.stop()
        remount(disk, f"size={bytes_in_use(disk)}")
        relay.start()
        host.wait_connected()
        phone = WireClient(relay, "phone", relay.token("client", "phone"))
        phone.subscribe()
        assert phone.decide("s1", asked, "allow")["stage"] == "decided", relay.log_text()[-1500:]
        host.wait_decision(asked)
        phone.close()
        assert relay.metric("heliograph_store_takes_writes") == 0
        remount(disk, "size=128m")
        host.apply("s1", asked)
        host.wait_acked("s1", timeout=30)
        assert relay.metric("heliograph_store_takes_writes") == 1


def test_a_full_disk_does_not_make_a_host_ask_without_end(tmp_path, short_path):
    """The real host waits, and retries every five seconds, with one message for everything that waits."""
    with relay_on_small_disk(tmp_path) as (disk, relay), paired(short_path, relay) as laptop:
        remount(disk, f"size={bytes_in_use(disk)}")
        for call in range(40):
            laptop.hook("PostToolUse", recorded_call("PostToolUse", f"s{call % 4}", f"call-{call}", short_path))
        wait_until(lambda: relay.metric("heliograph_store_takes_writes") == 0, 30, lambda: relay.log_text()[-1500:])
        before = relay.metric("heliograph_messages_received_total")
        wait_until(lambda: relay.metric("heliograph_messages_received_total") > before, 15, laptop.log_text)
        before = relay.metric("heliograph_messages_received_total")
        time.sleep(11)
        # The host retries in two or three rounds; each sends a session's events in one message.
        assert 2 <= relay.metric("heliograph_messages_received_total") - before <= 3 * 4 + 2, laptop.log_text()
        remount(disk, "size=128m")
        laptop.wait_delivered(60)


def bytes_in_use(disk: Path) -> int:
    facts = os.statvfs(disk)
    return (facts.f_blocks - facts.f_bfree) * facts.f_frsize


def test_a_full_disk_at_the_start(tmp_path):
    """The relay cannot even create its files: the error names one; once there is room the relay starts."""
    with small_disk(tmp_path / "relay/data", "16k") as disk:
        relay = Relay(tmp_path / "relay")
        relay.launch()
        assert relay.wait_end() == 7
        assert str(disk) in relay.log_text() and "make room there" in relay.log_text(), relay.log_text()
        remount(disk, "size=16m")
        relay.start()
        relay.stop()


@pytest.mark.parametrize("unclean", [False, True], ids=["after a clean end", "after a kill"])
def test_a_read_only_disk(tmp_path, unclean):
    with small_disk(tmp_path / "relay/data", "64m") as disk:
        relay = filled_relay(tmp_path, unclean)
        before = {path.name: path.read_bytes() for path in disk.iterdir() if path.is_file()}
        expected = stored_events(relay.data) if not unclean else None
        remount(disk, "ro")
        start = len(relay.log_text())
        relay.launch()
        assert relay.wait_end() == 7
        said = relay.log_text()[start:]
        assert str(disk) in said and ("read-only" in said.lower() or "cannot be" in said), said
        assert {path.name: path.read_bytes() for path in disk.iterdir() if path.is_file()} == before
        remount(disk, "rw")
        relay.start()
        relay.stop()
        relay.check_log()
        if expected is not None:
            assert stored_events(relay.data) == expected



def filled_relay(folder: Path, unclean: bool = False) -> Relay:
    """A stopped relay, or a killed one that left its WAL, with events and approvals of every stage in its file."""
    relay = Relay(folder / "relay")
    relay.start()
    host = ScriptedHost(relay)
    try:
        host.start_session("s1")
        for number in range(60):
            host.event("s1", "message", {"role": "assistant"}, {"text": f"{number} " + "text " * 300})
        for number in range(6):
            host.request_approval("s1", "Bash", {"command": f"echo {number}"})
        host.wait_acked("s1")
        phone = WireClient(relay, "phone")
        phone.subscribe()
        for approval in list(host.digests)[:4]:
            phone.decide("s1", approval, "allow")
            host.wait_decision(approval)
        host.apply("s1", list(host.digests)[0])
        host.wait_acked("s1")
        phone.close()
    finally:
        host.close()
    if unclean:
        relay.kill()
    else:
        relay.stop()
        gather(relay)
    return relay


def gather(relay: Relay) -> None:
    """Moves a stopped relay's whole WAL into the database file, so that damage there affects the content."""
    with sqlite3.connect(relay.data / DATABASE) as database:
        assert database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    database.close()


def test_a_clean_end_leaves_one_file(relay, host):
    talk(host, 10)
    host.wait_acked("s1")
    relay.stop()
    assert not (relay.data / f"{DATABASE}-wal").exists() or (relay.data / f"{DATABASE}-wal").stat().st_size == 0


def stored_events(data: Path) -> list[tuple[Any, ...]]:
    """All relevant content of the database, read from a copy so that reading does not change the file."""
    copy = data.parent / "looked-at"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(data, copy, ignore=lambda _, names: [name for name in names if not name.startswith(DATABASE)])
    database = sqlite3.connect(copy / DATABASE)
    try:
        return [
            *database.execute("SELECT id, kind, at, bytes FROM events ORDER BY id"),
            *database.execute("SELECT session, approval, stage, record FROM approvals ORDER BY number"),
        ]
    finally:
        database.close()


def start_outcome(relay: Relay, log_from: int) -> str:
    """`ready`, or `refused` if the relay ended with an error. The process keeps its state."""
    process = relay.process
    assert process is not None

    def look() -> str | None:
        if process.poll() is not None:
            assert process.returncode in (1, 7), f"ended with {process.returncode}: {relay.log_text()[log_from:]}"
            return "refused"
        try:
            return "ready" if relay.get("/readyz").status == 200 else None
        except OSError:
            return None

    return wait_until(look, 20, lambda: f"the relay to start or to refuse: {relay.log_text()[log_from:]}")


def served(relay: Relay) -> tuple[list[Any], dict[str, Any]]:
    """A client's view of the relay: the whole log and the approvals."""
    client = WireClient(relay, "auditor")
    try:
        client.subscribe()
        approvals = dict(client.approvals)
    finally:
        client.close()
    return whole_log(relay, "s1"), approvals


@pytest.mark.timeout(60 + 2 * ROT)
def test_a_damaged_file_is_refused_or_does_no_harm(tmp_path):
    """Bytes are flipped anywhere: if SQLite's own check finds damage, the relay refuses to start, names the file and leaves it unchanged."""
    rotten = Rot(tmp_path)
    for seed in range(SEED, SEED + ROT):
        dice = random.Random(seed)
        # The first page is small but most important, so every third copy is damaged there.
        offsets = [dice.randrange(PAGE if seed % 3 == 0 else rotten.size) for _ in range(dice.choice([1, 1, 8, 64]))]
        rotten.try_start(seed, offsets, dice)
    print(rotten.outcomes)
    assert rotten.outcomes.get("refused") and rotten.outcomes.get("right"), rotten.outcomes
    unnoticed = [wrong for wrong in rotten.wrong if not wrong[1]]
    assert not unnoticed, f"served although SQLite finds the damage: {unnoticed[:10]}"


def test_changed_content_is_noticed(tmp_path):
    """One byte of an event's text is changed: the relay reports that event and shows all others."""
    rotten = Rot(tmp_path)
    first = rotten.pristine_bytes.find(b"text text text")
    assert first > 0
    for seed in range(SEED, SEED + 5):
        dice = random.Random(seed)
        rotten.try_start(seed, [first + dice.randrange(1000)], dice)
    assert not rotten.wrong, f"served as if nothing were: {rotten.wrong}"
    assert rotten.outcomes == {"named": 5}, rotten.outcomes


def test_an_index_that_contradicts_its_table_is_noticed(tmp_path):
    relay = filled_relay(tmp_path)
    file = relay.data / DATABASE
    damaged = bytearray(file.read_bytes())
    database = sqlite3.connect(file)
    workspace, host = database.execute("SELECT workspace, host FROM sessions").fetchone()
    database.close()
    # The row in the table still belongs to the host; the damage is in the index over workspace and session.
    name = f"{workspace}s1".encode()
    places = [place for place in range(len(damaged)) if damaged.startswith(name, place) and not damaged.startswith(host.encode(), place + len(name))]
    assert len(places) == 1, places
    damaged[places[0] + len(name) - 1] ^= 1
    file.write_bytes(damaged)
    relay.launch()
    try:
        assert start_outcome(relay, 0) == "refused"
    finally:
        relay.kill()


class Rot:
    """A relay's file that is damaged many times, with the outcomes."""

    def __init__(self, folder: Path):
        self.relay = filled_relay(folder)
        self.relay.start()
        self.truth = served(self.relay)
        self.relay.stop()
        gather(self.relay)
        self.pristine = folder / "pristine"
        shutil.copytree(self.relay.data, self.pristine)
        self.pristine_bytes = (self.pristine / DATABASE).read_bytes()
        self.size = len(self.pristine_bytes)
        self.outcomes: dict[str, int] = {}
        self.wrong: list[tuple[str, bool]] = []
        """Wrongly served content, and True if SQLite itself finds nothing wrong with the file."""
        print(f"HELIOGRAPH_SEED={SEED} repeats this run's choices; {self.size} bytes")

    def try_start(self, seed: int, offsets: list[int], dice: random.Random) -> None:
        outcome = damaged_start(self.relay, self.pristine, offsets, dice, self.truth)
        kind = outcome.split(":")[0]
        self.outcomes[kind] = self.outcomes.get(kind, 0) + 1
        if kind == "wrong":
            self.wrong.append((f"seed {seed}, bytes {offsets[:4]}: {outcome}", passes_check(self.relay.data)))


def passes_check(data: Path) -> bool:
    database = sqlite3.connect(f"file:{data / DATABASE}?mode=ro", uri=True)
    try:
        return database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    except sqlite3.Error:
        return False
    finally:
        database.close()


def damaged_start(relay: Relay, pristine: Path, offsets: list[int], dice: random.Random, truth: Any) -> str:
    """Starts the relay with a damaged file; returns `refused`, `right`, `named` if it continues without content that it reports as damaged, or
    `wrong: …`.
    """
    put_back(pristine, relay.data)
    file = relay.data / DATABASE
    damaged = bytearray(file.read_bytes())
    for offset in offsets:
        damaged[offset] ^= dice.randrange(1, 256)
    file.write_bytes(damaged)
    before = len(relay.log_text())
    relay.launch()
    if start_outcome(relay, before) == "refused":
        relay.process = None
        said = relay.log_text()[before:]
        assert DATABASE in said, f"refused without naming the file: {said}"
        kept = [path.read_bytes() for path in relay.data.rglob("*") if path.is_file()]
        assert content(damaged, pristine) in [content(bytes, pristine) for bytes in kept], f"the damaged file was overwritten: {said}"
        return "refused"
    try:
        now = served(relay)
        if now == truth:
            return "right"
        return "named" if names_damage(relay.log_text()[before:]) else f"wrong: {difference(truth, now)}"
    except AssertionError as failure:
        # The relay may notice the damage only when it reads; then it must report that and not serve other content.
        said = relay.log_text()[before:]
        return "named" if "damaged" in said or names_damage(said) else f"wrong: {failure}"[:400]
    finally:
        relay.kill()


def names_damage(said: str) -> bool:
    return "does not decode" in said or "is not as it was written" in said


def content(file: bytes, pristine: Path) -> list[bytes]:
    """All used pages except the first, whose SQLite counters change at each start: GRDB creates and drops a table to have a WAL."""
    whole = (pristine / DATABASE).read_bytes()
    return [file[start : start + PAGE] for start in range(PAGE, len(whole), PAGE) if any(whole[start : start + PAGE])]


def put_back(pristine: Path, data: Path) -> None:
    """Restores the original file and WAL by writing in place, because the relay would take another inode for a restored backup, with a new epoch."""
    for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"):
        if (pristine / name).exists() and not name.endswith("-shm"):
            (data / name).write_bytes((pristine / name).read_bytes())
        else:
            (data / name).unlink(missing_ok=True)


def difference(truth: Any, now: Any) -> str:
    for number, (left, right) in enumerate(zip(truth[0], now[0]), 1):
        if left != right:
            return f"event {number} was {str(left)[:120]} and is {str(right)[:120]}"
    return f"{len(truth[0])} events and {len(truth[1])} approvals were {len(now[0])} and {len(now[1])}" if len(truth[0]) != len(now[0]) else "approvals differ"


def test_a_session_whose_record_is_damaged_is_named_and_kept(tmp_path):
    """The relay continues without the session: its row and events stay in the file for a later repair."""
    relay = filled_relay(tmp_path)
    file = relay.data / DATABASE
    with sqlite3.connect(file) as database:
        database.execute("UPDATE sessions SET state = x'ff'")
    database.close()
    expected = stored_events(relay.data)
    relay.start()
    assert '"s1"' in relay.log_text() and names_damage(relay.log_text()), relay.log_text()
    host = ScriptedHost(relay, "another")
    host.start_session("s2")
    host.wait_acked("s2")
    host.close()
    assert [event["kind"] for event in whole_log(relay, "s2")] == ["session.started"]
    assert relay.rows("SELECT state FROM sessions WHERE session = 's1'") == [(b"\xff",)]
    relay.stop()
    relay.check_log()
    stored = stored_events(relay.data)
    assert [row for row in expected if row not in stored] == []


def test_a_truncated_wal_leaves_a_prefix(tmp_path):
    """The intact commits of a torn WAL are served; a client that has seen more gets a reset."""
    relay = filled_relay(tmp_path, unclean=True)
    wal = relay.data / f"{DATABASE}-wal"
    assert wal.stat().st_size > 32, "a killed relay leaves its WAL"
    pristine = tmp_path / "pristine"
    shutil.copytree(relay.data, pristine, ignore=shutil.ignore_patterns("*.sock"))
    relay.start()
    truth, _ = served(relay)
    epoch = WireClient(relay, "epoch")
    old = {"epoch": epoch.welcome["epoch"], "seq": len(truth)}
    epoch.close()
    relay.kill()
    dice = random.Random(SEED)
    size = (pristine / wal.name).stat().st_size
    for cut in [0, 31, 32, *(dice.randrange(size) for _ in range(12)), size - 1]:
        put_back(pristine, relay.data)
        os.truncate(wal, cut)
        before = len(relay.log_text())
        relay.launch()
        if start_outcome(relay, before) == "refused":
            relay.process = None
            assert DATABASE in relay.log_text()[before:]
            if "restore --as-is" not in relay.log_text()[before:]:
                continue
            relay.run("restore", "--as-is", "--yes", "--data", str(relay.data))
            relay.start()
        client = WireClient(relay, f"after {cut}")
        client.subscribe()
        if "s1" in client.summaries:
            log = whole_log(relay, "s1")
            assert log == truth[: len(log)], f"a WAL cut at {cut} of {size} leaves something else than a prefix"
            client.subscribe("s1", after=old)
            if len(log) < len(truth):
                reset = client.wait(lambda message: message["type"] == "reset", what="a reset of a position that is no more")
                assert reset["reason"] in ("ahead", "epochChanged")
        client.close()
        relay.kill()
    relay.check_log()


def epoch_of(relay: Relay) -> str:
    client = WireClient(relay, "epoch")
    try:
        return client.welcome["epoch"]
    finally:
        client.close()


def go_on_with_less(relay: Relay) -> None:
    """The relay refuses to start until a person accepts the data file as it is."""
    before = len(relay.log_text())
    relay.launch()
    assert relay.wait_end() == 1
    said = relay.log_text()[before:]
    for words in (str(relay.data / DATABASE), "the relay that ran here last had", "restore --as-is", "restore --anew"):
        assert words in said, said
    relay.run("restore", "--as-is", "--yes", "--data", str(relay.data))
    relay.start()


def tell_more(relay: Relay, count: int) -> None:
    host = ScriptedHost(relay, "another")
    try:
        host.start_session("s2")
        for number in range(count):
            host.event("s2", "message", {"role": "assistant"}, {"text": f"{number}"})
        host.wait_acked("s2")
    finally:
        host.close()


def test_a_file_written_over_in_place_begins_another_epoch(tmp_path):
    """`cp old.sqlite heliograph.sqlite`: the start is refused, because events are missing; once a person accepts that, a new epoch begins, because
    known positions now mean other events.
    """
    relay = filled_relay(tmp_path)
    old = (relay.data / DATABASE).read_bytes()
    relay.start()
    epoch = epoch_of(relay)
    tell_more(relay, 5)
    relay.kill()
    relay.start()
    assert epoch_of(relay) == epoch, "killed, and nothing else"
    position = {"epoch": epoch, "seq": len(whole_log(relay, "s1"))}
    relay.stop()
    gather(relay)
    (relay.data / DATABASE).write_bytes(old)
    go_on_with_less(relay)
    other = epoch_of(relay)
    assert other != epoch
    client = WireClient(relay, "phone")
    client.subscribe("s1", after=position)
    assert client.wait(lambda message: message["type"] == "reset", what="a reset")["reason"] == "epochChanged"
    client.close()
    for _ in range(3):
        relay.kill()
        relay.start()
        assert epoch_of(relay) == other
    relay.stop()
    relay.check_log()


def test_a_lost_log_begins_another_epoch(tmp_path):
    """A person deletes the `-wal` file of a killed relay: acknowledged content is lost, so the relay refuses to start, or begins a new epoch."""
    relay = filled_relay(tmp_path)
    relay.start()
    epoch = epoch_of(relay)
    tell_more(relay, 5)
    relay.kill()
    wal = relay.data / f"{DATABASE}-wal"
    assert wal.stat().st_size > 0, "a killed relay leaves its WAL"
    wal.unlink()
    go_on_with_less(relay)
    other = epoch_of(relay)
    assert other != epoch
    tell_more(relay, 9)
    relay.kill()
    relay.start()
    assert epoch_of(relay) == other
    relay.stop()


def test_a_newer_schema_is_left_alone(tmp_path):
    relay = filled_relay(tmp_path)
    file = relay.data / DATABASE
    with sqlite3.connect(file) as database:
        database.execute("INSERT INTO grdb_migrations VALUES ('v999')")
    database.close()
    before = file.read_bytes()
    relay.launch()
    assert relay.wait_end() == 1
    assert f"{file} was written by a newer version" in relay.log_text()
    assert file.read_bytes() == before


@pytest.mark.parametrize("how", ["emptied", "removed", "a directory", "a symbolic link"])
def test_a_data_file_that_is_gone_is_not_begun_anew_beside_its_log(tmp_path, how):
    """The `-wal` has acknowledged content: the start is refused by name without a change, the doctor reports it, too; a person can begin anew."""
    relay = filled_relay(tmp_path, unclean=True)
    file, wal = relay.data / DATABASE, relay.data / f"{DATABASE}-wal"
    pristine = wal.read_bytes()
    assert len(pristine) > 32, "a killed relay leaves its WAL"
    if how == "emptied":
        os.truncate(file, 0)
    else:
        moved = tmp_path / "elsewhere.sqlite"
        file.rename(moved)
        if how == "a directory":
            file.mkdir()
        elif how == "a symbolic link":
            file.symlink_to(moved)
    word = {"emptied": "is empty", "removed": "is gone"}.get(how, how)
    before = len(relay.log_text())
    relay.launch()
    assert relay.wait_end() == 1
    refused = relay.log_text()[before:]
    doctor = relay.run("doctor", "--data", str(relay.data), check=False)
    assert doctor.returncode == 1
    token = relay.run("token", "create", "--role", "client", "--name", "one", "--data", str(relay.data), check=False)
    assert token.returncode == 1
    for said in (refused, doctor.stdout, token.stderr):
        for words in (str(file), word, "restore", "--anew"):
            assert words in said, said
    assert "SQL" not in refused and len(refused.splitlines()) == 1, refused
    assert wal.read_bytes() == pristine
    kept = json.loads(relay.run("restore", "--anew", "--json", "--data", str(relay.data)).stdout)["kept"]
    assert (relay.data / f"{Path(kept).name.removesuffix('-wal')}-wal").read_bytes() == pristine
    relay.start()
    assert relay.tokens() == [], "it begins with nothing"
    relay.stop()
    relay.check_log()


@pytest.mark.parametrize("fault", ["ENOSPC", "EROFS"])
def test_a_host_hears_that_its_events_wait_and_keeps_its_connection(relay, host, tmp_path, fault):
    """The host is asked once to reconnect for dropped events; then it gets `unavailable` instead of `restarting` twice a second; in the end all
    events are accepted.
    """
    with injected(relay.process.pid, f"pwrite64:error={fault}:when=1+", log=tmp_path / "strace"):
        talk(host, 3)
        wait_until(lambda: 4000 in host.closed_with, 20, lambda: f"the first batch to be refused: {relay.log_text()[-1500:]}")
        host.wait_connected()
        closed = len(host.closed_with)
        talk(host, 3)
        wait_until(lambda: [notice["code"] for notice in host.notices()].count("unavailable") >= 3, 30, lambda: f"{host.notices()}")
        assert len(host.closed_with) == closed and host.is_connected
    host.wait_acked("s1", timeout=30)
    assert relay.get("/readyz").status == 200
    check_host(host, "s1", whole_log(relay, "s1"))
