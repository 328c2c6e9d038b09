import Testing
import WebSocketEngine

@testable import HeliographServer

@Suite struct ForwardingTests {
    private func whom(
        _ peer: String, _ value: String?, _ header: Forwarding.Header = .xForwardedFor,
        trusting: String = "10.0.0.0/8,2001:db8::/32"
    ) throws -> String {
        let forwarding = Forwarding(proxies: try #require(TrustedProxies(trusting)), header: header)
        switch forwarding.whom(try #require(IPAddress(peer)), says: value) {
        case .peer: return "peer"
        case .visitor(let address): return address.description
        case .malformed: return "malformed"
        }
    }

    @Test(arguments: [
        // No header, or one from a peer that is not trusted.
        ("10.0.0.1", nil, "peer"), ("192.0.2.9", "203.0.113.1", "peer"), ("::ffff:192.0.2.9", "203.0.113.1", "peer"),
        // One proxy, or several. Everything to the left of the first untrusted address is made up.
        ("10.0.0.1", "203.0.113.1", "203.0.113.1"), ("10.0.0.1", " 203.0.113.1\t", "203.0.113.1"),
        ("::ffff:10.0.0.1", "203.0.113.1", "203.0.113.1"),
        ("10.0.0.1", "203.0.113.1, 10.0.0.2,10.0.0.3", "203.0.113.1"),
        ("10.0.0.1", "127.0.0.1, 203.0.113.1, 10.0.0.2", "203.0.113.1"),
        ("10.0.0.1", "nonsense \u{0} <script>, 203.0.113.1", "203.0.113.1"), ("10.0.0.1", ",,,203.0.113.1", "203.0.113.1"),
        ("10.0.0.1", "\"never closed, 203.0.113.1", "203.0.113.1"),
        // All are trusted: the first of them is the origin.
        ("10.0.0.1", "10.0.0.9, 10.0.0.2", "10.0.0.9"),
        // Ports, and IPv6 in all its forms.
        ("10.0.0.1", "203.0.113.1:4711", "203.0.113.1"), ("10.0.0.1", "[2001:db9::1]:4711", "2001:db9::1"),
        ("10.0.0.1", "[2001:db9::1]", "2001:db9::1"), ("10.0.0.1", "2001:DB9::1", "2001:db9::1"),
        ("2001:db8::7", "::ffff:203.0.113.1", "203.0.113.1"), ("10.0.0.1", "2001:db9::1, 2001:db8::2", "2001:db9::1"),
    ])
    func `the first from the right who is not trusted is the visitor`(_ peer: String, _ value: String?, _ found: String) throws
    {
        #expect(try whom(peer, value) == found)
    }

    @Test(arguments: [
        "", " ", ",", "203.0.113.1,", "unknown", "_hidden", "203.0.113.1:99999", "203.0.113.1:", "203.0.113.1:1:2",
        "[203.0.113.1]",
        "[2001:db9::1", "[2001:db9::1]x", "[2001:db9::1]:", "2001:db9::1%eth0", "203.0.113.1 203.0.113.2", "nonsense, 10.0.0.2",
        "203.0.113.1\u{0}", "1e3", "３.3.3.3",
    ])
    func `what a trusted proxy cannot have meant names nobody`(_ value: String) throws {
        #expect(try whom("10.0.0.1", value) == "malformed")
    }

    @Test func `a loop of proxies ends`() throws {
        #expect(try whom("10.0.0.1", Array(repeating: "10.0.0.2", count: 16).joined(separator: ",")) == "10.0.0.2")
        #expect(try whom("10.0.0.1", Array(repeating: "10.0.0.2", count: 17).joined(separator: ",")) == "malformed")
        #expect(
            try whom("10.0.0.1", "203.0.113.1," + Array(repeating: "10.0.0.2", count: 15).joined(separator: ","))
                == "203.0.113.1")
    }

    @Test(arguments: [
        ("for=203.0.113.1", "203.0.113.1"), ("For=203.0.113.1;proto=https;by=10.0.0.1", "203.0.113.1"),
        ("proto=https; FOR=\"203.0.113.1:4711\"", "203.0.113.1"), ("for=\"[2001:db9::1]:4711\"", "2001:db9::1"),
        ("for=\"[2001:db9::1]\";host=\"a, b\"", "2001:db9::1"),
        ("for=192.0.2.66, for=203.0.113.1, for=10.0.0.2", "203.0.113.1"),
        ("for=\"never closed, for=203.0.113.1", "203.0.113.1"), ("for=192.0.2.66;x=\"\\\", for=203.0.113.1", "203.0.113.1"),
        ("for=unknown", "malformed"), ("for=_hidden", "malformed"), ("proto=https", "malformed"), ("for=", "malformed"),
        ("for=203.0.113.1;for=203.0.113.2", "malformed"), ("for=203.0.113.1;", "malformed"), ("203.0.113.1", "malformed"),
        ("for=\"203.0.113.1", "malformed"), ("for=203.0.113.1, for=10.0.0.2, ", "malformed"), ("for=\"\"", "malformed"),
    ])
    func `Forwarded as RFC 7239 has it`(_ value: String, _ found: String) throws {
        #expect(try whom("10.0.0.1", value, .forwarded) == found)
        #expect(try whom("192.0.2.9", value, .forwarded) == "peer")
    }

    @Test func `where nobody is trusted nobody is believed`() throws {
        #expect(try whom("127.0.0.1", "203.0.113.1", trusting: "none") == "peer")
        #expect(try whom("127.0.0.1", "203.0.113.1", trusting: TrustedProxies.standard.description) == "203.0.113.1")
    }

    @Test func `what came by a proxy shows in its address, in what it writes, or in the public name`() throws {
        func isByProxy(_ peer: Peer, _ headers: [(String, String)]) throws -> Bool {
            let forwarding = Forwarding(
                proxies: try #require(TrustedProxies("127.0.0.0/8,10.0.0.0/8")), header: .xForwardedFor,
                publicHost: "relay.example")
            return forwarding.isByProxy(
                HTTPRequest(method: "GET", path: "/", headers: headers.map { (name: $0.0, value: $0.1) }, peer: peer))
        }
        let local = Peer.ip("127.0.0.1")
        #expect(try isByProxy(.ip("10.0.0.1"), []))
        #expect(try !isByProxy(.ip("192.0.2.1"), [("x-forwarded-proto", "https")]), "nobody trusts it")
        #expect(try !isByProxy(local, [("host", "localhost:8787")]))
        #expect(try isByProxy(local, [("host", "Relay.example")]))
        for name in ["x-forwarded-proto", "x-forwarded-host", "x-forwarded-for", "forwarded"] {
            #expect(try isByProxy(local, [("host", "localhost"), (name, "x")]))
        }
        #expect(try !isByProxy(.unix(userID: 0, processID: 1), [("x-forwarded-proto", "https")]))
    }
}
