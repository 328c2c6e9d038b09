#!/usr/bin/env python3
"""Measures pushes a second over one connection, our APNs client beside h2load, on the same server in the same run.

The server is nghttpd, which answers any push with a small file: what is compared is two clients, not two servers. With --server
HOST:PORT --authority FILE --key FILE it is a server that runs already, such as `heliograph apns-simulator`.
"""

import argparse
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCH = Path(os.environ.get("APNS_BENCH", ROOT / ".build/release/apns-bench"))
TOKEN = "ab" * 32
STREAMS = 100
PAYLOAD = (
    b'{"aps":{"timestamp":1795178096,"event":"update","content-state":{"status":"processing","currentOperation":"Editing '
    b'APNsClient.swift","elapsedSeconds":1230,"todoProgress":{"completed":3,"total":7,"currentTask":"Fix token refresh race"}},'
    b'"stale-date":1795178996,"relevance-score":50}}'
)
ROUNDS = 5


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(200):
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit("the server does not listen")


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
        raise SystemExit(f"h2load was not answered well:\n{out}")
    return float(rate[1])


def ours(server: str, authority: Path, key: Path, payload: Path, count: int) -> float:
    found = json.loads(run(str(BENCH), server, str(authority), str(key), str(payload), str(count)))
    if found["accepted"] != count:
        raise SystemExit(f"only {found['accepted']} of {count} pushes were accepted")
    return float(count / found["seconds"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", help="HOST:PORT of a server that runs; its name is that of its certificate")
    parser.add_argument("--authority", type=Path, help="the certificate to trust")
    parser.add_argument("--key", type=Path, help="the .p8 file")
    parser.add_argument("--count", type=int, default=100_000, help="pushes in a round")
    options = parser.parse_args()
    if not BENCH.exists():
        raise SystemExit(f"{BENCH} is not built: swift build -c release --product apns-bench")
    with tempfile.TemporaryDirectory(prefix="hg-apns-") as name:
        folder = Path(name)
        make_files(folder)
        payload = folder / "payload.json"
        payload.write_bytes(PAYLOAD)
        server, process = options.server, None
        if not server:
            port = free_port()
            process = subprocess.Popen(
                ["nghttpd", "-d", str(folder / "root"), "-m", str(STREAMS), str(port), str(folder / "tls.key"), str(folder / "tls.pem")]
            )
            wait_for(port)
            server = f"localhost:{port}"
        try:
            rounds = []
            for number in range(ROUNDS):
                theirs = h2load(server, payload, options.count)
                authority, key = options.authority or folder / "tls.pem", options.key or folder / "key.p8"
                mine = ours(server, authority, key, payload, options.count)
                rounds.append(mine / theirs)
                print(f"round {number + 1}: h2load {theirs:9,.0f}/s, ours {mine:9,.0f}/s: {mine / theirs:.2f}", flush=True)
        finally:
            if process:
                process.terminate()
                process.wait()
    ratio = statistics.median(rounds)
    print(f"median ratio {ratio:.2f} (goal 0.50)")
    sys.exit(0 if ratio >= 0.5 else 1)


if __name__ == "__main__":
    main()
