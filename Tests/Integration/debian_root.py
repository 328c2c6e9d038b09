"""A clean Debian in a folder, made by debootstrap, and booted by systemd-nspawn if its own systemd is to run the services."""

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

from relay import ROOT
from waits import patient, wait_until

SUITE = "bookworm"


def mirror() -> str:
    """The Debian mirror that this machine uses."""
    listed = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", f"Codename: {SUITE}"], check=True, capture_output=True, text=True
    )
    assert listed.stdout, f"this machine's apt has no source for {SUITE}"
    return listed.stdout.split()[0]


def pristine(suite: str) -> Path:
    """The folder of a clean root, made once; every test gets a copy."""
    root = ROOT / f".build/debian-{suite}"
    if not root.exists():
        half = root.with_suffix(".half")
        shutil.rmtree(half, ignore_errors=True)
        subprocess.run(["debootstrap", "--variant=minbase", "--include=ca-certificates", suite, half, mirror()], check=True, stdout=subprocess.DEVNULL, timeout=1800)
        half.rename(root)
    return root


class DebianRoot:
    """A copy of the clean root; `run` executes commands in it, with this machine's network unless the copy is booted."""

    def __init__(self, folder: Path, suite: str = SUITE, shared: dict[Path, str] | None = None):
        """`shared` maps folders of this machine to paths inside the root."""
        self.folder = folder
        subprocess.run(["cp", "--archive", "--reflink=auto", pristine(suite), folder], check=True)
        self._mounts = ""
        for outside, inside in (shared or {}).items():
            self.path(inside).mkdir(parents=True, exist_ok=True)
            self._mounts += f"mount --rbind {shlex.quote(str(outside))} {shlex.quote(str(self.path(inside)))} && "
        # The root resolves names like this machine.
        for name in ("resolv.conf", "hosts"):
            shutil.copy(Path("/etc") / name, folder / "etc" / name)
        self._container: subprocess.Popen[bytes] | None = None
        self._leader = 0

    def command(self, *command: str) -> list[str]:
        """The command line that runs a command inside the root. Its processes end with it, except in a booted root."""
        if self._container:
            return ["nsenter", f"--target={self._leader}", "--all", "--", *command]
        enter = ["sh", "-c", f'{self._mounts}exec chroot "$@"', "sh", str(self.folder)]
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={self.folder}/proc", *enter, *command]

    def run(self, *command: str, check: bool = True, input: str | None = None, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(self.command(*command), capture_output=True, text=True, env=environment, input=input, timeout=patient(timeout))
        if check:
            assert done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        return done

    def install(self, *names: str) -> None:
        self.run("apt-get", "install", "--yes", "--quiet", "--quiet", "--no-install-recommends", *names, timeout=600)

    def path(self, name: str) -> Path:
        return self.folder / name.lstrip("/")

    @contextlib.contextmanager
    def booted(self) -> Iterator[None]:
        """Boots the root with its own systemd and processes, and with only a loopback network."""
        log = self.folder.with_suffix(".console").open("wb")
        # The container is not registered with this machine's systemd, which may not be running.
        boot = ["systemd-nspawn", f"--directory={self.folder}", "--register=no", "--keep-unit", "--private-network", "--console=pipe", "/lib/systemd/systemd"]
        container = subprocess.Popen(boot, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            children = Path(f"/proc/{container.pid}/task/{container.pid}/children")
            wait_until(lambda: container.poll() is not None or self._find_leader(children), 60, "the container's first process")
            assert container.poll() is None, Path(log.name).read_text()
            self._container = container
            wait_until(lambda: self.run("systemctl", "is-system-running", check=False).stdout.strip() in ("running", "degraded"), 60, "systemd to be up")
            yield
        finally:
            self._container = None
            # systemd-nspawn turns SIGTERM into an order to power off.
            container.send_signal(signal.SIGTERM)
            try:
                container.wait(patient(60))
            except subprocess.TimeoutExpired:
                container.kill()
                container.wait()
            log.close()

    def _find_leader(self, children: Path) -> bool:
        """The process id of the root's systemd, which has a namespace of its own."""
        with contextlib.suppress(OSError, IndexError):
            self._leader = int(children.read_text().split()[0])
            return os.readlink(f"/proc/{self._leader}/exe").endswith("systemd/systemd")
        return False


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process of `DebianRoot.command`: unshare does not pass signals on, so its child gets the signal."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    subprocess.run(["kill", *children], check=True)
    assert process.wait(patient(30)) == 0
