"""The commands' JSON output agrees with Scripting.md."""

import json
import re

import pytest

from relay import ROOT, Relay

PAGE = (ROOT / "Sources/HeliographServer/HeliographServer.docc/Scripting.md").read_text()
ROWS = {
    re.sub(r"[`]", "", command): (form, fields)
    for command, form, fields in re.findall(r"^\| (`[^|]*) \| (document|list|stream) \| ([^|]*) \|$", PAGE, re.MULTILINE)
}
ALONE = [
    "sessions", "approvals", "devices", "projects", "budget", "cost", "pair", "token list", "workspace list", "config show", "doctor", "push status", "clock",
    "audit verify", "host projects list", "rules list",
]  # fmt: skip


def names(fields: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", fields))


@pytest.mark.parametrize("command", ALONE)
def test_the_page_has_every_field(relay: Relay, command: str) -> None:
    relay.token("client", "phone")
    relay.run("budget", "set", "--day", "20", "--data", str(relay.data))
    data = [] if command.startswith(("host ", "rules ")) else ["--data", str(relay.data)]
    given = ["--keep-days", "7"] if command == "config show" else []
    said = relay.run(*command.split(), *given, "--json", *data).stdout.splitlines()
    form, fields = ROWS[command]
    assert said and (form == "list" or len(said) == 1), said
    outer = fields.split(";")[0]
    while (shorter := re.sub(r"[\[({][^\[\](){}]*[\])}]", "", outer)) != outer:
        outer = shorter
    required = set(re.findall(r"`(\w+)`(?!\?)", outer))
    for line in said:
        keys = set(json.loads(line))
        assert keys <= names(fields) or "…" in fields, keys - names(fields)
        assert required <= keys, required - keys


def test_the_page_has_every_field_of_a_machines_status(relay: Relay) -> None:
    said = relay.run("status", "--json", check=False)
    assert said.returncode == 5, said
    (line,) = said.stdout.splitlines()
    assert set(json.loads(line)) <= names(ROWS["status"][1]) and {"host", "agents"} <= set(json.loads(line))


def test_the_page_has_every_command_that_takes_it(relay: Relay) -> None:
    """Compares the page with the commands' own help."""

    def taking(command: dict, path: str) -> list[str]:
        below = [one for sub in command.get("subcommands", []) if sub["commandName"] != "help" and sub.get("shouldDisplay", True) for one in taking(sub, f"{path} {sub['commandName']}".strip())]
        own = any(name["name"] == "json" for argument in command.get("arguments", []) for name in argument.get("names", []))
        return below + ([path] if own else [])

    dump = json.loads(relay.run("--experimental-dump-help").stdout)["command"]
    assert len(taking(dump, "")) > 25
    words = re.sub(r"[`]", "", PAGE)
    missing = [path for path in taking(dump, "") if path.removesuffix(" list").split()[0] not in words]
    assert missing == []
