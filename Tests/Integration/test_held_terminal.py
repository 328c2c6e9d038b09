"""The terminal held by `heliograph claude`, with a small script in place of Claude Code: attaching, detaching, and its end."""

import os
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

from relay import BINARY, plain_environment
from screens import holders
from terminal import Terminal
from waits import patient, wait_until

SCRIPT = """#!/usr/bin/env python3
import os, pathlib, signal, sys, tty

def size():
    size = os.get_terminal_size(0)
    return f"{size.lines} {size.columns}"

def say(text):
    os.write(1, (text + "\\r\\n").encode())

def hung_up(*_):
    pathlib.Path("ended").write_text(sys.argv[1])
    os._exit(0)

if sys.argv[1] == "fail":
    print("cannot begin")
    sys.exit(3)
tty.setraw(0)
signal.signal(signal.SIGWINCH, lambda *_: say("size " + size()))
signal.signal(signal.SIGHUP, hung_up)
os.write(1, b"\\x1b[?1049h\\x1b[?2004h")
say(f"began {' '.join(sys.argv[1:])[:40]} size {size()}")
while True:
    say(f"key [{os.read(0, 1).decode()}]".replace("\\x1b", "Escape").replace("\\x1c", "Leave"))
"""


class Place:
    def __init__(self, folder: Path):
        self.folder = folder
        self.project = folder / "project"
        home = folder / "home"
        for directory in (self.project, home / ".claude", folder / "bin"):
            directory.mkdir(parents=True)
        program = folder / "bin/claude"
        program.write_text(SCRIPT)
        program.chmod(0o755)
        environment = plain_environment(home)
        self.environment = environment | {"PATH": f"{folder}/bin:{environment['PATH']}"}
        self.windows: list[Terminal] = []

    def open(self, *arguments: str, columns: int = 100, rows: int = 30, shell: bool = False) -> Terminal:
        """Opens a window with a shell that prints the exit status, because tmux misses programs that end at once."""
        window = Terminal(self.folder / f"window{len(self.windows)}", self.environment, self.project, columns, rows)
        self.windows.append(window)
        command = [str(BINARY), "claude", *arguments]
        window.run(["sh", "-c", '"$@"; echo status $?', "sh", *command] if shell else command, self.environment)
        return window

    def listed(self) -> list[list[str]]:
        shown = subprocess.run([str(BINARY), "claude", "list"], capture_output=True, text=True, env=self.environment, check=True, timeout=patient(20))
        return [line.split() for line in shown.stdout.splitlines()[1:]]

    @property
    def sockets(self) -> list[Path]:
        return list((self.folder / "home/.local/state/heliograph/claude").glob("*"))

    @property
    def holders(self) -> list[int]:
        return holders(self, "claude")

    def close(self) -> None:
        for holder in self.holders:
            os.kill(holder, signal.SIGTERM)
        wait_until(lambda: not self.listed(), 20, "all to end")
        for window in self.windows:
            window.close()


@pytest.fixture
def place():
    # A Unix socket's path is limited to about 100 bytes.
    with tempfile.TemporaryDirectory(prefix="hg-") as folder:
        place = Place(Path(folder))
        yield place
        place.close()


def test_windows_come_and_go_and_the_size_follows_the_smallest(place):
    first = place.open("--model", "opus")
    first.wait_screen("began --model opus --settings")
    first.wait_screen("size 30 100")
    first.type("a")
    first.wait_screen("key [a]")
    second = place.open("attach", columns=80, rows=20)
    second.wait_screen("size 20 80")
    assert [entry[2] for entry in place.listed()] == ["2"]
    second.press("C-\\")
    second.wait_screen("it goes on")
    second.wait_ended()
    first.wait_screen("size 30 100")
    first.close()
    wait_until(lambda: [entry[2] for entry in place.listed()] == ["0"], 10, "a closed window to be gone")
    third = place.open("attach", place.listed()[0][0])
    third.wait_screen("size 30 100")
    third.type("b")
    third.wait_screen("key [b]")


@pytest.mark.parametrize("keys", [b"\x1c", b"\x1b[92;5u", b"\x1b[92;197u", b"\x1b[52;5u", b"\x1b[27;5;92~"], ids=["plain", "named", "locks on", "Ctrl-4", "xterm"])
def test_the_key_that_leaves_and_a_paste_that_has_it(place, keys):
    window = place.open()
    window.wait_screen("began")
    window.send(b"\x1b[200~a" + keys + b"b\x1b[201~")
    window.wait_screen("key [b]")
    if keys == b"\x1c":
        window.wait_screen("key [Leave]")
    # A single Escape is passed on, and does not merge with later keys.
    window.press("Escape")
    window.wait_screen("key [~]\nkey [Escape]")
    window.send(b"c" + keys)
    window.wait_screen("it goes on")
    window.wait_ended()


def test_its_end_is_the_windows_end(place):
    window = place.open()
    window.wait_screen("began")
    os.kill(place.holders[0], signal.SIGTERM)
    window.wait_ended()
    assert (place.project / "ended").read_text() == "--settings", "its terminal was closed, and it could take its leave"
    assert not place.sockets and not place.listed()


def test_a_program_that_ends_at_once_is_shown_with_its_status(place):
    window = place.open("fail", shell=True)
    assert "cannot begin" in window.wait_screen("status 3")


def test_the_holder_is_killed_and_nothing_is_left(place):
    window = place.open()
    window.wait_screen("began")
    os.kill(place.holders[0], signal.SIGKILL)
    window.wait_screen("the process that held the terminal is gone")
    wait_until(lambda: (place.project / "ended").exists(), 10, "the program to end")
    assert not place.listed() and not place.sockets, "its socket is cleared away"


def test_two_are_told_apart(place):
    place.open("one").wait_screen("began one")
    place.open("two").wait_screen("began two")
    which = place.open("attach")
    which.wait_screen("which one?")
    names = {entry[0] for entry in place.listed()}
    assert len(names) == 2
    for name in names:
        place.open("attach", name).wait_screen("size 30 100")


def test_without_a_terminal_it_says_so(place):
    for arguments in ([], ["attach"]):
        result = subprocess.run([str(BINARY), "claude", *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, env=place.environment, timeout=patient(20))
        assert result.returncode == 2 and "needs a terminal" in result.stderr
    (place.folder / "bin/claude").unlink()
    window = place.open()
    window.wait_ended()
    assert "claude cannot be started" in window.screen()
