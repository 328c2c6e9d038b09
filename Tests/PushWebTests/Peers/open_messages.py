"""Decrypts messages that Swift has encrypted: reads a line of JSON for each, and prints one with the number and the digest of all texts."""

import base64
import hashlib
import json
import sys

import http_ece
from cryptography.hazmat.primitives import serialization


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def main() -> None:
    key = serialization.load_pem_private_key(sys.argv[1].encode(), None)
    count, digest = 0, hashlib.sha256()
    for line in iter(sys.stdin.readline, "\n"):
        message = json.loads(line)
        auth = decoded(message["auth"])
        text = http_ece.decrypt(decoded(message["body"]), private_key=key, auth_secret=auth, version="aes128gcm")
        count += 1
        digest.update(hashlib.sha256(text).digest())
    print(json.dumps({"count": count, "digest": digest.hexdigest()}))


if __name__ == "__main__":
    main()
