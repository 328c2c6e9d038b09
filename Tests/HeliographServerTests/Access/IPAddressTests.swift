import Testing

@testable import HeliographServer

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:0201", "192.0.2.1"),
        ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("::1", "::1"), ("fe80::1%eth0", "fe80::1"), ("0.0.0.0", "0.0.0.0"),
        ("::", "::"), ("255.255.255.255", "255.255.255.255"),
    ])
    func `an address has one spelling`(_ text: String, _ spelling: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == spelling)
        #expect(IPAddress(spelling) == address)
    }

    @Test(arguments: [
        "", " ", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "0x7f.0.0.1", "1.2.3.4 ", ":::", "1::2::3", "[::1]",
        "localhost",
        "1.2.3.4/8", "%eth0", "2001:db8::g",
    ])
    func `what is no address is none`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"], ["11.0.0.0", "9.255.255.255", "::a00:1"]),
        ("0.0.0.0/0", ["1.2.3.4"], ["::1"]), ("::/0", ["::1", "2001:db8::1"], ["1.2.3.4"]),
        ("192.0.2.1", ["192.0.2.1"], ["192.0.2.2"]), ("2001:db8::/32", ["2001:db8:ffff::1"], ["2001:db9::"]),
        ("::ffff:10.0.0.0/104", ["10.9.9.9"], ["11.0.0.0"]), ("::1", ["::1"], ["::2", "0.0.0.1"]),
    ])
    func `a network holds what begins as it does`(_ text: String, _ inside: [String], _ outside: [String]) throws {
        let network = try #require(IPNetwork(text))
        for address in inside { #expect(network.contains(try #require(IPAddress(address))), "\(address)") }
        for address in outside { #expect(!network.contains(try #require(IPAddress(address))), "\(address)") }
    }

    @Test(arguments: [
        "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "/8", "10.0.0.0/8/8", "::1/127", "::/129",
        "::ffff:10.0.0.0/95",
    ])
    func `what is no network is none`(_ text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test func `what one visitor has to choose from counts as one`() throws {
        #expect(IPAddress("2001:db8:1:2:3::4")?.household == IPAddress("2001:db8:1:2::"))
        #expect(IPAddress("192.0.2.1")?.household == IPAddress("192.0.2.1"))
    }

    @Test func `proxies are named with commas between, or none`() throws {
        #expect(TrustedProxies("127.0.0.0/8,::1") == .standard)
        #expect(TrustedProxies(TrustedProxies.standard.description) == .standard)
        #expect(TrustedProxies("10.0.0.0/8, 2001:db8::/32")?.description == "10.0.0.0/8,2001:db8::/32")
        #expect(TrustedProxies("none")?.networks == [])
        for text in ["", ",", "10.0.0.0/8,", "none,::1", "nginx", Array(repeating: "::1", count: 65).joined(separator: ",")] {
            #expect(TrustedProxies(text) == nil, "\(text)")
        }
    }
}
