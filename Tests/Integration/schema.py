"""Checks messages of one direction against the published JSON Schema."""

import functools
import json
import tempfile
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from relay import Relay


@functools.cache
def document() -> dict[str, Any]:
    """The schema as a relay serves it, made from its table of the wire."""
    with tempfile.TemporaryDirectory() as folder:
        relay = Relay(Path(folder))
        relay.start()
        try:
            return relay.get("/v1/schema.json").json
        finally:
            relay.stop()


@functools.cache
def validator(direction: str) -> Draft202012Validator:
    """A validator for the direction: `host-to-relay`, `relay-to-host`, `client-to-relay` or `relay-to-client`."""
    assert direction in document()["$defs"]
    return Draft202012Validator({"$schema": document()["$schema"], "$ref": f"#/$defs/{direction}", "$defs": document()["$defs"]})


def faults(direction: str, message: Any) -> list[str]:
    """Violations of the schema in a message, as `path: sentence`."""
    found = []
    pending = list(validator(direction).iter_errors(message))
    while pending:
        error = pending.pop()
        if error.context:
            # The schema expresses an optional field as an alternative to null, so only the other alternative's fault matters.
            pending.extend(error.context)
        else:
            found.append(f"{error.json_path}: {error.message[:200]}")
    return found


def assert_valid(direction: str, messages: list[Any], each_type_max: int = 25) -> None:
    """Checks up to `each_type_max` messages of each type, because a long test repeats itself."""
    seen: dict[Any, int] = {}
    for message in messages:
        seen[message["type"]] = seen.get(message["type"], 0) + 1
        if seen[message["type"]] <= each_type_max:
            found = faults(direction, message)
            assert not found, f"{direction} does not allow {json.dumps(message, ensure_ascii=False)[:600]}: {found}"
