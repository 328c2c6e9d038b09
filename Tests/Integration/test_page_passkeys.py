"""Requests for which a host requires a passkey: a real host and relay, and the page with Chromium's virtual authenticator."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from client import WireClient
from daemon import Daemon
from own_agent import Asking
from page_screen import DESK, PHONE, Screen, closing_screens
from relay import BINARY, Relay
from test_rules import ask, begin, heliograph, write
from trusting import devices, trust_client, trusting, joined, shown_link
from waits import patient, wait_until

RULES = """
[[rule]]
name = "tests"
answer = "allow"
for = ["Bash(make test)", "Bash(make deploy)"]

[[rule]]
name = "deploys"
answer = "passkey"
for = "Bash(make deploy)"
"""

NARROW = {"width": 320, "height": 640}
KEPT = "Not sent: the passkey did not confirm it."
NONE = "The owner of laptop wants a passkey to confirm this. This browser has none there: set one up under Devices."


@pytest.fixture
def named(browser: Any, relay: Relay) -> Iterator[Callable[..., Screen]]:
    """The page at the name `localhost`, because passkeys need a domain name."""
    by_name = SimpleNamespace(url=relay.url.replace("127.0.0.1", "localhost"), pair_link=lambda role="client": relay.pair_link(role).replace("127.0.0.1", "localhost"))
    with closing_screens(lambda **options: Screen(browser, by_name, role="operator", **options)) as make:
        yield make


class Authenticator:
    """A virtual authenticator whose person is present and verified unless a test says otherwise."""

    def __init__(self, one: Screen):
        # Hosts accept P-256 only, and Chromium warns that some authenticators support only RSA.
        one.forgiven = (*one.forgiven, "publicKey.pubKeyCredParams")
        self.session = one.context.new_cdp_session(one.page)
        self.session.send("WebAuthn.enable")
        options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True}
        self.id = self.session.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]

    def verifies(self, person: bool) -> None:
        self.session.send("WebAuthn.setUserVerified", {"authenticatorId": self.id, "isUserVerified": person})

    @property
    def uses(self) -> int:
        (credential,) = self.session.send("WebAuthn.getCredentials", {"authenticatorId": self.id})["credentials"]
        return int(credential["signCount"])


def trust(daemon: Daemon, one: Screen) -> None:
    process = trusting(daemon)
    one.page.goto(shown_link(process).replace("127.0.0.1", "localhost"))
    note = one.page.locator("trust-note")
    note.get_by_role("button", name="Trust").click()
    expect(note).to_contain_text("trusts this browser now")
    joined(process)
    note.get_by_role("button", name="Close").click()


def row(one: Screen) -> Locator:
    one.go("#/devices")
    return one.page.locator("trust-list li.token-row").first


def set_up(daemon: Daemon, one: Screen) -> None:
    mine = row(one)
    mine.get_by_role("button", name="Set up a passkey for laptop").click()
    words = re.compile(r"Passkey (\S{19}) waits for a yes: on laptop run heliograph host passkey \1\.")
    expect(mine).to_contain_text(words)
    code = words.search(mine.inner_text())[1]  # type: ignore[index]
    asked = f"passkey {code} at {one.relay.url} waits for your yes: heliograph host passkey {code}"
    wait_until(lambda: asked in heliograph(daemon.home, daemon.environment, "host", "devices").stdout, 20, "the machine to have the page's letter")
    taken = heliograph(daemon.home, daemon.environment, "host", "passkey", code.lower())
    assert taken.returncode == 0 and taken.stdout == f"The passkey of Ada's phone at {one.relay.url} is taken.\n", taken.stderr
    expect(mine).to_contain_text(f"Passkey {code} confirms what the owner of laptop wants confirmed.")


def with_passkey(daemon: Daemon, named: Callable[..., Screen]) -> tuple[Screen, Authenticator]:
    """A trusted page whose passkey the host has accepted."""
    write(daemon.home, daemon.environment, RULES)
    begin(daemon)
    one = named()
    trust(daemon, one)
    passkey = Authenticator(one)
    set_up(daemon, one)
    return one, passkey


def guarded(daemon: Daemon, one: Screen, name: str = "a") -> tuple[Asking, Locator]:
    asking = ask(daemon, name, "make deploy")
    one.go("#/approvals")
    card = one.page.locator("approval-card[data-stage=pending]")
    expect(card).to_contain_text("make deploy")
    return asking, card


def allow(card: Locator) -> None:
    button = card.get_by_role("button", name="Allow", exact=True)
    # Below earlier settled approvals the button may be off screen.
    button.scroll_into_view_if_needed()
    button.click()


def deny(one: Screen, asking: Asking) -> None:
    card = one.page.locator("approval-card[data-stage=pending]")
    card.get_by_role("button", name="Deny …").click()
    card.get_by_role("button", name="Deny", exact=True).click()
    assert asking.answer()[1]["decision"] == "deny"


@pytest.mark.parametrize("size", [NARROW, DESK], ids=["narrow", "desk"])
def test_a_passkey_is_set_up_taken_at_the_terminal_and_confirms(daemon: Daemon, relay: Relay, named: Callable[..., Screen], size: dict[str, int]) -> None:
    write(daemon.home, daemon.environment, RULES)
    begin(daemon)
    one = named(size=size)
    trust(daemon, one)
    passkey = Authenticator(one)

    asking, card = guarded(daemon, one)
    expect(card).to_contain_text(NONE)
    expect(card.get_by_role("button", name="Allow", exact=True)).to_have_count(0)
    one.expect_no_overflow()
    one.expect_accessible()
    set_up(daemon, one)
    one.expect_no_overflow()
    one.expect_accessible()

    # Requests that waited meanwhile can be allowed now.
    one.go("#/approvals")
    expect(card).to_contain_text("To allow it, confirm it with your passkey.")
    one.expect_accessible()
    allow(card)
    assert asking.answer()[1]["decision"] == "allow"
    expect(one.page.locator("approval-card[data-stage=pending]")).to_have_count(0)
    used = passkey.uses
    assert used > 1

    # The answer by another rule needs no passkey, and neither does a denial.
    assert ask(daemon, "b", "make test").answer()[1]["decision"] == "allow"
    asking, card = guarded(daemon, one, "c")
    deny(one, asking)
    assert passkey.uses == used

    # The passkey is still known after a reload.
    one.page.reload()
    asking, card = guarded(daemon, one, "d")
    allow(card)
    assert asking.answer()[1]["decision"] == "allow"

    file = daemon.home / "devices.json"
    file.write_text(json.dumps(devices(daemon)))
    proven = relay.run("audit", "verify", "--data", str(relay.data), "--devices", str(file))
    assert "A passkey has confirmed 2 of them, its person present and verified." in proven.stdout, proven.stdout
    without = devices(daemon)
    del without["devices"][0]["passkeys"]
    file.write_text(json.dumps(without))
    unproven = relay.run("audit", "verify", "--data", str(relay.data), "--devices", str(file), check=False)
    assert unproven.returncode == 1 and "is not proven: its passkey does not prove it (passkeyUnknown)" in unproven.stderr, unproven.stderr


def test_without_its_person_nothing_is_sent(daemon: Daemon, relay: Relay, named: Callable[..., Screen]) -> None:
    one, passkey = with_passkey(daemon, named)
    asking, card = guarded(daemon, one)
    passkey.verifies(False)
    allow(card)
    expect(card).to_contain_text(KEPT)
    one.expect_accessible()
    assert card.get_attribute("data-stage") == "pending"
    decided = [line for line in relay.run("audit", "export", "--data", str(relay.data)).stdout.splitlines() if json.loads(line)["what"] == "approval.decided"]
    assert not decided
    passkey.verifies(True)
    allow(card)
    assert asking.answer()[1]["decision"] == "allow"


CHANGED = """(change) => {
  const get = navigator.credentials.get.bind(navigator.credentials);
  navigator.credentials.get = ({ publicKey }) => get({ publicKey: { ...publicKey, ...(change === "unverified" ? { userVerification: "discouraged" } : { challenge: new Uint8Array(32) }) } });
}"""


@pytest.mark.parametrize(
    "change, reason, words",
    [
        ("unverified", "passkeyNotVerified", "The passkey did not verify who used it."),
        ("another", "passkeyWrong", "The passkey confirmed something else."),
    ],
)
def test_a_proof_without_verification_or_for_something_else_is_refused_by_the_host(
    daemon: Daemon, relay: Relay, named: Callable[..., Screen], change: str, reason: str, words: str
) -> None:
    """Alters the page's proofs as a malicious relay's page could."""
    one, passkey = with_passkey(daemon, named)
    asking, card = guarded(daemon, one)
    passkey.verifies(change != "unverified")
    one.page.evaluate(CHANGED, change)
    allow(card)
    assert asking.answer()[1] is None, "the agent's own prompt stays"
    expect(one.page.locator("approval-card[data-stage=stale]")).to_contain_text(words)
    stale = [json.loads(line) for line in relay.run("audit", "export", "--data", str(relay.data)).stdout.splitlines()]
    assert [line["reason"] for line in stale if line["what"] == "approval.stale"] == [reason]


def test_a_page_at_a_number_says_why_it_has_no_passkey(daemon: Daemon, screen: Callable[..., Screen]) -> None:
    write(daemon.home, daemon.environment, RULES)
    begin(daemon)
    one = screen(role="operator", size=PHONE)
    process = trusting(daemon)
    one.page.goto(shown_link(process))
    one.page.locator("trust-note").get_by_role("button", name="Trust").click()
    joined(process)
    one.page.locator("trust-note").get_by_role("button", name="Close").click()
    asking, card = guarded(daemon, one)
    words = "A passkey belongs to a name, and this page was opened by a number: open it by the relay's HTTPS name."
    expect(card).to_contain_text(f"The owner of laptop wants a passkey to confirm this. {words}")
    expect(card.get_by_role("button", name="Allow", exact=True)).to_have_count(0)
    row(one).get_by_role("button", name="Set up a passkey for laptop").click()
    expect(one.page.locator("trust-list .problem")).to_have_text(words)
    one.expect_no_overflow()
    one.expect_accessible()
    one.go("#/approvals")
    deny(one, asking)


def test_a_terminal_can_only_deny_and_says_why(daemon: Daemon, relay: Relay, client: Callable[..., WireClient]) -> None:
    write(daemon.home, daemon.environment, RULES)
    begin(daemon)
    phone = client(relay, "Ada's phone")
    phone.subscribe()
    trust_client(daemon, phone)
    asking = ask(daemon, "a", "make deploy")
    card = phone.wait_card()
    relay.run("login", relay.pair_link("client"), "--name", "desk")
    terminal = relay.run("approvals", "allow", card["approval"], "--yes", check=False)
    assert terminal.returncode != 0 and "its host wants a passkey to confirm it, and a terminal has none" in terminal.stderr, terminal.stderr
    # The host refuses a client that signs without a passkey's proof.
    phone.decide(card["session"], card["approval"], "allow")
    assert asking.answer()[1] is None
    assert phone.wait_approval(card["approval"], "stale")["reason"] == "passkeyMissing"
    refused = subprocess.run([str(BINARY), "host", "passkey", "ABCD-EFGH"], capture_output=True, text=True, env=daemon.environment, timeout=patient(20))
    assert refused.returncode != 0 and "no passkey with this code waits" in refused.stderr, refused.stderr
