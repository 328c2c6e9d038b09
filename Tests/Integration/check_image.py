"""`make image-check`: the steps of the Containerfile in clean roots of its Debian, and the engine's tests on the image's libwebsockets.

A replacement for a container engine: a root by debootstrap stands for each stage's base image, and this machine's toolchain for that of
Swift's own image. Needs root, Debian's mirror, PyPI, and a quarter of an hour.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from debian_root import DebianRoot, end
from deploy_files import IMAGE_USER, image_stages
from relay import ROOT, free_port
from waits import wait_until

pytestmark = pytest.mark.timeout(3600)
TOOLCHAIN = "/toolchain"
# Debian packages with the libraries and programs that the Swift toolchain uses.
TOOLCHAIN_NEEDS = ["gcc", "git", "libc6-dev", "libcurl4t64", "libedit2", "libncurses6", "libstdc++-14-dev", "libxml2", "tzdata"]
TESTS_NEED = ["curl", "faketime", "iproute2", "nftables", "nodejs", "openssl", "procps", "python3-venv", "sqlite3", "strace", "tmux"]
ENGINE_TESTS = "WebSocketEngineTests|HeliographServerTests|HeliographHostTests|HeliographClientTests"
# Integration tests that exercise libwebsockets most.
INTEGRATION = ["approvals", "hazards", "kill", "limits", "load", "loops", "operations", "own_machine", "slow", "wire"]
SOURCES = "/src"


def debian() -> str:
    (name,) = (text.removeprefix("DEBIAN=") for word, text in image_stages()[0] if word == "ARG" and text.startswith("DEBIAN="))
    return name


def copy_packages(scratch: Path) -> None:
    """Copies Swift packages that this machine has already fetched."""
    scratch.mkdir(parents=True)
    for name in ("checkouts", "repositories"):
        shutil.copytree(ROOT / ".build" / name, scratch / name, symlinks=True)
    shutil.copy(ROOT / ".build/workspace-state.json", scratch)


class BuildRoot(DebianRoot):
    """The image's build stage, with the steps run so far."""

    def __init__(self, folder: Path):
        swift = shutil.which("swift")
        assert swift
        # Some tests need a pseudo-terminal, so this machine's /dev is shared.
        super().__init__(folder, debian(), {Path(swift).resolve().parents[2]: TOOLCHAIN, Path("/dev"): "/dev"})
        shutil.copy("/etc/ssl/certs/ca-certificates.crt", self.path("/etc/ssl/certs"))
        self.run("apt-get", "update")
        self.install(*TOOLCHAIN_NEEDS)

    def shell(self, words: str, timeout: float = 1200) -> str:
        """Runs a shell command in the sources' folder with the Swift toolchain; pip uses this machine's network."""
        pip = [f"{name}={value}" for name, value in os.environ.items() if name.startswith("PIP_")]
        folder = "/" if not self.path(SOURCES).exists() else SOURCES
        return self.run("env", *pip, "sh", "-c", f"cd {folder} && PATH={TOOLCHAIN}/usr/bin:$PATH && {words}", timeout=timeout).stdout


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> BuildRoot:
    root = BuildRoot(tmp_path_factory.mktemp("image") / "build")
    for word, text in image_stages()[1]:
        if word == "RUN":
            root.shell(text)
        elif word == "WORKDIR":
            assert text == SOURCES
            root.path(text).mkdir()
            copy_packages(root.path(f"{SOURCES}/.build"))
            shutil.copy(ROOT / "Package.resolved", root.path(SOURCES))
        elif word == "COPY":
            name, place = text.split()
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, root.path(f"{SOURCES}/{place}"), symlinks=True)
            else:
                shutil.copy(ROOT / name, root.path(f"{SOURCES}/{place}"))
        else:
            assert word == "FROM", word
    return root


def test_the_image_serves(build: BuildRoot, tmp_path: Path) -> None:
    """The image's last stage: the package installs with its dependencies, and the relay runs as the image's user and is healthy."""
    root = DebianRoot(tmp_path / "root", debian())
    shutil.copytree(build.path("/out"), root.path("/out"))
    stage = dict(image_stages()[-1])
    root.run("sh", "-c", re.sub(r"^--mount=\S+ ", "", stage["RUN"]), timeout=600)
    assert "not found" not in root.run("ldd", "/usr/bin/heliograph").stdout
    port = free_port()

    def of_image(instruction: str) -> list[str]:
        return [word.replace("8787", str(port)) for word in json.loads(instruction)]

    as_user = ["setpriv", f"--reuid={IMAGE_USER}", f"--regid={IMAGE_USER}", "--clear-groups", "--no-new-privs", "--bounding-set=-all", "env", stage["ENV"]]
    relay = subprocess.Popen(root.command(*as_user, *of_image(stage["ENTRYPOINT"]), *of_image(stage["CMD"])), stdin=subprocess.DEVNULL)
    try:
        check = of_image(stage["HEALTHCHECK"].split(" CMD ")[1])
        wait_until(lambda: relay.poll() is not None or root.run(*check, check=False).returncode == 0, 60, "the image's health check")
        assert "#pair=" in root.run(*as_user, "heliograph", "pair").stdout
        figures = root.run("curl", "-fsS", f"http://127.0.0.1:{port}/metrics").stdout
        assert 'heliograph_event_loops{wait="epoll"} 1' in figures, "the plug-in is there and works"
        end(relay)
    finally:
        relay.kill()


def test_the_engine_on_the_images_libraries(build: BuildRoot) -> None:
    """Tests the engine with the image's libwebsockets, which differs from this machine's."""
    # The base image has no package lists.
    build.run("apt-get", "update")
    build.install(*TESTS_NEED)
    build.shell("python3 -m venv .venv && .venv/bin/python -m pip install --quiet --requirement Tests/Integration/requirements.txt")
    copy_packages(build.path(f"{SOURCES}/.build/tests"))
    build.shell("swift build --build-tests --scratch-path .build/tests")
    build.shell(f"HELIOGRAPH_PATIENCE=3 swift test --skip-build --scratch-path .build/tests --no-parallel --filter '{ENGINE_TESTS}'")
    files = " ".join(f"Tests/Integration/test_{name}.py" for name in INTEGRATION)
    build.shell(f"HELIOGRAPH_PATIENCE=3 .venv/bin/python -m pytest -c Tests/Integration/pytest.ini --timeout=360 {files}")
