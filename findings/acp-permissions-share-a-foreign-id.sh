#!/usr/bin/env bash
# deepagents-acp 0.0.13 (PyPI, an agent of the Agent Client Protocol): the `toolCallId` of session/request_permission is
# that of no tool call. It is the id of LangGraph's interrupt, which no session/update ever names, and as calls that the
# model makes at once share an interrupt, their requests share the id. A client that joins request and call by it, as
# the protocol's ToolCallUpdate suggests, finds no call; one that keys its open questions by it loses one of two. What
# joins them is `rawInput` alone. And a call that the person rejected ends as `completed`, just as one that ran.
#
# Seen: tool_call call_a /a.txt, tool_call call_b /b.txt
#       request_permission X /a.txt (answered: approve), request_permission X /b.txt (answered: reject)
#       tool_call_update call_a completed, tool_call_update call_b completed; only a.txt exists
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 80 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-compile \
    deepagents-acp==0.0.13 deepagents==0.7.32 langchain==1.5.2 langchain-core==1.8.3 langgraph==1.2.24 \
    agent-client-protocol==0.12.1
mkdir "$work/home" "$work/project"

# The agent: the library's server around a deep agent that asks before it writes, and a model that writes two files.
cat > "$work/agent.py" <<'PYTHON'
import asyncio, json

import acp
from deepagents import create_deep_agent
from deepagents.backends import FilesystemBackend
from deepagents_acp.server import AgentServerACP
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.checkpoint.memory import MemorySaver

class Model(BaseChatModel):
    @property
    def _llm_type(self): return "scripted"
    def bind_tools(self, tools, **_): return self
    def _stream(self, messages, stop=None, run_manager=None, **_):
        asked = messages[-1].type == "human"
        calls = [{"type": "tool_call_chunk", "name": "write_file", "index": index, "id": f"call_{letter}",
                  "args": json.dumps({"file_path": f"/{letter}.txt", "content": letter})}
                 for index, letter in enumerate("ab" if asked else "")]
        yield ChatGenerationChunk(message=AIMessageChunk(content="" if asked else "Done.", tool_call_chunks=calls))
        yield ChatGenerationChunk(message=AIMessageChunk(content="", chunk_position="last"))
    def _generate(self, messages, stop=None, run_manager=None, **_):
        first, last = self._stream(messages)
        return ChatResult(generations=[ChatGeneration(message=(first + last).message)])

def build(context):
    return create_deep_agent(model=Model(), checkpointer=MemorySaver(), interrupt_on={"write_file": True},
                             backend=FilesystemBackend(root_dir=context.cwd, virtual_mode=True))

asyncio.run(acp.run_agent(AgentServerACP(agent=build)))
PYTHON

cat > "$work/try.py" <<'PYTHON'
import json, os, pathlib, subprocess, sys

work = pathlib.Path(sys.argv[1])
agent = subprocess.Popen([work / "venv/bin/python", work / "agent.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         text=True, env={"PATH": os.environ["PATH"], "HOME": str(work / "home")})
calls, asked, ended = {}, [], {}

def send(**message):
    agent.stdin.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
    agent.stdin.flush()

def call(number, method, **params):
    send(id=number, method=method, params=params)
    for message in map(json.loads, agent.stdout):
        if message.get("method") == "session/request_permission":
            tool = message["params"]["toolCall"]
            path = tool["rawInput"]["file_path"]
            answer = "approve" if path == "/a.txt" else "reject"
            asked.append(tool["toolCallId"])
            print("request_permission", tool["toolCallId"], path, "answered:", answer)
            send(id=message["id"], result={"outcome": {"outcome": "selected", "optionId": answer}})
        elif message.get("method") == "session/update":
            update = message["params"]["update"]
            if update["sessionUpdate"] == "tool_call":
                calls[update["toolCallId"]] = update["rawInput"]["file_path"]
                print("tool_call", update["toolCallId"], update["rawInput"]["file_path"])
            elif update["sessionUpdate"] == "tool_call_update":
                ended[update["toolCallId"]] = update["status"]
                print("tool_call_update", update["toolCallId"], update["status"])
        elif message.get("id") == number: return message["result"]

call(1, "initialize", protocolVersion=1, clientCapabilities={})
session = call(2, "session/new", cwd=str(work / "project"), mcpServers=[])["sessionId"]
call(3, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "Write both files."}])
agent.stdin.close()
agent.wait(10)
files = sorted(os.listdir(work / "project"))
print("files:", *files)
right = (len(asked) == 2 and len(set(asked)) == 1 and asked[0] not in calls and len(calls) == 2
         and ended == dict.fromkeys(calls, "completed") and files == ["a.txt"])
sys.exit(0 if right else "Changed: which id a permission request carries")
PYTHON
timeout 30 python3 "$work/try.py" "$work"
