#!/usr/bin/env bash
# A person may change a tool call before it runs. What the model is told of it differs. Claude Code 2.1.332 (PyPI:
# claude-agent-sdk 0.2.189; a PreToolUse hook's `updatedInput`) and pydantic-ai-slim 2.68.0 (`override_args` of an
# approval) run the changed call and keep the model's own words in the conversation: the model reads its call and the
# result of another one. langchain 1.5.2 (HumanInTheLoopMiddleware, `edit`) puts a sentence in front of the result.
# In none of the three are the arguments that ran in the recorded call.
#
# Seen, the model asks to remove `old`, the person makes it `tmp`:
#       Claude Code    ran tmp   the next request: call old, result "removed"
#       pydantic-ai    ran tmp   the next request: call old, result "removed"
#       langchain      ran tmp   the next request: call old, result "Note: a human reviewer replaced this tool call …"
# The model goes on as if `old` were gone, and an audit of the conversation says who removed it. Whoever edits a call
# for Claude Code or pydantic-ai has to tell the model by other means, such as the next prompt.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 175 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
pip() { timeout 75 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-compile "$@"; }
pip --no-deps claude-agent-sdk==0.2.189
pip pydantic-ai-slim==2.68.0 langchain==1.5.2 langgraph==1.2.24 langchain-core==1.8.3

cat > "$work/try.py" <<'PYTHON'
import asyncio, http.server, json, os, pathlib, subprocess, sys, threading, time

work = pathlib.Path(sys.argv[1]).resolve()
(program,) = work.glob("venv/lib/python3*/site-packages/claude_agent_sdk/_bundled/claude")
called = []

def answer(asked):
    blocks = [block for message in asked["messages"] if isinstance(message["content"], list)
              for block in message["content"]]
    for block in blocks:
        if block["type"] == "tool_use": called.append(block["input"]["command"].split()[-1])
        if block["type"] == "tool_result": called.append(block["content"])
    if called: return ["Done."], "end_turn", (10, 5)
    return [("Bash", json.dumps({"command": f"{work}/remove old"}))], "tool_use", (10, 5)

class Model(http.server.BaseHTTPRequestHandler):
    """Streams what `answer` says: blocks (a text, or a tool's name and its input as JSON), why they end, and tokens."""
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def do_HEAD(self): self.reply("text/plain", b"")
    def do_GET(self): self.reply("application/json", b'{"data": [], "has_more": false}')
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "count_tokens" in self.path: return self.reply("application/json", b'{"input_tokens": 10}')
        blocks, stop, (tokens_in, tokens_out) = answer(asked) if asked.get("tools") else (["Title"], "end_turn", (1, 1))
        lines = [{"type": "message_start", "message": {
            "id": f"msg_{time.time_ns()}", "type": "message", "role": "assistant", "model": asked["model"], "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": tokens_in, "output_tokens": 1}}}]
        for index, block in enumerate(blocks):
            if isinstance(block, str):
                start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block}
            else:
                start = {"type": "tool_use", "id": f"toolu_{time.time_ns()}", "name": block[0], "input": {}}
                delta = {"type": "input_json_delta", "partial_json": block[1]}
            lines += [{"type": "content_block_start", "index": index, "content_block": start},
                      {"type": "content_block_delta", "index": index, "delta": delta},
                      {"type": "content_block_stop", "index": index}]
        lines += [{"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
                   "usage": {"output_tokens": tokens_out}}, {"type": "message_stop"}]
        self.reply("text/event-stream",
                   "".join(f"event: {line['type']}\ndata: {json.dumps(line)}\n\n" for line in lines).encode())
    def reply(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
for needed in ("home", "project"): (work / needed).mkdir()
environment = {
    "PATH": os.environ["PATH"], "HOME": str(work / "home"), "TMPDIR": str(work / "home"), "LANG": "C.UTF-8",
    "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}", "ANTHROPIC_API_KEY": "not-a-key-at-all-----",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1"}

def claude(*arguments, given=""):
    return subprocess.run([program, "-p", *arguments], cwd=work / "project", env=environment, input=given,
                          capture_output=True, text=True, timeout=60)

def by_claude():
    (work / "remove").write_text(f"#!/bin/sh\necho $1 >> '{work}/ran'\necho removed\n")
    (work / "remove").chmod(0o755)
    changed = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": f"{work}/remove tmp"}}
    (work / "hook.json").write_text(json.dumps({"hookSpecificOutput": changed}))
    hook = {"type": "command", "command": f"cat > /dev/null; cat '{work}/hook.json'"}
    claude("Go on.", "--settings", json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}))
    return (work / "ran").read_text().split(), called

def by_pydantic():
    from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolApproved
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    ran, read = [], []

    def model(messages, info):
        if len(messages) == 1: return ModelResponse(parts=[ToolCallPart("remove", {"path": "old"}, tool_call_id="1")])
        read.extend([messages[1].parts[0].args["path"], messages[2].parts[0].content])
        return ModelResponse(parts=[TextPart("Done.")])

    agent = Agent(FunctionModel(model), output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def remove(path: str) -> str:
        ran.append(path)
        return "removed"

    async def talk():
        asked = await agent.run("Go on.")
        answers = DeferredToolResults(approvals={"1": ToolApproved(override_args={"path": "tmp"})})
        await agent.run(message_history=asked.all_messages(), deferred_tool_results=answers)

    asyncio.run(talk())
    return ran, read

def by_langchain():
    from langchain.agents import create_agent
    from langchain.agents.middleware import HumanInTheLoopMiddleware
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langchain_core.tools import tool
    from langgraph.checkpoint.memory import MemorySaver
    from langgraph.types import Command
    ran, read = [], []

    class Scripted(BaseChatModel):
        @property
        def _llm_type(self): return "scripted"
        def bind_tools(self, tools, **_): return self
        def _generate(self, messages, stop=None, run_manager=None, **_):
            said = AIMessage(content="", tool_calls=[{"name": "remove", "args": {"path": "old"}, "id": "1"}])
            if len(messages) > 1:
                read.extend([messages[1].tool_calls[0]["args"]["path"], messages[2].content])
                said = AIMessage(content="Done.")
            return ChatResult(generations=[ChatGeneration(message=said)])

    @tool
    def remove(path: str) -> str:
        """Removes a file."""
        ran.append(path)
        return "removed"

    asking = HumanInTheLoopMiddleware(interrupt_on={"remove": True})
    agent = create_agent(Scripted(), [remove], middleware=[asking], checkpointer=MemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    agent.invoke({"messages": [("user", "Go on.")]}, thread)
    edit = {"type": "edit", "edited_action": {"name": "remove", "args": {"path": "tmp"}}}
    agent.invoke(Command(resume={"decisions": [edit]}), thread)
    return ran, read

outcomes = []
for name, attempt in {"Claude Code": by_claude, "pydantic-ai": by_pydantic, "langchain": by_langchain}.items():
    ran, (call, result) = attempt()
    print(f"{name:12} ran {ran}, the next request: call {call}, result {result!r}")
    outcomes.append((ran, call, result))
silent = ["tmp"], "old", "removed"
right = outcomes[:2] == [silent, silent] and outcomes[2][:2] == silent[:2]
right = right and "reviewer replaced this tool call" in outcomes[2][2]
sys.exit(0 if right else "Changed: what a model is told of a call that a person has edited")
PYTHON
timeout 90 "$work/venv/bin/python" "$work/try.py" "$work"
