"""The test runner notices if a test changes files outside its own, and ends processes that a test has left."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from relay import ROOT, plain_environment
from waits import patient, wait_until

UNTOUCHED = ROOT / "Tests/Tools/untouched"


def run(home: Path, words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([UNTOUCHED, "sh", "-c", words], env=plain_environment(home), capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("chmod 700 ~", ""), ("mkdir -p ~/.config/heliograph && echo x > ~/.config/heliograph/client.json", ".config/heliograph/client.json"),
        ("echo '{}' > ~/.claude/settings.json", ".claude/settings.json"), ("rm ~/.bashrc", ".bashrc"), ("mkdir -p ~/.local/state/heliograph", ".local/state/heliograph"),
    ],
)  # fmt: skip
def test_what_a_test_changes_that_is_not_its_own_fails_the_run_and_is_named(tmp_path: Path, words: str, name: str) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text('{"a": 1}')
    (tmp_path / ".bashrc").touch()
    result = run(tmp_path, words)
    assert result.returncode == 1 and f"  {tmp_path / name}: " in result.stderr, result.stderr


def test_tests_that_keep_to_themselves_end_as_they_end(tmp_path: Path) -> None:
    assert run(tmp_path, "touch ~/notes").returncode == 0
    assert run(tmp_path, "exit 3").returncode == 3


REAPED = ROOT / "Tests/Tools/reaped"
STRAYS = """
setsid sh -c 'echo $$ >"$1/deaf"; trap "" TERM; while :; do sleep 1; done' sh "$1" &
(setsid sh -c 'echo $$ >"$1/orphan"; exec sleep 600' sh "$1" &)
while ! [ -s "$1/deaf" ] || ! [ -s "$1/orphan" ]; do sleep 0.05; done
touch "$1/begun"
"""


@pytest.mark.parametrize("how", ["its own end", "SIGTERM", "SIGKILL of the outer", "SIGKILL of the inner"])
def test_what_tests_have_started_and_left_ends_with_their_run(tmp_path: Path, how: str) -> None:
    end = "exit 3" if how == "its own end" else "sleep 600"
    run = subprocess.Popen([REAPED, "sh", "-c", STRAYS + end, "sh", str(tmp_path)])
    wait_until(lambda: (tmp_path / "begun").exists(), 10, "the strays")
    if how == "SIGTERM":
        run.terminate()
    elif how == "SIGKILL of the outer":
        run.kill()
    elif how == "SIGKILL of the inner":
        os.kill(int(Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text()), signal.SIGKILL)
    status = run.wait(timeout=patient(30))
    assert status == {"its own end": 3, "SIGTERM": 143, "SIGKILL of the outer": -9, "SIGKILL of the inner": 137}[how]
    for name in ("deaf", "orphan"):
        stray = Path(f"/proc/{(tmp_path / name).read_text().strip()}")
        wait_until(lambda stray=stray: not stray.exists(), 20, f"the end of the {name} one")
