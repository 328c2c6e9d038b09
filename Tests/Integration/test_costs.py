"""Costs on the page, in the terminal and over the socket equal an independent sum of the events in SQL."""

import csv
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from playwright.sync_api import expect

from cost_team import HOSTS, Team
from page_screen import DESK, PHONE, Screen

DAYS = 30
SESSIONS = 400


def local_day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000).strftime("%Y-%m-%d")


def shares(entries: list[dict[str, Any]], name: str = "name") -> dict[Any, int]:
    return {entry.get(name): entry["costMicroUSD"] for entry in entries}


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

    # The page's total, also after the relay was killed.
    dollars = f"${report['total']['costMicroUSD'] / 1e6:,.2f}"
    for size in (PHONE, DESK):
        one = screen(size=size)
        said: list[str] = []
        one.page.on("websocket", lambda socket: socket.on("framesent", lambda text: said.append(str(text))))
        one.page.reload()
        one.expect_live()
        one.page.get_by_role("link", name="Cost", exact=True).click()
        view = one.page.locator("costs-view")
        expect(view.locator(".cost-total")).to_be_visible()
        # One tap shows what today cost.
        spent = team.sums(lambda step: local_day(step[1])).get(local_day(begins[-1]), 0)
        expect(view.locator(".cost-today")).to_have_text(f"Today ${spent / 1e6:,.2f}")
        view.get_by_label("Show").select_option("thirty")
        expect(view.locator(".cost-total")).to_have_text(dollars)
        expect(view.locator(".cost-bar")).to_have_count(DAYS)
        assert [json.loads(text)["type"] for text in said].count("costs") == 2, "one for each range that was shown"
        # A fold looks like one.
        assert view.get_by_text("As a table").evaluate("summary => getComputedStyle(summary, '::before').content") != "none"
        view.get_by_text("As a table").click()
        expect(view.get_by_role("row")).to_have_count(len(by_day) + 1)
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
