"""The real relay: the release binary as a process on loopback, in a folder of its own."""

import http.client
import itertools
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waits import patient, wait_until

ROOT = Path(__file__).resolve().parents[2]
# The path is resolved, because `.build/release` is a symlink that each `swift build` changes, even while tests run.
BINARY = Path(os.environ.get("HELIOGRAPH_BIN", ROOT / ".build/release/heliograph")).resolve()
HOOK = HOOK if (HOOK := BINARY.with_name("heliograph-hook")).exists() else BINARY
"""The program that agents call: the small one if it lies beside the other, as in `connect`."""
BENCH, APNS_SIMULATOR = BINARY.with_name("heliograph-bench"), BINARY.with_name("heliograph-apns-simulator")
CRASH = re.compile(r"Fatal error|Crash:|\*\*\* Signal|Segmentation|AddressSanitizer|ThreadSanitizer|preconditionFailure|assertion failed")


PORTS = range(12_000, 32_000)
"""Below those that the kernel gives to outgoing connections, so that no connection of another test takes the port of a relay that is just being
started again."""

PORTS_OF_PROCESS = 400


def own_ports() -> Iterator[int]:
    """An endless sequence of this process's ports, which no other test process on this machine uses."""
    claim = socket.socket(socket.AF_UNIX)
    for first in range(PORTS.start, PORTS.stop, PORTS_OF_PROCESS):
        try:
            claim.bind(f"\0heliograph-tests-ports-{first}")
        except OSError:
            continue
        yield from itertools.cycle(range(first, first + PORTS_OF_PROCESS))
    raise AssertionError("other processes have all ports for tests")


_ports = own_ports()


def code_of(link: str) -> str:
    """The pairing code in a link, which may be followed by a secret for hosts."""
    found = re.search(r"#(?:pair|host)=([\w-]+)", link)
    assert found, link
    return found[1]


def free_port() -> int:
    """A free port that no other test process uses."""
    for port in itertools.islice(_ports, PORTS_OF_PROCESS):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError(f"none of the {PORTS_OF_PROCESS} ports is free")


def plain_environment(home: Path) -> dict[str, str]:
    """An environment in which no files of the machine's user can be read or written."""
    # Variables for sanitizers (see Tests/Tools/sanitize.py), and for testing a changed page without a build.
    kept = {name: os.environ[name] for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "HELIOGRAPH_WEB_ROOT") if name in os.environ}
    return kept | {
        "HOME": str(home),
        "PATH": f"{BINARY.parent}:/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "XDG_RUNTIME_DIR": str(home / ".runtime"),
        "NO_PROXY": "*",
    }


class Answer:
    """The answer to an HTTP request."""

    def __init__(self, status: int, headers: Any, body: bytes):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def processor_seconds(pid: int) -> float:
    """The processor time of all threads of a process so far, in user and kernel mode."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Relay:
    """`heliograph serve`, started and stopped on request; port and data folder stay the same.

    `prefix` is a program that executes the relay or keeps it as this process's child; `environment` is added to the relay's.
    """

    running: "set[Relay]" = set()
    """Relays that were started and have not been seen to end."""

    def __init__(
        self, folder: Path, arguments: list[str] | None = None, prefix: list[str] | None = None, environment: dict[str, str] | None = None
    ):
        assert BINARY.exists(), f"{BINARY} is missing: run `make build`, or set HELIOGRAPH_BIN"
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.data = folder / "data"
        self.log = folder / "relay.log"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.address = "127.0.0.1"
        """Address to listen on; 0.0.0.0 for a network of the test's own."""
        self.reached_at = "127.0.0.1"
        """Address at which the tests reach it."""
        self.binary = BINARY
        self.arguments = arguments or []
        self.prefix = prefix or []
        self.environment = environment or {}
        self.process: subprocess.Popen[bytes] | None = None
        self._was_ready = False

    def start(self) -> None:
        """Starts the relay and waits until it is ready. At the first start another port is tried if another process has taken the first one."""
        assert self.process is None, "the relay runs already"
        try:
            self._spawn()
        except AssertionError:
            if self._was_ready:
                raise
            self.kill()
            self.port = free_port()
            self.url = f"http://127.0.0.1:{self.port}"
            self._spawn()
        self._was_ready = True

    def _spawn(self) -> None:
        self.launch()
        wait_until(self._is_ready, 20, lambda: f"/readyz of the relay. Its log:\n{self.log_text()[-3000:]}")

    def launch(self) -> None:
        """Starts the process without waiting: for one that will fail, or be killed at once."""
        assert self.process is None, "the relay runs already"
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        command = [*self.prefix, str(self.binary), "serve", "--data", str(self.data), "--listen", f"{self.address}:{self.port}", *self.arguments]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, env=plain_environment(home) | self.environment
            )
        Relay.running.add(self)

    def wait_end(self, timeout: float = 20) -> int:
        """Waits until the process ends by itself; returns its status."""
        process, self.process = self.process, None
        assert process is not None, "the relay does not run"
        try:
            return process.wait(patient(timeout))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"the relay did not end by itself within {patient(timeout):g} s. Its log:\n{self.log_text()[-3000:]}")

    def stop(self) -> None:
        """Sends SIGTERM; the relay must end with status 0."""
        process, self.process = self.process, None
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            status = process.wait(patient(15))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"the relay did not stop within {patient(15):g} s of SIGTERM. Its log:\n{self.log_text()[-3000:]}")
        assert status == 0, f"the relay ended with {status} after SIGTERM. Its log:\n{self.log_text()[-3000:]}"

    def kill(self) -> None:
        """Sends SIGKILL, like a crash."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()

    def restart(self) -> None:
        self.stop()
        self.start()

    def _is_ready(self) -> bool:
        assert self.process is not None
        status = self.process.poll()
        assert status is None, f"the relay ended at once with {status}. Its log:\n{self.log_text()[-3000:]}"
        try:
            return self.get("/readyz").status == 200
        except (urllib.error.URLError, OSError, http.client.HTTPException):
            return False

    def check_log(self) -> None:
        """Fails if the log shows a crash."""
        found = CRASH.search(self.log_text())
        assert not found, f"the relay's log has {found.group(0)!r}:\n{self.log_text()[-6000:]}"

    def log_text(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    @property
    def resident_kib(self) -> int:
        return self._status_kib("VmRSS")

    @property
    def peak_kib(self) -> int:
        """The greatest resident memory so far, in KiB."""
        return self._status_kib("VmHWM")

    @property
    def descriptors(self) -> int:
        assert self.process is not None
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    @property
    def processor_seconds(self) -> float:
        assert self.process is not None
        return processor_seconds(self.process.pid)

    def _status_kib(self, name: str) -> int:
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+(\d+)", status).group(1))

    def metric(self, name: str) -> float:
        """One sample of /metrics by its name with labels; 0 if it is missing."""
        lines = [line for line in self.get("/metrics").body.decode().splitlines() if line.startswith(f"{name} ")]
        return float(lines[0].rsplit(" ", 1)[1]) if lines else 0.0

    def run(self, *arguments: str, check: bool = True, timeout: float = 20, program: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Runs a `heliograph` command, or another program next to it, as the relay's user."""
        result = subprocess.run(
            [str(program or self.binary), *arguments], capture_output=True, text=True, timeout=patient(timeout), stdin=subprocess.DEVNULL,
            cwd=self.folder, env=plain_environment(self.folder / "home"),
        )
        if check:
            assert result.returncode == 0, f"{(program or self.binary).name} {' '.join(arguments)} ended with {result.returncode}:\n{result.stdout}{result.stderr}"
        return result

    def token(self, role: str, name: str, workspace: str | None = None) -> str:
        """A new token of a `host` or `client`, in the given or the first workspace."""
        where = ["--workspace", workspace] if workspace else []
        token = self.run("token", "create", "--role", role, "--name", name, "--data", str(self.data), *where).stdout.strip()
        assert token and len(token.split()) == 1, f"`token create` must print the token alone, not {token!r}"
        return token

    def tokens(self) -> list[dict[str, Any]]:
        """All tokens that are not revoked, newest first."""
        return [json.loads(line) for line in self.run("token", "list", "--json", "--data", str(self.data)).stdout.splitlines()]

    def token_id(self, name: str) -> str:
        """The id of the newest token with that name, from `token list`."""
        found = [token for token in self.tokens() if token["name"] == name]
        assert found, f"`token list` does not name {name!r}: {self.tokens()}"
        return found[0]["id"]

    def revoke(self, token_id: str) -> None:
        self.run("token", "revoke", token_id, "--data", str(self.data))

    def pair_link(self, role: str = "client", url: str | None = None) -> str:
        """A pairing link with the relay's own or another address, without the secret for hosts on the same machine."""
        other = ["--url", url] if url else []
        return json.loads(self.run("pair", "--role", role, "--json", "--data", str(self.data), *other).stdout)["link"].partition("&k=")[0]

    def get(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        return self.request("GET", path, headers=headers)

    def post(self, path: str, body: Any, headers: dict[str, str] | None = None) -> Answer:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.request("POST", path, data, {"Content-Type": "application/json", **(headers or {})})

    def request(self, method: str, path: str, data: bytes | None = None, headers: dict[str, str] | None = None) -> Answer:
        connection = http.client.HTTPConnection(self.reached_at, self.port, timeout=patient(10))
        try:
            connection.request(method, path, data, headers or {})
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def files_text(self) -> bytes:
        """All files of the relay as text, to search for data that must not be there."""
        parts = [path.read_bytes() for path in sorted(self.data.rglob("*")) if path.is_file()]
        return b"\0".join([*parts, self.log.read_bytes()])

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Reads the relay's SQLite file while the relay runs."""
        files = sorted(self.data.glob("*.sqlite")) or sorted(self.data.glob("*.db"))
        assert files, f"no database in {self.data}: {sorted(self.data.iterdir())}"
        with sqlite3.connect(f"file:{files[0]}?mode=ro", uri=True, timeout=patient(5)) as database:
            return database.execute(query).fetchall()
