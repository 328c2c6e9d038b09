"""The page on a Home Screen: installability, pairing, and notifications while no page is open."""

import json
import struct
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from page_screen import Screen
from waits import wait_until

WAIT = 10

IS_TAB = "Object.defineProperty(navigator, 'standalone', { get: () => false })"
IS_INSTALLED = "Object.defineProperty(navigator, 'standalone', { get: () => true })"
"""The property that Safari on an iPhone sets in an installed app; other browsers do not have it."""


def test_a_phone_finds_pictures_of_the_sizes_that_it_wants(relay: Any) -> None:
    manifest = relay.get("/manifest.webmanifest").json
    assert manifest["id"] == manifest["start_url"] == manifest["scope"] == "/" and manifest["display"] == "standalone"
    pictures = {icon["src"]: icon for icon in manifest["icons"] if icon["type"] == "image/png"}
    assert {(icon["sizes"], icon["purpose"]) for icon in pictures.values()} == {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")}
    sizes = {"/apple-touch-icon.png": "180x180"} | {path: icon["sizes"] for path, icon in pictures.items()}
    for path, size in sizes.items():
        picture = relay.get(path)
        assert picture.status == 200 and picture.headers["Content-Type"] == "image/png"
        assert picture.body.startswith(b"\x89PNG\r\n\x1a\n")
        assert "{}x{}".format(*struct.unpack(">II", picture.body[16:24])) == size


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_tab_of_an_iphone_keeps_the_code_for_the_home_screen(screen: Callable[..., Screen], relay: Any, scheme: str) -> None:
    link = relay.pair_link()
    tab = screen(paired=False, scheme=scheme)
    tab.page.add_init_script(IS_TAB)
    tab.page.goto(link)
    expect(tab.page.locator("pair-screen").get_by_text("Add to Home Screen")).to_be_visible()
    code = tab.page.get_by_label("Pairing code")
    # The code includes the secret for the machine's hosts, if the link has one.
    expect(code).to_have_text(link.split("#pair=")[1].replace("&k=", "."))
    assert tab.page.get_by_role("button", name="Pair this device").count() == 0
    tab.expect_accessible()
    tab.expect_no_overflow()

    installed = screen(paired=False, scheme=scheme)
    installed.page.add_init_script(IS_INSTALLED)
    installed.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=relay.url)
    installed.page.goto(relay.url)
    installed.page.evaluate("text => navigator.clipboard.writeText(text)", code.text_content())
    installed.page.get_by_role("button", name="Paste").click()
    expect(installed.page.get_by_label("Code or link")).to_have_value(code.text_content() or "")
    installed.expect_accessible()
    installed.page.get_by_role("button", name="Pair this device").click()
    installed.expect_live()


def test_a_tab_of_an_iphone_can_be_paired_all_the_same(screen: Callable[..., Screen], relay: Any) -> None:
    tab = screen(paired=False)
    tab.page.add_init_script(IS_TAB)
    tab.page.goto(relay.pair_link())
    tab.page.get_by_role("button", name="This tab only").click()
    expect(tab.page.get_by_label("Name of this device")).to_be_focused()
    tab.page.get_by_role("button", name="Pair this device").click()
    tab.expect_live()


class Worker:
    """The page's service worker, given pushes by the debugging protocol, because Chromium accepts them only from Google's push service."""

    def __init__(self, one: Screen):
        self.one = one
        self.registrations: list[dict[str, Any]] = []
        self.session = one.context.new_cdp_session(one.page)
        self.session.on("ServiceWorker.workerRegistrationUpdated", lambda event: self.registrations.extend(event["registrations"]))
        one.context.grant_permissions(["notifications"], origin=one.relay.url)
        # A page that has just loaded removes existing notifications once its later views have loaded; the test waits for that before it pushes.
        one.page.evaluate(
            """async () => {
                await customElements.whenDefined("session-view");
                const registration = await navigator.serviceWorker.ready;
                const worker = registration.active;
                while (worker.state !== "activated") await new Promise((done) => worker.addEventListener("statechange", done, { once: true }));
                await navigator.serviceWorker.getRegistration();
                await registration.getNotifications();
            }""")
        self.session.send("ServiceWorker.enable")

    def push(self, message: Any) -> None:
        def registration() -> str | None:
            # The push event is dispatched while the page handles this evaluation.
            self.one.page.evaluate("() => 0")
            return next((found["registrationId"] for found in self.registrations if not found["isDeleted"]), None)

        self.session.send("ServiceWorker.deliverPushMessage", {
            "origin": self.one.relay.url + "/", "registrationId": wait_until(registration, WAIT, "the worker to be registered"),
            "data": message if isinstance(message, str) else json.dumps(message),
        })

    def shown(self) -> list[dict[str, Any]]:
        shown: list[dict[str, Any]] = self.one.page.evaluate(
            """async () => {
                const registration = await navigator.serviceWorker.ready;
                return (await registration.getNotifications()).map(({ title, body, tag, actions, silent, data }) =>
                    ({ title, body, tag, actions: actions.map(({ action }) => action), silent, data }));
            }""")
        return shown


def approval(relay: Any, **more: Any) -> dict[str, Any]:
    told = {"kind": "approval", "session": "s1", "approval": "a1", "code": "c0de", "decisions": ["deny"]}
    return {"web_push": 8030, "mutable": True, "notification": {
        "title": "Allow Bash?", "body": "swift test", "tag": "t", "navigate": f"{relay.url}/#/approvals/s1/a1", "data": {"heliograph": told}} | more}


def test_what_is_pushed_is_shown_once_and_goes_when_somebody_looks(screen: Callable[..., Screen], relay: Any) -> None:
    one = screen()
    worker = Worker(one)
    worker.push(approval(relay))
    wait_until(worker.shown, WAIT, "the notification")
    worker.push(approval(relay, title="Denied on laptop", data={"heliograph": {"rings": False}}))
    replaced = wait_until(lambda: [each for each in worker.shown() if each["title"] == "Denied on laptop"], WAIT, "what takes the place of the first")
    assert replaced == worker.shown() and replaced[0]["silent"] is True and replaced[0]["actions"] == []
    worker.push("no JSON")
    wait_until(lambda: len(worker.shown()) == 2, WAIT, "something to be shown for it too")
    one.page.evaluate("() => window.dispatchEvent(new Event('visibilitychange'))")
    wait_until(lambda: not worker.shown(), WAIT, "a page that is looked at to leave none")
