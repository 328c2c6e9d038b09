"""The real host daemon with a full or failing disk: on a small file system, or under strace."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client import WireClient
from relay import BINARY, Relay, plain_environment
from waits import patient, wait_until

SESSION = "claude-s1"


class Daemon:
    """A paired `heliograph host`, whose hooks the test calls."""

    def __init__(self, folder: Path, relay: Relay):
        self.home = folder / "home"
        self.state = self.home / ".local/state/heliograph"
        self.spool = self.state / "spool"
        self.spool.mkdir(parents=True)
        # The daemon refuses a state folder that other users can read.
        self.spool.parent.chmod(0o700)
        self.spool.chmod(0o700)
        self.log = folder / "host.log"
        self.relay = relay
        self.is_paired = False
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, prefix: tuple[str, ...] = ()) -> None:
        """Starts the daemon, and pairs it at the first start; `prefix` is a program that executes it."""
        link = [] if self.is_paired else [self.relay.pair_link("host"), "--name", "laptop", "--consent", "open"]
        command = [*prefix, str(BINARY), "host", *link]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.home, env=plain_environment(self.home),
                start_new_session=True,
            )  # fmt: skip
        wait_until((self.state / "host.sock").exists, 15, lambda: f"the daemon's socket; its log:\n{self.text()}")
        self.is_paired = True

    def stop(self) -> None:
        process, self.process = self.process, None
        if process:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def text(self) -> str:
        return self.log.read_text(errors="replace")[-4000:] if self.log.exists() else ""

    def hook(self, event: str, **fields: object) -> str:
        """Makes a hook call, which must succeed whatever the disk does; returns its output."""
        body = {"session_id": "s1", "hook_event_name": event, "cwd": "/", "permission_mode": "default", **fields}
        result = subprocess.run(
            [str(BINARY), "hook", "claude", event], input=json.dumps(body), capture_output=True, text=True,
            env=plain_environment(self.home), timeout=patient(20),
        )  # fmt: skip
        assert result.returncode == 0, result
        return result.stdout

    def fill_disk(self) -> Path:
        """Fills the disk. Returns the file whose removal makes room."""
        filler = self.spool / "filler"
        with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(b"x" * 4096):
                pass
        return filler

    def prompt(self, text: str) -> None:
        self.hook("UserPromptSubmit", prompt=text)


@pytest.fixture
def small_disk(short_path: Path, relay: Relay) -> Iterator[Daemon]:
    """A daemon whose spool is on a file system of 1 MiB."""
    daemon = Daemon(short_path, relay)
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,nr_inodes=64,mode=700", "tmpfs", str(daemon.spool)], capture_output=True)
    if mount.returncode != 0:
        pytest.skip("needs the right to mount a small file system")
    try:
        daemon.start()
        yield daemon
    finally:
        daemon.stop()
        subprocess.run(["umount", str(daemon.spool)], check=True)


def test_a_full_disk_is_a_gap_with_its_count_and_passes_without_a_restart(small_disk: Daemon, client: Callable[..., WireClient]):
    phone = client()
    phone.subscribe()
    small_disk.hook("SessionStart", source="startup")
    small_disk.prompt("before")
    phone.wait_summary(SESSION, lambda summary: summary["status"] == "running", what="the first prompt")
    phone.subscribe(SESSION)
    filler = small_disk.fill_disk()
    # Each message is larger than the free part of a page, so that none fits.
    for number in range(3):
        small_disk.prompt(f"lost {number} " + "y" * 8000)
    answer = small_disk.hook("PermissionRequest", tool_name="Bash", tool_input={"command": "z" * 8000})
    assert answer == "", "nobody is asked what is not on disk: the agent's own prompt stays"
    filler.unlink()
    event = phone.wait_event(SESSION, lambda event: event["kind"] == "truncated", 20, "the gap")
    # The lost events are three prompts and one request.
    assert event["head"]["count"] == 4, event
    small_disk.prompt("after")
    phone.wait_event(SESSION, lambda event: event["head"].get("summary") == "after", what="what came after it")


def test_a_daemon_that_starts_on_a_full_disk_sends_what_waits(small_disk: Daemon, relay: Relay, client: Callable[..., WireClient]):
    phone = client()
    phone.subscribe()
    small_disk.hook("SessionStart", source="startup")
    phone.wait_summary(SESSION, lambda summary: True, what="the session")
    phone.subscribe(SESSION)
    relay.stop()
    small_disk.prompt("waits")
    small_disk.stop()
    (small_disk.state / "host.sock").unlink()
    small_disk.fill_disk()
    relay.start()
    small_disk.start()
    phone = client()
    phone.subscribe()
    phone.wait_summary(SESSION, lambda summary: True, what="the session")
    phone.subscribe(SESSION)
    phone.wait_event(SESSION, lambda event: event["head"].get("summary") == "waits", 30, "what waited")


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_a_failed_sync_loses_and_doubles_nothing(short_path: Path, relay: Relay, client: Callable[..., WireClient]):
    # The daemon is paired before the disk fails, because `host` refuses a link whose token it cannot store.
    daemon = Daemon(short_path, relay)
    daemon.start()
    daemon.stop()
    (daemon.state / "host.sock").unlink()
    # Every third fdatasync fails from the start: of the spool's files and of their replacements.
    daemon.start(("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=3+3"))
    phone = client()
    phone.subscribe()
    try:
        daemon.hook("SessionStart", source="startup")
        phone.wait_summary(SESSION, lambda summary: True, 20, "the session")
        phone.subscribe(SESSION)
        texts = [f"prompt {number}" for number in range(12)]
        for text in texts:
            daemon.prompt(text)
            phone.wait_event(SESSION, lambda event, text=text: event["head"].get("summary") == text, 20, text)
        assert "does not confirm" in daemon.log.read_text(), "no sync failed: the test tests nothing"
    finally:
        daemon.stop()
    said = [event["head"].get("summary") for event in phone.logs[SESSION] if event["kind"] == "message"]
    assert said == texts
