#!/usr/bin/env bash
# Codex 0.163.0 (PyPI: openai-codex-cli-bin), `codex app-server`: input that arrives while the model answers cuts that
# answer off, whether it comes by turn/steer or by a second turn/start (which starts no turn: it returns the id of the
# running one). The text that had been streamed is dropped. Its item was started and gets neither a completion nor any
# other end, it is not in the thread afterwards, the model is not shown it in its next request, and the tokens of the cut
# request are in no tokenUsage.
#
# Seen, 25 tokens a request:  undisturbed  first: started, delta, completed                          total 25
#                             turn/steer   first: started, delta; second: started, delta, completed  total 25
#                             turn/start   first: started, delta; second: started, delta, completed  total 25
#       thread/read has the second answer only, the request for it no word of the first; both calls return the running turn
# A client that waits for item/completed shows a cursor that blinks for ever, one that keeps what it has shown differs from
# the thread after the next resume.
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
begun, go_on = threading.Event(), threading.Event()

def answer(model, asked):
    requests.append(json.dumps(asked["input"]))
    if "Wait" not in json.dumps(asked["input"][-1]):
        return model.reply(b"".join(stream(text(f"second_{len(requests)}", "Another answer."), tokens=25)))
    parts = stream(text(f"first_{len(requests)}", "An answer of several words"), tokens=25)
    model.send_response(200)
    model.send_header("Content-Type", "text/event-stream")
    model.end_headers()
    try:
        model.wfile.write(b"".join(parts[:3]))
        begun.set()
        go_on.wait(10)
        model.wfile.write(b"".join(parts[3:]))
    except OSError: pass  # the interrupted connection was cut off

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

def attempt(name):
    thread = call("thread/start", cwd=str(work / "project"))["thread"]["id"]
    begun.clear()
    go_on.clear()
    running = call("turn/start", threadId=thread, input=[{"type": "text", "text": "Wait."}])["turn"]["id"]
    assert begun.wait(10)
    await_(lambda message: message.get("method") == "item/agentMessage/delta")
    heard[:] = heard[-2:]  # the message's start and its text
    same, more = None, {"threadId": thread, "input": [{"type": "text", "text": "Say something else."}]}
    if name == "turn/steer": same = call(name, expectedTurnId=running, **more)["turnId"] == running
    elif name == "turn/start": same = call(name, **more)["turn"]["id"] == running
    else: go_on.set()
    await_(lambda message: message.get("method") == "turn/completed")
    go_on.set()
    story, total = {}, None
    for message in heard:
        method, given = message.get("method"), message.get("params", {})
        if method == "item/agentMessage/delta": story.setdefault(given["itemId"].split("_")[0], []).append("delta")
        elif method in ("item/started", "item/completed") and given["item"]["type"] == "agentMessage":
            story.setdefault(given["item"]["id"].split("_")[0], []).append(method.removeprefix("item/"))
        elif method == "thread/tokenUsage/updated": total = given["tokenUsage"]["total"]["totalTokens"]
    turns = call("thread/read", threadId=thread, includeTurns=True)["thread"]["turns"]
    kept = [item["text"] for turn in turns for item in turn["items"] if item["type"] == "agentMessage"]
    shown = "several words" in requests[-1]
    print(f"{name:12} {story} total {total}, kept {kept}, running turn returned: {same}, next request has the first: {shown}")
    return story, total, kept, same, shown

start()
whole = ["started", "delta", "completed"]
right = attempt("undisturbed") == ({"first": whole}, 25, ["An answer of several words"], None, False)
for name in "turn/steer", "turn/start":
    seen = attempt(name)
    right = right and seen == ({"first": whole[:2], "second": whole}, 25, ["Another answer."], True, False)
agent.stdin.close()
agent.wait(10)
sys.exit(0 if right else "Changed: what becomes of an answer that is being given")
PYTHON
timeout 50 "$work/venv/bin/python" "$work/try.py" "$work"
