"""Each view of the gallery, as `make gallery` takes its picture: it fits its screen, breaks no rule of accessibility and logs no error."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from gallery_views import OFFLINE, VIEWS, Day, View, open_view
from page_screen import DESK, Screen
from relay import ROOT
from waits import patient

NARROW = {"width": 320, "height": 568}
ROUTE = ROOT / "web/route.js"


@pytest.mark.timeout(300)
@pytest.mark.parametrize("size, scheme, language", [(NARROW, "dark", "de"), (DESK, "light", "en")], ids=["narrow, dark, German", "desk, light, English"])
def test_every_view_fits_and_is_accessible(screen: Callable[..., Screen], relay: Any, size: dict[str, int], scheme: str, language: str) -> None:
    one = screen(role="operator", size=size, scheme=scheme)
    if language != "en":
        one.page.evaluate("tag => localStorage.setItem('heliograph.language', tag)", language)
        one.page.reload()
        one.expect_live()

    def visit(view: View) -> None:
        open_view(one.page, view, patient(10_000))
        one.expect_no_overflow()
        # The same elements on a wide screen break the same rules.
        if size is NARROW:
            one.expect_accessible()
        view.leave(one.page)

    with Day(relay):
        for view in VIEWS:
            visit(view)
    one.forgive_absence()
    relay.stop()
    for view in OFFLINE:
        visit(view)


def test_the_gallery_has_each_screen() -> None:
    screens = set(re.findall(r'screen: "(\w+)"', ROUTE.read_text())) - {"pair"}
    shown = {re.sub(r"^#/?", "", view.where).split("/")[0] or "sessions" for view in VIEWS} | {"terminal"}
    assert screens <= shown, screens - shown
