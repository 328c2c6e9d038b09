"""Commands under wrong conditions: another user's folder, an older file, no HOME, a home with a long name, a full disk."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client import WireClient
from doctor import doctor
from host import ScriptedHost
from relay import BINARY, Relay, plain_environment
from waits import patient, wait_until

OTHER_USER = 65534


def run(*words: str, home: Path, binary: Path = BINARY, user: int | None = None, cwd: Path | str = "/", **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a command as a user with this home directory."""
    return subprocess.run(
        [str(binary), *words], capture_output=True, text=True, timeout=patient(30), stdin=subprocess.DEVNULL, cwd=cwd, user=user,
        env=plain_environment(home) | environment,
    )  # fmt: skip



@pytest.fixture
def common_binary(short_path: Path) -> Path:
    """The program in a place where every user may run it."""
    if os.geteuid() != 0:
        pytest.skip("only root can be somebody else")
    binary = short_path / "bin" / "heliograph"
    binary.parent.mkdir()
    shutil.copy(BINARY, binary)
    short_path.chmod(0o755)
    return binary


@pytest.fixture
def stranger(common_binary: Path, short_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`stranger("token", "list")`: runs a command as a user who owns no files here."""
    return lambda *words: run(*words, home=short_path / "nobody", binary=common_binary, user=OTHER_USER)


@pytest.fixture
def foreign(short_path: Path) -> Iterator[Relay]:
    """A relay of root's, in a folder that other users can reach."""
    relay = Relay(short_path / "relay")
    relay.folder.chmod(0o755)
    relay.start()
    yield relay
    relay.stop()


@pytest.mark.parametrize(
    "words",
    ["token list", "token revoke t_1", "pair", "workspace list", "audit export", "backup /tmp/never.sqlite", "restore --anew", "clock", "push status",
     "serve", "config show"],
)  # fmt: skip
def test_a_folder_of_somebody_else_is_no_folder_without_a_relay(stranger: Callable[..., subprocess.CompletedProcess[str]], foreign: Relay, words: str) -> None:
    """One sentence names the owner, and what to do."""
    refused = stranger(*words.split(), "--data", str(foreign.data))
    assert refused.returncode == 7, refused
    assert f"{foreign.data} belongs to root, and its permissions keep nobody out" in refused.stderr and "sudo -u root heliograph" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1 and not refused.stdout, refused


def test_doctor_says_whose_folder_it_is(stranger: Callable[..., subprocess.CompletedProcess[str]], foreign: Relay) -> None:
    found = stranger("doctor", "--json", "--data", str(foreign.data))
    (finding,) = [json.loads(line) for line in found.stdout.splitlines()]
    assert found.returncode == 1 and finding["state"] == "wrong" and f"{foreign.data} belongs to root" in finding["text"]
    watched = stranger("sessions", "--data", str(foreign.data))
    assert watched.returncode == 3 and f"{foreign.data} belongs to root" in watched.stderr, watched


def test_a_file_of_somebody_else_in_ones_own_folder_is_named(stranger: Callable[..., subprocess.CompletedProcess[str]], foreign: Relay) -> None:
    """A file that a command run by root may have left in the user's folder."""
    foreign.stop()
    for path in (foreign.data, *foreign.data.iterdir()):
        os.chown(path, OTHER_USER, OTHER_USER)
    os.chown(foreign.data / "heliograph.sqlite", 0, 0)
    refused = stranger("token", "list", "--data", str(foreign.data))
    assert refused.returncode == 7 and f"{foreign.data / 'heliograph.sqlite'} belongs to root" in refused.stderr, refused
    assert "sudo chown nobody:" in refused.stderr
    os.chown(foreign.data, 0, 0)
    foreign.start()


def test_what_root_restores_is_the_relays_own(foreign: Relay, tmp_path: Path) -> None:
    """`sudo heliograph restore` for a service with a user of its own."""
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    foreign.run("backup", str(tmp_path / "backup.sqlite"), "--data", str(foreign.data))
    foreign.stop()
    for path in (foreign.data, *foreign.data.iterdir()):
        os.chown(path, OTHER_USER, OTHER_USER)
    (foreign.data / "relay.lock").unlink()
    foreign.run("restore", str(tmp_path / "backup.sqlite"), "--force", "--yes", "--data", str(foreign.data))
    made = [foreign.data / name for name in ("heliograph.sqlite", "relay.lock")]
    assert [path.stat().st_uid for path in made] == [OTHER_USER, OTHER_USER]
    assert (tmp_path / "backup.sqlite").stat().st_uid == 0, "a backup is of whoever made it"
    foreign.start()



def test_a_link_is_not_spent_where_the_daemon_could_not_listen(relay: Relay, tmp_path: Path, short_path: Path) -> None:
    """The socket's path would be too long: the command says so before it uses the link, with advice that works."""
    home = tmp_path / ("h" * 60) / ("o" * 60)
    home.mkdir(parents=True)
    link = relay.pair_link("host")
    refused = run("host", link, home=home)
    assert refused.returncode == 1 and "107" in refused.stderr and "HELIOGRAPH_SOCKET" in refused.stderr, refused
    again = run("host", home=home)
    assert again.returncode == 3, "it is not paired"
    assert run("host", "--pair-only", link, home=home, HELIOGRAPH_SOCKET=str(short_path / "host.sock")).returncode == 0
    refused = run("host", home=home)
    assert refused.returncode == 1 and "HELIOGRAPH_SOCKET" in refused.stderr, refused


def test_a_link_is_not_spent_where_a_daemon_runs_already(relay: Relay, short_path: Path) -> None:
    from daemon import paired

    with paired(short_path, relay) as laptop:
        link = relay.pair_link("host")
        refused = run("host", link, home=laptop.home)
        assert refused.returncode == 1 and "runs already" in refused.stderr, refused
        (short_path / "other").mkdir()
        assert run("host", "--pair-only", link, home=short_path / "other").returncode == 0


@pytest.mark.parametrize(("role", "command"), [("host", ("host", "--pair-only")), ("client", ("login",))])
def test_a_link_is_not_spent_where_the_token_could_not_be_kept(relay: Relay, tmp_path: Path, role: str, command: tuple[str, ...]) -> None:
    home = tmp_path / "someone"
    (home / ".config").mkdir(parents=True)
    (home / ".config/heliograph").write_text("in the way")
    link = relay.pair_link(role)
    refused = run(*command, link, home=home)
    assert refused.returncode == 7 and str(home / ".config/heliograph") in refused.stderr, refused
    (home / ".config/heliograph").unlink()
    assert run(*command, link, home=home).returncode == 0



def test_no_command_goes_on_with_an_older_copy(relay: Relay, tmp_path: Path) -> None:
    """Commands refuse the older copy in the relay's words: a backup of it would replace a good one."""
    relay.token("client", "phone")
    relay.stop()
    file = relay.data / "heliograph.sqlite"
    older = file.read_bytes()
    relay.start()
    host = ScriptedHost(relay, "laptop")
    host.start_session("s1")
    host.wait_acked("s1")
    host.close()
    relay.stop()
    newer = file.read_bytes()
    file.write_bytes(older)
    words = f"{file} has 0 events, and the relay that ran here last had"
    for command in (["backup", str(tmp_path / "backup.sqlite")], ["token", "list"], ["pair"], ["audit", "export"], ["token", "create", "--role", "client", "--name", "x"]):
        refused = relay.run(*command, "--data", str(relay.data), check=False)
        assert refused.returncode == 1 and words in refused.stderr and "an older copy was put in its place" in refused.stderr, refused
        assert not refused.stdout
    assert not (tmp_path / "backup.sqlite").exists() and file.read_bytes() == older
    assert words in doctor(relay)["Relay"]["Data file"]["text"]
    file.write_bytes(newer)
    relay.run("backup", str(tmp_path / "backup.sqlite"), "--data", str(relay.data))
    relay.start()



def test_without_a_home_nothing_is_made_where_the_command_is_run(common_binary: Path, short_path: Path) -> None:
    """Without HOME the user database gives the home; using the current folder instead would make a relay and a token in each folder."""
    here = short_path / "here"
    here.mkdir()
    here.chmod(0o777)
    for words, variables in (
        (["token", "list"], {}), (["token", "list"], {"XDG_DATA_HOME": "relative"}), (["sessions"], {"XDG_CONFIG_HOME": "relative"}), (["serve"], {}),
    ):  # fmt: skip
        said = subprocess.run(
            [str(common_binary), *words], cwd=here, env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"} | variables, user=OTHER_USER,
            capture_output=True, text=True, timeout=patient(20),
        )  # fmt: skip
        assert said.returncode != 0 and str(here) not in said.stdout + said.stderr, said
        if words != ["sessions"]:
            assert "/nonexistent" in said.stderr, said
    assert list(here.iterdir()) == []


def test_an_empty_name_is_no_folder(relay: Relay) -> None:
    """`--data "$FOLDER"` with an unset variable."""
    for command in (["serve"], ["token", "list"], ["doctor"]):
        refused = relay.run(*command, "--data", "", check=False)
        assert refused.returncode == 2 and "--data names no folder" in refused.stderr, refused
    assert not (relay.folder / "heliograph.sqlite").exists()



def test_a_long_list_of_tokens_says_who_is_connected(relay: Relay) -> None:
    """The relay's answer is longer than that to any other command."""
    phone = relay.token("client", "phone")
    relay.stop()
    with sqlite3.connect(relay.data / "heliograph.sqlite") as database:
        for number in range(600):
            database.execute(
                "INSERT INTO tokens (token, digest, role, kind, subject, name, workspace, created_at)"
                " SELECT 't_' || ?, randomblob(32), role, kind, 'c_' || ?, 'device number ' || ?, workspace, created_at FROM tokens WHERE name = 'phone'",
                [number, number, number],
            )
    database.close()
    relay.start()
    client = WireClient(relay, "phone", phone)
    listed = relay.run("token", "list", "--data", str(relay.data)).stdout.splitlines()
    assert len(listed) == 601 and sum("connected now" in line for line in listed) == 1
    client.close()



def test_a_backup_that_is_broken_off_leaves_nothing(relay: Relay, tmp_path: Path) -> None:
    """Ctrl-C during a backup must not leave an incomplete copy of agents' texts."""
    target = tmp_path / "backups" / "backup.sqlite"
    target.parent.mkdir()
    # Slows down the last system calls. With -D the command stays this test's child.
    slow = ["strace", "-D", "-f", "-o", str(tmp_path / "strace"), "-e", "trace=fsync", "-e", "inject=fsync:delay_enter=20000000"]
    command = [*slow, str(BINARY), "backup", str(target), "--data", str(relay.data)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=plain_environment(relay.folder / "home"))
    wait_until(lambda: any(path.stat().st_size for path in target.parent.iterdir()), 20, "the copy to be under way")
    wait_until(lambda: (tmp_path / "strace").exists() and "fsync" in (tmp_path / "strace").read_text(), 20, "the copy to be slow")
    process.send_signal(signal.SIGINT)
    assert process.wait(patient(30)) == 128 + signal.SIGTERM
    assert list(target.parent.iterdir()) == []


def test_a_restore_of_nothing_makes_no_folder(tmp_path: Path) -> None:
    refused = run("restore", "mistyped.sqlite", "--data", str(tmp_path / "data"), home=tmp_path, cwd=tmp_path)
    assert refused.returncode == 5 and "There is no mistyped.sqlite" in refused.stderr, refused
    assert not (tmp_path / "data").exists()


def test_a_file_is_no_data_folder(relay: Relay) -> None:
    file = str(relay.data / "heliograph.sqlite")
    refused = relay.run("token", "list", "--data", file, check=False)
    assert refused.returncode == 5 and f"No relay is set up in {file}" in refused.stderr, refused
    missing = relay.run("backup", "/nowhere/backup.sqlite", "--data", str(relay.data), check=False)
    assert missing.returncode == 1 and "/nowhere/backup.sqlite cannot be made" in missing.stderr, missing


def test_what_cannot_be_printed_is_said(relay: Relay) -> None:
    """A token that could not be printed to a full disk is not created; a reader that closes the pipe early is no error."""
    for command in (["token", "create", "--role", "client", "--name", "x"], ["token", "list"], ["cost", "--csv"], ["sessions", "--json"]):
        with open("/dev/full", "wb") as full:
            printed = subprocess.run(
                [str(BINARY), *command, "--data", str(relay.data)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=patient(20),
                env=plain_environment(relay.folder / "home"),
            )  # fmt: skip
        assert printed.returncode == 7 and "the output cannot be written: No space left" in printed.stderr, printed
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as gone:
        printed = subprocess.run(
            [str(BINARY), "token", "list", "--data", str(relay.data)], stdout=gone, stderr=subprocess.PIPE, text=True, timeout=patient(20),
            env=plain_environment(relay.folder / "home"),
        )  # fmt: skip
    assert printed.returncode == 0 and not printed.stderr, printed


def test_a_link_leads_nowhere_else_where_the_address_is_gone(relay: Relay) -> None:
    (relay.data / "relay.url").unlink()
    refused = relay.run("pair", "--data", str(relay.data), check=False)
    assert refused.returncode == 5 and "relay.url" in refused.stderr and "--url" in refused.stderr, refused
    assert relay.url in relay.pair_link(url=relay.url)
    relay.restart()
    assert relay.url in relay.pair_link()
