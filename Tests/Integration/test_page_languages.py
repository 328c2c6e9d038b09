"""The page in German: its own texts are translated, those of agents, hosts and people are not."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from page_screen import LOOKS, Screen
from relay import ROOT
from waits import patient

SENTENCES = json.loads((ROOT / "web/languages/de.json").read_text())
CUT = """() => [...document.querySelectorAll("button, .tabs a, label, h2, h3, select, .head-link")]
    .filter((one) => one.checkVisibility() && getComputedStyle(one).overflow !== "visible" && one.scrollWidth > one.clientWidth + 1 && !one.closest(".foreign"))
    .map((one) => one.outerHTML.slice(0, 120))"""


@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop")
    # An agent's texts may equal the page's own ones.
    host.start_session("s1", title="Allow", project="Needs you", model="opus")
    host.event("s1", "message", {"role": "user"}, {"text": "Deny"})
    host.event("s1", "tool.started", {"call": "c1", "tool": "Bash", "operation": "Answer"}, {"input": {"command": "Answer"}})
    host.event("s1", "tool.finished", {"call": "c1", "tool": "Bash", "ok": False, "exit": 2, "durationMs": 1200}, {"output": "Copy"})
    host.event("s1", "todo.changed", {"completed": 1, "total": 3, "current": "Waiting"}, {"items": [{"text": "Waiting", "status": "active"}]})
    host.event("s1", "usage", {"run": "r1", "costMicroUSD": 412_300, "tokens": {"input": 10_500, "output": 5, "cacheRead": 0, "cacheWrite": 0}})
    return host


def german(screen: Callable[..., Screen], **options: Any) -> Screen:
    one = screen(paired=False, locale="de-DE", **options)
    one.page.goto(one.relay.pair_link())
    expect(one.page.locator("html")).to_have_attribute("lang", "de-DE")
    field = one.page.get_by_label("Name dieses Geräts")
    expect(field).not_to_have_value("")
    field.fill("Adas Handy")
    one.page.get_by_role("button", name="Dieses Gerät koppeln").click()
    one.expect_live()
    return one


def test_a_german_browser_pairs_allows_and_denies_in_german(screen: Callable[..., Screen], host: Any) -> None:
    one = german(screen)
    row = one.row("s1")
    expect(row).to_contain_text("Allow")
    expect(row).to_contain_text("Needs you · laptop")
    expect(row).to_contain_text("0,41\xa0$")
    expect(one.page.get_by_role("navigation", name="Hauptmenü").get_by_role("link", name="Geräte")).to_be_visible()
    allowed = host.request_approval("s1", "Bash", {"command": "npm test", "description": "Deny"}, title="Allow")
    one.go("#/approvals")
    card = one.card(allowed)
    expect(card.get_by_role("heading")).to_have_text("Diesen Befehl ausführen?")
    expect(card.locator("figure")).to_contain_text("Der Agent sagt")
    expect(card.locator("blockquote")).to_have_text("Deny")
    expect(card.locator(".card-where")).to_have_text("Allow")
    card.get_by_role("button", name="Erlauben", exact=True).click()
    assert host.wait_decision(allowed)["decision"]["decision"] == "allow"
    host.apply("s1", allowed)
    denied = host.request_approval("s1", "Edit", {"file_path": "/home/ada/a.ts", "old_string": "a\n", "new_string": "b\n"})
    card = one.card(denied)
    expect(card.get_by_role("heading")).to_have_text("/home/ada/a.ts ändern?")
    card.get_by_role("button", name="Ablehnen …").click()
    card.get_by_label("Nachricht an den Agenten").fill("Not this file")
    card.get_by_role("button", name="Ablehnen", exact=True).click()
    decision = host.wait_decision(denied)["decision"]
    assert (decision["decision"], decision["message"]) == ("deny", "Not this file")
    host.apply("s1", denied, "denied")
    one.go("#/approvals/recent")
    expect(one.card(allowed)).to_contain_text("Erlaubt von dir")
    expect(one.card(denied)).to_contain_text("Abgelehnt von dir")


def test_what_was_written_is_not_translated(screen: Callable[..., Screen], host: Any) -> None:
    one = german(screen)
    one.go("#/session/s1")
    timeline = one.timeline()
    expect(timeline.locator("[data-role=user] .words")).to_have_text("Deny")
    expect(timeline.locator("[data-role=user] .speaker")).to_have_text("Du")
    expect(timeline.locator("[data-kind='tool.started']")).to_contain_text("Answer")
    expect(one.page.locator("session-view h2")).to_have_text("Allow")


def test_a_host_and_a_relay_that_are_away_are_told_of_in_german(screen: Callable[..., Screen], host: Any, relay: Any) -> None:
    one = german(screen)
    one.go("#/session/s1")
    host.disconnect()
    expect(one.page.locator("session-view")).to_contain_text(re.compile(r"laptop ist offline, zuletzt gehört um \d\d:\d\d"))
    one.wait_worker()
    # The service worker has cached the page, its part and the German sentences.
    one.page.wait_for_function("async () => (await (await caches.open('shell')).keys()).some(({ url }) => url.includes('/languages/de-'))")
    one.forgive_absence()
    relay.kill()
    expect(one.page.locator("link-state")).to_contain_text(re.compile(r"Offline, neuer Versuch in \d+ s"))
    one.page.reload()
    expect(one.page.locator("html")).to_have_attribute("lang", "de-DE")
    expect(one.page.locator("link-state")).to_contain_text("Offline, neuer Versuch")
    expect(one.page.locator("session-view")).to_contain_text("Alle Sessions")
    relay.start()
    expect(one.page.locator("link-state")).to_have_attribute("data-phase", "live", timeout=patient(40_000))


def test_somebody_chooses_a_language_for_this_browser(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    one.go("#/link")
    choice = one.page.get_by_label("Language")
    expect(choice.locator("option")).to_have_text(["As this browser says", "English", "Deutsch"])
    choice.select_option("Deutsch")
    expect(one.page.get_by_role("heading", name="Verbindung")).to_be_visible()
    one.page.reload()
    expect(one.page.get_by_label("Sprache")).to_have_value("de")
    one.page.get_by_label("Sprache").select_option("Wie es dieser Browser sagt")
    expect(one.page.get_by_role("heading", name="Connection")).to_be_visible()
    assert one.page.evaluate("localStorage.getItem('heliograph.language')") is None


def test_no_english_word_is_drawn_before_a_german_one(screen: Callable[..., Screen], host: Any) -> None:
    """Observes every text node of the page from its creation."""
    one = german(screen)
    one.page.add_init_script("""
      window.drawn = new Set();
      new MutationObserver(() => requestAnimationFrame(() => {
        for (const one of document.querySelectorAll(".tabs a, .skip, h2, button, label")) if (one.checkVisibility({ visibilityProperty: true })) window.drawn.add(one.textContent.trim());
      })).observe(document, { childList: true, subtree: true, characterData: true });
    """)
    one.page.reload()
    one.expect_live()
    expect(one.row("s1")).to_be_visible()
    drawn = set(one.page.evaluate("[...window.drawn]"))
    english = {key for key, words in SENTENCES.items() if words != key and key not in SENTENCES.values()}
    assert "Geräte" in drawn
    assert drawn & english == set()


VIEWS = ("#/", "#/session/s1", "#/approvals", "#/approvals/recent", "#/link", "#/devices", "#/budgets", "#/costs", "#/rules", "#/start")


@LOOKS
def test_german_fits_every_screen(screen: Callable[..., Screen], host: Any, scheme: str, size: dict[str, int]) -> None:
    one = german(screen, size=size, scheme=scheme)
    host.request_approval("s1", "Bash", {"command": "npm test\n" * 60, "description": "Allow"}, title="Allow", redacted=True)
    host.request_approval("s1", "AskUserQuestion", {}, kind="question", title="Which?", questions=[{"id": "q0", "text": "Which?", "choices": [{"label": "Blue"}, {"label": "Amber"}]}])
    for where in VIEWS:
        one.go(where)
        expect(one.page.locator("main > .pane:not([hidden]) h2").first).to_be_visible()
        one.settle()
        one.expect_no_overflow()
        assert one.page.evaluate(CUT) == [], where
        one.expect_accessible()
