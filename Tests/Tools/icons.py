#!/usr/bin/env python3
"""Renders the page's icon in the sizes that phones require for an installed page: `.venv/bin/python Tests/Tools/icons.py`, after each change of
`web/icon.svg`.
"""

import re
from pathlib import Path

from playwright.sync_api import sync_playwright

WEB = Path(__file__).resolve().parents[2] / "web"
SIZES = {"icon-192.png": (192, "any"), "icon-512.png": (512, "any"), "icon-maskable-512.png": (512, "maskable"), "apple-touch-icon.png": (180, "opaque")}
SAFE = 0.8
"""What a launcher that cuts a circle or a square out of a maskable icon leaves of its width."""


def drawing(purpose: str) -> str:
    """iOS rounds the corners itself and shows transparent areas black; Android launchers crop to their own shape."""
    svg = (WEB / "icon.svg").read_text(encoding="utf-8")
    if purpose == "any":
        return svg
    square = svg.replace('rx="14"', "")
    if purpose == "opaque":
        return square
    background, rest = re.split(r"(?<=/>)", square, maxsplit=1)
    margin = 64 * (1 - SAFE) / 2
    return f'{background}<g transform="translate({margin} {margin}) scale({SAFE})">{rest.replace("</svg>", "</g></svg>")}'


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()
        for name, (size, purpose) in SIZES.items():
            page.set_viewport_size({"width": size, "height": size})
            page.set_content(f"<style>body {{ margin: 0 }} svg {{ display: block; width: {size}px }}</style>{drawing(purpose)}")
            page.screenshot(path=WEB / name, omit_background=True)
        browser.close()


if __name__ == "__main__":
    main()
