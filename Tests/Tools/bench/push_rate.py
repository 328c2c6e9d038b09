"""Pushes per second over one connection: Heliograph's clients compared with h2load, at the same server in the same run.

The server is nghttpd, which answers each push with a small file, so only the clients differ. A push to a browser is
encrypted with a new key, while h2load sends prepared bytes: the time for OpenSSL's key agreement is reported, too.
"""

import json
import os
import re
import socket
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from relay import ROOT, free_port
from rows import Bench, Ratio
from servers import BenchFailed
from waits import wait_until

BENCH = Path(os.environ.get("PUSH_BENCH", ROOT / ".build/release/push-bench"))
TOKEN = "ab" * 32
STREAMS = 100
CARD = (
    b'{"aps":{"timestamp":1795178096,"event":"update","content-state":{"status":"processing","currentOperation":"Editing '
    b'APNsClient.swift","elapsedSeconds":1230,"todoProgress":{"completed":3,"total":7,"currentTask":"Fix token refresh race"}},'
    b'"stale-date":1795178996,"relevance-score":50}}'
)
NOTIFICATION = (
    b'{"web_push":8030,"mutable":true,"notification":{"title":"claude wants to run Bash \xc2\xb7 heliograph","body":"command: make test","tag":"s1.a1",'
    b'"navigate":"https://relay.example/#/approvals/s1/a1","data":{"heliograph":{"kind":"approval","session":"s1","approval":"a1","decisions":["deny"]}}}}'
)
SEALED = b"\0" * (86 + 512 + 17)
"""As long as the notification is on the wire: header, padded text, delimiter and tag."""


@dataclass
class Service:
    """The requests of one push service: by Heliograph's client, and as bytes for h2load."""

    name: str
    text: bytes
    sent: bytes
    headers: list[str]
    pushes: int
    """The number of updates in a round."""
    goal: float
    """Of h2load's rate, or where each push is encrypted anew of what OpenSSL alone has keys for."""


APNS = Service("apns", CARD, CARD, [
    # A real provider token has about this length.
    "authorization: bearer " + "t" * 220, "apns-id: 5f1c9a52-6a6f-4f0e-9a0e-3f4f0f6a7b10", "apns-priority: 10",
    "apns-topic: dev.heliograph.app.push-type.liveactivity", "apns-push-type: liveactivity", "apns-expiration: 0",
], 100_000, 0.5)  # fmt: skip
WEB = Service("web", NOTIFICATION, SEALED, [
    "authorization: vapid t=" + "t" * 240 + ", k=" + "k" * 87, "ttl: 3600", "urgency: high", "content-encoding: aes128gcm", "content-type: application/octet-stream",
], 20_000, 0.4)  # fmt: skip


def run(*command: str) -> str:
    return ran(*command).stdout


def ran(*command: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchFailed(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return done


def listens(port: int) -> bool:
    with socket.socket() as attempt:
        return attempt.connect_ex(("127.0.0.1", port)) == 0


def make_files(folder: Path) -> None:
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    names = "subjectAltName=DNS:localhost"
    run("openssl", "req", "-x509", *curve, "-days", "2", "-subj", "/CN=bench", "-addext", names,
        "-keyout", str(folder / "tls.key"), "-out", str(folder / "tls.pem"))  # fmt: skip
    run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(folder / "key.p8"))
    (folder / "key.p8").chmod(0o600)
    (folder / "root/3/device").mkdir(parents=True)
    (folder / "root/3/device" / TOKEN).write_bytes(b"ok")


def h2load(server: str, headers: list[str], payload: Path, count: int) -> float:
    arguments = [word for header in headers for word in ("-H", header)]
    out = run("h2load", "-c1", "-t1", f"-m{STREAMS}", f"-n{count}", "-d", str(payload), *arguments,
              f"https://{server}/3/device/{TOKEN}")  # fmt: skip
    succeeded = re.search(r"(\d+) 2xx", out)
    rate = re.search(r"finished in [^,]+, ([0-9.]+) req/s", out)
    if not succeeded or not rate or int(succeeded[1]) != count:
        raise BenchFailed(f"h2load was not answered well:\n{out}")
    return float(rate[1])


def ours(service: str, server: str, authority: Path, key: Path, payload: Path, count: int) -> float:
    done = ran(str(BENCH), service, server, str(authority), str(key), str(payload), str(count))
    found = json.loads(done.stdout)
    if found["accepted"] != count:
        raise BenchFailed(f"only {found['accepted']} of {count} pushes were accepted: {done.stderr.strip()}")
    return float(count / found["seconds"])


def agreements_a_second() -> float:
    """Diffie-Hellman agreements per second on P-256, by one thread of OpenSSL: each push to a browser needs one."""
    found = re.search(r"ecdh \(nistp256\)\s+\S+s\s+([0-9.]+)", run("openssl", "speed", "-seconds", "1", "ecdhp256"))
    if not found:
        raise BenchFailed("openssl speed says something else than usual")
    return float(found[1])


def pushes_a_second(service: Service) -> Callable[[Bench], Iterator[str | Ratio]]:
    def row(bench: Bench) -> Iterator[str | Ratio]:
        if not BENCH.exists():
            raise BenchFailed(f"{BENCH} is not built: swift build -c release --static-swift-stdlib --product push-bench")
        with tempfile.TemporaryDirectory(prefix="hg-push-") as name:
            folder = Path(name)
            make_files(folder)
            text, sent = folder / "text", folder / "sent"
            text.write_bytes(service.text)
            sent.write_bytes(service.sent)
            port = free_port()
            server = subprocess.Popen(["nghttpd", "-d", str(folder / "root"), "-m", str(STREAMS), str(port), str(folder / "tls.key"), str(folder / "tls.pem")])
            count = service.pushes // 5 if bench.quick else service.pushes
            try:
                wait_until(lambda: listens(port), 20, "nghttpd to listen")
                rounds = []
                for _ in range(bench.rounds):
                    theirs = h2load(f"localhost:{port}", service.headers, sent, count)
                    rounds.append((ours(service.name, f"localhost:{port}", folder / "tls.pem", folder / "key.p8", text, count), theirs))
            finally:
                server.terminate()
                server.wait()
        ours_a_second = statistics.median(mine for mine, _ in rounds)
        yield f"ours {ours_a_second:,.0f} /s, h2load {statistics.median(theirs for _, theirs in rounds):,.0f} /s"
        if service is WEB:
            # Encrypting for a browser takes a new key and an agreement, which cost about the same.
            alone = agreements_a_second() / 2
            yield f"OpenSSL alone, one thread: new keys and agreements for {alone:,.0f} /s"
            yield Ratio("pushes/s / what OpenSSL alone has keys for", ours_a_second / alone, service.goal, False)
        else:
            yield Ratio("pushes/s / h2load", statistics.median(mine / theirs for mine, theirs in rounds), service.goal, False)

    return row
