"""The measured servers: the relay, and those that it is compared with. Each is a process started for one run."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from relay import BENCH, Relay, plain_environment

HERE = Path(__file__).resolve().parent
RUN_SECONDS_MAX = 240
"""One run of the load, with everything that it waits for."""

Result = dict[str, Any]


class BenchFailed(Exception):
    """A run without a result; the message is a sentence."""


def compile_programs(folder: Path) -> None:
    compiler = next((name for name in ("cc", "clang", "gcc") if shutil.which(name)), None)
    if not compiler:
        raise BenchFailed("there is no C compiler: apt-get install gcc")
    websockets = subprocess.run(["pkg-config", "--cflags", "--libs", "libwebsockets"], check=True, capture_output=True, text=True).stdout.split()
    for name, libraries in (("raw", ["-lsqlite3"]), ("plain_sqlite", ["-lsqlite3"]), ("bare_lws", websockets), ("lws_storm", websockets), ("crowd", [])):
        subprocess.run([compiler, "-O2", "-o", str(folder / name), str(HERE / f"{name}.c"), *libraries], check=True)
    for name in ("slow_sync", "thread_tables"):
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", str(folder / f"{name}.so"), str(HERE / f"{name}.c"), "-ldl"], check=True)


def slow_disk(programs: Path, microseconds: int) -> dict[str, str]:
    """The environment for a process whose syncs are slowed down."""
    return {"LD_PRELOAD": str(programs / "slow_sync.so"), "SYNC_MICROSECONDS": str(microseconds)}


class Server:
    """A server that ends with the `with` block, and whose files are deleted then."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="hg-bench-")
        self.folder = Path(self._folder.name)
        self.target: list[str] = []
        """Where `heliograph-bench` finds it."""

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: Any) -> None:
        self._folder.cleanup()

    def bench(self, scenario: str, **options: Any) -> Result:
        """Runs `heliograph-bench`; `clients=5` becomes `--clients 5`, and `sealed=True` becomes `--sealed`."""
        arguments = []
        for name, value in options.items():
            arguments += [] if value is False else [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
        command = [str(BENCH), scenario, *self.target, *arguments, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS_MAX, env=plain_environment(self.folder) | {"TMPDIR": str(self.folder)})
        if done.returncode:
            raise BenchFailed(f"heliograph-bench {' '.join(command[1:])} ended with {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)


CONNECTIONS = ["--limits-connections-per-token", "--limits-connections-per-workspace"]
RATES = [f"--limits-{what}-per-second-per-{whom}" for what in ("messages", "kilobytes") for whom in ("host", "client", "address", "session", "workspace")]


class RelayServer(Server):
    """`heliograph serve` without the limits for a single peer, because one host and one client's token cause all load here."""

    def __init__(self, environment: dict[str, str] | None = None, arguments: list[str] | None = None):
        super().__init__()
        self.environment, self.arguments = environment or {}, arguments or []

    def __enter__(self) -> "RelayServer":
        arguments = [word for limit in CONNECTIONS + RATES for word in (limit, "0")] + self.arguments
        self.relay = Relay(self.folder / "relay", arguments, environment=self.environment)
        self.relay.start()
        assert self.relay.process
        self.target = ["--data", str(self.relay.data), "--pid", str(self.relay.process.pid)]
        return self

    def __exit__(self, *rest: Any) -> None:
        self.relay.stop()
        super().__exit__(*rest)


class Program(Server):
    """One of the C programs, which prints its port and accepts any token."""

    def __init__(self, *command: Any, hosts: int = 1, environment: dict[str, str] | None = None):
        super().__init__()
        self.command, self.hosts = [str(word) for word in command], hosts
        self.environment = os.environ | (environment or {})

    def __enter__(self) -> "Program":
        self.process = subprocess.Popen([*self.command, *self.extra()], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=self.environment)
        assert self.process.stdout
        line = self.process.stdout.readline().strip()
        if not line:
            raise BenchFailed(f"{self.command[0]} does not start")
        self.port = int(line)
        self.target = ["--relay", f"http://127.0.0.1:{self.port}", "--pid", str(self.process.pid), "--client-token", "any"]
        self.target += ["--host-token", "any"] * self.hosts
        return self

    def __exit__(self, *rest: Any) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        super().__exit__(*rest)

    def extra(self) -> list[str]:
        return []


class Raw(Program):
    """`raw.c` in one of its modes; `durable` is the limit L."""

    def __init__(self, programs: Path, mode: str, event_bytes: int, sizes: tuple[int, int], environment: dict[str, str] | None = None, hosts: int = 1):
        super().__init__(programs / "raw", mode, event_bytes, *sizes, environment=environment, hosts=hosts)

    def extra(self) -> list[str]:
        return [str(self.folder / "raw.sqlite")]


class BareLibwebsockets(Program):
    """`bare_lws.c`, which only accepts connections and handshakes."""

    def __init__(self, programs: Path, snapshot_bytes: int):
        super().__init__(programs / "bare_lws", snapshot_bytes)


def plain_sqlite(programs: Path, sessions: int, group: int, row_bytes: int, seconds: float) -> float:
    """Rows per second that plain SQLite commits, with `group` rows in a transaction."""
    with tempfile.TemporaryDirectory(prefix="hg-bench-") as folder:
        command = [programs / "plain_sqlite", Path(folder) / "plain.sqlite", sessions, max(1, group), row_bytes, seconds]
        done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    return float(done.stdout.split()[0])


def storm_of_libwebsockets(programs: Path, port: int, token: str, session: str, clients: int, in_progress: int) -> tuple[float, float]:
    """Clients per second that libwebsockets' own client connects, and its processor seconds for all of them."""
    command = [programs / "lws_storm", port, token, session, clients, in_progress]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=RUN_SECONDS_MAX)
    if done.returncode:
        raise BenchFailed(f"lws_storm ended with {done.returncode}: {done.stderr.strip()}")
    rate, seconds = done.stdout.split()
    return float(rate), float(seconds)


def processor_name() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown processor")
    return f"{model}, {os.cpu_count()} cores"
