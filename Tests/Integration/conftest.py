"""Fixtures: the real relay, scripted hosts and clients, a real browser, and a machine with the real Claude Code.

No fixture connects beyond loopback, and each ends the processes that it started.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

import sealed_relay
from client import WireClient
from daemon import Daemon, paired
from host import ScriptedHost
from journeys import is_left_out
from relay import Relay
from waits import patient


LONG_FILES = (
    "test_openhands.py", "test_kill.py", "test_swift_package.py", "test_days_work.py", "test_cost.py", "test_web_push_firefox.py", "test_slow.py",
    "test_order.py", "test_retention.py", "test_journey.py", "test_node_cuts.py", "test_costs.py",
)  # fmt: skip
"""Few tests that take 10 s and more each, or that install their agent first: what runs the tests begins with these."""


def runs_agent(item: pytest.Item) -> bool:
    """True if the test runs a real agent, by its mark or by a fixture that starts one."""
    return bool(item.get_closest_marker("agent")) or "agent" in getattr(item, "fixturenames", ())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects tests of unchanged agents except their journeys, and puts long files first, because each file runs in one process."""
    left_out = [item for item in items if runs_agent(item) and is_left_out(item.path.name, getattr(item, "originalname", item.name))]
    if sealed_relay.IS_ON:
        left_out = [item for item in items if sealed_relay.is_left_out(item)]
    config.hook.pytest_deselected(items=left_out)
    gone = set(left_out)
    items[:] = [item for item in items if item not in gone]
    assert all((Path(__file__).parent / name).exists() for name in LONG_FILES), f"{LONG_FILES} are files here"
    tests = Counter(item.path.name for item in items)

    def place(item: pytest.Item) -> tuple[int, int]:
        name = item.path.name
        return LONG_FILES.index(name) if name in LONG_FILES else len(LONG_FILES), -tests[name]

    items.sort(key=place)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turns skips into failures if HELIOGRAPH_SKIPS=fail is set, for machines that have all privileges and tools."""
    report = yield
    if os.environ.get("HELIOGRAPH_SKIPS") == "fail" and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{report.longrepr}; HELIOGRAPH_SKIPS=fail does not allow that"
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Writes the ids of failed tests to the file that HELIOGRAPH_FAILURES names: see Tests/Tools/integration.py."""
    if path := os.environ.get("HELIOGRAPH_FAILURES"):
        reports = terminalreporter.stats.get("failed", []) + terminalreporter.stats.get("error", [])
        Path(path).write_text("".join(f"{name}\n" for name in sorted({report.nodeid for report in reports})))


@pytest.fixture(autouse=True)
def no_relay_is_left() -> Iterator[None]:
    """Ends relays that a failed test has left running."""
    before = set(Relay.running)
    yield
    for relay in Relay.running - before:
        relay.kill()
    Relay.running &= before


@pytest.fixture
def make_relay(tmp_path: Path) -> Iterator[Callable[..., Relay]]:
    """Makes relays, each with a folder and a port of its own. After the test each must stop cleanly without a crash in its log."""
    made: list[Relay] = []

    def make(*arguments: str) -> Relay:
        relay = Relay(tmp_path / f"relay{len(made) or ''}", list(arguments))
        made.append(relay)
        relay.start()
        return relay

    yield make
    failures = []
    for relay in made:
        try:
            relay.stop()
            relay.check_log()
        except AssertionError as failure:
            failures.append(str(failure))
        finally:
            relay.kill()
    assert not failures, "\n".join(failures)


@pytest.fixture
def relay(make_relay: Callable[..., Relay]) -> Relay:
    return make_relay()


@pytest.fixture
def scripted_host(relay: Relay) -> Iterator[Callable[..., ScriptedHost]]:
    """`scripted_host(relay, name="laptop")`: a host that the test controls."""
    made: list[ScriptedHost] = []

    def make(to: Relay | None = None, name: str = "laptop", **options: Any) -> ScriptedHost:
        host = ScriptedHost(to or relay, name, **options)
        made.append(host)
        return host

    yield make
    for host in made:
        host.close()


@pytest.fixture
def client(relay: Relay) -> Iterator[Callable[..., WireClient]]:
    """`client(relay, name="phone")`: a client that the test controls. At the end it must have seen no gap and no repetition."""
    made: list[WireClient] = []

    def make(to: Relay | None = None, name: str = "phone", **options: Any) -> WireClient:
        peer = WireClient(to or relay, name, **options)
        made.append(peer)
        return peer

    yield make
    for peer in made:
        peer.close()
    for peer in made:
        peer.check()


NOT_THE_PAGE = (
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "LensOverlay",
    "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints",
    "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch",
)  # fmt: skip
"""What Chromium is to do without. The first two are pages of its own address bar, which it loads for each new context, and which take four
times the processor time of ours. The others Playwright leaves out, by a switch of which the last one counts."""


@pytest.fixture(scope="session")
def playwright() -> Iterator[Any]:
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=patient(5_000))
    with sync_playwright() as playwright:
        yield playwright


def chromium(playwright: Any, program: str) -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright; no browser is downloaded."""
    browser = playwright.chromium.launch(
        executable_path=f"/usr/bin/{program}",
        args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", f"--disable-features={','.join(NOT_THE_PAGE)}"],
    )
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def windowless_browser(playwright: Any) -> Iterator[Any]:
    """Chromium's headless shell, without windows, menus and permissions: two thirds of the processor time."""
    yield from chromium(playwright, "chromium-headless-shell")


@pytest.fixture(scope="session")
def whole_browser(playwright: Any) -> Iterator[Any]:
    yield from chromium(playwright, "chromium")


WITH_WHOLE_BROWSER = ("test_web_push_page.py", "test_page_install.py", "test_page_delivery.py")
"""A browser asks there whether a page may notify, or keeps a page as a person's does."""


@pytest.fixture
def browser(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue("whole_browser" if request.path.name in WITH_WHOLE_BROWSER else "windowless_browser")


@pytest.fixture
def phone(relay: Relay, client: Callable[..., WireClient]) -> WireClient:
    """A client that subscribes to all sessions."""
    phone = client(relay, "Ada's phone")
    phone.subscribe()
    return phone


@pytest.fixture
def screen(browser: Any, relay: Relay) -> Iterator[Callable[..., Any]]:
    """`screen(name="Ada's phone")`: the page on a paired device. After the test no page may have logged an error."""
    from page_screen import Screen, closing_screens

    with closing_screens(lambda **options: Screen(browser, relay, **options)) as make:
        yield make


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder with a short path: a Unix socket's path has 107 bytes at most, and pytest's folders are too long."""
    with tempfile.TemporaryDirectory(prefix="hg-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture
def daemon(short_path: Path, relay: Relay) -> Iterator[Daemon]:
    """`heliograph host` on a temporary machine without an agent, connected to the relay."""
    with paired(short_path, relay) as daemon:
        yield daemon


@pytest.fixture
def machine(short_path: Path, relay: Relay) -> Iterator[Any]:
    """A temporary machine: a home, a project, the real Claude Code with Heliograph's hooks, and `heliograph host` running."""
    from claude import Machine

    with Machine(short_path, relay).at_work() as machine:
        yield machine
