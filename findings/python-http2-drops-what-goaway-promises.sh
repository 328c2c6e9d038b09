#!/usr/bin/env bash
# A GOAWAY of HTTP/2 with NO_ERROR is how a server ends a connection in peace (APNs does): streams up to the number in it
# are still answered, those above were not touched and may be sent again. The Python clients on h2 do neither. httpx
# 0.28.1 and httpx2 2.16.2 (PyPI) fail the request that was about to be answered; aioapns 4.0 hangs up and sends the push
# again by itself, though the server has taken it and said so, and reports one success. curl waits for the answer.
#
# Seen, a POST as stream 1, GOAWAY (NO_ERROR, last stream 1) at once, its answer 0.3 s later:
#       curl      200                                            the server has the request 1 time
#       httpx     RemoteProtocolError: ConnectionTerminated      1 time
#       httpx2    RemoteProtocolError: ConnectionTerminated      1 time
#       aioapns   200                                            2 times, with the same apns-id
# A phone rings twice, or a push that arrived counts as failed and its sender repeats it; and it happens whenever the
# service moves its connections, not under load.
set -euo pipefail
[ -n "${LIMITED-}" ] || LIMITED=1 exec timeout 175 bash "$0"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
timeout 130 "$work/venv/bin/pip" --disable-pip-version-check install -q --no-cache-dir --no-compile \
    aioapns==4.0 "httpx[http2]==0.28.1" "httpx2[http2]==2.16.2" h2==4.4.1
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout "$work/key" -out "$work/certificate" 2> /dev/null
cat "$work/certificate" "$work/key" > "$work/both"

cat > "$work/try.py" <<'PYTHON'
import asyncio, logging, ssl, struct, sys

import aioapns, aioapns.connection, httpx, httpx2
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded

logging.disable(logging.CRITICAL)
work, taken = sys.argv[1], []

class Server(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.names = transport, {}
        self.connection = H2Connection(H2Configuration(client_side=False))
        self.connection.initiate_connection()
        self.transport.write(self.connection.data_to_send())

    def data_received(self, data):
        for event in self.connection.receive_data(data):
            if isinstance(event, RequestReceived):
                self.names[event.stream_id] = dict(event.headers).get(b"apns-id", b"none").decode()
            elif isinstance(event, DataReceived):
                self.connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, StreamEnded):
                taken.append(self.names[event.stream_id])
                if len(taken) == 1:  # by hand, for h2 itself would send nothing after it
                    goaway = struct.pack("!IBIII", 8 << 8 | 7, 0, 0, event.stream_id, 0)
                    self.transport.write(self.connection.data_to_send() + goaway)
                    asyncio.get_running_loop().call_later(0.3, self.answer, event.stream_id)
                else: self.answer(event.stream_id)
        self.transport.write(self.connection.data_to_send())

    def answer(self, stream):
        if self.transport.is_closing(): return
        self.connection.send_headers(stream, [(":status", "200"), ("apns-id", self.names[stream])], end_stream=True)
        self.transport.write(self.connection.data_to_send())

async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{work}/both")
    context.set_alpn_protocols(["h2"])
    server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    outcomes = {}

    async def attempt(name, sending):
        taken.clear()
        try: said = await asyncio.wait_for(sending, 15)
        except (httpx.RemoteProtocolError, httpx2.RemoteProtocolError) as error:
            said = f"{type(error).__name__}: {str(error)[1:].split()[0]}"
        print(f"{name:9} {said:44} {len(taken)} time(s), {len(set(taken))} apns-id")
        outcomes[name] = said, len(taken), len(set(taken))

    async def by_curl():
        curl = await asyncio.create_subprocess_exec(
            "curl", "-s", "--http2", "--noproxy", "*", "--cacert", f"{work}/certificate", "-d", "{}", "-o", "/dev/null",
            "-w", "%{http_code}", f"https://localhost:{port}/3/device/aa", stdout=asyncio.subprocess.PIPE)
        return (await curl.communicate())[0].decode()

    async def by(library):
        trusting = ssl.create_default_context(cafile=f"{work}/certificate")
        async with library.AsyncClient(http2=True, verify=trusting, trust_env=False) as client:
            return str((await client.post(f"https://localhost:{port}/3/device/aa", json={})).status_code)

    async def by_aioapns():
        protocol = aioapns.connection.APNsProductionClientProtocol
        protocol.APNS_SERVER, protocol.APNS_PORT = "localhost", port
        trusting = ssl.create_default_context(cafile=f"{work}/certificate")
        trusting.set_alpn_protocols(["h2"])
        client = aioapns.APNs(client_cert=f"{work}/both", ssl_context=trusting, topic="app")
        push = aioapns.NotificationRequest(device_token="aa", message={"aps": {"alert": "Allow?"}})
        return (await client.send_notification(push)).status

    for name, sending in {"curl": by_curl(), "httpx": by(httpx), "httpx2": by(httpx2), "aioapns": by_aioapns()}.items():
        await attempt(name, sending)
    failed = "RemoteProtocolError: ConnectionTerminated", 1, 1
    right = outcomes == {"curl": ("200", 1, 1), "httpx": failed, "httpx2": failed, "aioapns": ("200", 2, 1)}
    sys.exit(0 if right else "Changed: what a graceful GOAWAY does to a request that is being answered")

asyncio.run(main())
PYTHON
timeout 40 "$work/venv/bin/python" "$work/try.py" "$work"
