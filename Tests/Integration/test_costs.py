"""Costs on the page, in the terminal and over the socket equal an independent sum of the events in SQL."""

import calendar
import csv
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from playwright.sync_api import Locator, expect

from cost_team import HOSTS, TOKENS, Team
from page_screen import DESK, PHONE, Screen

DAYS = 30
SESSIONS = 400
OF_TOKENS = range(4, 4 + len(TOKENS))
"""Columns of a step with its tokens of each kind."""


def local_day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000).strftime("%Y-%m-%d")


def shares(entries: list[dict[str, Any]], name: str = "name") -> dict[Any, int]:
    return {entry.get(name): entry["costMicroUSD"] for entry in entries}


def money(micro: int) -> str:
    """An amount as the page shows it."""
    rounded = Decimal(str(micro / 1e6)).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return "<$0.01" if 0 < micro < 10_000 else f"${rounded:,}"


def dearest(sums: dict[Any, int], none: str = "none") -> list[tuple[str, str]]:
    """The ten highest sums, with their names, as the page lists them."""
    return [(name or none, money(cost)) for name, cost in sorted(sums.items(), key=lambda item: (-item[1], item[0] or ""))[:10]]


def expect_numbers(view: Locator, team: Team) -> None:
    """Everything that the page says of the team's steps equals their sums."""
    sums = team.sums(lambda step: 0)
    tokens = [team.sums(lambda step: 0, column)[0] for column in OF_TOKENS]
    cached = round(100 * tokens[2] / (tokens[0] + tokens[2] + tokens[3]))
    expect(view.locator(".cost-total")).to_have_text(money(sums[0]))
    expect(view.get_by_text(f"{len(team.sums(lambda step: step[0]))} sessions, {cached} % of the input from a cache.")).to_be_visible()
    models = dearest(team.sums(lambda step: step[2]))
    assert [tuple(item.locator("span").all_inner_texts()) for item in view.locator(".cost-legend li").all()] == models
    for title, place in (("By project", 2), ("By host", 0), ("By agent", 1)):
        section = view.locator("section", has=view.page.get_by_role("heading", name=title))
        listed = [(item.locator(".cost-name").inner_text(), item.locator(".cost-of").inner_text()) for item in section.locator("li").all()]
        assert listed == dearest(team.sums(lambda step, place=place: team.facts[step[0]][place])), title
    costs = view.locator("section", has=view.page.get_by_role("heading", name="Dearest sessions")).locator(".cost-of").all_inner_texts()
    assert costs == [cost for _, cost in dearest(team.sums(lambda step: step[0]))]
    by_day = team.sums(lambda step: local_day(step[1]))
    of_days = [team.sums(lambda step: local_day(step[1]), column) for column in OF_TOKENS]
    by_model = team.sums(lambda step: (local_day(step[1]), step[2]))
    wanted = [
        [money(by_day[day]), *(f"{of_kind[day]:,}" for of_kind in of_days), ", ".join(f"{name}: {money(by_model[day, name])}" for name, _ in models if (day, name) in by_model)]
        for day in sorted(by_day)
    ]  # fmt: skip
    assert [row.get_by_role("cell").all_inner_texts() for row in view.locator("tbody tr").all()] == wanted


def test_every_number_equals_the_sum_of_the_events(relay, scripted_host, phone, screen: Callable[..., Screen]):
    team = Team(relay, [scripted_host(relay, name=name) for name in HOSTS], DAYS, SESSIONS)
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

    # The terminal's CSV, in dollars with all digits.
    listed = relay.run("cost", "--by", "model", "--since", f"{DAYS}d", "--csv", "--data", str(relay.data)).stdout
    assert {row["model"]: round(float(row["cost_usd"]) * 1e6) for row in csv.DictReader(listed.splitlines())} == team.sums(lambda step: step[2])
    listed = relay.run("cost", "--by", "session", "--since", f"{DAYS}d", "--csv", "--data", str(relay.data)).stdout
    added = sum(round(float(row["cost_usd"]) * 1e6) for row in csv.DictReader(listed.splitlines()))
    assert added == report["total"]["costMicroUSD"], "what is not named is one row"
    document = json.loads(relay.run("cost", "--since", f"{DAYS}d", "--json", "--data", str(relay.data)).stdout)
    assert document["costs"]["total"] == report["total"] and len(document["days"]) == DAYS
    assert relay.run("cost", "--since", "tomorrow", "--data", str(relay.data), check=False).returncode == 2

    phone.command("budget", budget={"scope": "day", "microUSD": 10_000_000})
    of_month = sum(step[3] for step in inside if step[1] >= today.replace(day=1).timestamp() * 1000)
    whole = 10_000_000 * calendar.monthrange(today.year, today.month)[1]

    # The page's total, also after the relay was killed.
    for size in (PHONE, DESK):
        one = screen(size=size)
        said: list[str] = []
        one.page.on("websocket", lambda socket: socket.on("framesent", lambda text: said.append(str(text))))
        one.page.reload()
        one.expect_live()
        one.page.get_by_role("link", name="Cost", exact=True).click()
        view = one.page.locator("costs-view")
        expect(view.locator(".cost-total")).to_be_visible()
        # Today's cost is one tap away.
        spent = team.sums(lambda step: local_day(step[1])).get(local_day(begins[-1]), 0)
        expect(view.locator(".cost-today")).to_have_text(f"Today {money(spent)}")
        expect(view.locator("p.note")).to_contain_text(f"This month so far: {money(of_month)} of {money(whole)}, that budget for each of its days.")
        view.get_by_label("Show").select_option("thirty")
        expect(view.locator(".cost-bar")).to_have_count(DAYS)
        assert [json.loads(text)["type"] for text in said].count("costs") == 2, "one for each range that was shown"
        # The fold has a marker.
        assert view.get_by_text("As a table").evaluate("summary => getComputedStyle(summary, '::before').content") != "none"
        view.get_by_text("As a table").click()
        expect_numbers(view, team)
        one.expect_no_overflow()
        one.expect_accessible()
        one.forgive_absence()
    relay.kill()
    relay.start()
    again = json.loads(relay.run("cost", "--since", f"{DAYS}d", "--json", "--data", str(relay.data)).stdout)
    # The pace of the last hour depends on the minute.
    for one in (again, document):
        one["costs"].pop("lastHourMicroUSD", None)
    assert again == document
