"""The real Codex in a real terminal, watched and answered by Heliograph through the server that both are attached to."""

import json
import re
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from client import WireClient
from codex import DIALOG, AppServer, CodexMachine, command, machine, patch  # noqa: F401 (a fixture)
from test_claude_mcp import ANSWERS, SERVER
from test_rules import requests, write
from trusting import trust_client
from waits import wait_until

pytestmark = pytest.mark.agent

DONE = [{"text": "All done now."}]
FINAL = ("applied", "cancelled", "stale", "expired")


def ask(machine: CodexMachine, phone: WireClient, script: Any) -> dict[str, Any]:
    machine.start_codex(script)
    machine.prompt("please do it")
    machine.wait_screen(DIALOG)
    card = phone.wait_card()
    time.sleep(0.5)  # a new dialog ignores keys, without showing that
    return card


def final(phone: WireClient, card: dict[str, Any], timeout: float = 15) -> dict[str, Any]:
    return phone.wait_card(lambda one: one["approval"] == card["approval"] and one["stage"] in FINAL, timeout=timeout)


def session_of(phone: WireClient) -> str:
    wait_until(lambda: phone.summaries, 15, "a session")
    return next(iter(phone.summaries))


def wait_status(phone: WireClient, status: str, timeout: float = 15) -> dict[str, Any]:
    return phone.wait_summary(session_of(phone), lambda summary: summary["status"] == status, timeout=timeout, what=status)


@pytest.mark.shows("Codex", "messages and tools are watched", "its server's notifications")
def test_a_session_is_watched_from_its_first_turn_on(machine, phone):
    plan = {"tool": "update_plan", "input": {"plan": [{"step": "One", "status": "completed"}, {"step": "Two", "status": "in_progress"}]}}
    # The host looks for a new server every second; plans from before it attached are not reported.
    machine.start_codex([[{"sleep": 4}, {"text": "Line one.\nLine two."}, {"tool": "exec_command", "input": {"cmd": "echo printed"}}], [plan], DONE])
    machine.prompt("please do it")
    machine.wait_screen("All done now.")
    summary = wait_status(phone, "idle")
    session = summary["session"]
    assert session.startswith("codex-")
    phone.subscribe(session)
    phone.wait_event(session, lambda event: event["head"].get("summary") == "All done now.")
    kinds = phone.kinds(session)
    for kind in ("session.started", "message", "tool.started", "tool.finished", "todo.changed", "usage"):
        assert kind in kinds, kinds
    assert kinds.count("message") == 3, "the prompt, and two answers"
    output = phone.wait_event(session, lambda event: event["kind"] == "tool.finished" and "printed" in event["body"].get("output", ""))
    assert output["head"]["exit"] == 0
    summary = phone.summaries[session]
    assert summary["todo"]["total"] == 2
    assert summary["agent"]["name"] == "codex" and summary["title"] == "please do it"


@pytest.mark.shows("Codex", "answered by its owner's rules", "`item/completed`, and what the model was told")
def test_the_owners_rules_answer_what_it_asks(machine, phone):
    write(machine.home, machine.environment)
    machine.start_codex([[command("mkdir made")], [command("git push")], [command("mkdir made && touch forbidden")], DONE])
    machine.prompt("please do it")
    machine.wait_screen(DIALOG)
    card = phone.wait_card()
    assert (machine.project / "made").is_dir()
    assert card["request"]["body"]["input"]["command"] == "/bin/bash -lc 'mkdir made && touch forbidden'"
    phone.subscribe(card["session"])
    wait_until(lambda: len(requests(phone, card["session"])) == 3, 10, "three requests")
    asked = requests(phone, card["session"])
    assert [event["head"].get("rule", {}).get("name") for event in asked] == ["echoes", "no-push", None]
    phone.decide(card["session"], card["approval"], "deny")
    outcomes = [phone.wait_approval(event["head"]["approval"], "applied")["outcome"] for event in asked]
    assert outcomes == ["ran", "denied", "denied"] and not (machine.project / "forbidden").exists()


@pytest.mark.shows("Codex", "allowed by a client", "`item/completed`")
def test_allowed_from_the_phone(machine, phone):
    trust_client(machine, phone)
    card = ask(machine, phone, [[command("echo hi > out.txt")], DONE])
    assert card["request"]["head"]["tool"] == "Bash" and card["request"]["head"]["title"] == "Run: echo hi > out.txt"
    phone.decide(card["session"], card["approval"], "allow")
    closed = final(phone, card)
    assert (closed["stage"], closed["outcome"]) == ("applied", "ran")
    assert machine.wait_file("out.txt") == "hi\n"
    machine.wait_gone(DIALOG)


@pytest.mark.shows("Codex", "denied by a client", "`item/completed`, declined")
def test_denied_from_the_phone_the_turn_goes_on(machine, phone):
    card = ask(machine, phone, [[command("echo hi > out.txt")], DONE])
    phone.decide(card["session"], card["approval"], "deny")
    closed = final(phone, card)
    assert (closed["stage"], closed["outcome"]) == ("applied", "denied")
    machine.wait_screen("All done now.")
    assert not (machine.project / "out.txt").exists()


def test_a_change_of_files_comes_with_its_diff(machine, phone):
    (Path(machine.project) / "old.md").write_text("one\ntwo\n")
    card = ask(machine, phone, [[patch("*** Add File: note.md\n+hello\n*** Update File: old.md\n@@\n-one\n+uno\n two")], DONE])
    assert card["request"]["head"]["tool"] == "apply_patch" and card["request"]["head"]["title"] == "Change 2 files"
    for line in ("+++ note.md", "+hello", "-one", "+uno"):
        assert line in card["request"]["body"]["diff"].splitlines()
    phone.subscribe(card["session"])
    phone.decide(card["session"], card["approval"], "allow")
    assert final(phone, card)["outcome"] == "ran"
    assert machine.wait_file("note.md") == "hello\n"
    changed = phone.wait_event(card["session"], lambda event: event["kind"] == "file.changed" and event["head"]["path"] == "old.md")
    assert (changed["head"]["added"], changed["head"]["removed"]) == (1, 1)


def test_a_link_in_the_path_of_a_change_says_where_it_leads(machine, phone):
    outside = Path(machine.project).parent / "elsewhere"
    outside.mkdir()
    (Path(machine.project) / "docs").symlink_to(outside)
    card = ask(machine, phone, [[patch("*** Add File: docs/note.md\n+hello")], DONE])
    risks = card["request"]["head"]["risks"]
    assert risks[0] == f"A link leads from docs/note.md to {outside.resolve()}/note.md: that is what changes."
    assert any(risk.startswith("Outside the session's folder") for risk in risks)
    phone.decide(card["session"], card["approval"], "deny")
    final(phone, card)
    assert not (outside / "note.md").exists()


@pytest.mark.shows("Codex", "always allow, by the agent's own offer", "the rule in `default.rules`, and no second question")
def test_a_rule_that_codex_offers_is_written_and_the_same_is_not_asked_again(machine, phone):
    again = command("echo hi >> out.txt")
    card = ask(machine, phone, [[again], DONE])
    offers = card["request"]["head"]["offers"]
    assert [(offer["scope"], offer["effect"]) for offer in offers] == [("user", "allow")]
    assert offers[0]["rule"].startswith("prefix_rule(pattern=[")
    phone.decide(card["session"], card["approval"], "allow", offer=offers[0]["id"])
    assert final(phone, card)["outcome"] == "ran"
    machine.wait_screen("All done now.")
    assert offers[0]["rule"] in (machine.codex_home / "rules/default.rules").read_text().splitlines()
    machine.api.script = [[again], [{"text": "Second done."}]]
    machine.prompt("and again")
    machine.wait_screen("Second done.")
    assert (machine.project / "out.txt").read_text() == "hi\nhi\n"
    assert len(phone.approvals) == 1


def test_changes_to_a_file_are_allowed_until_the_session_ends(machine, phone):
    first, second = patch("*** Add File: note.md\n+one"), patch("*** Update File: note.md\n@@\n-one\n+two")
    card = ask(machine, phone, [[first], DONE])
    assert [(offer["id"], offer["scope"]) for offer in card["request"]["head"]["offers"]] == [("acceptForSession", "session")]
    phone.decide(card["session"], card["approval"], "allow", offer="acceptForSession")
    assert final(phone, card)["outcome"] == "ran"
    machine.wait_screen("All done now.")
    machine.api.script = [[second], [{"text": "Second done."}]]
    machine.prompt("and again")
    machine.wait_screen("Second done.")
    assert machine.wait_file("note.md") == "two\n"
    assert len(phone.approvals) == 1


def asking(machine: CodexMachine, phone: WireClient) -> dict[str, Any]:
    """A machine whose Codex has the setting that lets the model ask questions outside plan mode."""
    settings = machine.codex_home / "config.toml"
    settings.write_text(settings.read_text() + "[features]\ndefault_mode_request_user_input = true\n")
    questions = [
        {"id": id, "header": id, "question": f"Which {id}?", "options": [{"label": one, "description": "?"} for one in options]}
        for id, options in (("color", ("Red", "Blue")), ("name", ("Ada", "Bob")))
    ]
    machine.start_codex([[{"tool": "request_user_input", "input": {"questions": questions}}], DONE])
    machine.prompt("please do it")
    machine.wait_screen("Which color?")
    return phone.wait_card()


@pytest.mark.shows("Codex", "questions answered by a client", "the model is told the answers")
def test_its_questions_are_answered_from_the_phone(machine, phone):
    card = asking(machine, phone)
    asked = card["request"]["body"]["questions"]
    assert [(one["text"], [choice["label"] for choice in one["choices"]]) for one in asked] == [
        ("Which color?", ["Red", "Blue"]), ("Which name?", ["Ada", "Bob"]),
    ]  # fmt: skip
    wait_status(phone, "waitingAnswer")
    answers = [{"question": asked[0]["id"], "choices": ["Blue"], "indexes": [1]}, {"question": asked[1]["id"], "choices": [], "text": "Cleo"}]
    phone.answer(card["session"], card["approval"], answers)
    closed = final(phone, card)
    assert (closed["stage"], closed["outcome"]) == ("applied", "answered")
    machine.wait_screen("All done now.")
    told = {"answers": {"color": {"answers": ["Blue"]}, "name": {"answers": ["None of the above", "user_note: Cleo"]}}}
    assert [json.loads(result) for result in machine.api.tool_results()] == [told]
    assert "Which color?" not in machine.screen().split("Questions 2/2 answered")[-1].split("All done now.")[-1], "its dialog is closed"


def test_its_questions_are_declined_from_the_phone_and_the_turn_goes_on(machine, phone):
    card = asking(machine, phone)
    phone.decide(card["session"], card["approval"], "deny")
    assert final(phone, card)["outcome"] == "denied"
    machine.wait_screen("All done now.")
    assert [json.loads(result) for result in machine.api.tool_results()] == [{"answers": {}}]


def served(machine: CodexMachine, phone: WireClient) -> dict[str, Any]:
    """An MCP server that asks for a form during a tool call."""
    program = machine.folder / "server.py"
    program.write_text(SERVER)
    settings = machine.codex_home / "config.toml"
    server = f"[mcp_servers.deploy]\ncommand = {json.dumps(sys.executable)}\nargs = [{json.dumps(str(program))}]\n"
    settings.write_text(settings.read_text() + server)
    machine.start_codex([[{"tool": "ship", "namespace": "mcp__deploy", "input": {}}], DONE])
    machine.prompt("please do it")
    machine.wait_screen("Ship to production?")
    return phone.wait_card()


@pytest.mark.parametrize("how", ["accept", "decline"])
@pytest.mark.shows("Codex", "a tool's server asks (elicitation)", "the server's own word")
def test_what_a_server_of_tools_asks_is_answered_from_the_phone(machine, phone, how):
    card = served(machine, phone)
    # Codex lists the form's fields in an order of its own.
    asked = {one["text"].split(" · ")[-1].split(" (")[0]: one["id"] for one in card["request"]["body"]["questions"]}
    if how == "accept":
        fields = ("Sure", "port", "stage")
        phone.answer(card["session"], card["approval"], [answer | {"question": asked[field]} for field, answer in zip(fields, ANSWERS)])
    else:
        phone.decide(card["session"], card["approval"], "deny")
    closed = final(phone, card)
    assert (closed["stage"], closed["outcome"]) == ("applied", "answered" if how == "accept" else "denied")
    machine.wait_screen("All done now.")
    (told,) = machine.api.tool_results()
    wanted = {"sure": True, "port": 8080} if how == "accept" else None
    heard = re.search(r"The server heard: (\w+)( {.*?})?", told.replace("\\", ""))
    assert heard and heard[1] == how and (json.loads(heard[2]) if heard[2] else None) == wanted, told


def test_a_subagent_is_part_of_its_parents_session(machine, phone):
    parent = [[{"tool": "spawn_agent", "namespace": "multi_agent_v1", "input": {"message": "count the lines", "agent_type": "default"}}], DONE]
    child = [[command("echo child > child.txt")], [{"text": "Counted 3."}]]

    def turn(request):
        items = request["input"]
        asked = json.dumps([item for item in items if item.get("role") == "user"][-1:])
        done = sum(1 for item in items if item.get("type", "").endswith("_output"))
        script = child if "count the lines" in asked else parent
        return script[min(done, len(script) - 1)]

    machine.api.turn = turn
    machine.start_codex([DONE])
    machine.prompt("please delegate it")
    card = phone.wait_card(timeout=20)
    session, head = card["session"], card["request"]["head"]
    assert head["agent"] and head["agentName"].endswith(": count the lines"), head
    phone.wait_summary(session, lambda summary: summary["subagents"] == 1 and summary["title"] == "please delegate it")
    phone.decide(session, card["approval"], "allow")
    assert machine.wait_file("child.txt") == "child\n"
    assert final(phone, card)["outcome"] == "ran"
    phone.wait_summary(session, lambda summary: summary["subagents"] == 0 and summary["status"] == "idle")
    # The scripted model reports 200 new tokens for each request.
    phone.wait_summary(session, lambda summary: summary["tokens"]["input"] == 200 * len(machine.api.requests))
    phone.subscribe(session)
    phone.wait_event(session, lambda event: event["kind"] == "subagent.finished" and event["head"]["agent"] == head["agent"])
    assert not any(event["kind"] == "message" and "Counted" in event["head"].get("summary", "") for event in phone.logs[session])
    assert list(phone.summaries) == [session], "it is no row of its own"


def told(phone: WireClient, session: str) -> list[tuple[str, str]]:
    """The prompts of a session, each with the turn that it continues."""
    return [(event["kind"], event["body"]["text"]) for event in phone.logs[session] if event["kind"] in ("message", "rewound")]


def test_a_thread_that_is_reverted_and_forked_tells_and_counts_nothing_twice(machine, phone):
    machine.start_codex([[{"text": "First."}]])
    machine.prompt("one")
    machine.wait_screen("First.")
    session = wait_status(phone, "idle")["session"]
    phone.subscribe(session)
    machine.api.script = [[{"text": "Second."}]]
    machine.prompt("two")
    phone.wait_event(session, lambda event: event["head"].get("summary") == "Second.", 20)
    wait_status(phone, "idle")
    thread = session.removeprefix("codex-")
    with AppServer(machine) as server:
        newest = server.call("thread/turns/list", threadId=thread, itemsView="full", limit=1)["data"][0]
        server.call("thread/revert", threadId=thread, beforeTurnId=newest["id"])
        phone.wait_event(session, lambda event: event["kind"] == "rewound", 20)
        machine.api.script = [[{"text": "Third."}]]
        server.call("thread/resume", threadId=thread)
        server.turn(thread, "three")
        phone.wait_event(session, lambda event: event["head"].get("summary") == "Third.", 20)
        used = 200 * len(machine.api.requests)  # the scripted model reports 200 new tokens for each request
        phone.wait_summary(session, lambda summary: summary["status"] == "idle" and summary["tokens"]["input"] == used)
        turns = [("one", "First."), ("two", "Second."), ("three", "Third.")]
        expected = [("message", text) for turn in turns for text in turn]
        expected.insert(4, ("rewound", "one"))
        assert told(phone, session) == expected
        machine.api.script = [[{"text": "Forked."}]]
        fork = server.call("thread/fork", threadId=thread)["thread"]["id"]
        server.turn(fork, "four")
        phone.wait_summary(f"codex-{fork}", lambda summary: summary["status"] == "idle" and summary["tokens"]["input"] == 200, 20)
        phone.subscribe(f"codex-{fork}")
        phone.wait_event(f"codex-{fork}", lambda event: event["head"].get("summary") == "Forked.")
        assert told(phone, f"codex-{fork}") == [("message", "four"), ("message", "Forked.")]
    assert told(phone, session) == expected
    assert phone.summaries[session]["tokens"]["input"] == used
    for one in (session, f"codex-{fork}"):
        assert phone.kinds(one).count("session.started") == 1


@pytest.mark.parametrize("key", ["y", "Escape"])
@pytest.mark.shows("Codex", "answered at the terminal or editor first", "`serverRequest/resolved`")
def test_answered_at_the_terminal_first(machine, phone, key):
    card = ask(machine, phone, [[command("echo hi > out.txt")], DONE])
    machine.decide_locally(key)
    closed = final(phone, card, timeout=5)
    assert (closed["stage"], closed["reason"]) == ("cancelled", "answeredLocally")
    wait_status(phone, "idle")
    assert (machine.project / "out.txt").exists() == (key == "y")


@pytest.mark.shows("Codex", "both at once", "`item/completed`")
def test_both_at_once_the_card_says_what_happened(machine, phone):
    """Twenty times in one session, each time in a new turn: a key that arrives too late must not answer the next dialog."""
    machine.start_codex([DONE])
    for number in range(20):
        machine.api.script = [[command(f"echo {number} > out{number}.txt")], DONE]
        machine.prompt(f"round {number}")
        machine.wait_screen(DIALOG)
        card = phone.wait_card()
        time.sleep(0.5)  # a new dialog ignores keys, without showing that
        verdict, key = ("deny", "y") if number % 2 else ("allow", "Escape")
        decider = threading.Thread(target=phone.decide, args=(card["session"], card["approval"], verdict))
        decider.start()
        machine.press(key)
        decider.join()
        closed = final(phone, card)
        wait_status(phone, "idle")
        ran = (machine.project / f"out{number}.txt").exists()
        if closed["stage"] == "applied":
            assert ran == (closed["outcome"] == "ran") == (verdict == "allow")
        elif closed.get("reason") != "unconfirmed":  # the call was allowed by the phone, then interrupted by the key: the outcome is unknown
            assert ran == (verdict == "deny"), f"{closed['stage']} {closed.get('reason')}"
        machine.press("C-u")


def test_the_terminal_is_killed_and_the_phone_can_still_answer(machine, phone):
    card = ask(machine, phone, [[command("echo hi > out.txt")], DONE])
    machine.terminal.kill()
    time.sleep(1)  # no event reports that the terminal was closed; the server continues
    phone.decide(card["session"], card["approval"], "allow")
    assert final(phone, card)["outcome"] == "ran"
    assert machine.wait_file("out.txt") == "hi\n"


def test_codexs_server_is_stopped_and_started(machine, phone):
    machine.start_codex([[{"text": "First."}]])
    machine.prompt("one")
    machine.wait_screen("First.")
    machine.api.script = [[{"text": "Second."}]]
    session = wait_status(phone, "idle")["session"]
    machine.codex("app-server", "daemon", "stop")
    machine.codex("app-server", "daemon", "start")
    machine.wait_gone("Reconnecting", 40)
    machine.prompt("two")
    machine.wait_screen("Second.")
    phone.subscribe(session)
    phone.wait_event(session, lambda event: event["head"].get("summary") == "Second.", timeout=20)
    wait_status(phone, "idle")
    assert phone.kinds(session).count("message") == 4, "each once"


@pytest.mark.parametrize("change", [False, True], ids=["command", "change"])
def test_our_daemon_is_killed_with_a_question_open(machine, phone, change):
    block = patch("*** Add File: out.txt\n+hi") if change else command("echo hi > out.txt")
    card = ask(machine, phone, [[block], DONE])
    machine.kill_daemon()
    machine.start_daemon()
    phone.decide(card["session"], card["approval"], "allow")
    assert final(phone, card)["outcome"] == "ran"
    assert machine.wait_file("out.txt") == "hi\n"
    assert len(phone.approvals) == 1


def test_disconnected_nothing_is_reported_and_doctor_says_so(machine, phone):
    machine.start_codex([[{"text": "First."}]])
    machine.prompt("one")
    session = wait_status(phone, "idle")["session"]
    found = machine.heliograph("doctor", check=False).stdout
    assert "Codex's server" in found and "it listens at" in found
    machine.heliograph("disconnect", "codex", "--yes")
    assert not (machine.home / ".config/heliograph/codex.json").exists()
    assert "Codex's server" not in machine.heliograph("doctor", check=False).stdout
    phone.wait_summary(session, lambda summary: summary["status"] in ("failed", "completed"), timeout=45, what="its end")
