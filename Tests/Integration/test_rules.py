"""The owner's rules answer at the host before any client is asked: with a test's own program, and with the real Claude Code in its TUI."""

import contextlib
import json
import random
import socketserver
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from claude import DIALOG, Machine, Program
from client import WireClient
from consent import unb64
from daemon import Daemon, read_request
from own_agent import Asking, event, post, question
from relay import BINARY, Relay
from start_desk import FINAL
from steered import phone as operator  # noqa: F401 (a fixture)
from trusting import trust_client
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


@pytest.mark.shows("your own program", "answered by its owner's rules", "the program's own word")
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

    # The audit log names the rule, and verifies.
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
    assert "everything is asked" in (daemon.status() or {})["rules"]
    assert ask(daemon, "d", "git push").answer()[1]["message"] == "Ask Ada before you push.", "the accepted text still denies"
    path = daemon.home / ".config/heliograph/rules.toml"
    path.unlink()
    assert ask(daemon, "e", "git push").answer()[1]["decision"] == "deny"
    assert "is gone" in (daemon.status() or {})["rules"]
    assert "no-push: deny" in heliograph(daemon.home, daemon.environment, "rules").stdout
    done = heliograph(daemon.home, daemon.environment, "rules", "accept", "--digest", "none")
    assert done.returncode == 0, done.stderr
    assert "rules" not in (daemon.status() or {})


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
    # The command is now answered by the rule, and no longer suggested.
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


def test_killed_at_any_moment_nothing_gets_more_than_its_rules_allow(daemon: Daemon, phone: Any) -> None:
    """Each call is repeated after its host was killed; in half of the cases the rules file has changes that the owner has not accepted."""
    write(daemon.home, daemon.environment)
    begin(daemon)
    phone.wait_summary("local-s1", lambda summary: True)
    phone.subscribe("local-s1")

    def waiting() -> dict[str, str]:
        return {one["request"]["head"]["title"]: id for id, one in phone.approvals.items() if one["stage"] == "pending"}

    draw = random.Random(3)
    allowed: set[str] = set()
    for number in range(12):
        name, command = f"call {number}", ("echo hi", "git push", "touch forbidden")[number % 3]
        body = question("s1", f"k{number}", tool="Bash", title=name, input={"command": command})
        asking = Asking(daemon, body)
        time.sleep(draw.uniform(0, 0.03))  # the kill comes at a random point of the host's work
        daemon.kill()
        _, before = asking.answer()
        is_accepted = number % 2 == 0
        write(daemon.home, daemon.environment, RULES + f"# {number}\n", accept=is_accepted)
        daemon.start()
        again = Asking(daemon, body)
        wait_until(lambda again=again, name=name: again.is_answered or name in waiting(), 20, f"an answer to {name}, or a card")
        if not again.is_answered:
            assert command != "git push", "what denies needs no acceptance"
            phone.decide("local-s1", waiting()[name], "deny")
        answers = [answer["decision"] for answer in (before, again.answer()[1]) if answer]
        if command != "echo hi":
            assert set(answers) == {"deny"}, (number, answers)
        elif "allow" in answers:
            allowed.add(name)
    assert allowed
    # No person answered, and each call is in the log with its rule.
    wait_until(lambda: allowed <= {event["head"]["title"] for event in requests(phone, "local-s1") if "rule" in event["head"]}, 20, f"{allowed}, by a rule")


def test_killed_at_any_moment_a_rule_allows_no_more_calls_than_it_says(daemon: Daemon, phone: Any) -> None:
    write(daemon.home, daemon.environment, RULES.replace('"Bash(mkdir made)"]', '"Bash(mkdir made)"]\ntimes = 4'))
    begin(daemon)
    phone.wait_summary("local-s1", lambda summary: True)
    draw = random.Random(5)
    allowed = 0
    for number in range(8):
        body = question("s1", f"k{number}", tool="Bash", title=f"call {number}", input={"command": "echo hi"})
        asking = Asking(daemon, body)
        time.sleep(draw.uniform(0, 0.03))  # the kill comes at a random point of the host's work
        daemon.kill()
        _, before = asking.answer()
        daemon.start()
        again = Asking(daemon, body)

        def cards(title: str = f"call {number}") -> list[str]:
            return [id for id, one in phone.approvals.items() if one["stage"] == "pending" and one["request"]["head"]["title"] == title]

        wait_until(lambda again=again, cards=cards: again.is_answered or cards(), 20, f"an answer to call {number}, or a card")
        if not again.is_answered:
            phone.decide("local-s1", cards()[0], "deny")
        allowed += "allow" in [answer["decision"] for answer in (before, again.answer()[1]) if answer]
    assert 0 < allowed <= 4
    denied(daemon, phone, "last", "echo hi")
    (rule, _) = phone.summaries[desk(phone)]["steering"]["rules"]["list"]
    assert (rule["times"], rule["left"]) == (4, 0)


def desk(phone: WireClient) -> str:
    """The session that represents the host, once it publishes rules."""

    def found() -> str | None:
        return next((id for id, one in phone.summaries.items() if (one.get("steering") or {}).get("rules")), None)

    wait_until(lambda: found() is not None, 20, "a host that shows rules")
    session = found()
    assert session
    phone.subscribe(session)
    return session


def shown(phone: WireClient, session: str) -> dict[str, str]:
    """The current answer of each rule, by name."""
    rules = phone.summaries[session]["steering"].get("rules", {"list": []})
    return {one["name"]: "off" if one.get("off") else one["answer"] for one in rules["list"]}


def off(phone: WireClient, session: str, rule: str, **fields: Any) -> dict[str, Any]:
    return outcome(phone, session, "ruleOff", rule=rule, **fields)


def outcome(phone: WireClient, session: str, type: str, **fields: Any) -> dict[str, Any]:
    reply = phone.command(type, session=session, **fields)
    assert reply.get("delivery") == "sent", reply

    def fits(event: dict[str, Any]) -> bool:
        return event["kind"] == "steering.changed" and event["head"]["command"] == reply["id"] and event["head"]["stage"] in FINAL

    return phone.wait_event(session, fits, 20, "an outcome")["head"]


def denied(daemon: Daemon, phone: WireClient, name: str, command: str) -> None:
    """Waits for the approval, and denies it like a person."""
    asking = ask(daemon, name, command)
    card = phone.wait_card(lambda one: one["stage"] == "pending" and one["request"]["head"].get("title") == command)
    assert "rule" not in card["request"]["head"]
    phone.decide("local-s1", card["approval"], "deny")
    assert asking.answer()[1]["decision"] == "deny"


def again(daemon: Daemon) -> None:
    daemon.kill()
    daemon.start()
    daemon.wait_link(timeout=40)


def test_a_rule_is_taken_back_from_afar_and_brought_back_at_the_host(daemon: Daemon, operator: WireClient, phone: Any, relay: Relay) -> None:  # noqa: F811
    write(daemon.home, daemon.environment)
    begin(daemon)
    assert ask(daemon, "a", "echo hi").answer()[1]["decision"] == "allow"
    session = desk(operator)
    rules = operator.summaries[session]["steering"]["rules"]
    assert rules == {"accepted": True, "list": [
        {"name": "echoes", "answer": "allow", "for": ["Bash(echo *)", "Bash(mkdir made)"]},
        {"name": "no-push", "answer": "deny", "for": ["Bash(git push:*)"], "words": "Ask Ada before you push."},
    ]}  # fmt: skip
    assert phone.command("ruleOff", session=session, rule="echoes")["error"]["code"] == "forbidden", "it may decide, and not steer"
    assert off(operator, session, "no-push")["stage"] == "refused", "it keeps the agent back"
    assert off(operator, session, "echoes")["stage"] == "taken"
    assert shown(operator, session) == {"echoes": "off", "no-push": "deny"}
    denied(daemon, phone, "b", "echo hi")
    assert ask(daemon, "c", "git push").answer()[1]["decision"] == "deny"
    again(daemon)
    denied(daemon, phone, "d", "echo hi")

    # Only the owner at the host can enable a removed rule, and only one that was shown.
    listed = json.loads(heliograph(daemon.home, daemon.environment, "rules", "list", "--json").stdout)
    assert [one.get("off") for one in listed["rules"]] == [True, None]
    assert "echoes: allow" in (words := heliograph(daemon.home, daemon.environment, "rules").stdout) and "taken back from afar" in words
    accept = ("rules", "accept", "--digest", listed["digest"])
    assert heliograph(daemon.home, daemon.environment, *accept).returncode == 0
    denied(daemon, phone, "e", "echo hi")
    assert heliograph(daemon.home, daemon.environment, *accept, "--again", "echoes").returncode == 0
    wait_until(lambda: shown(operator, session)["echoes"] == "allow", 20, "the rule to be shown as one that allows")
    assert ask(daemon, "f", "echo hi").answer()[1]["decision"] == "allow"

    # Removing the rule at a terminal gives the same result as on the page.
    other = daemon.home.parent / "terminal"
    other.mkdir()
    environment = daemon.environment | {"HOME": str(other)}
    assert heliograph(other, environment, "login", relay.pair_link("operator"), "--name", "Ada's terminal").returncode == 0
    wrong = heliograph(other, environment, "rules", "off", "unheard-of")
    assert wrong.returncode == 5 and "no host has a rule" in wrong.stderr and "echoes, no-push" in wrong.stderr
    taken = heliograph(other, environment, "rules", "off", "echoes", "--host", "laptop")
    assert taken.returncode == 0, taken.stderr
    ran = taken.stdout[taken.stdout.index("2 calls ran by it since ") :].splitlines()
    assert len(ran) == 3 and all(line.endswith("  local-s1  echo hi") for line in ran[1:]), ran
    denied(daemon, phone, "g", "echo hi")

    log = [json.loads(line) for line in relay.run("audit", "export", "--data", str(relay.data)).stdout.splitlines()]
    asked = [line for line in log if line["what"] == "steering.requested"]
    assert [(line["action"], line["choice"]) for line in asked] == [("ruleOff", "no-push"), ("ruleOff", "echoes"), ("ruleOff", "echoes")]


def test_under_signed_consent_only_a_trusted_device_takes_a_rule_back(daemon: Daemon, operator: WireClient, relay: Relay, client: Any) -> None:  # noqa: F811
    write(daemon.home, daemon.environment)
    begin(daemon)
    assert ask(daemon, "a", "echo hi").answer()[1]["decision"] == "allow"
    session = desk(operator)
    trust_client(daemon, operator)
    again(daemon)
    assert ask(daemon, "b", "echo hi").answer()[1]["decision"] == "allow", "a rule needs no signature: its file is the owner's"
    assert ask(daemon, "c", "git push").answer()[1]["decision"] == "deny"
    again(daemon)

    # A forged signature, or another device's, is refused.
    assert off(operator, session, "echoes", signature="1.x")["stage"] == "refused"
    other = client(relay, "Eve's phone", role="operator")
    other.subscribe()
    other.wait_summary(session, lambda summary: True)
    other.subscribe(session)
    assert off(other, session, "echoes")["reason"].startswith("This host takes commands with a trusted device's signature only")
    assert ask(daemon, "d", "echo hi").answer()[1]["decision"] == "allow"
    again(daemon)

    assert off(operator, session, "echoes")["stage"] == "taken"
    again(daemon)
    relay.stop()
    wait_until(lambda: (daemon.status() or {}).get("link", {}).get("state") != "live", 20, "the link to be down")
    unanswered = ask(daemon, "e", "echo hi")
    assert ask(daemon, "f", "git push").answer()[1]["decision"] == "deny", "with the relay away"
    daemon.kill()
    assert unanswered.answer()[0] != 200, "nobody allowed it"
    daemon.start()
    assert ask(daemon, "g", "git push").answer()[1]["decision"] == "deny"
    relay.start()
    daemon.wait_link(timeout=40)
    later = client(relay, "Ada's laptop")
    later.subscribe()
    later.wait_summary(session, lambda summary: shown(later, session) == {"echoes": "off", "no-push": "deny"}, 20, "the rule to be off")

    verified = relay.run("audit", "verify", "--data", str(relay.data), check=False)
    assert verified.returncode == 0, verified.stdout + verified.stderr


LISTS = """[[rule]]
name = "lists"
answer = "allow"
for = ["Bash(true)"]"""


def test_a_trusted_device_adds_a_rule_and_nobody_else(daemon: Daemon, operator: WireClient, relay: Relay, client: Any) -> None:  # noqa: F811
    write(daemon.home, daemon.environment)
    begin(daemon)
    session = desk(operator)
    path = daemon.home / ".config/heliograph/rules.toml"
    assert operator.command("ruleAdd", session=session, toml=LISTS)["error"]["code"] == "unsupported", "an open host takes none"
    trust_client(daemon, operator)
    operator.wait_summary(session, lambda summary: "ruleAdd" in summary["steering"]["actions"])
    other = client(relay, "Eve's phone", role="operator")
    other.subscribe()
    other.wait_summary(session, lambda summary: True)
    other.subscribe(session)
    assert outcome(other, session, "ruleAdd", toml=LISTS)["reason"].startswith("This host takes commands with a trusted device's signature only")
    watcher = client(relay, "Bob's screen", role="watcher")
    assert watcher.command("ruleAdd", session=session, toml=LISTS)["error"]["code"] == "forbidden"
    signed_for_another = operator.device.steer(unb64(operator.summaries[session]["steering"]["consent"]), session, "k1", "ruleAdd", LISTS)
    changed = outcome(operator, session, "ruleAdd", id="k1", toml=LISTS.replace("true", "touch made"), signature=signed_for_another)
    assert changed["reason"] == "The signature does not fit what arrived at the host."
    for text in ("folder = '/'", LISTS + "\n" + LISTS.replace("lists", "more"), LISTS.replace("lists", "echoes"), LISTS.replace("Bash(true)", "Bash(*)")):
        assert outcome(operator, session, "ruleAdd", toml=text)["stage"] == "refused", text
    assert path.read_text() == RULES
    again(daemon)

    assert outcome(operator, session, "ruleAdd", toml=LISTS)["stage"] == "taken"
    assert path.read_text().startswith(RULES) and "# Added from afar by Ada's phone on " in path.read_text() and path.read_text().endswith(LISTS + "\n")
    assert shown(operator, session) == {"echoes": "allow", "no-push": "deny", "lists": "allow"}
    again(daemon)
    assert ask(daemon, "a", "true").answer()[1]["decision"] == "allow"
    assert off(operator, session, "lists")["stage"] == "taken"
    again(daemon)
    assert shown(operator, session)["lists"] == "off"
    asking = ask(daemon, "b", "true")
    card = operator.wait_card(lambda one: one["stage"] == "pending" and one["request"]["head"].get("title") == "true")
    operator.decide("local-s1", card["approval"], "deny")
    assert asking.answer()[1]["decision"] == "deny"
    # Changes in the file that the owner has not accepted stay unaccepted.
    write(daemon.home, daemon.environment, path.read_text().replace("echo *", "echo hi *"), accept=False)
    refused = outcome(operator, session, "ruleAdd", toml=LISTS.replace("lists", "later"))
    assert refused["stage"] == "refused" and "heliograph rules accept" in refused["reason"]
    verified = relay.run("audit", "verify", "--data", str(relay.data), check=False)
    assert verified.returncode == 0, verified.stdout + verified.stderr


NARROWER = """[[rule]]
name = "echoes"
answer = "allow"
for = ["Bash(echo hi)"]"""


def test_a_trusted_device_changes_a_rule_in_one_step(daemon: Daemon, operator: WireClient, relay: Relay, client: Any) -> None:  # noqa: F811
    write(daemon.home, daemon.environment)
    begin(daemon)
    session = desk(operator)
    path = daemon.home / ".config/heliograph/rules.toml"
    assert operator.command("ruleChange", session=session, rule="echoes", toml=NARROWER)["error"]["code"] == "unsupported", "an open host takes none"
    trust_client(daemon, operator)
    operator.wait_summary(session, lambda summary: "ruleChange" in summary["steering"]["actions"])
    other = client(relay, "Eve's phone", role="operator")
    other.subscribe()
    other.wait_summary(session, lambda summary: True)
    other.subscribe(session)
    assert outcome(other, session, "ruleChange", rule="echoes", toml=NARROWER)["reason"].startswith("This host takes commands with a trusted device's signature only")
    key = unb64(operator.summaries[session]["steering"]["consent"])
    for kind, texts in [("ruleChange", ["no-push", NARROWER]), ("ruleAdd", [NARROWER]), ("ruleChange", ["echoes", NARROWER + " "])]:
        name = f"k{kind}{len(texts[-1])}{texts[0][:2]}".replace("[", "x")
        signed = operator.device.steer(key, session, name, kind, *texts)
        changed = outcome(operator, session, "ruleChange", id=name, rule="echoes", toml=NARROWER, signature=signed)
        assert changed["reason"] == "The signature does not fit what arrived at the host.", (kind, texts)
    for rule, text in [("no-push", NARROWER), ("unheard-of", NARROWER), ("echoes", NARROWER + "\n" + LISTS), ("echoes", NARROWER.replace("echoes", "no-push"))]:
        assert outcome(operator, session, "ruleChange", rule=rule, toml=text)["stage"] == "refused", (rule, text)
    assert path.read_text() == RULES
    again(daemon)

    assert ask(daemon, "a", "echo ho").answer()[1]["decision"] == "allow"
    assert outcome(operator, session, "ruleChange", rule="echoes", toml=NARROWER)["stage"] == "taken"
    text = path.read_text()
    assert "# Changed from afar by Ada's phone on " in text and NARROWER in text and "echo *" not in text and text.endswith(RULES[RULES.index("[[rule]]\nname = \"no-push\""):])
    again(daemon)
    assert ask(daemon, "b", "echo hi").answer()[1]["decision"] == "allow"
    asking = ask(daemon, "c", "echo ho")
    card = operator.wait_card(lambda one: one["stage"] == "pending" and one["request"]["head"].get("title") == "echo ho")
    operator.decide("local-s1", card["approval"], "deny")
    assert asking.answer()[1]["decision"] == "deny"
    # A removed rule stays removed whatever else is changed.
    assert outcome(operator, session, "ruleAdd", toml=LISTS)["stage"] == "taken"
    assert off(operator, session, "echoes")["stage"] == "taken"
    refused = outcome(operator, session, "ruleChange", rule="echoes", toml=NARROWER.replace("hi", "ho"))
    assert refused["stage"] == "refused" and "taken back" in refused["reason"]
    # A client that only tries rules signs nothing and changes nothing.
    tried = outcome_body(other, session, "ruleTry", toml=NARROWER)
    assert tried["requests"] == 3 and [rule["name"] for rule in tried["rules"]] == ["echoes"]
    verified = relay.run("audit", "verify", "--data", str(relay.data), check=False)
    assert verified.returncode == 0, verified.stdout + verified.stderr


def outcome_body(phone: WireClient, session: str, type: str, **fields: Any) -> dict[str, Any]:
    """Sends a command that tries rules; returns the host's report."""
    head = outcome(phone, session, type, **fields)
    assert head["stage"] == "taken", head
    return next(event["body"]["tried"] for event in reversed(phone.logs[session]) if event["kind"] == "steering.changed" and event["head"]["command"] == head["command"])


@pytest.mark.parametrize("is_signed", [False, True], ids=["open", "signed"])
def test_rules_are_tried_from_afar_on_what_people_answered(daemon: Daemon, operator: WireClient, phone: Any, relay: Relay, is_signed: bool) -> None:  # noqa: F811
    write(daemon.home, daemon.environment)
    begin(daemon)
    session = desk(operator)
    if is_signed:
        trust_client(daemon, operator)
        operator.wait_summary(session, lambda summary: summary["steering"].get("consent"))
    answers = [("npm test", "allow")] * 5 + [("npm test all", "deny")]
    decided: set[str] = set()
    for number, (command, decision) in enumerate(answers):
        asking = ask(daemon, f"a{number}", command)
        card = operator.wait_card(lambda one: one["stage"] == "pending" and one["approval"] not in decided)
        assert card["request"]["head"]["title"] == command
        decided.add(card["approval"])
        operator.decide("local-s1", card["approval"], decision)
        assert asking.answer()[1]["decision"] == decision
    assert ask(daemon, "b", "git push").answer()[1]["decision"] == "deny"
    operator.wait_summary("local-s1", lambda summary: summary.get("ruleAnswers") == 1)
    draft = RULES.replace('"Bash(echo *)", "Bash(mkdir made)"', '"Bash(npm test:*)"').replace("echoes", "tests").strip()
    assert phone.command("ruleTry", session=session, toml=draft)["error"]["code"] == "forbidden", "it may decide, and not steer"
    before = (daemon.home / ".config/heliograph/rules.toml").read_text()

    tried = outcome_body(operator, session, "ruleTry", toml=draft)
    assert (tried["requests"], tried["asked"], tried["deniedYetAllowed"]) == (7, 0, 1) and "suggestions" not in tried
    assert tried["rules"][0] == {"name": "tests", "answer": "allow", "requests": 6, "allowed": 5, "denied": 1}
    (freer,) = [one for one in tried["tried"] if one["would"] == "allow" and one.get("answer") == "denied"]
    assert freer["title"] == "npm test all" and freer["session"] == "local-s1" and freer["approval"] in operator.approvals

    own = outcome_body(operator, session, "ruleTry", toml="")
    assert [rule["name"] for rule in own["rules"]] == ["echoes", "no-push"] and (own["requests"], own["asked"]) == (7, 6)
    (suggestion,) = own["suggestions"]
    assert suggestion["times"] == 5 and suggestion["rule"]["for"] == ["Bash(npm test)"]
    # The terminal prints the same for both kinds of hosts.
    said = heliograph(daemon.home, daemon.environment, "rules", "suggest", "--data", str(relay.data))
    assert suggestion["toml"] in said.stdout, said.stdout + said.stderr

    wrong = outcome(operator, session, "ruleTry", toml="[[rule]]\nname = 'x'")
    assert wrong["stage"] == "refused" and "has no" in wrong["reason"]
    assert (daemon.home / ".config/heliograph/rules.toml").read_text() == before and shown(operator, session)["echoes"] == "allow"
    # Earlier requests are the host's own data: no other token may read them over HTTP.
    for token, status in [(operator.token, 403), ("nobody", 401)]:
        assert relay.get("/v1/requests", {"Authorization": f"Bearer {token}"}).status == status


@pytest.mark.parametrize("there", [[], ["rules.toml"], ["rules.accepted"]], ids=["none", "written", "accepted"])
def test_a_tool_waits_for_a_busy_daemon_where_there_are_rules(tmp_path: Path, there: list[str]) -> None:
    for name in there:
        (tmp_path / "heliograph").mkdir()
        (tmp_path / "heliograph" / name).write_text("")

    class Busy(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            read_request(self.request)
            time.sleep(0.3)  # the load of a machine on which a deny rule was missed
            with contextlib.suppress(OSError):
                self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nno way")

    with socketserver.UnixStreamServer(str(tmp_path / "s"), Busy) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        environment = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "HELIOGRAPH_SOCKET": str(tmp_path / "s")}
        call = [str(BINARY), "hook", "claude", "PreToolUse"]
        said = subprocess.run(call, input='{"session_id":"x"}', capture_output=True, text=True, env=environment, timeout=patient(20))
        server.shutdown()
        thread.join()
    assert said.stdout == ("no way" if there else "")


@pytest.mark.agent
def test_a_denial_holds_for_what_claude_code_allows_itself(machine: Machine, phone: WireClient) -> None:
    def bash(command: str) -> list[Any]:
        return [{"tool": "Bash", "input": {"command": command, "description": "Do it"}}]

    write(machine.home, machine.environment, RULES.replace("git push:*", "touch forbidden"))
    settings = json.loads(machine.settings.read_text())
    machine.settings.write_text(json.dumps(settings | {"permissions": {"allow": ["Bash(touch:*)"]}}))
    machine.start_claude([bash("touch fine"), bash("touch forbidden"), [{"text": "All done now."}]])
    machine.prompt("please do it")
    assert "Ask Ada before you push." in machine.wait_tool_result("Ask Ada")
    machine.wait_screen("All done now.")
    assert (machine.project / "fine").exists() and not (machine.project / "forbidden").exists()


@pytest.mark.agent
@pytest.mark.parametrize("allowed", [[], ["--allowedTools", "Bash"]], ids=["asked", "unasked"])
def test_a_program_that_answers_for_people_is_held_to_the_rules(machine: Machine, phone: WireClient, allowed: list[str]) -> None:
    def bash(command: str) -> list[Any]:
        return [{"tool": "Bash", "input": {"command": command, "description": "Do it"}}, {"text": "Done."}]

    write(machine.home, machine.environment, RULES.replace("git push:*", "touch forbidden"))
    machine.api.script = [[one] for command in ("touch fine", "touch forbidden") for one in bash(command)]
    with Program(machine, *allowed) as program:
        for what in ("fine", "forbidden"):
            program.run_allowing(f"please touch {what}")
    assert (machine.project / "fine").exists() and not (machine.project / "forbidden").exists()
    assert "A rule of this host denies this call" in machine.wait_tool_result("A rule of this host")


@pytest.mark.agent
@pytest.mark.shows("Claude Code, its own screen", "answered by its owner's rules", "the files, and what the model was told")
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
