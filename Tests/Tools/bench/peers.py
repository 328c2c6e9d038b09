#!/usr/bin/env python3
"""The load of `make bench` against servers that others made, as far as they are installed: `make bench-peers`.

None of them stores its messages: they are compared with L (bench/raw.c durable), which does, and with the raw loop, which does not.
"""

import argparse
import os
import resource
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "Integration"), str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]
from peer import wire_sizes  # noqa: E402
from relay import free_port  # noqa: E402
from rows import EVENT_BYTES, OPEN_LOOP_DELIVERIES, Bench, calls, median  # noqa: E402
from servers import BenchFailed, RelayServer, Result, Server, compile_programs, processor_name  # noqa: E402
from waits import wait_until  # noqa: E402

NCHAN_MODULES = [Path(folder) / "nginx/modules/ngx_nchan_module.so" for folder in ("/usr/lib", "/usr/share", "/usr/local/lib")]
NCHAN = """daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log; load_module {module};
worker_rlimit_nofile 60000;
events {{ worker_connections 20000; }}
http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  nchan_message_buffer_length 1000;
  server {{ listen 127.0.0.1:{port};
    location /pub/bench {{ nchan_publisher websocket; nchan_channel_id bench; }}
    location /sub/bench {{ nchan_subscriber websocket; nchan_channel_id bench; nchan_subscriber_first_message newest; }} }} }}
"""
NATS = 'listen: "127.0.0.1:-1"\nwebsocket {{ listen: "127.0.0.1:{port}", no_tls: true }}\nmax_pending: 256MB\n'
MOSQUITTO = "listener {port} 127.0.0.1\nprotocol websockets\nallow_anonymous true\nset_tcp_nodelay true\nmax_queued_messages 0\n"
UWEBSOCKETS = "HELIOGRAPH_UWEBSOCKETS"
"""A command that serves /pub/bench and /sub/bench on the port that it is given as its last argument."""


class Peer(Server):
    """Another vendor's server with a configuration of its own."""

    def __init__(self, speaks: str, configuration: str, command: Callable[[Path, int], list[str]], **values: object):
        super().__init__()
        self.port = free_port()
        file = self.folder / "configuration"
        file.write_text(configuration.format(folder=self.folder, port=self.port, **values))
        self.command = command(file, self.port)
        self.target = ["--relay", f"http://127.0.0.1:{self.port}", "--speaks", speaks, "--client-token", "", "--host-token", ""]

    def __enter__(self) -> "Peer":
        self.log = (self.folder / "log").open("w+")
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, cwd=self.folder)
        wait_until(self.listens, 20, lambda: f"{self.command[0]} to listen: {(self.folder / 'log').read_text()[-2000:]}")
        self.target += ["--pid", str(self.process.pid)]
        return self

    def listens(self) -> bool:
        if self.process.poll() is not None:
            raise BenchFailed(f"{self.command[0]} ended: {(self.folder / 'log').read_text()[-2000:]}")
        with socket.socket() as attempt:
            return attempt.connect_ex(("127.0.0.1", self.port)) == 0

    def __exit__(self, *rest: object) -> None:
        self.process.terminate()
        self.process.wait(20)
        self.log.close()
        super().__exit__(*rest)


def installed() -> dict[str, Callable[[], Server]]:
    """The installed servers; prints a line for each missing one."""
    found: dict[str, Callable[[], Server]] = {}
    module = next((path for path in NCHAN_MODULES if path.exists()), None)
    nginx = program("nginx")
    if nginx and module:
        found["nchan"] = lambda: Peer("plain", NCHAN, lambda file, _: [nginx, "-c", str(file)], module=module)
    else:
        missing("nchan", "apt-get install nginx libnginx-mod-nchan")
    if nats := program("nats-server"):
        found["NATS"] = lambda: Peer("nats", NATS, lambda file, _: [nats, "-c", str(file)])
    else:
        missing("NATS", "apt-get install nats-server")
    if mosquitto := program("mosquitto"):
        found["mosquitto"] = lambda: Peer("mqtt", MOSQUITTO, lambda file, _: [mosquitto, "-c", str(file)])
    else:
        missing("mosquitto", "apt-get install mosquitto")
    if uws := os.environ.get(UWEBSOCKETS):
        found["uWebSockets"] = lambda: Peer("plain", "", lambda _, port: [*shlex.split(uws), str(port)])
    else:
        missing("uWebSockets", f"build a server that sends to /sub/bench what /pub/bench says, and name it: {UWEBSOCKETS}='./server' make bench-peers")
    return found


def program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")


def missing(name: str, how: str) -> None:
    print(f"{name} is not installed, and is left out: {how}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4)
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(processor_name())
    others = installed()
    with tempfile.TemporaryDirectory(prefix="hg-bench-") as programs:
        compile_programs(Path(programs))
        with RelayServer() as server:
            sizes = wire_sizes(server.relay)
        bench = Bench(Path(programs), sizes, options.rounds, options.seconds)
        servers: dict[str, Callable[[], Server]] = {"L": bench.raw, "relay": RelayServer, "raw, one by one": lambda: bench.raw("one"), **others}
        print("\nsaturated, 1,000 subscribers, window 64", flush=True)
        table(bench, servers, window=64, clients=1_000)
        for clients in (100, 1_000, 5_000):
            rate = OPEN_LOOP_DELIVERIES // clients
            print(f"\nopen loop, {clients:,} subscribers, {rate} events/s", flush=True)
            table(bench, servers, clients=clients, rate=rate)


def table(bench: Bench, servers: dict[str, Callable[[], Server]], **options: int) -> None:
    found: dict[str, list[Result]] = {}
    for name, make in servers.items():
        try:
            found |= bench.in_turn({name: make}, "fanout", duration=bench.seconds, size=EVENT_BYTES, **options)
        except BenchFailed as failure:
            print(f"  {name:<17} FAILED: {failure}", flush=True)
    for name, results in found.items():
        each, p99 = median(results, "relay", "secondsPerMillionDeliveries"), median(results, "latency", "p99")
        print(
            f"  {name:<17} {median(results, 'result', 'deliveriesPerSecond') / 1000:7,.0f} k/s, {each:6.2f} s of processor a million = {each / median(found['L'], 'relay', 'secondsPerMillionDeliveries'):.1f} L, "
            f"p50 / p99 {median(results, 'latency', 'p50') / 1000:.2f} / {p99 / 1000:.2f} ms = {p99 / median(found['L'], 'latency', 'p99'):.1f} L, {calls(results)}the load {median(results, 'driver', 'secondsPerMillionDeliveries'):.2f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
