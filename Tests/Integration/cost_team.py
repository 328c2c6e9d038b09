"""Five hosts whose agents' recorded usage is replayed."""

import random
import time
from collections.abc import Callable
from typing import Any

from host import ScriptedHost
from relay import Relay

HOSTS = [f"host {number}" for number in range(5)]
AGENTS = ["claude-code", "codex", "mistral-vibe", "own"]
MODELS = ["opus", "sonnet", "haiku", "gpt", "devstral", "qwen"]
PROJECTS = ["shop", "api", "docs", "infra", None]

TOKENS = ["input", "output", "cacheRead", "cacheWrite"]

STEPS = f"""
WITH used AS (
    SELECT e.id >> 32 AS session, e.id & 4294967295 AS seq, json_extract(CAST(e.bytes AS TEXT), '$.at') AS at,
        json_extract(CAST(e.bytes AS TEXT), '$.head.run') AS run, json_extract(CAST(e.bytes AS TEXT), '$.head.model') AS model,
        json_extract(CAST(e.bytes AS TEXT), '$.head.costMicroUSD') AS cost,
        {", ".join(f"json_extract(CAST(e.bytes AS TEXT), '$.head.tokens.{kind}') AS {kind}" for kind in TOKENS)}
    FROM events e WHERE e.kind = 'usage'
)
SELECT s.session, u.at, u.model, {", ".join(f"u.{kind} - coalesce(lag(u.{kind}) OVER run, 0)" for kind in ["cost", *TOKENS])}
FROM used u JOIN sessions s ON s.number = u.session WINDOW run AS (PARTITION BY u.session, u.run ORDER BY u.seq)
"""
"""Amounts that each event of a growing run has added: session, time, model, micro-dollars, and tokens of each kind."""


class Team:
    """A team's sessions over a number of days."""

    def __init__(self, relay: Relay, hosts: list[ScriptedHost], days: int, sessions: int):
        draw = random.Random(4)
        self.facts: dict[str, tuple[str, str, str | None]] = {}
        now = time.time_ns() // 1_000_000
        self.begin = now - (days - 1) * 86_400_000
        for number in range(sessions):
            session, host = f"s{number}", hosts[number % len(hosts)]
            agent, project = draw.choice(AGENTS), draw.choice(PROJECTS)
            self.facts[session] = (host.name, agent, project)
            at = draw.randrange(self.begin, now - 3_600_000)
            host.event(session, "session.started", {"agent": {"name": agent}} | ({"project": project} if project else {}), at=at)
            for run in range(draw.randrange(1, 3)):
                cost, tokens = 0, dict.fromkeys(TOKENS, 0)
                for _ in range(draw.randrange(1, 5)):
                    at += draw.randrange(0, 1_500_000)
                    cost, model = cost + draw.randrange(1, 900_000), draw.choice(MODELS)
                    tokens = {kind: count + draw.randrange(1, 9_000) for kind, count in tokens.items()}
                    usage = {"run": f"r{run}", "model": model, "costMicroUSD": cost, "tokens": tokens}
                    host.event(session, "usage", usage, at=min(at, now))
        for number in range(sessions):
            hosts[number % len(hosts)].wait_acked(f"s{number}", timeout=60)
        self.steps = relay.rows(STEPS)

    def sums(self, name: Callable[[tuple[Any, ...]], Any], column: int = 3) -> dict[Any, int]:
        sums: dict[Any, int] = {}
        for step in self.steps:
            sums[name(step)] = sums.get(name(step), 0) + step[column]
        return sums
