#!/usr/bin/env bash
# agent-client-protocol 0.12.1 and mcp 2.3.0 (PyPI), the Python SDKs of two protocols of JSON lines on a pipe, as clients:
# each starts a task of its own for every notification. If the handler of an earlier one awaits anything, those of later
# ones overtake it. And the two differ at the end: ACP's prompt() returns only after the handlers of its updates, MCP's
# call_tool() while a handler is still at work, though the notification came before the result. Text chunks have no
# number by which a client could sort them.
#
# Seen, three notifications, then the result; the handler of the first awaits 0.1 s:
#       ACP session/update            two, three, one, returned
#       MCP notifications/progress    two, three, returned, one
#       MCP notifications/message     two, three, returned, one
# A client that writes each chunk to a file, a socket or a terminal with `await` shows garbled text now and then.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 85 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-compile \
    agent-client-protocol==0.12.1 mcp==2.3.0

# Both servers in one: an agent of ACP and a server of MCP, each in the few methods that are asked for.
cat > "$work/server.py" <<'PYTHON'
import json, sys

def send(**message): print(json.dumps({"jsonrpc": "2.0"} | message), flush=True)

for message in map(json.loads, sys.stdin):
    method, given, words = message.get("method"), message.get("params") or {}, ("one", "two", "three")
    if "id" not in message: continue
    elif method == "initialize" and "clientInfo" in given and isinstance(given["protocolVersion"], str):
        result = {"protocolVersion": given["protocolVersion"], "capabilities": {"tools": {}, "logging": {}},
                  "serverInfo": {"name": "words", "version": "1"}}
    elif method == "initialize": result = {"protocolVersion": 1, "agentCapabilities": {}}
    elif method == "session/new": result = {"sessionId": "s"}
    elif method == "session/prompt":
        for word in words:
            send(method="session/update", params={"sessionId": "s", "update": {
                "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": word}}})
        result = {"stopReason": "end_turn"}
    elif method == "tools/list": result = {"tools": [{"name": "speak", "inputSchema": {"type": "object"}}]}
    elif method == "tools/call":
        token = given.get("_meta", {}).get("progressToken")
        for number, word in enumerate(words):
            if token is None: send(method="notifications/message", params={"level": "info", "data": word})
            else: send(method="notifications/progress", params={"progressToken": token, "progress": number, "message": word})
        result = {"content": [{"type": "text", "text": "spoken"}]}
    else:
        send(id=message["id"], error={"code": -32601, "message": "No such method"})
        continue
    send(id=message["id"], result=result)
PYTHON

cat > "$work/try.py" <<'PYTHON'
import asyncio, pathlib, sys

import acp
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

server, heard = str(pathlib.Path(sys.argv[1]) / "server.py"), []

async def hear(word):
    if word == "one": await asyncio.sleep(0.1)
    heard.append(word)

class Editor(acp.Client):
    async def session_update(self, session_id, update, **_): await hear(update.content.text)

async def over(name):
    heard.append("returned")
    await asyncio.sleep(1)
    print(f"{name:28}", ", ".join(heard))
    seen = list(heard)
    heard.clear()
    return seen

async def main():
    async with acp.spawn_agent_process(Editor(), sys.executable, server) as (agent, _):
        await agent.initialize(protocol_version=1)
        session = await agent.new_session(cwd="/", mcp_servers=[])
        await agent.prompt(session_id=session.session_id, prompt=[acp.text_block("Speak.")])
        updates = await over("ACP session/update")
    async def logged(params): await hear(params.data)
    async def progressed(_, __, word): await hear(word)
    async with stdio_client(StdioServerParameters(command=sys.executable, args=[server])) as streams:
        async with ClientSession(*streams, logging_callback=logged) as client:
            await client.initialize()
            await client.call_tool("speak", {}, progress_callback=progressed)
            progress = await over("MCP notifications/progress")
            await client.call_tool("speak", {})
            messages = await over("MCP notifications/message")
    right = updates == ["two", "three", "one", "returned"]
    right = right and progress == messages == ["two", "three", "returned", "one"]
    sys.exit(0 if right else "Changed: the order in which a client's handlers end")

asyncio.run(main())
PYTHON
timeout 40 "$work/venv/bin/python" "$work/try.py" "$work"
