"""`heliograph mcp`: any MCP client can ask a person. With the client of the `mcp` package, and with the real agents."""

import asyncio
import json
import os
import signal
import subprocess
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import ElicitResult

from claude import Machine
from codex import CodexMachine
from daemon import Daemon
from relay import BINARY, Relay
from waits import patient, wait_until

RECORDED = "Recorded: people see it as soon as this machine's relay has it."
MODES = ["legacy", "auto"]
"""The versions that begin with `initialize`, and the stateless ones."""


@asynccontextmanager
async def connected(daemon: Daemon, mode: str = "legacy", wait: int = 60, **options: Any) -> Any:
    environment = daemon.environment | {"HELIOGRAPH_SOCKET": str(daemon.socket)}
    server = StdioServerParameters(command=str(BINARY), args=["mcp", "--wait", str(wait)], env=environment, cwd=daemon.project)
    async with Client(stdio_client(server), mode=mode, **options) as client:
        yield client


def said(result: Any) -> str:
    (content,) = result.content
    return content.text


def run(test: Callable[[], Awaitable[Any]]) -> Any:
    """Runs in a separate thread, because this one may already have an event loop from another file's browser."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(asyncio.wait_for(test(), patient(60)))).result()


async def on_the_phone(act: Callable[[], Any]) -> Any:
    return await asyncio.to_thread(act)


@pytest.mark.parametrize("mode", MODES)
def test_a_question_is_answered_by_a_person(daemon: Daemon, phone: Any, mode: str) -> None:
    async def test() -> None:
        async with connected(daemon, mode) as client:
            assert client.protocol_version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[mode]
            assert [tool.name for tool in (await client.list_tools()).tools] == ["ask", "approve", "notify", "progress"]
            seen: list[str] = []

            async def progressed(progress: float, total: float | None, message: str | None) -> None:
                seen.append(message or "")

            asking = asyncio.create_task(client.call_tool("ask", {"question": "Which color?", "choices": ["Red", "Blue"]}, progress_callback=progressed))
            card = await on_the_phone(lambda: phone.wait_card())
            assert card["request"]["body"]["questions"][0]["text"] == "Which color?"
            phone.answer(card["session"], card["approval"], [{"question": "answer", "choices": ["Blue"]}])
            result = await asking
            assert said(result) == "Blue" and not result.is_error
            assert seen[0] == "A person is asked"
            await on_the_phone(lambda: phone.wait_approval(card["approval"], "applied"))
            assert phone.approvals[card["approval"]]["outcome"] == "answered"

    run(test)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("verdict", ["allow", "deny"])
def test_an_action_is_decided_for_exactly_its_input(daemon: Daemon, phone: Any, mode: str, verdict: str) -> None:
    async def test() -> None:
        async with connected(daemon, mode) as client:
            asked = {"tool_name": "Deploy", "input": {"to": "production", "count": 3}}
            asking = asyncio.create_task(client.call_tool("approve", asked))
            card = await on_the_phone(lambda: phone.wait_card())
            assert card["request"]["head"]["tool"] == "Deploy" and card["request"]["body"] == {"input": asked["input"]}
            phone.decide(card["session"], card["approval"], verdict, **({"message": "not today"} if verdict == "deny" else {}))
            answer = json.loads(said(await asking))
            wanted = {"behavior": "allow", "updatedInput": asked["input"]} if verdict == "allow" else {"behavior": "deny", "message": "not today"}
            assert answer == wanted

    run(test)


def test_a_cancelled_call_withdraws_its_question(daemon: Daemon, phone: Any) -> None:
    async def test() -> None:
        async with connected(daemon) as client:
            asking = asyncio.create_task(client.call_tool("ask", {"question": "Go on?"}))
            card = await on_the_phone(lambda: phone.wait_card())
            asking.cancel()
            closed = await on_the_phone(lambda: phone.wait_approval(card["approval"], "cancelled"))
            assert closed["reason"] == "withdrawn"
            assert phone.answer(card["session"], card["approval"], [{"question": "answer", "choices": [], "text": "yes"}])["error"]["code"] == "closed"

    run(test)


def test_messages_and_progress_are_shown_and_the_session_ends_with_its_client(daemon: Daemon, phone: Any) -> None:
    async def test() -> str:
        async with connected(daemon) as client:
            assert said(await client.call_tool("notify", {"message": "Built"})) == RECORDED
            assert said(await client.call_tool("progress", {"completed": 1, "total": 3, "current": "Tests"})) == RECORDED
            assert said(await client.call_tool("notify", {"message": "It broke", "level": "error"})) == RECORDED
            session = await on_the_phone(lambda: next(iter(wait_until(lambda: phone.summaries, 20, "a session"))))
            summary = await on_the_phone(lambda: phone.wait_summary(session, lambda summary: summary.get("error") == "It broke"))
            assert summary["messages"] == 2 and (summary["todo"]["completed"], summary["todo"]["total"]) == (1, 3)
            bad = await client.call_tool("progress", {"completed": 4, "total": 3})
            assert bad.is_error and "$.params.arguments.completed" in said(bad)
            return session

    session = run(test)
    assert phone.wait_summary(session, lambda summary: summary.get("endedAt"), timeout=20)["status"] == "completed"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("action", ["allow", "deny", "decline", "cancel", "no form"])
def test_without_a_host_the_clients_own_form_asks_and_nothing_else_allows(short_path: Path, mode: str, action: str) -> None:
    away = Daemon(short_path, None)  # type: ignore[arg-type]
    shown: list[str] = []

    async def form(context: Any, parameters: Any) -> ElicitResult:
        shown.append(parameters.message)
        if action in ("allow", "deny"):
            return ElicitResult(action="accept", content={"answer": action})
        return ElicitResult(action=action)  # type: ignore[arg-type]

    async def test() -> None:
        async with connected(away, mode, **({} if action == "no form" else {"elicitation_callback": form})) as client:
            result = await client.call_tool("approve", {"tool_name": "Deploy", "input": {"to": "production"}})
            answer = json.loads(said(result))
            assert answer["behavior"] == ("allow" if action == "allow" else "deny")
            assert result.is_error == (action in ("cancel", "no form"))
            if action == "no form":
                assert "no host daemon answers" in answer["message"]
            else:
                assert shown == ['Allow Deploy with exactly this input?\n{"to":"production"}']

    run(test)


def test_time_that_is_up_is_an_error(daemon: Daemon, phone: Any) -> None:
    async def test() -> None:
        async with connected(daemon, wait=1) as client:
            result = await client.call_tool("approve", {"tool_name": "Deploy", "input": {}})
            assert result.is_error and json.loads(said(result)) == {"behavior": "deny", "message": "Not allowed: nobody decided within a second"}

    run(test)


@pytest.mark.parametrize("end", ["closed", "killed", "SIGTERM"])
def test_a_client_that_leaves_takes_its_question_along(daemon: Daemon, phone: Any, end: str) -> None:
    server = subprocess.Popen(
        [str(BINARY), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=daemon.environment | {"HELIOGRAPH_SOCKET": str(daemon.socket)}
    )
    try:
        assert server.stdin
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask", "arguments": {"question": "Go on?"}}}
        server.stdin.write(json.dumps(call) + "\n")
        server.stdin.flush()
        card = phone.wait_card()
        if end == "closed":
            server.stdin.close()
        else:
            os.kill(server.pid, signal.SIGKILL if end == "killed" else signal.SIGTERM)
        assert phone.wait_approval(card["approval"], "cancelled", timeout=20)
        assert server.wait(patient(10)) == (-signal.SIGKILL if end == "killed" else 0)
    finally:
        server.kill()
        server.wait()



@pytest.fixture
def bare(short_path: Path, relay: Relay) -> Iterator[Machine]:
    """The real Claude Code without Heliograph's hooks, on a machine with a host."""
    machine = Machine(short_path, relay)
    try:
        machine.prepare()
        machine.start_daemon(relay.pair_link("host"))
        yield machine
    finally:
        machine.tear_down()


def printed(machine: Machine, calls: Path | None = None) -> tuple[threading.Thread, list[Any]]:
    """Runs `claude -p`, which passes each permission request to `heliograph mcp`; the file `calls` gets a copy of those requests."""
    machine.api.script = [[{"tool": "Bash", "input": {"command": "echo hi > out.txt", "description": "Says hi"}}], [{"text": "All done now."}]]
    configuration = machine.folder / "mcp.json"
    server = {"command": str(BINARY), "args": ["mcp", "--wait", "60"]}
    if calls:
        server = {"command": "sh", "args": ["-c", 'tee "$0" | "$1" mcp --wait 60', str(calls), str(BINARY)]}
    configuration.write_text(json.dumps({"mcpServers": {"person": server}}))
    arguments = ["--mcp-config", str(configuration), "--permission-prompt-tool", "mcp__person__approve", "--permission-mode", "manual"]
    said: list[Any] = []
    thread = threading.Thread(target=lambda: said.append(machine.print_claude("say hi", *arguments)), daemon=True)
    thread.start()
    return thread, said


@pytest.mark.agent
@pytest.mark.parametrize("verdict", ["allow", "deny"])
def test_claude_code_asks_by_its_permission_prompt_tool(bare: Machine, phone: Any, verdict: str) -> None:
    thread, said = printed(bare)
    card = phone.wait_card(timeout=40)
    assert card["request"]["head"]["tool"] == "Bash" and card["request"]["body"]["input"]["command"] == "echo hi > out.txt"
    assert phone.summaries[card["session"]]["agent"]["name"] == "claude-code"
    phone.decide(card["session"], card["approval"], verdict, **({"message": "not on a Friday"} if verdict == "deny" else {}))
    thread.join(patient(40))
    assert said and (bare.project / "out.txt").exists() == (verdict == "allow")
    if verdict == "deny":
        assert any("not on a Friday" in result for result in bare.api.tool_results())


@pytest.mark.agent
@pytest.mark.parametrize("verdict", ["allow", "deny"])
def test_a_connected_claude_code_with_that_tool_asks_once(machine: Machine, phone: Any, verdict: str) -> None:
    calls = machine.folder / "calls"
    thread, said = printed(machine, calls)
    card = phone.wait_card(timeout=40)
    wait_until(lambda: calls.exists() and b"tools/call" in calls.read_bytes(), 20, "the tool's call")
    phone.decide(card["session"], card["approval"], verdict)
    thread.join(patient(40))
    assert said and (machine.project / "out.txt").exists() == (verdict == "allow")
    phone.wait_approval(card["approval"], "applied")
    assert list(phone.approvals) == [card["approval"]] and card["session"].startswith("claude-")


@pytest.mark.agent
def test_claude_code_is_denied_while_the_host_is_away(bare: Machine) -> None:
    bare.stop_daemon()
    thread, said = printed(bare)
    thread.join(patient(60))
    assert said and not (bare.project / "out.txt").exists()
    # Claude Code offers a form and cancels it immediately, because no person is present.
    assert any("nobody can be reached from afar" in result for result in bare.api.tool_results()), bare.api.tool_results()


@pytest.mark.agent
def test_codex_asks_a_person(short_path: Path, relay: Relay, phone: Any) -> None:
    with CodexMachine(short_path, relay).at_work() as machine:
        settings = machine.codex_home / "config.toml"
        settings.write_text(settings.read_text() + f'[mcp_servers.person]\ncommand = {json.dumps(str(BINARY))}\nargs = ["mcp"]\nenv = {{ HELIOGRAPH_SOCKET = {json.dumps(str(machine.home / ".local/state/heliograph/host.sock"))} }}\n')
        machine.start_codex([[{"tool": "ask", "namespace": "mcp__person", "input": {"question": "Which color?", "choices": ["Red", "Blue"]}}], [{"text": "All done now."}]])
        machine.prompt("please do it")
        card = phone.wait_card(lambda card: card["session"].startswith("local-mcp-"), timeout=40)
        phone.answer(card["session"], card["approval"], [{"question": "answer", "choices": ["Blue"]}])
        machine.wait_screen("All done now.")
        assert any("Blue" in result for result in machine.api.tool_results()), machine.api.tool_results()
