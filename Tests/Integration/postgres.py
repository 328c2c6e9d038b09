"""A real PostgreSQL that tests start and remove."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from relay import ROOT
from waits import patient, wait_until

SERVER = ROOT / "Tests/Tools/postgres-server"


class PostgresServer:
    """A PostgreSQL on a socket in its own folder. It also ends if this program ends without `close`, because its standard input closes then."""

    def __init__(self, *arguments: str, folder: Path | None = None) -> None:
        """`arguments` are passed to Tests/Tools/postgres-server in addition to the folder."""
        self.folder = folder or new_folder()
        self.process = subprocess.Popen([str(SERVER), str(self.folder), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n", "PostgreSQL did not start"

    def address(self, database: str) -> str:
        return f"postgresql://heliograph@/{database}?host={self.folder}"

    def kill(self) -> None:
        """Kills all of the server's processes, as if the machine and its disk were lost."""
        signal_each(self.servers(), signal.SIGKILL)

    def servers(self) -> list[int]:
        """The process ids of PostgreSQL's servers, the main one first."""
        return [pid for pid in descendants(self.process.pid) if name_of(pid).startswith("postgres")]

    def configure(self, setting: str) -> None:
        """Changes a setting like an operator: in the configuration file, followed by a reload."""
        with (self.folder / "data/postgresql.auto.conf").open("a") as file:
            file.write(f"{setting}\n")
        os.kill(self.servers()[0], signal.SIGHUP)

    def promote(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write("promote\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "promoted\n", "PostgreSQL was not promoted"

    def receives(self) -> bool:
        """True if this server is a standby that receives from its primary."""
        return any("walreceiver" in title_of(pid) for pid in self.servers())

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        # Waits until the server has written its memory to disk.
        self.process.wait(patient(60))
        self.process.stdout.close()

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """Suspends all of the server's processes, as if the machine did not answer: connections stay open without any data."""
        pids: list[int] = []
        try:
            # The search is repeated until it finds no process that was forked meanwhile.
            while born := [pid for pid in descendants(self.process.pid) if pid not in pids]:
                pids += born
                signal_each(born, signal.SIGSTOP)
            yield
        finally:
            signal_each(pids, signal.SIGCONT)

    def sql(self, statement: str, database: str = "postgres") -> str:
        command = [str(self.psql), "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-U", "heliograph", "-c", statement, database]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=patient(60)).stdout.strip()

    def make(self, database: str) -> None:
        self.sql(f"CREATE DATABASE {database}")

    @contextlib.contextmanager
    def locked(self, table: str, database: str, mode: str = "EXCLUSIVE", statement: str = "") -> Iterator[None]:
        """Locks a table; others can read it but not write. With `ACCESS EXCLUSIVE` they cannot read it either. The
        statement's changes become visible when the lock is released.
        """
        command = [str(self.psql), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-U", "heliograph", database]
        with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None
            try:
                process.stdin.write(f"BEGIN; LOCK TABLE {table} IN {mode} MODE; {statement};\n")
                process.stdin.flush()
                name = mode.title().replace(" ", "") + "Lock"
                held = f"SELECT count(*) FROM pg_locks WHERE relation = '{table}'::regclass AND mode = '{name}' AND granted"
                wait_until(lambda: self.sql(held, database) == "1", 10, f"{table} to be locked")
                yield
                process.stdin.write("COMMIT;\n")
            finally:
                # Ending the psql session ends its transaction.
                process.stdin.close()
                process.wait(patient(10))

    def wait_alone(self) -> None:
        """Waits until Heliograph has no connection to the server."""
        question = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'heliograph/%'"
        wait_until(lambda: self.sql(question) == "0", 20, "the connections of what was killed")

    @property
    def psql(self) -> Path:
        found = sorted([*Path("/usr/lib/postgresql").glob("*/bin/psql"), *(ROOT / ".build/servers/usr/lib/postgresql").glob("*/bin/psql")])
        assert found, "psql is not there: make servers unpacks it"
        return found[-1]


class Pooler:
    """PgBouncer in front of a server, in a folder of its own."""

    def __init__(self, server: PostgresServer, mode: str) -> None:
        unpacked = ROOT / ".build/servers/usr"
        found = [path for path in (Path("/usr/sbin/pgbouncer"), unpacked / "sbin/pgbouncer") if path.exists()]
        assert found, "PgBouncer is not there: make servers unpacks it"
        self.folder = new_folder()
        # Root runs PgBouncer as the user nobody, who cannot execute files below root's folders.
        shutil.copy(found[0], self.folder)
        for library in unpacked.glob("lib/*/libcares.so.2"):
            shutil.copy(library, self.folder)
        (self.folder / "pooler.ini").write_text(
            f"[databases]\n* = host={server.folder} user=heliograph\n[pgbouncer]\nlisten_addr =\nlisten_port = 6432\n"
            f"unix_socket_dir = {self.folder}\nauth_type = any\npool_mode = {mode}\n"
        )
        as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        if as_nobody:
            for path in (self.folder, *self.folder.iterdir()):
                os.chown(path, 65534, 65534)
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self.folder)}
        self.process = subprocess.Popen([*as_nobody, self.folder / "pgbouncer", "-q", self.folder / "pooler.ini"], env=environment, cwd="/")
        wait_until(lambda: (self.folder / ".s.PGSQL.6432").exists(), 10, "the pooler to listen")

    def address(self, database: str) -> str:
        return f"postgresql:///{database}?host={self.folder}&port=6432&user=heliograph"

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(patient(10))
        shutil.rmtree(self.folder, ignore_errors=True)


class ReplicatedPostgres:
    """A primary with a synchronous standby."""

    def __init__(self) -> None:
        with contextlib.ExitStack() as undo:
            folder = new_folder()
            undo.callback(shutil.rmtree, folder, ignore_errors=True)
            self.primary = PostgresServer(f"copy={folder}")
            undo.callback(self.primary.close)
            self.standby = PostgresServer(f"standby-of={self.primary.folder}", folder=folder)
            undo.callback(self.standby.close)
            self.writer = self.primary
            self._wait_for("standby")
            wait_until(self.standby.receives, 20, "the standby to be sent what the primary writes")
            self.close = undo.pop_all().close

    def _wait_for(self, names: str) -> None:
        """From now on commits wait for these standbys: the server shows the names earlier than its checkpointer reads them."""
        self.primary.configure(f"synchronous_standby_names = '{names}'")
        wait_until(lambda: self.primary.sql("SHOW synchronous_standby_names") == names, 20, "the setting")
        self.primary.sql("CHECKPOINT")

    def address(self, database: str = "postgres") -> str:
        return f"postgresql://heliograph@/{database}?host={self.primary.folder},{self.standby.folder}&target_session_attrs=read-write"

    def make(self, database: str) -> None:
        self.primary.make(database)

    def sql(self, statement: str, database: str = "postgres") -> str:
        """Runs SQL on the server that accepts writes."""
        return self.writer.sql(statement, database)

    def cut(self) -> None:
        """Makes the primary commit without its standby from now on."""
        self._wait_for("")
        self.standby.configure("primary_conninfo = ''")
        wait_until(lambda: not self.standby.receives(), 20, "the standby to be sent nothing more")

    def fail_over(self) -> None:
        self.primary.kill()
        self.standby.promote()
        self.writer = self.standby


def new_folder() -> Path:
    """A new folder outside pytest's ones: another user has to reach it, and a socket's path is limited to about a hundred bytes."""
    return Path(tempfile.mkdtemp(prefix="heliograph-pg-"))


def name_of(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def title_of(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def descendants(pid: int) -> list[int]:
    """All descendants of a process, parents first, so that suspended parents cannot fork any more. An ended process has none."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += map(int, task.read_text().split())
    return found + [grandchild for child in found for grandchild in descendants(child)]


def signal_each(pids: list[int], number: signal.Signals) -> None:
    """Signals the processes that still exist: a PostgreSQL backend ends with its connection."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


@pytest.fixture(params=["file", "database"])
def store(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """The options of `serve` that select a store."""
    if request.param == "file":
        yield []
        return
    server = PostgresServer()
    yield ["--store", server.address("postgres")]
    server.close()
