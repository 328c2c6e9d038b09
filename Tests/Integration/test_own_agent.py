"""Any program can be an agent: over the host's local socket, or with the commands `emit`, `ask` and `settle`."""

import json
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from daemon import Daemon
from host import ScriptedHost
from own_agent import INPUT, Asking, command, end, environment, event, post, question
from relay import ROOT
from waits import patient, wait_until

PAGE = ROOT / "Sources/HeliographServer/HeliographServer.docc/Agents.md"
CHOICES = [{"id": "c", "text": "Which color?", "choices": [{"label": "Red"}, {"label": "Blue"}]}]


def asked(phone: Any, session: str) -> dict[str, Any]:
    """Waits for the session's pending approval."""
    return phone.wait_card(lambda card: card["stage"] == "pending" and card["session"] == session)


def sessions(daemon: Daemon) -> list[str]:
    status = daemon.status()
    assert status is not None
    return [session["session"] for session in status["sessions"]]



@pytest.mark.shows("your own program", "messages and tools are watched", "the program's own word")
def test_events_appear_at_a_client(daemon: Daemon, phone: Any) -> None:
    status, reply = post(
        daemon.socket, "events",
        event("s1", "session.started", {"agent": {"name": "build.py", "version": "3"}, "title": "Nightly"})
        + event("s1", "message", {"role": "assistant"}, {"text": "The first line\nand another"})
        + event("s1", "tool.started", {"call": "c1", "tool": "Bash", "operation": "Running: make"}, {"input": {"command": "make"}}),
    )  # fmt: skip
    assert (status, reply) == (200, {"taken": 3})
    summary = phone.wait_summary("local-s1", lambda summary: summary["operations"] == 1)
    assert summary["agent"] == {"name": "build.py", "version": "3"} and summary["title"] == "Nightly"
    phone.subscribe("local-s1")
    seen = phone.wait_event("local-s1", lambda event: event["kind"] == "message")
    assert seen["head"] == {"role": "assistant", "summary": "The first line"} and seen["body"]["text"].endswith("and another")
    post(daemon.socket, "events", event("s1", "session.ended", {"reason": "done"}))
    assert phone.wait_summary("local-s1", lambda summary: summary.get("endedAt"))["status"] == "completed"


def test_a_bad_line_is_named_and_nothing_is_taken(daemon: Daemon, phone: Any) -> None:
    good = event("s1", "status.changed", {"status": "running"})
    for bad, code, path in [
        ("{\n", "badJSON", "byte 1"),
        (event("s1", "approval.applied", {"approval": "a", "outcome": "ran"}), "notYours", "$.kind"),
        (event("s1", "rewound", {"count": 3}), "notYours", "$.kind"),
        (event("s1", "message", {"role": "poet"}), "badValue", "$.head.role"),
    ]:
        status, reply = post(daemon.socket, "events", good + bad)
        assert (status, reply["code"], reply["path"], reply["line"]) == (400, code, path, 2), reply
        assert reply["message"]
    assert sessions(daemon) == []
    assert post(daemon.socket, "nothing", "{}")[0] == 404
    assert post(daemon.socket, "ask", {"session": "s1"})[0] == 400
    assert post(daemon.socket, "settled", question("s1"))[1]["path"] == "$.outcome"


@pytest.mark.shows("your own program", "the agent is killed", "its process is gone")
def test_a_program_that_is_gone_ends_its_sessions(daemon: Daemon, phone: Any) -> None:
    program = subprocess.Popen(["sleep", "600"])
    try:
        post(daemon.socket, "events", event("s1", "status.changed", {"status": "running"}), pid=program.pid)
        post(daemon.socket, "events", event("s2", "status.changed", {"status": "running"}))
        phone.wait_summary("local-s1", lambda summary: summary["status"] == "running")
    finally:
        program.kill()
        program.wait()
    ended = phone.wait_summary("local-s1", lambda summary: summary.get("endedAt"), timeout=25)
    assert ended["status"] == "failed"
    assert sessions(daemon) == ["local-s2"]


@pytest.mark.shows("your own program", "output of a running tool", "the program's own word")
def test_what_a_running_tool_prints_is_shown_and_not_kept(daemon: Daemon, phone: Any) -> None:
    post(daemon.socket, "events", event("s1", "tool.started", {"call": "c1", "tool": "make", "operation": "Build"}))
    phone.wait_summary("local-s1", lambda summary: summary["operations"] == 1)
    phone.subscribe("local-s1")
    text = "one\nexport TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz\nand ghp_0123456789abcd"
    assert post(daemon.socket, "events", event("s1", "tool.output", {"call": "c1"}, {"text": text}))[0] == 200
    shown = phone.wait(lambda message: message["type"] == "output", what="the output")
    assert (shown["session"], shown["call"]) == ("local-s1", "c1")
    assert shown["text"].startswith("one\nexport TOKEN=") and "0123" not in shown["text"]
    status, reply = post(daemon.socket, "events", event("s1", "tool.output", {"call": "c1"}, {"text": 1}))
    assert (status, reply["path"]) == (400, "$.body.text")
    post(daemon.socket, "events", event("s1", "tool.finished", {"call": "c1", "tool": "make", "ok": True}))
    phone.wait_event("local-s1", lambda event: event["kind"] == "tool.finished")
    assert "tool.output" not in phone.kinds("local-s1")



def test_a_link_in_the_path_of_a_file_says_where_it_leads(daemon: Daemon, phone: Any, tmp_path: Path) -> None:
    (project, outside) = (tmp_path / "project", tmp_path / "elsewhere")
    project.mkdir()
    outside.mkdir()
    (project / "docs").symlink_to(outside)
    post(daemon.socket, "events", event("s1", "session.started", {"agent": {"name": "writer"}, "cwd": str(project)}))
    write = {"kind": "tool", "tool": "Write", "input": {"path": "docs/note.md", "content": "hello"}}
    Asking(daemon, {"session": "s1", "approval": "q1", **write})
    risks = asked(phone, "local-s1")["request"]["head"]["risks"]
    link = f"A link leads from docs/note.md to {outside.resolve()}/note.md: that is what changes."
    assert risks == [link, f"Outside the session's folder, {project}."]


@pytest.mark.shows("your own program", "allowed by a client", "the program's own word")
def test_a_question_is_allowed_and_applied_on_the_programs_word(daemon: Daemon, phone: Any) -> None:
    asking = Asking(daemon, question("s1"))
    card = asked(phone, "local-s1")
    assert card["request"]["head"]["title"] == "Deploy it" and card["request"]["body"] == {"input": INPUT}
    assert phone.decide("local-s1", card["approval"], "allow")["stage"] == "decided"
    assert asking.answer() == (200, {"decision": "allow"})
    phone.wait_approval(card["approval"], "delivered")
    assert post(daemon.socket, "settled", {"session": "s1", "approval": "go", "outcome": "ran"})[0] == 204
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "ran"


@pytest.mark.shows("your own program", "denied by a client", "the program's own word")
def test_a_question_is_denied(daemon: Daemon, phone: Any) -> None:
    options = [{"id": "y", "kind": "allow_once"}, {"id": "n", "kind": "reject_once"}]
    asking = Asking(daemon, question("s1", options=options))
    card = asked(phone, "local-s1")
    phone.decide("local-s1", card["approval"], "deny", message="not on a Friday")
    assert asking.answer() == (200, {"decision": "deny", "message": "not on a Friday", "option": "n"})
    post(daemon.socket, "settled", {"session": "s1", "approval": "go", "outcome": "refused"})
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "denied"


@pytest.mark.shows("your own program", "questions answered by a client", "the answers at the program")
def test_questions_are_answered(daemon: Daemon, phone: Any) -> None:
    asking = Asking(daemon, {"session": "s1", "approval": "colour", "kind": "question", "questions": CHOICES, "waitSeconds": 60})
    card = asked(phone, "local-s1")
    assert card["request"]["body"]["questions"] == CHOICES
    answers = [{"question": "c", "choices": ["Blue"]}]
    assert phone.answer("local-s1", card["approval"], answers)["stage"] == "decided"
    assert asking.answer() == (200, {"decision": "answer", "answers": [answers[0] | {"indexes": [1]}]}), "the host says which of them it was"
    post(daemon.socket, "settled", {"session": "s1", "approval": "colour", "outcome": "ran"})
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "answered"


def test_a_connection_that_is_closed_takes_its_question_back(daemon: Daemon, phone: Any) -> None:
    asking = Asking(daemon, question("s1"))
    card = asked(phone, "local-s1")
    asking.hang_up()
    assert phone.wait_approval(card["approval"], "cancelled")["reason"] == "withdrawn"
    assert phone.decide("local-s1", card["approval"], "allow")["error"]["code"] == "closed"


def test_another_input_under_the_same_name_is_refused(daemon: Daemon, phone: Any) -> None:
    asking = Asking(daemon, question("s1"))
    card = asked(phone, "local-s1")
    status, reply = post(daemon.socket, "ask", question("s1", input={"to": "elsewhere"}))
    assert (status, reply["code"]) == (409, "conflict")
    phone.decide("local-s1", card["approval"], "allow")
    assert asking.answer() == (200, {"decision": "allow"})


@pytest.mark.shows("your own program", "the relay is killed or away", "no answer, which is no yes")
def test_without_a_relay_there_is_no_decision(daemon: Daemon, relay: Any) -> None:
    post(daemon.socket, "events", event("s1", "status.changed", {"status": "running"}))
    daemon.wait_delivered()
    relay.stop()
    daemon.wait_link("waiting")
    asking = Asking(daemon, question("s1"))
    assert asking.answer() == (204, None)
    # The question expires before the twenty seconds for which a host waits for an unreachable relay.
    assert Asking(daemon, question("s1", "soon", waitSeconds=1, attended=True)).answer() == (204, None)
    relay.start()
    daemon.wait_link()


@pytest.mark.shows("your own program", "the host's daemon is killed", "the program asks the next daemon")
def test_a_question_outlives_the_daemon(daemon: Daemon, phone: Any) -> None:
    """The daemon is killed during a question; the program asks again, and gets the decision that was made meanwhile."""
    waiting = command(daemon, "ask", "--session", "s1", "--approval", "go", "--tool", "Deploy", "--input", json.dumps(INPUT), "--wait", "60")
    card = asked(phone, "local-s1")
    daemon.kill()
    assert phone.decide("local-s1", card["approval"], "allow")["stage"] == "decided"
    daemon.start()
    status, out, error = end(waiting)
    assert (status, json.loads(out)) == (0, {"decision": "allow"}), error
    assert len(phone.approvals) == 1, "it was asked once"
    settled = command(daemon, "settle", "--session", "s1", "--approval", "go", "ran")
    assert end(settled)[0] == 0
    assert phone.wait_approval(card["approval"], "applied")["outcome"] == "ran"



def test_emit_names_bad_lines_and_takes_the_others(daemon: Daemon, phone: Any) -> None:
    lines = '{"kind":"message","head":{"role":"user"},"body":{"text":"Go"}}\n\nnonsense\n{"kind":"rewound"}\n{"kind":"status.changed","head":{"status":"idle"}}'
    status, out, error = end(command(daemon, "emit", "--session", "s1", "--agent", "tool.sh", input=lines))
    assert (status, out) == (1, "")
    assert [line.split(":")[1] for line in error.splitlines()] == [" line 3", " line 4"]
    summary = phone.wait_summary("local-s1", lambda summary: summary["status"] == "idle")
    assert summary["agent"]["name"] == "tool.sh" and summary["messages"] == 1


def test_emit_says_that_another_host_has_the_name(daemon: Daemon, phone: Any) -> None:
    with closing(ScriptedHost(phone.relay, "other")) as other:
        other.start_session("local-build")
        other.wait_acked("local-build")
        said = {"role": "assistant"}
        lines = event("build", "message", said, {"text": "lost"}) + event("own", "message", said, {"text": "kept"})
        for _ in range(2):
            status, out, error = end(command(daemon, "emit", input=lines))
            assert (status, out) == (1, "") and "session build" in error and "another host" in error and "own" not in error.split("session build")[1]
        status, out, error = end(command(daemon, "emit", "--session", "own", input='{"kind":"session.ended"}'))
        assert (status, error) == (0, "")
        phone.wait_summary("local-own", lambda summary: summary["status"] == "completed" and summary["messages"] == 2)
        assert post(daemon.socket, "events", event("build", "message", said)) == (200, {"taken": 0, "notTaken": ["build"]})
        phone.subscribe("local-build")
        assert phone.kinds("local-build") == ["session.started"]
        # No event is left in the host's spool to be sent again.
        assert sessions(daemon) == []


def test_emit_takes_many_lines(daemon: Daemon, phone: Any) -> None:
    lines = "".join(event("s1", "message", {"role": "assistant"}, {"text": f"Line {number}"}) for number in range(2_000))
    assert end(command(daemon, "emit", input=lines)) == (0, "", "")
    phone.wait_summary("local-s1", lambda summary: summary["messages"] == 2_000, timeout=30)


def test_ask_exits_as_was_decided(daemon: Daemon, phone: Any) -> None:
    def ask(*more: str) -> subprocess.Popen[str]:
        return command(daemon, "ask", "--session", "s1", "--tool", "Deploy", "--input", "{}", *more)

    for verdict, status in (("allow", 0), ("deny", 1)):
        waiting = ask()
        card = asked(phone, "local-s1")
        phone.decide("local-s1", card["approval"], verdict)
        ended, out, _ = end(waiting)
        assert (ended, json.loads(out)["decision"]) == (status, verdict)
    assert end(ask("--wait", "1"))[:2] == (2, "")
    for spliced in ('{"to":"here"},"x":{"y":1}', '{},"attended":true,"z":{}'):
        ended, out, error = end(command(daemon, "ask", "--session", "s1", "--tool", "Deploy", "--input", spliced))
        assert (ended, out) == (2, "") and "--input is not one JSON value" in error
    ended, out, error = end(command(daemon, "ask", "--session", "s1", "--tool", "Deploy", "--input", "{"))
    assert (ended, out) == (2, "") and "JSON" in error or "byte" in error
    assert end(ask("--wait", "0"))[0] == 2


def test_without_a_daemon_nothing_is_a_yes(daemon: Daemon) -> None:
    daemon.stop()
    assert end(command(daemon, "emit", input=event("s1", "session.ended")))[0] == 4
    assert end(command(daemon, "ask", "--session", "s1", "--tool", "Deploy"))[0] == 2
    assert end(command(daemon, "settle", "--session", "s1", "--approval", "go", "ran"))[0] == 4
    daemon.start()
    daemon.wait_link()



@pytest.mark.parametrize("language", ["sh", "python"])
@pytest.mark.parametrize("verdict", ["allow", "deny"])
def test_the_examples_of_the_page_work(daemon: Daemon, phone: Any, language: str, verdict: str) -> None:
    example = re.search(rf"```{language}\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert example and len(example[1].splitlines()) <= 13, "short enough to be read"
    program = ["/bin/sh", "-c"] if language == "sh" else [sys.executable, "-c"]
    running = subprocess.Popen([*program, example[1]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(daemon))
    card = phone.wait_card()
    assert card["request"]["body"] == {"input": INPUT} and card["session"].startswith("local-deploy-")
    phone.decide(card["session"], card["approval"], verdict)
    out, error = running.communicate(timeout=patient(30))
    assert (running.returncode, error) == (0, ""), error
    assert out.splitlines()[-1] == ("deploying" if verdict == "allow" else "not deploying")
    if verdict == "allow":
        assert phone.wait_approval(card["approval"], "applied")["outcome"] == "ran"
    wait_until(lambda: phone.summaries[card["session"]]["approvals"] == 0, 20, "no open question")
