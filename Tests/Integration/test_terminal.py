"""The command line as a client: output, questions, exit statuses."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from relay import BINARY, plain_environment
from terminal import Terminal
from waits import patient, wait_until

DONE, REFUSED, USAGE, UNAUTHORISED, UNREACHABLE, NOT_FOUND = range(6)


class Shell:
    """A paired machine, and a person who types commands there."""

    def __init__(self, folder: Path, relay: Any, name: str = "laptop shell"):
        self.relay = relay
        folder.mkdir()
        self.environment = plain_environment(folder)
        self.folder = folder
        self.login = self.run("login", relay.pair_link("client"), "--name", name)

    def run(self, *arguments: str, input: str = "", environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(BINARY), *arguments], capture_output=True, text=True, input=input, timeout=patient(30), cwd=self.folder,
            env=self.environment | (environment or {}),
        )  # fmt: skip

    def json(self, *arguments: str) -> Any:
        result = self.run(*arguments, "--json")
        assert result.returncode == 0, result.stdout + result.stderr
        return json.loads(result.stdout)


@pytest.fixture
def shell(short_path, relay) -> Shell:
    return Shell(short_path / "shell", relay)


@pytest.fixture
def host(scripted_host, relay):
    host = scripted_host(relay)
    host.start_session("s1", title="Clean up", project="shop")
    host.wait_acked("s1")
    return host


def ask(host: Any, **more: Any) -> str:
    approval = host.request_approval("s1", "Bash", {"command": "rm -rf build"}, **more)
    host.wait_acked("s1")
    return approval


def test_budgets_name_the_sessions_that_cannot_be_held(shell, host):
    host.event("s1", "steering.offered", {"actions": [], "hold": "unchanged"})
    host.wait_acked("s1")
    set_up = shell.run("budget", "set", "--day", "0.000001", "--hold")
    assert set_up.returncode == DONE and "not held: s1 (claude)" in set_up.stderr + set_up.stdout
    host.event("s1", "usage", {"run": "r1", "costMicroUSD": 5})
    host.wait_acked("s1")
    assert "cannot be held" in shell.run("sessions").stdout
    host.event("s1", "steering.offered", {"actions": []})
    host.wait_acked("s1")
    assert "not held: s1" not in shell.run("budgets").stderr
    assert ", held" in shell.run("sessions").stdout



def test_login_keeps_a_token_that_only_its_owner_reads(shell):
    assert shell.login.returncode == DONE, shell.login.stderr
    file = shell.folder / ".config/heliograph/client.json"
    assert not file.stat().st_mode & 0o077
    assert "token" not in shell.login.stdout.lower() or json.loads(file.read_text())["token"] not in shell.login.stdout
    assert shell.run("sessions").returncode == DONE


def test_a_link_works_once(shell, relay):
    link = relay.pair_link("client")
    assert shell.run("login", link).returncode == DONE
    again = shell.run("login", link)
    assert again.returncode not in (DONE, USAGE) and again.stderr.strip()


def test_pairing_again_revokes_the_token_from_before(shell, relay):
    file = shell.folder / ".config/heliograph/client.json"
    before = json.loads(file.read_text())["token"]
    again = shell.run("login", relay.pair_link("client"))
    assert again.returncode == DONE and not again.stderr, again.stderr
    old = shell.run("sessions", environment={"HELIOGRAPH_RELAY": relay.url, "HELIOGRAPH_TOKEN": before})
    assert old.returncode == UNAUTHORISED
    assert shell.run("sessions").returncode == DONE


def test_who_only_watches_is_told_so(shell, relay, host):
    approval = ask(host)
    assert shell.run("login", relay.pair_link("watcher")).returncode == DONE
    shell.json("approvals", "list")
    for refused in (shell.run("approvals", "deny", approval), shell.run("budget", "set", "--day", "5")):
        assert refused.returncode == UNAUTHORISED and "was not paired to" in refused.stderr and "pair --role client" in refused.stderr


def test_who_is_not_paired_is_told_what_to_do(shell, relay, tmp_path):
    result = shell.run("sessions", environment={"XDG_CONFIG_HOME": str(tmp_path / "empty")})
    assert result.returncode == UNAUTHORISED and "heliograph login" in result.stderr


def test_a_revoked_token_is_said_so(shell, relay):
    relay.revoke(relay.token_id("laptop shell"))
    assert shell.run("sessions").returncode == UNAUTHORISED


def test_the_environment_is_enough(shell, relay, tmp_path):
    environment = {"XDG_CONFIG_HOME": str(tmp_path), "HELIOGRAPH_RELAY": relay.url, "HELIOGRAPH_TOKEN": relay.token("client", "script")}
    assert shell.run("sessions", "--json", environment=environment).returncode == DONE


def test_a_relay_that_is_away(shell, relay):
    relay.stop()
    result = shell.run("sessions")
    assert result.returncode == UNREACHABLE and relay.url.removeprefix("http://") in result.stderr



def test_sessions(shell, host):
    listed = shell.json("sessions")["sessions"]
    assert [(summary["session"], summary["title"]) for summary in listed] == [("s1", "Clean up")]
    table = shell.run("sessions").stdout
    assert "Clean up" in table and "shop" in table and "\x1b" not in table


@pytest.mark.parametrize("columns", [80, 60])
def test_long_titles_take_one_line_of_a_terminal(shell, host, short_path, columns):
    """A title with characters that take two cells is shortened as well. All other columns still fit on the line."""
    titles = {"long": "Rewrite the whole of the billing service " * 6, "wide": "請求書を作り直す" * 30, "one": "x" * 400}
    for session, title in titles.items():
        host.start_session(session, title=title, project="shop")
        host.wait_acked(session)
    terminal = Terminal(short_path / "tmux", shell.environment, shell.folder, columns=columns, rows=20)
    try:
        terminal.run([str(BINARY), "sessions"], shell.environment)
        terminal.wait_ended()
        lines = [line for line in terminal.last_screen().splitlines() if line.strip() and not line.startswith("Pane is dead")]
        for session, beginning in (("long", "Rewrite"), ("wide", "請求"), ("one", "xxx"), ("s1", "Clean up")):
            (line,) = [line for line in lines if beginning in line]
            assert line.startswith(session), line
        assert len(lines) == 1 + 4, "a heading and a line for each"
    finally:
        terminal.close()


def test_approvals(shell, host):
    assert shell.json("approvals", "list") == {"approvals": []}
    approval = ask(host)
    listed = shell.json("approvals", "list")["approvals"]
    assert [card["approval"] for card in listed] == [approval]
    shown = shell.json("approvals", "show", approval)
    assert shown["request"]["body"]["input"] == {"command": "rm -rf build"}
    text = shell.run("approvals", "show", approval).stdout
    assert "rm -rf build" in text and "\x1b" not in text
    assert "rm -rf build" in shell.run("approvals", "list").stdout


def test_what_an_agent_wrote_cannot_drive_the_terminal(shell, host):
    evil = "echo \x1b]52;c;ZXZpbA==\x07\x1b[2J\u202egnp.exe\u200b"
    approval = host.request_approval("s1", "Bash", {"command": evil}, title=evil)
    host.event("s1", "session.renamed", {"title": evil})
    host.wait_acked("s1")
    for command in (["approvals", "list"], ["approvals", "show", approval], ["sessions"]):
        text = shell.run(*command).stdout
        assert not set("\x1b\x07\u202e\u200b") & set(text), command
    assert "202E" in shell.run("approvals", "show", approval).stdout.upper(), "what is invisible is made visible"


def test_a_name_cannot_drive_the_terminal_of_whoever_runs_the_relay(relay, tmp_path):
    """Output to a file is safe as well as to a terminal: the records escape control characters like JSON."""
    name = "Ada\u009b2J\u0085\u202eada"
    relay.token("client", name)
    # Characters that are invisible everywhere are removed from a name; all others are stored unchanged.
    kept = name.replace("\u202e", "")
    audit = ["audit", "export", "--data", str(relay.data)]
    seen = subprocess.run(
        ["script", "-qec", " ".join([str(BINARY), *audit]), "/dev/null"], capture_output=True, text=True, timeout=patient(30), stdin=subprocess.DEVNULL,
        env=plain_environment(tmp_path),
    ).stdout  # fmt: skip
    shown = {words: relay.run("token", "list", "--data", str(relay.data), *words).stdout for words in ((), ("--json",))}
    for text in (seen, *shown.values()):
        assert "Ada" in text and not set("\u009b\u0085\u202e") & set(text), repr(text)
    assert "Ada⟨U+009B⟩2J⟨U+0085⟩ada" in shown[()]
    assert kept in [token["name"] for token in relay.tokens()]
    exported = relay.run(*audit).stdout
    records = [json.loads(line) for line in exported.split("\n") if line]
    assert kept in json.dumps(records, ensure_ascii=False) and not set("\u009b\u0085") & set(exported)
    assert [json.loads(line) for line in seen.splitlines()] == records
    (tmp_path / "audit.jsonl").write_text(exported)
    assert relay.run("audit", "verify", str(tmp_path / "audit.jsonl")).returncode == 0



def test_allow(shell, host):
    approval = ask(host)
    shell_run = subprocess.Popen(
        [str(BINARY), "approvals", "allow", approval, "--yes", "--json"], env=shell.environment, stdout=subprocess.PIPE, text=True
    )
    sent = host.wait_decision(approval)
    assert sent["decision"]["decision"] == "allow" and sent["decision"]["by"]["name"] == "laptop shell"
    host.apply("s1", approval)
    lines = [json.loads(line) for line in shell_run.communicate(timeout=patient(20))[0].splitlines()]
    assert shell_run.returncode == DONE
    assert lines[0]["type"] == "reply" and lines[-1]["approval"]["stage"] == "applied"


def test_an_allow_needs_a_yes(shell, host):
    approval = ask(host)
    result = shell.run("approvals", "allow", approval)
    assert result.returncode == USAGE and "--yes" in result.stderr
    assert host.decisions == []


def test_deny_with_a_message(shell, host):
    approval = ask(host)
    result = shell.run("approvals", "deny", approval, "-m", "not today", "--wait", "0")
    assert result.returncode == DONE, result.stderr
    assert host.wait_decision(approval)["decision"]["message"] == "not today"


def test_answer(shell, host):
    questions = [
        {"id": "q0", "text": "Which color?", "choices": [{"label": "Red"}, {"label": "Blue"}]},
        {"id": "q1", "text": "Which sizes?", "multiple": True, "choices": [{"label": "S"}, {"label": "M"}, {"label": "L"}]},
    ]
    approval = host.request_approval("s1", "AskUserQuestion", {}, kind="question", questions=questions)
    host.wait_acked("s1")
    assert shell.run("approvals", "answer", approval, "--choose", "q0=Green", "--choose", "q1=S").returncode == USAGE
    assert shell.run("approvals", "answer", approval, "--choose", "q0=Blue").returncode == USAGE, "every question needs an answer"
    assert host.decisions == []
    result = shell.run("approvals", "answer", approval, "--choose", "q0=Blue", "--choose", "q1=S,L", "--wait", "0")
    assert result.returncode == DONE, result.stderr
    answers = host.wait_decision(approval)["decision"]["answers"]
    assert answers == [
        {"question": "q0", "choices": ["Blue"], "indexes": [1]}, {"question": "q1", "choices": ["S", "L"], "indexes": [0, 2]}]


def test_who_comes_second_is_told_who_won(shell, host, client, relay):
    approval = ask(host)
    phone = client(relay, "Ada's phone")
    phone.subscribe()
    phone.wait_approval(approval, "pending")
    phone.decide("s1", approval, "allow")
    result = shell.run("approvals", "deny", approval)
    assert result.returncode == REFUSED and "Ada's phone" in result.stderr + result.stdout


def test_a_script_that_runs_twice_says_the_same_twice(shell, host):
    approval = ask(host)
    for _ in range(2):
        result = shell.run("approvals", "allow", approval, "--yes", "--wait", "0")
        assert result.returncode == DONE, result.stderr


def test_a_script_decides_for_the_input_that_it_saw(shell, host):
    approval = ask(host)
    digest = shell.json("approvals", "show", approval)["request"]["head"]["digest"]
    assert shell.run("approvals", "allow", approval, "--yes", "--digest", "0" * 64).returncode in (REFUSED, USAGE)
    assert host.decisions == []
    assert shell.run("approvals", "allow", approval, "--yes", "--digest", digest, "--wait", "0").returncode == DONE


def test_no_such_approval(shell, host):
    assert shell.run("approvals", "deny", "nothing").returncode == NOT_FOUND
    assert shell.run("approvals", "show", "nothing").returncode == NOT_FOUND



def test_watch_follows_a_session_across_a_restart(shell, host, relay, tmp_path):
    output = tmp_path / "watch.jsonl"
    with output.open("wb") as file:
        watch = subprocess.Popen([str(BINARY), "watch", "s1", "--json"], env=shell.environment, stdout=file, stderr=file)
    try:
        def lines() -> list[dict[str, Any]]:
            return [json.loads(line) for line in output.read_text().splitlines() if line.startswith("{")]

        def texts() -> list[str]:
            return [line["event"]["body"]["text"] for line in lines() if line["type"] == "event" and line["event"]["kind"] == "message"]

        host.event("s1", "message", {"role": "user"}, {"text": "before"})
        wait_until(lambda: texts() == ["before"], 10, lambda: f"the first message; printed: {output.read_text()}")
        relay.kill()
        relay.start()
        host.wait_connected()
        host.event("s1", "message", {"role": "user"}, {"text": "after"})
        wait_until(lambda: "after" in texts(), 20, lambda: f"the second message; printed: {output.read_text()}")
        assert texts() == ["before", "after"]
        watch.send_signal(signal.SIGINT)
        assert watch.wait(patient(10)) == DONE
    finally:
        watch.kill()
        watch.wait()


def test_watch_in_a_terminal(shell, host, short_path):
    terminal = Terminal(short_path / "tmux", shell.environment, shell.folder)
    try:
        terminal.run([str(BINARY), "watch", "s1"], shell.environment)
        host.event("s1", "message", {"role": "assistant"}, {"text": "Hello from the agent."})
        host.event("s1", "tool.started", {"call": "t1", "tool": "Bash", "operation": "Running the tests"}, {"input": {"command": "make test"}})
        terminal.wait_screen("Hello from the agent.")
        terminal.wait_screen("Running the tests")
        ask(host)
        terminal.wait_screen("rm -rf build")
        terminal.press("C-c")
        terminal.wait_ended()
    finally:
        terminal.close()


def test_a_person_allows_in_a_terminal(shell, host, short_path):
    approval = ask(host)
    terminal = Terminal(short_path / "tmux", shell.environment, shell.folder)
    try:
        terminal.run([str(BINARY), "approvals", "allow", approval], shell.environment)
        terminal.wait_screen("rm -rf build")
        terminal.wait_screen("?")
        assert host.decisions == []
        terminal.type("yes")
        terminal.press("Enter")
        assert host.wait_decision(approval)["decision"]["decision"] == "allow"
        host.apply("s1", approval)
        terminal.wait_ended()
    finally:
        terminal.close()


def test_a_person_answers_in_a_terminal_and_reads_what_was_understood(shell, host, short_path):
    """A number means a position in the list, even if an option has that name; any other text is a free answer."""
    questions = [
        {"id": "q0", "text": "Which version?", "choices": [{"label": "2"}, {"label": "1"}]},
        {"id": "q1", "text": "Which sizes?", "multiple": True, "choices": [{"label": "S"}, {"label": "M"}, {"label": "L"}]},
        {"id": "q2", "text": "And why?", "choices": [{"label": "Because"}, {"label": "Just so"}]},
    ]
    approval = host.request_approval("s1", "AskUserQuestion", {}, kind="question", questions=questions)
    host.wait_acked("s1")
    terminal = Terminal(short_path / "tmux", shell.environment, shell.folder)
    try:
        terminal.run([str(BINARY), "approvals", "answer", approval], shell.environment)
        for question, typed, understood in (
            ("q0 (a number, or text):", "1", "understood: 1. 2"), ("q1 (numbers, or text):", "1,3", "understood: 1. S, 3. L"),
            ("q2 (a number, or text):", "you tell me", "in your own words: you tell me"),
        ):
            terminal.wait_screen(question)
            terminal.type(typed)
            terminal.press("Enter")
            terminal.wait_screen(understood)
        answers = host.wait_decision(approval)["decision"]["answers"]
        assert answers == [
            {"question": "q0", "choices": ["2"], "indexes": [0]}, {"question": "q1", "choices": ["S", "L"], "indexes": [0, 2]},
            {"question": "q2", "choices": [], "text": "you tell me"},
        ]  # fmt: skip
        host.apply("s1", approval)
        terminal.wait_ended()
    finally:
        terminal.close()


OFFERS = [
    {"id": "s0", "label": "Allow this from now on", "rule": "Bash(rm *)", "scope": "local", "effect": "allow"},
    {"id": "s1", "label": "Share it", "rule": "Bash(rm -rf *)", "scope": "project", "effect": "allow"},
    {"id": "no", "label": "Never", "scope": "agent", "effect": "deny"},
]


def test_what_an_agent_offers_is_listed_and_taken_by_its_name(shell, host):
    approval = host.request_approval("s1", "Bash", {"command": "rm -rf build"}, offers=OFFERS)
    host.wait_acked("s1")
    shown = shell.run("approvals", "show", approval).stdout
    assert "  allow, written to the project's shared settings:\n│ Share it\n    exactly:\n│ Bash(rm -rf *)\n    --offer s1\n" in shown
    for words in (("allow", "--yes", "--offer", "no"), ("allow", "--yes", "--offer", "s9"), ("deny", "--offer", "s0")):
        assert shell.run("approvals", words[0], approval, *words[1:]).returncode == USAGE
    assert host.decisions == []
    assert shell.run("approvals", "allow", approval, "--yes", "--offer", "s0", "--wait", "0").returncode == DONE
    assert host.wait_decision(approval)["decision"]["offer"] == "s0"
    other = host.request_approval("s1", "Bash", {"command": "rm -rf other"}, offers=OFFERS)
    host.wait_acked("s1")
    assert shell.run("approvals", "deny", other, "--offer", "no", "-m", "never", "--wait", "0").returncode == DONE
    decision = host.wait_decision(other)["decision"]
    assert (decision["decision"], decision["offer"], decision["message"]) == ("deny", "no", "never")


def test_a_person_takes_an_offer_in_a_terminal_and_is_asked_twice_where_it_reaches_far(shell, host, short_path):
    approval = host.request_approval("s1", "Bash", {"command": "rm -rf build"}, offers=OFFERS)
    host.wait_acked("s1")
    terminal = Terminal(short_path / "tmux", shell.environment, shell.folder)
    try:
        terminal.run([str(BINARY), "approvals", "allow", approval], shell.environment)
        terminal.wait_screen("[y/a1/a2/N]")
        terminal.type("a2")
        terminal.press("Enter")
        terminal.wait_screen("Allow, and this too?")
        terminal.type("y")
        terminal.press("Enter")
        terminal.wait_screen("Once more")
        assert host.decisions == []
        terminal.type("y")
        terminal.press("Enter")
        assert host.wait_decision(approval)["decision"]["offer"] == "s1"
        host.apply("s1", approval)
        terminal.wait_ended()
    finally:
        terminal.close()


def test_a_pipe_that_closes_is_no_error_and_ends_the_watch_also_while_nothing_happens(shell, host):
    watch = subprocess.Popen([str(BINARY), "watch", "--json"], env=shell.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert watch.stdout and watch.stderr
        while json.loads(watch.stdout.readline())["type"] != "summary":
            pass
        watch.stdout.close()
        assert watch.wait(patient(20)) == DONE
        assert watch.stderr.read() == b""
    finally:
        watch.kill()
        watch.wait()
        if watch.stderr:
            watch.stderr.close()
