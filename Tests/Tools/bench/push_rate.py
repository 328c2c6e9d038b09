"""Pushes a second over one connection: our APNs client beside h2load, on the same server in the same run.

The server is nghttpd, which answers any push with a small file: what is compared is two clients, not two servers.
"""

import json
import os
import re
import socket
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from relay import ROOT, free_port
from rows import Bench, Ratio
from servers import BenchFailed
from waits import wait_until

BENCH = Path(os.environ.get("APNS_BENCH", ROOT / ".build/release/apns-bench"))
TOKEN = "ab" * 32
STREAMS = 100
PAYLOAD = (
    b'{"aps":{"timestamp":1795178096,"event":"update","content-state":{"status":"processing","currentOperation":"Editing '
    b'APNsClient.swift","elapsedSeconds":1230,"todoProgress":{"completed":3,"total":7,"currentTask":"Fix token refresh race"}},'
    b'"stale-date":1795178996,"relevance-score":50}}'
)
PUSHES = 100_000
"""In a round."""


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchFailed(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def listens(port: int) -> bool:
    with socket.socket() as attempt:
        return attempt.connect_ex(("127.0.0.1", port)) == 0


def make_files(folder: Path) -> None:
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    names = "subjectAltName=DNS:localhost"
    run("openssl", "req", "-x509", *curve, "-days", "2", "-subj", "/CN=bench", "-addext", names,
        "-keyout", str(folder / "tls.key"), "-out", str(folder / "tls.pem"))  # fmt: skip
    run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(folder / "key.p8"))
    (folder / "root/3/device").mkdir(parents=True)
    (folder / "root/3/device" / TOKEN).write_bytes(b"ok")


def h2load(server: str, payload: Path, count: int) -> float:
    # The headers of a push; a provider token is about as long.
    headers = [
        "authorization: bearer " + "t" * 220, "apns-id: 5f1c9a52-6a6f-4f0e-9a0e-3f4f0f6a7b10", "apns-priority: 10",
        "apns-topic: dev.heliograph.app.push-type.liveactivity", "apns-push-type: liveactivity", "apns-expiration: 0",
    ]  # fmt: skip
    arguments = [word for header in headers for word in ("-H", header)]
    out = run("h2load", "-c1", "-t1", f"-m{STREAMS}", f"-n{count}", "-d", str(payload), *arguments,
              f"https://{server}/3/device/{TOKEN}")  # fmt: skip
    succeeded = re.search(r"(\d+) 2xx", out)
    rate = re.search(r"finished in [^,]+, ([0-9.]+) req/s", out)
    if not succeeded or not rate or int(succeeded[1]) != count:
        raise BenchFailed(f"h2load was not answered well:\n{out}")
    return float(rate[1])


def ours(server: str, authority: Path, key: Path, payload: Path, count: int) -> float:
    found = json.loads(run(str(BENCH), server, str(authority), str(key), str(payload), str(count)))
    if found["accepted"] != count:
        raise BenchFailed(f"only {found['accepted']} of {count} pushes were accepted")
    return float(count / found["seconds"])


def pushes_a_second(bench: Bench) -> Iterator[str | Ratio]:
    if not BENCH.exists():
        raise BenchFailed(f"{BENCH} is not built: swift build -c release --static-swift-stdlib --product apns-bench")
    with tempfile.TemporaryDirectory(prefix="hg-apns-") as name:
        folder = Path(name)
        make_files(folder)
        payload = folder / "payload.json"
        payload.write_bytes(PAYLOAD)
        port = free_port()
        server = subprocess.Popen(["nghttpd", "-d", str(folder / "root"), "-m", str(STREAMS), str(port), str(folder / "tls.key"), str(folder / "tls.pem")])
        count = PUSHES // 5 if bench.quick else PUSHES
        try:
            wait_until(lambda: listens(port), 20, "nghttpd to listen")
            rounds = []
            for _ in range(bench.rounds):
                theirs = h2load(f"localhost:{port}", payload, count)
                rounds.append((ours(f"localhost:{port}", folder / "tls.pem", folder / "key.p8", payload, count), theirs))
        finally:
            server.terminate()
            server.wait()
    yield f"ours {statistics.median(mine for mine, _ in rounds):,.0f} /s, h2load {statistics.median(theirs for _, theirs in rounds):,.0f} /s"
    yield Ratio("pushes/s / h2load", statistics.median(mine / theirs for mine, theirs in rounds), 0.5, False)
