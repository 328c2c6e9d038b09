"""A real terminal: one tmux server of its own, driven by keys and read as a person reads it."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from waits import has_ended, patient, wait_until


class Terminal:
    """One window. The tmux server has its own socket and ends with `close`, like all that runs in it."""

    def __init__(self, folder: Path, environment: dict[str, str], cwd: Path, columns: int = 140, rows: int = 50):
        folder.mkdir(parents=True, exist_ok=True)
        self.socket = folder / "tmux.sock"
        self.cwd = cwd
        self.columns, self.rows = columns, rows
        self.environment = environment

    def run(self, command: list[str], environment: dict[str, str] | None = None) -> None:
        """Starts the command in the window; the window stays, with its last screen, when the command ends."""
        settings = [f"{key}={value}" for key, value in (environment or {}).items()]
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", str(self.columns), "-y", str(self.rows), "-c", str(self.cwd),
                   "env", *settings, *command, ";", "set-option", "remain-on-exit", "on")  # fmt: skip

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        """Keys as tmux names them: `Enter`, `Escape`, `Down`, `C-c` …"""
        self._tmux("send-keys", *keys)

    def send(self, keys: bytes) -> None:
        """Sends the bytes of another kind of terminal."""
        self._tmux("send-keys", "-H", *(f"{byte:02x}" for byte in keys))

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p").stdout

    def last_screen(self) -> str:
        """The screen of a program that has ended: tmux moves it up by a line for its own message, and with it the only line of a short one."""
        return self._tmux("capture-pane", "-p", "-S", "-1").stdout

    def wait_screen(self, text: str, timeout: float = 20) -> str:
        def seen() -> str | None:
            screen = self.screen()
            return screen if text in screen else None

        return wait_until(seen, timeout, lambda: f"{text!r} on the screen, which shows:\n{self.screen()}", every=0.1)

    def wait_gone(self, text: str, timeout: float = 20) -> None:
        wait_until(lambda: text not in self.screen(), timeout, lambda: f"{text!r} to go from the screen:\n{self.screen()}", every=0.1)

    def press_until(self, key: str, condition: Callable[[str], bool], what: str) -> None:
        """Presses the key until the screen is as wanted: for some 0.2 s a dialog that has just opened takes no keys."""
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
        """The process in the window, while it runs."""
        dead, pid = self._tmux("list-panes", "-F", "#{pane_dead} #{pane_pid}").stdout.split()
        return None if dead == "1" else int(pid)

    def wait_ended(self, timeout: float = 20) -> None:
        wait_until(lambda: self.pid is None, timeout, lambda: f"the program to end; the screen shows:\n{self.screen()}", every=0.1)

    def kill(self) -> None:
        """SIGKILL for the program in the window alone."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Ends the tmux server: the program gets SIGHUP, as when a person closes the window. Over when the server is gone: it
        answers before it ends, and a new window would be asked of one that is ending."""
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
