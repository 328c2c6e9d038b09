"""A process without a screen that uses the Swift libraries for apps: commands in, states out."""

import json
import subprocess
import threading
from typing import Any

from relay import ROOT
from waits import wait_until

PROBE = ROOT / ".build/check/release/app-probe"


class App:
    def __init__(self, link: str):
        self.process = subprocess.Popen([PROBE, link], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.lines: list[dict[str, Any]] = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.append(json.loads(line))

    @property
    def state(self) -> dict[str, Any]:
        return next((line for line in reversed(list(self.lines)) if "link" in line), {})

    def answers(self) -> list[dict[str, Any]]:
        return [line for line in list(self.lines) if "answer" in line]

    def wait_answers(self, count: int) -> str:
        wait_until(lambda: len(self.answers()) >= count, 20, lambda: f"answer {count}: {self.lines[-3:]}")
        return self.answers()[count - 1]["text"]

    def send(self, *words: str) -> None:
        self.process.stdin.write(" ".join(words) + "\n")

    def wish(self, *words: str) -> str:
        count = len(self.answers())
        self.send(*words)
        return self.wait_answers(count + 1)

    def wait_state(self, is_met: Any) -> dict[str, Any]:
        wait_until(lambda: self.state and is_met(self.state), 20, lambda: f"another state than {self.state}")
        return self.state

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.reader.join()
