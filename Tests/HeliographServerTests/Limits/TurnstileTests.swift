import RelayProtocol
import Testing
import WebSocketEngine

@testable import HeliographServer

@Suite struct TurnstileTests {
    private let home = WorkspaceID("home")!
    private let office = WorkspaceID("office")!
    private let here = Peer.ip("192.0.2.1")
    private let there = Peer.ip("192.0.2.2")

    private func limits(_ change: (inout ServerLimits) -> Void) -> Turnstile {
        var limits = ServerLimits()
        change(&limits)
        return Turnstile(limits)
    }

    @Test func `each limit counts its own, and who leaves makes room`() throws {
        var turnstile = limits {
            $0.connectionsPerAddress = 2
            $0.connectionsPerToken = 3
            $0.connectionsPerWorkspace = 4
        }
        for _ in 0..<2 { try turnstile.enter(address: here, token: "a", workspace: home) }
        #expect(throws: Turnstile.Limit.connectionsPerAddress) {
            try turnstile.enter(address: here, token: "b", workspace: home)
        }
        try turnstile.enter(address: nil, token: "a", workspace: home)
        #expect(throws: Turnstile.Limit.connectionsPerToken) {
            try turnstile.enter(address: there, token: "a", workspace: office)
        }
        try turnstile.enter(address: there, token: "b", workspace: home)
        #expect(throws: Turnstile.Limit.connectionsPerWorkspace) {
            try turnstile.enter(address: nil, token: "c", workspace: home)
        }
        try turnstile.enter(address: there, token: "c", workspace: office)
        turnstile.leave(address: here, token: "a", workspace: home)
        try turnstile.enter(address: here, token: "a", workspace: home)
    }

    @Test func `zero is no limit`() throws {
        var turnstile = limits {
            ($0.connectionsPerAddress, $0.connectionsPerToken, $0.connectionsPerWorkspace) = (0, 0, 0)
            $0.requestsPerSecondPerAddress = 0
        }
        for _ in 0..<100_000 { try turnstile.enter(address: here, token: "a", workspace: home) }
        for _ in 0..<100_000 { #expect(turnstile.asked(here, at: 0) == 0) }
    }

    @Test func `an address that asks too often waits, another does not`() {
        var turnstile = limits { $0.requestsPerSecondPerAddress = 2 }
        for _ in 0..<20 { #expect(turnstile.asked(here, at: 0) == 0) }
        #expect(turnstile.asked(here, at: 0) == 500_000_000)
        #expect(turnstile.asked(there, at: 0) == 0)
        #expect(turnstile.asked(here, at: 500_000_000) == 0)
    }

    @Test func `however many addresses ask, a bounded number is remembered, and the rest share`() {
        var turnstile = limits { $0.requestsPerSecondPerAddress = 1 }
        for number in 0..<ServerLimits.addressesMax { #expect(turnstile.asked(.ip("\(number)"), at: 0) == 0) }
        for number in 0..<10 { #expect(turnstile.asked(.ip("new \(number)"), at: 0) == 0) }
        #expect(turnstile.asked(.ip("one more"), at: 0) > 0)
        // Those who have asked nothing since make room.
        #expect(turnstile.asked(.ip("one more"), at: 2_000_000_000) == 0)
        #expect(turnstile.asked(.ip("and another"), at: 2_000_000_000) == 0)
    }
}
