"""Verifies tokens made by Swift with py_vapid: reads a line of JSON with token and key, and prints one with the token's claims."""

import json
import sys

from py_vapid import Vapid02, jwt


def main() -> None:
    for line in iter(sys.stdin.readline, ""):
        asked = json.loads(line)
        claims = jwt.decode(asked["token"], asked["key"])
        # py_vapid checks claims such as `sub` and `exp` more strictly when it signs, so it signs them once more.
        Vapid02.from_pem(asked["pem"].encode()).sign(dict(claims))
        print(json.dumps({"head": asked["token"].split(".")[0], **claims}), flush=True)


if __name__ == "__main__":
    main()
