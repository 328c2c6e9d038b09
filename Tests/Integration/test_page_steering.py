"""Steering an agent from its session's page: writing and sending prompts, and their outcomes."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from page_screen import DESK, LOOKS, PHONE, Screen
from waits import wait_until

NARROW = {"width": 320, "height": 640}
OFFER = {
    "actions": ["prompt", "interrupt", "mode", "model", "stop"], "whileBusy": True, "mode": "default",
    "modes": ["plan", "default", "acceptEdits"], "models": ["opus", "sonnet"], "commands": ["/compact", "/review"],
}


@pytest.fixture
def host(relay: Any, scripted_host: Callable[..., Any]) -> Any:
    host = scripted_host(relay, name="laptop", capabilities=("steer",))
    host.start_session("s1", title="Fix the login", project="webshop", cwd="/home/ada/webshop")
    host.event("s1", "steering.offered", OFFER)
    host.event("s1", "message", {"role": "assistant"}, {"text": "The login is fixed."})
    host.event("s1", "status.changed", {"status": "idle"})
    host.wait_acked("s1")
    return host


def opened(screen: Callable[..., Screen], **options: Any) -> Screen:
    one = screen(role="operator", **options)
    one.go("#/session/s1")
    expect(composer(one)).to_be_visible()
    return one


def composer(one: Screen) -> Locator:
    return one.page.get_by_label("Tell the agent")


def send(one: Screen, text: str) -> None:
    composer(one).fill(text)
    one.page.get_by_role("button", name="Send", exact=True).click()


def entry(one: Screen, text: str) -> Locator:
    """The conversation's row of a prompt that has an outcome."""
    return one.timeline().locator('[data-kind="steering.requested"]', has_text=text)


def waiting(one: Screen, text: str) -> Locator:
    """The composer's entry of a prompt without an outcome."""
    return one.page.locator("waiting-prompts li", has_text=text)


def busy(host: Any) -> None:
    host.event("s1", "status.changed", {"status": "running"})


@LOOKS
def test_a_prompt_goes_to_the_agent_and_shows_what_becomes_of_it(screen: Callable[..., Screen], host: Any, size: dict[str, int], scheme: str) -> None:
    one = opened(screen, size=size, scheme=scheme)
    one.expect_accessible()
    send(one, "Now run the tests,\n  all of them")
    prompt = host.wait_steered("prompt")
    assert prompt["text"] == "Now run the tests,\n  all of them" and prompt["busy"] == "queue" and not prompt.get("command")
    assert prompt["by"]["name"] == "Ada's phone"
    expect(composer(one)).to_have_value("")
    mine, under_way = entry(one, "Now run the tests"), waiting(one, "Now run the tests,\n  all of them")
    expect(under_way).to_contain_text("Sent to its host")
    expect(mine).to_be_hidden()
    one.expect_accessible()
    one.expect_no_overflow()
    host.steered(prompt, "given")
    expect(under_way).to_contain_text("Given to the agent")
    expect(mine).to_be_hidden()
    host.steered(prompt, "taken")
    expect(mine).to_contain_text("You, from here")
    expect(mine).to_contain_text("The agent took it")
    expect(one.page.locator("waiting-prompts")).to_be_hidden()
    expect(one.page.locator("#announcer")).to_contain_text("The agent took it")
    # The conversation shows the prompt once, as the user's message.
    host.event("s1", "message", {"role": "user"}, {"text": "Now run the tests,\n  all of them"})
    said = one.timeline().locator('[data-kind=message][data-role=user]', has_text="Now run the tests")
    expect(said).to_contain_text("You, from here")
    expect(mine).to_be_hidden()


def test_a_prompt_waits_and_is_taken_back(screen: Callable[..., Screen], host: Any) -> None:
    one = opened(screen)
    busy(host)
    send(one, "and then deploy")
    prompt = host.wait_steered("prompt")
    assert prompt["busy"] == "queue"
    host.steered(prompt, "queued")
    queue = one.page.get_by_role("list", name="Sent, and not taken yet").get_by_role("listitem")
    expect(queue).to_contain_text("Waits until the agent is free")
    expect(entry(one, "and then deploy")).to_be_hidden()
    one.expect_accessible()
    one.expect_no_overflow()
    queue.get_by_role("button", name="Take back").click()
    withdrawal = host.wait_steered("withdraw")
    assert (withdrawal["client"], withdrawal["command"]) == (prompt["by"]["id"], prompt["id"])
    host.steered(prompt, "withdrawn")
    expect(entry(one, "and then deploy")).to_contain_text("Taken back")
    expect(queue).to_have_count(0)


@pytest.mark.parametrize(("stage", "words"), [("refused", "Not taken: a dialog is open"), ("unknown", "Nobody knows whether the agent took it: a dialog is open")])
def test_what_was_not_taken_can_be_sent_again_and_never_is_by_itself(screen: Callable[..., Screen], host: Any, stage: str, words: str) -> None:
    one = opened(screen)
    send(one, "go on")
    prompt = host.wait_steered("prompt")
    host.steered(prompt, stage, "a dialog is open")
    failed = waiting(one, "go on")
    expect(failed).to_contain_text(words)
    expect(entry(one, "go on")).to_be_hidden()
    one.expect_accessible()
    since = len(host.received)
    failed.get_by_role("button", name="Send again").click()
    expect(composer(one)).to_have_value("go on")
    expect(composer(one)).to_be_focused()
    one.page.get_by_role("button", name="Send", exact=True).click()
    again = host.wait_steered("prompt", since)
    assert again["id"] != prompt["id"] and again["text"] == "go on"
    assert [message["type"] for message in host.received[since:]].count("prompt") == 1
    # The prompt has left the composer, and the conversation shows its outcome.
    expect(entry(one, "go on").filter(has_text=words)).to_be_visible()


def test_a_busy_agent_is_told_at_once_where_that_is_chosen(screen: Callable[..., Screen], host: Any) -> None:
    one = opened(screen)
    busy(host)
    composer(one).fill("use the staging database")
    now = one.page.get_by_role("radio", name="Tell it now")
    expect(one.page.get_by_role("radio", name="When it is free")).to_be_checked()
    now.check()
    one.page.get_by_role("button", name="Send", exact=True).click()
    assert host.wait_steered("prompt")["busy"] == "steer"
    # Each prompt waits for the agent again, unless the choice to send at once is made again.
    composer(one).fill("and then")
    expect(one.page.get_by_role("radio", name="When it is free")).to_be_checked()


def test_an_agent_that_takes_nothing_while_it_works_is_said_so(screen: Callable[..., Screen], host: Any) -> None:
    host.event("s1", "steering.offered", {"actions": ["prompt"]})
    one = opened(screen)
    busy(host)
    composer(one).fill("later")
    expect(one.page.locator("session-composer")).to_contain_text("The agent is working: it waits until that is done.")
    expect(one.page.get_by_role("radio")).to_have_count(0)
    # This program offers no mode, model or commands; the text can still be held, or saved as a template.
    one.page.get_by_role("button", name="Mode, model and commands").click()
    panel = one.page.get_by_role("group", name="Mode, model and commands")
    expect(panel.get_by_role("button", name="When it is idle")).to_be_visible()
    expect(panel.get_by_role("combobox")).to_have_count(0)


def test_a_slash_is_text_unless_the_command_is_chosen(screen: Callable[..., Screen], host: Any) -> None:
    one = opened(screen)
    composer(one).fill("/compact")
    expect(one.page.locator("session-composer")).to_contain_text("Sent as text: the agent is not to take it for a command.")
    one.page.get_by_role("button", name="Send", exact=True).click()
    assert not host.wait_steered("prompt").get("command")
    since = len(host.received)
    expect(composer(one)).to_have_value("")
    one.page.get_by_role("button", name="Mode, model and commands").click()
    one.page.get_by_role("button", name="The agent's own commands").click()
    one.page.get_by_role("option", name="/review").click()
    expect(composer(one)).to_have_value("/review ")
    expect(composer(one)).to_be_focused()
    composer(one).press_sequentially("the diff")
    expect(one.page.get_by_label("Run it as the agent's command /review")).to_be_checked()
    one.page.get_by_role("button", name="Send", exact=True).click()
    prompt = host.wait_steered("prompt", since)
    assert prompt["command"] is True and prompt["text"] == "/review the diff"


@pytest.mark.parametrize("size, scheme", [({"width": 360, "height": 640}, "light"), (DESK, "dark")], ids=["phone, light", "desk, dark"])
def test_a_slash_offers_the_agent_s_own_commands_and_choosing_one_sends_nothing(screen: Callable[..., Screen], host: Any, size: dict[str, int], scheme: str) -> None:
    one = opened(screen, size=size, scheme=scheme)
    offers, where = one.page.get_by_role("listbox", name="The agent's own commands"), one.page.locator("session-composer")
    composer(one).press_sequentially("/")
    expect(offers.get_by_role("option")).to_have_count(2)
    expect(offers.get_by_role("option", name="/compact")).to_contain_text("Shortens what it keeps")
    expect(where).not_to_contain_text("Sent as text")
    expect(offers.get_by_role("option", name="/compact")).to_be_in_viewport()
    one.expect_accessible()
    one.expect_no_overflow()
    composer(one).press("ArrowDown")
    expect(offers.get_by_role("option", name="/review")).to_have_attribute("aria-selected", "true")
    composer(one).press("Enter")
    expect(composer(one)).to_have_value("/review ")
    expect(offers).to_be_hidden()
    expect(one.page.get_by_label("Run it as the agent's command /review")).to_be_checked()
    assert not [message for message in host.received if message.get("type") == "prompt"]
    composer(one).fill("/x")
    expect(offers).to_be_hidden()
    expect(where).to_contain_text("Sent as text: the agent is not to take it for a command.")
    # After Escape the list is closed, the text is sent as text, and the panel stays open.
    composer(one).fill("/re")
    expect(offers.get_by_role("option")).to_have_count(1)
    composer(one).press("Escape")
    expect(offers).to_be_hidden()
    expect(where).to_contain_text("Sent as text")
    expect(composer(one)).to_be_focused()


def test_an_at_sign_offers_the_files_that_the_session_changed(screen: Callable[..., Screen], host: Any) -> None:
    for path in ("src/login.ts", "README.md"):
        host.event("s1", "file.changed", {"path": path, "added": 1, "removed": 0}, {"diff": "@@ -0,0 +1 @@\n+x"})
    one = opened(screen)
    offers = one.page.get_by_role("listbox", name="Changed files")
    composer(one).press_sequentially("look at @")
    expect(offers.get_by_role("option")).to_have_text(["README.md", "src/login.ts"])
    one.expect_accessible()
    one.expect_no_overflow()
    composer(one).press_sequentially("LOG")
    expect(offers.get_by_role("option")).to_have_count(1)
    offers.get_by_role("option", name="login.ts").click()
    expect(composer(one)).to_have_value("look at @src/login.ts ")
    expect(composer(one)).to_be_focused()
    expect(offers).to_be_hidden()
    send(one, "look at @src/login.ts now")
    assert host.wait_steered("prompt")["text"] == "look at @src/login.ts now"


def test_a_draft_outlives_a_reload_and_belongs_to_its_session(screen: Callable[..., Screen], host: Any) -> None:
    host.start_session("s2", title="Another")
    host.event("s2", "steering.offered", OFFER)
    one = opened(screen)
    composer(one).fill("half a thought")
    one.go("#/session/s2")
    expect(composer(one)).to_have_value("")
    composer(one).fill("of the other")
    one.page.reload()
    expect(composer(one)).to_have_value("of the other")
    one.go("#/session/s1")
    expect(composer(one)).to_have_value("half a thought")
    send(one, "a whole thought")
    host.wait_steered("prompt")
    expect(composer(one)).to_have_value("")
    one.page.reload()
    one.expect_live()
    expect(composer(one)).to_have_value("")


def test_a_link_that_breaks_loses_nothing_and_sends_nothing_twice(screen: Callable[..., Screen], host: Any, relay: Any) -> None:
    one = opened(screen)
    composer(one).fill("only once")
    # The command arrives, but the page does not receive the reply.
    one.page.evaluate(
        """() => {
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (data) {
                send.call(this, data);
                if (JSON.parse(data).type !== "prompt") return;
                WebSocket.prototype.send = send;
                this.onmessage = null;
                this.close();
            };
        }""")
    one.page.get_by_role("button", name="Send", exact=True).click()
    prompt = host.wait_steered("prompt")
    one.expect_live()
    expect(waiting(one, "only once")).to_be_visible()
    # The session's log shows that the prompt was sent.
    expect(composer(one)).to_have_value("")
    assert [message["id"] for message in host.received if message["type"] == "prompt"] == [prompt["id"]]


def test_keys(screen: Callable[..., Screen], host: Any) -> None:
    desk = opened(screen, size=DESK, name="Ben's desk")
    composer(desk).press_sequentially("one")
    composer(desk).press("Shift+Enter")
    composer(desk).press_sequentially("two")
    composer(desk).press("Enter")
    prompt = host.wait_steered("prompt")
    assert prompt["text"] == "one\ntwo"
    host.steered(prompt, "taken")
    # The arrow key recalls an earlier prompt, and can restore the empty field; a text in progress is not replaced.
    expect(composer(desk)).to_have_value("")
    composer(desk).press("ArrowUp")
    expect(composer(desk)).to_have_value("one\ntwo")
    composer(desk).press("ArrowDown")
    expect(composer(desk)).to_have_value("")
    composer(desk).press_sequentially("mine")
    composer(desk).press("ArrowUp")
    expect(composer(desk)).to_have_value("mine")
    since = len(host.received)
    phone = opened(screen)
    composer(phone).press_sequentially("three")
    if phone.page.evaluate("() => matchMedia('(hover: hover) and (pointer: fine)').matches"):
        pytest.skip("this Chromium takes a touch screen for a mouse")
    composer(phone).press("Enter")
    composer(phone).press_sequentially("four")
    composer(phone).press("Control+Enter")
    assert host.wait_steered("prompt", since)["text"] == "three\nfour"


@pytest.mark.parametrize("key", [{"isComposing": True}, {"keyCode": 229}], ids=["composing", "Safari's"])
def test_the_enter_that_takes_a_word_of_an_input_method_sends_nothing(screen: Callable[..., Screen], host: Any, key: dict[str, Any]) -> None:
    desk = opened(screen, size=DESK)
    composer(desk).fill("\u65e5\u672c")
    taken = composer(desk).evaluate("(element, key) => element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...key }))", key)
    assert taken, "the browser's own"
    expect(composer(desk)).to_have_value("\u65e5\u672c")
    composer(desk).press("Enter")
    assert host.wait_steered("prompt")["text"] == "\u65e5\u672c"


def test_what_is_too_long_is_said_and_not_sent(screen: Callable[..., Screen], host: Any) -> None:
    one = opened(screen)
    composer(one).fill("é" * 16_384)
    expect(one.page.locator(".composer-note")).to_contain_text("32.8 kB of 32.8 kB")
    expect(one.page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
    composer(one).fill("é" * 16_385)
    expect(one.page.locator(".composer-note")).to_contain_text("Too long by 2 bytes")
    expect(one.page.get_by_role("button", name="Send", exact=True)).to_be_disabled()
    one.expect_accessible()


def test_what_runs_is_interrupted(screen: Callable[..., Screen], host: Any) -> None:
    one = opened(screen)
    button = one.page.get_by_role("button", name="Interrupt")
    expect(button).to_be_hidden()
    busy(host)
    button.click()
    asked = host.wait_steered("interrupt")
    host.steered(asked, "taken")
    host.event("s1", "status.changed", {"status": "idle"})
    expect(one.timeline().locator("[data-action=interrupt]")).to_contain_text("The agent took it")
    expect(button).to_be_hidden()


@pytest.mark.parametrize("size", [NARROW, DESK], ids=["narrow", "desk"])
def test_while_something_waits_an_interrupt_is_no_button_beside_it_and_says_what_it_does(
    screen: Callable[..., Screen], host: Any, size: dict[str, int],
) -> None:
    one = opened(screen, size=size)
    busy(host)
    button = one.page.get_by_role("button", name="Interrupt", exact=True)
    expect(button).to_be_visible()
    approval = host.request_approval("s1", "Bash", {"command": "make deploy"})
    expect(one.timeline().locator("approval-card")).to_be_visible()
    expect(button).to_be_hidden()
    one.page.get_by_role("button", name="Mode, model and commands").click()
    panel = one.page.get_by_role("group", name="Mode, model and commands")
    expect(panel).to_contain_text("nothing of what it asks is allowed, and its turn ends")
    one.expect_accessible()
    one.expect_no_overflow()
    panel.get_by_role("button", name="Interrupt instead").click()
    asked = host.wait_steered("interrupt")
    host.cancel("s1", approval)
    host.steered(asked, "taken")
    host.event("s1", "status.changed", {"status": "idle"})
    expect(panel.get_by_role("button", name="Interrupt instead")).to_be_hidden()


def test_where_only_a_denial_stops_what_asks_no_interrupt_is_offered(screen: Callable[..., Screen], host: Any) -> None:
    host.event("s1", "steering.offered", {"actions": ["interrupt"], "reason": "Start it with heliograph run -- claude."})
    busy(host)
    one = screen(role="operator")
    one.go("#/session/s1")
    expect(one.page.get_by_role("button", name="Interrupt", exact=True)).to_be_visible()
    host.request_approval("s1", "Bash", {"command": "make deploy"})
    expect(one.timeline().locator("approval-card")).to_be_visible()
    expect(one.page.get_by_role("button", name="Interrupt")).to_have_count(0)


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_more_freedom_needs_a_second_tap_and_less_needs_one(screen: Callable[..., Screen], host: Any, size: dict[str, int]) -> None:
    one = opened(screen, size=size)
    one.page.get_by_role("button", name="Mode, model and commands").click()
    panel = one.page.get_by_role("group", name="Mode, model and commands")
    mode = panel.get_by_label("Mode", exact=True)
    mode.select_option("acceptEdits")
    panel.get_by_role("button", name="Change …").click()
    expect(panel).to_contain_text("In it the agent edits without asking.")
    one.expect_accessible()
    one.expect_no_overflow()
    since = len(host.received)
    assert not [message for message in host.received if message["type"] == "mode"]
    panel.get_by_role("button", name="Change the mode").click()
    asked = host.wait_steered("mode", since)
    assert asked["mode"] == "acceptEdits"
    host.events("s1", [
        ("steering.changed", {"client": asked["by"]["id"], "command": asked["id"], "stage": "taken"}),
        ("steering.offered", {**OFFER, "mode": "acceptEdits"}),
    ])
    expect(one.timeline().locator("[data-action=mode]")).to_contain_text("Mode acceptEdits")
    one.page.get_by_role("button", name="Mode, model and commands").click()
    expect(mode).to_have_value("acceptEdits")
    mode.select_option("plan")
    since = len(host.received)
    panel.get_by_role("button", name="Change", exact=True).first.click()
    assert host.wait_steered("mode", since)["mode"] == "plan"


@pytest.mark.parametrize("size", [NARROW, DESK], ids=["narrow", "desk"])
def test_everything_is_asked_for_at_one_tap_and_no_more_at_two(screen: Callable[..., Screen], host: Any, size: dict[str, int]) -> None:
    offer = {**OFFER, "actions": [*OFFER["actions"], "askAll"]}
    host.event("s1", "steering.offered", offer)
    one = opened(screen, size=size)
    words = one.page.get_by_text("Every tool asks first")
    expect(words).to_be_hidden()
    more = one.page.get_by_role("button", name="Mode, model and commands")
    panel = one.page.get_by_role("group", name="Mode, model and commands")
    more.click()
    asks = panel.get_by_label("Asks you", exact=True)
    setting = panel.locator(".setting", has=one.page.get_by_label("Asks you", exact=True))
    expect(asks).to_have_value("own")
    expect(asks.locator("option:checked")).to_have_text("by its own rules")
    asks.select_option("for everything")
    since = len(host.received)
    setting.get_by_role("button", name="Change", exact=True).click()
    asked = host.wait_steered("askAll", since)
    assert asked["on"] is True
    host.events("s1", [
        ("steering.changed", {"client": asked["by"]["id"], "command": asked["id"], "stage": "taken"}),
        ("steering.offered", {**offer, "asksAll": True}),
    ])
    expect(words).to_be_visible()
    expect(one.timeline().locator("[data-action=askAll]")).to_contain_text("Ask me for everything")
    more.click()
    expect(asks).to_have_value("all")
    asks.select_option("by its own rules")
    setting.get_by_role("button", name="Change …").click()
    expect(panel).to_contain_text("What they, or its mode default, let run is not asked for any more.")
    one.expect_accessible()
    one.expect_no_overflow()
    since = len(host.received)
    assert [message["on"] for message in host.received if message["type"] == "askAll"] == [True]
    panel.get_by_role("button", name="Ask less").click()
    asked = host.wait_steered("askAll", since)
    assert asked["on"] is False
    host.event("s1", "steering.offered", offer)
    expect(words).to_be_hidden()


def test_a_session_is_ended_after_a_question(screen: Callable[..., Screen], host: Any) -> None:
    one = opened(screen)
    one.page.get_by_role("button", name="Mode, model and commands").click()
    one.page.get_by_role("button", name="End the session …").click()
    expect(one.page.locator("session-composer")).to_contain_text("End “Fix the login” for good?")
    one.page.get_by_role("button", name="End it").click()
    asked = host.wait_steered("stop")
    host.steered(asked, "taken")
    host.event("s1", "session.ended", {})
    expect(one.page.locator("session-composer")).to_contain_text("This session has ended.")
    expect(composer(one)).to_be_hidden()


def test_who_may_not_steer_is_told_why_in_one_line(screen: Callable[..., Screen], host: Any) -> None:
    one = screen()
    one.go("#/session/s1")
    expect(one.page.locator("session-composer")).to_have_text("To steer it: heliograph pair --role operator", use_inner_text=True)
    expect(composer(one)).to_be_hidden()
    one.expect_accessible()
    one.expect_no_overflow()


def test_an_agent_that_takes_nothing_says_why(screen: Callable[..., Screen], host: Any) -> None:
    host.event("s1", "steering.offered", {"actions": [], "reason": "Start it with “heliograph claude” to steer it."})
    one = screen(role="operator")
    one.go("#/session/s1")
    expect(one.page.locator("session-composer")).to_contain_text("Start it with “heliograph claude” to steer it.")
    expect(composer(one)).to_be_hidden()


def test_while_the_host_is_away_one_writes_and_nothing_is_sent(screen: Callable[..., Screen], host: Any) -> None:
    one = opened(screen)
    composer(one).fill("for later")
    host.disconnect()
    expect(one.page.locator("session-composer")).to_contain_text("laptop is offline. Nothing can be sent until it is back.")
    expect(one.page.get_by_role("button", name="Send", exact=True)).to_be_disabled()
    expect(composer(one)).to_have_value("for later")
    one.expect_accessible()
    host.reconnect()
    expect(one.page.get_by_role("button", name="Send", exact=True)).to_be_enabled()


def test_others_see_who_it_was(screen: Callable[..., Screen], host: Any) -> None:
    one, other = opened(screen), opened(screen, name="Ben's tablet", size=DESK)
    busy(host)
    send(one, "from the phone")
    prompt = host.wait_steered("prompt")
    host.steered(prompt, "queued")
    expect(other.page.locator("waiting-prompts")).to_contain_text("Ada's phone · Waits until the agent is free")
    expect(entry(other, "from the phone")).to_be_hidden()
    # For a client that cannot write, all prompts are shown in the conversation.
    watcher = screen(name="The wall", size=DESK)
    watcher.go("#/session/s1")
    expect(entry(watcher, "from the phone").locator(".speaker")).to_have_text("Ada's phone")
    # Any client that may steer may take back a prompt.
    other.page.locator("waiting-prompts").get_by_role("button", name="Take back").click()
    host.wait_steered("withdraw")


def test_on_the_narrowest_screen(screen: Callable[..., Screen], host: Any) -> None:
    one = opened(screen, size=NARROW)
    busy(host)
    for number in range(3):
        since = len(host.received)
        send(one, f"number {number} " + "averylongwordwithoutaspace" * 4)
        host.steered(host.wait_steered("prompt", since), "queued", "another prompt goes first")
    expect(one.page.locator("waiting-prompts").get_by_role("listitem")).to_have_count(3)
    composer(one).fill("/compact " + "x" * 400)
    one.page.get_by_role("button", name="Mode, model and commands").click()
    one.expect_no_overflow()
    one.expect_accessible()
    assert wait_until(lambda: one.page.locator("session-composer").evaluate("element => element.scrollWidth <= element.clientWidth"), 5, "no sideways scroll")


def test_who_only_watches_is_offered_nothing_else(screen: Callable[..., Screen], host: Any) -> None:
    host.request_approval("s1", "Bash", {"command": "make deploy"})
    one = screen(role="watcher")
    # The relay refuses to list tokens to this client, which the browser logs.
    one.forgiven += ("Failed to load resource",)
    one.go("#/approvals")
    card = one.page.locator("approvals-inbox approval-card")
    expect(card).to_contain_text("This device only watches. What agents ask is decided on another one.")
    expect(card.get_by_role("button")).to_have_count(0)
    one.expect_accessible()
    one.go("#/link")
    expect(one.page.locator("link-view")).to_contain_text("watch, and nothing else")
    expect(one.page.get_by_role("button", name="Pair another device")).to_be_hidden()
    one.go("#/devices")
    expect(one.page.get_by_role("heading", name="Notifications on this device")).to_be_visible()
    expect(one.page.locator("token-list")).to_be_hidden()


@pytest.mark.parametrize("width", [320, 360])
def test_on_a_phone_what_is_written_has_the_whole_width_and_what_is_sent_is_seen(screen: Callable[..., Screen], host: Any, width: int) -> None:
    one = opened(screen, size={"width": width, "height": 640})
    for number in range(40):
        host.event("s1", "message", {"role": "assistant"}, {"text": f"reply {number}"})
    expect(one.timeline()).to_contain_text("reply 39")
    # The field has one line until it is used; after that none of its buttons moves.
    form = one.page.locator(".composer-form")
    box, send = form.bounding_box(), one.page.get_by_role("button", name="Send").bounding_box()
    assert box and box["height"] < 50, box
    composer(one).focus()
    wide = composer(one).bounding_box()
    assert wide and wide["width"] > width - 40, wide
    assert one.page.get_by_role("button", name="Send").bounding_box() == send
    scroller = one.timeline().locator(".timeline-scroller")
    scroller.evaluate("element => { element.scrollTop = 0 }")
    composer(one).fill("\n".join(f"line {number}" for number in range(60)))
    seen = scroller.bounding_box()
    assert seen and seen["height"] >= 140, f"the conversation keeps a minimum: {seen}"
    expect(one.page.get_by_role("button", name="Send")).to_be_in_viewport(ratio=1)
    one.expect_no_overflow()
    one.expect_accessible()
    composer(one).fill("my own words")
    one.page.get_by_role("button", name="Send").click()
    expect(composer(one)).to_have_value("")
    expect(one.timeline().get_by_text("reply 39", exact=True)).to_be_in_viewport()
