"""An ACP agent with almost no cost of its own, so that a benchmark measures the proxy between it and the editor.

A prompt with the text "N" returns N session updates and the end of the turn; an unknown request is answered at once.
"""

import json
import sys

CHUNK = "The quick brown fox jumps over the lazy dog and reads one more line of the file that nobody has changed. "
SESSION = "bench-session"


def send(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def main() -> None:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": CHUNK}}
    line = json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": SESSION, "update": update}}) + "\n"
    for read in sys.stdin:
        message = json.loads(read)
        method, id = message.get("method"), message.get("id")
        if id is None:
            continue
        result: dict[str, object] = {}
        if method == "initialize":
            result = {"protocolVersion": 1, "agentCapabilities": {}}
        elif method == "session/new":
            result = {"sessionId": SESSION}
        elif method == "session/prompt":
            count = int(message["params"]["prompt"][0]["text"])
            for _ in range(count):
                sys.stdout.write(line)
            result = {"stopReason": "end_turn"}
        send({"id": id, "result": result})
        sys.stdout.flush()


if __name__ == "__main__":
    main()
