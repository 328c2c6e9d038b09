import Testing
import WebSocketEngine

@testable import HeliographServer

@Suite struct RegistrationCountsTests {
    private let start = ContinuousClock.now
    private var counts = RegistrationCounts(perHour: 3)

    /// Returns the number of registrations that were made, and the name that was over the limit.
    private mutating func register(_ count: Int, _ address: (Int) -> String) -> String {
        for number in 0..<count {
            let caller = Routes.caller(.ip(address(number)))
            if let excess = counts.note(caller, at: start) { return "\(number), \(excess.name)" }
        }
        return "\(count)"
    }

    @Test mutating func `an IPv6 network may register a few times what an address may`() {
        let ofAddress = register(9) { _ in "2001:db8::1" }
        #expect(ofAddress == "3, 2001:db8::")
        let ofSmall = register(9) { "2001:db8:1:\($0)::1" }
        #expect(ofSmall == "6, 2001:db8:1::/56")
        let ofLarge = register(20) { "2001:db8:2:\(String($0 << 8, radix: 16))::1" }
        #expect(ofLarge == "12, 2001:db8:2::/48")
        let neighbour = register(3) { _ in "2001:db8:3::1" }
        #expect(neighbour == "3")
        let ofIPv4 = register(300) { "192.0.\($0 / 200).\($0 % 200)" }
        #expect(ofIPv4 == "300")
    }

    @Test mutating func `a flood from one network leaves room for the others`() {
        let flood = register(RecentCounts.namesMax) { "10.\($0 / 250).\($0 % 250).1" }
        #expect(flood == "\(RecentCounts.namesMax)")
        let more = register(9) { "10.9.9.\($0)" }
        #expect(more == "3, 10.9.0.0/16")
        let other = register(9) { _ in "192.0.2.1" }
        #expect(other == "3, 192.0.0.0/16")
        let ofIPv6 = register(9) { "2001:db8:\($0)::1" }
        #expect(ofIPv6 == "3, 2001:db8::/32")
        let known = register(2) { _ in "10.0.0.1" }
        #expect(known == "2", "it is counted by its own name")
    }
}
