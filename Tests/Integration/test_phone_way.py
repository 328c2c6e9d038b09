"""`heliograph doctor --phone` names the first obstacle between a phone and the relay, with real proxies; and `up --tailscale`."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from doctor import doctor
from namespaces import namespace
from proxies import Caddy, Certificate, Nginx, ReverseProxy
from relay import Relay
from test_up import Home, home  # noqa: F401

TAILSCALE = """#!/usr/bin/env python3
import json, pathlib, sys
folder = pathlib.Path(sys.argv[0]).parent.parent / "tailscale"
served = folder / "served.json"
with (folder / "calls").open("a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\\n")
match sys.argv[1:]:
    case ["status", "--json", "--peers=false"]:
        print((folder / "status.json").read_text())
    case ["serve", "status", "--json"]:
        print(served.read_text() if served.exists() else "{}")
    case ["serve", "--bg", port]:
        web = {"box.tail0.ts.net:443": {"Handlers": {"/": {"Proxy": f"http://127.0.0.1:{port}"}}}}
        served.write_text(json.dumps({"TCP": {"443": {"HTTPS": True}}, "Web": web}))
    case ["serve", "--https=443", "off"]:
        served.unlink()
    case _:
        sys.exit("unknown: " + " ".join(sys.argv[1:]))
"""
"""Answers as `tailscale` 1.52 and later do by their documentation. The real one needs an account, and no registry here has it."""


class Way:
    """A relay with a public address, and a real proxy in front of it at an address of this machine other than loopback."""

    def __init__(self, folder: Path, address: str, make_relay: Callable[..., Relay]):
        self.folder, self.make_relay = folder, make_relay
        self.certificate = Certificate(folder, address)
        self.proxies: list[ReverseProxy] = []

    def ask(self, kind: type[ReverseProxy], changes: dict[str, str] | None = None, trusted: bool = True) -> dict[str, Any]:
        proxy = kind(self.folder / f"proxy{len(self.proxies)}", self.certificate)
        self.proxies.append(proxy)
        relay = self.make_relay("--public-url", proxy.url)
        proxy.start(relay.port, changes)
        return phone(relay, {"SSL_CERT_FILE": str(self.certificate.chain)} if trusted else {})


def phone(relay: Relay, environment: dict[str, str] | None = None) -> dict[str, Any]:
    return doctor(relay, "--phone", environment=environment)["Phone"]


@pytest.fixture
def way(tmp_path: Path, make_relay: Callable[..., Relay]) -> Iterator[Way]:
    with namespace() as network:
        way = Way(tmp_path, network.outside, make_relay)
        yield way
        for proxy in way.proxies:
            proxy.stop()


def last(found: dict[str, Any]) -> tuple[str, str]:
    subject, finding = list(found.items())[-1]
    return subject, finding["state"]


@pytest.mark.parametrize("kind", [Caddy, Nginx], ids=lambda kind: kind.name)
def test_a_way_without_an_obstacle(way: Way, kind: type[ReverseProxy]) -> None:
    found = way.ask(kind)
    assert [found[subject]["state"] for subject in ("Address", "Name", "Relay behind it", "Page", "WebSocket")] == ["well", "doubtful", "well", "well", "well"], found
    assert "only phones in the same network" in found["Name"]["text"] and "Push services" in found


def test_the_first_obstacle_is_named_and_nothing_after_it(way: Way, make_relay: Callable[..., Relay], tmp_path: Path) -> None:
    assert last(way.ask(Caddy, trusted=False)) == ("Certificate", "wrong")
    # The proxy passes HTTP requests, but no WebSocket.
    found = way.ask(Nginx, {"proxy_set_header Upgrade           $http_upgrade;": ""})
    assert last(found) == ("WebSocket", "wrong") and found["Page"]["state"] == "well"
    assert last(way.ask(Nginx, {"proxy_pass http://heliograph;": "return 502;"})) == ("Relay behind it", "wrong")
    for url, text in (("http://relay.example", "is not https"), ("https://localhost", "leads a phone to itself")):
        relay = make_relay("--public-url", url)
        found = phone(relay)
        assert list(found) == ["Address"] and found["Address"]["state"] == "wrong" and text in found["Address"]["text"], found
    assert last(phone(make_relay("--public-url", "https://nobody.invalid"))) == ("Name", "wrong")
    relay = make_relay()
    assert "--public-url https://NAME" in phone(relay)["Address"]["mend"]
    relay.stop()
    assert last(phone(relay)) == ("Relay", "wrong")


def test_an_address_that_leads_to_another_relay_is_the_obstacle(way: Way, make_relay: Callable[..., Relay]) -> None:
    proxy = Caddy(way.folder / "proxy", way.certificate)
    way.proxies.append(proxy)
    other, relay = (make_relay("--public-url", proxy.url) for _ in range(2))
    proxy.start(other.port)
    trusting = {"SSL_CERT_FILE": str(way.certificate.chain)}
    found = phone(relay, trusting)
    assert last(found) == ("Relay behind it", "wrong") and "leads to another relay" in found["Relay behind it"]["text"] and f":{relay.port}" in found["Relay behind it"]["mend"]
    assert phone(other, trusting)["WebSocket"]["state"] == "well"
    assert relay.get("/v1/way/").status == relay.get("/v1/way/x").status == 404


@pytest.fixture
def tailscale(home: Home) -> Path:  # noqa: F811
    program = home.folder / "bin/tailscale"
    program.write_text(TAILSCALE)
    program.chmod(0o755)
    folder = home.folder / "tailscale"
    folder.mkdir()
    (folder / "status.json").write_text(json.dumps({"BackendState": "Running", "Self": {"DNSName": "box.tail0.ts.net."}, "CertDomains": ["box.tail0.ts.net"]}))
    return folder


def test_up_leads_the_tailnets_address_to_the_relay_and_down_ends_that(home: Home, tailscale: Path) -> None:  # noqa: F811
    assert "up --tailscale" in home.up(*home.listen)
    assert "heliograph up --tailscale, for the devices of your tailnet" in home.run("pair")
    said = home.up(*home.listen, "--tailscale")
    served = tailscale / "served.json"
    assert json.loads(served.read_text())["Web"]["box.tail0.ts.net:443"]["Handlers"]["/"]["Proxy"] == f"http://127.0.0.1:{home.port}"
    assert "https://box.tail0.ts.net" in said
    assert home.status()["relay"]["url"] == "https://box.tail0.ts.net"
    # An existing configuration is not changed.
    before = (tailscale / "calls").read_text().count("serve --bg")
    home.up(*home.listen, "--tailscale")
    assert (tailscale / "calls").read_text().count("serve --bg") == before
    home.run("down")
    assert not served.exists()
    # The tailnet's address is kept over `down`.
    assert "https://box.tail0.ts.net" in home.up("--yes")
    assert json.loads(served.read_text())["Web"]["box.tail0.ts.net:443"]["Handlers"]["/"]["Proxy"] == f"http://127.0.0.1:{home.port}"
    home.run("down")
    assert not served.exists()
    status = tailscale / "status.json"
    well = status.read_text()
    status.write_text(json.dumps({"BackendState": "NeedsLogin"}))
    assert "leads nowhere: tailscale does not run here: sudo tailscale up" in home.up("--yes") and not served.exists()
    status.write_text(well)
    home.up("--yes")
    assert served.exists()
    # An address that is given replaces the tailnet's.
    home.run("down")
    home.up("--yes", "--public-url", "https://relay.example")
    assert home.status()["relay"]["url"] == "https://relay.example" and not served.exists()
    home.run("down")


def test_an_address_that_leads_elsewhere_stays_so(home: Home, tailscale: Path) -> None:  # noqa: F811
    served = tailscale / "served.json"
    theirs = json.dumps({"Web": {"box.tail0.ts.net:443": {"Handlers": {"/": {"Proxy": "http://127.0.0.1:3000"}}}}})
    served.write_text(theirs)
    said = home.up(*home.listen, "--tailscale", status=1)
    assert "leads to http://127.0.0.1:3000 already" in said and served.read_text() == theirs and not home.processes()
    # An already running relay continues unchanged.
    home.up(*home.listen)
    home.up(*home.listen, "--tailscale", status=1)
    home.wait_link()
    assert home.status()["relay"]["url"] == f"http://127.0.0.1:{home.port}" and home.status()["host"]["running"]
    home.run("down")
    assert served.read_text() == theirs


def test_an_address_that_the_person_leads_here_stays_theirs(home: Home, tailscale: Path) -> None:  # noqa: F811
    served = tailscale / "served.json"
    theirs = json.dumps({"Web": {"box.tail0.ts.net:443": {"Handlers": {"/": {"Proxy": f"http://127.0.0.1:{home.port}"}}}}})
    served.write_text(theirs)
    home.up(*home.listen, "--tailscale")
    home.run("down")
    assert served.read_text() == theirs


@pytest.mark.parametrize(
    ("status", "text"),
    [
        ({"BackendState": "NeedsLogin"}, "sudo tailscale up"),
        ({"BackendState": "Running", "Self": {"DNSName": "box.tail0.ts.net."}, "CertDomains": None}, "HTTPS Certificates"),
        ({"BackendState": 7}, "BackendState"),
    ],
)
def test_a_tailnet_that_cannot_is_said_before_anything_changes(home: Home, tailscale: Path, status: dict[str, Any], text: str) -> None:  # noqa: F811
    (tailscale / "status.json").write_text(json.dumps(status))
    assert text in home.up(*home.listen, "--tailscale", status=4)
    assert not home.processes() and home.settings.read_text()
    home.run("down", status=5)
