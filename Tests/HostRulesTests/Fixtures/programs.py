"""Prints, for each command line of the files of JSON strings, the programs that bashlex finds in it, or null if it reads none of it."""

import json
import sys
from typing import Any

import bashlex


def programs(node: Any, line: str) -> list[str]:
    """The names of the programs in a tree, without those that the shell makes up as it runs."""
    found: list[str] = []
    if node.kind == "command":
        words = [part for part in node.parts if part.kind == "word"]
        found += [word.word for word in words[:1] if not word.parts]
    below = [*getattr(node, "parts", []), *getattr(node, "list", [])]
    below += [getattr(node, name) for name in ("command", "body", "heredoc", "output") if hasattr(getattr(node, name, None), "kind")]
    # bashlex reads substitutions also in single quotes, where bash has none.
    below = [one for one in below if one.kind != "commandsubstitution" or line[one.pos[0] - 1 : one.pos[0]] != "'"]
    return found + [name for one in below for name in programs(one, line)]


def read(line: str) -> list[str] | None:
    try:
        return [name for tree in bashlex.parse(line) for name in programs(tree, line)]
    # bashlex's lexer and parser raise errors of many kinds of their own.
    except Exception:  # noqa: BLE001
        return None


for path in sys.argv[1:]:
    with open(path) as lines:
        for line in lines:
            print(json.dumps(read(json.loads(line))))
