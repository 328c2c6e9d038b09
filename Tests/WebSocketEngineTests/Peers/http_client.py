"""An independent HTTP client, and raw requests. usage: http_client.py SCENARIO PORT_OR_PATH [ARGUMENT…]

Prints one JSON object and exits 0; an assertion that fails exits 1 with its text.
"""

import http.client
import json
import socket
import ssl
import sys
import time


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(self.path)


def connection_to(where):
    if where.startswith("/"):
        return UnixConnection(where)
    return http.client.HTTPConnection("127.0.0.1", int(where), timeout=60)


def keep_alive(where):
    """Makes several kinds of requests over one connection."""
    connection = connection_to(where)
    answers = []
    first = None
    for method, path, body in [
        ("GET", "/a?x=1&y=2", None),
        ("POST", "/b", b"12345"),
        ("POST", "/empty", b""),
        ("PUT", "/put", b"x" * 100_000),
        ("HEAD", "/head", None),
        ("DELETE", "/delete", None),
        ("GET", "/last", None),
    ]:
        connection.request(method, path, body=body)
        response = connection.getresponse()
        answers.append([response.status, response.read().decode()])
        first = first or connection.sock
        assert connection.sock is first, f"{method} {path} was answered and the connection closed"
    return {"answers": answers, "server": response.getheader("server")}


def post_size(where, size, path="/post"):
    connection = connection_to(where)
    connection.request("POST", path, body=b"x" * int(size))
    response = connection.getresponse()
    return {"status": response.status, "body": response.read().decode()}


def get(where, path):
    connection = connection_to(where)
    began = time.monotonic()
    connection.request("GET", path)
    response = connection.getresponse()
    return {
        "status": response.status,
        "body": response.read().decode(),
        "headers": dict(response.getheaders()),
        "seconds": time.monotonic() - began,
    }


def get_size(where, path):
    connection = connection_to(where)
    connection.request("GET", path)
    return {"size": len(connection.getresponse().read())}


def twice_deferred(where, path):
    """Makes two requests over one connection, each with a slow answer."""
    connection = connection_to(where)
    bodies = []
    for method in ["GET", "POST", "GET"]:
        connection.request(method, path, body=b"body" if method == "POST" else None)
        bodies.append(connection.getresponse().read().decode())
    return {"bodies": bodies}


def ask_and_leave(where, path):
    """Sends a request, waits for a line of input, and disconnects without reading the answer."""
    connection = connection_to(where)
    connection.request("GET", path)
    print(json.dumps({"asked": True}), flush=True)
    sys.stdin.readline()
    connection.sock.close()
    return {}


def raw(where, text):
    """Sends one raw request, with \\n for line ends; prints the received status lines."""
    connection = socket.create_connection(("127.0.0.1", int(where)), timeout=20)
    connection.sendall(text.replace("\\n", "\r\n").replace("\\t", "\t").encode())
    data = b""
    try:
        connection.settimeout(3)
        while True:
            piece = connection.recv(65536)
            if not piece:
                break
            data += piece
    except (ConnectionResetError, socket.timeout):
        pass
    lines = data.decode(errors="replace").split("\r\n")
    return {"statuses": [int(line.split()[1]) for line in lines if line.startswith("HTTP/1.")], "length": len(data), "text": data[:4000].decode(errors="replace")}


def tls(where, authority, most):
    context = ssl.create_default_context(cafile=authority)
    context.set_alpn_protocols(["h2", "http/1.1"])
    if most == "1.1":
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("ALL:@SECLEVEL=0")
    try:
        plain = socket.create_connection(("127.0.0.1", int(where)), timeout=20)
        connection = context.wrap_socket(plain, server_hostname="localhost")
    except (ssl.SSLError, ConnectionResetError) as error:
        return {"error": str(error)}
    connection.sendall(b"GET /tls HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    data = b""
    while True:
        piece = connection.recv(65536)
        if not piece:
            break
        data += piece
    return {"version": connection.version(), "alpn": connection.selected_alpn_protocol(), "text": data.decode()}


name, *arguments = sys.argv[1:]
print(json.dumps(globals()[name](*arguments)), flush=True)
