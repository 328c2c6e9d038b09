"""Slow tests of OpenHands, each of which starts the agent anew; faster ones are in `test_openhands.py`: `make openhands-check`."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_agents import Agent, openhands
from acp_peers import Editor, FakeDaemon
from waits import wait_until


@pytest.fixture(scope="module")
def agent() -> Iterator[Agent]:
    with tempfile.TemporaryDirectory(prefix="hg-", ignore_cleanup_errors=True) as folder:
        agent = openhands(Path(folder))
        new = str(agent.project / "new.txt")
        agent.api.scripts |= {
            "write it": [
                [{"text": "Now run."}, {"tool": "terminal", "input": {"command": "echo hi > out.txt", "security_risk": "LOW"}}],
                [{"tool": "file_editor", "input": {"command": "create", "path": new, "file_text": "a\nb\n", "security_risk": "LOW"}}],
                [{"tool": "finish", "input": {"message": "All done."}}],
            ],
            "plan it": [
                [{
                    "tool": "task_tracker",
                    "input": {
                        "command": "plan", "security_risk": "LOW",
                        "task_list": [
                            {"title": "Create it", "notes": "", "status": "in_progress"}, {"title": "Verify", "notes": "", "status": "todo"},
                        ],
                    },
                }],
                [{"tool": "finish", "input": {"message": "Planned."}}],
            ],
        }  # fmt: skip
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
    for name in ("out.txt", "new.txt"):
        (agent.project / name).unlink(missing_ok=True)
    editor = Editor(agent.command, agent.environment, agent.project)
    yield editor
    editor.kill()


def test_answered_at_the_editor_and_its_change_is_told(agent, daemon, editor):
    session = editor.open_session()
    editor.on_permission = lambda request: editor.select(request, "allow_once")
    assert editor.wait_answer(editor.prompt(session, "write it"))["result"]["stopReason"] == "end_turn"
    changed = wait_until(lambda: daemon.of("file.changed"), 10, "the change")[0]
    assert changed["head"]["added"] == 2 and "+a\n+b" in changed["body"]["diff"]
    for approval in daemon.asked:
        assert daemon.wait_settled(approval) == "answeredElsewhere"


def test_its_plan_is_told(agent, daemon, editor):
    session = editor.open_session()
    editor.on_permission = lambda request: editor.select(request, "allow_once")
    editor.wait_answer(editor.prompt(session, "plan it"))
    todo = wait_until(lambda: daemon.of("todo.changed"), 10, lambda: f"the plan; there are {daemon.kinds()}")[-1]
    assert todo["head"]["total"] == 2 and todo["head"]["current"] == "Create it"


def test_it_ignores_the_end_of_its_input_and_is_ended(agent, daemon, editor):
    editor.open_session()
    process = editor.agent_process()
    editor.leave()
    assert not Path(f"/proc/{process}").exists()
    ended = wait_until(lambda: daemon.of("session.ended"), 10, "the session's end")[0]["head"]
    assert ended.get("failed", False) is False
