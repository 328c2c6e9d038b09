"""The wire's limits: authentication, refused messages, and reasons to close a connection."""

import http.client
import json
import sqlite3
import threading
import time
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from host import ScriptedHost
from paired_browser import PairedBrowser, pair_browser
from relay import code_of
from waits import wait_until
from wire import Connection

CANARY = "canary-7f3a91"


def refused(relay: Any, path: str, subprotocols: list[str] | None = None, **headers: str) -> int:
    """The HTTP status with which a WebSocket upgrade was refused."""
    offered = subprotocols or ["heliograph.v1"]
    with pytest.raises(InvalidStatus) as failure:
        connect(relay.url.replace("http", "ws") + path, subprotocols=offered, additional_headers=headers, proxy=None, legacy=True)
    return failure.value.response.status_code



def test_a_stranger_does_not_fill_the_log(relay):
    """Each refusal is counted; sixty are logged, then one per second with the number of omitted ones."""
    since = time.monotonic()
    for _ in range(150):
        assert refused(relay, "/v1/client") == 401
    assert relay.metric("heliograph_upgrades_refused_total") == 150
    assert 60 <= relay.log_text().count('"refused an upgrade"') <= 61 + time.monotonic() - since
    wait_until(lambda: refused(relay, "/v1/client") and '"suppressed":"' in relay.log_text(), 10, "a line that counts the others", every=0.5)


@pytest.mark.parametrize("path", ["/v1/host", "/v1/client"])
class TestToken:
    def test_without_one_there_is_no_upgrade(self, relay, path):
        assert refused(relay, path) == 401

    @pytest.mark.parametrize("header", ["Bearer wrong", "Bearer ", "Basic YTpi", "wrong", "Bearer " + "x" * 4000])
    def test_wrong_one(self, relay, path, header):
        assert refused(relay, path, Authorization=header) == 401

    def test_of_the_other_role(self, relay, path):
        other = relay.token("client" if path == "/v1/host" else "host", "other")
        assert refused(relay, path, Authorization=f"Bearer {other}") in (401, 403)

    def test_in_the_address_is_not_looked_at(self, relay, path):
        token = relay.token(path.rsplit("/", 1)[1], "right")
        assert refused(relay, f"{path}?token={token}&access_token={token}") == 401

    def test_revoked_one_ends_the_live_connection_and_opens_none(self, relay, path):
        role = path.rsplit("/", 1)[1]
        token = relay.token(role, "lost phone")
        connection = Connection(relay.url, path, token)
        connection.send({"type": "hello", "version": 1, "software": "test"})
        connection.wait(lambda message: message["type"] == "welcome", what="welcome")
        relay.revoke(relay.token_id("lost phone"))
        assert connection.wait_closed(5) == 4401
        assert refused(relay, path, Authorization=f"Bearer {token}") == 401

    def test_revoked_while_the_relay_was_away(self, relay, path):
        token = relay.token(path.rsplit("/", 1)[1], "lost phone")
        identifier = relay.token_id("lost phone")
        relay.stop()
        relay.revoke(identifier)
        relay.start()
        assert refused(relay, path, Authorization=f"Bearer {token}") == 401


def test_the_upgrade_needs_the_subprotocol(relay):
    token = relay.token("client", "phone")
    with pytest.raises(Exception):
        Connection(relay.url, "/v1/client", token, subprotocol="chat")


def test_compression_is_not_agreed_to(relay):
    headers = {"Authorization": f"Bearer {relay.token('client', 'phone')}"}
    offered = connect(
        relay.url.replace("http", "ws") + "/v1/client", subprotocols=["heliograph.v1"], additional_headers=headers, compression="deflate",
        proxy=None, legacy=True,
    )  # fmt: skip
    with offered as connection:
        assert "permessage-deflate" in connection.request.headers["Sec-WebSocket-Extensions"]
        assert "Sec-WebSocket-Extensions" not in connection.response.headers


def test_the_same_host_again_replaces_the_first(relay):
    token = relay.token("host", "laptop")
    first = Connection(relay.url, "/v1/host", token)
    first.send({"type": "hello", "version": 1, "software": "test", "sessions": []})
    first.wait(lambda message: message["type"] == "welcome", what="welcome")
    second = Connection(relay.url, "/v1/host", token)
    second.send({"type": "hello", "version": 1, "software": "test", "sessions": []})
    second.wait(lambda message: message["type"] == "welcome", what="welcome")
    assert first.wait_closed() == 4409
    assert second.is_open
    second.close()



class TestPairing:
    @pytest.mark.parametrize("role", ["client", "host"])
    def test_a_program_gets_a_token_that_works(self, relay, role):
        link = relay.pair_link(role)
        assert link.startswith(f"{relay.url}/#{'pair' if role == 'client' else 'host'}="), link
        answer = relay.post("/v1/pair", {"code": code_of(link), "name": "Ada's phone"})
        assert answer.status == 200
        assert answer.json["role"] == role and answer.json["name"] == "Ada's phone"
        connection = Connection(relay.url, f"/v1/{role}", answer.json["token"])
        connection.send({"type": "hello", "version": 1, "software": "test"})
        welcome = connection.wait(lambda message: message["type"] == "welcome", what="welcome")
        assert welcome[role]["name"] == "Ada's phone"
        connection.close()

    @pytest.mark.parametrize("is_revoked", [False, True])
    def test_a_host_that_shows_its_old_token_stays_the_host_that_it_was(self, relay, is_revoked):
        old = relay.token("host", "laptop")
        first = ScriptedHost(relay, "laptop", old)
        first.start_session("s1")
        first.wait_acked("s1")
        first.close()
        if is_revoked:
            relay.revoke(relay.token_id("laptop"))
        answer = relay.post("/v1/pair", {"code": code_of(relay.pair_link("host")), "name": "new name", "previous": old})
        assert answer.status == 200 and answer.json["token"] != old
        connection = Connection(relay.url, "/v1/host", answer.json["token"])
        connection.send({"type": "hello", "version": 1, "software": "test", "sessions": ["s1"]})
        welcome = connection.wait(lambda message: message["type"] == "welcome", what="welcome")
        assert welcome["host"]["name"] == "new name"
        assert welcome["sessions"] == [{"session": "s1", "through": 1}], "the session is its own"
        connection.close()
        assert refused(relay, "/v1/host", Authorization=f"Bearer {old}") == 401

    def test_what_is_no_token_of_a_host_is_no_proof(self, relay):
        host = relay.token("host", "laptop")
        phone = relay.token("client", "phone")
        for role, previous in [("host", phone), ("client", host), ("host", "hgh_unknown")]:
            answer = relay.post("/v1/pair", {"code": code_of(relay.pair_link(role)), "name": "x", "previous": previous})
            assert answer.status == 200, answer.body
        assert {"laptop", "phone"} <= {token["name"] for token in relay.tokens()}, "neither was revoked"
        assert relay.post("/v1/pair", {"code": "0000-0000", "name": "x", "previous": host}).status == 404
        assert "laptop" in {token["name"] for token in relay.tokens()}, "without a code nothing ends"

    def test_a_code_works_once(self, relay):
        code = code_of(relay.pair_link())
        assert relay.post("/v1/pair", {"code": code, "name": "first"}).status == 200
        again = relay.post("/v1/pair", {"code": code, "name": "second"})
        assert 400 <= again.status < 500
        assert "token" not in again.json and again.json["error"]["code"]

    def test_of_many_at_once_one_gets_it(self, relay):
        code = code_of(relay.pair_link())
        statuses: list[int] = []
        gate = threading.Barrier(8)

        def redeem() -> None:
            gate.wait()
            statuses.append(relay.post("/v1/pair", {"code": code, "name": "racer"}).status)

        racers = [threading.Thread(target=redeem) for _ in range(8)]
        for racer in racers:
            racer.start()
        for racer in racers:
            racer.join()
        assert statuses.count(200) == 1, statuses

    def test_an_expired_code_is_as_good_as_none(self, relay):
        code = code_of(relay.pair_link())
        with sqlite3.connect(next(relay.data.glob("*.sqlite"))) as database:
            assert database.execute("UPDATE pairing_codes SET expires_at = 1").rowcount == 1
        unknown = relay.post("/v1/pair", {"code": "AAAA-AAAA-AAAA", "name": "late"})
        late = relay.post("/v1/pair", {"code": code, "name": "late"})
        assert late.status == unknown.status and late.body == unknown.body

    @pytest.mark.parametrize("body", [b"nonsense", b"[]", b"{}", b'{"code":5}', b'{"code":"a","code":"b"}', b'{"code":"\xff"}', b""])
    def test_a_bad_body_is_refused_with_its_place(self, relay, body):
        answer = relay.post("/v1/pair", body)
        assert answer.status == 400
        assert answer.json["error"]["path"]

    def test_the_code_and_the_token_are_nowhere_in_clear(self, relay):
        code = code_of(relay.pair_link())
        token = relay.post("/v1/pair", {"code": code, "name": "phone"}).json["token"]
        relay.stop()
        assert token.encode() not in relay.files_text() and code.encode() not in relay.files_text()


class TestCookie:
    def test_no_script_and_no_other_site_can_use_it(self, relay):
        answer = relay.post("/v1/pair", {"code": code_of(relay.pair_link()), "name": "phone"}, {"Origin": relay.url})
        attributes = [part.strip().lower() for part in answer.headers["Set-Cookie"].split(";")]
        assert attributes[0].startswith("heliograph=")
        assert "httponly" in attributes and "samesite=strict" in attributes
        assert "token" not in answer.json, "a browser's token is in the cookie alone"
        assert answer.json["key"] not in answer.headers["Set-Cookie"], "and the page's key is not"

    def test_opens_the_wire_from_our_own_origin_only(self, relay):
        browser = pair_browser(relay)
        connection = browser.connect()
        connection.send({"type": "hello", "version": 1, "software": "page"})
        connection.wait(lambda message: message["type"] == "welcome", what="welcome")
        connection.close()
        for origin in ["https://evil.example", "null", relay.url + ".evil.example", relay.url.replace("http:", "https:"), f"{relay.url}0"]:
            assert refused(relay, "/v1/client", browser.subprotocols, Cookie=browser.cookie, Origin=origin) == 403, origin
        assert refused(relay, "/v1/client", browser.subprotocols, Cookie=browser.cookie) in (401, 403)

    def test_opens_no_host(self, relay):
        browser = pair_browser(relay)
        assert refused(relay, "/v1/host", browser.subprotocols, Cookie=browser.cookie, Origin=relay.url) in (401, 403)

    def test_alone_it_is_worth_nothing(self, relay):
        """A browser sends the cookie to every port of the host name: another server there can use neither it nor invented keys."""
        browser, other = pair_browser(relay), pair_browser(relay, "Bo's phone")
        secret = browser.cookie.split("=", 1)[1]
        bearer = {"Authorization": f"Bearer {secret}"}
        keyless = {"Cookie": browser.cookie, "Origin": relay.url}
        for headers in [
            bearer, keyless, keyless | bearer, keyless | {"Heliograph-Key": ""}, keyless | {"Heliograph-Key": secret},
            keyless | {"Heliograph-Key": other.key}, bearer | {"Heliograph-Key": other.key}, bearer | {"Heliograph-Key": browser.key},
            {"Authorization": f"Bearer {browser.key}"}, {"Heliograph-Key": browser.key, "Origin": relay.url},
        ]:  # fmt: skip
            for method, path in [("GET", "/v1/me"), ("GET", "/v1/devices"), ("GET", "/v1/tokens"), ("POST", "/v1/logout")]:
                assert relay.request(method, path, headers=headers).status == 401, (method, path, headers)
        for protocols in [[], [f"key.{secret}"], [f"key.{other.key}"], ["key."]]:
            offered = ["heliograph.v1", *protocols]
            assert refused(relay, "/v1/client", offered, Cookie=browser.cookie, Origin=relay.url) == 401, protocols
            assert refused(relay, "/v1/client", offered, **bearer, Origin=relay.url) == 401, protocols
            assert refused(relay, "/v1/client", offered, **bearer) == 401, protocols
        assert relay.get("/v1/me", browser.headers).status == 200

    def test_a_programs_token_is_no_cookie(self, relay):
        token = relay.token("client", "terminal")
        browser = pair_browser(relay)
        headers = browser.headers | {"Cookie": f"heliograph={token}"}
        assert relay.get("/v1/me", headers).status == 401

    def test_others_of_its_name_do_no_harm(self, relay):
        """Another port of the host name plants cookies; because of a longer path they even come first."""
        browser, theirs = pair_browser(relay), pair_browser(relay, "the attacker's own")
        for planted in ["heliograph=x", "heliograph=", theirs.cookie, "; ".join(["heliograph=x"] * 6)]:
            for cookies in [f"{planted}; {browser.cookie}", f"{browser.cookie}; {planted}"]:
                me = relay.get("/v1/me", browser.headers | {"Cookie": cookies})
                assert me.status == 200 and me.json["client"]["name"] == "Ada's phone", "nobody is made somebody else"
        assert relay.get("/v1/me", browser.headers | {"Cookie": theirs.cookie}).status == 401, "a logged-out page, no more"

    def test_another_site_cannot_pair(self, relay):
        code = code_of(relay.pair_link())
        assert relay.post("/v1/pair", {"code": code, "name": "evil"}, {"Origin": "https://evil.example"}).status == 403
        assert relay.post("/v1/pair", {"code": code, "name": "good"}).status == 200

    def test_me_and_logout(self, relay):
        assert relay.get("/v1/me").status == 401
        browser = pair_browser(relay)
        me = relay.get("/v1/me", browser.headers)
        assert me.json["client"]["name"] == "Ada's phone" and me.json["workspace"]["id"]
        connection = browser.connect()
        assert relay.request("POST", "/v1/logout", headers=browser.headers | {"Origin": "https://evil.example"}).status in (401, 403)
        left = relay.request("POST", "/v1/logout", headers=browser.headers)
        assert left.status in (200, 204) and "Max-Age=0" in left.headers["Set-Cookie"]
        assert connection.wait_closed(5) == 4401
        assert relay.get("/v1/me", browser.headers).status == 401



class TestLineage:
    def paired_by(self, relay: Any, connection: Connection, name: str) -> PairedBrowser:
        connection.send({"type": "pair", "id": f"pair-{name}", "role": "client"})
        reply = connection.wait(lambda message: message.get("id") == f"pair-{name}", what="a code")
        return pair_browser(relay, name, reply["link"])

    def family(self, relay: Any) -> tuple[PairedBrowser, PairedBrowser, PairedBrowser]:
        """A chain of tokens, each paired by the one before."""
        first = pair_browser(relay, "first")
        made = [first]
        for name in ("second", "third"):
            connection = made[-1].connect()
            connection.send({"type": "hello", "version": 1, "software": "page"})
            made.append(self.paired_by(relay, connection, name))
            connection.close()
        return made[0], made[1], made[2]

    def listed(self, relay: Any, browser: PairedBrowser) -> dict[str, Any]:
        answer = relay.get("/v1/tokens", browser.headers)
        assert answer.status == 200, answer.body
        return {token["name"]: token for token in answer.json["tokens"]}

    def test_each_is_listed_with_who_let_it_in_and_whom_it_let_in(self, relay):
        host = relay.token("host", "laptop")
        first, second, third = self.family(relay)
        live = third.connect()
        laptop = Connection(relay.url, "/v1/host", host)
        tokens = self.listed(relay, second)
        assert set(tokens) == {"first", "second", "third", "laptop"}
        assert {name: token["kind"] for name, token in tokens.items()} == {"first": "browser", "second": "browser", "third": "browser", "laptop": "host"}
        assert "by" not in tokens["first"] and tokens["third"]["by"] == {"id": tokens["second"]["id"], "name": "second"}
        assert [child["name"] for child in tokens["first"]["children"]] == ["second", "third"]
        assert [tokens[name]["connections"] for name in ("first", "third", "laptop")] == [0, 1, 1]
        assert all(token["usedAt"] >= token["createdAt"] for token in tokens.values())
        assert {token["usedFrom"] for token in tokens.values()} == {"127.0.0.1"}
        assert [name for name, token in tokens.items() if token.get("own")] == ["second"]
        one = relay.get(f"/v1/tokens/{tokens['first']['id']}", third.headers)
        assert one.json["children"] == tokens["first"]["children"]
        assert relay.get("/v1/tokens", {"Authorization": f"Bearer {host}"}).status == 403
        lines = relay.run("token", "list", "--data", str(relay.data)).stdout.splitlines()
        assert any("third" in line and "by second" in line and "connected now from 127.0.0.1" in line for line in lines), lines
        assert any("first" in line and "last used" in line for line in lines), lines
        live.close()
        laptop.close()

    def test_revoking_takes_along_whom_it_let_in(self, relay):
        first, second, third = self.family(relay)
        bystander = pair_browser(relay, "bystander")
        live = third.connect()
        tokens = self.listed(relay, bystander)
        answer = relay.post(f"/v1/tokens/{tokens['first']['id']}/revoke", {}, bystander.headers)
        assert [token["name"] for token in answer.json["revoked"]] == ["first", "second", "third"]
        assert live.wait_closed(5) == 4401
        assert [relay.get("/v1/me", one.headers).status for one in (first, second, third, bystander)] == [401, 401, 401, 200]
        audit = [json.loads(line) for line in relay.run("audit", "export", "--data", str(relay.data)).stdout.splitlines()]
        minted = {line["name"]: line.get("by") for line in audit if line["what"] == "pairing.redeemed"}
        assert minted == {"first": None, "second": tokens["first"]["id"], "third": tokens["second"]["id"], "bystander": None}
        assert {line["by"] for line in audit if line["what"] == "token.revoked"} == {tokens["bystander"]["id"]}

    def test_children_stay_where_one_says_so_and_are_still_known(self, relay):
        first, second, third = self.family(relay)
        name = relay.token_id("first")
        said = relay.run("token", "revoke", name, "--keep-children", "--data", str(relay.data)).stdout
        assert "revoked" in said.splitlines()[0] and [line.split()[0] for line in said.splitlines()] == ["revoked", "stays", "stays"]
        assert [relay.get("/v1/me", one.headers).status for one in (first, second, third)] == [401, 200, 200]
        assert self.listed(relay, second)["second"]["by"] == {"id": name, "name": "first", "revoked": True}
        said = relay.run("token", "revoke", name, "--data", str(relay.data)).stdout
        assert len(said.splitlines()) == 2 and relay.get("/v1/me", third.headers).status == 401

    def test_a_code_does_not_outlive_who_made_it(self, relay):
        """The codes of a revoked token are void, because a thief with brief access could create codes for later."""
        thief = pair_browser(relay, "thief")
        connection = thief.connect()
        connection.send({"type": "hello", "version": 1, "software": "page"})
        connection.send({"type": "pair", "id": "later", "role": "client"})
        link = connection.wait(lambda message: message.get("id") == "later", what="a code")["link"]
        relay.revoke(relay.token_id("thief"))
        assert relay.post("/v1/pair", {"code": code_of(link), "name": "thief again"}).status == 404

    def test_one_gets_another_name_where_it_shows_and_the_audit_says_who_gave_it(self, relay):
        browser, old = pair_browser(relay), pair_browser(relay, "old")
        path = f"/v1/tokens/{relay.token_id('old')}/rename"
        answer = relay.post(path, {"name": "Kitchen\u0007 tablet"}, browser.headers)
        assert (answer.status, answer.json["name"]) == (200, "Kitchen tablet"), answer.body
        assert relay.get("/v1/me", old.headers).json["client"]["name"] == "Kitchen tablet"
        for body in ({}, {"name": " \u200b"}, {"name": "x" * 1_000}):
            assert relay.post(path, body, browser.headers).status == 400, body
        assert relay.post("/v1/tokens/t_nothing/rename", {"name": "x"}, browser.headers).status == 404
        assert relay.post(path, {"name": "x"}, {"Cookie": browser.cookie, "Origin": relay.url}).status == 401
        audit = [json.loads(line) for line in relay.run("audit", "export", "--data", str(relay.data)).stdout.splitlines()]
        assert [(line["name"], line["by"]) for line in audit if line["what"] == "token.renamed"] == [("Kitchen tablet", relay.token_id("Ada's phone"))]

    def test_logging_out_takes_nobody_along(self, relay):
        first, second, _ = self.family(relay)
        assert relay.request("POST", "/v1/logout", headers=first.headers).status == 204
        assert relay.get("/v1/me", second.headers).status == 200

    def test_nobody_ends_what_is_not_there(self, relay):
        browser = pair_browser(relay)
        for name in ("t_nothing", "t_%2e"):
            assert relay.post(f"/v1/tokens/{name}/revoke", {}, browser.headers).status in (400, 404), name
        keyless = {"Cookie": browser.cookie, "Origin": relay.url}
        assert relay.post("/v1/tokens/" + relay.token_id("Ada's phone") + "/revoke", {}, keyless).status == 401



def event(kind: str = "message", head: Any = None, **more: Any) -> str:
    made = {"kind": kind, "at": 1, "head": {"role": "user"} if head is None else head, **more}
    return json.dumps(made, ensure_ascii=False)


def events(*made: str, session: str = '"s1"', first: str = "1") -> str:
    return f'{{"type":"events","session":{session},"first":{first},"events":[{",".join(made)}]}}'


def nested(depth: int) -> str:
    return event(body={"input": 0}).replace('"input": 0', '"input": ' + '{"a":' * depth + f'"{CANARY}"' + "}" * depth)


BODY = {"text": CANARY}
GOOD = event(body=BODY)

# For each message of a host: sent text, error code, place of the error; a place of None means `byte …`.
HOST_MATRIX: dict[str, tuple[str, str, str | None]] = {
    "not JSON": (f"{CANARY} nonsense", "badJSON", None),
    "cut short": (events(GOOD)[:-1], "badJSON", None),
    "more after it": (events(GOOD) + "{}", "badJSON", None),
    "trailing comma": (events(GOOD)[:-1] + ",}", "badJSON", None),
    "single quotes": ("{'type':'events'}", "badJSON", None),
    "NaN": (events(GOOD, first="NaN"), "badJSON", None),
    "leading zero": (events(GOOD, first="01"), "badJSON", None),
    "byte-order mark": ("\ufeff" + events(GOOD), "badJSON", None),
    "raw control character": (events(GOOD).replace(CANARY, CANARY + "\n"), "badJSON", None),
    "empty message": ("", "badJSON", None),
    "an array": (f'["{CANARY}"]', "wrongType", "$"),
    "a string": (f'"{CANARY}"', "wrongType", "$"),
    "no type": ("{}", "missingField", "$.type"),
    "null type": ('{"type":null}', "missingField", "$.type"),
    "number for a type": ('{"type":5}', "wrongType", "$.type"),
    "unknown type": (f'{{"type":"launch","session":"s1","text":"{CANARY}"}}', "unknownType", "$.type"),
    "missing field": (f'{{"type":"events","first":1,"events":[{GOOD}]}}', "missingField", "$.session"),
    "missing field deep inside": (events(GOOD, event(head={}, body=BODY)), "missingField", "$.events[1].head.role"),
    "missing head": (events(f'{{"kind":"message","at":1,"body":{{"text":"{CANARY}"}}}}'), "missingField", "$.events[0].head"),
    "string for a number": (events(GOOD, first='"1"'), "wrongType", "$.first"),
    "fraction": (events(GOOD, first="1.0"), "wrongType", "$.first"),
    "exponent": (events(GOOD, first="1e0"), "wrongType", "$.first"),
    "object for a list": (f'{{"type":"events","session":"s1","first":1,"events":{GOOD}}}', "wrongType", "$.events"),
    "string for a body": (events(event(body=CANARY)), "wrongType", "$.events[0].body"),
    "zero": (events(GOOD, first="0"), "outOfRange", "$.first"),
    "negative": (events(GOOD, first="-1"), "outOfRange", "$.first"),
    "beyond 2^53": (events(GOOD, first="9007199254740993"), "outOfRange", "$.first"),
    "beyond 2^64": (events(GOOD, first="99999999999999999999999"), "outOfRange", "$.first"),
    "negative money": (events(event("usage", {"costMicroUSD": -1}, body=BODY)), "outOfRange", "$.events[0].head.costMicroUSD"),
    "too much money": (events(event("usage", {"costMicroUSD": 10**13}, body=BODY)), "outOfRange", "$.events[0].head.costMicroUSD"),
    "no events": ('{"type":"events","session":"s1","first":1,"events":[]}', "outOfRange", "$.events"),
    "too many events": (events(*[GOOD] * 257), "outOfRange", "$.events"),
    "an event too big": (events(event(body={"text": CANARY + "x" * (256 << 10)})), "outOfRange", "$.events[0]"),
    "a title too long": (events(event("session.renamed", {"title": CANARY * 400})), "outOfRange", "$.events[0].head.title"),
    "bad identifier": (events(GOOD, session='"a b"'), "badValue", "$.session"),
    "identifier too long": (events(GOOD, session='"' + "a" * 65 + '"'), "badValue", "$.session"),
    "composed letter in an identifier": (events(GOOD, session='"caf\u00e9"'), "badValue", "$.session"),
    "bad digest": (
        events(event("approval.requested", {"approval": "a", "kind": "tool", "tool": "Bash", "title": "x", "digest": "A" * 64})),
        "badValue", "$.events[0].head.digest",
    ),
    "unknown word": (events(event("message", {"role": "system"}, body=BODY)), "badValue", "$.events[0].head.role"),
    "decided by a host": (
        events(event("approval.decided", {"approval": "a", "decision": {
            "decision": "allow", "by": {"client": "c", "name": "n"}, "at": 1, "command": "x"}}, body=BODY)),
        "badValue", "$.events[0].kind",
    ),  # fmt: skip
    "expired by a host": (events(event("approval.expired", {"approval": "a"}, body=BODY)), "badValue", "$.events[0].kind"),
    "duplicate key": (events(GOOD).replace('"first":1', '"first":1,"first":2'), "duplicateKey", None),
    "duplicate key, escaped": (events(GOOD).replace('"first":1', '"first":1,"f\\u0069rst":2'), "duplicateKey", None),
    "duplicate key in a body": (events(event(body={"input": 0}).replace('"input": 0', f'"a":"{CANARY}","a":2')), "duplicateKey", None),
    "200 deep": (events(nested(200)), "tooDeep", None),
    "100,000 deep": ("[" * 100_000, "tooDeep", None),
    "lone high surrogate": (events(GOOD.replace(CANARY, CANARY + "\\ud800")), "loneSurrogate", None),
    "lone low surrogate": (events(GOOD.replace(CANARY, CANARY + "\\udc00x")), "loneSurrogate", None),
    "surrogates in the wrong order": (events(GOOD.replace(CANARY, CANARY + "\\udc00\\ud800")), "loneSurrogate", None),
    "lone surrogate in a key": (events(event(body={"text": 0}).replace('"text"', f'"{CANARY}\\ud800"')), "loneSurrogate", None),
}

DIGEST = "0" * 64
# Like HOST_MATRIX, for a client's messages; True if the command's id is readable, so that the refusal is its reply.
CLIENT_MATRIX: dict[str, tuple[str, str, str | None, bool]] = {
    "not JSON": (f"{CANARY} nonsense", "badJSON", None, False),
    "an array": ("[]", "wrongType", "$", False),
    "no type": ('{"id":"c1"}', "missingField", "$.type", False),
    "unknown type": ('{"type":"launch","id":"c1"}', "unknownType", "$.type", False),
    "no id": ('{"type":"subscribe"}', "missingField", "$.id", False),
    "bad id": (f'{{"type":"subscribe","id":"{CANARY} x"}}', "badValue", "$.id", False),
    "wrong type": ('{"type":"subscribe","id":"c1","session":7}', "wrongType", "$.session", True),
    "missing field": ('{"type":"history","id":"c1","session":"s1","limit":5}', "missingField", "$.before", True),
    "missing field inside": ('{"type":"subscribe","id":"c1","session":"s1","after":{"seq":1}}', "missingField", "$.after.epoch", True),
    "out of range": ('{"type":"history","id":"c1","session":"s1","before":9,"limit":501}', "outOfRange", "$.limit", True),
    "negative position": ('{"type":"subscribe","id":"c1","session":"s1","after":{"epoch":"e","seq":-1}}', "outOfRange", "$.after.seq", True),
    "fraction": ('{"type":"history","id":"c1","session":"s1","before":9.5,"limit":5}', "wrongType", "$.before", True),
    "unknown word": (
        f'{{"type":"decide","id":"c1","session":"s1","approval":"a","digest":"{DIGEST}","decision":"maybe"}}',
        "badValue", "$.decision", True,
    ),
    "answer through decide": (
        f'{{"type":"decide","id":"c1","session":"s1","approval":"a","digest":"{DIGEST}","decision":"answer"}}',
        "badValue", "$.decision", True,
    ),
    "bad digest": (
        '{"type":"decide","id":"c1","session":"s1","approval":"a","digest":"00","decision":"allow"}', "badValue", "$.digest", True,
    ),
    "missing digest": (
        '{"type":"decide","id":"c1","session":"s1","approval":"a","decision":"allow"}', "missingField", "$.digest", True,
    ),
    "message too long": (
        f'{{"type":"decide","id":"c1","session":"s1","approval":"a","digest":"{DIGEST}","decision":"deny","message":"{CANARY * 3000}"}}',
        "outOfRange", "$.message", True,
    ),
    "too many answers": (
        f'{{"type":"answer","id":"c1","session":"s1","approval":"a","digest":"{DIGEST}","answers":[{",".join(["{}"] * 65)}]}}',
        "outOfRange", "$.answers", True,
    ),
    "duplicate decision": (
        f'{{"type":"decide","id":"c1","session":"s1","approval":"a","digest":"{DIGEST}","decision":"deny","decision":"allow"}}',
        "duplicateKey", None, False,
    ),
    "duplicate decision, escaped": (
        f'{{"type":"decide","id":"c1","session":"s1","approval":"a","digest":"{DIGEST}","decision":"deny","\\u0064ecision":"allow"}}',
        "duplicateKey", None, False,
    ),
    "an allow with an edit": (
        f'{{"type":"decide","id":"c1","session":"s1","approval":"a","digest":"{DIGEST}","decision":"allow","edit":"{CANARY}"}}',
        "badValue", "$.edit", True,
    ),
    "200 deep": ('{"type":"subscribe","id":"c1","x":' + "[" * 200 + "]" * 200 + "}", "tooDeep", None, False),
    "lone surrogate": (f'{{"type":"prompt","id":"c1","session":"s1","text":"{CANARY}\\udfff"}}', "loneSurrogate", None, False),
}  # fmt: skip


def assert_refusal(refusal: dict[str, Any], code: str, path: str | None) -> None:
    assert refusal["code"] == code, refusal
    assert refusal["message"].strip(), refusal
    place = refusal.get("path")
    if path is None:
        assert place and place.startswith("byte "), refusal
    else:
        assert place == path, refusal
    assert CANARY not in json.dumps(refusal), "what was sent must not come back: it could be a secret"


@pytest.mark.parametrize("case", HOST_MATRIX)
def test_bad_input_of_a_host(relay, scripted_host, case):
    text, code, path = HOST_MATRIX[case]
    host = scripted_host(relay)
    connection = host.connection
    since = len(connection.messages)
    connection.send(text)
    notice = connection.wait(lambda message: message["type"] == "notice", what="a notice", since=since)
    assert_refusal(notice, code, path)
    if code == "unknownType":
        assert "launch" in notice["message"]
    # The connection stays open and accepts a correct message; nothing of the refused one is stored.
    host.start_session("s2")
    host.wait_acked("s2")
    assert relay.rows("SELECT DISTINCT kind FROM events") == [("session.started",)]
    assert CANARY.encode() not in relay.files_text()


@pytest.mark.parametrize("case", CLIENT_MATRIX)
def test_bad_input_of_a_client(relay, client, case):
    text, code, path, is_reply = CLIENT_MATRIX[case]
    phone = client(relay)
    since = len(phone.messages)
    phone.connection.send(text)
    refusal = phone.wait(lambda message: message["type"] in ("notice", "reply"), what="a refusal", since=since)
    if is_reply:
        assert refusal["type"] == "reply" and refusal["id"] == "c1"
        refusal = refusal["error"]
    else:
        assert refusal["type"] == "notice"
    assert_refusal(refusal, code, path)
    assert "error" not in phone.subscribe()
    assert CANARY.encode() not in relay.files_text()


def test_a_bad_event_takes_its_whole_batch_with_it(relay, scripted_host, client):
    host = scripted_host(relay)
    host.start_session("s1")
    host.wait_acked("s1")
    host.connection.send(events(event(), event(head={"role": "nobody"}), first="2"))
    wait_until(host.notices, 10, "a notice")
    host.event("s1", "message", {"role": "assistant"}, {"text": "the real second"})
    host.wait_acked("s1", 2)
    phone = client(relay)
    phone.subscribe("s1")
    assert phone.kinds("s1") == ["session.started", "message"]
    assert phone.logs["s1"][1]["body"] == {"text": "the real second"}


def test_hello_comes_first(relay):
    for role in ("host", "client"):
        connection = Connection(relay.url, f"/v1/{role}", relay.token(role, role))
        connection.send(events(event()) if role == "host" else '{"type":"subscribe","id":"c1"}')
        refusal = connection.wait(lambda _: True, what="a refusal")
        refusal = refusal.get("error", refusal)
        assert refusal["code"] == "helloFirst"
        connection.send({"type": "hello", "version": 1, "software": "test"})
        connection.wait(lambda message: message["type"] == "welcome", what="welcome, for the connection is up")
        connection.close()
    assert relay.rows("SELECT count(*) FROM events") == [(0,)]


@pytest.mark.parametrize("role", ["host", "client"])
def test_a_version_of_the_future_is_told_so(relay, role):
    connection = Connection(relay.url, f"/v1/{role}", relay.token(role, role))
    connection.send({"type": "hello", "version": 2, "software": "test"})
    assert connection.wait(lambda message: message["type"] == "notice", what="a notice")["code"] == "unsupportedVersion"
    assert connection.wait_closed() == 4426



@pytest.mark.parametrize("role", ["host", "client"])
class TestFraming:
    def open(self, relay: Any, role: str) -> Connection:
        connection = Connection(relay.url, f"/v1/{role}", relay.token(role, role))
        connection.send({"type": "hello", "version": 1, "software": "test"})
        connection.wait(lambda message: message["type"] == "welcome", what="welcome")
        return connection

    def test_10_megabytes(self, relay, role):
        connection = self.open(relay, role)
        try:
            connection.send(f'{{"type":"hello","version":1,"software":"{CANARY * 800_000}"}}')
        except Exception:
            pass  # the relay may close the connection before all bytes are sent
        assert connection.wait_closed() == 1009
        relay.stop()
        assert CANARY.encode() not in relay.files_text()

    def test_one_byte_too_many(self, relay, role):
        connection = self.open(relay, role)
        limit = connection.messages[0]["limits"]["messageBytes"]
        message = '{"type":"launch","x":""}'
        connection.send(message[:-2] + "x" * (limit - len(message)) + message[-2:])
        connection.wait(lambda message: message.get("code") == "unknownType", what="a notice: exactly the limit is fine")
        connection.send(message[:-2] + "x" * (limit - len(message) + 1) + message[-2:])
        assert connection.wait_closed() == 1009

    def test_not_utf8(self, relay, role):
        connection = self.open(relay, role)
        connection.socket.send(b'{"type":"launch","x":"\xff\xfe"}', text=True)
        assert connection.wait_closed() == 1007

    def test_binary(self, relay, role):
        connection = self.open(relay, role)
        connection.send(b'{"type":"hello","version":1,"software":"test"}')
        assert connection.wait_closed() == 1003

    def test_fragments_are_one_message(self, relay, role):
        connection = self.open(relay, role)
        connection.socket.send(["{", '"type"', ":", '"launch', '"', "}"])
        assert "launch" in connection.wait(lambda message: message["type"] == "notice", what="a notice")["message"]
        connection.close()

    def test_the_relay_tells_what_it_expects(self, relay, role):
        connection = self.open(relay, role)
        welcome = connection.messages[0]
        assert welcome["version"] == 1 and welcome["software"].startswith("heliograph")
        assert welcome["limits"] == {"messageBytes": 1 << 20, "batchEvents": 256, "eventBytes": 256 << 10}
        beat = welcome["heartbeat"]
        assert 0 < beat["pingSeconds"] < beat["hangUpSeconds"]
        connection.close()


def test_stopping_the_relay_says_come_back(relay, client, scripted_host):
    phone, host = client(relay), scripted_host(relay)
    relay.stop()
    assert phone.connection.wait_closed() in (1001, 4000)
    wait_until(lambda: host.closed_with, 10, "the host's close code")
    assert host.closed_with[0] in (1001, 4000)



def test_unknown_fields_and_kinds_are_carried(relay, scripted_host, client):
    host, phone = scripted_host(relay), client(relay)
    host.start_session("s1", tomorrow={"a": 1})
    host.event("s1", "mood.changed", {"mood": "sunny"}, {"why": "weather"})
    host.wait_acked("s1")
    phone.subscribe("s1")
    assert phone.kinds("s1") == ["session.started", "mood.changed"]
    assert phone.logs["s1"][0]["head"]["tomorrow"] == {"a": 1}
    assert phone.logs["s1"][1]["body"] == {"why": "weather"}
    assert "error" not in phone.command("subscribe", tomorrow=True)


def test_a_body_comes_out_byte_for_byte(relay, scripted_host, client):
    host = scripted_host(relay)
    odd = '{"kind":"message","at":1,  "head" :{"role":"user"},"body":{"text":"\\u0041\\/ \\ud83d\\ude00 \u202e","n":1.50e+3,"z":null}}'
    host.connection.send(events(odd, session='"odd"'))
    wait_until(lambda: host.through.get("odd") == 1, 10, "an ack")
    phone = client(relay)
    phone.subscribe("odd")
    assert phone.logs["odd"][0]["body"] == {"text": "A/ \U0001f600 \u202e", "n": 1500.0, "z": None}
    assert relay.rows("SELECT bytes FROM events")[0][0] == odd.encode()



def test_what_the_relay_has_is_skipped_and_a_hole_is_asked_for(relay, scripted_host, client):
    host = scripted_host(relay)
    host.start_session("s1")
    for number in range(2, 6):
        host.event("s1", "message", {"role": "user"}, {"text": str(number)})
    host.wait_acked("s1", 5)
    host.connection.send(events(event(body={"text": "again"}), event(body={"text": "6"}), first="5"))
    wait_until(lambda: host.through["s1"] == 6, 10, "an ack through 6")
    since = len(host.connection.messages)
    host.connection.send(events(event(body={"text": "9"}), first="9"))
    asked = host.connection.wait(lambda message: message["type"] == "resend", what="resend", since=since)
    assert asked == {"type": "resend", "session": "s1", "from": 7}
    phone = client(relay)
    phone.subscribe("s1")
    assert [entry.get("body", {}).get("text") for entry in phone.logs["s1"]] == [None, "2", "3", "4", "5", "6"]


def test_a_gap_that_the_host_admits_is_an_event(relay, scripted_host, client):
    host, phone = scripted_host(relay), client(relay)
    host.start_session("s1")
    host.wait_acked("s1")
    phone.subscribe("s1")
    host.connection.send(events(event(body={"text": "9"}), first="9").replace('"first"', '"gap":true,"first"'))
    wait_until(lambda: host.through["s1"] == 9, 10, "an ack through 9")
    phone.wait_event("s1", lambda entry: entry.get("body") == {"text": "9"})
    assert phone.kinds("s1") == ["session.started", "truncated", "message"]


def test_a_client_resumes_without_gap_or_repeat(relay, scripted_host, client):
    host = scripted_host(relay)
    host.start_session("s1")
    host.wait_acked("s1")
    first = client(relay, token=(token := relay.token("client", "phone")))
    first.subscribe("s1")
    position = first.position("s1")
    first.close()
    host.events("s1", [("message", {"role": "user"}, {"text": str(number)}) for number in range(600)])
    host.wait_acked("s1")
    second = client(relay, token=token)
    second.subscribe("s1", after=position)
    second.wait_event("s1", lambda entry: entry.get("body") == {"text": "599"})
    assert [entry["body"]["text"] for entry in second.logs["s1"]] == [str(number) for number in range(600)]
    assert not [message for message in second.messages if message["type"] in ("snapshot", "reset")]
    second.wait(lambda message: message["type"] == "summary", what="the summary after the replay")


@pytest.mark.parametrize(
    "epoch, seq, reason", [("another", 1, "epochChanged"), (None, 1000, "ahead")], ids=["another epoch", "ahead of the log"]
)
def test_a_position_that_cannot_go_on_is_reset(relay, scripted_host, client, epoch, seq, reason):
    host, phone = scripted_host(relay), client(relay)
    host.start_session("s1")
    host.wait_acked("s1")
    phone.subscribe("s1", after={"epoch": epoch or phone.welcome["epoch"], "seq": seq})
    reset = phone.wait(lambda message: message["type"] == "reset", what="reset")
    assert reset["reason"] == reason
    phone.wait(lambda message: message["type"] == "snapshot", what="a snapshot after the reset")
    assert phone.kinds("s1") == ["session.started"]


def test_history_pages_backwards_to_the_first(relay, scripted_host, client):
    host, phone = scripted_host(relay), client(relay)
    host.events("s1", [("session.started", {"agent": {"name": "claude"}})] + [
        ("message", {"role": "user"}, {"text": str(number)}) for number in range(2, 701)])  # fmt: skip
    host.wait_acked("s1")
    phone.subscribe("s1")
    assert len(phone.logs["s1"]) == 200 and phone.firsts["s1"] == 501
    before, found = phone.firsts["s1"], []
    while before > 1:
        page = phone.command("history", session="s1", before=before, limit=300)
        assert page["events"] and page["first"] + len(page["events"]) == before
        found = page["events"] + found
        before = page["first"]
    texts = [entry.get("body", {}).get("text") for entry in found + phone.logs["s1"]]
    assert texts == [None] + [str(number) for number in range(2, 701)]


def test_deltas_are_live_only(relay, scripted_host, client):
    host, phone = scripted_host(relay), client(relay)
    host.start_session("s1")
    host.wait_acked("s1")
    phone.subscribe("s1")
    host.deltas("s1", "m1", "Hel")
    delta = phone.wait(lambda message: message["type"] == "deltas", what="a delta")
    assert delta == {"type": "deltas", "session": "s1", "message": "m1", "text": "Hel"}
    assert relay.rows("SELECT count(*) FROM events") == [(1,)]


def test_output_of_a_running_tool_is_live_only_and_short(relay, scripted_host, client):
    host, phone = scripted_host(relay), client(relay)
    host.start_session("s1")
    host.wait_acked("s1")
    phone.subscribe("s1")
    host.output("s1", "c1", "x" * 5_000)
    host.connection.wait(lambda message: message["type"] == "notice", what="a refusal")
    host.output("s1", "c1", "Hel\n")
    output = phone.wait(lambda message: message["type"] == "output", what="output")
    assert output == {"type": "output", "session": "s1", "call": "c1", "text": "Hel\n"}
    assert relay.rows("SELECT count(*) FROM events") == [(1,)]


def test_one_host_cannot_write_into_anothers_session(relay, scripted_host, client):
    mine, other = scripted_host(relay, "mine"), scripted_host(relay, "other")
    mine.start_session("s1", title="mine")
    mine.wait_acked("s1")
    other.connection.send(events(event("session.renamed", {"title": "stolen"}), first="2"))
    other.connection.wait(lambda message: message["type"] in ("notice", "resend"), what="a refusal")
    mine.event("s1", "message", {"role": "user"}, {"text": "still mine"})
    mine.wait_acked("s1", 2)
    phone = client(relay)
    phone.subscribe("s1")
    assert phone.kinds("s1") == ["session.started", "message"]
    assert phone.summaries["s1"]["title"] == "mine"



def test_schema_health_and_metrics(relay):
    assert relay.get("/healthz").status == 200
    schema = relay.get("/v1/schema.json")
    assert schema.status == 200 and schema.json["$defs"]["host-to-relay"]
    metrics = relay.get("/metrics")
    assert metrics.status == 200 and b"# TYPE" in metrics.body
    assert relay.get("/no/such/page").status == 404


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/%2e%2e%2fsecret.txt", "/.%2e/secret.txt", "/x/../../secret.txt",
        "/%252e%252e/secret.txt", "/..\\secret.txt", "//etc/hostname", "/.hidden.txt", "/../relay/data/heliograph.sqlite",
    ],
)  # fmt: skip
def test_only_the_pages_own_files_are_served(make_relay, tmp_path, path):
    web = tmp_path / "web"
    web.mkdir()
    for file in (web / "index.html", web / ".hidden.txt", tmp_path / "secret.txt"):
        file.write_text(CANARY)
    relay = make_relay("--web-root", str(web))
    assert CANARY in relay.get("/").body.decode()
    answer = relay.get(path)
    assert answer.status == 404 and CANARY not in answer.body.decode()


def test_every_answer_is_hardened(relay):
    for path in ("/", "/healthz", "/no/such/page", "/v1/me"):
        headers = relay.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff", path
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy or "default-src 'self'" in policy, policy
        assert "unsafe" not in policy


def test_a_slow_or_broken_request_harms_nobody(relay, client):
    sockets = []
    for start in (b"GET /v1/client HTTP/1.1\r\nHost: x\r\n", b"\x16\x03\x01\x02\x00\x01", b"POST /v1/pair HTTP/1.1\r\nContent-Length: 5\r\n\r\nab"):
        connection = http.client.HTTPConnection("127.0.0.1", relay.port, timeout=5)
        connection.connect()
        connection.sock.sendall(start)
        sockets.append(connection)
    assert relay.get("/healthz").status == 200
    assert "error" not in client(relay).subscribe()
    for connection in sockets:
        connection.close()
