"""The socket that hooks talk to: of one user alone."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

from daemon import Daemon
from waits import patient

OTHER_USER = 65534


def ask(socket: Path, *arguments: str, user: int | None = None) -> str:
    """The status of an HTTP request over the socket; 000 where there is no connection."""
    asked = subprocess.run(
        ["curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", "--unix-socket", str(socket), *arguments],
        capture_output=True, text=True, timeout=patient(20), user=user, cwd="/",
    )  # fmt: skip
    return asked.stdout


def test_another_user_is_heard_by_nobody(daemon: Daemon) -> None:
    """Not by the modes of socket and folders, and where those are opened by mistake, not by the daemon, who asks the kernel who calls."""
    if os.geteuid() != 0:
        pytest.skip("only root can be somebody else")
    status, hook = ["http://localhost/v1/status"], ["--data", '{"session_id":"x"}', "http://localhost/v1/hook/claude/PermissionRequest"]
    assert stat.S_IMODE(daemon.socket.stat().st_mode) == 0o600
    assert ask(daemon.socket, *status) == "200"
    assert ask(daemon.socket, *status, user=OTHER_USER) == "000"
    daemon.socket.chmod(0o666)
    for folder in list(daemon.socket.parents)[:-1]:
        if not folder.stat().st_mode & 0o001:
            folder.chmod(0o711)
    for request in (status, hook, ["http://localhost/v1/alive"], ["http://localhost/nothing"]):
        assert ask(daemon.socket, *request, user=OTHER_USER) == "403", request
    assert ask(daemon.socket, *status) == "200"
