"""Operating the relay: settings, certificates, signals, the service manager, restarts."""

import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import websockets.sync.client

from client import WireClient
from host import ScriptedHost
from relay import BINARY, Relay, plain_environment
from waits import patient, wait_until


def serve(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Starts a relay that is expected to fail."""
    return subprocess.run(
        [BINARY, "serve", "--data", str(folder), *arguments], capture_output=True, text=True, timeout=patient(20),
        stdin=subprocess.DEVNULL, env=plain_environment(folder) | environment,
    )


def test_a_wrong_setting_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "relay.json").write_text('{"keepDay": 3}')
    failed = serve(tmp_path)
    assert failed.returncode == 2
    assert failed.stderr == f"heliograph: {tmp_path}/relay.json, $.keepDay: there is no setting keepDay; did you mean keepDays?\n"
    failed = serve(tmp_path, HELIOGRAPH_CONFIG=str(tmp_path / "none.json"))
    assert failed.returncode == 2 and "none.json cannot be read" in failed.stderr
    (tmp_path / "relay.json").unlink()
    failed = serve(tmp_path, HELIOGRAPH_LISTEN="here")
    assert failed.returncode == 2 and failed.stderr.startswith("heliograph: $HELIOGRAPH_LISTEN: listen takes ADDRESS:PORT")


def test_settings_count_in_their_order_and_say_where_they_stand(relay: Relay) -> None:
    (relay.data / "relay.json").write_text('{"heartbeat": 7, "keepDays": 30, "logLevel": "error"}')
    relay.environment = {"HELIOGRAPH_KEEP_DAYS": "20"}
    relay.arguments = ["--log-level", "info"]
    relay.restart()
    phone = WireClient(relay)
    assert phone.welcome["heartbeat"] == {"pingSeconds": 7, "hangUpSeconds": 14}
    phone.close()
    assert '"level":"info"' in relay.log_text()
    shown = subprocess.run(
        [BINARY, "config", "show", "--json", "--data", str(relay.data), "--log-level", "info"], capture_output=True, text=True, check=True,
        timeout=patient(20), env=plain_environment(relay.folder / "home") | relay.environment,
    )
    assert [json.loads(line) for line in shown.stdout.splitlines()] == [
        {"key": "keepDays", "value": "20", "source": "$HELIOGRAPH_KEEP_DAYS"},
        {"key": "heartbeat", "value": "7", "source": f"{relay.data}/relay.json"},
        {"key": "logLevel", "value": "info", "source": "--log-level"},
    ]
    relay.arguments = []


def test_every_setting_is_a_flag_that_serve_names(relay: Relay) -> None:
    usage = relay.run("serve", "--help").stdout
    keys = relay.run("config", "keys").stdout
    flags = re.findall(r"^\S+   (--[a-z-]+) ", keys, re.MULTILINE)
    assert len(flags) > 5 and all(re.search(rf"^  {flag} ", usage, re.MULTILINE) for flag in flags), flags
    for key in [line.split()[0] for line in relay.run("config", "show", "--effective").stdout.splitlines()[1:]]:
        assert f"\n{key}   --" in f"\n{keys}"



WITHOUT_IPV6 = """
import ctypes, os, platform, struct, sys
number = {"x86_64": 41, "aarch64": 198}[platform.machine()]
# Of each call its number; of socket(2) its family: AF_INET6 fails with EAFNOSUPPORT.
steps = [(0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 16), (0x15, 0, 1, 10), (0x06, 0, 0, 0x00050000 | 97), (0x06, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0, ctypes.get_errno()
os.execvp(sys.argv[1], sys.argv[1:])
"""


def test_a_kernel_without_ipv6_listens_on_every_ipv4_network(tmp_path: Path) -> None:
    """The container's image and the Kubernetes manifests use the address [::]."""
    relay = Relay(tmp_path / "relay", prefix=[sys.executable, "-c", WITHOUT_IPV6])
    relay.address = "[::]"
    relay.start()
    with pytest.raises(OSError):
        socket.create_connection(("::1", relay.port), timeout=patient(5))
    relay.stop()



class Identity:
    """A self-signed certificate and its key, in a pair of files that can be renewed."""

    def __init__(self, folder: Path):
        self.certificate, self.key = folder / "relay.pem", folder / "relay.key"
        self.serials: list[int] = []
        self.renew()

    def renew(
        self, *, only_certificate: bool = False, days: int = 2, kind: tuple[str, ...] = ("ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
        names: str = "DNS:localhost,IP:127.0.0.1",
    ) -> None:
        key = self.key.with_name("other.key") if only_certificate else self.key
        serial = 1000 + len(self.serials)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", *kind, "-nodes", "-days", str(days), "-subj", "/CN=localhost",
             "-addext", f"subjectAltName={names}", "-set_serial", str(serial), "-keyout", str(key), "-out", str(self.certificate)],
            check=True, capture_output=True, timeout=patient(20),
        )
        self.serials.append(serial)


@pytest.fixture
def identity(tmp_path: Path) -> Identity:
    return Identity(tmp_path)


@pytest.fixture
def tls_relay(tmp_path: Path, identity: Identity) -> Iterator[Relay]:
    relay = Relay(tmp_path / "relay", ["--tls-certificate", str(identity.certificate), "--tls-key", str(identity.key)])
    relay.launch()
    wait_until(lambda: "is listening on" in relay.log_text(), 20, lambda: f"the relay to listen: {relay.log_text()}")
    yield relay
    relay.stop()
    relay.check_log()


def trusting() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def serial(relay: Relay) -> int:
    """The serial number of the certificate that a new connection receives."""
    with socket.create_connection(("127.0.0.1", relay.port), timeout=patient(10)) as plain, trusting().wrap_socket(plain) as session:
        text = subprocess.run(
            ["openssl", "x509", "-inform", "DER", "-noout", "-serial"], input=session.getpeercert(binary_form=True), capture_output=True, check=True
        ).stdout.decode()
    return int(text.split("=")[1], 16)


def shows(relay: Relay, expected: int) -> bool:
    """True if every event loop uses the certificate: new connections go to each in turn."""
    return {serial(relay) for _ in range(6)} == {expected}


@contextmanager
def open_client(relay: Relay) -> Iterator[Any]:
    with websockets.sync.client.connect(
        f"wss://127.0.0.1:{relay.port}/v1/client", ssl=trusting(), subprotocols=["heliograph.v1"],
        additional_headers={"Authorization": f"Bearer {relay.token('client', 'phone')}"}, open_timeout=patient(10),
    ) as client:
        client.send(json.dumps({"type": "hello", "version": 1, "software": "test"}))
        assert json.loads(client.recv(timeout=patient(10)))["type"] == "welcome"
        yield client


def test_a_new_certificate_is_taken_without_losing_a_connection(tls_relay: Relay, identity: Identity) -> None:
    assert tls_relay.process is not None
    assert serial(tls_relay) == identity.serials[0]
    with open_client(tls_relay) as client:
        identity.renew()
        tls_relay.process.send_signal(signal.SIGHUP)
        wait_until(lambda: shows(tls_relay, identity.serials[1]), 20, lambda: f"the new certificate: {tls_relay.log_text()[-2000:]}")
        # The renewed certificate does not fit the key: the relay keeps the old pair and logs the reason.
        identity.renew(only_certificate=True)
        tls_relay.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "the old one stays in use" in tls_relay.log_text(), 20, lambda: f"a word on it: {tls_relay.log_text()[-2000:]}")
        assert shows(tls_relay, identity.serials[1])
        # The relay notices the new files without a signal.
        identity.renew()
        wait_until(lambda: shows(tls_relay, identity.serials[3]), 60, lambda: f"the newest certificate: {tls_relay.log_text()[-2000:]}")
        client.send(json.dumps({"type": "subscribe", "id": "c1"}))
        assert json.loads(client.recv(timeout=patient(10)))["id"] == "c1"


def test_a_certificate_that_signs_itself_is_trusted_by_its_file_which_is_remembered(tls_relay: Relay, identity: Identity, tmp_path: Path) -> None:
    link = tls_relay.run("pair", "--json", "--url", f"https://127.0.0.1:{tls_relay.port}", "--data", str(tls_relay.data)).stdout
    link = json.loads(link)["link"]
    (tls_relay.folder / "ca.pem").write_bytes(identity.certificate.read_bytes())
    refused = tls_relay.run("login", link, check=False)
    assert refused.returncode == 4 and "its certificate is not trusted here" in refused.stderr and "--ca-file" in refused.stderr
    missing = tls_relay.run("login", "--ca-file", "none.pem", link, check=False)
    assert missing.returncode == 7 and "none.pem" in missing.stderr
    # The path is relative to this folder, but later commands run in other folders.
    tls_relay.run("login", "--ca-file", "ca.pem", link)
    kept = json.loads((tls_relay.folder / "home/.config/heliograph/client.json").read_text())
    assert kept["ca"] == str((tls_relay.folder / "ca.pem").resolve())
    listed = subprocess.run(
        [str(BINARY), "sessions"], capture_output=True, text=True, cwd=tmp_path, timeout=patient(20), env=plain_environment(tls_relay.folder / "home")
    )
    assert listed.returncode == 0 and listed.stdout == "no sessions yet\n", listed.stderr
    host = json.loads(tls_relay.run("pair", "--json", "--role", "host", "--url", f"https://127.0.0.1:{tls_relay.port}", "--data", str(tls_relay.data)).stdout)["link"]
    refused = tls_relay.run("host", "--pair-only", host, check=False)
    assert refused.returncode == 4 and "--ca-file" in refused.stderr
    tls_relay.run("host", "--pair-only", "--ca-file", "ca.pem", host)


def test_a_link_names_the_machine_as_its_certificate_does(tmp_path: Path, identity: Identity) -> None:
    """The link names the certificate's host; otherwise the way that the README describes would end at a loopback address."""
    identity.renew(names="DNS:*.relay.test,DNS:relay.test,IP:127.0.0.1")
    relay = Relay(tmp_path / "relay", ["--tls-certificate", str(identity.certificate), "--tls-key", str(identity.key)])
    relay.address = "0.0.0.0"
    relay.launch()
    try:
        wait_until(lambda: "is listening on" in relay.log_text(), 20, lambda: f"the relay to listen: {relay.log_text()}")
        made = relay.run("pair", "--data", str(relay.data)).stdout
        assert f"https://relay.test:{relay.port}/#pair=" in made and "this machine only" not in made
    finally:
        relay.stop()


def test_a_key_of_another_kind_is_taken(tls_relay: Relay, identity: Identity) -> None:
    """After a change from ECDSA to RSA and back no client is served the old certificate, whatever it prefers, and open connections stay."""
    with open_client(tls_relay) as client:
        for number, kind in enumerate([("rsa:2048",), ("ec", "-pkeyopt", "ec_paramgen_curve:P-256")], 1):
            identity.renew(kind=kind)
            tls_relay.process.send_signal(signal.SIGHUP)
            wait_until(lambda: shows(tls_relay, identity.serials[number]), 20, lambda: f"the new certificate: {tls_relay.log_text()[-2000:]}")
            for version in ("-tls1_2", "-tls1_3"):
                shown = subprocess.run(
                    ["openssl", "s_client", "-connect", f"127.0.0.1:{tls_relay.port}", "-servername", "localhost", version,
                     "-sigalgs", "ECDSA+SHA256:RSA+SHA256:RSA-PSS+SHA256"],
                    stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patient(20),
                ).stdout  # fmt: skip
                # The key's kind in the words of OpenSSL before 3.5, and since.
                kinds = ("rsaEncryption", "RSA,") if number == 1 else ("id-ecPublicKey", "EC,")
                assert any(f"a:PKEY: {kind}" in shown for kind in kinds), shown
        client.send(json.dumps({"type": "subscribe", "id": "c1"}))
        assert json.loads(client.recv(timeout=patient(10)))["id"] == "c1"


def certificate_end(relay: Relay) -> float:
    """The certificate's expiry from the admin socket. The connection itself does not use TLS."""
    with socket.socket(socket.AF_UNIX) as door:
        door.settimeout(patient(10))
        door.connect(str(relay.data / "relay.sock"))
        door.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        text = door.makefile().read()
    return float(re.search(r"(?m)^heliograph_tls_certificate_expires_timestamp_seconds (\S+)$", text)[1])


def test_a_figure_says_when_the_certificate_ends(tls_relay: Relay, identity: Identity) -> None:
    day = 86_400
    assert abs(certificate_end(tls_relay) - time.time() - 2 * day) < patient(60)
    identity.renew(days=30)
    tls_relay.process.send_signal(signal.SIGHUP)
    wait_until(lambda: certificate_end(tls_relay) > time.time() + 29 * day, 20, lambda: f"the new end: {tls_relay.log_text()[-2000:]}")
    # An unusable certificate is not served, and its expiry is not reported.
    identity.renew(only_certificate=True, days=60)
    tls_relay.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "the old one stays in use" in tls_relay.log_text(), 20, lambda: f"a word on it: {tls_relay.log_text()[-2000:]}")
    assert certificate_end(tls_relay) < time.time() + 31 * day


@pytest.mark.parametrize(
    ("options", "works"),
    [
        (["-tls1_3"], True), (["-tls1_2"], True), (["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-GCM-SHA384"], True),
        (["-tls1_2", "-cipher", "ECDHE-ECDSA-CHACHA20-POLY1305"], True),
        (["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], False), (["-tls1", "-cipher", "ALL:@SECLEVEL=0"], False),
        (["-tls1_2", "-cipher", "NULL:@SECLEVEL=0"], False), (["-tls1_2", "-cipher", "aNULL:@SECLEVEL=0"], False),
        (["-tls1_2", "-cipher", "3DES:RC4:EXPORT:LOW:@SECLEVEL=0"], False),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_only_what_a_scanner_passes_is_spoken(tls_relay: Relay, options: list[str], works: bool) -> None:
    asked = subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{tls_relay.port}", "-servername", "localhost", "-alpn", "h2,http/1.1", *options],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patient(20),
    )
    is_open = "Cipher is (NONE)" not in asked.stdout and bool(re.search(r"Cipher is \S+", asked.stdout))
    assert is_open == works, asked.stdout + asked.stderr
    if works:
        assert "ALPN protocol: http/1.1" in asked.stdout and "Compression: NONE" in asked.stdout
        assert "Secure Renegotiation IS" in asked.stdout or "TLSv1.3" in asked.stdout


def test_nobody_renegotiates(tls_relay: Relay) -> None:
    # A line with "R" makes s_client request a renegotiation.
    asked = subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{tls_relay.port}", "-servername", "localhost", "-tls1_2"],
        input="R\n", capture_output=True, text=True, timeout=patient(20),
    )  # fmt: skip
    assert "RENEGOTIATING" in asked.stdout + asked.stderr and "no renegotiation" in asked.stderr, asked.stdout + asked.stderr


def test_one_too_many_is_told_after_its_handshake(tls_relay: Relay) -> None:
    tls_relay.stop()
    tls_relay.arguments += ["--limits-pending-per-address", "1", "--trusted-proxies", "192.0.2.1"]
    tls_relay.launch()
    wait_until(lambda: tls_relay.log_text().count("is listening on") == 2, 20, lambda: f"the relay to listen: {tls_relay.log_text()}")

    def knock() -> socket.socket:
        return socket.create_connection(("127.0.0.1", tls_relay.port), timeout=patient(10))

    def answer() -> str:
        with contextlib.suppress(OSError), knock() as plain, trusting().wrap_socket(plain) as session:
            session.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return session.recv(4096).decode()
        return ""

    with contextlib.ExitStack() as silent:
        # The address's only slot is taken by a silent connection.
        silent.enter_context(knock())
        said = answer()
        assert said.startswith("HTTP/1.1 429 ") and re.search(r"(?m)^retry-after: [1-8]\r$", said), said
        # Silent connections also take the slots for refused peers; they are closed soon, so that nobody can block these slots.
        for _ in range(16):
            silent.enter_context(knock())
        assert answer() == ""
        wait_until(lambda: answer().startswith("HTTP/1.1 429 "), 20, "room for who is told")
    wait_until(lambda: answer().startswith("HTTP/1.1 200 "), 20, "room for the address")



def test_a_report_says_how_the_relay_is_and_no_secret(relay: Relay, client: Callable[..., Any], scripted_host: Callable[..., Any]) -> None:
    phone, host = client(relay), scripted_host(relay)
    host.start_session("s1", title="A title that nobody else need read")
    phone.subscribe()
    assert relay.process is not None
    relay.process.send_signal(signal.SIGUSR1)
    file = relay.data / "report.json"
    wait_until(file.exists, 20, lambda: f"a report: {relay.log_text()[-2000:]}")
    text = file.read_text()
    report = json.loads(text)
    assert report["connections"]["all"] >= 2 and report["held"]["sessions"] == 1 and report["held"]["peers"] == 2
    assert report["store"] == {"takesWrites": True, "damagedRecords": 0, "unwrittenRevocations": 0}
    assert report["process"]["id"] == relay.process.pid
    assert report["settings"]["listen"] == f"127.0.0.1:{relay.port}"
    assert report["process"]["residentBytes"] > 1 << 20 and report["process"]["descriptors"] > 5
    assert phone.token not in text and "nobody else need read" not in text
    assert file.stat().st_mode & 0o777 == 0o600


class NotifySocket:
    """A socket that receives systemd's notifications."""

    def __init__(self, folder: Path):
        self.path = folder / "notify"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))
        self.socket.settimeout(patient(20))

    def next(self) -> str:
        return self.socket.recv(4096).decode()


def test_the_service_manager_hears_that_it_is_ready_alive_and_stopping(tmp_path: Path, short_path: Path) -> None:
    manager = NotifySocket(short_path)
    relay = Relay(tmp_path / "relay", environment={"NOTIFY_SOCKET": str(manager.path), "WATCHDOG_USEC": "200000"})
    relay.launch()
    assert manager.next() == "READY=1"
    assert relay.get("/readyz").status == 200
    assert [manager.next() for _ in range(3)] == ["WATCHDOG=1"] * 3
    relay.stop()
    said = [manager.next()]
    while said[-1] == "WATCHDOG=1":
        said.append(manager.next())
    assert said[-1] == "STOPPING=1"


def test_everybody_is_asked_back_at_a_moment_of_their_own(relay: Relay, client: Callable[..., Any]) -> None:
    phones = [client(relay, name=f"phone {number}") for number in range(20)]
    relay.stop()
    waits = []
    for phone in phones:
        assert phone.connection.wait_closed() == 4000
        waits.append(int(re.search(r"come back in (\d+) ms", phone.connection.close_reason).group(1)))
    assert len(set(waits)) > 10 and max(waits) <= 1_005, waits


ENDED_WITHIN_SECONDS = 10
"""As promised; the relay waits for three of them."""


def test_who_does_not_leave_does_not_keep_it(relay: Relay) -> None:
    """With peers that neither read nor close, and a client with a pending approval, the relay still ends within ten seconds."""
    host = ScriptedHost(relay, "laptop")
    host.start_session("s1")
    host.request_approval("s1", "Bash", {"command": "make"})
    host.wait_acked("s1")
    with contextlib.ExitStack() as frozen:
        frozen.callback(host.close)
        for role, count in (("client", 8), ("host", 2)):
            for number in range(count):
                token = relay.token(role, f"frozen {role} {number}")
                peer = frozen.enter_context(socket.create_connection(("127.0.0.1", relay.port), timeout=patient(10)))
                peer.sendall(
                    f"GET /v1/{role} HTTP/1.1\r\nHost: 127.0.0.1:{relay.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: heliograph.v1\r\n"
                    f"Authorization: Bearer {token}\r\n\r\n".encode()
                )
                assert peer.recv(4096).startswith(b"HTTP/1.1 101")
        begun = time.monotonic()
        relay.stop()
        took = time.monotonic() - begun
    print(f"ended after {took:.1f} s")
    assert took < ENDED_WITHIN_SECONDS


def test_who_insists_ends_a_start_that_hangs(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # Holds the store's lock like a process that never ends, so that the relay waits.
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        process = subprocess.Popen(
            [BINARY, "serve", "--data", str(folder), "--listen", "127.0.0.1:0"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=plain_environment(tmp_path),
        )
        wait_until(lambda: (folder / "relay.lock").exists(), 20, lambda: "the start to be under way")
        process.send_signal(signal.SIGTERM)
        # The first signal only starts the orderly shutdown.
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(3)
        process.send_signal(signal.SIGTERM)
        assert process.wait(patient(20)) == 1
    finally:
        os.close(descriptor)


def test_closing_the_terminal_ends_the_relay_that_runs_in_it(tmp_path: Path) -> None:
    leader, terminal = pty.openpty()
    process = subprocess.Popen(
        [BINARY, "serve", "--data", str(tmp_path / "data"), "--listen", "127.0.0.1:0"], stdin=terminal, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, start_new_session=True, env=plain_environment(tmp_path),
    )
    os.close(terminal)
    try:
        assert process.stdout and "listening" in process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        assert process.wait(patient(20)) == 0
    finally:
        os.close(leader)
        process.kill()
