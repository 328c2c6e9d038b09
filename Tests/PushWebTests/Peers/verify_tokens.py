"""Reads tokens of Swift's with py_vapid: a line of JSON with token and key comes in, and one with what the token claims goes out."""

import json
import sys

from py_vapid import Vapid02, jwt


def main() -> None:
    for line in iter(sys.stdin.readline, ""):
        asked = json.loads(line)
        claims = jwt.decode(asked["token"], asked["key"])
        # What it would sign itself is checked by more rules: `sub` and `exp` among them.
        Vapid02.from_pem(asked["pem"].encode()).sign(dict(claims))
        print(json.dumps({"head": asked["token"].split(".")[0], **claims}), flush=True)


if __name__ == "__main__":
    main()
