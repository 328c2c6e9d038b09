"""`heliograph join`, interrupted and run again: it continues with the same workspace and invitation."""

import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from client import WireClient
from consent import unb64
from relay import BINARY, Relay
from test_register import OPEN, invite, paired, workspaces
from test_up import ROOT_FLAG, Home, home  # noqa: F401
from trusting import devices
from trusting import join as trusting_join
from waits import patient, wait_until

FLAGS = ["--supervised", *ROOT_FLAG, "--yes"]


class Gate:
    """A proxy that holds one request: either before the relay receives it, or together with the relay's answer."""

    def __init__(self, relay: Relay) -> None:
        self.relay = relay
        self.path, self.has_answer = "", False
        self.held = threading.Event()
        self._released = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self, path: str, has_answer: bool) -> None:
        self.path, self.has_answer = path, has_answer

    def release(self) -> None:
        """Drops the held request or answer; from now on everything passes."""
        self.path = ""
        self._released.set()

    def close(self) -> None:
        self.release()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        with near, socket.create_connection(("127.0.0.1", self.relay.port)) as far:
            request = near.recv(64 << 10)
            is_held = bool(self.path) and request.split(b" ")[1:2] == [self.path.encode()]
            if is_held and not self.has_answer:
                return self._keep()
            far.sendall(request)
            if is_held:
                # The relay answers only once the change is on its disk.
                threading.Thread(target=_pump, args=(near, far), daemon=True).start()
                assert far.recv(64 << 10)
                return self._keep()
            threading.Thread(target=_pump, args=(near, far), daemon=True).start()
            _pump(far, near)

    def _keep(self) -> None:
        self.held.set()
        self._released.wait(patient(60))


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(64 << 10):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


@pytest.fixture
def open_relay(make_relay: Callable[..., Relay]) -> Relay:
    return make_relay(*OPEN)


@pytest.fixture
def gate(open_relay: Relay) -> Iterator[Gate]:
    gate = Gate(open_relay)
    yield gate
    gate.close()


def begin(home: Home, relay: str) -> "subprocess.Popen[str]":  # noqa: F811
    return subprocess.Popen([str(BINARY), "join", relay, *FLAGS], env=home.environment, cwd=home.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)


def expect_joined(home: Home, said: str, relay: Relay, client: Callable[..., WireClient]) -> None:  # noqa: F811
    """Checks that there is one host, and that the link pairs a phone with its workspace and makes the host trust the phone."""
    home.wait_link()
    (theirs,) = (entry for name, entry in workspaces(relay).items() if name != "default")
    assert theirs["hosts"] == 1
    code, _, secret = said.partition("/#pair=")[2].split()[0].partition("&k=")
    phone = client(relay, "phone", token=paired(relay, code, "phone"))
    phone.subscribe()
    assert phone.welcome["workspace"]["id"] == theirs["id"]
    phone.device = trusting_join(phone, secret, unb64(devices(home)["host"]))
    assert not (home.folder / ".config/heliograph/pairing.json").exists()
    # The join is complete, so there is nothing to continue.
    assert "already" in home.run("join", relay_of(home), *FLAGS, status=1)
    assert not (home.folder / ".config/heliograph/join.json").exists()


def relay_of(home: Home) -> str:  # noqa: F811
    said: str = json.loads(home.run("status", "--json").splitlines()[0])["host"]["relay"]
    return said


STEPS = [("/v1/register", False), ("/v1/register", True), ("/v1/pair", False), ("/v1/pair", True)]
NAMES = ["before it registers", "registered", "before it pairs", "paired"]


@pytest.mark.parametrize(("path", "has_answer"), STEPS, ids=NAMES)
@pytest.mark.parametrize("is_killed", [True, False], ids=["killed", "cut off"])
def test_whatever_step_it_was_cut_off_at_it_goes_on_when_run_again(
    home: Home, open_relay: Relay, gate: Gate, client: Callable[..., WireClient], path: str, has_answer: bool, is_killed: bool  # noqa: F811
) -> None:
    gate.hold(path, has_answer)
    joining = begin(home, gate.url)
    assert gate.held.wait(patient(30)), f"no request for {path}"
    if is_killed:
        joining.kill()
    gate.release()
    status = joining.wait(patient(30))
    assert status == -9 if is_killed else status > 0
    joining.communicate()
    before = set(workspaces(open_relay))
    assert len(before) == (1 if (path, has_answer) == STEPS[0] else 2)
    said = home.run("join", gate.url, *FLAGS)
    assert before <= set(workspaces(open_relay)) and len(workspaces(open_relay)) == 2
    expect_joined(home, said, open_relay, client)
    home.run("down")


@pytest.mark.parametrize("file", ["host.json", "background.json"])
def test_killed_while_it_sets_the_machine_up_it_goes_on_when_run_again(
    home: Home, open_relay: Relay, gate: Gate, client: Callable[..., WireClient], file: str  # noqa: F811
) -> None:
    joining = begin(home, gate.url)
    folders = [home.folder / ".config/heliograph", home.state]
    wait_until(lambda: any((folder / file).exists() for folder in folders) or joining.poll() is not None, 30, file, every=0.002)
    joining.kill()
    assert joining.wait(patient(10)) == -9, "it was done before"
    joining.communicate()
    expect_joined(home, home.run("join", gate.url, *FLAGS), open_relay, client)
    assert len(workspaces(open_relay)) == 2
    home.run("down")


@pytest.mark.parametrize("has_answer", [False, True], ids=["before it pairs", "paired"])
def test_an_invitation_is_not_lost(home: Home, open_relay: Relay, gate: Gate, client: Callable[..., WireClient], has_answer: bool) -> None:  # noqa: F811
    invitation = invite(open_relay, "Kitchen").replace(open_relay.url, gate.url)
    gate.hold("/v1/pair", has_answer)
    joining = begin(home, invitation)
    assert gate.held.wait(patient(30))
    joining.kill()
    gate.release()
    joining.communicate(timeout=patient(10))
    expect_joined(home, home.run("join", invitation, *FLAGS), open_relay, client)
    home.run("down")


def test_a_key_is_good_until_somebody_has_entered(open_relay: Relay) -> None:
    key = "k" * 43
    first, second = (open_relay.post("/v1/register", {"key": key}).json for _ in range(2))
    assert first["workspace"] == second["workspace"] and first["machine"] != second["machine"]
    token = paired(open_relay, first["machine"], "laptop")
    refused = open_relay.post("/v1/register", {"key": key})
    assert refused.status == 409 and refused.json["error"]["code"] == "closed"
    assert open_relay.post("/v1/register", {"key": "short"}).json["error"]["code"] == "badValue"
    assert open_relay.post("/v1/register", b"[]").status == 400
    assert len(workspaces(open_relay)) == 2
    # A foreign token proves nothing about this invitation.
    again: Any = {"code": second["device"], "name": "x", "token": token}
    assert open_relay.post("/v1/pair", again).json == {"token": token, "role": "host", "name": "laptop"}
    assert open_relay.post("/v1/pair", again | {"token": "hgc_made-badly"}).json["token"] != "hgc_made-badly"
    mine = "hgh_" + "m" * 43
    assert open_relay.post("/v1/pair", {"code": second["machine"], "name": "own", "token": mine}).json["token"] == mine
    assert open_relay.post("/v1/pair", {"code": second["machine"], "name": "own", "token": mine}).status == 200
    assert open_relay.post("/v1/pair", {"code": second["machine"], "name": "own"}).status == 404


def test_what_was_cut_off_is_kept_for_its_owner_alone(home: Home, open_relay: Relay, gate: Gate) -> None:  # noqa: F811
    gate.hold("/v1/pair", True)
    joining = begin(home, gate.url)
    assert gate.held.wait(patient(30))
    joining.kill()
    joining.communicate(timeout=patient(10))
    for name in ("join.json", "pairing.json"):
        file: Path = home.folder / ".config/heliograph" / name
        assert file.stat().st_mode & 0o777 == 0o600


def test_until_a_device_is_trusted_the_link_is_shown_again(home: Home, open_relay: Relay, client: Callable[..., WireClient]) -> None:  # noqa: F811
    first = home.run("join", open_relay.url, *FLAGS)
    again = home.run("join", open_relay.url, *FLAGS)
    code = first.partition("/#pair=")[2].split("&k=")[0]
    assert code and f"/#pair={code}&k=" in again
    expect_joined(home, again, open_relay, client)
    home.run("down")


def test_up_goes_on_with_a_machine_that_joined(home: Home, open_relay: Relay) -> None:  # noqa: F811
    home.run("join", open_relay.url, *FLAGS)
    for process in home.processes().values():
        os.kill(process, signal.SIGKILL)
    wait_until(lambda: not home.processes(), 10, "the machine to be as after a restart")
    said = home.run("up", *FLAGS)
    assert f"reports to {open_relay.url}" in said and set(home.processes()) == {"supervise", "host"}
    home.wait_link()
    home.run("down")
    assert f"reports to {open_relay.url}" in home.run("up", *FLAGS) and set(home.processes()) == {"supervise", "host"}
    assert "another relay" in home.run("up", "--listen", "127.0.0.1:1", *FLAGS, status=1)
    assert set(home.processes()) == {"supervise", "host"} and len(workspaces(open_relay)) == 2
    home.run("down")


def test_an_invitation_to_another_workspace_changes_nothing_and_says_so(home: Home, open_relay: Relay) -> None:  # noqa: F811
    home.run("join", invite(open_relay, "Kitchen"), *FLAGS)
    other = invite(open_relay, "Workshop")
    said = home.run("join", other, *FLAGS, status=1)
    assert "“Kitchen”" in said and "#pair=" not in said
    number = next(id for id, entry in workspaces(open_relay).items() if entry["name"] == "Kitchen")
    open_relay.run("workspace", "delete", number, "--yes", "--data", str(open_relay.data))
    # The machine's token is no longer valid, so the new invitation is used.
    home.run("join", other, *FLAGS)
    home.wait_link()
    (workshop,) = (entry for entry in workspaces(open_relay).values() if entry["name"] == "Workshop")
    assert workshop["hosts"] == 1
    home.run("down")


@pytest.mark.parametrize("code", ["ABCDE.a';id;'", "\x1b[2K\r", "ABCDE"])
def test_what_a_relay_gives_for_codes_is_neither_shown_nor_run(home: Home, code: str) -> None:  # noqa: F811
    answer = json.dumps({"workspace": {"id": "w_1", "name": "x"}, "device": code, "machine": code, "expiresAt": 1}).encode()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            near, _ = listener.accept()
            with near:
                near.recv(64 << 10)
                near.sendall(b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(answer), answer))

        threading.Thread(target=serve, daemon=True).start()
        said = home.run("join", f"http://127.0.0.1:{listener.getsockname()[1]}", *FLAGS, status=1)
    assert "not a relay" in said and code not in said
