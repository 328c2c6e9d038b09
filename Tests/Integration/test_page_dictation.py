"""Dictation into the composer, with a recogniser of the test's."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from page_screen import PHONE, Screen

# Stands in for the browser's recogniser, which would need a microphone and its maker's server.
RECOGNISER = """
window.recognisers = [];
window.SpeechRecognition = window.webkitSpeechRecognition = class {
  start() { window.recognisers.push(this); this.isOn = true; }
  abort() { this.isOn = false; }
  say(text, isFinal) { this.onresult({ resultIndex: 0, results: [Object.assign([{ transcript: text }], { isFinal })] }); }
};
"""


@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop", capabilities=("steer",))
    for session in ("s6", "s7"):
        host.start_session(session, title=f"Task {session}")
        host.event(session, "steering.offered", {"actions": ["prompt"]})
    host.wait_acked("s7")
    return host


def test_dictation_is_off_until_switched_on_and_sends_nothing_by_itself(screen: Callable[..., Screen], host: Any) -> None:
    one = screen(role="operator", size=PHONE)
    one.page.add_init_script(RECOGNISER)
    one.page.reload()
    one.go("#/session/s7")
    field, button = one.page.get_by_role("textbox", name="Tell the agent"), one.page.get_by_role("button", name="Dictate", exact=True)
    expect(field).to_be_visible()
    expect(button).to_have_count(0)
    one.go("#/link")
    switch = one.page.get_by_role("checkbox", name="Dictate prompts")
    expect(switch).not_to_be_checked()
    expect(one.page.locator("link-view .choice")).to_contain_text("goes to the maker of this browser")
    one.expect_accessible()
    switch.check()
    one.page.reload()
    one.go("#/session/s7")
    field.fill("First")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    words = one.page.locator(".speech-words")
    expect(words).to_have_text("Listening …")
    say = lambda text, is_final: one.page.evaluate("([text, isFinal]) => window.recognisers.at(-1).say(text, isFinal)", [text, is_final])  # noqa: E731
    say("run the", False)
    expect(words).to_have_text("run the")
    expect(field).to_have_value("First")
    one.expect_no_overflow()
    one.expect_accessible()
    say("run the tests", True)
    expect(field).to_have_value("First run the tests")
    assert not [message for message in host.received if message["type"] == "prompt"]
    # Another session's field gets nothing of it.
    one.go("#/session/s6")
    assert one.page.evaluate("() => window.recognisers.at(-1).isOn") is False
    one.go("#/session/s7")
    expect(field).to_have_value("First run the tests")
    one.page.get_by_role("button", name="Send", exact=True).click()
    assert host.wait_steered("prompt")["text"] == "First run the tests"
