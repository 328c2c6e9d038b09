"""Both halves of a browser's credential, without a browser: the cookie, and the page's key."""

from dataclasses import dataclass
from typing import Any

from relay import code_of
from wire import Connection


@dataclass
class PairedBrowser:
    url: str
    cookie: str
    """The cookie in the form of a `Cookie` header."""
    key: str

    @property
    def headers(self) -> dict[str, str]:
        """Headers of a request by the page's own script."""
        return {"Cookie": self.cookie, "Origin": self.url, "Heliograph-Key": self.key}

    @property
    def subprotocols(self) -> list[str]:
        return ["heliograph.v1", f"key.{self.key}"]

    def connect(self) -> Connection:
        return Connection(self.url, "/v1/client", None, headers={"Cookie": self.cookie, "Origin": self.url}, beside=(self.subprotocols[1],))


def pair_browser(relay: Any, name: str = "Ada's phone", link: str | None = None) -> PairedBrowser:
    code = code_of(link or relay.pair_link("client"))
    answer = relay.post("/v1/pair", {"code": code, "name": name}, {"Origin": relay.url})
    assert answer.status == 200, answer.body
    return PairedBrowser(relay.url, answer.headers["Set-Cookie"].split(";")[0], answer.json["key"])
