"""Runs Tests/Integration/push_service.py as a process: reads commands and prints events as lines of JSON.

Arguments: the files of certificate and key, then the protocols of ALPN.
"""

import asyncio
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Integration"))

from push_service import Answer, PushService  # noqa: E402


def say(**fields: object) -> None:
    print(json.dumps(fields), flush=True)


async def report(service: PushService) -> None:
    while True:
        request = await service.requests.get()
        headers = {name: value for name, value in request.headers.items() if not name.startswith(":")}
        say(event="request", path=request.path, headers=headers, http=request.http, connection=request.connection,
            status=request.status, reason=request.reason, text=request.text.decode(errors="replace"))  # fmt: skip


def obey(service: PushService, order: dict) -> None:
    match order["do"]:
        case "subscribe":
            say(event="subscribed", **service.subscribe(order.get("key")).subscription())
        case "unsubscribe":
            service.unsubscribe(order["endpoint"])
            say(event="unsubscribed")
        case "answer":
            service.answers.append(
                Answer(order.get("status"), order.get("headers", {}), order.get("body", "").encode(), order.get("cuts", False))
            )
            say(event="ready")


async def main() -> None:
    certificate, key, *protocols = sys.argv[1:]
    service = PushService(certificate, key, protocols)
    say(event="listening", port=await service.start())
    reporting = asyncio.create_task(report(service))
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while line := await orders.readline():
        obey(service, json.loads(line))
    reporting.cancel()


if __name__ == "__main__":
    asyncio.run(main())
