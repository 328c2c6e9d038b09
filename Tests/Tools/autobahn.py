#!/usr/bin/env python3
"""Runs the Autobahn test suite against the WebSocket engine, as a server and as a client, and says what differs from what is known:
`make autobahn`. Beside it, in the same run, libwebsockets by itself and Python's websockets. About ten minutes; --quick takes one.

A case that the engine fails and that is not in KNOWN, and one in KNOWN that it no longer fails, ends this with status 1.
"""

import argparse
import contextlib
import fnmatch
import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent / "autobahn"
ROOT = HERE.parents[2]
ENGINE = "heliograph"

PINGS = "of pings that come together libwebsockets answers the first only; RFC 6455 lets one answer stand for all, but wants the last"
OFFERS = "libwebsockets drops an offer of extensions of more than 254 bytes, and with it the handshake; browsers send 42"
KNOWN = {
    "server": {"2.10": PINGS, "2.11": PINGS, "13.7.*": OFFERS},
    "client": {"2.10": PINGS, "2.11": PINGS},
}
"""Cases that the engine does not pass, by role, as patterns with the reason."""

CHANCE = {"2.11"}
"""Of these, those that depend on what comes in one read."""

QUICK = ["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "10.*"]
RUN_SECONDS_MAX = 2_400
"""One program in one role; the suite's cases 9.* and 12.* take minutes, on a machine that is shared more of them."""

LOOPBACK = """
from autobahn.twisted import websocket
listen = websocket.listenWS
websocket.listenWS = lambda *arguments: listen(*arguments, interface="127.0.0.1")
from autobahntestsuite.wstest import run
run()
"""
"""The suite, which would listen for everybody otherwise."""

Results = dict[str, dict]


class RunFailed(Exception):
    """A run without a result; the message is a sentence."""



def suite(suite_folder: Path, mode: str, spec: dict, folder: Path) -> list[str]:
    """The command that starts the suite, which writes its results into `folder`."""
    path = folder / f"{mode}.json"
    path.write_text(json.dumps(spec | {"outdir": str(folder), "exclude-cases": [], "exclude-agent-cases": {}}))
    return [str(HERE / "python2"), str(suite_folder), "-c", LOOPBACK, "--mode", mode, "--spec", str(path), "--webport", "0"]


def results(folder: Path, agent: str) -> Results:
    index = folder / "index.json"
    if not index.exists():
        raise RunFailed(f"the suite wrote no results for {agent}: {(folder / 'suite.log').read_text()[-2_000:]}")
    return json.loads(index.read_text())[agent]


@contextlib.contextmanager
def running(command: list[str], log: Path) -> Iterator[subprocess.Popen]:
    """Starts a process, yields the first line of its standard output, and ends the process afterwards."""
    with log.open("ab") as errors, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def as_server(agent: str, command: list[str], suite_folder: Path, cases: list[str], folder: Path) -> Results:
    """Runs the suite as the client."""
    with running([*command, "serve"], folder / "echo.log") as process:
        port = process.stdout.readline().strip()
        if not port.isdigit():
            raise RunFailed(f"{agent} did not start: {(folder / 'echo.log').read_text()[-2_000:]}")
        spec = {"servers": [{"agent": agent, "url": f"ws://127.0.0.1:{port}/", "options": {"version": 18}}], "cases": cases}
        with (folder / "suite.log").open("wb") as log:
            subprocess.run(suite(suite_folder, "fuzzingclient", spec, folder), stdout=log, stderr=log, timeout=RUN_SECONDS_MAX, check=True, cwd=folder)
        if process.poll() is not None:
            raise RunFailed(f"{agent} ended with {process.returncode}: {(folder / 'echo.log').read_text()[-2_000:]}")
    return results(folder, agent)


def as_client(agent: str, command: list[str], suite_folder: Path, cases: list[str], folder: Path) -> Results:
    """Runs the suite as the server."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    spec = {"url": f"ws://127.0.0.1:{port}", "cases": cases}
    with (folder / "suite.log").open("wb") as log, subprocess.Popen(suite(suite_folder, "fuzzingserver", spec, folder), stdout=log, stderr=log, cwd=folder) as server:
        try:
            wait_for(port, server)
            with (folder / "echo.log").open("wb") as errors:
                subprocess.run([*command, "client", str(port), agent], stderr=errors, timeout=RUN_SECONDS_MAX, check=True)
        finally:
            server.kill()
    return results(folder, agent)


def wait_for(port: int, server: subprocess.Popen) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise RunFailed("the suite's server did not start")


def programs(engine: Path, folder: Path) -> dict[str, list[str]]:
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libwebsockets"], check=True, capture_output=True, text=True).stdout.split()
    subprocess.run(["cc", "-O2", "-o", str(folder / "lws_echo"), str(HERE / "lws_echo.c"), *flags], check=True)
    return {
        ENGINE: [str(engine)],
        "libwebsockets": [str(folder / "lws_echo")],
        "websockets": [sys.executable, str(HERE / "websockets_echo.py")],
    }



def order(case: str) -> list[int]:
    return [int(part) for part in case.split(".")]


def is_failed(result: dict) -> bool:
    """A connection that the suite had to close itself, after a correct closing handshake, is no failure: the RFC leaves that open."""
    return result["behavior"] == "FAILED" or result["behaviorClose"] not in ("OK", "INFORMATIONAL", "FAILED BY CLIENT")


def row(agent: str, role: str, found: Results) -> str:
    def count(*names: str) -> int:
        return sum(not is_failed(result) and result["behavior"] in names for result in found.values())

    failed = sorted((case for case, result in found.items() if is_failed(result)), key=order)
    shown = ", ".join(failed[:12]) + (f" and {len(failed) - 12} more" if len(failed) > 12 else "")
    return f"| {agent} | {role} | {count('OK', 'INFORMATIONAL')} | {count('NON-STRICT')} | {count('UNIMPLEMENTED')} | {len(failed)} | {shown} |"


def surprises(role: str, found: Results) -> list[str]:
    """Sentences about differences from the known results."""
    said = []
    for case, result in sorted(found.items(), key=lambda item: order(item[0])):
        reason = next((reason for pattern, reason in KNOWN[role].items() if fnmatch.fnmatch(case, pattern)), None)
        if is_failed(result) and reason is None:
            said.append(f"{role} fails {case}: {result['behavior']}, close {result['behaviorClose']}, code {result['remoteCloseCode']}")
        if not is_failed(result) and reason is not None and case not in CHANCE:
            said.append(f"{role} passes {case}, which is known to fail: {reason}")
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", type=Path, default=ROOT / ".build/release/autobahn-echo")
    parser.add_argument("--suite", type=Path, default=ROOT / ".build/autobahn", help="where the suite is, or is put")
    parser.add_argument("--quick", action="store_true", help="without the large messages and the compression")
    parser.add_argument("--cases", nargs="+", help="these only, such as 2.10 or 6.*")
    parser.add_argument("--only", action="append", help="this program only: heliograph, libwebsockets or websockets")
    parser.add_argument("--reports", type=Path, help="keep the suite's reports here")
    options = parser.parse_args()
    subprocess.run([str(HERE / "install"), str(options.suite)], check=True)
    cases = options.cases or (QUICK if options.quick else ["*"])
    roles: dict[str, Callable[..., Results]] = {"server": as_server, "client": as_client}
    said: list[str] = []
    print("| what | role | passed | not strict | not offered | failed | which |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="hg-autobahn-") as temporary:
        top = options.reports or Path(temporary)
        top.mkdir(parents=True, exist_ok=True)
        for agent, command in programs(options.engine.absolute(), top).items():
            if options.only and agent not in options.only:
                continue
            for role, run in roles.items():
                folder = top / f"{agent}-{role}"
                folder.mkdir(exist_ok=True)
                found = run(agent, command, options.suite.absolute(), cases, folder.absolute())
                print(row(agent, role, found), flush=True)
                if agent == ENGINE:
                    said += surprises(role, found)
    for sentence in said:
        print(sentence, file=sys.stderr)
    return 1 if said else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RunFailed, subprocess.SubprocessError) as error:
        sys.exit(f"autobahn: {error}")
