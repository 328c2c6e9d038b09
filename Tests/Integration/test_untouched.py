"""What runs the tests sees when one of them changes what is not its own."""

import subprocess
from pathlib import Path

import pytest

from relay import ROOT, plain_environment

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
