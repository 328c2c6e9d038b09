"""`heliograph up` sets a machine up and `down` removes that again. Without systemd, with supervised processes."""

import json
import os
import re
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from claude import SETTINGS
from consent import Shown, unb64
from own_agent import Asking, question
from relay import BINARY, Relay, free_port, plain_environment
from trusting import devices, join, opener_of
from waits import patient, wait_until

ROOT_FLAG = ["--as-root"] if os.geteuid() == 0 else []


class Home:
    """A machine on which Heliograph was never started, with an installed Claude Code that is not running."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.port = free_port()
        self.listen = ["--listen", f"127.0.0.1:{self.port}", "--yes"]
        self.settings = folder / ".claude/settings.json"
        self.state = folder / ".local/state/heliograph"
        self.environment = plain_environment(folder)
        self.environment["PATH"] = f"{folder / 'bin'}:{self.environment['PATH']}"
        for made in (folder / "bin", self.settings.parent):
            made.mkdir(parents=True)
        claude = folder / "bin/claude"
        claude.write_text("#!/bin/sh\necho 2.1.329\n")
        claude.chmod(0o755)
        self.settings.write_text(SETTINGS)

    def run(self, *arguments: str, status: int | None = 0, input: str = "") -> str:
        done = subprocess.run([str(BINARY), *arguments], env=self.environment, capture_output=True, text=True, cwd=self.folder, input=input, timeout=patient(120))
        assert status is None or done.returncode == status, f"heliograph {' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}\n{self.logs()}"
        return done.stdout + done.stderr

    def up(self, *arguments: str, **options: Any) -> str:
        return self.run("up", "--supervised", *ROOT_FLAG, *arguments, **options)

    def status(self, status: int = 0) -> dict[str, Any]:
        return json.loads(self.run("status", "--json", status=status).splitlines()[0])

    def wait_link(self, timeout: float = 20) -> None:
        """Waits until the link is up: a restarted process takes a moment, which the exit status of `status` shows, too."""

        def is_live() -> bool:
            said = self.run("status", "--json", status=None).splitlines()
            return bool(said) and json.loads(said[0]).get("host", {}).get("link") == "live"

        wait_until(is_live, timeout, "the host's link")

    def processes(self) -> dict[str, int]:
        """Heliograph's processes in this home, by their first argument."""
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                environment = (process / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if f"HOME={self.folder}".encode() in environment and words[0].endswith(b"heliograph") and len(words) > 1:
                found[words[1].decode()] = int(process.name)
        return found

    def logs(self) -> str:
        return "".join(f"{path.name}:\n{path.read_text()[-2000:]}\n" for path in self.state.glob("*.log"))


@pytest.fixture
def home(short_path: Path) -> Iterator[Home]:
    home = Home(short_path)
    yield home
    for process in home.processes().values():
        os.kill(process, signal.SIGKILL)


def test_one_command_sets_a_machine_up_and_one_takes_it_back(home: Home, client: Any) -> None:
    said = home.up(*home.listen)
    url = f"http://127.0.0.1:{home.port}"
    assert f"The relay is at {url}" in said and "heliograph down" in said and "heliograph status" in said
    link = re.search(r"/#pair=([\w-]+)&k=([\w-]+)", said)
    assert link, said
    assert home.settings.read_text() != SETTINGS and "Claude Code" in said
    assert set(home.processes()) == {"supervise", "serve", "host"}

    status = home.status()
    assert status["manager"] == "supervised" and status["agents"] == ["claude"]
    assert (status["relay"]["running"], status["relay"]["url"], status["relay"]["devices"]) == (True, url, 0)
    assert status["host"]["running"] and status["host"]["relay"] == url
    home.wait_link()
    assert "Relay:   runs" in home.run("status")

    # A device needs only the link to be able to decide.
    with urllib.request.urlopen(f"{url}/v1/pair", json.dumps({"code": link[1], "name": "Ada's phone"}).encode(), timeout=patient(10)) as answer:
        token = json.load(answer)["token"]
    phone = client(SimpleNamespace(url=url), "Ada's phone", token=token)
    phone.subscribe()
    host = unb64(devices(home)["host"])
    phone.device = join(phone, link[2], host)
    opener = opener_of(phone, host)
    asking = Asking(SimpleNamespace(socket=home.state / "host.sock"), question("s1"))  # type: ignore[arg-type]
    card = phone.wait_card()
    assert card["request"]["body"].keys() == {"sealed"}
    shown = Shown(opener.event(card["session"], card["request"])[1])
    signature = phone.device.decide(shown, "allow")
    phone.command("decide", session=card["session"], approval=card["approval"], digest=shown.digest, decision="allow", signature=signature)
    assert asking.answer() == (200, {"decision": "allow"})
    phone.close()
    assert home.status()["relay"]["devices"] == 1

    # Killed processes are restarted; the others continue.
    for name in ("serve", "host"):
        before = home.processes()
        os.kill(before[name], signal.SIGKILL)
        wait_until(lambda: home.processes().get(name) not in (None, before[name]), 20, f"{name} to come back. {home.logs()}")
        assert {other: process for other, process in home.processes().items() if other != name} == {other: process for other, process in before.items() if other != name}
    home.wait_link(30)

    # A second `up` restarts nothing and changes no setting.
    before, settings = home.processes(), home.settings.read_bytes()
    again = home.up("--yes")
    assert home.processes() == before and home.settings.read_bytes() == settings
    assert "nothing to change" in again and url in again and "#pair=" not in again

    # With `--listen` at another address the host connects to the relay there.
    url = f"http://127.0.0.1:{free_port()}"
    home.up("--listen", url.removeprefix("http://"), "--yes")
    assert home.processes()["supervise"] == before["supervise"] and home.status()["relay"]["url"] == url
    home.wait_link(30)
    before = home.processes()

    # After the supervisor was killed nothing runs, and `up` starts everything.
    os.kill(before["supervise"], signal.SIGKILL)
    wait_until(lambda: not home.processes(), 20, "all to end")
    assert "the supervisor does not run" in home.run("status", status=7)
    home.up("--yes")
    home.wait_link(30)
    assert "heliograph is listening" in home.run("logs") or "relay" in home.run("logs")

    said = home.run("down")
    assert not home.processes() and home.settings.read_text() == SETTINGS
    assert not [path.name for path in home.state.iterdir() if path.name.endswith(".log") or path.name == "supervisor.lock"]
    assert str(home.folder / ".local/share/heliograph") in said
    assert home.run("status", "--json", status=5) and home.run("down", status=5)

    # Existing data is used again.
    home.up("--yes")
    assert home.status()["relay"]["url"] == url
    home.wait_link(30)
    home.run("down")


def test_a_newer_program_takes_over_in_place(home: Home) -> None:
    program = home.folder / "bin/heliograph"
    hook = BINARY.parent / "heliograph-hook"
    subprocess.run(["cp", str(BINARY), str(program)], check=True)
    (home.folder / "bin/heliograph-hook").symlink_to(hook)
    command = [str(program), "up", "--supervised", *ROOT_FLAG, *home.listen]
    subprocess.run(command, env=home.environment, check=True, capture_output=True, timeout=patient(120))
    before = home.processes()
    subprocess.run(["cp", str(BINARY), f"{program}.new"], check=True)
    os.rename(f"{program}.new", program)
    subprocess.run(command, env=home.environment, check=True, capture_output=True, timeout=patient(120))
    after = home.processes()
    assert set(after) == set(before) and not set(after.values()) & set(before.values())
    for process in after.values():
        assert os.readlink(f"/proc/{process}/exe") == str(program)
    home.run("down")


def test_nobody_to_ask_changes_no_setting(home: Home) -> None:
    said = home.up("--listen", f"127.0.0.1:{home.port}")
    assert "No agent's settings were changed" in said and home.settings.read_text() == SETTINGS
    home.run("down")
    assert home.settings.read_text() == SETTINGS


def test_up_goes_on_where_down_ended_and_with_what_was_given_last(home: Home) -> None:
    data = home.folder / "data of mine"
    listen = f"127.0.0.1:{home.port}"
    home.up("--listen", listen, "--data", str(data), "--yes")
    # All other commands find the relay, too.
    assert f"http://{listen}/#pair=" in home.run("pair", "--no-picture") and home.run("sessions")
    home.up("--yes")
    home.run("down")
    home.up("--yes")
    assert home.status()["relay"] == {"running": True, "url": f"http://{listen}", "data": str(data), "devices": 0}
    home.wait_link()
    home.run("down")


def test_what_cannot_be_leaves_what_runs(home: Home) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        busy = f"127.0.0.1:{taken.getsockname()[1]}"
        assert "Address already in use" in home.up("--listen", busy, "--yes", status=4) and not home.processes()
        home.up(*home.listen)
        assert "Address already in use" in home.up("--listen", busy, "--yes", status=4)
    wait_until(lambda: set(home.processes()) == {"supervise", "serve", "host"}, 20, "what ran before")
    assert "ADDRESS:PORT" in home.up("--listen", "127.0.0.1:99999", "--yes", status=2)
    assert "link for a host" in home.up("--relay", "garbage", status=2)
    home.wait_link()
    assert home.status()["relay"]["url"] == f"http://127.0.0.1:{home.port}"
    assert "without TLS" in home.up("--listen", f"0.0.0.0:{home.port}", "--yes")
    home.run("down")


def test_an_agent_that_cannot_be_connected_keeps_nothing_from_running(home: Home) -> None:
    home.settings.write_text('{ // hello\n "model": "x"}')
    said = home.up(*home.listen, status=7)
    assert "Claude Code is not connected" in said and "line 1, column 3: a comment" in said and "/#pair=" in said and home.status()["host"]["running"]
    home.run("down")
    assert home.settings.read_text() == '{ // hello\n "model": "x"}'


def test_two_at_once_are_one_after_the_other(home: Home) -> None:
    command = [str(BINARY), "up", "--supervised", *ROOT_FLAG, *home.listen]
    both = [subprocess.Popen(command, env=home.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2)]
    for one in both:
        said, _ = one.communicate(timeout=patient(150))
        assert one.returncode == 0, said
    assert home.status()["host"]["running"]
    home.run("down")


def test_a_machine_becomes_a_host_of_another_relay(home: Home, relay: Relay, client: Any) -> None:
    said = home.up("--relay", relay.pair_link("host"), "--yes", "--name", "laptop")
    assert f"reports to {relay.url}" in said and set(home.processes()) == {"supervise", "host"}
    home.wait_link()
    assert "relay" not in home.status()
    # A used link has no effect.
    home.up("--relay", relay.pair_link("host"), "--yes")
    assert "has a relay of its own" not in home.run("status")
    home.run("down")
    assert not home.processes()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is root")
def test_root_has_to_say_so(home: Home) -> None:
    assert "--as-root" in home.run("up", "--supervised", status=1)
    assert not home.processes()
