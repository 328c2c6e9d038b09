"""Fills a relay with so much history that its start takes measurable time."""

from servers import RelayServer

EVENT_BYTES = 16_000
STEP_SECONDS = 2.0
STEPS_MAX = 200


def fill_history(server: RelayServer, megabytes: int) -> int:
    """Makes hosts send events until the relay's file has that many megabytes; returns its size in bytes."""
    for _ in range(STEPS_MAX):
        server.bench("ingest", hosts=10, sessions=100, window=2_000, batch=16, size=EVENT_BYTES, duration=STEP_SECONDS, warm_up=0)
        size = sum(file.stat().st_size for file in server.relay.data.glob("*.sqlite*"))
        if size >= megabytes * 1_000_000:
            return size
    raise AssertionError(f"the relay's file has {size} bytes after {STEPS_MAX} runs")
