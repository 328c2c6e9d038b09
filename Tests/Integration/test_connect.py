"""`heliograph connect claude` shows its changes, asks, and writes exactly those; `disconnect` restores the files to the byte."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from relay import BINARY, plain_environment
from terminal import Terminal
from waits import patient

OWN = '{\n  "cleanupPeriodDays": 30,\n  "permissions": { "ask": ["WebFetch"], "allow": [] }\n}\n'


class Home:
    """A person's home with one project; the settings can be tested without the agent."""

    def __init__(self, folder: Path):
        self.home, self.project = folder / "home", folder / "project"
        self.user = self.home / ".claude/settings.json"
        self.local = self.project / ".claude/settings.local.json"
        self.environment = plain_environment(self.home)
        for path in (self.user.parent, self.project):
            path.mkdir(parents=True)

    def run(self, *arguments: str, status: int = 0, **options: object) -> str:
        """Runs a command without a terminal; returns its output."""
        given = {"stdin": subprocess.DEVNULL} | options
        result = subprocess.run(
            [str(BINARY), *arguments], capture_output=True, text=True, cwd=self.project, env=self.environment, timeout=patient(20), **given,
        )  # fmt: skip
        assert result.returncode == status, f"{arguments} ended with {result.returncode}:\n{result.stdout}{result.stderr}"
        return result.stdout


@pytest.fixture
def home(short_path: Path) -> Home:
    return Home(short_path)


def added(diff: str) -> str:
    return "".join(line[1:] for line in diff.splitlines(keepends=True) if line.startswith("+") and not line.startswith("+++"))


@pytest.mark.parametrize("input", ["nothing", "an end", "a yes that nobody typed", "closed"])
def test_where_nobody_can_be_asked_nothing_is_written(home: Home, input: str) -> None:
    home.user.write_text(OWN)
    given = {
        "nothing": {}, "an end": {"stdin": subprocess.PIPE}, "a yes that nobody typed": {"stdin": None, "input": "y\n"},
        "closed": {"preexec_fn": lambda: os.close(0)},
    }[input]  # fmt: skip
    said = home.run("connect", "claude", "--diff", status=1, **given)
    assert "hook claude PermissionRequest" in added(said) and "--yes" in said
    assert home.user.read_text() == OWN
    home.run("connect", "claude", "--yes")
    connected = home.user.read_text()
    assert home.run("disconnect", "claude", "--diff", status=1, **given).count("hook claude PermissionRequest") == 1
    assert home.user.read_text() == connected


def test_a_dry_run_shows_the_change_and_does_nothing(home: Home) -> None:
    shown = home.run("connect", "claude", "--dry-run")
    assert not home.user.exists()
    home.run("connect", "claude", "--yes")
    assert added(shown) == home.user.read_text(), "what it shows is what it writes"
    connected = home.user.read_text()
    shown = home.run("disconnect", "claude", "--dry-run")
    assert home.user.read_text() == connected and "-" in shown and not added(shown)
    home.run("disconnect", "claude", "--yes")
    assert not home.user.exists()


@pytest.mark.parametrize("before", [None, OWN])
def test_a_project_and_back(home: Home, before: str | None) -> None:
    """Changes the person's settings for this project; those for all projects stay unchanged."""
    home.user.write_text(OWN)
    if before:
        home.local.parent.mkdir()
        home.local.write_text(before)
    home.run("connect", "claude", "--project", "--yes")
    connected = json.loads(home.local.read_text())
    assert "PermissionRequest" in connected["hooks"] and connected.get("cleanupPeriodDays") == (30 if before else None)
    assert home.user.read_text() == OWN
    assert "already connected" in home.run("connect", "claude", "--project", "--yes")
    home.run("disconnect", "claude", "--project", "--yes")
    assert (home.local.read_text() if home.local.exists() else None) == before
    assert home.user.read_text() == OWN


def test_a_person_sees_the_change_is_told_of_auto_mode_and_is_asked(home: Home, short_path: Path) -> None:
    terminal = Terminal(short_path / "tmux", home.environment, home.project, columns=400, rows=400)
    try:
        for answer, is_written in (("n", False), ("", False), ("y", True)):
            terminal.run([str(BINARY), "connect", "claude"], home.environment)
            terminal.wait_screen("Make it ask before every command? [y/N]")
            terminal.press("Enter")
            screen = terminal.wait_screen("Apply this change? [y/N, d: show it line by line]")
            change, note, question = (screen.index(words) for words in ("  adds 18 hooks, each of which calls ", "Note: In auto mode", "Apply this change?"))
            assert change < note < question and "\n  adds a status line\n" in screen
            assert "--ask Bash" in screen and "hook claude PermissionRequest" not in screen
            # The tests run a program in a build folder, which settings should not name permanently.
            assert ("is in a build folder" in screen) == (".build" in BINARY.parts)
            terminal.type("d")
            terminal.press("Enter")
            terminal.wait_screen("hook claude PermissionRequest")
            assert not home.user.exists()
            terminal.type(answer)
            terminal.press("Enter")
            terminal.wait_ended()
            assert home.user.exists() == is_written, terminal.screen()
            terminal.close()
    finally:
        terminal.close()


def test_a_person_who_wants_to_be_asked_says_so_at_once(home: Home, short_path: Path) -> None:
    terminal = Terminal(short_path / "tmux", home.environment, home.project, columns=400, rows=400)
    try:
        terminal.run([str(BINARY), "connect", "claude"], home.environment)
        terminal.wait_screen("Make it ask before every command? [y/N]")
        terminal.type("y")
        terminal.press("Enter")
        screen = terminal.wait_screen("Apply this change? [y/N, d: show it line by line]")
        assert "--ask Bash" not in screen, "what was chosen is not recommended"
        terminal.type("y")
        terminal.press("Enter")
        terminal.wait_ended()
        assert json.loads(home.user.read_text())["permissions"]["ask"] == ["Bash"]
        written = home.user.read_text()
        again = subprocess.run([str(BINARY), "connect", "claude"], env=home.environment, cwd=home.project, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patient(20))  # fmt: skip
        assert again.returncode == 0 and "nothing to change" in again.stdout and home.user.read_text() == written
    finally:
        terminal.close()


def test_rules_that_ask_come_and_go_and_a_persons_own_stay(home: Home) -> None:
    home.user.write_text(OWN)
    said = home.run("connect", "claude", "--yes", "--ask", "Bash", "--ask", "WebFetch", "--ask", "Bash(git push:*)")
    assert "auto mode" not in said
    assert json.loads(home.user.read_text())["permissions"] == {"ask": ["WebFetch", "Bash", "Bash(git push:*)"], "allow": []}
    assert "already connected" in home.run("connect", "claude", "--yes", "--ask", "Bash")
    home.run("disconnect", "claude", "--yes")
    assert home.user.read_text() == OWN
    home.run("connect", "claude", "--yes", "--ask", "Bash(", status=1)
    assert home.user.read_text() == OWN



def installed(home: Home, short_path: Path, *names: str) -> None:
    """Puts programs with exactly the given names on the PATH."""
    folder = short_path / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text("#!/bin/sh\necho 9.9.9\n")
        (folder / name).chmod(0o755)
    home.environment["PATH"] = str(folder)


def complaint(home: Home, *arguments: str, status: int) -> tuple[str, str]:
    result = subprocess.run([str(BINARY), *arguments], capture_output=True, text=True, cwd=home.project, env=home.environment, stdin=subprocess.DEVNULL, timeout=patient(20))  # fmt: skip
    assert result.returncode == status, result
    return result.stdout, result.stderr


def test_without_a_name_and_a_terminal_what_is_found_is_listed_and_nothing_written(home: Home, short_path: Path) -> None:
    installed(home, short_path, "claude", "codex", "opencode")
    said, wrong = complaint(home, "connect", status=1)
    assert [line.split(":")[0] for line in said.splitlines()] == ["Claude Code", "Codex", "opencode"] and said.count("not connected") == 2
    assert "heliograph acp -- opencode acp" in said and "not run here" in said
    assert "no terminal" in wrong and "--yes" in wrong and not home.user.exists()
    assert "no agent is connected" in complaint(home, "disconnect", status=5)[1]


def test_without_a_name_all_that_is_found_comes_and_goes(home: Home, short_path: Path) -> None:
    installed(home, short_path, "claude", "codex")
    codex = home.home / ".config/heliograph/codex.json"
    home.run("connect", "--dry-run")
    assert not home.user.exists() and not codex.exists()
    home.run("connect", "--yes")
    assert home.user.exists() and codex.exists()
    home.run("connect", "claude", "--project", "--yes")
    said, _ = complaint(home, "disconnect", status=1)
    assert [line.split(":")[0] for line in said.splitlines()] == ["Claude Code", "Claude Code", "Codex"] and home.user.exists()
    home.run("disconnect", "--yes")
    assert not home.user.exists() and not home.local.exists() and not codex.exists()


def test_what_only_one_agent_has_needs_its_name(home: Home, short_path: Path) -> None:
    installed(home, short_path, "claude")
    assert "Name the agent" in complaint(home, "connect", "--yes", "--ask", "Bash", status=2)[1]
    assert "Codex has no settings by project, rules or todo tools here." in complaint(home, "connect", "codex", "--project", status=2)[1]
    assert "'claude' and 'codex'" in complaint(home, "connect", "vim", status=2)[1]
    installed(home, short_path / "empty")
    assert "none of Claude Code (claude), Codex (codex)" in complaint(home, "connect", status=5)[1]


def test_at_a_terminal_each_that_is_found_is_asked_about(home: Home, short_path: Path) -> None:
    terminal = Terminal(short_path / "tmux", dict(home.environment), home.project, columns=400, rows=400)
    try:
        installed(home, short_path, "claude", "codex")
        terminal.run([str(BINARY), "connect"], home.environment)
        terminal.wait_screen("Make it ask before every command? [y/N]")
        terminal.press("Enter")
        terminal.wait_screen("Apply this change? [y/N, d: show it line by line]")
        terminal.type("n")
        terminal.press("Enter")
        terminal.wait_screen("codex.json")
        terminal.type("y")
        terminal.press("Enter")
        terminal.wait_ended()
        assert not home.user.exists() and (home.home / ".config/heliograph/codex.json").exists()
    finally:
        terminal.close()


def test_the_doctor_says_which_agents_were_not_run_here(home: Home, short_path: Path) -> None:
    installed(home, short_path, "gemini", "vibe-acp")
    home.run("connect", "claude", "--yes")
    found = {finding["subject"]: finding for finding in map(json.loads, home.run("doctor", "--json", status=1).splitlines())}
    assert found["Gemini CLI"]["state"] == "doubtful" and "not run here" in found["Gemini CLI"]["text"]
    assert found["Mistral Vibe"]["state"] == "well" and "opencode" not in found


def test_settings_by_which_no_hook_runs_are_named_when_it_connects_and_afterwards(home: Home) -> None:
    home.user.write_text('{"disableAllHooks": true}\n')
    said = home.run("connect", "claude", "--yes")
    assert f"disableAllHooks in {home.user}" in said and "nothing will be reported" in said
    findings = [json.loads(line) for line in home.run("doctor", "--json", status=1).splitlines()]
    (policy,) = [finding for finding in findings if finding["subject"] == "Hook policy"]
    assert policy["state"] == "wrong" and str(home.user) in policy["mend"]
    # The project's contradicting settings take precedence.
    home.local.parent.mkdir()
    home.local.write_text('{"disableAllHooks": false}\n')
    assert '"Hook policy"' not in home.run("doctor", "--json", status=1)
