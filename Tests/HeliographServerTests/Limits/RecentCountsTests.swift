import Testing

@testable import HeliographServer

@Suite struct RecentCountsTests {
    private let start = ContinuousClock.now
    private var codes = RecentCounts.wrongCodes

    private func name(_ own: String, of network: String = "") -> RecentCounts.Name {
        RecentCounts.Name(own: own, network: network)
    }

    @Test mutating func `actions are counted by name, and forgotten after a while`() {
        for _ in 0..<codes.max { #expect(codes.note(name("a"), at: start) == nil) }
        #expect(codes.note(name("a"), at: start + .seconds(10)) == RecentCounts.Excess(wait: .seconds(50), name: "a"))
        #expect(codes.note(name("b"), at: start + .seconds(10)) == nil)
        #expect(codes.note(name("a"), at: start + .seconds(60)) == nil)
    }

    @Test mutating func `a name over the limit waits before its next action, and nobody else does`() {
        for _ in 1..<codes.max { _ = codes.note(name("a"), at: start) }
        #expect(codes.excess(of: name("a"), at: start) == nil)
        _ = codes.note(name("a"), at: start)
        #expect(codes.excess(of: name("a"), at: start + .seconds(10))?.wait == .seconds(50))
        #expect(codes.excess(of: name("b"), at: start + .seconds(10)) == nil)
        #expect(codes.excess(of: name("a"), at: start + .seconds(60)) == nil)
    }

    @Test mutating func `names without number are counted by network, so that one network shuts out no other`() {
        for number in 0..<RecentCounts.namesMax { #expect(codes.note(name("a\(number)"), at: start) == nil) }
        for number in 0..<codes.max { #expect(codes.note(name("b\(number)", of: "n1"), at: start) == nil) }
        #expect(codes.note(name("c", of: "n1"), at: start)?.name == "n1")
        #expect(codes.excess(of: name("d", of: "n1"), at: start)?.name == "n1")
        #expect(codes.excess(of: name("d", of: "n2"), at: start) == nil)
        #expect(codes.note(name("d", of: "n2"), at: start) == nil)
        #expect(codes.excess(of: name("a1"), at: start) == nil)
        #expect(codes.note(name("d", of: "n1"), at: start + .seconds(60)) == nil)
    }

    @Test mutating func `networks without number are counted together`() {
        for number in 0..<RecentCounts.namesMax { _ = codes.note(name("a\(number)"), at: start) }
        for number in 0..<RecentCounts.namesMax { #expect(codes.note(name("b", of: "n\(number)"), at: start) == nil) }
        for _ in 0..<codes.max { #expect(codes.note(name("b", of: "m"), at: start) == nil) }
        #expect(codes.note(name("b", of: "m"), at: start)?.name == "")
        #expect(codes.excess(of: name("b", of: "l"), at: start)?.name == "")
        #expect(codes.excess(of: name("b", of: "n1"), at: start) == nil)
    }
}
