"""The systemd units of deploy/, checked by systemd's own tools."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from deploy_files import DEPLOY, SOCKETS, UNITS, unit
from relay import BINARY, Relay, plain_environment
from test_operations import Identity, identity, shows  # noqa: F401
from waits import patient, wait_until

EXPOSURE_MAX = 2.0
"""On systemd-analyze's scale of ten; the rest is due to the use of the network."""


def installed(folder: Path) -> list[Path]:
    """Copies of the units as on a machine that has the binary, and the template with an account's name."""
    made = []
    for path in [*SOCKETS, *UNITS]:
        made.append(folder / path.name.replace("@.", "@alice."))
        made[-1].write_text(path.read_text().replace("/usr/bin/heliograph", str(BINARY)))
    return made


def test_systemd_finds_nothing_wrong(tmp_path: Path) -> None:
    # systemd also looks up `man:` pages, and Heliograph's page is not installed here.
    result = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *installed(tmp_path)],
        capture_output=True, text=True, env=os.environ | {"SYSTEMD_LOG_LEVEL": "warning"},
    )  # fmt: skip
    ours = [line for line in result.stderr.splitlines() if "heliograph" in line]
    assert result.returncode == 0 and not ours, result.stderr


def test_a_word_that_systemd_does_not_know_is_found(tmp_path: Path) -> None:
    """Shows that the check of the units can fail."""
    path = tmp_path / "heliograph.service"
    path.write_text(installed(tmp_path)[-1].read_text().replace("ProtectHome=", "ProtectHomes="))
    result = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True)
    assert "ProtectHomes" in result.stderr


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_never_gives_up_on_it(path: Path) -> None:
    """A database or port may be unavailable for longer than systemd's default of five quick restarts."""
    assert "StartLimitIntervalSec=0" in path.read_text().partition("[Service]")[0].splitlines()


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_little_is_left_open(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / path.name
    shutil.copy(path, copy)
    # The exit status is 1 if the unit's exposure exceeds the threshold, which is in tenths.
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", f"--threshold={int(EXPOSURE_MAX * 10)}", copy]
    result = subprocess.run(command, capture_output=True, text=True)
    overall = re.search(r"Overall exposure level for \S+: ([\d.]+)", result.stdout)
    assert overall and result.returncode == 0 and float(overall.group(1)) <= EXPOSURE_MAX, result.stdout + result.stderr


def test_every_option_in_a_unit_is_one_of_the_binary(relay) -> None:
    for path in UNITS:
        (start,) = unit(path.name)["ExecStart"]
        program, command, *arguments = start.split()
        assert program == "/usr/bin/heliograph"
        text = relay.run(command, "--help").stdout
        for option in (word for word in arguments if word.startswith("--")):
            assert f"{option} " in text, f"{path.name}: {option}"



class ActivatedRelay(Relay):
    """A relay with a listening socket that outlives its process, passed on like by systemd: as descriptor 3, with LISTEN_FDS and LISTEN_PID."""

    def __init__(self, folder: Path, arguments: list[str] | None = None, address: str = "127.0.0.1"):
        super().__init__(folder, arguments)
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.socket = socket.create_server((address, self.port), family=family, backlog=16)
        self.reached_at = address
        self.url = f"http://[{address}]:{self.port}" if ":" in address else f"http://{address}:{self.port}"

    def launch(self) -> None:
        assert self.process is None
        (self.folder / "home").mkdir(exist_ok=True)
        script = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.environ['LISTEN_PID'] = str(os.getpid()); os.execv(sys.argv[2], sys.argv[2:])"
        command = [sys.executable, "-c", script, str(self.socket.fileno()), str(self.binary), "serve", "--data", str(self.data), *self.arguments]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, pass_fds=[self.socket.fileno()],
                env=plain_environment(self.folder / "home") | {"LISTEN_FDS": "1"},
            )  # fmt: skip
        Relay.running.add(self)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_it_serves_on_the_socket_that_it_is_given(tmp_path: Path, address: str) -> None:
    relay = ActivatedRelay(tmp_path / "relay", address=address)
    relay.start()
    assert f"is listening on {relay.url}" in relay.log_text()
    assert relay.get("/readyz").status == 200
    assert json.loads(relay.run("pair", "--json", "--data", str(relay.data)).stdout)["link"].startswith(relay.url)
    relay.stop()
    relay.check_log()


def test_it_speaks_tls_on_the_socket_that_it_is_given(tmp_path: Path, identity: Identity) -> None:  # noqa: F811
    """With several event loops one of them accepts connections for all."""
    tls = ["--tls-certificate", str(identity.certificate), "--tls-key", str(identity.key)]
    relay = ActivatedRelay(tmp_path / "relay", [*tls, "--loops", "2"])
    relay.launch()
    wait_until(lambda: f"is listening on https://127.0.0.1:{relay.port}" in relay.log_text(), 20, relay.log_text)
    assert shows(relay, identity.serials[0])
    relay.stop()
    relay.check_log()


def test_a_connection_waits_while_the_relay_is_started_anew(tmp_path: Path) -> None:
    relay = ActivatedRelay(tmp_path / "relay")
    relay.start()
    for end in (relay.stop, relay.kill):
        end()
        with socket.create_connection(("127.0.0.1", relay.port), timeout=patient(30)) as waiting:
            waiting.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            relay.start()
            assert waiting.recv(1 << 12).startswith(b"HTTP/1.1 200 ")
    relay.stop()
    relay.check_log()


def test_systemd_itself_hands_it_over(tmp_path: Path) -> None:
    """systemd starts the relay at the first connection, not before."""
    relay = Relay(tmp_path / "relay")
    relay.prefix = ["systemd-socket-activate", "-E", f"HOME={tmp_path}", f"--listen=127.0.0.1:{relay.port}"]
    relay.start()
    assert relay.get("/readyz").status == 200
    relay.stop()
    relay.check_log()


@pytest.mark.parametrize("kind,words", [("two", "passes 2 sockets"), ("a file", "is no TCP socket that listens"), ("not listening", "is no TCP socket that listens")])
def test_what_is_no_socket_of_its_own_is_refused(tmp_path: Path, kind: str, words: str) -> None:
    relay = ActivatedRelay(tmp_path / "relay")
    with socket.socket() as idle, (tmp_path / "file").open("w") as file:
        given = {"two": relay.socket.fileno(), "a file": file.fileno(), "not listening": idle.fileno()}[kind]
        script = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(3, 4); os.environ['LISTEN_PID'] = str(os.getpid()); os.execv(sys.argv[2], sys.argv[2:])"
        refused = subprocess.run(
            [sys.executable, "-c", script, str(given), str(BINARY), "serve", "--data", str(relay.data)], pass_fds=[given], capture_output=True, text=True,
            timeout=patient(30), env=plain_environment(tmp_path) | {"LISTEN_FDS": "2" if kind == "two" else "1"},
        )  # fmt: skip
    assert refused.returncode != 0 and words in refused.stderr, refused.stderr


def test_a_socket_for_another_process_is_left_alone(relay: Relay) -> None:
    """LISTEN_PID of another process, which a parent forgot to remove."""
    relay.environment = {"LISTEN_FDS": "1", "LISTEN_PID": "1"}
    relay.restart()
    assert relay.get("/readyz").status == 200


def test_the_socket_unit_is_where_the_proxies_look() -> None:
    (path,) = SOCKETS
    (address,) = unit(path.name)["ListenStream"]
    assert path.stem == "heliograph" and address in (DEPLOY / "caddy/Caddyfile").read_text() and address in (DEPLOY / "nginx/heliograph.conf").read_text()
