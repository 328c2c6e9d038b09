"""Costs: what the page, the terminal and the socket say equals an independent sum in SQL over the events."""

import csv
import json
import random
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from playwright.sync_api import expect

from host import ScriptedHost
from page_screen import DESK, PHONE, Screen
from relay import Relay

DAYS = 30
HOSTS = [f"host {number}" for number in range(5)]
AGENTS = ["claude-code", "codex", "mistral-vibe", "own"]
MODELS = ["opus", "sonnet", "haiku", "gpt", "devstral", "qwen"]
PROJECTS = ["shop", "api", "docs", "infra", None]
SESSIONS = 400

STEPS = """
WITH used AS (
    SELECT e.id >> 32 AS session, e.id & 4294967295 AS seq, json_extract(CAST(e.bytes AS TEXT), '$.at') AS at,
        json_extract(CAST(e.bytes AS TEXT), '$.head.run') AS run, json_extract(CAST(e.bytes AS TEXT), '$.head.model') AS model,
        json_extract(CAST(e.bytes AS TEXT), '$.head.costMicroUSD') AS cost,
        json_extract(CAST(e.bytes AS TEXT), '$.head.tokens.input') AS input
    FROM events e WHERE e.kind = 'usage'
)
SELECT s.session, u.at, u.model, u.cost - coalesce(lag(u.cost) OVER run, 0), u.input - coalesce(lag(u.input) OVER run, 0)
FROM used u JOIN sessions s ON s.number = u.session WINDOW run AS (PARTITION BY u.session, u.run ORDER BY u.seq)
"""
"""What each event of a run that only grows has added: session, time, model, micro-dollars, tokens of input."""


class Team:
    """Thirty days of five hosts, replayed."""

    def __init__(self, relay: Relay, hosts: list[ScriptedHost]):
        draw = random.Random(4)
        self.facts: dict[str, tuple[str, str, str | None]] = {}
        now = time.time_ns() // 1_000_000
        self.begin = now - (DAYS - 1) * 86_400_000
        for number in range(SESSIONS):
            session, host = f"s{number}", hosts[number % len(hosts)]
            agent, project = draw.choice(AGENTS), draw.choice(PROJECTS)
            self.facts[session] = (host.name, agent, project)
            at = draw.randrange(self.begin, now - 3_600_000)
            host.event(session, "session.started", {"agent": {"name": agent}} | ({"project": project} if project else {}), at=at)
            for run in range(draw.randrange(1, 3)):
                cost, tokens = 0, 0
                for _ in range(draw.randrange(1, 5)):
                    at += draw.randrange(0, 1_500_000)
                    cost, tokens, model = cost + draw.randrange(1, 900_000), tokens + draw.randrange(1, 9_000), draw.choice(MODELS)
                    usage = {"run": f"r{run}", "model": model, "costMicroUSD": cost, "tokens": {"input": tokens}}
                    host.event(session, "usage", usage, at=min(at, now))
        for number in range(SESSIONS):
            hosts[number % len(hosts)].wait_acked(f"s{number}", timeout=60)
        self.steps = relay.rows(STEPS)

    def sums(self, name: Callable[[tuple[Any, ...]], Any], column: int = 3) -> dict[Any, int]:
        sums: dict[Any, int] = {}
        for step in self.steps:
            sums[name(step)] = sums.get(name(step), 0) + step[column]
        return sums


def local_day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000).strftime("%Y-%m-%d")


def shares(entries: list[dict[str, Any]], name: str = "name") -> dict[Any, int]:
    return {entry.get(name): entry["costMicroUSD"] for entry in entries}


def test_every_number_equals_the_sum_of_the_events(relay, scripted_host, phone, screen: Callable[..., Screen]):
    team = Team(relay, [scripted_host(relay, name=name) for name in HOSTS])
    today = datetime.now().replace(hour=0, minute=0, second=0, microsecond=0)
    begins = [int((today - timedelta(days=DAYS - 1 - day)).timestamp() * 1000) for day in range(DAYS)]
    until = int((today + timedelta(days=1)).timestamp() * 1000)

    report = phone.command("costs", days=begins, until=until)["costs"]
    inside = [step for step in team.steps if begins[0] <= step[1] < until]
    assert inside == team.steps or len(inside) > len(team.steps) * 0.9
    team.steps = inside
    assert report["total"]["costMicroUSD"] == sum(step[3] for step in inside)
    assert report["total"]["tokens"]["input"] == sum(step[4] for step in inside)
    assert shares(report["models"]) == team.sums(lambda step: step[2])
    for place, kind in enumerate(("hosts", "agents", "projects")):
        assert shares(report[kind]) == team.sums(lambda step, place=place: team.facts[step[0]][place]), kind
    by_day = {local_day(begins[day["day"]]): sum(share["costMicroUSD"] for share in day["models"]) for day in report["days"]}
    assert by_day == team.sums(lambda step: local_day(step[1]))
    by_session = team.sums(lambda step: step[0])
    assert shares(report["sessions"], "session") == dict(sorted(by_session.items(), key=lambda item: (-item[1], item[0]))[:10])
    assert report["sessionCount"] == len(by_session)

    # The terminal, in dollars with every digit.
    listed = relay.run("cost", "--by", "model", "--since", f"{DAYS}d", "--csv", "--data", str(relay.data)).stdout
    assert {row["model"]: round(float(row["cost_usd"]) * 1e6) for row in csv.DictReader(listed.splitlines())} == team.sums(lambda step: step[2])
    document = json.loads(relay.run("cost", "--since", f"{DAYS}d", "--json", "--data", str(relay.data)).stdout)
    assert document["costs"]["total"] == report["total"] and len(document["days"]) == DAYS
    assert relay.run("cost", "--since", "tomorrow", "--data", str(relay.data), check=False).returncode == 2

    # The page, and the same after a kill.
    dollars = f"${report['total']['costMicroUSD'] / 1e6:,.2f}"
    for size in (PHONE, DESK):
        one = screen(size=size)
        one.page.get_by_role("link", name="Cost", exact=True).click()
        view = one.page.locator("costs-view")
        view.get_by_label("Show").select_option("thirty")
        expect(view.locator(".cost-total")).to_have_text(dollars)
        expect(view.locator(".cost-bar")).to_have_count(DAYS)
        view.get_by_text("As a table").click()
        expect(view.get_by_role("row")).to_have_count(len(by_day) + 1)
        one.expect_no_overflow()
        one.expect_accessible()
        one.forgive_absence()
    relay.kill()
    relay.start()
    again = json.loads(relay.run("cost", "--since", f"{DAYS}d", "--json", "--data", str(relay.data)).stdout)
    assert again == document
