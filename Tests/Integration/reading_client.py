#!/usr/bin/env python3
"""A client as a separate process, so that a test can suspend it: reads one session, and reconnects with its position.

    reading_client.py URL TOKEN SESSION

Prints a JSON line for each event: `{"events": first…last}`, `{"reset": reason}`, `{"snapshot": seq}`, `{"closed": code}`.
"""

import json
import sys

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


def say(**fact: object) -> None:
    print(json.dumps(fact), flush=True)


def main() -> None:
    url, token, session = sys.argv[1:]
    position: dict[str, object] | None = None
    while True:
        with connect(
            url, subprotocols=["heliograph.v1"], additional_headers={"Authorization": f"Bearer {token}"}, max_size=None,
            compression=None, proxy=None, ping_interval=None, legacy=True, close_timeout=2,
        ) as socket:  # fmt: skip
            socket.send(json.dumps({"type": "hello", "version": 1, "software": "reading client"}))
            socket.send(json.dumps({"type": "subscribe", "id": "s", "session": session, **({"after": position} if position else {})}))
            try:
                for text in socket:
                    message = json.loads(text)
                    if message["type"] == "snapshot":
                        position = {"epoch": message["epoch"], "seq": message["seq"]}
                        say(snapshot=message["seq"])
                    elif message["type"] == "reset":
                        say(reset=message["reason"])
                    elif message["type"] == "events":
                        last = message["first"] + len(message["events"]) - 1
                        position = {"epoch": message["epoch"], "seq": last}
                        say(first=message["first"], last=last)
            except ConnectionClosed:
                pass
            say(closed=socket.close_code or 1006)
            if 4400 <= (socket.close_code or 1006) < 4500:
                return


if __name__ == "__main__":
    main()
