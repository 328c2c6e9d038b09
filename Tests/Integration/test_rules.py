"""The owner's rules answer at the host, before anybody is asked: an own program, and the real Claude Code at its own screen."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from claude import DIALOG, Machine
from client import WireClient
from daemon import Daemon
from own_agent import Asking, event, post, question
from relay import BINARY, Relay
from waits import patient, wait_until

RULES = """
[[rule]]
name = "echoes"
answer = "allow"
for = ["Bash(echo *)", "Bash(mkdir made)"]

[[rule]]
name = "no-push"
answer = "deny"
for = "Bash(git push:*)"
words = "Ask Ada before you push."
"""


def heliograph(home: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(BINARY), *arguments], capture_output=True, text=True, cwd=home, env=environment, timeout=patient(20))


def write(home: Path, environment: dict[str, str], text: str = RULES, accept: bool = True) -> None:
    folder = home / ".config/heliograph"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rules.toml").write_text(text)
    if accept:
        listed = json.loads(heliograph(home, environment, "rules", "list", "--json").stdout)
        assert "accepted" not in listed
        accepted = heliograph(home, environment, "rules", "accept", "--digest", listed["digest"])
        assert accepted.returncode == 0, accepted.stderr


def ask(daemon: Daemon, name: str, command: str) -> Asking:
    return Asking(daemon, question("s1", name, tool="Bash", title=command, input={"command": command}))


def begin(daemon: Daemon) -> None:
    post(daemon.socket, "events", event("s1", "session.started", {"agent": {"name": "build.py"}, "cwd": str(daemon.project)}))


def requests(phone: WireClient, session: str) -> list[dict[str, Any]]:
    return [event for event in phone.logs.get(session, []) if event["kind"] == "approval.requested"]


def test_a_rule_answers_a_program_of_ones_own(daemon: Daemon, phone: Any, relay: Relay) -> None:
    write(daemon.home, daemon.environment)
    begin(daemon)
    phone.wait_summary("local-s1", lambda summary: True)
    phone.subscribe("local-s1")
    status, answer = ask(daemon, "a", "echo hi").answer()
    assert status == 200 and answer["decision"] == "allow", answer
    asked = phone.wait_event("local-s1", lambda event: event["kind"] == "approval.requested")
    digest = json.loads(heliograph(daemon.home, daemon.environment, "rules", "list", "--json").stdout)["digest"]
    assert asked["head"]["rule"] == {"name": "echoes", "digest": digest, "decision": "allow"}
    approval = asked["head"]["approval"]
    known = phone.wait_approval(approval)
    assert known["stage"] != "pending" and known["decision"]["by"]["name"] == "the rule echoes"
    assert phone.decide("local-s1", approval, "deny")["error"]["code"] == "alreadyDecided"
    assert phone.wait_summary("local-s1", lambda summary: True)["approvals"] == 0

    status, answer = ask(daemon, "b", "git push origin main").answer()
    assert status == 200 and answer["decision"] == "deny" and answer["message"] == "Ask Ada before you push.", answer

    beside = ask(daemon, "c", "echo hi && touch forbidden")
    card = phone.wait_card()
    assert card["request"]["body"]["input"]["command"] == "echo hi && touch forbidden" and "rule" not in card["request"]["head"]
    phone.decide("local-s1", card["approval"], "deny")
    assert beside.answer()[1]["decision"] == "deny"

    # The audit names the rule, and verifies.
    log = [json.loads(line) for line in relay.run("audit", "export", "--data", str(relay.data)).stdout.splitlines()]
    (ruled, denied) = [line for line in log if line["what"] == "approval.ruled"]
    assert ruled["rule"] == {"name": "echoes", "digest": digest, "decision": "allow"} and denied["rule"]["name"] == "no-push"
    verified = relay.run("audit", "verify", "--data", str(relay.data), check=False)
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_a_file_that_changed_allows_nothing_until_it_is_accepted(daemon: Daemon, phone: Any) -> None:
    write(daemon.home, daemon.environment)
    begin(daemon)
    assert ask(daemon, "a", "echo hi").answer()[1]["decision"] == "allow"
    assert "rules" not in (daemon.status() or {})
    write(daemon.home, daemon.environment, RULES.replace("made", "made2"), accept=False)
    waiting = ask(daemon, "b", "echo hi")
    card = phone.wait_card()
    assert "rule" not in card["request"]["head"]
    phone.decide("local-s1", card["approval"], "deny")
    assert waiting.answer()[1]["decision"] == "deny"
    assert "allow nothing" in (daemon.status() or {})["rules"]
    assert ask(daemon, "c", "git push").answer()[1]["message"] == "Ask Ada before you push.", "what denies counts at once"
    listed = heliograph(daemon.home, daemon.environment, "rules")
    assert "not accepted" in listed.stdout and "no-push: deny" in listed.stdout
    write(daemon.home, daemon.environment, "[[rule]]\nname = 'x'\n", accept=False)
    checked = heliograph(daemon.home, daemon.environment, "rules", "check", str(daemon.home / ".config/heliograph/rules.toml"))
    assert checked.returncode != 0 and "line 1: the rule has no" in checked.stderr
    assert "answers nothing" in (daemon.status() or {})["rules"]


def test_rules_are_tried_on_what_people_answered(daemon: Daemon, phone: Any, relay: Relay) -> None:
    begin(daemon)
    phone.wait_summary("local-s1", lambda summary: True)
    answers = [("npm test", "allow")] * 5 + [("npm test all", "deny"), ("git push", "deny")]
    for number, (command, decision) in enumerate(answers):
        asking = ask(daemon, f"a{number}", command)
        card = phone.wait_card(lambda one: one["stage"] == "pending" and one["request"]["head"]["title"] == command)
        phone.decide("local-s1", card["approval"], decision)
        assert asking.answer()[1]["decision"] == decision
    draft = daemon.home / "draft.toml"
    draft.write_text(RULES.replace('"Bash(echo *)", "Bash(mkdir made)"', '"Bash(npm test:*)"').replace("echoes", "tests"))

    def rules(*arguments: str) -> str:
        done = heliograph(daemon.home, daemon.environment, "rules", *arguments, "--data", str(relay.data))
        assert done.returncode == 0, done.stderr
        return done.stdout

    tried = json.loads(rules("try", str(draft), "--json"))
    assert (tried["requests"], tried["asked"], tried["deniedYetAllowed"]) == (7, 0, 1)
    assert tried["rules"] == [
        {"name": "tests", "answer": "allow", "requests": 6, "allowed": 5, "denied": 1},
        {"name": "no-push", "answer": "deny", "requests": 1, "allowed": 0, "denied": 1},
    ]
    said = rules("try", str(draft))
    assert "a person denied once" in said and "npm test all  [denied by Ada's phone] → allow (tests)" in said
    assert rules("try", str(draft), "--all").count("[allowed by Ada's phone] → allow (tests)") == 5
    assert "still be asked about 7" in rules("try"), "without rules"
    suggested = daemon.home / "suggested.toml"
    suggested.write_text(rules("suggest"))
    checked = heliograph(daemon.home, daemon.environment, "rules", "check", str(suggested), "--json")
    assert checked.returncode == 0, checked.stderr
    (rule,) = json.loads(checked.stdout)["rules"]
    assert (rule["answer"], rule["for"], rule["agent"]) == ("allow", ["Bash(npm test)"], "local")
    # By now it is answered, and suggested no more.
    write(daemon.home, daemon.environment, suggested.read_text())
    assert "[[rule]]" not in rules("suggest")
    nobody = heliograph(daemon.home, daemon.environment, "rules", "try", "--host", "nobody", "--data", str(relay.data))
    assert nobody.returncode == 5 and "no session of a host" in nobody.stderr


def test_a_rule_answers_while_the_relay_is_away(daemon: Daemon, phone: Any, client: Any, relay: Relay) -> None:
    write(daemon.home, daemon.environment)
    begin(daemon)
    phone.wait_summary("local-s1", lambda summary: True)
    relay.stop()
    wait_until(lambda: (daemon.status() or {}).get("link", {}).get("state") != "live", 20, "the link to be down")
    assert ask(daemon, "a", "echo hi").answer()[1]["decision"] == "allow"
    assert ask(daemon, "b", "git push").answer()[1]["decision"] == "deny"
    relay.start()
    daemon.wait_link(timeout=40)
    later = client(relay, "Ada's laptop")
    later.subscribe()
    later.wait_summary("local-s1", lambda summary: True)
    later.subscribe("local-s1")
    wait_until(lambda: len(requests(later, "local-s1")) == 2, 20, "what was answered meanwhile")
    assert [event["head"]["rule"]["name"] for event in requests(later, "local-s1")] == ["echoes", "no-push"]


@pytest.mark.agent
def test_claude_code_is_answered_by_rules(machine: Machine, phone: WireClient) -> None:
    def bash(command: str) -> list[Any]:
        return [{"tool": "Bash", "input": {"command": command, "description": "Do it"}}]

    write(machine.home, machine.environment)
    machine.start_claude([bash("mkdir made"), bash("git push"), bash("mkdir made && touch forbidden"), [{"text": "All done now."}]])
    machine.prompt("please do it")
    assert "Ask Ada before you push." in machine.wait_tool_result("Ask Ada")
    assert (machine.project / "made").is_dir()
    machine.wait_screen(DIALOG)
    card = phone.wait_card()
    assert card["request"]["body"]["input"]["command"] == "mkdir made && touch forbidden"
    session = card["session"]
    phone.subscribe(session)
    wait_until(lambda: len(requests(phone, session)) == 3, 10, "three requests")
    assert [event["head"].get("rule", {}).get("name") for event in requests(phone, session)] == ["echoes", "no-push", None]
    phone.decide(session, card["approval"], "deny", message="Not that.")
    machine.wait_tool_result("Not that.")
    assert not (machine.project / "forbidden").exists()
    stages = {phone.wait_approval(event["head"]["approval"], "applied")["outcome"] for event in requests(phone, session)[:2]}
    assert stages == {"ran", "denied"}
