"""`heliograph acp`: bytes, statuses and signals go through as if it were not there; the real Mistral Vibe can be decided about from afar."""

import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
import pytest

from acp_agents import Agent, vibe
from acp_peers import LEFT, Editor, FakeDaemon, Message
from daemon import paired
from relay import BINARY, plain_environment
from terminal import Terminal
from test_rules import requests, write
from waits import patient, wait_until


def through(folder: Path, program: str, given: bytes, check: bool = True) -> subprocess.CompletedProcess[bytes]:
    """Runs the proxy without a daemon and with a Python program as its agent."""
    result = subprocess.run(
        [str(BINARY), "acp", "--", sys.executable, "-c", program], input=given, capture_output=True, cwd=folder,
        env=plain_environment(folder), timeout=patient(60),
    )  # fmt: skip
    assert not check or result.returncode == 0, result.stderr.decode(errors="replace")
    return result


ECHO = "import sys,shutil; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)"


def test_every_byte_goes_through(short_path):
    chance = random.Random(1)
    lines = [chance.randbytes(chance.choice([0, 1, 80, 5_000, 300_000])).replace(b"\n", b"") for _ in range(60)]
    # The input is longer than a line may be, and its last line is unterminated.
    given = b"\n".join([*lines, b'{"jsonrpc":"2.0","id":0,"result":{}}', b"x" * (20 << 20), b"last"])
    result = through(short_path, ECHO, given)
    assert hashlib.sha256(result.stdout).digest() == hashlib.sha256(given).digest()
    assert result.stderr == b""


def test_status_and_standard_error_are_the_agents(short_path):
    result = through(short_path, "import sys; sys.stderr.write('oh no\\n'); print('bye'); sys.exit(3)", b"", check=False)
    assert (result.returncode, result.stdout, result.stderr) == (3, b"bye\n", b"oh no\n")
    killed = through(short_path, "import os; os.kill(os.getpid(), 9)", b"", check=False)
    assert killed.returncode == 128 + 9


def test_an_agent_that_is_not_there(short_path):
    command = [str(BINARY), "acp", "--", "no-such-agent"]
    result = subprocess.run(command, capture_output=True, env=plain_environment(short_path), timeout=patient(20))
    assert result.returncode == 127 and b"no-such-agent" in result.stderr


def test_signals_are_passed_on(short_path):
    program = "import signal,sys,time; signal.signal(signal.SIGTERM, lambda *_: sys.exit(42)); print('up', flush=True); time.sleep(60)"
    command = [str(BINARY), "acp", "--", sys.executable, "-c", program]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=plain_environment(short_path))
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(patient(20)) == 42


def test_an_agent_that_ignores_the_end_of_its_input_is_ended(short_path):
    begun = time.monotonic()
    result = through(short_path, "import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)", b"", check=False)
    assert result.returncode == 128 + 9 and time.monotonic() - begun < patient(30)


def test_a_reader_that_waits_keeps_the_agent_waiting(short_path):
    """The proxy buffers neither side: in each direction about a megabyte is on its way, in addition to the pipes."""
    program = (
        "import sys,os\nn=0\n"
        "while n < 64 << 20:\n n += os.write(1, b'x' * 65535 + b'\\n'); open('n','w').write(str(n))\n"
    )
    command = [str(BINARY), "acp", "--", sys.executable, "-c", program]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=short_path, env=plain_environment(short_path)
    )
    try:
        written = short_path / "n"
        wait_until(lambda: written.exists() and int(written.read_text() or 0) > 1 << 20, 20, "the agent to have written")
        status = Path(f"/proc/{process.pid}/status").read_text()
        assert int(written.read_text()) < 16 << 20
        assert int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) < 200 << 10
        assert process.stdout is not None
        assert len(process.stdout.read()) == 64 << 20 or process.wait(patient(20)) == 0
    finally:
        process.kill()
        process.wait()


def test_what_an_agent_wrote_last_waits_for_a_slow_reader(short_path):
    program = "import sys; sys.stdout.write('x' * (3 << 20)); sys.stdout.flush(); open('done', 'w').close()"
    command = [str(BINARY), "acp", "--", sys.executable, "-c", program]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=short_path, env=plain_environment(short_path))
    try:
        assert process.stdout is not None
        count = 0
        # The rest fits into the pipes, so the agent ends; then the editor stops reading for longer than the proxy waits for that end.
        while not (short_path / "done").exists():
            count += len(process.stdout.read1(1 << 14))
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(4)
        while piece := process.stdout.read1(1 << 16):
            count += len(piece)
        assert (count, process.wait(patient(20))) == (3 << 20, 0)
    finally:
        process.kill()
        process.wait()


COUNTS = """
import json, sys

def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def update(kind, status, **fields):
    say(method="session/update", params={"sessionId": "counts", "update": {"sessionUpdate": kind, "toolCallId": "c1", "status": status, **fields}})

for line in sys.stdin:
    message = json.loads(line)
    match message["method"]:
        case "initialize": say(id=message["id"], result={"protocolVersion": 1})
        case "session/new": say(id=message["id"], result={"sessionId": "counts"})
        case "session/prompt":
            prompt = message["id"]
            update("tool_call", "in_progress", title="count")
            text = ""
            for number in range(1000):
                text += f"line {number}\\n"
                update("tool_call_update", "in_progress", content=[{"type": "content", "content": {"type": "text", "text": text}}])
        case "session/cancel":
            update("tool_call_update", "completed")
            say(id=prompt, result={"stopReason": "cancelled"})
"""


def test_what_a_call_prints_is_told_now_and_then_and_its_newest_while_it_runs(short_path):
    daemon = FakeDaemon(short_path / "host.sock")
    daemon.start()
    editor = Editor([sys.executable, "-c", COUNTS], plain_environment(short_path) | {"HELIOGRAPH_SOCKET": str(daemon.path)}, short_path)
    try:
        session = editor.open_session()
        prompt = editor.prompt(session, "count")
        wait_until(lambda: "line 999\n" in "".join(event["body"]["text"] for event in daemon.of("tool.output")[-1:]), 20, "the newest of it")
        assert not daemon.of("tool.finished"), "it runs"
        outputs = daemon.of("tool.output")
        assert len(outputs) < 100, "not at each update"
        assert all(event["head"] == {"call": "c1"} and len(event["body"]["text"]) <= 16 << 10 for event in outputs)
        assert outputs[-1]["body"]["text"].startswith("line "), "from the beginning of a line on"
        editor.send({"method": "session/cancel", "params": {"sessionId": session}})
        assert editor.wait_answer(prompt)["result"]["stopReason"] == "cancelled"
        wait_until(lambda: daemon.of("tool.finished"), 20, "its end")
    finally:
        editor.kill()
        daemon.stop()


RUN = {"tool": "bash", "input": {"command": "echo hi > out.txt"}}
TODO = {
    "tool": "todo",
    "input": {
        "action": "write",
        "todos": [
            {"id": "1", "content": "Create out.txt", "status": "in_progress", "priority": "high"},
            {"id": "2", "content": "Verify", "status": "pending", "priority": "medium"},
        ],
    },
}


@pytest.fixture(scope="module")
def agent() -> Iterator[Agent]:
    with tempfile.TemporaryDirectory(prefix="hg-", ignore_cleanup_errors=True) as folder:
        agent = vibe(Path(folder))
        agent.api.scripts |= {
            "write it": [[{"text": "Now run."}, RUN], [{"text": "All done."}]],
            "make a file": [
                [{"text": "Plan first."}, TODO],
                [{"tool": "write_file", "input": {"path": str(agent.project / "new.txt"), "content": "a\nb\n"}}],
                [{"text": "Written."}],
            ],
        }
        for number in range(20):
            command = {"tool": "bash", "input": {"command": f"echo {number} > race-{number}.txt"}}
            agent.api.scripts[f"race number {number}."] = [[command], [{"text": "Done."}]]
        yield agent
        agent.close()


@pytest.fixture
def daemon(agent: Agent) -> Iterator[FakeDaemon]:
    daemon = FakeDaemon(agent.socket)
    daemon.start()
    yield daemon
    daemon.stop()


@pytest.fixture
def editor(agent: Agent) -> Iterator[Editor]:
    (agent.project / "out.txt").unlink(missing_ok=True)
    editor = Editor(agent.command, agent.environment, agent.project)
    yield editor
    editor.kill()


def asked(editor: Editor, daemon: FakeDaemon, text: str = "write it") -> tuple[int, Message]:
    """Starts a session with a prompt whose permission request is pending at the editor and the daemon."""
    prompt = editor.prompt(editor.open_session(), text)
    question = daemon.wait_asked()
    wait_until(editor.permissions, 10, "the editor to be asked, too")
    return prompt, question


def test_a_phone_decides_through_the_real_host(agent, editor, relay, phone):
    """Agent, proxy, host, relay and phone are all real."""
    with paired(agent.home.parent, relay):
        session = editor.open_session()
        for decision, outcome, exists in (("deny", "denied", False), ("allow", "ran", True)):
            prompt = editor.prompt(session, "write it")
            card = phone.wait_card()
            head = card["request"]["head"]
            assert head["tool"] == "bash" and card["request"]["body"] == {"input": {"command": "echo hi > out.txt"}}
            assert head["alert"] == {"full": "command: echo hi > out.txt", "summary": "Run: echo hi > out.txt", "whole": True}
            phone.decide(f"local-{session}", card["approval"], decision)
            assert editor.wait_answer(prompt)["result"]["stopReason"] == "end_turn"
            assert phone.wait_approval(card["approval"], "applied")["outcome"] == outcome
            assert (agent.project / "out.txt").exists() == exists
        summary = phone.wait_summary(f"local-{session}", lambda summary: summary["status"] == "idle")
        assert summary["agent"]["name"] == "Mistral Vibe" and summary["costMicroUSD"] > 0
        assert editor.leave() in LEFT
        phone.wait_summary(f"local-{session}", lambda summary: summary.get("endedAt"))


@pytest.mark.shows("ACP: Mistral Vibe", "answered by its owner's rules", "the files, and what the editor was told")
def test_the_owners_rules_answer_what_it_asks(agent, editor, relay, phone):
    def bash(command):
        return [{"tool": "bash", "input": {"command": command}}]

    agent.api.scripts["by the rules"] = [bash("mkdir made"), bash("git push"), bash("mkdir made && touch forbidden"), [{"text": "All done."}]]
    with paired(agent.home.parent, relay) as daemon:
        write(daemon.home, daemon.environment)
        session = editor.open_session()
        prompt = editor.prompt(session, "by the rules")
        card = phone.wait_card(lambda card: card["session"] == f"local-{session}" and card["stage"] == "pending", timeout=30)
        assert (agent.project / "made").is_dir()
        assert card["request"]["body"]["input"]["command"] == "mkdir made && touch forbidden"
        phone.subscribe(card["session"])
        wait_until(lambda: len(requests(phone, card["session"])) == 3, 10, "three requests")
        asked = requests(phone, card["session"])
        assert [event["head"].get("rule", {}).get("name") for event in asked] == ["echoes", "no-push", None]
        phone.decide(card["session"], card["approval"], "deny")
        assert editor.wait_answer(prompt)["result"]["stopReason"] == "end_turn"
        outcomes = [phone.wait_approval(event["head"]["approval"], "applied")["outcome"] for event in asked]
        assert outcomes == ["ran", "denied", "denied"] and not (agent.project / "forbidden").exists()
        # Rules are stored in this home, which other tests use, too.
        write(daemon.home, daemon.environment, "")


@pytest.mark.shows("ACP: Mistral Vibe", "always allow, by the agent's own offer", "no second question")
def test_a_phone_chooses_an_option_by_its_name(agent, editor, relay, phone):
    """The chosen option covers the same command for the rest of the session; another session asks again, where a plain allow applies once."""

    def wait_card(session):
        # Questions left open by earlier tests in this home are reported again to a new relay.
        return phone.wait_card(lambda card: card["session"] == f"local-{session}" and card["stage"] == "pending")

    with paired(agent.home.parent, relay):
        session = editor.open_session()
        prompt = editor.prompt(session, "write it")
        card = wait_card(session)
        offers = card["request"]["head"]["offers"]
        assert [(offer["label"], offer["scope"], offer["effect"]) for offer in offers] == [
            ("Allow for remainder of this session", "agent", "allow"), ("Always allow", "agent", "allow"),
        ]  # fmt: skip
        assert offers[0]["rule"], "Vibe says what it would remember"
        phone.decide(f"local-{session}", card["approval"], "allow", offer=offers[0]["id"])
        assert editor.wait_answer(prompt)["result"]["stopReason"] == "end_turn"
        assert phone.wait_approval(card["approval"], "applied")["outcome"] == "ran"
        asked = len(editor.permissions())
        (agent.project / "out.txt").unlink()
        assert editor.wait_answer(editor.prompt(session, "write it"))["result"]["stopReason"] == "end_turn"
        assert (agent.project / "out.txt").exists() and len(editor.permissions()) == asked
        other = editor.open_session()
        for _ in range(2):
            prompt = editor.prompt(other, "write it")
            card = wait_card(other)
            phone.decide(f"local-{other}", card["approval"], "allow")
            assert editor.wait_answer(prompt)["result"]["stopReason"] == "end_turn"
        assert len(editor.permissions()) == asked + 2


@pytest.mark.shows("ACP: Mistral Vibe", "messages and tools are watched", "`session/update`")
def test_what_vibe_does_is_told(agent, daemon, editor):
    session = editor.open_session()
    assert editor.wait_answer(editor.prompt(session, "make a file"))["result"]["stopReason"] == "end_turn"
    assert editor.leave() in LEFT
    wait_until(lambda: daemon.of("session.ended"), 10, lambda: f"the session's end; there are {daemon.kinds()}")
    assert {event["session"] for event in daemon.events} == {session}
    started = daemon.of("session.started")[0]["head"]
    assert started["agent"] == {"name": "Mistral Vibe", "version": "3.0.2"} and started["cwd"] == str(agent.project)
    assert [(event["head"]["role"], event["body"]["text"]) for event in daemon.of("message")] == [
        ("user", "make a file"), ("assistant", "Plan first."), ("assistant", "Written."),
    ]  # fmt: skip
    assert daemon.of("todo.changed")[0]["head"] == {"completed": 0, "total": 2, "current": "Create out.txt"}
    tools = daemon.of("tool.started")
    assert [tool["head"]["tool"] for tool in tools] == ["vibe.todo", "write_file"], tools
    assert all(tool["head"]["ok"] for tool in daemon.of("tool.finished"))
    changed = daemon.of("file.changed")[0]
    assert changed["head"]["path"].endswith("new.txt") and changed["head"]["added"] == 2 and "+a\n+b" in changed["body"]["diff"]
    usage = daemon.of("usage")
    assert usage[-1]["head"]["costMicroUSD"] > 0 and usage[-1]["head"]["tokens"]["output"] > 0
    assert len({str(event["head"]) for event in usage}) == len(usage)
    statuses = [event["head"]["status"] for event in daemon.of("status.changed")]
    assert statuses == ["running", "idle"] and daemon.kinds()[-1] == "session.ended"


@pytest.mark.shows("ACP: Mistral Vibe", "allowed by a client", "the tool call's own update")
def test_allowed_from_afar(agent, daemon, editor):
    prompt, question = asked(editor, daemon)
    assert question["tool"] == "bash" and question["input"] == {"command": "echo hi > out.txt"} and question["kind"] == "tool"
    assert [option["kind"] for option in question["options"]] == ["allow_once", "allow_always", "allow_always", "reject_once"]
    assert daemon.kinds()[-1] == "tool.started", "what was told before the question stands before it"
    daemon.answer(question["approval"], {"decision": "allow"})
    assert editor.wait_answer(prompt)["result"]["stopReason"] == "end_turn"
    assert (agent.project / "out.txt").read_text() == "hi\n"
    assert daemon.wait_settled(question["approval"]) == "ran"
    permission = editor.permissions()[0]
    assert editor.cancels() == [permission["id"]]
    # The editor's own answer arrives too late; the next turn must not take it for an answer.
    editor.select(permission, "allow_always")
    editor.prompt(question["session"], "write it")
    second = daemon.wait_asked(2)
    daemon.answer(second["approval"], {"decision": "deny", "option": "Deny"})
    assert daemon.wait_settled(second["approval"]) == "refused"


@pytest.mark.shows("ACP: Mistral Vibe", "denied by a client", "the tool call's own update")
def test_denied_from_afar(agent, daemon, editor):
    prompt, question = asked(editor, daemon)
    daemon.answer(question["approval"], {"decision": "deny", "message": "no"})
    assert editor.wait_answer(prompt)["result"]["stopReason"] == "end_turn"
    assert daemon.wait_settled(question["approval"]) == "refused"
    assert not (agent.project / "out.txt").exists()


@pytest.mark.shows("ACP: Mistral Vibe", "answered at the terminal or editor first", "the editor's answer on its way")
def test_answered_at_the_editor(agent, daemon, editor):
    prompt, question = asked(editor, daemon)
    editor.select(editor.permissions()[0], "allow_once")
    assert editor.wait_answer(prompt)["result"]["stopReason"] == "end_turn"
    assert daemon.wait_settled(question["approval"]) == "answeredElsewhere"
    wait_until(lambda: question["approval"] in daemon.withdrawn, 10, "the question to be withdrawn")
    assert (agent.project / "out.txt").exists() and editor.cancels() == []


def test_a_turn_that_the_editor_cancels(agent, daemon, editor):
    prompt, question = asked(editor, daemon)
    # The editor cancels without answering its dialog, although Vibe would wait for that answer.
    editor.send({"method": "session/cancel", "params": {"sessionId": question["session"]}})
    assert editor.wait_answer(prompt)["result"]["stopReason"] == "cancelled"
    assert daemon.wait_settled(question["approval"]) == "cancelled"
    assert not (agent.project / "out.txt").exists()


@pytest.mark.shows("ACP: Mistral Vibe", "both at once", "one answer reaches the agent")
def test_both_at_once(agent, daemon, editor):
    """Twenty times the editor denies while the phone allows: one answer wins, and both sides learn which."""
    session = editor.open_session()
    winners = []
    for number in range(20):
        prompt = editor.prompt(session, f"race number {number}.")
        question = daemon.wait_asked(number + 1)
        permission = wait_until(lambda: editor.permissions()[number:], 10, "the editor to be asked")[0]
        start = threading.Barrier(2)

        # Random delays of up to 3 ms, because each answer takes about a millisecond to arrive.
        chance = random.Random(number)
        delays = chance.uniform(0, 0.003), chance.uniform(0, 0.003)

        def decide(approval: str = question["approval"], start: threading.Barrier = start, delay: float = delays[0]) -> None:
            start.wait()
            time.sleep(delay)
            daemon.answer(approval, {"decision": "allow"})

        other = threading.Thread(target=decide)
        other.start()
        start.wait()
        time.sleep(delays[1])
        editor.select(permission, "reject_once")
        other.join()
        assert editor.wait_answer(prompt)["result"]["stopReason"] == "end_turn"
        outcome = daemon.wait_settled(question["approval"])
        exists = (agent.project / f"race-{number}.txt").exists()
        assert (outcome, exists, permission["id"] in editor.cancels()) in [("ran", True, True), ("answeredElsewhere", False, False)]
        winners.append(outcome)
    print(f"won from afar: {winners.count('ran')} of {len(winners)}")


@pytest.mark.shows("ACP: Mistral Vibe", "the agent is killed", "its process is gone")
def test_an_agent_that_is_killed(agent, daemon, editor):
    _, question = asked(editor, daemon)
    os.kill(editor.agent_process(), signal.SIGKILL)
    assert editor.process.wait(patient(20)) == 128 + 9
    ended = wait_until(lambda: daemon.of("session.ended"), 10, "the session's end")[0]["head"]
    assert ended["failed"] is True
    assert daemon.wait_settled(question["approval"]) == "cancelled"


def test_without_a_daemon_it_is_not_there(agent, editor):
    prompt = editor.prompt(editor.open_session(), "write it")
    permission = wait_until(editor.permissions, 60, "the editor to be asked")[0]
    editor.select(permission, "allow_once")
    assert editor.wait_answer(prompt)["result"]["stopReason"] == "end_turn"
    assert (agent.project / "out.txt").exists() and editor.cancels() == []
    # A starting daemon receives the events that were reported before.
    daemon = FakeDaemon(agent.socket)
    daemon.start()
    try:
        wait_until(lambda: daemon.of("status.changed")[1:], 20, lambda: f"all of it; there is {daemon.kinds()}")
        assert daemon.kinds()[0] == "session.started" and daemon.asked == {}
    finally:
        daemon.stop()


@pytest.mark.shows("ACP: Mistral Vibe", "the host's daemon is killed", "the proxy asks the next daemon")
def test_a_daemon_that_is_restarted_is_asked_again(agent, daemon, editor):
    prompt, question = asked(editor, daemon)
    daemon.stop()
    daemon.start()
    wait_until(lambda: daemon.attempts[question["approval"]] > 1, 20, "the question to come again")
    daemon.answer(question["approval"], {"decision": "allow"})
    assert editor.wait_answer(prompt)["result"]["stopReason"] == "end_turn"
    assert daemon.wait_settled(question["approval"]) == "ran"


def test_one_event_that_is_refused_takes_no_other_with_it(agent, daemon, editor):
    daemon.refuses = lambda event: event["kind"] == "todo.changed"
    session = editor.open_session()
    editor.wait_answer(editor.prompt(session, "make a file"))
    wait_until(lambda: daemon.of("file.changed") and daemon.of("status.changed")[1:], 20, "the other events")
    assert not daemon.of("todo.changed") and "not this one" in editor.log_text()



def headless(agent: Agent, *options: str) -> subprocess.Popen[str]:
    (agent.project / "out.txt").unlink(missing_ok=True)
    return subprocess.Popen(
        [str(BINARY), "acp", *options, "--", *agent.command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=agent.project, env=agent.environment, text=True,
    )  # fmt: skip


def test_one_prompt_without_an_editor(agent, daemon):
    process = headless(agent, "--prompt", "write it")
    question = daemon.wait_asked()
    daemon.answer(question["approval"], {"decision": "allow"})
    said, log = process.communicate(timeout=patient(60))
    assert process.returncode == 0, log
    assert "Now run." in said and "All done." in said and "Decided by a client." in said
    assert (agent.project / "out.txt").read_text() == "hi\n" and daemon.wait_settled(question["approval"]) == "ran"


def test_what_nobody_can_decide_is_denied(agent):
    process = headless(agent, "--prompt", "write it")
    said, log = process.communicate(timeout=patient(60))
    assert process.returncode == 0, log
    assert "Denied: nobody decided." in said and not (agent.project / "out.txt").exists()


@pytest.fixture
def terminal(agent: Agent, short_path: Path) -> Iterator[Terminal]:
    (agent.project / "out.txt").unlink(missing_ok=True)
    terminal = Terminal(short_path / "tmux", agent.environment, agent.project)
    terminal.run([str(BINARY), "acp", "--", *agent.command], agent.environment)
    wait_until(lambda: terminal.screen().rstrip().endswith(">"), 30, terminal.screen)
    yield terminal
    terminal.close()


def test_at_a_terminal_the_first_answer_wins(agent, daemon, terminal):
    terminal.type("write it")
    terminal.press("Enter")
    question = daemon.wait_asked()
    wait_until(lambda: "4  Deny" in terminal.screen(), 20, terminal.screen)
    assert "echo hi > out.txt" in terminal.screen()
    terminal.type("1")
    terminal.press("Enter")
    wait_until(lambda: "All done." in terminal.screen(), 20, terminal.screen)
    assert (agent.project / "out.txt").exists() and daemon.wait_settled(question["approval"]) == "answeredElsewhere"
    # The turn ends shortly after its last text.
    wait_until(lambda: terminal.screen().rstrip().endswith("\n>"), 20, terminal.screen)
    terminal.type("write it")
    terminal.press("Enter")
    second = daemon.wait_asked(2)
    daemon.answer(second["approval"], {"decision": "deny"})
    wait_until(lambda: "Decided by a client." in terminal.screen(), 20, terminal.screen)
    assert daemon.wait_settled(second["approval"]) == "refused"
