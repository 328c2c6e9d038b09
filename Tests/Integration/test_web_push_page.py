"""Notifications on this device: switching them on and off, the settings of each device, and obstacles.

The relay is real. Debian's Chromium has no push service, so its subscription is faked (`SUBSCRIBES`).
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from page_screen import DESK, PHONE, Screen, closing_screens
from push_site import PushSite, site  # noqa: F401 (a fixture)
from push_stage import PushStage
from relay import Relay
from test_page_install import IS_TAB, Worker
from test_page_languages import german
from waits import wait_until

WAIT = 10
NARROW = {"width": 320, "height": 640}

# The keys of RFC 8291's example: a relay takes none that are no point of the curve.
SUBSCRIBED = {
    "endpoint": "https://updates.push.services.mozilla.com/wpush/v2/very-secret",
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", "auth": "BTBZMqHH6r4Tts7J_aSIgg",
}  # fmt: skip
SUBSCRIBES = """
(({ endpoint, ...keys }) => {
  const place = "played.subscription";
  const made = () => {
    const key = JSON.parse(sessionStorage.getItem(place) ?? "null");
    return key && {
      options: { applicationServerKey: new Uint8Array(key).buffer },
      toJSON: () => ({ endpoint, expirationTime: null, keys }),
      unsubscribe: async () => { sessionStorage.removeItem(place); return true; },
    };
  };
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    if (!navigator.userActivation.isActive) throw new DOMException("no gesture", "NotAllowedError");
    sessionStorage.setItem(place, JSON.stringify([...applicationServerKey]));
    return made();
  };
  PushManager.prototype.getSubscription = async () => made();
})"""


def subscribes(subscription: dict[str, str] = SUBSCRIBED) -> str:
    """A script in which the browser's push service has made this subscription."""
    return f"{SUBSCRIBES}({json.dumps(subscription)});"


SUBSCRIPTION = "sessionStorage.getItem('played.subscription')"
NOTIFICATIONS = """async () => (await (await navigator.serviceWorker.ready).getNotifications()).map(({ title, body, actions }) => ({ title, body, actions: actions.map((one) => one.title) }))"""


class Page(Screen):
    """A browser whose person has permitted notifications, or is about to."""

    def __init__(self, browser: Any, relay: Any, *, staged: bool = False, **options: Any):
        super().__init__(browser, relay, paired=False, **options)
        self.context.grant_permissions(["notifications"], origin=relay.url)
        self.page.add_init_script(subscribes())
        if staged:
            self.stage = PushStage(self.page)
        self.pair(options.get("name", "Ada's phone"))

    @property
    def switch(self) -> Locator:
        return self.page.get_by_role("region", name="Notifications on this device")

    def device(self, name: str) -> Locator:
        return self.page.get_by_role("article", name=name)

    def press(self, name: str) -> None:
        self.switch.get_by_role("button", name=name).click()

    def switch_on(self) -> None:
        self.go("#/devices")
        self.press("Switch on")
        expect(self.switch.get_by_role("button", name="Switch off")).to_be_visible()


@pytest.fixture
def relay(make_relay: Callable[..., Any], tmp_path: Path) -> Any:
    settings = tmp_path / "relay.json"
    settings.write_text('{"pushContact": "mailto:ada@example.org"}')
    return make_relay("--config", str(settings))


@pytest.fixture
def page(browser: Any, relay: Any) -> Iterator[Callable[..., Page]]:
    with closing_screens(lambda **options: Page(browser, relay, **options)) as make:
        yield make



def test_a_browser_is_switched_on_stays_so_and_is_switched_off(page: Callable[..., Page]) -> None:
    one = page()
    one.go("#/devices")
    expect(one.switch).to_contain_text("Your browser asks next: choose Allow.")
    one.press("Switch on")
    expect(one.switch).to_contain_text("This device rings when an agent needs you")
    card = one.device("Ada's phone")
    for words in ("This browser", "Browser · Chrome on Linux · paired as Ada's phone", "updates.push.services.mozilla.com", "Being looked at", "Offers AllowNo"):
        expect(card).to_contain_text(words)
    assert "very-secret" not in one.page.content()
    one.page.reload()
    expect(one.switch.get_by_role("button", name="Switch off")).to_be_visible()
    expect(one.page.get_by_role("article")).to_have_count(1)
    one.press("Switch off")
    expect(one.switch.get_by_role("button", name="Switch on")).to_be_focused()
    expect(one.page.get_by_role("article")).to_have_count(0)
    assert one.page.evaluate(SUBSCRIPTION) is None


def test_a_german_browser_is_notified_in_german(browser: Any, site: PushSite, tmp_path: Path, client: Callable[..., Any], scripted_host: Callable[..., Any]) -> None:  # noqa: F811
    relay = Relay(tmp_path / "german", environment=site.environment)
    relay.start()
    try:
        key = relay.get("/v1/push/key", {"Authorization": f"Bearer {client(relay).token}"}).json["key"]
        subscribed = site.subscribe(key)

        def opened(**options: Any) -> Screen:
            one = Screen(browser, relay, **options)
            one.context.grant_permissions(["notifications"], origin=relay.url)
            one.page.add_init_script(subscribes(subscribed.subscription()))
            return one

        with closing_screens(opened) as make:
            one = german(make)
            one.go("#/devices")
            switch = one.page.get_by_role("region", name="Mitteilungen auf diesem Gerät")
            switch.get_by_role("button", name="Einschalten").click()
            expect(switch.get_by_role("button", name="Ausschalten")).to_be_visible()
            one.page.goto("about:blank")
            host = scripted_host(relay)
            host.start_session("s1", title="Allow")
            host.request_approval("s1", "Bash", {"command": "npm test"}, title="Deny", risks=["Deletes files."])
            pushed = site.wait_notification(subscribed)
            one.page.goto(relay.url)
            one.expect_live()
            worker = Worker(one)
            worker.push(pushed)
            wait_until(worker.shown, WAIT, "the notification")
            assert one.page.evaluate(NOTIFICATIONS) == [{
                "title": "claude will Bash ausführen · demo · Allow", "body": "Genau hinsehen: Deletes files.\nRun: npm test", "actions": ["Ablehnen", "Ansehen"],
            }]  # fmt: skip
        relay.stop()
        relay.check_log()
    finally:
        relay.kill()


def test_what_another_device_forgets_stays_forgotten(page: Callable[..., Page], screen: Callable[..., Screen]) -> None:
    one, other = page(), screen(name="Laptop", size=DESK)
    one.switch_on()
    other.go("#/devices")
    card = other.page.get_by_role("article", name="Ada's phone")
    expect(card.get_by_text("This browser")).to_be_hidden()
    card.get_by_role("button", name="Forget …").click()
    card.get_by_role("button", name="Forget", exact=True).click()
    expect(card).to_have_count(0)
    one.page.reload()
    expect(one.switch).to_contain_text("switched off for this browser from elsewhere")
    assert one.page.evaluate(SUBSCRIPTION) is None
    one.press("Switch on")
    expect(one.device("Ada's phone")).to_be_visible()


def test_logging_out_asks_first_and_ends_them(page: Callable[..., Page]) -> None:
    one = page()
    one.switch_on()
    one.go("#/link")
    one.page.get_by_role("button", name="Log this device out …").click()
    expect(one.page.get_by_role("group", name="Log this device out?")).to_contain_text("gets no notifications")
    assert one.page.evaluate(SUBSCRIPTION) is not None
    one.page.get_by_role("button", name="Log out", exact=True).click()
    expect(one.page.locator("pair-screen")).to_be_visible()
    wait_until(lambda: one.page.evaluate(f"{SUBSCRIPTION} === null && localStorage.getItem('heliograph.device') === null"), WAIT, "the subscription to be given up")


OBSTACLES = {
    "insecure": ("Object.defineProperty(window, 'isSecureContext', { get: () => false })", "Not over plain HTTP"),
    "homeScreen": (IS_TAB, "Add to Home Screen"),
    "browser": ("delete window.PushManager", "Not with this browser"),
    "denied": ("Object.defineProperty(Notification, 'permission', { get: () => 'denied' })", "Blocked in the settings of this browser"),
}


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_what_stands_in_the_way_is_said_with_what_to_do(page: Callable[..., Page], obstacle: str) -> None:
    script, words = OBSTACLES[obstacle]
    one = page(size=NARROW)
    one.page.add_init_script(script)
    one.page.reload()
    one.expect_live()
    one.go("#/devices")
    expect(one.switch).to_contain_text(words)
    expect(one.switch.get_by_role("button", name="Switch on")).to_have_count(0)
    one.expect_accessible()
    one.expect_no_overflow()


def test_a_relay_that_sends_none_says_why(browser: Any, make_relay: Callable[..., Any]) -> None:
    with closing_screens(lambda **options: Page(browser, make_relay(), **options)) as make:
        one = make(size=NARROW)
        one.go("#/devices")
        expect(one.switch).to_contain_text("The relay sends none to browsers")
        expect(one.switch.get_by_role("status")).to_contain_text("push-contact")
        one.expect_accessible()
        one.expect_no_overflow()



def open_form(card: Locator) -> Locator:
    card.get_by_role("button", name="Change what").click()
    return card.get_by_role("form")


def test_what_a_browser_rings_for_is_chosen_on_any_page_and_lasts(page: Callable[..., Page], screen: Callable[..., Screen], scripted_host: Callable[..., Any], relay: Any) -> None:
    host = scripted_host(relay)
    host.start_session("s1", title="Fix the login", project="webshop")
    host.wait_acked("s1")
    one, other = page(), screen(name="Laptop", size=DESK)
    one.switch_on()
    other.go("#/devices")
    card = other.page.get_by_role("article", name="Ada's phone")
    form = open_form(card)
    expect(form.get_by_label("Approvals")).to_be_focused()
    allow = form.get_by_label("Offer Allow in the notification")
    expect(allow).not_to_be_checked()
    expect(allow).to_be_disabled()
    form.get_by_role("radio", name="The whole command").check()
    allow.check()
    form.get_by_label("Finished runs").uncheck()
    form.get_by_label("Hide what it costs").check()
    form.get_by_label("Fix the login").check()
    form.get_by_label("webshop").check()
    form.get_by_label("Do not ring at night").check()
    form.get_by_label("Ring all the same for what needs a second look").check()
    form.get_by_label("From", exact=True).fill("23:00")
    form.get_by_label("To", exact=True).fill("06:30")
    form.get_by_label("Time zone", exact=True).select_option("Europe/Berlin")
    expect(form.get_by_label("At", exact=True)).to_be_hidden()
    form.get_by_role("radio", name="Gathered, once a day").check()
    form.get_by_role("checkbox", name="Count there what rules answered").check()
    form.get_by_label("At", exact=True).fill("18:30")
    form.get_by_label("In this time zone").select_option("Asia/Tokyo")
    form.get_by_role("button", name="Save").click()
    expect(form).to_be_hidden()
    expect(card.get_by_role("button", name="Change what")).to_be_focused()
    one.page.reload()
    for where in (card, one.device("Ada's phone")):
        for words in ("Rings forApprovals, questions, errors, budgets", "The whole command", "Offers AllowWhere it shows the whole", "CostHidden", f"Mutedwebshop · {host.name}, Fix the login", "23:00 to 06:30, Europe/Berlin, except for what needs a second look", "GatheredErrors, finished runs, budgets and what rules answered: once a day, at 18:30, Asia/Tokyo"):
            expect(where).to_contain_text(words)
    # The browser only repeats its registration, which does not change the person's settings.
    one.switch.get_by_role("button", name="Switch off").wait_for()
    one.page.evaluate("() => dispatchEvent(new Event('visibilitychange'))")
    form = open_form(one.device("Ada's phone"))
    for chosen in ("Offer Allow in the notification", "webshop", "Ring all the same for what needs a second look"):
        expect(form.get_by_label(chosen)).to_be_checked()
    expect(form.locator("p:visible").filter(has_text="seal")).to_have_count(0)
    form.get_by_role("radio", name="A summary").check()
    form.get_by_role("button", name="Save").click()
    expect(one.device("Ada's phone")).to_contain_text("Offers AllowNo")


def test_a_session_is_muted_where_it_is_read_and_rings_again(page: Callable[..., Page], scripted_host: Callable[..., Any], relay: Any) -> None:
    host = scripted_host(relay)
    host.start_session("s1", title="Fix the login", project="webshop")
    host.wait_acked("s1")
    one = page()
    one.go("#/session/s1")
    one.page.locator(".facts-button").click()
    facts = one.page.locator("session-facts")
    expect(facts.get_by_role("button", name="Archive on this device")).to_be_visible()
    expect(facts.get_by_role("button", name="Mute on this device")).to_be_hidden()
    one.switch_on()
    one.go("#/session/s1")
    facts.get_by_role("button", name="Mute on this device").click()
    expect(one.page.locator("#announcer")).to_have_text("Muted on this device")
    one.page.reload()
    one.page.locator(".facts-button").click()
    facts.get_by_role("button", name="Ring for it again on this device").click()
    expect(facts.get_by_role("button", name="Mute on this device")).to_be_visible()
    one.go("#/devices")
    expect(one.device("Ada's phone")).to_contain_text("MutedNo session")


def test_an_app_s_choices_are_changed_without_its_tokens(page: Callable[..., Page]) -> None:
    one = page(staged=True)
    one.stage.device("d1", text="sealed", muted=["gone"], quiet={"from": 0, "to": 420, "timeZone": "America/Argentina/Buenos_Aires"})
    one.go("#/devices")
    form = open_form(one.device("Ada's iPhone"))
    expect(form.get_by_label("Only this device can read it")).to_be_checked()
    expect(form.get_by_label("Offer Allow")).to_be_hidden()
    expect(form.get_by_label("Session gone")).to_be_checked()
    form.get_by_label("Budgets").uncheck()
    form.get_by_role("radio", name="Gathered, now and then").check()
    form.get_by_label("After the first of it").select_option("2 hours")
    form.get_by_label("Tell once a week what it has cost").check()
    form.get_by_label("Each", exact=True).select_option("Friday")
    form.get_by_label("Of this time zone").select_option("Asia/Tokyo")
    form.get_by_role("button", name="Save").click()
    expect(form).to_be_hidden()
    assert one.stage.said("deviceChoices")[-1] | {"id": ""} == {
        "type": "deviceChoices", "id": "", "device": "d1", "text": "sealed", "kinds": ["approval", "question", "error", "finished"], "muted": ["gone"],
        "quiet": {"from": 0, "to": 420, "timeZone": "America/Argentina/Buenos_Aires"}, "gather": {"when": "interval", "minutes": 120},
        "weekly": {"weekday": 5, "at": 540, "timeZone": "Asia/Tokyo"}}  # fmt: skip
    expect(one.device("Ada's iPhone")).to_contain_text("Friday at 09:00, Asia/Tokyo")
    form = open_form(one.device("Ada's iPhone"))
    form.get_by_label("To", exact=True).fill("00:00")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("alert")).to_contain_text("choose another end")
    form.get_by_label("To", exact=True).fill("07:00")
    one.stage.refusals["deviceChoices"] = {"code": "notFound", "message": "there is no such device"}
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("alert")).to_have_text("Not saved: there is no such device")
    form.get_by_role("button", name="Back").click()
    expect(form).to_be_hidden()



def test_a_test_tells_a_dead_subscription_from_a_silent_phone(page: Callable[..., Page]) -> None:
    one = page(staged=True)
    one.stage.browser("d1")
    one.page.evaluate("localStorage.setItem('heliograph.device', 'd1')")
    one.page.evaluate("sessionStorage.setItem('played.subscription', '[4]')")
    one.go("#/devices")
    card = one.device("Ada's laptop")
    expect(card.get_by_role("list", name="On the Lock Screen")).to_be_hidden()
    send, told = card.get_by_role("button", name="Send a test"), card.get_by_role("status")
    one.stage.test_result = {"result": "refused", "text": "410"}
    send.click()
    expect(told).to_contain_text("The push service refused it: 410. Switch notifications off and on again")
    one.stage.test_result = {}
    send.click()
    expect(told).to_contain_text("The push service took it.")
    expect(told).to_contain_text("Do Not Disturb")
    worker = Worker(one)
    worker.push({"web_push": 8030, "notification": {"title": "Heliograph", "body": "b", "tag": "test", "data": {"heliograph": {"kind": "test"}}}})
    expect(told).to_contain_text("It came to this browser and was shown.")
    one.stage.refusals["testPush"] = {"code": "unavailable", "message": "its browser has no subscription"}
    send.click()
    expect(card.get_by_role("alert").filter(has_text="No test was sent")).to_be_visible()
    expect(told).to_be_hidden()



def test_what_is_let_in_is_renamed(page: Callable[..., Page], screen: Callable[..., Screen]) -> None:
    one = page()
    screen(name="Old phone")
    one.go("#/devices")
    one.page.get_by_role("button", name="Rename Old phone …").click()
    name = one.page.get_by_label("New name of Old phone")
    expect(name).to_be_focused()
    name.fill("Kitchen tablet")
    one.expect_accessible()
    name.press("Enter")
    expect(one.page.get_by_role("heading", name="Kitchen tablet")).to_be_visible()
    expect(one.page.get_by_role("button", name="Rename Kitchen tablet …")).to_be_focused()
    one.page.reload()
    expect(one.page.get_by_role("heading", name="Kitchen tablet")).to_be_visible()



@pytest.mark.parametrize("size, scheme", [(NARROW, "dark"), (PHONE, "light"), (DESK, "dark")], ids=["narrow, dark", "phone, light", "desk, dark"])
def test_everything_is_accessible_and_fits(page: Callable[..., Page], scheme: str, size: dict[str, int]) -> None:
    one = page(size=size, scheme=scheme, staged=True)
    one.go("#/devices")
    expect(one.switch.get_by_role("button", name="Switch on")).to_be_visible()
    one.expect_accessible()
    one.expect_no_overflow()
    one.stage.browser("d1", quiet={"from": 1320, "to": 420, "timeZone": "America/Argentina/Buenos_Aires"}, trouble="The push service says that it is gone.")
    one.stage.device("d2")
    one.go("#/")
    one.go("#/devices")
    card = one.device("Ada's laptop")
    card.get_by_role("button", name="Send a test").click()
    expect(card.get_by_role("status")).to_contain_text("took it")
    form = open_form(card)
    for choice in ("Gathered, now and then", "Gathered, once a day"):
        form.get_by_role("radio", name=choice).check()
        one.settle()
        one.expect_accessible()
        one.expect_no_overflow()
    small = form.evaluate(
        """form => [...form.querySelectorAll("button, select, input:not([type=checkbox], [type=radio]), .choice")].map((element) => [element.getBoundingClientRect(), element])
            .filter(([box]) => box.width && (box.height < 43.5 || box.width < 43.5)).map(([, element]) => element.outerHTML.slice(0, 80))""")
    assert not small, small
