import HeliographPlatform
import Testing

@Suite struct LoopbackTests {
    @Test(arguments: ["localhost", "LOCALHOST", "::1", "127.0.0.1", "127.255.0.9"])
    func `leads to this machine`(_ host: String) { #expect(Loopback.contains(host)) }

    @Test(arguments: [
        "127.0.0.1.example.org", "127.example.org", "127.0.0.256", "127.0.0.+1", "127.0.0", "127..0.1", "10.0.0.1", "", "127.",
    ])
    func `is somebody else's, or none`(_ host: String) { #expect(!Loopback.contains(host)) }
}
