"""An app that depends on this package gets the libraries for apps without the relay's packages and without conflicting names."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
MANIFEST = """\
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "app",
    dependencies: [DEPENDENCY, .package(path: "../swift-crypto")],
    targets: [
        .executableTarget(
            name: "App",
            dependencies: [
                .product(name: "LiveActivityKit", package: "heliograph"), .product(name: "HeliographKit", package: "heliograph"),
                .product(name: "Crypto", package: "swift-crypto"),
            ])
    ])
"""
APP = """\
import Crypto
import HeliographKit
import LiveActivityKit
print(stub, DeepLink(session: "s1")!.text, (try? TrustLink("https://relay.example/")) == nil)
"""
CRYPTO = """\
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "swift-crypto", products: [.library(name: "Crypto", targets: ["Crypto"])], targets: [.target(name: "Crypto")])
"""


def swift(folder: Path, *words: str) -> subprocess.CompletedProcess:
    """Runs swift with its own cache and without a network, so that requesting a package fails."""
    words = (words[0], "--cache-path", str(folder.parent / "cache"), *words[1:])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HELIOGRAPH_")}
    environment["GIT_ALLOW_PROTOCOL"] = "file"
    # SwiftPM leaves its lock files there.
    environment["TMPDIR"] = str(folder)
    return subprocess.run(["swift", *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def app(folder: Path, dependency: str) -> Path:
    """An app that depends on this package and on one with a target named `Crypto`, like swift-crypto."""
    files = {
        "app/Package.swift": MANIFEST.replace("DEPENDENCY", dependency), "app/Sources/App/main.swift": APP,
        "swift-crypto/Package.swift": CRYPTO, "swift-crypto/Sources/Crypto/Stub.swift": 'public let stub = "stub"\n',
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "app"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> str:
    """This package with uncommitted changes, tagged with a version."""
    repository = tmp_path_factory.mktemp("published") / "heliograph"
    repository.mkdir()
    shutil.copy(TOP / "Package.swift", repository)
    for name in ["Sources", "Tests", "web"]:
        shutil.copytree(TOP / name, repository / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    git = ["git", "-c", "user.name=ada", "-c", "user.email=ada@example.org", "-c", "core.hooksPath=/dev/null"]
    for words in [["init", "-q"], ["add", "-A"], ["commit", "-qm", "A version"], ["tag", "1.0.0"]]:
        subprocess.run([*git, *words], cwd=repository, check=True)
    return f"file://{repository}"


def identities(folder: Path) -> set[str]:
    shown = swift(folder, "package", "show-dependencies", "--format", "json")
    assert shown.returncode == 0, shown.stderr
    return {one["identity"] for one in json.loads(shown.stdout[shown.stdout.index("{\n"):])["dependencies"]}


def test_an_app_resolves_and_builds_beside_a_target_named_crypto(tmp_path: Path, published: str) -> None:
    folder = app(tmp_path, f'.package(url: "{published}", from: "1.0.0", traits: [])')
    assert identities(folder) == {"heliograph", "swift-crypto"}
    assert [pin["identity"] for pin in json.loads((folder / "Package.resolved").read_text())["pins"]] == ["heliograph"]
    assert [path.name for path in (folder / ".build/checkouts").iterdir()] == ["heliograph"]
    run = swift(folder, "run")
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.strip().endswith("stub heliograph://session/s1 true")


def test_so_does_one_that_has_it_in_a_folder(tmp_path: Path) -> None:
    folder = app(tmp_path, f'.package(name: "heliograph", path: "{TOP}", traits: [])')
    assert len(identities(folder)) == 2
    assert not (folder / ".build/checkouts").exists() or not list((folder / ".build/checkouts").iterdir())


def test_with_the_default_traits_it_is_asked_for_the_relays_packages(tmp_path: Path, published: str) -> None:
    folder = app(tmp_path, f'.package(url: "{published}", from: "1.0.0")')
    asked = swift(folder, "package", "resolve")
    # The packages come from a mirror on this machine, or their absence is reported.
    assert re.search(r"https://\S+/(GRDB\.swift|swift-log|swift-argument-parser)", asked.stderr), asked.stderr
