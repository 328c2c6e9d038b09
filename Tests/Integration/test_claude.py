"""The real Claude Code in a real terminal with Heliograph's hooks: its own prompt stays usable, and the first answer wins."""

import json
import re
import signal
import time
from typing import Any

import pytest

from claude import DIALOG, SETTINGS, Program
from client import WireClient
from waits import wait_until

pytestmark = pytest.mark.agent

WRITE = {"tool": "Bash", "input": {"command": "echo hi > out.txt", "description": "Create out.txt"}}
SCRIPT = [[{"text": "I will write it."}, WRITE], [{"text": "All done now."}]]


def ask(machine: Any, phone: WireClient, script: Any = None) -> dict[str, Any]:
    """Starts Claude Code with a prompt that causes an approval; returns its card. The terminal shows its own dialog, too."""
    machine.start_claude(script or SCRIPT)
    machine.prompt("please write it")
    machine.wait_screen(DIALOG)
    return phone.wait_card()


def session_of(card: dict[str, Any]) -> str:
    return card["session"]



@pytest.mark.shows("Claude Code, its own screen", "messages and tools are watched", "hooks")
@pytest.mark.shows("Claude Code, its own screen", "allowed by a client", "the file is there, and `PostToolUse`")
def test_remote_allow_makes_the_file_appear(machine, phone):
    card = ask(machine, phone)
    session = session_of(card)
    head, body = card["request"]["head"], card["request"]["body"]
    assert head["tool"] == "Bash" and head["kind"] == "tool" and not head.get("cut") and not head.get("redacted")
    assert body["input"] == WRITE["input"]
    assert not (machine.project / "out.txt").exists()

    assert phone.decide(session, card["approval"], "allow")["stage"] in ("decided", "delivered", "applied")
    assert machine.wait_file("out.txt") == "hi\n"
    machine.wait_screen("All done now.")
    assert "Allowed by PermissionRequest hook" in machine.screen()
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "ran"
    summary = phone.wait_summary(session, lambda summary: summary["status"] == "idle", what="the session to be idle")
    assert summary["agent"]["name"] and summary["project"] == "project" and summary["host"]["name"] == "laptop"
    assert summary["operations"] == 1 and summary["approvals"] == 0
    assert "opus" in summary["model"]

    phone.subscribe(session)
    started = phone.wait_event(session, lambda event: event["kind"] == "tool.started")
    assert started["head"]["tool"] == "Bash" and started["body"]["input"] == WRITE["input"]
    assert phone.wait_event(session, lambda event: event["kind"] == "tool.finished")["head"]["ok"] is True
    said = [event for event in phone.logs[session] if event["kind"] == "message"]
    assert [(event["head"]["role"], event["body"]["text"]) for event in said] == [
        ("user", "please write it"), ("assistant", "I will write it."), ("assistant", "All done now."),
    ]  # fmt: skip


@pytest.mark.shows("Claude Code, its own screen", "denied by a client", "the transcript's `toolDenialKind`")
@pytest.mark.shows("Claude Code, its own screen", "the agent reads why it was denied", "the model's own request")
def test_remote_deny_reaches_the_model(machine, phone):
    card = ask(machine, phone)
    phone.decide(session_of(card), card["approval"], "deny", message="Use a temporary file, please.")
    assert "Use a temporary file, please." in machine.wait_tool_result("temporary file")
    machine.wait_screen("All done now.")
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "denied"
    assert not (machine.project / "out.txt").exists()


def test_a_deny_without_a_reason(machine, phone):
    card = ask(machine, phone)
    phone.decide(session_of(card), card["approval"], "deny")
    machine.wait_screen("All done now.")
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "denied"
    assert not (machine.project / "out.txt").exists()


@pytest.mark.shows("Claude Code, its own screen", "questions answered by a client", "the model is told the answers")
def test_a_question_is_answered_from_afar(machine, phone):
    question = {
        "question": "Which color?", "header": "Color", "multiSelect": False,
        "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cool"}],
    }  # fmt: skip
    machine.start_claude([[{"tool": "AskUserQuestion", "input": {"questions": [question]}}], [{"text": "All done now."}]])
    machine.prompt("ask me something")
    machine.wait_screen("Which color?")
    card = phone.wait_card()
    assert card["request"]["head"]["kind"] == "question"
    asked = card["request"]["body"]["questions"]
    assert asked[0]["text"] == "Which color?" and [choice["label"] for choice in asked[0]["choices"]] == ["Red", "Blue"]
    phone.wait_summary(session_of(card), lambda summary: summary["status"] == "waitingAnswer" and summary["questions"] == 1)
    phone.answer(session_of(card), card["approval"], [{"question": asked[0]["id"], "choices": ["Blue"]}])
    assert "Blue" in machine.wait_tool_result("Blue")
    machine.wait_screen("All done now.")
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "answered"


def test_what_hides_an_argument_can_only_be_denied(machine, phone):
    command = {"tool": "Bash", "input": {"command": "touch --no-password out1234.txt", "description": "Touch it"}}
    card = ask(machine, phone, [[command], [{"text": "All done now."}]])
    head = card["request"]["head"]
    assert head["redacted"] is True and head["cut"] is True
    assert phone.decide(session_of(card), card["approval"], "allow")["error"]["code"] == "notWhole"
    phone.decide(session_of(card), card["approval"], "deny", message="Show it to me.")
    assert "Show it to me." in machine.wait_tool_result("Show it")
    assert not list(machine.project.glob("*.txt"))


def test_a_secret_stays_on_the_machine(machine, phone, relay):
    secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    write = {"tool": "Bash", "input": {"command": f"API_TOKEN={secret} env > out.txt", "description": "Store it"}}
    card = ask(machine, phone, [[write], [{"text": "All done now."}]])
    assert card["request"]["head"]["redacted"] is True and not card["request"]["head"].get("cut")
    assert "⟨redacted⟩" in card["request"]["body"]["input"]["command"]
    phone.decide(session_of(card), card["approval"], "allow")
    assert f"API_TOKEN={secret}\n" in machine.wait_file("out.txt"), "the digest covers the real input, and that is what runs"
    phone.wait_approval(card["approval"], "applied")
    machine.wait_screen("All done now.")
    relay.stop()
    assert secret.encode() not in relay.files_text()


@pytest.mark.parametrize(("chosen", "after"), [({}, "manual mode"), ({"mode": "acceptEdits"}, "accept edits")], ids=["plain", "accepting edits"])
def test_a_plan_is_read_and_approved_from_afar(machine, phone, chosen, after):
    """Claude Code keeps the plan in a file and adds the text to its request; it ignores an Allow without that input."""
    card, plan = ask_about_a_plan(machine, phone)
    assert card["request"]["body"]["input"]["plan"] == plan and not card["request"]["head"].get("cut")
    assert card["request"]["head"]["modes"] == ["default", "acceptEdits"]
    refused = phone.decide(session_of(card), card["approval"], "allow", mode="bypassPermissions")
    assert refused["error"]["code"] == "badAnswer"
    phone.decide(session_of(card), card["approval"], "allow", **chosen)
    machine.wait_screen("All done now.")
    machine.wait_screen(after)
    assert "approved your plan" in machine.wait_tool_result("approved your plan")
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "ran"


def ask_about_a_plan(machine, phone):
    """The card of a plan that Claude Code wants approved, and the plan's text."""
    machine.start_claude([[{"text": "Which file?"}]], permission_mode="plan")
    machine.prompt("plan something")
    machine.wait_screen("Which file?")
    plan = re.search(r'[^ "]*/plans/[^ "\\\\]*\.md', json.dumps(machine.api.requests[-1]))
    assert plan
    write = {"tool": "Write", "input": {"file_path": plan[0], "content": "# The plan\n\n1. Do it.\n"}}
    machine.api.script = [[{"text": "Which file?"}], [write], [{"tool": "ExitPlanMode", "input": {}}], [{"text": "All done now."}]]
    machine.prompt("that one")
    return phone.wait_card(lambda card: card["request"]["head"]["tool"] == "ExitPlanMode"), write["input"]["content"]


@pytest.mark.parametrize(("option", "after"), [("use auto mode", "auto mode on"), ("manually approve edits", "manual mode")], ids=["unasked", "asking"])
def test_a_plan_is_approved_at_the_terminal(machine, phone, option, after):
    """Whether the chosen mode is one of the card's or only of the terminal's dialog: the card says that the plan was allowed at the terminal."""
    card, _ = ask_about_a_plan(machine, phone)
    screen = machine.wait_screen(option)
    choice = next(line for line in screen.splitlines() if option in line)
    machine.decide_locally(re.search(r"\d", choice)[0])
    closed = phone.wait_approval(card["approval"], "cancelled")
    # On a busy machine Claude Code's registry may report work before the late hook reports the answer; then only "answered locally" is known.
    assert closed["reason"] in ("allowedLocally", "answeredLocally")
    assert phone.decide(session_of(card), card["approval"], "deny")["error"]["code"] == "closed"
    machine.wait_screen("All done now.")
    machine.wait_screen(after)
    assert "approved your plan" in machine.wait_tool_result("approved your plan")
    phone.wait_summary(session_of(card), lambda summary: summary["status"] == "idle" and summary["approvals"] == 0)


def test_a_plan_is_turned_down_at_the_terminal(machine, phone):
    card, _ = ask_about_a_plan(machine, phone)
    machine.decide_locally("Escape")
    assert phone.wait_approval(card["approval"], "cancelled")["reason"] == "deniedLocally"
    assert phone.decide(session_of(card), card["approval"], "allow")["error"]["code"] == "closed"
    machine.wait_screen("plan mode on")


def test_a_plan_is_sent_back_from_the_terminal_with_what_to_change(machine, phone):
    """The turn continues with the feedback as its text, so only the model's input shows that the plan was not approved."""
    card, _ = ask_about_a_plan(machine, phone)
    machine.press_until("3", lambda screen: "❯ 3." in screen, "select what to change")
    machine.type("Do it twice.")
    machine.wait_screen("Do it twice.")
    machine.decide_locally("Enter")
    assert "Do it twice." in machine.wait_tool_result("Do it twice.")
    assert phone.wait_approval(card["approval"], "cancelled")["reason"] == "deniedLocally"
    assert phone.decide(session_of(card), card["approval"], "allow")["error"]["code"] == "closed"
    machine.wait_screen("All done now.")
    machine.wait_screen("plan mode on")


@pytest.mark.parametrize(
    ("command", "rule"), [("npm test", "Bash(npm test *)"), ("python3 -c 'print(1)'", r"Bash(python3 -c 'print\(1\)')")], ids=["words", "escapes"]
)
@pytest.mark.shows("Claude Code, its own screen", "always allow, by the agent's own offer", "the rule in its settings, and no second question")
def test_what_is_allowed_always_from_afar_is_written_and_not_asked_again(machine, phone, command, rule):
    run = {"tool": "Bash", "input": {"command": command, "description": "Run the tests"}}
    settings = machine.project / ".claude/settings.local.json"
    card = ask(machine, phone, [[run], [{"text": "First done."}], [run], [{"text": "Second done."}]])
    offers = card["request"]["head"]["offers"]
    assert [(offer["rule"], offer["scope"], offer["effect"]) for offer in offers] == [(rule, "local", "allow")]
    assert phone.decide(session_of(card), card["approval"], "allow", offer="s1")["error"]["code"] == "badAnswer"
    assert phone.decide(session_of(card), card["approval"], "allow", mode="acceptEdits", offer="s0")["error"]["code"] == "badAnswer"
    phone.decide(session_of(card), card["approval"], "allow", offer=offers[0]["id"])
    machine.wait_screen("First done.")
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "ran"
    assert json.loads(settings.read_text())["permissions"]["allow"] == [rule]
    machine.prompt("and again")
    machine.wait_screen("Second done.")
    assert len(phone.approvals) == 1, "it ran without a question"


def test_a_plain_allow_writes_nothing_and_is_asked_again(machine, phone):
    run = {"tool": "Bash", "input": {"command": "npm test", "description": "Run the tests"}}
    card = ask(machine, phone, [[run], [{"text": "First done."}], [run], [{"text": "Second done."}]])
    assert card["request"]["head"]["offers"]
    phone.decide(session_of(card), card["approval"], "allow")
    machine.wait_screen("First done.")
    machine.prompt("and again")
    second = phone.wait_card()
    assert second["approval"] != card["approval"]
    assert not (machine.project / ".claude/settings.local.json").exists()
    phone.decide(session_of(second), second["approval"], "deny")
    machine.wait_screen("Second done.")


def test_an_edit_is_compared_with_the_file_as_it_is(machine, phone):
    """Three kinds of edits: overwriting a file, replacing all occurrences, and a notebook's cell. The result's diff equals the request's."""
    path, notebook = machine.project / "a.txt", machine.project / "n.ipynb"
    path.write_text("".join(f"line {n}\n" for n in range(1, 21)))
    cell = {"cell_type": "code", "id": "c1", "metadata": {}, "source": ["a = 1\n", "b = 2"], "outputs": [], "execution_count": None}
    notebook.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    name = {"file_path": str(path)}
    content = "".join(f"line {n}\n" for n in range(1, 21) if n != 10) + "x\nx\n"
    steps = [
        [{"tool": "Read", "input": name}, {"tool": "Read", "input": {"file_path": str(notebook)}}],
        [{"tool": "Write", "input": name | {"content": content}}],
        [{"tool": "Edit", "input": name | {"old_string": "x", "new_string": "y", "replace_all": True}}],
        [{"tool": "Edit", "input": name | {"old_string": "line 5", "new_string": ""}}],
        [{"tool": "NotebookEdit", "input": {"notebook_path": str(notebook), "cell_id": "c1", "new_source": "a = 3\nb = 2"}}],
        [{"tool": "Write", "input": {"file_path": str(machine.project / "new.txt"), "content": "fresh\n"}}],
        [{"text": "All done now."}],
    ]
    machine.start_claude(steps)
    machine.prompt("please write it")
    known: list[str] = []

    def allow() -> tuple[dict[str, Any], list[str]]:
        card = phone.wait_card(lambda card: card["approval"] not in known)
        known.append(card["approval"])
        body = card["request"]["body"]
        phone.decide(session_of(card), card["approval"], "allow")
        return body["change"], body["diff"].split("\n")

    change, diff = allow()
    assert change == {"file": "overwrites", "added": 2, "removed": 1, "bytes": 151}
    assert diff[:5] == ["@@ -7,7 +7,6 @@", " line 7", " line 8", " line 9", "-line 10"]
    assert diff[8:] == ["@@ -18,3 +17,5 @@", " line 18", " line 19", " line 20", "+x", "+x"]
    change, diff = allow()
    assert change["file"] == "edits" and change["places"] == 2 and (change["added"], change["removed"]) == (2, 2)
    assert diff == ["@@ -17,5 +17,5 @@", " line 18", " line 19", " line 20", "-x", "-x", "+y", "+y"]
    change, diff = allow()
    assert diff == ["@@ -2,7 +2,6 @@", " line 2", " line 3", " line 4", "-line 5", " line 6", " line 7", " line 8"]
    change, diff = allow()
    assert change["cell"] == {"deed": "replace", "number": 1, "of": 1} and (change["added"], change["removed"]) == (1, 1)
    assert diff[1:3] == ["-a = 1", "+a = 3"]
    change, diff = allow()
    assert change == {"file": "new", "added": 1, "removed": 0} and diff == ["@@ -0,0 +1,1 @@", "+fresh"]

    machine.wait_screen("All done now.")
    assert path.read_text() == content.replace("x", "y").replace("line 5\n", "")
    session = next(iter(phone.approvals.values()))["session"]
    phone.subscribe(session)
    phone.wait_event(session, lambda event: event["kind"] == "file.changed" and event["head"]["path"] == "new.txt")
    done = [event for event in phone.logs[session] if event["kind"] == "file.changed"]
    assert [(event["body"]["change"]["file"], event["head"]["added"], event["head"]["removed"]) for event in done] == [
        ("overwrites", 2, 1), ("edits", 2, 2), ("edits", 0, 1), ("edits", 1, 1), ("new", 1, 0),
    ]  # fmt: skip


def test_half_an_emoji_in_a_command_still_brings_a_card(machine, phone):
    """JavaScript serialises a lone surrogate that strict JSON readers refuse: the request is shown nevertheless, and can be denied."""
    write = {"tool": "Bash", "input": {"command": "echo 'half \ud83d' > out.txt", "description": "Create out.txt"}}
    card = ask(machine, phone, [[write], [{"text": "All done now."}]])
    assert card["request"]["head"]["cut"] is True
    assert card["request"]["body"]["input"]["command"] == "echo 'half \ufffd' > out.txt"
    phone.decide(session_of(card), card["approval"], "deny")
    machine.wait_screen("All done now.")
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "denied"
    assert not (machine.project / "out.txt").exists()


def test_a_subagents_request_names_it(machine, phone):
    machine.api.scripts_by_word["SUBTASK"] = [
        [{"tool": "Bash", "input": {"command": "echo sub > sub.txt", "description": "Create sub.txt"}}], [{"text": "The subtask is done."}],
    ]  # fmt: skip
    launch = {"tool": "Agent", "input": {"description": "a subtask", "prompt": "SUBTASK please", "subagent_type": "general-purpose"}}
    machine.start_claude([[launch], [{"text": "All done now."}]])
    machine.prompt("delegate it")
    card = phone.wait_card()
    agent = card["request"]["head"]["agent"]
    assert card["request"]["head"]["agentName"] == "a subtask"
    assert card["request"]["body"]["input"]["command"] == "echo sub > sub.txt"
    phone.decide(session_of(card), card["approval"], "allow")
    assert machine.wait_file("sub.txt") == "sub\n"
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "ran"
    session = session_of(card)
    phone.subscribe(session)
    finished = phone.wait_event(session, lambda event: event["kind"] == "subagent.finished", timeout=15)
    assert finished["head"]["agent"] == agent and finished["head"]["name"] == "a subtask"
    # The subagent's start names its tool call, so that its rows can be shown below that.
    started = next(event for event in phone.logs[session] if event["kind"] == "subagent.started")
    delegating = next(event for event in phone.logs[session] if event["kind"] == "tool.started" and event["head"]["tool"] == "Agent")
    assert started["head"]["agent"] == agent and started["head"]["call"] == delegating["head"]["call"]
    phone.wait_summary(session, lambda summary: summary["subagents"] == 0 and summary["status"] == "idle", timeout=15)


def test_two_calls_in_one_message_are_two_cards(machine, phone):
    """One call is allowed and the other denied: each decision applies to its own call."""
    calls = [{"tool": "Bash", "input": {"command": f"echo {name} > {name}.txt", "description": name}} for name in ("one", "two")]
    machine.start_claude([calls, [{"text": "All done now."}]])
    machine.prompt("write both")
    decided = set()
    for _ in calls:
        card = phone.wait_card(lambda card: card["stage"] == "pending" and card["approval"] not in decided)
        decided.add(card["approval"])
        is_first = "one.txt" in card["request"]["body"]["input"]["command"]
        phone.decide(session_of(card), card["approval"], "allow" if is_first else "deny")
        phone.wait_approval(card["approval"], "applied")
    machine.wait_screen("All done now.")
    assert (machine.project / "one.txt").exists() and not (machine.project / "two.txt").exists()



def test_auto_mode_runs_without_a_question_and_a_rule_brings_it_back(machine, phone):
    """In auto mode, the default, no card appears; after `connect --ask Bash` the same command waits for one, and is allowed by the phone."""
    machine.start_claude(SCRIPT, permission_mode=None)
    machine.prompt("please write it")
    machine.wait_screen("All done now.")
    assert (machine.project / "out.txt").exists() and not phone.approvals
    machine.prompt("/exit")
    machine.terminal.wait_ended()
    machine.terminal.close()
    (machine.project / "out.txt").unlink()

    machine.heliograph("connect", "claude", "--user", "--yes", "--ask", "Bash")
    machine.start_claude(SCRIPT, permission_mode=None)
    machine.prompt("please write it")
    machine.wait_screen(DIALOG)
    card = phone.wait_card()
    assert not (machine.project / "out.txt").exists()
    phone.decide(session_of(card), card["approval"], "allow")
    assert machine.wait_file("out.txt") == "hi\n"
    machine.wait_gone(DIALOG)
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "ran"
    machine.wait_screen("All done now.")
    machine.heliograph("disconnect", "claude", "--user", "--yes")
    assert machine.settings.read_text() == SETTINGS



@pytest.mark.shows("Claude Code, its own screen", "answered at the terminal or editor first", "the dialog's own answer")
def test_local_yes_first_closes_the_card(machine, phone):
    card = ask(machine, phone)
    machine.decide_locally("Enter")
    machine.wait_file("out.txt")
    closed = phone.wait_approval(card["approval"], "cancelled")
    # On a busy machine Claude Code's registry may report work before the late hook reports the answer; then only "answered locally" is known.
    assert closed["reason"] in ("allowedLocally", "answeredLocally")
    assert phone.decide(session_of(card), card["approval"], "deny")["error"]["code"] == "closed"
    machine.wait_screen("All done now.")
    phone.wait_summary(session_of(card), lambda summary: summary["status"] == "idle" and summary["approvals"] == 0)


@pytest.mark.parametrize("key", ["4", "Escape"])
def test_local_no_first_closes_the_card(machine, phone, key):
    card = ask(machine, phone)
    machine.decide_locally(key)
    closed = phone.wait_approval(card["approval"], "cancelled")
    assert closed["reason"] == "deniedLocally"
    assert phone.decide(session_of(card), card["approval"], "allow")["error"]["code"] == "closed"
    assert not (machine.project / "out.txt").exists()


def test_the_dialog_closed_with_feedback(machine, phone):
    """No hook reports a dialog that was closed with feedback; later events show it."""
    card = ask(machine, phone)
    machine.press_until("Down", lambda screen: "❯ 4. No" in screen, "select No")
    machine.press("Tab")
    machine.type("use printf")
    machine.wait_screen("use printf")
    machine.press("Enter")
    machine.wait_tool_result("use printf")
    assert phone.wait_approval(card["approval"], "cancelled")["reason"] in ("deniedLocally", "answeredLocally")
    assert not (machine.project / "out.txt").exists()



def test_relay_away_means_the_local_prompt_only(machine, phone, relay, client):
    relay.stop()
    machine.start_claude(SCRIPT)
    machine.prompt("please write it")
    machine.wait_screen(DIALOG)
    assert not (machine.project / "out.txt").exists()
    machine.decide_locally("Enter")
    machine.wait_file("out.txt")
    machine.wait_screen("All done now.")
    # Events during the outage were kept in order; no approval is pending.
    relay.start()
    later = client(relay, "later")
    later.subscribe()
    wait_until(lambda: later.summaries, 15, "the session to arrive from the spool")
    session = next(iter(later.summaries))
    later.wait_summary(session, lambda summary: summary["status"] == "idle" and summary["approvals"] == 0, timeout=15)
    later.subscribe(session)
    assert later.kinds(session)[0] == "session.started"
    assert all(card["stage"] != "pending" for card in later.approvals.values())


def test_no_daemon_means_the_local_prompt_only(machine, phone):
    machine.stop_daemon()
    machine.start_claude(SCRIPT)
    machine.prompt("please write it")
    machine.wait_screen(DIALOG)
    assert not (machine.project / "out.txt").exists()
    machine.decide_locally("Enter")
    machine.wait_file("out.txt")
    machine.wait_screen("All done now.")


@pytest.mark.shows("Claude Code, its own screen", "the relay is killed or away", "the question is there again")
def test_relay_killed_with_an_open_card(machine, phone, relay, client):
    card = ask(machine, phone)
    relay.kill()
    assert DIALOG in machine.screen()
    relay.start()
    tablet = client(relay, "tablet")
    tablet.subscribe()
    again = tablet.wait_approval(card["approval"], "pending")
    assert again["request"] == card["request"]
    assert not (machine.project / "out.txt").exists()
    tablet.decide(session_of(card), card["approval"], "allow")
    machine.wait_file("out.txt")
    assert tablet.wait_approval(card["approval"], "applied")["outcome"] == "ran"


@pytest.mark.shows("Claude Code, its own screen", "the host's daemon is killed", "the hook asks the next daemon")
def test_daemon_killed_with_an_open_card(machine, phone):
    """The waiting hook connects to the new daemon, so the card stays; until then the terminal's own dialog is open, and nothing is allowed."""
    card = ask(machine, phone)
    machine.kill_daemon()
    phone.wait_summary(session_of(card), lambda summary: not summary["host"]["connected"])
    assert DIALOG in machine.screen() and not (machine.project / "out.txt").exists()
    assert phone.decide(session_of(card), card["approval"], "allow")["stage"] == "decided"
    assert not (machine.project / "out.txt").exists()
    machine.start_daemon()
    assert machine.wait_file("out.txt") == "hi\n"
    assert phone.wait_approval(card["approval"], "applied", timeout=20)["outcome"] == "ran"


def test_daemon_and_agent_killed_with_an_open_card(machine, phone):
    card = ask(machine, phone)
    machine.kill_daemon()
    machine.terminal.kill()
    machine.terminal.close()
    machine.start_daemon()
    closed = phone.wait_approval(card["approval"], "cancelled", timeout=30)
    assert closed["reason"] in ("hostRestarted", "agentGone")
    assert phone.decide(session_of(card), card["approval"], "allow")["error"]["code"] == "closed"


def test_daemon_killed_and_answered_locally(machine, phone):
    """Events while no daemon ran are lost; the next event shows that the card is settled."""
    card = ask(machine, phone)
    machine.kill_daemon()
    machine.decide_locally("Enter")
    machine.wait_file("out.txt")
    machine.wait_screen("All done now.")
    machine.start_daemon()
    machine.prompt("thank you")
    closed = phone.wait_approval(card["approval"], "cancelled", timeout=30)
    assert closed["reason"] in ("allowedLocally", "answeredLocally", "hostRestarted", "turnEnded")


@pytest.mark.shows("Claude Code, its own screen", "the agent is killed", "its process is gone")
def test_agent_killed_with_an_open_card(machine, phone):
    card = ask(machine, phone)
    machine.terminal.kill()
    closed = phone.wait_approval(card["approval"], "cancelled", timeout=20)
    assert closed["reason"] == "agentGone"
    phone.wait_summary(session_of(card), lambda summary: summary["approvals"] == 0)
    assert not (machine.project / "out.txt").exists()


def test_the_window_is_closed_with_an_open_card(machine, phone):
    card = ask(machine, phone)
    machine.terminal.close()
    closed = phone.wait_approval(card["approval"], "cancelled", timeout=20)
    assert closed["reason"] in ("sessionEnded", "agentGone")
    phone.wait_summary(session_of(card), lambda summary: summary["approvals"] == 0 and "endedAt" in summary, timeout=20)
    assert not (machine.project / "out.txt").exists()



def test_cost_context_and_todo_show(machine, phone):
    create = [{"tool": "TaskCreate", "input": {"subject": f"Step {number}", "description": "d", "activeForm": f"Doing step {number}"}} for number in (1, 2, 3)]
    script = [
        [{"text": "A plan."}, *create],
        [{"tool": "TaskUpdate", "input": {"taskId": "1", "status": "completed"}},
         {"tool": "TaskUpdate", "input": {"taskId": "2", "status": "in_progress"}}],
        [{"text": "All done now."}],
    ]  # fmt: skip
    machine.start_claude(script)
    machine.prompt("make a plan")
    machine.wait_screen("All done now.")
    wait_until(lambda: phone.summaries, 10, "a session")
    session = next(iter(phone.summaries))
    summary = phone.wait_summary(session, lambda summary: summary.get("todo", {}).get("completed") == 1, what="the todo list")
    assert summary["todo"]["total"] == 3 and summary["todo"]["current"] in ("Step 2", "Doing step 2")
    summary = phone.wait_summary(session, lambda summary: summary.get("costMicroUSD", 0) > 0, timeout=15, what="the cost")
    assert summary["context"]["limit"] > 0 and summary["context"]["used"] > 0
    phone.subscribe(session)
    todo = [event for event in phone.logs[session] if event["kind"] == "todo.changed"][-1]
    assert [item["status"] for item in todo["body"]["items"]] == ["done", "active", "pending"]


def test_the_end_of_a_session_is_seen(machine, phone):
    machine.start_claude([[{"text": "All done now."}]])
    machine.prompt("say something")
    machine.wait_screen("All done now.")
    wait_until(lambda: phone.summaries, 10, "a session")
    session = next(iter(phone.summaries))
    machine.prompt("/exit")
    machine.terminal.wait_ended()
    phone.wait_summary(session, lambda summary: summary["status"] == "completed" and "endedAt" in summary, timeout=15)


def test_what_is_rewound_at_the_terminal_is_said_before_the_next_prompt(machine, phone):
    machine.start_claude([[{"text": "First."}]])
    for prompt, answer in [("one", "First."), ("two", "Second."), ("three", "Third.")]:
        machine.api.script = [[{"text": answer}]]
        machine.prompt(prompt)
        machine.wait_screen(answer)
    session = wait_until(lambda: next(iter(phone.summaries), None), 10, "a session")
    phone.wait_summary(session, lambda summary: summary["status"] == "idle")
    machine.type("/rewind")
    machine.wait_screen("/rewind")
    machine.press("Enter")
    machine.wait_screen("(current)")
    # Earlier prompts are listed above the one to rewind to.
    machine.press_until("Up", lambda screen: "❯ two" in screen.rsplit("one", 1)[-1], "choose the second prompt")
    machine.press("Enter")
    machine.wait_screen("Restore conversation")
    machine.press("Enter")
    machine.wait_gone("Restore conversation")
    machine.press("C-u")
    machine.api.script = [[{"text": "Fourth."}]]
    machine.prompt("four")
    machine.wait_screen("Fourth.")
    phone.subscribe(session)
    phone.wait_event(session, lambda event: event["head"].get("summary") == "Fourth.")
    assert "three" not in machine.told() and machine.told()[-1] == "four"
    said = [(event["kind"], event["body"]["text"]) for event in phone.logs[session] if event["kind"] in ("message", "rewound")]
    turns = [("one", "First."), ("two", "Second."), ("three", "Third."), ("four", "Fourth.")]
    expected = [("message", text) for turn in turns for text in turn]
    assert said == [*expected[:6], ("rewound", "one"), *expected[6:]]



def test_a_session_whose_hooks_do_not_run_is_shown_as_one(machine, phone):
    """Neither `connect` nor `doctor` can see the option of a single session that disables hooks."""
    machine.start_claude([[{"text": "All done now."}]], arguments=["--setting-sources", "project,local"])
    machine.prompt("say something")
    machine.wait_screen("All done now.")
    summary = wait_until(lambda: next(iter(phone.summaries.values()), None), 40, "the session")
    assert summary["status"] == "stale" and "hooks do not run" in summary["statusReason"] and summary["cwd"].endswith("project")
    machine.prompt("/exit")
    machine.terminal.wait_ended()
    phone.wait_summary(summary["session"], lambda summary: summary["status"] == "completed", timeout=40)


def test_connect_keeps_what_is_there_and_disconnect_leaves_no_trace(machine):
    connected = json.loads(machine.settings.read_text())
    assert connected["cleanupPeriodDays"] == 30
    assert connected["hooks"]["Stop"][0] == json.loads(SETTINGS)["hooks"]["Stop"][0]
    assert {"PermissionRequest", "PreToolUse", "PostToolUse", "SessionStart", "SessionEnd"} <= connected["hooks"].keys()
    assert "heliograph" in connected["statusLine"]["command"]
    text = machine.settings.read_bytes()
    machine.heliograph("connect", "claude", "--user", "--yes")
    assert machine.settings.read_bytes() == text, "connecting twice changes nothing"
    machine.heliograph("disconnect", "claude", "--user", "--yes")
    assert machine.settings.read_text() == SETTINGS
    machine.heliograph("disconnect", "claude", "--user", "--yes")
    assert machine.settings.read_text() == SETTINGS


def test_the_users_own_status_line_still_shows(machine, phone):
    machine.heliograph("disconnect", "claude", "--user", "--yes")
    own = {"statusLine": {"type": "command", "command": "printf 'mine: %s' \"$(head -c 13)\"", "padding": 1}}
    machine.settings.write_text(json.dumps(own))
    machine.heliograph("connect", "claude", "--user", "--yes")
    machine.start_claude([[{"text": "All done now."}]])
    machine.prompt("say something")
    machine.wait_screen("All done now.")
    machine.wait_screen('mine: {"session_id"')
    wait_until(lambda: any(summary.get("costMicroUSD") for summary in phone.summaries.values()), 15, "the cost through the wrapper")
    machine.heliograph("disconnect", "claude", "--user", "--yes")
    assert machine.settings.read_text() == json.dumps(own)


def test_a_hook_without_a_daemon_says_nothing_and_is_quick(machine):
    machine.stop_daemon()
    for event in ("PermissionRequest", "PreToolUse", "SessionStart", "Stop"):
        start = time.monotonic()
        result = machine.heliograph("hook", "claude", event, input='{"session_id":"x","hook_event_name":"%s"}\n' % event)
        assert result.stdout == "" and result.returncode == 0
        assert time.monotonic() - start < 1, "50 ms are promised; a busy machine may take longer to start a process"


@pytest.mark.parametrize("event", ["PermissionRequest", "PreToolUse"])
def test_a_hook_gives_up_on_a_daemon_that_is_stopped(machine, event):
    body = {
        "session_id": "x", "hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "true"}, "cwd": "/",
        "permission_mode": "default",
    }
    machine.daemon.send_signal(signal.SIGSTOP)
    try:
        start = time.monotonic()
        result = machine.heliograph("hook", "claude", event, input=json.dumps(body))
        assert result.stdout == "" and result.returncode == 0
        took = time.monotonic() - start
        assert took < (20 if event == "PermissionRequest" else 1), took
    finally:
        machine.daemon.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("text", ["", "nonsense", "[]", "{}", '{"session_id":5}', "[" * 10_000, '{"a":1,"a":2}'])
def test_a_hook_takes_bad_input_for_no_decision(machine, text):
    for event in ("PermissionRequest", "PreToolUse", "Nonsense"):
        result = machine.heliograph("hook", "claude", event, input=text, check=False)
        assert result.returncode == 0 and result.stdout == "", (event, result)



def test_what_a_program_denies_is_not_said_to_be_allowed(machine, phone):
    """Like the SDK, the program answers Claude Code's control protocol while Heliograph's hook waits for a client's decision."""
    machine.api.script = SCRIPT
    with Program(machine) as program:
        program.prompt("please write it")
        asked = program.wait_question()
        card = phone.wait_card()
        program.answer(asked, {"behavior": "deny", "message": "The program says no"})
        machine.wait_tool_result("The program says no")
        closed = phone.wait_approval(card["approval"], "cancelled", timeout=15)
        assert closed["reason"] == "answeredLocally" and not (machine.project / "out.txt").exists()
