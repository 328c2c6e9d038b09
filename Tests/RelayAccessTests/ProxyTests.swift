import Testing

@testable import RelayAccess

@Suite("Proxies of the network") struct ProxyTests {
    private func proxy(_ values: [String: String], _ relay: String = "https://relay.example") throws -> String? {
        try ProxySettings(values).proxy(for: #require(RelayAddress(relay)))?.description
    }

    @Test("each scheme has its variable, small letters first, and all_proxy is for both")
    func variables() throws {
        #expect(try proxy([:]) == nil)
        #expect(try proxy(["HTTPS_PROXY": "http://p:3128"]) == "http://p:3128")
        #expect(try proxy(["HTTPS_PROXY": "http://p:3128", "https_proxy": "q:1"]) == "http://q:1")
        #expect(try proxy(["http_proxy": "http://p:3128"]) == nil)
        #expect(try proxy(["ALL_PROXY": "p"]) == "http://p:1080")
        #expect(try proxy(["ALL_PROXY": "p:1", "HTTPS_PROXY": ""]) == nil)
        #expect(try proxy(["HTTPS_PROXY": "http://p:1"], "http://relay.example") == nil)
        #expect(try proxy(["http_proxy": "http://p:1"], "http://relay.example") == "http://p:1")
        #expect(try proxy(["HTTP_PROXY": "http://p:1"], "http://relay.example") == nil)
        #expect(try proxy(["all_proxy": "http://p:1"], "http://relay.example") == "http://p:1")
    }

    @Test(
        "this machine, and what NO_PROXY names, is reached without one",
        arguments: [
            ("localhost", ""), ("127.0.0.1", ""), ("[::1]", ""), ("relay.example", "*"), ("relay.example", "relay.example"),
            ("relay.example", "other, .EXAMPLE"), ("relay.example", "example."), ("10.1.2.3", "10.0.0.0/8"),
            ("10.1.2.3", "10.1.2.3"),
            ("[fd00::1]", "fd00::/8"), ("[fd00::1]", "[fd00:0::1]"),
        ])
    func direct(_ host: String, _ list: String) throws {
        #expect(try proxy(["HTTPS_PROXY": "http://p:1", "NO_PROXY": list], "https://\(host)") == nil)
    }

    @Test(
        "a name that only looks like an exception goes through it",
        arguments: [
            ("relay.example", "lay.example"), ("relay.example", "relay"), ("10.1.2.3", "2.3"), ("10.1.2.3", "10.1.2.0/31"),
            ("10.1.2.3", "10.1.2.3/33"), ("[fd00::1]", "10.0.0.0/0"), ("127.0.0.1.example", ""), ("relay.example", ", ,."),
        ])
    func notDirect(_ host: String, _ list: String) throws {
        #expect(try proxy(["HTTPS_PROXY": "http://p:1", "NO_PROXY": list], "https://\(host)") == "http://p:1")
    }

    @Test(
        "a proxy that cannot be used is an error, never a way without one, and its text is not shown",
        arguments: ["socks5://u:secret@p:1", "https://u:secret@p", "http://u:secret%4@p", "http://secret p", "secret:x"])
    func unusable(_ text: String) throws {
        let error = #expect(throws: HTTPError.self) { try proxy(["HTTPS_PROXY": text]) }
        #expect(error?.code == .proxy && error?.message.contains("secret") == false)
    }

    @Test("the request names the server, and shows the decoded name and password")
    func request() throws {
        func text(_ address: String, _ host: String) throws -> String {
            String(decoding: ProxyTunnel.request(to: host, 443, try #require(ProxyAddress(address))), as: UTF8.self)
        }
        #expect(
            try text("http://p:1", "relay.example") == "CONNECT relay.example:443 HTTP/1.1\r\nHost: relay.example:443\r\n\r\n")
        #expect(
            try text("http://ada:s%40cret@p:1", "fd00::1").hasPrefix(
                "CONNECT [fd00::1]:443 HTTP/1.1\r\nHost: [fd00::1]:443\r\n"))
        #expect(try text("http://ada:s%40cret@p:1", "h").hasSuffix("\r\nProxy-Authorization: Basic YWRhOnNAY3JldA==\r\n\r\n"))
        #expect(try text("ada@p:1", "h").contains("Basic YWRhOg=="))
        #expect(try #require(ProxyAddress("http://ada:s%40cret@p:1/")).description == "http://p:1")
    }

    @Test("an answer counts when its head is whole, however it is cut")
    func answer() throws {
        let proxy = try #require(ProxyAddress("http://p:1"))
        let whole = Array("HTTP/1.0 200 Connection established\r\nProxy-agent: x\r\n\r\n".utf8)
        for count in 0..<whole.count { #expect(try !ProxyTunnel.isOpen(Array(whole.prefix(count)), proxy)) }
        #expect(try ProxyTunnel.isOpen(whole, proxy))
    }

    @Test(
        "every other answer is an error that says whose it is",
        arguments: [
            ("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "wants a name and a password"),
            ("HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nno!\n", "does not connect to it (HTTP 403)"),
            ("HTTP/1.1 200 OK\r\n\r\nSSH-2.0", "sent something of its own"), ("SSH-2.0-OpenSSH\r\n", "is no HTTP proxy"),
            ("HTTP/1.1 hello\r\n\r\n", "is no HTTP proxy"), ("\u{15}\u{3}\u{1}", "is no HTTP proxy"),
        ])
    func refusals(_ text: String, _ words: String) throws {
        let proxy = try #require(ProxyAddress("http://p:1"))
        let error = #expect(throws: HTTPError.self) { try ProxyTunnel.isOpen(Array(text.utf8), proxy) }
        #expect(
            error?.code == .proxy && error?.message.contains(words) == true && error?.message.contains("http://p:1") == true)
    }

    @Test("a refusal of a password says so, by whichever status", arguments: [401, 407])
    func password(_ status: Int) throws {
        let with = ProxyTunnel.refusal(status, try #require(ProxyAddress("http://ada:x@p:1"))).message
        #expect(with == "the proxy http://p:1 does not accept the name and the password (HTTP \(status))")
        let without = ProxyTunnel.refusal(status, try #require(ProxyAddress("http://p:1"))).message
        #expect(without.contains("wants a name and a password") == (status == 407))
    }

    @Test("what curl says of a proxy is said in the same words")
    func curl() throws {
        let proxy = try #require(ProxyAddress("http://ada:x@p:1"))
        func words(_ code: Int32, _ said: String = "") -> String? {
            HTTPExchange.proxyError(for: code, said: said, proxy)?.message
        }
        #expect(words(56, "curl: (56) CONNECT tunnel failed, response 407")?.contains("does not accept the name") == true)
        #expect(
            words(56, "curl: (56) Received HTTP code 403 from proxy after CONNECT, response 403")?.contains("HTTP 403") == true)
        #expect(words(56, "curl: (56) Proxy CONNECT aborted")?.contains("hung up") == true)
        #expect(words(7)?.contains("cannot be reached") == true)
        #expect(words(60) == nil && words(6) == nil)
    }
}
