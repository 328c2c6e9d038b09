#!/usr/bin/env python3
"""manual.py PROGRAM VERSION: prints a program's manual page, made from its --help."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any


def escaped(text: str) -> str:
    """Escapes a text so that roff prints it unchanged."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def prose(text: str) -> Iterator[str]:
    """Paragraphs are filled; indented lines, which are examples, stay unchanged."""
    for paragraph in text.strip("\n").split("\n\n"):
        is_example = paragraph.startswith("  ")
        yield from [".PP", *([".nf"] if is_example else []), escaped(paragraph), *([".fi"] if is_example else [])]


def argument(one: dict[str, Any]) -> Iterator[str]:
    value = f"<{one['valueName']}>" if "valueName" in one else ""
    names = [("--" if name["kind"] == "long" else "-") + name["name"] for name in one.get("names", [])]
    shown = value if one["kind"] == "positional" else ", ".join(names) + (f" {value}" if one["kind"] == "option" else "")
    default = f" (default: {one['defaultValue']})" if "defaultValue" in one else ""
    yield from [".TP", f"\\fB{escaped(shown)}\\fR", escaped(one.get("abstract", "") + default) or "\\&"]


def shown(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [part for part in parts if part.get("shouldDisplay", True)]


def command(one: dict[str, Any], path: str) -> Iterator[str]:
    """A command, followed by its subcommands. The options of every command, `--help` and `--version`, are described once, at the top."""
    yield from [f".SS \"{escaped(path)}\"", escaped(one.get("abstract", ""))]
    yield from prose(one["discussion"]) if "discussion" in one else ()
    for part in shown(one.get("arguments", [])):
        if part.get("preferredName", {}).get("name") not in ("help", "version"):
            yield from argument(part)
    for below in shown(one.get("subcommands", [])):
        if below["commandName"] != "help":
            yield from command(below, f"{path} {below['commandName']}")


def main() -> None:
    def say(*arguments: str) -> str:
        return subprocess.run([sys.argv[1], *arguments], check=True, capture_output=True, text=True).stdout

    top = json.loads(say("--experimental-dump-help"))["command"]
    name, commands = top["commandName"], [below for below in shown(top.get("subcommands", [])) if below["commandName"] != "help"]
    needed = [f"<{one['valueName']}>" for one in shown(top["arguments"]) if one["kind"] == "positional" and not one["isOptional"]]
    synopsis = " ".join([f"\\fB{escaped(name)}\\fR", *(["<subcommand>"] if commands else needed), "[options]"])
    lines = [f'.TH {escaped(name.upper())} 1 "" "{escaped(sys.argv[2])}" "Heliograph"', ".SH NAME"]
    lines += [f"{escaped(name)} \\- {escaped(top['abstract'].rstrip('.'))}", ".SH SYNOPSIS", synopsis]
    lines += [".SH DESCRIPTION", *prose(top["discussion"])]
    if commands:
        lines += [".SH COMMANDS", "Each has \\-\\-help."]
        for below in commands:
            lines += command(below, f"{name} {below['commandName']}")
    else:
        lines += [".SH OPTIONS", *(line for one in shown(top["arguments"]) for line in argument(one))]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
