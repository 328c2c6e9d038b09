"""`heliograph-bench`: its output, and that it detects a relay's violations."""

import json
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from proxies import Certificate
from relay import BENCH, BINARY, Relay, plain_environment
from waits import patient, wait_until

QUICK = ["--duration", "0.5", "--warm-up", "0", "--json"]


def bench(relay: Relay, *arguments: str) -> Any:
    return json.loads(relay.run(*arguments, *QUICK, timeout=60, program=BENCH).stdout)


def measured(relay: Relay) -> list[str]:
    assert relay.process
    return ["--data", str(relay.data), "--pid", str(relay.process.pid)]


def test_an_open_loop_is_delivered_whole_and_measured(relay):
    found = bench(relay, "fanout", *measured(relay), "--hosts", "2", "--clients", "6", "--rate", "200")
    assert found["scenario"] == "fanout"
    assert found["load"] == {
        "hosts": 2, "sessions": 2, "clients": 6, "rate": 200, "batch": 1, "size": 300, "durability": "durable", "history": 20, "warmUpSeconds": 0.0,
    }  # fmt: skip
    # Half a second of the scheduled events, delivered to three subscribers of each session.
    assert found["result"]["deliveries"] == 300
    assert found["latency"]["count"] == 300
    times = [found["latency"][key] for key in ("p50", "p90", "p99", "p999", "max")]
    assert times == sorted(times) and times[0] > 0
    assert found["relay"]["processorSeconds"] >= 0 and found["relay"]["residentKiB"] > 1_000
    assert found["driver"]["processorSeconds"] > 0 and found["driver"]["bottleneck"] in ("relay", "load")


@pytest.mark.parametrize(
    ("arguments", "counted"),
    [
        (["fanout", "--clients", "5", "--window", "8", "--batch", "4"], "deliveries"),
        (["fanout", "--clients", "5", "--sealed"], "deliveries"),
        (["fanout", "--clients", "5", "--durability", "live", "--rate", "100"], "deliveries"),
        (["approval"], "done"),
        (["ingest", "--hosts", "3", "--batch", "8"], "done"),
        (["idle", "--clients", "5"], "clients"),
        (["storm", "--clients", "5"], "clients"),
    ],
    ids=lambda value: "-".join(word.strip("-") for word in value) if isinstance(value, list) else value,
)
def test_every_scenario_ends_with_a_count(relay, arguments, counted):
    assert bench(relay, *arguments, *measured(relay))["result"][counted] > 0
    assert not [token for token in relay.tokens() if token["name"].startswith("bench")], "its tokens are taken back"


@pytest.mark.parametrize("limit", ["messages-per-second-per-host", "messages-per-second-per-session"])
def test_a_limit_of_the_relay_is_named_and_not_measured(make_relay, limit):
    relay = make_relay(f"--limits-{limit}", "10")
    done = relay.run("fanout", *measured(relay), "--clients", "1", "--window", "1", "--duration", "30", "--json", check=False, timeout=60, program=BENCH)
    name = re.sub("-(.)", lambda letter: letter[1].upper(), limit)
    assert done.returncode == 1 and f"limits.{name}" in done.stderr and "--rate" in done.stderr, done.stderr


def test_without_a_relay_it_starts_one_and_leaves_nothing(short_path):
    folder = short_path / "temporary"
    folder.mkdir()
    environment = plain_environment(short_path) | {"TMPDIR": str(folder)}
    command = [BENCH, "resume", "--clients", "5", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=patient(60))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["result"]["clients"] == 5 and found["relay"]["peakKiB"] > 1_000
    assert not list(folder.iterdir())


def test_a_run_that_is_ended_takes_its_tokens_back(relay):
    command = [BENCH, "idle", "--data", str(relay.data), "--clients", "3", "--duration", "60"]
    process = subprocess.Popen(command, env=plain_environment(relay.folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_until(lambda: relay.metric('heliograph_connections{role="client"}') == 3, 20, lambda: "the load to be there")
    process.terminate()
    assert process.wait(patient(20)) != 0
    assert not [token for token in relay.tokens() if token["name"].startswith("bench")]


@pytest.mark.parametrize(("program", "needed"), [("bench", ["idle"]), ("apns-simulator", ["--ca", "ca.pem"])])
def test_the_command_of_old_runs_the_program_beside_it_or_says_which(program, needed, short_path):
    environment = plain_environment(short_path)
    beside = subprocess.run([BINARY, program, *needed, "--nonsense"], env=environment, capture_output=True, text=True, timeout=patient(20))
    assert beside.returncode in (2, 64) and f"Usage: heliograph-{program} " in beside.stderr and "--nonsense" in beside.stderr, beside.stderr
    alone = shutil.copy(BINARY, short_path)
    done = subprocess.run([alone, program], env=environment, capture_output=True, text=True, timeout=patient(20))
    assert done.returncode == 5 and not done.stdout
    assert done.stderr.startswith(f"heliograph: this is a program of its own, heliograph-{program}, ") and done.stderr.count("\n") == 1, done.stderr


def test_without_the_relays_program_it_measures_only_what_it_is_given(short_path):
    alone = shutil.copy(BENCH, short_path)
    done = subprocess.run([alone, "idle"], env=plain_environment(short_path), capture_output=True, text=True, timeout=patient(20))
    assert done.returncode == 1 and f"{short_path}/heliograph" in done.stderr and "--relay" in done.stderr, done.stderr


class Corrupting:
    """A proxy between bench and relay that changes the last digit of one event's number on its way to a client."""

    MARK = b'"n":"'
    DIGITS = 12

    def __init__(self, port: int):
        self.port = port
        self.spoiled = 0
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.threads = [threading.Thread(target=self._accept, daemon=True)]
        self.threads[0].start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def close(self) -> None:
        self.listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.port))
            for source, sink, spoils in ((near, far, False), (far, near, True)):
                threading.Thread(target=self._pass, args=(source, sink, spoils), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, spoils: bool) -> None:
        try:
            while data := source.recv(1 << 16):
                sink.sendall(self._spoil(data) if spoils else data)
            sink.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the other direction has closed the connection

    def _spoil(self, data: bytes) -> bytes:
        place = data.find(self.MARK) + len(self.MARK) + self.DIGITS - 1
        with self.lock:
            if self.spoiled or self.MARK not in data or place >= len(data):
                return data
            self.spoiled = 1
        return data[:place] + bytes([ord("0") + (data[place] - ord("0") + 1) % 10]) + data[place + 1 :]


@pytest.fixture
def corrupting(relay: Relay) -> Iterator[Corrupting]:
    proxy = Corrupting(relay.port)
    yield proxy
    proxy.close()


def test_an_event_out_of_sequence_fails_the_run(relay, corrupting):
    tokens = ["--client-token", relay.token("client", "load"), "--host-token", relay.token("host", "load")]
    done = relay.run("fanout", "--relay", corrupting.url, *tokens, "--clients", "3", "--window", "4", *QUICK, check=False, timeout=60, program=BENCH)
    assert corrupting.spoiled
    assert done.returncode == 1 and not done.stdout
    assert done.stderr.startswith("heliograph-bench: sequence: client ") and "came as number" in done.stderr


def test_a_relay_with_a_certificate_is_measured_if_it_is_trusted(tmp_path):
    certificate = Certificate(tmp_path)
    relay = Relay(tmp_path / "relay", ["--tls-certificate", str(certificate.chain), "--tls-key", str(certificate.key)])
    relay.launch()
    try:
        wait_until(lambda: "is listening on" in relay.log_text(), 20, lambda: f"the relay to listen: {relay.log_text()}")
        tokens = {"HELIOGRAPH_CLIENT_TOKEN": relay.token("client", "load"), "HELIOGRAPH_HOST_TOKENS": relay.token("host", "load")}
        command = [BENCH, "fanout", "--relay", f"https://127.0.0.1:{relay.port}", "--clients", "5", "--window", "8", *QUICK]

        def run(*more: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run([*command, *more], env=plain_environment(tmp_path) | tokens, capture_output=True, text=True, timeout=patient(60))

        assert json.loads(run("--ca-file", str(certificate.chain)).stdout)["result"]["deliveries"] > 0
        refused = run()
        assert refused.returncode == 4 and not refused.stdout
        assert "the certificate of 127.0.0.1 is not trusted" in refused.stderr
    finally:
        relay.stop()
