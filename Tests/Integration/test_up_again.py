"""`heliograph up` on a machine that is not as the last one left it: its data, its home, its agents, its program; and over systemd."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from claude import SETTINGS
from relay import BINARY, Relay
from test_up import ROOT_FLAG, Home, home  # noqa: F401
from waits import patient, wait_until


def tokens(home: Home) -> list[dict[str, str]]:  # noqa: F811
    return [json.loads(line) for line in home.run("token", "list", "--json").splitlines()]


def test_a_host_that_its_relay_does_not_know_any_more_is_paired_anew(home: Home) -> None:  # noqa: F811
    home.up(*home.listen)
    home.run("down")
    shutil.rmtree(home.folder / ".local/share/heliograph")
    home.up("--yes")
    assert home.status()["host"]["link"] == "live"
    before = home.processes()
    home.run("token", "revoke", next(token["id"] for token in tokens(home) if token["role"] == "host"))
    wait_until(lambda: home.run("status", status=None).count("does not know this machine any more"), 30, lambda: home.run("status", status=None))
    assert home.status(status=7)["host"]["reason"]
    assert "is paired as" in home.up("--yes") and home.status()["host"]["link"] == "live"
    after = home.processes()
    assert after["serve"] == before["serve"] and after["host"] != before["host"]
    home.run("down")


def test_a_machine_whose_relay_let_it_go_says_that_it_needs_a_link(home: Home, relay: Relay) -> None:  # noqa: F811
    home.up("--relay", relay.pair_link("host"), "--yes")
    token = next(token["id"] for token in relay.tokens() if token["role"] == "host")
    relay.revoke(token)
    assert "heliograph up --relay 'LINK'" in home.up("--yes", status=1) and set(home.processes()) == {"supervise", "host"}
    home.up("--relay", relay.pair_link("host"), "--yes")
    assert home.status()["host"]["link"] == "live"
    home.run("down")


def test_a_home_that_was_moved_is_not_begun_anew(home: Home) -> None:  # noqa: F811
    def lives_in(folder: Path) -> None:
        home.folder, home.state = folder, folder / ".local/state/heliograph"
        home.environment |= {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / ".config"), "XDG_STATE_HOME": str(folder / ".local/state")}

    old = home.folder / "old"
    (old / "bin").mkdir(parents=True)
    lives_in(old)
    home.up(*home.listen)
    before = tokens(home)
    new = old.parent / "new"
    old.rename(new)
    lives_in(new)
    data = new / ".local/share/heliograph"
    said = home.up("--yes", status=5)
    assert f"was in {old}/.local/share/heliograph, which is gone" in said and f"heliograph down, then heliograph up --data {data}" in said
    home.run("down")
    said = home.up("--yes", status=5)
    assert f"There is a relay's data in {data}: heliograph up --data {data}" in said and not old.exists() and not home.processes()
    home.up(*home.listen, "--data", str(data))
    assert [token["id"] for token in tokens(home)] == [token["id"] for token in before] and home.status()["host"]["link"] == "live"
    home.run("down")


def test_what_a_killed_up_has_connected_is_taken_back(home: Home) -> None:  # noqa: F811
    before = home.settings.stat().st_ino
    up = subprocess.Popen([str(BINARY), "up", "--supervised", *ROOT_FLAG, *home.listen], env=home.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + patient(120)
    # The kill comes as soon as the settings change: no pause in between.
    while home.settings.stat().st_ino == before and up.poll() is None and time.monotonic() < end:
        pass
    up.kill()
    up.wait()
    assert home.settings.read_text() != SETTINGS
    home.up("--yes")
    home.run("down")
    assert home.settings.read_text() == SETTINGS


def test_down_names_the_agents_that_it_leaves_connected(home: Home) -> None:  # noqa: F811
    home.run("connect", "claude", "--yes")
    connected = home.settings.read_text()
    home.up(*home.listen)
    assert "heliograph disconnect claude" in home.run("down") and home.settings.read_text() == connected


def test_a_machine_without_an_agent_is_told_what_was_looked_for(home: Home) -> None:  # noqa: F811
    (home.folder / "bin/claude").unlink()
    home.environment["PATH"] = f"{home.folder / 'bin'}:/usr/bin:/bin"
    said = home.up(*home.listen)
    assert "No agent to connect was found: this PATH has none of Claude Code (claude)" in said
    assert "heliograph connect" in home.run("status")
    home.run("down")


def test_the_supervisor_says_why_a_program_is_not_started_again(home: Home) -> None:  # noqa: F811
    program = home.folder / "bin/heliograph"
    shutil.copy(BINARY, program)
    (home.folder / "bin/heliograph-hook").symlink_to(BINARY.parent / "heliograph-hook")
    subprocess.run([program, "up", "--supervised", *ROOT_FLAG, *home.listen], env=home.environment, check=True, capture_output=True, timeout=patient(120))
    moved = program.with_name("moved")
    program.rename(moved)
    os.kill(home.processes()["host"], signal.SIGKILL)
    log = home.state / "supervisor.log"
    wait_until(lambda: "the host does not run" in log.read_text() and str(program) in log.read_text(), 20, log.read_text)
    moved.rename(program)
    wait_until(lambda: "host" in home.processes(), 40, home.logs)
    assert log.read_text().count("cannot be started") == 1
    home.run("down")


SYSTEMCTL = """#!/bin/sh
# Answers as Debian 12's does for a service that ends at its start.
echo "$@" >> "$HOME/systemctl.calls"
case "$*" in
*restart*) echo "Job for heliograph-relay.service failed because the control process exited with error code." >&2; exit 1 ;;
esac
"""
JOURNALCTL = """#!/bin/sh
echo "$@" > "$HOME/journalctl.call"
echo "Starting heliograph-relay.service - Heliograph relay..."
echo "heliograph: 127.0.0.1:8787 cannot be listened on: Address already in use"
echo "heliograph-relay.service: Main process exited, code=exited, status=4/NOPERMISSION"
echo "heliograph-relay.service: Failed with result 'exit-code'."
"""


@pytest.mark.parametrize("journal", [True, False])
def test_a_service_that_does_not_start_says_why(home: Home, journal: bool) -> None:  # noqa: F811
    for name, text in (("systemctl", SYSTEMCTL), ("journalctl", JOURNALCTL if journal else "#!/bin/sh\nexit 1\n")):
        (home.folder / "bin" / name).write_text(text)
        (home.folder / "bin" / name).chmod(0o755)
    said = home.run("up", *ROOT_FLAG, *home.listen, status=None)
    if journal:
        assert "the relay: 127.0.0.1:8787 cannot be listened on: Address already in use" in said
        assert re.search(r"--user -u heliograph-relay.service --since @\d+", (home.folder / "journalctl.call").read_text())
    else:
        assert "control process exited" in said
    assert not list((home.folder / ".config/systemd/user").glob("*")), "a first set-up that failed leaves nothing"
    assert "disable --now heliograph-relay.service" in (home.folder / "systemctl.calls").read_text()
    home.run("status", status=5)
