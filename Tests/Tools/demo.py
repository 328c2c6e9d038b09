#!/usr/bin/env python3
"""Plays a recorded session of the real Claude Code into a relay, so that the page comes alive: `make demo`.

The relay is the one that `make run` started, or, where none runs, one that lives as long as the demo. What is played are the calls that Claude
Code made to its hooks, through our own hook command, the host daemon, its spool and its connection to the relay. The two commands and the question
wait for you: decide them on the page. Nothing is really run or changed. A simulated phone stands behind a simulated push service of Apple's; its
Lock Screen is on the page, under Devices.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any

import demo_phone
from demo_phone import Phone, PhoneTrouble

TOP = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("HELIOGRAPH_BIN", TOP / ".build/release/heliograph")).absolute()
RECORDING = Path(__file__).parent / "demo/session.jsonl"
NAME = "demo"
START_SECONDS_MAX = 20
# Time to read before deciding; afterwards the agent's own prompt would have to be answered.
DECISION_SECONDS_MAX = 600
BETWEEN_SESSIONS_SECONDS = 8
# The last hooks only notified the daemon, which still has to send their events; that takes a while on a busy machine.
SETTLING_SECONDS_MAX = 10
# An open page with a link's secret sends its join at once.
JOINING_SECONDS_MAX = 3


class Demo:
    def __init__(self, folder: Path, listen: str, speed: float):
        self.folder = folder
        self.project = folder / "shop"
        self.listen = listen
        self.speed = speed
        self.processes: list[subprocess.Popen[bytes]] = []
        self.joins = False
        self.phone: Phone | None = None
        self.session = ""
        """The one that is being played."""
        self.environment = os.environ | {
            # Outside the project, so that the page shows the project's own name instead of a path below `~`.
            "HOME": str(folder / "home"),
            "XDG_CONFIG_HOME": str(folder / ".config"),
            "XDG_STATE_HOME": str(folder / ".local/state"),
            "XDG_DATA_HOME": str(folder / ".local/share"),
            # The host watches the demo's process as if it were the agent: when the demo ends, so does the session.
            "CLAUDE_PID": str(os.getpid()),
            "CLAUDE_PROJECT_DIR": str(self.project),
        }
        for name in ("HELIOGRAPH_SOCKET", "HELIOGRAPH_RELAY", "HELIOGRAPH_TOKEN", "HELIOGRAPH_DATA"):
            self.environment.pop(name, None)

    def lay_out(self) -> None:
        """The files that the agent read, unchanged: a requested edit is compared with the file."""
        for line in RECORDING.read_text().splitlines():
            response = json.loads(line)["input"].get("tool_response")
            read = response.get("file") if isinstance(response, dict) else None
            if not read:
                continue
            path = Path(read["filePath"].replace("{project}", str(self.project)))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(read["content"])

    def start(self) -> None:
        self.project.mkdir()
        self.lay_out()
        self.joins = self.is_ready()
        # The data of an already running relay belongs to the user who started it; a new relay has its own in this folder.
        self.owner = os.environ if self.joins else self.environment
        data = demo_phone.data_folder(self.owner)
        if not self.joins:
            data.mkdir(mode=0o700, parents=True)
        elif not data.is_dir():
            raise PhoneTrouble(f"the relay on {self.listen} has its data elsewhere than in {data}. Name that folder in HELIOGRAPH_DATA, or another address with --listen.")
        self.phone = Phone(BINARY, self.folder, self.listen)
        self.phone.switch_on()
        self.phone.enrol(data)
        if not self.joins:
            self.spawn("serve", "--listen", self.listen)
            self.wait_for(self.is_ready, "the relay")
        self.phone.register(self.administer("token", "create", "--role", "client", "--name", demo_phone.NAME).decode().strip())
        self.spawn("host", self.pair("host"), "--name", NAME, *self.consent())
        self.wait_for((self.folder / ".local/state/heliograph/host.sock").exists, "the host daemon")

    def consent(self) -> list[str]:
        """Links of the user's own relay are for all hosts of that user's machine, including this one, so one scan also trusts this host. If the relay's
        links are for the relay alone, its devices sign nothing. Nothing is sealed, because the phone has no keys and its Lock Screen should show text.
        """
        if not self.joins:
            return ["--content", "open"]
        kept = Path(self.owner.get("XDG_CONFIG_HOME") or Path(self.owner.get("HOME", "/")) / ".config") / "heliograph/first-trust"
        if not kept.is_file():
            return ["--consent", "open"]
        own = self.folder / ".config/heliograph/first-trust"
        own.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        own.touch(mode=0o600)
        own.write_bytes(kept.read_bytes())
        return ["--content", "open"]

    def invite(self) -> None:
        """A page paired by an earlier link shares no secret with this host, so it gets a link of its own."""
        deadline = time.monotonic() + JOINING_SECONDS_MAX
        while True:
            trust = json.loads(subprocess.run([BINARY, "host", "devices", "--json"], env=self.environment, check=True, stdout=subprocess.PIPE).stdout)
            if trust["consent"] == "open":
                return
            if trust["devices"]:
                said = subprocess.run([BINARY, "host", "devices"], env=self.environment, check=True, stdout=subprocess.PIPE, text=True).stdout
                return print(f"Trusted, and its page shows the same code: {said.splitlines()[0]}", flush=True)
            if time.monotonic() > deadline:
                break
            time.sleep(0.2)
        command = [BINARY, "host", "trust", "--json", "--url", f"http://{self.listen}"]
        shows = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True)
        self.processes.append(shows)
        assert shows.stdout
        link = json.loads(shows.stdout.readline())["link"]
        print(f"The agent does only what a device has signed that this demo trusts, and there is none yet. Open this on yours:\n\n   {link}\n", flush=True)

    def stop(self) -> None:
        try:
            # Ends the session, because the user's own relay would otherwise keep questions that no agent waits for any more.
            if self.session:
                self.end()
        finally:
            try:
                # The relay must still run at this point, so that the phone can be removed from it.
                if self.phone:
                    self.phone.switch_off()
            finally:
                self.end_processes()
        if self.joins and self.phone:
            self.forget()

    def end_processes(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()

    def pair(self, role: str) -> str:
        """A link that pairs one device."""
        made = self.administer("pair", "--role", role, "--json", "--url", f"http://{self.listen}")
        return json.loads(made)["link"]

    def forget(self) -> None:
        """Revokes the demo's tokens at the user's own relay."""
        for line in self.administer("token", "list", "--json").splitlines():
            token = json.loads(line)
            if (token["name"], token["role"]) in ((NAME, "host"), (demo_phone.NAME, "client")):
                self.administer("token", "revoke", token["id"])

    def administer(self, *arguments: str) -> bytes:
        return subprocess.run([BINARY, *arguments], env=self.owner, check=True, stdout=subprocess.PIPE).stdout

    def play(self) -> None:
        """Plays one session call by call, at the recorded pace."""
        self.write_files()
        self.session = str(uuid.uuid4())
        names = {"{session}": self.session, "{project}": str(self.project), "{home}": str(self.folder)}
        denied = ""
        skipped = None
        for line in RECORDING.read_text().splitlines():
            for name, value in names.items():
                line = line.replace(name, value)
            step = json.loads(line)
            time.sleep(min(step["after"], 3) / self.speed)
            tool = step["input"].get("tool_name", "")
            if step["event"] == skipped:
                skipped = None
            elif step["event"] == "PermissionRequest":
                denied = self.ask(step["input"])
            elif step["event"] == "PostToolUse" and denied:
                # The report that Claude Code makes for a call that did not run.
                self.call("PostToolBatch", {**step["input"], "hook_event_name": "PostToolBatch", "tool_calls": [
                    {key: step["input"][key] for key in ("tool_name", "tool_input", "tool_use_id")} | {"tool_response": denied}]})  # fmt: skip
                denied, skipped = "", "PostToolBatch"
            else:
                self.call(step["event"], step["input"])
            if step["event"] == "PreToolUse":
                print(f"  the agent uses {tool}", flush=True)

    def write_files(self) -> None:
        """Creates the files that the recorded session read, because a question about a file shows its content."""
        for line in RECORDING.read_text().splitlines():
            step = json.loads(line)
            if (step["event"], step["input"].get("tool_name")) == ("PostToolUse", "Read"):
                file = step["input"]["tool_response"]["file"]
                path = Path(file["filePath"].replace("{project}", str(self.project)))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(file["content"])

    def end(self) -> None:
        """Reports the session's end, unless it was already reported, and waits until the relay has it."""
        session, self.session = self.session, ""
        self.call("SessionEnd", {"session_id": session, "cwd": str(self.project), "hook_event_name": "SessionEnd", "reason": "other"})
        deadline = time.monotonic() + SETTLING_SECONDS_MAX
        while not self.is_over(session):
            if time.monotonic() > deadline:
                print("The relay was not told in time that the session is over.", file=sys.stderr)
                return
            time.sleep(0.1)

    def is_over(self, session: str) -> bool:
        sessions = json.loads(self.administer("sessions", "--json"))["sessions"]
        return all("endedAt" in one and not one["approvals"] + one["questions"] for one in sessions if one["session"].endswith(session))

    def ask(self, request: dict[str, Any]) -> str:
        """Waits for a person's decision. Returns the reason of a denial."""
        print(f"  the agent asks: {request['tool_name']}. Decide it on the page.", flush=True)
        answer = self.call("PermissionRequest", request, DECISION_SECONDS_MAX)
        if not answer:
            print("  nobody decided; going on")
            return ""
        decision = json.loads(answer)["hookSpecificOutput"]["decision"]
        print(f"  {decision['behavior']}: {decision.get('message', '')}".rstrip(": "), flush=True)
        return decision.get("message", "denied") if decision["behavior"] == "deny" else ""

    def call(self, event: str, input: dict[str, Any], timeout: float = 30) -> bytes:
        """Makes a hook call like Claude Code: starts the hook with one line of JSON as input; returns its JSON output, if any."""
        command = [BINARY, "statusline", "claude"] if event == "statusline" else [BINARY, "hook", "claude", event]
        # A hook that is killed at the deadline closes its pipe; the host then cancels the approval.
        try:
            result = subprocess.run(
                command, env=self.environment | {"CLAUDE_CODE_SESSION_ID": input["session_id"]}, cwd=self.project,
                input=json.dumps(input).encode() + b"\n", capture_output=True, timeout=timeout,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return b""
        return result.stdout.strip()

    def spawn(self, *arguments: str) -> None:
        with (self.folder / f"{arguments[0]}.log").open("ab") as log:
            # Ctrl-C should reach only the demo: relay and daemon are still needed to report the session's end.
            self.processes.append(
                subprocess.Popen([BINARY, *arguments], env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
            )

    def is_ready(self) -> bool:
        try:
            return urllib.request.urlopen(f"http://{self.listen}/readyz", timeout=2).status == 200
        except (urllib.error.URLError, OSError):
            return False

    def wait_for(self, condition: Any, what: str) -> None:
        deadline = time.monotonic() + START_SECONDS_MAX
        while not condition():
            if time.monotonic() > deadline or self.processes[-1].poll() is not None:
                logs = "".join(path.read_text() for path in self.folder.glob("*.log"))
                sys.exit(f"{what} does not come up:\n{logs[-2000:]}")
            time.sleep(0.05)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--listen", default="127.0.0.1:8787", help="address of the relay (%(default)s)")
    parser.add_argument("--speed", type=float, default=1, help="times faster than it was recorded")
    parser.add_argument("--once", action="store_true", help="one session, at once; otherwise it waits for you and goes on until Ctrl-C")
    options = parser.parse_args()
    if not BINARY.exists():
        sys.exit(f"{BINARY} is missing: run `make build`")

    # SIGTERM and SIGHUP end the demo like Ctrl-C: it stops everything that it started.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(prefix="hg-demo-", ignore_cleanup_errors=True) as folder:
        demo = Demo(Path(folder), options.listen, options.speed)
        try:
            demo.start()
            if demo.joins:
                print(f"Playing into the relay at http://{options.listen}. Watch the page that you have open.", flush=True)
            else:
                print(f"\nOpen this in a browser on this machine (it works once):\n\n   {demo.pair('client')}\n", flush=True)
            print("The phone's Lock Screen is under Devices.", flush=True)
            if not options.once and sys.stdin.isatty():
                input("Press Enter when you see the page. Ctrl-C ends the demo. ")
            demo.invite()
            while True:
                demo.play()
                demo.end()
                if options.once:
                    break
                print(f"  the session has ended; another begins in {BETWEEN_SESSIONS_SECONDS} s", flush=True)
                time.sleep(BETWEEN_SESSIONS_SECONDS)
        except (KeyboardInterrupt, EOFError):
            print()
        except PhoneTrouble as trouble:
            sys.exit(f"There is no phone to show: {trouble}")
        finally:
            # A second Ctrl-C would leave the question behind, so it is ignored; each step of the end has a time limit.
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            demo.stop()


if __name__ == "__main__":
    main()
