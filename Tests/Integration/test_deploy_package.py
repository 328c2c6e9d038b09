"""The Debian package as built; `make deb-check` installs it."""

import gzip
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from deploy_files import DEPLOY, SOCKETS, UNITS, unit
from relay import BINARY, ROOT

RELEASED = (ROOT / ".build/release/heliograph").resolve()
"""The binary that `make build` makes."""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    named = os.environ | {"DEBFULLNAME": "Ada", "DEBEMAIL": "ada@heliograph.example.org"}
    built = subprocess.run([DEPLOY / "debian/build", BINARY, tmp_path_factory.mktemp("deb")], capture_output=True, text=True, env=named)
    assert built.returncode == 0, built.stderr
    return Path(built.stdout.strip())


@pytest.fixture(scope="module")
def tree(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tree")
    subprocess.run(["dpkg-deb", "--raw-extract", package, folder], check=True)
    return folder


def field(package: Path, name: str) -> str:
    return subprocess.run(["dpkg-deb", "--field", package, name], check=True, capture_output=True, text=True).stdout.strip()


def test_it_names_its_version_and_what_it_needs(package: Path) -> None:
    said = subprocess.run([BINARY, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    version = field(package, "Version")
    assert version == said or re.fullmatch(rf"{re.escape(said)}~git\d{{14}}\.[0-9a-f]{{7,}}", version)
    assert subprocess.run(["dpkg", "--compare-versions", version, "le", said]).returncode == 0
    needed = {one.split()[0] for one in field(package, "Depends").split(",")}
    # The package depends on the linked libraries, and on programs that it runs: curl for pairing over TLS.
    assert {"libc6", "libnghttp2-14", "libqrencode4", "libsqlite3-0", "libssl3", "adduser", "ca-certificates", "curl"} <= needed
    assert any(re.fullmatch(r"libwebsockets\d+\w*", name) for name in needed)


def test_it_holds_what_the_services_ask_for(tree: Path) -> None:
    assert (tree / "DEBIAN/conffiles").read_text().split() == ["/etc/default/heliograph"]
    assert sorted(path.name for path in (tree / "usr/lib/systemd/system").iterdir()) == sorted(path.name for path in [*UNITS, *SOCKETS])
    asked = set()
    for path in UNITS:
        settings = unit(path.name)
        assert settings["EnvironmentFile"] == ["-/etc/default/heliograph"]
        asked |= set(re.findall(r"\$(\w+)", settings["ExecStart"][0]))
    given = re.findall(r"^(\w+)=", (tree / "etc/default/heliograph").read_text(), re.MULTILINE)
    assert sorted(given) == sorted(asked)
    result = subprocess.run([tree / "usr/bin/heliograph", "--version"], capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout.startswith("heliograph "), "it was stripped of something it needs"
    for command in ("bench", "apns-simulator"):
        result = subprocess.run([tree / "usr/bin/heliograph", command, "--help"], capture_output=True, text=True)
        assert result.returncode == 0 and f"USAGE: heliograph-{command} " in result.stdout, result.stderr


def test_it_carries_no_languages(tree: Path) -> None:
    size = (tree / "usr/bin/heliograph").stat().st_size
    assert size < 70 << 20, f"{size} bytes: is the toolchain's ICU of another version than Sources/CHeliographICUData?"


def test_what_agents_call_needs_no_library_and_hands_on_the_rest(tree: Path, tmp_path: Path) -> None:
    program = tree / "usr/bin/heliograph-hook"
    headers = subprocess.run(["readelf", "--program-headers", program], check=True, capture_output=True, text=True).stdout
    assert "INTERP" not in headers and "DYNAMIC" not in headers
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    for variables in (environment, {"PATH": "/usr/bin:/bin"}):
        result = subprocess.run([program, "hook", "claude", "Stop"], input="{}", capture_output=True, text=True, env=variables)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    result = subprocess.run([program, "--version"], capture_output=True, text=True, env=environment)
    assert result.returncode == 0 and result.stdout.startswith("heliograph ")
    alone = shutil.copy(program, tmp_path)
    assert subprocess.run([alone, "hook", "claude", "Stop"], stdin=subprocess.DEVNULL, env={"PATH": "/usr/bin:/bin"}).returncode == 0
    assert subprocess.run([alone, "--version"], env=environment).returncode == 127


def test_its_symbols_are_a_package_beside_it(package: Path, tree: Path, tmp_path: Path) -> None:
    symbols = package.with_name(package.name.replace("heliograph_", "heliograph-dbgsym_"))
    assert field(symbols, "Depends") == f"heliograph (= {field(package, 'Version')})"
    subprocess.run(["dpkg-deb", "--extract", symbols, tmp_path], check=True)

    def named(path: Path) -> int:
        return len(subprocess.run(["nm", path], capture_output=True, text=True).stdout.splitlines())

    builds = []
    for program in ("heliograph", "heliograph-bench", "heliograph-apns-simulator", "heliograph-hook"):
        binary = tree / "usr/bin" / program
        notes = subprocess.run(["readelf", "--notes", binary], check=True, capture_output=True, text=True).stdout
        builds.append(build := re.search(r"Build ID: (\w+)", notes)[1])
        debug = tmp_path / f"usr/lib/debug/.build-id/{build[:2]}/{build[2:]}.debug"
        assert named(binary) == 0 and named(debug) > 10_000
    assert field(symbols, "Build-Ids").split() == builds


def test_its_scripts_are_shell(tree: Path) -> None:
    for name in ("postinst", "prerm", "postrm"):
        path = tree / "DEBIAN" / name
        assert path.stat().st_mode & 0o111 and "set -e" in path.read_text()
        subprocess.run(["sh", "-n", path], check=True)


def test_its_manual_has_every_command(tree: Path) -> None:
    page = tree / "usr/share/man/man1"
    text = manual(page / "heliograph.1.gz")
    for command in ("serve", "pair", "host", "token create", "push setup", "approvals deny", "audit verify", "restore"):
        assert f"heliograph {command}\n" in text, command
    assert "--public-url <url>" in text and "--help" in text
    assert "heliograph-bench <scenario> [options]" in (text := manual(page / "heliograph-bench.1.gz")) and "--client-relay <url>" in text
    assert "--one-token-a-team" in manual(page / "heliograph-apns-simulator.1.gz")


def manual(page: Path) -> str:
    shown = subprocess.run(["man", "--local-file", "--warnings", page], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MANWIDTH": "100", "MAN_KEEP_FORMATTING": ""})
    assert shown.returncode == 0 and shown.stderr == ""
    return subprocess.run(["col", "-bx"], input=shown.stdout, capture_output=True, text=True, check=True).stdout


def test_each_shell_completes_its_commands(tree: Path, tmp_path: Path) -> None:
    programs = ("heliograph", "heliograph-bench", "heliograph-apns-simulator")
    places = [("bash", "bash-completion/completions/{}"), ("zsh", "zsh/vendor-completions/_{}"), ("fish", "fish/vendor_completions.d/{}.fish")]
    for shell, file in [(shell, place.format(program)) for program in programs for shell, place in places]:
        checked = subprocess.run([shell, "-n", tree / "usr/share" / file], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)})
        assert (checked.returncode, checked.stderr) == (0, ""), f"{shell}: {checked.stderr}"
    script = tree / "usr/share/bash-completion/completions/heliograph"
    asks = f'source {script}; COMP_WORDS=(heliograph host proj); COMP_CWORD=2; _heliograph heliograph proj host; echo "${{COMPREPLY[@]}}"'
    said = subprocess.run(["bash", "-c", asks], capture_output=True, text=True, env={"PATH": f"{tree}/usr/bin:/usr/bin:/bin", "HOME": str(tmp_path)})
    assert said.stdout.split() == ["projects"], said


def test_its_pages_lead_nowhere_that_it_does_not_carry(tree: Path) -> None:
    doc = tree / "usr/share/doc/heliograph"
    pages = [doc / "README.md", *(doc / "pages").rglob("*.md")]
    links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#\s]+)", page.read_text()) if ":" not in link]
    assert len(links) > 100 and any(page.name == "README.md" for page, _ in links)
    assert [f"{page.relative_to(doc)}: {link}" for page, link in links if not (page.parent / link).exists()] == []
    changes = subprocess.run(["dpkg-parsechangelog", "--file", "-"], input=gzip.decompress((doc / "changelog.gz").read_bytes()), capture_output=True)
    assert changes.returncode == 0 and b"Source: heliograph" in changes.stdout, changes.stderr


def test_lintian_finds_no_error(package: Path) -> None:
    assert field(package, "Maintainer") == "Ada <ada@heliograph.example.org>"
    said = subprocess.run(["lintian", "--no-cfg", "--allow-root", "--fail-on", "error", package], capture_output=True, text=True)
    errors = [line for line in said.stdout.splitlines() if line.startswith("E:")]
    if BINARY != RELEASED:
        # Test builds have library search paths of the build folder or the compiler.
        errors = [line for line in errors if "custom-library-search-path" not in line]
    assert errors == [], said.stdout + said.stderr


def test_what_is_released_looks_for_libraries_where_the_system_has_them() -> None:
    """Checks the build commands rather than this binary, so that the check also holds if another build is tested."""
    for name in ("Makefile", "deploy/container/Containerfile"):
        built = re.findall(r"swift build .*--static-swift-stdlib .*--product", (ROOT / name).read_text())
        assert built and all("--disable-local-rpath" in line for line in built), name
