"""A host's rules on the page: what they are, what ran by one, and taking it back."""

import json
from collections.abc import Callable

from playwright.sync_api import expect

from daemon import Daemon
from page_screen import LOOKS, Screen
from test_rules import ask, begin, heliograph, write
from trusting import trust_page


@LOOKS
def test_a_rule_is_taken_back_where_it_answered(screen: Callable[..., Screen], daemon: Daemon, size: dict[str, int], scheme: str) -> None:
    write(daemon.home, daemon.environment)
    begin(daemon)
    assert ask(daemon, "a", "echo one").answer()[1]["decision"] == "allow"
    assert ask(daemon, "b", "git push").answer()[1]["decision"] == "deny"
    one = screen(role="operator", size=size, scheme=scheme)
    one.go("#/session/local-s1")
    requests = one.timeline().locator(".event[data-kind='approval.requested']")
    expect(requests).to_have_count(2)
    requests.nth(1).locator("summary").click()
    expect(requests.nth(1).get_by_role("link", name="Take the rule back …")).to_have_count(0)
    requests.first.locator("summary").click()
    requests.first.get_by_role("link", name="Take the rule back …").click()

    echoes, push = (one.page.locator("rules-view .budget", has_text=name) for name in ("echoes", "no-push"))
    expect(echoes).to_contain_text("Bash(echo *)")
    expect(echoes).to_contain_text("1 call ran by it in the sessions that are open here, 1 of them today")
    expect(echoes.get_by_role("link", name="echo one")).to_be_visible()
    expect(push).to_contain_text("Ask Ada before you push.")
    expect(push.get_by_role("button")).to_have_count(0)
    one.expect_accessible()
    one.expect_no_overflow()
    echoes.get_by_role("button", name="Take back the rule echoes of laptop").click()
    expect(echoes).to_contain_text("laptop asks a person again")
    echoes.get_by_role("button", name="Back", exact=True).click()
    expect(echoes).not_to_contain_text("Taken back")
    echoes.get_by_role("button", name="Take back the rule echoes of laptop").click()
    echoes.get_by_role("button", name="Take it back").click()
    expect(echoes).to_contain_text("Taken back: a person is asked")
    expect(echoes.get_by_role("button")).to_have_count(0)
    one.expect_accessible()
    asking = ask(daemon, "c", "echo two")
    one.go("#/approvals")
    card = one.page.locator("approval-card", has_text="echo two")
    card.get_by_role("button", name="Deny …").click()
    card.get_by_role("button", name="Deny", exact=True).click()
    assert asking.answer()[1]["decision"] == "deny"
    # Back at the host it allows again, and the page says so.
    listed = json.loads(heliograph(daemon.home, daemon.environment, "rules", "list", "--json").stdout)
    accepted = heliograph(daemon.home, daemon.environment, "rules", "accept", "--digest", listed["digest"], "--again", "echoes")
    assert accepted.returncode == 0, accepted.stderr
    one.page.locator("approvals-inbox").get_by_role("link", name="Rules").click()
    expect(echoes.get_by_role("button", name="Take back the rule echoes of laptop")).to_be_enabled()


def test_who_may_not_steer_takes_nothing_back(screen: Callable[..., Screen], daemon: Daemon) -> None:
    write(daemon.home, daemon.environment)
    begin(daemon)
    assert ask(daemon, "a", "echo one").answer()[1]["decision"] == "allow"
    one = screen(role="client")
    one.go("#/rules")
    echoes = one.page.locator("rules-view .budget", has_text="echoes")
    expect(echoes.get_by_role("button", name="Take back the rule echoes of laptop")).to_be_disabled()
    expect(echoes).to_contain_text("--role operator")


@LOOKS
def test_a_rule_is_signed_as_it_is_read(screen: Callable[..., Screen], daemon: Daemon, size: dict[str, int], scheme: str) -> None:
    begin(daemon)
    one = screen(role="operator", size=size, scheme=scheme)
    trust_page(daemon, one)
    asking = ask(daemon, "a", "true")
    one.go("#/approvals")
    one.page.locator("approval-card", has_text="true").get_by_role("button", name="Allow", exact=True).click()
    assert asking.answer()[1]["decision"] == "allow"
    one.go("#/session/local-s1")
    request = one.timeline().locator(".event[data-kind='approval.requested']")
    request.locator("summary").click()
    request.get_by_role("link", name="Always allow this here …").click()
    text = one.page.get_by_role("group", name="The rule", exact=True)
    rule = f'[[rule]]\nname = "bash-true"\nanswer = "allow"\nfor = ["Bash(true)"]\nfolder = "{daemon.project}"\nagent = "local"'
    expect(text).to_have_text(rule)
    one.expect_accessible()
    one.expect_no_overflow()
    one.page.get_by_role("button", name="Sign and add this rule").click()
    row = one.page.locator("rules-view .budget", has_text="bash-true")
    expect(row.get_by_role("button", name="Take back the rule bash-true of laptop")).to_be_enabled()
    expect(text).to_be_hidden()
    assert (daemon.home / ".config/heliograph/rules.toml").read_text().endswith(rule + "\n")
    assert ask(daemon, "b", "true").answer()[1]["decision"] == "allow"
    assert ask(daemon, "c", "true").answer()[1]["decision"] == "allow"
    # It covers this alone.
    beside = ask(daemon, "d", "true x")
    one.go("#/approvals")
    card = one.page.locator("approval-card", has_text="true x")
    card.get_by_role("button", name="Deny …").click()
    card.get_by_role("button", name="Deny", exact=True).click()
    assert beside.answer()[1]["decision"] == "deny"
