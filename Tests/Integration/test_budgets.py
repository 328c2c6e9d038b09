"""Budgets: crossed once, listed, and held by; the last also with the real Claude Code."""

import json
from typing import Any

import pytest

from claude import Program
from client import WireClient
from waits import wait_until


def budget(scope: str, micro_usd: int, **fields: Any) -> dict[str, Any]:
    return {"scope": scope, "microUSD": micro_usd, **fields}


def crossings(phone: WireClient, session: str) -> list[tuple[int, str]]:
    return [(event["head"]["level"], event["head"]["scope"]) for event in phone.logs[session] if event["kind"] == "budget.crossed"]


def test_levels_are_crossed_once_and_the_host_holds(relay, scripted_host, phone):
    host = scripted_host(relay, capabilities=("hold",))
    host.start_session("s1")
    host.wait_acked("s1")
    phone.subscribe("s1")
    assert "error" not in phone.command("budget", budget=budget("session", 1_000, session="s1", hold=True))
    assert phone.command("budget", budget=budget("session", 1, session="s9"))["error"]["code"] == "notFound"
    for cost in (499, 500, 500, 900, 400, 1_000, 1_000):
        host.event("s1", "usage", {"run": "r1", "costMicroUSD": cost})
        host.wait_acked("s1")
    marked = phone.wait_summary("s1", lambda summary: summary.get("budget", {}).get("level") == 100)
    assert marked["budget"] == {"level": 100, "microUSD": 1_000, "held": True}
    assert crossings(phone, "s1") == [(50, "session"), (80, "session"), (100, "session")]
    host.connection.wait(lambda message: message == {"type": "hold", "sessions": ["s1"]}, what="the hold")
    (listed,) = phone.command("budgets")["budgets"]
    assert listed == budget("session", 1_000, session="s1", levels=[50, 80, 100], hold=True) | {"spentMicroUSD": 1_000, "crossed": 100}

    # The relay repeats the hold to a host that reconnects, and releases the session when the budget is raised.
    host.reconnect()
    host.wait_connected()
    host.connection.wait(lambda message: message == {"type": "hold", "sessions": ["s1"]}, what="the hold, again")
    phone.command("budget", budget=budget("session", 2_000, session="s1", hold=True))
    host.connection.wait(lambda message: message == {"type": "hold", "sessions": []}, what="the end of the hold")


def test_what_a_host_cannot_hold_is_not_said_to_need_approval(relay, scripted_host, phone):
    host = scripted_host(relay, capabilities=("hold",))
    for session, hold in (("s1", "unchanged"), ("s2", "most"), ("s3", None)):
        host.start_session(session)
        host.event(session, "steering.offered", {"actions": []} | ({"hold": hold} if hold else {}))
        host.wait_acked(session)
    phone.command("budget", budget=budget("day", 1, hold=True))
    host.event("s1", "usage", {"run": "r1", "costMicroUSD": 1})
    for session, said in (("s1", {"hold": "unchanged"}), ("s2", {"hold": "most"}), ("s3", {"held": True})):
        marked = phone.wait_summary(session, lambda summary: summary.get("budget", {}).get("level") == 100)
        assert marked["budget"] == {"level": 100, "microUSD": 1} | said
    # A new offer of actions shows whether the session can be held.
    host.event("s2", "steering.offered", {"actions": []})
    phone.wait_summary("s2", lambda summary: summary["budget"].get("held"))


def test_budgets_outlive_a_killed_relay(relay, scripted_host, client):
    host = scripted_host(relay, capabilities=("hold",))
    host.start_session("s1")
    host.wait_acked("s1")
    before = client(relay, "before")
    before.command("budget", budget=budget("day", 1_000, hold=True))
    before.command("budget", budget=budget("workspace", 2_000))
    host.event("s1", "usage", {"run": "r1", "costMicroUSD": 1_000})
    host.wait_acked("s1")
    listed = before.command("budgets")["budgets"]
    assert [(entry["spentMicroUSD"], entry["crossed"]) for entry in listed] == [(1_000, 100), (1_000, 50)]
    relay.kill()
    relay.start()
    host.wait_connected()
    phone = client(relay, "after")
    phone.subscribe()
    phone.subscribe("s1")
    assert phone.command("budgets")["budgets"] == listed
    host.connection.wait(lambda message: message == {"type": "hold", "everySession": True, "sessions": []}, what="the hold")
    assert phone.summaries["s1"]["budget"]["held"] is True
    # A repeated cost crosses nothing; the next one crosses all remaining levels.
    for cost in (1_000, 1_700):
        host.event("s1", "usage", {"run": "r1", "costMicroUSD": cost})
        host.wait_acked("s1")
    phone.wait_summary("s1", lambda summary: summary["costMicroUSD"] == 1_700)
    assert crossings(phone, "s1") == [(50, "day"), (80, "day"), (100, "day"), (50, "workspace"), (80, "workspace")]


def test_what_cannot_be_read_is_asked_for_while_something_is_held(relay, daemon, scripted_host, phone, short_path):
    call = {
        "session_id": "other", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t1", "cwd": "/",
        "tool_input": {"command": "true"},
    }  # fmt: skip
    # A lone surrogate, which a model can write but the wire refuses as text.
    unreadable = call | {"tool_input": {"command": "true \ud800"}}
    for input in (call, unreadable):
        assert daemon.hook("PreToolUse", input).stdout == b""
    spender = scripted_host(relay, name="spender")
    spender.start_session("s1")
    spender.event("s1", "usage", {"run": "r1", "costMicroUSD": 5})
    spender.wait_acked("s1")
    phone.command("budget", budget=budget("day", 1, hold=True))
    for input in (call, unreadable):
        answer = json.loads(wait_until(lambda input=input: daemon.hook("PreToolUse", input).stdout, 15, "an answer to the hook"))
        assert answer["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert daemon.hook("PostToolUse", call).stdout == b""
    listed = phone.command("budgets")["budgets"]
    assert listed[0]["cannotHold"] == ["spender"]
    # Killing the daemon must not evade the hold.
    daemon.kill()
    assert b'"ask"' in daemon.hook("PreToolUse", call).stdout
    daemon.environment["CLAUDE_CODE_SESSION_ATTENDED"] = "0"
    assert b'"deny"' in daemon.hook("PreToolUse", call).stdout, "nobody is there to be asked"



def held_sessions(machine: Any) -> dict[str, Any]:
    path = machine.home / ".local/state/heliograph/holds.json"
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        return {"sessions": []}


def write(name: str) -> dict[str, Any]:
    return {"tool": "Bash", "input": {"command": f"echo {name} > {name}.txt", "description": f"Create {name}.txt"}}


def start(machine: Any, phone: WireClient, names: list[str], arguments: list[str]) -> str:
    """Starts Claude Code with a script that writes the named files one after the other, and waits for the first one. Returns the session."""
    script = []
    for name in names:
        script += [[write(name)], [{"text": f"That was {name}."}]]
    machine.start_claude(script, arguments=arguments)
    machine.prompt("the first")
    machine.wait_screen(f"That was {names[0]}.")
    wait_until(lambda: any(summary.get("costMicroUSD") for summary in phone.summaries.values()), 15, "the cost")
    (session,) = phone.summaries
    return session


@pytest.mark.agent
def test_a_held_session_asks_for_what_it_ran_unasked(machine, phone, relay):
    session = start(machine, phone, ["one", "two", "three", "four"], ["--allowedTools", "Bash"])
    assert (machine.project / "one.txt").exists() and not phone.approvals, "Bash is allowed"

    phone.command("budget", budget=budget("session", 1, session=session, hold=True))
    wait_until(lambda: held_sessions(machine)["sessions"] == [session], 15, "the hold at the host")
    machine.prompt("the second")
    card = phone.wait_card()
    assert card["request"]["body"]["input"]["command"] == "echo two > two.txt"
    assert not (machine.project / "two.txt").exists()
    phone.decide(session, card["approval"], "allow")
    assert machine.wait_file("two.txt") == "two\n"
    machine.wait_screen("That was two.")
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "ran"

    # The daemon is killed and the relay cannot be reached: the last known holds apply.
    relay.kill()
    machine.kill_daemon()
    machine.start_daemon()
    machine.prompt("the third")
    machine.wait_screen("Do you want to proceed?")
    assert not (machine.project / "three.txt").exists()
    machine.decide_locally("Enter")
    machine.wait_screen("That was three.")


@pytest.mark.agent
def test_a_hold_that_is_over_asks_no_more(machine, phone):
    session = start(machine, phone, ["one", "two"], ["--allowedTools", "Bash"])
    phone.command("budget", budget=budget("session", 1, session=session, hold=True))
    wait_until(lambda: held_sessions(machine)["sessions"] == [session], 15, "the hold at the host")
    phone.command("budget", budget=budget("session", 0, session=session))
    wait_until(lambda: held_sessions(machine)["sessions"] == [], 15, "the end of the hold at the host")
    machine.prompt("the second")
    machine.wait_screen("That was two.")
    assert (machine.project / "two.txt").exists() and not phone.approvals


@pytest.mark.agent
def test_a_hold_allows_nothing_that_was_denied(machine, phone):
    """A hold answers "ask", which must not override a rule that denies."""
    settings = json.loads(machine.settings.read_text())
    settings["permissions"] = {"allow": ["Bash"], "deny": ["Bash(echo two:*)"]}
    machine.settings.write_text(json.dumps(settings))
    session = start(machine, phone, ["one", "two"], [])
    phone.command("budget", budget=budget("session", 1, session=session, hold=True))
    wait_until(lambda: held_sessions(machine)["sessions"] == [session], 15, "the hold at the host")
    machine.prompt("the second")
    machine.wait_screen("That was two.")
    assert not (machine.project / "two.txt").exists() and not phone.approvals


@pytest.mark.agent
def test_a_program_that_answers_for_people_runs_nothing_while_held(machine, phone, relay, scripted_host):
    spender = scripted_host(relay, name="spender", capabilities=("hold",))
    spender.start_session("s1")
    spender.event("s1", "usage", {"run": "r1", "costMicroUSD": 5})
    spender.wait_acked("s1")
    machine.api.script = [[write("one")], [{"text": "That was one."}], [write("two")], [{"text": "That was two."}]]
    with Program(machine) as program:
        program.run_allowing("the first")
        phone.command("budget", budget=budget("day", 1, hold=True))
        wait_until(lambda: held_sessions(machine).get("everySession"), 15, "the hold at the host")
        program.run_allowing("the second")
    assert (machine.project / "one.txt").exists() and not (machine.project / "two.txt").exists()


@pytest.mark.agent
def test_what_nobody_can_be_asked_about_is_refused_and_said(machine, phone):
    """`claude -p` has no dialog, so it refuses tool calls that need approval."""
    machine.api.script = [[write("one")], [{"text": "That was one."}], [write("two")], [{"text": "That was two."}]]
    first = machine.print_claude("the first", "--allowedTools", "Bash")
    session = "claude-" + first["session_id"]
    wait_until(lambda: phone.summaries.get(session, {}).get("costMicroUSD"), 15, "the cost")
    phone.command("budget", budget=budget("day", 1, hold=True))
    wait_until(lambda: held_sessions(machine).get("everySession"), 15, "the hold at the host")
    machine.print_claude("the second", "--resume", first["session_id"], "--allowedTools", "Bash")
    assert (machine.project / "one.txt").exists() and not (machine.project / "two.txt").exists() and not phone.approvals
    phone.subscribe(session)
    wait_until(
        lambda: any(event["kind"] == "error" and "nobody asked" in event["head"]["message"] for event in phone.logs[session]), 15,
        lambda: f"the refusal; the log is {[event['kind'] for event in phone.logs[session]]}",
    )  # fmt: skip
    assert [event["head"]["ok"] for event in phone.logs[session] if event["kind"] == "tool.finished"] == [True, False]
