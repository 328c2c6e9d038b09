"""`make deb-check`: installing, running and removing the package in a clean Debian root, with and without systemd. Needs root, Debian's mirror, and
minutes.
"""

import json
import re
import shlex
import subprocess
import urllib.request
from pathlib import Path

import pytest

from daemon import recorded_call
from debian_root import DebianRoot, end
from deploy_files import unit
from relay import BINARY, ROOT, free_port
from waits import patient, wait_until

pytestmark = pytest.mark.timeout(1800)
DATA = "/var/lib/heliograph"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = subprocess.run([ROOT / "deploy/debian/build", BINARY, tmp_path_factory.mktemp("deb")], check=True, capture_output=True, text=True)
    return Path(built.stdout.strip())


@pytest.fixture
def root(tmp_path: Path, package: Path) -> DebianRoot:
    root = DebianRoot(tmp_path / "root")
    root.path("/heliograph.deb").write_bytes(package.read_bytes())
    return root


def test_installed_started_removed_and_purged(root: DebianRoot) -> None:
    """The relay is started with its unit's command line, because a container has no systemd."""
    root.install("/heliograph.deb")
    account = root.run("getent", "passwd", "heliograph").stdout.split(":")
    assert account[5] == DATA and account[6].strip() == "/usr/sbin/nologin"
    assert root.run("dpkg", "--verify", "heliograph").stdout == ""
    assert "not found" not in root.run("ldd", "/usr/bin/heliograph").stdout
    assert root.run("heliograph", "--version").stdout.startswith("heliograph ")
    assert root.path(DATA).stat().st_mode & 0o777 == 0o700 and root.path(DATA).stat().st_uid == int(account[2])

    # The operator's own change of the configuration, which an upgrade or removal must keep.
    port = free_port()
    settings = root.path("/etc/default/heliograph")
    settings.write_text(settings.read_text().replace('HELIOGRAPH_SERVE=""', f'HELIOGRAPH_SERVE="--listen 127.0.0.1:{port}"'))
    changed = settings.read_text()

    def serve() -> subprocess.Popen[bytes]:
        (start,) = unit("heliograph.service")["ExecStart"]
        (value,) = re.findall(r'^HELIOGRAPH_SERVE="(.*)"$', settings.read_text(), re.MULTILINE)
        words = shlex.split(start.replace("$HELIOGRAPH_SERVE", value))
        user = ["setpriv", "--reuid=heliograph", "--regid=heliograph", "--clear-groups", "--no-new-privs", "--bounding-set=-all", "--"]
        return subprocess.Popen(root.command(*user, *words), stdin=subprocess.DEVNULL)

    def is_healthy() -> bool:
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=patient(5)).read() == b"ok\n"
        except OSError:
            return False

    relay = serve()
    try:
        wait_until(is_healthy, 60, "the relay's health")
        assert root.run("heliograph", "pair", "--data", DATA).stdout.strip().startswith(f"http://127.0.0.1:{port}/#pair=")
        end(relay)
    finally:
        relay.kill()
    assert root.run("find", DATA, "!", "-user", "heliograph").stdout == "", "the relay could not write what is another's"

    root.install("--reinstall", "/heliograph.deb")
    assert settings.read_text() == changed
    relay = serve()
    try:
        wait_until(is_healthy, 60, "the relay's health on the data that it had")
        end(relay)
    finally:
        relay.kill()

    root.run("apt-get", "remove", "--yes", "--quiet", "--quiet", "heliograph")
    assert not root.path("/usr/bin/heliograph").exists() and not root.path("/usr/lib/systemd/system/heliograph.service").exists()
    assert settings.read_text() == changed and root.path(f"{DATA}/heliograph.sqlite").exists()
    root.run("apt-get", "purge", "--yes", "--quiet", "--quiet", "heliograph")
    assert not settings.exists() and not root.path(DATA).exists()
    assert root.run("dpkg-query", "--show", "--showformat=${db:Status-Status}", "heliograph", check=False).stdout in ("", "not-installed")


def test_the_services_under_systemd(root: DebianRoot) -> None:
    """Both units with all their restrictions in a booted system: a question reaches the relay, and its decision returns to the agent."""
    root.install("systemd", "systemd-sysv", "/heliograph.deb")
    root.run("useradd", "--create-home", "alice")
    # In this test a refused system call ends the service, so that no violation goes unnoticed.
    for name in ("heliograph.service", "heliograph-host@.service"):
        folder = root.path(f"/etc/systemd/system/{name}.d")
        folder.mkdir()
        (folder / "strict.conf").write_text("[Service]\nSystemCallErrorNumber=kill\n")
    with root.booted():
        assert root.run("systemctl", "is-active", "heliograph", check=False).stdout.strip() == "inactive", "nothing starts by itself"
        root.run("systemctl", "enable", "--now", "heliograph")
        wait_until(lambda: root.run("curl", "-fsS", "http://127.0.0.1:8787/readyz", check=False).returncode == 0, 60, lambda: journal(root))
        check_confined(root, "heliograph")

        # The host is paired by its account, and then runs as a service.
        link = json.loads(root.run("heliograph", "pair", "--role", "host", "--json", "--data", DATA).stdout)["link"]
        as_alice = ["runuser", "--user", "alice", "--"]
        root.run("systemctl", "start", "heliograph-host@alice")
        assert state(root, "heliograph-host@alice", "ConditionResult") == "no", "it is not paired yet"
        root.run(*as_alice, "env", "HOME=/home/alice", "heliograph", "host", link, "--pair-only", "--name", "laptop")
        root.run(*as_alice, "mkdir", "/home/alice/.ssh")
        root.run("systemctl", "enable", "--now", "heliograph-host@alice")
        wait_until(root.path("/home/alice/.local/state/heliograph/host.sock").exists, 60, lambda: journal(root))
        check_confined(root, "heliograph-host@alice")
        daemon = state(root, "heliograph-host@alice", "MainPID")
        assert set(root.run("ls", "-A", f"/proc/{daemon}/root/home/alice").stdout.split()) == {".config", ".local"}

        input = recorded_call("PermissionRequest", "4b1f0a52-0000-4000-8000-000000000001", "toolu_1", Path("/home/alice"), tool_name="Bash", tool_input={"command": "ls"})
        agent = subprocess.Popen(root.command(*as_alice, "sh", "-c", "echo $$; exec sleep 600"), stdout=subprocess.PIPE, text=True)
        assert agent.stdout
        facts = ["HOME=/home/alice", f"CLAUDE_CODE_SESSION_ID={input['session_id']}", f"CLAUDE_PID={agent.stdout.readline().strip()}"]
        asking = subprocess.Popen(
            root.command(*as_alice, "env", *facts, "heliograph", "hook", "claude", "PermissionRequest"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert asking.stdin
            asking.stdin.write(json.dumps(input) + "\n")
            asking.stdin.close()
            asking.stdin = None

            def pending() -> str | None:
                answer = root.run("heliograph", "approvals", "list", "--json", "--data", DATA, check=False)
                cards = json.loads(answer.stdout)["approvals"] if answer.returncode == 0 else []
                return cards[0]["approval"] if cards else None

            approval = wait_until(pending, 60, lambda: f"the question at the relay\n{journal(root)}")
            root.run("heliograph", "approvals", "deny", approval, "--wait", "0", "--data", DATA)
            out, err = asking.communicate(timeout=patient(60))
            assert json.loads(out)["hookSpecificOutput"]["decision"]["behavior"] == "deny", err
        finally:
            asking.kill()
            agent.kill()

        before = state(root, "heliograph", "MainPID")
        root.run("systemctl", "kill", "--signal=KILL", "heliograph")
        wait_until(lambda: state(root, "heliograph", "MainPID") not in (before, "0"), 60, lambda: journal(root))
        wait_until(lambda: root.run("curl", "-fsS", "http://127.0.0.1:8787/readyz", check=False).returncode == 0, 60, lambda: journal(root))
        root.run("systemctl", "stop", "heliograph", "heliograph-host@alice")
        assert [state(root, name, "Result") for name in ("heliograph", "heliograph-host@alice")] == ["success", "success"]
        root.run("systemctl", "start", "heliograph", "heliograph-host@alice")
        running = state(root, "heliograph", "MainPID")
        root.run("dpkg", "--install", "/heliograph.deb")
        assert state(root, "heliograph", "ActiveState") == "active" and state(root, "heliograph", "MainPID") != running, "an upgrade runs the new binary"
        root.run("dpkg", "--remove", "heliograph")
        assert root.run("systemctl", "list-units", "--no-legend", "--state=active", "heliograph*").stdout == ""
        root.run("dpkg", "--purge", "heliograph")
        assert not root.path(DATA).exists() and root.path("/home/alice/.local/state/heliograph").exists()


def journal(root: DebianRoot) -> str:
    return root.run("journalctl", "--no-pager", "--lines=40", "--unit=heliograph*", check=False).stdout


def state(root: DebianRoot, name: str, key: str) -> str:
    return root.run("systemctl", "show", "--value", f"--property={key}", f"{name}.service").stdout.strip()


def check_confined(root: DebianRoot, name: str) -> None:
    """Checks the kernel's report on the process rather than the unit's text: no privileges, no way to gain any, and a filter of system calls."""
    process = state(root, name, "MainPID")
    facts = dict(line.split(":", 1) for line in root.run("cat", f"/proc/{process}/status").stdout.splitlines())
    assert (facts["NoNewPrivs"].strip(), facts["Seccomp"].strip()) == ("1", "2") and facts["Uid"].split()[0] != "0"
    assert {facts[name].strip() for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb")} == {"0" * 16}
