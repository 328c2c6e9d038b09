"""A browser that a test drives by JavaScript expressions: reading the page and pressing its buttons, in any browser engine."""

import asyncio
import json
import time
from typing import Any

from waits import patient

WAIT = 30


class Driven:
    async def open(self, url: str) -> None:
        raise NotImplementedError

    async def run(self, expression: str) -> Any:
        """The value of a JavaScript expression, evaluated as if by a person's tap."""
        raise NotImplementedError

    async def until(self, expression: str, what: str) -> Any:
        deadline = time.monotonic() + patient(WAIT)
        while not (value := await self.run(expression)):
            assert time.monotonic() < deadline, f"waited in vain for {what}; on the screen: {await self.run('document.body.innerText')}"
            await asyncio.sleep(0.05)
        return value

    async def expect_text(self, words: str) -> None:
        await self.until(f"document.body.innerText.includes({json.dumps(words)})", repr(words))

    async def expect_button(self, name: str) -> None:
        await self.until(f"Boolean({self._button(name)})", f"the button {name!r}")

    async def expect_in_reach(self, name: str) -> None:
        """Checks that a tap on the middle of the button hits it: the button is on the screen and not covered."""
        await self.until(
            f"(() => {{ const button = {self._button(name)}; if (!button) return false; const {{ left, top, width, height }} = button.getBoundingClientRect();"
            " return button.contains(document.elementFromPoint(left + width / 2, top + height / 2)); })()", f"the button {name!r} in reach")  # fmt: skip

    async def press(self, name: str) -> None:
        await self.until(f"(() => {{ const found = {self._button(name)}; found?.click(); return Boolean(found); }})()", f"the button {name!r}")

    async def choose(self, name: str) -> None:
        """Ticks the checkbox of a form whose label begins with `name`."""
        await self.until(
            f"(() => {{ const found = [...document.querySelectorAll('label')].find((label) => label.checkVisibility() && label.textContent.startsWith({json.dumps(name)}))"
            "?.querySelector('input:enabled'); found?.click(); return Boolean(found); })()", f"the choice {name!r}")  # fmt: skip

    async def fill(self, field: str, text: str) -> None:
        """Types text into the field that a selector finds."""
        await self.until(
            f"(() => {{ const found = [...document.querySelectorAll({json.dumps(field)})].find((one) => one.checkVisibility()); if (!found) return false;"
            f" found.value = {json.dumps(text)}; found.dispatchEvent(new Event('input', {{ bubbles: true }})); return true; }})()", f"the field {field!r}")  # fmt: skip

    @staticmethod
    def _button(name: str) -> str:
        """Finds a button by its text or its label."""
        return (
            "[...document.querySelectorAll('button:enabled')].find((one) => one.checkVisibility()"
            f" && [one.textContent, one.getAttribute('aria-label')].includes({json.dumps(name)}))"
        )
