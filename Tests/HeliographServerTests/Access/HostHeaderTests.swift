import Testing

@testable import HeliographServer

/// The name that a `Host` header leads to.
@Suite struct HostHeaderTests {
    @Test(arguments: [
        ("localhost", "localhost"), ("127.0.0.1:8787", "127.0.0.1"), ("[::1]", "::1"), ("[::1]:8787", "::1"),
        ("[2001:db8::1]:1", "2001:db8::1"), ("relay.example:", "relay.example"),
    ])
    func `a name or an address is found without its port`(_ header: String, _ name: String) {
        #expect(HostHeader.name(in: header) == name)
    }

    @Test(arguments: [
        "", ":80", "[::1].example", "[::1]x:80", "[::1", "[localhost]", "[]", "localhost:80.example", "127.0.0.1:+80",
        "localhost:8 0",
        "[::1]:80.example", "127.0.0.1:80:90",
    ])
    func `what only begins like one is none`(_ header: String) { #expect(HostHeader.name(in: header) == nil) }
}
