"""The host's Unix socket for hooks, accessible to one user only."""

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from daemon import Daemon
from waits import patient, wait_until

OTHER_USER = 65534


def ask(socket: Path, *arguments: str, user: int | None = None) -> str:
    """The status of an HTTP request over the Unix socket; 000 if there is no connection."""
    asked = subprocess.run(
        ["curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", "--unix-socket", str(socket), *arguments],
        capture_output=True, text=True, timeout=patient(20), user=user, cwd="/",
    )  # fmt: skip
    return asked.stdout


NAMESAKE = """
import http.client, os, socket, sys
def say(session, pid):
    connection = http.client.HTTPConnection("localhost", timeout=30)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(sys.argv[1])
    body = '{"session":"%s","kind":"status.changed","head":{"status":"running"}}\\n' % session
    connection.request("POST", "/v1/agent/events", body, {"X-Agent-Pid": str(pid)})
    assert connection.getresponse().status == 200
say("own", os.getpid())
say("other", int(sys.argv[2]))
print(os.getpid(), flush=True)
sys.stdin.read()
"""
"""Says its own number, and one that means nothing in its namespace, and another process outside."""


def test_a_number_of_another_namespace_is_no_process_here(daemon: Daemon) -> None:
    """A program in a PID namespace of its own, as in a container: its process id means another process here, or none."""
    unshare = ["unshare", "--pid", "--fork", "--kill-child"]
    if subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:
        pytest.skip("needs the right to make a PID namespace")
    stranger = subprocess.Popen(["sleep", "600"])
    program = subprocess.Popen(
        [*unshare, sys.executable, "-c", NAMESAKE, str(daemon.socket), str(stranger.pid)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert program.stdout
        assert program.stdout.readline() == "1\n", "it is the first in a namespace of its own"
        pids = {session["session"]: session.get("pid") for session in (daemon.status() or {})["sessions"]}
        outside = subprocess.run(["pgrep", "-f", str(daemon.socket)], capture_output=True, text=True).stdout.split()
        assert str(pids["local-own"]) in outside, "the same process, by its number here"
        assert pids["local-other"] is None, "nothing in its namespace has that number"
        stranger.kill()
        stranger.wait()
        program.communicate(timeout=patient(20))
        wait_until(lambda: "local-own" not in [session["session"] for session in (daemon.status() or {})["sessions"]], 30, "its end to be noticed")
        assert "local-other" in [session["session"] for session in (daemon.status() or {})["sessions"]], "it ends with nobody"
    finally:
        for process in (program, stranger):
            process.kill()
            process.wait()


@pytest.mark.parametrize(("says_so", "status"), [(True, "completed"), (False, "failed")])
def test_a_session_that_ends_while_no_daemon_runs_has_not_failed(daemon: Daemon, phone: Any, says_so: bool, status: str) -> None:
    """`/exit` while the daemon is down, compared with an agent that was killed meanwhile: in both cases the session has ended."""
    agent = subprocess.Popen(["sleep", "600"])
    daemon.environment["CLAUDE_PID"] = str(agent.pid)
    try:
        start = {"session_id": "s1", "hook_event_name": "SessionStart", "cwd": "/", "source": "startup", "permission_mode": "default"}
        assert daemon.hook("SessionStart", start).returncode == 0
        phone.wait_summary("claude-s1", lambda summary: not summary.get("endedAt"))
        daemon.kill()
        if says_so:
            end = {"session_id": "s1", "hook_event_name": "SessionEnd", "cwd": "/", "reason": "prompt_input_exit"}
            assert daemon.hook("SessionEnd", end).returncode == 0
        agent.kill()
        agent.wait()
        daemon.start()
        assert phone.wait_summary("claude-s1", lambda summary: summary.get("endedAt"), 30)["status"] == status
    finally:
        agent.kill()
        agent.wait()


def test_another_user_is_heard_by_nobody(daemon: Daemon) -> None:
    """The modes of socket and folders keep other users out; if they are changed by mistake, the daemon does, which asks the kernel for the caller's
    user.
    """
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
