"""The documentation's table of agents by capability, made from the tests with real agents, with the kind of evidence.

A test of a capability carries `@pytest.mark.shows(AGENT, CAPABILITY, EVIDENCE)`. `python capabilities.py` writes the table into Agents.md;
`test_documentation.py` fails if the page differs.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "Sources/HeliographServer/HeliographServer.docc/Agents.md"
BEGIN, END = "<!-- capabilities: written by Tests/Integration/capabilities.py -->", "<!-- end of capabilities -->"

AGENTS = ["Claude Code, its own screen", "Claude Code, `heliograph claude`", "Claude Code, `heliograph run`", "Codex", "ACP: Mistral Vibe", "ACP: OpenHands", "your own program"]
CAPABILITIES = [
    "messages and tools are watched",
    "output of a running tool",
    "allowed by a client",
    "denied by a client",
    "the agent reads why it was denied",
    "questions answered by a client",
    "answered at the terminal or editor first",
    "both at once",
    "answered by its owner's rules",
    "always allow, by the agent's own offer",
    "edited before it is allowed",
    "a tool's server asks (elicitation)",
    "prompt to an idle agent",
    "prompt to a busy one waits",
    "prompt into the running turn",
    "prompt while a dialog is open waits",
    "half-typed text at the terminal stays",
    "a slash is text",
    "a prompt of 20 kB",
    "pictures in a prompt",
    "the same id twice is one prompt",
    "interrupt in text",
    "interrupt in a tool",
    "interrupt with an approval open",
    "mode",
    "model",
    "asked for everything, and no more",
    "a spent budget holds it",
    "session ended by a client",
    "started by a client in a project",
    "started by a client with pictures",
    "resumed by a client",
    "past sessions of a project",
    "taken over at the terminal and resumed",
    "taken over while it runs",
    "the agent is killed",
    "the host's daemon is killed",
    "the relay is killed or away",
]


def marks() -> Iterator[tuple[str, str, str]]:
    """(agent, capability, evidence) of every marked test."""
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.FunctionDef):
                continue
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.shows":
                    agent, capability, evidence = (ast.literal_eval(argument) for argument in decorator.args)
                    assert agent in AGENTS and capability in CAPABILITIES, f"{path.name}, {node.name}: {agent}, {capability}"
                    yield agent, capability, evidence


def table() -> str:
    shown: dict[tuple[str, str], list[str]] = {}
    for agent, capability, evidence in marks():
        said = shown.setdefault((capability, agent), [])
        if evidence not in said:
            said.append(evidence)
    lines = [f"| | {' | '.join(AGENTS)} |", "|---" * (len(AGENTS) + 1) + "|"]
    for capability in CAPABILITIES:
        cells = ["; ".join(shown.get((capability, agent), ["–"])) for agent in AGENTS]
        lines.append(f"| {capability} | {' | '.join(cells)} |")
    return "\n".join(lines)


def page(text: str) -> str:
    """The page with its table replaced by the tests' one."""
    return re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: f"{BEGIN}\n\n{table()}\n\n{END}", text, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
