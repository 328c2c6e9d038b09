"""A stolen token can be revoked whatever the disk does: stored if at all possible, and effective in the running relay at once."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess

from client import WireClient
from disk_faults import injected, injected_count, small_disk
from doctor import doctor
from relay import Relay, code_of
from waits import wait_until

PAGE = 4096
FILE = 'heliograph_revocations_waiting{place="file"}'
MEMORY = 'heliograph_revocations_waiting{place="memory"}'


@contextmanager
def relay_on(folder: Path, size: str) -> Iterator[tuple[Path, Relay]]:
    """A relay with its data on a file system of its own."""
    with small_disk(folder / "relay/data", size) as disk:
        relay = Relay(folder / "relay")
        relay.start()
        try:
            yield disk, relay
            relay.stop()
            relay.check_log()
        finally:
            relay.kill()


def fill(disk: Path) -> None:
    """Fills the disk to the last byte, like an unrotated log; freed space is used up at once."""
    with (disk / "filler").open("ab", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(PAGE))
        except OSError:
            pass


@contextmanager
def flooded(relay: Relay, disk: Path, token: str, name: str) -> Iterator[str]:
    """While this context lasts, freed space is used up at once, and so is the room in SQLite's log, by renaming the
    token until a new name is refused. Yields the last accepted name.
    """
    token_id = relay.token_id(name)
    is_over = threading.Event()

    def take() -> None:
        while not is_over.wait(0.001):
            fill(disk)

    names = [name]

    def is_refused() -> bool:
        new = f"{name} {len(names)}"
        status = relay.post(f"/v1/tokens/{token_id}/rename", {"name": new}, {"Authorization": f"Bearer {token}"}).status
        assert status in (200, 503), status
        if status == 200:
            names.append(new)
        return status == 503

    fill(disk)
    taker = threading.Thread(target=take)
    taker.start()
    try:
        # Any commit makes the relay free its disk reserve for decisions, so the first attempts may succeed.
        for _ in range(3):
            wait_until(is_refused, 30, "the data file to be full")
        yield names[-1]
    finally:
        is_over.set()
        taker.join()
        (disk / "filler").unlink()


def status(relay: Relay, token: str) -> int:
    return relay.get("/v1/me", {"Authorization": f"Bearer {token}"}).status


def revoke(relay: Relay, token_id: str) -> CompletedProcess[str]:
    return relay.run("token", "revoke", token_id, "--data", str(relay.data), check=False)


def is_stored(relay: Relay, token_id: str) -> bool:
    return relay.rows(f"SELECT revoked_at IS NOT NULL FROM tokens WHERE token = '{token_id}'") == [(1,)]


def audit(relay: Relay) -> list[str]:
    relay.run("audit", "verify", "--data", str(relay.data))
    return [line for line in relay.run("audit", "export", "--data", str(relay.data)).stdout.splitlines() if '"token.revoked"' in line]


def test_a_token_is_revoked_on_a_full_disk(tmp_path: Path) -> None:
    """The revocation is effective at once and after a kill, is part of a backup made meanwhile, and is stored normally once there is room."""
    with relay_on(tmp_path, "64m") as (disk, relay):
        stolen, kept = relay.token("client", "stolen"), relay.token("client", "kept")
        thief = WireClient(relay, "thief", stolen)
        token_id = relay.token_id("stolen")
        with flooded(relay, disk, kept, "kept") as name:
            revoked = revoke(relay, token_id)
            assert revoked.returncode == 0 and token_id in revoked.stdout, revoked
            assert thief.connection.wait_closed() == 4401
            assert [status(relay, token) for token in (stolen, kept)] == [401, 200]
            assert "the disk is full: this is on disk and holds" in revoked.stderr and not is_stored(relay, token_id), "there was no room for it"
            assert [token["name"] for token in relay.tokens()] == [name]
            assert revoke(relay, token_id).returncode == 5, "it is revoked already"
            found = doctor(relay)["Relay"]
            assert found.state("Revocations") == "doubtful" and "1 hold" in found["Revocations"]["text"]
            assert (relay.metric(FILE), relay.metric(MEMORY)) == (1, 0)
            relay.run("backup", str(tmp_path / "backup.sqlite"), "--data", str(relay.data))
            with sqlite3.connect(tmp_path / "backup.sqlite") as backup:
                assert backup.execute("SELECT name FROM tokens WHERE revoked_at IS NULL").fetchall() == [(name,)]
            backup.close()
            relay.kill()
            relay.start()
            assert [status(relay, token) for token in (stolen, kept)] == [401, 200]
        relay.token("client", "another")
        assert is_stored(relay, token_id) and relay.metric(FILE) == 0 and len(audit(relay)) == 1
        assert doctor(relay)["Relay"].state("Revocations") is None
        assert [status(relay, token) for token in (stolen, kept)] == [401, 200]


def test_a_page_revokes_on_a_full_disk_and_the_relay_puts_it_into_place(tmp_path: Path) -> None:
    """The revocation includes the tokens that this token added, and is stored automatically once there is room."""
    with relay_on(tmp_path, "64m") as (disk, relay):
        mine, stolen = relay.token("client", "mine"), relay.token("client", "stolen")
        token_id = relay.token_id("stolen")
        relay.stop()
        with sqlite3.connect(relay.data / "heliograph.sqlite") as database:
            child = relay_child(database, token_id)
        database.close()
        relay.start()
        with flooded(relay, disk, mine, "mine") as name:
            answer = relay.post(f"/v1/tokens/{token_id}/revoke", b"", {"Authorization": f"Bearer {mine}"})
            assert answer.status == 200 and [token["id"] for token in answer.json["revoked"]] == [token_id, child], answer.body
            assert status(relay, stolen) == 401 and status(relay, mine) == 200 and not is_stored(relay, token_id)
            relay.kill()
            relay.start()
            assert status(relay, stolen) == 401
        wait_until(lambda: is_stored(relay, token_id) and is_stored(relay, child), 60, lambda: f"it to be stored: {relay.log_text()[-1500:]}")
        assert [f'"by":"{relay.token_id(name)}"' in line for line in audit(relay)] == [True, True]


def relay_child(database: sqlite3.Connection, parent: str) -> str:
    """Adds a token that was paired by another one."""
    database.execute(
        "INSERT INTO tokens (token, digest, role, kind, subject, name, workspace, parent, created_at)"
        " SELECT 't_child', randomblob(32), role, kind, 'c_child', 'child', workspace, token, created_at + 1 FROM tokens WHERE token = ?", [parent]
    )  # fmt: skip
    return "t_child"


def test_a_token_is_revoked_on_a_full_disk_without_a_relay(tmp_path: Path) -> None:
    """The data file cannot even be opened: the token is refused once the relay is started again."""
    with relay_on(tmp_path, "64m") as (disk, relay):
        stolen, kept = relay.token("client", "stolen"), relay.token("client", "kept")
        token_id = relay.token_id("stolen")
        relay.stop()
        fill(disk)
        revoked = revoke(relay, token_id)
        assert revoked.returncode == 0 and token_id in revoked.stdout and "could not be seen" in revoked.stderr, revoked
        # The disk reserve lets the relay start.
        relay.start()
        assert [status(relay, token) for token in (stolen, kept)] == [401, 200]
        (disk / "filler").unlink()
        wait_until(lambda: is_stored(relay, token_id), 60, lambda: f"it to be stored: {relay.log_text()[-1500:]}")


def test_where_nothing_can_be_written_the_running_relay_shuts_it_out(tmp_path: Path) -> None:
    """The command warns that the revocation is not on disk; the relay retries until it is."""
    with relay_on(tmp_path, "64m") as (disk, relay):
        stolen, kept = relay.token("client", "stolen"), relay.token("client", "kept")
        thief = WireClient(relay, "thief", stolen)
        token_id = relay.token_id("stolen")
        # The reserve file is missing, as in a folder of an earlier version or on a file system that promised too much.
        (disk / "relay.revocations").unlink()
        with flooded(relay, disk, kept, "kept") as name:
            revoked = revoke(relay, token_id)
            assert revoked.returncode == 7 and token_id in revoked.stdout and "NOT on disk" in revoked.stderr, revoked
            assert thief.connection.wait_closed() == 4401
            assert [status(relay, token) for token in (stolen, kept)] == [401, 200]
            assert "a revocation is not on disk" in relay.log_text() and relay.metric(MEMORY) == 1
            finding = doctor(relay)["Relay"]["Relay"]
            assert finding["state"] == "wrong" and "no disk has 1 revocation" in finding["text"]
            listed = relay.get("/v1/tokens", {"Authorization": f"Bearer {kept}"}).json["tokens"]
            assert [token["name"] for token in listed] == [name]
        wait_until(lambda: is_stored(relay, token_id), 60, lambda: f"it to be stored: {relay.log_text()[-1500:]}")
        wait_until(lambda: relay.metric(MEMORY) == 0, 10, "the figure to say so")
        relay.restart()
        assert status(relay, stolen) == 401


def test_a_page_is_told_what_is_not_on_disk(relay: Relay, tmp_path: Path) -> None:
    mine, stolen = relay.token("client", "mine"), relay.token("client", "stolen")
    thief = WireClient(relay, "thief", stolen)
    token_id = relay.token_id("stolen")
    trace = tmp_path / "strace"
    with injected(relay.process.pid, "pwrite64:error=ENOSPC:when=1+", log=trace):
        answer = relay.post(f"/v1/tokens/{token_id}/revoke", b"", {"Authorization": f"Bearer {mine}"})
        assert answer.status == 503 and "it is revoked and shut out" in answer.json["error"]["message"], answer.body
        assert thief.connection.wait_closed() == 4401 and status(relay, stolen) == 401
        before = injected_count(trace)
        wait_until(lambda: injected_count(trace) > before, 20, "another try")
    wait_until(lambda: is_stored(relay, token_id), 60, lambda: f"it to be stored: {relay.log_text()[-1500:]}")
    assert status(relay, stolen) == 401 and len(audit(relay)) == 1


def test_a_page_that_logs_out_is_told_what_is_not_on_disk(relay: Relay, tmp_path: Path) -> None:
    token = relay.token("client", "laptop")
    token_id = relay.token_id("laptop")
    with injected(relay.process.pid, "pwrite64:error=ENOSPC:when=1+", log=tmp_path / "strace"):
        answer = relay.post("/v1/logout", b"", {"Authorization": f"Bearer {token}"})
        assert answer.status == 503 and "it is revoked and shut out" in answer.json["error"]["message"], answer.body
        assert status(relay, token) == 401
    wait_until(lambda: is_stored(relay, token_id), 60, lambda: f"it to be stored: {relay.log_text()[-1500:]}")


def test_those_go_too_that_were_let_in_by_way_of_a_token_that_is_gone(relay: Relay, tmp_path: Path) -> None:
    """Revoking includes tokens whose chain only the running relay knows:

    the stolen token added a token, which added another and was then logged out.
    """
    names = ("mine", "stolen", "middle", "last")
    tokens = {name: relay.token("client", name) for name in names}
    ids = {name: relay.token_id(name) for name in names}
    relay.stop()
    with sqlite3.connect(relay.data / "heliograph.sqlite") as database:
        database.execute("UPDATE tokens SET parent = ?, revoked_at = created_at WHERE token = ?", [ids["stolen"], ids["middle"]])
        database.execute("UPDATE tokens SET parent = ? WHERE token = ?", [ids["middle"], ids["last"]])
    database.close()
    relay.start()
    assert [status(relay, tokens[name]) for name in names] == [200, 200, 401, 200]
    with injected(relay.process.pid, "pwrite64:error=ENOSPC:when=1+", log=tmp_path / "strace"):
        answer = relay.post(f"/v1/tokens/{ids['stolen']}/revoke", b"", {"Authorization": f"Bearer {tokens['mine']}"})
        assert answer.status == 503 and "it is revoked and shut out" in answer.json["error"]["message"], answer.body
        assert [status(relay, tokens[name]) for name in names] == [200, 401, 401, 401]
    wait_until(lambda: is_stored(relay, ids["stolen"]) and is_stored(relay, ids["last"]), 60, "it to be stored")


def test_a_code_lets_nobody_in_whose_maker_only_the_relay_knows_to_be_revoked(relay: Relay, tmp_path: Path) -> None:
    """The code of a revoked token is void once the disk accepts writes again, although tokens that it added earlier may stay."""
    mine, _ = relay.token("client", "mine"), relay.token("client", "stolen")
    token_id, code = relay.token_id("stolen"), code_of(relay.pair_link())
    relay.stop()
    with sqlite3.connect(relay.data / "heliograph.sqlite") as database:
        database.execute("UPDATE pairing_codes SET parent = ?", [token_id])
    database.close()
    relay.start()
    with injected(relay.process.pid, "pwrite64:error=ENOSPC:when=1+", log=tmp_path / "strace"):
        call = {"keepChildren": True}
        answer = relay.post(f"/v1/tokens/{token_id}/revoke", call, {"Authorization": f"Bearer {mine}"})
        assert answer.status == 503 and "it is revoked and shut out" in answer.json["error"]["message"], answer.body
    assert relay.post("/v1/pair", {"code": code, "name": "thief"}).status == 404
    assert is_stored(relay, token_id) and [token["name"] for token in relay.tokens()] == ["mine"]


def test_a_damaged_list_of_revocations_lets_nobody_in(relay: Relay) -> None:
    """The damaged list might name any token, so the relay does not start, and gives advice."""
    relay.stop()
    file = relay.data / "relay.revocations"
    assert file.stat().st_size == file.stat().st_blocks * 512, "its room is its own"
    with file.open("r+b") as waiting:
        waiting.write(b"?")
    relay.launch()
    assert relay.wait_end() == 1
    assert f"{file} is damaged" in relay.log_text() and f"mv {file}" in relay.log_text()
    file.rename(f"{file}.damaged")
    relay.start()
    assert file.exists()


def test_a_backup_names_the_disk_that_is_full(relay: Relay, tmp_path: Path) -> None:
    """The full disk is the backup's own, not the data's."""
    with small_disk(tmp_path / "backups", "32k") as disk:
        refused = relay.run("backup", str(disk / "backup.sqlite"), "--data", str(relay.data), check=False)
        assert refused.returncode == 7 and f"The disk of {disk / 'backup.sqlite'} is full" in refused.stderr, refused
        assert list(disk.iterdir()) == []
