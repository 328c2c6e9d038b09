#!/usr/bin/env python3
"""Takes pictures of the gallery (Tests/Integration/gallery_views.py) to be looked at one by one: `make gallery`.

A relay of its own serves `web/` as it stands. Of the sizes of phones there is one picture a view, side by side; index.html shows all of them.
"""

import argparse
import base64
import os
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(1, str(TOP / "Tests/Integration"))
# The imported modules read these variables when they are loaded.
os.environ.setdefault("HELIOGRAPH_BIN", str(TOP / ".build/check/release/heliograph"))
os.environ["HELIOGRAPH_WEB_ROOT"] = str(TOP / "web")

from playwright.sync_api import Browser, Page, expect, sync_playwright  # noqa: E402

import gallery_views as gallery  # noqa: E402
from relay import Relay  # noqa: E402

PHONES = [(320, 568), (360, 640), (375, 548), (390, 844)]
LARGE = [(768, 1024), (1280, 800)]
WAIT_MS = 60_000


def pair(browser: Browser, link: str, locale: str) -> Page:
    page = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce", locale=locale).new_page()
    page.goto(link)
    page.locator("pair-screen input:visible").first.fill("Ada's phone")
    page.locator("pair-screen button[type=submit]:visible").first.click()
    expect(page.locator("link-state")).to_have_attribute("data-phase", "live", timeout=WAIT_MS)
    return page


class Pictures:
    def __init__(self, browser: Browser, folder: Path, only: str, schemes: list[str]):
        self.browser, self.folder, self.only, self.schemes = browser, folder, only, schemes
        folder.mkdir(parents=True, exist_ok=True)

    def take(self, page: Page, view: gallery.View) -> None:
        if self.only not in view.name:
            return
        for scheme in self.schemes:
            forced = scheme == "forced"
            page.emulate_media(color_scheme="dark" if forced else scheme, reduced_motion="reduce", forced_colors="active" if forced else "none")
            taken = []
            for width, height in PHONES + LARGE:
                page.set_viewport_size({"width": width, "height": height})
                gallery.open_view(page, view, WAIT_MS)
                picture = page.screenshot()
                view.leave(page)
                if (width, height) in PHONES:
                    taken.append(picture)
                else:
                    (self.folder / f"{view.name}-{width}-{scheme}.png").write_bytes(picture)
            self.lay_out(taken, self.folder / f"{view.name}-phones-{scheme}.png")

    def lay_out(self, pictures: list[bytes], file: Path) -> None:
        sheet = self.browser.new_page(viewport={"width": sum(width for width, _ in PHONES) + 10 * len(PHONES), "height": max(height for _, height in PHONES)})
        images = "".join(f'<img src="data:image/png;base64,{base64.b64encode(picture).decode()}">' for picture in pictures)
        sheet.set_content(f'<body style="margin:0;display:flex;gap:10px;align-items:start;background:#888">{images}')
        sheet.screenshot(path=file)
        sheet.close()

    def index(self) -> None:
        """Writes a page with all pictures."""
        files = sorted(file.name for file in self.folder.glob("*.png"))
        shown = "".join(f'<h2>{name[:-4]}</h2><img loading="lazy" src="{name}" alt="">' for name in files)
        (self.folder / "index.html").write_text(f'<!doctype html><meta charset="utf-8"><title>Gallery</title><style>img {{ max-width: 100% }}</style>{shown}')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--to", type=Path, default=TOP / ".build/gallery", help="a folder (%(default)s)")
    parser.add_argument("--only", default="", help="views whose name has this in it")
    parser.add_argument("--schemes", default="light,dark", help="of light, dark and forced, which are a system's own colours (%(default)s)")
    parser.add_argument("--locale", default="en-US", help="a browser's language, such as de-DE (%(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hg-gallery-", ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"])
        relay = Relay(Path(folder) / "relay")
        pictures = Pictures(browser, options.to, options.only, options.schemes.split(","))
        try:
            relay.start()
            page = pair(browser, relay.pair_link("operator"), options.locale)
            with gallery.Day(relay):
                for view in gallery.VIEWS:
                    pictures.take(page, view)
            stranger = browser.new_page()
            stranger.goto(relay.url)
            pictures.take(stranger, gallery.View("pair", "", "pair-screen h2"))
            relay.stop()
            for view in gallery.OFFLINE:
                pictures.take(page, view)
        finally:
            relay.kill()
            browser.close()
            pictures.index()


if __name__ == "__main__":
    main()
