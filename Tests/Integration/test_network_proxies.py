"""A machine that can reach its relay only through an HTTP proxy: pairing, link, commands and `doctor` all use it."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon import Daemon
from doctor import Found
from namespaces import Namespace, namespace
from relay import BINARY, Relay, free_port, plain_environment
from waits import patient, wait_until

CREDENTIALS = "ada:s%40cret"
"""The credentials in the spelling of an address: the password has an @."""


class NetworkProxy:
    """The real proxy.py, which permits CONNECT with a password."""

    def __init__(self, folder: Path, address: str):
        self.folder, self.address, self.port = folder, address, free_port()
        self.log = folder / "proxy.log"
        self.start()

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "proxy", "--hostname", self.address, "--port", str(self.port), "--num-workers", "1", "--num-acceptors", "1",
                 "--basic-auth", "ada:s@cret"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, env=plain_environment(self.folder), start_new_session=True,
            )  # fmt: skip
        wait_until(self._listens, 20, lambda: f"the proxy to listen:\n{self.log.read_text()}")

    def stop(self) -> None:
        """Kills the proxy with its child processes, which would otherwise keep its tunnels open."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _listens(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        with socket.socket() as probe:
            return probe.connect_ex((self.address, self.port)) == 0


class Machine:
    """Programs in a network namespace from which only the proxy's port can be reached."""

    def __init__(self, network: Namespace, folder: Path, authority: Path):
        self.network, self.authority = network, authority
        self.home = folder / "home"

    def run(self, proxy: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.network.prefix, BINARY, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=patient(90),
            env=plain_environment(self.home) | self.environment(proxy),
        )  # fmt: skip

    def doctor(self, proxy: str) -> Found:
        lines = self.run(proxy, "doctor", "--json").stdout.splitlines()
        found = [json.loads(line) for line in lines]
        return Found({one["subject"]: one for one in found if one["part"].startswith("Host")})

    def environment(self, proxy: str) -> dict[str, str]:
        return {"HTTPS_PROXY": proxy, "NO_PROXY": "", "HELIOGRAPH_CA_FILE": str(self.authority)}


@pytest.fixture
def network() -> Iterator[Namespace]:
    with namespace() as made:
        yield made


@pytest.fixture
def relay(network: Namespace, tmp_path: Path) -> Iterator[Relay]:
    certificate, key = tmp_path / "relay.pem", tmp_path / "relay.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=relay",
         "-addext", f"subjectAltName=IP:{network.outside}", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    relay = Relay(tmp_path / "relay", ["--tls-certificate", str(certificate), "--tls-key", str(key)])
    relay.address = network.outside
    relay.url = f"https://{network.outside}:{relay.port}"
    relay.launch()
    wait_until(lambda: "is listening on" in relay.log_text(), 20, lambda: f"the relay to listen: {relay.log_text()}")
    yield relay
    relay.stop()
    relay.check_log()


@pytest.fixture
def proxy(network: Namespace, tmp_path: Path) -> Iterator[NetworkProxy]:
    proxy = NetworkProxy(tmp_path, network.outside)
    network.rules("", f"tcp dport != {proxy.port} drop")
    yield proxy
    proxy.stop()


@pytest.fixture
def machine(relay: Relay, network: Namespace, short_path: Path) -> Machine:
    return Machine(network, short_path, relay.folder.parent / "relay.pem")


def host_link(relay: Relay) -> str:
    return relay.pair_link("host", relay.url)


def test_every_client_takes_the_proxy(relay: Relay, proxy: NetworkProxy, machine: Machine, short_path: Path) -> None:
    """The machine's network has no other way out, so everything that works has used the proxy."""
    address = f"http://{CREDENTIALS}@{proxy.address}:{proxy.port}"
    shown = f"http://{proxy.address}:{proxy.port}"
    laptop = Daemon(short_path, relay, prefix=machine.network.prefix, environment=machine.environment(address))
    try:
        laptop.launch("--ca-file", str(machine.authority), host_link(relay), "--name", "laptop")
        laptop.start()
        laptop.wait_link()
        status = laptop.status()
        assert status and status["link"]["proxy"] == shown
        paired = machine.run(address, "login", relay.pair_link("client", relay.url))
        assert paired.returncode == 0, paired.stderr
        listed = machine.run(address, "sessions", "--json")
        assert listed.returncode == 0, listed.stderr
        found = machine.doctor(address)
        assert {found.state(subject) for subject in ("Relay", "Link", "Pairing", "Daemon")} == {"well"}, found
        assert shown in found["Relay"]["text"] and shown in found["Daemon"]["text"]
        assert "s@cret" not in json.dumps(found) and "s%40cret" not in json.dumps(found)
        # A restart of the proxy breaks the link, which reconnects automatically.
        proxy.stop()
        laptop.wait_link("waiting")
        proxy.start()
        laptop.wait_link(timeout=60)
        laptop.stop()
    finally:
        laptop.kill()


@pytest.mark.parametrize(
    "kind,words",
    [("no password", "wants a name and a password (HTTP 407)"), ("wrong password", "does not accept the name and the password (HTTP 407)"),
     ("refuses connections", "cannot be reached"), ("never answers", "does not answer"), ("hangs up", "hung up without an answer"),
     ("SOCKS", "HTTPS_PROXY names a proxy that heliograph cannot use")],
)  # fmt: skip
def test_a_code_is_not_spent_where_the_link_would_not_pass(
    relay: Relay, proxy: NetworkProxy, machine: Machine, kind: str, words: str
) -> None:
    with socket.socket() as silent:
        silent.bind((proxy.address, 0))
        place = f"{proxy.address}:{silent.getsockname()[1]}"
        if kind == "never answers":
            silent.listen()
        elif kind == "hangs up":
            silent.listen(0)
            hang_up_at_once(silent)
        address = {
            "no password": f"http://{proxy.address}:{proxy.port}", "wrong password": f"http://ada:x@{proxy.address}:{proxy.port}", "SOCKS": f"socks5h://{place}",
        }.get(kind, f"http://{place}")  # fmt: skip
        if place in address:
            machine.network.heal()
        link = host_link(relay)
        refused = machine.run(address, "host", "--ca-file", str(machine.authority), link)
        assert refused.returncode != 0 and words in refused.stderr, refused.stderr
        assert "ada:" not in refused.stderr
        refused = machine.run(address, "login", relay.pair_link("client", relay.url))
        assert refused.returncode != 0 and words in refused.stderr, refused.stderr
        # The code was not consumed, so a machine with a working network can still use it.
        machine.network.heal()
        laptop = Daemon(machine.home.parent, relay, prefix=machine.network.prefix, environment={"NO_PROXY": proxy.address, "HTTPS_PROXY": address})
        try:
            laptop.launch("--ca-file", str(machine.authority), link)
            laptop.start()
            laptop.wait_link()
            found = machine.doctor(address)
            assert found.state("Relay") == "wrong" and words in found["Relay"]["text"], found
            assert "NO_PROXY" in found["Relay"]["mend"]
            laptop.stop()
        finally:
            laptop.kill()


def hang_up_at_once(listener: socket.socket) -> None:
    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connection.close()

    threading.Thread(target=serve, daemon=True).start()
