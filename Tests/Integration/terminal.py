"""A real terminal: a tmux server of its own, driven by keys and read as text."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from waits import has_ended, patient, wait_until


class Terminal:
    """One tmux window. Its server has its own socket and ends with `close`, like all programs in it."""

    def __init__(self, folder: Path, environment: dict[str, str], cwd: Path, columns: int = 140, rows: int = 50):
        folder.mkdir(parents=True, exist_ok=True)
        self.socket = folder / "tmux.sock"
        self.cwd = cwd
        self.columns, self.rows = columns, rows
        self.environment = environment

    def run(self, command: list[str], environment: dict[str, str] | None = None) -> None:
        """Starts the command in the window, which stays open with its last screen when the command ends."""
        settings = [f"{key}={value}" for key, value in (environment or {}).items()]
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", str(self.columns), "-y", str(self.rows), "-c", str(self.cwd),
                   "env", *settings, *command, ";", "set-option", "remain-on-exit", "on")  # fmt: skip

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        """Presses keys by their tmux names: `Enter`, `Escape`, `Down`, `C-c` …"""
        self._tmux("send-keys", *keys)

    def send(self, keys: bytes) -> None:
        """Sends raw bytes, for keys of other terminals."""
        self._tmux("send-keys", "-H", *(f"{byte:02x}" for byte in keys))

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p").stdout

    def last_screen(self) -> str:
        """The screen of an ended program, without the line that tmux adds and that scrolls the screen up."""
        return self._tmux("capture-pane", "-p", "-S", "-1").stdout

    def wait_screen(self, text: str, timeout: float = 20) -> str:
        def seen() -> str | None:
            screen = self.screen()
            return screen if text in screen else None

        return wait_until(seen, timeout, lambda: f"{text!r} on the screen, which shows:\n{self.screen()}", every=0.1)

    def wait_gone(self, text: str, timeout: float = 20) -> None:
        wait_until(lambda: text not in self.screen(), timeout, lambda: f"{text!r} to go from the screen:\n{self.screen()}", every=0.1)

    def press_until(self, key: str, condition: Callable[[str], bool], what: str) -> None:
        """Presses the key until the screen matches: a dialog that has just opened ignores keys for some 0.2 s."""
        last_press = 0.0

        def done() -> bool:
            nonlocal last_press
            if condition(self.screen()):
                return True
            if time.monotonic() - last_press > patient(0.4):
                self.press(key)
                last_press = time.monotonic()
            return False

        wait_until(done, 15, lambda: f"{key} to {what}; the screen shows:\n{self.screen()}", every=0.05)

    @property
    def pid(self) -> int | None:
        """The process id of the program in the window, while it runs."""
        dead, pid = self._tmux("list-panes", "-F", "#{pane_dead} #{pane_pid}").stdout.split()
        return None if dead == "1" else int(pid)

    def wait_ended(self, timeout: float = 20) -> None:
        wait_until(lambda: self.pid is None, timeout, lambda: f"the program to end; the screen shows:\n{self.screen()}", every=0.1)

    def kill(self) -> None:
        """Kills only the program in the window, by SIGKILL."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Ends the tmux server: the program gets SIGHUP, as when a person closes the window. Waits until the server is gone, because it
        answers before it ends, and a new window would be requested from the ending server.
        """
        tmux = ["tmux", "-S", str(self.socket)]
        server = subprocess.run([*tmux, "display-message", "-p", "#{pid}"], capture_output=True, text=True, timeout=patient(10))
        subprocess.run([*tmux, "kill-server"], capture_output=True, timeout=patient(10))
        if server.returncode == 0:
            pid = int(server.stdout)
            wait_until(lambda: has_ended(pid), 10, f"tmux's server {pid} to end", every=0.01)

    def _tmux(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        result = subprocess.run(
            ["tmux", "-S", str(self.socket), *arguments], capture_output=True, text=True, env=self.environment, timeout=patient(10)
        )
        assert result.returncode == 0, f"tmux {arguments[0]} failed: {result.stderr}"
        return result
