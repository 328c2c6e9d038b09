"""Versions of the real Codex whose terminal starts no server: `make codex-check`. Each is fetched from PyPI, some 100 MB.

The tests start server and terminal by hand, as Codex.md describes; watching, answering and steering then work as in other versions.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_agents import install
from client import WireClient
from codex import DIALOG, CodexMachine, command
from relay import Relay
from steered import Steered, phone  # noqa: F401 (a fixture)
from waits import patient, wait_until

BY_HAND = ["0.133.0", "0.136.0", "0.144.4", "0.153.4"]
NAMELESS = ["0.133.0"]
"""A version that does not say whose prompt it reports, so that nothing shows that it took ours."""
READY = "5.4 default"
OLD_MODEL = "Use existing model"
"""Some ask at their first start whether to go on with this one."""


@pytest.fixture(params=BY_HAND)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def program(version: str) -> Path:
    """The path of Codex in that version."""
    packages = install(f"openai-codex-cli-bin=={version}").parent
    return next(packages.glob("lib/python*/site-packages/codex_cli_bin/bin/codex"))


@pytest.fixture
def machine(short_path: Path, relay: Relay, program: Path) -> Iterator[CodexMachine]:
    """A machine with a Codex server started by hand, and a terminal attached to it."""
    machine = CodexMachine(short_path, relay)
    server = None
    try:
        machine.set_up()
        server = serve(machine, program)
        machine.terminal.run([str(program), "--remote", "unix://", "-a", "on-request", "-s", "read-only"], machine.environment)
        wait_until(lambda: any(text in machine.screen() for text in (READY, OLD_MODEL)), 30, lambda: f"its screen, which shows:\n{machine.screen()}")
        if OLD_MODEL in machine.screen():
            machine.press_until("2", lambda screen: OLD_MODEL not in screen, "keep the model")
        machine.wait_screen(READY, 30)
        yield machine
    finally:
        if server:
            server.kill()
            server.wait(patient(10))
        machine.tear_down()


def serve(machine: CodexMachine, program: Path) -> "subprocess.Popen[bytes]":
    log = machine.folder / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [str(program), "app-server", "--listen", "unix://"], env=machine.environment, cwd=machine.project, stdin=subprocess.DEVNULL,
            stdout=output, stderr=output,
        )  # fmt: skip
    wait_until(machine.socket.exists, 15, lambda: f"the server; it says {log.read_text()}")
    return server


def test_it_is_answered_and_steered_beside_its_terminal(machine: CodexMachine, phone: WireClient, version: str) -> None:
    machine.api.script = [[command("echo hi > out.txt")], [{"text": "All done now."}]]
    machine.prompt("please do it")
    machine.wait_screen(DIALOG)
    card = phone.wait_card(timeout=20)
    phone.decide(card["session"], card["approval"], "allow")
    assert machine.wait_file("out.txt") == "hi\n"
    machine.wait_screen("All done now.")
    machine.wait_gone(DIALOG)
    phone.wait_approval(card["approval"], "applied")
    assert phone.summaries[card["session"]]["agent"]["version"] == version
    steered = Steered(phone, card["session"], machine.api)
    steered.status("idle")
    phone.subscribe(steered.session)
    machine.api.script = [[{"text": "Second."}]]
    id = steered.prompt("/from afar")
    machine.wait_screen("/from afar")
    machine.wait_screen("Second.")
    assert steered.stage(id)["stage"] == ("unknown" if version in NAMELESS else "taken")


def test_doctor_says_what_does_not_work_with_it(machine: CodexMachine, program: Path, version: str) -> None:
    machine.environment["PATH"] = f"{program.parent}:{machine.environment['PATH']}"
    found = machine.heliograph("doctor", check=False).stdout
    assert version in found
    assert "its terminal shares no server" in found, found
    assert ("the outcome of a client's prompt is unknown" in found) == (version in NAMELESS), found
