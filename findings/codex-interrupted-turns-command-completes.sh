#!/usr/bin/env bash
# Codex 0.163.0 (PyPI: openai-codex-cli-bin), `codex app-server`: turn/interrupt while a command runs that the model waits for
# ends the turn and not the command. turn/completed says `interrupted` at once, without an end of the command's item; the
# command runs on, sends its output, and its item/completed (status `completed`, exit code 0) arrives seconds after the turn is
# over, under that turn's id. The model is told that the call was aborted by the user. A later thread/read shows an
# interrupted turn with a completed command.
#
# Seen: command `sleep 4`, then a file is made; interrupted after half a second
#       turn/completed interrupted; then outputDelta; then item/completed completed, exit 0; the file is there
#       the model reads: aborted by user
# A client that closes a turn's items at turn/completed shows a command as stopped that goes on to have its effect, and one
# that forgets the turn gets items of a turn that it does not know.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 115 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 60 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-deps openai-codex-cli-bin==0.163.0

cat > "$work/try.py" <<'PYTHON'
import http.server, json, os, pathlib, queue, subprocess, sys, threading, time

work = pathlib.Path(sys.argv[1]).resolve()
(codex,) = work.glob("venv/lib/python3*/site-packages/codex_cli_bin/bin/codex")
settings, requests = "", []

def answer(model, asked):
    requests.append(asked["input"])
    if "Then" in json.dumps(asked["input"][-1]): return model.reply(b"".join(stream(text("done", "Done."))))
    arguments = {"cmd": f"sleep 4; touch '{work}/effect'; echo late", "yield_time_ms": 30_000}
    model.reply(b"".join(stream({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "exec_command",
                                 "arguments": json.dumps(arguments), "status": "completed"})))

class Model(http.server.BaseHTTPRequestHandler):
    """Streams the items that `answer` says."""
    def log_message(self, *_): pass
    def do_GET(self): self.reply(b'{"object": "list", "data": []}', "application/json")
    def do_POST(self): answer(self, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
    def reply(self, body, kind="text/event-stream"):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

def text(id, words):
    return {"type": "message", "id": id, "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": words, "annotations": []}]}

def stream(*items, tokens=10):
    response = {"id": f"resp_{time.time_ns()}", "object": "response", "status": "completed", "output": items,
                "usage": {"input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 0,
                          "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": tokens}}
    lines = [{"type": "response.created", "response": response | {"status": "in_progress", "output": []}}]
    for index, item in enumerate(items):
        if item["type"] == "message":
            lines += [{"type": "response.output_item.added", "output_index": index, "item": item | {"content": []}},
                      {"type": "response.output_text.delta", "item_id": item["id"], "output_index": index,
                       "content_index": 0, "delta": item["content"][0]["text"]}]
        lines.append({"type": "response.output_item.done", "output_index": index, "item": item})
    lines.append({"type": "response.completed", "response": response})
    return [f"event: {line['type']}\ndata: {json.dumps(line)}\n\n".encode() for line in lines]

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()

for needed in ("home/.codex", "tmp", "project"): (work / needed).mkdir(parents=True)
(work / "home/.codex/config.toml").write_text(f"""
model = "gpt-5.1"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:{server.server_port}/v1"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
[analytics]
enabled = false
{settings}""")
environment = {"PATH": os.environ["PATH"], "HOME": str(work / "home"), "TMPDIR": str(work / "tmp")}
agent = subprocess.Popen([codex, "app-server"], cwd=work / "project", env=environment, text=True,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
said: queue.Queue = queue.Queue()
threading.Thread(target=lambda: [said.put(json.loads(line)) for line in agent.stdout], daemon=True).start()
heard = []

def await_(wanted, seconds=20):
    while True:
        heard.append(said.get(timeout=seconds))
        if wanted(heard[-1]): return heard[-1]

def call(method, **params):
    agent.stdin.write(json.dumps({"id": method, "method": method, "params": params}) + "\n")
    agent.stdin.flush()
    reply = await_(lambda message: message.get("id") == method)
    assert "result" in reply, reply
    return reply["result"]

def start():
    call("initialize", clientInfo={"name": "finding", "version": "1"}, capabilities={"experimentalApi": True})
    agent.stdin.write('{"method": "initialized"}\n')
    return call("thread/start", cwd=str(work / "project"))["thread"]["id"]

def command(message): return message.get("params", {}).get("item", {}).get("type") == "commandExecution"

thread = start()
turn = call("turn/start", threadId=thread, input=[{"type": "text", "text": "Run it."}])["turn"]["id"]
await_(lambda message: message.get("method") == "item/started" and command(message))
time.sleep(0.5)
heard.clear()
call("turn/interrupt", threadId=thread, turnId=turn)
ended = await_(lambda message: message.get("method") == "turn/completed")["params"]["turn"]["status"]
early = [message for message in heard if command(message)]
late = await_(lambda message: message.get("method") == "item/completed" and command(message))["params"]
item = late["item"]
call("turn/start", threadId=thread, input=[{"type": "text", "text": "Then answer."}])
await_(lambda message: message.get("method") == "turn/completed")
(told,) = (entry["output"] for entry in requests[-1] if entry["type"] == "function_call_output")
turns = call("thread/read", threadId=thread, includeTurns=True)["thread"]["turns"]
kept = [(turns[0]["status"], entry["status"]) for entry in turns[0]["items"] if entry["type"] == "commandExecution"]
print(f"turn/completed {ended}; item/completed {item['status']}, exit {item['exitCode']}, of the same turn: {late['turnId'] == turn}; "
      f"effect: {(work / 'effect').exists()}", f"the model reads {told!r}", f"thread/read {kept}", sep="\n")
agent.stdin.close()
agent.wait(10)
right = ended == "interrupted" and not early and (item["status"], item["exitCode"], late["turnId"]) == ("completed", 0, turn)
right = right and (work / "effect").exists() and "aborted by user" in told and kept == [("interrupted", "completed")]
sys.exit(0 if right else "Changed: what an interrupt does to a running command")
PYTHON
timeout 50 "$work/venv/bin/python" "$work/try.py" "$work"
